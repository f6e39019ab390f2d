"""The errors of git opatch, each with its exit status (D67).

The four kinds are those of OpenCode's patch subsystem (`ApplyPatchError`); the exit
statuses are git's: 1 the patch does not apply, 128 fatal, 129 usage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from git_opatch.model.sentences import Malformed


class Kind(Enum):
    """The kind of an error in machine output."""

    PARSE = "ParseError"
    IO = "IoError"
    MATCH = "ComputeReplacements"
    IMPLICIT = "ImplicitInvocation"


class OpatchError(Exception):
    """Base of all errors that a user, a model or a repository can cause."""

    exit_status = 1
    kind = Kind.IO
    reason = "error"
    """Its reason in machine output, where it has no reasons of its own."""


class FixIt(Enum):
    """How to use a corrected line."""

    REPLACE = "replace"
    INSERT_BEFORE = "insert_before"
    INSERT_AFTER = "insert_after"


class Diagnostic(NamedTuple):
    """An error in a patch's text. `line` counts from 1; 0 means the whole text."""

    line: int
    fault: Malformed
    values: Mapping[str, object] = {}
    """The words that the sentence of `fault` needs, by name; not escaped for a terminal."""
    source: str = ""
    corrected: str = ""
    """The line as it should be written, if known; not escaped for a terminal."""
    fix: FixIt = FixIt.REPLACE
    at: int = 0
    """The line that the corrected one replaces, or goes before or after."""

    @property
    def message(self) -> str:
        """The sentence that says what is wrong, safe to print."""
        return self.fault.fill(**self.values)

    def __str__(self) -> str:
        if not self.source:
            return f"line {self.line}: {self.message}" if self.line else self.message
        place = f"{self.source}:{self.line}" if self.line else self.source
        return f"{place}: {self.message}"


class ParseError(OpatchError):
    """The text is not a patch, or is malformed; `diagnostics` has all errors found."""

    reason = "malformed"
    exit_status = 128
    kind = Kind.PARSE

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("\n".join(map(str, diagnostics)))
        self.diagnostics = tuple(diagnostics)


class ImplicitInvocation(OpatchError):  # noqa: N818 - OpenCode's name for it
    """A bare patch was given in place of a command; the message says what to call."""

    reason = "implicit_invocation"
    exit_status = 128
    kind = Kind.IMPLICIT


class NotAnInvocation(OpatchError):  # noqa: N818 - another command is not an error
    """A command that was to be checked is not a call of `apply_patch`."""

    reason = "not_apply_patch"


class RepositoryError(OpatchError):
    """There is no repository or no working tree, or a git command failed."""

    reason = "repository"
    exit_status = 128


class InputError(OpatchError):
    """A patch file cannot be read, or an output file cannot be written."""

    reason = "input"
    exit_status = 128


class BusyError(OpatchError):
    """Another process holds the lock of this repository or of its index."""

    is_logged = True
    """Whether what a run waits for is logged; not where all that it says is in a document."""
    reason = "busy"
    exit_status = 128


class TransactionError(OpatchError):
    """Git failed while it wrote, or wrote something else; everything was restored."""

    reason = "transaction"
    exit_status = 128


class CommitError(OpatchError):
    """Nothing can be committed now, or git refused to; the message says what was changed."""

    reason = "commit"

    def __init__(self, message: str, exit_status: int = 128) -> None:
        super().__init__(message)
        self.exit_status = exit_status


class SystemCallError(OpatchError):
    """A system call failed: no space, no permission, no such device."""

    reason = "system"
    exit_status = 128


class JournalError(OpatchError):
    """The journal has no such record, or cannot show it."""

    reason = "journal"
    exit_status = 128


class UndoneError(JournalError):
    """The record was undone before, or must be undone in another way; nothing was changed."""

    reason = "already_undone"
    exit_status = 1


class NotAppliedError(JournalError):
    """The change that is to be undone, or redone, is not there; nothing was changed."""

    reason = "not_applied"
    exit_status = 1
    kind = Kind.MATCH


class UsageError(OpatchError):
    """The command line is wrong."""

    reason = "usage"
    exit_status = 129


class Interrupted(OpatchError):  # noqa: N818 - nothing went wrong
    """A signal was received while the patch was applied; the message says what was done."""

    reason = "interrupted"
    exit_status = 130
