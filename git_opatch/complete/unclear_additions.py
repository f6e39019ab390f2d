"""Refuse added lines that cannot be meant as they are written (D34, D92 to D94, D243, D468)."""

from __future__ import annotations

from collections.abc import Sequence

from git_opatch.complete.encoding import RemainingLines, foreign_encoding
from git_opatch.complete.moved_block import moved_block
from git_opatch.complete.placeholder import may_have_placeholder, placeholder_in
from git_opatch.model.failure import Problem
from git_opatch.model.limits import NEAR
from git_opatch.model.patch import FilePatch, Line, Prefix, added_lines
from git_opatch.model.paths import is_document
from git_opatch.model.placement import Evidence, Placement
from git_opatch.model.sentences import Fault
from git_opatch.model.text import Text, indentation

_NOTHING = Text([])


def find_unclear(
    placement: Placement,
    lines: Sequence[Line],
    remaining: RemainingLines,
    text: Text,
    path: str,
) -> Problem | None:
    """Return why the added lines of `placement` are not to be written; None if they are.

    `lines` are those of its hunk, the added ones indented as they would be written.
    `remaining` are the lines that all hunks leave in the file, `text`, which is at `path`. A
    completed diff is exempt: it restores what was there.
    """
    if placement.evidence is Evidence.EXACT_POSITION:
        return None
    added = added_lines(placement.hunk.lines)
    if may_have_placeholder(added) and (
        placeholder := placeholder_in(placement.hunk, text, is_document=is_document(path))
    ):
        return Problem.of(Fault.PLACEHOLDER, placeholder=placeholder)
    if _doubles_prefixes(placement, added, text):
        return Problem(Fault.DOUBLED_PREFIX)
    if spaces := _spaces_off(placement, lines, text):
        return Problem(Fault.ONE_SPACE_DEEPER if spaces > 0 else Fault.ONE_SPACE_SHORT)
    all_ascii = all(map(bytes.isascii, added))
    if not all_ascii and (encoding := foreign_encoding(placement, remaining)):
        return Problem(encoding)
    return moved_block(placement, lines, text, path)


def find_unclear_in_new(section: FilePatch, path: str) -> Problem | None:
    """Return why the lines of a new file at `path` are not to be written; None if they are.

    A document may well show what a placeholder looks like.
    """
    if section.exact_positions or is_document(path):
        return None
    for hunk in section.hunks:
        if placeholder := placeholder_in(hunk, _NOTHING, is_document=False):
            return Problem.of(Fault.PLACEHOLDER_IN_NEW, placeholder=placeholder)
    return None


def _doubles_prefixes(placement: Placement, added: Sequence[bytes], text: Text) -> bool:
    """Return whether all lines that a hunk adds begin with `+`, as no line near it does (D34).

    A removed line shows whether prefixes are doubled, and so decides how the hunk is read.
    """
    solid = [line for line in added if line.strip()]
    if not solid or not all(line.startswith(b"+") for line in solid):
        return False
    if any(line.prefix is Prefix.REMOVED for line in placement.hunk.lines):
        return False
    return not any(line.startswith(b"+") for line in _near(placement, text))


def _spaces_off(placement: Placement, lines: Sequence[Line], text: Text) -> int:
    """Return 1 if all added lines are one space deeper than lines near, -1 if less (D243, D468).

    Else, and if a line near is as deep as one of them, 0. Some writers put a space between `+` and
    the text, and others write `+` over the first space. Of 14,705 real hunks 1 looks so. The space
    in front of the `*` of a comment, or of a list, is not such a one, nor is one that a removed
    line lacks that is the same otherwise: the hunk changes its depth.
    """
    added = [line for line in added_lines(lines) if line.strip()]
    depths = set(map(indentation, added))
    if not depths or not all(depths):
        return 0
    if not depths.isdisjoint(map(indentation, text.lines[placement.start : placement.stop])):
        return 0
    if all(_is_starred(line) for line in added if indentation(line) == min(depths)):
        return 0
    removed = {line.text.strip() for line in lines if line.prefix is Prefix.REMOVED}
    if any(line.strip() in removed for line in added):
        return 0
    near = {
        indentation(line)
        for line in _near(placement, text)
        if line.strip() and not _is_starred(line)
    }
    if not depths.isdisjoint(near):
        return 0
    if {depth.removesuffix(b" ") for depth in depths} <= near:
        return 1
    return -1 if {depth + b" " for depth in depths} <= near else 0


def _is_starred(line: bytes) -> bool:
    return line.lstrip().startswith(b"*")


def _near(placement: Placement, text: Text) -> Sequence[bytes]:
    return text.lines[max(placement.start - NEAR, 0) : placement.stop + NEAR]
