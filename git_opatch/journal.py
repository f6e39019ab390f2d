"""What was applied in this repository, newest last.

    <git-dir>/opatch/journal/N.json     time, target, patch name, every path's old and new id
    <git-dir>/opatch/journal/N.diff     the completed diff

The digest of the patch's text is recorded, too: `-R` of the same text then takes back what it
did, with all that the text does not say, such as what a deleted file held.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from git_opatch.blob import Change, Entry
from git_opatch.options import Target

_VERSION = 1
_SIZE = 100


def record(
    home: Path,
    diff: bytes,
    changes: Sequence[Change],
    target: Target,
    *,
    name: str,
    digest: str,
    undoes: int = 0,
) -> Path:
    """Write down an applied patch, called `name`; gives the path of its diff.

    `undoes` is the number of the record that it takes back, if it is one.

    Only the newest hundred records are kept. Raises `OSError` if there is no room.
    """
    folder = home / "journal"
    folder.mkdir(exist_ok=True)
    numbers = _numbers(folder)
    number = numbers[-1] + 1 if numbers else 1
    entry = {
        "version": _VERSION,
        "time": int(time.time()),
        "target": target.value,
        "patch": name,
        "digest": digest,
        "undoes": undoes,
        "changes": [change.to_json() for change in changes],
    }
    file = folder / f"{number}.diff"
    file.write_bytes(diff)
    partial = folder / f"{number}.tmp"
    partial.write_text(json.dumps(entry))
    os.replace(partial, folder / f"{number}.json")
    for old in [*numbers, number][:-_SIZE]:
        (folder / f"{old}.json").unlink(missing_ok=True)
        (folder / f"{old}.diff").unlink(missing_ok=True)
    return file


@dataclass(frozen=True, slots=True)
class Record:
    """One applied patch: its number, its completed diff, and what it changed."""

    number: int
    diff: bytes
    changes: tuple[Change, ...]

    @property
    def before(self) -> dict[str, Entry]:
        """What stood at each path that was not empty."""
        return {change.path: change.old for change in self.changes if change.old is not None}


def find(home: Path, digest: str, paths: Collection[str]) -> Record | None:
    """The newest record of the patch with this digest on these paths.

    One that was taken back is spent. What is damaged is passed over.
    """
    spent: set[int] = set()
    for number, entry in _newest_first(home / "journal"):
        with suppress(OSError, LookupError, TypeError, ValueError, RecursionError):
            spent.add(entry.get("undoes", 0))
            if not digest or entry["digest"] != digest or number in spent:
                continue
            changes = tuple(map(Change.from_json, entry["changes"]))
            if {change.path for change in changes} <= set(paths):
                diff = (home / "journal" / f"{number}.diff").read_bytes()
                return Record(number, diff, changes)
    return None


def _newest_first(folder: Path) -> Iterator[tuple[int, Any]]:
    """The records that can be read; those cut short or of another version are passed over."""
    for number in reversed(_numbers(folder)):
        try:
            entry = json.loads((folder / f"{number}.json").read_bytes())
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(entry, dict) and entry.get("version") == _VERSION:
            yield number, entry


def _numbers(folder: Path) -> list[int]:
    return sorted(int(file.stem) for file in folder.glob("*.json") if file.stem.isdigit())
