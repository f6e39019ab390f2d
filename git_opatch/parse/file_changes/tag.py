"""The tags of the FILE_CHANGES format, which look like XML but are not.

    tag := "<" name (name "=" quoted)* ["/"] ">" | "</" name ">"

Source: the FILE_CHANGES format, "Overview" and "Directives". Nothing is unescaped, neither in
a path nor in content. A tag is on a line of its own.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from git_opatch.model.text import visible
from git_opatch.parse.file_changes import (
    APPEND,
    CONTAINER,
    COPY,
    DELETE,
    NEW,
    PATCH,
    RENAME,
    TAG,
)
from git_opatch.parse.lines import line_start
from git_opatch.parse.scanner import Scanner

_FILE_PATH, _FROM_TO_PATHS = (b"file_path",), (b"from_path", b"to_path")
_ATTRIBUTES = {
    CONTAINER: (),
    NEW: _FILE_PATH,
    PATCH: _FILE_PATH,
    APPEND: _FILE_PATH,
    DELETE: _FILE_PATH,
    COPY: _FROM_TO_PATHS,
    RENAME: _FROM_TO_PATHS,
}
WITHOUT_CONTENT = (COPY, RENAME, DELETE)
_SYNONYMS = {
    b"FILE_ADD": NEW,
    b"FILE_CREATE": NEW,
    b"FILE_WRITE": NEW,
    b"FILE_EDIT": PATCH,
    b"FILE_MODIFY": PATCH,
    b"FILE_UPDATE": PATCH,
    b"FILE_MOVE": RENAME,
    b"FILE_REMOVE": DELETE,
}
_ATTRIBUTE_SYNONYMS = {
    **dict.fromkeys((b"from", b"src", b"source", b"old", b"old_path"), b"from_path"),
    **dict.fromkeys((b"to", b"dst", b"dest", b"target", b"new", b"new_path"), b"to_path"),
}
"""The attributes that are probably meant by other names."""
KNOWN = line_start(TAG)
"""The lines that begin with a tag of this format."""
_TAG = re.compile(rb"([ \t]*)<(/?)[ \t]*([A-Za-z_][\w:-]*+)(.*)", re.DOTALL)
_ATTRIBUTE = re.compile(rb"\s*+([\w-]++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")
_LOOSE_ATTRIBUTE = re.compile(rb"(?<![\w-])([\w-]++)\s*+=\s*+(?:[\"'`]|\xe2\x80[\x98-\x9f])*+")
_QUOTE = re.compile(rb"[\"'`>]|\xe2\x80[\x98-\x9f]")
_END = re.compile(rb"\s*+(/?)\s*+>[ \t\r]*(.*)", re.DOTALL)
_MAX_ATTRIBUTES = 100
_MAX_MALFORMED = 1000
"""How many bytes of a malformed tag are examined to guess what was meant."""


class Tag(NamedTuple):
    """The tag at the beginning of a line.

    `rest` is the text after it. A tag that is not `well_formed` has the attributes that were
    probably meant.
    """

    name: bytes
    attributes: tuple[tuple[bytes, bytes], ...] = ()
    indent: bytes = b""
    closing: bool = False
    empty: bool = False
    rest: bytes = b""
    well_formed: bool = True

    @property
    def known(self) -> bool:
        """Whether this format has such a tag."""
        return self.name in _ATTRIBUTES

    @property
    def meant(self) -> bytes:
        """The name in this format that was probably meant; empty if there is none."""
        upper = self.name.upper()
        return upper if upper in _ATTRIBUTES else _SYNONYMS.get(upper, b"")

    @property
    def end(self) -> bytes:
        """The line that ends the element."""
        return self.indent + b"</" + self.name + b">"

    def corrected(self) -> bytes:
        """Return the tag in its correct spelling; `PATH` replaces a missing path."""
        name = self.meant
        if self.closing:
            return b"</" + name + b">"
        attributes, wanted = dict(self.attributes), _ATTRIBUTES[name]
        others = {key: value for key, value in self.attributes if key not in wanted}
        missing = [key for key in wanted if not attributes.get(key)]
        for key in missing:
            attributes[key] = b"".join(
                value for other, value in others.items() if _ATTRIBUTE_SYNONYMS.get(other) == key
            )
        if len(others) == len(missing) == 1 and not _ATTRIBUTE_SYNONYMS.keys() & others.keys():
            attributes[missing[0]] = next(iter(others.values()))
        parts = [name, *(key + b"=" + _quote(attributes.get(key) or b"PATH") for key in wanted)]
        return b"<" + b" ".join(parts) + (b" />" if name in WITHOUT_CONTENT else b">")


def _quote(value: bytes) -> bytes:
    return b"'" + value + b"'" if b'"' in value else b'"' + value + b'"'


def read_tag(line: bytes) -> Tag | None:
    """Parse the tag that `line` begins with, known or not; None if it begins with none."""
    match = _TAG.fullmatch(line)
    if match is None:
        return None
    indent, slash, name, rest = match.groups()
    attributes: list[tuple[bytes, bytes]] = []
    at = 0
    while len(attributes) < _MAX_ATTRIBUTES and (found := _ATTRIBUTE.match(rest, at)):
        attributes.append((found[1], found[2] if found[3] is None else found[3]))
        at = found.end()
    end = _END.fullmatch(rest, at)
    if end is None:
        attributes = _read_loosely(rest[:_MAX_MALFORMED])
        return Tag(name, tuple(attributes), indent, bool(slash), well_formed=False)
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
    """Parse attributes in malformed text: a value ends at its quote, at `>` or at the next name."""
    found = list(_LOOSE_ATTRIBUTE.finditer(text))
    attributes = []
    for at, match in enumerate(found):
        end = found[at + 1].start() if at + 1 < len(found) else len(text)
        value = _QUOTE.split(text[match.end() : end], maxsplit=1)[0]
        attributes.append((match[1], value.strip().rstrip(b" /")))
    return attributes


def check_tag(scanner: Scanner, tag: Tag, number: int) -> bool:
    """Check `tag` of line `number`; False after an error."""
    wrong = _describe_error(tag)
    if wrong:
        corrected = tag.corrected() if tag.meant else b""
        suggestion = f"; did you mean `{visible(corrected)}`?" if corrected else ""
        scanner.error(wrong + suggestion, number)
    return not wrong


def _describe_error(tag: Tag) -> str:
    name, wanted = visible(tag.name), _ATTRIBUTES.get(tag.name)
    names = [key for key, _ in tag.attributes]
    if wanted is None:
        known = "" if tag.meant else ", which has " + visible(b", ".join(_ATTRIBUTES))
        return f"`{name}` is not a tag of this format{known}"
    if not tag.well_formed:
        return f"the tag `{name}` is malformed: it must be on one line, with its paths in quotes"
    unknown = next((key for key in names if key not in wanted), None)
    if unknown is not None:
        return f"`{name}` has no attribute `{visible(unknown)}`"
    if len(set(names)) < len(names):
        return f"`{name}` has the same attribute twice"
    missing = [key for key in wanted if not dict(tag.attributes).get(key, b"").strip()]
    if missing and not tag.closing:
        return f"`{name}` has no `{visible(missing[0])}`"
    if tag.rest:
        return f"`{visible(tag.rest)}` is beside a tag; a tag needs a line of its own"
    return ""


def path_attribute(tag: Tag, attribute: bytes = b"file_path") -> str:
    """Return the path in an attribute of a checked tag."""
    return os.fsdecode(dict(tag.attributes)[attribute].strip())
