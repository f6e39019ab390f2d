"""A patch that is sent again: the journal has it, and what it made of its files stands there.

The text alone does not tell of each change whether it was made: a file that a patch deletes is
gone, as one that never was; a hunk that was placed loosely does not say what it became.
"""

from __future__ import annotations

from collections.abc import Sequence

from git_opatch.blob import Change
from git_opatch.journal import Record
from git_opatch.options import Target
from git_opatch.outcome import Failure, Reason, refusal
from git_opatch.patch import FilePatch, Patch
from git_opatch.snapshot import Snapshot


def done_before(
    patch: Patch,
    record: Record,
    snapshot: Snapshot,
    failures: Sequence[Failure],
    target: Target,
) -> list[Failure]:
    """Says of the sections of `patch` that have `failures` which of them are applied already:
    `record`, which is of this patch, says so, and `snapshot` has their files as that left them.

    What went to the index alone is not in the working tree.
    """
    if not record.whole or (record.target is Target.CACHED and target is not Target.CACHED):
        return []
    what = f"is applied already, by record {record.number} of the journal (git opatch log)"
    failed = {(one.source, one.section) for one in failures}
    return [
        refusal(section, Reason.ALREADY_APPLIED, what)
        for section in patch.files
        if (section.source, section.number) in failed and _is_done(section, record, snapshot)
    ]


def without_done(files: Sequence[FilePatch], done: Sequence[Failure]) -> tuple[FilePatch, ...]:
    """`files` without the sections that `done` speaks of."""
    told = {(one.source, one.section) for one in done}
    return tuple(one for one in files if (one.source, one.number) not in told)


def instead(failures: Sequence[Failure], done: Sequence[Failure]) -> list[Failure]:
    """`failures`, of which those of sections that `done` speaks of give way to it."""
    told = {(one.source, one.section) for one in done}
    return [*done, *(one for one in failures if (one.source, one.section) not in told)]


def _is_done(section: FilePatch, record: Record, snapshot: Snapshot) -> bool:
    names = (section.old_path, section.new_path, section.alternate)
    own = [change for change in record.changes if change.path in names]
    return bool(own) and all(_stands(change, snapshot) for change in own)


def _stands(change: Change, snapshot: Snapshot) -> bool:
    there = snapshot.blobs.get(change.path)
    if change.new is not None:
        return there is not None and there.entry == change.new
    occupied = snapshot.tracked | snapshot.folders | snapshot.unmerged | snapshot.intended
    return there is None and change.path not in occupied
