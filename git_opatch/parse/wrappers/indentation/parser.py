"""Text that is indented as a whole: a patch in a list item, or in an indented block of code.

    1. Then:

       --- a/a.py
       +++ b/a.py
       @@
       -one
       +two

Source: CommonMark, "List items" and "Indented code blocks". The block is the lines around the
beginning of the patch that are indented at least as that is, with the blank lines between them. It
is read without that indentation if the patch in it is then without an error, or has its own end in
the last line; otherwise the format reads the lines as they are. A line that may have lost its
indentation ends all of this (D181).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from git_opatch.model.options import Format
from git_opatch.model.text import indentation
from git_opatch.parse.formats import ENDING, FORMATS, MARKS, find_format, parser_of
from git_opatch.parse.lines import Lines
from git_opatch.parse.scanner import Scanner
from git_opatch.parse.wrappers.fence import HUNK_LINE, is_fence

_LAST_LINE = MARKS + rb"|(?i:" + ENDING + rb")"


@dataclass(frozen=True, slots=True)
class _LineNumbers:
    """The numbers of lines that begin at position `first` of `lines`."""

    lines: Lines
    first: int

    def __getitem__(self, at: int, /) -> int:
        """The number of the line at `at`."""
        return self.lines.number(self.first + at)


def unwrap(scanner: Scanner) -> list[Scanner] | None:
    """Take the indented block that has a patch here; None, with nothing taken, if it has none."""
    indent = indentation(scanner.line)
    if not indent or scanner.at < scanner.unindented_until:
        return None
    first, end = _first_of_block(scanner, indent), _end_of_block(scanner, indent)
    scanner.unindented_until = end
    texts = [scanner.line_at(at).removeprefix(indent) for at in range(first, end)]
    if not _is_whole(scanner, end, texts[-1]):
        return None
    lines = Lines(
        b"".join(text + b"\n" for text in texts), numbers=_LineNumbers(scanner.lines, first)
    )
    if not _holds_patch(lines, scanner.at - first):
        return None
    content = scanner.nested(lines)
    content.at, content.recorded = scanner.at - first, scanner.recorded
    scanner.at = end
    return [content]


def _first_of_block(scanner: Scanner, indent: bytes) -> int:
    """Return the position of the first line of this paragraph that is indented, too."""
    first = scanner.at
    while first and scanner.line_at(first - 1).strip():
        if not scanner.line_at(first - 1).startswith(indent):
            break
        first -= 1
    return first


def _end_of_block(scanner: Scanner, indent: bytes) -> int:
    """Return the position after the last line that is indented, without blank lines."""
    end = scanner.at + 1
    for at in range(end, scanner.end):
        line = scanner.line_at(at)
        if line.strip():
            if not line.startswith(indent) or (scanner.fence and is_fence(scanner, line)):
                break
            end = at + 1
    return end


def _is_whole(scanner: Scanner, end: int, last: bytes) -> bool:
    """Return whether no line below the block can belong to the patch in it, whose last line is
    `last`."""
    if end == scanner.end or (scanner.fence and is_fence(scanner, scanner.line_at(end))):
        return True
    if scanner.line_at(end).strip():
        return re.fullmatch(_LAST_LINE, last.rstrip()) is not None
    below = (scanner.line_at(at) for at in range(end, scanner.end))
    return re.match(HUNK_LINE, next(filter(bytes.strip, below), b"")) is None


def _holds_patch(lines: Lines, at: int) -> bool:
    """Return whether a patch begins at that position that has no error, or ends with the last
    line."""
    trial = Scanner(lines, at=at)
    found = find_format(trial, (name for name in Format if not FORMATS[name].in_json))
    if found is None:
        return False
    ends = FORMATS[found].ends
    if ends and re.fullmatch(rb"(?i)[ \t]*" + ends, lines[len(lines) - 1]):
        return True
    parser_of(found).parse(trial)
    return bool(trial.sections) and not trial.diagnostics
