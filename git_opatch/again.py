"""A patch that is sent again: the journal has it, and what it made of its files stands there.

The text alone does not tell of each change whether it was made: a file that a patch deletes is
gone, as one that never was; a hunk that was placed loosely does not say what it became.
"""

from __future__ import annotations

from collections.abc import Sequence

from git_opatch.blob import Change
from git_opatch.journal import Record
from git_opatch.outcome import Failure, Reason, refusal
from git_opatch.patch import FilePatch, Patch
from git_opatch.plan import Plan
from git_opatch.snapshot import Snapshot

_FORBIDDEN = {Reason.NOT_ALLOWED, Reason.DENIED, Reason.STALE, Reason.UNSAFE_PATH}


def done_before(patch: Patch, record: Record, snapshot: Snapshot, plan: Plan) -> list[Failure]:
    """Says of sections of `patch`, which has this `plan`, that they are applied already: `record`
    is of this very patch, and `snapshot` has their files as that left them.

    A record of a part speaks for nothing; and what is forbidden is said first.
    """
    if not record.whole or any(one.reason in _FORBIDDEN for one in plan.failures):
        return []
    what = f"is already applied, by record {record.number} of the journal (git opatch log)"
    return [
        refusal(section, Reason.ALREADY_APPLIED, what)
        for section in patch.files
        if _is_done(section, record, snapshot)
    ]


def without_done(files: Sequence[FilePatch], done: Sequence[Failure]) -> tuple[FilePatch, ...]:
    """`files` without the sections that `done` speaks of."""
    told = set(map(_section, done))
    return tuple(one for one in files if (one.source, one.number) not in told)


def instead(failures: Sequence[Failure], done: Sequence[Failure]) -> list[Failure]:
    """`failures`, and of each section what `done` says if they do not say the same of its hunks."""
    unsure = {_section(one) for one in failures if not one.is_done}
    sure = set(map(_section, failures)) - unsure
    told = [one for one in done if _section(one) not in sure]
    instead_of = set(map(_section, told))
    return [*told, *(one for one in failures if _section(one) not in instead_of)]


def _section(failure: Failure) -> tuple[str, int]:
    """The patch file and the line in it where the section begins."""
    return failure.source, failure.section


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
