"""`git opatch undo`: undo a recorded patch, by the diff that was applied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, NamedTuple

import typer

from git_opatch import journal
from git_opatch.cli.groups import TargetOptions
from git_opatch.cli.options import Json, Quiet, Wait, option_groups
from git_opatch.git.index import unmerged_paths
from git_opatch.git.repository import Repository
from git_opatch.journal import Record
from git_opatch.model.command_line import CommandLine
from git_opatch.model.errors import JournalError
from git_opatch.model.options import Options
from git_opatch.model.patch import Patch
from git_opatch.model.result import Refused
from git_opatch.model.settings import journal_size
from git_opatch.model.text import visible
from git_opatch.operations.undo import undo_chosen
from git_opatch.plan.undo import undo_patch_of
from git_opatch.report import history
from git_opatch.report.outcome import Outcome
from git_opatch.report.reporters import JsonReporter, TextReporter, notes_of
from git_opatch.transaction import retry_while_locked, state_dir

Number = Annotated[
    int | None,
    typer.Argument(
        metavar="N",
        show_default=False,
        help="The number of the record, as `git opatch log` shows it (default: the last).",
    ),
]


@option_groups
def undo(
    target: TargetOptions,
    number: Number = None,
    wait: Wait = 0,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Undo the patch that was applied last here, or the record with this number.

    It is undone where it was applied (in the index and the working tree, in the index, or in the
    working tree), by the diff that was applied, as a whole or not at all. An undo is recorded,
    too: undo it, and the patch is applied again. Exit status: 0 undone, 1 its lines were changed
    since, or it was undone already, 128 no such record, 129 usage, 130 interrupted.
    """
    settings = (repository := Repository(asks_settings=True)).settings()
    size, named = journal_size(settings), target.named
    reporter = JsonReporter("undo") if json else TextReporter(settings, quiet)

    def choose() -> tuple[Record, Options]:
        record = _find_record(repository, number)
        return record, Options(
            named or record.target,
            reverse=True,
            journal_size=size,
            carry=target.carry or record.carried,
            command=CommandLine("git opatch undo", arguments=(str(record.number),)),
        )

    with reporter:
        undo = _Undo(repository, choose, wait, reporter)
        raise typer.Exit(reporter.report(undo.outcome()))


def _find_record(repository: Repository, number: int | None) -> Record:
    """Read the record with this number, or the newest. Raises `JournalError`.

    What came last may have no record: a merge of the user's, or a patch that left only
    conflicts.
    """
    record = journal.get(state_dir(repository), number)
    if number is None and (others := set(unmerged_paths(repository)) - set(record.unmerged)):
        raise JournalError(
            f"files are unmerged, and not by what was recorded last: {visible(min(others))}\n"
            f"resolve or restore them first, or name the record: git opatch undo {record.number}"
        )
    return record


class _Undo(NamedTuple):
    """One call of the command. `choose` reads the record and its options, after recovery."""

    repository: Repository
    choose: Callable[[], tuple[Record, Options]]
    wait: float
    reporter: JsonReporter | TextReporter

    def outcome(self) -> Outcome:
        """Undo the record."""
        chosen: list[tuple[Record, Options]] = []

        def choose() -> tuple[Record, Options]:
            chosen[:] = [self.choose()]
            return chosen[0]

        try:
            plan = retry_while_locked(
                lambda: undo_chosen(choose, self.repository), self.wait, self.reporter.note
            )
        except Refused as refused:
            self.reporter.note(notes_of(refused))
            record, options = chosen[0]
            later = journal.later_changes(state_dir(self.repository), record.number)
            failures = history.with_advice(refused.failures, record.number, later)
            return Outcome(options, undo_patch_of(record), failures=failures)
        record, options = chosen[0]
        return Outcome(
            options,
            Patch(()),
            plan,
            done=True,
            undo_command=history.undo_command(plan),
            intro=history.intro(record),
        )
