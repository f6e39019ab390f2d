"""The base of a patch: what the index, a tree or the working tree has at the paths it names."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from git_opatch.git.converted import filters, read_text, smudged
from git_opatch.git.disk import Stamp
from git_opatch.git.index import list_index, store_worktree
from git_opatch.git.output import IndexEntry
from git_opatch.git.repository import CONVERT, Repository
from git_opatch.git.scratch import scratch_directory
from git_opatch.model.blob import Blob, Entry, Mode, blob_id
from git_opatch.model.errors import RepositoryError
from git_opatch.model.options import Options, Target
from git_opatch.model.paths import parents


class Snapshot(NamedTuple):
    """What the base has at the paths that a patch names. The sets are of paths."""

    blobs: Mapping[str, Blob]
    """The files that the patch names, by path."""
    tracked: frozenset[str] = frozenset()
    """Those files, and all below a directory that it names."""
    folders: frozenset[str] = frozenset()
    submodules: frozenset[str] = frozenset()
    unmerged: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    """Files with changes in the working tree that are not staged."""
    deleted: frozenset[str] = frozenset()
    """Files that are deleted in the working tree, and not in the index."""
    skipped: frozenset[str] = frozenset()
    """Files that are not checked out (skip-worktree)."""
    flags: Mapping[str, str] = {}
    """The tags of entries with skip-worktree or assume-unchanged bits (see `IndexEntry`)."""
    intended: frozenset[str] = frozenset()
    """Files only intended to be added, which have no content in the index yet."""
    stamps: Mapping[str, Stamp] = {}
    """The stamps of files in the working tree from before they were compared with the index."""
    name: str = "the index"
    """What the base is, in messages."""
    filters: Mapping[str, str] = {}
    """The filter of each path that has one, by path, where `blobs` has the texts of its files."""
    stored: Mapping[str, Entry] = {}
    """How git stores those files: what the index has, or would have of the working tree's."""
    restorable: Mapping[str, Blob] = {}
    """What HEAD has of deleted files that the patch restores without having their content."""
    top: Path | None = None
    """Where its files are on disk, if it is not of a tree or of the index alone."""


def take_snapshot(repository: Repository, paths: Iterable[str], options: Options) -> Snapshot:
    """Read `paths` where `options` says the patch is located. Raises `RepositoryError`.

    Files under a filter are as they are on disk, if that is of the target, unless
    `options.converts`; else all are as git stores them.
    """
    wanted = sorted(set(paths))
    above = sorted({parent for path in wanted for parent in parents(path)})
    if options.base is not None:
        return _of_tree(repository, options.base, wanted, above)
    if options.target is Target.WORKTREE:
        snapshot = _of_worktree(repository, wanted, above)
        return snapshot if options.converts else _with_texts(snapshot, repository, wanted)
    if options.target is Target.CACHED:
        return _of_entries(repository, list_index(repository, wanted, above), wanted, above)
    # first: what is written to a file from here on must be noticed later
    stamps = _stamps(repository.top, wanted) if repository.top else {}
    listed = list_index(repository, wanted, above, compare=True)
    snapshot = _of_entries(repository, listed, wanted, above)
    snapshot = snapshot._replace(stamps=stamps, top=repository.top)
    is_stored = options.converts or repository.top is None
    return snapshot if is_stored else _with_texts(snapshot, repository, wanted)


def _with_texts(snapshot: Snapshot, repository: Repository, paths: list[str]) -> Snapshot:
    """Return `snapshot` with the texts of the files under a filter.

    That is what is on disk, or with unstaged changes what a checkout of the staged version would
    write. A file that has no text is left as git stores it. Raises `FilterError`.
    """
    names = filters(repository, paths)
    texts, stored = dict(snapshot.blobs), dict[str, Entry]()
    named = {path: blob.entry for path, blob in snapshot.blobs.items() if path in names}
    gone = snapshot.deleted | snapshot.skipped
    there = {path: each for path, each in named.items() if each.mode.is_file and path not in gone}
    changed = {path: there[path] for path in there.keys() & snapshot.changed}
    staged = smudged(repository, changed, names)
    for path, entry in there.items():
        text = staged[path] if path in staged else read_text(repository, path)
        if text is not None:
            oid = blob_id(text, repository.algorithm)
            texts[path], stored[path] = Blob(path, Entry(entry.mode, oid), text), entry
    return snapshot._replace(blobs=texts, filters=names, stored=stored)


