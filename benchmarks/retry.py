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

An answer has landed if it applies, and the lines that came are those that the first try adds: at
most a fifth of them are missing, and at most as many came besides. Blank lines and whitespace
around a line do not count. A first try that only removes is judged by the lines that went.
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
from model_diffs import Typed, read_sections, run, split_lines
from peers import OWN, Tool
from table import counted
from trees import Tree, write_tree

_OTHERWISE = 5
"""One line in so many may be another one."""
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


def _program(options: argparse.Namespace) -> Tool:
    return replace(OWN, start=(*shlex.split(options.opatch), "apply"))


def _draw(options: argparse.Namespace) -> None:
    tool = _program(options)
    every = _named(options) if options.same else _in_turn(options.cases, options.seed)
    tried = ((typed, run(tool, typed.base, typed.patch)) for typed in every)
    refused = (pair for pair in tried if options.same or not pair[1].success)
    drawn = list(islice(refused, None if options.same else options.count))
    for number, (typed, ran) in enumerate(drawn):
        message = _PATCH.sub("patch.txt", ran.message).encode()
        place = options.into / f"{number:02}"
        write_tree(place, {"patch.txt": typed.patch, "message.txt": message})
    (options.into / _NAMES).write_text(json.dumps([typed.name for typed, _ in drawn]))


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
    sections = read_sections(typed.patch)
    plus = sum((each.plus for each in sections), Counter[bytes]())
    minus = sum((each.minus for each in sections), Counter[bytes]())
    wanted, came = _said(plus - minus), _beyond(ran.files, typed.base)
    if not wanted:
        wanted, came = _said(minus - plus), _beyond(typed.base, ran.files)
    most = wanted.total() / _OTHERWISE
    is_same = (wanted - came).total() <= most and (came - wanted).total() <= most
    return Verdict.LANDED if is_same else Verdict.OTHER


def _said(lines: Counter[bytes]) -> Counter[bytes]:
    return Counter({line: count for line, count in lines.items() if line})


def _beyond(tree: Tree, other: Tree) -> Counter[bytes]:
    """The lines that one tree has more than the other."""
    one, two = (Counter(chain.from_iterable(map(split_lines, t.values()))) for t in (tree, other))
    return _said(one - two)


if __name__ == "__main__":
    main()
