"""`git opatch check`: would each of these patches apply, or this call of `apply_patch`?"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from git_opatch import report
from git_opatch.agent.apply_patch_call import detect, repository_of, verify_patch
from git_opatch.cli.groups import STANDARD_INPUT, BaseOptions, PageOptions, PatchOptions, read_patch
from git_opatch.cli.locating import locate, resolve_options
from git_opatch.git.repository import Repository
from git_opatch.model.errors import (
    InputError,
    NotAnInvocation,
    ParseError,
    UsageError,
)
from git_opatch.model.failure import Refused
from git_opatch.model.options import Options
from git_opatch.model.patch import Patch
from git_opatch.parse import parse_patch
from git_opatch.report.draw import Spans
from git_opatch.report.outcome import Outcome
from git_opatch.report.placements import details
from git_opatch.report.refusal import count_conflicts, failure_lines
from git_opatch.report.reporters import JsonReporter, TextReporter
from git_opatch.report.terminal import show, with_progress

_CALL = "apply_patch"


def check(
    given: PatchOptions,
    base: BaseOptions,
    page: PageOptions,
    argv: bool = False,
    skip_applied: bool = False,
    quiet: bool = False,
    verbose: bool = False,
    json: bool = False,
) -> int:
    """Report for each patch, judged alone, whether it would apply to the index; change nothing.

    `git opatch apply --check` takes all files as one patch instead, in order, and asks git
    and the working tree, too. With --argv the words after -- are a command; its paths are
    relative to the current directory, which may be outside of a repository. Exit status: 0 all
    apply, 1 one does not, or the command is not a call of apply_patch, 128 one is not a patch.
    """
    drawn = page.is_wanted(json=json)
    outcomes: Iterable[Outcome]
    if argv:
        if given.directory or given.patch_format or given.expect:
            raise UsageError("--argv excludes --directory, --format and --expect")
        is_plain = not (given.allow or given.deny)  # a policy needs a repository
        place = repository_of(Path.cwd(), asks_settings=True) if is_plain else Repository()
        settings, options = resolve_options(
            given, base, place, by_program=True, skip_applied=skip_applied
        )
        outcomes = [_judge_call(given.files or (), options)]
    else:
        repository, names = Repository(asks_settings=True), given.files or [STANDARD_INPUT]
        settings, options = resolve_options(
            given, base, repository, by_program=json, skip_applied=skip_applied
        )
        if len(names) > 1 and (given.only or given.leave_out):
            raise UsageError("--only and --except choose from one patch; name one")
        outcomes = (_judge(name, given, repository, options, drawn) for name in names)
        outcomes = outcomes if quiet or json else with_progress(outcomes, len(names))
    if drawn:
        from git_opatch.report.pages import deliver, patches_page
        from git_opatch.report.view import view_of

        judged: list[Outcome] = [*outcomes]
        statuses = [outcome.exit_status for outcome in judged]
        views = [view_of(outcome) for outcome in judged]
        deliver(patches_page(report.count_good(statuses), views), page.output, opens=page.opens)
        return max(statuses)
    reporter = JsonReporter("check") if json else _VerdictReporter(settings, quiet, verbose)
    return reporter.report_each(outcomes)


def _judge(
    name: str, given: PatchOptions, repository: Repository, options: Options, drawn: bool
) -> Outcome:
    try:
        patch = read_patch([name], given.patch_format)
    except (ParseError, InputError) as error:
        return Outcome(options, Patch(()), error=error, name=name)
    return locate(patch, given, repository, options, name, refused_partly=drawn)


def _judge_call(words: Sequence[str], options: Options) -> Outcome:
    """Judge a command. Raises `ImplicitInvocation` and `ParseError`."""
    invocation = detect(words)
    if invocation is None:
        error = NotAnInvocation("not a call of apply_patch")
        return Outcome(options, Patch(()), error=error, name=_CALL)
    patch = parse_patch(invocation.text)
    try:
        plan = verify_patch(patch, invocation, Path.cwd(), options).plan
    except Refused as refused:
        return Outcome(options, patch, failures=refused.failures, name=_CALL)
    return Outcome(options, patch, plan, name=_CALL)


class _VerdictReporter(TextReporter):
    """Prints a line for each patch, with the reasons below it."""

    def report(self, outcome: Outcome) -> int:
        """Print the verdict, and what it is based on."""
        if isinstance(outcome.error, NotAnInvocation):
            return self.fail(outcome.error)
        if self.quiet and not outcome.exit_status:
            self.show(self.notes_on(outcome))
            return outcome.exit_status
        show([report.named(outcome.name, _verdict(outcome))], sys.stdout, self.settings)
        if outcome.error:
            self._show_below(report.errors(outcome.error))
        elif outcome.failures:
            self._show_below(failure_lines(outcome.failures, all_applied=outcome.already_applied))
        else:
            if self.verbose:
                shown = details(outcome.plan, outcome.patch, outcome.ids)
                show((f"  {line}" for line in shown), sys.stdout, self.settings)
            self._show_below(self.notes_on(outcome))
        return outcome.exit_status

    def report_each(self, outcomes: Iterable[Outcome]) -> int:
        """Print a verdict for each patch, and how many apply if there are several."""
        statuses = [self.report(outcome) for outcome in outcomes]
        if len(statuses) > 1 and (any(statuses) or not self.quiet):
            show([report.count_good(statuses)], sys.stdout, self.settings)
        return max(statuses)

    def _show_below(self, lines: Iterable[str | Spans]) -> None:
        self.show(f"  {line}" if isinstance(line, str) else [("  ", ""), *line] for line in lines)


def _verdict(outcome: Outcome) -> str:
    """Say in a few words what came of a patch."""
    if outcome.error:
        malformed = isinstance(outcome.error, ParseError)
        return "is not a valid patch" if malformed else "cannot be read"
    if not outcome.failures:
        return report.verdict(outcome.plan, outcome.options)
    if conflicts := count_conflicts(outcome.failures):
        return f"would leave {conflicts}"
    return "is already applied" if outcome.already_applied else "does not apply"
