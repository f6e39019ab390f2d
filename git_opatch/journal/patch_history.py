"""What became of each recorded patch: applied, undone, redone (D120).

The records of one patch form a chain: the patch itself, an undo, a redo, an undo, and so on. Each
is about the index, the working tree, or both, and the last one about a place is what git opatch did
there last (D452). Whether that still holds, after a reset, a commit or a checkout, only the files
can tell: see `plan.record_state`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from git_opatch.journal import Record, RecordAction, entries, mentions
from git_opatch.model.blob import Change
from git_opatch.model.errors import JournalError
from git_opatch.model.options import Target


class Step(NamedTuple):
    """A record, and the places of which it is the one that counts."""

    record: Record
    target: Target


class LastChange(NamedTuple):
    """The last change of a path, the record that made it, and where its patch is applied."""

    change: Change
    record: Record
    target: Target


class PatchHistory(NamedTuple):
    """The records of one patch, oldest first. Some may be missing, as the journal is limited."""

    number: int
    """By which the patch is named: the number of its own record."""
    records: tuple[Record, ...]

    @property
    def target(self) -> Target | None:
        """Where the patch was ever applied; None if the journal does not have that any more."""
        return Target.of(place for each in self._applications for place in each.target.places)

    @property
    def undone(self) -> Target | None:
        """Where an undo is what was done to the patch last; None if nowhere."""
        return Target.of(place for place in Target.INDEX.places if self.undo_in(place))

    def is_undone_in(self, target: Target) -> bool:
        """Return whether the patch is undone in a part of `target`."""
        return self.undone is not None and self.undone.overlaps(target)

    @property
    def applied(self) -> Target | None:
        """Where the patch was applied, and not undone after that; None if nowhere."""
        return self.target.without(self.undone) if self.target else None

    @property
    def application(self) -> Record | None:
        """The last record that applied the patch; None if the journal does not have it any more."""
        return self.application_in(Target.INDEX)

    def application_in(self, target: Target) -> Record | None:
        """Return the last record that applied the patch in a part of `target`, else anywhere."""
        last = self._applications[::-1]
        there = [each for each in last if each.target.overlaps(target)]
        return next(iter(there or last), None)

    def undo_in(self, target: Target) -> Record | None:
        """Return the last record about a part of `target`, if that is an undo."""
        about = [each for each in self.records if each.target.overlaps(target)]
        return about[-1] if about and about[-1].action is RecordAction.UNDO else None

    def applications(self, target: Target | None) -> list[Step]:
        """List what applied the patch last in each place of `target`; the last first."""
        return _steps(target, self.application_in)

    def undos(self, target: Target | None) -> list[Step]:
        """List what undid the patch last in each place of `target`; the last first."""
        return _steps(target, self.undo_in)

    def after(self, record: Record) -> int:
        """Return the number of the record since which `record` counts nowhere; 0 if it does."""
        later = [
            next((each.number for each in self.records if _replaces(each, record, place)), 0)
            for place in record.target.places
        ]
        return max(later) if all(later) else 0

    @property
    def _applications(self) -> list[Record]:
        return [each for each in self.records if each.action is not RecordAction.UNDO]


def _replaces(later: Record, record: Record, place: Target) -> bool:
    return later.number > record.number and later.target.overlaps(place)


def _steps(target: Target | None, find: Callable[[Target], Record | None]) -> list[Step]:
    places = target.places if target else ()
    found = [Step(record, place) for place in places if (record := find(place))]
    if target and len({step.record.number for step in found}) == 1:
        return [Step(found[0].record, target)]
    return sorted(found, key=lambda step: step.record.number, reverse=True)


class Journal(NamedTuple):
    """The histories of all patches, and the records that cannot be read, newest first."""

    histories: tuple[PatchHistory, ...]
    unreadable: tuple[tuple[int, JournalError], ...]

    def find(self, number: int) -> PatchHistory | None:
        """Return the history that has the record with this number, or had it."""
        for history in self.histories:
            if number == history.number or any(number == each.number for each in history.records):
                return history
        return None

    def applied(self) -> list[PatchHistory]:
        """The patches that were not undone everywhere by git opatch; applied last, first."""
        return [history for history in self.applications() if history.applied]

    def applications(self) -> list[PatchHistory]:
        """All patches that have an application; applied last, first."""
        numbered = [
            (application.number, history)
            for history in self.histories
            if (application := history.application)
        ]
        return [history for _, history in sorted(numbered, key=lambda pair: pair[0], reverse=True)]

    def undone(self) -> list[PatchHistory]:
        """The patches that were undone somewhere, and not redone; undone last, first."""
        numbered = [
            (undo.record.number, history)
            for history in self.histories
            for undo in history.undos(history.undone)[:1]
        ]
        return [history for _, history in sorted(numbered, key=lambda pair: pair[0], reverse=True)]

    @property
    def last_new(self) -> int:
        """The number of the last record of a new patch; 0 if there is none."""
        records = (record for history in self.histories for record in history.records)
        new = (each.number for each in records if each.action is RecordAction.APPLY)
        return max(new, default=0)


def read_journal(home: Path) -> Journal:
    """Read all records, and sort them by patch."""
    found = list(entries(home))
    readable = [entry for _, entry in found if isinstance(entry, Record)]
    errors = [(number, entry) for number, entry in found if isinstance(entry, JournalError)]
    return Journal(tuple(_histories(readable[::-1])), tuple(errors))


def _histories(records: Sequence[Record]) -> Iterable[PatchHistory]:
    """Sort `records`, which are oldest first, by patch."""
    known: dict[int, Record] = {}
    chains: dict[int, list[Record]] = {}
    for read in records:
        record = _with_origin(read, known.get(read.reverses))
        known[record.number] = record
        chains.setdefault(record.patch, []).append(record)
    return [PatchHistory(number, tuple(chain)) for number, chain in chains.items()]


def _with_origin(record: Record, reversed_record: Record | None) -> Record:
    """Complete a record that was written before there were `action` and `origin`.

    Such a record only has the number that it undoes, also where that is itself an undo.
    """
    if reversed_record is None or reversed_record.action is RecordAction.APPLY:
        return record
    return record._replace(action=opposite(reversed_record), origin=reversed_record.patch)


def opposite(record: Record) -> RecordAction:
    """Return what it is to apply the diff of `record` in reverse."""
    return RecordAction.REDO if record.action is RecordAction.UNDO else RecordAction.UNDO


def find_applied(
    home: Path, digest: str, paths: Collection[str], target: Target, *, of_part: bool = False
) -> Record | None:
    """Return the newest record of the patch with this digest on these paths, if it is applied.

    With `of_part`, they are those of a part of it. It must not be undone in any part of `target`.
    Records that cannot be read are skipped.
    """
    if not digest or not mentions(home, digest):
        return None
    applied = [each for each in read_journal(home).applications() if not each.is_undone_in(target)]
    history = _newest_of(applied, digest, paths, of_part=of_part)
    application = history.application_in(target) if history else None
    if history is None or application is None:
        return None
    return application._replace(whole=history.records[0].whole)


def find_undone(home: Path, digest: str, paths: Collection[str], target: Target) -> Record | None:
    """Return the undo of the patch with this digest on these paths, if `target` has one."""
    if not digest or not mentions(home, digest):
        return None
    undone = [each for each in read_journal(home).undone() if each.is_undone_in(target)]
    history = _newest_of(undone, digest, paths)
    steps = history.undos(history.undone) if history else ()
    return next((step.record for step in steps if step.target.overlaps(target)), None)


def last_changes(home: Path, paths: Collection[str], target: Target) -> list[LastChange]:
    """Return the last change of each of `paths` that the journal has.

    Patches that are undone in any part of `target` do not count.
    """
    found: dict[str, LastChange] = {}
    for history in read_journal(home).applied():
        record = history.application_in(target)
        if history.applied is None or record is None or history.is_undone_in(target):
            continue
        for change in record.changes:
            if change.path in paths:
                found.setdefault(change.path, LastChange(change, record, history.applied))
    return [*found.values()]


def _newest_of(
    histories: Iterable[PatchHistory],
    digest: str,
    paths: Collection[str],
    *,
    of_part: bool = False,
) -> PatchHistory | None:
    for history in histories:
        first = history.records[0]
        same = first.digest == digest and first.action is RecordAction.APPLY
        changed = {change.path for change in first.changes}
        if same and (changed & set(paths) if of_part else changed <= set(paths)):
            return history
    return None
