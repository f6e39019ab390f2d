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
_LOOSER = ("--fuzz", "-C")
"""What has no counterpart here, as it finds places by ignoring what the patch says."""
_STALE = "no hunk is matched more loosely; `--3way` merges what was written for an older version"
_PROGRAM = "git opatch"
_OF_GIT = (
    "-C", "-c", "-p", "--paginate", "-P", "--no-pager", "--git-dir", "--work-tree",
    "--literal-pathspecs", "--no-optional-locks",
)  # fmt: skip
"""Git's own options, which git reads before it runs us."""
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
        return f"{unknown}; options of git come before `opatch`: git {option} ... opatch ..."
    own = [flag for each in parameters for flag in each.opts]
    if option in _LOOSER and "--3way" in own:
        return f"{unknown}\n  {_STALE}"
    if option.lstrip("-").isdigit():
        return f"{unknown}; write {option.lstrip('-')} without `-`"
    meant = _most_alike(option, [flag for flag in own if flag.startswith("--")])
    return f"{unknown}; {_did_you_mean(meant) or f'see `{command} -h`'}"


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
