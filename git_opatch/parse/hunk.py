r"""The part that all families share: `@@` headers and the marked lines of a hunk.

    header := "@@" | "@@ " text [" @@"] | "@@ ... @@" | "@@ -a,b [+c,d] [@@]" [" " heading]
    line   := (" " | "-" | "+") text | "" | "\ No newline at end of file"

An empty line is an empty context line: editors and models strip the blank. Some strip it
from every context line; then what has no mark is context as it stands.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from git_opatch.parse import reread
from git_opatch.parse.body import Body, mark_of
from git_opatch.parse.cursor import Cursor
from git_opatch.parse.mistaken import fault_header, fault_unmarked
from git_opatch.patch import Anchor, Hunk, Mark

_RANGE = rb"(\d{1,12})(?:,(\d{1,12}))?"
_HEADING = rb"(?:(?<=@@)[ \t](.*))?"
_NUMBERED = re.compile(
    rb"@@ ?-" + _RANGE + rb"(?: \+" + _RANGE + rb"(?: ?@@)?| ?@@)" + _HEADING, re.DOTALL
)
_ELIDED = re.compile(rb"@@(?:[ \t.]++|(?:\xe2\x80\xa6)++)*+@@" + _HEADING, re.DOTALL)
_MARKED = re.compile(rb"(?:(?:[ +-][^\n]*+|\r?+)\n)*+")
_SHORTEST_NO_NEWLINE = 12
_MOST_HEADERS = 100


class Header(NamedTuple):
    """What one `@@` line says. Starts count from 0, as positions in the file."""

    anchor: Anchor | None = None
    start: int | None = None
    new_start: int | None = None
    old_count: int | None = None
    new_count: int | None = None


def parse_header(line: bytes) -> Header | None:
    """The hunk header in `line`, or None if it is no header."""
    header = line.rstrip()
    if numbered := _NUMBERED.fullmatch(header):
        return _numbered_header(numbered)
    if header == b"@@":
        return Header()
    if elided := _ELIDED.fullmatch(header):
        return Header(_heading(elided[1]))
    if line.startswith(b"@@ "):
        return Header(Anchor(_without_closing(line[3:])))
    return None


def _heading(text: bytes | None) -> Anchor | None:
    return Anchor(text.strip(), weak=True) if text and text.strip() else None


def _without_closing(text: bytes) -> bytes:
    """An anchor's text without the ` @@` that may close it."""
    ended = text.rstrip()
    closed = ended.endswith((b" @@", b"\t@@"))
    return ended[:-2].rstrip() if closed else text.rstrip(b"\r")


def _numbered_header(match: re.Match[bytes]) -> Header:
    old, old_count, new, new_count, heading = match.groups()
    start, old_lines = _range(old, old_count)
    new_start, new_lines = _range(new, new_count) if new else (None, None)
    return Header(_heading(heading), start, new_start, old_lines, new_lines)


def _range(first: bytes, count: bytes | None) -> tuple[int, int]:
    """Where a range starts, from 0, and how many lines it has."""
    lines = 1 if count is None else int(count)
    # An empty range names the line before it (GNU diff, "Detailed Unified").
    return max(int(first) - (lines > 0), 0), lines


@dataclass(slots=True, eq=False)
class Draft:
    """A hunk that is being read."""

    number: int
    framed: bool
    lines: Body
    headers: list[Header] = field(default_factory=list)
    old_count: int = 0
    new_count: int = 0
    elisions: array[int] = field(default_factory=lambda: array("Q"))
    at_end_of_file: bool = False
    sayings: array[int] = field(default_factory=lambda: array("Q"))
    r"""Where it is said, for each of `lines.unended`, that it has no newline."""
    closed: bool = False
    """True after `*** End of File`: nothing can follow in this hunk."""

    @classmethod
    def at(cls, cursor: Cursor) -> Draft:
        """A hunk that begins at the cursor's line."""
        return cls(cursor.number, cursor.framed, Body(cursor.lines, cursor.dedent))

    def add(self, at: int, mark: Mark) -> None:
        """Add the line at that position."""
        self.add_all(at, 1, added=mark is Mark.ADDED, removed=mark is Mark.REMOVED)

    def add_all(self, at: int, count: int, *, added: int, removed: int) -> None:
        """Add so many lines from that position on, of which so many are added and removed."""
        self.lines.add(at, count)
        self.old_count += count - added
        self.new_count += count - removed

    def mark_no_newline(self, at: int) -> None:
        r"""Take `\ No newline at end of file`, which stands there: none follows the last line."""
        self.lines.end_without_newline()
        self.sayings.append(at)
        self.at_end_of_file = True

    def goes_on(self) -> int | None:
        """Where it is said that no line follows on the side of one, where one does; or None."""
        if not self.sayings:
            return None
        left = len(self.lines)
        while (
            left
            and self.lines[left - 1].mark is Mark.CONTEXT
            and not self.lines[left - 1].text.strip()
        ):
            left -= 1
        lasts = {
            next((at for at in range(left - 1, -1, -1) if self.lines[at].mark is not mark), -1)
            for mark in (Mark.ADDED, Mark.REMOVED)
        }
        said = zip(self.lines.unended, self.sayings, strict=True)
        return next((at for index, at in said if index < left and index not in lasts), None)

    def says_nothing(self) -> int:
        """The number of a line without a mark, where no line is removed or added; or 0.

        What has no mark at all is no context that was shown: it may be a patch of another form.
        """
        if not self.old_count == self.new_count == len(self.lines):
            return 0
        return next((line.number for line in self.lines if not line.marked), 0)

    @property
    def full(self) -> bool:
        """Whether the body holds just what the header's counts announced."""
        stated = self.headers[-1] if self.headers else Header()
        return (self.old_count, self.new_count) == (stated.old_count, stated.new_count)

    @property
    def short(self) -> bool:
        """Whether the body still lacks lines that the header's counts announced."""
        stated = self.headers[-1] if self.headers else Header()
        if stated.old_count is None or stated.new_count is None:
            return False
        return self.old_count < stated.old_count or self.new_count < stated.new_count

    def finish(self, ordinal: int = 1) -> Hunk:
        """The hunk, which is that many in its section."""
        stated = next((head for head in reversed(self.headers) if head.start is not None), Header())
        anchors = tuple(header.anchor for header in self.headers if header.anchor)
        return Hunk(
            *(self.lines, anchors, stated.start, stated.new_start, self.at_end_of_file),
            number=self.lines.number,
            ordinal=ordinal,
            is_last=False,
            framed=self.framed,
            elisions=tuple(self.elisions),
        )


