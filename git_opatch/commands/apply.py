"""`git opatch apply`: a patch to the index and the working tree."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import typer

from git_opatch import report
from git_opatch.apply import (
    Refused,
    apply_patch,
    check_patch,
)
from git_opatch.commands import answer, choices
from git_opatch.commands.committing import choose_commit
from git_opatch.commands.inputs import (
    choose_journal_size,
    choose_matching,
    choose_past,
    choose_policy,
    choose_target,
    read_patch,
    spelled,
)
from git_opatch.interrupted import finish_interrupted, refuse_interrupted
from git_opatch.options import Dialect, Options, Target
from git_opatch.patch import Patch
from git_opatch.plan import NotCommitted, Plan
from git_opatch.report.terminal import show, write_data
from git_opatch.repository import Repository
from git_opatch.transaction import patiently

if TYPE_CHECKING:  # what few calls need is imported by those
    from git_opatch.commit.order import Wish
    from git_opatch.report.values import Fields

_AS_GIVEN = ("reverse", "overwrite", "directory", "reject", "carry", "skip_applied", "commit")
"""The options that are said as they are meant."""


def apply(
    context: typer.Context,
    files: choices.Files = None,
    index: choices.Index = False,
    cached: choices.Cached = False,
    worktree: choices.Worktree = False,
    carry: choices.Carry = False,
    check: choices.Check = False,
    reverse: choices.Reverse = False,
    directory: choices.Directory = "",
    overwrite: choices.Overwrite = False,
    dialect: choices.AsDialect = None,
    match: choices.Match = None,
    ambiguous: choices.OnAmbiguous = None,
    fuzz: choices.Fuzz = 0,
    three_way: choices.ThreeWay = False,
    skip_applied: choices.SkipApplied = False,
    partial: choices.Partial = False,
    reject: choices.Reject = False,
    allow: choices.Allow = None,
    deny: choices.Deny = None,
    expect: choices.Expect = None,
    wait: choices.Wait = 0,
    quiet: choices.Quiet = False,
    verbose: choices.Verbose = False,
    json: choices.Json = False,
    commit: choices.Commit = False,
    message: choices.Message = None,
    message_file: choices.MessageFile = "",
    trailer: choices.Trailer = None,
    author: choices.Author = "",
    date: choices.Date = "",
) -> None:
    """Find each hunk of a patch in the index, and apply it there and in the working tree.

    The patch is applied as a whole or not at all. Exit status: 0 applied, 1 it does not
    apply, or --3way left conflicts, or git did not commit it, 128 no patch or no repository,
    129 usage, 130 interrupted.
    """
    settings = (repository := Repository(asks_settings=True)).settings()
    options = replace(
        _from_settings(context, settings),
        **{name: context.params[name] for name in _AS_GIVEN},
        matching=choose_matching(match, ambiguous, fuzz, settings),
        partial=partial or reject,
        policy=choose_policy(allow, deny, expect, settings, directory),
    )
    wish = choose_commit(context.params, options.target)
    run = _Run(repository, options, settings, files or [], dialect, wait, quiet, verbose, wish)
    (run.answer if json else run.go)(check)


def _from_settings(context: typer.Context, settings: Mapping[str, str]) -> Options:
    """What is not said by one option alone."""
    given = context.params
    target = choose_target(
        index=given["index"] or given["carry"],
        cached=given["cached"],
        worktree=given["worktree"],
        settings=settings,
    )
    named = target is not Target.INDEX or "opatch.target" in settings
    return Options(
        target,
        past=choose_past(given, target),
        journal_size=choose_journal_size(settings),
        command=spelled(context),
        target_flag=f"--{target.value}" if named else "",
    )


class _Run(NamedTuple):
    """One call of the command, its options understood."""

    repository: Repository
    options: Options
    settings: Mapping[str, str]
    names: Sequence[str]
    dialect: Dialect | None
    wait: float
    quiet: bool
    verbose: bool
    wish: Wish | None

    def go(self, check: bool) -> None:
        """Apply or check, and say what came of it. Raises `typer.Exit` with the status."""
        self._show(report.notes(self._tidied(check)))
        patch = read_patch(self.names, self.dialect)
        try:
            plan, commits = self._plan(patch, check)
        except Refused as refused:
            self._show(report.refusal(refused.failures, self.options))
            raise typer.Exit(refused.exit_status) from None
        except NotCommitted as error:
            self._show(report.notes(error.plan.notes))
            self._show(report.not_committed(str(error), error.again, self._way_back(error.plan)))
            raise typer.Exit(error.exit_status) from None
        if check:
            line = report.would_apply(plan, self.options, commits)
        else:
            line = report.applied(plan, self.options, self._way_back(plan))
        self._report(plan, line, done=not check)

    def answer(self, check: bool) -> None:
        """The same, but what came of it is a document. Raises `typer.Exit`, too."""
        tidied = self._tidied(check)
        with answer.noted(tidied):
            self._answer(check, tidied)

    def _answer(self, check: bool, tidied: Sequence[str]) -> None:
        from git_opatch.report import document

        patch = read_patch(self.names, self.dialect)
        try:
            plan, _ = self._plan(patch, check)
        except Refused as refused:
            outcome = answer.refused(refused.failures, patch, self.repository, self.options)
            status = refused.exit_status
        except NotCommitted as error:
            advice = [
                f"to commit it: {error.again}",
                f"to take it back: {self._way_back(error.plan)}",
            ]
            outcome = document.not_committed(self._outcome(error.plan, patch), error, advice)
            status = error.exit_status
        else:
            outcome = self._outcome(plan, patch, done=not check)
            status = 1 if plan.failures else 0
        outcome["notes"] = [*tidied, *outcome["notes"]]
        with suppress(OSError):  # what is done is done, whoever reads of it
            write_data(document.one("apply", status, outcome))
        raise typer.Exit(status)

    def _tidied(self, check: bool) -> list[str]:
        if not check:
            return patiently(lambda: finish_interrupted(self.repository), self.wait)
        patiently(lambda: refuse_interrupted(self.repository), self.wait)
        return []

    def _outcome(self, plan: Plan, patch: Patch, *, done: bool = True) -> Fields:
        from git_opatch.report import document

        patch = answer.resolved(patch, self.repository, self.options)
        way_back = self._way_back(plan) if plan.record or plan.commits else ""
        return document.planned(plan, self.options, patch, done=done, way_back=way_back)

    def _plan(self, patch: Patch, check: bool) -> tuple[Plan, int]:
        """What is done, or would be; and how many commits would be made."""
        if check and self.wish:
            from git_opatch.commit import check_commit

            return check_commit(patch, self.repository, self.options, self.wish)
        if check:
            return check_patch(patch, self.repository, self.options), 0
        return patiently(lambda: self._apply(patch), self.wait), 0

    def _apply(self, patch: Patch) -> Plan:
        name = " ".join(self.names)
        if self.wish:
            from git_opatch.commit import commit_patch

            return commit_patch(patch, self.repository, self.options, self.wish, name)
        return apply_patch(patch, self.repository, self.options, name=name)

    def _way_back(self, plan: Plan) -> str:
        return report.way_back(self.options, self.names, plan)

    def _report(self, plan: Plan, line: str, *, done: bool) -> None:
        loose = [] if self.verbose else report.placed_loosely(plan, chosen_only=self.quiet)
        passed = [] if self.quiet else report.passed_over(plan, self.options)
        self._show([*report.notes(plan.notes), *loose, *passed])
        self._show(report.left_out(plan, self.options, done=done))
        if not self.quiet and (plan.completed.changes or not plan.failures):
            show([*(report.details(plan) if self.verbose else ()), line], sys.stdout, self.settings)
        if plan.failures:
            raise typer.Exit(1)

    def _show(self, lines: Iterable[str]) -> None:
        show(lines, sys.stderr, self.settings)
