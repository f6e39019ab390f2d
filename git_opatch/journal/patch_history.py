"""What became of each recorded patch: applied, undone, redone (D120).

The records of one patch form a chain: the patch itself, an undo, a redo, an undo, and so on. The
last of them is what git opatch did to it last. Whether that still holds, after a reset, a commit or
a checkout, only the files can tell: see `plan.record_state`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from git_opatch.journal import Record, RecordAction, entries
from git_opatch.model.errors import JournalError
from git_opatch.model.options import Target


class PatchHistory(NamedTuple):
    """The records of one patch, oldest first. Some may be missing, as the journal is limited."""

    number: int
    """By which the patch is named: the number of its own record."""
    records: tuple[Record, ...]

    @property
    def last(self) -> Record:
        """What was done to the patch last."""
        return self.records[-1]

    @property
    def undo(self) -> Record | None:
        """The undo, if that is what was done last."""
        return self.last if self.last.action is RecordAction.UNDO else None

    @property
    def application(self) -> Record | None:
        """The last record that applied the patch; None if the journal does not have it any more."""
        applied = [record for record in self.records if record.action is not RecordAction.UNDO]
        return applied[-1] if applied else None

    def is_undone_in(self, target: Target) -> bool:
        """Return whether the patch was undone in all or a part of `target` since it was applied."""
        applied = self.application
        undos = [each for each in self.records if applied is None or each.number > applied.number]
        return any(target.overlaps(each.target) for each in undos)

    def after(self, number: int) -> Record | None:
        """Return the last record that reversed the record with this number, if there is one."""
        return next((each for each in self.records[::-1] if each.reverses == number), None)


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
        """The patches that were not undone, or not by git opatch; applied last, first."""
        return [history for history in self._by_application() if history.undo is None]

    def undo_order(self) -> list[PatchHistory]:
        """All patches that have an application to undo; applied last, first."""
        return self._by_application()

    def redo_order(self) -> list[PatchHistory]:
        """The patches that were undone after the last new patch was applied; undone last, first."""
        new = max(
            (each.number for each in self._records() if each.action is RecordAction.APPLY),
            default=0,
        )
        return [history for history in self.undone() if history.last.number > new]

    def undone(self) -> list[PatchHistory]:
        """The patches that were undone, and not redone; undone last, first."""
        undone = [history for history in self.histories if history.undo is not None]
        return sorted(undone, key=lambda history: history.last.number, reverse=True)

    def _by_application(self) -> list[PatchHistory]:
        numbered = [
            (applied.number, history)
            for history in self.histories
            if (applied := history.application) is not None
        ]
        return [history for _, history in sorted(numbered, key=lambda pair: pair[0], reverse=True)]

    def _records(self) -> Iterable[Record]:
        return (record for history in self.histories for record in history.records)


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


def find_applied(home: Path, digest: str, paths: Collection[str]) -> Record | None:
    """Return the newest record of the patch with this digest on these paths, if it is not undone.

    Records that cannot be read are skipped.
    """
    history = _newest_of(read_journal(home).applied(), digest, paths) if digest else None
    if history is None or history.application is None:
        return None
    return history.application._replace(whole=history.records[0].whole)


def find_undone(home: Path, digest: str, paths: Collection[str]) -> Record | None:
    """Return the undo of the patch with this digest on these paths, if that was undone last."""
    history = _newest_of(read_journal(home).undone(), digest, paths) if digest else None
    return history.undo if history else None


def _newest_of(
    histories: Iterable[PatchHistory], digest: str, paths: Collection[str]
) -> PatchHistory | None:
    for history in histories:
        first = history.records[0]
        same = first.digest == digest and first.action is RecordAction.APPLY
        if same and {change.path for change in first.changes} <= set(paths):
            return history
    return None
