"""The objects of JSON as tables of fields, which are in `fields.txt`.

A row is a field: its name (`?` if it may be missing), its kind, what of an object it has, and its
words; `*` stands for the fields of another table. Values are made here; `manual/json_fields.py`
makes the schema and the tables of docs/json.md.

Text is given as it is. Bytes that are not UTF-8 are escaped in it, which cannot be distinguished
from text that reads so; the bytes themselves are then in `NAME_base64`.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from git_opatch import journal
from git_opatch.model import errors, options, patch, picture
from git_opatch.model.patch import Prefix
from git_opatch.model.placement import Evidence
from git_opatch.model.sentences import Reason
from git_opatch.plan import reversal
from git_opatch.report import CHANGES, outcome
from git_opatch.report.outcome import Status

Fields = dict[str, Any]
ANY = "~"
"""The prefix of removed lines that a patch does not show."""
_LEFT_OUT = object()
_MODULES = (errors, picture, options, patch, journal, reversal, outcome)
_CLASSES = [kind for module in _MODULES for kind in vars(module).values() if isinstance(kind, type)]


class Shape(NamedTuple):
    """A kind of values: by JSON Schema, how one is rendered, and what is there if none is known."""

    schema: Mapping[str, Any]
    render: Callable[[Any], Any]
    empty: Any = None


def plain(value: bytes | str) -> str:
    """Decode `value` for JSON; a byte that is not UTF-8 becomes a backslash escape."""
    return _bytes(value).decode("utf-8", "backslashreplace")


def _bytes(value: bytes | str) -> bytes:
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")


def _encoded(value: bytes | str) -> object:
    """Encode `value` if it is not UTF-8, and so not what is shown; else it is left out."""
    if value.isascii() or plain(value).encode() == _bytes(value):
        return _LEFT_OUT
    return base64.b64encode(_bytes(value)).decode("ascii")


def _same(value: Any) -> Any:
    return value


def _iso(when: int) -> str:
    return datetime.fromtimestamp(when, UTC).isoformat().replace("+00:00", "Z")


def _by(kind: str) -> Mapping[str, Any]:
    return {"type": "object", "additionalProperties": {"type": kind}}


SHAPES = {
    "string": Shape({"type": "string"}, plain, ""),
    "name": Shape({"type": "string", "minLength": 1}, plain),
    "text": Shape({"type": "string"}, plain, ""),
    "base64": Shape({"type": "string", "contentEncoding": "base64"}, _encoded),
    "time": Shape({"type": "string", "format": "date-time"}, _iso),
    "flag": Shape({"type": "boolean"}, _same, True),
    "count": Shape({"type": "integer", "minimum": 0}, int),
    "number": Shape({"type": "integer", "minimum": 1}, int),
    "line number": Shape({"type": "integer", "minimum": 1}, lambda position: position + 1),
    "id": Shape({"type": ["string", "integer"]}, _same),
    "counts": Shape(_by("integer"), dict),
    "texts": Shape(_by("string"), dict),
}
"""The kinds that are not made of others; a line number is of a position, which counts from 0."""
_EMPTY_IS_NULL = ("string", "number")
"""Where "or null" is said of these kinds, an empty one and 0 are null."""
_ENUMS: Mapping[str, Mapping[Any, str]] = {
    **{
        kind.__name__: {member: member.value for member in kind}
        for kind in _CLASSES
        if issubclass(kind, Enum)
    },
    "Prefix": {**{prefix: prefix.value for prefix in Prefix}, ANY: ANY},
    "Evidence": {evidence: evidence.name.lower() for evidence in Evidence},
    "Change": CHANGES,
    "Reason": {
        reason: reason
        for reason in (
            *(reason.value for reason in Reason),
            *(kind.reason for kind in _CLASSES if issubclass(kind, errors.OpatchError)),
        )
    },
    "Shown": {Status.SHOWN: Status.SHOWN.value},
}
"""What JSON calls the members of enums."""


@cache
def shape_of(kind: str) -> Shape:
    """Return the shape of a kind: `string`, `list of file`, `one of Tier`, `fix or null`."""
    if base := kind.removesuffix(" or null") if kind.endswith(" or null") else "":
        return _or_null(shape_of(base), base in _EMPTY_IS_NULL)
    if kind.startswith("list of "):
        item = shape_of(kind.removeprefix("list of "))
        schema = {"type": "array", "items": item.schema}
        return Shape(schema, lambda values: [item.render(value) for value in values], [])
    if kind.startswith("one of "):
        words = _ENUMS[kind.removeprefix("one of ")]
        return Shape({"enum": [*words.values()]}, words.__getitem__)
    return SHAPES.get(kind) or Shape({"$ref": f"#/$defs/{kind}"}, TABLES[kind].values)


def _or_null(shape: Shape, empty_is_null: bool) -> Shape:
    render, schema = shape.render, {"anyOf": [shape.schema, {"type": "null"}]}
    if empty_is_null:
        return Shape(schema, lambda value: render(value) if value else None)
    return shape._replace(schema=schema, empty=None)


class Field(NamedTuple):
    """A field: its name, its kind, the path of attributes to what it has, and its words."""

    name: str
    kind: str
    path: tuple[str, ...]
    words: str
    required: bool = True

    def of(self, value: Any) -> Any:
        """Return what an object has of it; None where nothing is known."""
        for name in self.path:
            value = None if value is None else getattr(value, name)
        return value


class Table(NamedTuple):
    """The fields of an object, and what such an object is."""

    words: str
    fields: Sequence[Field]

    def values(self, value: Any) -> Fields:
        """Render an object."""
        found: Fields = {}
        for field in self.fields:
            shape, known = shape_of(field.kind), field.of(value)
            unknown = shape.empty if field.required else _LEFT_OUT
            shown = unknown if known is None else shape.render(known)
            if shown is not _LEFT_OUT:
                found[field.name] = shown
        return found


def _read() -> dict[str, Table]:
    known: dict[str, Table] = {}
    for block in Path(__file__).with_suffix(".txt").read_text("utf-8").split("\n\n"):
        head, *rows = block.splitlines()
        name, _, words = head.partition(": ")
        fields: list[Field] = []
        for row in rows:
            field, kind, place, said = (cell.strip() for cell in row.split(" |"))
            path = tuple(place.split(".")) if place else ()
            required, field = not field.endswith("?"), field.removesuffix("?")
            if field == "*":
                of = known[kind].fields
                fields += [field._replace(path=(*path, *field.path)) for field in of]
            else:
                fields.append(Field(field, kind, path or (field,), said, required))
        known[name] = Table(words, fields)
    return known


TABLES = _read()
