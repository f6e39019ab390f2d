r"""Search-and-replace blocks, as aider, Cline and Roo define them.

    path
    <<<<<<< SEARCH [path]       or ------- SEARCH
    [":start_line:" number      [":end_line:" number] ["-------"]]
    old line*
    =======
    new line*
    >>>>>>> REPLACE [path]      or +++++++ REPLACE

Source: aider's "Edit formats" and its parser (a marker has five to nine characters; a block
without a path is for the file of the block before, if no prose is between them; a block without
old lines adds a file), Cline's `replace_in_file` (the other markers), Roo's `apply_diff` (the start
line; a marker that is content has a `\` before it). Consecutive blocks for one file are hunks of
one section: they are located together in the file as it is, in any order.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from git_opatch.model.patch import FilePatch, Hunk, Line, Operation, Prefix
from git_opatch.model.text import visible
from git_opatch.parse.diagnose import report_indented
from git_opatch.parse.hunk_line import make_lines
from git_opatch.parse.line_diff import line_diff
from git_opatch.parse.lines import line_start
from git_opatch.parse.scanner import Scanner
from git_opatch.parse.search_replace import diagnose
from git_opatch.parse.search_replace.marker import CLOSE, DIVIDER, is_close, match_opening
from git_opatch.parse.search_replace.path_line import (
    PathCertainty,
    classify,
    find_path_line,
    is_wrapper_line,
    looks_like_path,
)
from git_opatch.parse.wrappers import fence

_LINE_HINT = re.compile(rb"[ \t]*:(start|end)_line:[ \t]*(\d{1,12})[ \t\r]*")
_RULE = re.compile(rb"[ \t]*-{5,9}[ \t\r]*")
_ESCAPED = re.compile(
    rb"([ \t]*)\\(?=(?:<{5,9}|={5,9}|>{5,9}|-{5,9}|\+{5,9})(?:\s|$)|:(?:start|end)_line:)"
)
_MARKER = line_start(rb"[<>+-]{5}")
_MAY_DIVIDE = line_start(rb"={5}")
_MAX_DISTANCE = 8
"""How many lines may be between two blocks of one section."""


class _Block(NamedTuple):
    """One block; `adds` is whether it has no old lines, so that the file is new."""

    path: str
    number: int
    adds: bool
    lines: list[Line]
    start: int | None
    begin: Scanner

    def hunk(self, ordinal: int, *, is_last: bool) -> Hunk:
        """Return the hunk, with its ordinal in the section."""
        return Hunk(
            tuple(self.lines),
            stated_start=None if self.adds else self.start,
            number=self.lines[0].number,
            ordinal=ordinal,
            is_last=is_last,
            uniform_endings=self.begin.uniform_endings,
        )


def starts(scanner: Scanner) -> bool:
    """Return whether a block begins at the next line, or one ends there that has no beginning."""
    line = scanner.line
    is_marker = match_opening(line) is not None or is_close(line)
    return is_marker or diagnose.find_conflict_end(scanner) >= 0


def parse(scanner: Scanner) -> None:
    """Take consecutive blocks and add the sections of their files."""
    if match_opening(scanner.line) is None and (end := diagnose.find_conflict_end(scanner)) >= 0:
        diagnose.report_conflict(scanner, end)
        return
    if match_opening(scanner.line) is None:
        line = visible(scanner.line.strip())
        scanner.error(f"no `<<<<<<< SEARCH` before this `{line}`; add one above the old lines")
        scanner.take()
        return
    for group in _group_blocks(scanner):
        first = next(group)
        first.begin.add_section(_make_section(first, group))


def _group_blocks(scanner: Scanner) -> Iterator[Iterator[_Block]]:
    """Group the blocks by section; a block that adds a file is a section of its own."""
    groups = groupby(_read_blocks(scanner), lambda block: (block.path, block.adds and block.number))
    return (group for _, group in groups)


def _read_blocks(scanner: Scanner) -> Iterator[_Block]:
    while True:
        block = _read_block(scanner)
        if block is not None:
            yield block
        if not _skip_to_next_block(scanner):
            return


def _skip_to_next_block(scanner: Scanner) -> bool:
    """Move to the next block, if only its path and wrapper lines are before it."""
    ahead = replace(scanner)
    while not ahead.at_end and ahead.at < scanner.at + _MAX_DISTANCE:
        line = ahead.line
        if match_opening(line):
            scanner.at, scanner.fence, scanner.dedent = ahead.at, ahead.fence, ahead.dedent
            return True
        if not fence.skip_fence(ahead):
            if not is_wrapper_line(line) and (
                is_close(line) or classify(line)[0] is not PathCertainty.PATH
            ):
                return False
            ahead.take()
    return False


def _read_block(scanner: Scanner) -> _Block | None:
    """Take one block; None after an error."""
    opening = match_opening(scanner.line)
    assert opening is not None
    number, errors = scanner.number, len(scanner.diagnostics)
    path = _read_path(scanner, opening)
    begin = replace(scanner)
    scanner.take()
    start = _read_start_line(scanner)
    first = scanner.at
    end = _find_end(scanner, opening, path)
    if end is None:
        return None
    report_indented(scanner, "block", begin.at, end)
    middle = _find_divider(scanner, first, end, opening)
    if middle is None or len(scanner.diagnostics) > errors:
        return None
    old = _make_side(scanner, first, middle, Prefix.REMOVED)
    adds = not any(line.text.strip() for line in old)
    lines = line_diff([] if adds else old, _make_side(scanner, middle + 1, end, Prefix.ADDED))
    return _Block(path, number, adds, lines, start, begin)


def _read_path(scanner: Scanner, opening: re.Match[bytes]) -> str:
    """Return the path of the block that begins here."""
    path_line = find_path_line(scanner, CLOSE)
    if opening[3]:
        scanner.previous_path = os.fsdecode(opening[3])
        if path_line.path not in (b"", opening[3]) and looks_like_path(path_line.path):
            diagnose.report_other_path(scanner, path_line.path)
    elif path_line.evidence is PathCertainty.PATH:
        scanner.previous_path = os.fsdecode(path_line.path)
    elif path_line.evidence is not PathCertainty.NONE:
        diagnose.report_unclear_path(scanner, path_line)
    elif not scanner.previous_path:
        line = visible(scanner.line.strip())
        scanner.error(
            f"the block does not name a file; write its path alone on the line above `{line}`"
        )
    else:
        diagnose.report_prose(scanner)
    return scanner.previous_path


def _read_start_line(scanner: Scanner) -> int | None:
    """Take the lines that state where the old lines are; return their position, from 0."""
    start, before = None, scanner.at
    while not scanner.at_end and (match := _LINE_HINT.fullmatch(scanner.line)):
        if match[1] == b"start" and int(match[2]):
            start = int(match[2]) - 1
        scanner.take()
    if scanner.at > before and not scanner.at_end and _RULE.fullmatch(scanner.line):
        scanner.take()
    return start


def _find_end(scanner: Scanner, opening: re.Match[bytes], path: str) -> int | None:
    """Move past the end of the block for `path` and return its position; None if there is none."""
    first, own_path = scanner.at, os.fsencode(path)
    scanner.skip_to(_MARKER)
    while not scanner.at_end:
        line = scanner.line
        close = CLOSE.fullmatch(line)
        if close and close[1] == opening[1] and (is_close(line) or close[3] == own_path):
            if close[3] not in (None, own_path) and own_path:
                diagnose.report_other_path(scanner, own_path)
            scanner.take()
            return scanner.at - 1
        if (opening_again := match_opening(line)) and opening_again[1] == opening[1]:
            break
        scanner.at += 1
        scanner.skip_to(_MARKER)
    character = "+" if opening[2].startswith(b"-") else ">"
    diagnose.report_missing_end(scanner, first, character * len(opening[2]) + " REPLACE")
    return None


def _find_divider(scanner: Scanner, first: int, end: int, opening: re.Match[bytes]) -> int | None:
    """Return the position of the divider; None if it is not clear.

    The markers of one block have the same length; a divider of another length is content.
    """
    found: list[int] = []
    same_length: list[int] = []
    at = scanner.lines.find(_MAY_DIVIDE, first, end)
    while at < end:
        match = DIVIDER.fullmatch(scanner.line_at(at))
        if match and match[1] == opening[1]:
            found.append(at)
            if len(match[2]) == len(opening[2]):
                same_length.append(at)
        at = scanner.lines.find(_MAY_DIVIDE, at + 1, end)
    chosen = same_length if len(same_length) == 1 else found
    if len(chosen) == 1:
        return chosen[0]
    divider = "=" * len(opening[2])
    wrong = [] if found else diagnose.find_near_dividers(scanner, first, end)
    if len(wrong) == 1:
        line = visible(scanner.line_at(wrong[0]))
        message = f"`{line}` is not a divider; did you mean `{divider}`?"
        scanner.error(message, scanner.lines.number(wrong[0]))
    elif not found:
        number = scanner.lines.number(end)
        scanner.error(
            f"no `{divider}` in the block that ends here; add one below the old lines", number
        )
    else:
        scanner.error(
            f"`{divider}` occurs more than once in this block; write `\\{divider}` where it is "
            "content",
            scanner.lines.number(chosen[1]),
        )
    return None


def _make_side(scanner: Scanner, start: int, stop: int, prefix: Prefix) -> list[Line]:
    r"""Make the lines of one side, without the `\` before those that look like markers."""
    return [
        line._replace(text=escaped[1] + line.text[escaped.end() :])
        if (escaped := _ESCAPED.match(line.text))
        else line
        for line in make_lines(scanner, start, stop, prefix)
    ]


def _make_section(first: _Block, rest: Iterator[_Block]) -> FilePatch:
    """Make the section of `first` and of the `rest`, which are for the same file."""
    blocks = [block for block in (first, *rest) if block.lines]
    hunks = (block.hunk(at, is_last=at == len(blocks)) for at, block in enumerate(blocks, start=1))
    return FilePatch(
        Operation.ADD if first.adds else Operation.UPDATE,
        None if first.adds else first.path,
        first.path,
        tuple(hunks),
        number=first.number,
        source=first.begin.source,
        directory=first.begin.directory,
        ordered=False,
        fills=first.adds,
    )
