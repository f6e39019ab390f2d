"""Positions that a short hunk may mean besides those where it matches as written (D37).

Models lose indentation and letter case. A few lines such as `end` or `})` that lost their
indentation match somewhere else as they are written, and hide the position that was meant:

    hunk         file
    -})            })       meant: the hunk lost its indentation
    +}, 1)       })         matches as written

So for a short hunk, positions where one indentation rule explains all its lines, or where only
other whitespace or the letter case differs, count as well. On real history 5 in 1,000 such hunks
with one line of context have one. A hunk without context quotes just what it removes, and is
exempt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.tiers import resilient
from git_opatch.model.indent_rules import Pair, is_common_rule, rules_for
from git_opatch.model.options import Tier
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.text import indentation

_MAX_LINES = 3
"""Longer hunks do not match elsewhere by chance: 1 in 19,000 with three lines of context."""

_WORD = rb"[\w\x80-\xff]+"
_COMMON_WORDS = {b"begin", b"do", b"done", b"else", b"end", b"esac", b"fi", b"then"}


def find_rivals(hunk: Hunk, positions: Sequence[int], file_index: FileIndex) -> list[int]:
    """List where else than at `positions` the hunk matches, only loosely, and may be meant."""
    size = len([line for line in hunk.preimage if line.text.strip()])
    if not 0 < size <= _MAX_LINES or all(line.prefix is not Prefix.CONTEXT for line in hunk.lines):
        return []
    same = {*file_index.find_at_tier(hunk.preimage, Tier.RESILIENT)} - {*positions}
    found = {
        position
        for position in same - {*file_index.find(hunk.preimage)}
        if _is_as_deep(hunk, position, file_index) or is_reindented(hunk, position, file_index)
    }
    only_adds = all(line.prefix is not Prefix.REMOVED for line in hunk.lines)
    if only_adds:
        fuzzy = {*file_index.find_at_tier(hunk.preimage, Tier.FUZZY)}
        others = fuzzy - same - {*positions}
        found |= {start for start in others if _differs_in_case(hunk, start, file_index)}
    return sorted(found)


def _is_as_deep(hunk: Hunk, position: int, file_index: FileIndex) -> bool:
    """Return whether the lines at `position` differ from the hunk's in other whitespace alone."""
    pairs = _pairs(hunk.preimage, position, file_index)
    return all(in_patch == in_file for in_patch, in_file in pairs)


def _differs_in_case(hunk: Hunk, position: int, file_index: FileIndex) -> bool:
    """Return whether the lines at `position` are those of the hunk but for whitespace and case."""
    in_file = file_index.lines[position : position + len(hunk.preimage)]
    return all(
        resilient(file_index.normal(line.text)).lower() == resilient(found).lower()
        for line, found in zip(hunk.preimage, in_file, strict=False)
    )


def has_distinctive_line(hunk: Hunk) -> bool:
    """Return whether a line to find has a word; brackets, `end` and `else` occur anywhere."""
    words = {word for line in hunk.preimage for word in re.findall(_WORD, line.text)}
    return not words <= _COMMON_WORDS


def is_coherent(hunk: Hunk, position: int, file_index: FileIndex) -> bool:
    """Return whether the lines at `position` are indented as the hunk's are, or by any one rule."""
    if _is_as_deep(hunk, position, file_index):
        return True
    return bool(rules_for(list(_pairs(hunk.preimage, position, file_index))))


def is_reindented(hunk: Hunk, position: int, file_index: FileIndex) -> bool:
    """Return whether one common rule turns the indentation of `hunk` into that at `position`."""
    at_margin = any(not _indent(line) for line in hunk.lines if line.text.strip())
    pairs = list(_pairs(hunk.preimage, position, file_index))
    return is_common_rule(pairs, at_margin=at_margin)


def _pairs(lines: Sequence[Line], position: int, file_index: FileIndex) -> Iterator[Pair]:
    for offset, line in enumerate(lines):
        if line.text.strip():
            yield _indent(line), indentation(file_index.lines[position + offset])


def _indent(line: Line) -> bytes:
    return indentation(line.text)
