"""The lines of a file as bytes, and text that is safe to print.

Files and patches stay bytes from end to end, so that no encoding is ever guessed and every byte
that a hunk does not touch survives. Text is decoded only in `visible`, and only to be read by a
person.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

# Git's own test (buffer_is_binary in xdiff-interface.c): a NUL among the first bytes.
_BINARY_PROBE = 8000
_PIECE = 4000  # lines

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Text(NamedTuple):
    r"""The lines of a file, without their `\n`; a `\r` before it is part of the line.

    Lines end at `\n` alone: form feed, NEL and U+2028 are content, as in git.
    """

    lines: Sequence[bytes]
    final_newline: bool = True
    crlf: bool = False
    r"""True if a `\r` precedes every `\n` of the file, and so belongs to the line ending."""

    @classmethod
    def from_bytes(cls, data: bytes) -> Text:
        """Split `data` into lines; `to_bytes` returns the same bytes."""
        if not data:
            return cls([])
        lines = data.split(b"\n")
        final_newline = not lines[-1]
        if final_newline:
            lines.pop()
        newlines = len(lines) - (not final_newline)
        # the first line nearly always decides; to count takes as long as to split
        crlf = lines[0].endswith(b"\r") and 0 < newlines == data.count(b"\r\n")
        return cls(lines, final_newline, crlf)

    @classmethod
    def from_lines(cls, lines: Sequence[bytes], final_newline: bool = True) -> Text:
        """The text of `lines`, equal to what `from_bytes` returns for its bytes."""
        if not final_newline and lines and not lines[-1]:
            lines, final_newline = lines[:-1], True
        ended = lines if final_newline else lines[:-1]
        crlf = bool(ended) and all(line.endswith(b"\r") for line in ended)
        return cls(lines, final_newline or not lines, crlf)

    def to_bytes(self) -> bytes:
        """Join the lines to the file's bytes."""
        return b"".join(self.pieces())

    def pieces(self) -> Iterator[bytes]:
        """Yield the file's bytes in pieces that fit a processor's cache."""
        terminated = self._terminated
        for at in range(0, len(terminated), _PIECE):
            yield b"\n".join((*terminated[at : at + _PIECE], b""))
        yield from self.lines[len(terminated) :]

    @property
    def size(self) -> int:
        """The number of bytes of the file."""
        return sum(map(len, self.lines)) + len(self._terminated)

    @property
    def _terminated(self) -> Sequence[bytes]:
        """The lines that end with a newline."""
        return self.lines if self.final_newline else self.lines[:-1]

    @property
    def binary(self) -> bool:
        """Whether git would call it binary."""
        return is_binary(b"\n".join(self.lines[:_BINARY_PROBE]))

    def has_newline(self, index: int) -> bool:
        """Return whether the line at `index` (from 0) ends with a newline."""
        return self.final_newline or index < len(self.lines) - 1


def is_binary(data: bytes) -> bool:
    """Return whether git would call `data` binary."""
    return b"\0" in data[:_BINARY_PROBE]


def without_cr(line: bytes) -> bytes:
    r"""`line` without one final `\r`."""
    return line[:-1] if line.endswith(b"\r") else line


def indentation(line: bytes) -> bytes:
    """The tabs and spaces that `line` begins with."""
    return line[: len(line) - len(line.lstrip(b" \t"))]


def common_length(first: Sequence[object], second: Sequence[object]) -> int:
    """Return how many bytes, characters or lines `first` and `second` begin with in common."""
    low, high = 0, min(len(first), len(second))
    while low < high:  # all before `low` is in common
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def visible(value: bytes | str, most: int = 300) -> str:
    """Make `value` safe to print: what a terminal would obey becomes a backslash escape.

    That is control characters, bidirectional marks, unusual spaces and bytes that are not UTF-8;
    tabs and printable text stay. Text longer than `most` characters is cut, with an ellipsis.
    """
    if isinstance(value, bytes):
        is_cut = len(value) > 4 * most
        text = value[: 4 * most + 4].decode("utf-8", "backslashreplace")
    else:
        is_cut, text = False, value[: most + 1]
    shown = text[:most]
    if not shown.isprintable():
        shown = "".join(map(_escape, shown))
    return shown + "…" if is_cut or len(text) > most else shown


def visible_difference(one: bytes | str, other: bytes | str, most: int = 300) -> tuple[str, str]:
    """Make two lines safe to print, so that what is shown of both has their first difference.

    Where they share more than two thirds of `most` characters, the beginning is left out.
    """
    shared = common_length(one, other)
    first = shared - most // 3 if shared > most * 2 // 3 else 0
    return _visible_from(one, first, most), _visible_from(other, first, most)


def _visible_from(line: bytes | str, first: int, most: int) -> str:
    if isinstance(line, bytes):
        while first and line[first : first + 1] and line[first] & 0xC0 == 0x80:
            first -= 1  # not inside a character
    return "…" + visible(line[first:], most) if first else visible(line, most)


def _escape(character: str) -> str:
    if character == "\t" or character.isprintable():
        return character
    if "\udc80" <= character <= "\udcff":  # a byte that is not UTF-8, in a path
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")
