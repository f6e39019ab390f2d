"""The header lines of a mail to the words in them.

Rules: RFC 5322 for folded lines and addresses, RFC 2047 for words that are not ASCII, and
git-mailinfo: `Re:` and prefixes in brackets are cut off the subject, its blanks are one, and
what is too long for a name is none.
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
_LONGEST_NAME = 60
_LONGEST_HEAD, _LONGEST_VALUE = 10_000, 2_000
"""More is not read, or not decoded: it is no mail's, and the library would take too long."""
_ENCODED = ("quoted-printable", "base64")


class Letterhead(NamedTuple):
    """What the headers of a mail say.

    `charset` is that of the message; `encoding` says how the whole body is encoded, and is
    empty where its lines stand there as they are.
    """

    author: str
    date: str
    subject: str
    charset: str
    encoding: str


def parse_head(outer: bytes, inner: bytes = b"") -> Letterhead:
    """What the header lines of a mail say; those `inner` to its body go before them."""
    head = BytesHeaderParser().parsebytes(outer[:_LONGEST_HEAD])
    said = {**_values(outer), **_values(inner)}
    transfer = said.get("content-transfer-encoding", "").lower()
    several = head.get_content_type() if head.get_content_maintype() == "multipart" else ""
    return Letterhead(
        _author(said.get("from", "")),
        said.get("date", ""),
        _subject(said.get("subject", "")),
        head.get_content_charset("utf-8"),
        transfer if transfer in _ENCODED else several,
    )


def as_text(raw: bytes, charset: str = "utf-8") -> str:
    """`raw` in that character set; in UTF-8 or Latin-1, as git guesses, where it is wrong."""
    for name in (charset, "utf-8"):
        try:
            return _whole(raw.decode(name))
        except (LookupError, ValueError):
            continue
    return raw.decode("latin-1")


def _whole(text: str) -> str:
    """`text`; raises `ValueError` if it holds half a surrogate pair, as some charsets can."""
    text.encode()
    return text


def _values(head: bytes) -> dict[str, str]:
    """The first value of each header, by its name in small letters; lines are unfolded."""
    items = BytesHeaderParser().parsebytes(head[:_LONGEST_HEAD]).raw_items()
    values = [(name.lower(), _FOLD.sub("", str(value)).strip()) for name, value in items]
    return {
        name: as_text(value.encode("utf-8", "surrogateescape")) for name, value in reversed(values)
    }


def _author(value: str) -> str:
    """`Name <address>`, as git writes an identity: a name that cannot be one is the address."""
    match = _IDENTITY.match(value) or _BARE.fullmatch(value)
    if match is None:
        return _decoded(value)
    name, address = _decoded(unquote(match["name"].strip())), match["address"]
    sane = 0 < len(name.encode()) <= _LONGEST_NAME and not set(name) & set("@<>")
    return f"{name if sane else address} <{address}>"


def _subject(value: str) -> str:
    words = _SPACE.sub(" ", _decoded(value))
    prefixes = _PREFIXES.match(words)
    return words[prefixes.end() :].strip() if prefixes else words


def _decoded(value: str) -> str:
    if not value.isascii() or len(value) > _LONGEST_VALUE:
        return value
    try:
        return _whole("".join(map(_part, decode_header(value))))
    except (HeaderParseError, LookupError, ValueError):
        return value


def _part(part: tuple[bytes | str, str | None]) -> str:
    words, charset = part
    return words if isinstance(words, str) else words.decode(charset or "ascii", "replace")
