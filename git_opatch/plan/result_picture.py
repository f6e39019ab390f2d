"""Draw what a patch would leave of a file that could not be read any more.

It must not judge the result: that is `locate.structure`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from git_opatch.complete.edits import Edit
from git_opatch.model.failure import Problem
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.picture import Mark, Picture, Row
from git_opatch.model.sentences import Detail
from git_opatch.model.text import Text, visible

_AROUND = 5
_MOST = 400


def result_picture(
    before: Text, edits: Sequence[Edit], hunks: Sequence[Hunk], problem: Problem
) -> Picture:
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
