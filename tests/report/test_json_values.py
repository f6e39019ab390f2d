"""docs/json.md names every value of an enum, and its tables have every object."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import git_opatch
from git_opatch.report.fields import TABLES

_PACKAGE = Path(git_opatch.__file__).parent
_SCHEMA = json.loads((_PACKAGE / "report/schema.json").read_text())
_PAGE = (_PACKAGE.parent / "docs/json.md").read_text()
_INCLUDED = {"position"}
"""Tables that only others have the fields of."""


def _enums(node: Any, name: str = "") -> Iterator[tuple[str, list[Any]]]:
    """Yield the enums of a part of the schema, each with the name of its field."""
    if isinstance(node, dict):
        if "enum" in node:
            yield name, node["enum"]
        for key, value in node.items():
            yield from _enums(value, key if key not in ("items", "anyOf") else name)
    elif isinstance(node, list):
        for value in node:
            yield from _enums(value, name)


_VALUES = {name: values for name, values in _enums(_SCHEMA) if name != "prefix"}


@pytest.mark.parametrize("field", _VALUES)
def test_the_page_has_every_value_of_an_enum(field: str) -> None:
    assert [value for value in _VALUES[field] if f"`{value}`" not in _PAGE] == []


def test_the_page_has_every_object() -> None:
    listed = " ".join(re.findall("<!-- fields of ([^>]+) ", _PAGE))
    assert TABLES.keys() - set(re.findall(r"\w+", listed)) == _INCLUDED
