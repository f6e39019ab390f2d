"""`git opatch convert`: complete a patch into a standard unified diff, for `git apply`."""

from __future__ import annotations

from git_opatch.cli.groups import BaseOptions, PatchOptions
from git_opatch.cli.locating import locate, resolve_options
from git_opatch.git.repository import Repository
from git_opatch.report.outcome import Outcome
from git_opatch.report.reporters import JsonReporter, TextReporter
from git_opatch.report.terminal import write_data, write_file


def convert(
    given: PatchOptions,
    base: BaseOptions,
    output: str = "",
    reverse: bool = False,
    json: bool = False,
) -> int:
    """Complete a patch into a standard unified diff, and change nothing.

    Hunks are located in the index. The diff is byte for byte what `git opatch apply` passes
    to git: apply it at the top of the working tree with `git apply --index`.
    """
    repository = Repository(asks_settings=True)
    settings, options = resolve_options(
        given, base, repository, by_program=json, reverse=reverse, converts=True
    )
    outcome = locate(given.read(), given, repository, options)
    if output and not outcome.failures:
        write_file(outcome.plan.completed.diff, output)
    reporter = JsonReporter("convert") if json else _DiffReporter(settings, quiet=bool(output))
    return reporter.report(outcome)


class _DiffReporter(TextReporter):
    """Prints the diff; quiet, if it goes to a file."""

    def succeed(self, outcome: Outcome) -> None:
        """Print the diff."""
        self.show_notes(outcome)
        if not self.quiet:
            write_data(outcome.plan.completed.diff)
