"""Hunks with far more lines to find than the file has: refused before any is compared.

Rule: the project's decision. Whatever is put up with leaves out few lines of a hunk, but for blank
ones; another hunk can add lines that it shows; and one that is applied already has left those of
its postimage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from git_opatch.outcome import Failure, Reason, failure_of
from git_opatch.patch import Hunk, Mark
from git_opatch.text import Text

_SPARE = 1000
"""A hunk that is longer by less is looked for: the nearest place says more than its length."""


def without_longer(
    hunks: Sequence[Hunk], text: Text, fuzz: int
) -> tuple[list[Hunk], list[Failure]]:
    """Those of a file's `hunks` that may stand in `text`, and the failures of the others."""
    most = len(text.lines) + 2 * fuzz + _SPARE
    if all(len(hunk.lines) <= most for hunk in hunks):
        return list(hunks), []
    solid = [Counter(line.mark for line in hunk.lines if line.text.strip()) for hunk in hunks]
    added = sum(marks[Mark.ADDED] for marks in solid)
    kept, failures = [], []
    for hunk, marks in zip(hunks, solid, strict=True):
        if _is_longer(hunk, marks, most + added - marks[Mark.ADDED]):
            failures.append(_failure(hunk, marks.total() - marks[Mark.ADDED], len(text.lines)))
        else:
            kept.append(hunk)
    return kept, failures


def _is_longer(hunk: Hunk, solid: Counter[Mark], most: int) -> bool:
    """Whether `hunk` has more than `most` lines that are not blank, before its change and after.

    One without a change is for no place, however long it is.
    """
    before, after = (solid.total() - solid[mark] for mark in (Mark.ADDED, Mark.REMOVED))
    leaves_none = solid[Mark.REMOVED] == len(hunk.lines)
    changes = solid.total() > solid[Mark.CONTEXT]
    return changes and before > most and (after > most or leaves_none)


def _failure(hunk: Hunk, count: int, there: int) -> Failure:
    message = f"is longer than the file: it has {count} lines to find, and the file has {there}"
    return failure_of(hunk, Reason.NOT_FOUND, message, "re-read the file and send the hunk again")
