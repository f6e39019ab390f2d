"""Long texts: read in linear time, exactly as short ones, and refused beyond what is sensible."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path

import pytest

from git_opatch.model.errors import Diagnostic, ParseError
from git_opatch.model.patch import Hunk
from git_opatch.parse import parse_patch

_ROWS = Path(__file__).with_name("units.jsonl").read_text().splitlines()
UNITS = {row["name"]: (row["begin"], row["unit"]) for row in map(json.loads, _ROWS)}
"""What a text begins with, and what it has again and again."""


@pytest.mark.parametrize(("begin", "unit"), UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("small", [300, pytest.param(1500, marks=pytest.mark.exhaustive)])
def test_reading_takes_linear_time(begin: str, unit: str, small: int) -> None:
    def seconds(count: int) -> float:
        text = begin + "".join(unit.replace("{}", str(at)) for at in range(count))
        start = time.process_time()
        with suppress(ParseError):
            parse_patch(text)
        return time.process_time() - start

    # If the time were quadratic, eight times the text would take 64 times as long.
    assert seconds(8 * small) < 30 * max(min(seconds(small), seconds(small)), 0.005)


def error_of(text: str) -> Diagnostic:
    with pytest.raises(ParseError) as caught:
        parse_patch(text)
    return caught.value.diagnostics[0]


def only_hunk(text: str) -> Hunk:
    (section,) = parse_patch(text).files
    (hunk,) = section.hunks
    return hunk


def block(old: list[str], new: list[str]) -> str:
    return "\n".join(["f.py", "<<<<<<< SEARCH", *old, "=======", *new, ">>>>>>> REPLACE", ""])


@pytest.mark.parametrize("count", [9_000, 11_000])
def test_a_long_block_with_many_changes_is_read(count: int) -> None:
    old = [f"line {at}" for at in range(count)]
    new = [line + "!" if at % 2 else line for at, line in enumerate(old)]
    hunk = only_hunk(block(old, new))
    assert [line.text.decode() for line in hunk.preimage] == old
    assert [line.text.decode() for line in hunk.postimage] == new
    assert [line.number for line in hunk.preimage] == list(range(3, 3 + count))


def test_distant_changes_of_a_long_block_leave_context_between_them() -> None:
    old = [f"line {at}" for at in range(3000)]
    lines = only_hunk(block(old, ["first", *old[1:-1], "last"])).lines
    assert sum(line.prefix.value != " " for line in lines) == 4


@pytest.mark.parametrize("line", ["# " * 9 + "a.py", "file: " * 9 + "a.py", "a" * 4092 + "/a.py"])
def test_a_line_too_long_or_too_decorated_does_not_name_a_file(line: str) -> None:
    assert error_of(f"{line}\n{block(['a'], ['b']).partition(chr(10))[2]}").line in (1, 2)


def test_lines_without_a_prefix_are_scanned_once() -> None:
    bare, count = "foo\n\n" * 1_500, 1_500
    lines = only_hunk(f"--- a/f\n+++ b/f\n@@\n{bare}+x\n").lines
    assert (len(lines), sum(line.has_prefix for line in lines)) == (2 * count + 1, count + 1)
    assert len(only_hunk(f"--- a/f\n+++ b/f\n@@\n-a\n{bare}").lines) == 3


@pytest.mark.parametrize(("count", "line"), [(101, 103), (5000, 103)])
def test_the_number_of_headers_before_a_hunk_is_limited(count: int, line: int) -> None:
    text = "--- a/f\n+++ b/f\n{}-a\n+b\n"
    assert len(only_hunk(text.format("@@ def f():\n" * 100)).anchors) == 100
    assert error_of(text.format("@@ def f():\n" * count)).line == line


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("before", [0, 1, 2, 3, 500, 995, 1000, 4000])
def test_a_long_string_is_decoded_exactly(before: int, plain: bool) -> None:
    """Strings are decoded in chunks, and no chunk ends inside a character or an escape."""
    content = "x" * before + 'é😀\\u00e9\\\\"\t' * 600 + "\u2028" * before
    operation = {"type": "create_file", "path": "f", "diff": "+" + content}
    hunk = only_hunk(json.dumps(operation, ensure_ascii=not plain))
    assert [line.text.decode() for line in hunk.lines] == [content]


def test_a_corrected_line_is_not_shortened() -> None:
    error = error_of(f"*** Begin Patch\n*** Add File: n\n{'x' * 1000}\n*** End Patch\n")
    assert error.corrected == "+" + "x" * 1000
    assert len(error.message) < 500
