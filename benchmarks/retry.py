"""Measure whether a refusal lets its reader mend the patch: second tries, without the file.

`draw` writes refused diffs that models typed into numbered directories, evenly over their sources:
`patch.txt` as it was typed and `message.txt` as the program refuses it, and nothing of the file.
Whoever answers, a person or a model, writes the corrected patch to `answer.txt` beside them; an
answer that is missing or empty says that the message was not enough. `judge` applies the answers.

    python benchmarks/retry.py draw --cases CASES --into DIR --count 60 --seed 7
    python benchmarks/retry.py judge --cases CASES --into DIR [--list]

For the messages of another revision, `draw --same DIR --into OTHER --opatch PROGRAM` writes the
same cases as that program refuses them. PROGRAM is a command, such as
`TREE/.venv/bin/python -m git_opatch`.

A first try that changes nothing, or whose change is in the files already, is not drawn: there is
nothing to mend.

An answer has landed if it applies, and what came is what the first try adds. Lines are compared by
their words, each distinct one once; those without words do not count. Of what the first try adds,
at most a fifth may be missing; not counted are lines that the file has already. Of what came, at
most as many lines may be neither added nor context of the first try. A line with four fifths of
the words of another one is that line, for names are the file's. A first try that only removes is
judged by the lines that went.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from itertools import chain, islice, zip_longest
from pathlib import Path
from random import Random

from arguments import parser_of
from model_diffs import Typed, read_sections, run
from peers import OWN, Tool
from table import counted
from trees import Tree, write_tree
from trial import Ran

_OTHERWISE = 5
"""One line in so many may be another one, and one word of a line in so many."""
_WORD = re.compile(rb"\w+")
_NAMES = "cases.json"
_PATCH = re.compile(r"(?m)(?<![\w.])(?:\S*/)?patch(?=:\d)")


class Verdict(Enum):
    """What became of an answer."""

    LANDED = "landed"
    OTHER = "landed, other lines"
    REFUSED = "refused again"
    NONE = "not answered"


def main() -> None:
    """Draw cases, or judge the answers."""
    options = _options()
    (_draw if options.action == "draw" else _judge)(options)


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    add = parser.add_argument
    add("action", choices=("draw", "judge"))
    add("--cases", type=Path, required=True, help="the cases of collect_diffs.py")
    add("--into", type=Path, required=True, metavar="DIR", help="patches, messages and answers")
    add("--opatch", default=shlex.join(OWN.start[:-1]), help="the program, as a command")
    add("--count", type=int, default=60, help="cases to draw (60)")
    add("--seed", default="1", help="another seed draws other cases")
    add("--same", type=Path, metavar="DIR", help="draw the cases of that directory")
    add("--list", action="store_true", help="print the verdict of each answer")
    return parser.parse_args()


def _program(options: argparse.Namespace, *flags: str) -> Tool:
    return replace(OWN, start=(*shlex.split(options.opatch), "apply", *flags))


def _draw(options: argparse.Namespace) -> None:
    tool = _program(options)
    if options.same:
        drawn = [(typed, run(tool, typed.base, typed.patch)) for typed in _named(options)]
    else:
        drawn = list(islice(_refused(options), options.count))
    for number, (typed, ran) in enumerate(drawn):
        message = _PATCH.sub("patch.txt", ran.message).encode()
        place = options.into / f"{number:02}"
        write_tree(place, {"patch.txt": typed.patch, "message.txt": message})
    (options.into / _NAMES).write_text(json.dumps([typed.name for typed, _ in drawn]))


def _refused(options: argparse.Namespace) -> Iterator[tuple[Typed, Ran]]:
    """Yield the cases that are refused, and have something to mend."""
    tool, skipping = _program(options), _program(options, "--skip-applied")
    for typed in _in_turn(options.cases, options.seed):
        if any(_tried(typed)[:2]) and not run(skipping, typed.base, typed.patch).success:
            ran = run(tool, typed.base, typed.patch)
            if not ran.success:
                yield typed, ran


def _named(options: argparse.Namespace) -> Iterator[Typed]:
    names = json.loads((options.same / _NAMES).read_text())
    return (Typed.load(options.cases / name) for name in names)


def _in_turn(cases: Path, seed: str) -> Iterator[Typed]:
    """All cases in a random order, the sources in turn."""
    sources: dict[str, list[Typed]] = {}
    for typed in map(Typed.load, sorted(cases.iterdir())):
        sources.setdefault(_source(typed), []).append(typed)
    shuffled = [Random(f"{seed}:{name}").sample(each, len(each)) for name, each in sources.items()]
    return filter(None, chain.from_iterable(zip_longest(*shuffled)))


def _source(typed: Typed) -> str:
    return typed.source.partition("\n")[0]


def _judge(options: argparse.Namespace) -> None:
    tool = _program(options)
    names = json.loads((options.into / _NAMES).read_text())
    sources: dict[str, Counter[Verdict]] = {}
    for number, name in enumerate(names):
        typed, answer = Typed.load(options.cases / name), options.into / f"{number:02}/answer.txt"
        verdict = judge(tool, typed, answer.read_bytes() if answer.is_file() else b"")
        sources.setdefault(_source(typed), Counter())[verdict] += 1
        if options.list:
            print(f"{number:02} {name}: {verdict.value}")
    whole = sum(sources.values(), Counter[Verdict]())
    rows = {(title,): counts for title, counts in {**sources, "all": whole}.items()}
    print(*counted(["source"], list(Verdict), rows), sep="\n")
    print(f"{whole[Verdict.LANDED]} of {len(names)} landed")


def judge(tool: Tool, typed: Typed, answer: bytes) -> Verdict:
    """Apply an answer, and compare what came with what the first try adds."""
    if not answer.strip():
        return Verdict.NONE
    ran = run(tool, typed.base, answer)
    if not ran.success:
        return Verdict.REFUSED
    wanted, removed, context = _tried(typed)
    before, after = _lines(typed.base), _lines(ran.files)
    if not wanted:
        wanted, before, after = removed, after, before
    came = {*(after - before)}
    alike = {line: other for line in wanted - came for other in came if _is_like(line, other)}
    missing, landed = wanted - came - {*before, *alike}, (wanted & came) or alike
    surplus = came - wanted - context - {*alike.values()}
    most = len(wanted) / _OTHERWISE
    is_same = landed and len(missing) <= most and len(surplus) <= most
    return Verdict.LANDED if is_same else Verdict.OTHER


Words = tuple[bytes, ...]
"""The words of a line."""


def _tried(typed: Typed) -> tuple[set[Words], set[Words], set[Words]]:
    """Return the distinct lines that a first try adds, removes, and has as context, by words."""
    sections = read_sections(typed.patch)
    added = {_words(line) for each in sections for line in each.plus} - {()}
    removed = {_words(line) for each in sections for line in each.minus} - {()}
    lines = (line for each in sections for hunk in each.hunks for line in hunk)
    context = {_words(line) for line in lines if line[:1] not in (b"+", b"-")}
    return added - removed, removed - added, context | (added & removed)


def _words(line: bytes) -> Words:
    return tuple(_WORD.findall(line))


def _lines(tree: Tree) -> Counter[Words]:
    return Counter(filter(None, (_words(line) for t in tree.values() for line in t.split(b"\n"))))


def _is_like(line: Words, other: Words) -> bool:
    same = (Counter(line) & Counter(other)).total()
    return _OTHERWISE * same >= (_OTHERWISE - 1) * max(len(line), len(other))


if __name__ == "__main__":
    main()
