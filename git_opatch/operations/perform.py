"""Carry out a plan: the transaction, then the journal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from git_opatch import journal
from git_opatch.git.repository import Repository
from git_opatch.model.blob import Stages, WrittenFile, blob_id
from git_opatch.model.options import Options, Target
from git_opatch.model.paths import portable
from git_opatch.plan.plan import Plan
from git_opatch.transaction.perform import run_transaction
from git_opatch.transaction.record import ChangeSet, state_dir


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
    target, about, shown = options.target, _about(plan, session, digest), plan
    if plan.settled and not plan.completed.changes:  # all files are unmerged in the index
        shown = plan._replace(completed=plan.carried or plan.completed, carried=None)
    if target is Target.INDEX and not plan.files:  # the working tree has it already
        target = Target.CACHED
    if not plan.written.changes and not plan.settled:
        return plan
    size = options.journal_size
    number = journal.last(home) + 1 if size else 0
    change_set = _change_set(plan, target, about, number)
    notes = run_transaction(repository, change_set, target, session.lock)
    journal.keep_newest(home, size)
    is_entered = journal.last(home) == number
    return shown._replace(record=number if is_entered else 0).with_notes(notes)


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
        "paths": list(map(portable, plan.only)),
        "disk": [each.change.to_json() for each in _converted(plan)],
        "unmerged": {portable(path): _ids(each, algorithm) for path, each in stages.items()},
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


def _change_set(plan: Plan, target: Target, about: Mapping[str, object], number: int) -> ChangeSet:
    diff, changes = plan.written.diff, plan.filtered.of(plan.written.changes)
    return ChangeSet(
        diff,
        changes,
        plan.files if target is not Target.CACHED else (),
        plan.flags,
        plan.stamps,
        number,
        journal.new_entry(diff, changes, target, about) if number else b"",
        journal.packed({**plan.written.blobs(), **_blobs_on_disk(plan)}) if number else (),
        settled=plan.settled,
        unmerged=plan.conflicts.stages if plan.conflicts else {},
        blobs=plan.filtered.blobs,
        located=plan.written.changes,
        keeps_rights=plan.carried is not None,
    )
