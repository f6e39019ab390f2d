"""All classes of cases by name, and how cases of them are drawn from history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from random import Random

import dialects
import indents
import layout
import refusals
import shapes
import wording
from model import CONTEXT, REMOVED, Case, Commit, Dialect, Frame, Slip, Wanted
from spoil import (
    Maker,
    ambiguous,
    blank_inside,
    clean,
    clean_anchored,
    everywhere,
    misleading,
    once,
    two_spoilings,
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A class of cases: how they are made and written, and what is wanted of a tool."""

    make: Maker
    wanted: Wanted = Wanted.EXACT
    dialects: Sequence[Dialect] = dialects.ALL


_TO_APPLY = {
    "clean-3": Kind(clean(3)),
    "clean-1": Kind(clean(1)),
    "clean-anchored": Kind(clean_anchored, dialects=(dialects.ANCHORED_ENVELOPE,)),
    "clean-numbers-invented": Kind(clean(3), dialects=(dialects.INVENTED_DIFF,)),
    "drift": Kind(shapes.drift),
    "out-of-order": Kind(shapes.out_of_order),
    "overlapping-context": Kind(shapes.overlapping_context),
    "state-after": Kind(shapes.state_after),
    "noop-hunk": Kind(shapes.noop_hunk),
    "crlf-file": Kind(shapes.crlf_file),
    "no-final-newline": Kind(shapes.no_final_newline),
    "missing-leading-space": Kind(once(wording.missing_leading_space)),
    "trailing-blanks": Kind(once(wording.trailing_blanks)),
    "inner-blanks": Kind(once(wording.inner_blanks)),
    "letter-case": Kind(once(wording.letter_case)),
    "typographic": Kind(once(wording.typographic)),
    "backticks": Kind(once(wording.backticks)),
    "trailing-punctuation": Kind(once(wording.trailing_punctuation)),
    "truncated-line": Kind(once(wording.truncated_line)),
    "cosmetic-blank": Kind(once(layout.blank_at_edge)),
    "cosmetic-blank-inside": Kind(blank_inside),
    "dropped-blank": Kind(once(layout.dropped_blank)),
    "eof-overhang": Kind(once(layout.eof_overhang)),
    "dedented": Kind(everywhere(indents.dedented)),
    "some-dedented": Kind(once(indents.some_dedented)),
    "tabs-to-spaces": Kind(everywhere(indents.tabs_to_spaces)),
    "spaces-to-tabs": Kind(everywhere(indents.spaces_to_tabs)),
    "indentation-halved": Kind(everywhere(indents.indentation_halved)),
    "indentation-doubled": Kind(everywhere(indents.indentation_doubled)),
    "two-spoilings": Kind(two_spoilings),
    "fenced": Kind(clean(3), dialects=dialects.framed(Frame.FENCE)),
    "heredoc": Kind(clean(3), dialects=dialects.framed(Frame.HEREDOC)),
    "wrong-counts": Kind(clean(3), dialects=dialects.slipped(Slip.COUNTS)),
    "missing-prefixes": Kind(clean(3), dialects=dialects.slipped(Slip.PREFIXES)),
    "file-changes": Kind(clean(3), dialects=(dialects.CHANGES,)),
    "search-replace": Kind(clean(3), dialects=(dialects.BLOCKS,)),
    "operations": Kind(clean(3), dialects=(dialects.OPERATIONS,)),
}
_TO_ANSWER = {
    "no-grammar": Kind(clean(3), Wanted.ANSWERED, dialects.slipped(Slip.GRAMMAR)),
}
_EITHER = {
    "dropped-blank-beside": Kind(once(layout.dropped_blank_beside), Wanted.EITHER),
    "changes-dedented": Kind(once(indents.changes_dedented), Wanted.EITHER),
    "removed-dedented": Kind(once(indents.removed_dedented), Wanted.EITHER),
    "rest-dedented": Kind(once(indents.rest_dedented), Wanted.EITHER),
    "preimage-dedented": Kind(once(indents.preimage_dedented), Wanted.EITHER),
    "punctuation-in-both": Kind(once(wording.punctuation_in_both), Wanted.EITHER),
    "ambiguous-anchored": Kind(
        ambiguous(anchored=True), Wanted.EITHER, (dialects.ANCHORED_ENVELOPE,)
    ),
    "ambiguous-bare": Kind(ambiguous(anchored=False), Wanted.EITHER, dialects.NUMBERLESS),
    "partly-applied": Kind(refusals.partly_applied, Wanted.EITHER),
    "misleading-strict": Kind(misleading(str), Wanted.EITHER, dialects.NUMBERLESS),
    "misleading-trimmed": Kind(misleading(str.strip), Wanted.EITHER, dialects.NUMBERLESS),
}
_TO_REFUSE = {
    "stale-removed": Kind(refusals.stale(REMOVED), Wanted.REFUSAL),
    "stale-context": Kind(refusals.stale(CONTEXT), Wanted.REFUSAL),
    "changed-operator": Kind(refusals.changed_operator, Wanted.REFUSAL),
    "target-deleted": Kind(refusals.target_deleted, Wanted.REFUSAL),
    "applied-twice": Kind(refusals.applied_twice, Wanted.REFUSAL),
    "missing-file": Kind(refusals.missing_file, Wanted.REFUSAL),
    "one-stale-of-three": Kind(refusals.one_stale_of_three, Wanted.REFUSAL),
    "ambiguous": Kind(refusals.duplicated, Wanted.REFUSAL, dialects.NUMBERLESS),
    "path-escape": Kind(refusals.path_escape, Wanted.REFUSAL),
    "binary": Kind(refusals.binary, Wanted.REFUSAL),
}

KINDS = {**_TO_APPLY, **_TO_ANSWER, **_EITHER, **_TO_REFUSE}


def draw(name: str, histories: Sequence[Sequence[Commit]], count: int, seed: str) -> list[Case]:
    """Up to `count` cases of a class, spread over the repositories; the same for a seed."""
    kind, rng = KINDS[name], Random(f"{seed}:{name}")
    cases: list[Case] = []
    for commit in _in_turn(histories, rng):
        if len(cases) == count:
            break
        draft = kind.make(commit, rng)
        if draft is not None:
            number = len(cases) + 1
            dialect = kind.dialects[number % len(kind.dialects)]
            cases.append(Case(name, number, commit, draft, dialect, kind.wanted))
    return cases


def _in_turn(histories: Sequence[Sequence[Commit]], rng: Random) -> Iterator[Commit]:
    """Every commit once, one of each repository in turn."""
    shuffled = [rng.sample(history, len(history)) for history in histories]
    for round_ in zip_longest(*shuffled):
        yield from (commit for commit in round_ if commit is not None)
