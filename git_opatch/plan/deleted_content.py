"""Find the content of deleted files, for `-R` of a `*** Delete File`, which does not have it."""

from __future__ import annotations

from contextlib import suppress

from git_opatch.git.repository import Repository
from git_opatch.journal import Record
from git_opatch.model.blob import Blob, Entry
from git_opatch.model.errors import RepositoryError
from git_opatch.model.patch import Patch
from git_opatch.plan.plan import DeletedContents


def deleted_contents(
    repository: Repository, patch: Patch, record: Record | None
) -> DeletedContents:
    """Find the content of each file that `patch` restores without having it.

    The journal's record of this very patch comes first, then HEAD.
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
    if record is not None:
        present = repository.present(entry.id for entry in record.before.values())
        source = source_of(record)
        for path, entry in record.before.items():
            if path in wanted and entry.id in present:
                found[path] = (entry, source)
    data = repository.read_blobs(entry.id for entry, _ in found.values())
    return {
        path: (Blob(path, entry, data[entry.id]), source) for path, (entry, source) in found.items()
    }


def source_of(record: Record) -> str:
    """Name a record as the source of a file's content."""
    return f"entry {record.number} of `git opatch log --all`"


def content_note(path: str, source: str) -> str:
    """Say where the content of a restored file comes from."""
    return f"{path}: content taken from {source}"
