"""Measure how exactly patches are applied that are written as language models write them.

The cases are made from the history of real repositories: each is a commit, written in one of
the formats that models use, in a wrapper, or with errors of the format. A tool is judged by the
files that it leaves, byte for byte, and by what it reports. Spoiled lines, indentation and hunks
are drawn by `grammar.py`.

    python benchmarks/accuracy.py --repo CLONE --repo CLONE ...
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from random import Random

import peers
import table
from history import read_history
from model import Case, Commit, Format, Header, Slip, Style, Verdict, Wrapper, case_of
from styles import render
from trial import Result, try_case

AT_ONCE = 2  # trials; each is a separate process

_ENVELOPE, _DIFF = Style(Format.ENVELOPE), Style(Format.UNIFIED)
_INVENTED = Style(Format.UNIFIED, Header.INVENTED)
_RIGHT = Style(Format.UNIFIED, Header.RIGHT)
_ENVELOPES = (_ENVELOPE, Style(Format.ENVELOPE, Header.NAMED))
NUMBERLESS = (_ENVELOPE, _DIFF)
_ALL = (*_ENVELOPES, _DIFF, _RIGHT, _INVENTED)


@dataclass(frozen=True, slots=True)
class Kind:
    """A class of cases: commits as they are, written in these styles in turn."""

    styles: Sequence[Style] = _ALL
    context: int = 3
    verdict: Verdict = Verdict.APPLY


def _in(wrapper: Wrapper, styles: Sequence[Style]) -> Kind:
    return Kind([replace(style, wrapper=wrapper) for style in styles])


def _with(slip: Slip, *styles: Style, verdict: Verdict = Verdict.APPLY) -> Kind:
    return Kind([replace(style, slip=slip) for style in styles], verdict=verdict)


KINDS = {
    "clean-3": Kind(),
    "clean-1": Kind(context=1),
    "fenced": _in(Wrapper.FENCE, _ALL),
    "heredoc": _in(Wrapper.HEREDOC, _ENVELOPES),
    "wrong-counts": _with(Slip.COUNTS, _RIGHT),
    "missing-prefixes": _with(Slip.PREFIXES, _DIFF, _INVENTED),
    "file-changes": Kind([Style(Format.CHANGES)]),
    "search-replace": Kind([Style(Format.BLOCKS)]),
    "operations": Kind([Style(Format.OPERATIONS)]),
    "string-replace": Kind([Style(Format.STRINGS)]),
    "string-replace-tight": Kind([Style(Format.STRINGS)], context=1),
    "no-grammar": _with(Slip.GRAMMAR, *_ENVELOPES, _DIFF, _INVENTED, verdict=Verdict.MAY),
}


def main() -> None:
    """Draw the cases, try them, and print the tables."""
    options = _options()
    tools = peers.find_tools(options.tools, options)
    histories = [read_history(path, options.seed) for path in options.repo]
    cases = [
        case
        for name in options.classes
        for case in draw(name, histories, options.per_class, options.seed)
    ]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        jobs = [
            pool.submit(_try, tool, case, style, in_process=options.in_process)
            for tool in tools
            for case, style in cases
            if tool.patch_format is None or style.patch_format in _READ
        ]
        results = [job.result() for job in jobs]
    print(*table.table("tool", results, lambda result: [result.tool]), sep="\n")
    for tool in tools:
        own = [result for result in results if result.tool == tool.name]
        print("", *table.table(tool.name, own, lambda result: [result.case.kind]), sep="\n")
    table.write(options.json, results)


_READ = (Format.ENVELOPE, Format.UNIFIED)
"""What is written for a tool of one format in its own."""


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    add = parser.add_argument
    add("--repo", type=Path, action="append", required=True, help="a repository to draw from")
    add("--per-class", type=int, default=40, metavar="N", help="cases of each class (40)")
    add("--seed", default="1", help="another seed draws other cases")
    for what, known, default in (
        ("tools", peers.TOOLS, [peers.OWN.name]),
        ("classes", KINDS, list(KINDS)),
    ):
        add(f"--{what}", type=_names(known), default=default, help=f"some of: {','.join(known)}")
    add("--json", type=Path, help="write every outcome to this file")
    add("--in-process", action="store_true", help="let opatch plan without git: much faster")
    peers.add_options(parser)
    return parser.parse_args()


def _names(known: Iterable[str]) -> Callable[[str], list[str]]:
    def split(text: str) -> list[str]:
        if unknown := set(text.split(",")) - set(known):
            raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}")
        return text.split(",")

    return split


def draw(
    name: str, histories: Sequence[Sequence[Commit]], count: int, seed: str
) -> Iterator[tuple[Case, Style]]:
    """Up to `count` cases of a class, spread over the repositories; the same for a seed."""
    kind, rng = KINDS[name], Random(f"{seed}:{name}")
    shuffled = [rng.sample(history, len(history)) for history in histories]
    commits = (commit for row in zip_longest(*shuffled) for commit in row if commit is not None)
    for number, commit in zip(range(1, count + 1), commits, strict=False):
        case = case_of(name, number, commit, kind.context, kind.verdict)
        yield case, kind.styles[number % len(kind.styles)]


def _try(tool: peers.Tool, case: Case, style: Style, *, in_process: bool) -> Result:
    header = tool.header or style.header
    given = replace(style, patch_format=tool.patch_format or style.patch_format, header=header)
    return try_case(case, tool, render(case, given), in_process=in_process)


if __name__ == "__main__":
    main()
