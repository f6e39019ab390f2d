"""Answer the messages of a client, one after the other, until it closes the stream.

Nothing that a client sends ends the server: what is wrong with it is told in an answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from git_opatch import __version__
from git_opatch.mcp import protocol
from git_opatch.mcp.protocol import Malformed, Message, Notification, Request
from git_opatch.mcp.tools import TOOLS, Service, call_tool, describe_tools

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
            out.write(protocol.write_line(answer))
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
        return protocol.failure(None, protocol.INVALID_REQUEST, _TOO_LONG)
    messages = protocol.read_line(line)
    if isinstance(messages, list):
        return [answer for message in messages if (answer := _answer(message, service))]
    return _answer(messages, service)


def _answer(message: Message, service: Service) -> dict[str, Any] | None:
    """Answer a message; None if it wants no answer."""
    if isinstance(message, Notification):
        return None
    if isinstance(message, Malformed):
        return protocol.failure(*message)
    try:
        return _answer_request(message, service)
    except Exception as error:  # a client must get an answer, whatever is wrong
        what = f"{message.method} failed: {type(error).__name__}"
        return protocol.failure(message.id, protocol.INTERNAL_ERROR, what)


def _answer_request(request: Request, service: Service) -> dict[str, Any]:
    if request.method == "initialize":
        return protocol.success(request.id, _initialize(request.params, service))
    if request.method == "ping":
        return protocol.success(request.id, {})
    if request.method == "tools/list":
        return protocol.success(request.id, {"tools": describe_tools()})
    if request.method != "tools/call":
        message = f"there is no method `{request.method[:100]}`"
        return protocol.failure(request.id, protocol.METHOD_NOT_FOUND, message)
    name, arguments = request.params.get("name"), request.params.get("arguments", {})
    if not isinstance(name, str) or name not in TOOLS:
        message = f"the tools are {', '.join(TOOLS)}"
        return protocol.failure(request.id, protocol.INVALID_PARAMS, message)
    text, is_error = call_tool(TOOLS[name], {} if arguments is None else arguments, service)
    content = [{"type": "text", "text": text}]
    return protocol.success(request.id, {"content": content, "isError": is_error})


def _initialize(params: dict[str, Any], service: Service) -> dict[str, Any]:
    return {
        "protocolVersion": protocol.choose_version(params.get("protocolVersion")),
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "git-opatch", "version": __version__},
        "instructions": service.instructions,
    }
