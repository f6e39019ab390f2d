"""A call that would apply is completed: the client then writes what was checked."""

from __future__ import annotations

import json
import random
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from phrases import opening
from sandbox import Sandbox
from writers import envelope

from git_opatch.agent.rewrite import Inexpressible, write_envelope
from git_opatch.complete.edits import Edit
from git_opatch.complete.tree import FileContent, Result
from git_opatch.model.blob import Blob, Entry, Mode
from git_opatch.model.client import Client
from git_opatch.model.sentences import Fault

_TWICE = "a\nx\nb\nx\nc\n"
_SECOND = envelope(b"*** Update File: f\n@@\n b\n-x\n+y\n").decode()
_COMPLETED = envelope(b"*** Update File: f\n@@\n a\n x\n b\n-x\n+y\n c\n").decode()


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": _TWICE, "sub/f": "s\n"})
    return repo


def _landed(text: str, files: dict[str, bytes], client: Client) -> dict[str, bytes | None]:
    """Apply an envelope as the tools do: each hunk where its old lines first are, from the last on.

    To Codex a carriage return is not text; added lines get that of the first line. OpenCode ends
    the last line only if it is not blank.
    """
    landed: dict[str, bytes | None] = {}
    is_codex = client is Client.CODEX
    for section in re.split(r"(?m)^\*\*\* (?=(?:Add|Delete|Update) File: )", text[:-14])[1:]:
        head, *hunks = re.split(r"(?m)^@@\n", section)
        first, *added = head.splitlines()
        kind, _, path = first.partition(" File: ")
        if kind == "Add":
            lines = "\n".join(line[1:] for line in added)
            landed[path] = (lines + "\n" * (lines[-1:] != "\n" or is_codex)).encode()
            continue
        landed[path] = None
        if kind == "Update":
            data = files[path].decode()
            ending = "\r" if is_codex and "\r\n" in data else ""
            new = _patched(data.replace("\r\n", "\n") if ending else data, hunks)
            target = added[0].removeprefix("*** Move to: ") if added else path
            if is_codex or new[-1:] != [""]:
                new.append("")
            landed[target] = f"{ending}\n".join(new).encode()
    return landed


def _patched(data: str, hunks: list[str]) -> list[str]:
    lines, at = data.removesuffix("\n").split("\n") if data else [], 0
    for hunk in hunks:
        shown = hunk.removesuffix("\n").split("\n")
        old = [line[1:] for line in shown if line[0] in " -"]
        new = [line[1:] for line in shown if line[0] in " +"]
        starts = range(at, len(lines) - len(old) + 1)
        at = next(start for start in starts if lines[start : start + len(old)] == old)
        lines[at : at + len(old)] = new
        at += len(new)
    return lines


def _heredoc(patch: str, name: str = "apply_patch") -> str:
    return f"{name} <<'EOF'\n{patch}EOF\n"


def _event(client: str, where: Path, tool: str, given: dict[str, Any]) -> dict[str, Any]:
    names = {"OpenCode": "tool.execute.before"}
    event = {"cwd": str(where), "tool_name": tool, "tool_input": given}
    more = {"turn_id": "t"} if client == "Codex" else {}
    return {"hook_event_name": names.get(client, "PreToolUse"), **event, **more}


def _answer(repo: Sandbox, event: dict[str, Any], *words: str) -> dict[str, Any]:
    ran = repo.run("git", *words, "opatch", "agent-hook", feed=json.dumps(event).encode())
    assert (ran.status, ran.err) == (0, "")
    answer: dict[str, Any] = json.loads(ran.out) if ran.out else {}
    return answer


def _codex(repo: Sandbox, patch: str, where: Path | None = None) -> dict[str, Any]:
    event = _event("Codex", where or repo.path, "apply_patch", {"command": patch})
    specific: dict[str, Any] = _answer(repo, event)["hookSpecificOutput"]
    return specific


