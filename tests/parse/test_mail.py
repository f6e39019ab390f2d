"""Mail: what is kept of `git format-patch` is what `git am` would commit."""

from __future__ import annotations

import json
from email.utils import parsedate_to_datetime
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from mailed import MESSAGES, history
from sandbox import Sandbox

from git_opatch.model.errors import ParseError
from git_opatch.model.patch import Mail, Patch
from git_opatch.model.reverse import reverse
from git_opatch.parse import parse_patch

FROM = "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001"
HEAD = (
    *(FROM, "From: A U Thor <author@example.com>", "Date: Tue, 2 Jan 2024 03:04:05 +0000"),
    "Subject: [PATCH] Say so",
)
DIFF = ("diff --git a/f b/f", "--- a/f", "+++ b/f", "@@ -1 +1 @@", "-a", "+b")


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(__file__).with_name(name).read_text().splitlines()]


def parsed(*lines: str) -> Patch:
    return parse_patch("".join(line + "\n" for line in lines))


def committed(tmp_path: Path, text: bytes, count: int) -> list[tuple[str, ...]]:
    """Return author, date and message of each commit that `git am` makes of `text`."""
    other = Sandbox(tmp_path / "other").init()
    other.commit({"f": "0\n"})
    other.git("am", "--quiet", "-", feed=text)
    format_ = "--format=%an <%ae>%x00%aI%x00%B%x01"
    log = other.git("log", "--reverse", f"-{count}", format_).decode()
    found = [tuple(entry.lstrip("\n").split("\0")) for entry in log.split("\1")[:-1]]
    assert len(found) == count
    return found


def kept(mail: Mail) -> tuple[str, ...]:
    return mail.author, parsedate_to_datetime(mail.date).isoformat(), mail.message


@pytest.mark.parametrize(
    "options",
    [[], ["--signature=Sent by hand"], ["--no-signature"], ["--no-stat"], ["-M", "--numbered"]],
)
def test_the_kept_mail_is_what_git_am_commits(
    repo: Sandbox, tmp_path: Path, options: list[str]
) -> None:
    history(repo)
    revisions = f"HEAD~{len(MESSAGES)}.."
    text = repo.git("format-patch", "--stdout", *options, revisions)
    patch = parse_patch(text)
    expected = committed(tmp_path, text, len(MESSAGES))
    assert [kept(mail) for mail in patch.mails] == expected
    assert [mail.first for mail in patch.mails] == list(range(0, 2 * len(MESSAGES), 2))
    paths = [section.path for section in patch.files]
    assert paths == [name for number in range(len(MESSAGES)) for name in ("f", f"sub/{number}")]
    assert all(len(hunk.lines) == 2 for first in patch.files[::2] for hunk in first.hunks)
    assert all(len(hunk.lines) == 1 for first in patch.files[1::2] for hunk in first.hunks)


def test_a_mail_applies_as_with_git_am(repo: Sandbox, tmp_path: Path) -> None:
    text = history(repo)
    other = Sandbox(tmp_path / "lands").init()
    other.commit({"f": "0\n"})
    ran = other.opatch("apply", feed=text)
    assert (ran.status, ran.err) == (0, "")
    assert other.files() == repo.files()


@pytest.mark.parametrize("row", _rows("mail-headers.jsonl"), ids=itemgetter("what"))
def test_the_header_of_a_mail_is_read(row: dict[str, Any]) -> None:
    (mail,) = parsed(FROM, *row["head"], "", "---", *DIFF).mails
    found = {"author": mail.author, "message": mail.message}
    assert found == {**found, **{name: row[name] for name in found if name in row}}


@pytest.mark.parametrize("row", _rows("mail-bodies.jsonl"), ids=itemgetter("what"))
def test_the_end_of_the_message_is_found(row: dict[str, Any]) -> None:
    (mail,) = parsed(*HEAD, *row["body"], *DIFF).mails
    assert (mail.message, mail.date) == (row["message"], "Tue, 2 Jan 2024 03:04:05 +0000")


def test_git_am_ends_the_messages_at_the_same_lines(repo: Sandbox) -> None:
    """But for an author in the body, which git takes for the mail's own."""
    rows = [row for row in _rows("mail-bodies.jsonl") if "From: me" not in row["body"]]
    repo.commit({f"f{number}": "a\n" for number in range(len(rows))})
    lines: list[str] = []
    for number, row in enumerate(rows):
        diff = (line.replace("/f", f"/f{number}") for line in DIFF)
        lines += [*HEAD, *row["body"], *diff]
    repo.git("am", "--quiet", "-", feed="".join(line + "\n" for line in lines).encode())
    log = repo.git("log", "--reverse", f"-{len(rows)}", "--format=%B%x01").decode()
    messages = [message.strip("\n") + "\n" for message in log.split("\1")[:-1]]
    assert messages == [row["message"] for row in rows]


