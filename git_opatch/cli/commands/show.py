"""`git opatch show`: what a patch would do, for a person."""

from __future__ import annotations

import sys
from shutil import get_terminal_size

from git_opatch import report
from git_opatch.cli.groups import BaseOptions, PageOptions, PatchOptions
from git_opatch.cli.locating import locate, resolve_options
from git_opatch.cli.options import When, colour
from git_opatch.git.repository import Repository, find_top
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
    given: PatchOptions,
    base: BaseOptions,
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
        return _list_hunks(given, reverse=reverse, another="json" if json else "html" * drawn)
    repository = Repository(asks_settings=True)
    settings, options = resolve_options(given, base, repository, by_program=json, reverse=reverse)
    outcome = locate(given.read(), given, repository, options, refused_partly=drawn or not json)
    if drawn:
        from git_opatch.report.pages import deliver, patch_page

        deliver(patch_page(view_of(outcome)), page.output, opens=page.opens)
        if outcome.failures:
            summary = count_failures(outcome.failures, options)
            terminal.show([summary], sys.stderr, settings)
        return outcome.exit_status
    settings = colour(settings, color)
    reporter = JsonReporter("show") if json else _ShowReporter(repository, settings)
    return reporter.report(outcome)


def _list_hunks(given: PatchOptions, *, reverse: bool, another: str) -> int:
    """Print the id and the name of each hunk; paths that no patch may name are refused.

    Raises `UsageError` for what has no effect then: another output, or a policy.
    """
    if another:
        raise UsageError(f"--hunks and --{another} exclude one another")
    if given.allow or given.deny or given.expect:
        raise UsageError("--hunks only reads the patch; it excludes --allow, --deny and --expect")
    options, top = Options(reverse=reverse, directory=given.directory), find_top()
    patch = given.read()  # whose paths may be absolute, below `top`
    chosen, left_out = given.select(patch, options, top)
    resolved = resolve_paths(chosen, options, top)
    resolved = reversed_patch(resolved) if reverse else resolved
    failures = refuse_unsafe(resolved)
    if not failures:
        skipped = {part.key for part in left_out}
        terminal.write_data(hunk_names(p for p in parts_of(patch) if p.key not in skipped))
    return TextReporter().report(Outcome(options, resolved, failures=failures)) if failures else 0


class _ShowReporter(TextReporter):
    """Prints a plan: on a terminal each hunk beside its place, else its details and the diff."""

    def __init__(self, repository: Repository, settings: Settings) -> None:
        super().__init__(settings)
        self._repository = repository

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
