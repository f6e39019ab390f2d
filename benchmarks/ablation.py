"""Switch off one rule of the package at a time, and count what changes.

Each switch has a function or a constant of the package and its stand-in. The cases are those of
`grammar.py`, late patches, diffs that models typed, files that moved on, and patches that are sent
again; they are drawn once, and one that never calls what is off is not run without it. What fails
with a rule off ends the run: an exception says nothing about a rule.

    python benchmarks/ablation.py REPO... --seed 1 --cases 1500 --late 300 --typed DIR
    python benchmarks/ablation.py REPO... --only order,anchor
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import pkgutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

import git_opatch
import moved_on
import sent_again
from arguments import drawing_parser
from git_opatch.locate import (
    alignment,
    anchors,
    applied,
    between,
    claims,
    doubt,
    evidence,
    file_index,
    gaps,
    indent_rules,
    overlap,
    placeholder,
    reading,
    reindent,
    repeats,
    scope,
    search,
    sought,
    structure,
    variants,
)
from grammar import draw, read_changes
from model import Case, Verdict, to_bytes
from model_diffs import Typed, is_faithful
from moved_on import Ended
from peers import OWN
from processes import in_processes
from scene import write_scene
from sent_again import Again
from travel import draw as draw_late
from travel import merge
from trial import Outcome, plan, try_case


@cache
def _modules() -> list[ModuleType]:
    """Every module of the package that can be imported."""
    found = pkgutil.walk_packages(git_opatch.__path__, "git_opatch.")
    modules = []
    for module in found:
        with suppress(ImportError):  # of a library that is not installed
            modules += [] if "__main__" in module.name else [importlib.import_module(module.name)]
    return modules


_NOTHING = object()


@dataclass(frozen=True, slots=True)
class Switch:
    """A function or a constant of the package, and what makes its stand-in of it.

    Every module that has it gets the stand-in, under whatever name. `value` is what the stand-in
    always gives, if it does.
    """

    original: Any
    change: Callable[[Any], Any]
    value: Any = _NOTHING

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Let the rule be off."""
        places = [
            (module, name)
            for module in _modules()
            for name, value in vars(module).items()
            if value is self.original
        ]
        stand_in = self.change(self.original)
        for module, name in places:
            setattr(module, name, stand_in)
        try:
            yield
        finally:
            for module, name in places:
                setattr(module, name, self.original)


def off(original: Any, stand_in: Any) -> Switch:
    """Return the switch that replaces a value or a function by `stand_in`."""
    return Switch(original, lambda _: stand_in)


def gives(function: Callable[..., Any], value: Any) -> Switch:
    """Return the switch that lets a function return `value`."""
    return Switch(function, lambda _: lambda *_, **__: value, value)


def gives_first(function: Callable[..., Any]) -> Switch:
    """Return the switch that lets a function return what it is given first."""
    return off(function, lambda first, *_, **__: first)


def _not_sought(function: Callable[..., Any], level: int | None = None) -> Switch:
    """Return the switch of a class of readings: none are found, at this grade alone if given."""

    def stand_in(hunk: Any, *rest: Any) -> Any:
        is_off = level is None or rest[-1] == level
        return sought.Sought(hunk) if is_off else function(hunk, *rest)

    return off(function, stand_in)


def _as_written(function: Callable[..., Any]) -> Switch:
    """Return the switch of a rule of indentation: the added lines stay as they are."""
    return off(function, lambda laid, *_: reindent.Indented(laid.steps))


