"""Weigh the code: tokens by package and by module, without comments, docstrings and layout.

    python tests/support/weight.py [--write]

Prints the tokens of each package, in thousands. With --write, the table of docs/architecture.md
gets these figures, rounded up, and that of docs/decisions.md those of its modules. What is a limit
is raised by a commit of its own, which says why.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections import Counter
from pathlib import Path

TOP = Path(__file__).parents[2]
PACKAGE = TOP / "git_opatch"
ARCHITECTURE, DECISIONS = TOP / "docs/architecture.md", TOP / "docs/decisions.md"
ROW = re.compile(r"(?m)^\| `([\w./]+)` \|(.*)\| ([\d.]+) \|$")
"""A row of the table of packages: its name, what it does, and its limit in thousands of tokens."""
_RULE = re.compile(r"(?m)^(\| D\d+ \|[^|]*\| )([\w/]+\.py)( \|)[^|]*\|")

_LAYOUT = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}
_ENDS = {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


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


def weigh() -> Counter[str]:
    """Return the tokens of each package, of the tests and of the benchmarks, as they are here."""
    found = Counter[str]()
    for path in PACKAGE.rglob("*.py"):
        first, *rest = path.relative_to(PACKAGE).parts
        name = f"{first}/" if rest else first if first == "journal.py" else "__main__.py"
        found[name] += tokens(path.read_text("utf-8"))
    for name in ("tests", "benchmarks"):
        sources = (path.read_text("utf-8") for path in (TOP / name).rglob("*.py"))
        found[f"{name}/"] = sum(map(tokens, sources))
    return found


def _write(found: Counter[str]) -> None:
    text = ROW.sub(
        lambda row: f"| `{row[1]}` |{row[2]}| {-(-found[row[1]] // 100) / 10:.1f} |",
        ARCHITECTURE.read_text(),
    )
    ARCHITECTURE.write_text(text)
    text = _RULE.sub(
        lambda row: f"{row[1]}{row[2]}{row[3]} {_of_module(row[2])} |", DECISIONS.read_text()
    )
    DECISIONS.write_text(text)


def _of_module(name: str) -> str:
    return f"{tokens((PACKAGE / name).read_text('utf-8')) / 1000:.1f}k"


if __name__ == "__main__":
    weighed = weigh()
    inside = sum(count for name, count in weighed.items() if name not in ("tests/", "benchmarks/"))
    for package, count in sorted(weighed.items()):
        print(f"{count / 1000:7.1f}  {package}")
    print(f"{inside / 1000:7.1f}  git_opatch/")
    if "--write" in sys.argv[1:]:
        _write(weighed)
