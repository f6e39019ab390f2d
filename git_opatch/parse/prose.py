"""What is around patches: prose, Markdown fences and indentation; nothing of a patch is dropped.

    *** Update File: a.py        without `*** Begin Patch` above it
    @@ -1,3 +1,4 @@              without the name of a file above it
    ```diff                      without names in it

Source for fences: CommonMark, "Fenced code blocks": three or more backticks or tildes, indented as
far as a list needs; the closing fence has the same character, at least as often, and is alone on
its line; the lines inside lose as much indentation as the opening fence has. For a patch that is
indented as a whole: "List items" and "Indented code blocks". That block is the lines around the
beginning of the patch that are indented at least as it is, with the blank lines between them. It is
read without that indentation if the patch in it is then without an error, or has its own end in the
last line. A line that may have lost its indentation ends all of this (D57, D181).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from git_opatch.model.errors import FixIt
from git_opatch.model.options import Format
from git_opatch.model.sentences import Malformed
from git_opatch.model.text import indentation, visible
from git_opatch.parse.formats import (
    ENDING,
    FORMATS,
    HUNK_START,
    MARKS,
    NAMED_BEGINNING,
    PATCH,
    begins,
    find_format,
    parser_of,
)
from git_opatch.parse.header import names_at
from git_opatch.parse.scanner import Lines, Scanner

_FENCE = re.compile(rb"(?s)([ \t]*)(`{3,}|~{3,})(.*)")
# A prefixed line that is neither a list item nor a rule of a document.
_HUNK_LINE = rb"\+(?:[^\s+]|\t| {4})|-(?:[^\s-]|\t| {4})"
_OTHER_START = PATCH + rb"|---|diff |From "
"""A line that may begin something else: a patch, a rule of a document, a mail."""
_LAST_LINE = MARKS + rb"|(?i:" + ENDING + rb")"
_ENVELOPE = FORMATS[Format.ENVELOPE].marks
_IN_LINES = [name for name in Format if not FORMATS[name].in_json]
_PATCH = begins(*_IN_LINES)
_COMMAND = re.compile(
    rb"\s*(?:[$%]\s+)?(?:sudo\s+)?(?!.*\w[.!?:]\s*$)(?:git\s+(?:add|am|checkout|clean|commit|mv|rebase"
    rb"|reset|restore|revert|rm|stash|switch)\b"
    rb"|(?:chmod|cp|ln|mkdir|mv|perl|rm|rmdir|sed|tee|touch|truncate)\s+[^\s,;:]"
    rb"|(?:for|if|until|while)\s.*;\s*(?:do|then)\s*$)"
)
"""A command that changes files, or says whether the next ones are run."""
_MAX_COMMAND, _MAX_NOTES = 400, 64
_DIFF_FENCE = rb"(?i)[ \t]*(?:`{3,}|~{3,})[ \t]*(?:u?diff|patch)\b"


class Fence(NamedTuple):
    """A line that is a fence: its characters, and the text after them."""

    marks: bytes
    info: bytes

    def closes(self, opening: Fence) -> bool:
        """Return whether this closes the fence that `opening` opens."""
        return not self.info and self.marks.startswith(opening.marks)


def fence_in(line: bytes) -> Fence | None:
    """Parse the fence in `line`; None if it is not one."""
    match = _FENCE.fullmatch(line)
    return Fence(match[2], match[3].strip()) if match else None


def opening_fences(lines: Iterable[bytes]) -> Iterator[Fence | None]:
    """Yield for each line the fence that is open there, itself included; None outside of any."""
    opening: Fence | None = None
    for line in lines:
        fence = fence_in(line)
        opening, before = opening or fence, opening
        yield opening
        if fence and before and fence.closes(before):
            opening = None


def are_closed(lines: Iterable[bytes]) -> bool:
    """Return whether every fence that opens in `lines` is closed there."""
    *_, opening = opening_fences([*lines, b""])
    return opening is None


def note_command(scanner: Scanner, at: int) -> None:
    """Note a command in the line at position `at` of a script that has a patch, too: it is not
    run."""
    line = scanner.line_at(at)
    if len(line) <= _MAX_COMMAND and _COMMAND.match(line):
        shown, number = visible(os.fsdecode(line.strip()), 60), scanner.lines.number(at)
        note = f"the command `{shown}` at line {number:d} is not run"
        if note not in scanner.found.notes[-_MAX_NOTES:]:
            scanner.found.notes.append(note)


def is_fence(scanner: Scanner, line: bytes) -> bool:
    """Return whether `line` closes the fence around the scanner, or, outside of any, is a fence."""
    fence = fence_in(line)
    return fence is not None and (not scanner.fence or fence.closes(Fence(scanner.fence, b"")))


def skip_fence(scanner: Scanner) -> bool:
    """Take a line that opens or closes a fence; False, with nothing taken, if it is not one."""
    line = scanner.lines[scanner.at]
    match = _FENCE.fullmatch(line)
    if match is None or not is_fence(scanner, line):
        return False
    scanner.take()
    scanner.fence, scanner.directory_change = b"" if scanner.fence else match[2], None
    indent = match[1]
    is_indented = bool(scanner.fence and indent) and _all_indented(scanner, indent)
    scanner.dedent = (lambda line: line.removeprefix(indent)) if is_indented else None
    return True


def _all_indented(scanner: Scanner, indent: bytes) -> bool:
    """Return whether every line in the fence that opened is indented at least as the fence is."""
    for at in range(scanner.at, scanner.end):
        line = scanner.lines[at]
        if line.strip() and not line.startswith(indent):
            return False
        if is_fence(scanner, line.removeprefix(indent)):
            break
    return True


def report_lines_below(scanner: Scanner) -> None:
    """Report a hunk line below the fence that closes here, right after a patch.

    Then the fence was content, and the lines below it would be skipped as prose. Prose itself has
    such a line only below a blank one, and never two that replace one another.
    """
    if not scanner.fence or not is_fence(scanner, scanner.line):
        return
    is_near = True
    for at in range(scanner.at + 1, scanner.end):
        line, after = scanner.line_at(at), scanner.peek(at + 1 - scanner.at)
        fence = fence_in(line)
        if (fence and fence.info) or re.match(_OTHER_START, line):
            return
        is_near = is_near and bool(line.strip())
        is_replaced = line.startswith(b"-") and after.startswith(b"+")
        if re.match(_HUNK_LINE, line) and (is_near or is_replaced):
            replace(scanner, at=at).error(Malformed.BELOW_FENCE, fence=scanner.number)
            return


def report_missing_end(
    scanner: Scanner, subject: str, marker: bytes, end: int, number: int | None = None
) -> None:
    """Report that what begins at line `number` has no end `marker` up to position `end`."""
    last = scanner.lines.number(end - 1)
    scanner.error(
        Malformed.NO_END,
        number,
        corrected=marker,
        fix=FixIt.INSERT_AFTER,
        at=last,
        subject=subject,
        marker=marker,
        last=last,
    )


def report_indented(scanner: Scanner, subject: str, first: int, end: int) -> None:
    """Report text whose every line is indented as its first line is: it is quoted text."""
    indent = indentation(scanner.line_at(first))
    inside = (scanner.line_at(at) for at in range(first + 1, end))
    if indent and all(line.startswith(indent) for line in inside if line.strip()):
        wrong = replace(scanner, at=first)
        wrong.error(Malformed.INDENTED, subject=subject, count=len(indent))


def unwrap(scanner: Scanner) -> list[Scanner] | None:
    """Take the indented block that has a patch here; None, with nothing taken, if it has none."""
    indent = indentation(scanner.line)
    if not indent or scanner.at < scanner.unindented_until:
        return None
    first, end = scanner.at, scanner.at + 1
    while first and scanner.line_at(first - 1).strip():  # of this paragraph
        if not scanner.line_at(first - 1).startswith(indent):
            break
        first -= 1
    for at in range(end, scanner.end):
        line = scanner.line_at(at)
        if line.strip():
            if not line.startswith(indent) or (scanner.fence and is_fence(scanner, line)):
                break
            end = at + 1
    scanner.unindented_until = end
    texts = [scanner.line_at(at).removeprefix(indent) for at in range(first, end)]
    if not _is_whole(scanner, end, texts[-1]):
        return None
    raw = b"".join(text + b"\n" for text in texts)
    lines = Lines(raw, scanner.lines.numbers_from(first))
    if not _holds_patch(lines, scanner.at - first):
        return None
    content = scanner.nested(lines)
    content.at, scanner.at = scanner.at - first, end
    return [content]


def _is_whole(scanner: Scanner, end: int, last: bytes) -> bool:
    """Return whether no line below the block can belong to the patch in it, whose last line is
    `last`."""
    if end == scanner.end or (scanner.fence and is_fence(scanner, scanner.line_at(end))):
        return True
    if scanner.line_at(end).strip():
        return re.fullmatch(_LAST_LINE, last.rstrip()) is not None
    below = (scanner.line_at(at) for at in range(end, scanner.end))
    return re.match(_HUNK_LINE, next(filter(bytes.strip, below), b"")) is None


def _holds_patch(lines: Lines, at: int) -> bool:
    """Return whether a patch begins at that position that has no error, or ends with the last
    line."""
    trial = Scanner(lines, at=at)
    found = find_format(trial, _IN_LINES)
    if found is None:
        return False
    ends = FORMATS[found].ends
    if re.fullmatch(rb"(?i)[ \t]*" + ends, lines[len(lines) - 1]):
        return True
    parser_of(found).parse(trial)
    return not trial.errors


def skip_prose(scanner: Scanner) -> None:
    """Take a line of prose; part of a patch of a format that is looked for is an error."""
    number, line, formats = scanner.number, scanner.line, scanner.found.formats
    has_unified, has_envelope = Format.UNIFIED in formats, Format.ENVELOPE in formats
    if skip_fence(scanner):
        if has_unified and scanner.fence and re.match(_DIFF_FENCE, line):
            _report_nameless_diff(scanner, number)
        return
    if has_unified and parser_of(Format.UNIFIED).report_unsupported(scanner):
        return
    envelope = parser_of(Format.ENVELOPE)
    is_marker, is_begin = envelope.is_marker, envelope.is_begin
    if has_envelope and not has_unified and find_format(scanner, [Format.UNIFIED]):
        scanner.skip_until(
            lambda line: line[:1] in (b"*", b"_") and (is_begin(line) or is_marker(line))
        )
        return
    scanner.take()
    if has_envelope and is_marker(line):
        if envelope.is_end(line) and _is_first(scanner):
            return  # the echo of an end, above everything
        first, fix = _ENVELOPE[0], FixIt.INSERT_BEFORE
        if envelope.is_end(line) and scanner.found.sections:
            scanner.error(Malformed.SECOND_END, number, marker=_ENVELOPE[1])
        else:
            scanner.error(Malformed.NO_BEGIN, number, corrected=first, fix=fix, marker=first)
        scanner.skip_until(is_begin)
    elif (has_unified or has_envelope) and line.startswith(HUNK_START):
        fault = Malformed.NO_FILE if has_unified else Malformed.NO_FILE_OF_ENVELOPE
        scanner.error(fault, number)
        scanner.skip_until(lambda line: re.match(_PATCH, line) is not None)


def _is_first(scanner: Scanner) -> bool:
    """Return whether nothing but blank lines is above the line that was taken."""
    above = range(scanner.at - 2, -1, -1)
    return not any(scanner.line_at(at).strip() for at in above)


def _report_nameless_diff(scanner: Scanner, number: int) -> None:
    """Take a diff in a fence, with an error, if it does not name its file.

    Nothing is taken if anything in the fence does, or if it has no change.
    """
    ahead, has_change = replace(scanner), False
    while not ahead.at_end and not is_fence(ahead, ahead.line):
        if re.match(NAMED_BEGINNING, ahead.line) or names_at(ahead) is not None:
            return
        has_change = has_change or ahead.line.startswith((b"+", b"-"))
        ahead.take()
    if has_change:
        scanner.error(Malformed.NO_NAMES, number)
        scanner.at = ahead.at
