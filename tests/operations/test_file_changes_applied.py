"""The directives of `<FILE_CHANGES>`, applied in a repository."""

from __future__ import annotations

import pytest
from phrases import opening, said
from sandbox import Sandbox

from git_opatch.model.sentences import Fault

A_PATCH = '<FILE_PATCH file_path="a">\n@@\n-one\n+1\n</FILE_PATCH>\n'


def changes(*directives: str) -> bytes:
    return "\n".join(("<FILE_CHANGES>", *directives, "</FILE_CHANGES>", "")).encode()


def append(content: str, path: str = "a") -> str:
    return f'<FILE_APPEND file_path="{path}">\n{content}</FILE_APPEND>'


def test_the_example_of_the_format_is_applied(repo: Sandbox) -> None:
    main = 'use std;\n\nfn main() {\n    println!("Old");\n}\n\nfn helper() {\n    old();\n}\n'
    repo.commit({"src/main.rs": main, "CHANGELOG.md": "# Log\n", "old.md": "o\n", "tmp": "t\n"})
    feed = changes(
        '<FILE_NEW file_path="src/hello.rs">\n```rust\npub fn hello() {}\n```\n</FILE_NEW>',
        '<FILE_PATCH file_path="src/main.rs">\n@@\n+mod hello;\n\n fn main() {\n'
        '-    println!("Old");\n+    hello();\n }\n\n@@\n fn helper() {\n-    old();\n'
        "+    new();\n }\n</FILE_PATCH>",
        append("\n## Added\n\n- Hello &amp; more\n", "CHANGELOG.md"),
        '<FILE_COPY from_path="old.md" to_path="docs/backup.md" />',
        '<FILE_RENAME from_path="old.md" to_path="new.md" />',
        '<FILE_DELETE file_path="tmp" />',
    )
    ran = repo.opatch("apply", feed=feed)
    assert ran.status == 0, ran.err
    assert {path: data.decode() for path, (_, data) in repo.index().items()} == {
        "src/hello.rs": "pub fn hello() {}\n",
        "src/main.rs": "use std;\nmod hello;\n\nfn main() {\n    hello();\n}\n\n"
        "fn helper() {\n    new();\n}\n",
        "CHANGELOG.md": "# Log\n\n## Added\n\n- Hello &amp; more\n",
        "docs/backup.md": "o\n",
        "new.md": "o\n",
    }
    assert repo.opatch("apply", "-R", feed=feed).status == 0
    assert repo.git("status", "--short") == b""


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        pytest.param("one\n", "two\n", "one\ntwo\n", id="after the last line"),
        pytest.param("one", "two\n", "one\ntwo\n", id="no final newline"),
        pytest.param("one\n\n", "\ntwo\n", "one\n\n\ntwo\n", id="blank lines"),
        pytest.param("", "two\n", "two\n", id="an empty file"),
        pytest.param("one\r\nx\r\n", "two\n", "one\r\nx\r\ntwo\r\n", id="carriage returns"),
        pytest.param("\tone\n", "  two\n", "\tone\n  two\n", id="indentation as written"),
        pytest.param("one\n", "two\none\n", "one\ntwo\none\n", id="lines that are there"),
        pytest.param("one\n", "+two\n-one\n", "one\n+two\n-one\n", id="marks are content"),
    ],
)
def test_lines_are_appended(repo: Sandbox, before: str, content: str, after: str) -> None:
    repo.commit({"a": before})
    ran = repo.opatch("apply", feed=changes(append(content)))
    assert ran.status == 0, ran.err
    assert repo.read("a") == after.encode()


def test_append_creates_a_missing_file(repo: Sandbox) -> None:
    repo.commit({"b": "x\n"})
    feed = changes(append("one\n", "sub/a"), append("two\n", "sub/a"))
    assert repo.opatch("apply", feed=feed).status == 0
    assert repo.index()["sub/a"] == ("100644", b"one\ntwo\n")
    assert repo.opatch("apply", "-R", feed=feed).status == 0
    assert sorted(repo.files()) == ["b"]


def test_append_follows_earlier_sections(repo: Sandbox) -> None:
    repo.commit({"a": "one\n", "b": "x\n"})
    feed = changes(
        *('<FILE_NEW file_path="n">\nn1\n</FILE_NEW>', append("n2\n", "n")),
        *(A_PATCH, append("two\n")),
        *('<FILE_RENAME from_path="b" to_path="c" />', append("y\n", "c")),
    )
    assert repo.opatch("apply", feed=feed).status == 0
    assert [data for _, (_, data) in sorted(repo.index().items())] == [
        *(b"1\ntwo\n", b"x\ny\n", b"n1\nn2\n")
    ]


