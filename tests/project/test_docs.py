"""The README and docs/ are correct: examples run, commands and options exist."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sandbox import Ran, Sandbox
from writers import envelope

_TOP = Path(__file__).parents[2]
_PAGES = {
    page.name: page.read_text() for page in [_TOP / "README.md", *(_TOP / "docs").glob("*.md")]
}
_README = _PAGES["README.md"]

_GREET = """\
import sys


def greet(name):
    return "Hello " + name


print(greet(sys.argv[1]))
"""
_STALE = """\
*** Begin Patch
*** Update File: src/greet.py
@@ def greet(name):
-    return "Hi " + name
+    return "Hey " + name
*** End Patch
"""

_LOOSE = """\
*** Begin Patch
*** Update File: src/greet.py
@@
 def greet(name):
-  return "Hello " + name
+  return "Hi " + name
*** End Patch
"""

_TILDE = """\
<FILE_PATCH file_path="src/greet.py">
@@
 import sys
-
-
~
-
-
-print(greet(sys.argv[1]))
+print("Hello " + sys.argv[1])
</FILE_PATCH>
"""

_EDIT = '{"file_path": "src/greet.py", "old_string": "name", "new_string": "who"}\n'

_LATE = """\
*** Begin Patch
*** Update File: src/greet.py
@@
 def greet(name):
-    return "Hello " + name
+    return f"Hello, {name}!"


 print(greet("world"))
