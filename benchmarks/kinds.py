"""All classes of cases by name, and the selection of cases from history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from random import Random

import indents
import layout
import refusals
import shapes
import styles
import wording
from model import CONTEXT, REMOVED, Case, Commit, Slip, Style, Wanted, Wrapper
from spoil import (
    Maker,
    ambiguous,
    clean,
    clean_anchored,
    everywhere,
    misleading,
    once,
    two_spoilings,
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A class of cases: how they are made and written, and the expected result."""

    make: Maker
    wanted: Wanted = Wanted.EXACT
    styles: Sequence[Style] = styles.ALL


_TO_APPLY = {
    "clean-3": Kind(clean(3)),
    "clean-1": Kind(clean(1)),
    "clean-anchored": Kind(clean_anchored, styles=(styles.ANCHORED_ENVELOPE,)),
    "clean-numbers-invented": Kind(clean(3), styles=(styles.INVENTED_DIFF,)),
    "drift": Kind(shapes.drift),
    "out-of-order": Kind(shapes.out_of_order),
    "overlapping-context": Kind(shapes.overlapping_context),
    "state-after": Kind(shapes.state_after),
    "noop-hunk": Kind(shapes.noop_hunk),
    "crlf-file": Kind(shapes.crlf_file),
    "no-final-newline": Kind(shapes.no_final_newline),
    "missing-leading-space": Kind(once(wording.missing_leading_space)),
    "trailing-blanks": Kind(once(wording.trailing_spaces)),
    "inner-blanks": Kind(once(wording.inner_spaces)),
    "letter-case": Kind(once(wording.letter_case)),
    "typographic": Kind(once(wording.typographic)),
    "backticks": Kind(once(wording.backticks)),
    "trailing-punctuation": Kind(once(wording.trailing_punctuation)),
    "truncated-line": Kind(once(wording.truncated_line)),
    "cosmetic-blank": Kind(once(layout.blank_line_at_edge)),
    "cosmetic-blank-inside": Kind(once(layout.blank_line_inside)),
    "dropped-blank": Kind(once(layout.dropped_blank_line)),
    "eof-overhang": Kind(once(layout.eof_overhang)),
    "dedented": Kind(everywhere(indents.dedented)),
    "some-dedented": Kind(once(indents.some_dedented)),
    "tabs-to-spaces": Kind(everywhere(indents.tabs_to_spaces)),
    "spaces-to-tabs": Kind(everywhere(indents.spaces_to_tabs)),
    "indentation-halved": Kind(everywhere(indents.indentation_halved)),
    "indentation-doubled": Kind(everywhere(indents.indentation_doubled)),
    "two-spoilings": Kind(two_spoilings),
    "fenced": Kind(clean(3), styles=styles.wrapped(Wrapper.FENCE)),
    "heredoc": Kind(clean(3), styles=styles.wrapped(Wrapper.HEREDOC)),
    "wrong-counts": Kind(clean(3), styles=styles.slipped(Slip.COUNTS)),
    "missing-prefixes": Kind(clean(3), styles=styles.slipped(Slip.PREFIXES)),
    "file-changes": Kind(clean(3), styles=(styles.CHANGES,)),
    "search-replace": Kind(clean(3), styles=(styles.BLOCKS,)),
    "operations": Kind(clean(3), styles=(styles.OPERATIONS,)),
    "string-replace": Kind(clean(3), styles=(styles.STRINGS,)),
    "string-replace-tight": Kind(clean(1), styles=(styles.STRINGS,)),
    "copied-numbers": Kind(everywhere(wording.copied_numbers)),
}
_TO_ANSWER = {
    "no-grammar": Kind(clean(3), Wanted.ANSWERED, styles.slipped(Slip.GRAMMAR)),
}
_EITHER = {
    "dropped-blank-beside": Kind(once(layout.dropped_blank_line_beside), Wanted.EITHER),
    "changes-dedented": Kind(once(indents.changes_dedented), Wanted.EITHER),
    "removed-dedented": Kind(once(indents.removed_dedented), Wanted.EITHER),
    "rest-dedented": Kind(once(indents.rest_dedented), Wanted.EITHER),
    "preimage-dedented": Kind(once(indents.preimage_dedented), Wanted.EITHER),
    "punctuation-in-both": Kind(once(wording.punctuation_in_both), Wanted.EITHER),
    "ambiguous-anchored": Kind(
        ambiguous(anchored=True), Wanted.EITHER, (styles.ANCHORED_ENVELOPE,)
    ),
    "ambiguous-bare": Kind(ambiguous(anchored=False), Wanted.EITHER, styles.NUMBERLESS),
    "partly-applied": Kind(refusals.partly_applied, Wanted.EITHER),
    "misleading-strict": Kind(misleading(str), Wanted.EITHER, styles.NUMBERLESS),
    "misleading-trimmed": Kind(misleading(str.strip), Wanted.EITHER, styles.NUMBERLESS),
}
_TO_REFUSE = {
    "stale-removed": Kind(refusals.stale(REMOVED), Wanted.REFUSAL),
    "stale-context": Kind(refusals.stale(CONTEXT), Wanted.REFUSAL),
    "changed-operator": Kind(refusals.changed_operator, Wanted.REFUSAL),
    "target-deleted": Kind(refusals.target_deleted, Wanted.REFUSAL),
    "applied-twice": Kind(refusals.applied_twice, Wanted.REFUSAL),
    "missing-file": Kind(refusals.missing_file, Wanted.REFUSAL),
    "one-stale-of-three": Kind(refusals.one_stale_of_three, Wanted.REFUSAL),
    "ambiguous": Kind(refusals.duplicated, Wanted.REFUSAL, styles.NUMBERLESS),
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
            style = kind.styles[number % len(kind.styles)]
            cases.append(Case(name, number, commit, draft, style, kind.wanted))
    return cases


def _in_turn(histories: Sequence[Sequence[Commit]], rng: Random) -> Iterator[Commit]:
    """Every commit once, one of each repository in turn."""
    shuffled = [rng.sample(history, len(history)) for history in histories]
    for round_ in zip_longest(*shuffled):
        yield from (commit for commit in round_ if commit is not None)
