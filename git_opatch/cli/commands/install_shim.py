"""`git opatch install-shim`: a program `apply_patch` for agents and scripts."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from git_opatch import report
from git_opatch.agent.program import program_words
from git_opatch.install import shim
from git_opatch.model.errors import UsageError
from git_opatch.model.text import visible
from git_opatch.report.terminal import show

Directory = Annotated[
    str,
    typer.Argument(metavar="DIR", help="The directory of the program, one of those on PATH."),
]
Remove = Annotated[bool, typer.Option("--remove", help="Remove it from there again.")]


def install_shim(directory: Directory, remove: Remove = False) -> None:
    """Install a program `apply_patch` that applies its patch with git opatch.

    It runs `git opatch apply-patch` of this installation, by absolute path. A program of the same
    name that is not from here is neither replaced nor removed. Exit status: 0 done, 128 another
    program has the name or the directory cannot be written, 129 there is no such directory.
    """
    where = Path(os.path.abspath(os.path.expanduser(directory)))
    if not where.is_dir():
        raise UsageError(f"`{directory}` is not a directory")
    if remove:
        removed = shim.remove_shim(where)
        line = (
            f"removed {where / shim.NAME}"
            if removed
            else f"nothing to remove: no {where / shim.NAME}"
        )
        show([visible(line)], sys.stdout)
        return
    path = shim.install_shim(where, program_words())
    show([visible(f"installed {path}")], sys.stdout)
    show(report.notes(_notes(path)), sys.stderr)


def _notes(path: Path) -> list[str]:
    """Say where a shell would not run the program at `path`."""
    found = shutil.which(shim.NAME)
    if found is None:
        return [f"{path.parent} is not on PATH, so that a shell does not find it yet"]
    if not os.path.samefile(found, path):
        return [f"{found} comes first on PATH, so that a shell runs that one"]
    return []
