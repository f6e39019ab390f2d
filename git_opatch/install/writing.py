"""Write the files of a client as they were planned, and the shim."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from git_opatch.install.client_files import FileChange
from git_opatch.model.errors import InputError


def write_change(change: FileChange, base: Path) -> None:
    """Write a file whole, or delete it, and the directories below `base` that are empty then.

    A symbolic link is followed, since people keep such files elsewhere. Raises `InputError`.
    """
    path = Path(os.path.realpath(change.path))
    try:
        if change.new is None:
            path.unlink()
            _remove_empty(change.path.parent, base)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
            replace_file(path, change.new.encode("utf-8"), mode)
    except OSError as error:
        raise InputError(f"cannot write `{change.path}`: {error.strerror}") from None


def replace_file(path: Path, data: bytes, mode: int) -> None:
    """Write a file whole, so that it is never there in part. Raises `OSError`."""
    descriptor, aside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
        os.chmod(aside, mode)
        os.replace(aside, path)
    except OSError:
        with suppress(OSError):
            os.unlink(aside)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _remove_empty(directory: Path, base: Path) -> None:
    with suppress(OSError):
        while directory != base and base in directory.parents:
            directory.rmdir()
            directory = directory.parent
