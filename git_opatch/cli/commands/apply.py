"""`git opatch apply`: a patch to the index and the working tree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from git_opatch.cli import process
from git_opatch.cli.groups import (
    CommitOptions,
    InputOptions,
    MatchOptions,
    PartialOptions,
    PolicyOptions,
    SelectOptions,
    TargetOptions,
    read_clipboard,
    read_text,
)
from git_opatch.git.repository import Repository, is_outside
from git_opatch.model.errors import RepositoryError, UsageError
from git_opatch.model.failure import Refused
from git_opatch.model.options import Options
from git_opatch.model.patch import Patch
from git_opatch.model.settings import journal_size
from git_opatch.operations.apply import (
    apply_patch,
    check_patch,
    plan_patch,
)
from git_opatch.operations.recover import recover_interrupted, require_uninterrupted
from git_opatch.plan.patch_paths import resolve_paths
from git_opatch.plan.plan import NotCommitted, Plan
from git_opatch.report.outcome import Outcome
from git_opatch.report.reporters import JsonReporter, TextReporter, notes_of

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
    clipboard: bool = False,
    quiet: bool = False,
    verbose: bool = False,
    json: bool = False,
) -> int:
    """Locate each hunk of a patch in the index, and apply it there and in the working tree.

    All files are one patch, which is applied as a whole or not at all. Exit status: 0 applied, 1
    it does not apply, or --3way left conflicts, or git did not commit it, 128 not a patch or not a
    repository, 129 usage, 130 interrupted.
    """
    if interactive and (json or partial.allows_part):
        raise UsageError(
            "--interactive excludes --json, --partial and --reject; it leaves out what does not "
            "apply"
        )
    if clipboard and inputs.files:
        raise UsageError("--clipboard excludes patch files")
    repository = _repository()
    settings = repository.settings()
    chosen = target.resolve(settings)
    options = Options(
        chosen,
        reverse,
        inputs.overwrite,
        inputs.directory,
        matching=match.resolve(settings, by_program=json),
        three_way=match.resolve_three_way(
            chosen, carry=target.carry, partial=partial.allows_part or interactive
        ),
        partial=partial.allows_part,
        reject=partial.reject,
        journal_size=journal_size(settings),
        carry=target.carry,
        skip_applied=partial.skip_applied,
        commit=commit.commit,
        policy=policy.resolve(settings, inputs.directory, repository.top),
    )
    wish = commit.resolve(chosen, partial, json=json)
    reporter = JsonReporter("apply") if json else TextReporter(settings, quiet, verbose)
    run = _ApplyCall(repository, options, " ".join(inputs.files or ()), wish, reporter)
    with reporter:
        run.recover(check=check)
        patch = read_text(read_clipboard(), inputs.patch_format) if clipboard else inputs.read()
        selected = select.resolve(patch, options, repository.top)
        if interactive:
            from git_opatch.cli.interactive import choose

            selected, options = choose(selected, run.plan, repository, options, settings)
            run = run._replace(options=options)
            patch = selected.patch
        if not selected.patch.files:
            reporter.note(["no hunk was chosen; nothing was changed"])
            return 0
        outcome = run.check(selected.patch) if check else run.apply(selected.patch)
        return reporter.report(outcome._replace(whole=patch, left_out=selected.left_out))


def _repository() -> Repository:
    """Find the repository. Raises `RepositoryError`; where there is none, with what needs none."""
    try:
        return Repository(asks_settings=True)
    except RepositoryError as error:
        if not is_outside(Path.cwd()):
            raise
        outside = "`git opatch apply-patch` patches files outside of one"
        raise RepositoryError(f"{error}\n  {outside}") from None


class _ApplyCall(NamedTuple):
    """One call of the command, its options resolved; `name` is what the journal calls the patch."""

    repository: Repository
    options: Options
    name: str
    commit: commit_command.CommitRequest | None
    reporter: JsonReporter | TextReporter

    def recover(self, *, check: bool) -> None:
        """Recover from an interrupted run; `check` only refuses then."""
        if check:
            require_uninterrupted(self.repository)
        else:
            self.reporter.note(recover_interrupted(self.repository).notes)

    def plan(self, patch: Patch, options: Options) -> Plan:
        """Plan the hunks of `patch`, whose text says what is reversed."""
        plan = plan_patch(patch, self.repository, options)
        if plan.reverses:  # as a whole; the lines of its hunks are known by its text
            by_text = plan_patch(patch._replace(digest=""), self.repository, options)
            plan = plan if by_text.failures else by_text
        return plan

    def check(self, patch: Patch) -> Outcome:
        """Plan `patch`, and count the commits that it would make."""
        outcome, count = self._outcome(patch), 0
        try:
            if self.commit:
                from git_opatch.operations.commit import check_commit

                plan, count = check_commit(patch, self.repository, self.options, self.commit)
            else:
                plan = check_patch(patch, self.repository, self.options)
        except Refused as refused:
            return self._refused(outcome, refused)
        return outcome._replace(plan=plan, commits=count)

    def apply(self, patch: Patch) -> Outcome:
        """Apply `patch`, and commit it if that is wanted."""
        outcome, about = self._outcome(patch)._replace(done=True), (self.repository, self.options)
        try:
            if self.commit:
                from git_opatch.operations.commit import commit_patch

                plan = commit_patch(patch, *about, self.commit, self.name)
            else:
                plan = apply_patch(patch, *about, name=self.name)
        except Refused as refused:
            return self._refused(outcome, refused)
        except NotCommitted as error:
            process.ignore_interrupts()
            return outcome._replace(plan=error.plan, error=error)
        process.ignore_interrupts()  # it is applied, and what is left is to say so
        return outcome._replace(plan=plan)

    def _outcome(self, patch: Patch) -> Outcome:
        return Outcome(self.options, resolve_paths(patch, self.options, self.repository.top))

    def _refused(self, outcome: Outcome, refused: Refused) -> Outcome:
        self.reporter.note(notes_of(refused))
        return outcome._replace(failures=refused.failures, done=False)
