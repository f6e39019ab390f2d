"""How added lines are indented: a rule that explains how all old lines are holds for them, too.

It must not look at what lines say. Where no rule explains all old lines, each run of changes is
read by the lines that it replaces or is between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import gcd
from typing import NamedTuple

from git_opatch.locate.file import File
from git_opatch.locate.reading import CONTEXT, REMOVED, Step
from git_opatch.model.failure import Problem
from git_opatch.model.sentences import Fault
from git_opatch.model.text import indentation

Pair = tuple[bytes, bytes]
"""The indentation of an old line in the patch, and in the file."""
Rule = Callable[[bytes], bytes | None]
"""From an indentation of the patch to the file's; None where it does not say."""
_WIDTHS = (4, 2, 8)
_SEVERAL_WAYS = "lines of the hunk differ in indentation in several ways"


class Indented(NamedTuple):
    """Steps with added lines as they are to be indented, why that is unclear, and a note."""

    steps: tuple[Step, ...]
    doubt: Problem | None = None
    note: str = ""


def indent(steps: Sequence[Step], file: File) -> Indented:
    """Indent added lines as the file's."""
    steps = tuple(steps)
    pairs = [_pair(step, file) for step in steps]
    known = [pair for pair in pairs if pair]
    if not any(map(_is_added, steps)) or all(a == b for a, b in known):
        return Indented(steps)
    short = [_is_one_short(step, pair) for step, pair in zip(steps, pairs, strict=True)]
    if sum(short) == sum(a != b for a, b in known):
        return _with_lost_prefixes(steps, pairs)
    rules = rules_for(known)
    if not rules and any(short):
        rest = [pair for pair, is_short in zip(pairs, short, strict=True) if pair and not is_short]
        rules = rules_for(rest) if any(a != b for a, b in rest) else []
    return _by_rules(steps, pairs, rules) if rules else _by_runs(steps, pairs)


def _is_added(step: Step) -> bool:
    return step.row is None and bool(step.line.text.strip())


def _pair(step: Step, file: File) -> Pair | None:
    if step.row is None or not step.line.text.strip():
        return None
    return indentation(step.line.text), indentation(file.lines[step.row])


def _is_one_short(step: Step, pair: Pair | None) -> bool:
    return pair is not None and step.line.prefix is CONTEXT and b" " + pair[0] == pair[1]


def _depths(steps: Sequence[Step]) -> list[bytes]:
    return [indentation(step.line.text) for step in steps if _is_added(step)]


# ---------------------------------------------------------------- rules


def rules_for(pairs: Sequence[Pair]) -> list[Rule]:
    """Return the rules that explain all pairs: a style, a prefix more or less, a ratio; else a
    style and a prefix."""
    simple = (*_styles(), *_shifts(pairs), *_ratios(pairs))
    explaining = [rule for rule in simple if _explains(rule, pairs)]
    if explaining:
        return explaining
    both: list[Rule] = []
    for style in _styles():
        changed = [(style(a) or b"", b) for a, b in pairs]
        shifts = (shift for shift in _shifts(changed) if _explains(shift, changed))
        both += [_one_after_the_other(style, shift) for shift in shifts]
    return both


def _explains(rule: Rule, pairs: Sequence[Pair]) -> bool:
    return all(rule(a) == b for a, b in pairs)


def _styles() -> Iterator[Rule]:
    """Yield a tab for so many spaces, and back."""
    for width in _WIDTHS:
        yield _to_tabs(width)
        yield _to_spaces(width)