def _denied(repo: Sandbox, patch: str) -> str:
    answer = _codex(repo, patch)
    assert answer["permissionDecision"] == "deny"
    return str(answer["permissionDecisionReason"])


def test_codex_gets_the_completed_patch(base: Sandbox) -> None:
    before = base.state()
    assert _codex(base, _SECOND) == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "allow",
        "updatedInput": {"command": _COMPLETED},
    }
    assert base.state() == before


def test_a_shell_of_codex_gets_the_completed_patch(base: Sandbox) -> None:
    event = _event("Codex", base.path, "Bash", {"command": _heredoc(_SECOND)})
    specific = _answer(base, event)["hookSpecificOutput"]
    assert specific["permissionDecision"] == "allow"
    assert specific["updatedInput"] == {"command": _heredoc(_COMPLETED)}
    patch = _SECOND.replace("File: f", "File: ../f")
    event["tool_input"]["command"] = "cd sub && " + _heredoc(patch)
    command = _answer(base, event)["hookSpecificOutput"]["updatedInput"]["command"]
    sub = shlex.quote(str(base.path / "sub"))
    assert command.startswith(f"cd {sub} && apply_patch <<'EOF'\n")
    assert "*** Update File: ../f\n" in command


def test_opencode_gets_the_completed_patch(base: Sandbox) -> None:
    event = _event("OpenCode", base.path, "apply_patch", {"patchText": _SECOND})
    assert _answer(base, event) == {"args": {"patchText": _COMPLETED}}


@pytest.mark.parametrize("client", ["Claude Code", "OpenCode"])
@pytest.mark.parametrize("directory", ["", "sub", "it's"])
def test_a_shell_runs_git_opatch(base: Sandbox, client: str, directory: str) -> None:
    """By absolute path, in the directory of the call; the user is asked as for any command."""
    base.write("it's/f", _TWICE)
    script = f"cd {shlex.quote(directory)} && " if directory else ""
    patch = _SECOND.replace("File: f", "File: ../f") if directory == "sub" else _SECOND
    given = {"command": script + _heredoc(patch), "description": "d", "timeout": 5}
    answer = _answer(base, _event(client, base.path, "Bash", given))
    if client == "OpenCode":
        (arguments,) = answer.values()
    else:
        arguments = answer["hookSpecificOutput"].pop("updatedInput")
        assert answer == {"hookSpecificOutput": {"hookEventName": "PreToolUse"}}
    assert {**arguments, "command": ""} == {**given, "command": ""}
    ran = base.run("bash", "-c", arguments["command"])
    assert (ran.status, ran.err) == (0, "")
    path = "it's/f" if directory == "it's" else "f"
    assert base.read(path) == b"a\nx\nb\ny\nc\n"


def test_no_line_of_a_patch_ends_the_script(base: Sandbox) -> None:
    patch = envelope(b"*** Add File: g\n+x\n").decode()
    script = f"apply_patch <<'END'\n{patch.replace('+x', '+x')}END\n"
    odd = envelope(b"*** Add File: g\n+$(touch /nowhere) `x` 'EOF'\n+EOF\n").decode()
    for given in (script, f"apply_patch <<'END'\n{odd}END\n"):
        (base.path / "g").unlink(missing_ok=True)
        event = _event("Claude Code", base.path, "Bash", {"command": given})
        command = _answer(base, event)["hookSpecificOutput"]["updatedInput"]["command"]
        assert base.run("sh", "-c", command).status == 0
    assert base.read("g") == b"$(touch /nowhere) `x` 'EOF'\nEOF\n"


def test_the_setting_check_leaves_calls_as_they_are(base: Sandbox) -> None:
    event = _event("Codex", base.path, "apply_patch", {"command": _SECOND})
    assert _answer(base, event, "-c", "opatch.agentHook=check") == {}
    assert _answer(base, event, "-c", "opatch.agentHook=Rewrite") != {}
    base.git("config", "opatch.agentHook", "check")
    assert _answer(base, event) == {}
    stale = _SECOND.replace("-x", "-nowhere")
    event = _event("Codex", base.path, "apply_patch", {"command": stale})
    assert _answer(base, event)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_an_invalid_setting_is_a_reason(base: Sandbox) -> None:
    base.git("config", "opatch.agentHook", "odd")
    reason = _denied(base, _SECOND)
    assert "opatch.agentHook is `odd`; use rewrite or check" in reason


