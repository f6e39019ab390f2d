"""Apply a patch and commit just that, by git's own `git commit`: `apply --commit` (D70).

A patch of several mails becomes several commits (`commit_series`). One commit is made as a user
would make it: the patch is applied to index and working tree and recorded, then `git commit`
commits the index. If a hook refuses, the change stays staged.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from git_opatch import journal
from git_opatch.git.commit import CommitCommand, commit, identity_error, manual_command
from git_opatch.git.head import Head, commits_since, read_head, require_finished, staged_changes
from git_opatch.git.hooks import has_verifying_hook
from git_opatch.git.index import unmerged_paths
from git_opatch.git.output import git_message
from git_opatch.git.repository import CONVERT, Repository
from git_opatch.journal import pending_commit
from git_opatch.journal.patch_history import read_journal
from git_opatch.model.blob import Change
from git_opatch.model.errors import CommitError, Interrupted
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import Patch
from git_opatch.model.text import visible
from git_opatch.operations.apply import apply_locked, check_patch
from git_opatch.operations.commit_command import CommitRequest, PlannedCommit, plan_commits
from git_opatch.operations.commit_series import (
    apply_series,
    plan_series,
    skipped_hooks,
    with_commits,
)
from git_opatch.operations.perform import Session
from git_opatch.operations.post_hook import run_post_hook
from git_opatch.operations.recover import recovered
from git_opatch.plan.plan import NotCommitted, Plan
from git_opatch.transaction import after_commit, deferred_signals, state_dir

_MAX_NAMED = 3


def check_commit(
    patch: Patch, repository: Repository, options: Options, commit_options: CommitRequest
) -> tuple[Plan, int]:
    """Decide, and write nothing; return how many commits would be made, too.

    Raises as `commit_patch` does before it changes anything.
    """
    parts = plan_commits(patch, commit_options, reverse=options.reverse)
    _check_head(parts, repository)
    plan = check_patch(patch, repository, options)
    if len(parts) > 1:
        return plan, len(plan_series(parts, repository, options, plan.skipped))
    return plan, int(bool(plan.completed.changes))


def commit_patch(
    patch: Patch,
    repository: Repository,
    options: Options,
    commit_options: CommitRequest,
    name: str = "",
) -> Plan:
    """Apply `patch`, called `name` in the journal, and commit it; the plan has the commits.

    Raises as `apply_patch` does, `CommitError` if nothing can be committed here, and
    `NotCommitted` if git refuses to commit what was applied.
    """
    parts = plan_commits(patch, commit_options, reverse=options.reverse)
    repository.require_worktree(CONVERT)
    not_committed = None
    with recovered(repository) as (lock, notes):
        session = Session(repository, options, lock, name)
        head = _check_head(parts, repository)
        try:
            if len(parts) > 1:
                plan = apply_series(parts, patch, session, quiet=commit_options.quiet)
            else:
                plan = _apply_one(parts[0], head, patch, session, quiet=commit_options.quiet)
        except NotCommitted as error:
            not_committed, plan = error, error.plan
        except (Interrupted, KeyboardInterrupt):
            if not journal.is_commit_pending(state_dir(repository)):
                raise
            raise _interrupted(parts[0].command, head, repository) from None
        finally:
            pending_commit.end(repository, state_dir(repository))
    with after_commit():
        plan = plan.with_notes(run_post_hook(plan, repository), first=notes)
    if not_committed:
        not_committed.plan = plan
        raise not_committed
    return plan


def _interrupted(command: CommitCommand, head: Head, repository: Repository) -> Interrupted:
    """Finish the commit on `head` that was interrupted, and say what became of it."""
    home = state_dir(repository)

    def left_staged(number: int) -> str:
        again = manual_command(command, home / "message")
        what = f"the change is staged, and not committed\n  to commit it: {again}"
        return f"{what}\n  to undo it: git opatch undo {number}" if number else what

    notes = pending_commit.finish(repository, home, left_staged)
    if not notes:  # or there is no record
        was_committed = read_head(repository).id != head.id
        is_staged = not was_committed and staged_changes(repository, head.id)
        by_then = "it had been committed by then" if was_committed else "nothing was changed"
        notes = [left_staged(0) if is_staged else by_then]
    return Interrupted("; ".join(["interrupted", *notes]))


def _check_head(parts: Sequence[PlannedCommit], repository: Repository) -> Head:
    """Return HEAD, which the index must be equal to, as for git revert. Raises `CommitError`."""
    require_finished(repository)
    head = read_head(repository)
    if others := staged_changes(repository, head.id):
        if unmerged := unmerged_paths(repository):
            path = visible(unmerged[0])
            raise CommitError(f"`{path}` is unmerged: resolve that first; nothing was changed")
        names = ", ".join(visible(change.path) for change in others[:_MAX_NAMED])
        more = f" and {len(others) - _MAX_NAMED} more" if len(others) > _MAX_NAMED else ""
        if number := _staged_patch(others, repository):
            raise CommitError(
                f"the change of patch {number} is staged already: {names}{more}\n"
                f"to commit it: git commit; to undo it first: git opatch undo {number}; "
                "nothing was changed"
            )
        stash = ", or `git stash`," if head.id else ""  # before the first commit it fails
        raise CommitError(
            f"other changes are staged, and --commit commits just the patch: {names}{more}\n"
            f"commit them{stash} first; nothing was changed"
        )
    for part in parts:
        if words := identity_error(repository, part.command):
            raise CommitError(f"git would not commit: {git_message(words)}\nnothing was changed")
    return head


def _staged_patch(staged: Sequence[Change], repository: Repository) -> int | None:
    """Return the number of the applied patch that all of what is staged comes from, if any."""
    journal = read_journal(state_dir(repository)).applied() if repository.has_journal else []
    records = ((history.number, history.application_in(Target.CACHED)) for history in journal)
    same = (number for number, made in records if made and set(made.changes) == set(staged))
    return next(same, None)


def _apply_one(
    part: PlannedCommit, head: Head, patch: Patch, session: Session, *, quiet: bool
) -> Plan:
    """Apply `patch`, and commit it on `head`. Raises `NotCommitted` if it is only staged."""
    repository = session.repository
    home = state_dir(repository)
    plan = apply_locked(patch, session, lambda _: pending_commit.begin(repository, home, head, 1))
    changes = {change for change in plan.index_changes if change.old != change.new}
    if not changes:
        taken_out = "nothing was committed: its filter takes the change out of what git stores"
        paths = [change.path for change in plan.index_changes[:1]]
        return plan.with_notes(f"{path}: {taken_out}" for path in paths)
    if read_head(repository) != head or set(staged_changes(repository, head.id)) != changes:
        raise NotCommitted("not committed: somebody changed the index or HEAD meanwhile", plan)
    notes = skipped_hooks(repository, session.options, changes)
    with suppress(OSError):
        pending_commit.save_index(repository, home)
    with deferred_signals():
        result = commit(repository, part.command, session.lock, quiet=quiet, hooks=not notes)
        made = commits_since(repository, head.id, read_head(repository).id)[:1]
        plan = with_commits(plan.with_notes(notes), [each for each, _ in made], repository)
    if not made:
        why = git_message(result.words)
        how = "was aborted" if part.command.asks_for_message else "refused"
        what = f"not committed: git commit {how}{why and ': '}{why}"
        if result.status < 0:  # a signal ended it
            pending_commit.remove_locks(repository, home)
            left = pending_commit.index_lock_left(repository)
            what = f"not committed: git commit was killed{left and '; '}{left}"
        again = manual_command(part.command, home / "message")
        unverified = part.command._replace(options=("--no-verify", *part.command.options))
        can_refuse = not notes and has_verifying_hook(repository)
        anyway = manual_command(unverified, home / "message") if can_refuse else ""
        raise NotCommitted(what, plan, again, anyway)
    return plan
