"""Refusals as flat data: what is wrong, where, what was expected, and what the file has.

A failure is made where it is found; its words are in `sentences`; `report` lays it out. Positions
count from 0, lines that a user sees from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

from git_opatch.model.errors import Kind, OpatchError
from git_opatch.model.limits import SHOWN
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import FilePatch, Hunk
from git_opatch.model.picture import NO_VALUES, Enclosing, Picture, Suggestion, Value, Values
from git_opatch.model.placement import Placement
from git_opatch.model.sentences import Fault, Hint, Reason, fill
from git_opatch.model.text import visible

LOCATED_IN = {
    Target.INDEX: "the index",
    Target.CACHED: "the index",
    Target.WORKTREE: "the working tree",
}
"""What hunks are located in."""

_LOOSE = (Fault.MAY_BE_APPLIED, Fault.MAY_BE_APPLIED_THERE)
"""What is applied only loosely: it cannot be skipped."""
OF_ANCHORS = (Fault.ANCHOR_MISSING, Fault.ANCHOR_ELSEWHERE)
"""What an anchor, or a heading, says against the place."""
_OF_MATCHING = (Reason.NOT_FOUND, Reason.NOT_REVERSIBLE, Reason.NO_CHANGE, Reason.CONFLICT)
_IN_REVERSE = {
    Fault.NOT_FOUND: Fault.CHANGED_SINCE,
    Fault.HARDLY_FOUND: Fault.CHANGED_SINCE,
    Fault.NOTHING_FOUND: Fault.CHANGED_SINCE,
    **{
        fault: Fault.NOT_APPLIED
        for fault in Fault
        if fault.reason is Reason.ALREADY_APPLIED and fault not in _LOOSE
    },
}
"""What a fault is called where a patch is undone."""


class Problem(NamedTuple):
    """A fault, and the words that its sentence needs, before it is known where it is."""

    fault: Fault
    values: Values = NO_VALUES

    @classmethod
    def of(cls, fault: Fault, **values: Value) -> Self:
        """Make it of words by name."""
        return cls(fault, values)


class Failure(NamedTuple):
    """Why a section or a hunk is refused."""

    fault: Fault
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
    positions: tuple[int, ...] = ()
    """The lines of the file that it is about, such as candidates, from 0."""
    pictures: tuple[Picture, ...] = ()
    """What is shown of it: the hunk laid over the file first, or each candidate."""
    said: tuple[str, ...] = ()
    """What is odd in the patch itself: sentences, fit for a terminal."""
    enclosing: tuple[Enclosing, ...] = ()
    """What the first of several candidates are in, where that can be told."""
    suggestions: tuple[Suggestion, ...] = ()
    """What to write, where that can be told."""
    start: int | None = None
    """Where the lines of a hunk that is already applied begin, context included."""
    other: int = 0
    """The hunk that changes the same lines; 0 if there is none, or it is not known."""
    similar: tuple[str, ...] = ()
    """The paths that may be meant."""
    base: str = ""
    """What hunks are located in, if that is known."""
    record: int = 0
    """The patch of the journal that is undone or redone; its diff is in no file of the user's."""
    idle: tuple[int, ...] = ()
    """The ordinals of the hunks of the same section that change nothing."""
    hint: Hint | None = None
    values: Values = NO_VALUES
    """The further words that the sentence needs."""

    @property
    def key(self) -> tuple[str, int, int]:
        """What the part of the patch that is refused is known by, as in `selection`."""
        return self.source, self.section_line, self.hunk

    @property
    def reason(self) -> Reason:
        """Why it is refused."""
        return self.fault.reason

    @property
    def kind(self) -> Kind:
        """The kind of error."""
        return Kind.MATCH if self.hunk or self.reason in _OF_MATCHING else Kind.IO

    @property
    def message(self) -> str:
        """What is wrong, to follow the name of the hunk; fit for a terminal."""
        return fill(self.fault.sentence, self.words)

    @property
    def sentence(self) -> str:
        """What is wrong, with the name of the hunk."""
        if not self.hunk:
            return self.message
        colon = ":" * self.message.startswith("`")  # what a sentence names itself is its subject
        return f"hunk {self.hunk} of {self.hunks}{colon} {self.message}"

    @property
    def advice(self) -> str:
        """What to do, one line that is fit for a terminal; may be empty."""
        return fill(self.hint.sentence if self.hint else self.fault.advice, self.words)

    @property
    def words(self) -> Values:
        """What the placeholders of sentences stand for."""
        return {
            "path": self.path,
            "record": self.record or "N",
            "base": self.base or "the file",
            "other": self.other,
            "count": len(self.positions),
            "lines": name_lines(self.positions),
            "reread": self._reread,
            "inside": "".join(f": `@@ {visible(one.text)}`" for one in self.suggestions[:1]),
            "similar": " or ".join(f"`{path}`" for path in self.similar),
            **{
                name: value.strip() if isinstance(value, bytes) else value
                for name, value in self.values.items()
            },
        }

    @property
    def picture(self) -> Picture | None:
        """The first picture that has lines of the hunk; None if there is none."""
        return _of_hunk(self.pictures)

    @property
    def _reread(self) -> str:
        first, last = (self.pictures and self.pictures[0].reread) or (0, 0)
        if not first and self.positions:
            first = last = self.positions[0] + 1
        return name_range(first - 1, last - first + 1) if first else "the file"

    @property
    def candidates(self) -> tuple[int, ...]:
        """The lines of the file that the failure is about, from 1."""
        return tuple(position + 1 for position in self.positions)

    @property
    def exact(self) -> bool:
        """False for a change that is only loosely, or partly, there already."""
        return self.fault not in _LOOSE

    @property
    def already_applied(self) -> bool:
        """Whether nothing is to be done any more, for certain: the change is there, or undone."""
        return self.exact and self.reason in (Reason.ALREADY_APPLIED, Reason.NOT_APPLIED)

    def attempted(self, options: Options, base: str = "", record: int = 0) -> Failure:
        """Return it as it is called where `options` are carried out.

        `base` is what hunks are located in, if not what `options` say; `record` is the patch of
        the journal that is undone, or redone. What is known already stays.
        """
        if self.base:
            return self
        fault = _IN_REVERSE.get(self.fault, self.fault) if options.reverse else self.fault
        base = base or (f"`{options.base}`" if options.base else LOCATED_IN[options.target])
        return self._replace(fault=fault, base=base, record=record)

    def with_hint(self, hint: Hint, **values: Value) -> Failure:
        """Return it with a hint, and the words that the hint needs."""
        return self._replace(hint=hint, values={**self.values, **values})


