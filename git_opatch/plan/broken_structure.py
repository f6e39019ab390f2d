"""Refuse a patch that leaves one of its files without a part of its structure.

That is one end of a pair of brackets (D170), or a line of Python that belongs to another (D465).
"""

from __future__ import annotations

from collections.abc import Sequence

from git_opatch.complete.brackets import Unpaired, unpaired_brackets
from git_opatch.complete.python_blocks import block_fault
from git_opatch.complete.tree import Result
from git_opatch.model.options import Options, Tier
from git_opatch.model.patch import FilePatch, Patch
from git_opatch.model.result import Failure, Reason, Way, refusal
from git_opatch.model.text import visible

_ADVICE = "re-read the file and send all changes of the block in one patch"
_MEANT = Way("if this is meant", ("--match", Tier.STRICT.value))


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
    ways = (_MEANT,) if options.matching.can_choose else ()
    failures = []
    for result in results:
        sections = named.get(result.path, [])
        if not sections or any(map(_is_exempt, sections)):
            continue
        if message := _unpaired(result) or _unfitting(result):
            failure = refusal(sections[-1], Reason.UNCLEAR, message, advice=_ADVICE)
            failures.append(failure._replace(ways=ways))
    return failures


def _paths(section: FilePatch) -> tuple[str | None, ...]:
    return section.old_path, section.new_path, section.alternate


def _is_exempt(section: FilePatch) -> bool:
    """Return whether a section is a completed diff, has strings to replace, or lacks some hunks."""
    replaces = any(hunk.replacement is not None for hunk in section.hunks)
    return section.exact_positions or bool(section.left_out) or replaces


def _unpaired(result: Result) -> str:
    """Say which brackets of a changed file pair worse than before; empty if none do."""
    content = result.content
    if result.old is None or content is None or not content.mode.is_file:
        return ""
    unpaired = unpaired_brackets(result.old.text, content.text, content.edits, result.path)
    return "" if unpaired is None or result.binary else _message(unpaired)


def _unfitting(result: Result) -> str:
    """Say which line of a changed file has no place in its blocks; empty if all have one."""
    content = result.content
    if result.old is None or content is None or not content.mode.is_file:
        return ""
    fault = block_fault(result.old.text, content.text, content.edits, result.path)
    if fault is None or result.binary:
        return ""
    shown = visible(content.text.lines[fault.line - 1].strip(), 60)
    return f"would leave `{shown}` {fault.why} (line {fault.line} of the result)"


def _message(unpaired: Unpaired) -> str:
    opening, closing = f"`{unpaired.opening}`", f"`{unpaired.closing}`"
    more, less = (opening, closing) if unpaired.surplus > 0 else (closing, opening)
    how = "pair better" if unpaired.before else "pair"
    count = abs(unpaired.surplus)
    return f"would have {count} more {more} than {less}, which {how} in the file as it is"
