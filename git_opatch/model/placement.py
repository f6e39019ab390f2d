"""A hunk's placement: where it goes, what decided that, and what was tolerated.

Positions count from 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from git_opatch.model.options import Tier
from git_opatch.model.patch import Hunk, changed_span


class Evidence(Enum):
    """What decided between a hunk's candidates: in words; JSON has the name in lower case."""

    UNIQUE = "unique"
    END_OF_FILE = "end of file"
    ANCHOR = "anchor"
    HUNK_ORDER = "order of the hunks"
    STATED_LINE = "stated line number"
    AFTER_ANCHOR = "after its anchor"
    NEAREST = "nearest"


class Likeness(Enum):
    """How a line of the patch matches its line of the file; the value is what differs."""

    EXACT = ""
    INDENTATION = "indentation"
    WHITESPACE = "whitespace"
    HEADING_LEVEL = "heading level"
    CASE = "letter case"
    TEXT = "typography or punctuation"
    LETTERS = "Unicode form or invisible characters"
    QUOTES = "quotes"
    WIDTH = "the width of its signs"
    COMMENT = "a comment at the end"
    END = "the end, which is cut off"
    BEGINNING = "the beginning, which is cut off"


class Repair(Enum):
    """What of a whole hunk was overlooked; the value says it."""

    LOST_PREFIXES = "its context lacked its prefixes"
    DOUBLED_PREFIXES = "its prefixes were doubled: `--` was read as `-` and `++` as `+`"
    NUMBERED = "its lines had line numbers in front"
    ESCAPED = "its text was escaped: each escape was read as its character"
    ESCAPED_IN_FILE = "its characters were written as the escapes of the file"
    LATIN_1 = "its text was written in Latin-1, as the file is"
    GBK = "its text was written in GBK, as the file is"
    CONSOLE = "its lines were as a console in GBK (code page 936) shows them"
    BLANKS = "its blanks that are neither spaces nor tabs were read as spaces"
    SURPLUS = "blank lines of the patch are not in the file"
    OMITTED = "blank lines of the file are not in the patch"
    MARKER = "a marker stands for lines of the file"
    SHOWS_OTHERS = "its context shows the result of another hunk"


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a hunk is placed.

    `hunk` is the hunk as it was found: repaired, so that its preimage has the file's lines,
    one for one. `start` is the position of its preimage, `evidence` what decided between
    candidates, `likeness` how each line of the preimage matched (empty: all exactly), `repairs`
    what of all of it was overlooked.
    """

    hunk: Hunk
    start: int
    tier: Tier = Tier.STRICT
    evidence: Evidence = Evidence.UNIQUE
    verbatim_endings: bool = False
    r"""Whether the patch's `\r`s are content and added lines are taken as written."""
    likeness: tuple[Likeness, ...] = ()
    repairs: tuple[Repair, ...] = ()
    notes: tuple[str, ...] = ()
    candidate_count: int = 1
    """How many candidates `Evidence.NEAREST` chose from."""
    changed: tuple[int, int] = field(init=False, repr=False, compare=False)
    """The range of the file's lines that change, as start and stop; empty for a pure addition."""

    def __post_init__(self) -> None:
        # Once, since every other hunk of the file is compared with it, and not as a
        # `cached_property`, for the reason given at `Hunk.preimage`.
        object.__setattr__(self, "changed", changed_span(self.hunk, self.start))

    @property
    def line(self) -> int:
        """The line of the file that its preimage begins at, from 1."""
        return self.start + 1

    @property
    def stop(self) -> int:
        """The position after the preimage."""
        return self.start + len(self.hunk.preimage)

    @property
    def exact(self) -> bool:
        """Whether the hunk matches exactly as it is written."""
        return self.tier is Tier.STRICT and not self.repairs