def is_no_newline(line: bytes) -> bool:
    r"""Whether `line` can be `\ No newline at end of file`, in any language.

    As git tells it (`apply.c`, "adjust_incomplete"): at least 12 bytes that begin with `\ `.
    """
    return line.startswith(b"\\ ") and len(line) >= _SHORTEST_NO_NEWLINE


def fault_not_last(cursor: Cursor, number: int) -> None:
    r"""Note that line `number` begins with `\ ` as only what stands below the last line does."""
    cursor.fault(
        "this says that the file ends without a newline, but lines follow; if it is content, "
        "write its mark, ` `, `-` or `+`, before it",
        number,
    )


def hunks_of(cursor: Cursor, read: Callable[[Cursor], Iterator[Draft]]) -> Sequence[Hunk]:
    """All hunks that `read` takes from `cursor` on; each begins where it gives the one before."""

    def again(cursor: Cursor) -> Hunk:
        return next(read(cursor)).finish()

    hunks, at = reread.Hunks(cursor.room), cursor.at
    for draft in read(cursor):
        hunks.note(draft.finish(len(hunks) + 1), cursor, at, again)
        at = cursor.at
    return hunks.values()


class Hunks:
    """Reads the hunks of one file from a cursor, one line at a time."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self.open: Draft | None = None

    def header(self) -> Iterator[Draft]:
        """Take a `@@` line, and give the hunk that it ends; several in a row belong to one."""
        cursor = self._cursor
        header = parse_header(cursor.line)
        if header is None:
            fault_header(cursor)
            header = Header()
        if self.open is None or self.open.lines:
            yield from self.close()
            self.open = Draft.at(cursor)
        self.open.headers.append(header)
        cursor.take()
        if len(self.open.headers) > _MOST_HEADERS:
            message = (
                f"more than {_MOST_HEADERS} lines of `@@` before one hunk; write those it needs"
            )
            cursor.fault(message, cursor.previous)
            cursor.skip_until(lambda line: not line.startswith(b"@@"))

    def line(self) -> bool:
        """Take a line of the hunk's body; False, and nothing taken, if it is none."""
        cursor, line = self._cursor, self._cursor.line
        if is_no_newline(line):
            return self._no_newline()
        if (mark := mark_of(line)) is None:
            return False
        if self.open is None:
            self.open = Draft.at(cursor)
        self.open.add(cursor.at, mark)
        cursor.at += 1
        return True

    def body(self) -> bool:
        """The same, and all lines below that have a mark or are empty: they can be nothing else."""
        if not self.line():
            return False
        cursor, lines = self._cursor, self._cursor.lines
        if self.open is not None and not cursor.dedent:
            start, end = lines.offset(cursor.at), lines.offset(cursor.end)
            match = _MARKED.match(lines.raw, start, end)
            stop = match.end() if match else start
            count = lines.raw.count(b"\n", start, stop)
            added, removed = (lines.raw.count(it, start - 1, stop) for it in (b"\n+", b"\n-"))
            self.open.add_all(cursor.at, count, added=added, removed=removed)
            cursor.at += count
        return True

    def unmarked(self) -> None:
        """Take a line without a mark as the context that it is, if the file has it so.

        Before any hunk it is a fault, and those after it are the same one.
        """
        if self.open is None:
            fault_unmarked(self._cursor)
            return
        self.open.add(self._cursor.at, Mark.CONTEXT)
        self._cursor.take()

    def _no_newline(self) -> bool:
        cursor = self._cursor
        if self.open is None or not self.open.lines:
            cursor.fault("there is no line before this one that could lack its newline")
        else:
            self.open.mark_no_newline(cursor.at)
        cursor.take()
        return True

    def close(self) -> Iterator[Draft]:
        """End the hunk that is being read, if any, and give it."""
        if self.open is not None and not self.open.lines:
            message = (
                "the hunk has no lines; add those to find, to remove and to add after its `@@`"
            )
            self._cursor.fault(message, self.open.number)
        elif self.open is not None:
            if (at := self.open.goes_on()) is not None:
                fault_not_last(self._cursor, self._cursor.lines.number(at))
            if number := self.open.says_nothing():
                message = (
                    "no line of this hunk begins with `-` or `+`, and this one not even with a "
                    "blank; mark what is to be removed and added"
                )
                self._cursor.fault(message, number)
            yield self.open
        self.open = None
