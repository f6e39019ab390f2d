"""Carry out a plan: the transaction, then the journal."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from git_opatch import journal
from git_opatch.git.index import ScratchIndex, set_entries
from git_opatch.git.repository import Repository
from git_opatch.model.blob import Stages, WrittenFile, blob_id
from git_opatch.model.options import Options, Target
from git_opatch.plan.plan import Plan
from git_opatch.transaction.perform import run_transaction
from git_opatch.transaction.record import ChangeSet, TransactionRecord, state_dir

_SIZE = "journal_size"
"""How many entries are kept, as a transaction records it for whoever finishes it."""


class Session(NamedTuple):
    """A run that holds the lock of its repository."""

    repository: Repository
    options: Options
    lock: int
    """The descriptor of the lock, which git inherits."""
    name: str = ""
    """The patch's name in the journal."""


def perform(plan: Plan, session: Session, *, digest: str = "") -> Plan:
    """Apply what `plan` decided and record it; return the plan with the number of its entry.

    `digest` is that of the patch's text, if it is to be found in the journal by it.
    """
    repository, options, home = session.repository, session.options, state_dir(session.repository)
    target, about = options.target, _about(plan, session, digest)
    if plan.settled and target is Target.CACHED:
        if not plan.completed.changes:
            return _settle_index(plan, session, about)
        plan = plan._replace(carried=None)
    if plan.carried and not plan.completed.changes:  # all files are unmerged in the index
        plan, target = plan._replace(completed=plan.carried, carried=None), Target.WORKTREE
    elif target is Target.INDEX and not plan.files:  # the working tree has it already
        target = Target.CACHED
    if not plan.written.changes:
        return plan
    record, notes = 0, list[str]()

    def on_commit(transaction: TransactionRecord) -> list[Path]:
        nonlocal record
        with _noted(notes):
            record = add_entry(home, transaction)
        return journal.files_of(home, record)

    if options.journal_size:
        with _noted(notes):
            journal.keep_contents(home, {**plan.written.blobs(), **_blobs_on_disk(plan)})
    try:
        change_set = _change_set(plan, session, target, about)
        notes += run_transaction(repository, change_set, target, session.lock, on_commit)
    finally:
        if not record:
            journal.drop_contents(home)
    return plan._replace(record=record).with_notes(notes)


@contextmanager
def _noted(notes: list[str]) -> Iterator[None]:
    """Add to `notes` that the journal could not be written, if so: the patch is applied."""
    try:
        yield
    except OSError as error:
        notes.append(f"the journal could not be written: {error.strerror}")


def _settle_index(plan: Plan, session: Session, about: Mapping[str, object]) -> Plan:
    """Give files that are unmerged in the index alone one entry again; git does it at once."""
    repository, size = session.repository, session.options.journal_size
    set_entries(repository, plan.settled, ScratchIndex(repository.index_file, {}))
    number = journal.add_record(state_dir(repository), b"", (), Target.CACHED, about, size)
    return plan._replace(completed=plan.carried or plan.completed, carried=None, record=number)


def add_entry(home: Path, transaction: TransactionRecord) -> int:
    """Record a committed transaction; return the number of its entry. Raises `OSError`."""
    about = {**transaction.about, "transaction": transaction.name}
    size = about.pop(_SIZE, None)
    return journal.add_record(
        home,
        transaction.diff.read_bytes(),
        transaction.changes,
        transaction.target,
        about,
        size if isinstance(size, int) else sys.maxsize,
    )


def _about(plan: Plan, session: Session, digest: str) -> dict[str, object]:
    """Describe the plan for the journal. What leaves conflicts cannot be found by its digest."""
    stages = plan.conflicts.stages if plan.conflicts else {}
    algorithm = session.repository.algorithm
    return {
        "patch": session.name,
        "target": session.options.target.value,
        "digest": "" if stages else digest,
        "action": plan.action.value,
        "origin": plan.reverses.patch if plan.reverses else 0,
        "files": Counter(file.status for file in plan.written.files),
        "carried": plan.carried is not None,
        "texts": [change.to_json() for change in plan.texts],
        "paths": plan.only,
        "disk": [each.change.to_json() for each in _converted(plan)],
        "unmerged": {path: _ids(each, algorithm) for path, each in stages.items()},
        "partial": bool(plan.failures),
        "part": plan.is_part,
        "reverse": session.options.reverse and plan.reverses is None,
    }


def _converted(plan: Plan) -> list[WrittenFile]:
    """Return the files whose bytes are not those of a blob."""
    located = {*(plan.carried or plan.written).changes}
    return [each for each in plan.files if each.change not in located]


def _blobs_on_disk(plan: Plan) -> dict[str, bytes]:
    """Return their bytes, by the ids that git would give them."""
    found = {}
    for (_, old, new), before, after in _converted(plan):
        if old and before is not None:
            found[old.id] = before
        if new and after is not None:
            found[new.id] = after.to_bytes()
    return found


def _ids(stages: Stages, algorithm: str) -> list[str]:
    return [stages.base.id, stages.ours.id, blob_id(stages.theirs, algorithm)]


def _change_set(
    plan: Plan, session: Session, target: Target, about: Mapping[str, object]
) -> ChangeSet:
    def settle(transaction: TransactionRecord) -> None:
        """Enter what unmerged files are again into the new index, or into the real one."""
        if plan.settled:
            is_new = transaction.target is not Target.WORKTREE
            index = transaction.scratch_index if is_new else transaction.index_file
            set_entries(session.repository, plan.settled, ScratchIndex(index, {}))

    return ChangeSet(
        plan.written.diff,
        plan.filtered.of(plan.written.changes),
        plan.files if target is not Target.CACHED else (),
        plan.flags,
        plan.stamps,
        {**about, _SIZE: session.options.journal_size},
        before_commit=settle,
        unmerged=plan.conflicts.stages if plan.conflicts else {},
        blobs=plan.filtered.blobs,
        located=plan.written.changes,
        keeps_rights=plan.carried is not None,
    )
