"""Refuse a patch that leaves one of its files without a part of its structure.

That is one end of a pair of brackets (D170), or a line of Python that belongs to another (D465).
"""

from __future__ import annotations

from collections.abc import Sequence

from git_opatch.complete.edits import Edit
from git_opatch.complete.tree import Result
from git_opatch.locate.structure import Judged, judge_structure
from git_opatch.model.failure import Failure, Problem, refusal
from git_opatch.model.options import Options, Tier
from git_opatch.model.patch import FilePatch, Patch
from git_opatch.model.sentences import Detail, Fault
from git_opatch.model.text import Text
from git_opatch.plan.result_picture import result_picture


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
    picture = result_picture(before, edits, hunks, problem)
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
