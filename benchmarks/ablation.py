"""Switch off one rule of the package at a time, and count what changes.

Each switch names a function, a method or a constant of the package and its replacement.
The cases are those of the grammar, those of the classes by rule, late patches, and diffs that
models typed; they are drawn once. A case that never calls a function is not run without it.

    python benchmarks/ablation.py REPO... --seed 1 --cases 1500 --per-class 8 --late 400 --typed DIR
    python benchmarks/ablation.py REPO... --only order,anchor
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import itertools
import multiprocessing
import pkgutil
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

import git_opatch
from grammar import draw, own_tool, read_changes
from history import read_history
from in_process import plan_patch
from kinds import KINDS
from kinds import draw as draw_kind
from model import Case, Commit, Draft, Format, Header, Style, Wanted, to_bytes
from model_diffs import Case as TypedCase
from model_diffs import is_faithful
from scene import write_scene
from styles import render
from travel import draw as draw_late
from travel import merge
from trial import Outcome

_PACKAGE = "git_opatch"


@cache
def _modules() -> list[ModuleType]:
    """Every module of the package that can be imported."""
    found = pkgutil.walk_packages(git_opatch.__path__, f"{_PACKAGE}.")
    names = [module.name for module in found if not module.name.endswith("__main__")]
    parts = ("locate", "complete", "plan", "model", "parse")
    wanted = [name for name in names if name.split(".")[1] in parts]
    return [importlib.import_module(name) for name in wanted]


@dataclass(frozen=True, slots=True)
class Switch:
    """What is off, as `module:name` or `module:Class.name`, and what makes its stand-in of it.

    Other modules that imported the name get the stand-in as well. The context manager raises
    `LookupError` where this package has no such rule.
    """

    where: str
    change: Callable[[Any], Any]

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Let the rule be off."""
        with _replaced(self.where, self.change):
            yield

    @property
    def is_called(self) -> bool:
        """Whether it is a function or a method, so that calls of it can be seen."""
        return callable(_find(self.where)[2])


@contextmanager
def _replaced(where: str, change: Callable[[Any], Any]) -> Iterator[None]:
    owner, name, original = _find(where)
    places: list[tuple[Any, str]] = [(owner, name)]
    if isinstance(owner, ModuleType):
        is_plain = isinstance(original, (int, float, bytes, str))
        places += [
            (module, other)
            for module in _modules()
            for other, value in vars(module).items()
            if value is original and (module, other) != (owner, name)
            if other == name or not is_plain  # equal numbers may mean something else
        ]
    stand_in = change(original)
    for place, other in places:
        setattr(place, other, stand_in)
    try:
        yield
    finally:
        for place, other in places:
            setattr(place, other, original)


def off(where: str, stand_in: Any) -> Switch:
    """Return the switch that replaces a value or a function by `stand_in`."""
    return Switch(where, lambda _: stand_in)


def changed(where: str, change: Callable[[Any], Any]) -> Switch:
    """Return the switch that replaces a value or a function by what `change` makes of it."""
    return Switch(where, change)


def _find(where: str) -> tuple[Any, str, Any]:
    """The owner, the name and the value. Raises `LookupError`."""
    module, _, path = where.partition(":")
    try:
        owner: Any = importlib.import_module(f"{_PACKAGE}.{module}")
        *outer, name = path.split(".")
        for part in outer:
            owner = getattr(owner, part)
        return owner, name, vars(owner)[name]
    except (ImportError, AttributeError, KeyError) as error:
        raise LookupError(where) from error


def _without(name: str) -> Callable[[Any], Any]:
    """Return what drops the kind of evidence of this name from a table of questions."""
    return lambda table: tuple(row for row in table if row[0].name != name)


def _without_function(name: str) -> Callable[[Any], Any]:
    """Return what drops the function of this name from a table of functions."""
    return lambda table: tuple(row for row in table if row.__name__ != name)


