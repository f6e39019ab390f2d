r"""Search-and-replace blocks, as aider, Cline and Roo have them.

    path
    <<<<<<< SEARCH [path]       or ------- SEARCH
    [":start_line:" number      [":end_line:" number] ["-------"]]
    old line*
    =======
    new line*
    >>>>>>> REPLACE [path]      or +++++++ REPLACE

Rules: aider's "Edit formats" and its parser (five to nine characters make a marker; a block
without a path is for the file of the one before, where no prose parts them; nothing to search for
makes a new file), Cline's `replace_in_file` (the other markers), Roo's `apply_diff` (the start
line; a marker that is content has a `\` before it). The blocks of one file that follow one another
are hunks of one section: they are located together in the file as it is, in whatever order they
stand.
"""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, groupby
from typing import NamedTuple

from git_opatch.parse.blocks import mistaken
from git_opatch.parse.blocks.marker import CLOSE, DIVIDER, is_close, opening_of
from git_opatch.parse.blocks.pathline import (
    Heading,
    Says,
    above,
    is_frame,
    looks_like_path,
    prose_above,
    read,
)
from git_opatch.parse.blocks.rewrite import rewrite
from git_opatch.parse.body import Body
from git_opatch.parse.cursor import Cursor
from git_opatch.parse.frames import fence
from git_opatch.parse.reread import Hunks
from git_opatch.patch import FilePatch, Hunk, Operation
from git_opatch.text import visible

_STATED = re.compile(rb"[ \t]*:(start|end)_line:[ \t]*(\d{1,12})[ \t\r]*")
_RULE = re.compile(rb"[ \t]*-{5,9}[ \t\r]*")
_ESCAPED = re.compile(
    rb"\\(?=(?:<{5,9}|={5,9}|>{5,9}|-{5,9}|\+{5,9})(?:\s|$)|:(?:start|end)_line:)"
)
_FAR = 8
"""How many lines may stand between two blocks of one section."""


class _Block(NamedTuple):
    """One block; `adds` is whether there is nothing to search for, so that the file is new."""

    path: str
    number: int
    adds: bool
    lines: Body
    start: int | None
    begin: Cursor

    def hunk(self, ordinal: int = 1) -> Hunk:
        """What it asks for, as that many hunk of its section."""
        return Hunk(
            self.lines,
            start=None if self.adds else self.start,
            number=self.lines[0].number,
            ordinal=ordinal,
            is_last=False,
            framed=self.begin.framed,
        )


def starts(cursor: Cursor) -> bool:
    """Whether a block begins at the cursor, or one ends that has no beginning."""
    line = cursor.line
    is_marker = opening_of(line) is not None or is_close(line)
    return is_marker or mistaken.closing(cursor) >= 0


def parse(cursor: Cursor) -> None:
    """Take the blocks that follow one another and note the sections of their files."""
    if opening_of(cursor.line) is None and (end := mistaken.closing(cursor)) >= 0:
        mistaken.refuse(cursor, end)
        return
    if opening_of(cursor.line) is None:
        line = visible(cursor.line.strip())
        cursor.fault(f"no `<<<<<<< SEARCH` before this `{line}`; add one above the text to find")
        cursor.take()
        return
    for group in _groups(cursor):
        first = next(group)
        section = _section(first, group)
        cursor.sections.note(section, first.begin, first.begin.at, _section_again)


def _groups(cursor: Cursor) -> Iterator[Iterator[_Block]]:
    """The blocks of each section; one that makes a new file stands alone."""
    groups = groupby(_blocks(cursor), lambda block: (block.path, block.adds and block.number))
    return (group for _, group in groups)


def _blocks(cursor: Cursor) -> Iterator[_Block]:
    while True:
        block = _block(cursor)
        if block is not None:
            yield block
        if not _another(cursor):
            return


def _another(cursor: Cursor) -> bool:
    """Go to the next block, if only what frames it and names its file stands before it."""
    ahead = replace(cursor)
    while not ahead.at_end and ahead.at < cursor.at + _FAR:
        line = ahead.line
        if opening_of(line):
            cursor.at, cursor.fence, cursor.dedent = ahead.at, ahead.fence, ahead.dedent
            return True
        if not fence.pass_fence(ahead):
            if not is_frame(line) and (is_close(line) or read(line)[0] is not Says.PATH):
                return False
            ahead.take()
    return False


def _block(cursor: Cursor) -> _Block | None:
    """Take one block; None after a fault."""
    opening = opening_of(cursor.line)
    assert opening is not None
    number, faults, before = cursor.number, len(cursor.faults), cursor.file
    path = _path(cursor, opening)
    begin = replace(cursor, file=path if path == before else "")  # else it is said here
    cursor.take()
    start = _stated_start(cursor)
    first = cursor.at
    end = _end(cursor, opening, path)
    if end is None:
        return None
    mistaken.refuse_quotation(cursor, begin.at, end, opening[1])
    middle = _middle(cursor, first, end, opening)
    if middle is None or len(cursor.faults) > faults:
        return None
    old, new = _side(cursor, first, middle), _side(cursor, middle + 1, end)
    adds = not any(old.line_at(at).strip() for at in range(first, middle))
    lines = rewrite(replace(old, end=first) if adds else old, new)
    return _Block(path, number, adds, lines, start, begin)


