"""Apply a patch to files with unstaged changes, which stay unstaged: `--carry` (D10).

It is planned for the index; what it does there is merged into the working tree's files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from git_opatch.complete import Completed, complete_results
from git_opatch.complete.tree import FileContent, Result
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import take_snapshot
from git_opatch.model.blob import Blob, ChangedFile, Entry
from git_opatch.model.failure import Failure, Refused
from git_opatch.model.options import Options, Target
from git_opatch.model.paths import is_attributes_file
from git_opatch.model.sentences import Fault
from git_opatch.plan.merge import complete_merge, merge_files
from git_opatch.plan.plan import Plan


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
