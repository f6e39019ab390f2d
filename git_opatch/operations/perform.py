"""Carry out a plan: the transaction, then the journal, at last the `post-opatch` hook.

The hook tells a watcher or an editor which files were changed. It is found and run as git's hooks
are (githooks(5)): by `core.hooksPath`, at the top of the working tree, its output on standard
error. It has no effect on the outcome. It is not run if the patch itself changes it, or anything
else in the directory of hooks: a patch must not bring a program that runs (D132).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from git_opatch import journal
from git_opatch.git.hooks import any_is_hook, find_hook, run_hook
from git_opatch.git.output import nul_terminated
from git_opatch.git.repository import Repository
from git_opatch.model.blob import WrittenFile, blob_id
from git_opatch.model.options import Options, Target
from git_opatch.model.paths import portable
from git_opatch.plan.plan import Plan
from git_opatch.transaction.lock import after_commit
from git_opatch.transaction.perform import run_transaction
from git_opatch.transaction.record import ChangeSet, state_dir

_HOOK = "post-opatch"


class Session(NamedTuple):
    """A run that holds the lock of its repository."""

    repository: Repository
    options: Options
    lock: int
    """The descriptor of the lock, which git inherits."""
    name: str = ""
    """The patch's name in the journal."""


def perform(
    plan: Plan, session: Session, *, digest: str = "", beside: Sequence[WrittenFile] = ()
) -> Plan:
    """Apply what `plan` decided and record it; return the plan with the number of its entry.

    `digest` is that of the patch's text, if it is to be found in the journal by it. The files
    `beside` are written, too, and are no part of the patch.
    """
    home, target, shown = state_dir(session.repository), session.options.target, plan
    if plan.settled and not plan.completed.changes:  # all files are unmerged in the index
        shown = plan._replace(completed=plan.carried or plan.completed, carried=None)
    is_change, size = bool(plan.written.changes or plan.settled), session.options.journal_size
    if not is_change and not beside:
        return plan
    if not is_change:
        target = Target.WORKTREE
    elif target is Target.INDEX and not plan.files:  # the working tree has it already
        target = Target.CACHED
    number = journal.last(home) + 1 if size and is_change else 0
    files = (*(plan.files if target is not Target.CACHED else ()), *beside)
    change_set = _change_set(plan, files, session, digest, number)
    notes = run_transaction(session.repository, change_set, target, session.lock)
    journal.keep_newest(home, size)
    is_entered = journal.last(home) == number
    return shown._replace(record=number if is_entered else 0).with_notes(notes)


def _change_set(
    plan: Plan, files: tuple[WrittenFile, ...], session: Session, digest: str, number: int
) -> ChangeSet:
    changes = plan.filtered.of(plan.written.changes)
    entry, contents = b"", {**plan.written.blobs(), **_blobs_on_disk(plan)}
    if number:
        entry = journal.new_entry(plan.written.diff, changes, _about(plan, session, digest))
    return ChangeSet(
        plan.written.diff,
        changes,
        files,
        plan.flags,
        plan.stamps,
        number,
        entry,
        journal.packed(contents) if number else (),
        settled=plan.settled,
        unmerged=plan.conflicts.stages if plan.conflicts else {},
        blobs=plan.filtered.blobs,
        located=plan.written.changes,
        keeps_rights=plan.carried is not None,
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
        "paths": list(map(portable, plan.only)),
        "disk": [file.change.to_json() for file in _converted(plan)],
        "unmerged": {
            portable(path): [base.id, ours.id, blob_id(theirs, algorithm)]
            for path, (base, ours, theirs) in stages.items()
        },
        "partial": bool(plan.failures),
        "part": plan.is_part,
        "reverse": session.options.reverse and plan.reverses is None,
    }


def _converted(plan: Plan) -> list[WrittenFile]:
    """Return the files whose bytes are not those of a blob."""
    located = {*(plan.carried or plan.written).changes}
    return [file for file in plan.files if file.change not in located]


def _blobs_on_disk(plan: Plan) -> dict[str, bytes]:
    """Return their bytes, by the ids that git would give them."""
    blobs = {}
    for (_, old, new), before, after in _converted(plan):
        if old and before is not None:
            blobs[old.id] = before
        if new and after is not None:
            blobs[new.id] = after.to_bytes()
    return blobs


def finish(plan: Plan, repository: Repository) -> Plan:
    """Run the hook for a plan that was carried out; return it with notes on the hook.

    Raises `Interrupted`, which says that all was applied by then.
    """
    with after_commit():
        return plan.with_notes(_run_post_hook(plan, repository))


def _run_post_hook(plan: Plan, repository: Repository) -> list[str]:
    """Give the changed paths of `plan` to the hook, if there is one; return notes on a failure."""
    hook = find_hook(repository, _HOOK)
    if not plan.completed.changes or hook is None:
        return []
    if not os.access(hook, os.X_OK):
        return [f"the {_HOOK} hook was ignored: it is not executable"]
    if any_is_hook(repository, [change.path for change in plan.written.changes]):
        return [
            f"the {_HOOK} hook was not run, because the patch changes hooks; look at them first"
        ]
    try:
        changed = nul_terminated(change.path for change in plan.completed.changes)
        status = run_hook(repository, hook, feed=changed)
    except OSError as error:
        return [f"the {_HOOK} hook cannot be run: {error.strerror}"]
    except KeyboardInterrupt:
        return [f"the {_HOOK} hook was interrupted; the files are changed all the same"]
    if status:
        return [f"the {_HOOK} hook failed (status {status}); the files are changed all the same"]
    return []
