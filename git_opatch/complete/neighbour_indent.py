"""Indent added lines by their neighbours, where no rule explains the whole hunk (D42).

A hunk may show some of its lines as the file has them and others with another indentation. Each run
of changes is then read by itself: what is added follows the lines that it replaces, or those around
it. Where these differ, its own depth says whether it is meant as the patch shows them, or as the
file has them:

    hunk              file              result
     def f():         def f():          def f():
    -x = 1                x = 1             x = 2       follows the line that it replaces
    +x = 2                return x          return x
         return x

What is unclear is refused. On real history, with the changed lines of a hunk dedented, or all but
its first, lines added as written were wrong in 9 of 10 hunks; by these rules in 2 of 5,250.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, groupby
from typing import NamedTuple

from git_opatch.model.indent_rules import Pair, rules_for
from git_opatch.model.patch import Line, Prefix
from git_opatch.model.text import indentation, opens

IndentByLine = Mapping[int, bytes]
"""The indentation of added lines, by their index in the hunk; the others are as written."""


class _ChangeRun(NamedTuple):
    """Changed lines without context between them. Blank lines have no pair, and no depth."""

    removed: Sequence[Pair | None]
    added: dict[int, bytes | None]
    """The indentation of each added line in the patch, by its index in the hunk."""
    around: list[Pair]
    """The pairs of the nearest lines above and below that have one."""
    opened: bool
    """Whether the nearest line above that is not blank opens a block."""

    @property
    def depths(self) -> dict[int, bytes]:
        """The indentation of the added lines that are not blank."""
        return {index: depth for index, depth in self.added.items() if depth is not None}

    @property
    def replaced(self) -> list[Pair]:
        """The pairs of the removed lines that are not blank."""
        return [pair for pair in self.removed if pair is not None]


def indent_from_neighbours(
    lines: Sequence[Line], pairs: Sequence[Pair | None]
) -> IndentByLine | None:
    """Return how the added ones of a hunk's `lines` are indented; None if that is unclear.

    `pairs` are those of the hunk's preimage.
    """
    in_file_by_depth: dict[bytes, set[bytes]] = defaultdict(set)
    for in_patch, in_file in filter(None, pairs):
        in_file_by_depth[in_patch].add(in_file)
    indents: dict[int, bytes] = {}
    runs = list(_runs(lines, pairs))
    removes_shifted = any(_is_shifted(pair) for run in runs for pair in run.replaced)
    for run in runs:
        if run.depths:
            replaces = bool(run.replaced)
            own = (
                _replacing(run, in_file_by_depth)
                if replaces
                else _inserting(run, in_file_by_depth, removes_shifted=removes_shifted)
            )
            if own is None:
                return None
            indents |= own
    return indents


def starts_at_file_depth(lines: Sequence[Line], pairs: Sequence[Pair | None]) -> bool:
    """Return whether some added lines begin as deep as the file's, where the hunk's are not.

    As deep in the file as the lines that they replace, or, if they replace none, as the lines
    around them; and not the first lines of a block that was just opened. Such lines may be as
    written, or shifted as the hunk is; they are shifted where lines that replace others are.
    """
    runs = [run for run in _runs(lines, pairs) if run.depths]
    replacing = [run for run in runs if run.replaced]
    if replacing and all(map(_starts_as_replaced, replacing)):
        return False
    in_patch, in_file = ({pair[side] for pair in pairs if pair} for side in (0, 1))
    added = {depth for run in runs for depth in run.depths.values()}
    if added <= in_patch and not added <= in_file:
        return False
    return any(
        _run_starts_at_file_depth(run)
        for run in runs
        if next(iter(run.depths.values())) not in in_patch - in_file
    )


def _starts_as_replaced(run: _ChangeRun) -> bool:
    """Return whether a run begins as deep as what it replaces in the patch, and not in the file."""
    in_patch, in_file = (_least(pair[side] for pair in run.replaced) for side in (0, 1))
    return _least(run.depths.values()) == in_patch != in_file


def _run_starts_at_file_depth(run: _ChangeRun) -> bool:
    least = _least(run.depths.values())
    pairs = run.replaced or run.around
    in_patch, in_file = ([pair[side] for pair in pairs] for side in (0, 1))
    if run.replaced:
        return least == _least(in_file) != _least(in_patch)
    if least in in_patch or least not in in_file:
        return False
    first_of_block = run.opened and len(in_patch[-1]) <= len(in_patch[0])
    return not first_of_block or len(least) <= len(in_patch[0])


def _least(depths: Iterable[bytes]) -> bytes:
    return min(depths, key=len)


def _runs(lines: Sequence[Line], pairs: Sequence[Pair | None]) -> Iterator[_ChangeRun]:
    above = list(accumulate([None, *pairs], _last_known))
    below = list(accumulate([None, *reversed(pairs)], _last_known))[::-1]
    stop, opened = 0, False
    for is_context, group in groupby(enumerate(lines), lambda row: row[1].prefix is Prefix.CONTEXT):
        rows = list(group)
        added = {
            index: indentation(line.text) if line.text.strip() else None
            for index, line in rows
            if line.prefix is Prefix.ADDED
        }
        start, stop = stop, stop + len(rows) - len(added)
        if not is_context:
            around = [pair for pair in (above[start], below[stop]) if pair is not None]
            yield _ChangeRun(pairs[start:stop], added, around, opened)
        texts = (line.text for _, line in reversed(rows) if line.text.strip())
        opened = opens(next(texts, b"")) if is_context else opened


def _last_known(last: Pair | None, pair: Pair | None) -> Pair | None:
    return last if pair is None else pair


def _replacing(run: _ChangeRun, known: Mapping[bytes, set[bytes]]) -> IndentByLine | None:
    """Return how lines are indented that replace others; None if that is unclear.

    Lines that begin as deep as the replaced ones do in the patch follow them; lines that begin as
    deep as those do in the file are as written. `known` are the file's depths for the patch's.
    """
    shifted = list(map(_is_shifted, run.replaced))
    least = _least(run.depths.values())
    in_patch, in_file = map(_least, zip(*run.replaced, strict=True))
    as_written = all(known.get(depth, {depth}) == {depth} for depth in run.depths.values())
    if not all(shifted):
        return {} if not any(shifted) and (least == in_file or as_written) else None
    if least != in_patch:
        return {} if least == in_file and as_written else None
    in_file_by_depth = dict(run.replaced)
    if len(run.depths) > 1 and not any(in_file_by_depth):
        return None  # all of it lost its indentation, so the added lines may have, too
    one_by_one = [pair and pair[0] for pair in run.removed] == list(run.added.values())
    consistent = all(in_file_by_depth[depth] == found for depth, found in run.replaced)
    if one_by_one and consistent:
        return {index: in_file_by_depth[depth] for index, depth in run.depths.items()}
    return _by_rule(run.replaced, run.depths, known)


def _inserting(
    run: _ChangeRun, known: Mapping[bytes, set[bytes]], *, removes_shifted: bool
) -> IndentByLine | None:
    """Return how lines are indented that replace none; None if that is unclear.

    A text may lose the indentation that it begins with, so that the line above is shifted and that
    below is not: then lines are as written, unless they are as deep as the one above.
    `removes_shifted` says that the hunk removes lines that have another indentation.
    """
    shifted, depths = list(filter(_is_shifted, run.around)), set(run.depths.values())
    in_file = {found for _, found in run.around}
    as_written = not depths.isdisjoint(in_file)
    follows = not depths.isdisjoint(in_patch for in_patch, _ in shifted)
    if not shifted:
        return None if removes_shifted else {}
    if len(run.around) == 1 or (as_written and follows):
        return None
    if len(shifted) < len(run.around) and not follows:
        return {} if _is_below_lost_line(run, depths) else None
    indents = _as_its_neighbour(shifted, run.depths, known) or _by_rule(shifted, run.depths, known)
    if not as_written:
        return indents
    deepest = max(map(len, in_file))
    return None if indents and max(map(len, indents.values())) <= deepest else {}


def _is_below_lost_line(run: _ChangeRun, depths: set[bytes]) -> bool:
    """Return whether added lines as deep as the file's are below a line that lost its
    indentation."""
    above, below = run.around
    if not _is_shifted(above):
        return False
    if above[0]:
        return below[1] in depths
    return len(min(depths, key=len)) >= len(min(above[1], below[1], key=len))


def _as_its_neighbour(
    pairs: Sequence[Pair], depths: Mapping[int, bytes], known: Mapping[bytes, set[bytes]]
) -> dict[int, bytes] | None:
    """Return how added lines are indented that are as deep as their neighbours, which `pairs` are.

    None if one is not as deep as either, or its depth in the patch is several in the file.
    """
    in_patch = {depth for depth, _ in pairs}
    if not in_patch.issuperset(depths.values()) or any(
        len(known[depth]) > 1 for depth in depths.values()
    ):
        return None
    return {index: next(iter(known[depth])) for index, depth in depths.items()}


def _by_rule(
    pairs: Sequence[Pair], depths: Mapping[int, bytes], known: Mapping[bytes, set[bytes]]
) -> dict[int, bytes] | None:
    """Return what the rules that explain all `pairs` make of added lines' `depths`.

    Those count that explain the most of what the whole hunk shows, `known`, and contradict none of
    it. None if there is none, or if they do not agree.
    """
    found = []
    for rule in rules_for(pairs):
        indents = {index: rule(depth) or b"" for index, depth in depths.items()}
        if all(known.get(depths[at], {indent}) == {indent} for at, indent in indents.items()):
            explained = sum(rule(depth) in in_file for depth, in_file in known.items())
            found.append((explained, indents))
    most = max((explained for explained, _ in found), default=0)
    best = [indents for explained, indents in found if explained == most]
    return best[0] if best and all(indents == best[0] for indents in best) else None


def _is_shifted(pair: Pair) -> bool:
    return pair[0] != pair[1]
