"""Decode the header lines of a mail.

    Subject: [PATCH 1/2] =?UTF-8?q?caf=C3=A9?=     →  café

Source: RFC 5322 for folded lines and addresses, RFC 2047 for encoded words, and git-mailinfo:
`Re:` and prefixes in brackets are removed from the subject, runs of whitespace become one space,
and a name that is too long is not used.
"""

from __future__ import annotations

import re
from email.errors import HeaderParseError
from email.header import decode_header
from email.parser import BytesHeaderParser
from email.utils import unquote
from typing import NamedTuple

_FOLD = re.compile(r"\r?\n(?=[ \t])")
_PREFIXES = re.compile(r"(?:[Rr][Ee]:|[ \t:]|\[[^]]*\])*")
_SPACE = re.compile(r"[ \t\r\n]+")
_IDENTITY = re.compile(r"(?P<name>[^<>]*)<(?P<address>[^<>]*@[^<>]*)>")
_BARE = re.compile(r"(?P<name>)(?P<address>[^\s<>@]+@[^\s<>@]+)")
_MAX_NAME = 60
_MAX_HEAD, _MAX_VALUE = 10_000, 2_000
"""Longer headers are not decoded: no mail has them, and the library would take too long."""
_ENCODED = ("quoted-printable", "base64")


class MailHeaders(NamedTuple):
    """The headers of a mail.

    `charset` is that of the message. `encoding` is the transfer encoding of the whole body, or
    empty if its lines are not encoded.
    """

    author: str
    date: str
    subject: str
    charset: str
    encoding: str


def parse_headers(outer: bytes, inner: bytes = b"") -> MailHeaders:
    """Parse the headers of a mail; those at the beginning of its body, `inner`, win."""
    head = BytesHeaderParser().parsebytes(outer[:_MAX_HEAD])
    values = {**_header_values(outer), **_header_values(inner)}
    transfer = values.get("content-transfer-encoding", "").lower()
    multipart = head.get_content_type() if head.get_content_maintype() == "multipart" else ""
    return MailHeaders(
        _format_author(values.get("from", "")),
        values.get("date", ""),
        _clean_subject(values.get("subject", "")),
        head.get_content_charset("utf-8"),
        transfer if transfer in _ENCODED else multipart,
    )


def decode_text(raw: bytes, charset: str = "utf-8") -> str:
    """Decode `raw`; if `charset` is wrong, as UTF-8 or Latin-1, as git guesses."""
    for name in (charset, "utf-8"):
        try:
            return _check_surrogates(raw.decode(name))
        except (LookupError, ValueError):
            continue
    return raw.decode("latin-1")


def _check_surrogates(text: str) -> str:
    """Return `text`; raises `ValueError` for half a surrogate pair, which some charsets allow."""
    text.encode()
    return text


def _header_values(head: bytes) -> dict[str, str]:
    """Return the first value of each header by its name in lower case; lines are unfolded."""
    items = BytesHeaderParser().parsebytes(head[:_MAX_HEAD]).raw_items()
    values = [(name.lower(), _FOLD.sub("", str(value)).strip()) for name, value in items]
    return {
        name: decode_text(value.encode("utf-8", "surrogateescape"))
        for name, value in reversed(values)
    }


def _format_author(value: str) -> str:
    """Format as `Name <address>`, as git does: a name that git would refuse becomes the address."""
    match = _IDENTITY.match(value) or _BARE.fullmatch(value)
    if match is None:
        return _decode_words(value)
    name, address = _decode_words(unquote(match["name"].strip())), match["address"]
    sane = 0 < len(name.encode()) <= _MAX_NAME and not set(name) & set("@<>")
    return f"{name if sane else address} <{address}>"


def _clean_subject(value: str) -> str:
    words = _SPACE.sub(" ", _decode_words(value))
    prefixes = _PREFIXES.match(words)
    return words[prefixes.end() :].strip() if prefixes else words


def _decode_words(value: str) -> str:
    if not value.isascii() or len(value) > _MAX_VALUE:
        return value
    try:
        return _check_surrogates("".join(map(_decode_part, decode_header(value))))
    except (HeaderParseError, LookupError, ValueError):
        return value


def _decode_part(part: tuple[bytes | str, str | None]) -> str:
    words, charset = part
    return words if isinstance(words, str) else words.decode(charset or "ascii", "replace")
