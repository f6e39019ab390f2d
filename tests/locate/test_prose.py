"""What of a file is prose: its lines and its comments."""

from __future__ import annotations

from parameters import named

from git_opatch.locate.prose import Prose


@named(
    "path, content, expected",
    {
        "a block of code": ("a.md", "Text\n```\ncode\n```\nText\n", {0, 4}),
        "a fence inside another": ("a.md", "~~~~\n```\n~~~~\nText\n", {3}),
        "an indented block of code": ("a.md", "Text\n    x.y(z)\n", {0}),
        "an item of a list": ("a.md", "- One\n    and two words\n", {0}),
        "a block comment": ("a.js", "/**\n * One\n */\ncode()\n", {0, 1, 2}),
        "code after a block comment": ("a.js", "/* one */ code()\n", set()),
        "one that begins after code": ("a.js", "code() /* one\ntwo */\n", set()),
        "a docstring of a function": ("a.py", 'def f():\n  """One\n  two\n  """\n', set()),
        "a string that is assigned": ("a.py", 'x = """\nSELECT a\n"""\n', set()),
        "a program that ends in .txt": ("CMakeLists.txt", "set(A)\n", set()),
        "a list of requirements": ("dev-requirements.txt", "Flask\n", set()),
        "no name": ("", "Text\n", set()),
    },
)
def test_whole_lines_of_prose(path: str, content: str, expected: set[int]) -> None:
    lines = content.encode().splitlines()
    prose = Prose(path, lines)
    assert {at for at in range(len(lines)) if prose.includes(at)} == expected
