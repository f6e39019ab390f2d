"""Draw the pictures of the documents: real commands, in a temporary repository.

python docs/pictures/draw.py
"""

from __future__ import annotations

import io
import os
import subprocess
import tempfile
import termios
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.text import Text

HERE = Path(__file__).parent
COLUMNS = 104

_GREET = """\
import sys


def greet(name):
    return "Hello " + name


print(greet(sys.argv[1]))
"""
_PATCH = """\
*** Begin Patch
*** Update File: src/greet.py
@@ def greet(name):
-    return "Hello " + name
+    return f"Hello, {name}!"
*** Add File: docs/manual.txt
+Run greet with a name.
*** End Patch
"""
_STALE = """\
*** Begin Patch
*** Update File: src/greet.py
@@ def greet(name):
-    return "Hi " + name
+    return "Hey " + name
*** End Patch
"""
_MANY = """\
*** Begin Patch
*** Update File: src/greet.py
@@ def greet(name):
-    return "Hello " + name
+    return f"Hello, {name}!"
@@
-print(greet(sys.argv[1]))
+for name in sys.argv[1:]:
+    print(greet(name))
*** Add File: docs/manual.txt
+Run greet with a name.
*** End Patch
"""
_FILES = {"src/greet.py": _GREET, "patch.txt": _PATCH, "stale.txt": _STALE, "many.txt": _MANY}

PICTURES = {
    "refusal": ("cat stale.txt", "git opatch apply stale.txt"),
    "show": ("cat patch.txt", "git opatch show patch.txt"),
    "choose": ("git opatch apply -p many.txt", "git status --short"),
}
_ANSWERS = {"git opatch apply -p many.txt": ("y", "n", "y")}
"""What is typed when a command asks."""


def render(commands: tuple[str, ...], top: Path) -> Console:
    """Render what a terminal shows when `commands` are typed in the repository `top`."""
    console = Console(
        width=COLUMNS, record=True, file=io.StringIO(), force_terminal=True, highlight=False
    )
    for command in commands:
        console.print(Text.assemble(("$ ", "dim"), (command, "bold")))
        console.print(Text.from_ansi(_run(command, top)), end="")
    return console


def _run(command: str, top: Path) -> str:
    """Run `command` in a terminal; return its output."""
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (40, COLUMNS))
    answers = _ANSWERS.get(command, ())
    running = subprocess.Popen(
        ["sh", "-c", command],
        cwd=top,
        env={**os.environ, "GIT_PAGER": "cat"},
        stdin=theirs if answers else subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    asked = [_read_question(ours, answer) for answer in answers]
    seen = b"".join([*asked, *_read(ours)]).replace(b"\r\n", b"\n").decode()
    os.close(ours)
    running.wait()
    return seen


def _read_question(terminal: int, answer: str) -> bytes:
    """Read until the program asks, and answer; the terminal shows it."""
    seen = b""
    while not seen.endswith(b"]? "):
        seen += os.read(terminal, 65536)
    os.write(terminal, answer.encode() + b"\n")
    return seen


def _read(terminal: int) -> Iterator[bytes]:
    """Read until the last writer has closed the terminal, which Linux reports as an error."""
    try:
        while piece := os.read(terminal, 65536):
            yield piece
    except OSError:
        return


def make_repository(top: Path) -> None:
    """Make a repository with the files of the pictures; the patches are ignored."""
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for name, content in _FILES.items():
        (top / name).parent.mkdir(exist_ok=True)
        (top / name).write_text(content, "utf-8")
    subprocess.run([*git, "init", "--quiet"], cwd=top, check=True)
    (top / ".git" / "info" / "exclude").write_text("*.txt\n!docs/*\n", "utf-8")
    subprocess.run([*git, "add", "."], cwd=top, check=True)
    subprocess.run([*git, "commit", "--quiet", "-m", "greet"], cwd=top, check=True)


def main() -> None:
    """Draw all pictures, each beside this file."""
    for name, commands in PICTURES.items():
        with tempfile.TemporaryDirectory() as top:
            make_repository(Path(top))
            console = render(commands, Path(top))
        console.save_svg(str(HERE / f"{name}.svg"), title="git opatch")


if __name__ == "__main__":
    main()
