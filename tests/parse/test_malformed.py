"""Any input gives a patch or errors that explain the refusal, quickly and in little memory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from parameters import named
from scenario import read_scenario

from git_opatch.git.snapshot import Snapshot
from git_opatch.model.blob import Blob, Entry, Mode, blob_id
from git_opatch.model.errors import ParseError
from git_opatch.model.options import Format, Options
from git_opatch.model.patch import Patch
from git_opatch.parse import parse_patch
from git_opatch.plan.patch_paths import refuse_unsafe, resolve_paths
from git_opatch.plan.sections import plan_sections

_HERE = Path(__file__).parents[1]
_SCENARIOS = {
    str(path.relative_to(_HERE / "scenarios")): read_scenario(path.read_bytes())
    for path in sorted((_HERE / "scenarios").glob("*/*.txt"))
}
_TEXTS = {name: scenario.texts["given"] for name, scenario in _SCENARIOS.items()}
_examples = examples(4)
_line = st.one_of(
    st.sampled_from(sorted({line for text in _TEXTS.values() for line in text.split(b"\n")})),
    st.binary(max_size=6),
)


def _read(text: bytes) -> Patch | None:
    """Return the patch in `text`; None if it was refused with errors, each with a message."""
    try:
        return parse_patch(text)
    except ParseError as error:
        assert 0 < len(error.diagnostics) <= 10
        assert all(diagnostic.message for diagnostic in error.diagnostics)
        assert all(
            0 <= diagnostic.line <= text.count(b"\n") + 1 for diagnostic in error.diagnostics
        )
        return None


def _plan(text: bytes, content: bytes) -> None:
    """Plan the patch in `text` for files with `content`, whatever their names."""
    patch = _read(text)
    if patch is None:
        return
    patch = resolve_paths(patch)
    if refuse_unsafe(patch):
        return
    paths = {
        name for section in patch.files for name in (section.old_path, section.new_path) if name
    }
    entry = Entry(Mode.REGULAR, blob_id(content, "sha1"))
    blobs = {path: Blob(path, entry, content) for path in sorted(paths)[::2]}
    plan = plan_sections(patch, Snapshot(blobs, frozenset(blobs)), Options(), "sha1")
    assert plan.failures or plan.completed.changes or plan.skipped


@pytest.mark.parametrize("name", sorted(_TEXTS))
@pytest.mark.parametrize("step", [23, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_text_truncated_at_any_byte(name: str, step: int) -> None:
    text = _TEXTS[name]
    for end in range(0, min(len(text), 2000), step):
        _read(text[:end])


_UPDATE = "*** Update File: f\n@@\n a\n-b\n+c\n*** Add File: g\n+x\n"
_ENVELOPE = f"*** Begin Patch\n{_UPDATE}*** End Patch"
_CONTAINER = (
    '<FILE_CHANGES>\n<FILE_NEW file_path="f">\n```\nx\n```\n</FILE_NEW>\n'
    '<FILE_PATCH file_path="f">\n@@\n-a\n+b\n</FILE_PATCH>\n<FILE_DELETE file_path="d" />\n'
    "</FILE_CHANGES>"
)
_OPERATIONS = [
    {"type": "update_file", "path": "f", "diff": "@@ x\n a\n-b\n+c\n"},
    {"type": "create_file", "path": "n", "diff": "+x\n+y\n"},
]


@named(
    "text",
    {
        "envelope": _ENVELOPE,
        "container": _CONTAINER,
        "operations": json.dumps(_OPERATIONS, indent=1),
        "patch": json.dumps({"patch": _ENVELOPE}, indent=1),
        "string": json.dumps(_ENVELOPE),
    },
)
def test_a_cut_text_is_never_taken(text: str) -> None:
    assert _read(text.encode()) is not None
    assert [end for end in range(len(text)) if _read(text[:end].encode()) is not None] == []


def test_of_blocks_whole_ones_are_taken() -> None:
    text = b"f\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
    text += text.replace(b"f\n", b"g\n")
    taken = [patch for end in range(len(text)) if (patch := _read(text[:end]))]
    assert {len(patch.files) for patch in taken} == {1, 2}


def test_an_error_names_its_source() -> None:
    with pytest.raises(ParseError) as caught:
        parse_patch(_ENVELOPE.replace("@@", "@@@"), source="fix.patch")
    assert str(caught.value).startswith("fix.patch:3: ")


@_examples
@given(st.lists(_line, max_size=25), st.sampled_from([b"\n", b"\r\n"]))
def test_lines_of_patches_in_any_order_do_not_crash(lines: list[bytes], ending: bytes) -> None:
    text = ending.join(lines)
    _plan(text, b"\n".join(line[1:] for line in lines if line[:1] in (b" ", b"-")))


@_examples
@given(st.sampled_from(sorted(_TEXTS)), st.data())
def test_a_patch_with_some_lines_changed_does_not_crash(name: str, data: st.DataObject) -> None:
    lines = _TEXTS[name].split(b"\n")
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        lines[at : at + data.draw(st.integers(0, 2))] = data.draw(st.lists(_line, max_size=2))
        lines = lines or [b""]
    content = b"".join(b for _, b in _SCENARIOS[name].before.values())
    _plan(b"\n".join(lines), content)


@_examples
@given(st.binary(max_size=200), st.sampled_from([None, *Format]))
def test_any_bytes_are_read_or_refused(text: bytes, patch_format: Format | None) -> None:
    try:
        parse_patch(text, patch_format=patch_format)
    except ParseError as error:
        assert error.diagnostics
