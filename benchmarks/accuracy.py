"""Measure how exactly patches are applied that are written as language models write them.

The cases are made from the history of real repositories: each is a commit, written in one of
the formats that models use, in a wrapper, or with errors of the format. A tool is judged by the
files that it leaves, byte for byte, and by what it reports. Spoiled lines, indentation and hunks
are drawn by `grammar.py`.

    python benchmarks/accuracy.py CLONE...
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from random import Random

import peers
import table
from arguments import drawing_parser, names_of
from history import read_history
from model import Case, Commit, Format, Header, Slip, Style, Verdict, Wrapper, case_of
from styles import render
from trial import try_all

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
    drawn = [
        (case, partial(_text, case, style))
        for name in options.classes
        for case, style in draw(name, histories, options.cases, options.seed)
    ]
    results = try_all(
        drawn.__getitem__, len(drawn), tools, options.jobs, in_process=options.in_process
    )
    print(*table.table("tool", results, lambda result: [result.tool]), sep="\n")
    for tool in tools:
        own = [result for result in results if result.tool == tool.name]
        print("", *table.table(tool.name, own, lambda result: [result.case.kind]), sep="\n")


_READ = (Format.ENVELOPE, Format.UNIFIED)
"""What is written for a tool of one format in its own."""


def _options() -> argparse.Namespace:
    parser = drawing_parser(__doc__, 40)
    add = parser.add_argument
    for what, known, default in (
        ("tools", peers.TOOLS, [peers.OWN.name]),
        ("classes", KINDS, list(KINDS)),
    ):
        add(f"--{what}", type=names_of(known), default=default, help=f"some of: {','.join(known)}")
    add("--in-process", action="store_true", help="let opatch plan without git: much faster")
    peers.add_options(parser)
    return parser.parse_args()


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


def _text(case: Case, style: Style, tool: peers.Tool) -> str:
    if tool.patch_format and style.patch_format not in _READ:
        return ""
    header, patch_format = tool.header or style.header, tool.patch_format or style.patch_format
    return render(case, replace(style, patch_format=patch_format, header=header))


if __name__ == "__main__":
    main()
