"""What was applied in this repository, newest last.

    <git-dir>/opatch/journal/N.json     time, target, patch name, every path's old and new id
    <git-dir>/opatch/journal/N.diff     the completed diff
    <git-dir>/opatch/last               the newest number, when no record is kept any more

The digest of the patch's text is recorded, too: `-R` of the same text then takes back what it
did, with all that the text does not say, such as what a deleted file held. A key that a record
lacks has a value that changes nothing; a record that must not be read so has another version.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from git_opatch.blob import Change, Entry
from git_opatch.errors import JournalError
from git_opatch.options import Target

_VERSION = 1
_LAST = "last"
_MALFORMED = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    OverflowError,
    RecursionError,
)


class Record(NamedTuple):
    """One applied patch, which was called `name`: what it changed, where and when.

    `undoes` is the number of the record that it takes back, 0 if it is none that does;
    `files` is how many files were added, modified, …, by git's letters; `carried` is whether
    some had changes that were not staged, and stayed so.
    """

    number: int
    folder: Path
    target: Target
    changes: tuple[Change, ...]
    time: int = 0
    name: str = ""
    digest: str = ""
    undoes: int = 0
    files: Mapping[str, int] = {}
    checksum: str = ""
    carried: bool = False
    commits: tuple[str, ...] = ()
    """The ids of the commits that were made of it, oldest first."""
    whole: bool = True
    """Whether all of the patch was applied."""
    unmerged: tuple[str, ...] = ()
    """The paths that it left unmerged."""

    @property
    def before(self) -> dict[str, Entry]:
        """What stood at each path that was not empty."""
        return {change.path: change.old for change in self.changes if change.old is not None}

    @property
    def file(self) -> Path:
        """Where the completed diff is."""
        return self.folder / f"{self.number}.diff"

    def read_diff(self) -> bytes:
        """The completed diff. Raises `JournalError` if it is not what was written down."""
        try:
            diff = self.file.read_bytes()
        except OSError as error:
            raise JournalError(f"{self.file} cannot be read: {error.strerror}") from None
        if self.checksum not in ("", _checksum(diff)):
            raise JournalError(f"{self.file} is damaged: it is not what was written there")
        return diff


def record(
    home: Path,
    diff: bytes,
    changes: Sequence[Change],
    target: Target,
    about: Mapping[str, object],
    size: int,
) -> int:
    """Write down an applied patch; gives its number, 0 if none is to be kept.

    `about` is its name (`patch`), its `digest`, how many `files` became what, what it `undoes`,
    whether changes were `carried`, whether it was `partial`, and what it left `unmerged`.
    Only the newest `size` records stay. Raises `OSError` if there is no room.
    """
    folder = home / "journal"
    numbers = _numbers(folder)
    number = max([*numbers, _last_gone(home)]) + 1
    if size:
        entry = {
            "version": _VERSION,
            "time": int(time.time()),
            "target": target.value,
            **about,
            "checksum": _checksum(diff),
            "changes": [change.to_json() for change in changes],
        }
        _write(folder, number, entry, diff)
        numbers.append(number)
    if numbers and not size:  # a number that was told never names another patch
        (home / _LAST).write_text(str(numbers[-1]))
    for old in numbers[: max(len(numbers) - size, 0)]:
        (folder / f"{old}.json").unlink(missing_ok=True)
        (folder / f"{old}.diff").unlink(missing_ok=True)
    return number if size else 0


def committed(home: Path, number: int, commits: Sequence[str]) -> None:
    """Write down of a record which commits were made of it. Raises `OSError`."""
    file = home / "journal" / f"{number}.json"
    _replace(file, {**json.loads(file.read_bytes()), "commits": list(commits)})


def last(home: Path) -> int:
    """The number of the newest record; 0 if there is none."""
    return max(_numbers(home / "journal"), default=0)


def _write(folder: Path, number: int, entry: Mapping[str, object], diff: bytes) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{number}.diff").write_bytes(diff)
    _replace(folder / f"{number}.json", entry)


def _replace(file: Path, entry: Mapping[str, object]) -> None:
    partial = file.with_suffix(".tmp")
    partial.write_text(json.dumps(entry))
    os.replace(partial, file)


def _checksum(diff: bytes) -> str:
    return hashlib.sha256(diff).hexdigest()


def find(home: Path, digest: str, paths: Collection[str]) -> Record | None:
    """The newest record of the patch with this digest on these paths.

    One that was taken back is spent, unless that was taken back, too. What cannot be read is
    passed over.
    """
    for one in _live(home):
        known = bool(digest) and one.digest == digest
        if known and {change.path for change in one.changes} <= set(paths):
            return one
    return None


def taken_back_by(home: Path, number: int) -> int:
    """The number of the record that takes that one back, and was not taken back; else 0."""
    return next((one.number for one in _live(home) if one.undoes == number), 0)


def later_changes(home: Path, number: int) -> dict[str, int]:
    """The last record after that one that changed each path, of what still stands."""
    later = [one for one in _live(home) if one.number > number and one.undoes <= number]
    return {change.path: one.number for one in reversed(later) for change in one.changes}


def get(home: Path, number: int | None = None) -> Record:
    """The record with this number, or the newest.

    Raises `JournalError` if there is none, or if it cannot be read.
    """
    numbers = _numbers(home / "journal")
    if not numbers:
        raise JournalError("nothing is recorded here: no patch was applied, or none is kept")
    if number is None:
        return _read(home / "journal", numbers[-1])
    if number not in numbers:
        raise JournalError(
            f"there is no record {number}; `git opatch log` shows those from {numbers[0]} to "
            f"{numbers[-1]}"
        )
    return _read(home / "journal", number)


def entries(home: Path) -> Iterator[tuple[int, Record | JournalError]]:
    """Each record, newest first, or what is wrong with it."""
    for number in reversed(_numbers(home / "journal")):
        try:
            yield number, _read(home / "journal", number)
        except JournalError as error:
            yield number, error


def _live(home: Path) -> Iterator[Record]:
    """The records that can be read, newest first, without those that were taken back."""
    spent: set[int] = set()
    for number, one in entries(home):
        if isinstance(one, Record) and number not in spent:
            spent.add(one.undoes)
            yield one


def _read(folder: Path, number: int) -> Record:
    file = folder / f"{number}.json"
    try:
        entry = json.loads(file.read_bytes())
        if isinstance(entry["version"], int) and entry["version"] > _VERSION:
            raise JournalError(f"record {number} was written by a newer version of git opatch")
        return _from_json(folder, number, entry)
    except OSError as error:
        raise JournalError(f"{file} cannot be read: {error.strerror}") from None
    except _MALFORMED:
        raise JournalError(f"{file} is damaged: it was cut short, or changed") from None


def _from_json(folder: Path, number: int, entry: Mapping[str, Any]) -> Record:
    """Raises one of `_MALFORMED` for what no version wrote."""
    changes = tuple(map(Change.from_json, entry["changes"]))
    files = entry.get("files") or _counted(changes)
    when = int(entry["time"])
    time.gmtime(when)  # which some numbers are too large for
    return Record(
        number,
        folder,
        Target(entry["target"]),
        changes,
        when,
        str(entry.get("patch", "")),
        str(entry.get("digest", "")),
        int(entry.get("undoes", 0)),
        {str(letter): int(count) for letter, count in files.items()},
        str(entry.get("checksum", "")),
        bool(entry.get("carried", False)),
        tuple(map(str, entry.get("commits", ()))),
        not entry.get("partial", False),
        tuple(map(str, entry.get("unmerged", ()))),
    )


def _counted(changes: Sequence[Change]) -> dict[str, int]:
    """For records without a count: paths instead of files, so that a move is two."""
    letters = ["A" if one.old is None else "D" if one.new is None else "M" for one in changes]
    return {letter: letters.count(letter) for letter in "AMD" if letter in letters}


def _last_gone(home: Path) -> int:
    """The number of the newest record when none was kept; 0 if there was none."""
    try:
        return int((home / _LAST).read_text())
    except (OSError, ValueError):
        return 0


def _numbers(folder: Path) -> list[int]:
    return sorted(int(file.stem) for file in folder.glob("*.json") if file.stem.isdecimal())
