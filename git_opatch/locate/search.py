"""One hunk's search: in what shape it was found, where, and what evidence is left.

The places of a hunk are listed here; which of several is meant is decided in `evidence`
and `order`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from git_opatch.locate.anchor import Anchored, find_anchors
from git_opatch.locate.haystack import Haystack, shapes
from git_opatch.locate.seek import MOST_PLACES
from git_opatch.patch import Hunk, Line, Mark, Placement, context_around
from git_opatch.text import visible


@dataclass
class Search:
    """What is known of one hunk; `places` are positions of its preimage, in order."""

    hunk: Hunk
    anchored: Anchored
    shape: Hunk
    places: list[int] = field(default_factory=list)
    evidence: str = "unique"
    refused: str = ""
    """Why a hunk without a preimage has no place at all."""

    @property
    def found(self) -> bool:
        """Whether exactly one place is left."""
        return len(self.places) == 1

    @property
    def countless(self) -> bool:
        """Whether there are more places than were listed, so that none can be chosen."""
        return len(self.places) > MOST_PLACES

    def narrow(self, places: list[int], evidence: str) -> None:
        """Keep `places`, if they are some but not all, and note what decided."""
        if 0 < len(places) < len(self.places):
            self.places = places
            if len(places) == 1:
                self.evidence = evidence

    @cached_property
    def span(self) -> tuple[int, int]:
        """From where to where the file changes, counted from the hunk's place."""
        return Placement(self.shape, 0).changed


def search(hunk: Hunk, haystack: Haystack) -> Search:
    """List the places of `hunk`, in the fullest shape that has any."""
    anchored = find_anchors(hunk.anchors, haystack)
    for shape in shapes(hunk, haystack):
        attempt = Search(hunk, anchored, shape)
        if shape.preimage:
            attempt.places = haystack.places(shape.preimage)
        else:
            _place_addition(attempt, haystack)
        if attempt.places:
            return attempt
    return Search(hunk, anchored, hunk, refused=attempt.refused)


def _place_addition(attempt: Search, haystack: Haystack) -> None:
    """Where a hunk of added lines alone goes.

    Rule: OpenCode's line matching, "Handle pure additions", and its format, "Context
    Seeking": after the anchor; without one, or with `*** End of File`, at the end.
    """
    hunk, end = attempt.hunk, len(haystack.lines)
    strong = [anchor for anchor in hunk.anchors if not anchor.weak]
    if end == 0 or hunk.at_end_of_file:
        attempt.places, attempt.evidence = [end], "end of file"
    elif hunk.start is not None and not strong:
        attempt.refused = "has only added lines and numbers, and numbers are not trusted"
    elif not strong and not hunk.is_last:
        attempt.refused = "has only added lines, which go to the end of the file, but is not last"
    elif not strong:
        attempt.places, attempt.evidence = [end], "end of file"
    elif attempt.anchored.missing or not attempt.anchored.full:
        anchor = visible(strong[-1].text.strip())
        attempt.refused = f"has only added lines, and its anchor `{anchor}` is no line of the file"
    else:
        attempt.places = [at + 1 for at in attempt.anchored.positions]
        attempt.evidence = "after its anchor"


def where_already(hunk: Hunk, place: int, haystack: Haystack) -> int | None:
    """Where the lines after the change stand over `place`, if it was applied before.

    Rule: "The change is there already" in the project's decisions. At least one added
    line that is not blank must say so; a pure deletion leaves nothing to see. Where the new
    lines are no more than the old ones, they may be those very lines, and say nothing.
    """
    after = hunk.postimage
    if not adds_text(hunk) or len(after) <= len(hunk.preimage):
        return None
    before, behind = context_around(hunk.lines)
    starts = [place]
    if behind or not before:
        starts.append(place + len(hunk.preimage) - len(after))
    return next((at for at in starts if at >= 0 and haystack.stands(after, at)), None)


def adds_text(hunk: Hunk) -> bool:
    """Whether the hunk adds a line that is not blank."""
    return any(_is_added_text(line) for line in hunk.lines)


def _is_added_text(line: Line) -> bool:
    return line.mark is Mark.ADDED and bool(line.text.strip())
