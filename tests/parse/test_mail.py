"""A mail without git: its headers and its message are prose, and its patch is read."""

from __future__ import annotations

import pytest
from mailed import MESSAGES, history
from sandbox import Sandbox

from git_opatch.model.errors import ParseError
from git_opatch.model.patch import Patch
from git_opatch.parse import parse_patch

FROM = "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001"
HEAD = (
    *(FROM, "From: A U Thor <author@example.com>", "Date: Tue, 2 Jan 2024 03:04:05 +0000"),
    "Subject: [PATCH] Say so",
)
DIFF = ("diff --git a/f b/f", "--- a/f", "+++ b/f", "@@ -1 +1 @@", "-a", "+b")


def parsed(*lines: str) -> Patch:
    return parse_patch("".join(line + "\n" for line in lines))


@pytest.mark.parametrize(
    "options",
    [[], ["--signature=Sent by hand"], ["--no-signature"], ["--no-stat"], ["-M", "--numbered"]],
)
def test_no_line_of_a_message_is_a_patch(repo: Sandbox, options: list[str]) -> None:
    history(repo)
    patch = parse_patch(repo.git("format-patch", "--stdout", *options, f"HEAD~{len(MESSAGES)}.."))
    paths = [section.path for section in patch.files]
    assert paths == [name for number in range(len(MESSAGES)) for name in ("f", f"sub/{number}")]
    assert all(len(hunk.lines) == 2 for first in patch.files[::2] for hunk in first.hunks)
    assert all(len(hunk.lines) == 1 for first in patch.files[1::2] for hunk in first.hunks)


@pytest.mark.parametrize("count", [50, pytest.param(500, marks=pytest.mark.exhaustive)])
def test_many_mails_are_read_quickly(count: int) -> None:
    head = "".join(line + "\n" for line in (*HEAD, ""))
    with pytest.raises(ParseError, match="no patch found"):
        parse_patch(head * (40 * count))
    files = parsed(*(line for _ in range(count) for line in (*HEAD, "", *DIFF))).files
    assert len(files) == count


def test_a_mail_may_hold_an_envelope() -> None:
    envelope = ("*** Begin Patch", "*** Update File: f", "-a", "+b", "*** End Patch")
    for end in ((), ("---",)):
        assert len(parsed(*HEAD, "", "Body.", "", *end, *envelope).files) == 1


def test_what_is_indented_in_a_mail_is_quoted() -> None:
    quoted = ("Interdiff:", *(f"  {line}" for line in DIFF), "")
    assert len(parsed(*HEAD, "", "---", *quoted, *DIFF).files) == 1
