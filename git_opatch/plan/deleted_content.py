"""Find the content of deleted files, for `-R` of a `*** Delete File`, which does not have it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from git_opatch.git.filtered import smudged
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
    found: dict[str, _Content] = {}
    with suppress(RepositoryError):  # no HEAD yet
        head = repository.list_tree("HEAD", wanted)
        found |= {path: _Content(entry, "HEAD") for path, entry in head.items() if entry}
    recorded = _recorded_contents(repository, wanted, record, target)
    present = repository.present(each.entry.id for each in recorded.values())
    found |= {path: each for path, each in recorded.items() if each.entry.id in present}
    data = repository.read_blobs(each.entry.id for each in found.values())
    contents = {path: data[each.entry.id] for path, each in found.items()}
    if target is not Target.CACHED:
        stored = {path: each.entry for path, each in found.items() if not each.is_text}
        contents |= smudged(repository, stored)
    return {
        path: (Blob(path, each.entry, contents[path]), each.source) for path, each in found.items()
    }


class _Content(NamedTuple):
    """The content of a deleted file; `is_text` if a filter is not to be run on it any more."""

    entry: Entry
    source: str
    is_text: bool = False

    @classmethod
    def before(cls, record: Record, path: str) -> _Content:
        is_text = any(change.path == path for change in record.texts)
        return cls(record.before[path], source_of(record), is_text)


def _recorded_contents(
    repository: Repository, wanted: Sequence[str], record: Record | None, target: Target
) -> dict[str, _Content]:
    """Return what the journal knows of `wanted`, by path; `record` is that of the patch itself."""
    record = record.located_in(target) if record else None
    own = record.before if record else {}
    others = [path for path in wanted if path not in own]
    found = {path: _Content.before(record, path) for path in wanted if record and path in own}
    if not others:
        return found
    from git_opatch.plan.recorded_deletions import recorded_deletions

    deletions = recorded_deletions(repository, others, target)
    return found | {
        path: _Content.before(each.record.located_in(target), path)
        for path, each in deletions.items()
    }


def source_of(record: Record) -> str:
    """Name a record as the source of a file's content."""
    return f"entry {record.number} of `git opatch log --all`"


def content_note(path: str, source: str) -> str:
    """Say where the content of a restored file comes from."""
    return f"{path}: content taken from {source}"
