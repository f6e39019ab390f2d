"""A file's hunks to one place each, or to a failure that says why.

    search    list the places of each hunk
    evidence  narrow them by what the hunk itself says
    order     narrow them by what the file's hunks say together
    verdict   one place is a placement; none or several is a failure

Lines match at the strict tier, character for character; how they are compared is decided in
`Haystack`, once for the lines of the file and once for those of the patch.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from git_opatch.errors import Kind
from git_opatch.locate.evidence import OF_ONE_HUNK, contradiction, stated_number
from git_opatch.locate.haystack import Haystack, shapes
from git_opatch.locate.nearest import Nearby, difference
from git_opatch.locate.order import narrow_by_order
from git_opatch.locate.search import Search, adds_text, search, where_already
from git_opatch.patch import Failure, Hunk, Nearest, Placement, Reason
from git_opatch.text import Text, visible

_MOST_LISTED = 1000


def locate_hunks(hunks: Sequence[Hunk], text: Text) -> list[Placement | Failure]:
    """Where each of a file's `hunks` stands in `text`, in the order given.

    Pure. A failure names the hunk by its ordinal, and no file.
    """
    haystack = Haystack(text, hunks)
    searches = [search(hunk, haystack) for hunk in hunks]
    for attempt in searches:
        if not attempt.countless:
            for name, question in OF_ONE_HUNK:
                attempt.narrow(question(attempt, haystack), name)
    narrow_by_order(searches)
    for attempt in searches:
        if not attempt.countless:
            attempt.narrow(stated_number(attempt), "stated line number")
    verdicts = _Verdicts(haystack, searches)
    return _without_overlap([verdicts.of(attempt) for attempt in searches])


class _Verdicts:
    """Turns finished searches into placements and failures."""

    def __init__(self, haystack: Haystack, searches: Sequence[Search]) -> None:
        self._haystack = haystack
        self._searches = searches
        self._nearby: Nearby | None = None

    def of(self, attempt: Search) -> Placement | Failure:
        """The verdict on one hunk."""
        if not attempt.places:
            return self._nowhere(attempt)
        if not attempt.found:
            return self._fail(attempt, Reason.AMBIGUOUS, *_ambiguous(attempt))
        place = attempt.places[0]
        there = where_already(attempt.shape, place, self._haystack)
        if there is not None:
            return self._applied(attempt, there)
        against = contradiction(attempt, place, self._haystack)
        if against:
            return self._fail(
                attempt,
                Reason.CONTRADICTED,
                against,
                "re-read the file and send the hunk again",
            )
        return self._placement(attempt, place)

    def _placement(self, attempt: Search, place: int) -> Placement:
        shape = attempt.shape
        keeps = not shape.framed and self._haystack.has_endings(shape.preimage, place)
        notes = tuple(
            f"the anchor `{visible(anchor.text)}` is nowhere in the file"
            for anchor in attempt.anchored.missing
            if not anchor.weak
        )
        return Placement(shape, place, evidence=attempt.evidence, keeps_endings=keeps, notes=notes)

    def _nowhere(self, attempt: Search) -> Failure:
        if attempt.refused:
            advice = "add a line of context, or `@@` and the line that stands before the change"
            return self._fail(attempt, Reason.NO_PLACE, attempt.refused, advice)
        for shape in shapes(attempt.hunk, self._haystack):
            after = self._haystack.places(shape.postimage) if adds_text(shape) else []
            if len(after) == 1:
                return self._applied(attempt, after[0])
        return self._not_found(attempt)

    def _applied(self, attempt: Search, place: int) -> Failure:
        return self._fail(
            attempt,
            Reason.ALREADY_APPLIED,
            f"is already applied: its new lines stand at line {place + 1}",
            places=(place,),
        )

    def _not_found(self, attempt: Search) -> Failure:
        if self._nearby is None:
            lost = [other.hunk for other in self._searches if not other.places]
            self._nearby = Nearby(self._haystack.lines, lost, self._haystack.normal)
        nearest = self._nearby.nearest(attempt.hunk, attempt.anchored.positions)
        message = "does not match"
        if nearest is None:
            nearest = Nearest(0, attempt.hunk.preimage[0], ())
            advice = "none of its lines is in the file; re-read the file and send the hunk again"
        else:
            advice = _advice(nearest, len(attempt.hunk.preimage), self._haystack)
        return self._fail(attempt, Reason.NOT_FOUND, message, advice, nearest=nearest)

    def _fail(
        self,
        attempt: Search,
        reason: Reason,
        message: str,
        advice: str = "",
        *,
        places: tuple[int, ...] = (),
        nearest: Nearest | None = None,
    ) -> Failure:
        return Failure(
            reason,
            message,
            hunk=attempt.hunk.ordinal,
            number=nearest.line.number if nearest else attempt.hunk.number,
            places=places or tuple(attempt.places[:_MOST_LISTED]),
            nearest=nearest,
            advice=advice,
            kind=Kind.MATCH,
        )


def _ambiguous(attempt: Search) -> tuple[str, str]:
    shown = ", ".join(str(place + 1) for place in attempt.places[:5])
    if attempt.countless:
        message = f"fits more than {len(attempt.places) - 1} places; the first are lines {shown}"
    else:
        more = "" if len(attempt.places) <= 5 else ", …"
        message = f"fits {len(attempt.places)} places: lines {shown}{more}"
    return message, _what_would_tell(attempt)


def _what_would_tell(attempt: Search) -> str:
    """What the patch could say so that one of several places is meant."""
    missing = [f"`{visible(one.text.strip())}`" for one in attempt.anchored.missing if not one.weak]
    if missing:
        return (
            f"the anchor {missing[0]} is nowhere in the file; correct it, or add lines of context"
        )
    if attempt.hunk.at_end_of_file:
        return "none of them is at the end of the file; add lines of context"
    if attempt.anchored.positions and not all(one.weak for one in attempt.hunk.anchors):
        return "its anchor does not tell them apart; add a second one, or lines of context"
    return "add lines of context, or `@@` and the definition that it stands under"


def _advice(nearest: Nearest, size: int, haystack: Haystack) -> str:
    if nearest.position >= len(haystack.lines):
        kind = "the file ends before this line"
    else:
        kind = difference(haystack.normal(nearest.line.text), haystack.lines[nearest.position])
    first, last = (
        max(nearest.position - 1, 1),
        min(nearest.position + size + 2, len(haystack.lines)),
    )
    return f"{kind}; re-read lines {first}-{last} and send the hunk again"


def _without_overlap(verdicts: list[Placement | Failure]) -> list[Placement | Failure]:
    """Refuse a hunk that changes what another one changes."""
    placed = [
        (one.changed, at, one) for at, one in enumerate(verdicts) if isinstance(one, Placement)
    ]
    placed.sort(key=lambda item: item[:2])
    for (span, first, one), (other, second, two) in pairwise(placed):
        again = span == other and one.hunk.lines == two.hunk.lines and bool(one.hunk.preimage)
        if other[0] < span[1] or again:
            later = max(first, second)
            verdicts[later] = Failure(
                Reason.OVERLAP,
                f"changes the same lines as hunk {(one, two)[later == first].hunk.ordinal}",
                hunk=(one, two)[later == second].hunk.ordinal,
                number=(one, two)[later == second].hunk.number,
                places=(one.start, two.start),
                advice="send the two changes as one hunk",
                kind=Kind.MATCH,
            )
    return verdicts
