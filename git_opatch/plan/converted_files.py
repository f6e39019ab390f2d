"""What a patch makes of the bytes on disk of files that git converts (`git.converted`).

What they come to is right if git would store of it what is planned for the index.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from git_opatch.complete.disk_lines import edit_encoded, edit_on_disk
from git_opatch.complete.tree import FileContent, Result
from git_opatch.git.attributes import values_of
from git_opatch.git.converted import checked_out, stored_aside
from git_opatch.git.index import ScratchIndex, set_entries
from git_opatch.git.repository import Repository
from git_opatch.git.scratch import scratch_directory
from git_opatch.model.blob import Blob, Entry, OnDisk
from git_opatch.model.errors import TransactionError
from git_opatch.model.text import visible
from git_opatch.plan.merge import merge
from git_opatch.plan.plan import Plan


class _Recorded:
    """The bytes that files had on disk before and after the record that a plan reverses."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    @cached_property
    def _sides(self) -> Mapping[str, OnDisk]:
        """The bytes of each file, as the reversal has them: before it, and after it."""
        record = self._plan.reverses
        if record is None:
            return {}
        contents = record.read_contents()

        def data(entry: Entry | None) -> bytes | None:
            return contents.get(entry.id) if entry else None

        sides = {each.path: each for each in (*record.changes, *record.on_disk)}
        order = -1 if self._plan.restores else 1
        return {path: OnDisk(*map(data, each[1:][::order])) for path, each in sides.items()}

    def restores(self, path: str, content: FileContent) -> bool:
        """Return whether a file that is not there had other bytes on disk than its blob's."""
        there = self._sides.get(path)
        data = there.new if there else None
        return data is not None and data != content.text.to_bytes()

    def merged(self, result: Result, disk: bytes | None, repository: Repository) -> bytes | None:
        """Return the bytes after the reversal, where nobody changed the same lines on disk."""
        theirs = self._sides.get(result.path)
        if theirs is None or theirs.new is None or disk is None or result.old is None:
            return theirs.new if theirs else None
        base = self._sides.get(result.old.path)
        if base is None or base.old is None:
            return None
        return merge(repository, base.old, disk, theirs.new)


class _Converted:
    """A file whose bytes on disk are `disk`; None if it is not there."""

    def __init__(
        self, result: Result, content: FileContent, disk: bytes | None, recorded: _Recorded
    ) -> None:
        self.path, self.old, self.disk = result.path, result.old, disk
        self.is_moved = result.renamed
        self._result, self._content, self._recorded = result, content, recorded

    def attempts(self, repository: Repository) -> Iterator[bytes | None]:
        """Yield what the bytes may be after the plan, the best first."""
        yield self._recorded.merged(self._result, self.disk, repository)
        if self.disk is None or self.old is None:
            return
        text, edits = self.old.text, self._content.edits
        yield edit_on_disk(self.disk, text, edits)
        for encoding in values_of(repository, "working-tree-encoding", [self.old.path]).values():
            if encoding:
                yield edit_encoded(self.disk, text, edits, encoding)

    def is_checked_out(self, repository: Repository, env: Mapping[str, str]) -> bool:
        """Return whether the file is what a checkout writes, so that git may write the new one."""
        old = self.old
        if old is None or self.is_moved:
            return True
        return checked_out(repository, old.path, old.data, env) == self.disk


def new_bytes(
    files: Sequence[tuple[Result, FileContent, bytes | None]], plan: Plan, repository: Repository
) -> dict[str, OnDisk]:
    """Return the bytes of each file of which git would store what is planned.

    `files` have what is on disk now. Those of none are left to git, if that keeps the others.
    Raises `TransactionError` for a file that git does not convert line by line.
    """
    recorded = _Recorded(plan)
    converted = [
        _Converted(result, content, disk, recorded)
        for result, content, disk in files
        if result.old is not None or recorded.restores(result.path, content)
    ]
    planned = {change.path: change.new for change in (plan.carried or plan.written).changes}
    found: dict[str, OnDisk] = {}
    with scratch_directory() as name:
        directory = Path(name)
        index = ScratchIndex(directory / "index", repository.scratch_objects(directory))
        _copy_entries(repository, [each.old for each in converted if each.old], index)
        left = {each.path: (each, each.attempts(repository)) for each in converted}
        number = 0
        while left:
            texts = {
                path: next(filter(None, attempts), None) for path, (_, attempts) in left.items()
            }
            tried = {path: text for path, text in texts.items() if text is not None}
            for path in left.keys() - tried.keys():
                each, _ = left.pop(path)
                if not each.is_checked_out(repository, index.env):
                    raise _not_by_lines(path)
            if tried:
                stored = stored_aside(repository, tried, directory / str(number), index)
                for path, text in tried.items():
                    entry, new = stored.get(path), planned[path]
                    if entry and new and entry.id == new.id:
                        each, _ = left.pop(path)
                        found[path] = OnDisk(each.disk if not each.is_moved else None, text)
            number += 1
    return found


def _copy_entries(repository: Repository, old: Sequence[Blob], index: ScratchIndex) -> None:
    """Copy the index, with what it has of the files that are `old`, and none of their bits."""
    if repository.index_file.exists():
        shutil.copy2(repository.index_file, index.file)
    set_entries(repository, {each.path: each.entry for each in old}, index)


def _not_by_lines(path: str) -> TransactionError:
    what = "has bytes on disk that git does not convert line by line, by its attributes"
    return TransactionError(f"{visible(path)}: {what}; `--cached` changes the index alone")
