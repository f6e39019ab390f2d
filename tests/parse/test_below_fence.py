"""Hunk lines below the fence that seems to end the patch are refused; prose is skipped."""

from __future__ import annotations

import pytest

from git_opatch.model.errors import ParseError
from git_opatch.parse import parse_patch

DIFF = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n x\n-a\n+b\n"
ENVELOPE = "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch\n"
PATCHES = pytest.mark.parametrize("patch", [DIFF, ENVELOPE], ids=["diff", "envelope"])


def errors(text: str) -> list[tuple[int, str]]:
    with pytest.raises(ParseError) as caught:
        parse_patch(text)
    return [(error.line, error.message) for error in caught.value.diagnostics]


@PATCHES
@pytest.mark.parametrize(
    ("tail", "line"),
    [
        pytest.param("code\n-more\n+less\n```\n", "-more", id="after a line"),
        pytest.param("code\n```\n-more\n", "-more", id="after a second fence"),
        pytest.param("code\n```\n+    x\n", "+    x", id="indented"),
        pytest.param("code\n+\tx\n", "+\tx", id="indented by a tab"),
        pytest.param("code\n+- x\n", "+- x", id="an item that is added"),
        pytest.param("\ncode\n```\n\n-Old text\n+New text\n```\n", "-Old text", id="a replacement"),
        pytest.param("# x\n\n* y\n-a(\n+b(\n", "-a(", id="a replacement in a list"),
        pytest.param("<div>\n-<p>\n", "-<p>", id="HTML"),
    ],
)
def test_lines_of_a_hunk_below_the_fence_are_refused(patch: str, tail: str, line: str) -> None:
    text = f"```diff\n{patch}```\n{tail}"
    ((number, message),) = errors(text)
    assert number == text.split("\n").index(line) + 1
    closing = text.split("\n").index("```") + 1
    assert message.startswith(f"`{line}` is below the fence that closes at line {closing}")


@PATCHES
@pytest.mark.parametrize(
    "tail",
    [
        "",
        "- item\n- another\n",
        "Now:\n- item\n+ another\n",
        "Now:\n\n- item\n-x is a flag\n",
        "\n-x is a flag\n\n+1\n",
        "\n```\n-rw-r--r-- 1 root\n```\n",
        "Then:\n--verbose says more\n",
        "Then:\n---\nThe end\n-x\n",
        "Then:\n```sh\n-x\n+y\n```\n",
        f"Then:\n```diff\n{DIFF}```\n",
        f"Then:\n{ENVELOPE}",
        f"Then:\n{DIFF}",
        'Then:\n<FILE_CHANGES>\n<FILE_PATCH file_path="f">\n@@\n-a\n+b\n</FILE_PATCH>\n'
        "</FILE_CHANGES>\n",
        "f\n<<<<<<< SEARCH\n-a\n=======\n+b\n>>>>>>> REPLACE\n",
    ],
)
def test_prose_below_the_fence_is_skipped(patch: str, tail: str) -> None:
    if patch == DIFF and tail.startswith("- "):  # right below the fence it may be a removed line
        tail = "\n" + tail
    files = parse_patch(f"```diff\n{patch}```\n{tail}").files
    assert {file.path for file in files} == {"f"}
    assert [line.text for line in files[0].hunks[-1].lines][-2:] == [b"a", b"b"]


def test_text_without_a_fence_has_nothing_below_one() -> None:
    assert len(parse_patch(f"{ENVELOPE}\n```\n-a\n+b\n```\n").files) == 1
