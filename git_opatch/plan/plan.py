"""The plan of a patch: everything that is decided about it. Values only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from git_opatch.complete import Completed, Conflicts
from git_opatch.git.converted import StoredForms
from git_opatch.git.disk import Stamp
from git_opatch.journal import Record, RecordAction
from git_opatch.model.blob import Change, Entry, WrittenFile
from git_opatch.model.errors import CommitError
from git_opatch.model.failure import Failure
from git_opatch.model.options import Options
from git_opatch.model.patch import FilePatch
from git_opatch.model.placement import Placement
from git_opatch.model.sentences import Notice

if TYPE_CHECKING:
    from git_opatch.complete import PatchSet

_NO_CHANGES = Completed(b"", (), ())


class PlacedHunk(NamedTuple):
    """A hunk's placement, with the section that it belongs to."""

    section: FilePatch
    placement: Placement


class Plan(NamedTuple):
    """What a patch does, or the failures that keep it from being applied.

    It is never changed: each stage makes a new one (`_replace`). Planning gives the
    diff and the failures, preflight what becomes of unstaged changes, and applying the number of
    the record, the commits and further notes.
    """

    completed: Completed = _NO_CHANGES
    placed: tuple[PlacedHunk, ...] = ()
    notes: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()
    skipped: tuple[Failure, ...] = ()
    """Changes that are already applied, and left out (`Options.skip_applied`)."""
    reverses: Record | None = None
    """The journal's entry of the patch that this undoes, or redoes, as `action` says."""
    action: RecordAction = RecordAction.APPLY
    only: tuple[str, ...] = ()
    """The files that it undoes or redoes of a patch that has others; empty for all of it."""
    conflicts: Conflicts | None = None
    """Files to be left unmerged. `failures` name them; `completed` is without them."""
    merged: frozenset[str] = frozenset()
    """The files that were merged, whose hunks were placed in other versions."""
    carried: Completed | None = None
    """The diff for the working tree, where its files have unstaged changes."""
    filtered: StoredForms = StoredForms()
    """How git stores the files under a filter, whose texts are in the diffs."""
    files: tuple[WrittenFile, ...] = ()
    """What becomes of the files of the working tree (`plan.bytes_on_disk`)."""
    settled: Mapping[str, Entry] = {}
    """The entries that unmerged files get in the index, which its undo takes back."""
    flags: Mapping[str, str] = {}
    """The bits that index entries must keep, by path (see `Snapshot.flags`)."""
    stamps: Mapping[str, Stamp] = {}
    """The stamps of the files that were compared with the index (see `Snapshot.stamps`)."""
    is_part: bool = False
    """Whether hunks of the patch were left out on purpose (see `Patch.is_part`)."""
    record: int = 0
    """The number of its journal record once it is applied; 0 if there is none."""
    commits: tuple[str, ...] = ()
    """The ids of the commits that were made of it, oldest first."""
    commit_names: tuple[str, ...] = ()
    """The same ids, abbreviated by git for a person."""

    @property
    def undoes(self) -> int:
        """The number of the patch that this undoes; 0 if none."""
        return self.reverses.patch if self.action is RecordAction.UNDO and self.reverses else 0

    @property
    def redoes(self) -> int:
        """The number of the patch that this redoes; 0 if none."""
        return self.reverses.patch if self.action is RecordAction.REDO and self.reverses else 0

    @property
    def restores(self) -> bool:
        """Whether this brings back what files were before the patch that it reverses."""
        if self.reverses is None:
            return False
        return (self.action is RecordAction.REDO) is (self.reverses.action is RecordAction.UNDO)

    @property
    def index_changes(self) -> tuple[Change, ...]:
        """The changes of `completed` as the index has them."""
        return self.filtered.of(self.completed.changes)

    @property
    def texts(self) -> tuple[Change, ...]:
        """The changes of the texts of files under a filter."""
        paths = self.filtered.paths
        return tuple(change for change in self.completed.changes if change.path in paths)

    @property
    def written(self) -> Completed:
        """The diff for git to write: with the conflicts, if there are any."""
        return self.conflicts.whole if self.conflicts else self.completed

    @property
    def patch_set(self) -> PatchSet:
        """The completed diff as `unidiff.PatchSet`: files, hunks and lines to iterate over."""
        return self.completed.patch_set

    @property
    def is_empty(self) -> bool:
        """Whether nothing is refused and nothing would change."""
        return not self.failures and not self.completed.changes

    def is_refused(self, options: Options) -> bool:
        """Return whether nothing of it may be applied."""
        if not self.failures or self.conflicts:
            return False
        return not (options.partial and (self.completed.changes or options.reject))

    def with_failures(self, failures: Iterable[Failure]) -> Plan:
        """Return the plan with `failures` instead of its own."""
        return self._replace(failures=tuple(failures))

    def attempted(self, options: Options, base: str = "", record: int = 0) -> Plan:
        """Return the plan whose failures know what was attempted (see `Failure.attempted`)."""
        failures, skipped = (
            tuple(failure.attempted(options, base, record) for failure in each)
            for each in (self.failures, self.skipped)
        )
        return self._replace(failures=failures, skipped=skipped)

    def with_notes(self, notes: Iterable[str], *, first: Iterable[str] = ()) -> Plan:
        """Return the plan with `first` before its notes and `notes` after them."""
        return self._replace(notes=(*first, *self.notes, *notes))


class NotCommitted(CommitError):  # noqa: N818 - the patch was applied
    """The patch of `plan` is applied, but git did not commit it.

    `again` is the command that commits it; `is_staged` is whether it is still staged.
    """

    def __init__(
        self, message: str, plan: Plan, again: str = "git commit", *, is_staged: bool = True
    ) -> None:
        super().__init__(message, 1)
        self.plan, self.is_staged = plan, is_staged
        self.advice = [Notice.TO_COMMIT_LATER.fill(command=again)] if is_staged else []
