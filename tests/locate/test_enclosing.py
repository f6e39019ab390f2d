"""An ambiguous hunk names what each of its candidates is in, as git's hunk headers do."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from documents import asked
from parameters import named
from sandbox import Sandbox
from writers import envelope

from git_opatch.locate.enclosing import name_enclosing
from git_opatch.locate.file_index import FileIndex
from git_opatch.model.text import Text

_CLASS = "class A:\n    def f(self):\n        x = 1\n\n    def g(self):\n        x = 1\n"


def _file(lines: Sequence[bytes]) -> FileIndex:
    return FileIndex(Text.from_lines(lines, final_newline=True), ())


@named(
    "text, position, line",
    {
        "a method": (_CLASS, 2, 1),
        "another method": (_CLASS, 5, 4),
        "a method itself is in its class": (_CLASS, 4, 0),
        "a blank line is in what the line below it is in": (_CLASS, 3, 0),
        "a class at the top is in nothing": (_CLASS, 0, None),
        "below a function": ("def f():\n    x\ny\nx\n", 3, None),
        "indented, below a function": ("def f():\n    x\nif y:\n    x\n", 3, None),
        "below an inner function": (
            "def f():\n    def g():\n        pass\n    for x in y:\n        z\n",
            4,
            0,
        ),
        "a signature of several lines": ("def f(\n    a,\n) -> int:\n    x\n", 3, 0),
        "a brace of its own": ("int f(int a)\n{\n    x();\n}\n", 2, 0),
        "below #if": ("int f(int a)\n{\n#if A\n    x();\n#endif\n}\n", 3, 0),
        "below a brace": ("int f(int a)\n{\n    x();\n}\n\nint y;\n", 5, None),
        "below a label of C++": ("class A {\npublic:\n    int x;\n};\n", 2, 0),
        "a section of a document": ("# A\n\ntext\n\n## B\n\ntext\n", 6, 4),
        "a comment is not a section": ("# a comment\nx = 1\n", 1, None),
        "a table": ("[a]\nx = 1\n[b]\nx = 1\n", 3, 2),
        "plain lines": ("x\n" * 9, 8, None),
        "an empty file": ("", 0, None),
    },
)
def test_what_a_line_is_in(text: str, position: int, line: int | None) -> None:
    found = name_enclosing([position], _file(text.encode().splitlines()))
    assert [(each.candidate, each.line) for each in found] == (
        [] if line is None else [(position, line)]
    )


def test_nothing_far_above_is_looked_at() -> None:
    lines = [b"def f():", *[b"    x"] * 2000]
    assert name_enclosing([2000], _file(lines)) == ()
    assert [each.line for each in name_enclosing([999], _file(lines))] == [0]


def test_only_the_first_candidates_are_named() -> None:
    lines = [line for number in range(9) for line in (b"def f%d():" % number, b"    x")]
    found = name_enclosing(range(1, 18, 2), _file(lines))
    assert [each.text for each in found] == [b"def f%d():" % number for number in range(5)]


@pytest.mark.parametrize(
    "patch",
    [
        envelope(b"*** Update File: f\n@@\n-        x = 1\n+        x = 2\n"),
        b'{"file_path": "f", "old_string": "x = 1", "new_string": "x = 2"}',
    ],
    ids=["hunk", "string"],
)
def test_a_document_names_what_each_candidate_is_in(repo: Sandbox, patch: bytes) -> None:
    repo.commit({"f": _CLASS.replace("def g", "def \x1bg")})
    repo.write(".git/p", patch)
    (failure,) = asked(repo, "apply", ".git/p")["failures"]
    assert failure["reason"] == "ambiguous"
    assert failure["enclosing"] == [
        {"candidate": 3, "line": 2, "text": "    def f(self):"},
        {"candidate": 6, "line": 1, "text": "class A:"},
    ]
    assert "for line 6, add the line above, `def \\x1bg(self):`" in failure["rendered"]