def _path(cursor: Cursor, opening: re.Match[bytes]) -> str:
    """The path of the block that begins here."""
    heading = above(cursor, CLOSE)
    if opening[3]:
        cursor.file = os.fsdecode(opening[3])
        if heading.path not in (b"", opening[3]) and looks_like_path(heading.path):
            mistaken.refuse_other(cursor, heading.path)
    elif heading.says is Says.PATH:
        cursor.file = os.fsdecode(heading.path)
    elif heading.says is not Says.NOTHING:
        _refuse_heading(cursor, heading)
    elif not cursor.file:
        line = visible(cursor.line.strip())
        cursor.fault(f"the block names no file; write its path alone on the line above `{line}`")
    else:
        _refuse_prose(cursor)
    return cursor.file


def _refuse_heading(cursor: Cursor, heading: Heading) -> None:
    line = visible(cursor.line_at(heading.at).strip())
    if heading.says is Says.WORD:
        wrong = f"`{line}` may be a file or a label, such as a language's name"
        right = f"the path alone on the line above the block (`{line}` in backticks, if it is that)"
    else:
        wrong = f"`{line}` is more than a path"
        right = "the path alone on the line above the block, in backticks if it has blanks"
    cursor.fault(f"{wrong}; write {right}", cursor.lines.number(heading.at))


def _refuse_prose(cursor: Cursor) -> None:
    """Prose between two blocks may say that the second is for another file."""
    at = prose_above(cursor, CLOSE)
    told = cursor.faults and cursor.faults[-1].line == cursor.number
    if at >= 0 and not told:
        prose, line = visible(cursor.line_at(at).strip()), visible(cursor.line.strip())
        cursor.fault(
            f"the block names no file, and `{prose}` in line {cursor.lines.number(at)} stands "
            f"between it and the block before; write its path alone on the line above `{line}`"
        )


def _stated_start(cursor: Cursor) -> int | None:
    """Take the lines that say where the text to find stands; its position, from 0."""
    start, before = None, cursor.at
    while not cursor.at_end and (match := _STATED.fullmatch(cursor.line)):
        if match[1] == b"start" and int(match[2]):
            start = int(match[2]) - 1
        cursor.take()
    if cursor.at > before and not cursor.at_end and _RULE.fullmatch(cursor.line):
        cursor.take()
    return start


def _end(cursor: Cursor, opening: re.Match[bytes], path: str) -> int | None:
    """Where the block for `path` ends, which is read to; None if that is not said."""
    first, own = cursor.at, os.fsencode(path)
    while not cursor.at_end:
        line = cursor.line
        close = CLOSE.fullmatch(line)
        if close and close[1] == opening[1] and (is_close(line) or close[3] == own):
            if close[3] not in (None, own) and own:
                mistaken.refuse_other(cursor, own)
            cursor.take()
            return cursor.at - 1
        if (again := opening_of(line)) and again[1] == opening[1]:
            break
        cursor.take()
    mark = "+" if opening[2].startswith(b"-") else ">"
    mistaken.refuse_unended(cursor, first, mark * len(opening[2]) + " REPLACE")
    return None


def _middle(cursor: Cursor, first: int, end: int, opening: re.Match[bytes]) -> int | None:
    """Where the line stands that parts the old lines from the new; None if that is not clear.

    The markers of one block are of one length; a line of another is content beside it.
    """
    found, alike = array(cursor.lines.code), array(cursor.lines.code)
    for at in range(first, end):
        match = DIVIDER.fullmatch(cursor.line_at(at))
        if match and match[1] == opening[1]:
            found.append(at)
            if len(match[2]) == len(opening[2]):
                alike.append(at)
    chosen = alike if len(alike) == 1 else found
    if len(chosen) == 1:
        return chosen[0]
    divider = "=" * len(opening[2])
    wrong = [] if found else mistaken.dividers(cursor, first, end)
    if len(wrong) == 1:
        line = visible(cursor.line_at(wrong[0]))
        message = f"`{line}` is no divider; did you mean `{divider}`?"
        cursor.fault(message, cursor.lines.number(wrong[0]))
    elif not found:
        number = cursor.lines.number(end)
        cursor.fault(
            f"no `{divider}` in the block that ends here; add one after the text to find", number
        )
    else:
        cursor.fault(
            f"`{divider}` stands more than once in this block; write `\\{divider}` where it is "
            "text to find or to put",
            cursor.lines.number(chosen[1]),
        )
    return None


def _side(cursor: Cursor, start: int, stop: int) -> Cursor:
    r"""The lines of one side of a block, without the `\` before those that look like markers."""
    plain = cursor.dedent
    if plain is None:
        return replace(cursor, at=start, end=stop, dedent=_unescaped)
    return replace(cursor, at=start, end=stop, dedent=lambda line: _unescaped(plain(line)))


def _unescaped(line: bytes) -> bytes:
    return _ESCAPED.sub(b"", line)


def _section(first: _Block, rest: Iterator[_Block]) -> FilePatch:
    """The section of `first` and of the `rest`, which are for the same file."""
    hunks = Hunks(first.begin.room)
    for block in chain([first], rest):
        if block.lines:
            begin = block.begin
            hunks.note(block.hunk(len(hunks) + 1), begin, begin.at, _hunk_again)
    return FilePatch(
        Operation.ADD if first.adds else Operation.UPDATE,
        None if first.adds else first.path,
        first.path,
        hunks.values(),
        number=first.number,
        source=first.begin.source,
        directory=first.begin.directory,
        ordered=False,
    )


def _section_again(cursor: Cursor) -> FilePatch:
    group = next(_groups(cursor))
    return _section(next(group), group)


def _hunk_again(cursor: Cursor) -> Hunk:
    return next(_blocks(cursor)).hunk()
