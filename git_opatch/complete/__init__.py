"""Placed hunks and the base's blobs to a standard unified diff.

edits     a placed hunk to edits of a file's lines
draft     the tree as the sections change it, each line's origin carried through
diff      what became of each file, as git writes it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from git_opatch.blob import Change, Entry, Stages
from git_opatch.complete.diff import FileDiff, complete_file
from git_opatch.complete.draft import Draft, Result


class FileSummary(NamedTuple):
    """What becomes of one file: `status` is git's letter A, M, D, R or C."""

    status: str
    path: str
    old_path: str
    added: int
    removed: int
    binary: bool = False
    """Whether git shows no lines of it."""


class Completed(NamedTuple):
    """A whole patch, completed: the diff for git, and the outcome it must have."""

    diff: bytes
    changes: tuple[Change, ...]
    files: tuple[FileSummary, ...]
    results: tuple[Result, ...] = ()

    def contents(self) -> dict[str, bytes]:
        """The bytes that each new or changed file will have, by path."""
        return {one.path: one.content.text.to_bytes() for one in self.results if one.content}


class Conflicts(NamedTuple):
    """Files whose merge has conflicts: what the index is to have of each, by path.

    `whole` is the completed patch with git's markers in them.
    """

    stages: Mapping[str, Stages]
    whole: Completed


def complete(draft: Draft, algorithm: str) -> Completed:
    """The diff of all that `draft` changed; `algorithm` is the repository's hash."""
    return complete_results(draft.results(), algorithm)


def complete_results(results: Sequence[Result], algorithm: str) -> Completed:
    """The diff of `results`, those of one draft, in order."""
    patched = [complete_file(result, algorithm) for result in results]
    changes: dict[str, Change] = {}
    summaries = []
    for result, file in zip(results, patched, strict=True):
        for change in _changes(result, file.blob):
            before = changes.get(change.path)
            changes[change.path] = change if before is None else _merged(before, change)
        summaries.append(_summary(result, file))
    diff = b"".join(file.data for file in patched)
    return Completed(diff, tuple(changes.values()), tuple(summaries), tuple(results))


def _summary(result: Result, file: FileDiff) -> FileSummary:
    old_path = result.old.path if result.old else result.path
    status = _status(result)
    return FileSummary(status, result.path, old_path, file.added, file.removed, file.binary)


def _changes(result: Result, blob: str) -> list[Change]:
    old = result.old.entry if result.old else None
    new = Entry(result.content.mode, blob) if result.content else None
    if not result.renamed or result.old is None:
        return [Change(result.path, old, new)]
    created = Change(result.path, None, new)
    if result.content is not None and result.content.copied:
        return [created]
    return [Change(result.old.path, old, None), created]


def _merged(one: Change, two: Change) -> Change:
    return Change(one.path, one.old or two.old, one.new or two.new)


def _status(result: Result) -> str:
    if result.old is None:
        return "A"
    if result.content is None:
        return "D"
    if result.renamed:
        return "C" if result.content.copied else "R"
    return "M"
