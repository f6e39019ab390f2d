"""`git opatch undo` and `git opatch redo`: a recorded patch back out, and in again."""

from __future__ import annotations

from git_opatch.cli import process
from git_opatch.cli.groups import PlaceOptions
from git_opatch.cli.usage import split_words
from git_opatch.git.repository import Repository
from git_opatch.model.errors import UsageError
from git_opatch.model.failure import Refused
from git_opatch.model.options import Options
from git_opatch.model.patch import Patch
from git_opatch.model.settings import journal_size
from git_opatch.operations import undo as operation
from git_opatch.report.outcome import Outcome
from git_opatch.report.reporters import JsonReporter, TextReporter, notes_of
from git_opatch.report.terminal import timed


def undo(
    target: PlaceOptions,
    number: str = "",
    pathspecs: list[str] | None = None,
    quiet: bool = False,
    json: bool = False,
) -> int:
    """Undo the patch that was applied last and is still there, or the one with this number.

    Repeated, it walks back through the patches that were applied here, up to one that is committed,
    which takes its number. A patch is undone where it was applied (in the index and the working
    tree, or in one of them), as a whole or not at all; --index, --cached or --worktree choose
    where. With paths, only these files of it are undone, and the rest stays applied. What the files
    have had since is merged, and lines that conflict refuse it. `git opatch redo` applies it again.
    Exit status: 0 undone, 1 its lines were changed since, or it is not there any more, 128 no such
    patch, 129 usage, 130 interrupted.
    """
    return _reverse("undo", target, number, pathspecs, quiet=quiet, json=json)


def redo(
    target: PlaceOptions,
    number: str = "",
    pathspecs: list[str] | None = None,
    quiet: bool = False,
    json: bool = False,
) -> int:
    """Apply again the patch that was undone last, or the one with this number.

    Repeated, it walks forward through the patches that were undone, until a new patch is applied. A
    patch is applied again where it was undone, as a whole or not at all; --index, --cached or
    --worktree choose where. With paths, only these files of it are applied again. What the files
    have had since is merged, and lines that conflict refuse it. Exit status: 0 applied, 1 its lines
    were changed since, or it is not undone, 128 no such patch, 129 usage, 130 interrupted.
    """
    return _reverse("redo", target, number, pathspecs, quiet=quiet, json=json)


def _reverse(
    name: str,
    target: PlaceOptions,
    number: str,
    words: list[str] | None,
    *,
    quiet: bool,
    json: bool,
) -> int:
    """Run one of them; gives the exit status."""
    number, pathspecs = split_words(number, words, "name one patch")
    if words and not pathspecs:
        raise UsageError("there is no path after --")
    if number and not (number.isascii() and number.isdigit() and len(number) < 10):
        raise UsageError(f"N: `{number}` is not a number")
    settings = (repository := Repository(asks_settings=True)).settings()
    files, redoes = operation.ChosenFiles(pathspecs, repository.directory), name == "redo"
    options = Options(
        reverse=True, journal_size=journal_size(settings), carry=target.carry, redoes=redoes
    )
    reporter = JsonReporter(name) if json else TextReporter(settings, quiet)
    with reporter:
        try:
            with timed("" if quiet else name):
                plan, options = operation.reverse(
                    int(number) if number else None, repository, options, target.named, files
                )
            outcome = Outcome(options, Patch(()), plan, done=True)
        except Refused as refused:
            reporter.note(notes_of(refused))
            outcome = Outcome(refused.options, Patch(()), failures=refused.failures)
        process.ignore_interrupts()  # it is done or refused, and what is left is to say so
        return reporter.report(outcome)
