"""What `--json` printed, held against the schema, closed to all that it does not name."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from sandbox import Ran, Sandbox

SCHEMA = json.loads(files("git_opatch.report").joinpath("schema.json").read_bytes())


def _closed(schema: Any) -> Any:
    """`schema` with no field allowed that it does not name: the documents have no other."""
    if isinstance(schema, list):
        return [_closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(one) for name, one in schema.items()}
    own = "properties" in closed and not {"allOf", "oneOf"} & set(closed)
    return {**closed, "unevaluatedProperties": False} if own else closed


def _strict() -> Draft202012Validator:
    """The schema, closed where objects are not put together of several."""
    schema = json.loads(json.dumps(SCHEMA))
    open_ones = {name: schema["$defs"][name] for name in ("outcome", "judgements", "history")}
    defs = {name: _closed(one) for name, one in schema["$defs"].items() if name not in open_ones}
    for name, one in open_ones.items():
        defs[name] = {**one, "properties": _closed(one["properties"])}
    judged = defs["judgements"]["properties"]["patches"]["items"]
    judged["allOf"][0].pop("unevaluatedProperties", None)
    judged["unevaluatedProperties"] = False
    return Draft202012Validator({**schema, "$defs": defs, "unevaluatedProperties": False})


VALIDATOR = _strict()


def document_of(ran: Ran) -> dict[str, Any]:
    """The one document of a run, which said nothing else."""
    assert ran.err == ""
    assert ran.out.isascii()
    document = json.loads(ran.out)
    VALIDATOR.validate(document)
    assert document["exit_status"] == ran.status
    assert isinstance(document, dict)
    return document


def asked(repo: Sandbox, *words: str, feed: bytes = b"", cwd: Path | None = None) -> dict[str, Any]:
    return document_of(repo.opatch(*words, "--json", feed=feed, cwd=cwd))
