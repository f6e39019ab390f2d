"""A whole patch as a person looks at it: its files, what becomes of each part, and the pictures.

Nothing is located here, and what is refused has its pictures: those of the other parts are drawn.
In a terminal it is one column; all signs are ASCII, and words say what colours do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from textwrap import wrap
from typing import NamedTuple

from git_opatch import report
from git_opatch.complete.edits import Edit
from git_opatch.model.failure import Failure
from git_opatch.model.options import Target
from git_opatch.model.patch import Hunk, Prefix
from git_opatch.model.picture import Mark, Picture, Row
from git_opatch.model.placement import Evidence, Placement
from git_opatch.model.reverse import reverse
from git_opatch.model.selection import Key, Part, key_of, parts_of
from git_opatch.model.text import BYTE_ORDER_MARK, visible, without_cr
from git_opatch.report.draw import Spans, drawn, title
from git_opatch.report.outcome import Outcome
from git_opatch.report.placements import refused_parts, where
from git_opatch.report.refusal import text_of

_AROUND = 2
_MOST_ROWS = 400
_Lines = Sequence[bytes]


class Certainty(Enum):
    """How sure a part of a patch is, in the words that are shown."""

    STRICT = "strict"
    TOLERATED = "tolerated"
    APPLIED = "already applied"
    REFUSED = "refused"


class PartView(NamedTuple):
    """A hunk, or a file that is one part: what becomes of it, and its pictures."""

    key: Key
    name: str
    number: int
    certainty: Certainty
    verdict: str
    sentence: str = ""
    advice: str = ""
    notes: Sequence[str] = ()
    pictures: Sequence[Picture] = ()


class FileView(NamedTuple):
    """A file and its parts, in the order of the patch; `size` is its number of lines.

    `failure` says why all of it is refused; then the parts do not say it again.
    """

    path: str
    change: str
    size: int
    parts: list[PartView]
    failure: str = ""
    advice: str = ""


class PatchView(NamedTuple):
    """A patch: what becomes of it, in a sentence, what no part of it says, and its files."""

    name: str
    certainty: Certainty
    verdict: str
    files: Sequence[FileView] = ()
    messages: Sequence[str] = ()

    @property
    def counts(self) -> str:
        """The parts by what becomes of them: "2 files: 3 strict, 1 refused (not found)"."""
        drawn = [part for file in self.files for part in file.parts]
        tallies = (Counter(p.verdict for p in drawn if p.certainty is kind) for kind in Certainty)
        parts = [f"{n:,} {verdict}" for counts in tallies for verdict, n in counts.items()]
        files = f"{len(self.files)} file{'s' * (len(self.files) != 1)}"
        return f"{files}: {', '.join(parts)}" if parts else ""


def view_of(outcome: Outcome, most: int | None = 1000) -> PatchView:
    """View what becomes of each part of a patch, at `most` so many of them, the refused first.

    The plan of a refused patch is of what fits.
    """
    failures, plan, options = outcome.failures, outcome.plan, outcome.options
    if outcome.error:
        messages = [*report.errors(outcome.error)]
        return PatchView(outcome.name, Certainty.REFUSED, "Cannot be read", messages=messages)
    parts = parts_of(reverse(outcome.patch) if options.reverse else outcome.patch)
    refused = refused_parts(parts, (*failures, *plan.skipped))
    shown = {p.key for p in sorted(parts, key=lambda part: part.key not in refused)[:most]}
    files = _files(outcome, [part for part in parts if part.key in shown], refused)
    drawn = [part for file in files for part in file.parts]
    explained = {id(failure) for failure in refused.values()}
    messages = [text_of(failure) for failure in failures if id(failure) not in explained]
    said = tuple(note for part in drawn for note in part.notes)
    messages += [note for note in report.notes(plan.notes) if not (said and note.endswith(said))]
    if len(parts) > len(drawn):
        messages.append(f"{len(drawn):,} of {len(parts):,} hunks are shown, the refused ones first")
    certainties = [part.certainty for part in drawn]
    certainty = max(certainties, key=[*Certainty].index, default=Certainty.STRICT)
    verdict = report.would_apply(plan, replace(options, target=Target.INDEX))
    if failures:
        verdict = outcome.refusal
        certainty = Certainty.APPLIED if outcome.already_applied else Certainty.REFUSED
    return PatchView(outcome.name, certainty, verdict[0].upper() + verdict[1:], files, messages)


def _files(
    outcome: Outcome, parts: Sequence[Part], refused: Mapping[Key, Failure]
) -> list[FileView]:
    """View the parts by file, in the order of the patch."""
    plan, ids = outcome.plan, outcome.ids
    placed = {key_of(hunk.section, hunk.placement.hunk.ordinal): hunk for hunk in plan.placed}
    edits = {r.old.path: r.content.edits for r in plan.completed.results if r.old and r.content}
    base = outcome.base or {r.old.path: r.old for r in plan.completed.results if r.old}
    files: dict[str, FileView] = {}
    for part in parts:
        path, found = part.section.path, placed.get(part.key)
        located = found.section.path if found else path
        blob, failure = base.get(located), refused.get(part.key)
        lines = () if blob is None or blob.binary else blob.text.lines
        if path not in files:
            names = " => ".join(map(visible, dict.fromkeys([path, part.section.new_path or path])))
            whole = failure if failure and not failure.hunk else None
            says = (whole.message, whole.advice) if whole else ()
            change = part.section.operation.value
            files[path] = FileView(names, change, len(lines), [], *says)
        hunk, name = part.hunk, ids.get(part.key, part.id)
        named = f"hunk {hunk.ordinal} of {part.section.hunks_in_text}" if hunk else "the whole file"
        number = int(hunk.number if hunk else part.section.number)
        view = PartView(part.key, f"{named} [{name}]", number, Certainty.STRICT, "strict")
        if failure:
            view = _refused(view, part, failure, lines)
        elif hunk and found:
            view = _placed(view, hunk, found.placement, lines, edits.get(located, ()))
        files[path].parts.append(
            view if view.pictures else view._replace(pictures=[alone(part, lines)])
        )
    return [*files.values()]


def _refused(view: PartView, part: Part, failure: Failure, lines: _Lines) -> PartView:
    certainty, verdict = Certainty.APPLIED, Certainty.APPLIED.value
    if not failure.already_applied:
        certainty = Certainty.REFUSED
        verdict = f"refused ({failure.reason.value})".replace("_", " ")
    sentence, advice = (failure.message, failure.advice) if failure.hunk else ("", "")
    pictures = [*failure.pictures] if failure.hunk else []
    if pictures and any(picture.advice for picture in pictures):
        pictures.insert(0, alone(part, lines))
    return view._replace(
        certainty=certainty,
        verdict=verdict,
        sentence=sentence,
        advice=advice,
        notes=failure.said,
        pictures=pictures,
    )


def _placed(
    view: PartView, hunk: Hunk, placement: Placement, lines: _Lines, edits: Sequence[Edit]
) -> PartView:
    """View a hunk that would apply: its lines, those of the file, and what `edits` write."""
    is_loose = not placement.exact or placement.evidence is Evidence.NEAREST
    certainty = Certainty.TOLERATED if is_loose else Certainty.STRICT
    found = placement.hunk
    start, stop = placement.start, placement.stop
    there = [line.removeprefix(BYTE_ORDER_MARK).split() for line in lines[start:stop]]
    how = [likeness.value for likeness in placement.likeness] or [""] * len(found.preimage)
    known = zip(found.preimage, there, how, strict=False)
    pictures: list[Picture] = []
    if len(there) == len(found.preimage) and all(
        word or line.text.removeprefix(BYTE_ORDER_MARK).split() == other
        for line, other, word in known
    ):
        new = [line for e in edits if start <= e.start <= e.stop <= stop for line in e.lines]
        rows = [*_rows(hunk, placement, lines, how, new)]
        pictures = [Picture("", tuple(rows[:_MOST_ROWS]))]
    return view._replace(
        certainty=certainty,
        verdict=certainty.value,
        sentence=f"at {where(placement)}",
        notes=[visible(note) for note in placement.notes],
        pictures=pictures,
    )


def _rows(
    hunk: Hunk, placement: Placement, lines: _Lines, how: Sequence[str], new: Sequence[bytes]
) -> Iterator[Row]:
    """Lay a placed hunk beside the file: each line as the patch has it, and what is there or is
    written; one that the patch leaves out has no line of it."""
    found = placement.hunk
    written = {line.number: line for line in hunk.lines}
    if len(written) < len(hunk.lines) or hunk.replacement:
        written = {
            line.number: line for line in found.lines
        }  # strings, whose lines have one number
    added = [line.text for line in found.lines if line.prefix is Prefix.ADDED]
    if [*map(bytes.split, new)] != [*map(bytes.split, added)]:
        new = added  # another hunk has a part in these edits
    news, said, at = iter(new), iter(how), placement.start
    yield from _around(lines, at - _AROUND, at)
    for line in found.lines:
        shown = written.get(line.number)
        text = shown and shown._replace(prefix=line.prefix)
        if line.prefix is Prefix.ADDED:
            there, mark, note, place = next(news, line.text), Mark.ADDED, "written like this", None
        else:
            there, mark, note, place = lines[at], Mark.THERE, next(said, ""), at
            at += 1
        if text is None:
            yield Row(Mark.LEFT_OUT, place, there)
        elif without_cr(text.text) == without_cr(there):  # ends of lines are no part of the match
            yield Row(mark, place, there, text)
        else:
            yield Row(Mark.TOLERATED, place, there, text, note)
    yield from _around(lines, at, at + _AROUND)


def _around(lines: _Lines, first: int, stop: int) -> Iterator[Row]:
    for at in range(max(first, 0), min(stop, len(lines))):
        yield Row(Mark.AROUND, at, lines[at])


def alone(part: Part, lines: _Lines) -> Picture:
    """Draw a part that has no place, or what is deleted with a file."""
    if not part.section.has_content and lines:
        return Picture("", tuple(_around(lines, 0, min(len(lines), _MOST_ROWS))))
    hunks = part.section.hunks if part.hunk is None else [part.hunk]
    rows = [Row(Mark.ADDED, line=line) for hunk in hunks for line in hunk.lines]
    return Picture("", tuple(rows[:_MOST_ROWS]))


_STYLES = {
    Certainty.STRICT: "green",
    Certainty.TOLERATED: "yellow",
    Certainty.APPLIED: "blue",
    Certainty.REFUSED: "bold red",
}


def patch_lines(view: PatchView, width: int) -> Iterator[Spans]:
    """Lay out a patch in `width` columns."""
    for message in view.messages:
        yield [(message, "")]
    for number, file in enumerate(view.files):
        yield from [[]] * bool(number)
        yield from heading(file, width)
        for part in file.parts:
            yield []
            yield from part_lines(part, file.path, width)


def heading(file: FileView, width: int) -> Iterator[Spans]:
    """Name a file, and say why all of it is refused."""
    yield [(f"{file.change} ", ""), (file.path, "bold")]
    if file.failure:
        yield from _wrapped(f"refused: {file.failure}", width, "refused", "bold red")
        yield from _wrapped(file.advice, width)


def part_lines(part: PartView, path: str, width: int) -> Iterator[Spans]:
    """Lay out a part of the file at `path` with its pictures in `width` columns."""
    verdict = f"{part.verdict}: {part.name} {part.sentence}"
    yield from _wrapped(verdict, width, part.verdict, _STYLES[part.certainty])
    for picture in part.pictures:
        if picture.title or part.pictures[1:]:
            name = title(picture, path)
            yield from _wrapped(name, width, name, "bold")
        yield from drawn(picture.telling, _MOST_ROWS)
        if picture.advice:
            yield from _wrapped(f"if this place is meant: {picture.advice}", width)
    for line in (*part.notes, part.advice):
        yield from _wrapped(line, width)


def _wrapped(text: str, width: int, label: str = "", style: str = "") -> Iterator[Spans]:
    """Break a sentence between words, none of which is broken; `label` begins it."""
    room = max(width - 4, 1)
    for at, line in enumerate(wrap(text, room, break_long_words=False, break_on_hyphens=False)):
        end = 0 if at else len(label)
        yield [("  " + "  " * bool(at), ""), (line[:end], style), (line[end:], "")]
