"""How patches and wrappers begin and end: the table of all formats; and the fences around them.

    a format's module       `starts(scanner)` and `parse(scanner)`
    a wrapper's module      `read_…(scanner)`

`starts` tells whether a patch begins at the next line, and `parse` takes it and adds its sections.
`read_…` takes a wrapper and adds the sections of what is in it; False, with nothing taken, if none
begins here. Modules are imported on demand. Markers are read alike in every wrapper: letter case,
the number of asterisks from two on, and spaces do not matter (D59).
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

from git_opatch.model.options import Format
from git_opatch.model.sentences import Malformed
from git_opatch.model.text import visible
from git_opatch.parse.text import Scanner, line_start

DIFF_GIT = b"diff --git "
"""How git begins the diff of a file."""
STARS = rb"(?:\*{2,}_?|_\*{2,})"
"""A Markdown formatter makes one of them an underscore: `**_ Begin Patch`, `_** End Patch`."""
_TOKEN = rb"</s>|<\|(?:im_end|end|call|return|eot_id|endoftext)\|>"
"""What ends the answer of a model, where a server leaves it in the text."""
BEGIN = STARS + rb"[ \t\f\v]*(?i:begin)[ \t\f\v]+(?i:patch)\b"
END = STARS + rb"[ \t\f\v]*(?i:end)[ \t\f\v]+(?i:(?:of[ \t\f\v]+)?patch)\b"
_CLOSING = rb"(?:[\s:*_]|" + _TOKEN + rb")*"
"""What may follow on the first and on the last line of an envelope."""
_IS_BEGIN, _IS_END = (re.compile(rb"\s*+" + mark + _CLOSING) for mark in (BEGIN, END))
TAG = rb"</?[ \t]*(?:FILE_(?:CHANGES|NEW|PATCH|APPEND|COPY|RENAME|DELETE))(?![A-Z_a-z0-9-])"
"""A tag of FILE_CHANGES, up to the end of its name."""
_BLOCK = (
    rb"(?:<{5,9}|-{5,9})[ \t]*(?i:SEARCH)\b|(?:>{5,9}|\+{5,9})[ \t]*(?i:REPLACE)\b"
    rb"|<{5,9} ?ORIGINAL\b|>{5,9} ?UPDATED\b"
)
BLOCK = re.compile(_BLOCK)


class Syntax(NamedTuple):
    """How a format or a wrapper is written. Patterns match behind a line's indentation."""

    module: str
    """The module with `starts` and `parse`, or with `read_…`."""
    begins: bytes
    """Every line that may begin it; the module decides."""
    opens: bytes = b""
    """Lines that begin it beyond doubt, also where they are quoted or in a string."""
    ends: bytes = b""
    """Lines, whole, that end it, if it has an end of its own."""
    marks: bytes = b""
    """Its first and last line, where these can be nothing else."""
    markers: bytes = b""
    """Text that only its markers have, also those between the first and the last line."""


# The last alternative of a block includes a newline: it matches in a whole text, never in a single
# line, which may be the end of a diff. A tag in lower case is a near miss; its path shows that.
FORMATS = {
    Format.ENVELOPE: Syntax(
        "envelope",
        STARS + rb"[ \t\f\v]*[A-Za-z]",
        BEGIN,
        END + _CLOSING,
        rb"\*{3} Begin Patch|\*{3} End Patch",
        STARS + rb"[ \t]*(?i:begin|end|add|update|delete|move)\b",
    ),
    Format.UNIFIED: Syntax(
        "unified", DIFF_GIT + rb"|--- ", DIFF_GIT + rb"|--- (?:[ab]/|/dev/null)"
    ),
    Format.SEARCH_REPLACE: Syntax(
        "blocks",
        _BLOCK + rb"|(?<![ \t])<{4,}[ \t]*\w[^\n]*\n",
        rb"<{5,9} ?SEARCH\b",
        marks=rb"<{7} SEARCH|>{7} REPLACE",
    ),
    Format.FILE_CHANGES: Syntax(
        "tags",
        TAG + rb"|<file_[a-z]+[ \t]+(?:file|from)_path[ \t]*=",
        rb"<FILE_CHANGES",
        rb"(?i:</FILE_CHANGES>\s*)",
        rb"</?FILE_CHANGES>",
    ),
}
"""The formats of lines. Objects of JSON, which are two formats more, are read by `calls`."""


