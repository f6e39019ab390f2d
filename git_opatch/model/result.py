"""The failures of hunks and sections: why each is refused, where, and what to do.

Positions count from 0, line numbers that a user sees from 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from git_opatch.model.errors import Kind, OpatchError
from git_opatch.model.patch import FilePatch, Hunk, Line
from git_opatch.model.placement import NumberedLines, Placement


class Reason(Enum):
    """Why something was refused, in machine output."""

    NOT_FOUND = "not_found"
    AMBIGUOUS = "ambiguous"
    ALREADY_APPLIED = "already_applied"
    CONTRADICTED = "contradicted"
    UNCLEAR = "unclear"
    OVERLAP = "overlap"
    NO_CHANGE = "no_change"
    MISSING_FILE = "missing_file"
    FILE_EXISTS = "file_exists"
    NOT_A_FILE = "not_a_file"
    BINARY = "binary"
    UNSAFE_PATH = "unsafe_path"
    UNTRACKED = "untracked"
    UNMERGED = "unmerged"
    UNSTAGED = "unstaged_changes"
    IN_THE_WAY = "in_the_way"
    SKIPPED = "skip_worktree"
    NOT_REVERSIBLE = "not_reversible"
    CONFLICT = "conflict"
    NOT_ALLOWED = "not_allowed"
    DENIED = "denied"
    STALE = "stale"


class ClosestMatch(NamedTuple):
    """The part of the file that is most like a hunk that was not found.

    `position` is the first line of the file that differs, or the file's length; `line` is the
    line of the patch that was expected there. `found` are the file's lines around it, `lines`
    those where the hunk's lines would be. `difference` names the difference, `reread` the first
    and the last line to read again, from 1.
    """

    position: int
    line: Line
    found: NumberedLines
    difference: str = ""
    reread: tuple[int, int] = (0, 0)
    lines: NumberedLines = ()


class Location(NamedTuple):
    """Where a failure is: in which file, hunk and line of the patch."""

    path: str = ""
    hunk: int = 0
    """The hunk's ordinal in its section, from 1; 0 if the whole section is meant."""
    hunks: int = 0
    """How many hunks the section has."""
    number: int = 0
    """The line in the patch's text, from 1; 0 if none."""
    source: str = ""
    """The patch file that `number` counts in; empty for standard input."""
    section: int = 0
    """The line in the patch's text where the section begins, from 1."""


class Mismatch(NamedTuple):
    """The hunk's lines are nowhere in the file."""

    nearest: ClosestMatch


class CandidatePositions(NamedTuple):
    """Where the hunk could have gone; `shown` are the file's lines at the first of them."""

    positions: tuple[int, ...]
    shown: NumberedLines = ()


class Overlap(NamedTuple):
    """Another hunk changes the same lines: `other` is its ordinal, 0 if it is not known."""

    other: int = 0
    positions: tuple[int, ...] = ()
    shown: NumberedLines = ()


class AlreadyApplied(NamedTuple):
    """The new lines are in the file; if not `exact`, only loosely, so they cannot be skipped."""

    positions: tuple[int, ...] = ()
    exact: bool = True


class MissingFile(NamedTuple):
    """The file does not exist; `alike` are the paths that may be meant."""

    alike: tuple[str, ...]


Detail = Mismatch | CandidatePositions | Overlap | AlreadyApplied | MissingFile


class Failure(NamedTuple):
    """Why a section or a hunk is refused."""

    reason: Reason
    message: str
    where: Location = Location()
    advice: str = ""
    detail: Detail | None = None
    kind: Kind = Kind.IO

    @property
    def path(self) -> str:
        """The file; may be empty."""
        return self.where.path

    @property
    def hunk(self) -> int | None:
        """The hunk's ordinal, from 1; None for the whole section."""
        return self.where.hunk or None

    @property
    def hunks(self) -> int | None:
        """How many hunks the section has; None if it has none."""
        return self.where.hunks or None

    @property
    def number(self) -> int | None:
        """The line in the patch's text, from 1; None if there is none."""
        return self.where.number or None

    @property
    def source(self) -> str:
        """The patch file that `number` counts in; empty for standard input."""
        return self.where.source

    @property
    def section(self) -> int:
        """The line in the patch's text where the section begins, from 1."""
        return self.where.section

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions that the failure is about; empty if there are none."""
        if isinstance(self.detail, (CandidatePositions, Overlap, AlreadyApplied)):
            return self.detail.positions
        return ()

    @property
    def shown(self) -> NumberedLines:
        """The file's lines at the first of `positions`, where the hunk must show them."""
        return self.detail.shown if isinstance(self.detail, (CandidatePositions, Overlap)) else ()

    @property
    def other(self) -> int:
        """The hunk that changes the same lines; 0 if none, or not known."""
        return self.detail.other if isinstance(self.detail, Overlap) else 0

    @property
    def nearest(self) -> ClosestMatch | None:
        """The closest match, for a hunk whose lines are nowhere."""
        return self.detail.nearest if isinstance(self.detail, Mismatch) else None

    @property
    def alike(self) -> tuple[str, ...]:
        """The paths that may be meant."""
        return self.detail.alike if isinstance(self.detail, MissingFile) else ()

    @property
    def exact_match(self) -> bool:
        """False for a change that is only loosely there already: it cannot be skipped."""
        return not isinstance(self.detail, AlreadyApplied) or self.detail.exact

    @property
    def already_applied(self) -> bool:
        """Whether the change is in the file already, for certain."""
        return self.reason is Reason.ALREADY_APPLIED and self.exact_match


class Refused(OpatchError):  # noqa: N818 - an outcome, as success is
    """The patch does not apply, for the reasons in `failures`; nothing was changed."""

    def __init__(self, failures: Sequence[Failure]) -> None:
        super().__init__("\n".join(f"{failure.path}: {failure.message}" for failure in failures))
        self.failures = tuple(failures)
        self.kind = failures[0].kind if failures else Kind.IO


def failure_of(
    hunk: Hunk, reason: Reason, message: str, advice: str = "", detail: Detail | None = None
) -> Failure:
    """Refuse `hunk`; names no file."""
    number = detail.nearest.line.number if isinstance(detail, Mismatch) else hunk.number
    where = Location(hunk=hunk.ordinal, number=number)
    return Failure(reason, message, where, advice, detail, Kind.MATCH)


_MATCH_REASONS = (Reason.NOT_FOUND, Reason.NOT_REVERSIBLE, Reason.NO_CHANGE, Reason.CONFLICT)


def refusal(
    section: FilePatch,
    reason: Reason,
    message: str,
    *,
    path: str | None = None,
    hunk: int = 0,
    number: int = 0,
    advice: str = "",
) -> Failure:
    """Refuse `section`, or one of its hunks."""
    where = Location(
        section.path if path is None else path,
        hunk,
        section.count,
        number or section.number,
        section.source,
        section.number,
    )
    kind = Kind.MATCH if reason in _MATCH_REASONS else Kind.IO
    return Failure(reason, message, where, advice, kind=kind)


def not_reversible(section: FilePatch, hunk: Hunk, message: str) -> Failure:
    """Refuse to reverse `hunk` by its text; the completed diff can be reversed."""
    return refusal(
        section,
        Reason.NOT_REVERSIBLE,
        message,
        hunk=hunk.ordinal,
        number=hunk.number,
        advice="undo it with the completed diff: `git apply -R --index`",
    )


HunkResult = Placement | Failure
"""The outcome for one hunk."""
