"""Apply a patch and commit just that, by git's own `git commit`: `apply --commit` (D70).

A commit is made as a user would make it: the patch is applied to index and working tree and
recorded, then `git commit` commits the index. If a hook refuses, or git is killed, the change stays
staged. Several mails are planned first, as one patch; then each is applied and committed by itself,
as by git-am(1), until one fails.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import TypeVar

from git_opatch import journal
from git_opatch.complete import Completed
from git_opatch.git.commit import CommitResult, commit, identity_error, manual_command
from git_opatch.git.head import (
    Head,
    abbreviated,
    commit_after,
    committed_changes,
    read_head,
    require_finished,
    staged_changes,
)
from git_opatch.git.hooks import any_is_hook
from git_opatch.git.index import unmerged_paths
from git_opatch.git.output import git_message
from git_opatch.git.repository import CONVERT, Repository
from git_opatch.model.blob import Change
from git_opatch.model.errors import CommitError, Interrupted, OpatchError
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import Patch
from git_opatch.model.sentences import Notice
from git_opatch.model.text import visible
from git_opatch.operations.apply import apply_locked, check_patch
from git_opatch.operations.commit_command import CommitRequest, PlannedCommit, plan_commits
from git_opatch.operations.perform import Session, finish
from git_opatch.operations.recover import recovered
from git_opatch.plan.patch_paths import resolve_paths
from git_opatch.plan.plan import NotCommitted, Plan
from git_opatch.plan.planner import plan_resolved
from git_opatch.plan.preflight import preflight
from git_opatch.transaction.lock import deferred_signals, when_free
from git_opatch.transaction.record import state_dir

_MAX_NAMED = 3
_Value = TypeVar("_Value")


def check_commit(
    patch: Patch, repository: Repository, options: Options, commit_options: CommitRequest
) -> tuple[Plan, int]:
    """Decide, and write nothing; return how many commits would be made, too.

    Raises as `commit_patch` does before it changes anything.
    """
    parts = plan_commits(patch, commit_options, reverse=options.reverse)
    _check_head(parts, repository)
    plan = check_patch(patch, repository, options)
    if len(parts) < 2:
        return plan, int(bool(plan.completed.changes))
    skipped = {(failure.source, failure.section_line) for failure in plan.skipped}
    skipped -= {(section.source, section.number) for section, _ in plan.placed}
    made = [
        part
        for part in parts
        if any((each.source, each.number) not in skipped for each in part.patch.files)
    ]
    return plan, len(made)


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

    def act(lock: int, notes: list[str]) -> tuple[Plan, NotCommitted | None]:
        session = Session(repository, options, lock, name)
        _check_head(parts, repository)
        if len(parts) > 1:
            whole = resolve_paths(patch, options, repository.top)
            preflight(*plan_resolved(whole, repository, options), repository, options)
        try:
            plan, error = _apply_each(parts, session, quiet=commit_options.quiet), None
        except NotCommitted as not_committed:
            plan, error = not_committed.plan, not_committed
        return plan.with_notes([], first=notes), error

    plan, not_committed = recovered(repository, act)
    plan = finish(plan, repository)
    if not_committed:
        not_committed.plan = plan
        raise not_committed
    return plan


def _check_head(parts: Sequence[PlannedCommit], repository: Repository) -> Head:
    """Return HEAD, which the index must be equal to, as for git revert. Raises `CommitError`."""
    require_finished(repository)
    head = read_head(repository)
    if others := staged_changes(repository, head.id):
        if unmerged := unmerged_paths(repository):
            raise CommitError(Notice.UNMERGED.fill(path=unmerged[0]))
        names = _names([change.path for change in others])
        raise CommitError(Notice.OTHERS_STAGED.fill(names=names))
    for part in parts:
        if words := identity_error(repository, part.command):
            raise CommitError(Notice.WOULD_NOT_COMMIT.fill(why=git_message(words)))
    return head


def _apply_each(parts: Sequence[PlannedCommit], session: Session, *, quiet: bool) -> Plan:
    """Apply and commit one part after the other; return the plan of them all.

    Raises `NotCommitted` if one is only staged; the notes of any error say what is committed.
    """
    plans: list[Plan] = []
    for number, part in enumerate(parts, 1):
        which = Notice.MAIL.fill(number=number, count=len(parts), title=part.title)
        try:
            earlier = [change for plan in plans for change in plan.completed.changes]
            named = which if len(parts) > 1 else ""
            plans.append(_apply_one(part, session, named, earlier, quiet=quiet))
        except NotCommitted as error:
            made = ", ".join(_joined(plans).commit_names)
            notes = [Notice.COMMITTED_BEFORE.fill(names=made)] if made else []
            error.plan = _joined([*plans, error.plan.with_notes(notes)])
            raise
        except OpatchError as error:
            if made := ", ".join(_joined(plans).commit_names):
                error.add_note(Notice.MAIL_FAILED.fill(mail=which, names=made))
            raise
    return _joined(plans)


def _joined(plans: Sequence[Plan]) -> Plan:
    """Return one plan of several that were carried out, one after the other."""
    if len(plans) < 2:
        return plans[0] if plans else Plan()

    files = {file.path: file for plan in plans[::-1] for file in plan.completed.files}
    completed = Completed(
        b"".join(plan.completed.diff for plan in plans),
        _every(plan.completed.changes for plan in plans),
        tuple(files[path] for path in sorted(files)),
    )
    return plans[-1]._replace(
        completed=completed,
        placed=_every(plan.placed for plan in plans),
        notes=_every(plan.notes for plan in plans),
        skipped=_every(plan.skipped for plan in plans),
        commits=_every(plan.commits for plan in plans),
        commit_names=_every(plan.commit_names for plan in plans),
    )


def _every(values: Iterable[Iterable[_Value]]) -> tuple[_Value, ...]:
    return tuple(chain.from_iterable(values))


def _apply_one(
    part: PlannedCommit, session: Session, which: str, earlier: Sequence[Change], *, quiet: bool
) -> Plan:
    """Apply a part, and commit it; `earlier` changes may have been of hooks, too.

    Raises `NotCommitted` if it is only staged.
    """
    repository, home = session.repository, state_dir(session.repository)
    head, last = read_head(repository), journal.last(home)
    try:
        plan = when_free(lambda: apply_locked(part.patch, session))
        changes = {change for change in plan.index_changes if change.old != change.new}
        if not changes:
            paths = [change.path for change in plan.index_changes[:1]]
            return plan.with_notes(Notice.FILTERED_OUT.fill(path=path) for path in paths)
        if read_head(repository) != head or set(staged_changes(repository, head.id)) != changes:
            raise NotCommitted(Notice.CHANGED_MEANWHILE.sentence, plan)
        notes = _skipped_hooks(repository, session.options, [*earlier, *changes])
        with deferred_signals():
            result = commit(repository, part.command, session.lock, quiet=quiet, hooks=not notes)
            made = commit_after(repository, head.id, read_head(repository).id)
            if made:
                notes += _other_than_planned(changes, committed_changes(repository, head.id, made))
            plan = _with_commit(plan.with_notes(notes), made, repository)
    except (Interrupted, KeyboardInterrupt):
        raise _interrupted(part, head, last, repository) from None
    if made:
        return plan
    raise NotCommitted(
        _why_not_committed(part, result, which),
        plan,
        manual_command(part.command, home / "message"),
        is_staged=changes <= {*staged_changes(repository, read_head(repository).id)},
    )


def _other_than_planned(planned: Collection[Change], made: Sequence[Change]) -> list[str]:
    """A note on what the commit has otherwise than `planned`, which a hook has changed."""
    before, after = ({change.path: change.new for change in each} for each in (planned, made))
    differences = {
        "without": before.keys() - after.keys(),
        "with other content of": {path for path in before if before[path] != after.get(path)},
        "with": after.keys() - before.keys(),
    }
    differences["with other content of"] -= differences["without"]
    parts = [f"{words} {_names(sorted(paths))}" for words, paths in differences.items() if paths]
    return [Notice.HOOK_CHANGED.fill(differences=", ".join(parts))] if parts else []


def _names(paths: Sequence[str]) -> str:
    """Name the first paths, and count the others."""
    names = ", ".join(map(visible, paths[:_MAX_NAMED]))
    return f"{names} and {len(paths) - _MAX_NAMED} more" if len(paths) > _MAX_NAMED else names


def _why_not_committed(part: PlannedCommit, result: CommitResult, which: str) -> str:
    if not result.status:
        return Notice.TAKEN_AWAY.sentence
    why, notice = git_message(result.words), Notice.REFUSED
    if result.status < 0:
        notice = Notice.KILLED
    elif part.command.asks_for_message:
        notice = Notice.ABORTED
    return notice.fill(at=which and f" at {which}", why=why and f": {why}")


def _interrupted(part: PlannedCommit, head: Head, last: int, repository: Repository) -> Interrupted:
    """Say what became of a commit on `head` that was interrupted; `last` was the last entry."""
    if read_head(repository).id != head.id:
        return Interrupted(Notice.INTERRUPTED_COMMITTED.sentence)
    if not staged_changes(repository, head.id):
        return Interrupted(Notice.INTERRUPTED.sentence)
    home = state_dir(repository)
    again, number = manual_command(part.command, home / "message"), journal.last(home)
    lines = [Notice.INTERRUPTED_STAGED.sentence, Notice.TO_COMMIT.fill(command=again)]
    if number > last:
        lines.append(Notice.TO_UNDO.fill(command=f"git opatch undo {number}"))
    return Interrupted("\n  ".join(lines))


def _skipped_hooks(
    repository: Repository, options: Options, changes: Iterable[Change]
) -> list[str]:
    """A note that git commit is to run no hooks, if `changes` are of hooks in the working tree."""
    if options.target is Target.CACHED:
        return []
    if not any_is_hook(repository, [change.path for change in changes]):
        return []
    return [Notice.NO_HOOKS.sentence]


def _with_commit(plan: Plan, commit_id: str, repository: Repository) -> Plan:
    """Return `plan` with its commit, which is written to its journal entry; a note if not."""
    if not commit_id:
        return plan
    plan = plan._replace(commits=(commit_id,), commit_names=(abbreviated(repository, commit_id),))
    try:
        if plan.record:
            journal.add_commits(state_dir(repository), plan.record, plan.commits)
    except (OSError, ValueError) as error:
        return plan.with_notes([Notice.NOT_IN_JOURNAL.fill(error=error)])
    return plan