def _union(part: str) -> bytes:
    """Return the pattern for a part of any format's row."""
    return rb"|".join(filter(None, (getattr(row, part) for row in FORMATS.values())))


OPENS, ENDING, MARKS, MARKERS = map(_union, ("opens", "ends", "marks", "markers"))
OPENING = re.compile(OPENS)
DRAFT = rb"think(?:ing)?|reasoning|reflection|scratchpad"
"""The names of the tags around what a model thinks before it answers."""
DRAFT_END = rb"(?:(?![+-]\S)[^\n<`]*+(?<=[^\s'\"]))?</(?:" + DRAFT + rb")>"
"""The end of such a draft, at the beginning of a line or behind a sentence."""
OTHER_TAG = re.compile(
    FORMATS[Format.FILE_CHANGES].begins + rb"|" + _BLOCK + rb"|</?(?:" + DRAFT + rb")>"
)
# A bare string must have an escape, since a patch has more than one line.
JSON = rb'\{\s*+["\']|\[\s*+["\'\[{]|"(?:' + MARKERS + rb'|[^"\\\r\n]*+\\)'
_STRING = rb"(?<!\\)[\"'](?:\\[nrt]|\s)*(?:" + OPENS + rb")"
OLD = rb"[\"'](?:old_?(?:[sS]tring|[sS]tr|[tT]ext)|TargetContent)[\"']\s*+:"
MEANT = re.compile(
    rb"[\"'](?:create|update|delete)_file[\"']|[\"']apply_?patch|\"diff_hunk\":"
    rb"|[\"'](?:patch(?:Text)?|diff|file_text|new_source)[\"']\s*+:?\s*+\""
    rb"|[\"'](?:(?i:file_?path)|notebook_path|TargetFile)[\"']\s*+:|"
    + rb"|".join((OLD, _STRING, rb"(?<!\*)" + BEGIN))
)
"""Text that shows that JSON is meant to change a file."""
_KIND = rb'"type"\s*+:\s*+"(?:create|update|delete)_file"'
HELD = re.compile(
    _KIND + rb"|(?P<old>" + OLD + rb")|" + rb"|\n[ \t]*(?:".join((_STRING, OPENS)) + rb")"
)
"""What valid JSON holds that must not be dropped."""
UNREAD = re.compile(_KIND + rb"|" + OLD + rb"|" + _STRING + rb"[^\"'\n]*\\n")
"""What prose has of a call or of a patch in a string, behind other text on its line."""
_MAY_BE_CALL = re.compile(rb"[ \t]*+(?:" + JSON + rb")")
_PATH = rb"(?:[./~][^\s'\"]{0,200}/)?"
NAME = _PATH + rb"apply[_-]?patch"
"""The program that applies a patch, as models spell it."""
SHELL = _PATH + rb"(?:bash|sh|zsh|dash)"
COMMAND = (  # sentences begin with a capital letter, as commands hardly ever do
    rb"(?:(?:cd|cat|echo|git|patch|printf|" + SHELL + rb"|" + NAME + rb")[ \t<]"
    rb"|(?:[a-z_./~(]|(?=<<-?['\"\\\w])|[A-Z_][A-Z_0-9]*+=)"
    rb"(?:(?>[^\n]*?<<)-?[ \t]*+['\"\\\w]"
    rb"|[^\n]*?(?<!\w)apply[_-]?patch[ \t]+\$?['\"]))"
)
"""How a line of shell begins that may apply a patch, or have a heredoc."""
WRAPPERS = {
    "draft": Syntax("wrap", rb"<(?:" + DRAFT + rb")>|" + DRAFT_END),
    "calls": Syntax("calls", JSON),
    "raw_call": Syntax(
        "wrap",
        rb"<tool_call|<function=|<(?:\w+:)?invoke name=|<\|[a-z_]+\|>|\[TOOL_CALLS\]|functions\.",
    ),
    "message": Syntax("wrap", rb"(?:commit [0-9a-f]|# HG changeset patch|From: |Subject: )"),
    "indented": Syntax("wrap", rb"(?<=[ \t])(?:" + OPENS + rb"|--- )"),
    "shell": Syntax("shell", rb"(?:[$#%][ \t]+)?" + COMMAND),
    "mail": Syntax("wrap", rb"From \S+ [A-Z][a-z]{2} [A-Z][a-z]{2} "),
}
"""Each is read by `read_…` of its module. A fence is not one: it has no text of its own."""
LINES = re.compile(_union("begins"))
"""A line that may begin a patch of a format of lines."""
PATCH = re.compile(rb"@@|" + JSON + rb"|" + LINES.pattern)
"""A line that may begin a patch of any format, or a hunk."""
BEGINS = rb"|".join(row.begins for row in (*WRAPPERS.values(), *FORMATS.values()))
"""A line that may begin a wrapper or a patch."""
GLUED = re.compile(
    rb"(?<=[^\s'\"`])[ \t]*+(\*{3} End Patch|(?:assistant[ \t]*)?to=functions\.\w.*|"
    + _TOKEN
    + rb")[\s*]*\Z"
)
_FENCE = re.compile(rb"(?s)([ \t]*)(`{3,}|~{3,})(.*)")
Fence = tuple[bytes, bytes]
"""The characters of a fence, and the text after them."""
HUNK_LINE = re.compile(rb"\+(?:[^\s+]|\t| {4})|-(?:[^\s-]|\t| {4})")
"""A prefixed line that is neither a list item nor a rule of a document."""
_OTHER = re.compile(PATCH.pattern + rb"|---|diff |From ")
_SCRIPT = re.compile(
    rb"[ \t]*(?:[$%#][ \t]+|(?=[a-z_./~(]|[A-Z_][A-Z_0-9]*+=))"
    rb"(?!.*\w[.!?:,][ \t\r]*$)[^\n]*"
)
"""A line of a script that is a command: sentences begin with a capital letter, and end."""
MAIL = re.compile(rb"From \S+ [A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]?\d \d\d:\d\d:\d\d \d{4}\s*")
MAIL_HEADER = re.compile(rb"[A-Za-z][A-Za-z0-9-]*:")


