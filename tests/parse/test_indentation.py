"""A patch that is indented as a whole is read; one that is not, is not."""

from __future__ import annotations

import textwrap

import pytest

from git_opatch.model.errors import ParseError
from git_opatch.model.patch import Patch
from git_opatch.parse import parse_patch

ENVELOPE = "*** Begin Patch\n*** Update File: f\n@@\n a\n\n-b\n+c\n*** End Patch\n"
DIFF = "--- a/f\n+++ b/f\n@@\n a\n\n-b\n+c\n"
BLOCK = "f\n<<<<<<< SEARCH\nb\n=======\n c\n>>>>>>> REPLACE\n"
CHANGES = f'<FILE_CHANGES>\n<FILE_PATCH file_path="f">\n{DIFF}</FILE_PATCH>\n</FILE_CHANGES>\n'
SCRIPT = f"cd lib && apply_patch <<'EOF'\n{ENVELOPE}EOF\n"
PATCHES = [ENVELOPE, DIFF, BLOCK, CHANGES, SCRIPT, f"diff --git a/f b/f\n{DIFF}", DIFF * 2]


def numbers(patch: Patch) -> list[int]:
    return [line.number for file in patch.files for hunk in file.hunks for line in hunk.lines]


@pytest.mark.parametrize("indent", [" ", "   ", "\t", " \t"])
@pytest.mark.parametrize("patch", PATCHES)
def test_indentation_of_all_lines_is_taken_off(patch: str, indent: str) -> None:
    plain = parse_patch(patch)
    for before, after in [("", ""), ("Do:\n\n", "\nThat is all.\n"), ("- Do:\n\n", "\n- b\n")]:
        read = parse_patch(before + textwrap.indent(patch, indent) + after)
        assert read.files == plain.files
        assert numbers(read) == [before.count("\n") + number for number in numbers(plain)]


@pytest.mark.parametrize("indent", ["  ", "\t"])
@pytest.mark.parametrize("patch", [ENVELOPE, CHANGES])
def test_an_error_in_an_indented_patch_is_reported_as_in_any(patch: str, indent: str) -> None:
    wrong = patch.replace("@@", "@@@", 1)
    with pytest.raises(ParseError) as plain:
        parse_patch(wrong)
    with pytest.raises(ParseError) as caught:
        parse_patch(textwrap.indent(wrong, indent))
    assert caught.value.diagnostics == plain.value.diagnostics
