"""Compare `git opatch apply` with Codex's apply_patch on mutated scenarios of the envelope.

    npm install --prefix DIR @openai/codex
    python benchmarks/differential.py --codex DIR/node_modules/.bin/codex [--count N] [--seed S]

Interrupted, it prints what it has.

Each scenario is mutated by one operator at a random line, and given to both with the same files. A
group is what Codex did, and what git opatch did: applied, with the same files or with others, or
refused, with the reason. Codex is not the reference: it searches for lines that are
alike from the top, and takes the first. Where it applies and we do not, or the results differ, a
group is a defect or a decision.
"""

from __future__ import annotations

import itertools
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import peers

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from scenario import read_scenario

from arguments import parser_of
from trees import Tree
from trial import Ran, plan, run_tool

_SCENARIOS = Path(__file__).resolve().parents[1] / "tests" / "scenarios"
_QUOTED = re.compile(r"`[^`]*`|\d+(?:, \d+)*|line \d+.*?: ")
_MARK = "*** "

_VIEWS: dict[str, Callable[[str], object]] = {
    "the same": str,
    "other newlines at the end": lambda text: text.rstrip("\n"),
    "other line endings": lambda text: text.replace("\r", "").rstrip("\n"),
    "another indentation": lambda text: [line.strip() for line in text.split("\n")],
    "other whitespace": lambda text: text.split(),
    "other order": lambda text: sorted(text.split()),
}
"""In what files may differ, from the least to the most: how they look without it."""


class Case(NamedTuple):
    """Files and an envelope for them."""

    name: str
    files: Tree
    patch: str


Operator = Callable[[list[str], int], object]


def _on_line(rewrite: Callable[[str], str]) -> Operator:
    def operator(lines: list[str], at: int) -> None:
        lines[at] = rewrite(lines[at])

    return operator


def _on_all(rewrite: Callable[[str], str]) -> Operator:
    def operator(lines: list[str], _at: int) -> None:
        lines[:] = map(rewrite, lines)

    return operator


def _swap(lines: list[str], at: int) -> None:
    lines[at : at + 2] = reversed(lines[at : at + 2])


def _cut(lines: list[str], at: int) -> None:
    del lines[at:]


def _anchored(lines: list[str], _at: int) -> None:
    """Give each bare header the first line of its hunk as its anchor."""
    for at, line in enumerate(lines[:-1]):
        if line == "@@" and lines[at + 1][:1] == " ":
            lines[at] = f"@@ {lines[at + 1][1:].strip()}"


def _without_headers(lines: list[str], _at: int) -> None:
    lines[:] = [line for line in lines if line != "@@"]


def _twice(lines: list[str], _at: int) -> None:
    lines[1:1] = lines[1:-1]


def _heredoc(lines: list[str], _at: int) -> None:
    lines[:] = ["<<'EOF'", *lines, "EOF"]


def _dedented(line: str) -> str:
    return line[:1] + line[1:].lstrip()


def _typeset(line: str) -> str:
    return line.replace("'", "\u2019").replace('"', "\u201d").replace(" - ", " \u2014 ")


OPERATORS: dict[str, Operator] = {
    "a line is dropped": lambda lines, at: lines.pop(at),
    "a line is repeated": lambda lines, at: lines.insert(at, lines[at]),
    "two lines are swapped": _swap,
    "a blank line is added": lambda lines, at: lines.insert(at, ""),
    "spaces at the end": _on_line(lambda line: line + "  "),
    "a prefix is lost": _on_line(lambda line: line[1:]),
    "a line is deeper": _on_line(lambda line: line[:1] + "  " + line[1:]),
    "a line is not indented": _on_line(_dedented),
    "no line is indented": _on_all(
        lambda line: _dedented(line) if line.startswith((" ", "-", "+")) else line
    ),
    "typographic quotes": _on_line(_typeset),
    "upper case": _on_line(str.upper),
    "the end is cut off": _cut,
    "no anchors": _on_all(lambda line: "@@" if line.startswith("@@") else line),
    "anchors": _anchored,
    "numbers": _on_all(lambda line: "@@ -1,3 +1,3 @@" if line == "@@" else line),
    "no `@@`": _without_headers,
    "CRLF": _on_all(lambda line: line + "\r"),
    "all sections twice": _twice,
    "a heredoc": _heredoc,
    "a line is shifted": _on_line(lambda line: f"  {line}"),
    "nothing": lambda _lines, _at: None,
}


