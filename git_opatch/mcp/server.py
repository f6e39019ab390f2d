"""Answer the messages of a client, one after the other, until it closes the stream.

Messages are of JSON-RPC 2.0, as the Model Context Protocol has them over standard input and output.
Rules: the specification's "Base Protocol", "Transports" (a message is a line) and "Lifecycle" (the
version is the client's, if it is known, else our newest). Nothing that a client sends ends the
server: what is wrong with it is told in an answer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

from git_opatch import __version__
from git_opatch.mcp.tools import TOOLS, Service, call_tool, describe_tools

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


class Unreadable(NamedTuple):
    """A message that cannot be understood, and why."""

    id: Id
    code: int
    message: str


Message = Request | Notification | Unreadable


def read_line(line: bytes) -> list[Message] | Message:
    """Read a line: a message, or the messages of a batch (which revision 2025-03-26 has)."""
    try:
        value = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return Unreadable(None, PARSE_ERROR, "the line is not JSON in UTF-8")
    if isinstance(value, list) and value:
        return [_read_message(message) for message in value]
    return _read_message(value)


def _refuse_constant(name: str) -> None:
    """Refuse `Infinity` and `NaN`, which Python reads and JSON does not have."""
    raise ValueError(name)


def _read_message(value: object) -> Message:
    if not isinstance(value, dict):
        return Unreadable(None, INVALID_REQUEST, "a message is a JSON object")
    given, method, params = value.get("id"), value.get("method"), value.get("params", {})
    is_id = isinstance(given, str | int | float) and not isinstance(given, bool)
    if isinstance(given, float) and not math.isfinite(given):
        is_id = False
    if "method" not in value and ("result" in value or "error" in value):
        return Notification()
    if not isinstance(method, str):
        return Unreadable(given if is_id else None, INVALID_REQUEST, "`method` must be a string")
    if "id" not in value:
        return Notification()
    if not is_id:
        return Unreadable(None, INVALID_REQUEST, "`id` must be a string or a number")
    if not isinstance(params, dict):
        return Unreadable(given, INVALID_PARAMS, "`params` must be an object")
    return Request(given, method, params)


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


_LONGEST_LINE = 192 * 1024 * 1024
"""Bytes of a message: the largest patch that is read (64 MiB), escaped, and the rest."""
_TOO_LONG = f"a line is at most {_LONGEST_LINE >> 20} MiB long"


def serve(
    source: IO[bytes], out: IO[bytes], service: Service, longest: int = _LONGEST_LINE
) -> None:
    """Read messages from `source` and write the answers to `out`, a line each, up to the end.

    `longest` is how many bytes a line may have. Raises `OSError` if a stream fails.
    """
    for line in _lines(source, longest):
        answer = _answer_line(line, service)
        if answer:
            out.write(write_line(answer))
            out.flush()


def _lines(source: IO[bytes], longest: int) -> Iterator[bytes | None]:
    """Yield each line that is not blank; None for one that is too long, which is skipped."""
    while line := source.readline(longest):
        if len(line) == longest and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = source.readline(longest)
            yield None
        elif line.strip():
            yield line


def _answer_line(line: bytes | None, service: Service) -> object:
    """Return what to answer to a line; empty for nothing."""
    if line is None:
        return failure(None, INVALID_REQUEST, _TOO_LONG)
    messages = read_line(line)
    if isinstance(messages, list):
        return [answer for message in messages if (answer := _answer(message, service))]
    return _answer(messages, service)


def _answer(message: Message, service: Service) -> dict[str, Any] | None:
    """Answer a message; None if it wants no answer."""
    if isinstance(message, Notification):
        return None
    if isinstance(message, Unreadable):
        return failure(*message)
    try:
        return _answer_request(message, service)
    except Exception as error:  # a client must get an answer, whatever is wrong
        what = f"{message.method} failed: {type(error).__name__}"
        return failure(message.id, INTERNAL_ERROR, what)


def _answer_request(request: Request, service: Service) -> dict[str, Any]:
    if request.method == "initialize":
        return success(request.id, _initialize(request.params, service))
    if request.method == "ping":
        return success(request.id, {})
    if request.method == "tools/list":
        return success(request.id, {"tools": describe_tools()})
    if request.method != "tools/call":
        message = f"there is no method `{request.method[:100]}`"
        return failure(request.id, METHOD_NOT_FOUND, message)
    name, arguments = request.params.get("name"), request.params.get("arguments", {})
    if not isinstance(name, str) or name not in TOOLS:
        message = f"the tools are {', '.join(TOOLS)}"
        return failure(request.id, INVALID_PARAMS, message)
    text, is_error = call_tool(TOOLS[name], {} if arguments is None else arguments, service)
    content = [{"type": "text", "text": text}]
    return success(request.id, {"content": content, "isError": is_error})


def _initialize(params: dict[str, Any], service: Service) -> dict[str, Any]:
    return {
        "protocolVersion": choose_version(params.get("protocolVersion")),
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "git-opatch", "version": __version__},
        "instructions": service.instructions,
    }
