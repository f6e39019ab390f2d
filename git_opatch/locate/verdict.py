"""Finished searches to placements and to failures that say why."""

from __future__ import annotations

import re
from collections.abc import Sequence

from git_opatch.locate.anchor import belonging
from git_opatch.locate.applied import stand, where_already
from git_opatch.locate.evidence import contradiction, is_exact
from git_opatch.locate.haystack import Haystack
from git_opatch.locate.nearest import Nearby
from git_opatch.locate.search import Search, search
from git_opatch.locate.settle import settled
from git_opatch.locate.tiers import likeness
from git_opatch.options import Matching, Tier
from git_opatch.outcome import Failure, Likeness, Nearest, Placement, Reason, failure_of
from git_opatch.patch import Hunk, Line
from git_opatch.text import visible

_MOST_LISTED = 1000
_MOST_FUZZ = 3
"""More fuzz than this is not advised."""
_MOST_ADVISED = 20


class Verdicts:
    """Turns the finished searches of one file into placements and failures."""

    def __init__(self, haystack: Haystack, searches: Sequence[Search], matching: Matching) -> None:
        self._haystack = haystack
        self._searches = searches
        self._matching = matching
        self._nearby: Nearby | None = None
        self._advised = 0

    def of(self, attempt: Search) -> Placement | Failure:
        """The verdict on one hunk."""
        if not attempt.places:
            return self._nowhere(attempt)
        if not attempt.found:
            return self._fail(attempt, Reason.AMBIGUOUS, *_ambiguous(attempt))
        place = attempt.places[0]
        there = where_already(attempt.hunk_at(place), place, self._haystack, attempt.tier)
        if there is not None:
            return self._applied(attempt, *there)
        against = contradiction(attempt, place, self._haystack)
        if against:
            elsewhere = self._applied_under_anchor(attempt)
            if elsewhere is not None:
                return self._applied(attempt, elsewhere, Tier.STRICT)
            advice = "re-read the file and send the hunk again"
            return self._fail(attempt, Reason.CONTRADICTED, against, advice)
        doubt = attempt.fits[place].doubt if place in attempt.fits else None
        if doubt is not None:
            return self._doubtful(attempt, doubt)
        return self._placement(attempt, place)

    def _applied_under_anchor(self, attempt: Search) -> int | None:
        """The only place under a hunk's anchors where its new lines stand, strictly."""
        places = stand(attempt.hunk, self._haystack, Tier.STRICT)
        under = belonging(places, attempt.anchored.positions, self._haystack)
        return under[0] if len(under) == 1 else None

    def _placement(self, attempt: Search, place: int) -> Placement:
        hunk = attempt.hunk_at(place)
        strict = attempt.tier is Tier.STRICT
        keeps = strict and not hunk.framed and self._haystack.has_endings(hunk.preimage, place)
        notes = tuple(
            f"the anchor `{visible(anchor.text)}` is nowhere in the file"
            for anchor in attempt.anchored.missing
            if not anchor.weak
        )
        return Placement(
            settled(hunk, () if strict else self._there(hunk, place)),
            place,
            attempt.tier,
            attempt.evidence,
            keeps,
            () if strict else tuple(self._likeness(hunk, place)),
            (*attempt.repairs, *_blanks(attempt, place)),
            notes,
        )

    def _likeness(self, hunk: Hunk, place: int) -> list[Likeness]:
        there = self._there(hunk, place)
        return [self._alike(*pair) for pair in zip(hunk.preimage, there, strict=True)]

    def _there(self, hunk: Hunk, place: int) -> Sequence[bytes]:
        """The file's lines for the preimage of `hunk`."""
        return self._haystack.lines[place : place + len(hunk.preimage)]

    def _alike(self, line: Line, found: bytes) -> Likeness:
        if is_exact(line, found, self._haystack):
            return Likeness.EXACT
        return likeness(self._haystack.normal(line.text), found)

    def _nowhere(self, attempt: Search) -> Failure:
        if attempt.refused:
            advice = "add a line of context, or `@@` and the line that stands before the change"
            return self._fail(attempt, Reason.NO_PLACE, attempt.refused, advice)
        if attempt.applied is not None:
            return self._applied(attempt, attempt.applied, attempt.tier)
        return self._not_found(attempt)

    def _applied(self, attempt: Search, place: int, tier: Tier) -> Failure:
        certain, stand = tier is Tier.STRICT, f"its new lines stand at line {place + 1}"
        message = (
            f"is already applied: {stand}"
            if certain
            else f"may be applied already: {stand}, if only loosely"
        )
        advice = "" if certain else "re-read the file; if the change is not there, send it again"
        failure = self._fail(attempt, Reason.ALREADY_APPLIED, message, advice, places=(place,))
        return failure._replace(certain=certain)

    def _doubtful(self, attempt: Search, position: int) -> Failure:
        return self._fail(
            attempt,
            Reason.NO_PLACE,
            f"has not the blank lines that the file has at line {position + 1}, beside a line "
            "that it adds, so there is no telling on which side that belongs",
            "send the hunk again with the file's blank lines",
        )

    def _not_found(self, attempt: Search) -> Failure:
        if self._nearby is None:
            lost = [other.hunk for other in self._searches if not other.places]
            self._nearby = Nearby(self._haystack, lost)
        nearest = self._nearby.nearest(attempt.hunk, attempt.anchored.positions)
        if nearest is None:
            nearest = Nearest(0, attempt.hunk.preimage[0], ())
            advice = ["none of its lines is in the file; re-read the file and send the hunk again"]
        else:
            advice = []
        advice += _elisions(attempt.hunk)
        if not nearest.line.marked:
            advice.append("it begins with neither ` `, `-` nor `+`, and was taken for context")
        advice += self._looser(attempt)
        text = "\n".join(advice)
        return self._fail(attempt, Reason.NOT_FOUND, "does not match", text, nearest=nearest)

    def _looser(self, attempt: Search) -> list[str]:
        """What the user could allow so that the hunk has a place; empty if nothing."""
        if not self._matching.can_loosen or self._advised >= _MOST_ADVISED:
            return []
        self._advised += 1
        for tier in tuple(Tier)[len(self._matching.tier.upto) :]:
            found = search(attempt.hunk, self._haystack, self._matching._replace(tier=tier))
            if found.found:
                place = found.places[0] + 1
                return [f"a later tier would place it, at line {place}: --match {tier.value}"]
        for fuzz in range(self._matching.fuzz + 1, _MOST_FUZZ + 1):
            found = search(attempt.hunk, self._haystack, self._matching._replace(fuzz=fuzz))
            if found.found:
                place = found.places[0] + 1
                return [f"without its outer context it would fit, at line {place}: --fuzz {fuzz}"]
        return []

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
        there: tuple[tuple[int, bytes], ...] = ()
        if attempt.places and not places:
            places = tuple(attempt.places[:_MOST_LISTED])
            there = self._found(attempt, places[0])
        return failure_of(
            attempt.hunk, reason, message, advice, places=places, there=there, nearest=nearest
        )

    def _found(self, attempt: Search, place: int) -> tuple[tuple[int, bytes], ...]:
        """The file's lines where the hunk would stand, numbered."""
        return tuple(enumerate(self._there(attempt.hunk_at(place), place), place))


