"""What the parts of a plan have for the tables of `fields`, beyond their own attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from git_opatch.complete import FileSummary
from git_opatch.model.errors import Diagnostic, Kind, OpatchError, ParseError
from git_opatch.model.failure import Failure
from git_opatch.model.json_text import string_line_of
from git_opatch.model.patch import FilePatch, Hunk, Line, Patch
from git_opatch.model.picture import Mark, Picture, Row, Shows, elide
from git_opatch.model.placement import Placement
from git_opatch.model.selection import Key, Part, key_of
from git_opatch.model.sentences import Difference
from git_opatch.plan.plan import PlacedHunk
from git_opatch.report import error_line, error_lines
from git_opatch.report.draw import title
from git_opatch.report.fields import ANY
from git_opatch.report.placements import tolerated
from git_opatch.report.refusal import text_of

_MOST_LINES = 60
"""So many rows of a picture are listed."""


class Position(NamedTuple):
    """A line of a patch file; 0 for none."""

    source: str
    line: int

    @property
    def string_line(self) -> int:
        """The line in the string on that line; 0 for none."""
        return string_line_of(self.line)


class FileValues(NamedTuple):
    """A file of a plan with its hunks, whose ids are among `ids`.

    Hunks that are `recorded` are from the journal's diff, and have no line in a patch.
    """

    summary: FileSummary
    placed: Sequence[PlacedHunk]
    ids: Mapping[Key, str]
    recorded: bool

    @property
    def hunks(self) -> Sequence[_HunkValues]:
        """The hunks, and where they apply."""
        return [_HunkValues(*hunk, self.ids, self.recorded) for hunk in self.placed]


class _HunkValues(NamedTuple):
    section: FilePatch
    placement: Placement
    ids: Mapping[Key, str]
    recorded: bool

    @property
    def id(self) -> str | None:
        return self.ids.get(key_of(self.section, self.placement.hunk.ordinal))

    @property
    def position(self) -> Position:
        number = 0 if self.recorded else self.placement.hunk.number
        return Position(self.section.source, number)

    @property
    def line_count(self) -> int:
        return len(self.placement.hunk.preimage)

    @property
    def tolerated(self) -> Sequence[str]:
        return tolerated(self.placement)


class PartValues(NamedTuple):
    """A part of a patch that was left out."""

    part: Part

    @property
    def hunk_count(self) -> int | None:
        """How many hunks the file has; None for a whole section."""
        return self.part.section.hunks_in_text if self.part.hunk else None

    @property
    def position(self) -> Position:
        """Where it is in the patch."""
        return Position(self.part.section.source, (self.part.hunk or self.part.section).number)


class _SectionValues(NamedTuple):
    file: FilePatch
    hunks: Sequence[_RefusedHunk]


class _RefusedHunk(NamedTuple):
    hunk: Hunk

    @property
    def lines(self) -> Sequence[Line | _Any]:
        lines: list[Line | _Any] = [*self.hunk.lines]
        for at in reversed(self.hunk.removed_ranges):
            lines.insert(at, _Any())
        return lines


class _Any(NamedTuple):
    prefix: str = ANY
    text: bytes = b""
    newline: bool = True


class Sections:
    """Finds the sections of a patch, whose paths are resolved, that failures are about."""

    def __init__(self, patch: Patch | None) -> None:
        sections = patch.files if patch else ()
        self._by_line = {
            (section.source, section.number): section for section in reversed(sections)
        }
        self._by_path = {path: section for section in reversed(sections) for path in section.names}

    def of(self, failure: Failure) -> _SectionValues | None:
        """Return the section that failed, with its hunk and the one that overlaps, or with all."""
        section = self._by_line.get((failure.source, failure.section_line))
        section = section or self._by_path.get(failure.path)
        if section is None:
            return None
        hunks = [hunk for hunk in section.hunks if not failure.hunk or _is_of(failure, hunk)]
        return _SectionValues(section, [*map(_RefusedHunk, hunks)])


def _is_of(failure: Failure, hunk: Hunk) -> bool:
    """Return whether a failure is of `hunk`; one of an undo is of a part of a recorded hunk."""
    if failure.record:
        return failure.number in {hunk.number, *(line.number for line in hunk.lines)}
    return hunk.ordinal in (failure.hunk, failure.other)


class FailureValues(NamedTuple):
    """A failure, an error in a patch's text, or an error that ended a call."""

    kind: Kind
    reason: str
    message: str
    rendered: str
    advice: Sequence[str]
    position: Position | None = None
    fix: Diagnostic | None = None
    failure: Failure | None = None
    section: _SectionValues | None = None
    picture: Picture = Picture()

    @classmethod
    def of(cls, failure: Failure, sections: Sections) -> FailureValues:
        """Take what was expected, what was found, and what to do next."""
        return cls(
            failure.kind,
            failure.reason.value,
            failure.message,
            text_of(failure),
            [failure.advice] if failure.advice else [],
            Position(failure.source, failure.number),
            failure=failure,
            section=sections.of(failure),
            picture=failure.picture or Picture(),
        )

    @classmethod
    def of_diagnostic(cls, error: Diagnostic) -> FailureValues:
        """Take an error in a patch's text, with the line to write if there is one."""
        advice, fix = "correct the patch and send it again", None
        if error.corrected:
            action, fix = error.fix.value.replace("_", " ") + " line", error
            advice = f"{action} {error.at}: {error.corrected}"
        position, printed = Position(error.source, error.line), error_line(str(error))
        reason = ParseError.reason
        return cls(ParseError.kind, reason, error.message, printed, [advice], position, fix)

    @classmethod
    def of_error(
        cls, error: OpatchError, message: str, advice: Sequence[str], lines: Sequence[str] = ()
    ) -> FailureValues:
        """Take an error that ended a call; `lines` are printed of it, if not what is usual."""
        printed = "\n".join(lines or error_lines(error))
        return cls(error.kind, error.reason, message, printed, advice)

    @property
    def line(self) -> int | None:
        """The position of the line that differs, or of the only candidate."""
        first, positions = self.picture.first, self.failure.positions if self.failure else ()
        position = first.position if first and self.failure and self.failure.hunk else None
        return positions[0] if position is None and len(positions) == 1 else position

    @property
    def expected(self) -> bytes | None:
        """The line that the patch has there."""
        first = self.picture.first
        return first.line.text if first and first.line else None

    @property
    def difference(self) -> str | None:
        """In what the two lines differ."""
        first = self.picture.first
        is_other = first is not None and first.mark is Mark.OTHER
        return (first and first.note) or (Difference.TEXT.sentence if is_other else None)

    @property
    def found(self) -> bytes | None:
        """The line that the file has there."""
        return self.picture.first.text if self.picture.first else None

    @property
    def lines(self) -> Sequence[Row]:
        """The rows of the hunk over the file, or of its lines; the most telling of many."""
        pictures = self.failure.pictures if self.failure else ()
        laid = (shown for shown in pictures if shown.shows is Shows.PLACE and shown.own)
        return _listed(next(laid, self.picture))

    @property
    def places(self) -> Sequence[_PlaceValues]:
        """The other pictures."""
        pictures = self.failure.pictures[1:] if self.failure else ()
        path = self.failure.path if self.failure else ""
        return [_PlaceValues(title(shown, path), _listed(shown)) for shown in pictures]


class _PlaceValues(NamedTuple):
    title: str
    lines: Sequence[Row]


def _listed(picture: Picture) -> Sequence[Row]:
    """Return at most so many rows; the added lines of the patch are not of the file."""
    rows = [row for row in picture.rows if row.mark is not Mark.ADDED or row.position is not None]
    return elide(rows, _MOST_LINES)
