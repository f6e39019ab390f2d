"""What the user says of a commit, on the command line of `apply`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from git_opatch.errors import InputError, UsageError
from git_opatch.options import Target

if TYPE_CHECKING:
    from git_opatch.commit.order import Wish

_NEEDS_COMMIT = ("message", "message_file", "trailer", "author", "date")
_SPELLED = {"message": "-m", "message_file": "-F"}
_STANDARD_INPUT = "-"


def choose_commit(given: Mapping[str, Any], target: Target) -> Wish | None:
    """What the command's parameters say of a commit; None if nothing is to be committed.

    Raises `UsageError` for what does not go together, `InputError` if a file cannot be read.
    """
    if not given["commit"]:
        for name in _NEEDS_COMMIT:
            if given[name]:
                raise UsageError(f"{_SPELLED.get(name, '--' + name)} is for --commit")
        return None
    if target is Target.WORKTREE:
        raise UsageError("--commit commits what is staged, and --worktree stages nothing")
    if given["partial"] or given["reject"]:
        raise UsageError("--commit is for the whole patch, not for --partial or --reject")
    messages, file = given["message"] or (), given["message_file"]
    if messages and file:
        raise UsageError("-m and -F exclude one another")
    from git_opatch.commit.order import Wish

    return Wish(
        tuple(messages),
        tuple(given["trailer"] or ()),
        given["author"],
        given["date"],
        file=_read(file, given["files"] or [_STANDARD_INPUT]) if file else None,
        editor=not given["json"] and sys.stdin is not None and _is_terminal(),
        quiet=given["json"],
    )


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _read(name: str, patches: Sequence[str]) -> bytes:
    if name == _STANDARD_INPUT and _STANDARD_INPUT in patches:
        raise UsageError("-F - reads the message from standard input, and so is the patch")
    try:
        return sys.stdin.buffer.read() if name == _STANDARD_INPUT else Path(name).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read message `{name}`: {error.strerror}") from None
