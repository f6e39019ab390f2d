"""Refuse a patch that leaves one of its files without a part of its structure.

That is one end of a pair of brackets (D170), or a line of Python that belongs to another (D465).
"""

from __future__ import annotations

from collections.abc import Sequence

from git_opatch.complete.brackets import unpaired_brackets
from git_opatch.complete.python_blocks import block_fault
from git_opatch.complete.tree import Result
from git_opatch.model.failure import Failure, Problem, refusal
from git_opatch.model.options import Options, Tier
from git_opatch.model.patch import FilePatch, Patch
from git_opatch.model.sentences import Fault


def refuse_broken(patch: Patch, results: Sequence[Result], options: Options) -> list[Failure]:
    """Refuse the files of `results`, which is all that `patch` does, that lose some structure.

    What the user asks for as it is written is exempt, and so is a part of what the text says.
    """
    if options.reverse or options.matching.tier is Tier.STRICT:
        return []
    named: dict[str | None, list[FilePatch]] = {}
    for section in patch.files:
        for path in dict.fromkeys(_paths(section)):
            named.setdefault(path, []).append(section)
    failures = []
    for result in results:
        sections = named.get(result.path, [])
        if not sections or any(map(_is_exempt, sections)):
            continue
        if problem := _unpaired(result) or _unfitting(result):
            failures.append(refusal(sections[-1], problem))
    return failures


def _paths(section: FilePatch) -> tuple[str | None, ...]:
    return section.old_path, section.new_path, section.alternate


def _is_exempt(section: FilePatch) -> bool:
    """Return whether a section is a completed diff, has strings to replace, or lacks some hunks."""
    replaces = any(hunk.replacement is not None for hunk in section.hunks)
    return section.exact_positions or bool(section.left_out) or replaces


def _unpaired(result: Result) -> Problem | None:
    """Return which brackets of a changed file pair worse than before; None if none do."""
    content = result.content
    if result.old is None or content is None or not content.mode.is_file:
        return None
    found = unpaired_brackets(result.old.text, content.text, content.edits, result.path)
    if found is None or result.binary:
        return None
    more, less = (found.opening, found.closing)[:: 1 if found.surplus > 0 else -1]
    return Problem.of(Fault.UNPAIRED, count=abs(found.surplus), more=more, less=less)


def _unfitting(result: Result) -> Problem | None:
    """Return which line of a changed file has no place in its blocks; None if all have one."""
    content = result.content
    if result.old is None or content is None or not content.mode.is_file:
        return None
    line = block_fault(result.old.text, content.text, content.edits, result.path)
    if line is None or result.binary:
        return None
    return Problem.of(Fault.BLOCK_BROKEN, line=content.text.lines[line - 1], at=line)
