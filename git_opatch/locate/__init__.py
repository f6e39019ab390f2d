"""A file's hunks to one place each, or to a failure that says why.

    search    list the places of each hunk, at the strictest tier that has any
    evidence  narrow them by what the hunk itself says
    order     narrow them by what the file's hunks say together
    verdict   one place is a placement; none or several is a failure
    elsewhere refuse a place whose twin is changed already
    overlap   refuse what another hunk changes

How lines are compared is decided in `tiers`, what is mended in `blanks`, `repairs` and
`settle`.
"""

from __future__ import annotations

from collections.abc import Sequence

from git_opatch.locate.elsewhere import without_twins
from git_opatch.locate.evidence import OF_ONE_HUNK, are_confirmed, are_credible, stated_number
from git_opatch.locate.haystack import Haystack
from git_opatch.locate.order import narrow_by_order
from git_opatch.locate.overlap import without_overlap
from git_opatch.locate.proximity import choose_nearest
from git_opatch.locate.search import search
from git_opatch.locate.verdict import Verdicts
from git_opatch.options import Ambiguous, Matching
from git_opatch.outcome import Failure, Placement
from git_opatch.patch import Hunk
from git_opatch.text import Text

_BY_DEFAULT = Matching()


def locate_hunks(
    hunks: Sequence[Hunk],
    text: Text,
    matching: Matching = _BY_DEFAULT,
    made: Sequence[range] = (),
    *,
    partly: bool = False,
) -> list[Placement | Failure]:
    """Where each of a file's `hunks` stands in `text`, in the order given.

    Pure. A failure names the hunk by its ordinal, and no file. `made` are lines of the text
    that other hunks of the patch made; anchors were written for the file without them.
    `partly` is whether the file has some of the patch already.
    """
    haystack = Haystack(text, hunks, made)
    searches = [search(hunk, haystack, matching) for hunk in hunks]
    undecided = [attempt for attempt in searches if attempt.open]
    for attempt in undecided:
        for name, question in OF_ONE_HUNK:
            if attempt.open:
                attempt.narrow(question(attempt, haystack), name)
    if matching.ordered:
        narrow_by_order(searches, len(haystack.lines))
    if undecided and not partly and are_credible(searches):
        confirmed = are_confirmed(searches)
        for attempt in undecided:
            stated = stated_number(attempt, haystack, confirmed=confirmed)
            attempt.narrow(stated, "stated line number")
    if matching.ambiguous is Ambiguous.NEAREST:
        choose_nearest(searches, haystack, matching.proximity)
    verdicts = Verdicts(haystack, searches, matching)
    found = [verdicts.of(attempt) for attempt in searches]
    return without_overlap(without_twins(found, searches, haystack, partly=partly))
