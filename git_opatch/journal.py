"""The journal: what git opatch did in this repository, oldest first.

    <git-dir>/opatch/journal/N.json      time, action, target, name, every path's old and new id
    <git-dir>/opatch/journal/N.diff      the completed diff
    <git-dir>/opatch/journal/N.contents  what the files were before and after, whatever git prunes

An entry is a patch that was applied, or the undo or the redo of one, which names it. Nothing else
is kept of what became of a patch: whether its change is still there is found out by merging
(`plan.reversal`). A key that a later 1.x adds must have a neutral default where it is missing; an
entry that must not be read with it has another version.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from git_opatch.git.disk import read_regular, write_regular
from git_opatch.model.blob import Change
from git_opatch.model.errors import JournalError
from git_opatch.model.options import Target
from git_opatch.model.paths import native
from git_opatch.model.sentences import Notice

_VERSION = 1
_LARGE = 16 << 20
"""Bytes of content from which on it is not compressed, which would take longer than the patch."""
_MALFORMED = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    OverflowError,
    RecursionError,
)


class RecordAction(Enum):
    """What an entry is about."""

    APPLY = "apply"
    UNDO = "undo"
    REDO = "redo"


class Record(NamedTuple):
    """An entry: a patch called `name` that was applied, or its undo or redo.

    `files` counts the files that were added, modified, …, by git's letters.
    """

    number: int
    folder: Path
    target: Target
    changes: tuple[Change, ...]
    time: int = 0
    name: str = ""
    digest: str = ""
    """That of the patch's text, by which `-R` finds it."""
    files: Mapping[str, int] = {}
    checksum: str = ""
    carried: bool = False
    """Whether files had unstaged changes, which stayed unstaged."""
    commits: tuple[str, ...] = ()
    """The ids of the commits that `--commit` made of it, oldest first."""
    whole: bool = True
    """Whether all of the patch was applied."""
    unmerged: Mapping[str, tuple[str, ...]] = {}
    """The ids of the stages of each path that was left with conflicts."""
    action: RecordAction = RecordAction.APPLY
    origin: int = 0
    """The entry of the patch that this one undoes or redoes; 0 if none."""
    is_part: bool = False
    """Whether hunks of the patch were left out on purpose; it is `whole` if the others applied."""
    in_reverse: bool = False
    """Whether the patch was applied in reverse, and that is not the undo of an entry."""
    texts: tuple[Change, ...] = ()
    """What became of the texts of files under a filter, which the diff is of.

    `changes` has what the index had of them.
    """
    on_disk: tuple[Change, ...] = ()
    """What became of the bytes on disk of files that git converts, where those are not their blobs.
    """
    paths: tuple[str, ...] = ()
    """The files that an undo or a redo was asked for; empty for all of the patch."""

    def only(self, paths: Collection[str]) -> Record:
        """Return the entry with what it has of the files at `paths`."""
        changes, texts, on_disk = (
            tuple(change for change in each if change.path in paths)
            for each in (self.changes, self.texts, self.on_disk)
        )
        return self._replace(changes=changes, texts=texts, on_disk=on_disk)

    def located_in(self, target: Target) -> Record:
        """The entry with the changes of what hunks are located in: of texts, but for the index."""
        if target is Target.CACHED or not self.texts:
            return self
        texts = {change.path: change for change in self.texts}
        changes = tuple(texts.get(change.path, change) for change in self.changes)
        return self._replace(changes=changes)

    @property
    def patch(self) -> int:
        """The number by which `undo` and `redo` name the patch."""
        return self.origin or self.number

    @property
    def file(self) -> Path:
        """The file of the completed diff."""
        return self.folder / f"{self.number}.diff"

    def read_diff(self) -> bytes:
        """Return the completed diff. Raises `JournalError` if it is not what was recorded."""
        try:
            diff = read_regular(self.file)
        except OSError as error:
            raise JournalError(
                Notice.NOT_READABLE.fill(file=self.file, why=error.strerror)
            ) from None
        if self.checksum != _checksum(diff):
            raise JournalError(
                Notice.DAMAGED.fill(file=self.file, why="it does not match its checksum")
            )
        return diff

    def read_contents(self) -> dict[str, bytes]:
        """Return what is kept of the files' contents, by blob id; nothing if it is unreadable."""
        with suppress(OSError, zlib.error, *_MALFORMED):
            packed = read_regular(self.folder / f"{self.number}.contents")
            head, _, data = zlib.decompress(packed).partition(b"\n")
            contents, at = {}, 0
            for oid, size in json.loads(head):
                contents[str(oid)] = data[at : at + size]
                at += size
            return contents
        return {}


