"""Measure how fast a patch is read, and whether the cost is linear in its size.

    python benchmarks/parsing.py [--megabytes N] [--shapes NAME,...]

Each shape of text is read in a separate process at a quarter, at half and at all of N
megabytes, or of what the bounds of a patch allow (`parse.bounds`), if that is less. What is
timed is `parse_patch`, in processor time; the memory is all that the process has at its
peak, with the text. Reading that is linear grows by 2 at each step; over 2.3 is called not
linear.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain, cycle, pairwise
from pathlib import Path
from tempfile import NamedTemporaryFile

from git_opatch.parse.scanner import MAX_BYTES, MAX_FILES, MAX_HUNKS, MAX_LINES

_MAX_GROWTH = 2.3
_PARTS = (4, 2, 1)
_HUNK_STARTS = (b"@@", b"<<<<<")
_FILE_STARTS = (b"--- ", b"*** Add", b"*** Del", b"*** Upd", b"<FILE_", b"<<<<<", b'{"type"')
_CODE = "    value_{0} = compute(argument_{0}, other=1)  # as before"
_HUNK = (
    "@@ def function_{0}(self):",
    " " + _CODE,
    " " + _CODE,
    "-    return value_{0} + 1  # the old one",
    "+    return value_{0} + 2  # the new one",
    " " + _CODE,
)


_BLOCK = ["<<<<<<< SEARCH", "a", "=======", "b", ">>>>>>> REPLACE"]
_DELETE = '{"type":"delete_file","path":"f"}'
_UPDATE = '{"type":"update_file","path":"f","diff":"@@\\n-a\\n+b\\n"}'
_FULL = ("--- a/f", "+++ b/f", "@@ -1 +1 @@", "-a", "+b")


def _hunks(count: int) -> Iterator[str]:
    for number in range(count):
        yield from (line.format(number) for line in _HUNK)


def _envelope() -> Iterator[str]:
    yield "*** Begin Patch"
    yield from _endless(lambda at: [f"*** Update File: src/part_{at}.py", *_hunks(20)])


def _unified() -> Iterator[str]:
    yield from _endless(lambda at: [f"--- a/src/{at}.py", f"+++ b/src/{at}.py", *_hunks(20)])


def _changes() -> Iterator[str]:
    yield "<FILE_CHANGES>"
    yield from _endless(
        lambda at: [f'<FILE_PATCH file_path="src/{at}.py">', *_hunks(20), "</FILE_PATCH>"]
    )


def _blocks() -> Iterator[str]:
    return _endless(
        lambda at: [
            f"src/{at // 20}.py", "<<<<<<< SEARCH", *[_CODE.format(at)] * 4, "=======",
            *[_CODE.format(at)] * 3, f"return {at}", ">>>>>>> REPLACE", "",
        ]
    )  # fmt: skip


def _operations() -> Iterator[str]:
    diff = "\n".join(_hunks(20)) + "\n"
    return _endless(
        lambda at: [json.dumps({"type": "update_file", "path": f"src/{at}.py", "diff": diff})]
    )


def _repeated(before: list[str], lines: list[str]) -> Callable[[], Iterator[str]]:
    return lambda: chain(before, cycle(lines))


def _endless(part: Callable[[int], list[str]]) -> Iterator[str]:
    at = 0
    while True:
        yield from part(at)
        at += 1


SHAPES: dict[str, tuple[Callable[[], Iterator[str]], str]] = {
    "envelope": (_envelope, "*** End Patch"),
    "unified diff": (_unified, ""),
    "file changes": (_changes, "</FILE_CHANGES>"),
    "search and replace": (_blocks, ""),
    "operations": (_operations, ""),
    "prose": (lambda: _endless(lambda at: [f"Then, in step {at}, the - and + signs differ."]), ""),
    "nothing but `@@`": (lambda: _endless(lambda _: ["@@"]), ""),
    "files of a line": (
        lambda: _endless(
            lambda at: [*["*** Begin Patch"] * (not at), f"*** Delete File: src/module_{at}.py"]
        ),
        "*** End Patch",
    ),
    "heredocs without an end": (lambda: _endless(lambda _: ["apply_patch <<'EOF'"]), ""),
    "fences": (lambda: _endless(lambda at: ["`" * (3 + at % 7) + "diff"]), ""),
    "JSON brackets": (lambda: _endless(lambda _: ["[[[[[[["]), ""),
    "JSON that breaks": (_repeated([], ['["a" b']), ""),
    "empty objects": (_repeated(["["], ["{},{},{},{},"]), '{"type": "delete_file", "path": "f"}]'),
    "changes of directory": (_repeated([], ["cd a"]), ""),
    "added lines of a letter": (_repeated([*_FULL], ["+x"]), ""),
    "blank lines and `+`": (_repeated([*_FULL], [*[""] * 50, "+"]), ""),
    "lines without marks": (_repeated([*_FULL], ["", "x"]), "+c"),
    "blank lines before `@@`": (
        _repeated(['<FILE_PATCH file_path="f">'], ["@@", "+a", *[""] * 1000]),
        "@@\n+a\n</FILE_PATCH>",
    ),
    "hunks of a line": (_repeated(["--- a/f", "+++ b/f"], ["@@", "-a", "+b"]), ""),
    "hunks of a blank line": (_repeated(["--- a/f", "+++ b/f"], ["@@", "+"]), ""),
    "hunks of an envelope": (
        _repeated(["*** Begin Patch", "*** Update File: f"], ["@@", "-a", "+b"]),
        "*** End Patch",
    ),
    "files of a hunk": (_repeated([], ["--- a/f", "+++ b/f", "@@", "-a", "+b"]), ""),
    "files of an envelope": (
        _repeated(["*** Begin Patch"], ["*** Update File: a", "@@", "-a", "+b"]),
        "*** End Patch",
    ),
    "added files": (
        _repeated(["*** Begin Patch"], ["*** Add File: a", "+"]),
        "*** End Patch",
    ),
    "deleted files": (_repeated(["*** Begin Patch"], ["*** Delete File: a"]), "*** End Patch"),
    "fenced files": (
        _repeated([], [f"  {line}" for line in ("```", "--- a/f", "+++ b/f", "@@", "+", "```")]),
        "",
    ),
    "blocks of a line": (_repeated(["f.py"], _BLOCK), ""),
    "blocks of two files": (_repeated([], ["f.py", *_BLOCK, "g.py", *_BLOCK]), ""),
    "operations that delete": (_repeated(["["], [_DELETE + ","]), _DELETE + "]"),
    "operations that update": (_repeated(["["], [_UPDATE + ","]), _DELETE + "]"),
    "operations on lines": (_repeated([], [_UPDATE]), ""),
    "a quoted argument": (
        _repeated(["apply_patch '*** Begin Patch", "*** Add File: f"], ["+x"]),
        "*** End Patch'",
    ),
    "quoted arguments": (
        _repeated([], ["apply_patch '*** Begin Patch", "*** Delete File: a", "*** End Patch'"]),
        "",
    ),
}
"""Texts by the name of their shape: their lines, without end, and what ends them."""


def main() -> None:
    """Measure the shapes that the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--megabytes", type=float, default=MAX_BYTES / 1e6)
    parser.add_argument("--shapes", type=lambda text: text.split(","), default=list(SHAPES))
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        _measure(arguments.one)
        return
    print("| shape | MB | seconds | MB/s | grows by | peak of memory, MB | linear |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for shape in arguments.shapes:
        print(_row(shape, int(arguments.megabytes * 1e6)), flush=True)


def _row(shape: str, size: int) -> str:
    size = min(size, sum(map(len, _within_bounds(shape))))
    runs = [_run(shape, size // part) for part in _PARTS]
    growth = [larger[0] / smaller[0] for smaller, larger in pairwise(runs)]
    seconds, memory = runs[-1]
    linear = "yes" if max(growth) < _MAX_GROWTH else "no"
    grows = ", ".join(f"{factor:.2f}" for factor in growth)
    return (
        f"| {shape} | {size / 1e6:.0f} | {seconds:.2f} | {size / 1e6 / seconds:.1f} | {grows} | "
        f"{memory:.0f} | {linear} |"
    )


def _run(shape: str, size: int) -> tuple[float, float]:
    # Not made by the process that is measured: to make it takes more memory than it has.
    with NamedTemporaryFile() as file:
        file.writelines(_text(shape, size))
        file.flush()
        command = [sys.executable, __file__, "--one", file.name]
        seconds, memory = subprocess.run(command, check=True, capture_output=True).stdout.split()
    return float(seconds), float(memory)


def _measure(path: str) -> None:
    """Read the text in that file; print the seconds and the multiple of memory."""
    import gc
    import resource
    import time

    from git_opatch.model.errors import ParseError
    from git_opatch.parse import parse_patch

    text = Path(path).read_bytes()
    gc.disable()  # as the program does
    with suppress(ParseError):
        parse_patch(text[:1000])  # exclude what is imported once
    start = time.process_time()
    try:
        patch = parse_patch(text)
    except ParseError:
        patch = None
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    del patch
    print(seconds, peak * 1024 / 1e6)


def _within_bounds(shape: str) -> Iterator[bytes]:
    """Yield the lines of the largest text of that shape that the bounds allow."""
    size = count = hunks = files = 0
    for line in _text(shape, MAX_BYTES):
        text = line.lstrip()
        size, count = size + len(line), count + 1 + line.count(b"\\n")
        hunks += text.startswith(_HUNK_STARTS) or b'"diff"' in text
        files += text.startswith(_FILE_STARTS)
        if size >= MAX_BYTES or count >= MAX_LINES or hunks >= MAX_HUNKS or files >= MAX_FILES:
            return
        yield line


def _text(shape: str, size: int) -> Iterator[bytes]:
    lines, end = SHAPES[shape]
    for line in lines():
        yield line.encode() + b"\n"
        size -= len(line) + 1
        if size <= 0:
            break
    yield end.encode() + b"\n" if end else b""


if __name__ == "__main__":
    main()
