"""The values of the benchmark: the change of a commit, a patch for it, and a case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

CONTEXT, REMOVED, ADDED, BARE = " ", "-", "+", ""
"""The marks of a hunk's line; a bare line is context whose mark the writer forgot."""

ROOT = "@ROOT@"
"""A placeholder in paths for the absolute path of a case's repository's parent directory."""

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
    """A line of a hunk."""

    prefix: str
    text: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of a patch; `start` is their true position in the old file, from 0."""

    lines: tuple[Line, ...]
    start: int
    anchor: str = ""

    @property
    def before(self) -> tuple[str, ...]:
        """The lines that the file must have."""
        return tuple(line.text for line in self.lines if line.prefix != ADDED)

    @property
    def after(self) -> tuple[str, ...]:
        """The lines that the file will have."""
        return tuple(line.text for line in self.lines if line.prefix != REMOVED)


@dataclass(frozen=True, slots=True)
class Section:
    """The part of a patch for one file."""

    path: str
    hunks: tuple[Hunk, ...]


class Format(Enum):
    """The format of a patch."""

    ENVELOPE = "envelope"
    UNIFIED = "unified"
    CHANGES = "file changes"
    BLOCKS = "search and replace"
    OPERATIONS = "operations"
    STRINGS = "string replacement"


class Header(Enum):
    """The text after the `@@` of a hunk."""

    BARE = "bare"
    ANCHOR = "anchor"
    RIGHT = "right numbers"
    INVENTED = "invented numbers"


class Wrapper(Enum):
    """The wrapper around a patch."""

    NONE = "alone"
    FENCE = "in prose and a fence"
    HEREDOC = "in a heredoc"


class Slip(Enum):
    """What the writer does not know of the format."""

    NONE = "well formed"
    COUNTS = "wrong counts"
    PREFIXES = "names without a/ and b/"
    GRAMMAR = "several format errors"


@dataclass(frozen=True, slots=True)
class Style:
    """A way to write a patch: format, headers, wrapper and mistakes."""

    patch_format: Format
    header: Header
    wrapper: Wrapper = Wrapper.NONE
    slip: Slip = Slip.NONE

    def __str__(self) -> str:
        parts = (self.patch_format, self.header, self.wrapper, self.slip)
        return ", ".join(part.value for part in parts)


class Wanted(Enum):
    """What a tool should do with a case."""

    EXACT = "applied exactly"
    ANSWERED = "applied exactly or shown the right line"
    EITHER = "applied exactly or refused"
    REFUSAL = "refused"


@dataclass(frozen=True, slots=True)
class Draft:
    """A commit as a class of cases changes it; `expected` is None where it must be refused."""

    base: Tree
    sections: tuple[Section, ...]
    expected: Tree | None


@dataclass(frozen=True, slots=True)
class Case:
    """A patch, the files that it is applied to, and the expected result."""

    kind: str
    number: int
    commit: Commit
    draft: Draft
    style: Style
    wanted: Wanted

    @property
    def name(self) -> str:
        """The name of the case, unique in a run."""
        return f"{self.kind}-{self.number:03}"


def to_bytes(lines: tuple[str, ...], ending: str = "\n") -> bytes:
    """Return the bytes of a file with these lines."""
    return "".join(line + ending for line in lines).encode()
