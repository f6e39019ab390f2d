"""Where a file has prose, in which letter case and final punctuation are loose (D14, D100).

Code is not prose: `foo()` is not `foo()?`, and `Do` is not `do`. Prose is

    a document        by its name, such as `README` or `notes.md`, but for its blocks of code; not
                      if it begins with `#!`, as a script `install` does
    a comment         by the marks of the file's language, also after code on the same line
    a docstring       by its position: after a line that opens a block, or first in the file

What is doubtful is code: there a difference refuses a hunk, where in prose it would be tolerated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from git_opatch.model.languages import BLOCK_COMMENTS, HASH, SLASHES, comment_marks, kind_of
from git_opatch.model.paths import is_document

_MARKS_OF_ANY = (b"# ", SLASHES, b"<!--")
"""What begins a comment that is a whole line, where the language is not known."""

_NOT_A_COMMENT = (b"#!", b"#[", b"#{")
_DOCSTRING = re.compile(rb'[rRuU]?("""|\'\'\')')
_FENCE = re.compile(rb"`{3,}|~{3,}")
_QUOTES = b"\"'`"
_WORD = re.compile(rb"[(\"'`*_]*[A-Za-z\x80-\xff][A-Za-z\x80-\xff'-]*[)\"'`*_]*[.,;:!?]*")
_CODE_BLOCK = (b"    ", b"\t")
"""How a line of a document begins that Markdown takes for code, if it does not continue a list."""


class Prose:
    """What is prose in a file; `path` is its name, empty if it is not known."""

    def __init__(self, path: str, lines: Sequence[bytes]) -> None:
        kind = kind_of(path)
        self._marks = comment_marks(kind)
        is_script = bool(lines) and lines[0].startswith(b"#!")
        if is_script and not self._marks:
            self._marks = (HASH,)
        self.is_known = bool(self._marks)
        if is_document(path) and not is_script:
            self._positions = set(_document(lines))
        else:
            self._positions = set(_block_comments(lines, self._marks))
            if kind in ("py", "pyi"):
                self._positions.update(_docstrings(lines))

    def includes(self, position: int) -> bool:
        """Return whether the whole line at `position` is prose."""
        return position in self._positions

    def code_of(self, line: bytes) -> bytes:
        """Return `line` without the comment that it is, or ends with."""
        text = line.lstrip()
        if not self.is_known:
            return b"" if text.startswith(_MARKS_OF_ANY) else line
        if self._begins_comment(text):
            return b""
        at = self._comment_after_code(line)
        return line if at is None else line[:at]

    def _begins_comment(self, text: bytes) -> bool:
        return text.startswith(self._marks) and not text.startswith(_NOT_A_COMMENT)

    def _comment_after_code(self, line: bytes) -> int | None:
        """Return where a comment begins: after whitespace, and outside of quotes."""
        quote = 0
        escaped = False
        for at, character in enumerate(line):
            if escaped:
                escaped = False
            elif character == ord("\\"):
                escaped = True
            elif quote:
                quote = 0 if character == quote else quote
            elif character in _QUOTES:
                quote = character
            elif line[at - 1 : at] in (b" ", b"\t") and self._begins_comment(line[at:]):
                return at
        return None


def _document(lines: Sequence[bytes]) -> Iterator[int]:
    """Yield the positions of a document's lines, without those of its blocks of code."""
    fence = b""
    for position, line in enumerate(lines):
        found = _FENCE.match(line.strip())
        if fence:
            if found and found[0].startswith(fence):
                fence = b""
        elif found:
            fence = found[0]
        elif not line.startswith(_CODE_BLOCK) or _has_mostly_words(line):
            yield position


def _has_mostly_words(line: bytes) -> bool:
    parts = line.split()
    return 2 * sum(_WORD.fullmatch(part) is not None for part in parts) > len(parts)


def _block_comments(lines: Sequence[bytes], marks: Iterable[bytes]) -> Iterator[int]:
    """Yield the positions of the lines of comments that begin at the beginning of a line."""
    begins = tuple(mark for mark in marks if mark in BLOCK_COMMENTS)
    end = b""
    for position, line in enumerate(lines if begins else ()):
        text = line.strip()
        if not end:
            if not text.startswith(begins):
                continue
            begin = next(mark for mark in begins if text.startswith(mark))
            end, text = BLOCK_COMMENTS[begin], text[len(begin) :]
        _, closed, after = text.partition(end)
        if not after:
            yield position
        end = b"" if closed else end


def _docstrings(lines: Sequence[bytes]) -> Iterator[int]:
    """Yield the positions of the lines of Python's docstrings, not of other strings."""
    end, before = b"", b":"
    for position, line in enumerate(lines):
        text = line.strip()
        if not end:
            begin = _DOCSTRING.match(text) if before.endswith(b":") else None
            before = before if not text or text.startswith(HASH) else text
            if begin is None:
                continue
            end, text = begin[1], text[begin.end() :]
        _, closed, after = text.partition(end)
        if not after:
            yield position
        end = b"" if closed else end
