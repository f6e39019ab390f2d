"""Whatever changed, a created patch gives the target, byte for byte, or there is none."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from examples import examples
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from sandbox import Sandbox

from git_opatch import parse_patch, plan_in_memory
from git_opatch.create import NotExpressibleError, Wanted, write_patch
from git_opatch.model.blob import Blob, ChangedFile, Entry, Mode, blob_id
from git_opatch.model.options import Format

_LINES = [
    b"", b"", b" ", b"x", b"x", b"}", b"\t}", b"    return x", b"def f():", b"-", b"+", b"-- a/f",
    b"++ b/f", b"@@", b"@@ x", b"*** End Patch", b"*** End of File", b"*** Update File: x",
    b"<<<<<<< SEARCH", b"=======", b">>>>>>> REPLACE", b"\\=======", b":start_line:1", b"```",
    b"</FILE_PATCH>", b"<FILE_NEW file_path=\"x\">", b"~", b"...", b"\\ No newline at end of file",
    b"diff --git a/x b/x", b"--- a/x", b"EOF", b"'", b'"', b"\\n", "ü\u2028".encode(), b"\x0c",
    b"\r", b"x\r", b"\xff", b"\xef\xbb\xbfx", b"# x", b"1 | x",
]  # fmt: skip
_PATHS = ["a", "a.py", "d/b.txt", "a b.md", "ü/ñ", "README", "c", "d/e f/g", "python", "x:y", "-n"]


@st.composite
def _content(draw: st.DrawFn) -> bytes:
    lines = draw(st.lists(st.sampled_from(_LINES), max_size=25))
    end = draw(st.sampled_from([b"\n", b"\n", b"\n", b"\r\n"]))
    is_ended = draw(st.integers(0, 5)) > 0
    return end.join(lines) + (end if lines and is_ended else b"")


@st.composite
def _edited(draw: st.DrawFn, old: bytes) -> bytes:
    """Remove, replace and insert lines of `old`."""
    lines = old.split(b"\n")
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines)))
        gone = draw(st.integers(0, 2))
        lines[at : at + gone] = draw(st.lists(st.sampled_from(_LINES), max_size=3))
    return b"\n".join(lines)


@st.composite
def changes(draw: st.DrawFn) -> dict[str, tuple[bytes | None, bytes | None]]:
    """Draw files with both versions."""
    files: dict[str, tuple[bytes | None, bytes | None]] = {}
    for path in draw(st.lists(st.sampled_from(_PATHS), min_size=1, max_size=3, unique=True)):
        old = draw(st.none() | _content())
        new = draw(_content()) if old is None else draw(st.none() | _edited(old))
        if old != new:
            files[path] = (old, new)
    return files


def _blob(path: str, data: bytes | None) -> Blob | None:
    if data is None:
        return None
    return Blob(path, Entry(Mode.REGULAR, blob_id(data, "sha1")), data)


def _changed(files: dict[str, tuple[bytes | None, bytes | None]]) -> list[ChangedFile]:
    return [ChangedFile(_blob(path, old), _blob(path, new)) for path, (old, new) in files.items()]


def _created(files: dict[str, tuple[bytes | None, bytes | None]], wanted: Wanted) -> bytes | None:
    """Create the patch; None where there is none, for which each file has a reason."""
    try:
        return write_patch(_changed(files), wanted).text
    except NotExpressibleError as error:
        assert error.reasons
        assert all(reason for _, reason in error.reasons)
        return None


_TWINS = "def f():\n    a = 1\n    return a\n\n\ndef g():\n    a = 1\n    return a\n"
_MARKERS = (
    "*** End Patch\n*** Begin Patch\n<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n@@\n@@ -1 +1 @@\n"
    "--- a/f\n+++ b/f\n</FILE_PATCH>\n</FILE_CHANGES>\n```\n\\=======\n"
    "\\ No newline at end of file\n"
    "*** Update File: x\n diff --git a/x b/x\n:start_line:3\nx \\======= y\n"
)
_CHANGES: dict[str, tuple[dict[str, str], dict[str, str | None]]] = {
    "one line": ({"a": "1\n2\n3\n"}, {"a": "1\nzwei\n3\n"}),
    "twins": ({"a.py": _TWINS}, {"a.py": _TWINS[:30] + _TWINS[30:].replace("a = 1", "a = 2")}),
    "a line added to twins": ({"a": "x\ny\nx\ny\n"}, {"a": "x\ny\nx\nnew\ny\n"}),
    "equal lines": ({"a": "x\n" * 20}, {"a": "x\n" * 10 + "y\n" + "x\n" * 9}),
    "first and last": ({"a": "1\n2\n3\n"}, {"a": "0\n1\n2\n3\n4\n"}),
    "all lines": ({"a": "1\n2\n"}, {"a": "3\n4\n"}),
    "only blank lines": ({"a": "x\n\n\ny\n\n"}, {"a": "x\n\ny\n\n\n"}),
    "CRLF": ({"a": "1\r\n2\r\n3\r\n"}, {"a": "1\r\nzwei\r\n3\r\n"}),
    "a new file with CRLF": ({"a": "1\n"}, {"b": "1\r\n2\r\n"}),
    "mixed endings": ({"a": "1\r\n2\n3\r\n4\n"}, {"a": "1\r\n2\r\n3\r\nvier\n"}),
    "tabs and a form feed": ({"a": "\tx\n\x0c\n y\n"}, {"a": "\tx\n\x0c\n\tz\x0b\n"}),
    "no final newline": ({"a": "1\n2"}, {"a": "eins\n2"}),
    "a line like markers": ({"a": _MARKERS}, {"a": _MARKERS.replace("\n", " x\n", 3)}),
    "markers added": ({"a": "1\n2\n"}, {"a": "1\n" + _MARKERS + "2\n"}),
    "markers removed": ({"a": "1\n" + _MARKERS + "2\n"}, {"a": "1\n2\n"}),
    "a new file": ({"a": "1\n"}, {"d/b": "eins\n\nzwei\n"}),
    "a path with spaces": ({"a b/ü.txt": "1\n2\n"}, {"a b/ü.txt": "1\n3\n"}),
    "emptied": ({"a": "1\n"}, {"a": ""}),
    "filled": ({"a": ""}, {"a": "1\n"}),
    "several files": ({"a": "1\n", "b": "1\n"}, {"a": "2\n", "b": "2\n", "c": "3\n"}),
    "a newline lost at the end": ({"a": "1\n2\n"}, {"a": "1\n2"}),
    "a newline gained at the end": ({"a": "1\n2"}, {"a": "1\n2\n"}),
    "another last line without a newline": ({"a": "1\n2"}, {"a": "1\n3\n4"}),
    "emptied, without a newline": ({"a": "1"}, {"a": ""}),
    "a new file without a newline": ({"a": "1\n"}, {"b": "new"}),
    "deleted": ({"a": "1\n", "b": "2\n"}, {"a": None}),
    "renamed": ({"a": "1\n2\n3\n4\n"}, {"a": None, "b": "1\n2\n3\n4\n"}),
    "renamed and changed": ({"a": "1\n2\n3\n4\n"}, {"a": None, "b": "1\n2\n3\nvier\n"}),
    "a file becomes a directory": ({"a": "1\n"}, {"a": None, "a/b": "2\n"}),
    "a directory becomes a file": ({"a/b": "1\n"}, {"a/b": None, "a": "2\n"}),
}
_MARKS = ("a line like markers", "markers added", "markers removed")
_NO_DELETION = (Format.SEARCH_REPLACE, Format.STRING_REPLACE)
_ENDS = ("filled", "newline")
_KEEP_ENDS = (Format.SEARCH_REPLACE, Format.STRING_REPLACE)
"""Formats in which a file keeps the newline at its end."""
"""What `search-replace` cannot always express; and of a new file, `file-changes`."""


@pytest.mark.parametrize("patch_format", Format)
@pytest.mark.parametrize("name", _CHANGES)
def test_each_change_is_written_unless_the_format_cannot(name: str, patch_format: Format) -> None:
    before, after = _CHANGES[name]
    files = {path: (_bytes(before.get(path)), _bytes(text)) for path, text in after.items()}
    text = _created(files, Wanted(patch_format))
    if text:
        _assert_gives(text, files)
    elif name not in _MARKS and not (None in after.values() and patch_format in _NO_DELETION):
        ends = patch_format in _KEEP_ENDS and any(word in name for word in _ENDS)
        assert ends or (patch_format, name) == (Format.FILE_CHANGES, "a new file without a newline")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def _assert_gives(text: bytes, files: dict[str, tuple[bytes | None, bytes | None]]) -> None:
    base = {path: old for path, (old, _) in files.items() if old is not None}
    plan = plan_in_memory(parse_patch(text), base)
    assert not plan.failures
    assert {change.path for change in plan.completed.changes} == files.keys()
    contents = plan.completed.contents()
    assert contents == {path: new for path, (_, new) in files.items() if new is not None}


_AWKWARD: dict[str, tuple[bytes | None, bytes | None]] = {
    "twins": (b"x\na\ny\nx\na\nz\n", b"x\na\ny\nx\nb\nz\n"),
    "equal": (b"x\n" * 20, b"x\n" * 10 + b"y\n" + b"x\n" * 9),
    "blank": (b"x\n\n\ny\n\n", b"x\n\ny\n\n\n"),
    "cased": (b"  end\nEND\n end\n", b"  end\nEND\nnew\n end\n"),
    "plain": (b"1\n2\n3\n4\n5\n", b"1\n2\nthree\n4\n5\n"),
}


@pytest.mark.parametrize("patch_format", Format)
def test_files_together_have_the_hunks_that_each_has_alone(patch_format: Format) -> None:
    changed = _changed(_AWKWARD)
    alone = [write_patch([file], Wanted(patch_format)) for file in changed]
    together = write_patch(changed, Wanted(patch_format))
    assert together.hunks == sum(each.hunks for each in alone)
    assert all(part in together.text for each in alone for part in _inside(each.text))


def _inside(text: bytes) -> list[bytes]:
    """Return what is between the lines that enclose a patch, and its edits in JSON one by one."""
    encloses = (b"*** Begin Patch\n", b"*** End Patch\n", b"<FILE_CHANGES>\n",
                b"</FILE_CHANGES>\n", b"[\n", b"\n]\n")  # fmt: skip
    for line in encloses:
        text = text.removeprefix(line).removesuffix(line)
    return text.split(b",\n")


@pytest.mark.parametrize("patch_format", Format)
@examples(4)
@given(changes(), st.none() | st.integers(0, 3))
def test_a_created_patch_gives_the_target(
    patch_format: Format,
    files: dict[str, tuple[bytes | None, bytes | None]],
    context: int | None,
) -> None:
    if text := _created(files, Wanted(patch_format, context)):
        _assert_gives(text, files)


@pytest.mark.parametrize("patch_format", Format)
@examples(0.5, HealthCheck.function_scoped_fixture)
@given(changes())
def test_git_has_the_target_when_it_is_applied(
    patch_format: Format, files: dict[str, tuple[bytes | None, bytes | None]]
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        repo = Sandbox(Path(directory)).init()
        repo.commit({path: old for path, (old, _) in files.items() if old is not None})
        before = repo.git("rev-parse", "HEAD").decode().strip()
        for path, (_, new) in files.items():
            if new is None:
                (repo.path / path).unlink()
            else:
                repo.write(path, new)
        repo.commit()
        target = repo.index()
        ran = repo.opatch("create", f"{before}..HEAD", "--format", patch_format.value)
        assert (ran.status, bool(ran.out)) in ((0, bool(files)), (1, False)), ran.err
        if ran.out:
            repo.git("reset", "-q", "--hard", before)
            applied = repo.opatch("apply", feed=ran.out)
            assert applied.status == 0, (applied.err, ran.out)
            assert repo.index() == target