def _stamps(top: Path, paths: Iterable[str]) -> dict[str, Stamp]:
    found = {}
    for path in paths:
        with suppress(OSError, ValueError):
            found[path] = Stamp.of(os.lstat(f"{top}/{path}"))
    return found


def _of_tree(repository: Repository, tree: str, paths: list[str], above: list[str]) -> Snapshot:
    try:
        listed = repository.list_tree(tree, above)
        listed |= repository.list_tree(tree, paths, recursive=True)
    except RepositoryError:
        raise RepositoryError(f"`{tree}` is not a tree or commit of this repository") from None
    entries = {path: entry for path, entry in listed.items() if entry is not None}
    submodules = {path for path, entry in entries.items() if entry.mode is Mode.GITLINK}
    named = {*paths, *above} - submodules
    files = {path: entry for path, entry in entries.items() if path in named}
    data = repository.read_blobs(entry.id for entry in files.values())
    blobs = {path: Blob(path, entry, data[entry.id]) for path, entry in files.items()}
    folders = {path for path, entry in listed.items() if entry is None}
    folders |= {parent for path in listed for parent in parents(path)}
    return Snapshot(
        blobs,
        frozenset(entries),
        frozenset(folders),
        frozenset(submodules),
        name=f"`{tree}`",
    )


def _of_entries(
    repository: Repository,
    listed: list[IndexEntry],
    paths: list[str],
    above: list[str],
    env: Mapping[str, str] | None = None,
) -> Snapshot:
    wanted, named = set(paths), {*paths, *above}
    intended = _paths(entry for entry in listed if entry.tag == "A")
    cached = [entry for entry in listed if entry.tag in "HSMhsm" and entry.path not in intended]
    files: dict[str, Entry] = {
        entry.path: entry.entry
        for entry in cached
        if entry.path in named and entry.stage == 0 and entry.entry.mode is not Mode.GITLINK
    }
    data = repository.read_blobs(
        (entry.id for path, entry in files.items() if path in wanted), env=env
    )
    return Snapshot(
        blobs={path: Blob(path, entry, data.get(entry.id, b"")) for path, entry in files.items()},
        tracked=_paths(cached),
        folders=frozenset(parent for entry in cached for parent in parents(entry.path)),
        submodules=_paths(entry for entry in cached if entry.entry.mode is Mode.GITLINK),
        unmerged=_paths(entry for entry in cached if entry.stage),
        changed=_paths(entry for entry in listed if entry.tag in "Cc"),
        deleted=_paths(entry for entry in listed if entry.tag in "Rr"),
        skipped=_paths(entry for entry in cached if entry.tag in "Ss"),
        flags={entry.path: entry.tag for entry in cached if entry.tag not in "HM"},
        intended=intended,
    )


def _paths(entries: Iterable[IndexEntry]) -> frozenset[str]:
    return frozenset(entry.path for entry in entries)


def _of_worktree(repository: Repository, paths: list[str], above: list[str]) -> Snapshot:
    """Read the working tree's files as `git add` would store them, tracked or not.

    A file with conflicts is one, too: its markers are lines, and a patch may resolve them (D520).
    """
    top = repository.require_worktree(CONVERT)
    stamps = _stamps(top, paths)
    tracked = list_index(repository, paths, above)
    names = _paths(entry for entry in tracked if entry.tag in "HShsMm")
    present = {path for path in paths if is_file(top / path)}
    deleted = {path for path in names if not os.path.lexists(top / path)}
    with scratch_directory() as directory:
        hidden = [entry for entry in tracked if entry.path in present]
        index, env = store_worktree(
            repository, sorted(present | deleted & set(paths)), Path(directory), hidden=hidden
        )
        listed = list_index(repository, paths, above, index=index)
        stored = _of_entries(repository, listed, paths, above, env)
    blobs = {path: blob for path, blob in stored.blobs.items() if path in present}
    folders = stored.folders | {path for path in paths if is_folder(top / path)}
    name, known = "the working tree", (stored.tracked, folders, stored.submodules, stored.unmerged)
    return Snapshot(blobs, *known, stamps=stamps, name=name, top=top)


def is_file(path: Path) -> bool:
    """Return whether a file, or a symbolic link to anything, is at `path`."""
    try:
        mode = os.lstat(path).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def is_folder(path: Path) -> bool:
    """Return whether a directory, not a symbolic link to one, is at `path`."""
    return path.is_dir() and not path.is_symlink()