def _then(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return what makes a function change its result."""

    def wrap(function: Any) -> Any:
        return lambda *args, **named: change(function(*args, **named))

    return wrap


def _always(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


def _first(value: Any, *_: Any, **__: Any) -> Any:
    return value


def _as_found(table: Mapping[Any, Any]) -> dict[Any, Any]:
    """The normal forms, the fuzzy one as strict as the resilient one."""
    forms = dict(table)
    last = list(forms)[-1]
    return {**forms, last: forms[list(forms)[-2]]}


def _without_doubt(alignment: Any) -> Any:
    return alignment and alignment._replace(ambiguous_at=None)


_NEVER = re.compile(rb"(?!)")

RULES: dict[str, Switch] = {
    "tiers: fuzzy": changed("locate.tiers:NORMAL", _as_found),
    "tiers: heading level": off("locate.tiers:_MARKDOWN_HEADING", _NEVER),
    "tiers: punctuation": off("locate.tiers:_SENTENCE_END", b""),
    "tiers: typography": off("locate.tiers:_TYPOGRAPHIC", {}),
    "loose match counts (D37)": off("locate.candidates:_with_rivals", _first),
    "applied, nowhere else": off("locate.candidates:_already_applied", _first),
    "applied over the position": off("locate.already_applied:applied_over", _always(None)),
    "claims": off("locate.claims:CLAIMS", ()),
    "partly applied": off("locate.claims:partly_applied_at", _always(None)),
    "file as added lines": off("locate.claims:is_rewrite", _always(False)),
    "applied twins": off("locate.applied_elsewhere:refuse_applied_twins", _first),
    "names in anchors": off("locate.anchor_claims:_check_anchor", _always(None)),
    "names in prose": off("locate.anchor_claims:_refers_elsewhere", _always(None)),
    "blank lines alone": changed("locate.claims:CLAIMS", _without_function("_shows_a_line")),
    "torn from its anchor": changed(
        "locate.claims:CLAIMS", _without_function("_is_after_its_anchor")
    ),
    "blank lines past the end": off("locate.candidates:_add_end_of_file", _always(None)),
    "loose match: as deep (D37)": off("locate.rivals:_is_as_deep", _always(False)),
    "insertion nearly there": off("locate.already_applied:_first_edited", _always(None)),
    "one of several is there": off("locate.already_applied:_one_of_several", _always(None)),
    "text that ends in a hunk": changed("locate.claims:CLAIMS", _without_function("_is_whole")),
    "there with other whitespace": off("locate.already_applied:_spaced_otherwise", _always(None)),
    "structure": off("plan.broken_structure:structure_fault", _always("")),
    "evidence: end of file": changed("locate.disambiguate:OWN_EVIDENCE", _without("END_OF_FILE")),
    "evidence: anchor": changed("locate.disambiguate:OWN_EVIDENCE", _without("ANCHOR")),
    "evidence: order": off("locate.hunk_order:narrow_by_order", _always(None)),
    "evidence: stated line": off("locate.disambiguate:narrow_by_stated_line", _always(None)),
    "numbers: credible": off("locate.disambiguate:are_credible", _always(True)),
    "numbers: confirmed": off("locate.disambiguate:are_confirmed", _always(True)),
    "numbers overrule headings": off("locate.disambiguate:_is_overruled", _always(False)),
    "anchor: block": off("locate.anchor:_is_inside", _always(False)),
    "anchor: directly follows": off("locate.anchor:_directly_follows", _always(False)),
    "cut in front": off("locate.repairs:cut_in_front", _always([])),
    "past the end": off("locate.repairs:without_overhang", _always(None)),
    "doubled prefixes": changed("locate.variants:SLIPS", lambda slips: slips[1:]),
    "variants": off("locate.variants:SLIPS", ()),
    "blank lines aligned": off("locate.candidates:_align", _always(None)),
    "blank lines: doubt": changed("locate.blank_lines:align", _then(_without_doubt)),
    "removed and added": off("locate.unchanged_lines:cancel_unchanged", _first),
    "overlap": off("locate.overlap:refuse_overlaps", _first),
    "context shows others": off("plan.edited_file:EditedFile.edit_after", _always(False)),
    "exact after others": off("plan.apply_hunks:_exact_after_others", _always(set())),
    "repeated difference": off("complete.inherited_differences:_first_doubt", _always("")),
    "habits": off("complete.inherited_differences:_inherits", _always(False)),
    "signs undone": off("complete.inherited_differences:_signs_to_undo", _always({})),
    "headings follow": off("complete.inherited_differences:_heading_shift", _always(0)),
    "placeholders": off("complete.placeholder:placeholder_in", _always(b"")),
    "encoding": off("complete.encoding:foreign_encoding", _always("")),
    "moved blocks": off("complete.moved_block:moved_block", _always("")),
    "first line alone": off("complete.lost_indent:may_be_first_alone", _always(False)),
    "anchor alone": off("complete.lost_indent:may_be_anchor_alone", _always(False)),
    "indentation": off("complete.reindent:_by_own_pairs", _always(None)),
    "indentation: of others": off("complete.reindent:_style_of_others", _always(None)),
    "indentation: ratios": off("model.indent_rules:_ratios", _always(())),
    "indentation: shifts": off("model.indent_rules:_shifts", _always(())),
    "indentation: styles": off("model.indent_rules:STYLES", ()),
    "indentation: combined": off("model.indent_rules:_shifted_styles", _always(())),
    "indentation: neighbours": off(
        "complete.neighbour_indent:indent_from_neighbours", _always(None)
    ),
    "indentation: file's depth": off(
        "complete.neighbour_indent:starts_at_file_depth", _always(False)
    ),
}
"""Every rule that can be switched off, one line each."""

_LIMIT = re.compile(r"^(_?[A-Z][A-Z_]+) = \d", re.MULTILINE)
_LIMITED = ("locate", "complete", "model.limits")


def limits() -> dict[str, Switch]:
    """A switch for each number that the matching modules name: four times as much."""
    found = {}
    for module in _modules():
        where = module.__name__.removeprefix(f"{_PACKAGE}.")
        for name in _LIMIT.findall(inspect.getsource(module)) if where.startswith(_LIMITED) else ():
            found[f"limit: {where}:{name} x 4"] = changed(
                f"{where}:{name}", lambda number: number * 4
            )
    return found


@dataclass(frozen=True, slots=True)
class Sample:
    """A case with the text of its patch, and which of `_SOURCES` it is from."""

    case: Case
    text: str
    source: str


Calls = Mapping[str, Set[int]]
"""By the name of a switch, the numbers of the samples that call what it switches off."""

_SOURCES = {
    "grammar": ("must exact", "may exact", "wrong", "broken"),
    "classes": ("must exact", "may exact", "wrong", "broken"),
    "late": ("as cherry-pick", "other", "broken"),
    "typed": ("faithful", "unfaithful"),
}
"""Where cases are from, and the columns of the table for each."""


def main() -> None:
    """Run all cases with each rule switched off, and print what changes."""
    options = _options()
    switches = {**RULES, **(limits() if options.limits else {})}
    if options.only:
        parts = options.only.split(",")
        switches = {name: s for name, s in switches.items() if any(p in name for p in parts)}
    samples = _draw(options)
    base, calls = _base(samples, switches)
    print(f"{len(samples)} cases:", dict(Counter(sample.source for sample in samples)), "\n")
    for line in _head(samples, base):
        print(line)
    attempt = partial(_row, samples, base, calls)
    if options.jobs == 1:
        for name, switch in switches.items():
            print(attempt(name, switch), flush=True)
        return
    with multiprocessing.get_context("fork").Pool(options.jobs, _keep, (attempt, switches)) as pool:
        for row in pool.imap(_kept_row, switches):
            print(row, flush=True)


_kept: list[Any] = []


def _keep(*values: Any) -> None:
    _kept[:] = values


def _kept_row(name: str) -> str:
    attempt, switches = _kept
    return str(attempt(name, switches[name]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    add = parser.add_argument
    add("repo", type=Path, nargs="+", help="a repository, or a git directory, to draw from")
    add("--seed", default="1", help="another seed draws other cases")
    add("--cases", type=int, default=1500, metavar="N", help="cases of the grammar (1500)")
    add("--per-class", type=int, default=8, metavar="N", help="cases of each class by rule (8)")
    add("--late", type=int, default=0, metavar="N", help="late patches, see travel.py (none)")
    add("--typed", type=Path, help="a directory of diffs that models typed, see model_diffs.py")
    add("--only", metavar="NAMES", help="switches whose names have one of these in them")
    add("--limits", action="store_true", help="the numeric limits, too, four times as great")
    add("--jobs", type=int, default=1, help="processes (1)")
    return parser.parse_args()


def _draw(options: argparse.Namespace) -> list[Sample]:
    """The cases of the grammar, those of the classes by rule, the late and the typed patches."""
    changes = read_changes(options.repo, options.seed)
    drawn = (draw(changes, options.seed, number) for number in range(options.cases))
    samples = [
        Sample(found.case, write_scene(found.scene, found.scene.patch_format), "grammar")
        for found in drawn
        if found
    ]
    histories = [read_history(path, options.seed) for path in options.repo]
    for kind in KINDS if options.per_class else ():
        cases = draw_kind(kind, histories, options.per_class, options.seed)
        samples += [Sample(case, render(case, case.style), "classes") for case in cases]
    samples += itertools.islice(_late(options.repo, options.seed), options.late)
    return [*samples, *(_typed(options.typed) if options.typed else ())]


def _late(paths: Sequence[Path], seed: str) -> Iterator[Sample]:
    """Patches for an older version of a file; those that `git cherry-pick` cannot merge are not."""
    for late in draw_late(paths, seed):
        path, written_for, last = late.change.path, late.versions[0], late.versions[-1]
        merged = merge(last, written_for, to_bytes(late.change.new))
        if merged is not None:
            draft = Draft({path: last}, late.case.draft.sections, {path: merged})
            case = replace(late.case, draft=draft)
            yield Sample(case, render(case, case.style), "late")


def _typed(directory: Path) -> Iterator[Sample]:
    """Read the diffs that models typed; what is not UTF-8 is left out."""
    style = Style(Format.UNIFIED, Header.BARE)
    for number, place in enumerate(sorted(directory.iterdir())):
        typed = TypedCase.load(place)
        try:
            text = typed.patch.decode()
        except UnicodeDecodeError:
            continue
        draft, commit = Draft(typed.base, (), None), Commit(typed.name, "", ())
        kind = typed.source.partition("\n")[0]
        yield Sample(Case(kind, number, commit, draft, style, Wanted.EITHER), text, "typed")


def _base(
    samples: Sequence[Sample], switches: Mapping[str, Switch]
) -> tuple[list[Outcome], dict[str, set[int]]]:
    """Run every sample with nothing off, and return the outcomes and what each sample calls."""
    called: set[str] = set()
    calls: dict[str, set[int]] = {}
    outcomes = []
    with ExitStack() as stack:
        for name, switch in switches.items():
            try:
                is_called = switch.is_called
            except LookupError:
                continue
            if is_called:
                calls[name] = set()
                stack.enter_context(_replaced(switch.where, partial(_recording, called, name)))
        for number, sample in enumerate(samples):
            called.clear()
            outcomes.append(_outcome(sample))
            for name in called:
                calls[name].add(number)
    return outcomes, calls


def _recording(called: set[str], name: str, function: Any) -> Any:
    """Return `function`, noting in `called` that it was called."""

    def recorded(*args: Any, **named: Any) -> Any:
        called.add(name)
        return function(*args, **named)

    return recorded


def _outcome(sample: Sample) -> Outcome:
    try:
        result = plan_patch(sample.case, own_tool(), sample.text)
    except Exception:  # without the rule the engine may break: that is an outcome, too
        return Outcome.HALF
    if sample.source != "typed" or result.message:
        return result.outcome
    faithful = is_faithful(sample.text.encode(), dict(sample.case.draft.base), dict(result.got))
    return Outcome.EXACT if faithful else Outcome.WRONG


def _figures(samples: Sequence[Sample], outcomes: Sequence[Outcome], source: str) -> list[int]:
    """The columns of one source."""
    pairs = zip(samples, outcomes, strict=True)
    own = Counter((one.case.wanted, out) for one, out in pairs if one.source == source)
    exact = {wanted: own[wanted, Outcome.EXACT] for wanted in Wanted}
    wrong = sum(own[wanted, Outcome.WRONG] for wanted in Wanted)
    broken = sum(own[wanted, Outcome.HALF] for wanted in Wanted)
    if source == "typed":
        return [exact[Wanted.EITHER], wrong + broken]
    if source == "late":
        return [exact[Wanted.EITHER], wrong, broken]
    must = exact[Wanted.EXACT] + exact[Wanted.ANSWERED]
    return [must, exact[Wanted.EITHER], wrong, broken]


def _head(samples: Sequence[Sample], outcomes: Sequence[Outcome]) -> Iterator[str]:
    titles = [f"{part}: {title}" for part, titles in _SOURCES.items() for title in titles]
    yield f"| off | {' | '.join(titles)} | cases that change |"
    yield "| --- " * (len(titles) + 2) + "|"
    figures = [figure for source in _SOURCES for figure in _figures(samples, outcomes, source)]
    yield f"| *nothing* | {' | '.join(map(str, figures))} | |"


def _row(
    samples: Sequence[Sample], base: Sequence[Outcome], calls: Calls, name: str, switch: Switch
) -> str:
    """The changes with one rule off, and the classes that they are in."""
    numbers = calls.get(name, range(len(samples)))
    outcomes = list(base)
    try:
        with switch():
            for number in numbers:
                outcomes[number] = _outcome(samples[number])
    except LookupError:
        return f"| {name} | not in this engine |"
    cells = []
    for source in _SOURCES:
        before, after = _figures(samples, base, source), _figures(samples, outcomes, source)
        pairs = zip(before, after, strict=True)
        cells += [f"{new - old:+d}" if new != old else "" for old, new in pairs]
    where = Counter(
        sample.case.kind
        for sample, old, new in zip(samples, base, outcomes, strict=True)
        if old is not new
    )
    most = ", ".join(f"{kind} {count}" for kind, count in where.most_common(3))
    return f"| {name} | {' | '.join(cells)} | {where.total()}: {most} |"


if __name__ == "__main__":
    main()
