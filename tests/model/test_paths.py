"""Paths as git quotes them, normalized paths, and paths that a patch may not name."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parameters import named

from git_opatch.model.paths import is_document, normalise, parents, quote, unquote, why_unsafe
from git_opatch.model.sentences import Fault

_QUOTED = {
    "tab": ("a\tb", r'"a\tb"'),
    "newline": ("a\nb", r'"a\nb"'),
    "the other named ones": ("\a\b\v\f\r", r'"\a\b\v\f\r"'),
    "double quote": ('a"b', r'"a\"b"'),
    "backslash": ("a\\b", r'"a\\b"'),
    "control characters in octal": ("\x01\x1b", r'"\001\033"'),
    "delete": ("\x7f", r'"\177"'),
    "UTF-8, byte by byte": ("ü.txt", r'"\303\274.txt"'),
    "a byte that is not UTF-8": ("\udcff", r'"\377"'),
    "a space beside a tab": ("a b\tc", r'"a b\tc"'),
}


@named("path, quoted", _QUOTED)
def test_git_quotes_a_name_that_is_not_plain(path: str, quoted: str) -> None:
    assert quote(path) == quoted


@named("path, quoted", _QUOTED)
def test_a_quoted_name_is_read(path: str, quoted: str) -> None:
    assert unquote(quoted.encode()) == os.fsencode(path)


@named(
    "path",
    {
        "plain": "a/b.txt",
        "spaces": "with blanks in it",
        "single quote": "it's",
        "other signs": "#$%&()*,:;<=>?@[]^_`{|}~!+-",
    },
)
def test_git_leaves_a_plain_name_alone(path: str) -> None:
    assert quote(path) == path


@named(
    "name",
    {
        "nothing": b"",
        "no quotes": b"a",
        "one quote": b'"',
        "not closed": b'"a',
        "not opened": b'a"',
        "a quote inside": b'"a"b"',
        "the closing quote escaped": b'"a\\"',
        "an escape that git has not": b'"\\x41"',
        "two octal digits": b'"\\12"',
        "more than a byte": b'"\\400"',
        "no octal digit": b'"\\389"',
    },
)
def test_a_malformed_name_is_not_read(name: bytes) -> None:
    assert unquote(name) is None


@named(
    "name, raw",
    {
        "empty": (b'""', b""),
        "needless quotes": (b'"a b"', b"a b"),
        "octal for a letter, a digit after it": (b'"\\141\\0618"', b"a18"),
        "bytes as they are": (b'"\xc3\xbc"', b"\xc3\xbc"),
    },
)
def test_more_escapes_are_read_than_git_writes(name: bytes, raw: bytes) -> None:
    assert unquote(name) == raw


@given(st.binary(max_size=12))
def test_quoting_is_undone(raw: bytes) -> None:
    quoted = quote(os.fsdecode(raw))
    assert quoted.isascii()
    assert quoted.isprintable()
    read = unquote(quoted.encode()) if quoted.startswith('"') else quoted.encode()
    assert read == raw


@named(
    "path, directory, plain",
    {
        "plain already": ("a/b", "", "a/b"),
        "a dot in front": ("./a", "", "a"),
        "a dot inside": ("a/./b", "", "a/b"),
        "two slashes": ("a//b", "", "a/b"),
        "a slash at the end": ("a/", "", "a"),
        "the top itself": (".", "", ""),
        "nothing": ("", "", ""),
        "absolute stays so": ("/a//b", "", "/a/b"),
        "dots that leave a directory": ("a/../b", "", "b"),
        "twice": ("./x/y/../../a", "", "a"),
        "dots that leave the tree stay": ("../a", "", "../a"),
        "up and out": ("a/../../b", "", "../b"),
        "up and up": ("../../b", "", "../../b"),
        "out of the directory and the tree": ("a/../../../b", "sub", "../b"),
        "through the git directory": (".git/../b", "", ".git/../b"),
        "through a git directory": ("x/.GIT/../b", "", "x/.GIT/../b"),
        "absolute with dots": ("/a/../b", "", "/b"),
        "three dots are a name": ("...", "", "..."),
        "below a directory": ("a", "sub", "sub/a"),
        "below a directory with a slash": ("./a", "sub/dir/", "sub/dir/a"),
        "absolute in spite of a directory": ("/a", "sub", "/a"),
        "out of the directory": ("../a", "sub", "a"),
    },
)
def test_a_path_is_normalized(path: str, directory: str, plain: str) -> None:
    assert normalise(path, directory) == plain


@named(
    "path, plain",
    {
        "inside": ("/home/me/repo/src/a", "src/a"),
        "inside, with dots": ("/home/me/repo/src/../a", "a"),
        "dots that leave it": ("/home/me/repo/../other/a", "/home/me/other/a"),
        "a name that begins so": ("/home/me/repository/a", "/home/me/repository/a"),
        "the top itself": ("/home/me/repo", "/home/me/repo"),
        "not absolute": ("home/me/repo/a", "home/me/repo/a"),
        "above the root": ("/home/me/repo/../../../../etc/x", "/../etc/x"),
    },
)
def test_an_absolute_path_in_the_working_tree_is_below_its_top(path: str, plain: str) -> None:
    assert normalise(path, "sub" if path.startswith("/") else "", "/home/me/repo") == plain


@named(
    "path, above",
    {
        "at the top": ("a", []),
        "in a directory": ("a/b", ["a"]),
        "outermost first": ("a/b/c", ["a", "a/b"]),
        "nothing": ("", []),
    },
)
def test_the_directories_above_a_path(path: str, above: list[str]) -> None:
    assert list(parents(path)) == above


@named(
    "path, why",
    {
        "nothing": ("", Fault.EMPTY_PATH),
        "NUL": ("\0", Fault.NUL_IN_PATH),
        "NUL inside": ("a\0b", Fault.NUL_IN_PATH),
        "absolute": ("/etc/passwd", Fault.OUTSIDE),
        "UNC with slashes": ("//server/share", Fault.OUTSIDE),
        "UNC": ("\\\\server\\share\\x", Fault.OUTSIDE),
        "a device path": ("\\\\?\\C:\\x", Fault.OUTSIDE),
        "the root of a drive": ("\\x", Fault.OUTSIDE),
        "a drive": ("C:/x", Fault.OUTSIDE),
        "a drive with a backslash": ("c:\\x", Fault.OUTSIDE),
        "a drive alone": ("C:", Fault.OUTSIDE),
        "the directory above": ("..", Fault.LEAVES),
        "in the directory above": ("../x", Fault.LEAVES),
        "up and out": ("a/../../x", Fault.LEAVES),
        "up and down again": ("a/../b", Fault.LEAVES),
        "up at the end": ("a/..", Fault.LEAVES),
        "up with a backslash": ("..\\x", Fault.LEAVES),
        "up and out with backslashes": ("a\\..\\..\\x", Fault.LEAVES),
        "both slashes": ("a/..\\x", Fault.LEAVES),
    },
)
def test_a_path_that_leaves_the_working_tree_is_refused(path: str, why: Fault) -> None:
    assert why_unsafe(path) is why


@named(
    "path",
    {
        "the directory itself": ".git",
        "in it": ".git/config",
        "in a nested repository": "a/.git/hooks/post-commit",
        "the file of a worktree": "a/b/.git",
        "capitals": ".GIT/config",
        "some capitals": ".gIt",
        "a space after it": ".git /x",
        "a dot after it": ".git./x",
        "dots and spaces after it": ".git. . ./x",
        "its short name": "git~1/config",
        "its short name in capitals": "GIT~1",
        "its short name, padded": "git~1 .",
        "with a backslash": ".git\\config",
        "below a directory with backslashes": "a\\.git\\x",
        "a stream of it": ".git:x",
        "its index stream": ".git::$INDEX_ALLOCATION/config",
        "a stream of its short name": "git~1::$DATA",
        "zero width non-joiner": ".git\u200c/config",
        "zero width joiner inside": ".g\u200dit",
        "byte-order mark in front": "\ufeff.git",
        "bidirectional override": ".gi\u202et",
        "nominal digit shapes": ".git\u206f",
    },
)
def test_a_path_into_the_git_directory_is_refused(path: str) -> None:
    assert why_unsafe(path) is Fault.GIT_DIRECTORY


@named(
    "path",
    {
        "plain": "a/b.txt",
        "a directory that begins alike": ".github/workflows/ci.yml",
        "the ignore file": ".gitignore",
        "the attributes file": "a/.gitattributes",
        "the submodules file": ".gitmodules",
        "with a hyphen": ".git-blame-ignore-revs",
        "with a digit": ".git1",
        "padded, then a letter": ".git .x",
        "without the dot": "git",
        "a bare repository's name": "x.git/config",
        "a space in front": " .git",
        "two dots in front": "..git",
        "another short name": "git~2",
        "a short name with two digits": "git~10",
        "a letter after the short name": "git~1x",
        "two dots inside": "a..b",
        "two dots in front of a letter": "..a",
        "two dots at the end": "a../b",
        "three dots": "...",
        "a directory of three dots": "a/.../b",
        "a colon after one letter": "c:d",
        "a colon after two letters": "ab:/c",
        "a colon in a directory": "a:b/c",
        "tilde": "~/x",
        "a hyphen in front": "-rf",
        "what a shell would expand": "$HOME/x",
        "spaces": "a b/c d",
        "letters with marks": "ü/ñ",
        "an ignored character elsewhere": "a\u200cb",
        "a byte that is not UTF-8": "\udcff",
    },
)
def test_a_path_that_only_looks_alike_is_allowed(path: str) -> None:
    assert why_unsafe(path) is None


@pytest.mark.parametrize(
    ("path", "is_prose"),
    [
        ("README.md", True),
        ("docs/guide.RST", True),
        ("doc/README", True),
        ("a.py", False),
        ("md", False),
        ("readme/a.c", False),
        ("", False),
    ],
)
def test_documents_are_known_by_their_names(path: str, is_prose: bool) -> None:
    assert is_document(path) == is_prose
