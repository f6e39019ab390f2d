"""The failures of hunks and sections: why each is refused, where, and what to do.

Positions count from 0, line numbers that a user sees from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import NamedTuple, Self

from git_opatch.model.command_line import CommandLine
from git_opatch.model.errors import Kind, OpatchError
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import FilePatch, Hunk, Line, Prefix
from git_opatch.model.placement import NumberedLines, Placement
from git_opatch.model.text import visible, visible_difference

_MAX_FAILURES = 20
_MAX_CHARACTERS = 1000  # of a command line in advice


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


class DifferentLine(NamedTuple):
    """A line of the patch, and what the file has where it was expected."""

    line: Line
    position: int
    found: bytes


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
    others: tuple[DifferentLine, ...] = ()
    """The next lines that differ, too; none where most of the hunk's lines do."""
    more: int = 0
    """How many further ones there are."""

    @property
    def file_line(self) -> int:
        """The first line of the file that differs, from 1; one past the last if the file ends."""
        return self.position + 1


class Location(NamedTuple):
    """Where a failure is: in which file, hunk and line of the patch."""

    path: str = ""
    hunk: int = 0
    """The hunk's ordinal, from 1; 0 if the whole section is meant."""
    hunks: int = 0
    """How many hunks the patch has for the file."""
    number: int = 0
    """The line in the patch's text, from 1; 0 if none."""
    source: str = ""
    """The patch file that `number` counts in; empty for standard input."""
    section_line: int = 0
    """The line in the patch's text where the section begins, from 1."""


class Mismatch(NamedTuple):
    """The hunk's lines are nowhere in the file."""

    nearest: ClosestMatch
    beside: bool = False
    """Whether only lines beside its change differ, as the journal knows."""


class Enclosing(NamedTuple):
    """What a candidate is in: `text` is the line of a definition, or a section, at `line`."""

    candidate: int
    line: int
    text: bytes


class CandidatePositions(NamedTuple):
    """Where the hunk could have gone; `shown` are the file's lines at the first of them.

    `enclosing` names what the first ones are in, where that can be told.
    """

    positions: tuple[int, ...]
    shown: NumberedLines = ()
    enclosing: tuple[Enclosing, ...] = ()


class Overlap(NamedTuple):
    """Another hunk changes the same lines: `other` is its ordinal, 0 if it is not known."""

    other: int = 0
    positions: tuple[int, ...] = ()
    shown: NumberedLines = ()


class AlreadyApplied(NamedTuple):
    """The new lines are in the file; if not `exact`, only loosely, so they cannot be skipped.

    `positions` are those of the first of them; `nearest`, where they are there only loosely, is the
    first line that differs, and None if only blank lines do.
    """

    positions: tuple[int, ...] = ()
    exact: bool = True
    nearest: ClosestMatch | None = None
    start: int | None = None
    """Where the hunk's lines begin, context included; None for a string that is replaced."""


class OtherLine(NamedTuple):
    """The first line of a file that the patch does not show, and that would be deleted with it."""

    position: int
    text: bytes


class MissingFile(NamedTuple):
    """The file does not exist; `alike` are the paths that may be meant."""

    alike: tuple[str, ...]


Detail = Mismatch | CandidatePositions | Overlap | AlreadyApplied | OtherLine | MissingFile

LOCATED_IN = {
    Target.INDEX: "the index",
    Target.CACHED: "the index",
    Target.WORKTREE: "the working tree",
}
"""What hunks are located in."""


class Way(NamedTuple):
    """What an option of the user's command would do, for advice: `option` has its value, too."""

    what: str
    option: tuple[str, ...]


SKIP_APPLIED = ("git opatch apply", "git opatch check")
"""The commands that have the option `--skip-applied`."""
_CONVERT = "git opatch convert"
_CHOOSE = (*SKIP_APPLIED, _CONVERT, "git opatch show")
"""The commands that have the options `--only` and `--except`."""