def test_append_after_a_deletion_creates_the_file(repo: Sandbox) -> None:
    repo.commit({"a": "one\n"})
    feed = changes('<FILE_DELETE file_path="a" />', append("two\n"))
    assert repo.opatch("apply", feed=feed).status == 0
    assert repo.read("a") == b"two\n"


def test_a_second_append_is_already_applied(repo: Sandbox) -> None:
    repo.commit({"a": "one\n"})
    assert repo.opatch("apply", feed=changes(append("two\n"))).status == 0
    ran = repo.opatch("apply", feed=changes(append("two\n")))
    assert (ran.status, opening(Fault.ALREADY_APPLIED.sentence) in ran.err) == (1, True)
    assert repo.read("a") == b"one\ntwo\n"


@pytest.mark.parametrize(
    ("directive", "message"),
    [
        pytest.param(append("x\n", "sub"), Fault.DIRECTORY.sentence, id="append to a folder"),
        pytest.param(append("x\n", "link"), Fault.APPEND_TO_LINK.sentence, id="append to a link"),
        pytest.param(append("x\n", "bin"), Fault.BINARY.sentence, id="append to a binary file"),
        pytest.param(append("x\n", "a/b"), "`a` is not a directory", id="append below a file"),
        pytest.param(append("x\n", "../a"), Fault.LEAVES.sentence, id="append outside"),
        pytest.param('<FILE_DELETE file_path="sub" />', Fault.DIRECTORY.advice, id="delete folder"),
        pytest.param('<FILE_DELETE file_path="sub/" />', "", id="delete a folder with a slash"),
        pytest.param(
            '<FILE_RENAME from_path="sub" to_path="top" />',
            Fault.DIRECTORY.advice,
            id="move folder",
        ),
        pytest.param(
            '<FILE_COPY from_path="sub" to_path="top" />', Fault.DIRECTORY.advice, id="copy folder"
        ),
        pytest.param(
            '<FILE_DELETE file_path="x" />',
            said(Fault.MISSING_FILE.sentence, base="the index"),
            id="delete nothing",
        ),
        pytest.param('<FILE_COPY from_path="a" to_path="sub/b" />', "exists", id="copy onto one"),
        pytest.param('<FILE_RENAME from_path="a" to_path="sub/b" />', "exists", id="move onto one"),
        pytest.param('<FILE_NEW file_path="a">\nx\n</FILE_NEW>', "exists", id="new but there"),
        pytest.param(
            A_PATCH.replace('"a"', '"x"'),
            said(Fault.MISSING_FILE.sentence, base="the index"),
            id="patch nothing",
        ),
    ],
)
def test_invalid_directives_are_refused(repo: Sandbox, directive: str, message: str) -> None:
    (repo.path / "link").symlink_to("a")
    repo.commit({"a": "one\n", "sub/b": "x\n", "bin": b"\0\n"})
    before = repo.state()
    ran = repo.opatch("apply", feed=changes(directive))
    assert ran.status == 1
    assert message in ran.err
    assert repo.state() == before


def test_overwrite_replaces_an_existing_file(repo: Sandbox) -> None:
    repo.commit({"a": "one\n", "b": "x\n"})
    feed = changes(
        '<FILE_NEW file_path="a">\nnew\n</FILE_NEW>', '<FILE_COPY from_path="a" to_path="b" />'
    )
    assert repo.opatch("apply", "--overwrite", feed=feed).status == 0
    assert (repo.read("a"), repo.read("b")) == (b"new\n", b"new\n")


@pytest.fixture
def appended(repo: Sandbox) -> Sandbox:
    """Make a file as an append leaves it, without a record of it."""
    repo.commit({"a": "one\ntwo\n"})
    return repo


def test_an_append_is_reversed_from_its_text(appended: Sandbox) -> None:
    ran = appended.opatch("apply", "-R", feed=changes(append("two\n")))
    assert ran.status == 0, ran.err
    assert appended.read("a") == b"one\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("one\n", "hunk 1 of 1", id="lines that do not end the file"),
        pytest.param(
            "three\n",
            f"{opening(Fault.CHANGED_SINCE.sentence)} the index",
            id="lines that are not there",
        ),
        pytest.param("one\ntwo\n", Fault.ALL_OF_THE_FILE.sentence, id="all the file"),
    ],
)
def test_an_append_that_does_not_match_cannot_be_reversed(
    appended: Sandbox, content: str, message: str
) -> None:
    before = appended.state()
    ran = appended.opatch("apply", "-R", feed=changes(append(content)))
    assert ran.status == 1
    assert message in ran.err
    assert appended.state() == before


def test_the_format_can_be_required(repo: Sandbox) -> None:
    repo.commit({"a": "one\n"})
    feed = changes(A_PATCH)
    assert repo.opatch("apply", "--check", "--format", "file-changes", feed=feed).status == 0
    assert repo.opatch("apply", "--check", "--format", "unified", feed=feed).status == 128
