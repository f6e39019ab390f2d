"""Bytes to lines, and bytes to what a user may see.

Files and patches stay bytes from end to end, so that no encoding is ever guessed
and every byte that a hunk does not touch survives. Text is decoded in one place
only, `visible`, and only to be read by a person.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

# Git's own test (buffer_is_binary in xdiff-interface.c): a NUL among the first bytes.
_BINARY_PROBE = 8000
_PIECE = 4000  # lines

_OPEN = (b"(", b"[", b"{", b":", b",", b"\\")

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Text(NamedTuple):
    r"""The lines of a file, without their `\n`; a `\r` before it is part of the line.

    Lines end at `\n` alone: form feed, NEL and U+2028 are content, as they are to git.
    """

    lines: Sequence[bytes]
    final_newline: bool = True
    crlf: bool = False
    r"""True when every `\n` of the file is preceded by `\r`: the ending is framing."""

    @classmethod
    def from_bytes(cls, data: bytes) -> Text:
        """Split `data` into lines; `to_bytes` gives back the very same bytes."""
        if not data:
            return cls([])
        lines = data.split(b"\n")
        final_newline = not lines[-1]
        if final_newline:
            lines.pop()
        newlines = len(lines) - (not final_newline)
        # the first line tells nearly always; to count takes as long as to split
        framed = lines[0].endswith(b"\r") and 0 < newlines == data.count(b"\r\n")
        return cls(lines, final_newline, framed)

    @classmethod
    def from_lines(cls, lines: Sequence[bytes], final_newline: bool = True) -> Text:
        """The text of `lines`; what `from_bytes` would give for its bytes."""
        if not final_newline and lines and not lines[-1]:
            lines, final_newline = lines[:-1], True
        ended = lines if final_newline else lines[:-1]
        crlf = bool(ended) and all(line.endswith(b"\r") for line in ended)
        return cls(lines, final_newline or not lines, crlf)

    def to_bytes(self) -> bytes:
        """The file's bytes."""
        return b"".join(self.pieces())

    def pieces(self) -> Iterator[bytes]:
        """The file's bytes in pieces that fit a processor's cache."""
        ended = self._ended
        for at in range(0, len(ended), _PIECE):
            yield b"\n".join((*ended[at : at + _PIECE], b""))
        yield from self.lines[len(ended) :]

    @property
    def size(self) -> int:
        """How many bytes the file has."""
        return sum(map(len, self.lines)) + len(self._ended)

    @property
    def _ended(self) -> Sequence[bytes]:
        """The lines that a newline ends."""
        return self.lines if self.final_newline else self.lines[:-1]

    @property
    def binary(self) -> bool:
        """Whether git would call it binary."""
        return is_binary(b"\n".join(self.lines[:_BINARY_PROBE]))

    def has_newline(self, index: int) -> bool:
        """Whether the line at `index` (from 0) is ended by a newline."""
        return self.final_newline or index < len(self.lines) - 1


def is_binary(data: bytes) -> bool:
    """Whether git would call `data` binary."""
    return b"\0" in data[:_BINARY_PROBE]


def without_cr(line: bytes) -> bytes:
    r"""`line` without one final `\r`."""
    return line[:-1] if line.endswith(b"\r") else line


def indentation(line: bytes) -> bytes:
    """The tabs and blanks that `line` begins with."""
    return line[: len(line) - len(line.lstrip(b" \t"))]


def opens(line: bytes) -> bool:
    """Whether `line` ends with what opens a block, or joins the next line to it."""
    return line.rstrip().endswith(_OPEN)


def visible(value: bytes | str, most: int = 300) -> str:
    """`value` as it may be printed: what a terminal would obey is shown as an escape.

    Control characters, bidirectional marks, odd blanks and bytes that are not UTF-8
    become backslash escapes; tabs and printable text stay. What is longer than `most`
    is cut, with an ellipsis.
    """
    if isinstance(value, bytes):
        longer = len(value) > 4 * most
        text = value[: 4 * most + 4].decode("utf-8", "backslashreplace")
    else:
        longer, text = False, value[: most + 1]
    shown = text[:most]
    if not shown.isprintable():
        shown = "".join(map(_escape, shown))
    return shown + "…" if longer or len(text) > most else shown


def _escape(character: str) -> str:
    if character == "\t" or character.isprintable():
        return character
    if "\udc80" <= character <= "\udcff":  # a byte that is not UTF-8, in a path
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")
