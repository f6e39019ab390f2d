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
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from git_opatch.blob import Change, Entry, Mode
from git_opatch.options import Target

_VERSION = 1
_SIZE = 100


def record(
    home: Path, diff: bytes, changes: Sequence[Change], target: Target, *, name: str, digest: str
) -> Path:
    """Write down an applied patch, called `name`; gives the path of its diff.

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
        "changes": [(one.path, _pair(one.old), _pair(one.new)) for one in changes],
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
    """One applied patch: its completed diff, the paths it changed, and what stood there before."""

    number: int
    diff: bytes
    paths: frozenset[str]
    before: dict[str, Entry]


def find(home: Path, digest: str) -> Record | None:
    """The newest record of the patch with this digest; damaged ones are passed over."""
    for number, entry in _newest_first(home / "journal"):
        if digest and entry.get("digest") == digest:
            with suppress(OSError, KeyError, TypeError, ValueError):
                return _record(home / "journal", number, entry)
    return None


def _record(folder: Path, number: int, entry: Any) -> Record:
    before = {path: Entry(Mode(old[0]), old[1]) for path, old, _ in entry["changes"] if old}
    paths = frozenset(path for path, _, _ in entry["changes"])
    return Record(number, (folder / f"{number}.diff").read_bytes(), paths, before)


def _newest_first(folder: Path) -> Iterator[tuple[int, Any]]:
    """The records that can be read; those cut short or of another version are passed over."""
    for number in reversed(_numbers(folder)):
        try:
            entry = json.loads((folder / f"{number}.json").read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(entry, dict) and entry.get("version") == _VERSION:
            yield number, entry


def _numbers(folder: Path) -> list[int]:
    return sorted(int(file.stem) for file in folder.glob("*.json") if file.stem.isdigit())


def _pair(entry: Entry | None) -> tuple[str, str] | None:
    return (entry.mode.value, entry.id) if entry else None
