"""Switch off one rule of the package at a time, and count what changes.

Each switch names a function or a constant of the package and its stand-in. The cases are those of
`grammar.py`, late patches, and diffs that models typed; they are drawn once, and a case that
never calls what is off is not run without it. A rule that this package lacks is named as such.

    python benchmarks/ablation.py REPO... --seed 1 --cases 1500 --late 300 --typed DIR
    python benchmarks/ablation.py REPO... --only order,anchor
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import multiprocessing
import pkgutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

import git_opatch
from arguments import drawing_parser
from grammar import draw, read_changes
from model import Case, Verdict, to_bytes
from model_diffs import Typed, is_faithful
from peers import OWN
from scene import write_scene
from travel import draw as draw_late
from travel import merge
from trial import Outcome, try_case

_PARTS = ("locate", "complete", "plan", "model", "parse")


@cache
def _modules() -> list[ModuleType]:
    """Every module of the package that decides something."""
    found = pkgutil.walk_packages(git_opatch.__path__, "git_opatch.")
    names = [module.name for module in found if module.name.split(".")[1] in _PARTS]
    return [importlib.import_module(name) for name in names]


@dataclass(frozen=True, slots=True)
class Switch:
    """What is off, as `module:name`, and what makes its stand-in of it.

    Modules that imported the name get the stand-in as well. The context manager raises
    `LookupError` where this package has no such rule.
    """

    where: str
    change: Callable[[Any], Any]

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Let the rule be off."""
        module, _, name = self.where.partition(":")
        try:
            owner = importlib.import_module(f"git_opatch.{module}")
            original = vars(owner)[name]
        except (ImportError, KeyError) as error:
            raise LookupError(self.where) from error
        places = [each for each in _modules() if vars(each).get(name) is original]
        stand_in = self.change(original)
        for place in (owner, *places):
            setattr(place, name, stand_in)
        try:
            yield
        finally:
            for place in (owner, *places):
                setattr(place, name, original)


def off(where: str, stand_in: Any) -> Switch:
    """Return the switch that replaces a value or a function by `stand_in`."""
    return Switch(where, lambda _: stand_in)


def gives(where: str, value: Any) -> Switch:
    """Return the switch that lets a function return `value`."""
    return off(where, lambda *_, **__: value)


def gives_first(where: str) -> Switch:
    """Return the switch that lets a function return what it is given first."""
    return off(where, lambda first, *_, **__: first)


def _not_sought(where: str, level: int | None = None) -> Switch:
    """Return the switch of a class of readings: none are found, at this grade alone if given."""

    def change(function: Any) -> Any:
        def stand_in(hunk: Any, *rest: Any) -> Any:
            is_off = level is None or rest[-1] == level
            return function.__globals__["Sought"](hunk) if is_off else function(hunk, *rest)

        return stand_in

    return Switch(where, change)


_FORM, _TOLERATED = 2, 3
"""The grades of a match, as `model.reading` numbers them."""

