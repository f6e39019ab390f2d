"""Repairs that no normal form can express: a cut-off line, overhang.

Each is tried only after all tiers have failed with the whole hunk. Every repair requires other
lines that match in full.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from git_opatch.locate.normal_lines import NormalizedLines
from git_opatch.locate.tiers import LEAST_DISTINCTIVE
from git_opatch.model.limits import MANY
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.text import indentation, opens

_MAX_OVERHANG = 3
_CLOSES = re.compile(rb"(?:[^\w]|\b(?:end|fi|done|esac|endif|else)\b)*")
"""A line that closes a block, such as `});` or `end`, which files have many of."""


def cut_in_front(hunk: Hunk, view: NormalizedLines) -> list[int]:
    """List where `hunk` matches if its long context lines may lack their beginning (D23).

        hunk                    file
         r.total + amount        total = order.total + amount
         order.save(total)       order.save(total)

    What is missing must have a letter or a digit, and some line must match in full. The result
    counts in `view.solid`. From "Suffix Matching" of the FILE_PATCH strategy, narrowed.
    """
    pattern = [(key, _may_be_cut(line, key)) for line in hunk.preimage if (key := view.key(line))]
    in_file, keys = view.solid_keys, [key for key, _ in pattern]
    last = len(in_file) - len(keys)
    starts = [start for start in _possible_starts(pattern, view) if 0 <= start <= last]
    for offset, (key, may_be_cut) in enumerate(pattern):  # by line: the first leaves few starts
        starts = [
            start
            for start in starts
            if in_file[start + offset] == key
            or (may_be_cut and _is_cut_from(in_file[start + offset], key))
        ]
    return [start for start in starts if in_file[start : start + len(keys)] != keys]


def _possible_starts(pattern: list[tuple[bytes, bool]], view: NormalizedLines) -> Iterable[int]:
    """List where the pattern can begin, given that a line matches in full; none if too many."""
    found = [(view.solid_index.positions(key), offset) for offset, (key, _) in enumerate(pattern)]
    whole = [found[offset] for offset, (_, may_be_cut) in enumerate(pattern) if not may_be_cut]
    tried = [min(whole, key=lambda match: len(match[0]))] if whole else found
    if sum(len(positions) for positions, _ in tried) > MANY:
        return ()
    return sorted({position - offset for positions, offset in tried for position in positions})


def _may_be_cut(line: Line, key: bytes) -> bool:
    return line.prefix is Prefix.CONTEXT and bool(key) and _is_long(line.text)


def _is_long(line: bytes) -> bool:
    return len(line.strip().decode("utf-8", "replace")) >= LEAST_DISTINCTIVE


def _is_cut_from(whole: bytes, end: bytes) -> bool:
    """Return whether `end` ends `whole`, and what comes before it has a letter or a digit."""
    if not whole.endswith(end):
        return False
    return any(map(str.isalnum, whole[: -len(end)].decode("utf-8", "replace")))


def without_overhang(hunk: Hunk, view: NormalizedLines, file: Sequence[bytes]) -> Hunk | None:
    """Drop the context lines that lie past the end of the file, if that places the hunk (D27).

        hunk              file, whose last lines are
        -    return 1          return 1
        +    return 2     }
         }
         main()           dropped: the file ends before it

    At most three are dropped, and none that

    - has a word, and occurs elsewhere in the file,
    - reads like the removed line before it,
    - the changed line right above it needs: it may be the line that replaces a removed one, or what
      an added one opens, or have lost its prefix.

    Two lines must be left, one of them long or all exactly as in the file (`}` and `}` carry
    nothing); or all that the file has. `file` are its lines. From "EOF Overhang" of the
    FILE_PATCH strategy, narrowed.
    """
    lines = list(hunk.lines)
    for _ in range(_MAX_OVERHANG):
        while lines and lines[-1].prefix is Prefix.CONTEXT and not view.key(lines[-1]):
            lines.pop()
        if not lines or lines[-1].prefix is not Prefix.CONTEXT:
            return None
        dropped = lines.pop()
        if lines and _needs(lines[-1], dropped):
            return None
        if not _CLOSES.fullmatch(dropped.text) and view.solid_index.positions(view.key(dropped)):
            return None
        left = [line for line in lines if line.prefix is not Prefix.ADDED and view.key(line)]
        if left and left[-1].prefix is Prefix.REMOVED and view.key(left[-1]) == view.key(dropped):
            return None
        if _ends_file(left, view, file):
            return replace(hunk, lines=tuple(lines))
    return None


def _needs(line: Line, following: Line) -> bool:
    """Return whether a changed line cannot be the last one, as the context after it may be a line
    that lost its `+` or its prefix, or is deeper than an added one, which opens or joins it."""
    if line.prefix is Prefix.ADDED:
        deeper = len(indentation(following.text)) > len(indentation(line.text))
        return deeper or opens(line.text) or not following.has_prefix
    return line.prefix is Prefix.REMOVED


def _ends_file(left: list[Line], view: NormalizedLines, file: Sequence[bytes]) -> bool:
    """Return whether the lines that are `left` end the file, and can carry an overhang."""
    in_file = [file[position] for position in view.solid[-len(left) :]] if left else []
    carried = _carries(left, in_file) or 0 < len(left) == len(view.solid)
    return carried and view.solid_keys[-len(left) :] == list(map(view.key, left))


def _carries(left: list[Line], in_file: list[bytes]) -> bool:
    """Return whether two lines or more, which are `in_file` in the file, can carry an overhang."""
    texts = [line.text for line in left]
    has_word = any(map(str.isalnum, b"".join(texts).decode("utf-8", "replace")))
    return len(left) >= 2 and ((has_word and texts == in_file) or any(map(_is_long, texts)))
