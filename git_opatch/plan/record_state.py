"""Is the change of a recorded patch still there? The journal and the files must agree (D120).

The journal knows what git opatch did last. A reset, a commit, a checkout or an editor may have done
more since: so a record counts as applied as long as its lines are there, where git's diff says that
they are now. Later records tell whose change it is, and what was gone before them (D220). What was
undone stays undone, whoever writes the same lines again (D335).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from enum import Enum
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from git_opatch.git.head import commit_id, is_in_history
from git_opatch.git.history import list_changes, list_parents, renamed_since
from git_opatch.git.index import list_index
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import take_snapshot
from git_opatch.journal import Record, RecordAction
from git_opatch.journal.patch_history import Journal, PatchHistory
from git_opatch.model.blob import Change, Entry, Mode
from git_opatch.model.errors import RepositoryError
from git_opatch.model.failure import LOCATED_IN
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import FilePatch, Prefix
from git_opatch.plan.change_presence import (
    Presence,
    Presences,
    UnreadableVersionError,
    Version,
    changes_of,
)
from git_opatch.plan.plan import Plan
from git_opatch.plan.planner import plan_undo

_UNCLEAR = Entry(Mode.GITLINK, "")
"""Stands for an index entry that no record left so: unmerged, or only intended to be added."""
_MAX_COMMITS = 1000
_MAX_VERSIONS = 20
"""Of a file, in which the commit that made a change is looked for."""


class State(Enum):
    """What became of a patch."""

    APPLIED = "applied"
    COMMITTED = "committed"
    UNDONE = "undone"
    REAPPLIED = "reapplied"
    """It was applied again, as a later record, to which the change belongs now."""
    UNSTAGED = "unstaged"
    """Only the working tree has all of the change any more, not the index."""
    CHANGED = "changed"
    """A part of it is there, or its lines were changed."""
    GONE = "gone"


class RecordState(NamedTuple):
    """The state of a patch; `by` is the record that undid it, or that applied it again."""

    state: State
    by: int = 0
    undone_in: Target | None = None
    """Where `by` undid it, if the state is that of what is left elsewhere."""
    commits: tuple[str, ...] = ()
    """The commits that `--commit` made of it, oldest first."""
    why: str = ""
    """Why it is gone: what a file has, or does not have."""
    is_partly_committed: bool = False
    """Whether `HEAD` has a part of what is applied."""
    to_stage: tuple[str, ...] = ()
    """The files to stage again, if the index has only a part of the change (`UNSTAGED`)."""
    is_left_in_files: bool = False
    """Whether the working tree has a part of what is gone from the index."""


class LoggedRecord(NamedTuple):
    """A record, and what became of it."""

    record: Record
    state: RecordState | None = None
    """That of the patch; None for an undo or a redo of it, and where it cannot be told."""
    reversed_by: int = 0
    """The record that undid or redid just this one; 0 if none."""
    commits: tuple[str, ...] = ()
    """The commits that made the change, oldest first, where it is committed and they are known."""
    commit_names: tuple[str, ...] = ()
    """The same, abbreviated by git for a person."""


class RecordStates:
    """Reads the states of the patches of a journal; it remembers what it read."""

    def __init__(self, journal: Journal, repository: Repository) -> None:
        self._journal = journal
        self._repository = repository
        self._presences = Presences(repository)
        self._entries: dict[str, Entry | None] = {}
        self._trees: dict[str, dict[str, Entry | None]] = {}
        self._histories: dict[str, Set[str]] = {}
        self._files: dict[str, Entry | None] = {}
        self._undone: dict[int, Target | None] = {}
        self._made_since: dict[int, bool] = {}

    def read_ahead(self, histories: Iterable[PatchHistory]) -> None:
        """Read at once what the states of `histories` depend on."""
        known = list(histories)
        paths = {change.path for each in known for r in each.records for change in r.changes}
        self._read_index(sorted(paths))
        self._read_head(sorted(paths))
        undone = (each.application for each in known if each.is_undone_in(Target.WORKTREE))
        committed = [applied for applied in undone if applied and self.is_committed(applied)]
        self._read_files(sorted({path for applied in committed for path in _paths(applied)}))

    def undone_in(self, history: PatchHistory) -> Target | None:
        """Return where the patch is undone, and was not brought back by git; None if nowhere."""
        if history.number not in self._undone:
            undone = (place for place in Target.INDEX.places if self._is_undone(history, place))
            self._undone[history.number] = Target.of(undone)
        return self._undone[history.number]

    def applied_in(self, history: PatchHistory) -> Target | None:
        """Return where the patch was applied, and is not undone; None if nowhere."""
        return history.target.without(self.undone_in(history)) if history.target else None

    def of(self, history: PatchHistory, target: Target | None = None) -> RecordState:
        """Return the state of a patch where it was applied, or in another target.

        If it is undone in a part of that, it is the state of the rest, as long as that is not gone.
        Raises `JournalError` if its diff is damaged, and `RepositoryError`.
        """
        undone = self.undone_in(history)
        if target:
            undone = target.shared_with(undone)
        wanted = target or history.target
        left = wanted.without(undone) if wanted else None
        undos = history.undos(undone)
        if left is not None:
            state = self._where_applied(history, left)
            if not undos or state.by:
                return state
            if state.state is not State.GONE:
                return state._replace(by=undos[0].record.number, undone_in=undone)
        if again := self._applied_anew(history, undos[0].record):
            return RecordState(State.REAPPLIED, again)
        return RecordState(State.UNDONE, undos[0].record.number)

    def _is_undone(self, history: PatchHistory, place: Target) -> bool:
        undo, applied = history.undo_in(place), history.application_in(place)
        return undo is not None and (applied is None or not self._is_back(undo, applied, place))

    def _where_applied(self, history: PatchHistory, target: Target) -> RecordState:
        """Return the state of a patch in a target in which it is not undone."""
        applied = history.application_in(target)
        if applied is None:
            raise AssertionError("what is undone nowhere was applied")
        if not self.is_there(applied, target):
            return self._missing(history, applied, target)
        if again := self._applied_again(history, applied, target):
            return RecordState(State.REAPPLIED, again)
        if applied.commits and is_in_history(self._repository, applied.commits[-1]):
            return RecordState(State.COMMITTED, commits=applied.commits)
        if self.is_committed(applied):
            return RecordState(State.COMMITTED)
        is_part = self.is_partly_committed(applied)
        return RecordState(State.APPLIED, is_partly_committed=is_part)

    def commits_of(self, records: Sequence[Record]) -> dict[int, tuple[str, ...]]:
        """Find the commits that made the changes of `records`, by record, oldest first (D221).

        A commit is named if it has all of the change of a section, and neither the commit before it
        nor `HEAD` before the patch has. All sections must have one.
        """
        found: dict[int, tuple[str, ...]] = {}
        for record in records:
            made = {self._commit_of(record, section) for section in self._sections(record)}
            if made and "" not in made:
                ages = [commit for commit in self._commits if commit in made]
                found[record.number] = tuple(reversed(ages))
        return found

    @cached_property
    def _commits(self) -> Mapping[str, Mapping[str, Change]]:
        """What the newest commits of `HEAD` changed of the paths of the journal, newest first."""
        histories = self._journal.histories
        paths = {path for each in histories for record in each.records for path in _paths(record)}
        commits: dict[str, dict[str, Change]] = {}
        if self._head:
            changes = list_changes(self._repository, sorted(paths), self._head, _MAX_COMMITS)
            for commit, change in changes:
                commits.setdefault(commit, {})[change.path] = change
        return commits

    @cached_property
    def _commits_by_path(self) -> Mapping[str, Sequence[tuple[str, Change]]]:
        """The same by path."""
        found: dict[str, list[tuple[str, Change]]] = {}
        for commit, changes in self._commits.items():
            for path, change in changes.items():
                found.setdefault(path, []).append((commit, change))
        return found

    def _commit_of(self, record: Record, section: FilePatch) -> str:
        """Return the newest commit that made the change of a section; empty if it is not known."""
        made = {
            next(
                (
                    commit
                    for commit, change in self._commits_by_path.get(path, [])[:_MAX_VERSIONS]
                    if self._makes(record, section, change)
                ),
                "",
            )
            for path in _paths_of(record, section)
        }
        commit = made.pop() if len(made) == 1 else ""
        return commit if commit and self._is_new_in(commit, record, section) else ""

    def _is_new_in(self, commit: str, record: Record, section: FilePatch) -> bool:
        """Return whether `commit` came after a patch, with a section that `HEAD` did not have."""
        if self._is_before(commit, record):
            return False
        head = self._head_before(record)
        if head and head not in self._history_of(self._head):  # amended or rebased since
            with suppress(UnreadableVersionError):
                then = self._read_tree(head, _paths(record))
                had = self._presences.of_section(record, section, then, {})
                return had is not Presence.THERE
        return True

    def _is_before(self, commit: str, record: Record) -> bool:
        """Return whether `commit` was in the history when the patch of `record` was applied."""
        head = self._head_before(record)
        return commit == head or (bool(head) and commit in self._history_of(head))

    def _history_of(self, tip: str) -> Set[str]:
        """Return the ids of a commit and of those before it, as far as they were read."""
        if tip not in self._histories:
            self._histories[tip] = found = {tip}
            left = [tip]
            while left:
                parents = set(self._parents.get(left.pop(), ())) - found
                found |= parents
                left += parents
        return self._histories[tip]

    @cached_property
    def _parents(self) -> Mapping[str, Sequence[str]]:
        """The parents of the newest commits of `HEAD` and of its places when patches were
        applied."""
        heads = {record.head for each in self._journal.histories for record in each.records}
        return list_parents(self._repository, sorted({self._head, *heads} - {""}), 2 * _MAX_COMMITS)

    @cached_property
    def _head(self) -> str:
        return commit_id(self._repository, "HEAD")

    def _head_before(self, record: Record) -> str:
        """Return the commit of `HEAD` when the patch was applied first; empty if not known."""
        history = self._journal.find(record.patch)
        records = history.records if history else ()
        return next((each.head for each in records if each.number == record.patch), "")

    def _makes(self, record: Record, section: FilePatch, change: Change) -> bool:
        """Return whether `change` of one path, by a commit, makes the change of a section."""
        before, after = (
            self._path_presence(record, section, change.path, entry)
            for entry in (change.old, change.new)
        )
        return after is Presence.THERE is not before

    def _path_presence(
        self, record: Record, section: FilePatch, path: str, entry: Entry | None
    ) -> Presence:
        """How much of a section is there where one of its paths has `entry`."""
        others = {change.path: change.new for change in changes_of(record, section)}
        with suppress(UnreadableVersionError):
            return self._presences.of_section(record, section, {**others, path: entry}, {})
        return Presence.CHANGED

    def _is_back(self, undo: Record, applied: Record, place: Target) -> bool:
        """Return whether git brought back a patch that was committed before it was undone (D335).

        `HEAD` has its change, and no commit since the undo made it.
        """
        if not self.is_committed(applied):
            return False
        if self.is_there(undo, place) or not self.is_there(applied, place):
            return False
        if undo.number not in self._made_since:
            self._made_since[undo.number] = self._is_made_since(undo, applied)
        return not self._made_since[undo.number]

    def _is_made_since(self, undo: Record, applied: Record) -> bool:
        """Return whether a commit since `undo` made the change of `applied`, or may have."""
        if undo.head and commit_id(self._repository, undo.head) != undo.head:
            return True
        since = f"{undo.head}..HEAD" if undo.head else "HEAD"
        changes = list_changes(self._repository, _paths(applied), since, _MAX_COMMITS)
        sections = self._sections(applied)
        return any(
            self._makes(applied, section, change)
            for _, change in changes
            for section in sections
            if change.path in _paths_of(applied, section)
        )

    def unstaged(self, paths: Sequence[str], *, tracked: bool = False) -> str:
        """Return the first of `paths` that has unstaged changes; empty if none has.

        A file that is not tracked has, unless only those that are `tracked` are meant.
        """
        index = self._read_index(paths)
        return next((each for each in self._different(paths) if index[each] or not tracked), "")

    def _different(self, paths: Sequence[str]) -> Iterator[str]:
        """Yield the paths of which the index and the working tree are not the same."""
        files, index = self._read_files(paths), self._read_index(paths)
        return (path for path in paths if files[path] != index[path])

    def are_staged(self, paths: Sequence[str]) -> bool:
        """Return whether the index has something else than `HEAD` at each of `paths`."""
        index, head = self._read_index(paths), self._read_head(paths)
        return all(index[path] != head[path] for path in paths)

    def is_committed(self, record: Record) -> bool:
        """Return whether all of the change of `record` is in `HEAD`, and came after it (D456)."""
        return self._is_in_head(record) and not self._was_in_head(record)

    def is_older(self, record: Record) -> bool:
        """Return whether all of the change of `record` is in `HEAD`, and was there before it."""
        return self._is_in_head(record) and self._was_in_head(record)

    def _was_in_head(self, record: Record) -> bool:
        """Return whether `HEAD` had the change of `record`, and no commit after the patch made
        it."""
        if self._is_before(self._head, record):
            return True
        sections = self._sections(record)
        if any(self._commit_of(record, section) for section in sections):
            return False
        then = self._read_tree(self._head_before(record), _paths(record))
        with suppress(UnreadableVersionError):
            parts = [self._presences.of_section(record, each, then, {}) for each in sections]
            return Presence.of_all(parts) is Presence.THERE
        return False

    def _is_in_head(self, record: Record) -> bool:
        return self._presence(record, self._head_of(record), base="HEAD") is Presence.THERE

    def _head_of(self, record: Record) -> Mapping[str, Entry | None]:
        """What `HEAD` has of the files of `record`; under another name, if they are renamed back.

        Only a file that was there before the patch can have one that the patch does not say.
        """
        head = self._read_head(_paths(record))
        lost = [path for path, old, _ in record.changes if old is not None and head[path] is None]
        index = self._read_index(lost)
        if not any(index[path] for path in lost):
            return head
        names = {now: then for then, now in self._renamed_in_index.items() if now in lost}
        moved = self._read_head(list(names.values()))
        return {**head, **{now: moved[then] for now, then in names.items()}}

    @cached_property
    def _renamed_in_index(self) -> Mapping[str, str]:
        return renamed_since(self._repository, "HEAD")

    def is_partly_committed(self, record: Record) -> bool:
        """Return whether `HEAD` has a part of its change that it did not have before it, as far as
        is known."""
        if self._is_before(self._head, record):
            return False
        head = self._head_of(record)
        for section in self._sections(record):
            with suppress(UnreadableVersionError):
                now = self._presences.of_parts(record, section, head, {})
                if Presence.THERE not in now:
                    continue
                then = self._read_tree(self._head_before(record), _paths(record))
                before = self._presences.of_parts(record, section, then, {})
                parts = max(len(now), len(before))  # one that stands for all is that of each
                pairs = zip(now * (parts // len(now)), before * (parts // len(before)), strict=True)
                if any(has is Presence.THERE is not had for has, had in pairs):
                    return True
        return False

    def is_there(
        self,
        record: Record,
        target: Target | None = None,
        renamed: Mapping[str, str] = MappingProxyType({}),
    ) -> bool:
        """Return whether all of the change of `record` is in its target, or in another one.

        `renamed` are the paths where files are now, by those that the record has.
        """
        read = self._read(target or record.target, [*_paths(record), *renamed.values()])
        back = dict.fromkeys(new for new in renamed.values() if new in _paths(record))
        version = {**read, **back, **{old: read[new] for old, new in renamed.items()}}
        return self._presence(record, version, target) is Presence.THERE

    def is_gone_from_file(self, record: Record, path: str) -> bool:
        """Return whether the working tree's file is as before `record`, all of its hunks."""
        with suppress(UnreadableVersionError):
            version, head = self._read_files(_paths(record)), self._read_head(_paths(record))
            parts = [
                self._presences.of_section(record, section, version, head)
                for section in self._sections(record)
                if path in _paths_of(record, section)
            ]
            return Presence.of_all(parts) is Presence.GONE
        return False

    def changed_by(self, record: Record, path: str, target: Target) -> PatchHistory | None:
        """Return the last patch over what `record` left at `path`, without which that is there.

        That is, with the next line on each side. A patch of the file counts if that is not known.
        """
        for history in self._journal.applied():
            later = history.application_in(target)
            if later is None or later.number <= record.number or history.number == record.patch:
                continue
            changes = {change.path: change for change in later.changes}
            if path in changes and self.of(history).state in (State.APPLIED, State.COMMITTED):
                found, left = _sides(changes)
                with suppress(UnreadableVersionError):
                    if not self._fits(record, path, found) or self._fits(record, path, left):
                        continue
                return history
        return None

    def needed_by(self, record: Record, path: str, target: Target) -> PatchHistory | None:
        """Return the earlier patch that is undone, and whose change of `path` a redo needs.

        `record` is the undo that is to be redone.
        """
        for history in self._journal.undone():
            earlier = history.application_in(target)
            if earlier is None or history.number >= record.patch:
                continue
            changes = {change.path: change for change in earlier.changes}
            if path in changes and history.is_undone_in(target):
                found, left = _sides(changes)
                with suppress(UnreadableVersionError):
                    if self._fits(record, path, left) and not self._fits(record, path, found):
                        return history
        return None

    def _fits(self, record: Record, path: str, version: Version) -> bool:
        """Return whether `version` has what `record` left at `path`. Raises as `Presences.fits`."""
        sections = [each for each in self._sections(record) if path in _paths_of(record, each)]
        return all(self._presences.fits(record, each, version) for each in sections)

    def _presence(
        self,
        record: Record,
        version: Version,
        target: Target | None = None,
        base: str | None = None,
    ) -> Presence:
        """How much of the change of `record` is in `version`, that of a target or of a `base`."""
        if all(version.get(path) == new for path, _, new in record.changes):
            return Presence.THERE
        try:
            head = self._read_head(_paths(record))
            parts = [self._part(record, each, version, head) for each in self._sections(record)]
        except UnreadableVersionError:
            return self._located(record, version, target or record.target, base)
        return Presence.of_all(parts)

    def _part(
        self, record: Record, section: FilePatch, version: Version, head: Version
    ) -> Presence:
        """How much of a section is there; what a later patch found gone, and is not there, is."""
        part = self._presences.of_section(record, section, version, head)
        if part is Presence.CHANGED and any(
            self._presences.of_section(record, section, {p: c.old for p, c in later.items()}, {})
            is Presence.GONE
            for _, later in self._later_changes(record, section)
        ):
            return Presence.GONE
        return part

    def _was_overwritten(self, record: Record, version: Version) -> bool:
        """Return whether a change that `version` does not have was made, and then changed (D345).

        What `HEAD` has in its place may come from a commit, or from a later patch. If the lines
        from before the patch are back, or the history does not have the change, it is gone.
        """
        sections = self._sections(record)
        left = {
            path: new for path, _, new in record.changes
        }  # instead of HEAD: so that only the earlier lines count as gone
        with suppress(UnreadableVersionError, RepositoryError):
            parts = [self._part(record, each, version, left) for each in sections]
            if any(part is not Presence.GONE for part in parts):
                by_patch = any(self._is_overwritten_by_patch(record, each) for each in sections)
                return by_patch or record.number in self.commits_of([record])
        return False

    def _is_overwritten_by_patch(self, record: Record, section: FilePatch) -> bool:
        """Return whether a later patch, which is there, found a section there and changed it."""
        for later, changes in self._later_changes(record, section):
            found, left = _sides(changes)
            was, remains = (
                self._presences.of_section(record, section, each, {}) for each in (found, left)
            )
            if was is Presence.THERE is not remains and self.is_there(later):
                return True
        return False

    def _later_changes(
        self, record: Record, section: FilePatch
    ) -> Iterator[tuple[Record, dict[str, Change]]]:
        """Yield the later records that changed all paths of a section, and how, by path."""
        paths = set(_paths_of(record, section))
        for history in self._journal.histories:
            for later in history.records if history.number != record.patch else ():
                if later.number > record.number and later.target is record.target:
                    changes = {each.path: each for each in later.changes if each.path in paths}
                    if changes.keys() == paths:
                        yield later, changes

    def _located(
        self, record: Record, version: Version, target: Target, base: str | None
    ) -> Presence:
        """How much is there where git does not have what the record left: by its lines alone.

        What can be undone of it is there.
        """
        target = Target.CACHED if base else target
        plan = Plan()
        with suppress(RepositoryError):  # no HEAD yet
            options = Options(target, reverse=True, base=base, partial=True)
            plan = plan_undo(record, self._repository, options)[0]
            if not plan.failures:
                return Presence.THERE
        if plan.completed.changes:
            return Presence.CHANGED
        gone = all(failure.already_applied for failure in plan.failures)
        head = self._read_head(_paths(record))
        as_head = all(version.get(path) == head.get(path) for path in _paths(record))
        gone = gone or (as_head and not self._has_run(record, version))
        return Presence.GONE if gone else Presence.CHANGED

    def _has_run(self, record: Record, version: Version) -> bool:
        """Return whether a run of changed lines of `record` is in `version`, beside others."""
        with suppress(UnreadableVersionError):
            for section in self._sections(record):
                entry = version.get(section.old_path or "")
                if entry is not None and self._presences.has_run(section, entry):
                    return True
        return False

    def _sections(self, record: Record) -> Sequence[FilePatch]:
        return self._presences.sections(record)

    def _missing(self, history: PatchHistory, record: Record, target: Target) -> RecordState:
        """Tell a change that is gone from one that was changed."""
        version = self._read(target, _paths(record))
        if target is Target.INDEX and self._is_unstaged(record):
            if again := self._applied_again(history, record, Target.WORKTREE):
                return RecordState(State.REAPPLIED, again)
            is_part = self._presence(record, version, target) is not Presence.GONE
            to_stage = tuple(self._different(_paths(record))) if is_part else ()
            return RecordState(State.UNSTAGED, to_stage=to_stage)
        is_gone = self._presence(record, version, target) is Presence.GONE
        if not is_gone or self._was_overwritten(record, version):
            return RecordState(State.CHANGED)
        return self._gone(record, target, version)

    def _gone(self, record: Record, target: Target, version: Version) -> RecordState:
        """Say why a change is gone from `target`, and whether the working tree has a part of it."""
        different = [change for change in record.changes if version[change.path] != change.new]
        changes = different or record.changes
        other = self._read(Target.INDEX.without(target) or Target.WORKTREE, _paths(record))
        is_same = all(other[change.path] == version[change.path] for change in changes)
        paths = {change.path for change in changes}
        sections = self._sections(record)  # a moved file has two paths
        files = sum(not paths.isdisjoint(_paths_of(record, section)) for section in sections)
        why = _describe(changes[0], version, "" if is_same else LOCATED_IN[target], files)
        is_left = target is Target.INDEX and self._has_part(record, other)
        return RecordState(State.GONE, why=why, is_left_in_files=is_left)

    def _has_part(self, record: Record, version: Version) -> bool:
        """Return whether a part of the change of `record` is in `version`, as far as is known."""
        with suppress(UnreadableVersionError):
            return any(
                Presence.THERE in self._presences.of_parts(record, section, version, {})
                for section in self._sections(record)
            )
        return False

    def _is_unstaged(self, record: Record) -> bool:
        return bool(self.unstaged(_paths(record))) and self.is_there(record, Target.WORKTREE)

    def _applied_again(self, history: PatchHistory, applied: Record, target: Target) -> int:
        """Return the later patch that made the same change in `target` again, if it is applied.

        That is the very same patch, or one that found the change gone, and left it there; 0 if
        there is none.
        """
        digest = _digest(history)
        for other in self._journal.applied():
            again = other.application_in(target)
            if again is None or again.number <= applied.number:
                continue
            if other.number == history.number or target.without(other.applied) is not None:
                continue
            is_text = bool(digest) and _digest(other) == digest
            same = is_text and not self._was_there(again, applied)
            if (same or self._brought(again, applied)) and self.is_there(again, target):
                return other.number
        return 0

    def _applied_anew(self, history: PatchHistory, undo: Record) -> int:
        """Return the record by which an undone patch was applied once more, if it still is."""
        digest = _digest(history)
        for other in self._journal.applied() if digest else ():
            again = other.application
            if again is None or again.number <= undo.number:
                break
            if other.number == history.number or _digest(other) != digest:
                continue
            if self.is_there(again, other.applied):
                return other.number
        return 0

    def _was_there(self, later: Record, applied: Record) -> bool:
        """Return whether `later` found all of the change of `applied`, and so made another."""
        found, _ = _sides({change.path: change for change in later.changes})
        with suppress(UnreadableVersionError):
            return all(
                self._presences.of_section(applied, section, found, {}) is Presence.THERE
                for section in self._sections(applied)
            )
        return False

    def _brought(self, later: Record, applied: Record) -> bool:
        """Return whether `later` found all that it shares with `applied` gone, and left it
        there."""
        changes = {change.path: change for change in later.changes}
        sections = self._sections(applied)
        if not all(changes.keys() >= set(_paths_of(applied, each)) for each in sections):
            return False
        if not self._changed_lines(applied) <= self._changed_lines(later):
            return False  # known without a diff of what it found
        found, left = _sides(changes)
        with suppress(UnreadableVersionError):
            return all(
                self._presences.of_section(applied, section, found, {}) is Presence.GONE
                and self._presences.of_section(applied, section, left, {}) is Presence.THERE
                for section in sections
            )
        return False

    def _changed_lines(self, record: Record) -> set[bytes]:
        """The lines that `record` added or removed, anywhere."""
        return {
            line.text
            for section in self._sections(record)
            for hunk in section.hunks
            for line in hunk.lines
            if line.prefix is not Prefix.CONTEXT
        }

    def _read(self, target: Target, paths: Sequence[str]) -> dict[str, Entry | None]:
        return (self._read_files if target is Target.WORKTREE else self._read_index)(paths)

    def _read_files(self, paths: Sequence[str]) -> dict[str, Entry | None]:
        unread = [path for path in paths if path not in self._files]
        self._files |= dict.fromkeys(unread)
        if unread:
            blobs = take_snapshot(self._repository, unread, Options(Target.WORKTREE)).blobs
            self._presences.add_blobs(blobs.values())
            self._files |= {path: blobs[path].entry for path in unread if path in blobs}
        return self._files

    def _read_index(self, paths: Sequence[str]) -> dict[str, Entry | None]:
        unread = [path for path in paths if path not in self._entries]
        self._entries |= dict.fromkeys(unread)
        wanted = set(unread)
        for entry in list_index(self._repository, unread, []):
            if entry.path in wanted:
                clear = entry.stage == 0 and entry.tag != "A"
                self._entries[entry.path] = entry.entry if clear else _UNCLEAR
        return self._entries

    def _read_head(self, paths: Sequence[str]) -> dict[str, Entry | None]:
        return self._read_tree("HEAD", paths)

    def _read_tree(self, commit: str, paths: Sequence[str]) -> dict[str, Entry | None]:
        tree = self._trees.setdefault(commit, {})
        unread = [path for path in paths if path not in tree]
        tree |= dict.fromkeys(unread)
        if unread:
            with suppress(RepositoryError):  # no such commit, as before the first
                tree |= self._repository.list_tree(commit, unread)
        return tree


def _paths(record: Record) -> list[str]:
    return [change.path for change in record.changes]


def _paths_of(record: Record, section: FilePatch) -> list[str]:
    return [change.path for change in changes_of(record, section)]


def _sides(changes: Mapping[str, Change]) -> tuple[Version, Version]:
    """Return the versions that changes found, and those that they left."""
    found = {path: change.old for path, change in changes.items()}
    return found, {path: change.new for path, change in changes.items()}


def _digest(history: PatchHistory) -> str:
    first = history.records[0]
    return first.digest if first.action is RecordAction.APPLY else ""


def _describe(change: Change, version: Version, place: str, files: int) -> str:
    """Say what the first of so many files has, or does not have; in `place`, if not everywhere."""
    path, _, new = change
    if new is None:
        what = f"{path} is in {place} again" if place else f"{path} exists again"
    elif version[path] is not None:
        what = f"{path} does not contain its lines" + (f" in {place}" if place else "")
    else:
        what = f"{path} is not in {place}" if place else f"{path} does not exist"
    more = files - 1
    return f"{what} (and {more} more file{'s' * (more > 1)})" if more > 0 else what
