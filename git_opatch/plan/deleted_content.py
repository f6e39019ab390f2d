"""Find the content of deleted files, for `-R` of a `*** Delete File`, which does not have it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from git_opatch.git.repository import Repository
from git_opatch.journal import Record
from git_opatch.model.blob import Blob, Entry
from git_opatch.model.errors import RepositoryError
from git_opatch.model.options import Target
from git_opatch.model.patch import Patch
from git_opatch.plan.plan import DeletedContents


def deleted_contents(
    repository: Repository, patch: Patch, record: Record | None, target: Target
) -> DeletedContents:
    """Find the content of each file that `patch` restores without having it.

    The journal's record of this very patch comes first, then that of any patch that deleted the
    file and is not undone in a part of `target` (D472), then HEAD.
    """
    wanted = [
        section.new_path for section in patch.files if section.new_path and not section.has_content
    ]
    if not wanted:
        return {}
    found: dict[str, tuple[Entry, str]] = {}
    with suppress(RepositoryError):  # no HEAD yet
        head = repository.list_tree("HEAD", wanted)
        found |= {path: (entry, "HEAD") for path, entry in head.items() if entry is not None}
    recorded = _recorded_contents(repository, wanted, record, target)
    present = repository.present(entry.id for entry, _ in recorded.values())
    found |= {path: each for path, each in recorded.items() if each[0].id in present}
    data = repository.read_blobs(entry.id for entry, _ in found.values())
    return {
        path: (Blob(path, entry, data[entry.id]), source) for path, (entry, source) in found.items()
    }


def _recorded_contents(
    repository: Repository, wanted: Sequence[str], record: Record | None, target: Target
) -> dict[str, tuple[Entry, str]]:
    """Return what the journal knows of `wanted`, by path; `record` is that of the patch itself."""
    own = record.before if record else {}
    others = [path for path in wanted if path not in own]
    found = {path: (own[path], source_of(record)) for path in wanted if record and path in own}
    if not others:
        return found
    from git_opatch.plan.recorded_deletions import recorded_deletions

    deletions = recorded_deletions(repository, others, target)
    return found | {path: (each.entry, source_of(each.record)) for path, each in deletions.items()}


def source_of(record: Record) -> str:
    """Name a record as the source of a file's content."""
    return f"entry {record.number} of `git opatch log --all`"


def content_note(path: str, source: str) -> str:
    """Say where the content of a restored file comes from."""
    return f"{path}: content taken from {source}"
