"""Count how many texts that nobody of us wrote reach each row of the ledger.

    python benchmarks/reach.py --real DIR --typed DIR --late CLONE... [--seed 7] [--write]

Needs `coverage`. A text reaches a row where it runs a fifth of the lines in the functions of the
row's modules. Each text is planned in memory; with one in `--every` a session of the program goes
through a repository of its own, too (show, apply, log, undo, apply as JSON): only these can reach
what reads and writes repositories. The directories are of `collect_sessions.py` and
`collect_diffs.py`; late patches are drawn as by `travel.py`; the others are the scenarios, by their
sources. With --write, docs/ledger.md gets the figures.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from coverage import Coverage, CoverageData

from arguments import parser_of
from model_diffs import Typed
from peers import OWN
from real_patches import Real
from suite import sources
from travel import draw
from trees import Tree
from trial import plan, run_tool

from weight import LEDGER, PACKAGE, ROW, read_ledger  # isort: skip - `suite` says where it is

KINDS = ["envelopes", "edits", "typed", "late", "documents", "pages"]
"""Of Codex and Claude Code; diffs; late patches; scenarios of a document, or of a public page."""
SHARE = 5
"""A text reaches a row if it runs one in so many lines of the row's functions."""
_LATE = 500
_SESSION = """\
import sys
from git_opatch.cli.main import register, run, words_of
register()
for words in (["show", sys.argv[1]], ["apply", sys.argv[1]], ["log"], ["undo"]):
    run(words_of(words))
run(words_of(["apply", "--json", sys.argv[1]]))
"""


class Given(NamedTuple):
    """A text, its kind, and the files that it was written for."""

    kind: str
    patch: bytes
    base: Tree


def main() -> None:
    """Run every text, and print how many of each kind reach each row."""
    texts = list(_texts(options := _options()))
    with tempfile.TemporaryDirectory(prefix="reach-") as directory:
        counts = _count(_run(texts, options.every, Path(directory)))
    for name, count in counts.items():
        print(f"{name}: " + ", ".join(f"{kind} {count[kind]}" for kind in KINDS))
    print("all: ", Counter(text.kind for text in texts))
    if options.write:
        rows = iter(counts.values())
        text = ROW.sub(
            lambda row: "".join(row.groups()[:5]) + _cells(next(rows)), LEDGER.read_text()
        )
        LEDGER.write_text(text)


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("--real", type=Path, required=True, help="what models sent to clients")
    parser.add_argument("--typed", type=Path, required=True, help="diffs that models typed")
    parser.add_argument("--late", type=Path, nargs="+", required=True, help="repositories")
    parser.add_argument("--seed", default="7", help="of the late patches (7)")
    parser.add_argument("--every", type=int, default=20, help="one in so many is applied (20)")
    parser.add_argument("--write", action="store_true", help="write docs/ledger.md")
    return parser.parse_args()


def _texts(options: argparse.Namespace) -> Iterator[Given]:
    for real in map(Real.load, sorted(options.real.iterdir())):
        yield Given("edits" if real.patch.startswith(b"{") else "envelopes", real.patch, real.base)
    for typed in map(Typed.load, sorted(options.typed.iterdir())):
        yield Given("typed", typed.patch, typed.base)
    for late in itertools.islice(draw(options.late, options.seed), _LATE):
        yield Given("late", late.text.encode(), {late.change.path: late.versions[-1]})
    for name, scenario in sources():
        if name.startswith("scenarios/"):
            kind = "pages" if "://" in scenario.head["source"] else "documents"
            base = {path: data for path, (_, data) in scenario.before.items()}
            yield Given(kind, scenario.texts["given"], base)


def _run(texts: Sequence[Given], every: int, area: Path) -> CoverageData:
    """Run the texts; the context of a line is the kind and the number of the text that ran it."""
    cover = Coverage(data_file=str(area / "data"), include=[f"{PACKAGE}/*"])
    cover.start()
    for number, text in enumerate(texts):
        cover.switch_context(f"{text.kind} {number}")
        plan(OWN, text.base, text.patch)
    cover.stop()
    cover.save()
    data, session = cover.get_data(), area / "session.py"
    session.write_text(_SESSION)
    for number in range(0, len(texts), every):
        kind, patch, base = texts[number]
        written = area / f"data-{number}"
        words = [
            *("-m", "coverage", "run", f"--data-file={written}", f"--context={kind} {number}"),
            *(f"--include={PACKAGE}/*", str(session)),
        ]
        run_tool(replace(OWN, start=(sys.executable, *words)), base, patch)
        part = CoverageData(basename=str(written))
        part.read()
        data.update(part)
    return data


def _count(data: CoverageData) -> dict[str, Counter[str]]:
    """Count the texts of each kind that reach a row."""
    counts = {}
    for row in read_ledger():
        ran, size = Counter[str](), 0
        for module in row.modules:
            path = PACKAGE / module
            contexts, lines = data.contexts_by_lineno(str(path)), _lines(path)
            size += len(lines)
            ran.update(context for line in lines for context in contexts.get(line, ()) if context)
        reached = (context for context, count in ran.items() if count * SHARE >= size)
        counts[row.name] = Counter(context.split()[0] for context in reached)
    return counts


def _lines(path: Path) -> set[int]:
    """The lines at which the statements in functions of a module begin."""
    return {
        statement.lineno
        for function in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(function, ast.FunctionDef)
        for statement in ast.walk(function)
        if isinstance(statement, ast.stmt) and statement is not function
    }


def _cells(count: Counter[str]) -> str:
    return "".join(f" {count[kind] or '-'} |" for kind in KINDS)


if __name__ == "__main__":
    main()
