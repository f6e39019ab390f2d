"""The directives of `<FILE_CHANGES>`, applied in a repository."""

from __future__ import annotations

from sandbox import Sandbox

from git_opatch.model.sentences import Fault


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


def test_lines_are_not_appended_to_a_link(repo: Sandbox) -> None:
    (repo.path / "link").symlink_to("a")
    repo.commit({"a": "one\n"})
    before = repo.state()
    ran = repo.opatch("apply", feed=changes(append("x\n", "link")))
    assert (ran.status, Fault.APPEND_TO_LINK.sentence in ran.err) == (1, True)
    assert repo.state() == before
