"""The errors of git opatch, with the exit status that each one means.

The four kinds are those of OpenCode's patch subsystem (`ApplyPatchError`); the exit
statuses are git's: 1 the patch does not apply, 128 fatal, 129 usage.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple


class Kind(Enum):
    """The kind of an error, as machines see it."""

    PARSE = "ParseError"
    IO = "IoError"
    MATCH = "ComputeReplacements"
    IMPLICIT = "ImplicitInvocation"


class OpatchError(Exception):
    """Anything that a user, a model or a repository can do wrong."""

    exit_status = 1
    kind = Kind.IO


class Fix(Enum):
    """What to do with a corrected line."""

    REPLACE = "replace"
    INSERT_BEFORE = "insert_before"
    INSERT_AFTER = "insert_after"


class Fault(NamedTuple):
    """One thing wrong with a patch's text. `line` counts from 1; 0 is the whole text."""

    line: int
    message: str
    source: str = ""
    corrected: str = ""
    """The line as it should be written, where the message has one; not fit for a terminal."""
    fix: Fix = Fix.REPLACE
    at: int = 0
    """The line that the corrected one goes in the place of, before or after."""

    def __str__(self) -> str:
        place = f"line {self.line}: " if self.line else ""
        return f"{self.source}: {place}{self.message}" if self.source else place + self.message


class ParseError(OpatchError):
    """The text is no patch, or a malformed one; carries all faults found."""

    exit_status = 128
    kind = Kind.PARSE

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = tuple(faults)


class ImplicitInvocation(OpatchError):  # noqa: N818 - OpenCode's name for it
    """A bare patch stands where a command should; the message says what to call."""

    exit_status = 128
    kind = Kind.IMPLICIT


class NoCall(OpatchError):  # noqa: N818 - it is another command, which is no error
    """A command that was to be judged is no call of `apply_patch`."""


class RepositoryError(OpatchError):
    """No repository, no working tree, or git failed at what it was asked."""

    exit_status = 128


class InputError(OpatchError):
    """A patch file cannot be read, or an output file cannot be written."""

    exit_status = 128


class BusyError(OpatchError):
    """Another process holds the lock of this repository or of its index."""

    exit_status = 128


class TransactionError(OpatchError):
    """Git failed while it wrote, or wrote something else; all was put back."""

    exit_status = 128


class CommitError(OpatchError):
    """Nothing can be committed here and now, or git would not commit it; the message says which,
    and what was changed."""

    def __init__(self, message: str, exit_status: int = 128) -> None:
        super().__init__(message)
        self.exit_status = exit_status


class SystemRefusal(OpatchError):  # noqa: N818 - the system's word for it
    """The system refused: no room, no permission, no such device."""

    exit_status = 128


class JournalError(OpatchError):
    """The journal has no such record, or cannot show it."""

    exit_status = 128


class TakenBackError(JournalError):
    """The record was taken back already; nothing was changed."""

    exit_status = 1


class UsageError(OpatchError):
    """The command line is wrong."""

    exit_status = 129


class Interrupted(OpatchError):  # noqa: N818 - nothing went wrong
    """A signal came while the patch was applied; the message says what was done."""

    exit_status = 130