# To compile this takes a while, and a patch alone does not need it.
@cache
def beginning() -> re.Pattern[bytes]:
    """Return what may begin a patch, a wrapper, or part of one."""
    return line_start(
        BEGINS + rb"|@@|```|~~~|---\xc2\xa0|\+\+\+\xc2\xa0|\*{3}(?: |\xc2\xa0)|\*{15}|\+\+\+ "
    )


NO_BREAK = re.compile(
    rb"(?:\*{3}(?: |\xc2\xa0)+(?i:begin|end|add|update|delete)(?=[^\n]*\xc2\xa0)|\*{3}\xc2\xa0+\w"
    rb"|(?:---|\+\+\+)\xc2\xa0(?=[^\n]*[./]))[^\n]*"
)
"""A marker or a header with a no-break space."""


@cache
def named() -> re.Pattern[bytes]:
    """Return the lines in a fence which show that there is more than a diff without names."""
    others = [row.begins for row in WRAPPERS.values()]
    others += [row.begins for name, row in FORMATS.items() if name is not Format.UNIFIED]
    return re.compile(rb"[ \t]*(?:@@|" + DIFF_GIT + rb"|" + rb"|".join(others) + rb")")


@cache
def pattern_of(begins: bytes) -> re.Pattern[bytes]:
    """Compile the beginning of a row, as it is at the start of a line."""
    return re.compile(rb"[ \t\r\f\v]*+(?:" + begins + rb")")


# To import one takes as long as to parse a small patch, and a text needs one or two.
@cache
def load(module: str) -> ModuleType:
    """Import the module of a row."""
    return import_module(f"git_opatch.parse.{module}")


def may_begin(scanner: Scanner, row: Syntax) -> bool:
    """Return whether a row may begin at the next line, as it was written or as it is read."""
    match, text = pattern_of(row.begins).match, scanner.text
    return bool(match(text.raw, scanner.offset) or match(scanner.line + b"\n"))


def read_wrapper(scanner: Scanner) -> bool:
    """Take the wrapper that begins at the next line, and add the sections of what is in it; False,
    with nothing taken, if none does."""
    return any(
        may_begin(scanner, row) and getattr(load(row.module), f"read_{name}")(scanner)
        for name, row in WRAPPERS.items()
    )


def find_format(scanner: Scanner, formats: Collection[Format] = tuple(Format)) -> Format | None:
    """Return which of the formats of lines a patch at the next line has, if one begins there."""
    for name, row in FORMATS.items():
        if name in formats and may_begin(scanner, row) and load(row.module).starts(scanner):
            return name
    return None


def parse(scanner: Scanner, name: Format) -> None:
    """Take the patch of that format which begins at the next line, and add its sections."""
    load(FORMATS[name].module).parse(scanner)


