"""Weigh the code: tokens by package and by module, without comments, docstrings and layout.

    python tests/support/weight.py [--write]

Prints the tokens of each package, in thousands, beside its limit in docs/architecture.md. With
--write, the table of docs/decisions.md gets the tokens of its modules.
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
SLACK = 1.03
"""A row may be this many times its limit, so that a change pays where it is made."""
WHOLE = "git_opatch/"
_QUESTIONS = {
    "plan/bytes": ("bytes_on_disk.py", "filtered_files.py", "preflight.py"),
    "plan/merge": ("merge.py", "reversal.py", "three_way.py", "versions.py"),
}
"""Modules of a package with several questions, each of which has a row of its own."""
_ROW_OF = {
    f"{name.partition('/')[0]}/{module}": name
    for name, modules in _QUESTIONS.items()
    for module in modules
}
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
    """Return the tokens of each package, of all of them, of the tests and of the benchmarks."""
    found = Counter[str]()
    for path in PACKAGE.rglob("*.py"):
        first, *rest = path.relative_to(PACKAGE).parts
        name = f"{first}/" if rest else first if first == "journal.py" else "__main__.py"
        found[_ROW_OF.get("/".join((first, *rest)), name)] += tokens(path.read_text("utf-8"))
    found[WHOLE] = found.total()
    for name in ("tests", "benchmarks"):
        sources = (path.read_text("utf-8") for path in (TOP / name).rglob("*.py"))
        found[f"{name}/"] = sum(map(tokens, sources))
    return found


def read_limits() -> dict[str, int]:
    """Return the limit of each row, in tokens."""
    rows = ROW.findall(ARCHITECTURE.read_text())
    return {name: round(float(limit) * 1000) for name, _, limit in rows}


def _of_module(name: str) -> str:
    return f"{tokens((PACKAGE / name).read_text('utf-8')) / 1000:.1f}k"


if __name__ == "__main__":
    limits = read_limits()
    for package, count in sorted(weigh().items()):
        print(f"{count / 1000:7.1f} of {limits[package] / 1000:5.1f}  {package}")
    if "--write" in sys.argv[1:]:
        text = _RULE.sub(
            lambda row: f"{row[1]}{row[2]}{row[3]} {_of_module(row[2])} |", DECISIONS.read_text()
        )
        DECISIONS.write_text(text)