def test_what_is_not_judged_is_not_rewritten(base: Sandbox) -> None:
    outside = envelope(b"*** Delete File: ../other\n").decode()
    words = ["apply_patch", _SECOND]
    for given in ({"command": outside}, {"command": words}):
        assert _answer(base, _event("Codex", base.path, "apply_patch", given)) == {}


def test_what_is_outside_is_sent_by_itself(base: Sandbox) -> None:
    """Else one section outside would let all others pass as they are."""
    begin, end = "*** Begin Patch\n", "*** End Patch\n"
    inside = _SECOND.removeprefix(begin).removesuffix(end)
    patch = f"{begin}*** Add File: /nowhere/n\n+n\n{inside}{end}"
    assert "`/nowhere/n`: outside of the working tree" in _denied(base, patch)
    event = _event("Claude Code", base.path, "Bash", {"command": _heredoc(patch)})
    specific = _answer(base, event)["hookSpecificOutput"]
    assert specific["permissionDecision"] == "deny"
    assert opening(Fault.NOT_FOUND.sentence) in _denied(base, patch.replace("-x", "-nowhere"))


def test_the_tool_of_an_unknown_client_is_only_checked(base: Sandbox) -> None:
    event = _event("another", base.path, "apply_patch", {"command": _SECOND})
    assert _answer(base, event) == {}
    event["tool_input"] = {"command": _SECOND.replace("-x", "-nowhere")}
    assert _answer(base, event)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_another_format_becomes_an_envelope(base: Sandbox) -> None:
    diff = "--- a/f\n+++ b/f\n@@ -3,3 +3,3 @@\n b\n-x\n+y\n c\n"
    assert _codex(base, diff)["updatedInput"]["command"] == _COMPLETED


def test_the_other_operations(base: Sandbox) -> None:
    base.commit({"gone": "x\n", "old": "1\n2\n"})
    patch = (
        b"*** Delete File: gone\n*** Add File: new/file\n+n\n"
        b"*** Update File: old\n*** Move to: moved\n@@\n-1\n+one\n 2\n"
    )
    command = _codex(base, envelope(patch).decode())["updatedInput"]["command"]
    files = {"gone": b"x\n", "old": b"1\n2\n"}
    for client in (Client.CODEX, Client.OPENCODE):
        assert _landed(command, files, client) == {
            "gone": None,
            "new/file": b"n\n",
            "old": None,
            "moved": b"one\n2\n",
        }


def test_what_codex_cannot_express_is_denied(base: Sandbox) -> None:
    base.commit({"run": "#!/bin/sh\n1\n", "open": "a\nb", "eol": "a\r\nb\nc\n", "l1": b"\xe9\nb\n"})
    (base.path / "run").chmod(0o755)
    base.git("add", "-A")
    moved = b"*** Update File: run\n*** Move to: go\n@@\n-1\n+2\n"
    for patch, reason in (
        (moved, "run: would not be executable any more"),
        (b"*** Update File: open\n@@\n-a\n+A\n", "open: has no newline at its end"),
        (b"*** Update File: eol\n@@\n-c\n+C\n", "eol: has line endings that it would not keep"),
        (b"*** Update File: l1\n@@\n-b\n+B\n", "l1: is not UTF-8"),
    ):
        told = _denied(base, envelope(patch).decode())
        assert told.startswith(f"error: {reason}"), told
        assert "run in a shell, with the same patch: " in told
        program = told.partition("with the same patch: ")[2].split(" apply-patch")[0]
        assert Path(shlex.split(program)[0]).is_absolute()
    mode = b"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"
    assert "its mode is to be changed" in _denied(base, mode.decode())


