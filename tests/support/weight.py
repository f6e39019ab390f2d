"""Weigh the code: tokens by capability, without comments, docstrings and layout.

    python tests/support/weight.py [--write]

Prints the tokens of each row of docs/ledger.md, in thousands. With --write, the tables of
docs/ledger.md and docs/decisions.md get the tokens of their modules.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

TOP = Path(__file__).parents[2]
PACKAGE = TOP / "git_opatch"
LEDGER, DECISIONS = TOP / "docs/ledger.md", TOP / "docs/decisions.md"
SLACK = 1.03
"""The whole may be this many times its limit, so that a change pays where it is made."""
ROW = re.compile(r"(?m)^(\| [^|`]+ \| )(`[^|]+`)( \| )([\d.]+)( \| [^|]* \|)(.*\|)$")
"""A row of the ledger: its name, modules, tokens, who asked, and how many texts reach it."""
_LIMIT = re.compile(r"(?m)^\| `(\w+/)` \| ([\d.]+) \|$")
_RULE = re.compile(r"(?m)^(\| D\d+ \|[^|]*\| )([\w/]+\.py)( \|)[^|]*\|")

_LAYOUT = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}
_ENDS = {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


@dataclass(frozen=True)
class Capability:
    """A row of the ledger: what a user can name, and the modules that are there for it alone."""

    name: str
    modules: tuple[str, ...]

    @property
    def weight(self) -> int:
        """The tokens of its modules."""
        return sum(tokens((PACKAGE / module).read_text("utf-8")) for module in self.modules)


def tokens(source: str) -> int:
    """Count the tokens of a module; a string that is a statement of its own is a docstring."""
    found = [
        token
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in (tokenize.COMMENT, tokenize.NL)
    ]
    kinds = [tokenize.NEWLINE, *(token.type for token in found), tokenize.NEWLINE]
    return sum(
        kind not in _LAYOUT
        and not (kind == tokenize.STRING and before in _ENDS and after == tokenize.NEWLINE)
        for before, kind, after in zip(kinds, kinds[1:], kinds[2:], strict=False)
    )


def modules() -> list[str]:
    """Return the modules of the program that have code, as paths below its package."""
    sources = {path: path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
    return [str(path.relative_to(PACKAGE)) for path, source in sources.items() if tokens(source)]


def read_ledger() -> list[Capability]:
    """Return the rows of the ledger. A star stands for the modules that no other row names."""
    known, rows = modules(), ROW.findall(LEDGER.read_text("utf-8"))
    named = {module for _, cell, *_ in rows for module in _names(cell) if "*" not in module}
    return [
        Capability(
            before.strip("| "),
            tuple(
                module
                for name in _names(cell)
                for module in ([name] if "*" not in name else known)
                if fnmatchcase(module, name) and (module == name or module not in named)
            ),
        )
        for before, cell, *_ in rows
    ]


def _names(cell: str) -> Iterator[str]:
    for name in re.findall(r"`([^`]+)`", cell):
        yield name if name.endswith("*") else f"{name}.py"


def read_limits() -> dict[str, int]:
    """Return what the program, its tests and its benchmarks may weigh, in tokens."""
    return {name: round(float(limit) * 1000) for name, limit in _LIMIT.findall(LEDGER.read_text())}


def weigh() -> dict[str, int]:
    """Return what the program, its tests and its benchmarks weigh, in tokens."""
    return {
        name: sum(tokens(path.read_text("utf-8")) for path in (TOP / name).rglob("*.py"))
        for name in read_limits()
    }


def _thousands(count: int) -> str:
    return f"{count / 1000:.1f}"


def _write() -> None:
    weights = iter([_thousands(row.weight) for row in read_ledger()])
    ledger = ROW.sub(
        lambda row: "".join([*row.groups()[:3], next(weights), row[5], row[6]]),
        LEDGER.read_text("utf-8"),
    )
    LEDGER.write_text(ledger, "utf-8")
    text = _RULE.sub(
        lambda row: (
            row[1] + row[2] + row[3] + f" {_thousands(Capability('', (row[2],)).weight)}k |"
        ),
        DECISIONS.read_text("utf-8"),
    )
    DECISIONS.write_text(text, "utf-8")


if __name__ == "__main__":
    for capability in read_ledger():
        print(f"{_thousands(capability.weight):>7}  {capability.name}")
    limits = read_limits()
    for name, count in weigh().items():
        print(f"{_thousands(count):>7} of {_thousands(limits[name])}  {name}")
    if "--write" in sys.argv[1:]:
        _write()
