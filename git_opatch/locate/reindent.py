r"""How added lines are indented: what is done to the old lines is done to the added ones.

It must not place a hunk, nor change more of an added line than its indentation.

Each old line shows a pair: its indentation in the patch, and in the file. A rule that explains all
pairs holds for the added lines (`rules_for`). Where none explains all pairs, each run of changes is
read by itself: its added lines follow those that they replace, or those around them, if they begin
as deep as these do in the patch, and are as written if they begin as deep as these do in the file.
What may be meant in two ways is refused.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.indent_rules import IndentRule, Pair, rules_for
from git_opatch.locate.reading import Reading, Step
from git_opatch.model.failure import Problem
from git_opatch.model.limits import NEAR
from git_opatch.model.patch import Prefix
from git_opatch.model.sentences import Fault
from git_opatch.model.text import indentation

CONTEXT, REMOVED, ADDED = Prefix.CONTEXT, Prefix.REMOVED, Prefix.ADDED


class Indented(NamedTuple):
    """The steps with added lines as they are to be written; `doubt` is why that is unclear."""

    steps: tuple[Step, ...]
    doubt: Problem | None = None
    note: str = ""


def pairs_of(reading: Reading, file: FileIndex) -> list[tuple[Step, Pair] | None]:
    """Return the pair of each step; None for a blank line, or an added one."""
    return [
        (step, (indentation(step.line.text), indentation(file.lines[step.row])))
        if step.row is not None and step.line.text.strip()
        else None
        for step in reading.steps
    ]


def indent(reading: Reading, file: FileIndex) -> Indented:
    """Indent the added lines of `reading`."""
    shown = pairs_of(reading, file)
    pairs = [pair[1] for pair in shown if pair]
    shifted = [pair for pair in pairs if pair[0] != pair[1]]
    adds = [step for step in reading.steps if step.row is None and step.line.text.strip()]
    as_written = Indented(reading.steps)
    if not shifted or not adds:
        return as_written
    short = [each for each in shown if each and _is_one_short(*each)]
    if len(short) == len(shifted):
        return _lost_prefixes(reading, [each for each in shown if each], adds)
    rules = rules_for(pairs)
    if not rules and short:
        rest = [pair for each in shown if each and not _is_one_short(*each) for pair in [each[1]]]
        rules = rules_for(rest) if any(a != b for a, b in rest) else []
    if not rules:
        return _by_runs(reading, shown)
    return _by_rules(reading, shown, rules)


def _is_one_short(step: Step, pair: Pair) -> bool:
    return step.line.prefix is CONTEXT and b" " + pair[0] == pair[1]


def _lost_prefixes(
    reading: Reading, shown: Sequence[tuple[Step, Pair]], adds: Sequence[Step]
) -> Indented:
    """Only context is one space short: it lost its prefixes, unless what is removed is, too, or
    the depths of what is added say so."""
    removed = [pair for step, pair in shown if step.line.prefix is REMOVED and pair[1]]
    moved = Indented(_with_rule(reading.steps, lambda depth: b" " + depth))
    if removed:
        return moved if all(b" " + a == b for a, b in removed) else Indented(reading.steps)
    known = {len(pair[1]) for _, pair in shown}
    depths = {len(indentation(step.line.text)) for step in adds}
    is_written = any(depth in known and depth + 1 not in known for depth in depths)
    is_moved = any(depth + 1 in known and depth not in known for depth in depths)
    if is_written and is_moved:
        return Indented(reading.steps, Problem(Fault.FITS_BOTH_WAYS))
    return moved if is_moved else Indented(reading.steps)


def _with_rule(steps: Sequence[Step], rule: IndentRule) -> tuple[Step, ...]:
    return tuple(
        _indented(step, rule(indentation(step.line.text)) or b"") if step.row is None else step
        for step in steps
    )


def _indented(step: Step, depth: bytes) -> Step:
    text = step.line.text
    if not text:
        return step
    return step._replace(line=step.line._replace(text=depth + text.lstrip(b" \t")))


def _by_rules(
    reading: Reading, shown: Sequence[tuple[Step, Pair] | None], rules: Sequence[IndentRule]
) -> Indented:
    outcomes = list(dict.fromkeys(_with_rule(reading.steps, rule) for rule in rules))
    if len(outcomes) > 1:
        return Indented(reading.steps, Problem(Fault.SEVERAL_RULES))
    steps = outcomes[0]
    if steps == reading.steps:
        return Indented(steps)
    pairs = [each[1] for each in shown if each]
    own = _least(in_file for _, in_file in pairs)
    depths = {
        indentation(step.line.text)
        for step in reading.steps
        if step.row is None and step.line.text.strip()
    }
    is_deep = own and any(depth.startswith(own) for depth in depths)
    is_mixed = b"" in depths and sum(bool(in_file) for _, in_file in pairs) > 1
    at_margin = is_deep and not is_mixed and not any(a for a, _ in pairs)
    if at_margin or any(map(_replaces_at_file_depth, _runs(reading, shown))):
        return Indented(reading.steps, Problem(Fault.AT_FILE_DEPTH))
    return Indented(steps)


def _depths_near(reading: Reading, file: FileIndex) -> set[bytes]:
    """Return how deep the file's lines are there, but for those of a comment with stars."""
    return _depths(file.lines[max(reading.start - NEAR, 0) : reading.stop + NEAR])


