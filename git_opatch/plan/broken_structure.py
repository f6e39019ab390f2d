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
from git_opatch.model.patch import FilePatch, Line, Patch, Prefix
from git_opatch.model.text import Text


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
        failures += [_refuse(sections, problem)] if problem else []
        notes += [note] if note else []
    return failures, notes


def _refuse(sections: Sequence[FilePatch], problem: Problem) -> Failure:
    """Refuse the last of `sections`, and name the line of the hunk that has the one at fault."""
    change = problem.values.get("change")
    hunks = (hunk for section in sections for hunk in section.hunks)
    hunk = next((hunk for hunk in hunks if any(_is(line, change) for line in hunk.lines)), None)
    failure = refusal(sections[-1], problem)
    return failure._replace(number=hunk.number) if hunk else failure


def _is(line: Line, change: object) -> bool:
    return line.prefix is not Prefix.CONTEXT and line.text == change


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
        edits = [Edit(0, 0, (*content.text.lines,))]
        return judge_structure(Text([]), content.text, edits, result.path)
    return judge_structure(result.old.text, content.text, content.edits, result.path)
