"""What files are to be on disk, byte for byte: a plan decides it, and a transaction writes it.

Hunks are located in what git stores. On disk, each line that they do not change keeps its bytes; a
reversal merges the bytes that there were into those that are. Where git converts a file, its new
bytes are right if git would store of them what is planned for the index. Where none are, it is left
to a checkout, if the file is what a checkout writes (D453).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import NamedTuple

from git_opatch.complete.disk_lines import edit_encoded, edit_on_disk
from git_opatch.complete.tree import FileContent, Result
from git_opatch.git.converted import (
    checked_out_aside,
    read_text,
    stored_aside,
    unconverted,
    values_of,
)
from git_opatch.git.index import ScratchIndex, copy_index, set_entries
from git_opatch.git.repository import Repository
from git_opatch.git.scratch import scratch_directory
from git_opatch.model.blob import Blob, Change, Entry, Mode, WrittenFile, blob_id
from git_opatch.model.errors import TransactionError
from git_opatch.model.options import Options, Target
from git_opatch.model.paths import is_attributes_file
from git_opatch.model.text import Text, visible
from git_opatch.plan.merge import merge
from git_opatch.plan.plan import Plan

_Sides = Mapping[str, tuple[bytes | None, bytes | None]]
"""The bytes of files before and after what a reversal brings back, as they were on disk."""


def with_bytes_on_disk(plan: Plan, repository: Repository, options: Options) -> Plan:
    """Return `plan` with the files that are to be written.

    A patch that changes attributes is left to git, which writes files by the new ones. Raises
    `TransactionError` for a file that git does not convert line by line.
    """
    if options.target is Target.CACHED:
        return plan
    completed, algorithm = plan.carried or plan.written, repository.algorithm
    files = [_File.of(each, repository) for each in completed.results]
    texts, notes = _new_texts(files, plan, repository)
    before = {file.old.path: file for file in files if file.old and not file.is_copy}
    written = []
    for path, old, new in completed.changes:
        data, text = None, None
        if old:
            data, is_blob = before[path].bytes_before, before[path].is_blob
            old = old if is_blob else Entry(old.mode, blob_id(data, algorithm))
        if new:
            text, is_blob = texts[path]
            new = new if is_blob else Entry(new.mode, blob_id(text, algorithm))
        written.append(WrittenFile(Change(path, old, new), data, text))
    return plan._replace(files=tuple(written)).with_notes(notes)


class _NewText(NamedTuple):
    """What a file is to be on disk, and whether these are the bytes of the planned blob."""

    text: Text
    is_blob: bool = False


class _File(NamedTuple):
    """A file that is changed; `disk` are its bytes, None for a link or where it is not there."""

    old: Blob | None
    path: str
    content: FileContent | None
    disk: bytes | None

    @classmethod
    def of(cls, result: Result, repository: Repository) -> _File:
        old = result.old
        disk = read_text(repository, old.path) if old and old.entry.mode.is_file else None
        return cls(old, result.path, result.content, disk)

    @property
    def is_copy(self) -> bool:
        return bool(self.content and self.content.copied)

    @property
    def stored(self) -> bytes:
        return self.old.data if self.old else b""

    @property
    def bytes_before(self) -> bytes:
        return self.stored if self.disk is None else self.disk

    @property
    def is_blob(self) -> bool:
        """Whether its bytes are those of its blob."""
        return self.bytes_before == self.stored

    @property
    def new_data(self) -> bytes:
        return self.content.text.to_bytes() if self.content else b""

    def stays_plain(self, sides: _Sides) -> bool:
        """Return whether its bytes are those of a blob, and those that come back are, too."""
        restored = sides.get(self.path, (None, None))[1]
        return self.is_blob and restored in (None, self.new_data)

    def attempts(self, sides: _Sides, repository: Repository) -> Iterator[bytes | None]:
        """Yield what the bytes may be after the plan, the best first; None for no attempt."""
        yield self._merged(sides, repository)
        if self.disk is None or self.old is None or self.content is None:
            return
        text, edits = self.old.text, self.content.edits
        yield edit_on_disk(self.disk, text, edits)
        for encoding in values_of(repository, "working-tree-encoding", [self.old.path]).values():
            if encoding:
                yield edit_encoded(self.disk, text, edits, encoding)

    def _merged(self, sides: _Sides, repository: Repository) -> bytes | None:
        """Return the bytes after the reversal, where nobody changed the same lines on disk."""
        restored = sides.get(self.path, (None, None))[1]
        if restored is None or self.disk is None or self.old is None:
            return restored
        base = sides.get(self.old.path, (None, None))[0]
        return merge(repository, base, self.disk, restored) if base is not None else None


def _new_texts(
    files: list[_File], plan: Plan, repository: Repository
) -> tuple[dict[str, _NewText], list[str]]:
    """Return what each file is to be, and notes."""
    found = {each.path: _NewText(each.content.text, True) for each in files if each.content}
    named = {each.path: each for each in files if each.content and each.content.mode.is_file}
    asked = {path: each for path, each in named.items() if path not in plan.filtered.paths}
    new_attributes = any(is_attributes_file(each.path) for each in files)
    sides = {} if new_attributes else _sides(plan)
    plain = {*(() if new_attributes or not asked else unconverted(repository, list(asked)))}
    left = {
        path: each
        for path, each in asked.items()
        if path not in plain or not each.stays_plain(sides)
    }
    if not left:
        return found, []
    with scratch_directory() as name:
        directory = Path(name)
        env = repository.scratch_objects(directory)
        index = ScratchIndex(copy_index(repository, directory), env)
        old = [each.old for each in files if each.old]
        set_entries(repository, {each.path: each.entry for each in old}, index)
        if not new_attributes:
            edited = _edited(left, sides, plan, repository, index)
            found |= {path: _NewText(Text.from_bytes(data)) for path, data in edited.items()}
            left = {path: each for path, each in left.items() if path not in edited}
            _require_checked_out(left, repository, index)
        versions: dict[str, tuple[Mode, bytes] | None] = {
            each.path: (each.content.mode, each.new_data) if each.content else None
            for each in (files if new_attributes else left.values())
        }
        written, switched = checked_out_aside(
            *(repository, versions, directory / "new", index), new_attributes=new_attributes
        )
    found |= {path: _NewText(Text.from_bytes(written[path])) for path in left}
    return found, [
        f"{path}: its filter `{filter_name}` was not run, because the patch itself switches it on"
        for path, filter_name in switched.items()
    ]


def _edited(
    files: Mapping[str, _File],
    sides: _Sides,
    plan: Plan,
    repository: Repository,
    index: ScratchIndex,
) -> dict[str, bytes]:
    """Return the bytes of each file of which git would store what is planned; not of all."""
    planned = {change.path: change.new for change in (plan.carried or plan.written).changes}
    attempts = {
        path: each.attempts(sides, repository)
        for path, each in files.items()
        if each.old or path in sides
    }
    found: dict[str, bytes] = {}
    for directory in map(index.file.with_name, map(str, count())):
        tried = {
            path: text
            for path, each in attempts.items()
            if (text := next((text for text in each if text is not None), None)) is not None
        }
        if not tried:
            break
        stored = stored_aside(repository, tried, directory, index)
        for path, text in tried.items():
            new = planned[path]
            if path in stored and new and stored[path].id == new.id:
                found[path] = text
        attempts = {path: attempts[path] for path in tried if path not in found}
    return found


def _require_checked_out(
    files: Mapping[str, _File], repository: Repository, index: ScratchIndex
) -> None:
    """Raise `TransactionError` for a file of which a checkout would write other lines."""
    old = {path: each for path, each in files.items() if each.old and each.old.path == path}
    if not old:
        return
    blobs = {path: (Mode.REGULAR, each.stored) for path, each in old.items()}
    written, _ = checked_out_aside(repository, blobs, index.file.parent / "old", index)
    for path, each in old.items():
        if written[path] != each.disk:
            what = "has bytes on disk that git does not convert line by line, by its attributes"
            instead = "`--cached` changes the index alone"
            raise TransactionError(f"{visible(path)}: {what}; {instead}")


def _sides(plan: Plan) -> _Sides:
    """Return what the entry that `plan` reverses has of files on disk."""
    record = plan.reverses
    if record is None:
        return {}
    contents = record.read_contents()

    def data(entry: Entry | None) -> bytes | None:
        return contents.get(entry.id) if entry else None

    order = -1 if plan.restores else 1
    changed = {each.path: each[1:][::order] for each in (*record.changes, *record.on_disk)}
    return {path: (data(old), data(new)) for path, (old, new) in changed.items()}