RULES: dict[str, Switch] = {
    "class: a slip undone": gives("locate.variants:variants_of", ()),
    "class: typography, case, signs": _not_sought("locate.search:_loose", _FORM),
    "class: tolerated context": _not_sought("locate.search:_loose", _TOLERATED),
    "class: gaps": _not_sought("locate.search:_with_gaps"),
    "class: already applied": _not_sought("locate.search:_applied"),
    "context past the end": gives("locate.alignment:_past_the_end", []),
    "short hunks have rivals": gives("locate.search:_rivals", []),
    "evidence: end of file, anchors": gives("locate.evidence:_by_own_claims", None),
    "evidence: order": gives("locate.evidence:_by_order", None),
    "evidence: number": gives("locate.evidence:_by_number", None),
    "claim: anchors and headings": gives("locate.anchors:refuted", ()),
    "claim: number of other lines": gives("locate.claims:_misnumbered", None),
    "claim: below its anchor": gives("locate.claims:_torn", None),
    "claim: text that ends in a hunk": gives("locate.claims:_cut_off", None),
    "claim: blank lines alone": gives("locate.claims:_blank_alone", None),
    "already applied over the place": gives("locate.applied:applied_over", None),
    "applied in part": gives("locate.applied:partly_applied", None),
    "applied at a twin": gives("locate.twins:suspicion", None),
    "the whole file as added lines": gives("locate.applied:is_rewrite", False),
    "removed and added again": gives_first("locate.alignment:unchanged_kept"),
    "overlap": gives_first("locate.overlap:refuse_overlaps"),
    "one hand: all differences": off("complete.doubt:in_file_form", lambda r, _: (r, None)),
    "one hand: heading levels": gives_first("complete.doubt:_with_levels"),
    "one hand: whitespace at ends": gives_first("complete.doubt:_without_ends"),
    "one hand: typographic signs": gives("complete.doubt:_signs_to_undo", {}),
    "one hand: strings": gives("complete.doubt:_other_string", None),
    "indentation": Switch(
        "complete.reindent:indent",
        lambda function: lambda reading, _: function.__globals__["Indented"](reading.steps),
    ),
    "indentation: ratios": gives("model.indent_rules:_ratios", ()),
    "indentation: shifts": gives("model.indent_rules:_shifts", ()),
    "indentation: styles": off("model.indent_rules:STYLES", ()),
    "indentation: runs": Switch(
        "complete.reindent:_by_runs",
        lambda function: lambda reading, _: function.__globals__["Indented"](reading.steps),
    ),
    "indentation: the file's depth": gives("complete.reindent:_starts_at_file_depth", False),
    "moved blocks": gives("complete.reindent:_moves_context", None),
    "placeholders": gives("complete.placeholder:placeholder_in", b""),
    "encoding": gives("locate.decide:is_utf8", True),
    "structure": gives("complete.structure:structure_fault", None),
}
"""Every rule that can be switched off, by its name in docs/decisions.md."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A case with the text of its patch, and which of `_SOURCES` it is from."""

    case: Case
    text: str
    source: str


_SOURCES = {
    "drawn": ("must exact", "may exact", "wrong"),
    "late": ("as cherry-pick", "other"),
    "typed": ("faithful", "unfaithful"),
}
"""Where cases are from, and the columns of the table for each."""


def main() -> None:
    """Run all cases with each rule switched off, and print what changes."""
    options = _options()
    parts = options.only.split(",")
    names = [name for name in RULES if any(part in name for part in parts)]
    samples = list(_draw(options))
    base, calls = _base(samples, names)
    print(f"{len(samples)} cases:", dict(Counter(sample.source for sample in samples)), "\n")
    print(*_head(samples, base), sep="\n", flush=True)
    with multiprocessing.get_context("fork").Pool(options.jobs) as pool:
        for row in pool.imap(partial(_row, samples, base, calls), names):
            print(row, flush=True)


def _options() -> argparse.Namespace:
    parser = drawing_parser(__doc__, 1500)
    add = parser.add_argument
    add("--late", type=int, default=0, metavar="N", help="late patches, see travel.py (none)")
    add("--typed", type=Path, help="a directory of diffs that models typed, see model_diffs.py")
    add("--only", default="", metavar="NAMES", help="switches that have one of these in the name")
    return parser.parse_args()


def _draw(options: argparse.Namespace) -> Iterator[Sample]:
    changes = read_changes(options.repo, options.seed)
    for number in range(options.cases):
        if found := draw(changes, options.seed, number):
            case, scene = found
            yield Sample(case, write_scene(scene, scene.patch_format), "drawn")
    yield from itertools.islice(_late(options.repo, options.seed), options.late)
    yield from _typed(options.typed) if options.typed else ()


def _late(paths: Sequence[Path], seed: str) -> Iterator[Sample]:
    """Patches for an older version of a file; those that `git cherry-pick` cannot merge are not."""
    for late in draw_late(paths, seed):
        path, written_for, last = late.change.path, late.versions[0], late.versions[-1]
        merged = merge(last, written_for, to_bytes(late.change.new))
        if merged is not None:
            case = replace(late.case, base={path: last}, expected={path: merged})
            yield Sample(replace(case, verdict=Verdict.MAY), late.text, "late")