def _depths(lines: Sequence[bytes]) -> set[bytes]:
    return {indentation(line) for line in lines if line.strip()[:1] not in (b"", b"*")}


def is_one_space_off(reading: Reading, file: FileIndex) -> bool:
    """Return whether all added lines are one space deeper, or less deep, than lines near them, and
    as deep as none.

    Of 14,705 real hunks 1 looks so. What begins with `*`, as in a comment or list, and a line that
    the hunk moves may be there.
    """
    added = [
        step.line.text for step in reading.steps if step.row is None and step.line.text.strip()
    ]
    depths = set(map(indentation, added))
    if not depths or depths & _depths(file.lines[reading.start : reading.stop]):
        return False
    moved = {step.line.text.strip() for step in reading.steps if step.line.prefix is REMOVED}
    near = _depths_near(reading, file)
    beside = {b" " + depth for depth in near} | {depth[1:] for depth in near if depth[:1] == b" "}
    return depths <= beside - near - {b""} and not any(
        text.strip() in moved or text.strip()[:1] == b"*" for text in added
    )


class _Run(NamedTuple):
    """Changed lines without context between them: the pairs of the removed ones, the places in the
    reading of the added ones with their depth, and the pairs above and below."""

    removed: list[Pair | None]
    added: dict[int, bytes | None]
    around: list[Pair]

    @property
    def depths(self) -> dict[int, bytes]:
        return {at: depth for at, depth in self.added.items() if depth is not None}

    @property
    def replaced(self) -> list[Pair]:
        return [pair for pair in self.removed if pair]


def _runs(reading: Reading, shown: Sequence[tuple[Step, Pair] | None]) -> list[_Run]:
    steps, runs, at = reading.steps, [], 0
    while at < len(steps):
        if steps[at].line.prefix is CONTEXT:
            at += 1
            continue
        stop = at
        while stop < len(steps) and steps[stop].line.prefix is not CONTEXT:
            stop += 1
        added = {
            index: indentation(steps[index].line.text) if steps[index].line.text.strip() else None
            for index in range(at, stop)
            if steps[index].line.prefix is ADDED
        }
        removed = [
            each and each[1]
            for index in range(at, stop)
            if index not in added
            for each in [shown[index]]
        ]
        above = next((each[1] for each in reversed(shown[:at]) if each), None)
        below = next((each[1] for each in shown[stop:] if each), None)
        around = [pair for pair in (above, below) if pair is not None]
        runs.append(_Run(removed, added, around))
        at = stop
    return runs


def _least(depths: Iterable[bytes]) -> bytes:
    return min(depths, key=len)


