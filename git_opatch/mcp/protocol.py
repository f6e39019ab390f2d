"""Messages of JSON-RPC 2.0, as the Model Context Protocol has them over standard input and output.

Rules: the specification's "Base Protocol", "Transports" (a message is a line) and "Lifecycle" (the
version is the client's, if it is known, else our newest). Nothing here reads, writes or decides.
"""

from __future__ import annotations

import json
import math
from typing import Any, NamedTuple

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The revisions that begin with `initialize`, oldest first; what we send is the same in each."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

Id = str | int | float | None


class Request(NamedTuple):
    """A message that wants an answer."""

    id: Id
    method: str
    params: dict[str, Any]


class Notification(NamedTuple):
    """A message that gets none: a notification, or an answer, and we never ask."""


class Malformed(NamedTuple):
    """A message that cannot be understood, and why."""

    id: Id
    code: int
    message: str


Message = Request | Notification | Malformed


def read_line(line: bytes) -> list[Message] | Message:
    """Read a line: a message, or the messages of a batch (which revision 2025-03-26 has)."""
    try:
        value = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return Malformed(None, PARSE_ERROR, "the line is not JSON in UTF-8")
    if isinstance(value, list) and value:
        return [_read_message(each) for each in value]
    return _read_message(value)


def _refuse_constant(name: str) -> None:
    """Refuse `Infinity` and `NaN`, which Python reads and JSON does not have."""
    raise ValueError(name)


def _read_message(value: object) -> Message:
    if not isinstance(value, dict):
        return Malformed(None, INVALID_REQUEST, "a message is a JSON object")
    found, method, params = value.get("id"), value.get("method"), value.get("params", {})
    is_id = isinstance(found, str | int | float) and not isinstance(found, bool)
    if isinstance(found, float) and not math.isfinite(found):
        is_id = False
    if "method" not in value and ("result" in value or "error" in value):
        return Notification()
    if not isinstance(method, str):
        return Malformed(found if is_id else None, INVALID_REQUEST, "`method` must be a string")
    if "id" not in value:
        return Notification()
    if not is_id:
        return Malformed(None, INVALID_REQUEST, "`id` must be a string or a number")
    if not isinstance(params, dict):
        return Malformed(found, INVALID_PARAMS, "`params` must be an object")
    return Request(found, method, params)


def choose_version(wanted: object) -> str:
    """Return the revision to speak with a client that wants this one."""
    return wanted if isinstance(wanted, str) and wanted in VERSIONS else VERSIONS[-1]


def success(answered: Id, result: dict[str, Any]) -> dict[str, Any]:
    """Answer a request."""
    return {"jsonrpc": "2.0", "id": answered, "result": result}


def failure(answered: Id, code: int, message: str) -> dict[str, Any]:
    """Answer what cannot be done."""
    error = {"code": code, "message": message}
    return {"jsonrpc": "2.0", "id": answered, "error": error}


def write_line(answer: object) -> bytes:
    """Write an answer, or a list of them, as a line, in ASCII."""
    return json.dumps(answer, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"
