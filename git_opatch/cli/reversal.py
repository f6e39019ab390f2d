"""What `undo` and `redo` have in common: to apply a recorded diff in reverse, and report it."""

from __future__ import annotations

from collections.abc import Callable

import typer

from git_opatch.cli import interrupts
from git_opatch.cli.groups import PlaceOptions
from git_opatch.cli.options import WAIT
from git_opatch.git.repository import Repository
from git_opatch.journal import Record
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import Patch
from git_opatch.model.settings import journal_size
from git_opatch.operations.undo import OptionsFor, Reversal
from git_opatch.report import history
from git_opatch.report.outcome import Outcome
from git_opatch.report.reporters import JsonReporter, TextReporter
from git_opatch.transaction import retry_while_locked

Reverse = Callable[[int | None, Repository, OptionsFor, Target | None], Reversal]


def reverse_record(
    name: str,
    reverse: Reverse,
    target: PlaceOptions,
    number: int | None,
    *,
    wait: float,
    quiet: bool,
    json: bool,
) -> None:
    """Run `undo` or `redo`, which is `reverse`, and exit with its status."""
    settings = (repository := Repository(asks_settings=True)).settings()
    size, named = journal_size(settings), target.named

    def options_for(record: Record) -> Options:
        return Options(
            reverse=True,
            journal_size=size,
            carry=target.carry or record.carried,
            redoes=name == "redo",
        )

    reporter = JsonReporter(name) if json else TextReporter(settings, quiet)
    with reporter:
        done = retry_while_locked(
            lambda: reverse(number, repository, options_for, named),
            wait,
            reporter.note,
            WAIT,
        )
        interrupts.ignore()  # it is done or refused, and what is left is to say so
        reporter.note(done.recovered)
        raise typer.Exit(reporter.report(_outcome(done)))


def _outcome(reversal: Reversal) -> Outcome:
    _, options, plan, failures, _ = reversal
    if failures:
        return Outcome(options, Patch(()), failures=failures)
    return Outcome(options, Patch(()), plan, done=True, undo_command=history.opposite_command(plan))