class PatchHistory(NamedTuple):
    """A patch, and what was done to it: its own entry, undos and redos, oldest first.

    The first may be missing, as the journal is limited. In each place the last entry counts.
    """

    records: tuple[Record, ...]

    @property
    def number(self) -> int:
        """By which the patch is named."""
        return self.records[0].patch

    @property
    def record(self) -> Record:
        """The entry that has what the patch changed."""
        return self.records[0]

    @property
    def applied(self) -> Target | None:
        """Where the patch, or a part, was applied, and not undone after that; None if nowhere."""
        return Target.of(place for place in self._places if self.undone_paths(place) != self._paths)

    @property
    def undone(self) -> Target | None:
        """Where all of the patch was undone last; None if nowhere."""
        return Target.of(place for place in self._places if self.undone_paths(place) == self._paths)

    @property
    def undone_in_part(self) -> Target | None:
        """Where the patch, or a part, was undone last; None if nowhere."""
        return Target.of(place for place in self._places if self.undone_paths(place))

    def undone_paths(self, place: Target) -> frozenset[str]:
        """Return the files of the patch that an undo was about last, in the index or the files."""
        undone = frozenset[str]()
        for record in self.records:
            if place in record.target.places:
                paths = frozenset(record.paths) or self._paths
                undone = undone | paths if _is_undo(record) else undone - paths
        return undone

    def paths_in(self, target: Target, *, undone: bool) -> frozenset[str]:
        """Return the files that are undone in `target`, or in one of its places; or are not."""
        found = [self.undone_paths(place) for place in target.places]
        parts = found if undone else [self._paths - each for each in found]
        return frozenset().union(*parts)

    @property
    def _paths(self) -> frozenset[str]:
        return frozenset(change.path for change in self.record.changes) or frozenset({""})

    @property
    def _places(self) -> list[Target]:
        """Where something was done to the patch."""
        return [
            place
            for place in Target.INDEX.places
            if any(place in record.target.places for record in self.records)
        ]

    def last(self, *, undo: bool) -> int:
        """Return the number of the last entry that undid the patch, or applied it; 0 if none."""
        numbers = (each.number for each in self.records if _is_undo(each) is undo)
        return max(numbers, default=0)


def _is_undo(record: Record) -> bool:
    return record.action is RecordAction.UNDO


class Journal(NamedTuple):
    """The patches that are recorded, oldest first, and the entries that cannot be read."""

    histories: tuple[PatchHistory, ...]
    unreadable: Mapping[int, JournalError]

    def find(self, number: int) -> PatchHistory:
        """Return the patch with this number, or whose undo or redo has it.

        Raises `JournalError` if there is none, or if the entry cannot be read.
        """
        if number in self.unreadable:
            raise self.unreadable[number]
        for history in self.histories:
            if number in (history.number, *(each.number for each in history.records)):
                return history
        self.require_entries()
        numbers = [*self.unreadable, *(history.number for history in self.histories)]
        first, last = min(numbers), max(numbers)
        is_gone = 0 < number < first  # beyond `opatch.journalSize`
        notice = Notice.NOT_KEPT if is_gone else Notice.NO_SUCH_PATCH
        raise JournalError(notice.fill(number=number, first=first, last=last))

    def require_entries(self) -> None:
        """Raise `JournalError` if nothing is recorded."""
        if not (self.histories or self.unreadable):
            raise JournalError(Notice.NO_PATCHES.sentence)

    @property
    def last_new(self) -> int:
        """The number of the last entry of a new patch; 0 if there is none."""
        records = (record for history in self.histories for record in history.records)
        new = (each.number for each in records if each.action is RecordAction.APPLY)
        return max(new, default=0)


def read_journal(home: Path) -> Journal:
    """Read all entries, and sort them by patch."""
    chains: dict[int, list[Record]] = {}
    unreadable: dict[int, JournalError] = {}
    for number, entry in reversed(list(entries(home))):
        if isinstance(entry, JournalError):
            unreadable[number] = entry
        else:
            chains.setdefault(entry.patch, []).append(entry)
    return Journal(tuple(PatchHistory(tuple(chain)) for chain in chains.values()), unreadable)


def entries(home: Path) -> Iterator[tuple[int, Record | JournalError]]:
    """Yield each entry, newest first, or the error of one that cannot be read.

    Raises `JournalError` for a link in place of the journal.
    """
    if (home / "journal").is_symlink():
        raise JournalError(Notice.JOURNAL_IS_LINK.fill(file=home / "journal"))
    for number in reversed(_numbers(home / "journal")):
        try:
            yield number, _read(home / "journal", number)
        except JournalError as error:
            yield number, error


