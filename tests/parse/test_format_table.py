"""Only the table of formats, and a format's own module, know how its patches begin and end."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import git_opatch
from git_opatch.model.options import Format
from git_opatch.parse.grammar import FORMATS

_PARSE = Path(git_opatch.__file__).parent / "parse"
_TABLE = _PARSE / "grammar.py"
MARKS = {
    Format.ENVELOPE: r"\bbegin.{0,9}patch|\bend.{0,16}patch|(?<![*\\])\*\*\*(?!\*)"
    r"|\\\*\\\*\\\*(?! \\d)|\\\*\{2",
    Format.UNIFIED: r"diff --git",
    Format.SEARCH_REPLACE: r"<<<<|>>>>|<\{\d|>\{\d",
    Format.FILE_CHANGES: r"file_?changes",
}
"""How a marker looks in a literal or in a pattern."""


def _literals(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the strings of a module, with their lines; docstrings are none."""
    tree = ast.parse(path.read_text())
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in documents:
            if isinstance(node.value, bytes):
                yield node.lineno, node.value.decode("latin-1")
            elif isinstance(node.value, str):
                yield node.lineno, node.value


def _module(name: Format) -> Path:
    return _PARSE / f"{FORMATS[name].module}.py"


@pytest.mark.parametrize("name", MARKS)
def test_a_marker_is_in_the_table_and_in_its_module_alone(name: Format) -> None:
    modules = set(_PARSE.glob("*.py")) - {_TABLE, _module(name)}
    pattern = re.compile(MARKS[name], re.IGNORECASE)
    found = [
        f"{module.relative_to(_PARSE)}:{number}: {text}"
        for module in sorted(modules)
        for number, text in _literals(module)
        if pattern.search(text)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", MARKS)
def test_the_marker_of_a_format_is_recognized(name: Format) -> None:
    texts = [text for module in (_TABLE, _module(name)) for _, text in _literals(module)]
    assert any(re.search(MARKS[name], text, re.IGNORECASE) for text in texts)
