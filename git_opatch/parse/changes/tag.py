"""The tags of the FILE_CHANGES format, which look like XML and are none.

    tag := "<" name (name "=" quoted)* ["/"] ">" | "</" name ">"

Rules: the FILE_CHANGES format, "Overview" and "Directives": nothing is unescaped, neither in
a path nor in content. A tag stands on a line of its own.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from git_opatch.parse.changes import (
    APPEND,
    CONTAINER,
    COPY,
    DELETE,
    NEW,
    PATCH,
    RENAME,
    TAG,
)
from git_opatch.parse.cursor import Cursor
from git_opatch.text import visible

_ONE, _TWO = (b"file_path",), (b"from_path", b"to_path")
_ATTRIBUTES = {
    CONTAINER: (),
    NEW: _ONE,
    PATCH: _ONE,
    APPEND: _ONE,
    DELETE: _ONE,
    COPY: _TWO,
    RENAME: _TWO,
}
WITHOUT_CONTENT = (COPY, RENAME, DELETE)
_MEANT = {
    b"FILE_ADD": NEW,
    b"FILE_CREATE": NEW,
    b"FILE_WRITE": NEW,
    b"FILE_EDIT": PATCH,
    b"FILE_MODIFY": PATCH,
    b"FILE_UPDATE": PATCH,
    b"FILE_MOVE": RENAME,
    b"FILE_REMOVE": DELETE,
}
_END_OF = {
    **dict.fromkeys((b"from", b"src", b"source", b"old", b"old_path"), b"from_path"),
    **dict.fromkeys((b"to", b"dst", b"dest", b"target", b"new", b"new_path"), b"to_path"),
}
"""The attributes that are probably meant by others."""
KNOWN = re.compile(rb"(?m)^[ \t]*" + TAG)
"""The lines that begin with a tag of this format."""
_TAG = re.compile(rb"([ \t]*)<(/?)[ \t]*([A-Za-z_][\w:-]*+)(.*)", re.DOTALL)
_ATTRIBUTE = re.compile(rb"\s*+([\w-]++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")
_LOOSELY = re.compile(rb"(?<![\w-])([\w-]++)\s*+=\s*+(?:[\"'`]|\xe2\x80[\x98-\x9f])*+")
_QUOTE = re.compile(rb"[\"'`>]|\xe2\x80[\x98-\x9f]")
_END = re.compile(rb"\s*+(/?)\s*+>[ \t\r]*(.*)", re.DOTALL)
_MOST_ATTRIBUTES = 100
_MOST_READ = 1000
"""Of a malformed tag, no more than this is looked at to tell what was meant."""


class Tag(NamedTuple):
    """A tag, as it stands at the beginning of a line.

    `rest` is what stands after it; `whole` whether it is written as a tag must be. If it is
    not, its attributes are what was probably meant.
    """

    name: bytes
    attributes: tuple[tuple[bytes, bytes], ...] = ()
    indent: bytes = b""
    closing: bool = False
    empty: bool = False
    rest: bytes = b""
    whole: bool = True

    @property
    def known(self) -> bool:
        """Whether this format has such a tag."""
        return self.name in _ATTRIBUTES

    @property
    def meant(self) -> bytes:
        """The name of this format that the tag's comes nearest to."""
        upper = self.name.upper()
        return upper if upper in _ATTRIBUTES else _MEANT.get(upper, b"")

    @property
    def end(self) -> bytes:
        """The line that ends what this tag begins."""
        return self.indent + b"</" + self.name + b">"

    def corrected(self) -> bytes:
        """The tag as it should be written; `PATH` stands for a path that it does not say."""
        name = self.meant
        if self.closing:
            return b"</" + name + b">"
        said, wanted = dict(self.attributes), _ATTRIBUTES[name]
        others = {key: value for key, value in self.attributes if key not in wanted}
        missing = [key for key in wanted if not said.get(key)]
        for key in missing:
            said[key] = b"".join(value for one, value in others.items() if _END_OF.get(one) == key)
        if len(others) == len(missing) == 1 and not _END_OF.keys() & others.keys():
            said[missing[0]] = next(iter(others.values()))
        parts = [name, *(key + b"=" + _quoted(said.get(key) or b"PATH") for key in wanted)]
        return b"<" + b" ".join(parts) + (b" />" if name in WITHOUT_CONTENT else b">")


def _quoted(value: bytes) -> bytes:
    return b"'" + value + b"'" if b'"' in value else b'"' + value + b'"'


def read_tag(line: bytes) -> Tag | None:
    """The tag that `line` begins with, known or not; None if it begins with none."""
    match = _TAG.fullmatch(line)
    if match is None:
        return None
    indent, slash, name, rest = match.groups()
    attributes: list[tuple[bytes, bytes]] = []
    at = 0
    while len(attributes) < _MOST_ATTRIBUTES and (found := _ATTRIBUTE.match(rest, at)):
        attributes.append((found[1], found[2] if found[3] is None else found[3]))
        at = found.end()
    end = _END.fullmatch(rest, at)
    if end is None:
        attributes = _read_loosely(rest[:_MOST_READ])
        return Tag(name, tuple(attributes), indent, bool(slash), whole=False)
    after = end[2].strip()
    closed = after == b"</" + name + b">"
    empty = bool(end[1]) or closed
    return Tag(
        name,
        tuple(attributes),
        indent,
        bool(slash),
        empty,
        b"" if closed else after,
        not at or not slash,
    )


def _read_loosely(text: bytes) -> list[tuple[bytes, bytes]]:
    """The attributes in `text`: a value ends with its quote, the tag, or at the next."""
    found = list(_LOOSELY.finditer(text))
    attributes = []
    for at, match in enumerate(found):
        end = found[at + 1].start() if at + 1 < len(found) else len(text)
        value = _QUOTE.split(text[match.end() : end], maxsplit=1)[0]
        attributes.append((match[1], value.strip().rstrip(b" /")))
    return attributes


def check(cursor: Cursor, tag: Tag, number: int) -> bool:
    """Whether `tag`, of line `number`, is written as it must be; else that is a fault."""
    wrong = _wrong(tag)
    if wrong:
        corrected = tag.corrected() if tag.meant else b""
        meant = f"; did you mean `{visible(corrected)}`?" if corrected else ""
        cursor.fault(wrong + meant, number)
    return not wrong


def _wrong(tag: Tag) -> str:
    name, wanted = visible(tag.name), _ATTRIBUTES.get(tag.name)
    said = [key for key, _ in tag.attributes]
    if wanted is None:
        known = "" if tag.meant else "; known are " + visible(b", ".join(_ATTRIBUTES))
        return f"there is no tag `{name}`{known}"
    if not tag.whole:
        return f"this is no whole tag `{name}`, on one line and with its paths in quotes"
    unknown = next((key for key in said if key not in wanted), None)
    if unknown is not None:
        return f"`{name}` has no attribute `{visible(unknown)}`"
    if len(set(said)) < len(said):
        return f"`{name}` says an attribute twice"
    missing = [key for key in wanted if not dict(tag.attributes).get(key, b"").strip()]
    if missing and not tag.closing:
        return f"`{name}` does not say its `{visible(missing[0])}`"
    if tag.rest:
        return f"`{visible(tag.rest)}` stands beside a tag; a tag has a line of its own"
    return ""


def path_of(tag: Tag, attribute: bytes = b"file_path") -> str:
    """The path that a tag, which was checked, says."""
    return os.fsdecode(dict(tag.attributes)[attribute].strip())
