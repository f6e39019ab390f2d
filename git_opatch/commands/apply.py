"""`git opatch apply`: a patch to the index and the working tree."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import typer

from git_opatch import report
from git_opatch.apply import (
    Refused,
    apply_patch,
    check_patch,
)
from git_opatch.commands import answer, choices
from git_opatch.commands.inputs import (
    choose_journal_size,
    choose_matching,
    choose_policy,
    choose_target,
    read_patch,
    spelled,
)
from git_opatch.interrupted import finish_interrupted, refuse_interrupted
from git_opatch.options import Dialect, Options, Target
from git_opatch.patch import Patch
from git_opatch.plan import Plan
from git_opatch.report import document
from git_opatch.report.terminal import show, write_data
from git_opatch.repository import Repository
from git_opatch.transaction import patiently


def apply(
    context: typer.Context,
    files: choices.Files = None,
    index: choices.Index = False,
    cached: choices.Cached = False,
    worktree: choices.Worktree = False,
    check: choices.Check = False,
    reverse: choices.Reverse = False,
    directory: choices.Directory = "",
    overwrite: choices.Overwrite = False,
    dialect: choices.AsDialect = None,
    match: choices.Match = None,
    ambiguous: choices.OnAmbiguous = None,
    fuzz: choices.Fuzz = 0,
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
) -> None:
    """Find each hunk of a patch in the index, and apply it there and in the working tree.

    The patch is applied as a whole or not at all. Exit status: 0 applied, 1 it does not
    apply, 128 no patch or no repository, 129 usage, 130 interrupted.
    """
    names = files or []
    settings = (repository := Repository()).settings()
    target = choose_target(index=index, cached=cached, worktree=worktree, settings=settings)
    options = Options(
        target,
        reverse,
        overwrite,
        directory,
        matching=choose_matching(match, ambiguous, fuzz, settings),
        partial=partial or reject,
        reject=reject,
        journal_size=choose_journal_size(settings),
        skip_applied=skip_applied,
        policy=choose_policy(allow, deny, expect, settings, directory),
        command=spelled(context),
        target_flag=_target_flag(target, settings),
    )
    run = _Run(repository, options, settings, names, dialect, wait, quiet, verbose)
    (run.answer if json else run.go)(check)


def _target_flag(target: Target, settings: Mapping[str, str]) -> str:
    """How to say the target again; empty where it is the default everywhere."""
    named = target is not Target.INDEX or "opatch.target" in settings
    return f"--{target.value}" if named else ""


@dataclass(frozen=True, slots=True)
class _Run:
    """One call of the command, its options understood."""

    repository: Repository
    options: Options
    settings: Mapping[str, str]
    names: Sequence[str]
    dialect: Dialect | None
    wait: float
    quiet: bool
    verbose: bool

    def go(self, check: bool) -> None:
        """Apply or check, and say what came of it. Raises `typer.Exit` with the status."""
        self._show(report.notes(self._tidied(check)))
        patch = read_patch(self.names, self.dialect)
        try:
            plan = self._plan(patch, check)
        except Refused as refused:
            self._show(report.refusal(refused.failures, self.options))
            raise typer.Exit(refused.exit_status) from None
        if check:
            line = report.would_apply(plan, self.options)
        else:
            line = report.applied(plan, self.options, self._way_back(plan))
        self._report(plan, line, done=not check)

    def answer(self, check: bool) -> None:
        """The same, but what came of it is a document. Raises `typer.Exit`, too."""
        tidied = self._tidied(check)
        patch = read_patch(self.names, self.dialect)
        try:
            plan = self._plan(patch, check)
        except Refused as refused:
            outcome = answer.refused(refused.failures, patch, self.repository, self.options)
            status = refused.exit_status
        else:
            patch = answer.resolved(patch, self.repository, self.options)
            way_back = self._way_back(plan) if plan.record else ""
            outcome = document.planned(plan, self.options, patch, done=not check, way_back=way_back)
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

    def _plan(self, patch: Patch, check: bool) -> Plan:
        if check:
            return check_patch(patch, self.repository, self.options)
        name = " ".join(self.names)
        return patiently(
            lambda: apply_patch(patch, self.repository, self.options, name=name), self.wait
        )

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
