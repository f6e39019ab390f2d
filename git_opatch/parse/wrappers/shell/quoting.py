r"""Unquote words as a POSIX shell does.

    'a b'    "a \"b\""    $'a\nb'    a\ b

Source: POSIX Shell Command Language, 2.2 "Quoting", and Bash's `$'…'` ("ANSI-C Quoting").
Nothing is expanded: in double quotes `$x` and `` `x` `` remain as they are.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from git_opatch.parse.lines import Lines

_SPAN = re.compile(
    rb"""'[^']*+'
    | \$'[^'\\]*+(?:\\.[^'\\]*+)*+'
    | "[^"\\]*+(?:\\.[^"\\]*+)*+"
    | \\.
    | [^\\'"$&|\n]++
    | (?:&&|\|)[ \t]*+\n
    | [&|]
    | \$(?!')
    | (?P<end>\n)""",
    re.DOTALL | re.VERBOSE,
)
_OPENS = re.compile(rb"<<-?[ \t]*['\"]\Z")
_BARE = re.compile(rb"\\(.)", re.DOTALL)
_DOUBLE = re.compile(rb'\\([$`"\\\n])')
_ANSI = re.compile(
    rb"\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9A-Fa-f]{1,2})"
    rb"|u([0-9A-Fa-f]{1,4})|U(000[0-9A-Fa-f]{5}|0010[0-9A-Fa-f]{4}))"
)
_NAMED = dict(zip(b"abeEfnrtv\\'\"?", b"\a\b\x1b\x1b\f\n\r\t\v\\'\"?", strict=True))


def split_spans(text: bytes) -> Iterator[bytes]:
    """Split a command into quoted strings and the text between them.

    The command ends at an unquoted newline, except after `&&` or `|`, or before a quote that is not
    closed.
    """
    at = 0
    while (match := _SPAN.match(text, at)) and match["end"] is None:
        yield match[0]
        at = match.end()


def is_quoted(span: bytes) -> bool:
    """Whether `span` is in quotes."""
    return span.startswith((b"'", b'"', b"$'"))


def has_stray_quotes(word: bytes) -> bool:
    r"""Whether quotes inside a quoted text seem to have ended it, as in `'a 'b' c'`.

    The idioms for a quote, `'\''` and `'"'"'`, and the delimiter of a heredoc in a script
    (`'cat <<'EOF'…'`) are not stray.
    """
    before, quoted = b"", any(map(is_quoted, split_spans(word)))
    for span in split_spans(word) if quoted else ():
        if is_quoted(span):
            if is_quoted(before) and before[-1:] == span[:1]:
                return True
        elif span not in (b"\\'", b"\\\n") and not _is_delimiter(before, span):
            return True
        before = span
    return False


def _is_delimiter(before: bytes, span: bytes) -> bool:
    return _OPENS.search(before) is not None and span.isalnum()


def unquote(word: bytes) -> tuple[bytes, Sequence[int]]:
    """Unquote `word`; return also for each line of the result its line in `word`, from 0."""
    result = _Unquoted()
    for span in split_spans(word):
        if span.startswith(b"'"):
            result.add_literal(span[1:-1])
        elif span.startswith(b'"'):
            result.add_escaped(span[1:-1], _DOUBLE)
        elif is_quoted(span):
            result.add_escaped(span[2:-1], _ANSI)
        else:
            result.add_escaped(span, _BARE)
    return bytes(result.text), result.lines


class _Unquoted:
    """The unquoted text of a word so far, and its lines."""

    def __init__(self) -> None:
        self.text, self._line = bytearray(), 0
        self._lines: array[int] | None = None
        """None as long as each line is one of what is read."""

    @property
    def lines(self) -> Sequence[int]:
        """For each line of the result, its line in the word."""
        return range(self._line + 1) if self._lines is None else self._lines

    def add_literal(self, text: bytes) -> None:
        """Add text without escapes."""
        first, self._line = self._line, self._line + text.count(b"\n")
        if self._lines is not None:
            self._lines.extend(range(first + 1, self._line + 1))
        self.text += text

    def add_escaped(self, text: bytes, escapes: re.Pattern[bytes]) -> None:
        """Add text in which `escapes` are replaced."""
        at = 0
        for escape in escapes.finditer(text):
            self.add_literal(text[at : escape.start()])
            replacement = _unescape(escape)
            self._break(replacement.count(b"\n"), escape[0].count(b"\n"))
            self.text += replacement
            at = escape.end()
        self.add_literal(text[at:])

    def _break(self, lines: int, read: int) -> None:
        """Begin `added` lines of the result where `read` lines of the word end."""
        if self._lines is None and (lines or read):
            self._lines = array("I", range(self._line + 1))
        if self._lines is not None:
            self._lines.extend([self._line] * lines)
        self._line += read


def _unescape(escape: re.Match[bytes]) -> bytes:
    if escape.re is not _ANSI:
        return b"" if escape[1] == b"\n" else escape[1]
    name, octal, byte, *points = escape.groups()
    if name:
        return bytes([_NAMED[name[0]]])
    if octal or byte:
        return bytes([int(octal, 8) & 0xFF if octal else int(byte, 16)])
    return chr(int(points[0] or points[1], 16)).encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class ArgumentLineNumbers:
    """The line numbers of an argument: those of the lines that it is written on."""

    lines: Lines
    first: int
    offsets: Sequence[int]

    def __getitem__(self, at: int, /) -> int:
        """The number of the line at `at`."""
        return self.lines.number(self.first + self.offsets[at])
