"""`git opatch demo`: apply and undo a patch in a temporary repository."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from git_opatch.git.output import git_message
from git_opatch.git.runner import outside_environment, run_program
from git_opatch.git.scratch import scratch_directory
from git_opatch.model.errors import RepositoryError
from git_opatch.model.text import Text, visible
from git_opatch.report.terminal import show

_FILES = {
    "src/greet.py": """\
import sys


def greet(name):
    return "Hello " + name


def main():
    print(greet(sys.argv[1]))


if __name__ == "__main__":
    main()
""",
    "docs/usage.txt": "greet\n\nSays hello, in a friendly way.\n\nRun greet with a name.\n",
    "TODO": "greet more than one person\n",
}

_PATCH = """\
*** Begin Patch
*** Update File: src/greet.py
@@ def greet(name):
-    return "Hello " + name
+    return f"Hello, {name}!"
@@
 def main():
-    print(greet(sys.argv[1]))
+    for name in sys.argv[1:]:
+        print(greet(name))
*** Add File: tests/test_greet.py
+from src.greet import greet
+
+
+def test_greet():
+    assert greet("you") == "Hello, you!"
*** Delete File: TODO
*** Update File: docs/usage.txt
*** Move to: docs/manual.txt
@@
-Run greet with a name.
+Run greet with one name or more.
*** End Patch
"""


def demo() -> None:
    """Apply a patch in a temporary repository, show the result, and undo it."""
    with scratch_directory() as directory:
        top = Path(directory, "repository")
        _say("# a repository with three committed files, and a patch as a model writes it")
        _prepare(top)
        _run(top, "cat patch.txt")
        _run(top, "git opatch apply patch.txt")
        _run(top, "git status --short --untracked-files=no")
        _run(top, "git diff --cached")
        _run(top, "git opatch undo")
        _run(top, "git status --short --untracked-files=no")
        _say("# nothing is staged: everything is as it was")


def _prepare(top: Path) -> None:
    for name, text in {**_FILES, "patch.txt": _PATCH}.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    _output_of(top, "git init --quiet")
    _output_of(top, "git config user.name demo")
    _output_of(top, "git config user.email demo@example.com")
    _output_of(top, f"git add {' '.join(_FILES)}")
    _output_of(top, "git commit --quiet --message=start")


def _run(top: Path, command: str) -> None:
    """Print `command` as a user types it, run it, and print its output."""
    _say(f"$ {command}")
    lines = Text.from_bytes(_output_of(top, command)).lines
    show((visible(line) for line in lines), sys.stdout)
    _say("")


def _output_of(top: Path, command: str) -> bytes:
    """Run a command, without the user's settings. Raises `RepositoryError` if it fails."""
    words = command.split()
    if words[:2] == ["git", "opatch"]:
        words[:2] = [sys.executable, "-m", "git_opatch"]
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    result = run_program(words, top, {**outside_environment(), **settings}, feed=b"")
    if result.status:
        why = git_message(result.output.decode("utf-8", "replace"))
        failed = f"`{command}` failed in the demo, with status {result.status}"
        raise RepositoryError(f"{failed}: {why}" if why else failed)
    return result.output


def _say(line: str) -> None:
    show([line], sys.stdout)
