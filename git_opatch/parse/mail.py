"""A mail of `git format-patch`: its headers and its message."""

from __future__ import annotations

import os
import re

from git_opatch.model.patch import Mail
from git_opatch.model.sentences import Malformed
from git_opatch.parse import grammar
from git_opatch.parse.text import Scanner

_IN_BODY = re.compile(rb"(?i)(?:From|Date|Subject):[ \t]")
_MESSAGE_END = re.compile(rb"diff -|Index: |--- \S|---\s*$")
_IDENTITY = re.compile(
    r"(?P<name>[^<>]*)<(?P<address>[^<>]*@[^<>]*)>|(?P<bare>[^\s<>@]+@[^\s<>@]+)\Z"
)
_PREFIXES = re.compile(r"(?:[Rr][Ee]:|[ \t:]|\[[^]]*\])*")


def read_mail(scanner: Scanner) -> bool:
    """Take the headers and the message of a mail of `git format-patch`; its diffs are below it.

    As git-am and git-mailinfo do: the message ends at the first line that is `---` or may begin a
    diff; `From:`, `Date:` and `Subject:` at its beginning take precedence over the headers; `Re:`
    and prefixes in brackets are removed from the subject (D66). A mail without a patch is prose.
    """
    from email.parser import BytesHeaderParser  # it takes time, and few patches are mail

    if not grammar.begins_mail(scanner):
        return False
    number, begins = scanner.number, grammar.begins_mail
    scanner.at += 1
    outer, end, envelope = _take_headers(scanner, grammar.MAIL_HEADER), None, None
    for at in range(scanner.at, scanner.end):
        line = scanner.lines[at]
        if _MESSAGE_END.match(line):
            end = at
            break
        if begins(scanner, at - scanner.at):
            break
        if envelope is None and grammar.is_begin(line):
            envelope = at
    end = envelope if end is None else end
    message = scanner.moved_to(scanner.at, scanner.at if end is None else end)
    message.skip_blank_lines()
    inner = _take_headers(message, _IN_BODY) if end is not None else b""
    values = dict[str, str]()
    for head in (inner, outer):
        parsed = BytesHeaderParser().parsebytes(head[:10_000])
        for name, value in parsed.raw_items():
            words = re.sub(r"\r?\n(?=[ \t])", "", str(value)).strip()
            values.setdefault(name.lower(), _decode(os.fsencode(words)))
    transfer, kind = values.get("content-transfer-encoding", "").lower(), parsed.get_content_type()
    is_multipart = parsed.get_content_maintype() == "multipart"
    is_encoded = transfer in ("quoted-printable", "base64")
    if is_encoded or is_multipart:
        encoding = transfer if is_encoded else kind
        scanner.error(Malformed.ENCODED_MAIL, number, encoding=encoding)
        scanner.skip_until(lambda line: grammar.MAIL.fullmatch(line))
    elif end is not None:
        subject = re.sub(r"[ \t\r\n]+", " ", _words(values.get("subject", "")))
        subject = _PREFIXES.sub("", subject, count=1).strip()
        body = _decode(b"\n".join(message.left), parsed.get_content_charset("utf-8"))
        text = re.sub(r"(?m)(?<![ \t\r\v\f])[ \t\r\v\f]++$", "", f"{subject}\n\n{body}")
        text = re.sub(r"\n{3,}+", "\n\n", text).strip("\n") + "\n"  # as git-stripspace does
        author, first = _author(values.get("from", "")), len(scanner.found.sections)
        scanner.found.mails.append(Mail(author, values.get("date", ""), text, first))
        scanner.at = end
    return True


def _take_headers(scanner: Scanner, pattern: re.Pattern[bytes]) -> bytes:
    """Take the header lines that begin here, and the blank line below them."""
    first = scanner.at
    scanner.skip_until(
        lambda line: not (pattern.match(line) or (scanner.at > first and line[:1] in (b" ", b"\t")))
    )
    head = b"\n".join(scanner.lines[first : scanner.at])
    scanner.at += scanner.more and not scanner.line.strip()
    return head


def _decode(raw: bytes, charset: str = "utf-8") -> str:
    """Decode `raw`; if `charset` is wrong, as UTF-8 or Latin-1, as git guesses."""
    for name in (charset, "utf-8"):
        try:
            text = raw.decode(name)
            text.encode()  # some charsets allow half a surrogate pair
            return text
        except (LookupError, ValueError):
            continue
    return raw.decode("latin-1")


def _author(value: str) -> str:
    """Format as `Name <address>`, as git does: a name that git would refuse becomes the address."""
    from email.utils import unquote

    match = _IDENTITY.match(value)
    if match is None:
        return _words(value)
    name = _words(unquote((match["name"] or "").strip()))
    address = match["address"] or match["bare"]
    is_sane = 0 < len(name.encode()) <= 60 and not set(name) & set("@<>")
    return f"{name if is_sane else address} <{address}>"


def _words(value: str) -> str:
    """Decode the encoded words of a header (RFC 2047)."""
    from email.errors import HeaderParseError
    from email.header import decode_header

    try:
        parts = decode_header(value) if value.isascii() and len(value) <= 2_000 else ((value, ""),)
        text = "".join(
            part if isinstance(part, str) else part.decode(charset or "ascii", "replace")
            for part, charset in parts
        )
        text.encode()
    except (HeaderParseError, LookupError, ValueError):
        return value
    return text