def mentions(home: Path, digest: str) -> bool:
    """Return whether an entry may be of the patch with this digest, without parsing any."""
    folder, text = home / "journal", digest.encode()
    for number in reversed(_numbers(folder)):
        with suppress(OSError):
            if digest and text in read_regular(folder / f"{number}.json"):
                return True
    return False


def last(home: Path) -> int:
    """Return the number of the newest entry; 0 if there is none."""
    return max(_numbers(home / "journal"), default=0)


def packed(contents: Mapping[str, bytes]) -> Iterator[bytes]:
    """Yield what keeps the contents of files before and after a patch, by blob id."""
    head = json.dumps([(oid, len(data)) for oid, data in contents.items()]).encode()
    pack = zlib.compressobj(0 if sum(map(len, contents.values())) > _LARGE else 1)
    yield from map(pack.compress, (head, b"\n", *contents.values()))
    yield pack.flush()


def new_entry(diff: bytes, changes: Sequence[Change], about: Mapping[str, object]) -> bytes:
    """Return the text of an entry.

    `about` has the remaining keys: `patch` (its name), `target`, `digest`, `files`, `action`,
    `origin`, `carried`, `partial`, `part`, `reverse`, `unmerged`, `texts`, `disk`, `paths`.
    """
    listed = [change.to_json() for change in changes]
    entry = {"version": _VERSION, "time": int(time.time()), **about, "checksum": _checksum(diff)}
    return json.dumps({**entry, "changes": listed}).encode()


def keep_newest(home: Path, size: int) -> None:
    """Remove all entries but the newest `size`; none if that is 0 (D121).

    What cannot be removed is tried again by the next run.
    """
    for old in _numbers(home / "journal")[:-size] if size else ():
        for suffix in ("json", "diff", "contents"):
            with suppress(OSError):
                (home / "journal" / f"{old}.{suffix}").unlink()


def add_commits(home: Path, number: int, commits: Sequence[str]) -> None:
    """Add to an entry the commits that were made of it. Raises `OSError`."""
    file = home / "journal" / f"{number}.json"
    _replace(file, {**json.loads(read_regular(file)), "commits": list(commits)})


def _replace(file: Path, entry: Mapping[str, object]) -> None:
    partial = file.with_suffix(".tmp")
    write_regular(partial, json.dumps(entry).encode())
    os.replace(partial, file)


def _checksum(diff: bytes) -> str:
    return hashlib.sha256(diff).hexdigest()


def _numbers(folder: Path) -> list[int]:
    if folder.is_symlink():
        return []
    return sorted(int(file.stem) for file in folder.glob("*.json") if file.stem.isdecimal())


def _read(folder: Path, number: int) -> Record:
    file = folder / f"{number}.json"
    try:
        entry = json.loads(read_regular(file))
        if isinstance(entry["version"], int) and entry["version"] > _VERSION:
            raise JournalError(Notice.NEWER_ENTRY.fill(number=number))
        return _from_json(folder, number, entry)
    except OSError as error:
        raise JournalError(Notice.NOT_READABLE.fill(file=file, why=error.strerror)) from None
    except _MALFORMED:
        raise JournalError(
            Notice.DAMAGED.fill(file=file, why="it is truncated, or was changed")
        ) from None


def _from_json(folder: Path, number: int, entry: Mapping[str, Any]) -> Record:
    """Convert an entry from JSON. Raises one of `_MALFORMED` for what no version wrote."""
    when = int(entry["time"])
    time.gmtime(when)  # raises for numbers that are too large
    return Record(
        number,
        folder,
        Target(entry["target"]),
        _changes(entry["changes"]),
        when,
        str(entry["patch"]),
        str(entry["digest"]),
        {str(letter): int(count) for letter, count in entry["files"].items()},
        str(entry["checksum"]),
        bool(entry["carried"]),
        tuple(map(str, entry.get("commits", ()))),
        not entry["partial"],
        {native(path): tuple(map(str, ids)) for path, ids in entry["unmerged"].items()},
        RecordAction(entry["action"]),
        int(entry["origin"]),
        bool(entry["part"]),
        bool(entry["reverse"]),
        _changes(entry["texts"]),
        _changes(entry["disk"]),
        tuple(map(native, entry["paths"])),
    )


def _changes(listed: Sequence[Any]) -> tuple[Change, ...]:
    return tuple(map(Change.from_json, listed))
