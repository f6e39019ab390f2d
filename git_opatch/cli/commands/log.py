"""`git opatch log`: what was applied here."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Annotated

import typer

from git_opatch import journal
from git_opatch.cli.options import Json, value_option
from git_opatch.git.repository import Repository
from git_opatch.journal import Record
from git_opatch.model.errors import JournalError
from git_opatch.report import document, history
from git_opatch.report.terminal import show, write_data
from git_opatch.report.values import Fields
from git_opatch.transaction import state_dir

_Entry = tuple[int, Record | JournalError]
"""The number of a record, and the record or why it cannot be read."""

Number = Annotated[
    int | None,
    typer.Argument(metavar="N", show_default=False, help="Show only the record with this number."),
]
WithDiff = Annotated[bool, typer.Option("-p", "--patch", help="Also show the applied diffs.")]
Count = Annotated[
    int | None,
    value_option("-n", "--max-count", metavar="COUNT", min=0, help="Show at most COUNT records."),
]


def log(
    number: Number = None, patch: WithDiff = False, count: Count = None, json: Json = False
) -> None:
    """Show what was applied here, newest first: number, time, files, target and patch.

    `git opatch undo` undoes one of the records.
    """
    settings = (repository := Repository(asks_settings=True)).settings()
    home = state_dir(repository)
    if number is not None:
        entries: Iterator[_Entry] = iter([(number, journal.get(home, number))])
    else:
        entries = islice(journal.entries(home), count)
    if json:
        write_data(document.records("log", [_values(*entry, patch) for entry in entries]))
    else:
        _show_all(entries, patch, settings)


def _values(number: int, record: Record | JournalError, patch: bool) -> Fields:
    if isinstance(record, JournalError):
        return history.unreadable_values(number, record)
    try:
        return history.values(record, record.read_diff() if patch else None)
    except JournalError as error:
        return history.values(record, error=str(error))


def _show_all(entries: Iterable[_Entry], patch: bool, settings: dict[str, str]) -> None:
    for shown, (number, record) in enumerate(entries):
        if patch and shown:
            show([""], sys.stdout)
        if isinstance(record, Record):
            _show(record, patch, settings)
        else:
            show([history.unreadable(number, record)], sys.stdout, settings)


def _show(record: Record, patch: bool, settings: dict[str, str]) -> None:
    show([history.line(record)], sys.stdout, settings)
    if not patch:
        return
    try:
        diff = record.read_diff()
    except JournalError as error:
        show([f"error: {error}"], sys.stderr, settings)
        return
    show([""], sys.stdout)
    write_data(diff)
