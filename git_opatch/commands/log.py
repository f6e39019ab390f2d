"""`git opatch log`: what was applied here."""

from __future__ import annotations

import sys
from itertools import islice

from git_opatch import journal
from git_opatch.commands import choices
from git_opatch.errors import JournalError
from git_opatch.journal import Record
from git_opatch.report import history
from git_opatch.report.terminal import show, write_data
from git_opatch.repository import Repository
from git_opatch.transaction import home_of


def log(
    number: choices.Logged = None,
    patch: choices.WithDiff = False,
    count: choices.Count = None,
) -> None:
    """Show what was applied here, newest first: number, time, files, target and patch.

    With a number, that one alone. `git opatch undo` takes one back.
    """
    settings = (repository := Repository()).settings()
    home = home_of(repository)
    if number is not None:
        _show(journal.get(home, number), patch, settings)
        return
    for shown, (at, found) in enumerate(islice(journal.entries(home), count)):
        if patch and shown:
            show([""], sys.stdout)
        if isinstance(found, Record):
            _show(found, patch, settings)
        else:
            show([history.unreadable(at, found)], sys.stdout, settings)


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
