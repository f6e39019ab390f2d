"""The values of the benchmark: what a commit did, the patch that says so, and a case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

CONTEXT, REMOVED, ADDED, BARE = " ", "-", "+", ""
"""The marks of a hunk's line; a bare line is context whose mark the writer forgot."""

ROOT = "@ROOT@"
"""Stands in paths for the absolute name of the folder that a case's repository is in."""

Tree = Mapping[str, bytes]
"""The content of files by path."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines `old_start` to `old_stop` of the old file become those of the new, from 0."""

    old_start: int
    old_stop: int
    new_start: int
    new_stop: int


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a commit did to one text file; the lines are without their newlines."""

    path: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit's changes of existing text files; `repository` is the name of its repository."""

    repository: str
    id: str
    files: tuple[FileChange, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a hunk; `newline` is False where a diff says that the file ends without one."""

    mark: str
    text: str
    newline: bool = True

    @property
    def is_context(self) -> bool:
        """Whether the line is meant to stand before and after the change."""
        return self.mark in (CONTEXT, BARE)


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of a patch; `start` is where they truly stand in the old file, from 0."""

    lines: tuple[Line, ...]
    start: int
    anchor: str = ""
    at_end: bool = False

    @property
    def before(self) -> tuple[str, ...]:
        """The lines that the file must have."""
        return tuple(line.text for line in self.lines if line.mark != ADDED)

    @property
    def after(self) -> tuple[str, ...]:
        """The lines that the file will have."""
        return tuple(line.text for line in self.lines if line.mark != REMOVED)

    @property
    def indexes(self) -> range:
        """The positions of the hunk's lines."""
        return range(len(self.lines))

    def with_lines(self, *lines: Line) -> Hunk:
        """The hunk with other lines."""
        return replace(self, lines=lines)

    def with_line(self, at: int, line: Line) -> Hunk:
        """The hunk with another line at position `at`."""
        return self.with_lines(*self.lines[:at], line, *self.lines[at + 1 :])


@dataclass(frozen=True, slots=True)
class Section:
    """All that a patch says of one file."""

    path: str
    hunks: tuple[Hunk, ...]


class Form(Enum):
    """How a patch frames its files."""

    ENVELOPE = "envelope"
    UNIFIED = "unified"
    CHANGES = "file changes"
    BLOCKS = "search and replace"
    OPERATIONS = "operations"


class Header(Enum):
    """What stands after the `@@` of a hunk."""

    BARE = "bare"
    ANCHOR = "anchor"
    RIGHT = "right numbers"
    INVENTED = "invented numbers"


class Frame(Enum):
    """What stands round a patch."""

    NONE = "alone"
    FENCE = "in prose and a fence"
    HEREDOC = "in a heredoc"


class Slip(Enum):
    """What the writer does not know of the form."""

    NONE = "well formed"
    COUNTS = "wrong counts"
    PREFIXES = "names without a/ and b/"
    GRAMMAR = "several faults of form"


@dataclass(frozen=True, slots=True)
class Dialect:
    """A way to write a patch down."""

    form: Form
    header: Header
    frame: Frame = Frame.NONE
    slip: Slip = Slip.NONE

    def __str__(self) -> str:
        return f"{self.form.value}, {self.header.value}, {self.frame.value}, {self.slip.value}"


class Wanted(Enum):
    """What a tool should do with a case."""

    EXACT = "applied exactly"
    ANSWERED = "applied exactly or told the right line"
    EITHER = "applied exactly or refused"
    REFUSAL = "refused"


@dataclass(frozen=True, slots=True)
class Draft:
    """What a class of cases makes of a commit; no `expected` where it must be refused."""

    base: Tree
    sections: tuple[Section, ...]
    expected: Tree | None


@dataclass(frozen=True, slots=True)
class Case:
    """A patch, the files that it is applied to, and what must become of them."""

    kind: str
    number: int
    commit: Commit
    draft: Draft
    dialect: Dialect
    wanted: Wanted

    @property
    def name(self) -> str:
        """The name of the case, unique in a run."""
        return f"{self.kind}-{self.number:03}"


def to_bytes(lines: tuple[str, ...], ending: str = "\n") -> bytes:
    """The bytes of a file of these lines."""
    return "".join(line + ending for line in lines).encode()
