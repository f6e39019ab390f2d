"""Make the lines of hunks from lines of the text.

+text       an added line
an empty line of context, which lost its space
"""

from __future__ import annotations

import re

from git_opatch.model.patch import Line, Prefix
from git_opatch.model.text import without_cr
from git_opatch.parse.scanner import Scanner

_PREFIXES = {b"": Prefix.CONTEXT, **{prefix.value.encode(): prefix for prefix in Prefix}}


def parse_line(text: bytes, number: int) -> Line | None:
    """Parse line `number` of the text, a line of a hunk; None if it has no prefix.

    An empty line is context.
    """
    prefix = _PREFIXES.get(text[:1])
    if prefix is None:
        return Line(Prefix.CONTEXT, text, True, number) if text == b"\r" else None
    return Line(prefix, text[1:], True, number)


def take_lines(scanner: Scanner, pattern: re.Pattern[bytes]) -> list[Line]:
    """Take and parse the lines that `pattern` matches: whole lines, empty or with a prefix.

    None is taken where something was put before each line.
    """
    if scanner.dedent is not None:
        return []
    lines, start, end = scanner.lines, scanner.at, scanner.lines.offset(scanner.end)
    match = pattern.match(lines.raw, lines.offset(start), end)
    texts = match[0].split(b"\n")[:-1] if match else []
    if lines.crlf:
        texts = list(map(without_cr, texts))
    scanner.at += len(texts)
    # `Line(…)` takes twice as long, and no other step is done for each line.
    make, numbers = tuple.__new__, lines.numbers(start, scanner.at)
    return [
        make(Line, (_PREFIXES[text[:1]], text[1:], True, number, True))
        for text, number in zip(texts, numbers, strict=True)
    ]


def context_without_prefix(text: bytes, number: int) -> Line:
    """Return line `number` of the text as a context line that lost its prefix."""
    return Line(Prefix.CONTEXT, text, number=number, has_prefix=False)


def make_lines(scanner: Scanner, at: int, stop: int, prefix: Prefix) -> list[Line]:
    """Make lines with `prefix` from those at the positions from `at` up to `stop`."""
    make, texts = tuple.__new__, map(scanner.line_at, range(at, stop))
    numbers = scanner.lines.numbers(at, stop)
    return [
        make(Line, (prefix, text, True, number, True))
        for text, number in zip(texts, numbers, strict=True)
    ]


def without_newline(line: Line) -> Line:
    r"""Return `line` as `\ No newline at end of file` below it says."""
    return line._replace(newline=False)
