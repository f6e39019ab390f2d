"""Measure how fast a patch is read, and whether the cost is linear in its size.

    python tests/support/reading_time.py [--megabytes N] [--shapes NAME,...]

Each shape of text is read in a separate process at a quarter, at half and at all of N megabytes,
or of what the bounds of a patch allow (`parse.text`), if that is less. What is timed is
`parse_patch`, in processor time; the memory is all that the process has at its peak, with the
text. Reading that is linear grows by 2 at each step; over 2.3 is called not linear.
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import subprocess
import sys
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from tempfile import NamedTemporaryFile

from git_opatch.model.errors import ParseError
from git_opatch.parse import parse_patch
from git_opatch.parse.text import MAX_BYTES, MAX_FILES, MAX_HUNKS, MAX_LINES

_MAX_GROWTH = 2.3
_CODE = "    value_N = compute(argument_N, other=1)  # as before\n"
_HUNK = (
    f"@@ def function_N(self):\n {_CODE}-    return value_N + 1\n+    return value_N + 2\n {_CODE}"
)
_HUNKS = _HUNK * 20
_UPDATE = json.dumps({"type": "update_file", "path": "src/N.py", "diff": _HUNKS}) + "\n"
_BLOCK = f"src/N.py\n<<<<<<< SEARCH\n{_CODE * 4}=======\n{_CODE * 3}return N\n>>>>>>> REPLACE\n\n"
_DIFF = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
_BEGIN, _END = "*** Begin Patch\n", "*** End Patch\n"

SHAPES: dict[str, tuple[str, str, str]] = {
    "envelope": (_BEGIN, f"*** Update File: src/N.py\n{_HUNKS}", _END),
    "unified diff": ("", f"--- a/src/N.py\n+++ b/src/N.py\n{_HUNKS}", ""),
    "file changes": (
        "<FILE_CHANGES>\n",
        f'<FILE_PATCH file_path="src/N.py">\n{_HUNKS}</FILE_PATCH>\n',
        "</FILE_CHANGES>\n",
    ),
    "search and replace": ("", _BLOCK, ""),
    "operations": ("", _UPDATE, ""),
    "prose": ("", "Then, in step N, the - and + signs differ.\n", ""),
    "nothing but `@@`": ("", "@@\n", ""),
    "files of a line": (_BEGIN, "*** Delete File: src/module_N.py\n", _END),
    "heredocs without an end": ("", "apply_patch <<'EOF'\n", ""),
    "fences": ("", "```diff\n", ""),
    "JSON brackets": ("", "[[[[[[[\n", ""),
    "added lines of a letter": (_DIFF, "+x\n", ""),
    "hunks of a line": ("--- a/f\n+++ b/f\n", "@@\n-a\n+b\n", ""),
    "hunks of an envelope": (f"{_BEGIN}*** Update File: f\n", "@@\n-a\n+b\n", _END),
    "files of a hunk": ("", _DIFF, ""),
    "a quoted argument": ("apply_patch '*** Begin Patch\n*** Add File: f\n", "+x\n", f"{_END}'\n"),
}
"""Texts by the name of their shape: how they begin, what is repeated, N times, and their end."""


def main() -> None:
    """Measure the shapes that the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=float, default=MAX_BYTES / 1e6)
    parser.add_argument("--shapes", type=lambda text: text.split(","), default=list(SHAPES))
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        _measure(Path(arguments.one).read_bytes())
        return
    print("| shape | MB | seconds | MB/s | grows by | peak of memory, MB | linear |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for shape in arguments.shapes:
        print(_row(shape, int(arguments.megabytes * 1e6)), flush=True)


def _row(shape: str, most: int) -> str:
    runs = [_run(_text(shape, most, part)) for part in (4, 2, 1)]
    growth = [larger[0] / smaller[0] for smaller, larger in pairwise(runs)]
    seconds, memory, size = runs[-1]
    linear = "yes" if max(growth) < _MAX_GROWTH else "no"
    grows = ", ".join(f"{factor:.2f}" for factor in growth)
    rate = f"{size:.0f} | {seconds:.2f} | {size / seconds:.1f}"
    return f"| {shape} | {rate} | {grows} | {memory:.0f} | {linear} |"


def _text(shape: str, most: int, part: int) -> bytes:
    """Return a `part`th of the largest text of that shape that the bounds and `most` allow."""
    start, unit, end = SHAPES[shape]
    counts = {
        min(most, MAX_BYTES) - 1000: len(unit.replace("N", "12345")),
        MAX_LINES: unit.count("\n") + unit.count("\\n"),
        MAX_HUNKS: unit.count("@@") + unit.count("<<<<<<<"),
        MAX_FILES - 1: unit.count("--- ") + unit.count("* Delete") + unit.count('N.py"'),
    }
    repeats = min((limit - 100) // count for limit, count in counts.items() if count)
    units = (unit.replace("N", str(at)) for at in range(repeats // part))
    return "".join([start, *units, end]).encode()


def _run(text: bytes) -> tuple[float, float, float]:
    """Return seconds, memory and size, both in megabytes."""
    # Not made by the process that is measured: to make it takes more memory than it has.
    with NamedTemporaryFile() as file:
        file.write(text)
        file.flush()
        command = [sys.executable, __file__, "--one", file.name]
        seconds, memory = subprocess.run(command, check=True, capture_output=True).stdout.split()
    return float(seconds), float(memory), len(text) / 1e6


def _measure(text: bytes) -> None:
    """Read the text; print the seconds and the peak of memory."""
    gc.disable()  # as the program does
    start = time.process_time()
    with suppress(ParseError):
        parse_patch(text)
    seconds = time.process_time() - start
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6)


if __name__ == "__main__":
    main()
