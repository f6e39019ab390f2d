"""The base of a patch: what stands at the paths it names, in the index, a tree or the
working tree, read at one moment."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from git_opatch.blob import Blob, Entry, Mode
from git_opatch.errors import RepositoryError
from git_opatch.options import Options, Target
from git_opatch.paths import parents
from git_opatch.plumbing import Listed
from git_opatch.repository import Repository


class Snapshot(NamedTuple):
    """What the base has at the paths of a patch.

    `blobs` are its files that the patch names, `tracked` those and all files below a folder
    that it names; the other sets name what is no file, or no ordinary one: `folders`,
    `submodules`, `unmerged`, and, in the working tree, files with changes that are not
    staged (`changed`), files that are `deleted` there, and `skipped` ones (skip-worktree).
    `flags` are the entries' skip-worktree and assume-unchanged bits. What is only `intended`
    to be added has no content in the index yet.
    """

    blobs: Mapping[str, Blob]
    tracked: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    submodules: frozenset[str] = frozenset()
    unmerged: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    deleted: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()
    flags: Mapping[str, str] = {}
    intended: frozenset[str] = frozenset()


def take_snapshot(repository: Repository, paths: Iterable[str], options: Options) -> Snapshot:
    """Read what stands at `paths` where `options` says the patch is located."""
    wanted = sorted(set(paths))
    above = sorted({parent for path in wanted for parent in parents(path)})
    if options.base is not None:
        return _of_tree(repository, options.base, wanted, above)
    if options.target is Target.WORKTREE:
        return _of_worktree(repository, wanted, above)
    compare = options.target is Target.INDEX
    listed = repository.list_index(wanted, above, compare=compare)
    return _of_listed(repository, listed, wanted, above)


def _of_tree(repository: Repository, tree: str, paths: list[str], above: list[str]) -> Snapshot:
    try:
        found = repository.list_tree(tree, above)
        found |= repository.list_tree(tree, paths, recursive=True)
    except RepositoryError:
        raise RepositoryError(f"`{tree}` is no tree or commit of this repository") from None
    entries = {path: entry for path, entry in found.items() if entry is not None}
    links = {path for path, entry in entries.items() if entry.mode is Mode.GITLINK}
    named = {*paths, *above} - links
    files = {path: entry for path, entry in entries.items() if path in named}
    data = repository.read_blobs(entry.id for entry in files.values())
    blobs = {path: Blob(path, entry, data[entry.id]) for path, entry in files.items()}
    folders = {path for path, entry in found.items() if entry is None}
    folders |= {parent for path in found for parent in parents(path)}
    return Snapshot(blobs, frozenset(entries), frozenset(folders), frozenset(links))


def _of_listed(
    repository: Repository,
    listed: list[Listed],
    paths: list[str],
    above: list[str],
    env: Mapping[str, str] | None = None,
) -> Snapshot:
    wanted, named = set(paths), {*paths, *above}
    intended = frozenset(one.path for one in listed if one.tag == "A")
    cached = [one for one in listed if one.tag in "HSMhsm" and one.path not in intended]
    files: dict[str, Entry] = {
        one.path: one.entry
        for one in cached
        if one.path in named and one.stage == 0 and one.entry.mode is not Mode.GITLINK
    }
    data = repository.read_blobs(
        (entry.id for path, entry in files.items() if path in wanted), env=env
    )
    return Snapshot(
        {path: Blob(path, entry, data.get(entry.id, b"")) for path, entry in files.items()},
        frozenset(one.path for one in cached),
        frozenset(parent for one in cached for parent in parents(one.path)),
        frozenset(one.path for one in cached if one.entry.mode is Mode.GITLINK),
        frozenset(one.path for one in cached if one.stage),
        frozenset(one.path for one in listed if one.tag in "Cc"),
        frozenset(one.path for one in listed if one.tag in "Rr"),
        frozenset(one.path for one in cached if one.tag in "Ss"),
        {one.path: one.tag for one in cached if one.tag not in "HM"},
        intended,
    )


def _of_worktree(repository: Repository, paths: list[str], above: list[str]) -> Snapshot:
    """The working tree's files as `git add` would store them, tracked or not."""
    top = repository.require_worktree()
    tracked = repository.list_index(paths, above)
    unmerged = frozenset(one.path for one in tracked if one.stage)
    names = {one.path for one in tracked if one.tag in "HShs"} - unmerged
    present = {path for path in paths if is_file(top / path)} - unmerged
    gone = {path for path in names if not os.path.lexists(top / path)}
    with tempfile.TemporaryDirectory(prefix="git-opatch-") as folder:
        hidden = [one for one in tracked if one.path in present]
        index, env = repository.clean_worktree(
            sorted(present | gone & set(paths)), Path(folder), hidden=hidden
        )
        listed = repository.list_index(paths, above, index=index)
        found = _of_listed(repository, listed, paths, above, env)
    there = {path: blob for path, blob in found.blobs.items() if path in present}
    folders = found.folders | {path for path in paths if is_folder(top / path)}
    return Snapshot(there, found.tracked, folders, found.submodules, unmerged)


def is_file(path: Path) -> bool:
    """Whether a file or a link, not what it leads to, is at `path`."""
    try:
        mode = os.lstat(path).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def is_folder(path: Path) -> bool:
    """Whether a folder, and no link to one, is at `path`."""
    return path.is_dir() and not path.is_symlink()