def _replaces_at_file_depth(run: _Run) -> bool:
    """Return whether added lines begin as deep as what they replace does in the file, and not in
    the patch: they may be as written."""
    if not run.replaced or not run.depths:
        return False
    in_patch, in_file = (_least(pair[side] for pair in run.replaced) for side in (0, 1))
    return _least(run.depths.values()) == in_file != in_patch


def _by_runs(reading: Reading, shown: Sequence[tuple[Step, Pair] | None]) -> Indented:
    known: dict[bytes, set[bytes]] = defaultdict(set)
    for each in shown:
        if each:
            known[each[1][0]].add(each[1][1])
    runs = _runs(reading, shown)
    removes_shifted = any(a != b for run in runs for a, b in run.replaced)
    told: dict[int, bytes] = {}
    for run in [run for run in runs if run.depths]:
        own = _replacing(run, known) if run.replaced else _inserting(run, known, removes_shifted)
        if own is None:
            return Indented(reading.steps, Problem(Fault.MIXED_INDENTATION))
        told |= own
    steps = (
        _indented(step, told[at]) if at in told else step for at, step in enumerate(reading.steps)
    )
    how = "follow the lines next to them" if told else "are written as they are"
    note = f"lines of the hunk differ in indentation in several ways; added lines {how}"
    return Indented(tuple(steps), note=note)


_Known = Mapping[bytes, set[bytes]]


def _replacing(run: _Run, known: _Known) -> dict[int, bytes] | None:
    shifted = [a != b for a, b in run.replaced]
    least = _least(run.depths.values())
    in_patch, in_file = (_least(pair[side] for pair in run.replaced) for side in (0, 1))
    as_written = all(known.get(depth, {depth}) == {depth} for depth in run.depths.values())
    if not all(shifted):
        return {} if not any(shifted) and (least == in_file or as_written) else None
    if least != in_patch:
        return {} if least == in_file and as_written else None
    by_depth = dict(run.replaced)
    if len(run.depths) > 1 and not any(by_depth):
        return None  # all of it lost its indentation, so the added lines may have, too
    one_by_one = [pair and pair[0] for pair in run.removed] == list(run.added.values())
    if one_by_one and all(by_depth[a] == b for a, b in run.replaced):
        return {at: by_depth[depth] for at, depth in run.depths.items()}
    return _agreed(run.replaced, run.depths, known)


def _inserting(run: _Run, known: _Known, removes_shifted: bool) -> dict[int, bytes] | None:
    shifted = [pair for pair in run.around if pair[0] != pair[1]]
    depths = set(run.depths.values())
    in_file = {b for _, b in run.around}
    as_written = not depths.isdisjoint(in_file)
    follows = not depths.isdisjoint(a for a, _ in shifted)
    if not shifted:
        return None if removes_shifted else {}
    if len(run.around) == 1 or (as_written and follows):
        return None
    if len(shifted) < len(run.around) and not follows:
        above, below = run.around
        if above[0] == above[1]:
            return None
        least = len(_least(depths))
        fits = below[1] in depths if above[0] else least >= len(min(above[1], below[1], key=len))
        return {} if fits else None
    indents = _agreed(shifted, run.depths, known)
    if not as_written:
        return indents
    deepest = max(map(len, in_file))
    return None if indents and max(map(len, indents.values())) <= deepest else {}


def _agreed(
    pairs: Sequence[Pair], depths: Mapping[int, bytes], known: _Known
) -> dict[int, bytes] | None:
    """Return what the rules make of `depths` that explain `pairs`, contradict nothing of what is
    `known`, and explain the most of it; None if they do not agree."""
    found = []
    for rule in rules_for(pairs):
        own = {at: rule(depth) or b"" for at, depth in depths.items()}
        if all(known.get(depths[at], {depth}) == {depth} for at, depth in own.items()):
            told = sum(rule(depth) in files for depth, files in known.items() if depth)
            found.append((told, own))
    if not found and all(len(known.get(depth, ())) == 1 for depth in depths.values()):
        return {at: next(iter(known[depth])) for at, depth in depths.items()}
    most = max((count for count, _ in found), default=0)
    best = [own for count, own in found if count == most]
    return best[0] if best and all(own == best[0] for own in best) else None
