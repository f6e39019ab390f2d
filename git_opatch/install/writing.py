"""Write the files of a client as they were planned, and the shim.

The shim is a program `apply_patch` that hands its patch to `git opatch apply-patch` (D270): a
script of three lines, recognized again by the second. No other file is replaced or removed.
"""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from git_opatch.install.client_files import ConfigChange
from git_opatch.model.errors import InputError


def write_change(change: ConfigChange, base: Path) -> None:
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


NAME = "apply_patch"
_MARK = b"#!/bin/sh\n# apply_patch of git opatch; remove it with: "
_REMOVAL = b"git opatch install-agent --remove shim DIR\n"


def shim_script(program: Sequence[str]) -> bytes:
    """Write the script that runs `program`, the words that start git opatch."""
    command = shlex.join([*program, "apply-patch", "--"])
    return _MARK + _REMOVAL + os.fsencode(f'exec {command} "$@"\n')


def install_shim(directory: Path, program: Sequence[str]) -> None:
    """Write the shim in `directory`, which must be there.

    A former shim is replaced. Raises `InputError` if another file has its name, or it cannot be
    written.
    """
    path = directory / NAME
    _require_own(path)
    try:
        replace_file(path, shim_script(program), 0o755)
    except OSError as error:
        raise InputError(f"cannot write `{path}`: {error.strerror}") from None


def remove_shim(directory: Path) -> bool:
    """Remove the shim from `directory`; False if there is none.

    Raises `InputError` if the file of its name is another, or it cannot be removed.
    """
    path = directory / NAME
    _require_own(path)
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise InputError(f"cannot remove `{path}`: {error.strerror}") from None
    return True


def _require_own(path: Path) -> None:
    """Raise `InputError` if there is something at `path` that is not a shim of ours."""
    if not os.path.lexists(path):
        return
    try:
        is_own = not path.is_symlink() and path.is_file() and path.read_bytes().startswith(_MARK)
    except OSError as error:
        raise InputError(f"cannot read `{path}`: {error.strerror}") from None
    if not is_own:
        raise InputError(f"`{path}` is not a shim of git opatch; it was left as it is")
