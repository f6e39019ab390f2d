"""`git opatch check`: would each of these patches apply, or this call of `apply_patch`?"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import typer

from git_opatch import report
from git_opatch.action import verify
from git_opatch.apply import Refused, plan_patch
from git_opatch.commands import answer, choices
from git_opatch.commands.inputs import (
    choose_matching,
    choose_past,
    choose_policy,
    read_patch,
    spelled,
)
from git_opatch.errors import (
    InputError,
    NoCall,
    OpatchError,
    ParseError,
    RepositoryError,
    UsageError,
)
from git_opatch.interrupted import refuse_interrupted
from git_opatch.invocation import detect
from git_opatch.options import Dialect, Options, Target
from git_opatch.parse import parse_patch
from git_opatch.patch import Patch
from git_opatch.plan import Plan
from git_opatch.plumbing import Settings
from git_opatch.report import document
from git_opatch.report.progress import watched
from git_opatch.report.terminal import show, write_data
from git_opatch.report.values import Fields
from git_opatch.repository import Repository
from git_opatch.text import visible


def check(
    context: typer.Context,
    files: choices.EachFile = None,
    argv: choices.Argv = False,
    base: choices.Base = "",
    worktree: choices.LocateInWorktree = False,
    directory: choices.Directory = "",
    overwrite: choices.Overwrite = False,
    dialect: choices.AsDialect = None,
    match: choices.Match = None,
    ambiguous: choices.OnAmbiguous = None,
    fuzz: choices.Fuzz = 0,
    three_way: choices.ThreeWay = False,
    skip_applied: choices.SkipApplied = False,
    allow: choices.Allow = None,
    deny: choices.Deny = None,
    expect: choices.Expect = None,
    quiet: choices.Quiet = False,
    json: choices.Json = False,
) -> None:
    """Say of each patch, taken alone, whether it would apply to the index; change nothing.

    `git opatch apply --check` takes all files as one patch instead, in order, and asks git
    and the working tree, too. With --argv the words after -- are a command; its paths count
    from the current directory, which need not be in a repository. Exit status: 0 all apply,
    1 one does not or it is no call of apply_patch, 128 one is no patch.
    """
    _refuse_contradiction(context.params)
    repository = _repository(base, required=not argv or bool(allow or deny))
    settings = repository.settings() if repository else Settings()
    options = Options(
        Target.CACHED if repository and not worktree else Target.WORKTREE,
        *(False, overwrite, directory),
        base=base or None,
        matching=choose_matching(match, ambiguous, fuzz, settings),
        past=choose_past(context.params, Target.WORKTREE if worktree else Target.CACHED),
        skip_applied=skip_applied,
        policy=choose_policy(allow, deny, expect, settings, directory),
        command="git opatch check --argv" if argv else spelled(context),
    )
    names = files or ["-"]
    if worktree and repository:
        refuse_interrupted(repository)
    if argv or not repository:
        found = iter([_judged_call(files or [], options)])
    else:
        found = (_judged(name, dialect, repository, options) for name in names)
        found = found if quiet or json else watched(found, len(names))
    tell = _document if json else _Saying(settings, quiet).say
    raise typer.Exit(tell(found, options))


def _refuse_contradiction(given: Mapping[str, Any]) -> None:
    if given["base"] and given["worktree"]:
        raise UsageError("--base and --worktree exclude one another")
    if given["argv"] and (given["directory"] or given["dialect"] or given["expect"]):
        raise UsageError("--argv takes the command as it is: no --directory, --dialect, --expect")


def _repository(base: str, *, required: bool) -> Repository | None:
    """The one here, if there is one. Raises `RepositoryError` if it has nothing to judge by."""
    try:
        repository = Repository()
    except RepositoryError:
        if required:
            raise
        return None
    if repository.top is None and not base:
        raise RepositoryError("here is no index to judge by; name a commit with --base")
    return repository


@dataclass(frozen=True, slots=True)
class _Found:
    """What is found of the patch called `name`: its plan, or the error that leaves it without.

    `look` gives its plan under other options.
    """

    name: str
    plan: Plan | None = None
    patch: Patch | None = None
    look: Callable[[Options], Plan] = field(default=lambda _: Plan())
    error: OpatchError | None = None

    @property
    def exit_status(self) -> int:
        """The one that the program would have for this patch alone."""
        if self.error:
            return self.error.exit_status
        return Refused.exit_status if self.plan and self.plan.failures else 0


def _judged(name: str, dialect: Dialect | None, repository: Repository, options: Options) -> _Found:
    try:
        patch = read_patch([name], dialect)
    except (ParseError, InputError) as error:
        return _Found(name, error=error)

    def look(options: Options) -> Plan:
        return plan_patch(patch, repository, options)

    return _Found(name, look(options), answer.resolved(patch, repository, options), look)


def _judged_call(words: Sequence[str], options: Options) -> _Found:
    """What is found of a command. Raises `ImplicitInvocation` and `ParseError`."""
    invocation = detect(words)
    if invocation is None:
        return _Found("apply_patch", error=NoCall("no apply_patch call"))

    def look(options: Options) -> Plan:
        try:
            action = verify(words, Path.cwd(), options)
        except Refused as refused:
            return Plan(failures=list(refused.failures))
        return action.plan if action else Plan()

    return _Found("apply_patch", look(options), parse_patch(invocation.text), look)


def _document(found: Iterable[_Found], options: Options) -> int:
    """Print what is found as one document; gives the exit status."""
    outcomes = [(one.name, one.exit_status, _outcome(one, options)) for one in found]
    write_data(document.several("check", outcomes))
    return max(status for _, status, _ in outcomes)


def _outcome(found: _Found, options: Options) -> Fields:
    if found.error:
        return document.failed(found.error)
    plan, patch = found.plan or Plan(), found.patch or Patch(())
    if not plan.failures:
        return document.planned(plan, options, patch)
    already = answer.all_applied(plan.failures, options, found.look)
    return document.refused(plan.failures, options, patch, already=already)


class _Saying(NamedTuple):
    """Says in lines what is found."""

    settings: Mapping[str, str]
    quiet: bool

    def say(self, found: Iterable[_Found], options: Options) -> int:
        """Say all of it, a verdict for each patch, as it is found; gives the exit status."""
        worst = 0
        for one in found:
            worst = max(worst, one.exit_status)
            if isinstance(one.error, NoCall):
                self._show([f"error: {one.error}"])
            else:
                self._say(one, options)
        return worst

    def _say(self, found: _Found, options: Options) -> None:
        plan = found.plan or Plan()
        if found.error:
            malformed = isinstance(found.error, ParseError)
            said = "is no patch that can be read" if malformed else "cannot be read"
            faults = found.error.faults if isinstance(found.error, ParseError) else [found.error]
            self._show(f"error: {visible(str(one), 2000)}" for one in faults)
        elif plan.failures:
            said = "does not apply"
            self._show([*report.refusal(plan.failures, options)][:-1])
        else:
            count = len(plan.completed.files)
            said = f"would apply ({count} file{'s' * (count != 1)})"
            if not count:
                said = report.nothing_to_do(options)
            loose = report.placed_loosely(plan, chosen_only=self.quiet)
            passed = [] if self.quiet else report.passed_over(plan, options)
            self._show([*report.notes(plan.notes), *loose, *passed])
        if found.exit_status or not self.quiet:
            show([report.verdict(found.name, said)], sys.stdout, self.settings)

    def _show(self, lines: Iterable[str]) -> None:
        show(lines, sys.stderr, self.settings)
