"""Apply a patch and commit just that, by git's own `git commit`: `apply --commit` (D70).

A commit is made as a user would make it: the patch is applied to index and working tree and
recorded, then `git commit` commits the index. If a hook refuses, or git is killed, the change stays
staged. Each mail of `git format-patch` is a commit of its own, with its message, author and date.
Several are planned first, as one patch; then each is applied and committed by itself, as by
git-am(1), until one fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, TypeVar

from git_opatch import journal
from git_opatch.complete import Completed
from git_opatch.git.commit import CommitCommand, commit, identity_error, manual_command
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
from git_opatch.git.output import GitResult, git_message
from git_opatch.git.repository import CONVERT, Repository
from git_opatch.model.blob import Change
from git_opatch.model.errors import CommitError, Interrupted, OpatchError, UsageError
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import FilePatch, Mail, Patch
from git_opatch.model.sentences import Notice
from git_opatch.model.text import visible
from git_opatch.operations.apply import apply_locked, check_patch
from git_opatch.operations.perform import Session, finish
from git_opatch.operations.recover import Recovery, recovered
from git_opatch.plan.patch_paths import resolve_paths
from git_opatch.plan.plan import NotCommitted, Plan
from git_opatch.plan.planner import plan_resolved
from git_opatch.plan.preflight import preflight
from git_opatch.transaction.lock import deferred_signals, when_free
from git_opatch.transaction.record import state_dir

_MAX_NAMED = 3
_Value = TypeVar("_Value")


class CommitRequest(NamedTuple):
    """The user's options for the commit.

    `editor` is whether git may open an editor if there is no message, `quiet` whether git's output
    is captured instead of shown.
    """

    messages: tuple[str, ...] = ()
    editor: bool = False
    quiet: bool = False


class PlannedCommit(NamedTuple):
    """A commit to make: its changes, and the options of `git commit`."""

    patch: Patch
    command: CommitCommand
    title: str = ""
    """The first line of the message, if a mail has one."""


def check_commit(
    patch: Patch, repository: Repository, options: Options, request: CommitRequest
) -> tuple[Plan, int]:
    """Decide, and write nothing; return how many commits would be made, too.

    Raises as `commit_patch` does before it changes anything.
    """
    parts = plan_commits(patch, request, reverse=options.reverse)
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
    request: CommitRequest,
    name: str = "",
) -> Plan:
    """Apply `patch`, called `name` in the journal, and commit it; the plan has the commits.

    Raises as `apply_patch` does, `CommitError` if nothing can be committed here, and
    `NotCommitted` if git refuses to commit what was applied.
    """
    parts = plan_commits(patch, request, reverse=options.reverse)
    repository.require_worktree(CONVERT)

    def act(lock: int, recovery: Recovery) -> Plan:
        session = Session(repository, options, lock, name)
        _check_head(parts, repository)
        if len(parts) > 1:
            whole = resolve_paths(patch, options, repository.top)
            preflight(*plan_resolved(whole, repository, options), repository, options)
        plan = _apply_each(parts, session, quiet=request.quiet)
        return plan.with_notes([], first=recovery.notes)

    try:
        return finish(recovered(repository, act), repository)
    except NotCommitted as error:
        plan = error.plan.with_notes([], first=getattr(error, "__notes__", ()))
        error.plan = finish(plan, repository)
        raise


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
    earlier: list[Change] = []
    for number, part in enumerate(parts, 1):
        which = ""
        if len(parts) > 1:
            which = Notice.MAIL.fill(number=number, count=len(parts), title=part.title)
        try:
            plans.append(_apply_one(part, session, which, earlier, quiet=quiet))
        except OpatchError as error:
            made = ", ".join(_joined(plans).commit_names)
            if isinstance(error, NotCommitted):
                notes = [Notice.COMMITTED_BEFORE.fill(names=made)] if made else []
                error.plan = _joined([*plans, error.plan.with_notes(notes)])
            elif made:
                error.add_note(Notice.MAIL_FAILED.fill(mail=which, names=made))
            raise
        earlier += plans[-1].completed.changes
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
        paths = [change.path for change in (*earlier, *changes)]
        skips_hooks = session.options.target is Target.INDEX and any_is_hook(repository, paths)
        notes = [Notice.NO_HOOKS.sentence] if skips_hooks else []
        with deferred_signals():
            result = commit(repository, part.command, session.lock, quiet=quiet, hooks=not notes)
            made = commit_after(repository, head.id, read_head(repository).id)
            if made:
                others = {*committed_changes(repository, head.id, made)} ^ changes
                names = _names(sorted({change.path for change in others}))
                notes += [Notice.HOOK_CHANGED.fill(names=names)] if others else []
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


def _names(paths: Sequence[str]) -> str:
    """Name the first paths, and count the others."""
    names = ", ".join(map(visible, paths[:_MAX_NAMED]))
    return f"{names} and {len(paths) - _MAX_NAMED} more" if len(paths) > _MAX_NAMED else names


def _why_not_committed(part: PlannedCommit, result: GitResult, which: str) -> str:
    if not result.status:
        return Notice.TAKEN_AWAY.sentence
    why, notice = git_message(result.output.decode(errors="replace")), Notice.REFUSED
    if result.killed:
        notice = Notice.KILLED
    elif part.command.message is None:
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


def plan_commits(patch: Patch, request: CommitRequest, *, reverse: bool) -> list[PlannedCommit]:
    """Split `patch` into its commits; in reverse, it is one.

    Raises `UsageError` for options that do not fit or are missing, and `CommitError` for an empty
    message.
    """
    parts = list(_split_mails(patch._replace(mails=()) if reverse else patch))
    if len(parts) > 1 and request.messages:
        raise UsageError(Notice.ONE_MESSAGE.fill(count=len(parts)))
    for mail, part in parts if len(parts) > 1 else ():
        if mail is None:
            first = part.files[0]
            where = f"{first.source}:" if first.source else "line "
            raise UsageError(Notice.NOT_MAIL.fill(where=f"{where}{first.number}"))
    return [_plan_commit(mail, part, request) for mail, part in parts]


def _split_mails(patch: Patch) -> Iterator[tuple[Mail | None, Patch]]:
    """Yield each mail with its sections; sections of a file that is not mail have no mail."""
    mails = {mail.first: mail for mail in patch.mails}
    mail, sections = None, list[FilePatch]()
    for index, section in enumerate(patch.files):
        other_file = mail is not None and bool(sections) and section.source != sections[0].source
        if sections and (index in mails or other_file):
            yield mail, Patch(tuple(sections), is_part=patch.is_part)
            mail, sections = None, []
            patch = patch._replace(digest="")  # that of all mails names no single one
        mail = mails.get(index, mail)
        sections.append(section)
    yield mail, patch._replace(files=tuple(sections), mails=())


def _plan_commit(mail: Mail | None, patch: Patch, request: CommitRequest) -> PlannedCommit:
    title = mail.message.partition("\n")[0] if mail else ""
    command = CommitCommand(author=_author(mail) if mail else {})
    if request.messages:
        message = "\n".join(f"{paragraph}\n" for paragraph in request.messages)
        if not message.strip():
            raise CommitError(Notice.EMPTY_MESSAGE.sentence, 1)
        command = command._replace(message=message.encode(errors="surrogateescape"))
    elif mail is not None and mail.message.strip():
        command = command._replace(
            message=mail.message.encode(),
            options=("--cleanup=whitespace",),  # a line that begins with # is part of it
            settings=("-c", "i18n.commitEncoding=UTF-8"),
        )
    elif not request.editor:
        raise UsageError(Notice.NO_MESSAGE.sentence)
    return PlannedCommit(patch, command, title)


def _author(mail: Mail) -> dict[str, str]:
    """Return the author as git am passes it on: options would be parsed more loosely."""
    name, _, address = mail.author.rpartition(" <")
    variables = {
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": address.removesuffix(">"),
        "GIT_AUTHOR_DATE": mail.date,
    }
    return {key: value for key, value in variables.items() if value}
