"""The structure of a file is read once, however long it is and however deep it nests."""

from __future__ import annotations

import time

import pytest

from git_opatch import apply_to_text

_SECONDS = 30  # a hundred times what it takes; each beginning by itself would take hours
_UNITS = {
    "c": ["/* ", "'\\'"],
    "rs": ['r#" ', 'r##" "# '],
    "js": ["(/[a ", '"\\"', "`\\`"],
    "py": ['"""\\"'],
}


def applied(path: str, content: str, hunk: str) -> str:
    text = f"*** Begin Patch\n*** Update File: {path}\n@@\n{hunk}*** End Patch\n"
    return apply_to_text(text, {path: content})[path]


@pytest.mark.one_of(3)
@pytest.mark.parametrize(("kind", "unit"), [(kind, one) for kind in _UNITS for one in _UNITS[kind]])
@pytest.mark.parametrize("end", ["", "\n"], ids=["in a line", "in lines"])
def test_what_is_not_closed_is_read_once(kind: str, unit: str, end: str) -> None:
    """Not once for each of its beginnings, of which a file may have very many."""
    content = "head\nport = (1\n" + (unit + end) * 50_000 + "\n"
    start = time.process_time()
    changed = applied(f"f.{kind}", content, " head\n-port = (1\n+port = 1\n")
    assert time.process_time() - start < _SECONDS
    assert changed == content.replace("(1", "1", 1)


def test_quotes_that_nothing_closes_are_read_once() -> None:
    content = 'x\\"""\n' * 20_000 + "if a:\n    b\n" + '\\"' * 50_000 + "\n"
    assert "    c\n" in applied("a.py", content, " if a:\n+    c\n     b\n")


def test_brackets_that_nest_too_deep_are_not_judged() -> None:
    content = "a = " + "(" * 5000 + ")" * 5000 + "\nb = 1\n"
    assert applied("a.py", content, "-b = 1\n+  b = 2\n").endswith("  b = 2\n")
