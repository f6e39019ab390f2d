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
from phrases import opening, said
from sandbox import Sandbox
from writers import envelope

from git_opatch.mcp.server import VERSIONS, serve
from git_opatch.mcp.tools import TOOLS, Service
from git_opatch.model.sentences import Fault

_GOOD = envelope(b"*** Update File: f\n@@\n-a\n+b\n").decode()
_STALE = envelope(b"*** Update File: f\n@@\n-nowhere\n+z\n").decode()
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


def test_a_patch_is_applied_undone_and_redone(base: Sandbox) -> None:
    before = base.index()
    applied, logged, undone, redone = _results(
        base, [_call("apply", {"patch": _GOOD}), _call("log"), _call("undo"), _call("redo", {})]
    )
    assert applied[0].startswith("1 file ")
    assert applied[0].endswith(", not staged. Undo: the tool `undo` with number 1")
    assert not applied[1]
    assert (logged[0].startswith("1  "), logged[1]) == (True, False)
    assert undone[0].endswith("Redo: the tool `redo` with number 1")
    assert redone[0].endswith("Undo: the tool `undo` with number 1")
    assert (base.read("f"), base.index()) == (b"b\n", before)


def test_an_edit_is_placed_recorded_and_undone(base: Sandbox) -> None:
    text = "def  get(self, key):\n\treturn 1\n\nx = 1\nx = 1\n"
    base.write("sub/g", text)
    edit = {"path": "g", "old_string": "def get(self, key):\n    return 1"}
    edited, twice, every, undone, log = _results(
        base,
        [
            _call("edit", {**edit, "new_string": "def get(self):\n    return 2"}),
            _call("edit", {"path": "g", "old_string": "x = 1", "new_string": "x = 2"}),
            _call(
                "edit",
                {"path": "g", "old_string": "x", "new_string": "y", "replace_all": True},
            ),
            _call("undo"),
            _call("log"),
        ],
        "--root",
        "sub",
    )
    assert edited[0].endswith(", not staged. Undo: the tool `undo` with number 1")
    assert twice[1]
    assert "occurs 2 times: lines 4, 5" in twice[0]
    assert not every[1]
    assert undone[0].endswith("Redo: the tool `redo` with number 2")
    assert len(log[0].splitlines()) == 2
    assert (
        base.read("sub/g")
        == text.replace("def  get(self, key)", "def get(self)")
        .replace("return 1", "return 2")
        .encode()
    )


def test_an_edit_that_is_not_certain_changes_nothing(base: Sandbox) -> None:
    before = base.state()
    for edit, told in (
        ({"path": "f", "old_string": "z", "new_string": "y"}, opening(Fault.NOT_FOUND.sentence)),
        (
            {"path": "nosuch", "old_string": "z", "new_string": "y"},
            said(Fault.MISSING_FILE.sentence, base="the working tree"),
        ),
        ({"path": "../f", "old_string": "a", "new_string": "y"}, Fault.LEAVES.sentence),
        ({"path": "f", "old_string": "a"}, "the argument `new_string` is missing"),
        ({"path": "f", "old_string": "a", "new_string": "b", "replace_all": 1}, "true or false"),
    ):
        ((text, failed),) = _results(base, [_call("edit", edit)])
        assert failed
        assert told in text
    assert base.state() == before


def test_a_person_at_a_terminal_is_told_what_it_waits_for(base: Sandbox) -> None:
    ours, theirs = os.openpty()
    os.write(ours, b"\x04")
    words = [sys.executable, "-P", "-m", "git_opatch", "mcp"]
    ran = subprocess.run(words, cwd=base.path, stdin=theirs, capture_output=True, timeout=60)
    os.close(theirs)
    os.close(ours)
    assert (ran.returncode, ran.stdout) == (0, b"")
    assert b"waiting for a client of the Model Context Protocol; end it with Ctrl-D" in ran.stderr


def test_looking_changes_nothing(base: Sandbox) -> None:
    before = base.state()
    check, show, bad, log = _results(
        base,
        [
            _call("check", {"patch": _GOOD}),
            _call("show", {"patch": _GOOD}),
            _call("show", {"patch": _STALE}),
            _call("log", {"count": 3}),
        ],
    )
    assert check[0].startswith("would apply to the working tree only: 1 file")
    assert not check[1]
    assert "M f (+1 -1)\n" in show[0]
    assert show[0].endswith("@@ -1 +1 @@\n-a\n+b\n")
    assert bad[1]
    assert log == ("no patch has been applied here", False)
    assert base.state() == before


def test_a_refusal_is_a_result_to_act_on(base: Sandbox) -> None:
    before = base.state()
    stale, malformed, empty = _results(
        base,
        [
            _call("apply", {"patch": _STALE}),
            _call("apply", {"patch": "*** Begin Patch\n*** Nonsense: f\n*** End Patch"}),
            _call("apply", {"patch": ""}),
        ],
    )
    assert stale == (
        base.opatch("apply", "--worktree", feed=_STALE.encode()).err.rstrip("\n"),
        True,
    )
    assert malformed[0].startswith("error: line 2: ")
    assert malformed[1]
    assert empty[0].startswith("error: ")
    assert empty[1]
    assert base.state() == before


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        ("git apply --check", "to the tool `check`"),
        ("git apply --stat", "to the tool `show`"),
        ("git apply -R", "; no tool here does that"),
        ("git apply --cached", "; no tool here does that"),
    ],
)
def test_a_malformed_text_is_told_only_what_tools_do(
    base: Sandbox, command: str, advice: str
) -> None:
    text = f"{command} <<'EOF'\n{_STALE}EOF\n"
    calls = [_call("apply", {"patch": each}) for each in (text, "hello")]
    (told, is_error), (other, _) = _results(base, calls)
    assert is_error
    assert told.splitlines()[0].endswith(advice)
    assert "git opatch" not in told + other


