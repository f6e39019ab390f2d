"""Find the content of deleted files, for `-R` of a `*** Delete File`, which does not have it."""

from __future__ import annotations

from git_opatch.git.filtered import filters, smudged
from git_opatch.git.head import committed_entries
from git_opatch.git.repository import Repository
from git_opatch.model.blob import Blob
from git_opatch.model.options import Target
from git_opatch.model.patch import Patch


def deleted_contents(repository: Repository, patch: Patch, target: Target) -> dict[str, Blob]:
    """Find in HEAD the content of each file that `patch` restores without having it."""
    wanted = [
        section.new_path for section in patch.files if section.new_path and not section.has_content
    ]
    entries = committed_entries(repository, wanted)
    data = repository.read_blobs(entry.id for entry in entries.values())
    contents = {path: data[entry.id] for path, entry in entries.items()}
    if target is not Target.CACHED:
        contents |= smudged(repository, entries, filters(repository, list(entries)))
    return {path: Blob(path, entry, contents[path]) for path, entry in entries.items()}