def test_the_author_in_the_body_takes_precedence() -> None:
    (mail,) = parsed(*HEAD, "", "From: Ö <o@example.com>", "", "a", "---", *DIFF).mails
    assert (mail.author, mail.message) == ("Ö <o@example.com>", "Say so\n\na\n")


def test_a_message_may_use_another_character_set() -> None:
    head = "".join(line + "\n" for line in HEAD).encode()
    rest = "".join(line + "\n" for line in ("", "---", *DIFF)).encode()
    for charset, raw, text in (
        *((b"ISO-8859-1", b"\xfc", "ü"), (b"UTF-8", "ü".encode(), "ü")),
        *((b"nope", "ü".encode(), "ü"), (b"UTF-8", b"\xfc", "ü")),
    ):
        kind = b"Content-Type: text/plain; charset=" + charset + b"\n\n"
        (mail,) = parse_patch(head + kind + raw + rest).mails
        assert mail.message == f"Say so\n\n{text}\n"


@pytest.mark.parametrize("header", ["Content-Transfer-Encoding: 8bit", "Content-Type: text/plain"])
def test_an_encoded_mail_that_keeps_lines_is_read(header: str) -> None:
    assert len(parsed(*HEAD, header, "", "---", *DIFF).mails) == 1


@pytest.mark.parametrize(
    "header",
    [
        "From: " + "(" * 5000,
        "From: " + "<" * 5000 + "a@b>",
        "Subject: " + "=?a?q?x" * 200_000,
        "Subject: =?unicode_escape?q?=5Cud800?=",
        "Subject: =?\0?q?x?=",
        "Content-Type: text/plain; charset=unicode_escape",
        "Content-Type: text/plain; charset=" + '";' * 200_000,
        "Content-Type: \x00; charset*=\x00'x",
        "Content-Transfer-Encoding: \x1b[31m",
        "Subject:" + " x\n" * 100_000,
    ],
)
def test_a_hostile_header_is_read_quickly(header: str) -> None:
    (mail,) = parsed(FROM, header, "", "\\ud800", "---", *DIFF).mails
    f"{mail.author}{mail.date}{mail.message}".encode()


@pytest.mark.parametrize("count", [50, pytest.param(500, marks=pytest.mark.exhaustive)])
def test_many_mails_are_read_quickly(count: int) -> None:
    head = "".join(line + "\n" for line in (*HEAD, ""))
    with pytest.raises(ParseError, match="no patch found"):
        parse_patch(head * (40 * count))
    mails = parsed(*(line for _ in range(count) for line in (*HEAD, "", *DIFF))).mails
    assert len(mails) == count


def test_a_cover_letter_is_not_a_commit() -> None:
    letter = (FROM, "From: x", "Subject: [PATCH 0/1] Cover", "", "Hello.", "", " f | 2 +-", "-- ")
    patch = parsed(*letter, "2.39.5", "", *HEAD, "", "---", *DIFF, "-- ", "2.39.5", "")
    assert [(mail.message, mail.first) for mail in patch.mails] == [("Say so\n", 0)]
    empty = (*HEAD, "", "Nothing.", "---", "")
    assert [mail.first for mail in parsed(*empty, *HEAD, "", "---", *DIFF, "", *empty).mails] == [0]


def test_sections_before_any_mail_have_no_mail() -> None:
    mails = parsed(*DIFF, "", *HEAD, "", "---", *DIFF, *HEAD, "", "---", *DIFF).mails
    assert [mail.first for mail in mails] == [1, 2]


def test_a_mail_may_hold_an_envelope() -> None:
    envelope = ("*** Begin Patch", "*** Update File: f", "-a", "+b", "*** End Patch")
    (mail,) = parsed(*HEAD, "", "Body.", "", *envelope).mails
    assert (mail.message, mail.first) == ("Say so\n\nBody.\n", 0)
    (mail,) = parsed(*HEAD, "", "Body.", "---", *envelope).mails
    assert mail.message == "Say so\n\nBody.\n"


def test_patches_of_several_files_keep_their_mails() -> None:
    first, second = parsed(*HEAD, "", "---", *DIFF, *DIFF), parsed(*DIFF, *HEAD, "", "---", *DIFF)
    joined = Patch.joined([first, second], "x")
    assert [mail.first for mail in joined.mails] == [0, 3]
    assert len(joined.files) == 4


def test_an_undone_patch_has_no_mail() -> None:
    assert reverse(parsed(*HEAD, "", "---", *DIFF)).mails == ()
