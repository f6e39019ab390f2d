"""The table of formats and wrappers: how each begins and ends. No other module lists them.

    a format's package      `parser.py` has `starts(scanner)` and `parse(scanner)`
    a wrapper's package     `parser.py` has `unwrap(scanner)`

`starts` tells whether a patch begins at the next line, and `parse` takes it and adds its sections.
`unwrap` takes what is wrapped and returns scanners over it; None, with nothing taken, if no
wrapper begins here. A format whose patches are objects of JSON has `objects.py`, with
`read(reader, members, at, name)`: scanners over what the object asks for, or None if it is not one;
and its lines say whose they are (`Lines.made_for`). Parsers are imported on demand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

from git_opatch.model.options import Format
from git_opatch.parse import envelope
from git_opatch.parse.file_changes import CONTAINER, TAG
from git_opatch.parse.lines import line_start
from git_opatch.parse.scanner import Scanner
from git_opatch.parse.wrappers import mail, shell

_PACKAGE = "git_opatch.parse."


class Row(NamedTuple):
    """A format or a wrapper. Patterns match at the start of a line, after its indentation."""

    package: str
    """The package, below `parse`."""
    begins: bytes
    """Every line that may begin it; the parser decides."""
    opens: bytes = b""
    """Lines that begin it beyond doubt, also where they are quoted or in a string."""
    ends: bytes = b""
    """Lines that end it, whole, where it has an end of its own; in any letter case."""
    marks: tuple[bytes, ...] = ()
    """The exact first and last line, where these can be nothing else."""
    markers: bytes = b""
    """Text that only its markers have, also those between the first and the last line."""
    in_json: bool = False
    """Whether a patch of it is an object of JSON, which its `objects` reads."""


DIFF_GIT = b"diff --git "
"""How git begins the diff of a file."""
HUNK_START = rb"@@"
_ENVELOPE_MARKER = rb"\*{2,}[ \t]*(?i:begin|end|add|update|delete|move)\b"
# A bare string must have an escape, since a patch has more than one line.
JSON = rb'\{\s*+["\']|\[\s*+["\'\[{]|"(?:' + _ENVELOPE_MARKER + rb'|[^"\\\r\n]*+\\)'
"""How JSON begins that can hold an object of a format, or a string with a patch."""

# A beginning of a block may be a near miss of a marker (see `search_replace.diagnose`). The last
# alternative includes a newline: it matches in a whole text, never in a single line, which may be
# the end of a diff. A tag in lower case is a near miss; the path shows that a tag was meant.
FORMATS: dict[Format, Row] = {
    Format.ENVELOPE: Row(
        "envelope",
        rb"\*{2,}[ \t\f\v]*[A-Za-z]",
        envelope.BEGIN,
        envelope.END + envelope.CLOSING,
        (b"*** Begin Patch", b"*** End Patch"),
        _ENVELOPE_MARKER,
    ),
    Format.UNIFIED: Row(
        "unified",
        DIFF_GIT + rb"|--- |diff [^\n]*\t\(rejected hunks\)",
        DIFF_GIT + rb"|--- (?:[ab]/|/dev/null)",
    ),
    Format.SEARCH_REPLACE: Row(
        "search_replace",
        rb"(?:<{5,9}|-{5,9})[ \t]*(?i:SEARCH)\b|(?:>{5,9}|\+{5,9})[ \t]*(?i:REPLACE)\b"
        rb"|(?<![ \t])<{4,}[ \t]*\w[^\n]*\n",
        rb"<{5,9} ?SEARCH\b",
        marks=(b"<<<<<<< SEARCH", b">>>>>>> REPLACE"),
    ),
    Format.FILE_CHANGES: Row(
        "file_changes",
        TAG + rb"|<file_[a-z]+[ \t]+(?:file|from)_path[ \t]*=",
        rb"<" + CONTAINER,
        rb"</" + CONTAINER + rb">\s*",
        (b"<" + CONTAINER + b">", b"</" + CONTAINER + b">"),
    ),
    Format.OPERATIONS: Row("json_operations", JSON, in_json=True),
    Format.STRING_REPLACE: Row("string_replace", JSON, in_json=True),
}
NO_BEGINNING = (
    ": no line begins one, such as `*** Begin Patch` or `--- a/PATH` (how patches are written: "
    "git opatch prompt)"
)
"""Why a text has no patch, where nothing more is known."""
NO_OBJECT = (
    ": the JSON has neither an operation (`type`, `path` and `diff`) nor an edit (`file_path`, "
    "`old_string` and `new_string`); how these are written: git opatch prompt --format operations, "
    "or git opatch prompt --format string-replace"
)
"""Why JSON has no patch."""
_FENCE = rb"```|~~~"
UNSUPPORTED = rb"\*{15}|\+\+\+ "
"""How lines of diffs in an unsupported format begin (`unified.unsupported`)."""


def _union(*patterns: bytes) -> bytes:
    return rb"(?:" + rb"|".join(dict.fromkeys(filter(None, patterns))) + rb")"


def _begins(rows: Iterable[Row]) -> Iterator[bytes]:
    return (row.begins for row in rows)


OPENING = _union(*(row.opens for row in FORMATS.values()))
"""A line that begins a patch of any format beyond doubt, without its indentation."""
ENDING = _union(*(row.ends for row in FORMATS.values()))
"""A line, whole, that ends a patch of a format which has one, without its indentation."""
PATCH = _union(HUNK_START, *_begins(FORMATS.values()))
"""A line that may begin a patch of any format, or a hunk, without its indentation."""
MARKERS = _union(*(row.markers for row in FORMATS.values()))
"""Text that only markers of a patch have."""
MARKS = _union(*(re.escape(mark) for row in FORMATS.values() for mark in row.marks))
"""The exact first and last lines of patches that have such lines."""

_WRAPPERS = (
    Row("json_operations", JSON),
    Row("wrappers.indentation", rb"(?<=[ \t])" + _union(OPENING, rb"--- ")),
    Row("wrappers.shell", shell.HINT),
    Row("wrappers.mail", mail.HINT),
)
"""Fences are not in the list: they change the state of the scanner, and have no inner text."""

NAMED_BEGINNING = rb"[ \t]*" + _union(
    HUNK_START,
    DIFF_GIT,
    *_begins(row for row in FORMATS.values() if row is not FORMATS[Format.UNIFIED]),
    *_begins(_WRAPPERS),
)
"""A line in a fence which shows that there is more than a diff without names."""


# Prose, which may be long, is skipped by one pattern before it is split into lines. That takes
# a while to compile, and a patch alone does not need it.
@cache
def beginning() -> re.Pattern[bytes]:
    """Return the pattern of `line_start` for what may begin a patch, a wrapper, or part of one."""
    return line_start(_union(PATCH, *_begins(_WRAPPERS), _FENCE, UNSUPPORTED))


def begins(*formats: Format) -> bytes:
    """Return the pattern of lines that may begin a patch of `formats`."""
    return _union(*_begins(FORMATS[name] for name in formats))


def find_format(scanner: Scanner, formats: Iterable[Format]) -> Format | None:
    """Return which of the formats a patch at the next line has; None if none begins there."""
    if (own := scanner.lines.made_for) is not None:
        return own if own in formats else None
    return next(
        (
            name
            for name in formats
            if not FORMATS[name].in_json
            and _may_begin(scanner, FORMATS[name])
            and parser_of(name).starts(scanner)
        ),
        None,
    )


def unwrap(scanner: Scanner) -> Iterable[Scanner] | None:
    """Take the wrapper that begins at the next line; None, with nothing taken, if none does."""
    if scanner.lines.made_for is not None:
        return None
    for wrapper in _WRAPPERS:
        if _may_begin(scanner, wrapper):
            contents: Iterable[Scanner] | None = _module(wrapper, "parser").unwrap(scanner)
            if contents is not None:
                return contents
    return None


def _may_begin(scanner: Scanner, row: Row) -> bool:
    """Return whether `row` may begin at the next line, with or without its indentation."""
    pattern, start = _pattern(row), scanner.lines.offset(scanner.at)
    return pattern.match(scanner.lines.raw, start) is not None or (
        scanner.dedent is not None and pattern.match(scanner.line + b"\n") is not None
    )


@cache
def _pattern(row: Row) -> re.Pattern[bytes]:
    return re.compile(rb"[ \t\r\f\v]*(?:" + row.begins + rb")")


def parser_of(name: Format) -> ModuleType:
    """Import the parser of a format."""
    return _module(FORMATS[name], "parser")


def object_readers() -> Iterator[ModuleType]:
    """Import the modules that read objects of JSON, in the order of the table."""
    return (_module(row, "objects") for row in FORMATS.values() if row.in_json)


# To import one takes as long as to parse a small patch, and a text needs one or two.
@cache
def _module(row: Row, name: str) -> ModuleType:
    return import_module(f"{_PACKAGE}{row.package}.{name}")
