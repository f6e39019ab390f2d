"""Every kind of file and every name that a file can have, for each target."""

from __future__ import annotations

import unicodedata

import pytest
from sandbox import Sandbox
from targets import EACH, INDEX, After, applied, refused
from writers import envelope, without_numbers

_NFC = unicodedata.normalize("NFC", "caf\u00e9")
_NFD = unicodedata.normalize("NFD", "caf\u00e9")


def _files(repo: Sandbox) -> None:
    repo.write("run", "#!/bin/sh\nold\n").chmod(0o755)
    (repo.path / "link").symlink_to("dir/f")
    (repo.path / "to-dir").symlink_to("dir")
    repo.commit({"dir/f": "a\nb\n", "f": "a\nb\n", "empty": "", "one": "one\n"})


@pytest.mark.one_of(3)
@pytest.mark.parametrize(
    ("patch", "after"),
    [
        pytest.param(
            envelope(b"*** Update File: link\n@@\n-dir/f\n+f\n"),
            {"link": ("120000", b"f")},
            id="a link leads elsewhere",
        ),
        pytest.param(
            envelope(b"*** Update File: to-dir\n@@\n-dir\n+.\n"),
            {"to-dir": ("120000", b".")},
            id="a link to a folder leads elsewhere",
        ),
        pytest.param(
            envelope(b"*** Update File: link\n*** Move to: moved\n"),
            {"link": None, "moved": ("120000", b"dir/f")},
            id="a link moves",
        ),
        pytest.param(
            envelope(b"*** Delete File: to-dir\n"), {"to-dir": None}, id="a link goes alone"
        ),
        pytest.param(
            b"diff --git a/new b/new\nnew file mode 120000\n--- /dev/null\n+++ b/new\n"
            b"@@\n+/etc/passwd\n\\ No newline at end of file\n",
            {"new": ("120000", b"/etc/passwd")},
            id="a new link",
        ),
        pytest.param(
            envelope(b"*** Update File: run\n@@\n-old\n+new\n"),
            {"run": ("100755", b"#!/bin/sh\nnew\n")},
            id="an executable bit is kept",
        ),
        pytest.param(
            envelope(b"*** Update File: run\n*** Move to: bin/run\n"),
            {"run": None, "bin/run": ("100755", b"#!/bin/sh\nold\n")},
            id="and moves",
        ),
        pytest.param(
            b"diff --git a/run b/run\nold mode 100755\nnew mode 100644\n",
            {"run": ("100644", b"#!/bin/sh\nold\n")},
            id="is taken away",
        ),
        pytest.param(
            b"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n--- a/f\n+++ b/f\n@@\n-b\n+B\n",
            {"f": ("100755", b"a\nB\n")},
            id="is set",
        ),
        pytest.param(
            b"diff --git a/n b/n\nnew file mode 100755\n--- /dev/null\n+++ b/n\n@@\n+x\n",
            {"n": ("100755", b"x\n")},
            id="is set on a new file",
        ),
        pytest.param(
            envelope(b"*** Delete File: f\n", b"*** Add File: f/x\n+x\n"),
            {"f": None, "f/x": ("100644", b"x\n")},
            id="a file becomes a folder",
        ),
        pytest.param(
            envelope(b"*** Delete File: dir/f\n", b"*** Add File: dir\n+x\n"),
            {"dir/f": None, "dir": ("100644", b"x\n")},
            id="a folder becomes a file",
        ),
        pytest.param(
            envelope(b"*** Add File: none\n"), {"none": ("100644", b"")}, id="a new empty file"
        ),
        pytest.param(
            envelope(b"*** Update File: empty\n@@\n+x\n"),
            {"empty": ("100644", b"x\n")},
            id="an empty file is filled",
        ),
        pytest.param(
            envelope(b"*** Update File: one\n@@\n-one\n"), {"one": ("100644", b"")}, id="is emptied"
        ),
        pytest.param(
            envelope(b"*** Delete File: empty\n"), {"empty": None}, id="an empty file goes"
        ),
        pytest.param(
            envelope(b"*** Update File: empty\n*** Move to: dir/empty\n"),
            {"empty": None, "dir/empty": ("100644", b"")},
            id="an empty file moves",
        ),
    ],
)  # fmt: skip
@EACH
def test_every_kind_of_file_is_patched(
    sound: Sandbox, target: str, patch: bytes, after: After
) -> None:
    _files(sound)
    applied(sound, target, patch, after)


