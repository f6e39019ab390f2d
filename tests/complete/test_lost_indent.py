"""A line quoted without its indentation leaves the depth of the lines after it open."""

from __future__ import annotations

import pytest
from hunked import edited

from git_opatch.model.sentences import Reason

FILE = """\
class A:
    def one(self):
        x = 1
        y = 2

    def two(self):
        return 1
"""
LIST = """\
-   One thing
    that wraps.

Old
"""
STEPS = """\
steps:
    - name: a
      run: w
    - name: b
"""


@pytest.mark.parametrize(
    ("content", "hunk"),
    [
        pytest.param(FILE, ["-x = 1", "+x = 3", "+        z = 4"], id="as deep as in the file"),
        pytest.param(FILE, ["-def two(self):", "+def two(self, z):", "+        z()"], id="deeper"),
        pytest.param(FILE, ["-def two(self):", "+@property", "+    def two(self):"], id="above"),
        pytest.param(FILE, ["@@ def two(self):", "+    z()"], id="below an anchor, by a level"),
        pytest.param(FILE, ["@@ x = 1", "+z = 4"], id="below an anchor, as deep as that"),
        pytest.param(STEPS, ["@@ run: w", "+- name: c"], id="less deep than all there"),
        pytest.param(LIST, [" that wraps.", "+-   Two", "+    lines."], id="some beside one line"),
        pytest.param(
            FILE, [" x = 1", "-y = 2", "+        y = 3"], id="as deep as in the file, all else not"
        ),
        pytest.param(
            FILE,
            ["             x = 1", "+        z = 4", "             y = 2"],
            id="as deep as the lines around it in the file, which are deeper",
        ),
        pytest.param(
            FILE,
            ["     x = 1", "+        z = 4", "     y = 2"],
            id="as deep as the lines around it in the file, which are less deep",
        ),
        pytest.param(
            STEPS,
            [" steps:", "+    - name: c", "   - name: a", "     run: w"],
            id="as deep as the file has the block below, which is less deep",
        ),
        pytest.param(
            FILE,
            ["   def one(self):", "-    x = 1", "+        x = 3"],
            id="as deep as in the file, all else halved",
        ),
        pytest.param(
            FILE,
            [" x = 1", "+        z = 4", " y = 2"],
            id="as deep as the file, where the margin would be deeper than all near",
        ),
    ],
)
def test_an_added_line_of_uncertain_depth_is_refused(content: str, hunk: list[str]) -> None:
    result = edited(content, hunk)
    (failure,) = result.failures
    assert failure.reason is Reason.UNCLEAR
    assert result.content.text.to_bytes().decode() == content


@pytest.mark.parametrize(
    ("content", "hunk", "before", "after"),
    [
        pytest.param(
            *(FILE, ["-x = 1", "+x = 3", "+z = 4"]),
            *("        x = 1\n", "        x = 3\n        z = 4\n"),
            id="at the margin as well",
        ),
        pytest.param(
            *(FILE, ["-x = 1", "+if z:", "+    x = 3"]),
            *("        x = 1\n", "        if z:\n            x = 3\n"),
            id="less deep than the line is in the file",
        ),
        pytest.param(
            *(FILE, [" def two(self):", "-    return 1", "+    return 2"]),
            *("        return 1\n", "        return 2\n"),
            id="of more than one line",
        ),
        pytest.param(
            *(FILE, ["@@ def two(self):", "+        z()"]),
            *("        return 1\n", "        z()\n        return 1\n"),
            id="below an anchor, as deep as what follows",
        ),
        pytest.param(
            *(FILE, ["@@     def two(self):", "+        z()"]),
            *("        return 1\n", "        z()\n        return 1\n"),
            id="below an anchor that kept its indentation",
        ),
        pytest.param(
            *(FILE, ["@@ class A:", "+    z = 0"]),
            *("class A:\n", "class A:\n    z = 0\n"),
            id="below an anchor at the margin",
        ),
        pytest.param(
            *(STEPS, ["@@ run: w", "+    - name: c"]),
            *("    - name: b\n", "    - name: c\n    - name: b\n"),
            id="less deep than its anchor, as deep as what follows",
        ),
        pytest.param(
            "c:\n    def a():\n\n    def b():\n",
            [" c:", "   def a():", "+    z", " ", "   def b():"],
            *("    def a():\n", "    def a():\n        z\n"),
            id="the first of a block",
        ),
        pytest.param(
            *(FILE, [" x = 1", " y = 2", "+if y:", "+    y = 3"]),
            *("        y = 2\n", "        y = 2\n        if y:\n            y = 3\n"),
            id="some beside two lines",
        ),
    ],
)
def test_an_added_line_of_certain_depth_is_placed(
    content: str, hunk: list[str], before: str, after: str
) -> None:
    result = edited(content, hunk)
    assert result.failures == []
    assert result.content.text.to_bytes().decode() == content.replace(before, after, 1)