RULES: dict[str, Switch] = {
    "class: a slip undone": gives(variants.variants_of, ()),
    "class: typography, case, signs": _not_sought(search._loose, reading.FORM),
    "class: tolerated context": _not_sought(search._loose, reading.TOLERATED),
    "class: gaps": _not_sought(search._with_gaps),
    "class: already applied": _not_sought(search._applied),
    "evidence: end of file, anchors": off(evidence._by_own_claims, lambda *_: None),
    "evidence: order": off(evidence._by_order, lambda *_: None),
    "evidence: number": off(evidence._by_number, lambda *_: None),
    "claim: anchors and headings": gives(anchors.refuted, ()),
    "claim: number of other lines": gives(claims.misnumbered, None),
    "claim: below its anchor": gives(claims._torn, None),
    "claim: below a decorator": gives(claims._decorated, None),
    "claim: at the end of the file": gives(claims._only_adds_at_end, False),
    "claim: text that ends in a hunk": gives(claims._cut_off, None),
    "claim: blank lines alone": gives(claims._blank_alone, None),
    "claim: blank lines at an end": gives(between._contradicts, False),
    "claim: other lines than blank ones": gives(alignment._is_nearly_there, False),
    "scope: blocks": gives(scope._ends_line, False),
    "gaps: blocks and scopes": gives(gaps._leads_out, False),
    "already applied over the place": gives(applied.applied_over, None),
    "applied in part": gives(repeats.partly_applied, None),
    "applied at a twin": gives(applied.applied_elsewhere, None),
    "a definition that is there": gives(repeats.already_defined, None),
    "the whole file as added lines": gives(repeats.is_rewrite, False),
    "removed and added again": gives_first(alignment.unchanged_kept),
    "overlap": gives_first(overlap.without_overlaps),
    "one hand: all differences": off(doubt.in_file_form, lambda laid, _: (laid, None)),
    "one hand: heading levels": gives_first(doubt._with_levels),
    "one hand: whitespace at ends": gives_first(doubt._without_ends),
    "one hand: typographic signs": gives(doubt._signs_to_undo, {}),
    "one hand: what is repeated": gives(doubt._is_repeated, False),
    "indentation": _as_written(reindent.indent),
    "indentation: ratios": gives(indent_rules._ratios, ()),
    "indentation: shifts": gives(indent_rules._shifts, ()),
    "indentation: styles": off(indent_rules.STYLES, ()),
    "indentation: runs": _as_written(reindent._by_runs),
    "placeholders": gives(placeholder.placeholder_in, b""),
    "encoding": gives(file_index.is_utf8, True),
    "structure": gives(structure.judge_structure, structure.Judged()),
}
"""Every rule that can be switched off, by its name in docs/decisions.md."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A case: which of `SOURCES` it is from, its class, how strict it is, and how it is tried."""

    source: str
    kind: str
    verdict: Verdict
    attempt: Callable[[], Outcome]


SOURCES = {
    "drawn": ("must exact", "may exact", "wrong"),
    "late": ("as cherry-pick", "other"),
    "typed": ("faithful", "unfaithful"),
    "moved on": ("at its place", "wrong"),
    "sent again": ("known", "doubled"),
}
"""Where cases are from, and the columns of the table for each."""
_OF_AGAIN = {
    **dict.fromkeys((Again.ALREADY, Again.MAY_BE, Again.NOTHING), Outcome.EXACT),
    Again.DOUBLED: Outcome.WRONG,
}


def main() -> None:
    """Run all cases with each rule switched off, and print what changes."""
    options = _options()
    parts = options.only.split(",")
    names = [name for name in RULES if any(part in name for part in parts)]
    samples = list(_draw(options))
    base, calls = run_all(samples, names)
    print(f"{len(samples)} cases:", dict(Counter(sample.source for sample in samples)), "\n")
    print(*_head(samples, base), sep="\n", flush=True)
    for row in in_processes(partial(_row, samples, base, calls), names, options.jobs, 1):
        print(row, flush=True)


def _options() -> argparse.Namespace:
    parser = drawing_parser(__doc__, 1500)
    add = parser.add_argument
    add("--late", type=int, default=0, metavar="N", help="late patches, see travel.py (none)")
    add("--typed", type=Path, help="a directory of diffs that models typed, see model_diffs.py")
    add("--moved", type=int, default=0, metavar="N", help="cases of moved_on.py (none)")
    add("--again", type=int, default=0, metavar="N", help="patches of sent_again.py (none)")
    add("--only", default="", metavar="NAMES", help="switches that have one of these in the name")
    return parser.parse_args()


def _draw(options: argparse.Namespace) -> Iterator[Sample]:
    changes = read_changes(options.repo, options.seed)
    for number in range(options.cases):
        if found := draw(changes, options.seed, number):
            case, scene = found
            yield _as_drawn("drawn", case, write_scene(scene, scene.patch_format))
    yield from itertools.islice(_late(options.repo, options.seed), options.late)
    yield from _typed(options.typed) if options.typed else ()
    for moved in itertools.islice(moved_on.draw(options.repo, options.seed), options.moved):
        yield Sample("moved on", f"{moved.kind}, {moved.form}", Verdict.MAY, partial(_moved, moved))
    for number in range(options.again):
        if sent := sent_again.draw_sent(changes, options.seed, number):
            kind = f"{sent.source}, {sent.form}"
            yield Sample("sent again", kind, Verdict.MAY, partial(_sent, sent))


def _as_drawn(source: str, case: Case, text: str) -> Sample:
    return Sample(source, case.kind, case.verdict, partial(_outcome, case, text))


def _outcome(case: Case, text: str) -> Outcome:
    return try_case(case, OWN, text, in_process=True).outcome


def _moved(case: moved_on.Case) -> Outcome:
    ended, _ = moved_on.run(case)
    if ended.is_wrong:
        return Outcome.WRONG
    return Outcome.EXACT if ended is Ended.RIGHT else Outcome.REFUSED


