"""The journal: a record of each patch that was applied in this repository.

    <git-dir>/opatch/journal/N.json     time, target, patch name, every path's old and new id
    <git-dir>/opatch/journal/N.diff     the completed diff
    <git-dir>/opatch/last               the newest number, where an earlier version kept no record

The digest of the patch's text is recorded, too: `-R` of the same text then undoes the record, with
what the text does not have, such as the content of a deleted file. An undo and a redo are records,
too; what they are about is in `journal.patch_history`. A missing key has a neutral default; a
record that must not be read with it has another version.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from git_opatch.model.blob import Change, Entry
from git_opatch.model.errors import JournalError
from git_opatch.model.options import Target

_VERSION = 1
_LAST = "last"
PENDING = "committing"
"""The file of a run with `--commit` (see `journal.pending_commit`)."""
_MALFORMED = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    OverflowError,
    RecursionError,
)


class RecordAction(Enum):
    """What a record is about."""

    APPLY = "apply"
    UNDO = "undo"
    REDO = "redo"


class Record(NamedTuple):
    """An applied patch, called `name`, or an undo or a redo of it: what changed, where and when.

    `files` counts the files that were added, modified, …, by git's letters; `carried` is whether
    some had unstaged changes, which stayed unstaged.
    """

    number: int
    folder: Path
    target: Target
    changes: tuple[Change, ...]
    time: int = 0
    name: str = ""
    digest: str = ""
    reverses: int = 0
    """The record whose diff this one applied in reverse; 0 if none."""
    files: Mapping[str, int] = {}
    checksum: str = ""
    carried: bool = False
    commits: tuple[str, ...] = ()
    """The ids of the commits that were made of it, oldest first."""
    whole: bool = True
    """Whether all of the patch was applied."""
    unmerged: Mapping[str, tuple[str, ...]] = {}
    """The ids of the stages of each path that was left unmerged; none in old records."""
    action: RecordAction = RecordAction.APPLY
    origin: int = 0
    """The record of the patch that this one undoes or redoes; 0 if none."""
    rejects: Mapping[str, bytes] = {}
    """The files of rejected hunks that belong to it, by path."""
    head: str = ""
    """The commit of HEAD when it was made; empty if there was none, or in old records."""
    is_part: bool = False
    """Whether hunks of the patch were left out on purpose; it is `whole` if the others applied."""
    in_reverse: bool = False
    """Whether the patch was applied in reverse, and that is not the undo of a record."""
    command: str = ""
    """The command that applied it, with its options and without its patch.

    Empty in old records, and in those of an undo or a redo.
    """
    texts: tuple[Change, ...] = ()
    """What became of the texts of files under a filter, which the diff is of.

    `changes` has what the index had of them. The repository has, or had, blobs of the texts.
    """

    def located_in(self, target: Target) -> Record:
        """The record with the changes of what hunks are located in: of texts, but for the index."""
        if target is Target.CACHED or not self.texts:
            return self
        texts = {change.path: change for change in self.texts}
        changes = tuple(texts.get(change.path, change) for change in self.changes)
        return self._replace(changes=changes)

    @property
    def patch(self) -> int:
        """The number of the patch's own record, by which `undo` and `redo` name it."""
        return self.origin or self.number

    @property
    def undoes(self) -> int:
        """The record of the patch that this one undoes; 0 if none."""
        return self.origin if self.action is RecordAction.UNDO else 0

    @property
    def redoes(self) -> int:
        """The record of the patch that this one redoes; 0 if none."""
        return self.origin if self.action is RecordAction.REDO else 0

    @property
    def before(self) -> dict[str, Entry]:
        """The entry before, by path, of each file that existed."""
        return {change.path: change.old for change in self.changes if change.old is not None}

    @property
    def file(self) -> Path:
        """The file of the completed diff."""
        return self.folder / f"{self.number}.diff"

    def read_diff(self) -> bytes:
        """Return the completed diff. Raises `JournalError` if it is not what was recorded."""
        try:
            diff = self.file.read_bytes()
        except OSError as error:
            raise JournalError(f"{self.file} cannot be read: {error.strerror}") from None
        if self.checksum not in ("", _checksum(diff)):
            raise JournalError(f"{self.file} is damaged: it does not match its checksum")
        return diff


def add_record(
    home: Path,
    diff: bytes,
    changes: Sequence[Change],
    target: Target,
    about: Mapping[str, object],
    size: int,
) -> int:
    """Record an applied patch; return its number, 0 if `size` is 0: then nothing is recorded.

    `about` has the remaining keys of the record: `patch` (its name), `digest`, `files`, `undoes`,
    `action`, `origin`, `head`, `carried`, `partial`, `part`, `reverse`, `unmerged`, `rejects`,
    `command`, `texts`. Only the newest `size` records are kept; with a size of 0, those that are
    there (D121). Raises `OSError`.
    """
    if not size:
        return 0
    folder = home / "journal"
    numbers = _numbers(folder)
    number = max([*numbers, _last_removed(home)]) + 1
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
    for old in numbers[: max(len(numbers) - size, 0)]:
        (folder / f"{old}.json").unlink(missing_ok=True)
        (folder / f"{old}.diff").unlink(missing_ok=True)
    return number


def encode_rejects(rejects: Mapping[str, bytes]) -> dict[str, str]:
    """Render files of rejected hunks for the key `rejects`."""
    import base64

    return {path: base64.b64encode(content).decode() for path, content in rejects.items()}


