"""Added lines of a hunk without one rule are indented like the lines around them."""

from __future__ import annotations

import pytest
from hunked import edited

from git_opatch.model.sentences import Reason

FILE = """\
class B:
    def run(self):
        x = 1
        return x

    def stop(self):
        self.on = False

        return self
"""
RULELESS = "lines of the hunk differ in indentation in several ways; added lines "


def written(*hunk: str) -> tuple[str, str]:
    """Apply `hunk` to the file; return the content and the note."""
    result = edited(FILE, list(hunk))
    assert result.failures == []
    (note,) = result.placements[0].notes
    return result.content.text.to_bytes().decode(), note


@pytest.mark.parametrize(
    ("hunk", "before", "after"),
    [
        pytest.param(
            [
                "     def run(self):",
                "-    x = 1",
                "-    return x",
                "+    x = 5",
                "+    return x + 1",
            ],
            "        x = 1\n        return x\n",
            "        x = 5\n        return x + 1\n",
            id="line for line",
        ),
        pytest.param(
            ["  def run(self):", "-   x = 1", "+   if self:", "+     x = 2", "     return x"],
            "        x = 1\n",
            "        if self:\n          x = 2\n",
            id="more lines, and deeper ones, by the shift of those replaced",
        ),
        pytest.param(
            ["     def run(self):", " x = 1", "+", "+y = 2", " return x"],
            "        x = 1\n",
            "        x = 1\n\n        y = 2\n",
            id="between lines that are shifted alike",
        ),
        pytest.param(
            ["         x = 1", "     return x", "+y = 2", " ", " def stop(self):"],
            "        return x\n",
            "        return x\n    y = 2\n",
            id="between lines that are shifted alike, as deep as the second",
        ),
        pytest.param(
            [
                "         return x",
                " ",
                "-def stop(self):",
                "-    self.on = False",
                "-",
                "+def stop(self, now):",
                "+    self.on = False",
                "+",
                "         return self",
            ],
            "    def stop(self):\n",
            "    def stop(self, now):\n",
            id="beside a line that is removed and added again, of those that begin as deep",
        ),
        pytest.param(
            ["     def run(self):", "-x = 1", "+x = 5", " return x", " ", " def stop(self):"],
            "        x = 1\n",
            "        x = 5\n",
            id="for a line without indentation, beside others of another depth",
        ),
    ],
)
def test_added_lines_follow_neighbours_of_another_indentation(
    hunk: list[str], before: str, after: str
) -> None:
    assert written(*hunk) == (
        FILE.replace(before, after),
        RULELESS + "follow the lines next to them",
    )


@pytest.mark.parametrize(
    ("hunk", "before", "after"),
    [
        pytest.param(
            ["     def run(self):", "-    x = 1", "+        x = 5", "     return x"],
            "        x = 1\n",
            "        x = 5\n",
            id="for lines that alone lost theirs",
        ),
        pytest.param(
            [" def run(self):", "+        y = 0", "         x = 1"],
            "        x = 1\n",
            "        y = 0\n        x = 1\n",
            id="below lines that alone lost theirs",
        ),
        pytest.param(
            ["     def run(self):", " x = 1", "+        y = 2", " return x"],
            "        return x\n",
            "        y = 2\n        return x\n",
            id="between lines that alone lost theirs",
        ),
        pytest.param(
            [" def run(self):", " x = 1", "-        return x", "+        return 2 * x"],
            "        return x\n",
            "        return 2 * x\n",
            id="for a line that kept its own",
        ),
    ],
)
def test_added_lines_as_deep_as_the_file_are_kept_as_written(
    hunk: list[str], before: str, after: str
) -> None:
    assert written(*hunk) == (FILE.replace(before, after), RULELESS + "are written as they are")


@pytest.mark.parametrize(
    "hunk",
    [
        pytest.param(
            ["     def run(self):", "-    x = 1", "+      x = 5", "     return x"],
            id="neither as deep as those replaced are in the patch nor in the file",
        ),
        pytest.param(
            ["     def run(self):", "-    x = 1", "+    x = 5", "+    y = 2", "     return x"],
            id="one more than is replaced, as deep as lines of two depths",
        ),
        pytest.param(
            ["     def run(self):", "-        x = 1", "-    return x", "+    return 1"],
            id="for lines that are ambiguous",
        ),
        pytest.param(
            ["     def run(self):", "-    x = 1", "+    x = 5", "         return x", " ",
             "+  z = 0", "     def stop(self):"],
            id="elsewhere in a hunk that shows removed lines too far left",
        ),
        pytest.param(
            ["     def run(self):", "+    y = 0", "     x = 1"],
            id="as deep as the line above is in the file and the one below in the patch",
        ),
        pytest.param(
            ["     def run(self):", "     x = 1", "+    y = 0"], id="below a shifted line alone"
        ),
        pytest.param([" def run(self):", "+y = 0", " x = 1"], id="between lines of two depths"),
        pytest.param(
            ["     def run(self):", "-x = 1", "+if self:", "+x = 2", "         return x"],
            id="several lines for one, none of which has any indentation",
        ),
        pytest.param(
            ["     def run(self):", "-x = 1", "-return x", " ", "-def stop(self):", "+a()", "+b()",
             "+c()"],
            id="for lines of two depths, none of which has any indentation",
        ),
        pytest.param(
            ["     def run(self):", "-        x = 1", "-    return x", "+        return 1"],
            id="for lines of which some only have another indentation",
        ),
        pytest.param(
            [" def run(self):", "+  y = 0", "         x = 1"],
            id="less deep than the lines around it are in the file",
        ),
        pytest.param(
            ["   def run(self):", "+    y = 0", "         x = 1"],
            id="as deep as the line above, which lost some of its indentation",
        ),
        pytest.param(
            ["         x = 1", "     return x", "+    y = 2", " ", " def stop(self):"],
            id="as deep as the line below is in the file, and would be between both if moved",
        ),
        pytest.param(
            [" class B:", "-  def run(self):", "+    def run(self, x):"],
            id="as deep as the one removed line, which shows a rule, is in the file",
        ),
        pytest.param(
            ["     def run(self):", "-         x = 1", "+         x = 5", "         return x", " ",
             "+  z = 0", "     def stop(self):"],
            id="by no ratio of 9 spaces to 8",
        ),
        pytest.param(
            ["     def run(self):", "-        x = 1", "+                x = 2",
             "                 return x"],
            id="as deep as the context, which is deeper, where the removed line is not",
        ),
    ],
)  # fmt: skip
def test_added_lines_of_ambiguous_depth_are_refused(hunk: list[str]) -> None:
    result = edited(FILE, hunk)
    (failure,) = result.failures
    assert failure.reason is Reason.UNCLEAR
    assert result.content.text.to_bytes().decode() == FILE


def test_what_is_removed_and_added_again_is_context() -> None:
    hunk = ["         return x", " ", "-def stop(self):", "-    self.on = False"]
    hunk += ["+    self.on = False", " ", "         return self"]
    applied = edited(FILE, hunk)
    assert not applied.failures
    after = FILE.replace("    def stop(self):\n", "")
    assert applied.content.text.to_bytes().decode() == after
