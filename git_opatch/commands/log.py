"""`git opatch log`: what was applied here."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import islice

from git_opatch import journal
from git_opatch.commands import choices
from git_opatch.errors import JournalError
from git_opatch.journal import Record
from git_opatch.report import document, history
from git_opatch.report.terminal import show, write_data
from git_opatch.report.values import Fields
from git_opatch.repository import Repository
from git_opatch.transaction import home_of

_Entry = tuple[int, Record | JournalError]


def log(
    number: choices.Logged = None,
    patch: choices.WithDiff = False,
    count: choices.Count = None,
    json: choices.Json = False,
) -> None:
    """Show what was applied here, newest first: number, time, files, target and patch.

    With a number, that one alone. `git opatch undo` takes one back.
    """
    settings = (repository := Repository(asks_settings=True)).settings()
    home = home_of(repository)
    if number is not None:
        found: Iterator[_Entry] = iter([(number, journal.get(home, number))])
    else:
        found = islice(journal.entries(home), count)
    if json:
        write_data(document.records("log", [_values(*one, patch) for one in found]))
    else:
        _show_all(found, patch, settings)


def _values(number: int, found: Record | JournalError, patch: bool) -> Fields:
    if isinstance(found, JournalError):
        return history.unreadable_values(number, found)
    try:
        return history.values(found, found.read_diff() if patch else None)
    except JournalError as error:
        return history.values(found, problem=str(error))


def _show_all(entries: Iterable[_Entry], patch: bool, settings: dict[str, str]) -> None:
    for shown, (number, found) in enumerate(entries):
        if patch and shown:
            show([""], sys.stdout)
        if isinstance(found, Record):
            _show(found, patch, settings)
        else:
            show([history.unreadable(number, found)], sys.stdout, settings)


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
