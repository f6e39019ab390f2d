"""Locate the hunks of a file: each gets one position, or a failure that says why. Pure.

    candidates         list the positions of each hunk, at the strictest tier that has any
    claims             refuse a hunk whose anchor, line number or end of file the file contradicts
    disambiguate       narrow them by what the hunk itself says
    hunk_order         narrow them by the order of the file's hunks
    resolve            one candidate is a placement; none or several is a failure
    applied_elsewhere  refuse a position whose twin is changed already
    overlap            refuse what another hunk changes

`tiers` says how lines are compared; `variants`, `omitted_context`, `context_difference`,
`lost_prefix`, `blank_lines`, `repairs` and `unchanged_lines` what is tolerated; `explain` refuses
the others.
`~` and string replacements are first expanded to whole lines: `range_remove`, `replacement`.
`oversized` refuses what would take too long.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from git_opatch.locate.applied_elsewhere import refuse_applied_twins
from git_opatch.locate.candidates import find_candidates
from git_opatch.locate.disambiguate import narrow_by_own_evidence, narrow_by_stated_line
from git_opatch.locate.explain import NotFoundExplainer
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.hunk_order import narrow_by_order
from git_opatch.locate.nearest import choose_nearest
from git_opatch.locate.overlap import refuse_overlaps
from git_opatch.locate.resolve import Resolver
from git_opatch.model.failure import Failure, HunkResult
from git_opatch.model.options import Ambiguous, Matching
from git_opatch.model.patch import Hunk
from git_opatch.model.placement import Placement
from git_opatch.model.sentences import Fault
from git_opatch.model.text import Text

_DEFAULT_MATCHING = Matching()
_MAX_TRIES = 3
"""How often a part is located beside ever fewer hunks that are left out."""
_ORDINAL = attrgetter("ordinal")


def locate_hunks(
    hunks: Sequence[Hunk],
    text: Text,
    matching: Matching = _DEFAULT_MATCHING,
    changed: Sequence[range] = (),
    placed: Sequence[Hunk] = (),
    *,
    partly_applied: bool = False,
) -> list[HunkResult]:
    """Locate a file's `hunks` in `text`; the results are in the order of `hunks`.

    A failure names the hunk by its ordinal, and no file. `changed` are lines of the text that other
    hunks of the patch, `placed`, wrote; anchors were written for the file without them.
    `partly_applied` says that the file has some of the patch already, so that line numbers are not
    evidence.
    """
    return refuse_overlaps(
        _locate(hunks, text, matching, changed, placed, partly_applied=partly_applied)
    )


def locate_part(
    hunks: Sequence[Hunk],
    left_out: Sequence[Hunk],
    text: Text,
    matching: Matching,
    *,
    partly_applied: bool = False,
) -> list[HunkResult]:
    """Locate `hunks` as `locate_hunks` does; others of their section are `left_out` (D160).

    They are located together, so that the chosen hunks are where the whole section has them.
    Those of `left_out` that have no position do not count as evidence; and none of them does if a
    chosen hunk has no position beside them, such as one of two versions.
    """
    beside = [hunk for hunk in left_out if hunk.changes and _is_whole_lines(hunk)]
    for _ in range(_MAX_TRIES if beside else 0):
        together = sorted([*hunks, *beside], key=_ORDINAL)
        located = _locate(together, text, matching, partly_applied=partly_applied)
        results = {id(hunk): result for hunk, result in zip(together, located, strict=True)}
        chosen = [results[id(hunk)] for hunk in hunks]
        placed = [hunk for hunk in beside if isinstance(results[id(hunk)], Placement)]
        is_stable = len(placed) == len(beside)
        if is_stable and all(isinstance(result, Placement) for result in chosen):
            return refuse_overlaps(chosen)
        if is_stable or not placed:
            break
        beside = placed
    return locate_hunks(hunks, text, matching, partly_applied=partly_applied)


def _is_whole_lines(hunk: Hunk) -> bool:
    """Return whether a hunk shows all lines that it changes, so that it is not to be expanded."""
    return hunk.replacement is None and not hunk.removed_ranges


def _locate(
    hunks: Sequence[Hunk],
    text: Text,
    matching: Matching,
    changed: Sequence[range] = (),
    placed: Sequence[Hunk] = (),
    *,
    partly_applied: bool,
) -> list[HunkResult]:
    """Locate each of `hunks`, whatever the others change."""
    file_index = FileIndex(text, hunks, changed, placed, path=matching.path)
    all_candidates = [find_candidates(hunk, file_index, matching) for hunk in hunks]
    narrow_by_own_evidence(all_candidates, file_index)
    if matching.ordered:
        narrow_by_order(all_candidates)
    if not partly_applied:
        narrow_by_stated_line(all_candidates, file_index)
    if matching.ambiguous is Ambiguous.NEAREST:
        choose_nearest(all_candidates, file_index)
    resolver = Resolver(file_index, all_candidates, matching)
    results = [resolver.resolve(candidates) for candidates in all_candidates]
    return refuse_applied_twins(results, all_candidates, file_index, partly_applied=partly_applied)


def refuse_absent(hunks: Sequence[Hunk], text: Text, matching: Matching) -> list[Failure]:
    """Refuse those of `hunks`, which change nothing, that are not in `text` (D29).

    Where they are does not matter, nor how often. Blank lines alone are everywhere.
    """
    sought = [hunk for hunk in hunks if any(line.text.strip() for line in hunk.preimage)]
    if not sought:
        return []
    file_index = FileIndex(text, sought, path=matching.path)
    all_candidates = [find_candidates(hunk, file_index, matching) for hunk in sought]
    explainer = NotFoundExplainer(file_index, all_candidates, matching)
    missing = [candidates for candidates in all_candidates if not candidates.positions]
    refused = map(explainer.refuse, missing)
    return [failure._replace(fault=Fault.LOST_PREFIX, hint=None) for failure in refused]