def _sent(sent: sent_again.Sent) -> Outcome:
    return _OF_AGAIN.get(sent_again.send_twice(sent)[0], Outcome.REFUSED)


def _late(paths: Sequence[Path], seed: str) -> Iterator[Sample]:
    """Patches for an older version of a file; those that `git cherry-pick` cannot merge are not."""
    for late in draw_late(paths, seed):
        path, written_for, last = late.change.path, late.versions[0], late.versions[-1]
        merged = merge(last, written_for, to_bytes(late.change.new))
        if merged is not None:
            case = Case("late", 0, late.source, {path: last}, {path: merged}, Verdict.MAY)
            yield _as_drawn("late", case, late.text)


def _typed(directory: Path) -> Iterator[Sample]:
    """Read the diffs that models typed."""
    for place in sorted(directory.iterdir()):
        typed = Typed.load(place)
        kind = typed.source.partition("\n")[0]
        yield Sample("typed", kind, Verdict.MAY, partial(_told, typed))


def _told(typed: Typed) -> Outcome:
    ran = plan(OWN, typed.base, typed.patch)
    if not ran.success:
        return Outcome.REFUSED
    faithful = is_faithful(typed.patch, typed.base, ran.files)
    return Outcome.EXACT if faithful else Outcome.WRONG


def run_all(
    samples: Sequence[Sample], names: Sequence[str]
) -> tuple[list[Outcome], dict[str, set[int]]]:
    """Run every sample with nothing off; also return which samples call what each rule switches,
    and get another value than from its stand-in.

    A constant is not called, and so has no entry.
    """
    switches = {id(RULES[name].original): RULES[name] for name in names}
    originals = {key: each.original for key, each in switches.items()}
    calls: dict[int, set[int]] = {key: set() for key, each in originals.items() if callable(each)}
    outcomes: list[Outcome] = []

    def record(key: int, original: Any) -> Any:
        def recorded(*args: Any, **named: Any) -> Any:
            value = original(*args, **named)
            if value != switches[key].value:
                calls[key].add(len(outcomes))
            return value

        return recorded

    with ExitStack() as stack:
        for key in calls:
            stack.enter_context(Switch(originals[key], partial(record, key))())
        for sample in samples:
            outcomes += [sample.attempt()]  # how many there are numbers the next one
    ids = {name: id(RULES[name].original) for name in names}
    return outcomes, {name: calls[key] for name, key in ids.items() if key in calls}


def run_without(
    name: str, samples: Sequence[Sample], base: Sequence[Outcome], calls: Mapping[str, Set[int]]
) -> list[Outcome]:
    """The outcomes with one rule off: those of samples that do not call it are as they were."""
    outcomes = list(base)
    with RULES[name]():
        for at in calls.get(name, range(len(samples))):
            outcomes[at] = samples[at].attempt()
    return outcomes


def _figures(samples: Sequence[Sample], outcomes: Sequence[Outcome], source: str) -> list[int]:
    """The columns of one source."""
    pairs = zip(samples, outcomes, strict=True)
    own = Counter((one.verdict, out) for one, out in pairs if one.source == source)
    may = own[Verdict.MAY, Outcome.EXACT]
    wrong = sum(own[wanted, out] for wanted in Verdict for out in (Outcome.WRONG, Outcome.HALF))
    must = [own[Verdict.APPLY, Outcome.EXACT]] if len(SOURCES[source]) > 2 else []
    return [*must, may, wrong]


def _head(samples: Sequence[Sample], outcomes: Sequence[Outcome]) -> Iterator[str]:
    titles = [f"{part}: {title}" for part, titles in SOURCES.items() for title in titles]
    yield f"| off | {' | '.join(titles)} | cases that change |"
    yield "| --- " * (len(titles) + 2) + "|"
    figures = [figure for source in SOURCES for figure in _figures(samples, outcomes, source)]
    yield f"| *nothing* | {' | '.join(map(str, figures))} | |"


def _row(
    samples: Sequence[Sample], base: Sequence[Outcome], calls: Mapping[str, Set[int]], name: str
) -> str:
    """The changes with one rule off, and the classes that they are in."""
    outcomes = run_without(name, samples, base, calls)
    cells = []
    for source in SOURCES:
        before, after = _figures(samples, base, source), _figures(samples, outcomes, source)
        pairs = zip(before, after, strict=True)
        cells += [f"{new - old:+d}" if new != old else "" for old, new in pairs]
    triples = zip(samples, base, outcomes, strict=True)
    where = Counter(sample.kind for sample, old, new in triples if old is not new)
    most = ", ".join(f"{kind} {count}" for kind, count in where.most_common(3))
    return f"| {name} | {' | '.join(cells)} | {where.total()}: {most} |"


if __name__ == "__main__":
    main()