def _of_hunk(pictures: Sequence[Picture]) -> Picture | None:
    return next((shown for shown in pictures if any(row.line for row in shown.rows)), None)


def name_lines(positions: Iterable[int]) -> str:
    """Name lines of the file, at `positions`: "line 3", or "lines 3, 9"; the first ones of many."""
    numbers = list(dict.fromkeys(position + 1 for position in positions))
    listed = ", ".join(map(str, numbers[:SHOWN])) + ", …" * (len(numbers) > SHOWN)
    return f"line{'s' * (len(numbers) > 1)} {listed}"


def name_range(position: int, count: int) -> str:
    """Name `count` lines of the file in a row: "line 3", or "lines 3-9"."""
    return f"lines {position + 1}-{position + count}" if count > 1 else f"line {position + 1}"


def failure_of(
    hunk: Hunk,
    what: Fault | Problem,
    *,
    positions: tuple[int, ...] = (),
    pictures: tuple[Picture, ...] = (),
    said: tuple[str, ...] = (),
    enclosing: tuple[Enclosing, ...] = (),
    suggestions: tuple[Suggestion, ...] = (),
    start: int | None = None,
    other: int = 0,
    hint: Hint | None = None,
    **values: Value,
) -> Failure:
    """Refuse `hunk`; names no file. `values` are the words that the sentence needs."""
    fault, known = what if isinstance(what, Problem) else (what, NO_VALUES)
    picture = _of_hunk(pictures)
    row = picture.first if picture else None
    first = row.line if row else None
    return Failure(
        fault,
        hunk=hunk.ordinal,
        number=first.number if first else hunk.number,
        positions=positions,
        pictures=pictures,
        said=said,
        enclosing=enclosing,
        suggestions=suggestions,
        start=start,
        other=other,
        hint=hint,
        values={**known, **values},
    )


def refusal(
    section: FilePatch,
    what: Fault | Problem,
    *,
    path: str | None = None,
    hunk: Hunk | None = None,
    **values: Value,
) -> Failure:
    """Refuse `section`, or one of its hunks; `values` as of `failure_of`."""
    fault, known = what if isinstance(what, Problem) else (what, NO_VALUES)
    return Failure(
        fault,
        section.path if path is None else path,
        hunk.ordinal if hunk else 0,
        section.hunks_in_text,
        (hunk.number if hunk else 0) or section.number,
        section.source,
        section.number,
        values={**known, **values},
    )


class Refused(OpatchError):  # noqa: N818 - an outcome, as success is
    """The patch does not apply, for the reasons in `failures`; nothing was changed.

    `str()` of it has a line for each; the text that the commands print is `refusal_text`.
    """

    def __init__(self, failures: Iterable[Failure], options: Options) -> None:
        self.failures = tuple(failures)
        self.options = options
        self.kind = self.failures[0].kind if self.failures else Kind.IO
        super().__init__(self.failures, options)

    def __str__(self) -> str:
        return "\n".join(
            f"{visible(failure.path)}: {failure.sentence}" for failure in self.failures
        )


HunkResult = Placement | Failure
"""The outcome for one hunk."""