@pytest.mark.parametrize("ignore_case", ["false", "true"])
@EACH
def test_a_rename_in_case_alone_is_applied(sound: Sandbox, target: str, ignore_case: str) -> None:
    sound.commit({"Readme": "a\nb\n", "Dir/f": "f\n"})
    sound.git("config", "core.ignoreCase", ignore_case)
    patch = envelope(
        b"*** Update File: Readme\n*** Move to: README\n@@\n-b\n+B\n",
        b"*** Update File: Dir/f\n*** Move to: dir/f\n",
    )
    after = {"Readme": None, "README": ("100644", b"a\nB\n")}
    applied(sound, target, patch, {**after, "Dir/f": None, "dir/f": ("100644", b"f\n")})


@pytest.mark.parametrize("ignore_case", ["false", "true"])
def test_names_that_differ_in_case_are_two_files(sound: Sandbox, ignore_case: str) -> None:
    """Compare names as bytes: two entries of a directory are two files."""
    sound.commit({"Readme": "a\nb\n"})
    sound.git("config", "core.ignoreCase", ignore_case)
    refused(sound, INDEX, envelope(b"*** Update File: README\n@@\n-b\n+B\n"), "`Readme`?")
    new = envelope(b"*** Add File: README\n+x\n")
    applied(sound, INDEX, new, {"README": ("100644", b"x\n")})


@pytest.mark.one_of(3)
@pytest.mark.parametrize("precompose", ["false", "true"])
@EACH
def test_unicode_normalization_forms_are_different_names(
    sound: Sandbox, target: str, precompose: str
) -> None:
    sound.git("config", "core.precomposeUnicode", precompose)
    sound.commit({f"{_NFC}/f": "a\nb\n", f"{_NFD}/f": "a\nb\n"})
    for name in (_NFC, _NFD):
        patch = envelope(f"*** Update File: {name}/f\n@@\n-b\n+B\n".encode())
        applied(sound, target, patch, {f"{name}/f": ("100644", b"a\nB\n")})


@EACH
def test_a_rename_in_normalization_form_alone_is_applied(sound: Sandbox, target: str) -> None:
    sound.commit({_NFC: "a\nb\n"})
    patch = envelope(f"*** Update File: {_NFC}\n*** Move to: {_NFD}\n".encode())
    applied(sound, target, patch, {_NFC: None, _NFD: ("100644", b"a\nb\n")})


_ODD = [
    "a b  c/d e",
    "end /f ",
    'say "hi"',
    "it's",
    "back\\slash",
    "tab\there",
    "line\nbreak/f",
    "return\r",
    "\x1b[31mred",
    "-rf",
    "--cached",
    "\u00fc/\u4f60\u597d",
    "b\udcff\udcfe/\udce9t\udce9",
    "a[b]*?",
    ":(top)x",
    "a => b",
    "a/b/f",
    "dev/null",
]
"""Blanks, quotes, control characters, dashes, bytes that are not UTF-8, signs of pathspecs."""


@pytest.mark.one_of(3)
@pytest.mark.parametrize("quote_path", ["true", "false"])
@EACH
def test_odd_names_are_patched(sound: Sandbox, target: str, quote_path: str) -> None:
    """Let git write the patch, with its own quoting; remove the line numbers."""
    sound.git("config", "core.quotePath", quote_path)
    sound.commit(dict.fromkeys([*_ODD, "f"], "a\nb\n"))
    for old, new in (("a\nb\n", "a\nB\n"), ("a\nb\n", None), (None, "x\n")):
        names = [f"{name}.new" for name in _ODD] if old is None else _ODD
        for name in names:
            sound.write(name, new) if new else (sound.path / name).unlink()
        sound.git("add", "-A")
        patch = without_numbers(sound.git("diff", "--cached", "--no-renames"))
        sound.git("reset", "--quiet", "--hard")
        after = ("100644", new.encode()) if new else None
        applied(sound, target, patch, dict.fromkeys(names, after))
        back = sound.opatch("apply", "-R", target, feed=patch)
        assert back.status == 0, back.err
        assert sound.git("status", "--short") == b""


@EACH
def test_odd_names_in_an_envelope_are_patched(sound: Sandbox, target: str) -> None:
    """Write names unquoted, as far as a line can hold them."""
    names = [name for name in _ODD if name.isprintable() and name == name.strip()]
    sound.commit(dict.fromkeys(names, "a\nb\n"))
    sections = (f"*** Update File: {name}\n@@\n-b\n+B\n".encode() for name in names)
    applied(sound, target, envelope(*sections), dict.fromkeys(names, ("100644", b"a\nB\n")))
