"""`git opatch log`: what was applied here, and what became of it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Annotated

import typer

from git_opatch import report
from git_opatch.cli.options import Json, value_option
from git_opatch.git.repository import Repository
from git_opatch.model.errors import JournalError
from git_opatch.operations.history import logged_records, notes_on_log
from git_opatch.plan.record_state import LoggedRecord
from git_opatch.report import document, history
from git_opatch.report.pager import paged
from git_opatch.report.terminal import show, show_diff, write_data
from git_opatch.report.values import Fields

_Entry = LoggedRecord | tuple[int, JournalError]
"""A record with what became of it, or its number and why it cannot be read."""

Number = Annotated[
    int | None,
    typer.Argument(
        metavar="N",
        show_default=False,
        help="Show only patch N, or the undo or redo with this number.",
    ),
]
WithDiff = Annotated[bool, typer.Option("-p", "--patch", help="Also show the applied diffs.")]
All = Annotated[bool, typer.Option("--all", help="Also show each undo and redo by itself.")]
Count = Annotated[
    int | None,
    value_option(
        "-n", "--max-count", metavar="COUNT", help="Show at most COUNT patches; also -COUNT."
    ),
]


def log(
    number: Number = None,
    patch: WithDiff = False,
    every: All = False,
    count: Count = None,
    json: Json = False,
) -> None:
    """Show the patches that were applied here, newest first: number, time, state, name, files.

    The state says whether the change is still there: applied, committed, undone by N, applied again
    as N, applied, not staged (only the working tree has it), changed since, or gone. `git opatch
    undo N` undoes patch N, `git opatch redo N` applies it again.
    """
    settings = (repository := Repository(asks_settings=True)).settings()
    entries = logged_records(repository, number, count, reversals=every)
    notes = notes_on_log(repository)
    if json:
        write_data(document.records("log", [_values(entry, patch) for entry in entries], notes))
        return
    show(report.notes(notes), sys.stderr, settings)
    with paged(repository, settings):
        _show_all(entries, patch, settings)


def _values(entry: _Entry, patch: bool) -> Fields:
    if not isinstance(entry, LoggedRecord):
        return history.unreadable_values(*entry)
    try:
        return history.values(entry, entry.record.read_diff() if patch else None)
    except JournalError as error:
        return history.values(entry, error=str(error))


def _show_all(entries: Iterable[_Entry], patch: bool, settings: dict[str, str]) -> None:
    for shown, entry in enumerate(entries):
        if patch and shown:
            show([""], sys.stdout)
        if isinstance(entry, LoggedRecord):
            _show(entry, patch, settings)
        else:
            show([history.unreadable(*entry)], sys.stdout, settings)


def _show(entry: LoggedRecord, patch: bool, settings: dict[str, str]) -> None:
    if not patch:
        show([history.line(entry)], sys.stdout, settings)
        return
    try:
        diff = entry.record.read_diff()
    except JournalError as error:
        show([history.line(entry)], sys.stdout, settings)
        show([f"error: {error}"], sys.stderr, settings)
        return
    show_diff([history.line(entry)], diff, settings)
