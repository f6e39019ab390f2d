"""A model on the loopback that makes given tool calls, one after the other, and ends its turn.

It speaks, in streams of server-sent events, what the three clients ask their models:
OpenAI's Responses (Codex), Anthropic's Messages (Claude Code) and OpenAI's Chat Completions
(OpenCode). References: the three APIs' streaming references.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Event = tuple[str, dict[str, Any]]


@dataclass
class Turn:
    """The calls that the model is to make, and their results."""

    tool: str
    """The name of the tool to call."""
    name: str
    """The name of its argument, where it takes an object."""
    calls: Sequence[str]
    """The argument of each call."""
    results: list[str] = field(default_factory=list)
    """What the client answered the calls with."""

    def next_call(self, offered: Iterable[str], results: list[str]) -> str | None:
        """Take note of all `results` so far, and return the next call; None for the end.

        A request that does not offer the tool is about something else, such as a title.
        """
        if self.tool not in offered:
            return None
        self.results = results
        return self.calls[len(results)] if len(results) < len(self.calls) else None

    def input(self, call: str) -> dict[str, str]:
        """Give the arguments of a call as an object."""
        more = {"description": "Apply a patch"} if self.tool in ("Bash", "bash") else {}
        return {self.name: call, **more}


class MockModel:
    """The server: `with MockModel() as model`, then `model.turn = Turn(…)` for each run."""

    def __init__(self) -> None:
        self.turn = Turn("", "", ())
        handler = type("_Bound", (_Handler,), {"model": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.port: int = self._server.server_address[1]

    def __enter__(self) -> MockModel:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    model: MockModel
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def do_GET(self) -> None:
        self._send(b'{"data": [], "models": []}', "application/json")

    def do_POST(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size) or b"{}")
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            return self._send(b'{"input_tokens": 1}', "application/json")
        answers = {"/responses": _responses, "/messages": _messages, "/completions": _completions}
        answer = next((answer for end, answer in answers.items() if path.endswith(end)), None)
        if answer is None:
            return self._send(b"{}", "application/json")
        events = "".join(_encode(event) for event in answer(self.model.turn, body))
        self._send(events.encode(), "text/event-stream")
        return None

    def _send(self, data: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _encode(event: Event) -> str:
    name, data = event
    lines = [f"event: {name}"] if name else []
    text = data.get("raw") or json.dumps(data)
    return "\n".join([*lines, f"data: {text}", "", ""])


def _responses(turn: Turn, body: dict[str, Any]) -> Iterator[Event]:
    results = [
        str(item.get("output"))
        for item in body.get("input", ())
        if str(item.get("type")).endswith("call_output")
    ]
    offered = {
        str(tool.get("name") or tool.get("type")): tool.get("type")
        for tool in body.get("tools") or ()
    }
    yield "response.created", {"type": "response.created", "response": {"id": "r1"}}
    item: dict[str, Any] = {
        "type": "message",
        "role": "assistant",
        "id": "m1",
        "content": [{"type": "output_text", "text": "done"}],
    }
    call = turn.next_call(offered, results)
    if call is not None:
        if offered[turn.tool] == "custom":
            item = {"type": "custom_tool_call", "input": call}
        else:
            item = {"type": "function_call", "arguments": json.dumps(turn.input(call))}
        item |= {"name": turn.tool, "call_id": f"call_{len(results)}", "id": f"i{len(results)}"}
    done = "response.output_item.done"
    yield done, {"type": done, "output_index": 0, "item": item}
    usage = {
        "input_tokens": 1,
        "output_tokens": 1,
        "total_tokens": 2,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    completed = {"id": "r1", "usage": usage, "output": [item]}
    yield "response.completed", {"type": "response.completed", "response": completed}


def _messages(turn: Turn, body: dict[str, Any]) -> Iterator[Event]:
    results = [
        json.dumps(part.get("content"))
        for message in body.get("messages", ())
        if isinstance(message.get("content"), list)
        for part in message["content"]
        if part.get("type") == "tool_result"
    ]
    offered = {str(tool.get("name")) for tool in body.get("tools") or ()}
    block: dict[str, Any] = {"type": "text", "text": ""}
    delta: dict[str, Any] = {"type": "text_delta", "text": "done"}
    reason = "end_turn"
    call = turn.next_call(offered, results)
    if call is not None:
        identifier = f"toolu_{len(results)}"
        block = {"type": "tool_use", "id": identifier, "name": turn.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(turn.input(call))}
        reason = "tool_use"
    usage = {"input_tokens": 1, "output_tokens": 1}
    message: dict[str, Any] = {
        "id": f"msg_{len(results)}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": [],
        "stop_reason": None,
        "usage": usage,
    }
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage},
        {"type": "message_stop"},
    ]
    for event in events:
        yield event["type"], event


def _completions(turn: Turn, body: dict[str, Any]) -> Iterator[Event]:
    results = [
        json.dumps(message.get("content"))
        for message in body.get("messages", ())
        if message.get("role") == "tool"
    ]
    offered = {str(tool["function"]["name"]) for tool in body.get("tools") or ()}
    delta: dict[str, Any] = {"role": "assistant", "content": "done"}
    reason = "stop"
    argument = turn.next_call(offered, results)
    if argument is not None:
        function = {"name": turn.tool, "arguments": json.dumps(turn.input(argument))}
        identifier = f"call_{len(results)}"
        call = {"index": 0, "id": identifier, "type": "function", "function": function}
        delta = {"role": "assistant", "tool_calls": [call]}
        reason = "tool_calls"
    chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    for choice in ({"delta": delta, "finish_reason": None}, {"delta": {}, "finish_reason": reason}):
        yield "", {**chunk, "choices": [{"index": 0, **choice}]}
    yield "", {"raw": "[DONE]"}
