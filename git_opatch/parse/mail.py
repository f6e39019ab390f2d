"""Mail as `git format-patch` writes it: author, date and message of a change.

    mail    := "From " id " " date header+ "" message end
    end     := "---" | "--- " name | "diff -"… | "Index: "…

The headers and the message are taken here; the diffs below them are parsed as in any text. Source:
RFC 5322 and RFC 2047 (`email`); git-am and git-mailinfo: the message ends at the first line that is
`---` or may begin a diff; `From:`, `Date:` and `Subject:` at its beginning take precedence over the
headers; `Re:` and prefixes in brackets are removed from the subject, runs of whitespace become one
space, and a name that is too long is not used (D66).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from git_opatch.model.options import Format
from git_opatch.model.patch import Mail
from git_opatch.model.sentences import Malformed
from git_opatch.parse.formats import parser_of
from git_opatch.parse.scanner import Scanner

_BEGINNING = re.compile(rb"From \S+ [A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]?\d \d\d:\d\d:\d\d \d{4}\s*")
_HEADER = re.compile(rb"[A-Za-z][A-Za-z0-9-]*:")
_IN_BODY = re.compile(rb"(?:From|Date|Subject):[ \t]", re.IGNORECASE)
_END = re.compile(rb"diff -|Index: |--- \S|---\s*$")
_TRAILING_SPACE = re.compile(r"(?m)(?<![ \t\r\v\f])[ \t\r\v\f]++$")
_BLANK_LINES = re.compile(r"\n{3,}+")
_FOLD = re.compile(r"\r?\n(?=[ \t])")
_PREFIXES = re.compile(r"(?:[Rr][Ee]:|[ \t:]|\[[^]]*\])*")
_IDENTITY = re.compile(r"(?P<name>[^<>]*)<(?P<address>[^<>]*@[^<>]*)>")
_BARE = re.compile(r"(?P<name>)(?P<address>[^\s<>@]+@[^\s<>@]+)")
_MAX_NAME = 60
_MAX_HEAD, _MAX_VALUE = 10_000, 2_000
"""Longer headers are not decoded: no mail has them, and the library would take too long."""
_ENCODED = ("quoted-printable", "base64")


def unwrap(scanner: Scanner) -> list[Scanner] | None:
    """Take the headers and the message of a mail, and add it to the scanner's mails.

    A mail without a patch, such as a cover letter, is prose from there on. A mail with encoded
    lines is an error. Yields no scanners: the patch itself is not wrapped.
    """
    if not begins(scanner):
        return None
    number = scanner.number
    scanner.take()
    outer = _take_headers(scanner, _HEADER)
    end = _find_end(scanner)
    if encoding := _parse_headers(outer).encoding:
        scanner.error(Malformed.ENCODED_MAIL, number, encoding=encoding)
        scanner.skip_until(lambda line: _BEGINNING.fullmatch(line) is not None)
    elif end is not None:
        message = scanner.limited_to(end)
        message.skip_blank_lines()
        head = _parse_headers(outer, _take_headers(message, _IN_BODY))
        text = _TRAILING_SPACE.sub("", f"{head.subject}\n\n{_decode(message.text, head.charset)}")
        text = _BLANK_LINES.sub("\n\n", text).strip("\n") + "\n"  # as git-stripspace does
        mail = Mail(head.author, head.date, text, len(scanner.found.sections))
        scanner.found.mails.append(mail)
        scanner.at = end
    return []


def begins(scanner: Scanner, distance: int = 0) -> bool:
    """Return whether a mail begins `distance` lines after the next one."""
    return (
        _BEGINNING.fullmatch(scanner.peek(distance)) is not None
        and _HEADER.match(scanner.peek(distance + 1)) is not None
    )


def _take_headers(scanner: Scanner, pattern: re.Pattern[bytes]) -> bytes:
    """Take the header lines that begin here, and the blank line below them."""
    found = replace(scanner)
    while not scanner.at_end:
        line = scanner.line
        if not pattern.match(line) and not (scanner.at > found.at and line[:1] in (b" ", b"\t")):
            break
        scanner.take()
    found.end = scanner.at
    if not scanner.at_end and not scanner.line.strip():
        scanner.take()
    return found.text


def _find_end(scanner: Scanner) -> int | None:
    """Return the position where the message ends; None if no patch follows in this mail."""
    is_begin, envelope = parser_of(Format.ENVELOPE).is_begin, None
    for distance in range(scanner.end - scanner.at):
        line = scanner.line_at(scanner.at + distance)
        if _END.match(line):
            return scanner.at + distance
        if begins(scanner, distance):
            break
        if envelope is None and is_begin(line):
            envelope = scanner.at + distance
    return envelope


class _Headers(NamedTuple):
    """The headers of a mail.

    `charset` is that of the message. `encoding` is the transfer encoding of the whole body, or
    empty if its lines are not encoded.
    """

    author: str
    date: str
    subject: str
    charset: str
    encoding: str


def _parse_headers(outer: bytes, inner: bytes = b"") -> _Headers:
    """Parse the headers of a mail; those at the beginning of its body, `inner`, win."""
    # Imported late: it takes time, and few patches are mail.
    from email.parser import BytesHeaderParser

    values: dict[str, str] = {}
    for head in (inner, outer):
        parsed = BytesHeaderParser().parsebytes(head[:_MAX_HEAD])
        for name, value in parsed.raw_items():
            raw = _FOLD.sub("", str(value)).strip().encode("utf-8", "surrogateescape")
            values.setdefault(name.lower(), _decode(raw))
    transfer = values.get("content-transfer-encoding", "").lower()
    is_multipart = parsed.get_content_maintype() == "multipart"
    subject = re.sub(r"[ \t\r\n]+", " ", _decode_words(values.get("subject", "")))
    return _Headers(
        _format_author(values.get("from", "")),
        values.get("date", ""),
        _PREFIXES.sub("", subject, count=1).strip(),
        parsed.get_content_charset("utf-8"),
        transfer if transfer in _ENCODED else parsed.get_content_type() if is_multipart else "",
    )


def _decode(raw: bytes, charset: str = "utf-8") -> str:
    """Decode `raw`; if `charset` is wrong, as UTF-8 or Latin-1, as git guesses."""
    for name in (charset, "utf-8"):
        try:
            return _without_surrogates(raw.decode(name))
        except (LookupError, ValueError):
            continue
    return raw.decode("latin-1")


def _without_surrogates(text: str) -> str:
    """Return `text`; raises `ValueError` for half a surrogate pair, which some charsets allow."""
    text.encode()
    return text


def _format_author(value: str) -> str:
    """Format as `Name <address>`, as git does: a name that git would refuse becomes the address."""
    from email.utils import unquote

    match = _IDENTITY.match(value) or _BARE.fullmatch(value)
    if match is None:
        return _decode_words(value)
    name, address = _decode_words(unquote(match["name"].strip())), match["address"]
    sane = 0 < len(name.encode()) <= _MAX_NAME and not set(name) & set("@<>")
    return f"{name if sane else address} <{address}>"


def _decode_words(value: str) -> str:
    """Decode the encoded words of a header (RFC 2047)."""
    from email.errors import HeaderParseError
    from email.header import decode_header

    if not value.isascii() or len(value) > _MAX_VALUE:
        return value
    try:
        parts = [
            words if isinstance(words, str) else words.decode(charset or "ascii", "replace")
            for words, charset in decode_header(value)
        ]
        return _without_surrogates("".join(parts))
    except (HeaderParseError, LookupError, ValueError):
        return value
