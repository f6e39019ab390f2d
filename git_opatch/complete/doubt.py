"""Refuse added lines that cannot be meant to be written as they are (D92, D93, D94)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from git_opatch.complete.encoding import foreign_encoding
from git_opatch.complete.moved_block import moved_block
from git_opatch.complete.placeholder import placeholder_in
from git_opatch.model.patch import Line
from git_opatch.model.paths import is_document
from git_opatch.model.placement import Evidence, Placement
from git_opatch.model.text import Text, visible


class Doubt(NamedTuple):
    """Why a hunk's added lines are in doubt; without `advice`, the file must be read again."""

    message: str
    advice: str = ""


def doubt_of(
    placement: Placement,
    lines: Sequence[Line],
    placements: Sequence[Placement],
    text: Text,
    path: str,
) -> Doubt | None:
    """Return why the added lines of `placement` are not to be written; None if they are.

    `lines` are those of its hunk, the added ones indented as they would be written. `placements`
    are those of all hunks of the file, `text`, which is at `path`. A completed diff is exempt: it
    restores what was there.
    """
    if placement.evidence is Evidence.EXACT_POSITION:
        return None
    placeholder = placeholder_in(placement.hunk, text, is_document=is_document(path))
    if placeholder:
        return Doubt(
            f"adds `{visible(placeholder)}`, which stands for code that the hunk does not show",
            "leave that line out, since lines that a hunk does not show stay; or write the code",
        )
    encoding = foreign_encoding(placement, placements, text)
    if encoding:
        return Doubt(encoding, "write the added lines in ASCII, or convert the file first")
    moved = moved_block(placement, lines, text, path)
    if moved:
        return Doubt(moved, "remove those lines, too, and add them again at their new depth")
    return None