def find_patch(scanner: Scanner) -> Format | None:
    """Move to the next line that begins a patch that is not JSON, and return its format."""
    while scanner.seek(beginning()):
        if name := find_format(scanner):
            return name
        scanner.at += 1
    return None


def is_begin(line: bytes) -> bool:
    """Return whether `line` begins an envelope."""
    return _IS_BEGIN.fullmatch(line) is not None


def is_end(line: bytes) -> bool:
    """Return whether `line` ends an envelope."""
    return _IS_END.fullmatch(line) is not None


def is_call(text: bytes) -> bool:
    """Return whether `text` begins with JSON that is meant to change a file."""
    return _MAY_BE_CALL.match(text) is not None and MEANT.search(text) is not None


def begins_mail(scanner: Scanner, distance: int = 0) -> bool:
    """Return whether a mail begins `distance` lines after the next one."""
    first, second = scanner.peek(distance), scanner.peek(distance + 1)
    return MAIL.fullmatch(first) is not None and MAIL_HEADER.match(second) is not None


def fence_in(line: bytes) -> Fence | None:
    """Return the characters of the fence in `line` and the text after them; None without."""
    match = _FENCE.fullmatch(line)
    return (match[2], match[3].strip()) if match else None


def closes(fence: Fence | None, marks: bytes) -> bool:
    """Return whether a fence closes the one that `marks` opened."""
    return fence is not None and not fence[1] and fence[0].startswith(marks)


def is_fence(scanner: Scanner, line: bytes) -> bool:
    """Return whether `line` closes the fence around the scanner, or, outside of any, is a fence."""
    fence = fence_in(line)
    return closes(fence, scanner.fence) if scanner.fence else fence is not None


def opening_fences(lines: Iterable[bytes]) -> Iterator[bytes | None]:
    """Yield for each line the fence that is open there, itself included; None outside of any."""
    marks: bytes | None = None
    for fence in map(fence_in, lines):
        is_inside, marks = marks is not None, marks or (fence and fence[0])
        yield marks
        if is_inside and closes(fence, marks or b""):
            marks = None


def are_closed(lines: Iterable[bytes]) -> bool:
    """Return whether every fence that opens in `lines` is closed there."""
    *_, marks = opening_fences([*lines, b""])
    return marks is None


def skip_fence(scanner: Scanner) -> bool:
    """Take a line that opens or closes a fence; its lines lose the indentation that it has."""
    match = _FENCE.fullmatch(scanner.line)
    if match is None or not is_fence(scanner, scanner.line):
        return False
    scanner.fence, scanner.moved = b"" if scanner.fence else match[2], None
    indent, lines, first = match[1], scanner.lines, scanner.at
    scanner.at += 1
    if scanner.fence and indent:
        end = scanner.at
        while end < scanner.end and (lines[end].startswith(indent) or not lines[end].strip()):
            end += 1
        inside = [line.removeprefix(indent) for line in lines[first:end]]
        if end == scanner.end or any(is_fence(scanner, line) for line in inside[1:]):
            lines[first:end] = inside
    return True


def note_command(scanner: Scanner, at: int) -> None:
    """Note a command in a line of a script that has a patch, too: it is not run."""
    line = scanner.lines[at]
    if len(line) <= 400 and _SCRIPT.fullmatch(line):
        shown, number = visible(os.fsdecode(line.strip()), 60), scanner.number_at(at)
        note = f"the command `{shown}` at line {number:d} is not run"
        if note not in scanner.contents.notes[-64:]:
            scanner.contents.notes.append(note)


def report_below_fence(scanner: Scanner) -> None:
    """Report a hunk line below the fence that closes here, right after a patch.

    Then the fence was content, and the lines below it would be skipped as prose. Prose itself has
    such a line only below a blank one, and never two that replace one another.
    """
    if not scanner.fence or not is_fence(scanner, scanner.line):
        return
    is_near = True
    for at in range(scanner.at + 1, scanner.end):
        line, after = scanner.lines[at], scanner.peek(at + 1 - scanner.at)
        if (fence_in(line) or (b"", b""))[1] or _OTHER.match(line):
            return
        is_near = is_near and bool(line.strip())
        is_replaced = line.startswith(b"-") and after.startswith(b"+")
        if (is_near or is_replaced) and HUNK_LINE.match(line):
            scanner.moved_to(at).error(Malformed.BELOW_FENCE, fence=scanner.number)
            return
