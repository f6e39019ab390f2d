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
from git_opatch.model.sentences import Fault
from git_opatch.model.text import Text

_DEFAULT_MATCHING = Matching()


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
