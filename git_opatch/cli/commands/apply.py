"""`git opatch apply`: a patch to the index and the working tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

from git_opatch.cli import interrupts
from git_opatch.cli.commit_options import CommitOptions
from git_opatch.cli.groups import (
    InputOptions,
    MatchOptions,
    PartialOptions,
    SelectOptions,
    TargetOptions,
)
from git_opatch.cli.options import WAIT
from git_opatch.cli.policy_options import PolicyOptions
from git_opatch.git.repository import Repository
from git_opatch.model.errors import OpatchError, RepositoryError
from git_opatch.model.options import Options
from git_opatch.model.patch import Patch
from git_opatch.model.refusal import Refused
from git_opatch.model.selection import Selected
from git_opatch.model.settings import Settings, journal_size
from git_opatch.operations.apply import (
    apply_patch,
    check_patch,
    is_already_applied,
    plan_patch,
)
from git_opatch.operations.recover import recover_interrupted, require_uninterrupted
from git_opatch.plan.patch_paths import resolve_paths
from git_opatch.plan.plan import NotCommitted, Plan
from git_opatch.report.outcome import Outcome
from git_opatch.report.reporters import JsonReporter, TextReporter, notes_of
from git_opatch.transaction import retry_while_locked

if TYPE_CHECKING:  # --commit imports it
    from git_opatch.operations import commit_command


def apply(
    inputs: InputOptions,
    target: TargetOptions,
    match: MatchOptions,
    select: SelectOptions,
    partial: PartialOptions,
    policy: PolicyOptions,
    commit: CommitOptions,
    reverse: bool = False,
    interactive: bool = False,
    check: bool = False,
    wait: float = 0,
    quiet: bool = False,
    verbose: bool = False,
    json: bool = False,
) -> None:
    """Locate each hunk of a patch in the index, and apply it there and in the working tree.

    All files are one patch, which is applied as a whole or not at all. Exit status: 0 applied, 1
    it does not apply, or --3way left conflicts, or git did not commit it, 128 not a patch or not a
    repository, 129 usage, 130 interrupted.
    """
    repository = _repository()
    settings = repository.settings()
    chosen = target.resolve(settings)
    options = Options(
        chosen,
        reverse,
        inputs.overwrite,
        inputs.directory,
        matching=match.resolve(settings, by_program=json),
        three_way=match.resolve_three_way(chosen, carry=target.carry, partial=partial.allows_part),
        partial=partial.allows_part,
        reject=partial.reject,
        journal_size=journal_size(settings),
        carry=target.carry,
        skip_applied=partial.skip_applied,
        commit=commit.commit,
        policy=policy.resolve(settings, inputs.directory, repository.top),
    )
    wish = commit.resolve(chosen, inputs, partial, json=json)
    reporter = JsonReporter("apply") if json else TextReporter(settings, quiet, verbose)
    run = _Invocation(repository, options, inputs.files or (), wish, wait, reporter)
    with reporter:
        patch, selected = run.read(inputs, select, settings, interactive=interactive, check=check)
        outcome = run.outcome(selected.patch, check=check)
        raise typer.Exit(reporter.report(outcome._replace(whole=patch, left_out=selected.left_out)))


def _repository() -> Repository:
    """Find the repository. Raises `RepositoryError`; where there is none, with what needs none."""
    try:
        return Repository(asks_settings=True)
    except RepositoryError as error:
        from git_opatch.agent.verify import repository_of

        if found := repository_of(Path.cwd(), asks_settings=True):
            return found
        outside = "`git opatch apply-patch` patches files outside of one"
        raise RepositoryError(f"{error}\n  {outside}") from None


class _Invocation(NamedTuple):
    """One call of the command, its options resolved."""

    repository: Repository
    options: Options
    names: Sequence[str]
    commit: commit_command.CommitRequest | None
    wait: float
    reporter: JsonReporter | TextReporter

    def read(
        self,
        inputs: InputOptions,
        select: SelectOptions,
        settings: Settings,
        *,
        interactive: bool,
        check: bool,
    ) -> tuple[Patch, Selected]:
        """Read the patch, and select what is to be applied. Raises `typer.Exit` if that is nothing.

        Whatever ends the run here, what an interrupted one left is recovered.
        """
        try:
            patch = inputs.read()
            selected = select.resolve(patch, inputs.directory, self.repository.top)
            chosen = self._choose(selected, settings) if interactive else selected
        except OpatchError:
            self.end(check=check)
            raise
        if chosen is not None:
            return patch, chosen
        self.end(check=check)
        self.reporter.note(["no hunk was chosen; nothing was changed"])
        if isinstance(self.reporter, JsonReporter):
            self.reporter.report(Outcome(self.options, Patch(())))
        raise typer.Exit

    def _choose(self, selected: Selected, settings: Settings) -> Selected | None:
        """Ask for each part of `selected` that applies."""
        from git_opatch.cli.interactive import choose

        return choose(selected, self._plan_parts, self.repository, self.options, settings)

    def _plan_parts(self, patch: Patch) -> Plan:
        """Plan the hunks of `patch` that apply."""
        options = replace(self.options, partial=True)
        plan = plan_patch(patch, self.repository, options)
        if plan.reverses:  # as a whole; the lines of its hunks are known by its text
            by_text = plan_patch(patch._replace(digest=""), self.repository, options)
            plan = plan if by_text.failures else by_text
        return plan

    def end(self, *, check: bool) -> None:
        """Recover from an interrupted run, with no patch to apply; `check` only refuses then."""
        if check:
            self._require_uninterrupted()
        else:
            recovery = retry_while_locked(
                lambda: recover_interrupted(self.repository), self.wait, way=WAIT
            )
            self.reporter.note(recovery.notes)

    def _require_uninterrupted(self) -> None:
        retry_while_locked(lambda: require_uninterrupted(self.repository), self.wait)

    def outcome(self, patch: Patch, *, check: bool) -> Outcome:
        """Apply or check `patch`."""
        options = self.options
        if check:
            self._require_uninterrupted()
        resolved = resolve_paths(patch, options.directory, str(self.repository.top or ""))
        try:
            plan, commits = self._check(patch) if check else (self._apply(patch), 0)
        except Refused as refused:
            self.reporter.note(notes_of(refused))
            failures = refused.failures
            applied = is_already_applied(patch, self.repository, options, failures)
            return Outcome(options, resolved, failures=failures, already_applied=applied)
        except NotCommitted as error:
            interrupts.ignore()
            return Outcome(options, resolved, error.plan, error=error, done=True)
        return Outcome(options, resolved, plan, done=not check, commits=commits)

    def _check(self, patch: Patch) -> tuple[Plan, int]:
        """Plan `patch`, and count the commits that it would make."""
        if not self.commit:
            return check_patch(patch, self.repository, self.options), 0
        from git_opatch.operations.commit import check_commit

        return check_commit(patch, self.repository, self.options, self.commit)

    def _apply(self, patch: Patch) -> Plan:
        application = self._application(patch, " ".join(self.names))
        plan = retry_while_locked(application, self.wait, self.reporter.note, WAIT)
        interrupts.ignore()  # it is applied, and what is left is to say so
        return plan

    def _application(self, patch: Patch, name: str) -> Callable[[], Plan]:
        if not self.commit:
            return lambda: apply_patch(patch, self.repository, self.options, name=name)
        from git_opatch.operations.commit import commit_patch

        commit = self.commit
        return lambda: commit_patch(patch, self.repository, self.options, commit, name)
