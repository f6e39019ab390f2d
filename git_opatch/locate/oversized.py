"""Refuse what would take too long, before any line is compared (D39).

That is a hunk with far more lines to find than the file has, and a file in too many sections.

It must not compare lines.

All that is tolerated leaves out few lines of a hunk, but for blank ones; other hunks can add lines
that it shows; and a hunk that is already applied has left its postimage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from git_opatch.model.blob import Blob
from git_opatch.model.failure import Failure, failure_of, refusal
from git_opatch.model.limits import FEW, MANY
from git_opatch.model.patch import FilePatch, Hunk, Patch, Prefix
from git_opatch.model.sentences import Fault
from git_opatch.model.text import Text

_MOST_LINES = 2_000_000
"""So many lines are looked through for the sections of a file: 1,000 sections of 2,000 lines."""


def refuse_repeated(patch: Patch, file_of: Callable[[str], Blob | None]) -> Iterator[Failure]:
    """Yield a failure for each file in so many sections that to look through it for each, as those
    before leave it, takes too long; `file_of` is the file of that name."""
    sections: dict[str, list[FilePatch]] = {}
    for section in patch.files:
        of_file = sections.pop(section.path, [])
        of_file.append(section)
        sections[section.new_path or section.path] = of_file
    for of_file in sections.values():
        if len(of_file) > FEW:
            hunks = [hunk for section in of_file for hunk in section.hunks]
            grown = sum(len(hunk.postimage) - len(hunk.preimage) for hunk in hunks)
            names = (of_file[0].path, of_file[0].alternate or "")
            size = sum(len(file.text.lines) for file in map(file_of, names) if file)
            count, size = len(of_file), size + max(grown, 0)
            if count * size > _MOST_LINES:
                yield refusal(of_file[0], Fault.TOO_MANY_SECTIONS, count=count, size=size)


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
