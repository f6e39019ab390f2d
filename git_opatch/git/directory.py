"""A plain directory as the base of a patch, without git.

Read by `lstat`, so that no link is followed; the blobs have the ids that git would give them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from git_opatch.git.snapshot import Snapshot, is_file, is_folder
from git_opatch.model.blob import Blob, Entry, Mode, blob_id
from git_opatch.model.errors import InputError
from git_opatch.model.paths import parents
from git_opatch.model.text import Text, visible

ALGORITHM = "sha1"


def directory_snapshot(top: Path, paths: Iterable[str]) -> Snapshot:
    """Read `paths`, which are safe, below `top`. Raises `InputError` for what cannot be read."""
    wanted = set(paths)
    named = wanted | {parent for path in wanted for parent in parents(path)}
    blobs = {path: _blob(top, path) for path in sorted(named) if is_file(top / path)}
    folders = {path for path in named if is_folder(top / path)}
    below = {file for path in folders & wanted for file in _files_below(top, path)}
    return Snapshot(blobs, frozenset({*blobs, *below}), frozenset(folders), name="the working tree")


def _blob(top: Path, path: str) -> Blob:
    try:
        mode = os.lstat(top / path).st_mode
        if stat.S_ISLNK(mode):
            data, kind = os.fsencode(os.readlink(top / path)), Mode.SYMLINK
        else:
            data = (top / path).read_bytes()
            kind = Mode.EXECUTABLE if mode & stat.S_IXUSR else Mode.REGULAR
    except OSError as error:
        raise InputError(f"cannot read `{visible(path)}`: {error.strerror}") from None
    return Blob(path, Entry(kind, blob_id(Text.from_bytes(data), ALGORITHM)), data)


def _files_below(top: Path, path: str) -> Iterator[str]:
    for directory, _, names in os.walk(top / path):
        yield from (os.path.relpath(os.path.join(directory, name), top) for name in names)