class Attempt(NamedTuple):
    """What was attempted when something was refused: a refusal is worded by it."""

    base: str = LOCATED_IN[Target.INDEX]
    """What hunks are located in."""
    reverse: bool = False
    redoes: bool = False
    """Whether what is reversed is itself an undo."""
    skip_command: str = ""
    """What skips what is already applied: a command, or words; empty if nothing does."""
    record: int = 0
    """The patch of the journal that is undone or redone; its diff is in no file of the user's."""
    converts: bool = False
    """Whether a diff is wanted, and nothing is to be changed."""
    can_choose: bool = False
    """Whether the user can leave a hunk out: then a message may advise it."""
    command: CommandLine = CommandLine("git opatch apply")
    """The user's command line, for advice."""
    names_base: bool = False
    """Whether a message must say that it is about `base`: what else the user sees is different."""

    @classmethod
    def of(cls, options: Options, record: int = 0) -> Self:
        """Return what is attempted with `options`, on patch `record` of the journal if not 0."""
        base = f"`{options.base}`" if options.base else LOCATED_IN[options.target]
        can_skip = options.command.name in SKIP_APPLIED and not options.reverse
        skip = options.way_with("--skip-applied") if can_skip else ""
        converts = options.command.name == _CONVERT
        can_choose = options.command.name in _CHOOSE and options.matching.can_choose and not record
        words = (skip, record, converts, can_choose, options.command)
        return cls(base, options.reverse, options.redoes, *words)

    @property
    def is_undo(self) -> bool:
        """Whether a patch of the journal is undone: what must be there is what it left."""
        return bool(self.record) and not self.redoes

    @property
    def verdict(self) -> str:
        """Say that it failed."""
        if self.redoes:
            return "the patch cannot be redone"
        if self.converts:
            return f"the patch does not apply{' in reverse' * self.reverse}"
        return "the patch cannot be undone" if self.reverse else "the patch does not apply"


