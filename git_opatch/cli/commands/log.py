"""`git opatch log`: what was applied here, and what became of it."""

from __future__ import annotations

import sys
import time
from shutil import get_terminal_size

from git_opatch import report
from git_opatch.cli.options import When, colour
from git_opatch.git.repository import Repository
from git_opatch.model.errors import JournalError
from git_opatch.model.settings import Settings
from git_opatch.operations.log import LoggedPatch, logged_patches, notes_on_log
from git_opatch.report import document, history
from git_opatch.report.terminal import is_on_terminal, paged, show, show_diff, write_data


def log(
    number: int | None = None,
    patch: bool = False,
    count: int | None = None,
    color: When | None = None,
    json: bool = False,
) -> None:
    """Show the patches that were applied here, newest first: number, time, state, name, files.

    The state says what `git opatch undo N` would do: applied (it would take the change back), gone
    (it is not there any more), changed (the same lines were changed since, so it is refused), or
    undone, which `git opatch redo N` applies again. An undo and a redo take numbers that are not
    shown.
    """
    settings = colour((repository := Repository(asks_settings=True)).settings(), color)
    entries = logged_patches(repository, number, count)
    notes = notes_on_log(repository)
    if json:
        write_data(
            document.records(
                "log", [history.RecordValues.of(entry, diff=patch) for entry in entries], notes
            )
        )
        return
    show(report.notes(notes), sys.stderr, settings)
    columns = get_terminal_size().columns  # before it goes to the pager
    with paged(repository, settings):
        rows = history.rows(entries, time.time() if is_on_terminal() else None, columns)
        if not patch:
            show(rows, sys.stdout, settings)
            return
        for shown, (entry, row) in enumerate(zip(entries, rows, strict=True)):
            show([""] * bool(shown), sys.stdout)
            _show_with_diff(entry, "".join(piece for piece, _ in row), settings)


def _show_with_diff(entry: history.Entry, line: str, settings: Settings) -> None:
    try:
        diff = entry.history.record.read_diff() if isinstance(entry, LoggedPatch) else b""
        show_diff([line], diff, settings)
    except JournalError as error:
        show([line], sys.stdout, settings)
        show([f"error: {error}"], sys.stderr, settings)
