"""Word what is wrong with a command line, in our terms and with what to do instead.

The library that parses it has words of its own, which speak of parameters and values; none of them
reaches the user.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from git_opatch.model.errors import UsageError

if TYPE_CHECKING:
    from typer.exceptions import TyperException

_LEAST_ALIKE = 0.75
"""How much alike two names are, from 0 to 1, for one to be meant by the other."""

_STRIP = (
    "there is no -p N: paths are read with `a/` and `b/` in front and without; "
    "leave out -p0 and -p1\n"
    "  in place of -p2 and more: write the paths in the patch as they are in the repository"
)
_SPACE = (
    "spaces at either end of a line and between its words may differ already (see --match); "
    "leave it out"
)
_COUNTS = "wrong line numbers and counts are already accepted; leave it out"
_COMMAND_ITSELF = "{command}"
"""Stands for the command that was called."""
_FORWARD = "to skip what is already applied: git opatch apply --skip-applied PATCH"
_NEW_FILES = "new files are staged without it; after --worktree: git add -N FILE"
_CHOOSE = (
    "to choose files: {command} --only PATH PATCH (or --except PATH)\n"
    "  to forbid others: {command} --allow PATHSPEC PATCH (or --deny PATHSPEC)"
)
_STALE = "to merge what was written for an older version of a file: {command} --3way PATCH"
_INSTEAD = {
    "--strip": _STRIP,
    "--stat": "to see it: git opatch show --stat PATCH",
    "--numstat": "to see it: git opatch show --numstat PATCH",
    "--summary": "to see the files: git opatch show --name-status PATCH",
    "--name-only": "to see the files: git opatch show --name-only PATCH",
    "-C": _STALE,
    "--fuzz": _STALE,
    "--unidiff-zero": "hunks without context are read as they are; leave it out",
    "--recount": _COUNTS,
    "--inaccurate-eof": "a wrongly stated newline at the end is already accepted; leave it out",
    "--ignore-whitespace": _SPACE,
    "--ignore-space-change": _SPACE,
    "--whitespace": "added lines are written as they are; to find whitespace errors in them: "
    "git diff --check HEAD",
    "-l": _SPACE,
    "--include": _CHOOSE,
    "--exclude": _CHOOSE,
    "-N": f"{_FORWARD}\n  {_NEW_FILES}",
    "--forward": _FORWARD,
    "--intent-to-add": _NEW_FILES,
    "-i": "name the patch file without it",
    "--input": "name the patch file without it",
    "--staged": "write --cached",
    "--force": "nothing is forced; see --partial, --overwrite and --3way",
    "-f": "nothing is forced; see --partial, --overwrite and --3way",
}
"""What to do in place of an option of `git apply` or patch(1).

Those with `{command}` are for the commands that have the option they name: `_READ_PATCHES`.
"""
_CHOOSE_HUNKS = (
    "to choose hunks: {command} --only HUNK PATCH (or --except HUNK)\n"
    "  to be asked for each: git opatch apply -p PATCH"
)
_PATCH = {
    "show": "it shows the diff without it; leave it out",
    "check": _CHOOSE_HUNKS,
    "convert": _CHOOSE_HUNKS,
    "create": "it writes a patch without it; leave it out",
    "undo": "an undo is of a whole patch; to see its diff: git opatch log -p N",
    "redo": "a redo is of a whole patch; to see its diff: git opatch log -p N",
    "apply-patch": _STRIP,
}
"""What to do in place of `-p`, which is `--patch` in git's commands, by command."""
_COMMIT = {
    "-a": "nothing but the patch is committed; leave it out",
    "--all": "nothing but the patch is committed; leave it out",
    **{
        option: f"to commit with it: apply the patch without --commit, then: git commit {option}"
        for option in ("-s", "--signoff", "-e", "--edit", "--amend", "--no-verify")
    },
}
"""What to do in place of an option of `git commit`, for `apply --commit`."""
_LOG = {
    "--stat": "the counts are listed already; to see the changes: git opatch log -p",
    "--name-only": "to see the changes: git opatch log -p",
    "--name-status": "to see the changes: git opatch log -p",
}
_SEE = "to see what patch N changed: git opatch log -p N; a redo reverses an undo"
_REVERSAL = {
    "--force": "nothing is forced; a refusal says what keeps it from being done",
    "-f": "nothing is forced; a refusal says what keeps it from being done",
    "--check": _SEE,
    "--dry-run": _SEE,
    "-n": _SEE,
}
_OF_COMMAND = {"apply": _COMMIT, "log": _LOG, "undo": _REVERSAL, "redo": _REVERSAL}
"""What to do in place of an option of another command, by command."""
_ELSEWHERE = {
    "revert": "undo",
    "rollback": "undo",
    "status": "log",
    "list": "log",
    "history": "log",
    "diff": "show",
    "am": "apply --commit",
    "patch": "apply",
}
"""What a command of git, or of another tool, is called here."""
_PROGRAM = "git opatch"
_OF_GIT = {
    "-C": "-C DIR",
    "-c": "-c NAME=VALUE",
    "-p": "-p",
    "--paginate": "--paginate",
    "-P": "-P",
    "--no-pager": "--no-pager",
    "--git-dir": "--git-dir=DIR",
    "--work-tree": "--work-tree=DIR",
    "--literal-pathspecs": "--literal-pathspecs",
    "--no-optional-locks": "--no-optional-locks",
}
"""How git's own options are written, which git reads before it runs us."""
_READ_PATCHES = ("apply", "check", "show", "convert")


