"""`git opatch redo`: apply again what was undone."""

from __future__ import annotations

from typing import Annotated

import typer

from git_opatch.cli.groups import PlaceOptions
from git_opatch.cli.options import Json, Quiet, Wait, option_groups
from git_opatch.cli.reversal import reverse_record
from git_opatch.operations.undo import redo as redo_record

Number = Annotated[
    int | None,
    typer.Argument(
        metavar="N",
        show_default=False,
        help="The number of the patch, as `git opatch log` shows it (default: the one that was "
        "undone last).",
    ),
]


@option_groups
def redo(
    target: PlaceOptions,
    number: Number = None,
    wait: Wait = 0,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Apply again the patch that was undone last, or the one with this number.

    Repeated, it walks forward through the patches that were undone, until a new patch is applied. A
    patch is applied again where it was undone, as a whole or not at all; --index, --cached or
    --worktree choose where. What the files have had since is merged, and lines that conflict refuse
    it. Exit status: 0 applied, 1 its lines were changed since, or it is not undone, 128 no such
    patch, 129 usage, 130 interrupted.
    """
    reverse_record("redo", redo_record, target, number, wait=wait, quiet=quiet, json=json)
