"""`git opatch mcp`: what a client sends, and what it gets."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from phrases import said
from sandbox import Sandbox
from writers import envelope

from git_opatch.mcp.server import VERSIONS, serve
from git_opatch.mcp.tools import TOOLS, Service
from git_opatch.model.sentences import Fault

_GOOD = envelope(b"*** Update File: f\n@@\n-a\n+b\n").decode()
_UPDATE = "*** Begin Patch\n*** Update File: {}\n@@\n-{}\n+{}\n*** End Patch\n"
_ADD = "*** Begin Patch\n*** Add File: {}\n+x\n*** End Patch\n"


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "a\n", "sub/f": "s\n"})
    return repo


def _request(method: str, params: object = None, number: int = 1) -> dict[str, Any]:
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": number, "method": method}
    return message if params is None else {**message, "params": params}


def _call(tool: str, arguments: object = None) -> dict[str, Any]:
    params = {"name": tool} if arguments is None else {"name": tool, "arguments": arguments}
    return _request("tools/call", params)


def _answers(
    repo: Sandbox, lines: list[bytes], *options: str, cwd: Path | None = None
) -> list[Any]:
    ran = repo.opatch("mcp", *options, feed=b"".join(line + b"\n" for line in lines), cwd=cwd)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.isascii()
    return [json.loads(line) for line in ran.out.splitlines()]


def _results(
    repo: Sandbox, messages: list[dict[str, Any]], *options: str, cwd: Path | None = None
) -> list[tuple[str, bool]]:
    """Return the text of each result, and whether it is an error."""
    lines = [json.dumps(message).encode() for message in messages]
    results = [answer["result"] for answer in _answers(repo, lines, *options, cwd=cwd)]
    assert all(len(result["content"]) == 1 for result in results)
    return [(result["content"][0]["text"], result["isError"]) for result in results]


@pytest.mark.parametrize("wanted", [*VERSIONS, "2099-01-01", "1", None, 7])
def test_a_version_is_agreed_on(base: Sandbox, wanted: object) -> None:
    (answer,) = _answers(
        base, [json.dumps(_request("initialize", {"protocolVersion": wanted})).encode()]
    )
    result = answer["result"]
    assert result["protocolVersion"] == (wanted if wanted in VERSIONS else VERSIONS[-1])
    assert result["capabilities"] == {"tools": {}}
    assert result["serverInfo"]["name"] == "git-opatch"
    assert str(base.path) in result["instructions"]


def test_the_tools_are_described(base: Sandbox) -> None:
    (answer,) = _answers(base, [json.dumps(_request("tools/list")).encode()])
    tools = {tool["name"]: tool for tool in answer["result"]["tools"]}
    assert set(tools) == set(TOOLS)
    assert list(tools) == ["apply", "edit", "check", "show", "create", "undo", "redo", "log"]
    for name, tool in tools.items():
        assert tool["description"]
        assert tool["inputSchema"]["type"] == "object"
        assert tool["annotations"]["readOnlyHint"] is (name in ("check", "show", "create", "log"))
    assert tools["apply"]["inputSchema"]["required"] == ["patch"]


def test_a_ping_is_answered_and_a_notification_is_not(base: Sandbox) -> None:
    lines = [
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
        b'{"jsonrpc":"2.0","id":9,"result":{}}',
        b"",
        b'  {"jsonrpc":"2.0","id":"p","method":"ping"}\r',
    ]
    assert _answers(base, lines) == [{"jsonrpc": "2.0", "id": "p", "result": {}}]


def test_a_person_at_a_terminal_is_told_what_it_waits_for(base: Sandbox) -> None:
    ours, theirs = os.openpty()
    os.write(ours, b"\x04")
    words = [sys.executable, "-P", "-m", "git_opatch", "mcp"]
    ran = subprocess.run(words, cwd=base.path, stdin=theirs, capture_output=True, timeout=60)
    os.close(theirs)
    os.close(ours)
    assert (ran.returncode, ran.stdout) == (0, b"")
    assert b"waiting for a client of the Model Context Protocol; end it with Ctrl-D" in ran.stderr


def test_paths_count_from_the_root(base: Sandbox) -> None:
    absolute = str(base.path / "sub/f")
    results = _results(
        base,
        [
            _call("apply", {"patch": _UPDATE.format("f", "s", "t")}),
            _call("apply", {"patch": _UPDATE.format(absolute, "t", "u")}),
        ],
        "--root",
        str(base.path / "sub"),
        cwd=base.path.parent,
    )
    assert [is_error for _, is_error in results] == [False, False]
    assert (base.read("f"), base.read("sub/f")) == (b"a\n", b"u\n")


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(__file__).with_name(name).read_text().splitlines()]


def test_wrong_arguments_are_a_result(base: Sandbox) -> None:
    before, rows = base.state(), _rows("wrong-arguments.jsonl")
    results = _results(base, [_call(row["tool"], row["arguments"]) for row in rows])
    for row, (text, is_error) in zip(rows, results, strict=True):
        assert is_error, row
        assert row["says"] in text, row
    assert base.state() == before


def test_a_wrong_message_is_an_error_and_does_not_end_the_server(base: Sandbox) -> None:
    rows = _rows("wrong-messages.jsonl")
    unreadable = [b"\xff\xfe", b"\0", b"[" * 100_000, b'{"a":' * 100_000, b"1" * 10_000]
    lines = [*(row["line"].encode() for row in rows), *unreadable]
    *answers, last = _answers(base, [*lines, json.dumps(_request("ping")).encode()])
    assert last == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert all(answer["jsonrpc"] == "2.0" and answer["error"]["message"] for answer in answers)
    expected = [(row["id"], row["code"]) for row in rows] + [(None, -32700)] * len(unreadable)
    assert [(answer["id"], answer["error"]["code"]) for answer in answers] == expected


def test_a_batch_is_answered_as_one(base: Sandbox) -> None:
    batch = [
        _request("ping", number=1),
        {"method": "notifications/x"},
        3,
        _request("ping", number=2),
    ]
    (answers,) = _answers(base, [json.dumps(batch).encode()])
    assert [answer["id"] for answer in answers] == [1, None, 2]
    assert _answers(base, [json.dumps(batch[1:2]).encode()]) == []


@pytest.mark.parametrize("length", [99, 100, 101, 200, 1000])
def test_a_line_that_is_too_long_is_skipped(tmp_path: Path, length: int) -> None:
    """Not even kept: only what fits is read at once."""
    ping = b'{"id":1,"method":"ping"}\n'
    source, out = io.BytesIO(b"x" * length + b"\n" + ping), io.BytesIO()
    serve(source, out, Service(tmp_path), longest=100)
    first, second = (json.loads(line) for line in out.getvalue().splitlines())
    assert first["error"]["code"] == (-32700 if length < 100 else -32600)
    assert second["result"] == {}


def test_the_last_line_needs_no_end(tmp_path: Path) -> None:
    out = io.BytesIO()
    serve(io.BytesIO(b'{"id":1,"method":"ping"}'), out, Service(tmp_path))
    assert json.loads(out.getvalue())["result"] == {}


def test_a_failure_of_ours_is_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr("git_opatch.mcp.server.call_tool", fail)
    out = io.BytesIO()
    serve(io.BytesIO(json.dumps(_call("log")).encode()), out, Service(tmp_path))
    error = json.loads(out.getvalue())["error"]
    assert error == {"code": -32603, "message": "tools/call failed: ZeroDivisionError"}


def test_a_root_without_a_repository_is_a_result(base: Sandbox, tmp_path: Path) -> None:
    """It may come later: the server does not end."""
    other = Sandbox(tmp_path / "later")
    other.path.mkdir()
    call = _call("apply", {"patch": _ADD.format("n")})
    ((text, is_error),) = _results(base, [call], "--root", str(other.path))
    assert is_error
    assert text.startswith("error: not a git repository")
    other.init()
    ((_, is_error),) = _results(base, [call], "--root", str(other.path))
    assert (is_error, other.read("n")) == (False, b"x\n")


def test_another_working_tree_than_that_of_the_root_is_refused(
    base: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "beside").mkdir()
    monkeypatch.setenv("GIT_DIR", str(base.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(base.path))
    ((text, is_error),) = _results(base, [_call("log")], "--root", str(tmp_path / "beside"))
    assert is_error
    assert said(Fault.MISSING_FILE.sentence, base="the working tree") in text


def test_a_hook_that_prints_does_not_break_the_protocol(base: Sandbox) -> None:
    """Nor one that reads: the messages are not its input."""
    hook = base.write(".git/hooks/post-opatch", "#!/bin/sh\ncat\necho noise\n")
    hook.chmod(0o755)
    lines = [json.dumps(_call("apply", {"patch": _GOOD})), json.dumps(_request("ping"))]
    ran = base.opatch("mcp", feed="\n".join(lines).encode())
    assert (ran.status, len(ran.out.splitlines())) == (0, 2)
    assert b"noise" not in ran.out


def test_a_long_result_is_cut(base: Sandbox) -> None:
    text = "x" * 300_000
    ((shown, is_error),) = _results(
        base, [_call("show", {"patch": _ADD.replace("+x", "+" + text).format("n")})]
    )
    assert not is_error
    assert len(shown) < 101_000
    assert shown.endswith("characters in all)")


def test_bytes_that_are_not_utf_8_are_shown(base: Sandbox) -> None:
    base.write("g", b"\xff\n")
    patch = "*** Begin Patch\n*** Delete File: g\n*** End Patch"
    ((shown, is_error),) = _results(base, [_call("show", {"patch": patch})])
    assert not is_error
    shown.encode()


def test_it_ends_when_the_client_goes(base: Sandbox) -> None:
    environment: Mapping[str, str] = {**os.environ}
    ran = base.program("git", "opatch", "mcp", feed=b"", env=environment)
    assert (ran.status, ran.out, ran.err) == (0, b"", "")