def _to_tabs(width: int) -> Rule:
    def style(depth: bytes) -> bytes:
        rest = depth.lstrip(b" ")
        spaces = len(depth) - len(rest)
        return b"\t" * (spaces // width) + b" " * (spaces % width) + rest

    return style


def _to_spaces(width: int) -> Rule:
    def style(depth: bytes) -> bytes:
        rest = depth.lstrip(b"\t")
        return b" " * (width * (len(depth) - len(rest))) + rest

    return style


def _one_after_the_other(first: Rule, second: Rule) -> Rule:
    return lambda depth: second(first(depth) or b"")


def _shifts(pairs: Sequence[Pair]) -> Iterator[Rule]:
    """Yield the prefix more, or less, that the first pair shows."""
    for a, b in pairs[:1]:
        if b.endswith(a):
            yield _deeper(b[: len(b) - len(a)])
        elif a.endswith(b):
            yield _less_deep(a[: len(a) - len(b)])


def _deeper(more: bytes) -> Rule:
    return lambda depth: more + depth


def _less_deep(less: bytes) -> Rule:
    return lambda depth: depth[len(less) :] if depth.startswith(less) else None


def _ratios(pairs: Sequence[Pair]) -> Iterator[Rule]:
    """Yield so many spaces for so many, in all pairs of spaces alone."""
    deep = {(len(a), len(b)) for a, b in pairs if a or b}
    if any((a + b).strip(b" ") for a, b in pairs):
        return
    if any(a == b or not a or not b for a, b in deep):
        return
    for a, b in list(deep)[:1]:
        yield _ratio(a // gcd(a, b), b // gcd(a, b))


def _ratio(one: int, other: int) -> Rule:
    def ratio(depth: bytes) -> bytes | None:
        if depth.strip(b" "):
            return depth
        return b" " * (len(depth) * other // one) if len(depth) % one == 0 else None

    return ratio


def _with_rule(steps: Sequence[Step], rule: Rule) -> tuple[Step, ...]:
    return tuple([_ruled(step, rule) for step in steps])


def _ruled(step: Step, rule: Rule) -> Step:
    text = step.line.text
    if step.row is not None or not text:
        return step
    depth = rule(indentation(text)) or b""
    return step._replace(line=step.line._replace(text=depth + text.lstrip(b" \t")))


# ---------------------------------------------------------------- all lines together


def _with_lost_prefixes(steps: tuple[Step, ...], pairs: Sequence[Pair | None]) -> Indented:
    """Only context is one space short: it lost its prefix, unless what is removed is short, too, or
    the depths of what is added say so."""
    known = {len(pair[1]) for pair in pairs if pair}
    removed = any(
        pair and pair[1] and step.line.prefix is REMOVED
        for step, pair in zip(steps, pairs, strict=True)
    )
    depths = {len(depth) for depth in _depths(steps)}
    as_is = any(depth in known and depth + 1 not in known for depth in depths)
    moved = any(depth + 1 in known and depth not in known for depth in depths)
    if removed or not moved:
        return Indented(steps)
    if as_is:
        return Indented(steps, Problem(Fault.FITS_BOTH_WAYS))
    return Indented(_with_rule(steps, lambda depth: b" " + depth))


def _by_rules(
    steps: tuple[Step, ...], pairs: Sequence[Pair | None], rules: Sequence[Rule]
) -> Indented:
    """Indent by the rules of all lines, which must say the same; it is unclear where added lines
    begin as deep as the file's already."""
    outcomes = {_with_rule(steps, rule) for rule in rules}
    if len(outcomes) > 1:
        return Indented(steps, Problem(Fault.SEVERAL_RULES))
    done, known = outcomes.pop(), [pair for pair in pairs if pair]
    depths = {*_depths(steps)}
    least = min((b for _, b in known), key=len)
    is_at_margin = not any(a for a, _ in known)
    at_depth = bool(least) and is_at_margin and any(each.startswith(least) for each in depths)
    is_mixed = b"" in depths and sum(bool(b) for _, b in known) > 1
    runs = [run for run in _runs(steps, pairs) if run.replaced and run.depths]
    may_be = (at_depth and not is_mixed) or any(map(_is_at_file_depth, runs))
    doubt = Problem(Fault.AT_FILE_DEPTH) if may_be and done != steps else None
    return Indented(done, doubt)


# ---------------------------------------------------------------- each run by itself


@dataclass(frozen=True, slots=True)
class _Run:
    """Changed lines without context between them, and the pairs of the lines beside them."""

    start: int
    stop: int
    replaced: Sequence[Pair]
    around: Sequence[Pair]
    depths: Sequence[bytes]
    """The indentation of the lines that it adds."""

    @property
    def near(self) -> Sequence[Pair]:
        """The pairs that say how it is indented."""
        return self.replaced or self.around

    @property
    def shifted(self) -> list[Pair]:
        """Those of them that differ."""
        return [pair for pair in self.near if pair[0] != pair[1]]


def _runs(steps: Sequence[Step], pairs: Sequence[Pair | None]) -> Iterator[_Run]:
    at, above = 0, None
    below = [*_next_pairs(pairs)]
    while at < len(steps):
        stop = at
        while stop < len(steps) and steps[stop].line.prefix is not CONTEXT:
            stop += 1
        known = [pair for pair in pairs[at:stop] if pair]
        if stop > at:
            around = [pair for pair in (above, below[stop]) if pair]
            yield _Run(at, stop, known, around, _depths(steps[at:stop]))
        here = pairs[stop] if stop < len(steps) else None
        above = here or (known[-1] if known else above)
        at = stop + 1


def _next_pairs(pairs: Sequence[Pair | None]) -> Iterator[Pair | None]:
    """Yield for each line, and the end, the pair at or below it."""
    below: list[Pair | None] = [None]
    for pair in reversed(pairs):
        below.append(pair or below[-1])
    return reversed(below)


def _is_at_file_depth(run: _Run) -> bool:
    """Return whether added lines begin as deep as what they replace does in the file alone."""
    least = min(run.depths, key=len)
    a, b = (min((pair[side] for pair in run.replaced), key=len) for side in (0, 1))
    return least == b != a


def _by_runs(steps: tuple[Step, ...], pairs: Sequence[Pair | None]) -> Indented:
    """Indent each run like the lines that it replaces, or is between: as written if it begins as
    deep as these in the file, by their rule if as deep as in the patch; refused if both, or none,
    or if another line of the hunk is as deep in the patch and not in the file."""
    known: dict[bytes, set[bytes]] = {}
    for a, b in filter(None, pairs):
        known.setdefault(a, set()).add(b)
    runs = list(_runs(steps, pairs))
    is_removed_shifted = any(a != b for run in runs for a, b in run.replaced)
    done = list(steps)
    for run in (run for run in runs if run.depths):
        lines = _indented_run(run, steps[run.start : run.stop], known, is_removed_shifted)
        if lines is None:
            return Indented(steps, Problem(Fault.MIXED_INDENTATION))
        done[run.start : run.stop] = lines
    return Indented(tuple(done), note=_SEVERAL_WAYS)


def _indented_run(
    run: _Run, steps: Sequence[Step], known: dict[bytes, set[bytes]], is_removed_shifted: bool
) -> Sequence[Step] | None:
    """Return the steps of a run as they are to be indented; None if that is not clear."""
    near, shifted = run.near, run.shifted
    first = {min(run.depths, key=len)} if run.replaced else {*run.depths}
    in_file = not first.isdisjoint(b for _, b in near)
    in_patch = not first.isdisjoint(a for a, _ in shifted)
    as_written = all(known.get(depth, {depth}) == {depth} for depth in run.depths)
    if not shifted:
        is_clear = in_file or as_written if run.replaced else not is_removed_shifted
        return steps if is_clear else None
    lone = not run.replaced and (len(near) == 1 or (len(shifted) == 1 and not in_patch))
    is_open = lone and (len(near) == 1 or near[0] not in shifted or not in_file)
    if in_file == in_patch or is_open or (run.replaced and len(shifted) < len(near)):
        return None
    if in_file:
        is_clear = as_written if run.replaced else _keeps_block(run)
        return steps if is_clear else None
    return _ruled_run(run, steps, known)


def _keeps_block(run: _Run) -> bool:
    """Return whether the first added line is not between a head and its block in the file, if it is
    deeper than the head in the patch."""
    if len(run.around) < 2:
        return True
    (a, b), (_, below) = run.around
    depth = run.depths[0]
    return not (len(a) < len(depth) == len(b) < len(below))


def _ruled_run(
    run: _Run, steps: Sequence[Step], known: dict[bytes, set[bytes]]
) -> Sequence[Step] | None:
    """Return the steps of a run by the rule of the lines that are near; None if no rule is clear,
    or if another line of the hunk is against it."""
    if run.replaced and len(run.depths) > 1 and not any(a for a, _ in run.replaced):
        return None
    outcomes = {_with_rule(steps, rule) for rule in rules_for(run.shifted)}
    if len(outcomes) != 1:
        return None
    done = outcomes.pop()
    is_one_by_one = [a for a, _ in run.replaced] == run.depths
    told = zip(run.depths, _depths(done), strict=True)
    is_against = any(known.get(a, {b}) != {b} for a, b in told)
    return None if is_against and not is_one_by_one else done
