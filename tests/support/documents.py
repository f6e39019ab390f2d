"""Documents of `--json`, validated by the schema without unknown fields."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from sandbox import Ran, Sandbox

SCHEMA = json.loads(files("git_opatch.report").joinpath("schema.json").read_bytes())


_KINDS = {
    "ParseError": {"malformed"},
    "ImplicitInvocation": {"implicit_invocation"},
    "ComputeReplacements": {
        *("not_found", "ambiguous", "already_applied", "not_applied", "contradicted"),
        *("unclear", "overlap", "no_change", "not_reversible", "conflict"),
    },
}


def kind_of(reason: str) -> str:
    """Return the kind of error, as OpenCode has them, that a reason is of."""
    return next((kind for kind, reasons in _KINDS.items() if reason in reasons), "IoError")


def _closed(schema: Any) -> Any:
    """Return `schema` with unknown fields forbidden."""
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(part) for name, part in schema.items()}
    return {**closed, "additionalProperties": False} if "properties" in closed else closed


def _strict(line: str | None = None) -> Draft202012Validator:
    """Return the schema without unknown fields: that of a document, or of a `line` of a batch."""
    named = {name: _closed(part) for name, part in SCHEMA["$defs"].items()}
    whole = {"$ref": f"#/$defs/{line}"} if line else {"oneOf": _closed(SCHEMA["oneOf"])}
    return Draft202012Validator({**whole, "$defs": named})


VALIDATOR = _strict()
TASK_VALIDATOR = _strict("task")
"""Validates a line of the tasks of `git opatch batch`."""
RESULT_VALIDATOR = _strict("result")
"""Validates a line of its results."""


def document_of(ran: Ran) -> dict[str, Any]:
    """Return the only document of a run that printed nothing else."""
    assert ran.err == ""
    assert ran.out.isascii()
    document = json.loads(ran.out)
    VALIDATOR.validate(document)
    assert document["exit_status"] == ran.status
    assert isinstance(document, dict)
    return document


def asked(repo: Sandbox, *words: str, feed: bytes = b"", cwd: Path | None = None) -> dict[str, Any]:
    return document_of(repo.opatch(*words, "--json", feed=feed, cwd=cwd))


def reasons(repo: Sandbox, *words: str, feed: bytes = b"") -> list[tuple[str, str]]:
    """Return the path and the reason of each failure of a refused run."""
    return [(each["path"], each["reason"]) for each in asked(repo, *words, feed=feed)["failures"]]
