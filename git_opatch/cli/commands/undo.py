"""`git opatch undo`: undo a recorded patch, by the diff that was applied."""

from __future__ import annotations

from typing import Annotated

import typer

from git_opatch.cli.groups import PlaceOptions
from git_opatch.cli.options import Json, Quiet, Wait, option_groups
from git_opatch.cli.reversal import reverse_record
from git_opatch.operations.undo import undo as undo_record

Number = Annotated[
    int | None,
    typer.Argument(
        metavar="N",
        show_default=False,
        help="The number of the patch, as `git opatch log` shows it (default: the last one that is "
        "still applied).",
    ),
]


@option_groups
def undo(
    target: PlaceOptions,
    number: Number = None,
    wait: Wait = 0,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Undo the patch that was applied last and is still there, or the one with this number.

    Repeated, it walks back through the patches that were applied here. A patch is undone where it
    was applied (in the index and the working tree, or in one of them), as a whole or not at all;
    --index, --cached or --worktree choose where. What the files have had since is merged, and lines
    that conflict refuse it. `git opatch redo` applies it again. Exit status: 0 undone, 1 its lines
    were changed since, or it is not there any more, 128 no such patch, 129 usage, 130 interrupted.
    """
    reverse_record("undo", undo_record, target, number, wait=wait, quiet=quiet, json=json)
