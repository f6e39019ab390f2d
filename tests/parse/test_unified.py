"""Unified diffs, with and without numbers, by git and by those who write like git."""

from __future__ import annotations

import pytest

from git_opatch.parse import parse_patch


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("index 0123abc..4567def 100644", ("0123abc", "4567def")),
        ("index 0123abc..4567def", ("0123abc", "4567def")),
        (f"index {'a' * 40}..{'b' * 40} 100755", ("a" * 40, "b" * 40)),
        (f"index {'a' * 64}..{'b' * 64}", ("a" * 64, "b" * 64)),
        ("index abc..def 100644", ("", "")),
        ("index 0123abc,89abcde..4567def", ("", "")),
        ("index HEAD:f..4567def 100644", ("", "")),
        (f"index {'a' * 65}..{'b' * 65}", ("", "")),
    ],
)
def test_an_index_line_names_the_blobs(line: str, expected: tuple[str, str]) -> None:
    text = f"diff --git a/f b/f\n{line}\n--- a/f\n+++ b/f\n@@\n-a\n+b\n"
    (section,) = parse_patch(text).files
    assert section.blobs == expected