class Failure(NamedTuple):
    """Why a section or a hunk is refused.

    `str()` of it is the text that the commands print, some lines of it. `message` and `advice` are
    what is known of it alone; `sentence` and `next_steps` are the words that the text has.
    """

    reason: Reason
    message: str
    where: Location = Location()
    advice: str = ""
    detail: Detail | None = None
    kind: Kind = Kind.IO
    attempt: Attempt | None = None
    """What was attempted; None if that is not known."""
    ways: tuple[Way, ...] = ()
    """Options that would help, below the advice."""

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """What is wrong, where, what the file has, and what to do, as lines for a terminal."""
        hunk = f"hunk {self.hunk} of {self.hunks} " if self.hunk else ""
        yield f"error: {visible(self.path) or '(no path)'}: {hunk}{visible(self.sentence)}"
        if self.nearest:
            yield from _comparison(self, self.nearest)
        elif self.number and not (self.attempt and self.attempt.record):
            yield f"  {_patch_line(self)}"
        elif self.attempt and self.already_applied and self.attempt.is_undo:
            place = f" in {self.attempt.base}" * self.attempt.names_base
            lines = (f"{visible(self.path)}:{line}{place}" for line in self.candidates)
            yield from (
                f"  the lines at {at} are as before patch {self.attempt.record}" for at in lines
            )
        if isinstance(self.detail, OtherLine):
            yield f"  {visible(self.path)}:{self.detail.position + 1} has"
            yield f"      {visible(self.detail.text)}".rstrip()
        for each in self.enclosing:
            inside = visible(each.text.strip())
            yield f"  {visible(self.path)}:{each.candidate + 1} is in `{inside}`"
        for line in self.next_steps:
            yield f"  {visible(line, _MAX_CHARACTERS)}"

    @property
    def sentence(self) -> str:
        """What is wrong, to follow the name of the hunk. Not fit for a terminal."""
        base, reverse, redoes, *_ = self.attempt or Attempt()
        if reverse and self.reason is Reason.ALREADY_APPLIED:
            what = _not_to_reverse(self.attempt or Attempt())
            return what if self.hunk else f"its change {what}"
        if not isinstance(self.detail, Mismatch):
            return self.message
        if redoes:
            which = "a line next to it was" if self.detail.beside else "its lines were"
            return f"does not fit {base} any more, as {which} changed since it was undone"
        if reverse and self.detail.beside:
            return f"is in {base}, but a line next to it was changed since"
        if reverse:
            return f"is not applied to {base}, or was changed since"
        return f"{self.message} {base}"

    @property
    def next_steps(self) -> list[str]:
        """What to do next, a line each. Not fit for a terminal."""
        attempt = self.attempt or Attempt()
        reverse, redoes = attempt.reverse, attempt.redoes
        lines = []
        if self.nearest and self.nearest.found:
            first, last = self.nearest.reread
            action = "undo it by hand" if reverse else "send the hunk again"
            action = "redo it by hand" if redoes else action
            which = f"lines {first}-{last}" if last > first else f"line {first}"
            what = f"re-read {self.path} {which} and {action}"
            if isinstance(self.detail, AlreadyApplied):
                what = f"if the change is still to be made, {what}"
            elif reverse and not attempt.record:  # it may never have been applied
                what = f"if it was changed since, {what}"
            lines.append(f"{self.nearest.difference}; {what}")
        if self.skip_command:
            lines.append(f"to skip it: {self.skip_command}")
        lines += self.advice.splitlines()
        ways = [*self.ways, *self._ways_to_leave_out(attempt)]
        return [*lines, *(f"{what}: {attempt.command.way_with(*option)}" for what, option in ways)]

    def _ways_to_leave_out(self, attempt: Attempt) -> Iterator[Way]:
        """Yield how to leave out either of two hunks that change the same lines."""
        if self.other and attempt.can_choose:
            for ordinal in sorted((self.where.hunk, self.other)):
                option = ("--except", f"{self.path}:{ordinal}")
                yield Way(f"to leave hunk {ordinal} out", option)

    @property
    def skip_command(self) -> str:
        """What skips the change, if it is already applied; empty if nothing does."""
        return self.attempt.skip_command if self.attempt and self.already_applied else ""

    def attempted(self, attempt: Attempt) -> Failure:
        """Return the failure with what was attempted, unless that is known already."""
        return self if self.attempt else self._replace(attempt=attempt)

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
    def section_line(self) -> int | None:
        """The line in the patch's text where the section begins, from 1; None if there is none."""
        return self.where.section_line or None

    @property
    def candidates(self) -> tuple[int, ...]:
        """The lines of the file that the failure is about, from 1; empty if there are none."""
        return tuple(position + 1 for position in self.positions)

    @property
    def positions(self) -> tuple[int, ...]:
        """The same, from 0."""
        if isinstance(self.detail, (CandidatePositions, Overlap, AlreadyApplied)):
            return self.detail.positions
        return (self.detail.position,) if isinstance(self.detail, OtherLine) else ()

    @property
    def shown(self) -> NumberedLines:
        """The file's lines at the first of `positions`, where the hunk must show them."""
        if isinstance(self.detail, OtherLine):
            return (self.detail,)
        return self.detail.shown if isinstance(self.detail, (CandidatePositions, Overlap)) else ()

    @property
    def enclosing(self) -> tuple[Enclosing, ...]:
        """What the first of several candidates are in, where that can be told."""
        return self.detail.enclosing if isinstance(self.detail, CandidatePositions) else ()

    @property
    def other(self) -> int | None:
        """The hunk that changes the same lines; None if there is none, or it is not known."""
        return (self.detail.other or None) if isinstance(self.detail, Overlap) else None

    @property
    def nearest(self) -> ClosestMatch | None:
        """The closest match, for a hunk whose lines are nowhere, or whose new ones are loosely."""
        if isinstance(self.detail, (Mismatch, AlreadyApplied)):
            return self.detail.nearest
        return None

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


_NOT_APPLIED_IN = "is not applied {}, so there is nothing to undo"
NOT_APPLIED = _NOT_APPLIED_IN.format("here")


def _not_to_reverse(attempt: Attempt) -> str:
    """Say of a change why it cannot be undone, or redone: it is as that would leave it."""
    place = f"in {attempt.base}" if attempt.names_base else "here"
    if attempt.redoes:
        return "is already applied" + f" {place}" * attempt.names_base
    if attempt.is_undo:
        return f"is not applied {place} any more"
    return _NOT_APPLIED_IN.format(place)


def _patch_line(failure: Failure) -> str:
    return _line_name(failure, failure.number or 0)


def _line_name(failure: Failure, number: int) -> str:
    if failure.attempt and failure.attempt.record:
        return f"patch {failure.attempt.record}"
    return f"{visible(failure.source)}:{number}" if failure.source else f"patch line {number}"


