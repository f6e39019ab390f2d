"""Whatever is given: a patch, or faults that say why there is none; soon, and in little memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenario import read_scenario

from git_opatch.blob import Blob, Entry, Mode, blob_id
from git_opatch.errors import ParseError
from git_opatch.options import Dialect, Options
from git_opatch.parse import parse_patch
from git_opatch.patch import Patch
from git_opatch.plan import make_plan, refuse_unsafe, resolve_paths
from git_opatch.snapshot import Snapshot
from git_opatch.text import Text

_HERE = Path(__file__).parent
_SCENARIOS = {
    str(path.relative_to(_HERE / "scenarios")): read_scenario(path.read_bytes())
    for path in sorted((_HERE / "scenarios").glob("*/*.txt"))
}
_TEXTS = {name: one.texts["given"] for name, one in _SCENARIOS.items()}
_BENCHMARK = _HERE.parent / "benchmarks" / "parsing.py"
_MOST_MEMORY = 8  # times the size of the text
_SHAPES = [
    *("envelope", "unified diff", "file changes", "search and replace", "operations"),
    *("prose", "nothing but `@@`", "files of a line", "heredocs without an end", "JSON brackets"),
]

_examples = settings(max_examples=int(os.environ.get("OPATCH_EXAMPLES", "200")), deadline=None)
_line = st.one_of(
    st.sampled_from(sorted({line for text in _TEXTS.values() for line in text.split(b"\n")})),
    st.binary(max_size=6),
)


def _read(text: bytes) -> Patch | None:
    """The patch in `text`; None if it was refused with faults, of which each says something."""
    try:
        return parse_patch(text)
    except ParseError as error:
        assert 0 < len(error.faults) <= 10
        assert all(fault.message for fault in error.faults)
        assert all(0 <= fault.line <= text.count(b"\n") + 1 for fault in error.faults)
        return None


def _plan(text: bytes, content: bytes) -> None:
    """Plan the patch in `text` for files of that content, whatever their names."""
    patch = _read(text)
    if patch is None:
        return
    patch = resolve_paths(patch, "")
    if refuse_unsafe(patch):
        return
    paths = {name for one in patch.files for name in (one.old_path, one.new_path) if name}
    entry = Entry(Mode.REGULAR, blob_id(Text.from_bytes(content), "sha1"))
    blobs = {path: Blob(path, entry, content) for path in sorted(paths)[::2]}
    plan = make_plan(patch, Snapshot(blobs, frozenset(blobs)), Options(), "sha1", {})
    assert plan.failures or plan.completed.changes or plan.skipped


@pytest.mark.parametrize("name", sorted(_TEXTS))
def test_a_text_cut_off_at_any_byte(name: str) -> None:
    text = _TEXTS[name]
    for end in range(min(len(text), 2000)):
        _read(text[:end])


def test_a_cut_envelope_is_never_taken() -> None:
    text = (
        b"*** Begin Patch\n*** Update File: f\n@@\n a\n-b\n+c\n*** Add File: g\n+x\n*** End Patch"
    )
    assert _read(text) is not None
    assert [end for end in range(len(text)) if _read(text[:end]) is not None] == []


@_examples
@given(st.lists(_line, max_size=25), st.sampled_from([b"\n", b"\r\n"]))
def test_lines_of_patches_in_any_order(lines: list[bytes], ending: bytes) -> None:
    text = ending.join(lines)
    _plan(text, b"\n".join(line[1:] for line in lines if line[:1] in (b" ", b"-")))


@_examples
@given(st.sampled_from(sorted(_TEXTS)), st.data())
def test_a_patch_with_some_lines_changed(name: str, data: st.DataObject) -> None:
    lines = _TEXTS[name].split(b"\n")
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        lines[at : at + data.draw(st.integers(0, 2))] = data.draw(st.lists(_line, max_size=2))
        lines = lines or [b""]
    content = b"".join(b for _, b in _SCENARIOS[name].before.values())
    _plan(b"\n".join(lines), content)


@_examples
@given(st.binary(max_size=200), st.sampled_from([None, *Dialect]))
def test_bytes(text: bytes, dialect: Dialect | None) -> None:
    try:
        parse_patch(text, dialect=dialect)
    except ParseError as error:
        assert error.faults


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"@@" * 1_000_000, id="no newline"),
        pytest.param(
            b"*** Begin Patch\n*** Update File: f\n+" + b"x" * 5_000_000, id="a long line"
        ),
        pytest.param(b"`" * 5_000_000, id="a long fence"),
        pytest.param(b"[" * 1_000_000, id="deep JSON"),
        pytest.param(b'{"a":' * 200_000, id="deep objects"),
        pytest.param(b"\0" * 1_000_000, id="NULs"),
        pytest.param(b"<FILE_CHANGES>\n" * 100_000, id="containers"),
        pytest.param(b"<<<<<<< SEARCH\n" * 100_000, id="blocks"),
        pytest.param(b"f\n<<<<<<< SEARCH\n=======\n" * 50_000, id="dividers"),
        pytest.param(b"bash -lc '" * 50_000, id="quotes"),
        pytest.param(b"cat <<EOF | " * 20_000, id="pipes"),
        pytest.param(b"From " + b"0" * 40 + b" Mon\n" * 50_000, id="mails"),
        pytest.param(b"diff --git a/f b/f\n" * 50_000, id="headers"),
        pytest.param(b"--- a/f\n+++ b/f\n@@\n" * 50_000, id="hunks without lines"),
    ],
)
def test_much_of_nothing(text: bytes) -> None:
    assert _read(text) is None


def test_memory_is_a_small_multiple_of_the_text() -> None:
    """Measured in processes of their own; of texts of tiny parts, see `test_parse_memory`."""
    command = [sys.executable, str(_BENCHMARK), "--megabytes", "2", "--shapes", ",".join(_SHAPES)]
    ran = subprocess.run(command, capture_output=True, check=True)
    rows = [line.split(" | ") for line in ran.stdout.decode().splitlines()[2:]]
    assert len(rows) == len(_SHAPES)
    assert {row[0]: row[5] for row in rows if float(row[5]) > _MOST_MEMORY} == {}
