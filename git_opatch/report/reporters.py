"""The reporters, which render what came of a call: one in text, one in JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Self

from git_opatch import report
from git_opatch.model.errors import OpatchError
from git_opatch.plan.plan import NotCommitted
from git_opatch.report.draw import Shown
from git_opatch.report.outcome import Outcome
from git_opatch.report.placements import details, left_out_notes, loose_placements
from git_opatch.report.refusal import failure_lines
from git_opatch.report.terminal import show, write_data


def notes_of(error: BaseException) -> Sequence[str]:
    """The notes that an error carries, such as on what was recovered before it."""
    return tuple(getattr(error, "__notes__", ()))


class TextReporter:
    """Reports in lines: data to standard output, everything else to standard error."""

    def __init__(
        self, settings: Mapping[str, str] | None = None, quiet: bool = False, verbose: bool = False
    ) -> None:
        self.settings = settings or {}
        self.quiet = quiet
        self.verbose = verbose

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def note(self, notes: Sequence[str]) -> None:
        """Print what a user may want to know although nothing is wrong."""
        self.show(report.notes(notes))

    def report(self, outcome: Outcome) -> int:
        """Print the outcome of one patch; gives the exit status."""
        if isinstance(outcome.error, NotCommitted):
            self.note(outcome.plan.notes)
            self.show(report.not_committed(outcome.error, outcome.opposite))
        elif outcome.error:
            self.fail(outcome.error)
        elif outcome.failures:
            applied = outcome.already_applied
            self.show(failure_lines(outcome.failures, all_applied=applied))
            self.show([outcome.refusal])
        else:
            self.succeed(outcome)
        return outcome.exit_status

    def report_each(self, outcomes: Iterable[Outcome]) -> int:
        """Print the outcome of each patch; gives the exit status."""
        return max(self.report(outcome) for outcome in outcomes)

    def fail(self, error: OpatchError) -> int:
        """Print why the call came to no decision; gives the exit status."""
        self.note(notes_of(error))
        self.show(report.error_lines(error))
        return error.exit_status

    def succeed(self, outcome: Outcome) -> None:
        """Print the outcome of a patch that was not refused."""
        plan, options = outcome.plan, outcome.options
        self.show_notes(outcome)
        self.show(report.partial_failures(plan, options, done=outcome.done))
        if self.quiet or (plan.failures and not plan.completed.changes):
            return
        if outcome.done:
            line = report.carried_out(plan, options, outcome.opposite)
        else:
            line = report.would_apply(plan, options, outcome.commits)
        above = details(plan, outcome.patch, outcome.ids) if self.verbose else ()
        show([*above, line], sys.stdout, self.settings)

    def show_notes(self, outcome: Outcome) -> None:
        """Print the notes on a plan."""
        self.show(self.notes_on(outcome))

    def notes_on(self, outcome: Outcome) -> list[str]:
        """Word what a user may want to know of a plan although nothing is wrong."""
        plan = outcome.plan
        loose = [] if self.verbose else loose_placements(plan, chosen_only=self.quiet)
        skipped = [] if self.quiet else report.skipped(plan)
        left_out = [] if self.quiet else left_out_notes(outcome.left_out)
        return [*report.notes(plan.notes), *loose, *skipped, *left_out]

    def show(self, lines: Iterable[Shown]) -> None:
        """Print messages."""
        show(lines, sys.stderr, self.settings)


class JsonReporter:
    """Reports in one JSON document on standard output; see docs/json.md."""

    def __init__(self, command: str | None) -> None:
        self._command = command
        self._notes: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        """Let an error carry the notes, for the document that it becomes."""
        if isinstance(error, OpatchError):
            for note in self._notes:
                error.add_note(note)

    def note(self, notes: Sequence[str]) -> None:
        """Keep notes for the document."""
        self._notes += notes

    def report(self, outcome: Outcome) -> int:
        """Print the document of one patch; gives the exit status."""
        from git_opatch.report import document

        answer = document.answer_of(outcome)
        answer = answer._replace(notes=[*self._notes, *answer.notes])
        data = document.render(self._command, outcome.exit_status, answer)
        # What is done is done, whether anybody reads it or not.
        with suppress(*([OSError] if outcome.done else [])):
            write_data(data)
        return outcome.exit_status

    def report_each(self, outcomes: Iterable[Outcome]) -> int:
        """Print the document of patches that were judged alone; gives the exit status."""
        from git_opatch.report import document

        found = list(outcomes)
        write_data(document.several(self._command, found))
        return max(outcome.exit_status for outcome in found)

    def fail(self, error: OpatchError) -> int:
        """Print the document of a call that came to no decision; gives the exit status."""
        from git_opatch.report import document

        with suppress(OSError):
            write_data(document.render(self._command, error.exit_status, document.failed(error)))
        return error.exit_status
