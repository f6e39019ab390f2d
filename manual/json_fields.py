"""Make the schema of `--json`, and the tables of docs/json.md, from the tables of fields."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from git_opatch.report.fields import TABLES, Field, shape_of

_PLACE = re.compile(r"(?s)(<!-- fields of ([\w, ]+?)(?: beyond (\w+))? -->\n).*?(<!-- end -->)")
_DOCUMENTS = ("outcome", "checks", "log")
_WORDS = {"boolean": "true or false", "integer": "number"}
_CLOSED = {"additionalProperties": False}
"""Of what is given: a field that is not known is refused."""
_REPOSITORY, _BASE = {"required": ["repository"]}, {"required": ["base"]}
_OF_TASK: dict[str, Any] = {
    **_CLOSED,
    "allOf": [
        {"oneOf": [{"required": ["patch"]}, {"required": ["patch_file"]}]},
        {
            "oneOf": [
                {"required": ["repository", "base"]},
                {"required": ["files"], "not": {"anyOf": [_REPOSITORY, _BASE]}},
            ]
        },
    ],
}


def schema() -> str:
    """Make the schema: a document is one of three, with what every document begins with."""
    head = TABLES["document"].fields
    documents = [_object(name, [*head, *TABLES[name].fields]) for name in _DOCUMENTS]
    others = [name for name in TABLES if name not in ("document", *_DOCUMENTS)]
    return _json(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": "https://github.com/git-opatch/git-opatch/blob/main/git_opatch/report/schema.json",
            "title": "What `git opatch COMMAND --json` prints",
            "description": "Fields may be added without a change of version. See docs/json.md.",
            "oneOf": documents,
            "$defs": {name: _object(name, TABLES[name].fields) for name in others},
        }
    )


def _json(value: object) -> str:
    return json.dumps(value, indent=1) + "\n"


def _object(name: str, fields: Sequence[Field]) -> dict[str, Any]:
    more = {"task": _OF_TASK, "options": _CLOSED}.get(name, {})
    return {
        "type": "object",
        "description": TABLES[name].words,
        "properties": {
            field.name: {**shape_of(field.kind).schema, "description": field.words}
            for field in fields
        },
        "required": [field.name for field in fields if field.required],
        **more,
    }


def with_fields(page: str) -> str:
    """Fill each place of the page with the fields of an object, perhaps beyond another's.

    Small objects share one place, whose heading is `Objects`.
    """
    small = [name for place in _PLACE.finditer(page) if "," in place[2] for name in _names(place)]

    def rows(name: str, first: str, without: Collection[str]) -> Iterator[str]:
        for field in TABLES[name].fields:
            if field.name not in without and field.kind != "base64":
                kind = _worded(shape_of(field.kind).schema, small)
                yield f"| {first}`{field.name}` | {kind} | {field.words} |\n"
                first = "| " if first else ""

    def fill(place: re.Match[str]) -> str:
        names = _names(place)
        known = {field.name for field in TABLES[place[3]].fields} if place[3] else ()
        shared = len(names) > 1
        head = "| object | field | | |\n| --- |" if shared else "| field | | |\n|"
        listed = [rows(name, f"`{name}` | " if shared else "", known) for name in names]
        table = "".join(chain.from_iterable(listed))
        return f"{place[1]}{head} --- | --- | --- |\n{table}{place[4]}"

    return _PLACE.sub(fill, page)


def _names(place: re.Match[str]) -> list[str]:
    return place[2].split(", ")


def _worded(schema: Mapping[str, Any], small: Collection[str]) -> str:
    """Word a schema for the page: an object by a link to its table."""
    if name := schema.get("$ref", "").rpartition("/")[2]:
        return f"[{name}](#{'objects' if name in small else name})"
    if "anyOf" in schema:
        return " or ".join(_worded(part, small) for part in schema["anyOf"])
    kind: Any = schema.get("type", "string")  # the members of an enumeration are strings
    if isinstance(kind, list):
        return " or ".join(_worded({"type": part}, small) for part in kind)
    if kind == "array":
        return f"list of {_worded(schema['items'], small)}"
    if kind == "object":
        return f"object of {_worded(schema['additionalProperties'], small)}s"
    return str(_WORDS.get(kind, kind))
