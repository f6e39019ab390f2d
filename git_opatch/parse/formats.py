"""The table of formats and wrappers: how each begins and ends. No other module lists them.

    a format's module       `starts(scanner)` and `parse(scanner)`
    a wrapper's module      `unwrap(scanner)`

`starts` tells whether a patch begins at the next line, and `parse` takes it and adds its sections.
`unwrap` takes what is wrapped and returns scanners over it; None, with nothing taken, if no
wrapper begins here. Objects of JSON, which are patches of two formats, are read by `json_calls`,
which adds their sections itself. Modules are imported on demand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

from git_opatch.model.options import Format
from git_opatch.parse.scanner import Scanner, line_start

DIFF_GIT = b"diff --git "
"""How git begins the diff of a file."""
HUNK_START = rb"@@"
# The first and last line of an envelope are read alike in every wrapper: letter case, the number
# of asterisks from two on, and spaces do not matter (D59). A Markdown formatter makes one of them
# an underscore: `**_ Begin Patch`, `_** End Patch`.
STARS = rb"(?:\*{2,}_?|_\*{2,})"
BEGIN = STARS + rb"[ \t\f\v]*(?i:begin)[ \t\f\v]+(?i:patch)\b"
"""How the first line of an envelope begins, without its indentation."""
END = STARS + rb"[ \t\f\v]*(?i:end)[ \t\f\v]+(?i:(?:of[ \t\f\v]+)?patch)\b"
"""How the last line of an envelope begins, without its indentation."""
_TOKEN = rb"</s>|<\|(?:im_end|end|call|return|eot_id|endoftext)\|>"
"""What ends the answer of a model, where a server leaves it in the text."""
CLOSING = rb"(?:[\s:*_]|" + _TOKEN + rb")*"
"""What may follow on either line."""
_ENVELOPE_MARKER = STARS + rb"[ \t]*(?i:begin|end|add|update|delete|move)\b"
CONTAINER = b"FILE_CHANGES"
TAG = rb"</?[ \t]*(?:FILE_(?:CHANGES|NEW|PATCH|APPEND|COPY|RENAME|DELETE))(?![A-Z_a-z0-9-])"
"""A tag of FILE_CHANGES, up to the end of its name."""
# A bare string must have an escape, since a patch has more than one line.
JSON = rb'\{\s*+["\']|\[\s*+["\'\[{]|"(?:' + _ENVELOPE_MARKER + rb'|[^"\\\r\n]*+\\)'
"""How JSON begins that can hold an object of a format, or a string with a patch."""
_PATH = rb"(?:[./~][^\s'\"]{0,200}/)?"
NAME = _PATH + rb"apply[_-]?patch"
"""The program that applies a patch, as models spell it."""
SHELL = _PATH + rb"(?:bash|sh|zsh|dash)"
SHELL_COMMAND = (  # sentences begin with a capital letter, as commands hardly ever do
    rb"(?:(?:cd|cat|echo|git|patch|printf|" + SHELL + rb"|" + NAME + rb")[ \t<]"
    rb"|(?:[a-z_./~(]|(?=<<-?['\"\\\w])|[A-Z_][A-Z_0-9]*+=)"
    rb"(?:(?>[^\n]*?<<)-?[ \t]*+['\"\\\w]"
    rb"|[^\n]*?(?<!\w)apply[_-]?patch[ \t]+\$?['\"]))"
)
"""How a line of shell begins that may apply a patch, or have a heredoc."""


_GLUED = re.compile(
    rb"(?<=[^\s'\"`])[ \t]*+(\*{3} End Patch|(?:assistant[ \t]*)?to=functions\.\w.*|"
    + _TOKEN
    + rb")[\s*]*\Z"
)
_MAX_GLUED = 400
DRAFT = rb"think(?:ing)?|reasoning|reflection|scratchpad"
"""The names of the tags around what a model thinks before it answers."""
DRAFT_END = rb"(?:(?![+-]\S)[^\n<`]*+(?<=[^\s'\"]))?</(?:" + DRAFT + rb")>"
"""The end of such a draft, at the beginning of a line or behind a sentence."""


class Row(NamedTuple):
    """A format or a wrapper. Patterns match at the start of a line, after its indentation."""

    module: str
    begins: bytes
    """Every line that may begin it; the module decides."""
    opens: bytes = b""
    """Lines that begin it beyond doubt, also where they are quoted or in a string."""
    ends: bytes = b""
    """Lines that end it, whole, where it has an end of its own; in any letter case."""
    marks: tuple[bytes, ...] = ()
    """The exact first and last line, where these can be nothing else."""
    markers: bytes = b""
    """Text that only its markers have, also those between the first and the last line."""
    in_json: bool = False
    """Whether a patch of it is an object of JSON."""


# A beginning of a block may be a near miss of a marker (see `search_replace`). The last
# alternative includes a newline: it matches in a whole text, never in a single line, which may be
# the end of a diff. A tag in lower case is a near miss; the path shows that a tag was meant.
FORMATS: dict[Format, Row] = {
    Format.ENVELOPE: Row(
        "envelope",
        STARS + rb"[ \t\f\v]*[A-Za-z]",
        BEGIN,
        END + CLOSING,
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
        rb"|<{5,9} ?ORIGINAL\b|>{5,9} ?UPDATED\b"
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
    Format.OPERATIONS: Row("json_calls", JSON, in_json=True),
    Format.STRING_REPLACE: Row("json_calls", JSON, in_json=True),
}
_FENCE = rb"```|~~~"
UNSUPPORTED = rb"\*{15}|\+\+\+ "
"""How lines of diffs in an unsupported format begin."""


def _union(*patterns: bytes) -> bytes:
    return rb"(?:" + rb"|".join(dict.fromkeys(filter(None, patterns))) + rb")"


def glued_end(line: bytes) -> re.Match[bytes] | None:
    """Find the end of a patch, or of an answer, that is glued to the text of a line."""
    match = _GLUED.search(line, max(len(line) - _MAX_GLUED, 0))
    is_html = match is not None and match[1] == b"</s>" and b"<s>" in line
    return None if is_html else match


def begins(*formats: Format) -> bytes:
    """Return the pattern of lines that may begin a patch of `formats`."""
    return _union(*(FORMATS[name].begins for name in formats))


OPENING = _union(*(row.opens for row in FORMATS.values()))
"""A line that begins a patch of any format beyond doubt, without its indentation."""
ENDING = _union(*(row.ends for row in FORMATS.values()))
"""A line, whole, that ends a patch of a format which has one, without its indentation."""
PATCH = _union(HUNK_START, *(row.begins for row in FORMATS.values()))
"""A line that may begin a patch of any format, or a hunk, without its indentation."""
MARKERS = _union(*(row.markers for row in FORMATS.values()))
"""Text that only markers of a patch have."""
MARKS = _union(*(re.escape(mark) for row in FORMATS.values() for mark in row.marks))
"""The exact first and last lines of patches that have such lines."""

_WRAPPERS = (
    Row("draft", rb"<(?:" + DRAFT + rb")>|" + DRAFT_END),
    Row("json_calls", JSON),
    Row(
        "raw_calls",
        rb"<tool_call|<function=|<invoke name=|<\|[a-z_]+\|>|\[TOOL_CALLS\]|functions\.",
    ),
    Row("prose", rb"(?<=[ \t])" + _union(OPENING, rb"--- ")),
    Row("shell", rb"(?:[$#%][ \t]+)?" + SHELL_COMMAND),
    Row("mail", rb"From \S+ [A-Z][a-z]{2} [A-Z][a-z]{2} "),
)
"""Fences are not in the list: they change the state of the scanner, and have no inner text."""
_WRAPPED = _union(*(row.begins for row in _WRAPPERS))

NAMED_BEGINNING = rb"[ \t]*" + _union(
    HUNK_START,
    DIFF_GIT,
    *(row.begins for name, row in FORMATS.items() if name is not Format.UNIFIED),
    _WRAPPED,
)
"""A line in a fence which shows that there is more than a diff without names."""


# Prose, which may be long, is skipped by one pattern before it is split into lines. That takes
# a while to compile, and a patch alone does not need it.
@cache
def beginning() -> re.Pattern[bytes]:
    """Return the pattern of `line_start` for what may begin a patch, a wrapper, or part of one."""
    return line_start(_union(PATCH, _WRAPPED, _FENCE, UNSUPPORTED))


def find_format(scanner: Scanner, formats: Iterable[Format] = FORMATS) -> Format | None:
    """Return which of the formats a patch at the next line has; None if none begins there."""
    for name in formats:
        row = FORMATS[name]
        if not row.in_json and _may_begin(scanner, row) and parser_of(name).starts(scanner):
            return name
    return None


def find_patch(scanner: Scanner) -> Format | None:
    """Move to the next line that begins a patch that is not JSON, and return its format; None at
    the end."""
    found = (find_format(scanner) for _ in scanner.seek(beginning()))
    return next(filter(None, found), None)


def unwrap(scanner: Scanner) -> Iterable[Scanner] | None:
    """Take the wrapper that begins at the next line; None, with nothing taken, if none does."""
    for row in _WRAPPERS:
        if _may_begin(scanner, row):
            contents: Iterable[Scanner] | None = _module(row.module).unwrap(scanner)
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
    """Import the module of a format."""
    return _module(FORMATS[name].module)


# To import one takes as long as to parse a small patch, and a text needs one or two.
@cache
def _module(name: str) -> ModuleType:
    return import_module(f"git_opatch.parse.{name}")