def _typed(directory: Path) -> Iterator[Sample]:
    """Read the diffs that models typed; what is not UTF-8 is left out."""
    for number, place in enumerate(sorted(directory.iterdir())):
        typed = Typed.load(place)
        with suppress(UnicodeDecodeError):
            text, kind = typed.patch.decode(), typed.source.partition("\n")[0]
            case = Case(kind, number, typed.name, typed.base, None, Verdict.MAY)
            yield Sample(case, text, "typed")


def _base(
    samples: Sequence[Sample], names: Sequence[str]
) -> tuple[list[Outcome], dict[str, set[int]]]:
    """Run every sample with nothing off; also return which samples call what each rule switches."""
    calls: dict[str, set[int]] = {}
    outcomes: list[Outcome] = []

    def record(name: str, original: Any) -> Any:
        def recorded(*args: Any, **named: Any) -> Any:
            calls[name].add(len(outcomes))
            return original(*args, **named)

        if not callable(original):
            return original
        calls[name] = set()
        return recorded

    with ExitStack() as stack:
        for name in names:
            with suppress(LookupError):
                stack.enter_context(Switch(RULES[name].where, partial(record, name))())
        for sample in samples:
            outcomes += [_outcome(sample)]  # how many there are numbers the next one
    return outcomes, calls


def _outcome(sample: Sample) -> Outcome:
    result = try_case(sample.case, OWN, sample.text, in_process=True)
    if sample.source != "typed" or result.message:
        return result.outcome
    faithful = is_faithful(sample.text.encode(), sample.case.base, result.got)
    return Outcome.EXACT if faithful else Outcome.WRONG


def _figures(samples: Sequence[Sample], outcomes: Sequence[Outcome], source: str) -> list[int]:
    """The columns of one source."""
    pairs = zip(samples, outcomes, strict=True)
    own = Counter((one.case.verdict, out) for one, out in pairs if one.source == source)
    may = own[Verdict.MAY, Outcome.EXACT]
    wrong = sum(own[wanted, out] for wanted in Verdict for out in (Outcome.WRONG, Outcome.HALF))
    must = [own[Verdict.APPLY, Outcome.EXACT]] if len(_SOURCES[source]) > 2 else []
    return [*must, may, wrong]


def _head(samples: Sequence[Sample], outcomes: Sequence[Outcome]) -> Iterator[str]:
    titles = [f"{part}: {title}" for part, titles in _SOURCES.items() for title in titles]
    yield f"| off | {' | '.join(titles)} | cases that change |"
    yield "| --- " * (len(titles) + 2) + "|"
    figures = [figure for source in _SOURCES for figure in _figures(samples, outcomes, source)]
    yield f"| *nothing* | {' | '.join(map(str, figures))} | |"


def _row(
    samples: Sequence[Sample], base: Sequence[Outcome], calls: Mapping[str, Set[int]], name: str
) -> str:
    """The changes with one rule off, and the classes that they are in."""
    outcomes = list(base)
    try:
        with RULES[name]():
            for at in calls.get(name, range(len(samples))):
                outcomes[at] = _outcome(samples[at])
    except LookupError:
        return f"| {name} | not in this engine |"
    cells = []
    for source in _SOURCES:
        before, after = _figures(samples, base, source), _figures(samples, outcomes, source)
        pairs = zip(before, after, strict=True)
        cells += [f"{new - old:+d}" if new != old else "" for old, new in pairs]
    triples = zip(samples, base, outcomes, strict=True)
    where = Counter(sample.case.kind for sample, old, new in triples if old is not new)
    most = ", ".join(f"{kind} {count}" for kind, count in where.most_common(3))
    return f"| {name} | {' | '.join(cells)} | {where.total()}: {most} |"


if __name__ == "__main__":
    main()