def main() -> None:
    """Run both programs and print the groups."""
    parser = parser_of(__doc__)
    peers.add_options(parser)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    tools = peers.find_tools(["codex"], arguments)
    groups: dict[tuple[str, str], list[tuple[str, str]]] = {}
    cases = _mutate(_read_cases(), arguments.count, random.Random(arguments.seed))
    with suppress(KeyboardInterrupt):
        for (operator, case), tool in itertools.product(cases, tools):
            patch = case.patch.encode()
            group = _judge(run_tool(tool, case.files, patch), plan(peers.OWN, case.files, patch))
            groups.setdefault(group, []).append((operator, case.name))
    _print_groups(groups)


def _print_groups(groups: dict[tuple[str, str], list[tuple[str, str]]]) -> None:
    print("| Codex | git opatch | cases | most mutations | such as |")
    print("| --- | --- | --- | --- | --- |")
    for (theirs, ours), members in sorted(groups.items(), key=lambda item: -len(item[1])):
        operators = Counter(operator for operator, _ in members).most_common(2)
        shown = ", ".join(f"{operator} {count}" for operator, count in operators)
        (name, _), *_ = Counter(name for _, name in members).most_common(1)
        print(f"| {theirs} | {ours} | {len(members)} | {shown} | {name} |")


def _read_cases() -> list[Case]:
    """Return the scenarios that are an envelope alone, for files of text."""
    cases = []
    for path in sorted((_SCENARIOS / "envelope").glob("*.txt")):
        scenario = read_scenario(path.read_bytes())
        given, entries = scenario.texts["given"], scenario.before
        is_plain = all(mode == "100644" for mode, _ in entries.values())
        if "command" in scenario.head or not is_plain or not given.startswith(b"*** Begin Patch"):
            continue
        with suppress(UnicodeDecodeError):
            files = {name: data.decode().encode() for name, (_, data) in entries.items()}
            cases.append(Case(path.stem, files, given.decode()))
    return cases


def _mutate(cases: Sequence[Case], count: int, chance: random.Random) -> Iterator[tuple[str, Case]]:
    """Yield mutated cases that differ from the given ones."""
    while count:
        operator, case = chance.choice(list(OPERATORS)), chance.choice(cases)
        lines = case.patch.splitlines()
        inner = [at for at, line in enumerate(lines) if not line.startswith(_MARK)]
        if not inner:
            continue
        OPERATORS[operator](lines, chance.choice(inner))
        patch = "\n".join(lines) + "\n"
        if patch != case.patch or operator == "nothing":
            count -= 1
            yield operator, case._replace(patch=patch)


def _judge(theirs: Ran, ours: Ran) -> tuple[str, str]:
    """Return what each did, in words."""
    if not theirs.success:
        return "refused", "applied" if ours.success else "refused"
    if not ours.success:
        return "applied", f"refused ({_QUOTED.sub('…', ours.message.removeprefix('error: '))[:90]})"
    return "applied", _difference(theirs.files, ours.files)


def _difference(theirs: Tree, ours: Tree) -> str:
    """Say in what the files differ, from the least to the most."""
    for name, view in _VIEWS.items():
        first, second = (
            {path: view(data.decode()) for path, data in tree.items()} for tree in (theirs, ours)
        )
        if first == second:
            return name
    return "other lines"


if __name__ == "__main__":
    main()