def usage_error(error: TyperException) -> UsageError:
    """Word an error of the parser; the options that it thinks possible are left to the help."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "git opatch"
    parameters = list(context.command.params) if context else []
    help_line = f"see `{command} -h`"
    option = getattr(error, "option_name", None)
    parameter = getattr(error, "param", None)
    if hasattr(error, "possibilities"):
        return UsageError(_unknown_option(command, str(option), parameters))
    if option is not None:
        named = [each for each in parameters if option in (*each.opts, *each.secondary_opts)]
        takes_value = not any(each.is_flag for each in named)
        wrong = f"`{option}` {'needs a value' if takes_value else 'takes no value'}"
        return UsageError(f"{wrong}; {help_line}")
    if parameter is not None:
        if parameter.name == "number":
            return UsageError(f"{error.message}; to see the numbers: git opatch log")
        is_argument = parameter.param_type_name == "argument"
        name = parameter.metavar if is_argument else ", ".join(parameter.opts)
        if not error.message:
            return UsageError(f"`{command}` needs {name}; {help_line}")
        return UsageError(f"{name}: {error.message}; {help_line}")
    if context is not None and not hasattr(context.command, "commands"):
        takes_one = any(each.param_type_name == "argument" for each in parameters)
        most = "one argument" if takes_one else "no arguments"
        return UsageError(f"`{command}` takes {most}; {help_line}")
    return UsageError(f"{error.message.rstrip('.')}; {help_line}")


def _unknown_option(command: str, option: str, parameters: Iterable[Any]) -> str:
    """Say that a command does not have an option, and which one may be meant."""
    unknown = f"`{command}` has no option `{option}`"
    if command == _PROGRAM and option in _OF_GIT:
        return f"{unknown}; options of git come before `opatch`: git {_OF_GIT[option]} opatch ..."
    name = command.removeprefix(f"{_PROGRAM} ")
    instead = _PATCH.get(name) if option in ("-p", "--patch") else _of_patch(option, name)
    if instead := _OF_COMMAND.get(name, {}).get(option) or instead:
        return f"{unknown}\n  {instead.replace(_COMMAND_ITSELF, command)}"
    if option.lstrip("-").isdigit():
        return f"{unknown}; write {option.lstrip('-')} without `-`"
    own = [opt for each in parameters for opt in each.opts]
    known = [*own, *(each for each in _INSTEAD if _of_patch(each, name))]
    meant = _most_alike(option, [each for each in known if each.startswith("--")])
    if meant not in own and (instead := _of_patch(meant, name)):
        return f"{unknown}\n  {instead.replace(_COMMAND_ITSELF, command)}"
    return f"{unknown}; {_did_you_mean(meant) or f'see `{command} -h`'}"


def _of_patch(option: str, name: str) -> str:
    """Return what to do in place of an option of `git apply`; empty if the command cannot do it."""
    instead = _INSTEAD.get(option, "")
    return "" if _COMMAND_ITSELF in instead and name not in _READ_PATCHES else instead


def _most_alike(name: str, known: Sequence[str]) -> str:
    """Return the one of `known` that is most like `name`; empty if none is like it."""
    from difflib import get_close_matches  # which no run needs that succeeds

    return next(iter(get_close_matches(name, known, 1, _LEAST_ALIKE)), "")


def _did_you_mean(name: str) -> str:
    """Ask whether `name` is meant; empty if there is none."""
    return name and f"did you mean `{name}`?"


def require_known_command(words: Sequence[str], commands: Iterable[str]) -> None:
    """Raise `UsageError` if the first of `words` is not one of `commands`."""
    name = words[0]
    known = list(commands)
    if name in known:
        return
    unknown = f"`{name}` is not a command of git opatch"
    if name == "version":
        raise UsageError(f"{unknown}; write `git opatch --version`")
    if os.path.isfile(name):
        raise UsageError(f"{unknown}\n  to apply the patch in it: git opatch apply {name}")
    if name in _ELSEWHERE:
        raise UsageError(f"{unknown}; did you mean `{_ELSEWHERE[name]}`?")
    raise UsageError(
        f"{unknown}; {_did_you_mean(_most_alike(name, known)) or 'see `git opatch -h`'}"
    )


def expand_count(command: str, words: Sequence[str]) -> list[str]:
    """Read `log -3` as `log -n 3`, as git does."""
    if command != "log":
        return list(words)
    expanded: list[str] = []
    for at, word in enumerate(words):
        is_value = bool(at) and words[at - 1] in ("-n", "--max-count")
        is_count = re.fullmatch(r"-\d+", word) and not is_value and "--" not in words[:at]
        expanded += ["-n", word[1:]] if is_count else [word]
    return expanded


def complete_options(words: Sequence[str], parameters: Iterable[Any]) -> list[str]:
    """Write the long options in `words` in full that are shortened, as git's may be.

    Values of options, and what is behind `--`, stay as they are. Raises `UsageError` for a
    beginning that several options have.
    """
    takes_value = {
        flag: not each.is_flag for each in parameters for flag in each.opts if flag[0] == "-"
    }
    takes_value["--help"] = False
    completed = list(words)
    at = 0
    while at < len(completed) and completed[at] != "--":
        flag, sign, value = completed[at].partition("=")
        if flag.startswith("--"):
            flag = _in_full(flag, takes_value)
            completed[at] = flag + sign + value
            at += takes_value.get(flag, False) and not sign
        elif flag.startswith("-"):  # short options may stand together, the last with its value
            with_value = [letter for letter in flag[1:] if takes_value.get(f"-{letter}")]
            at += bool(with_value) and flag.endswith(with_value[0]) and not sign
        at += 1
    return completed


def _in_full(flag: str, known: Iterable[str]) -> str:
    """Return the only one of the `known` options that begins so; `flag` itself if there is none."""
    meant = sorted(each for each in known if each.startswith(flag))
    if len(meant) < 2 or flag in meant:
        return meant[0] if len(meant) == 1 else flag
    raise UsageError(f"`{flag}` could be {' or '.join(f'`{each}`' for each in meant)}")


def keep_separator(command: str, words: Sequence[str]) -> list[str]:
    """Let `create` see the `--` before its pathspecs, which the parser would take away."""
    if command != "create" or "--" not in words:
        return list(words)
    at = words.index("--")
    return [*words[:at], "--", *words[at:]]


def require_no_strip(command: str, words: Sequence[str]) -> None:
    """Raise `UsageError` for `-p1` and `-p 1`, where `-p` is another option or none."""
    if command not in _READ_PATCHES:
        return
    before = words[: words.index("--")] if "--" in words else words
    for word, following in zip(before, [*before[1:], ""], strict=False):
        is_number = following.isdigit() and not os.path.exists(following)
        if re.fullmatch(r"-p\d+", word) or (word == "-p" and is_number):
            raise UsageError(_STRIP)
