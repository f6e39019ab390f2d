"""A hunk's placement: where it goes, what decided that, and what was tolerated.

Positions count from 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from git_opatch.model.options import Tier
from git_opatch.model.patch import Hunk, changed_span

NumberedLines = tuple[tuple[int, bytes], ...]
"""Lines of the file, each with its position."""


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


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a hunk is placed.

    `hunk` is the hunk as it was found: repaired, so that its preimage has the file's lines,
    one for one. `start` is the position of its preimage, `evidence` what decided between
    candidates, `likeness` how each line of the preimage matched (empty: all exactly), `repairs`
    what was repaired, in words.
    """

    hunk: Hunk
    start: int
    tier: Tier = Tier.STRICT
    evidence: Evidence = Evidence.UNIQUE
    verbatim_endings: bool = False
    r"""Whether the patch's `\r`s are content and added lines are taken as written."""
    likeness: tuple[Likeness, ...] = ()
    repairs: tuple[str, ...] = ()
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
    def found(self) -> NumberedLines:
        """The file's lines at that position."""
        return tuple((at, line.text) for at, line in enumerate(self.hunk.preimage, self.start))

    @property
    def exact(self) -> bool:
        """Whether the hunk matches exactly as it is written."""
        return self.tier is Tier.STRICT and not self.repairs