def test_what_the_tool_of_codex_cannot_do_its_shell_can(base: Sandbox) -> None:
    base.write("open", "a\nb")
    patch = envelope(b"*** Update File: open\n@@\n-a\n+A\n").decode()
    event = _event("Codex", base.path, "Bash", {"command": _heredoc(patch)})
    answer = _answer(base, event)["hookSpecificOutput"]
    assert base.run("sh", "-c", answer["updatedInput"]["command"]).status == 0
    assert base.read("open") == b"A\nb"


def test_a_file_with_other_line_endings_on_disk(base: Sandbox) -> None:
    base.commit({".gitattributes": "f text\n"})
    base.write("f", _TWICE.replace("\n", "\r\n"))
    command = _codex(base, _SECOND)["updatedInput"]["command"]
    data = _TWICE.replace("\n", "\r\n").encode()
    assert _landed(command, {"f": data}, Client.CODEX) == {"f": b"a\r\nx\r\nb\r\ny\r\nc\r\n"}
    event = _event("OpenCode", base.path, "apply_patch", {"patchText": _SECOND})
    command = _answer(base, event)["args"]["patchText"]
    assert _landed(command, {"f": data}, Client.OPENCODE) == {"f": b"a\r\nx\r\nb\r\ny\r\nc\r\n"}


@pytest.mark.parametrize("path", [" f", "f ", "a\nb"])
def test_a_name_that_an_envelope_cannot_have(path: str, tmp_path: Path) -> None:
    blob = Blob(path, Entry(Mode.REGULAR, "0" * 40), b"a\n")
    (tmp_path / path).write_bytes(b"a\n")
    content = FileContent.of(blob).edited([Edit(0, 1, (b"b",))])
    with pytest.raises(Inexpressible):
        write_envelope({"": [Result(blob, path, content)]}, tmp_path, "", Client.CODEX)


_LINES = [b"a", b"b", b"", b"  a", b"a ", b"@@", b"@@ x", b"*** End Patch", b" *** x", b"-a", b"\t"]


@pytest.mark.parametrize("client", [Client.CODEX, Client.OPENCODE])
@pytest.mark.parametrize("seed", range(20))
def test_the_first_match_is_the_right_place(client: Client, seed: int, tmp_path: Path) -> None:
    """In files whose lines repeat, and look like markers."""
    chance = random.Random(seed)
    for _ in range(20):
        lines = [chance.choice(_LINES[: chance.randint(1, 11)]) for _ in range(60)]
        old = b"".join(line + b"\n" for line in lines)
        edits, at = [], 0
        while at < len(lines):
            at += chance.randint(0, 20)
            stop = min(at + chance.randint(0, 2), len(lines))
            if at <= len(lines):
                edits.append(Edit(at, max(at, stop), (b"new %d" % at,)))
            at = stop + 1
        blob = Blob("f", Entry(Mode.REGULAR, "0" * 40), old)
        (tmp_path / "f").write_bytes(old)
        content = FileContent.of(blob).edited(edits)
        if client is Client.OPENCODE and not content.text.lines[-1]:
            with pytest.raises(Inexpressible, match="ends with a blank line"):
                write_envelope({"": [Result(blob, "f", content)]}, tmp_path, "", client)
            continue
        text = write_envelope({"": [Result(blob, "f", content)]}, tmp_path, "", client)
        assert _landed(text, {"f": old}, client) == {"f": content.text.to_bytes()}


def test_a_call_is_completed_by_the_program_that_runs(base: Sandbox) -> None:
    event = _event("Claude Code", base.path, "Bash", {"command": _heredoc(_SECOND)})
    command = _answer(base, event)["hookSpecificOutput"]["updatedInput"]["command"]
    program = Path(shlex.split(command.partition("<<")[0])[0])
    assert program.is_absolute()
    assert program.parent == Path(sys.executable).parent
    assert _SECOND in command