_DOTS = rb"(?:\.\.\.|\xe2\x80\xa6)"
_ELISION = re.compile(rb"\W*" + _DOTS + rb"(?:[\w ]*" + _DOTS + rb"| [\w ]+)?\W*")
_LONGEST_ELISION = 100


def _elisions(hunk: Hunk) -> list[str]:
    """What to say of a context line such as `# ... existing code ...`."""
    return [
        f"line {line.number}, `{visible(line.text.strip())}`, leaves lines out; begin a new hunk "
        "with `@@` after it, or write the lines"
        for line in hunk.preimage
        if len(line.text) < _LONGEST_ELISION and _ELISION.fullmatch(line.text)
    ][:1]


def _blanks(attempt: Search, place: int) -> list[str]:
    """What was done about blank lines that one side lacks."""
    if place not in attempt.fits:
        return []
    fit = attempt.fits[place]
    surplus = sum(fit.misfits) - fit.omitted
    return [
        f"{count} blank line{'s' * (count > 1)} {what}"
        for count, what in (
            (fit.omitted, "of the file left out"),
            (surplus, "of the patch not in the file"),
        )
        if count
    ]


def _ambiguous(attempt: Search) -> tuple[str, str]:
    shown = ", ".join(str(place + 1) for place in attempt.places[:5])
    if attempt.countless:
        message = f"fits more than {len(attempt.places) - 1} places; the first are lines {shown}"
    else:
        more = "" if len(attempt.places) <= 5 else ", …"
        loosely = "only loosely, and " if attempt.alone else ""
        message = f"fits {loosely}{len(attempt.places)} places: lines {shown}{more}"
    return message, _what_would_tell(attempt)


def _what_would_tell(attempt: Search) -> str:
    """What the patch could say so that one of several places is meant."""
    if attempt.alone:
        return "a loose match must be the only one; re-read the file and send the hunk again"
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
