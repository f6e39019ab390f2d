"""Preflight checks: does the working tree match what the plan assumes?

Files with unstaged changes stay so by `--carry` (D10): the patch is planned for the index, and what
it does there is merged into the working tree's files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from git_opatch.complete import Completed, complete_results
from git_opatch.complete.tree import FileContent, Result
from git_opatch.git import index
from git_opatch.git.pathspec import ignored_paths
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot, take_snapshot
from git_opatch.model.blob import Blob, Change, ChangedFile, Entry
from git_opatch.model.failure import Failure, Refused
from git_opatch.model.options import Options, Target, ThreeWay
from git_opatch.model.patch import Patch
from git_opatch.model.paths import is_attributes_file
from git_opatch.model.sentences import Fault
from git_opatch.model.text import visible
from git_opatch.plan.bytes_on_disk import with_bytes_on_disk
from git_opatch.plan.filtered_files import with_stored_forms
from git_opatch.plan.merge import complete_merge, merge_files
from git_opatch.plan.plan import Plan
from git_opatch.plan.policy import refuse_losses
from git_opatch.transaction.guard import guard


def preflight(plan: Plan, snapshot: Snapshot, repository: Repository, options: Options) -> Plan:
    """Check that a plan can be carried out, and complete it with what that takes.

    Adds the diff for files with unstaged changes, and the index bits to keep. Raises `Refused`.
    """
    if plan.is_refused(options):
        raise Refused(plan.failures, options)
    changes = plan.written.changes
    unstaged = _unstaged_files(plan, snapshot, options)
    outside = _outside_sparse_checkout(changes, repository, options)
    obstacles: list[Failure] = []
    if options.target is Target.INDEX:
        obstacles += _not_checked_out(plan, snapshot, outside)
    if unstaged and not options.carry:
        is_merge = options.three_way is ThreeWay.MERGE
        fault = Fault.UNSTAGED_MERGE if is_merge else Fault.UNSTAGED
        obstacles += [Failure(fault, path) for path in unstaged]
    if changes and not obstacles:
        top, has_links = repository.require_worktree(), repository.has_links()
        obstacles = guard(top, changes, options.target, has_links=has_links)
    obstacles = obstacles or refuse_losses(plan, repository, options)
    if obstacles:
        raise Refused([*plan.failures, *obstacles], options)
    flags = {**snapshot.flags, **dict.fromkeys(outside, "S")}
    plan = plan._replace(flags=flags, stamps=snapshot.stamps)
    if unstaged:
        carried = plan_carried(plan, unstaged, repository, options)
        notes = [f"{path}: has unstaged changes, which stay unstaged" for path in unstaged]
        plan = plan._replace(carried=carried).with_notes(notes)
    plan = with_stored_forms(plan, snapshot, repository, options)
    return with_bytes_on_disk(plan, repository, options)


def refuse_ignored(plan: Plan, patch: Patch, repository: Repository, options: Options) -> Plan:
    """Refuse new files that git ignores, as `git add` does. Raises `Refused`.

    One that a diff of git adds, with its mode, is noted, as `git am` takes it.
    """
    created = [result.path for result in plan.written.results if result.old is None]
    if not created or options.target is Target.WORKTREE or options.reverse:
        return plan
    stated = {section.new_path for section in patch.files if section.new_mode}
    failures, notes = list[Failure](), list[str]()
    for path, (pattern, place) in ignored_paths(repository, created).items():
        if path in stated:
            notes.append(f"{visible(path)}: is ignored by git, by `{visible(pattern)}`, and added")
        else:
            failures.append(
                Failure(Fault.IGNORED, path, values={"pattern": pattern, "place": place})
            )
    if failures:
        raise Refused(failures, options)
    return plan.with_notes(notes)


def _unstaged_files(plan: Plan, snapshot: Snapshot, options: Options) -> tuple[str, ...]:
    """Return the files that `plan` changes, and that have unstaged changes."""
    if options.target is not Target.INDEX:
        return ()
    return tuple(sorted(_sources(plan) & (snapshot.changed - snapshot.deleted)))


def _outside_sparse_checkout(
    changes: Sequence[Change], repository: Repository, options: Options
) -> list[str]:
    """List the files to be created that the sparse checkout leaves out."""
    if options.target is Target.WORKTREE:
        return []
    created = [change.path for change in changes if change.old is None]
    return sorted(index.outside_sparse_checkout(repository, created))


def _not_checked_out(plan: Plan, snapshot: Snapshot, outside: Sequence[str]) -> list[Failure]:
    """Refuse files that the working tree is not to have, as `git add` does."""
    skipped = sorted(_sources(plan) & snapshot.skipped)
    return [
        *(Failure(Fault.SKIP_WORKTREE, path) for path in skipped),
        *(Failure(Fault.OUTSIDE_SPARSE, path) for path in outside),
    ]


def _sources(plan: Plan) -> set[str]:
    """Return the files that `plan` changes, by where they are."""
    return {result.old.path for result in plan.written.results if result.old is not None}


def plan_carried(
    plan: Plan, unstaged: Collection[str], repository: Repository, options: Options
) -> Completed:
    """Complete the diff for the working tree, where `plan` is for the index.

    `unstaged` are the files with unstaged changes. Raises `Refused` if those could not stay as they
    are.
    """
    if failures := list(_refuse_changes(plan, unstaged)):
        raise Refused([*plan.failures, *failures], options)
    entries = {change.path: change.new for change in plan.completed.changes}
    others, pairs = list[Result](), list[ChangedFile]()
    for result in plan.completed.results:
        if result.old is None or result.old.path not in unstaged or result.content is None:
            others.append(result)
        elif result.content.copied:
            content = FileContent(result.content.mode, result.content.text)
            others.append(Result(None, result.path, content))
        else:
            pairs.append(ChangedFile(result.old, _blob(result, entries[result.path])))
    paths = {path for pair in pairs for path in (pair.old_path, pair.path)}
    snapshot = take_snapshot(repository, paths, Options(Target.WORKTREE))
    merged = merge_files(repository, pairs, snapshot)
    if merged.conflicts:
        failures = [each.failure(Fault.UNSTAGED_CONFLICT) for each in merged.conflicts]
        raise Refused([*plan.failures, *failures], options)
    carried = complete_merge(repository, merged, snapshot)
    results = sorted(
        [*others, *carried.results], key=lambda part: (part.content is not None, part.path)
    )
    return complete_results(results, repository.algorithm)


def _blob(result: Result, entry: Entry | None) -> Blob | None:
    data = result.content.text.to_bytes() if result.content else b""
    return Blob(result.path, entry, data) if entry else None


def _refuse_changes(plan: Plan, unstaged: Collection[str]) -> Iterator[Failure]:
    """Refuse to delete a file with unstaged changes, and to change how files are read."""
    for result in plan.completed.results:
        if result.old and not result.content and result.old.path in unstaged:
            yield Failure(Fault.UNSTAGED_DELETED, result.old.path)
    paths = [change.path for change in plan.completed.changes]
    for path in paths if len(paths) > 1 else ():
        if is_attributes_file(path):
            yield Failure(Fault.UNSTAGED_ATTRIBUTES, path)
