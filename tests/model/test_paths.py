"""Paths as git quotes them, normalized paths, and paths that a patch may not name."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_opatch.model.paths import (
    is_document,
    normalise,
    parents,
    quote,
    unquote,
    why_unsafe,
)
from git_opatch.model.sentences import Fault

_QUOTED = [
    pytest.param("a\tb", r'"a\tb"', id="tab"),
    pytest.param("a\nb", r'"a\nb"', id="newline"),
    pytest.param("\a\b\v\f\r", r'"\a\b\v\f\r"', id="the other named ones"),
    pytest.param('a"b', r'"a\"b"', id="double quote"),
    pytest.param("a\\b", r'"a\\b"', id="backslash"),
    pytest.param("\x01\x1b", r'"\001\033"', id="control characters in octal"),
    pytest.param("\x7f", r'"\177"', id="delete"),
    pytest.param("ü.txt", r'"\303\274.txt"', id="UTF-8, byte by byte"),
    pytest.param("\udcff", r'"\377"', id="a byte that is not UTF-8"),
    pytest.param("a b\tc", r'"a b\tc"', id="a space beside a tab"),
]


@pytest.mark.parametrize(("path", "quoted"), _QUOTED)
def test_git_quotes_a_name_that_is_not_plain(path: str, quoted: str) -> None:
    assert quote(path) == quoted


@pytest.mark.parametrize(("path", "quoted"), _QUOTED)
def test_a_quoted_name_is_read(path: str, quoted: str) -> None:
    assert unquote(quoted.encode()) == os.fsencode(path)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("a/b.txt", id="plain"),
        pytest.param("with blanks in it", id="spaces"),
        pytest.param("it's", id="single quote"),
        pytest.param("#$%&()*,:;<=>?@[]^_`{|}~!+-", id="other signs"),
    ],
)
def test_git_leaves_a_plain_name_alone(path: str) -> None:
    assert quote(path) == path


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"a", id="no quotes"),
        pytest.param(b'"', id="one quote"),
        pytest.param(b'"a', id="not closed"),
        pytest.param(b'a"', id="not opened"),
        pytest.param(b'"a"b"', id="a quote inside"),
        pytest.param(b'"a\\"', id="the closing quote escaped"),
        pytest.param(b'"\\x41"', id="an escape that git has not"),
        pytest.param(b'"\\12"', id="two octal digits"),
        pytest.param(b'"\\400"', id="more than a byte"),
        pytest.param(b'"\\389"', id="no octal digit"),
    ],
)
def test_a_malformed_name_is_not_read(name: bytes) -> None:
    assert unquote(name) is None


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        pytest.param(b'""', b"", id="empty"),
        pytest.param(b'"a b"', b"a b", id="needless quotes"),
        pytest.param(b'"\\141\\0618"', b"a18", id="octal for a letter, a digit after it"),
        pytest.param(b'"\xc3\xbc"', b"\xc3\xbc", id="bytes as they are"),
    ],
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


@pytest.mark.parametrize(
    ("path", "directory", "plain"),
    [
        pytest.param("a/b", "", "a/b", id="plain already"),
        pytest.param("./a", "", "a", id="a dot in front"),
        pytest.param("a/./b", "", "a/b", id="a dot inside"),
        pytest.param("a//b", "", "a/b", id="two slashes"),
        pytest.param("a/", "", "a", id="a slash at the end"),
        pytest.param(".", "", "", id="the top itself"),
        pytest.param("", "", "", id="nothing"),
        pytest.param("/a//b", "", "/a/b", id="absolute stays so"),
        pytest.param("a/../b", "", "b", id="dots that leave a directory"),
        pytest.param("./x/y/../../a", "", "a", id="twice"),
        pytest.param("../a", "", "../a", id="dots that leave the tree stay"),
        pytest.param("a/../../b", "", "../b", id="up and out"),
        pytest.param("../../b", "", "../../b", id="up and up"),
        pytest.param("a/../../../b", "sub", "../b", id="out of the directory and the tree"),
        pytest.param(".git/../b", "", ".git/../b", id="through the git directory"),
        pytest.param("x/.GIT/../b", "", "x/.GIT/../b", id="through a git directory"),
        pytest.param("/a/../b", "", "/b", id="absolute with dots"),
        pytest.param("...", "", "...", id="three dots are a name"),
        pytest.param("a", "sub", "sub/a", id="below a directory"),
        pytest.param("./a", "sub/dir/", "sub/dir/a", id="below a directory with a slash"),
        pytest.param("/a", "sub", "/a", id="absolute in spite of a directory"),
        pytest.param("../a", "sub", "a", id="out of the directory"),
    ],
)
def test_a_path_is_normalized(path: str, directory: str, plain: str) -> None:
    assert normalise(path, directory) == plain


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        pytest.param("/home/me/repo/src/a", "src/a", id="inside"),
        pytest.param("/home/me/repo/src/../a", "a", id="inside, with dots"),
        pytest.param("/home/me/repo/../other/a", "/home/me/other/a", id="dots that leave it"),
        pytest.param("/home/me/repository/a", "/home/me/repository/a", id="a name that begins so"),
        pytest.param("/home/me/repo", "/home/me/repo", id="the top itself"),
        pytest.param("home/me/repo/a", "home/me/repo/a", id="not absolute"),
        pytest.param("/home/me/repo/../../../../etc/x", "/../etc/x", id="above the root"),
    ],
)
def test_an_absolute_path_in_the_working_tree_is_below_its_top(path: str, plain: str) -> None:
    assert normalise(path, "sub" if path.startswith("/") else "", "/home/me/repo") == plain


@pytest.mark.parametrize(
    ("path", "above"),
    [
        pytest.param("a", [], id="at the top"),
        pytest.param("a/b", ["a"], id="in a directory"),
        pytest.param("a/b/c", ["a", "a/b"], id="outermost first"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_the_directories_above_a_path(path: str, above: list[str]) -> None:
    assert list(parents(path)) == above


@pytest.mark.parametrize(
    ("path", "why"),
    [
        pytest.param("", Fault.EMPTY_PATH, id="nothing"),
        pytest.param("\0", Fault.NUL_IN_PATH, id="NUL"),
        pytest.param("a\0b", Fault.NUL_IN_PATH, id="NUL inside"),
        pytest.param("/etc/passwd", Fault.OUTSIDE, id="absolute"),
        pytest.param("//server/share", Fault.OUTSIDE, id="UNC with slashes"),
        pytest.param("\\\\server\\share\\x", Fault.OUTSIDE, id="UNC"),
        pytest.param("\\\\?\\C:\\x", Fault.OUTSIDE, id="a device path"),
        pytest.param("\\x", Fault.OUTSIDE, id="the root of a drive"),
        pytest.param("C:/x", Fault.OUTSIDE, id="a drive"),
        pytest.param("c:\\x", Fault.OUTSIDE, id="a drive with a backslash"),
        pytest.param("C:", Fault.OUTSIDE, id="a drive alone"),
        pytest.param("..", Fault.LEAVES, id="the directory above"),
        pytest.param("../x", Fault.LEAVES, id="in the directory above"),
        pytest.param("a/../../x", Fault.LEAVES, id="up and out"),
        pytest.param("a/../b", Fault.LEAVES, id="up and down again"),
        pytest.param("a/..", Fault.LEAVES, id="up at the end"),
        pytest.param("..\\x", Fault.LEAVES, id="up with a backslash"),
        pytest.param("a\\..\\..\\x", Fault.LEAVES, id="up and out with backslashes"),
        pytest.param("a/..\\x", Fault.LEAVES, id="both slashes"),
    ],
)
def test_a_path_that_leaves_the_working_tree_is_refused(path: str, why: Fault) -> None:
    assert why_unsafe(path) is why


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(".git", id="the directory itself"),
        pytest.param(".git/config", id="in it"),
        pytest.param("a/.git/hooks/post-commit", id="in a nested repository"),
        pytest.param("a/b/.git", id="the file of a worktree"),
        pytest.param(".GIT/config", id="capitals"),
        pytest.param(".gIt", id="some capitals"),
        pytest.param(".git /x", id="a space after it"),
        pytest.param(".git./x", id="a dot after it"),
        pytest.param(".git. . ./x", id="dots and spaces after it"),
        pytest.param("git~1/config", id="its short name"),
        pytest.param("GIT~1", id="its short name in capitals"),
        pytest.param("git~1 .", id="its short name, padded"),
        pytest.param(".git\\config", id="with a backslash"),
        pytest.param("a\\.git\\x", id="below a directory with backslashes"),
        pytest.param(".git:x", id="a stream of it"),
        pytest.param(".git::$INDEX_ALLOCATION/config", id="its index stream"),
        pytest.param("git~1::$DATA", id="a stream of its short name"),
        pytest.param(".git\u200c/config", id="zero width non-joiner"),
        pytest.param(".g\u200dit", id="zero width joiner inside"),
        pytest.param("\ufeff.git", id="byte-order mark in front"),
        pytest.param(".gi\u202et", id="bidirectional override"),
        pytest.param(".git\u206f", id="nominal digit shapes"),
    ],
)
def test_a_path_into_the_git_directory_is_refused(path: str) -> None:
    assert why_unsafe(path) is Fault.GIT_DIRECTORY


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("a/b.txt", id="plain"),
        pytest.param(".github/workflows/ci.yml", id="a directory that begins alike"),
        pytest.param(".gitignore", id="the ignore file"),
        pytest.param("a/.gitattributes", id="the attributes file"),
        pytest.param(".gitmodules", id="the submodules file"),
        pytest.param(".git-blame-ignore-revs", id="with a hyphen"),
        pytest.param(".git1", id="with a digit"),
        pytest.param(".git .x", id="padded, then a letter"),
        pytest.param("git", id="without the dot"),
        pytest.param("x.git/config", id="a bare repository's name"),
        pytest.param(" .git", id="a space in front"),
        pytest.param("..git", id="two dots in front"),
        pytest.param("git~2", id="another short name"),
        pytest.param("git~10", id="a short name with two digits"),
        pytest.param("git~1x", id="a letter after the short name"),
        pytest.param("a..b", id="two dots inside"),
        pytest.param("..a", id="two dots in front of a letter"),
        pytest.param("a../b", id="two dots at the end"),
        pytest.param("...", id="three dots"),
        pytest.param("a/.../b", id="a directory of three dots"),
        pytest.param("c:d", id="a colon after one letter"),
        pytest.param("ab:/c", id="a colon after two letters"),
        pytest.param("a:b/c", id="a colon in a directory"),
        pytest.param("~/x", id="tilde"),
        pytest.param("-rf", id="a hyphen in front"),
        pytest.param("$HOME/x", id="what a shell would expand"),
        pytest.param("a b/c d", id="spaces"),
        pytest.param("ü/ñ", id="letters with marks"),
        pytest.param("a\u200cb", id="an ignored character elsewhere"),
        pytest.param("\udcff", id="a byte that is not UTF-8"),
    ],
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
