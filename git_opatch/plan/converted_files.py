"""What a patch makes of the bytes on disk of files that git converts (`git.converted`).

What they come to is right if git would store of it what is planned for the index.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

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

_Sides = Mapping[str, OnDisk]
"""The bytes that files had on disk, as a reversal has them: before it, and after it."""


def _sides(plan: Plan) -> _Sides:
    """Return what the record that `plan` reverses has of files on disk."""
    record = plan.reverses
    if record is None:
        return {}
    contents = record.read_contents()

    def data(entry: Entry | None) -> bytes | None:
        return contents.get(entry.id) if entry else None

    sides = {each.path: each for each in (*record.changes, *record.on_disk)}
    order = -1 if plan.restores else 1
    return {path: OnDisk(*map(data, each[1:][::order])) for path, each in sides.items()}


class Converted(NamedTuple):
    """A file that is to be written, whose bytes on disk are `disk`; None if it is not there."""

    result: Result
    content: FileContent
    disk: bytes | None

    def is_other(self, sides: _Sides) -> bool:
        """Return whether the bytes of it are, or were, others than its blob's."""
        there = sides.get(self.result.path)
        is_restored = there and there.new not in (None, self.content.text.to_bytes())
        return self.result.old is not None or bool(is_restored)

    def attempts(self, sides: _Sides, repository: Repository) -> Iterator[bytes | None]:
        """Yield what the bytes may be after the plan, the best first."""
        yield self._merged(sides, repository)
        old = self.result.old
        if self.disk is None or old is None:
            return
        text, edits = old.text, self.content.edits
        yield edit_on_disk(self.disk, text, edits)
        for encoding in values_of(repository, "working-tree-encoding", [old.path]).values():
            if encoding:
                yield edit_encoded(self.disk, text, edits, encoding)

    def _merged(self, sides: _Sides, repository: Repository) -> bytes | None:
        """Return the bytes after the reversal, where nobody changed the same lines on disk."""
        theirs, old = sides.get(self.result.path), self.result.old
        if theirs is None or theirs.new is None or self.disk is None or old is None:
            return theirs.new if theirs else None
        base = sides.get(old.path)
        if base is None or base.old is None:
            return None
        return merge(repository, base.old, self.disk, theirs.new)

    def is_checked_out(self, repository: Repository, env: Mapping[str, str]) -> bool:
        """Return whether the file is what a checkout writes, so that git may write the new one."""
        old = self.result.old
        if old is None or self.result.renamed:
            return True
        return checked_out(repository, old.path, old.data, env) == self.disk


def new_bytes(files: Sequence[Converted], plan: Plan, repository: Repository) -> dict[str, OnDisk]:
    """Return the bytes of each file of which git would store what is planned.

    Those of none are left to git, if that keeps the others. Raises `TransactionError` for a file
    that git does not convert line by line.
    """
    sides = _sides(plan)
    converted = [each for each in files if each.is_other(sides)]
    planned = {change.path: change.new for change in (plan.carried or plan.written).changes}
    found: dict[str, OnDisk] = {}
    with scratch_directory() as name:
        directory = Path(name)
        index = ScratchIndex(directory / "index", repository.scratch_objects(directory))
        _copy_entries(repository, [each.result.old for each in converted], index)
        left = {each.result.path: (each, each.attempts(sides, repository)) for each in converted}
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
                        found[path] = OnDisk(None if each.result.renamed else each.disk, text)
            number += 1
    return found


def _copy_entries(repository: Repository, old: Sequence[Blob | None], index: ScratchIndex) -> None:
    """Copy the index, with what it has of the files that are `old`, and none of their bits."""
    if repository.index_file.exists():
        shutil.copy2(repository.index_file, index.file)
    set_entries(repository, {each.path: each.entry for each in old if each}, index)


def _not_by_lines(path: str) -> TransactionError:
    what = "has bytes on disk that git does not convert line by line, by its attributes"
    return TransactionError(f"{visible(path)}: {what}; `--cached` changes the index alone")
