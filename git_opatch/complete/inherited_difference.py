"""Refuse an added line that repeats a difference between a removed line and the file (D45).

A removed line may differ from the file's in letter case, punctuation, typography, backticks or
heading level. An added line that repeats the difference has it from the same mistake:

    hunk                file
    -    "api": "1.0"       "api": "1.0",
    +    "api": "1.1"                       the comma would be lost

The intended text is then unclear. Spaces and tabs do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import NamedTuple

from git_opatch.complete.reindent import lines_between
from git_opatch.model.patch import Prefix
from git_opatch.model.placement import Likeness, Placement
from git_opatch.model.text import Text, visible

_WHITESPACE = re.compile(r"[ \t]+")
_TOKEN = re.compile(r"\w+|(\W)\1*")
_MAX_LENGTH = 1000
"""Longer lines are not compared, and count as repeating the difference."""
_MAX_COMPARED = 20
_SIMILAR = 0.5
_MAX_SHOWN = 60
_DIFFERENCES = {Likeness.WHITESPACE, Likeness.HEADING, Likeness.CASE, Likeness.TEXT}


class _Removed(NamedTuple):
    """A removed line: its text in the patch, and in the file."""

    in_patch: str
    in_file: str


def inherited_difference(placement: Placement, text: Text) -> str:
    """Say which difference an added line repeats, so that it is unclear; empty if none does."""
    if _DIFFERENCES.isdisjoint(placement.likeness):
        return ""
    all_added = {_text(line.text) for line in placement.hunk.lines if line.prefix is Prefix.ADDED}
    in_file = lines_between(text, placement.start, placement.stop)
    for removed, added in _runs(placement, in_file):
        for index, line in enumerate(removed):
            if line.in_patch != line.in_file and (
                line.in_patch in all_added
                or any(
                    _repeats_difference(line, other)
                    for other in _counterparts(index, removed, added)
                )
            ):
                return (
                    f"removes `{visible(line.in_patch, _MAX_SHOWN)}` where the file has "
                    f"`{visible(line.in_file, _MAX_SHOWN)}`, and an added line repeats the "
                    "difference, so its intended text is unclear"
                )
    return ""


def _runs(
    placement: Placement, in_file: Sequence[bytes]
) -> Iterator[tuple[list[_Removed], list[str]]]:
    """Yield the removed and the added lines of each run of changes."""
    stop = 0
    lines = placement.hunk.lines
    for is_context, group in groupby(lines, lambda line: line.prefix is Prefix.CONTEXT):
        run, start = list(group), stop
        stop += sum(line.prefix is not Prefix.ADDED for line in run)
        if not is_context:
            removed = [_text(line.text) for line in run if line.prefix is Prefix.REMOVED]
            added = [_text(line.text) for line in run if line.prefix is Prefix.ADDED]
            found = map(_text, in_file[start:stop])
            yield [_Removed(*pair) for pair in zip(removed, found, strict=True)], added


def _text(line: bytes) -> str:
    return _WHITESPACE.sub(" ", line.decode("utf-8", "surrogateescape")).strip(" \r")


def _counterparts(index: int, removed: Sequence[_Removed], added: Sequence[str]) -> Sequence[str]:
    """Return those of the `added` lines that may be the new version of one `removed` line."""
    line = removed[index]
    if line.in_file.startswith(line.in_patch):  # all lines may lack what they end with
        return added[:_MAX_COMPARED]
    if len(removed) == len(added):
        return added[index : index + 1]
    compared = added[:_MAX_COMPARED]
    return [other for other in compared if _matcher(line.in_patch, other).ratio() >= _SIMILAR]


def _matcher(first: str, second: str) -> SequenceMatcher[str]:
    return SequenceMatcher(None, _tokens(first), _tokens(second), autojunk=False)


def _tokens(text: str) -> list[str]:
    """Split `text` into words, and runs of one other character."""
    return [match[0] for match in _TOKEN.finditer(text[:_MAX_LENGTH])]


def _repeats_difference(removed: _Removed, added: str) -> bool:
    """Tell whether `added` has something in which the patch's text differs from the file's."""
    in_patch, in_file = removed
    if max(map(len, (in_patch, in_file, added))) > _MAX_LENGTH:
        return True
    new, file, kept_at = _tokens(added), _tokens(in_file), [-1] * len(_tokens(in_patch))
    for first, second, size in _matcher(in_patch, added).get_matching_blocks():
        kept_at[first : first + size] = range(second, second + size)
    return any(
        -1 not in kept_at[first:last]
        if first < last
        else _lacks(file[start:stop], new, first, kept_at)
        for tag, first, last, start, stop in _matcher(in_patch, in_file).get_opcodes()
        if tag != "equal"
    )


def _lacks(missing: list[str], new: list[str], index: int, kept_at: Sequence[int]) -> bool:
    """Tell whether `new` lacks what the patch's text lacks before its token `index`.

    Asked at an end of the text, or between the same neighbours; `kept_at` is where each token of
    the patch's text is in `new`, -1 for nowhere.
    """
    if index == len(kept_at):
        return new[-len(missing) :] != missing
    if not index:
        return new[: len(missing)] != missing
    return kept_at[index - 1] >= 0 and kept_at[index - 1] + 1 == kept_at[index]
