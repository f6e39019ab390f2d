"""The schema and docs/json.md have every member of the enums that a document is made of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

import git_opatch
from git_opatch.model.errors import FixIt, Kind
from git_opatch.model.extent import Mark, Means
from git_opatch.model.options import Tier
from git_opatch.model.patch import Operation, Prefix
from git_opatch.model.placement import Evidence
from git_opatch.model.sentences import Reason
from git_opatch.report.document import Status
from git_opatch.report.values import CHANGES

_PACKAGE = Path(git_opatch.__file__).parent
_SCHEMA = json.loads((_PACKAGE / "report/schema.json").read_text())


def _values(kind: type[Enum]) -> list[str]:
    return [str(member.value) for member in kind]


_TABLE = {
    "status": _values(Status),
    "kind": _values(Kind),
    "reason": _values(Reason),
    "mark": _values(Mark),
    "use": _values(Means),
    "tier": _values(Tier),
    "evidence": [member.name.lower() for member in Evidence],
    "change": [*CHANGES.values()],
    "action": _values(FixIt),
    "operation": _values(Operation),
    "prefix": _values(Prefix),
}
"""What a field may be, by its name."""


def _enums(node: Any, name: str = "") -> Iterator[tuple[str, list[Any]]]:
    """Yield the enums of a part of the schema, each with the name of its field."""
    if isinstance(node, dict):
        if "enum" in node or "const" in node:
            yield name, node.get("enum", [node.get("const")])
        for key, value in node.items():
            yield from _enums(value, key if key not in ("items", "anyOf") else name)
    elif isinstance(node, list):
        for value in node:
            yield from _enums(value, name)


@pytest.mark.parametrize("field", _TABLE)
def test_the_schema_has_what_the_code_has(field: str) -> None:
    known = [{*values} - {None} for name, values in _enums(_SCHEMA) if name == field]
    assert known
    assert {*_TABLE[field]} <= set().union(*known)


@pytest.mark.parametrize("field", [name for name in _TABLE if name != "prefix"])
def test_the_page_has_what_the_code_has(field: str) -> None:
    page = (_PACKAGE.parent / "docs/json.md").read_text()
    assert [value for value in _TABLE[field] if f"`{value}`" not in page] == []