def decode_rejects(encoded: Mapping[str, str]) -> dict[str, bytes]:
    """Read files of rejected hunks from the key `rejects`. Raises one of `_MALFORMED`."""
    import base64

    return {str(path): base64.b64decode(content) for path, content in encoded.items()}


def _decode_stages(encoded: Mapping[str, Any] | Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Read the stages of unmerged paths; an earlier version only listed the paths."""
    stages = encoded if isinstance(encoded, Mapping) else dict.fromkeys(encoded, ())
    return {str(path): tuple(map(str, ids)) for path, ids in stages.items()}


def add_commits(home: Path, number: int, commits: Sequence[str]) -> None:
    """Add to a record the commits that were made of it. Raises `OSError`."""
    file = home / "journal" / f"{number}.json"
    _replace(file, {**json.loads(file.read_bytes()), "commits": list(commits)})


def has_transaction(home: Path, name: str) -> bool:
    """Return whether the newest record is of the transaction of this name."""
    number = last(home)
    if not number:
        return False
    try:
        entry = json.loads((home / "journal" / f"{number}.json").read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(entry, dict) and entry.get("transaction") == name


def is_commit_pending(home: Path) -> bool:
    """Return whether a run with `--commit` was interrupted, or is still running."""
    return (home / PENDING).exists()


def files_of(home: Path, number: int) -> list[Path]:
    """The files of a record, and the directories above them, all of which hold it on the disk."""
    folder = home / "journal"
    return [folder / f"{number}.json", folder / f"{number}.diff", folder, home]


def last(home: Path) -> int:
    """Return the number of the newest record; 0 if there is none."""
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


def get(home: Path, number: int | None = None) -> Record:
    """Return the record with this number, or the newest.

    Raises `JournalError` if there is none, or if it cannot be read.
    """
    numbers = _numbers(home / "journal")
    if not numbers:
        raise JournalError("nothing is recorded here: no patch was applied, or none is kept")
    if number is None:
        return _read(home / "journal", numbers[-1])
    if number not in numbers:
        raise unknown(number, numbers)
    return _read(home / "journal", number)


def unknown(number: int, numbers: Sequence[int]) -> JournalError:
    """Return the error that says of a `number` that none of `numbers`, the records, has it."""
    first, last = min(numbers), max(numbers)
    is_gone = 0 < number < first  # beyond `opatch.journalSize`
    what = f"patch {number} is not kept any more" if is_gone else f"there is no patch {number}"
    return JournalError(f"{what}; `git opatch log --all` shows {first} to {last}")


def entries(home: Path) -> Iterator[tuple[int, Record | JournalError]]:
    """Yield each record, newest first, or the error of one that cannot be read."""
    for number in reversed(_numbers(home / "journal")):
        try:
            yield number, _read(home / "journal", number)
        except JournalError as error:
            yield number, error


def mentions(home: Path, digest: str) -> bool:
    """Return whether a record may be of the patch with this digest, without parsing any.

    An apply asks this of all records, which may have many changes.
    """
    folder, text = home / "journal", digest.encode()
    for number in reversed(_numbers(folder)):
        with suppress(OSError):
            if text in (folder / f"{number}.json").read_bytes():
                return True
    return False


def _read(folder: Path, number: int) -> Record:
    file = folder / f"{number}.json"
    try:
        entry = json.loads(file.read_bytes())
        if isinstance(entry["version"], int) and entry["version"] > _VERSION:
            raise JournalError(f"entry {number} was written by a newer version of git opatch")
        return _from_json(folder, number, entry)
    except OSError as error:
        raise JournalError(f"{file} cannot be read: {error.strerror}") from None
    except _MALFORMED:
        raise JournalError(f"{file} is damaged: it is truncated, or was changed") from None


def _from_json(folder: Path, number: int, entry: Mapping[str, Any]) -> Record:
    """Convert a record from JSON. Raises one of `_MALFORMED` for what no version wrote."""
    changes = tuple(map(Change.from_json, entry["changes"]))
    files = entry.get("files") or _count_changes(changes)
    when = int(entry["time"])
    time.gmtime(when)  # raises for numbers that are too large
    return Record(
        number,
        folder,
        Target(entry["target"]),
        changes,
        when,
        str(entry.get("patch", "")),
        str(entry.get("digest", "")),
        reverses := int(entry.get("undoes", 0)),
        {str(letter): int(count) for letter, count in files.items()},
        str(entry.get("checksum", "")),
        bool(entry.get("carried", False)),
        tuple(map(str, entry.get("commits", ()))),
        not entry.get("partial", False),
        _decode_stages(entry.get("unmerged", {})),
        RecordAction(entry.get("action", "undo" if reverses else "apply")),
        int(entry.get("origin", reverses)),
        decode_rejects(entry.get("rejects", {})),
        str(entry.get("head", "")),
        bool(entry.get("part", False)),
        bool(entry.get("reverse", False)),
        str(entry.get("command", "")),
        tuple(map(Change.from_json, entry.get("texts", ()))),
    )


def _count_changes(changes: Sequence[Change]) -> dict[str, int]:
    """Count paths for a record that does not count its files; a move is two."""
    letters = [
        "A" if change.old is None else "D" if change.new is None else "M" for change in changes
    ]
    return {letter: letters.count(letter) for letter in "AMD" if letter in letters}


def _last_removed(home: Path) -> int:
    """Return the newest number that an earlier version removed with all others; else 0."""
    try:
        return int((home / _LAST).read_text())
    except (OSError, ValueError):
        return 0


def _numbers(folder: Path) -> list[int]:
    return sorted(int(file.stem) for file in folder.glob("*.json") if file.stem.isdecimal())
