"""`git opatch show`: what a patch would do, for a person."""

from __future__ import annotations

import sys
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
from git_opatch.model.reverse import reverse as reversed_patch
from git_opatch.model.selection import parts_of
from git_opatch.model.settings import Settings
from git_opatch.plan.patch_paths import refuse_unsafe, resolve_paths
from git_opatch.report import terminal
from git_opatch.report.outcome import Outcome
from git_opatch.report.placements import details, hunk_names, left_out_notes
from git_opatch.report.refusal import count_failures
from git_opatch.report.reporters import JsonReporter, TextReporter
from git_opatch.report.view import patch_lines, view_of


def show(
    inputs: InputOptions,
    base: BaseOptions,
    match: MatchOptions,
    select: SelectOptions,
    policy: PolicyOptions,
    page: PageOptions,
    hunks: bool = False,
    reverse: bool = False,
    color: When | None = None,
    json: bool = False,
) -> int:
    """Show what a patch would do: each file, where each hunk applies and why, and the diff.

    Hunks are located in the index, and nothing is changed. With --hunks the patch is only
    read, and no repository is needed. With --html each hunk is shown beside its place, or the
    places that it could mean, in a page for a browser.
    """
    drawn = page.is_wanted(json=json)
    if hunks:
        _require_only("json" if json else "html" if drawn else "", policy)
        return _list_hunks(inputs, select, reverse=reverse)
    where = locator(inputs, base, match, policy, reverse=reverse, by_program=json)
    outcome = where.locate(inputs.read(), select, refused_partly=drawn or not json)
    if drawn:
        from git_opatch.report.pages import patch_page

        page.deliver(patch_page(view_of(outcome)))
        if outcome.failures:
            summary = count_failures(outcome.failures, outcome.options)
            terminal.show([summary], sys.stderr, where.settings)
        return outcome.exit_status
    settings = colour(where.settings, color)
    reporter = JsonReporter("show") if json else _ShowReporter(where, settings)
    return reporter.report(outcome)


def _require_only(another: str, policy: PolicyOptions) -> None:
    """Raise `UsageError` for what has no effect with `--hunks`: another output, or a policy."""
    if another:
        raise UsageError(f"--hunks and --{another} exclude one another")
    if policy.allow or policy.deny or policy.expect:
        raise UsageError("--hunks only reads the patch; it excludes --allow, --deny and --expect")


def _list_hunks(inputs: InputOptions, select: SelectOptions, *, reverse: bool) -> int:
    """Print the id and the name of each hunk; paths that no patch may name are refused."""
    options, top = Options(reverse=reverse, directory=inputs.directory), find_top()
    patch = inputs.read()  # whose paths may be absolute, below `top`
    chosen, left_out = select.resolve(patch, options, top)
    resolved = resolve_paths(chosen, options, top)
    resolved = reversed_patch(resolved) if reverse else resolved
    failures = refuse_unsafe(resolved)
    if not failures:
        skipped = {part.key for part in left_out}
        terminal.write_data(hunk_names(p for p in parts_of(patch) if p.key not in skipped))
    return TextReporter().report(Outcome(options, resolved, failures=failures)) if failures else 0


class _ShowReporter(TextReporter):
    """Prints a plan: on a terminal each hunk beside its place, else its details and the diff."""

    def __init__(self, where: Locator, settings: Settings) -> None:
        super().__init__(settings)
        self._repository = where.repository

    def report(self, outcome: Outcome) -> int:
        """Print the outcome; of a refused patch, what becomes of each hunk, and why."""
        failures, plan, settings = outcome.failures, outcome.plan, self.settings
        columns = get_terminal_size().columns  # before it goes to the pager
        drawn = bool(failures) or terminal.is_for_a_person(settings)
        if not failures:
            self.show(left_out_notes(outcome.left_out))
            self.show([] if drawn else report.notes(plan.notes))
        with terminal.paged(self._repository, settings):
            if drawn:
                terminal.show(patch_lines(view_of(outcome, None), columns), sys.stdout, settings)
            else:
                above = list(details(plan, outcome.patch, outcome.ids))
                terminal.show_diff(above, plan.completed.diff, settings)
        if failures:  # that nothing was changed needs no saying here
            self.show([count_failures(failures, outcome.options)])
        return outcome.exit_status
