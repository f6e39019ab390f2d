"""Further calls in the real clients: the policy, calls at the same time, the server's tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mock_model import Call

from git_opatch.model.sentences import Fault

_FILES = {"f": b"a\nx\nb\n", ".github/w": b"a\n"}
_DENY = {"opatch.deny": ".github/"}


class Trial(NamedTuple):
    """Calls, the files before and after, and what must be in their results."""

    client: str
    name: str
    steps: Sequence[Sequence[Call]]
    wanted: Mapping[str, bytes]
    told: Sequence[str] = ()
    files: Mapping[str, bytes] = _FILES
    settings: Mapping[str, str] = {}


def _update(path: str, hunk: str) -> str:
    return f"*** Begin Patch\n*** Update File: {path}\n{hunk}*** End Patch\n"


def _served(client: str, prefix: str, namespace: str = "") -> Trial:
    """Check, apply, apply again (refused), undo and redo, by the server."""
    patch = _update("f", "@@\n-x\n+y\n")
    calls = [("check", patch), ("apply", patch), ("apply", patch), ("undo", ""), ("redo", "")]
    steps = [
        [Call(f"{prefix}{name}", {"patch": text} if text else {}, namespace)]
        for name, text in calls
    ]
    wanted = {**_FILES, "f": b"a\ny\nb\n"}
    return Trial(client, "the tools of `git opatch mcp`", steps, wanted, ["already applied"])


def _at_once(client: str, argument: str) -> Trial:
    """Make two calls in one answer: by the first, what the second changes has a twin above it."""
    block = "def a():\n    x = 1\n    y = 2\n    return x\n"
    lines = block.splitlines()
    first = _update("f", "@@\n # top\n" + "".join(f"+{line}\n" for line in lines[1:]) + " -\n")
    second = _update("f", f"@@\n {lines[1]}\n-{lines[2]}\n+    y = 3\n {lines[3]}\n")
    before = "# top\n" + 20 * "-\n" + block
    after = "# top\n" + block.partition("\n")[2] + 20 * "-\n" + block
    step = [Call("apply_patch", {argument: patch}) for patch in (first, second)]
    name = "two patches at the same time, of which the second becomes ambiguous"
    files = {"f": before.encode()}
    return Trial(client, name, [step], {"f": after.encode()}, ["matches at 2 positions"], files)


def _denied(client: str, name: str, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> Trial:
    """Change `f`, and `.github/w`, which is not allowed."""
    steps = [[Call(tool, arguments)] for tool, arguments in calls]
    wanted = {**_FILES, "f": b"a\ny\nb\n"}
    told, what = [Fault.DENIED.sentence], f"what --deny forbids: {name}"
    return Trial(client, what, steps, wanted, told, settings=_DENY)


TRIALS = (
    _served("Codex", "", "mcp__git_opatch"),
    _served("Claude Code", "mcp__git-opatch__"),
    _served("OpenCode", "git-opatch_"),
    _at_once("Codex", "input"),
    _at_once("OpenCode", "patchText"),
    _denied("Codex", "apply_patch", [
        ("apply_patch", {"input": _update("f", "@@\n-x\n+y\n")}),
        ("apply_patch", {"input": _update(".github/w", "@@\n-a\n+b\n")}),
    ]),
    _denied("Claude Code", "Edit", [
        ("Read", {"file_path": "f"}),
        ("Read", {"file_path": ".github/w"}),
        ("Edit", {"file_path": "f", "old_string": "x", "new_string": "y"}),
        ("Edit", {"file_path": ".github/w", "old_string": "a", "new_string": "b"}),
    ]),
    _denied("Claude Code", "Write", [
        ("Read", {"file_path": "f"}),
        ("Write", {"file_path": "f", "content": "a\ny\nb\n"}),
        ("Write", {"file_path": ".github/new", "content": "a\n"}),
    ]),
    _denied("OpenCode", "edit", [
        ("read", {"filePath": "f"}),
        ("read", {"filePath": ".github/w"}),
        ("edit", {"filePath": "f", "oldString": "x", "newString": "y"}),
        ("edit", {"filePath": ".github/w", "oldString": "a", "newString": "b"}),
    ]),
    _denied("OpenCode", "write", [
        ("read", {"filePath": "f"}),
        ("write", {"filePath": "f", "content": "a\ny\nb\n"}),
        ("write", {"filePath": ".github/new", "content": "a\n"}),
    ]),
)  # fmt: skip