def _comparison(failure: Failure, closest: ClosestMatch) -> Iterator[str]:
    """Compare the line of the patch with the file's lines, which are numbered from 1."""
    found = dict(closest.found).get(closest.position, closest.line.text)
    expected, there = visible_difference(closest.line.text, found)
    verb = "adds" if closest.line.prefix is Prefix.ADDED else "expects"
    verb = "left" if failure.attempt and failure.attempt.is_undo else verb
    yield f"  {_patch_line(failure) if failure.number else 'the patch'} {verb}"
    yield f"      {expected}"
    if not closest.found:
        return
    yield f"  closest match, {visible(failure.path)}:{closest.file_line}"
    width = len(str(closest.found[-1][0] + 1))
    for position, line in closest.found:
        shown = there if position == closest.position else visible(line)
        yield f"      {position + 1:>{width}}  {shown}".rstrip()
    for other in closest.others:
        expected, there = visible_difference(other.line.text, other.found)
        yield f"  {_line_name(failure, other.line.number)} {verb}"
        yield f"      {expected}"
        yield f"  {visible(failure.path)}:{other.position + 1} has"
        yield f"      {there}".rstrip()
    if closest.more:
        yield f"  and {closest.more} more line{'s differ' if closest.more > 1 else ' differs'}"


def once_for_each_file(failures: Sequence[Failure]) -> list[Failure]:
    """Leave out what is said again of a file that several sections of the patch have.

    That is only what is said of the file as a whole: that it is already applied.
    """
    kept: dict[object, Failure] = {}
    for at, failure in enumerate(failures):
        is_of_file = failure.already_applied and not failure.hunk
        key = (failure.source, failure.path, failure.message) if is_of_file else at
        first = kept.setdefault(key, failure)
        kept[key] = first._replace(advice=first.advice or failure.advice)
    return [*kept.values()]


def failure_lines(failures: Sequence[Failure]) -> Iterator[str]:
    """List the failures, each with what was found and what to do."""
    failures = once_for_each_file(failures)
    listed = failures[:_MAX_FAILURES]
    skipping = [failure.skip_command for failure in listed if failure.skip_command]
    for failure in listed:
        if failure.attempt and len(skipping) > 1:  # said once, for all
            failure = failure._replace(attempt=failure.attempt._replace(skip_command=""))
        yield from failure.lines()
    if len(failures) > _MAX_FAILURES:
        yield f"and {len(failures) - _MAX_FAILURES} more"
    if len(skipping) > 1:
        yield f"to skip what is already applied: {visible(skipping[0], _MAX_CHARACTERS)}"


def refusal_summary(failures: Sequence[Failure]) -> str:
    """Say in one line that nothing was changed."""
    return f"{count_failures(failures)}; nothing was changed"


def count_conflicts(failures: Sequence[Failure]) -> str:
    """Say how many files `--3way` would leave with conflicts; empty if anything else is wrong."""
    if not failures or any(failure.reason is not Reason.CONFLICT for failure in failures):
        return ""
    return f"{len(failures)} file{'s' * (len(failures) > 1)} with conflicts"


def count_failures(failures: Sequence[Failure]) -> str:
    """Say what failed, and for how many reasons if there are several."""
    if conflicts := count_conflicts(failures):
        return f"the patch would leave {conflicts}"
    attempts = (failure.attempt for failure in failures if failure.attempt)
    verdict = next(attempts, Attempt()).verdict
    count = len(once_for_each_file(failures))
    return f"{verdict} ({count} problems)" if count > 1 else verdict


class Refused(OpatchError):  # noqa: N818 - an outcome, as success is
    """The patch does not apply, for the reasons in `failures`; nothing was changed.

    `str()` of it is the text that the commands print.
    """

    def __init__(self, failures: Iterable[Failure], options: Options) -> None:
        attempt = Attempt.of(options)
        self.failures = tuple(failure.attempted(attempt) for failure in failures)
        self.kind = self.failures[0].kind if self.failures else Kind.IO
        super().__init__(self.failures, options)

    def __str__(self) -> str:
        return "\n".join([*failure_lines(self.failures), refusal_summary(self.failures)])


def failure_of(
    hunk: Hunk, reason: Reason, message: str, advice: str = "", detail: Detail | None = None
) -> Failure:
    """Refuse `hunk`; names no file."""
    nearest = detail.nearest if isinstance(detail, (Mismatch, AlreadyApplied)) else None
    number = nearest.line.number if nearest else hunk.number
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
        section.hunks_in_text,
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
