"""What a person looks at: each hunk of a patch beside its place in the file. Values only.

Nothing is located here: places are those of placements and failures, and lines are compared only to
lay them side by side. Text is fit for a terminal; lines count from 1, positions from 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import NamedTuple

from git_opatch import report
from git_opatch.complete.edits import Edit
from git_opatch.model.extent import Extent, ExtentLine, Mark, Means
from git_opatch.model.failure import Failure
from git_opatch.model.limits import SHOWN
from git_opatch.model.options import Target
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.placement import Evidence, Placement
from git_opatch.model.reverse import reverse
from git_opatch.model.selection import Key, Part, key_of, parts_of
from git_opatch.model.sentences import Reason
from git_opatch.model.text import BYTE_ORDER_MARK, visible, without_cr
from git_opatch.report.outcome import Outcome
from git_opatch.report.placements import refused_parts, where
from git_opatch.report.refusal import Spans, marked, text_of

_AROUND = 2
"""Lines of the file that are shown above and below a hunk."""
_MOST_ROWS = 400
FEW_SKIPPED = 3
"""Lines in a row that a patch leaves out, and that are shown without being asked for."""
_Lines = Sequence[bytes]


class Certainty(Enum):
    """How sure a part of a patch is, in the words that are shown."""

    STRICT = "strict"
    TOLERATED = "tolerated"
    APPLIED = "already applied"
    REFUSED = "refused"


_STRICT = Certainty.STRICT


class Row(NamedTuple):
    """A line of the patch beside its line of the file; one of them may be missing.

    `kind` is same, like (tolerated), unlike, alone, skipped (the patch leaves it out), around, or
    decides (it tells one candidate from the others). The prefix is the patch's.
    """

    kind: str
    prefix: str
    text: Spans | None = None
    number: int = 0
    there: Spans | None = None
    line: int = 0
    note: str = ""


class Place(NamedTuple):
    """A part of the file that a hunk goes to, could go to, or is compared with.

    `lines` are the first and the last line of the hunk in it, 0 and 0 for none.
    """

    title: str
    rows: Sequence[Row]
    lines: tuple[int, int] = (0, 0)
    advice: str = ""
    more: int = 0
    """How many further rows it would have."""


class PartView(NamedTuple):
    """A hunk, or a file that is one part: what becomes of it, and its places."""

    key: Key
    name: str
    number: int
    certainty: Certainty
    verdict: str
    sentence: str = ""
    advice: str = ""
    notes: Sequence[str] = ()
    places: Sequence[Place] = ()


class FileView(NamedTuple):
    """A file and its parts, in the order of the patch; `size` is its number of lines.

    `failure` says why all of it is refused; then the parts do not say it again.
    """

    path: str
    change: str
    size: int
    parts: Sequence[PartView]
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
        found = (Counter(p.verdict for p in drawn if p.certainty is each) for each in Certainty)
        parts = [f"{n:,} {verdict}" for counts in found for verdict, n in counts.items()]
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
    patch = reverse(outcome.patch) if options.reverse else outcome.patch
    parts = parts_of(patch)
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
    certainty = max(certainties, key=[*Certainty].index, default=_STRICT)
    verdict = report.would_apply(plan, replace(options, target=Target.INDEX))
    if failures:
        verdict = outcome.refusal
        certainty = Certainty.APPLIED if outcome.already_applied else Certainty.REFUSED
    verdict = verdict[0].upper() + verdict[1:]
    return PatchView(outcome.name, certainty, verdict, files, messages)


def _files(
    outcome: Outcome, parts: Sequence[Part], refused: Mapping[Key, Failure]
) -> list[FileView]:
    """View the parts by file, in the order of the patch."""
    plan, ids = outcome.plan, outcome.ids
    placed = {key_of(each.section, each.placement.hunk.ordinal): each for each in plan.placed}
    edits = {r.old.path: r.content.edits for r in plan.completed.results if r.old and r.content}
    base = outcome.base or {r.old.path: r.old for r in plan.completed.results if r.old}
    found: dict[str, list[PartView]] = {}
    files = []
    for part in parts:
        path, found_at = part.section.path, placed.get(part.key)
        located = found_at.section.path if found_at else path
        blob, failure = base.get(located), refused.get(part.key)
        lines = () if blob is None or blob.binary else blob.text.lines
        part = part._replace(id=ids.get(part.key, part.id))
        if path not in found:
            found[path] = []
            names = dict.fromkeys([path, part.section.new_path or path])
            whole = failure if failure and not failure.hunk else None
            files.append(
                FileView(
                    " => ".join(map(visible, names)),
                    part.section.operation.value,
                    len(lines),
                    found[path],
                    whole.message if whole else "",
                    whole.advice if whole else "",
                )
            )
        found[path].append(
            _refused(part, failure, lines)
            if failure
            else _placed(part, found_at and found_at.placement, lines, edits.get(located, ()))
        )
    return files


def _named(part: Part) -> tuple[Key, str, int]:
    hunk = part.hunk
    name = f"hunk {hunk.ordinal} of {part.section.hunks_in_text}" if hunk else "the whole file"
    return part.key, f"{name} [{part.id}]", int(hunk.number if hunk else part.section.number)


def _placed(
    part: Part, placement: Placement | None, lines: _Lines, edits: Sequence[Edit]
) -> PartView:
    """View a part that would apply: its lines, those of the file, and what `edits` write."""
    if part.hunk is None or placement is None:
        return PartView(*_named(part), _STRICT, _STRICT.value, places=[_alone(part, lines)])
    start, stop, hunk = placement.start, placement.stop, placement.hunk
    is_loose = not placement.exact or placement.evidence is Evidence.NEAREST
    certainty = Certainty.TOLERATED if is_loose else _STRICT
    how = [each.value for each in placement.likeness] or [""] * len(hunk.preimage)
    there = [line.removeprefix(BYTE_ORDER_MARK).split() for line in lines[start:stop]]
    known = zip(hunk.preimage, there, how, strict=False)
    place = _alone(part, lines)
    # else an earlier section has changed the file
    if len(lines) >= stop and all(
        word or line.text.split() == other for line, other, word in known
    ):
        new = [line for e in edits if start <= e.start <= e.stop <= stop for line in e.lines]
        written = {line.number: line.text for line in part.hunk.lines}
        if len(written) < len(part.hunk.lines) or part.hunk.replacement:
            written = {}  # strings of JSON, whose lines have one number
        rows = _beside(hunk, lines, start, notes=how, written=written, new=new)
        place = _place(part, rows)
    notes = [visible(note) for note in placement.notes]
    sentence = f"at {where(placement)}"
    named = (*_named(part), certainty, certainty.value, sentence)
    return PartView(*named, notes=notes, places=[place])


def _refused(part: Part, failure: Failure, lines: _Lines) -> PartView:
    """View a part that is refused, with the places that it could go to, or is compared with."""
    certainty, verdict = Certainty.APPLIED, Certainty.APPLIED.value
    if not failure.already_applied:
        certainty = Certainty.REFUSED
        verdict = f"refused ({failure.reason.value})".replace("_", " ")
    says = (failure.message, failure.advice) if failure.hunk else ("", "")
    places = [*_compared(part, part.hunk, failure, lines)] if part.hunk and lines else []
    return PartView(*_named(part), certainty, verdict, *says, (), places or [_alone(part, lines)])


def _compared(part: Part, hunk: Hunk, failure: Failure, lines: _Lines) -> Iterator[Place]:
    """Show the places that a refused hunk could go to, or the one that it is compared with."""
    starts, extent = failure.positions, failure.extent
    if hunk.replacement:  # of strings, which may begin and end inside of lines
        size = hunk.replacement.old.strip(b"\n").count(b"\n") + 1
    else:
        size = len(hunk.preimage) if failure.reason is Reason.AMBIGUOUS and starts[1:] else 0
    if size:
        yield _alone(part, lines)
        yield from (_candidate(part, failure, at, at + size, lines) for at in starts[:SHOWN])
        return
    if extent is None and starts and failure.reason is Reason.ALREADY_APPLIED:
        start = starts[0] if failure.start is None else failure.start
        rows = _beside(hunk, lines, start, Prefix.REMOVED)
        yield _place(part, rows)
    laid = [each for each in (extent.lines if extent else ()) if each.position is not None]
    if extent is None or not laid or _differs(laid, lines):
        return  # an earlier section has changed the file
    inside = extent.inside.text.strip() if extent.inside else b""
    place = _place(part, _laid_over(hunk, extent, failure.reason), inside)
    if failure.reason is Reason.NOT_FOUND:
        way = "write the marked lines as the file has them"
        place = place._replace(title=f"closest match: {place.title}", advice=way)
    yield place


def _differs(laid: Sequence[ExtentLine], lines: _Lines) -> bool:
    there = ((each.position or 0, each.text) for each in laid)
    return any(lines[at : at + 1] != [text] for at, text in there)


def _laid_over(hunk: Hunk, extent: Extent, reason: Reason) -> Iterator[Row]:
    """Lay a hunk over the file, with the lines that only the patch has where they would be."""
    is_applied = reason is Reason.ALREADY_APPLIED
    absent = Prefix.REMOVED if is_applied else Prefix.ADDED
    rest = [*hunk.lines]
    for each in extent.lines:
        has_begun = len(rest) < len(hunk.lines)
        while has_begun and rest and each.line is None and rest[0].prefix is absent:
            yield _row(rest[0], rest.pop(0).text, None)
        while rest and each.line is not None:
            line = rest.pop(0)
            if line == each.line:
                break
            yield _row(line, line.text, None)
        yield _of_extent(each)
    yield from (_row(line, line.text, None) for line in rest)


def _of_extent(each: ExtentLine) -> Row:
    at = 0 if each.position is None else each.position + 1
    if each.line is None:
        kind, note = ("around", "") if each.mark is Mark.AROUND else ("unlike", "not in the hunk")
        return Row(kind, " ", None, 0, [(visible(each.text or b""), "")], at, note)
    if each.mark is Mark.IN_PATCH:
        note = each.described or "not in the file"
        return _row(each.line, each.line.text, None)._replace(kind="unlike", note=note)
    shown = each.text if each.mark is Mark.THERE else each.line.text
    return _row(each.line, shown, each.text, each.position or 0, note=each.described)


def _beside(
    hunk: Hunk,
    lines: _Lines,
    start: int,
    absent: Prefix = Prefix.ADDED,
    notes: Sequence[str] = (),
    written: Mapping[int, bytes] | None = None,
    new: Sequence[bytes] = (),
) -> Iterator[Row]:
    """Lay the lines of a hunk at `start`, but for the `absent` ones, beside those of the file.

    `notes` are on these. Of a hunk that was placed, `written` are its lines as the patch has them,
    by number, and `new` is what becomes of the added ones.
    """
    added = [line.text for line in hunk.lines if line.prefix is Prefix.ADDED]
    if written is not None and [*map(bytes.split, new)] != [*map(bytes.split, added)]:
        new = added  # another hunk has a part in these edits
    differs, news = "unlike" if written is None else "like", iter(new)
    places, said = iter(range(start, len(lines))), iter(notes)
    yield from _file_rows(lines, start - _AROUND, start)
    for line in hunk.lines:
        text = written.get(line.number) if written else line.text
        is_absent = line.prefix is absent
        at = -1 if is_absent else next(places, -1)
        there = next(news, None) if is_absent else lines[at] if at >= 0 else None
        note = "written like this" if is_absent else next(said, "")
        start = max(start, at + 1)
        if written is not None and text and there:  # the ends of lines are not part of the match
            text, there = without_cr(text), without_cr(there)
        row = _row(line, text, there, at, differs, note)
        is_missing = there is None and not is_absent
        yield row._replace(kind="unlike", note="not in the file") if is_missing else row
    yield from _file_rows(lines, start, start + _AROUND)


def _row(
    line: Line,
    text: bytes | None,
    there: bytes | None,
    at: int = -1,
    differs: str = "unlike",
    note: str = "",
) -> Row:
    """Pair a line of the patch with one of the file, at position `at`, and mark what differs."""
    number, prefix = int(line.number), line.prefix.value
    if text is None or there is None or text == there:
        kind = "skipped" if text is None else "alone" if there is None else "same"
        pair = [None if each is None else [(visible(each), "")] for each in (text, there)]
        return Row(kind, prefix, pair[0], number, pair[1], at + 1)
    one, other = marked(text, there)
    return Row(differs, prefix, one, number, other, at + 1, note)


def _file_rows(
    lines: _Lines, first: int, stop: int, kind: str = "around", note: str = ""
) -> Iterator[Row]:
    for at in range(max(first, 0), min(stop, len(lines))):
        yield Row(kind, " ", None, 0, [(visible(lines[at]), "")], at + 1, note)


def _place(part: Part, rows: Iterable[Row], inside: bytes = b"", advice: str = "") -> Place:
    """Frame rows, named by the lines of the file that they have of the hunk."""
    all_rows = [*rows]
    shown = [row.line for row in all_rows if row.line]
    own = [row.line for row in all_rows if row.line and row.kind not in ("around", "decides")]
    first, *_, last = (own or shown or [0]) * 2
    title = visible(part.section.path)
    title += f", lines {first}-{last}" if first < last else f", line {first}" if first else ""
    title += f", in `{visible(inside, 80)}`" if inside else ""
    more = max(len(all_rows) - _MOST_ROWS, 0)
    return Place(title, all_rows[:_MOST_ROWS], (first, last), advice, more)


def _alone(part: Part, lines: _Lines) -> Place:
    """Show a part that has no place, or what is deleted with a file."""
    if not part.section.has_content and lines:
        return _place(
            part, (row._replace(prefix="-") for row in _file_rows(lines, 0, len(lines), "alone"))
        )
    hunks = part.section.hunks if part.hunk is None else [part.hunk]
    shown = [_row(line, line.text, None, -1, "", "") for hunk in hunks for line in hunk.lines]
    return Place("", shown[:_MOST_ROWS], more=max(len(shown) - _MOST_ROWS, 0))


def _candidate(part: Part, failure: Failure, at: int, stop: int, lines: _Lines) -> Place:
    """Show a place that a hunk, or a string, could go to, and what tells it from the others."""
    told = next((each for each in failure.suggestions if each.candidate == at), None)
    means, distance = (told.means, told.distance) if told else (None, 0)
    above, below = distance * (means is Means.ABOVE), distance * (means is Means.BELOW)
    decides, hunk = ("decides", "add this line"), part.hunk
    own: Iterable[Row] = _file_rows(lines, at, stop, "same")
    if hunk and not hunk.replacement:
        own = (
            row._replace(text=None, number=0, there=row.there or row.text)
            for row in _beside(hunk, lines, at)
            if row.kind != "around"
        )
    rows = [
        *_file_rows(lines, at - max(above, _AROUND), at - above),
        *_file_rows(lines, at - above, at, *decides),
        *own,
        *_file_rows(lines, stop, stop + below, *decides),
        *_file_rows(lines, stop + below, stop + max(below, _AROUND)),
    ]
    names = {each.candidate: each.text.strip() for each in failure.enclosing}
    target = "string" if hunk and hunk.replacement else "hunk"
    way = f"add the marked line{'s' * (distance > 1)} to the {target}" if above + below else ""
    if told and means is Means.ANCHOR:
        way = f"begin the hunk with `@@ {visible(told.text)}`"
    return _place(part, rows, names.get(at, b""), way)
