"""`git opatch demo`: the main job, in a repository that is thrown away."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from git_opatch.report.terminal import show
from git_opatch.text import Text, visible

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
    """Show the main job in a throw-away repository: apply a patch, look, take it back."""
    with tempfile.TemporaryDirectory(prefix="git-opatch-demo-") as folder:
        top = Path(folder)
        _say("# a repository with three files, committed; and a patch as a model writes it")
        _prepare(top)
        _run(top, "cat patch.txt")
        _run(top, "git opatch apply patch.txt")
        _run(top, "git status --short --untracked-files=no")
        _run(top, "git diff --cached")
        _run(top, "git opatch undo")
        _run(top, "git status --short --untracked-files=no")
        _say("# nothing is staged any more: everything is as it was")


def _prepare(top: Path) -> None:
    for name, text in {**_FILES, "patch.txt": _PATCH}.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    identity = ("-c", "user.name=demo", "-c", "user.email=demo@example.com")
    for command in (
        ("init", "--quiet"),
        ("add", *_FILES),
        (*identity, "commit", "--quiet", "--message=start"),
    ):
        subprocess.run(["git", *command], cwd=top, env=_environment(), check=True)


def _run(top: Path, command: str) -> None:
    """Show `command` as a user types it, run it, and show what it prints."""
    _say(f"$ {command}")
    words = command.split()
    if words[:2] == ["git", "opatch"]:
        words[:2] = [sys.executable, "-m", "git_opatch"]
    ran = subprocess.run(words, cwd=top, env=_environment(), check=True, capture_output=True)
    show((visible(line) for line in Text.from_bytes(ran.stdout + ran.stderr).lines), sys.stdout)
    _say("")


def _say(line: str) -> None:
    show([line], sys.stdout)


def _environment() -> dict[str, str]:
    """The user's environment without what would lead git to another repository."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