*** End Patch
"""


def _blocks(language: str, text: str = _README) -> list[str]:
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```$", text)


def _commands(block: str) -> Iterator[tuple[str, str]]:
    """Give each command of a console block with the output shown for it."""
    for part in re.split(r"(?m)^\$ ", block)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


@pytest.fixture
def greeting(repo: Sandbox) -> Sandbox:
    repo.commit({"src/greet.py": _GREET.replace("sys.argv[1]", '"world"')})
    repo.commit({"src/greet.py": _GREET})
    patch = dict(_commands("".join(_blocks("console"))))["cat patch.txt"]
    repo.write(".git/info/exclude", "*.txt\n*.diff\n!docs/*\n")
    repo.write("patch.txt", patch)
    repo.write("stale.txt", _STALE)
    repo.write("loose.txt", _LOOSE)
    repo.write("late.txt", _LATE)
    repo.write("tilde.txt", _TILDE)
    repo.write("edit.txt", _EDIT)
    return repo


@pytest.mark.parametrize(
    "block", [block for name in sorted(_PAGES) for block in _blocks("console", _PAGES[name])]
)
def test_the_examples_print_the_shown_output(greeting: Sandbox, block: str) -> None:
    for command, output in _commands(block):
        ran = _run(greeting, command)
        if command.endswith("demo"):
            assert ran.status == 0
            continue
        assert _timeless(ran.out.decode()) == _timeless(output), command


def test_the_denial_that_the_page_shows_is_answered(greeting: Sandbox) -> None:
    (shown,) = (block for block in _blocks("json", _PAGES["hooks.md"]) if "DecisionReason" in block)
    command = f"apply_patch <<'EOF'\n{_STALE}EOF\n"
    call = {"tool_name": "Bash", "tool_input": {"command": command}}
    event = json.dumps({"hook_event_name": "PreToolUse", "cwd": ".", **call}).encode()
    answers = [json.loads(shown), json.loads(greeting.opatch("agent-hook", feed=event).out)]
    part, whole = (
        answer["hookSpecificOutput"].pop("permissionDecisionReason") for answer in answers
    )
    assert answers[0] == answers[1]
    assert whole.startswith(part.removesuffix("…"))


def test_no_page_installs_a_package_from_an_index() -> None:
    """Until there is one: whoever has that name there would be installed instead."""
    for name, page in _PAGES.items():
        for what in re.findall(r"(?:pipx? install|uv tool install|uvx)(?: -\S+)* (\S+.*)", page):
            assert "git+https://" in what or "opatch" not in what.split()[0], f"{name}: {what}"


def _run(repo: Sandbox, command: str) -> Ran:
    """Run a line with both streams as one: in a shell, where it needs one."""
    words = shlex.split(command)
    if words[:2] != ["git", "opatch"] or set(command) & set("|<>$&;#*~`"):
        return repo.run("sh", "-c", f"exec 2>&1\n{command}")
    return repo.merged(*words[2:])


def _timeless(text: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}", "TIME", text)


def _rows() -> Iterator[tuple[str, ...]]:
    """Give the cells of the tables of examples, whose lines are one below another in a cell."""
    for table in _PAGES["matching.md"].split(
        "| | file | hunk | result |\n| --- | --- | --- | --- |\n"
    )[1:]:
        rows = table.partition("\n\n")[0].splitlines()
        yield from (tuple(row.strip("| ").split(" | ")) for row in rows)


def _lines(cell: str) -> str:
    lines = re.findall("`([^`]*)`", cell)
    return "".join(f"{'' if line == ' ' else line}\n" for line in lines)


@pytest.mark.parametrize(("what", "before", "hunk", "result"), list(_rows()))
def test_the_matching_examples_are_correct(
    repo: Sandbox, what: str, before: str, hunk: str, result: str
) -> None:
    path = next(iter(re.findall(r"in `([\w.]+)`", what)), "f.py")
    repo.commit({path: _lines(before)})
    lines = "".join(f"{line}\n" for line in re.findall("`([^`]*)`", hunk))
    header = "" if lines.startswith("@@") else "@@\n"
    section = f"*** Update File: {path}\n{header}{lines}"
    ran = repo.opatch("apply", "--json", feed=envelope(section.encode()))
    if result.startswith("refused: "):
        (reason, *_) = [failure["reason"] for failure in json.loads(ran.out)["failures"]]
        assert result == f"refused: {reason}"
    else:
        assert (ran.status, repo.read(path).decode()) == (0, _lines(result)), ran.err


def test_the_modules_that_the_architecture_names_are_there() -> None:
    named = re.findall(r"`([\w/]+\.py)`", _PAGES["architecture.md"])
    assert len(named) > 50
    places = [(_TOP / "git_opatch" / name, _TOP / name) for name in named]
    assert [str(own) for own, other in places if not (own.exists() or other.exists())] == []


def test_the_demo_runs_without_any_configuration(repo: Sandbox) -> None:
    before = repo.state()
    words = ["env", "-i", *(f"{name}={os.environ[name]}" for name in ("PATH", "LC_ALL"))]
    words += [f"PYTHONPATH={os.environ.get('PYTHONPATH', '')}"]
    ran = repo.program(*words, "git-opatch", "demo")
    assert (ran.status, ran.err) == (0, "")
    output = ran.out.decode()
    assert "$ git opatch apply patch.txt\n4 files changed: " in output
    assert "\nR  docs/usage.txt -> docs/manual.txt\n" in output
    assert output.endswith("everything is as it was\n")
    assert repo.state() == before


def test_the_demo_says_which_command_failed(repo: Sandbox, tmp_path: Path) -> None:
    real = shutil.which("git")
    git = tmp_path / "bin/git"
    git.parent.mkdir()
    for script, message in (
        ("echo no >&2; exit 3", "`git diff --cached` failed in the demo, with status 3: no"),
        ("exit 3", "`git diff --cached` failed in the demo, with status 3"),
    ):
        git.write_text(
            f'#!/bin/sh\ncase "$*" in "diff --cached") {script};; esac\nexec {real} "$@"\n'
        )
        git.chmod(0o755)
        path = f"{git.parent}{os.pathsep}{os.environ['PATH']}"
        ran = repo.program("git-opatch", "demo", env={"PATH": path})
        assert (ran.status, ran.err) == (128, f"error: {message}\n")


def test_ci_runs_the_test_command_of_the_readme() -> None:
    command = _blocks("sh")[1].strip()
    lines = (_TOP / ".ci/run").read_text().splitlines()
    assert command in [line.strip() for line in lines]
