"""A claim of a hunk, at the position where it would go, and what became of it (D80)."""

from __future__ import annotations

from typing import NamedTuple

from git_opatch.locate.candidates import Candidates
from git_opatch.locate.file_index import FileIndex
from git_opatch.model.failure import Problem
from git_opatch.model.options import Matching
from git_opatch.model.patch import Hunk


class Ignored(NamedTuple):
    """A claim that does not hold, of a kind that is noise: the note that says so."""

    note: str


Verdict = Problem | Ignored | None
"""A problem if the claim does not hold; None if it does, or there is none."""


class HunkAtPosition(NamedTuple):
    """A hunk at the only position that is left for it, in its file."""

    candidates: Candidates
    position: int
    file_index: FileIndex
    none_moved: bool = False
    """Whether no other hunk with one candidate is elsewhere than its line number says."""
    matching: Matching = Matching()

    @property
    def hunk(self) -> Hunk:
        """The hunk as the file has it."""
        return self.candidates.hunk_at(self.position)

    @property
    def stop(self) -> int:
        """The position after the hunk's preimage."""
        return self.position + len(self.hunk.preimage)
