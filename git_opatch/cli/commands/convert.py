"""`git opatch convert`: complete a patch into a standard unified diff, for `git apply`."""

from __future__ import annotations

from collections.abc import Mapping

from git_opatch.cli.groups import (
    BaseOptions,
    InputOptions,
    MatchOptions,
    PolicyOptions,
    SelectOptions,
)
from git_opatch.cli.locating import locator
from git_opatch.report.outcome import Outcome
from git_opatch.report.reporters import JsonReporter, TextReporter
from git_opatch.report.terminal import write_data, write_file


def convert(
    inputs: InputOptions,
    base: BaseOptions,
    match: MatchOptions,
    select: SelectOptions,
    policy: PolicyOptions,
    output: str = "",
    reverse: bool = False,
    json: bool = False,
) -> int:
    """Complete a patch into a standard unified diff, and change nothing.

    Hunks are located in the index. The diff is byte for byte what `git opatch apply` passes
    to git: apply it at the top of the working tree with `git apply --index`.
    """
    where = locator(inputs, base, match, policy, reverse=reverse, converts=True, by_program=json)
    reporter = JsonReporter("convert") if json else _DiffReporter(where.settings, output)
    outcome = where.locate(inputs.read(), select)
    if output and not outcome.failures:
        write_file(outcome.plan.completed.diff, output)
    return reporter.report(outcome)


class _DiffReporter(TextReporter):
    """Prints the diff, unless it goes to a file."""

    def __init__(self, settings: Mapping[str, str], output: str) -> None:
        super().__init__(settings)
        self._output = output

    def succeed(self, outcome: Outcome) -> None:
        """Print the diff."""
        self.show_notes(outcome)
        if not self._output:
            write_data(outcome.plan.completed.diff)
