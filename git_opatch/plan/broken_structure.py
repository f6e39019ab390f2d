"""Refuse a patch that leaves one of its files without a part of its structure, and draw the result.

That is one end of a pair of brackets (D170), or a line of Python that belongs to another (D465). It
does not judge the result: that is `locate.structure`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from git_opatch.complete.edits import Edit
from git_opatch.complete.tree import Result
from git_opatch.locate.structure import Judged, judge_structure
from git_opatch.model.failure import Failure, Problem, refusal
from git_opatch.model.options import Options, Tier
from git_opatch.model.patch import FilePatch, Hunk, Line, Patch, Prefix
from git_opatch.model.picture import Mark, Picture, Row
from git_opatch.model.sentences import Detail, Fault
from git_opatch.model.text import Text, visible

_AROUND = 5
_MOST = 400


def refuse_broken(
    patch: Patch, results: Sequence[Result], options: Options
) -> tuple[list[Failure], list[str]]:
    """Refuse the files of `results`, which is all that `patch` does, that lose some structure;
    and return notes on those that may.

    What the user asks for as it is written is exempt, and so is a part of what the text says.
    """
    if options.reverse or options.matching.tier is Tier.STRICT:
        return [], []
    named: dict[str, list[FilePatch]] = {}
    for section in patch.files:
        for path in section.names:
            named.setdefault(path, []).append(section)
    failures, notes = [], []
    for result in results:
        sections = named.get(result.path, [])
        if not sections or any(map(_is_exempt, sections)):
            continue
        problem, note = _judge(result)
        failures += [_refuse(sections, problem, result)] if problem else []
        notes += [note] if note else []
    return failures, notes


def _refuse(sections: Sequence[FilePatch], problem: Problem, result: Result) -> Failure:
    """Refuse the last of `sections`, with the result, and the line of the patch at fault."""
    failure, change = refusal(sections[-1], problem), problem.values.get("change")
    if result.content is None:
        return failure
    hunks = [hunk for section in sections for hunk in section.hunks]
    before = result.old.text if result.old else Text([])
    edits = result.content.edits if result.old else [_all(result.content.text)]
    picture = _draw(before, edits, hunks, problem)
    rows, number = [*picture.rows], failure.number
    for at, row in enumerate(rows):
        if row.line and row.changes and row.line.text == change:
            number = int(row.line.number) or number
            if problem.fault is Fault.UNPAIRED:
                rows[at] = row._replace(note=Detail.AT_FAULT.sentence)
            break
    return failure._replace(number=number, pictures=(picture._replace(rows=tuple(rows)),))


def _all(text: Text) -> Edit:
    """Return the edit that makes a new file."""
    return Edit(0, 0, (*text.lines,))


def _is_exempt(section: FilePatch) -> bool:
    """Return whether a section has strings to replace, or lacks some hunks."""
    replaces = any(hunk.replacement is not None for hunk in section.hunks)
    return bool(section.left_out) or replaces


def _judge(result: Result) -> Judged:
    """Judge the structure of a file that is changed or new."""
    content = result.content
    if content is None or not content.mode.is_file or result.binary:
        return Judged()
    if result.old is None:
        return judge_structure(Text([]), content.text, [_all(content.text)], result.path)
    return judge_structure(result.old.text, content.text, content.edits, result.path)


def _draw(before: Text, edits: Sequence[Edit], hunks: Sequence[Hunk], problem: Problem) -> Picture:
    """Draw the result around the change that has a `problem`, and around the line that is at fault:
    why is said there, if that is a line of the result."""
    values = problem.values
    fault, why = int(values.get("at", 0)), str(values.get("why", ""))
    near = int(values.get("near", fault))
    numbers: dict[tuple[Prefix, bytes], list[Line]] = defaultdict(list)
    for hunk in hunks:
        for line in hunk.lines:
            numbers[line.prefix, line.text.strip()].append(line)

    def of_patch(prefix: Prefix, text: bytes) -> Line:
        known = numbers[prefix, text.strip()]
        return (known.pop(0) if known else Line(prefix, text))._replace(prefix=prefix)

    rows: list[Row] = []
    at, size = 0, 0  # the next line of the file, and how many the result has
    for edit in [*edits, Edit(len(before.lines), len(before.lines), ())]:
        kept = before.lines[at : edit.start]
        rows += [Row(Mark.AROUND, size + n, text) for n, text in enumerate(kept)]
        size += len(kept)
        for text in before.lines[edit.start : edit.stop]:
            rows.append(Row(Mark.GOES, None, None, of_patch(Prefix.REMOVED, text)))
        for n, text in enumerate(edit.lines):
            rows.append(Row(Mark.ADDED, size + n, text, of_patch(Prefix.ADDED, text)))
        size += len(edit.lines)
        at = edit.stop
    place = {row.position: n for n, row in enumerate(rows) if row.position is not None}
    if why and fault - 1 in place:
        n = place[fault - 1]
        rows[n] = rows[n]._replace(note=f"here: {visible(why)}")
    ends = sorted(place.get(line - 1, len(rows) - 1) for line in (near, fault or near))
    while ends[0] and rows[ends[0] - 1].mark in (Mark.GOES, Mark.ADDED):
        ends[0] -= 1
    while ends[1] + 1 < len(rows) and rows[ends[1] + 1].mark in (Mark.GOES, Mark.ADDED):
        ends[1] += 1
    shown = rows[max(ends[0] - _AROUND, 0) : ends[1] + _AROUND + 1][:_MOST]
    return Picture(Detail.RESULT.sentence, tuple(shown))
