"""The bytes on disk, which a plan must know where they are not those of the blobs.

Hunks are located in what git stores. On disk, each line that they do not change keeps its bytes;
an undo brings back those that there were, by merging.
"""

from __future__ import annotations

from git_opatch.complete.tree import FileContent, Result
from git_opatch.git.filtered import read_text
from git_opatch.git.repository import Repository
from git_opatch.model.blob import OnDisk
from git_opatch.model.options import Options, Target
from git_opatch.model.paths import is_attributes_file
from git_opatch.plan.plan import Plan


def with_bytes_on_disk(plan: Plan, repository: Repository, options: Options) -> Plan:
    """Return `plan` with the bytes that files have on disk, where those are not their blobs'.

    A patch that changes attributes is left to git, which writes files by the new ones. Raises
    `TransactionError` for a file that git does not convert line by line.
    """
    completed = plan.carried or plan.written
    changes_attributes = any(is_attributes_file(change.path) for change in completed.changes)
    if options.target is Target.CACHED or changes_attributes:
        return plan
    on_disk: dict[str, OnDisk] = {}
    converted: list[tuple[Result, FileContent, bytes | None]] = []
    for result in completed.results:
        old, content = result.old, result.content
        if not plan.filtered.paths.isdisjoint((result.path, old.path if old else "")):
            continue
        disk = read_text(repository, old.path) if old and old.entry.mode.is_file else None
        is_other = old is not None and disk is not None and disk != old.data
        if is_other and old and (content is None or (result.renamed and not content.copied)):
            on_disk[old.path] = OnDisk(disk, None)
        may_be_other = is_other or (old is None and plan.restores)
        if content and content.mode.is_file and may_be_other:
            converted.append((result, content, disk))
    if converted:
        from git_opatch.plan.converted_files import Converted, new_bytes

        on_disk |= new_bytes([Converted(*each) for each in converted], plan, repository)
    return plan._replace(on_disk=on_disk)
