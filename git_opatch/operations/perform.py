"""Carry out a plan: the transaction, then the journal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from git_opatch import journal
from git_opatch.complete import Completed
from git_opatch.git.head import Committed, read_committed
from git_opatch.git.repository import Repository
from git_opatch.model.blob import Change, Stages, blob_id
from git_opatch.model.options import Options, Target
from git_opatch.model.text import Text
from git_opatch.operations.rejected_files import settle_rejects
from git_opatch.plan.plan import Plan
from git_opatch.transaction import ChangeSet, TransactionRecord, run_transaction, state_dir

_NONE: Mapping[str, bytes] = {}

BeforeCommit = Callable[[TransactionRecord], None]
"""Called when all is written; if it raises, everything is restored."""


class Session(NamedTuple):
    """A run that holds the lock of its repository."""

    repository: Repository
    options: Options
    lock: int
    """The descriptor of the lock, which git inherits."""
    name: str = ""
    """The patch's name in the journal."""


def perform(
    plan: Plan,
    session: Session,
    *,
    digest: str = "",
    rejects: Mapping[str, bytes] = _NONE,
    before_commit: BeforeCommit = lambda _: None,
) -> Plan:
    """Apply what `plan` decided and record it; return the plan with the number of its record.

    `digest` is that of the patch's text, if it is to be found in the journal by it; `rejects` are
    the files of rejected hunks that belong to it.
    """
    repository, options = session.repository, session.options
    if not plan.written.changes:
        return plan.with_notes(settle_rejects(repository, plan.action, rejects))
    if plan.reverses is not None:
        rejects = plan.reverses.rejects
    head, differs = _compare_with_head(plan.index_changes, repository)
    about = {**_about(plan, session, digest, rejects), "head": head}
    record, notes = 0, list[str]()

    def on_commit(transaction: TransactionRecord) -> list[Path]:
        nonlocal record
        try:
            record = _add_record(plan, session, transaction, about)
        except OSError as error:
            notes.append(f"the journal could not be written: {error.strerror}")
        notes.extend(settle_rejects(repository, plan.action, rejects))
        return journal.files_of(state_dir(repository), record)

    finishing = {**about, "journal_size": options.journal_size}
    change_set = _change_set(plan, finishing, before_commit)
    notes += run_transaction(repository, change_set, options.target, session.lock, on_commit)
    # It matters where the report says so: not of an undo, a commit, or the working tree alone.
    is_not_said = options.target is Target.WORKTREE or bool(plan.undoes) or options.commit
    return plan._replace(record=record, is_staged=differs or is_not_said).with_notes(notes)


_FIRST = 10
"""So many paths are compared with HEAD first; nearly always one of them differs."""


def _compare_with_head(changes: Sequence[Change], repository: Repository) -> tuple[str, bool]:
    """Return the id of HEAD's commit, and whether HEAD has other files than `changes` make (D341).

    Git takes long to look many paths up.
    """
    head, differs = "", False
    for part in (changes[:_FIRST], changes[_FIRST:]):
        if not differs and (part or not head):
            found = read_committed(repository, [change.path for change in part])
            head, differs = found.id, any(_differs(change, found) for change in part)
    return head, differs


def _differs(change: Change, head: Committed) -> bool:
    """Return whether a path is changed to what `head` does not have, or its mode is."""
    if change.old and change.new and change.old.mode is not change.new.mode:
        return True
    return head.objects.get(change.path) != (change.new.id if change.new else None)


def _add_record(
    plan: Plan, session: Session, transaction: TransactionRecord, about: Mapping[str, object]
) -> int:
    """Record the plan; return the number of its record, 0 if it changed nothing."""
    diff, changes = plan.completed.diff, plan.index_changes
    if not changes:
        return 0
    home, size = state_dir(session.repository), session.options.journal_size
    entry = {**about, "transaction": transaction.name}
    return journal.add_record(home, diff, changes, transaction.target, entry, size)


def _reversal(plan: Plan) -> dict[str, object]:
    """Describe what the plan undoes or redoes, if it does."""
    if plan.reverses is None:
        return {}
    origin = plan.reverses.patch
    return {"undoes": plan.reverses.number, "action": plan.action.value, "origin": origin}


def _about(
    plan: Plan, session: Session, digest: str, rejects: Mapping[str, bytes]
) -> dict[str, object]:
    """Describe the plan for the journal. What leaves conflicts cannot be found by its digest."""
    stages = plan.conflicts.stages if plan.conflicts else {}
    algorithm = session.repository.algorithm
    return {
        "patch": session.name,
        "digest": "" if stages else digest,
        **_reversal(plan),
        "files": Counter(file.status for file in plan.completed.files),
        "carried": plan.carried is not None,
        "texts": [change.to_json() for change in plan.texts],
        "unmerged": {path: _ids(each, algorithm) for path, each in stages.items()},
        "partial": bool(plan.failures),
        "part": plan.is_part,
        "reverse": session.options.reverse and plan.reverses is None,
        "rejects": journal.encode_rejects(rejects),
    }


def _ids(stages: Stages, algorithm: str) -> list[str]:
    theirs = blob_id(Text.from_bytes(stages.theirs), algorithm)
    return [stages.base.id, stages.ours.id, theirs]


def _change_set(plan: Plan, about: dict[str, object], before_commit: BeforeCommit) -> ChangeSet:
    written, carried = plan.written, plan.carried
    return ChangeSet(
        written.diff,
        written.changes,
        plan.flags,
        plan.stamps,
        about=about,
        carried=_carried(carried) if carried else None,
        before_commit=before_commit,
        unmerged=plan.conflicts.stages if plan.conflicts else {},
        contents=_contents(written),
        filtered=plan.filtered,
    )


def _carried(carried: Completed) -> ChangeSet:
    return ChangeSet(carried.diff, carried.changes, {}, contents=_contents(carried))


def _contents(completed: Completed) -> dict[str, Text]:
    return {result.path: result.content.text for result in completed.results if result.content}
