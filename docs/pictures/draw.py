"""Draw the pictures of the documents: real commands, in a temporary repository.

python docs/pictures/draw.py
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator
from html import unescape
from itertools import pairwise
from pathlib import Path

from rich.text import Text

from canvas import COLUMNS, Canvas

HERE = Path(__file__).parent
_PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])

_GREET = """\
import sys


def greet(name):
    return "Hello " + name


print(greet(sys.argv[1]))
"""
_SERVER = """\
[dev]
host = "localhost"
port = 8080

[prod]
host = "0.0.0.0"
port = 8080
"""


def _envelope(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


_FILES = {
    "src/greet.py": _GREET,
    "app.toml": _SERVER,
    "patch.txt": _envelope(
        "*** Update File: src/greet.py",
        "@@ def greet(name):",
        '-    return "Hello " + name',
        '+    return f"Hello, {name}!"',
        "*** Add File: docs/manual.txt",
        "+Run greet with a name.",
    ),
    "stale.txt": _envelope(
        "*** Update File: src/greet.py",
        "@@ def greet(name):",
        '-    return "Hi " + name',
        '+    return "Hey " + name',
    ),
    "twice.txt": _envelope("*** Update File: app.toml", "@@", "-port = 8080", "+port = 8000"),
    "old.txt": _envelope(
        "*** Update File: app.toml",
        "@@",
        " [prod]",
        ' host = "0.0.0.0"',
        "-port = 80",
        "+port = 8000",
    ),
}

PICTURES = {
    "success": ("cat patch.txt", "git opatch apply patch.txt", "git status --short"),
    "refusal": ("cat stale.txt", "git opatch apply stale.txt"),
    "show": ("git opatch show patch.txt",),
}
"""What is typed at the terminal in each picture."""
PAGES = {"ambiguous": "twice.txt", "stale": "old.txt"}
"""The patch whose page is drawn in each picture."""
NAMES = (*PICTURES, *PAGES)
_COLOURS = ("red", "green", "yellow", "blue", "magenta", "cyan")
_NAMES = {f"color({at})": name for at, name in enumerate(_COLOURS, 1)}
_NAMES |= {"color(8)": "dim", "reverse": "mark"}
"""What rich calls the styles of the canvas."""


def printed(commands: tuple[str, ...], top: Path) -> Iterator[Text]:
    """Yield the lines of a terminal in which `commands` are typed in the repository `top`."""
    for command in commands:
        yield Text.assemble(("$ ", "dim"), (command, "bold"))
        yield from Text.from_ansi(_run(command, top)).split("\n")


def draw_terminal(commands: tuple[str, ...], top: Path) -> Canvas:
    """Draw a terminal that wraps its lines at its width."""
    canvas, row = Canvas(), 0
    for line in printed(commands, top):
        pieces = line.divide(range(COLUMNS, len(line), COLUMNS)) if len(line) > COLUMNS else [line]
        for piece in pieces:
            for start, end, names in _runs(piece):
                if "mark" in names:
                    canvas.box(start, row, end - start, 1, "mark")
                canvas.text(start, row, piece.plain[start:end], names.replace("mark", "").strip())
            row += 1
    return canvas


def _runs(line: Text) -> Iterator[tuple[int, int, str]]:
    """Yield the pieces of a line that have one style, in the names of the canvas."""
    edges = sorted({0, len(line), *(edge for span in line.spans for edge in span[:2])})
    for start, end in pairwise(edges):
        words = [
            word
            for span in line.spans
            if span.start <= start < span.end
            for word in str(span.style).split()
        ]
        yield start, end, " ".join(dict.fromkeys(_NAMES.get(word, word) for word in words))


def draw_page(patch: str, top: Path) -> Canvas:
    """Draw the hunk of the page that `show --html` makes of `patch`: the places beside another."""
    page = _run(f"git opatch show --html {patch} 2>/dev/null | cat", top)
    canvas, row = Canvas(), 3
    canvas.text(0, 0, _first('<p class="command">(.*?)</p>', page), "dim")
    canvas.text(0, 1, _first("<h1>(.*?)</h1>", page), "bold")
    for label, rest in re.findall(r'<h3><span class="label">(.*?)</span>(.*?)</h3>', page):
        canvas.box(0, row, len(label) + 2, 1, "refused")
        canvas.text(1, row, label, "bold red")
        canvas.text(len(label) + 3, row, _plain(rest), "")
        row += 1
    for advice in re.findall(r'<p class="advice">(.*?)</p>', page):
        canvas.text(0, row, _plain(advice))
        row += 2
    places = re.findall(r'<div class="place (\w+)">(.*?)</div>', page, re.DOTALL)
    alone = [place for sides, place in places if sides == "left"]
    beside = [place for sides, place in places if sides == "right"]
    for place in alone:
        row = _draw_place(canvas, place, 0, row, COLUMNS, "left") + 1
    half = (COLUMNS - 2) // 2
    ends = [
        _draw_place(canvas, place, at * (half + 2), row, half, "right")
        for at, place in enumerate(beside)
    ]
    for sides, place in places:
        if sides == "both":
            ends.append(_draw_place(canvas, place, 0, row, COLUMNS, sides))
    return canvas


def _draw_place(canvas: Canvas, place: str, left: int, top: int, width: int, sides: str) -> int:
    """Draw a place in so many columns; gives the row below it."""
    heads = [_plain(head) for head in re.findall(r"<th [^>]*>(.*?)(?=<th|</thead>)", place)]
    half = (width - 1) // 2
    columns = {"left": (0, None), "right": (None, 0), "both": (0, half + 1)}[sides]
    canvas.box(left, top, width, 1, "soft")
    for at, head in zip(columns, (heads[1], heads[3]), strict=True):
        if at is not None:
            fits = left + at + len(head) < COLUMNS
            canvas.text(left + at + 1, top, head if fits else head.partition(", in ")[0], "bold")
    row = top + 1
    for kind, *cells in re.findall(
        r'<tr class="(.*?)"><td>(.*?)<td>(.*?)<td>(.*?)<td>(.*?)</tr>', place
    ):
        size = half if sides == "both" else width
        for at, number, cell in zip(columns, cells[::2], cells[1::2], strict=True):
            if at is not None:
                _draw_cell(canvas, kind, number, cell, left + at, row, size)
        if "unlike" in kind and columns[1]:
            canvas.text(left + half + 1, row, "\u2260", "bold red")
        row += 1
    for choice in re.findall(r'<p class="choice">(.*?)</p>', place):
        for line in _wrapped(_plain(choice), width - 2):
            canvas.text(left + 1, row, line, "dim")
            row += 1
    canvas.box(left, top, width, row - top, "frame")
    return row


def _draw_cell(
    canvas: Canvas, kind: str, number: str, cell: str, left: int, row: int, width: int
) -> None:
    change = {"d": "removed", "a": "added"}.get(kind[-1] if " " in kind else "", "")
    background = "decides" if kind == "decides" else change if cell else ""
    if background:
        canvas.box(left + 5, row, width - 5, 1, background)
    canvas.text(left + 4 - len(number), row, number, "dim")
    note = "".join(re.findall("<em>(.*?)</em>", cell))
    column = left + (5 if "<i>" in cell else 6)
    for mark, text in re.findall(
        r"<mark>(.*?)</mark>|([^<]+|<[^m][^>]*>)", re.sub("<em>.*", "", cell)
    ):
        shown = _plain(mark or text)
        if mark:
            canvas.box(column, row, len(shown), 1, "mark")
        canvas.text(column, row, shown, "dim" if kind == "around" else "")
        column += len(shown)
    if note:
        canvas.text(left + width - len(note) - 1, row, note, "blue" if kind == "decides" else "red")


def _plain(markup: str) -> str:
    return unescape(re.sub(r"<span>.*?</span>|<[^>]*>", "", markup))


def _first(pattern: str, page: str) -> str:
    return _plain(re.findall(pattern, page)[0])


def _wrapped(text: str, width: int) -> Iterator[str]:
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = ""
        line = f"{line} {word}".strip()
    yield line


def _run(command: str, top: Path) -> str:
    """Run `command` in a terminal; return its output."""
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (40, COLUMNS))
    running = subprocess.Popen(
        ["sh", "-c", command],
        cwd=top,
        env={**os.environ, "PATH": _PATH, "TERM": "xterm-256color", "GIT_PAGER": "cat"},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    seen = b"".join(_read(ours)).replace(b"\r\n", b"\n").decode()
    os.close(ours)
    running.wait()
    return seen.removesuffix("\n")


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


def drawings() -> Iterator[tuple[str, Canvas]]:
    """Draw all pictures, each in a repository of its own."""
    for name in NAMES:
        with tempfile.TemporaryDirectory() as top:
            make_repository(Path(top))
            if name in PAGES:
                yield name, draw_page(PAGES[name], Path(top))
            else:
                yield name, draw_terminal(PICTURES[name], Path(top))


def main() -> None:
    """Draw all pictures, each beside this file."""
    for name, canvas in drawings():
        (HERE / f"{name}.svg").write_text(canvas.svg(f"git opatch: {name}"), "utf-8")


if __name__ == "__main__":
    main()
