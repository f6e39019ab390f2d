"""`git opatch show`: what a patch would do, for a person."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import get_terminal_size

from git_opatch import report
from git_opatch.cli.groups import (
    BaseOptions,
    InputOptions,
    MatchOptions,
    PageOptions,
    PolicyOptions,
    SelectOptions,
)
from git_opatch.cli.locating import Locator, locator
from git_opatch.cli.options import When, colour
from git_opatch.git.repository import find_top
from git_opatch.model.errors import UsageError
from git_opatch.model.options import Options
from git_opatch.model.patch import Patch
from git_opatch.model.reverse import reverse as reversed_patch
from git_opatch.model.selection import parts_of
from git_opatch.model.settings import Settings
from git_opatch.plan.patch_paths import refuse_unsafe, resolve_paths
from git_opatch.report import files as report_files
from git_opatch.report import terminal
from git_opatch.report.columns import patch_lines
from git_opatch.report.outcome import Outcome
from git_opatch.report.pager import paged
from git_opatch.report.placements import details, left_out_notes
from git_opatch.report.refusal import count_failures, failure_lines
from git_opatch.report.reporters import JsonReporter, TextReporter
from git_opatch.report.view import view_of

_NAMES = ("name-only", "name-status", "hunks")
_WITHOUT_Z = ("", "stat", "hunks", "json")


def show(
    inputs: InputOptions,
    base: BaseOptions,
    match: MatchOptions,
    select: SelectOptions,
    policy: PolicyOptions,
    page: PageOptions,
    stat: bool = False,
    numstat: bool = False,
    name_only: bool = False,
    name_status: bool = False,
    hunks: bool = False,
    zero: bool = False,
    reverse: bool = False,
    color: When | None = None,
    json: bool = False,
) -> int:
    """Show what a patch would do: each file, where each hunk applies and why, and the diff.

    Hunks are located in the index, and nothing is changed. With --name-only, --name-status or
    --hunks the patch is only read, and no repository is needed. With --html each hunk is shown
    beside its place, or the places that it could mean, in a page for a browser.
    """
    form = _form(
        stat=stat,
        numstat=numstat,
        name_only=name_only,
        name_status=name_status,
        hunks=hunks,
        html=page.is_wanted(json=json),
        json=json,
    )
    _require_useful(form, policy, zero=zero)
    if form in _NAMES:
        options = Options(reverse=reverse, directory=inputs.directory)
        patch, top = inputs.read(), find_top()  # paths may be absolute in it
        chosen, left_out = select.resolve(patch, options, top)
        names = _NamesReporter(form, zero=zero)
        outcome = _read_names(chosen, options, top)._replace(whole=patch, left_out=left_out)
        return names.report(outcome)
    where = locator(inputs, base, match, policy, reverse=reverse, by_program=json)
    drawn = form in ("", "html")
    outcome = where.locate(inputs.read(), select, refused_partly=drawn)
    if form == "html":
        from git_opatch.report.pages import patch_page

        page.deliver(patch_page(view_of(outcome)))
        if outcome.failures:
            summary = count_failures(outcome.failures, outcome.options)
            terminal.show([summary], sys.stderr, where.settings)
        return outcome.exit_status
    settings = colour(where.settings, color)
    reporter = JsonReporter("show") if json else _ShowReporter(where, settings, form, zero=zero)
    return reporter.report(outcome)


def _form(**chosen: bool) -> str:
    """Name the output that is chosen, as its option is spelled; empty for none."""
    named = [name.replace("_", "-") for name, wanted in chosen.items() if wanted]
    if len(named) > 1:
        raise UsageError(f"--{named[0]} and --{named[1]} exclude one another")
    return named[0] if named else ""


def _require_useful(form: str, policy: PolicyOptions, *, zero: bool) -> None:
    """Raise `UsageError` for options that have no effect with `form`."""
    if zero and form in _WITHOUT_Z:
        raise UsageError("-z requires --numstat, --name-only or --name-status")
    if form in _NAMES and (policy.allow or policy.deny or policy.expect):
        raise UsageError(f"--{form} only reads the patch; it excludes --allow, --deny and --expect")


def _read_names(patch: Patch, options: Options, top: Path | None) -> Outcome:
    """Refuse paths that no patch may name, as others trust the names that are printed."""
    patch = resolve_paths(patch, options, top)
    patch = reversed_patch(patch) if options.reverse else patch
    return Outcome(options, patch, failures=refuse_unsafe(patch))


class _NamesReporter(TextReporter):
    """Prints the paths of a patch, or what its hunks are called."""

    def __init__(self, form: str, *, zero: bool) -> None:
        super().__init__()
        self._form, self._zero = form, zero

    def succeed(self, outcome: Outcome) -> None:
        """Print the names."""
        if self._form == "hunks":
            left_out = {part.key for part in outcome.left_out}
            parts = parts_of(outcome.whole or outcome.patch)
            terminal.write_data(report_files.hunks(p for p in parts if p.key not in left_out))
            return
        status = self._form == "name-status"
        terminal.write_data(report_files.names(outcome.patch, status=status, zero=self._zero))


class _ShowReporter(TextReporter):
    """Prints a plan: on a terminal each hunk beside its place, else its details and the diff.

    `form`, "stat" or "numstat", is what git is to print of the diff instead.
    """

    def __init__(self, where: Locator, settings: Settings, form: str, *, zero: bool) -> None:
        super().__init__(settings)
        self._repository = where.repository
        self._form, self._zero = form, zero

    def report(self, outcome: Outcome) -> int:
        """Print the outcome; of a refused patch, what becomes of each hunk, and why."""
        failures, plan, settings = outcome.failures, outcome.plan, self.settings
        columns = get_terminal_size().columns  # before it goes to the pager
        drawn = not self._form and (bool(failures) or terminal.is_for_a_person(settings))
        if not failures:
            self.show(left_out_notes(outcome.left_out))
            self.show([] if drawn else report.notes(plan.notes))
        with paged(self._repository, settings):
            if drawn:
                terminal.show(patch_lines(view_of(outcome, None), columns), sys.stdout, settings)
            elif failures:
                self.show(failure_lines(failures))
            elif self._form:  # --stat or --numstat
                form = (f"--{self._form}", *(["-z"] if self._zero else []))
                terminal.write_data(self._repository.summary(plan.completed.diff, *form))
            else:
                above = list(details(plan, outcome.patch, outcome.ids))
                terminal.show_diff(above, plan.completed.diff, settings)
        if failures:  # that nothing was changed needs no saying here
            self.show([count_failures(failures, outcome.options)])
        return outcome.exit_status
