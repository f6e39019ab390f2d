"""The shim: a program `apply_patch` that hands its patch to `git opatch apply-patch` (D270).

It is a script of three lines, recognized again by the second. No other file is replaced or removed.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from git_opatch.install.writing import replace_file
from git_opatch.model.errors import InputError

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
