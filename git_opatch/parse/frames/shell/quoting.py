r"""Words as a POSIX shell quotes them, and what they say without their quotes.

Rules: POSIX Shell Command Language, 2.2 "Quoting", and Bash's `$'…'` ("ANSI-C Quoting").
Nothing is ever expanded: in double quotes `$x` and `` `x` `` stay as they are written.
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


def spans(text: bytes) -> Iterator[bytes]:
    """The quoted strings and what stands between them, up to where the command ends.

    That is an unquoted newline, but not after `&&` or `|`. What is quoted and not closed is
    not given: the spans then end before it.
    """
    at = 0
    while (match := _SPAN.match(text, at)) and match["end"] is None:
        yield match[0]
        at = match.end()


def is_quoted(span: bytes) -> bool:
    """Whether `span` stands in quotes."""
    return span.startswith((b"'", b'"', b"$'"))


def is_glued(word: bytes) -> bool:
    r"""Whether quotes inside a quoted text seem to have ended it, as in `'a 'b' c'`.

    The idioms for a quote, `'\''` and `'"'"'`, and the word of a heredoc in a script
    (`'cat <<'EOF'…'`), say what was meant.
    """
    before, quoted = b"", any(map(is_quoted, spans(word)))
    for span in spans(word) if quoted else ():
        if is_quoted(span):
            if is_quoted(before) and before[-1:] == span[:1]:
                return True
        elif span not in (b"\\'", b"\\\n") and not _is_delimiter(before, span):
            return True
        before = span
    return False


def _is_delimiter(before: bytes, span: bytes) -> bool:
    return _OPENS.search(before) is not None and span.isalnum()


def unquoted(word: bytes) -> tuple[bytes, Sequence[int]]:
    """What `word` says, and for each line of that the line of `word` it begins on, from 0."""
    said = _Said()
    for span in spans(word):
        if span.startswith(b"'"):
            said.literally(span[1:-1])
        elif span.startswith(b'"'):
            said.escaped(span[1:-1], _DOUBLE)
        elif is_quoted(span):
            said.escaped(span[2:-1], _ANSI)
        else:
            said.escaped(span, _BARE)
    return bytes(said.text), said.lines


class _Said:
    """What a word says, as far as it is read."""

    def __init__(self) -> None:
        self.text, self._line = bytearray(), 0
        self._lines: array[int] | None = None
        """None as long as each line is one of what is read."""

    @property
    def lines(self) -> Sequence[int]:
        """For each line of the text the one of what is read that it begins on."""
        return range(self._line + 1) if self._lines is None else self._lines

    def literally(self, text: bytes) -> None:
        """Add text that means itself."""
        first, self._line = self._line, self._line + text.count(b"\n")
        if self._lines is not None:
            self._lines.extend(range(first + 1, self._line + 1))
        self.text += text

    def escaped(self, text: bytes, escapes: re.Pattern[bytes]) -> None:
        """Add text in which `escapes` mean something else."""
        at = 0
        for escape in escapes.finditer(text):
            self.literally(text[at : escape.start()])
            meant = _meant(escape)
            self._break(meant.count(b"\n"), escape[0].count(b"\n"))
            self.text += meant
            at = escape.end()
        self.literally(text[at:])

    def _break(self, lines: int, read: int) -> None:
        """Begin so many lines where so many are read."""
        if self._lines is None and (lines or read):
            self._lines = array("I", range(self._line + 1))
        if self._lines is not None:
            self._lines.extend([self._line] * lines)
        self._line += read


def _meant(escape: re.Match[bytes]) -> bytes:
    if escape.re is not _ANSI:
        return b"" if escape[1] == b"\n" else escape[1]
    name, octal, byte, *points = escape.groups()
    if name:
        return bytes([_NAMED[name[0]]])
    if octal or byte:
        return bytes([int(octal, 8) & 0xFF if octal else int(byte, 16)])
    return chr(int(points[0] or points[1], 16)).encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class NumbersIn:
    """The numbers of lines that were written in `lines`, so many lines below that at `first`."""

    lines: Lines
    first: int
    offsets: Sequence[int]

    def __getitem__(self, at: int, /) -> int:
        """The number of the line at `at`."""
        return self.lines.number(self.first + self.offsets[at])
