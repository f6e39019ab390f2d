"""Read a command line as git reads its own, and word what is wrong with one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from git_opatch.model.errors import UsageError

if TYPE_CHECKING:
    from typer.exceptions import TyperException


def usage_error(error: TyperException) -> UsageError:
    """Make an error of the parser one of ours, which names the help of the command."""
    from difflib import get_close_matches

    context = getattr(error, "ctx", None)
    if possible := getattr(error, "possibilities", None):
        name = getattr(error, "option_name", "")  # what is only a little alike is not a slip
        alike = get_close_matches(name, possible, cutoff=_LEAST_ALIKE)
        setattr(error, "possibilities", alike)  # noqa: B010 - of some errors only
    command = context.command_path if context else "git opatch"
    message = error.format_message().rstrip(".")
    see = "" if message.endswith("?") else f"; see `{command} -h`"
    return UsageError(f"{message[:1].lower()}{message[1:]}{see}")


_SEPARATOR, _LEAST_ALIKE = "--", 0.8
_AS_IT_IS = ["log", "--oneline"]  # as git's, and ours prints a line for each patch anyway
_COLOUR = {"--color": "--color=always", "--no-color": "--color=never"}


_GIT_COUNTS = "pipe `git opatch convert` to `git apply --stat`, or to `--numstat`"
_OF_GIT = {
    r"-p\d+": "paths are read with or without their prefixes",
    "--include": "`--only` chooses paths",
    "--(?:num|short)?stat|--summary|--name-(?:only|status)": _GIT_COUNTS,
}
"""Options of `git apply` that have other names here."""


def read_words(command: str, words: Sequence[str], parameters: Iterable[Any]) -> list[str]:
    """Write out what is shortened: options, as git's may be, `--color` and `log -3`.

    Values of options, and what is behind `--`, stay as they are. Raises `UsageError` for a
    beginning that several options have.
    """
    takes_value = {
        flag: not parameter.is_flag
        for parameter in parameters
        for flag in parameter.opts
        if flag[0] == "-"
    }
    takes_value["--help"] = False
    given = [_COLOUR.get(word, word) for word in words if [command, word] != _AS_IT_IS]
    at = 0
    while at < len(given) and given[at] != _SEPARATOR:
        flag, sign, value = given[at].partition("=")
        for pattern, instead in _OF_GIT.items():
            if command in ("apply", "show") and re.fullmatch(pattern, flag):
                raise UsageError(f"there is no `{flag}` here: {instead}")
        if flag.startswith("--"):
            flag = _in_full(flag, takes_value)
            given[at] = flag + sign + value
            at += takes_value.get(flag, False) and not sign
        elif command == "log" and re.fullmatch(r"-\d+", flag):
            given[at] = f"-n{flag[1:]}"
        elif flag.startswith("-"):  # short options may stand together, the last with its value
            with_value = [letter for letter in flag[1:] if takes_value.get(f"-{letter}")]
            at += bool(with_value) and flag.endswith(with_value[0]) and not sign
        at += 1
    if command in ("create", "undo", "redo") and at < len(given):
        given.insert(at, _SEPARATOR)  # the parser takes one away; pathspecs are behind it
    return given


def _in_full(flag: str, known: Iterable[str]) -> str:
    """Return the only one of the `known` options that begins so; `flag` itself if there is none."""
    meant = sorted(option for option in known if option.startswith(flag))
    if len(meant) < 2 or flag in meant:
        return meant[0] if len(meant) == 1 else flag
    raise UsageError(f"`{flag}` could be {' or '.join(f'`{option}`' for option in meant)}")


def split_words(
    first: str | None, others: Sequence[str] | None, expected: str
) -> tuple[str, list[str]]:
    """Split the words of a command line into the one before `--`, and the pathspecs behind it.

    Raises `UsageError`, which says what is `expected`, for more before it.
    """
    words = [*filter(None, [first]), *(others or [])]
    at = words.index(_SEPARATOR) if _SEPARATOR in words else len(words)
    if at > 1:
        raise UsageError(f"{expected}; write -- before paths such as `{words[1]}`")
    return "".join(words[:at]), words[at + 1 :]
