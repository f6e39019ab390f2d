"""What became of a hunk or a section: where it stands, or why it is refused.

Positions count from 0, line numbers that a user sees from 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from git_opatch.errors import Kind, OpatchError
from git_opatch.options import Tier
from git_opatch.patch import FilePatch, Hunk, Line, changed_span


class Reason(Enum):
    """Why something was refused, in machine output."""

    NOT_FOUND = "not_found"
    AMBIGUOUS = "ambiguous"
    ALREADY_APPLIED = "already_applied"
    CONTRADICTED = "contradicted"
    NO_PLACE = "no_place"
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


class Nearest(NamedTuple):
    """The place that a hunk fits best, for a refusal.

    `position` is the file's line that differs, or its length; `line` the line of the
    patch that stands against it; `found` numbered lines of the file round it. `difference`
    says in words how the two differ, `around` which lines to read again, from 1. `place` is
    what the file has, numbered, where the hunk's lines would stand.
    """

    position: int
    line: Line
    found: tuple[tuple[int, bytes], ...]
    difference: str = ""
    around: tuple[int, int] = (0, 0)
    place: tuple[tuple[int, bytes], ...] = ()


class Failure(NamedTuple):
    """Why a section or a hunk is refused. Hunks are numbered from 1; 0 is the file."""

    reason: Reason
    message: str
    path: str = ""
    hunk: int = 0
    hunks: int = 0
    number: int = 0
    """The line in the patch's text, from 1; 0 if none."""
    source: str = ""
    """The patch file that `number` counts in; empty for standard input."""
    section: int = 0
    """The line in the patch's text where its section begins, from 1."""
    places: tuple[int, ...] = ()
    """Where it could have gone: positions from 0."""
    there: tuple[tuple[int, bytes], ...] = ()
    """What the file has at the first of them, numbered, for lines that the hunk must show."""
    other: int = 0
    """The hunk that stands against this one; 0 if none, or several."""
    nearest: Nearest | None = None
    advice: str = ""
    alike: tuple[str, ...] = ()
    """The paths that may be meant."""
    certain: bool = True
    """False for a change that is only loosely there already: it must not be passed over."""
    kind: Kind = Kind.IO

    @property
    def is_done(self) -> bool:
        """Whether what it refuses is there already, for certain."""
        return self.reason is Reason.ALREADY_APPLIED and self.certain


class Refused(OpatchError):  # noqa: N818 - it is an outcome, as much as a success is
    """The patch does not apply, for the reasons in `failures`; nothing was changed."""

    def __init__(self, failures: Sequence[Failure]) -> None:
        super().__init__("\n".join(f"{one.path}: {one.message}" for one in failures))
        self.failures = tuple(failures)
        self.kind = failures[0].kind if failures else Kind.IO


def failure_of(
    hunk: Hunk,
    reason: Reason,
    message: str,
    advice: str = "",
    *,
    places: tuple[int, ...] = (),
    there: tuple[tuple[int, bytes], ...] = (),
    nearest: Nearest | None = None,
    other: int = 0,
) -> Failure:
    """Why `hunk` cannot be applied; names no file."""
    return Failure(
        reason,
        message,
        hunk=hunk.ordinal,
        number=nearest.line.number if nearest else hunk.number,
        places=places,
        there=there,
        other=other,
        nearest=nearest,
        advice=advice,
        kind=Kind.MATCH,
    )


_OF_CONTENT = (Reason.NOT_FOUND, Reason.NOT_REVERSIBLE, Reason.NO_CHANGE, Reason.CONFLICT)


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
    """A failure of `section`, or of one of its hunks."""
    return Failure(
        reason,
        message,
        path=section.path if path is None else path,
        hunk=hunk,
        hunks=len(section.hunks),
        number=number or section.number,
        source=section.source,
        section=section.number,
        advice=advice,
        kind=Kind.MATCH if reason in _OF_CONTENT else Kind.IO,
    )


def not_reversible(section: FilePatch, hunk: Hunk, message: str) -> Failure:
    """Says that `hunk` cannot be taken back from its text, and by what it can."""
    return refusal(
        section,
        Reason.NOT_REVERSIBLE,
        message,
        hunk=hunk.ordinal,
        number=hunk.number,
        advice="take it back with the completed diff: `git apply -R --index`",
    )


class Likeness(Enum):
    """How a line of the patch stands against its line of the file; the value is what differs."""

    EXACT = ""
    INDENTATION = "indentation"
    BLANKS = "blanks"
    HEADING = "heading marks"
    CASE = "letter case"
    TEXT = "typography or punctuation"
    CUT = "their beginning, which is cut off"


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a hunk stands.

    `hunk` is the hunk as it was found: repaired, so that its preimage has the file's lines,
    one for one. `start` is the position of its preimage, `evidence` what told this place from
    others, `likeness` how each line of the preimage matched (empty: all exactly), `repairs`
    what was mended, in words.
    """

    hunk: Hunk
    start: int
    tier: Tier = Tier.STRICT
    evidence: str = "unique"
    keeps_endings: bool = False
    r"""Whether the patch's `\r`s are content and added lines are taken as written."""
    likeness: tuple[Likeness, ...] = ()
    repairs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    keeps_mark: bool = True
    """Whether a byte-order mark stays in front of the file, whatever is added there."""
    changed: tuple[int, int] = field(init=False, repr=False, compare=False)
    """From where to where the file's lines change; equal for a pure addition."""

    def __post_init__(self) -> None:
        """Find once what changes: every other hunk of the file is compared with it."""
        object.__setattr__(self, "changed", changed_span(self.hunk, self.start))

    @property
    def stop(self) -> int:
        """The position after the preimage."""
        return self.start + len(self.hunk.preimage)

    @property
    def found(self) -> tuple[tuple[int, bytes], ...]:
        """The file's lines there, numbered."""
        return tuple((at, line.text) for at, line in enumerate(self.hunk.preimage, self.start))

    @property
    def exact(self) -> bool:
        """Whether the hunk stands there just as it is written."""
        return self.tier is Tier.STRICT and not self.repairs
