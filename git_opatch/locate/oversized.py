"""Refuse hunks with far more lines to find than the file has, before any is compared (D39).

It must not compare lines.

All that is tolerated leaves out few lines of a hunk, but for blank ones; other hunks can add lines
that it shows; and a hunk that is already applied has left its postimage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from git_opatch.model.failure import Failure, failure_of
from git_opatch.model.limits import MANY
from git_opatch.model.patch import Hunk, Prefix
from git_opatch.model.sentences import Fault
from git_opatch.model.text import Text


def refuse_oversized(hunks: Sequence[Hunk], text: Text) -> tuple[list[Hunk], list[Failure]]:
    """Return those of a file's `hunks` that may fit in `text`, and the failures of the others."""
    limit = len(text.lines) + MANY
    if all(len(hunk.lines) <= limit for hunk in hunks):
        return list(hunks), []
    counts = [Counter(line.prefix for line in hunk.lines if line.text.strip()) for hunk in hunks]
    added = sum(count[Prefix.ADDED] for count in counts)
    kept, failures = [], []
    for hunk, count in zip(hunks, counts, strict=True):
        added_by_others = added - count[Prefix.ADDED]
        if _is_oversized(hunk, count, limit + added_by_others):
            to_find = count.total() - count[Prefix.ADDED]
            failures.append(failure_of(hunk, Fault.TOO_LONG, wanted=to_find, size=len(text.lines)))
        else:
            kept.append(hunk)
    return kept, failures


def _is_oversized(hunk: Hunk, count: Counter[Prefix], limit: int) -> bool:
    """Return whether both images of `hunk` have more than `limit` lines that are not blank."""
    preimage, postimage = count.total() - count[Prefix.ADDED], count.total() - count[Prefix.REMOVED]
    leaves_none = count[Prefix.REMOVED] == len(hunk.lines)
    return preimage > limit and (postimage > limit or leaves_none)
