"""What of a file is prose: its lines and its comments."""

from __future__ import annotations

import pytest

from git_opatch.locate.prose import Prose


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        pytest.param("a.md", "Text\n```\ncode\n```\nText\n", {0, 4}, id="a block of code"),
        pytest.param("a.md", "~~~~\n```\n~~~~\nText\n", {3}, id="a fence inside another"),
        pytest.param("a.md", "Text\n    x.y(z)\n", {0}, id="an indented block of code"),
        pytest.param("a.md", "- One\n    and two words\n", {0, 1}, id="an item of a list"),
        pytest.param("a.js", "/**\n * One\n */\ncode()\n", {0, 1, 2}, id="a block comment"),
        pytest.param("a.js", "/* one */ code()\n", set(), id="code after a block comment"),
        pytest.param("a.js", "code() /* one\ntwo */\n", set(), id="one that begins after code"),
        pytest.param("a.py", '"""One."""\nx\n', {0}, id="a docstring of a module"),
        pytest.param("a.py", 'def f():\n  """One\n  two\n  """\n', {1, 2, 3}, id="of a function"),
        pytest.param("a.py", 'x = f(\n  """ONE\n  two\n"""\n)\n', set(), id="another string"),
        pytest.param("a.py", 'x = """\nSELECT a\n"""\n', set(), id="a string that is assigned"),
        pytest.param("a.rb", '"""\nx\n', set(), id="another language"),
        pytest.param("CMakeLists.txt", "set(A)\n", set(), id="a program that ends in .txt"),
        pytest.param("dev-requirements.txt", "Flask\n", set(), id="a list of requirements"),
        pytest.param("", "Text\n", set(), id="no name"),
    ],
)
def test_whole_lines_of_prose(path: str, content: str, expected: set[int]) -> None:
    lines = content.encode().splitlines()
    prose = Prose(path, lines)
    assert {at for at in range(len(lines)) if prose.includes(at)} == expected
