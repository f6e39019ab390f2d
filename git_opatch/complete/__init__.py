"""Complete a patch: placed hunks and the base's blobs become a standard unified diff. Pure.

edits                 a placed hunk as edits of a file's lines
tree                  the files as the sections of a patch change them
unified_diff          the result for each file, as git writes it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, NamedTuple

from git_opatch.complete.tree import Result, VirtualTree
from git_opatch.complete.unified_diff import FileDiff, complete_file
from git_opatch.model.blob import Change, Entry, Stages
from git_opatch.model.text import Text

if TYPE_CHECKING:
    from unidiff.patch import PatchSet as PatchSet


class FileSummary(NamedTuple):
    """The change of one file: `status` is git's letter A, M, D, R or C."""

    status: str
    path: str
    old_path: str
    added: int
    removed: int
    binary: bool = False
    """Whether git shows no lines of it."""

    @property
    def paths(self) -> tuple[str, str]:
        """Both paths of a moved file; the same one twice otherwise."""
        return self.old_path, self.path


class Completed(NamedTuple):
    """A completed patch: the diff for git, and the result that it must have."""

    diff: bytes
    changes: tuple[Change, ...]
    files: tuple[FileSummary, ...]
    results: tuple[Result, ...] = ()

    @property
    def patch_set(self) -> PatchSet:
        """The diff as `unidiff.PatchSet`, which is imported when this is asked for.

        Bytes that are not UTF-8 are surrogate escapes; paths are quoted as in the diff.
        """
        from unidiff.patch import PatchSet as PatchSet

        # Lines end at "\n" alone: `newline` keeps a "\r" in a line from being one of its own.
        return PatchSet(StringIO(self.diff.decode("utf-8", "surrogateescape"), newline="\n"))

    @property
    def texts(self) -> dict[str, Text]:
        """The text that each new or changed file will have, by path."""
        return {result.path: result.content.text for result in self.results if result.content}

    def contents(self) -> dict[str, bytes]:
        """Return the bytes that each new or changed file will have, by path."""
        return {path: text.to_bytes() for path, text in self.texts.items()}

    def blobs(self) -> dict[str, bytes]:
        """Return the bytes that the files had, and will have, by blob id."""
        contents = self.contents()
        before = {each.old.entry.id: each.old.data for each in self.results if each.old}
        after = {each.new.id: contents[each.path] for each in self.changes if each.new}
        return {**before, **after}


class Conflicts(NamedTuple):
    """Files whose merge has conflicts: their stages for the index, by path.

    `whole` is the completed patch, with git's conflict markers in these files.
    """

    stages: Mapping[str, Stages]
    whole: Completed


def complete(tree: VirtualTree, algorithm: str) -> Completed:
    """Complete all changes of `tree`; `algorithm` is the repository's hash."""
    return complete_results(tree.results(), algorithm)


def complete_results(results: Sequence[Result], algorithm: str) -> Completed:
    """Complete `results`, those of one tree, in order."""
    diffs = [complete_file(result, algorithm) for result in results]
    changes: dict[str, Change] = {}
    summaries = []
    for result, file_diff in zip(results, diffs, strict=True):
        for change in _changes(result, file_diff.blob):
            before = changes.get(change.path)
            changes[change.path] = change if before is None else _merged(before, change)
        summaries.append(_summary(result, file_diff))
    diff = b"".join(file_diff.data for file_diff in diffs)
    return Completed(diff, tuple(changes.values()), tuple(summaries), tuple(results))


def _summary(result: Result, diff: FileDiff) -> FileSummary:
    old_path = result.old.path if result.old else result.path
    status = _status(result)
    return FileSummary(status, result.path, old_path, diff.added, diff.removed, diff.binary)


def _changes(result: Result, blob: str) -> list[Change]:
    old = result.old.entry if result.old else None
    new = Entry(result.content.mode, blob) if result.content else None
    if not result.renamed or result.old is None:
        return [Change(result.path, old, new)]
    created = Change(result.path, None, new)
    if result.content is not None and result.content.copied:
        return [created]
    return [Change(result.old.path, old, None), created]


def _merged(first: Change, second: Change) -> Change:
    return Change(first.path, first.old or second.old, first.new or second.new)


def _status(result: Result) -> str:
    if result.old is None:
        return "A"
    if result.content is None:
        return "D"
    if result.renamed:
        return "C" if result.content.copied else "R"
    return "M"
