"""`git opatch check`: would each of these patches apply, or this call of `apply_patch`?"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from git_opatch import report
from git_opatch.action import verify
from git_opatch.apply import Refused, plan_patch, refuse_interrupted
from git_opatch.commands import choices
from git_opatch.commands.inputs import choose_matching, read_patch, spelled
from git_opatch.errors import InputError, ParseError, RepositoryError, UsageError
from git_opatch.options import Dialect, Options, Target
from git_opatch.outcome import Failure
from git_opatch.report.terminal import show
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
    quiet: choices.Quiet = False,
) -> None:
    """Say of each patch, taken alone, whether it would apply to the index; change nothing.

    `git opatch apply --check` takes all files as one patch instead, in order, and asks git
    and the working tree, too. With --argv the words after -- are a command; its paths count
    from the current directory, which need not be in a repository. Exit status: 0 all apply,
    1 one does not or it is no call of apply_patch, 128 one is no patch.
    """
    if base and worktree:
        raise UsageError("--base and --worktree exclude one another")
    if argv and (directory or dialect):
        raise UsageError("--argv takes the command as it is, without --directory and --dialect")
    repository = _repository(required=not argv)
    if repository and repository.top is None and not base:
        raise RepositoryError("here is no index to judge by; name a commit with --base")
    settings = repository.settings() if repository else {}
    options = Options(
        Target.CACHED if repository and not worktree else Target.WORKTREE,
        overwrite=overwrite,
        directory=directory,
        base=base or None,
        matching=choose_matching(match, ambiguous, fuzz, settings),
        command="git opatch check --argv" if argv else spelled(context),
    )
    if worktree and repository:
        refuse_interrupted(repository)
    judge = _Judge(options, settings, quiet)
    if argv:
        status = judge.call(files or [])
    else:
        status = max(
            judge.file(name, dialect, repository or Repository()) for name in files or ["-"]
        )
    raise typer.Exit(status)


def _repository(*, required: bool) -> Repository | None:
    try:
        return Repository()
    except RepositoryError:
        if required:
            raise
        return None


@dataclass(frozen=True, slots=True)
class _Judge:
    """Says what it finds, and gives the exit status for it."""

    options: Options
    settings: Mapping[str, str]
    quiet: bool

    def file(self, name: str, dialect: Dialect | None, repository: Repository) -> int:
        """Judge the patch in the file `name`."""
        try:
            patch = read_patch([name], dialect)
        except ParseError as error:
            return self._fail(name, "is no patch that can be read", map(str, error.faults))
        except InputError as error:
            return self._fail(name, "cannot be read", [str(error)])
        plan = plan_patch(patch, repository, self.options)
        if plan.failures:
            return self._refuse(name, plan.failures)
        notes = [*report.notes(plan.notes), *report.placed_loosely(plan, chosen_only=self.quiet)]
        show(notes, sys.stderr, self.settings)
        return self._accept(name, len(plan.completed.files))

    def _fail(self, name: str, verdict: str, errors: Iterable[str]) -> int:
        show([f"error: {visible(one, 2000)}" for one in errors], sys.stderr, self.settings)
        return self._say(name, verdict, ParseError.exit_status)

    def call(self, words: Sequence[str]) -> int:
        """Judge the command `words`. Raises `ImplicitInvocation` and `ParseError`."""
        try:
            action = verify(words, Path.cwd(), self.options)
        except Refused as refused:
            return self._refuse("apply_patch", refused.failures)
        if action is None:
            show(["error: no apply_patch call"], sys.stderr, self.settings)
            return 1
        return self._accept("apply_patch", len(action.changes))

    def _accept(self, name: str, count: int) -> int:
        return self._say(name, f"would apply ({count} file{'s' * (count != 1)})", 0)

    def _refuse(self, name: str, failures: Sequence[Failure]) -> int:
        *lines, _ = report.refusal(failures, self.options)
        show(lines, sys.stderr, self.settings)
        return self._say(name, "does not apply", Refused.exit_status)

    def _say(self, name: str, verdict: str, status: int) -> int:
        if status or not self.quiet:
            show([report.verdict(name, verdict)], sys.stdout, self.settings)
        return status
