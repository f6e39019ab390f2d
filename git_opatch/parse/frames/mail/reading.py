"""Mail as `git format-patch` writes it: who made a change, when, and what they say of it.

    mail    := "From " id " " date header+ "" message end
    end     := "---" | "--- " name | "diff -"… | "Index: "…

The head and the message are taken here; the diffs after them are read as in any text. Rules:
git-am and git-mailinfo: the message ends at the first line that is `---`, or that a diff may
begin with; `From:`, `Date:` and `Subject:` at its beginning go before those of the head.
"""

from __future__ import annotations

import re
from dataclasses import replace

from git_opatch.parse.cursor import Cursor
from git_opatch.parse.envelope import marker
from git_opatch.parse.frames.mail import HINT
from git_opatch.patch import Mail

_BEGINNING = re.compile(HINT + rb"[ \d]?\d \d\d:\d\d:\d\d \d{4}\s*")
_HEADER = re.compile(rb"[A-Za-z][A-Za-z0-9-]*:")
_IN_BODY = re.compile(rb"(?:From|Date|Subject):[ \t]", re.IGNORECASE)
_BLANKS = re.compile(r"(?m)(?<![ \t\r\v\f])[ \t\r\v\f]++$")
_EMPTY = re.compile(r"\n{3,}+")
_END = re.compile(rb"diff -|Index: |--- \S|---\s*$")


def opened(cursor: Cursor) -> list[Cursor] | None:
    """Take a mail's head and message, and note on the cursor what they say.

    After the head of a mail that has no patch, such as a cover letter, all is prose. A mail
    whose lines are encoded is a fault.
    """
    if not begins(cursor):
        return None
    # Here, because it costs time, and few patches are mail.
    from git_opatch.parse.frames.mail.letterhead import parse_head

    number = cursor.number
    cursor.take()
    outer = _take_headers(cursor, _HEADER)
    encoding = parse_head(outer).encoding
    end = _end(cursor)
    if encoding:
        cursor.fault(
            f"this mail's lines are encoded ({encoding}), and so is its patch; send it as "
            "`git format-patch` writes it",
            number,
        )
        cursor.skip_until(lambda line: _BEGINNING.fullmatch(line) is not None)
    elif end is not None:
        cursor.mails.append(_mail(cursor.within(end), outer, len(cursor.sections)))
        cursor.at = end
    return []


def begins(cursor: Cursor, distance: int = 0) -> bool:
    """Whether a mail begins that many lines on."""
    line, after = cursor.ahead(distance), cursor.ahead(distance + 1)
    return (
        line is not None
        and after is not None
        and _BEGINNING.fullmatch(line) is not None
        and _HEADER.match(after) is not None
    )


def _take_headers(cursor: Cursor, pattern: re.Pattern[bytes]) -> bytes:
    """Take the header lines that begin here, and the blank line after them."""
    found = replace(cursor)
    while not cursor.at_end:
        line = cursor.line
        if not pattern.match(line) and not (cursor.at > found.at and line[:1] in (b" ", b"\t")):
            break
        cursor.take()
    found.end = cursor.at
    if not found.at_end and not cursor.at_end and not cursor.line.strip():
        cursor.take()
    return found.text


def _end(cursor: Cursor) -> int | None:
    """Where the message ends; None if no patch follows it in this mail."""
    envelope = None
    for distance in range(cursor.end - cursor.at):
        line = cursor.line_at(cursor.at + distance)
        if _END.match(line):
            return cursor.at + distance
        if line.startswith(b"From ") and begins(cursor, distance):
            break
        if envelope is None and line.startswith(b"*") and marker.is_begin(line):
            envelope = cursor.at + distance
    return envelope


def _mail(cursor: Cursor, outer: bytes, first: int) -> Mail:
    """What the head `outer` and the message, which is all of `cursor`, say."""
    from git_opatch.parse.frames.mail.letterhead import as_text, parse_head

    cursor.skip_blank()
    head = parse_head(outer, _take_headers(cursor, _IN_BODY))
    body = as_text(cursor.text, head.charset)
    return Mail(head.author, head.date, _tidied(f"{head.subject}\n\n{body}"), first)


def _tidied(message: str) -> str:
    """`message` as git-stripspace leaves it: no blanks at the ends of lines, one blank line."""
    return _EMPTY.sub("\n\n", _BLANKS.sub("", message)).strip("\n") + "\n"