def test_the_target_is_chosen(base: Sandbox) -> None:
    second = _GOOD.replace("-a", "-b").replace("+b", "+c")
    _results(base, [_call("apply", {"patch": _GOOD})], "--index")
    assert base.index()["f"] == ("100644", b"b\n")
    base.git("config", "opatch.target", "cached")
    _results(base, [_call("apply", {"patch": second})])
    assert (base.index()["f"][1], base.read("f")) == (b"c\n", b"b\n")


@pytest.mark.parametrize(
    "path",
    ["../out", "../../f", "../f", "/etc/passwd", "../sub2/f", ".git/x", "../.git/x", "link/f"],
)
def test_nothing_leaves_the_root(base: Sandbox, path: str) -> None:
    """The root is a directory of the repository: what is beside it is outside."""
    (base.path / "sub/link").symlink_to("..")
    before = base.state()
    ((text, is_error),) = _results(
        base, [_call("apply", {"patch": _ADD.format(path)})], "--root", "sub"
    )
    assert is_error, text
    assert base.state() == before


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


def test_a_refusal_counts_paths_from_the_root(base: Sandbox) -> None:
    ((text, is_error),) = _results(base, [_call("apply", {"patch": _STALE})], "--root", "sub")
    assert is_error
    assert text.startswith(
        f"error: f: hunk 1 of 1 {said(Fault.NOT_FOUND.sentence, base='the working tree')}"
    )


def test_what_was_changed_outside_the_root_is_not_undone(base: Sandbox) -> None:
    assert base.opatch("apply", "--worktree", feed=_GOOD.encode()).status == 0
    ((text, is_error),) = _results(base, [_call("undo")], "--root", "sub")
    assert (text, is_error) == ("error: patch 1 changes f: not allowed by --root", True)
    ((text, is_error),) = _results(base, [_call("undo", {"number": 1})], "--deny", "f")
    assert (text, is_error) == ("error: patch 1 changes f: not allowed by --deny", True)
    assert base.read("f") == b"b\n"
    ((_, is_error),) = _results(base, [_call("undo")], "--allow", "f")
    assert (is_error, base.read("f")) == (False, b"a\n")


def test_options_and_settings_limit_the_paths(base: Sandbox) -> None:
    call = _call("apply", {"patch": _GOOD})
    for options in (["--deny", "f"], ["--allow", "sub"]):
        ((text, is_error),) = _results(base, [call], *options)
        assert is_error, text
    outside = _call("apply", {"patch": _GOOD.replace(" f", " ../f")})
    ((text, is_error),) = _results(base, [outside], "--root", "sub", "--allow", "..")
    assert is_error, text
    base.git("config", "opatch.deny", "f")
    ((text, is_error),) = _results(base, [call])
    assert (is_error, base.read("f")) == (True, b"a\n")
    assert "denied" in text


def test_a_stale_file_is_refused(base: Sandbox) -> None:
    blob = base.git("rev-parse", ":f").decode().strip()
    other = "1234567"
    wrong, bad, right = _results(
        base,
        [
            _call("apply", {"patch": _GOOD, "expect": {"f": other}}),
            _call("apply", {"patch": _GOOD, "expect": {"f": "xyz"}}),
            _call("apply", {"patch": _GOOD, "expect": {"f": blob, "n": ""}}),
        ],
    )
    assert wrong[0].startswith(f"error: f: {opening(Fault.STALE.sentence)} blob 1234567")
    assert bad[0].startswith("error: `expect` of `f` is not the id of a blob")
    assert [wrong[1], bad[1], right[1]] == [True, True, False]


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


def test_the_root_must_be_a_directory(base: Sandbox) -> None:
    for root in ("nowhere", "f"):
        ran = base.opatch("mcp", "--root", root)
        assert (ran.status, ran.out) == (129, b"")
        assert f"--root: `{root}` is not a directory" in ran.err


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


def test_what_create_writes_gives_what_has_changed(base: Sandbox) -> None:
    base.write("f", "b\n")
    ((text, is_error),) = _results(base, [_call("create")])
    base.git("checkout", "f")
    assert not is_error
    ((again, _),) = _results(base, [_call("create", {"revision": "HEAD..HEAD"})])
    assert again == "nothing has changed"
    assert _results(base, [_call("apply", {"patch": text})])[0][1] is False
    assert base.read("f") == b"b\n"


@pytest.mark.parametrize("revision", ["nowhere", "--output=f", "A...B"])
def test_create_of_what_is_not_a_commit_is_an_error(base: Sandbox, revision: str) -> None:
    ((_, is_error),) = _results(base, [_call("create", {"revision": revision})])
    assert is_error
    assert base.read("f") == b"a\n"


def test_create_counts_paths_from_the_top(base: Sandbox) -> None:
    ((text, is_error),) = _results(base, [_call("create")], "--root", "sub")
    assert is_error
    assert "from the top" in text


def test_create_of_what_is_not_utf_8_is_an_error(base: Sandbox) -> None:
    base.write("f", b"\xe9\n")
    ((text, is_error),) = _results(base, [_call("create")])
    assert is_error
    assert "not UTF-8" in text
