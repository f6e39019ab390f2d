"""List the versions of a file that a patch may have been written for.

Its `index` line names one; the others come from the file's history, HEAD and the journal. Their
number is bounded, and so is the time. A version that a partial clone does not have is skipped:
nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from git_opatch import journal
from git_opatch.git.history import abbreviated, find_blob, list_history
from git_opatch.git.repository import Repository
from git_opatch.model.blob import Entry, Mode
from git_opatch.model.errors import RepositoryError
from git_opatch.transaction import state_dir

MOST_COMMITS = 5000
MOST_SUGGESTED = 500
"""Of these, so many are read where nobody asked for a merge."""
_MAX_VERSIONS = 50
"""Versions of one file, from its history."""
_MAX_RECORDS = 100


class Version(NamedTuple):
    """A blob that a file was.

    `where` is the commit's whole id, or says where else it was found; `age` is how many commits
    came after that one, `stated` is whether the patch names the blob.
    """

    id: str
    where: str
    age: int | None = None
    stated: bool = False


def list_versions(
    repository: Repository, stated: Mapping[str, str], tip: str, most_commits: int
) -> dict[str, list[Version]]:
    """List the readable versions of each file: the one that the patch names, then newest first.

    `stated` has, for each path, the id that the patch names, or an empty string; `tip` is the
    commit whose history is read, `most_commits` commits of it.
    """
    found: dict[str, dict[str, Version]] = {path: {} for path in stated}
    for path, version in (
        *_of_tip(repository, list(stated), tip),
        *_of_history(repository, list(stated), tip, most_commits),
        *_of_journal(repository),
    ):
        if path in found:
            found[path].setdefault(version.id, version)
    for path, start in stated.items():
        blob = find_blob(repository, start) if start.strip("0") else None
        if blob is not None:
            known = found[path].pop(blob, Version(blob, f"blob {blob[:10]}"))
            found[path] = {blob: known._replace(stated=True), **found[path]}
    present = repository.present(blob for blobs in found.values() for blob in blobs)
    return {
        path: [version for blob, version in blobs.items() if blob in present]
        for path, blobs in found.items()
    }


def _of_history(
    repository: Repository, paths: Sequence[str], tip: str, most_commits: int
) -> Iterator[tuple[str, Version]]:
    """List what commits made of `paths`, newest first; merges, too."""
    blobs: dict[str, set[str]] = {path: set() for path in paths}
    for version in list_history(repository, paths, tip, most_commits):
        known = blobs.get(version.path)
        if known is not None and _is_file(version.mode) and len(known) < _MAX_VERSIONS:
            known.add(version.blob)
            yield version.path, Version(version.blob, version.commit, version.age)


def _of_tip(
    repository: Repository, paths: Sequence[str], tip: str
) -> Iterator[tuple[str, Version]]:
    """List the versions at `tip`, whichever commit made them."""
    with suppress(RepositoryError):  # no commit yet
        for path, entry in repository.list_tree(tip, paths).items():
            if entry is not None and entry.mode.is_file:
                yield path, Version(entry.id, tip)


def _of_journal(repository: Repository) -> Iterator[tuple[str, Version]]:
    """List the versions after and before each patch that was applied here."""
    entries = (entry for _, entry in journal.entries(state_dir(repository)))
    records = (entry for entry in entries if isinstance(entry, journal.Record))
    for record in islice(records, _MAX_RECORDS):
        for side, when in (("new", "after"), ("old", "before")):
            for change in record.changes:
                entry: Entry | None = getattr(change, side)
                if entry is not None and entry.mode.is_file:
                    where = f"{when} entry {record.number} of the journal"
                    name = f"the version {where}"
                    yield change.path, Version(entry.id, name)


def _is_file(mode: str) -> bool:
    return mode in (Mode.REGULAR.value, Mode.EXECUTABLE.value)


def describe(version: Version, repository: Repository) -> str:
    """Name a version for a message: "3f2c1ab (2 commits ago)"."""
    if version.age is None:
        return version.where
    ago = f"{version.age} commit{'s' * (version.age > 1)} ago" if version.age else "the last commit"
    return f"{abbreviated(repository, version.where)} ({ago})"
