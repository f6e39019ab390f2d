"""What changed between two trees, or the index and a tree or the working tree: both versions."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote

from git_opatch.git.head import empty_tree, object_id
from git_opatch.git.index import list_index, store_worktree, unmerged_paths
from git_opatch.git.output import parse_change, split_nul
from git_opatch.git.repository import Repository
from git_opatch.git.scratch import scratch_directory
from git_opatch.model.blob import Blob, ChangedFile, Entry, Mode
from git_opatch.model.errors import RepositoryError
from git_opatch.model.text import visible

_RAW = ("--raw", "-z", "--no-abbrev", "-M50%", "--ignore-submodules=none", "--no-relative")
_PRIVATE = ("-c", "diff.autoRefreshIndex=false", "diff")
"""`git diff` would rewrite the index, even with GIT_OPTIONAL_LOCKS=0."""


def compare_commit(repository: Repository, revision: str) -> tuple[str, str]:
    """Return the trees before and after a commit. Raises `RepositoryError`.

    A merge has no single tree before it, and is refused.
    """
    short = visible(revision)
    commit = object_id(repository, revision)
    if not commit:
        unknown = f"`{short}` is not a commit of this repository"
        if os.path.exists(revision):
            command = f"git opatch create -- {visible(quote(revision))}"
            unknown += f"\n  to write what is changed in that path: {command}"
        raise RepositoryError(unknown)
    words = repository.ask("rev-list", "--parents", "--no-walk", commit, "--").decode().split()
    if len(words) > 2:
        raise RepositoryError(
            f"`{short}` is a merge; to compare it with its first parent, write {short}^..{short}"
        )
    return (words[1] if len(words) == 2 else empty_tree(repository)), commit


def compare_range(repository: Repository, *names: str) -> list[str]:
    """Return the ids of two trees. Raises `RepositoryError` for what is not a tree-ish."""
    trees = [object_id(repository, name, "tree") for name in names]
    if "" in trees:
        name = visible(names[trees.index("")])
        raise RepositoryError(f"`{name}` is not a tree or commit of this repository")
    return trees


def changed_files(
    repository: Repository, compared: Sequence[str], pathspecs: Sequence[str], directory: str
) -> list[ChangedFile]:
    """Read both versions of each file that differs; `compared` has two trees, or `--cached`.

    Raises `RepositoryError`, also for pathspecs that are none and for unmerged paths.
    """
    output = _ask(repository, pathspecs, directory, *_RAW, *compared)
    pairs = list(_pairs(output))
    data = repository.read_blobs(
        entry.id for pair in pairs for _, entry in pair if entry and _has_bytes(entry)
    )
    return [ChangedFile(*(_blob(path, entry, data) for path, entry in pair)) for pair in pairs]


def unstaged_files(
    repository: Repository, pathspecs: Sequence[str], directory: str
) -> list[ChangedFile]:
    """Read the files of the working tree that differ from the index, as `git add` would store
    them. Raises `RepositoryError`."""
    repository.require_worktree()
    paths = split_nul(_ask(repository, pathspecs, directory, "--name-only", "-z", "--no-renames"))
    if unmerged := sorted({*paths} & {*unmerged_paths(repository)}):
        raise RepositoryError(f"{visible(unmerged[0])}: is unmerged; resolve and stage it first")
    if not paths:
        return []
    with scratch_directory() as directory:
        staged = {entry.path: entry for entry in list_index(repository, paths, [])}
        hidden = list(staged.values())
        index, env = store_worktree(repository, paths, Path(directory), hidden=hidden)
        listed = list_index(repository, paths, [], index=index)
        stored = {entry.path: entry.entry for entry in listed}
        entries = [entry.entry for entry in staged.values()] + list(stored.values())
        data = repository.read_blobs((entry.id for entry in entries if _has_bytes(entry)), env=env)
    files = []
    for path in paths:
        entry = staged.get(path)
        old = entry.entry if entry and entry.tag != "A" else None
        if old != stored.get(path):
            files.append(ChangedFile(_blob(path, old, data), _blob(path, stored.get(path), data)))
    return files


def _ask(repository: Repository, pathspecs: Sequence[str], directory: str, *options: str) -> bytes:
    """Ask `git diff`, whose pathspecs count from `directory`, relative to the top."""
    env = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("GIT_") and name.endswith("_PATHSPECS")
    }
    change = ("-C", directory) if directory else ()
    return repository.ask(*change, *_PRIVATE, *options, "--", *pathspecs, env=env)


def _pairs(output: bytes) -> Iterator[tuple[tuple[str, Entry | None], tuple[str, Entry | None]]]:
    """Read records of `--raw -z`, in which a rename has two paths."""
    fields = iter(output.split(b"\0")[:-1])
    for raw in fields:
        path, status = next(fields), raw.rpartition(b" ")[2]
        if status == b"U":
            raise RepositoryError(f"{visible(path)}: is unmerged; resolve and stage it first")
        change = parse_change(raw, path)
        new_path = os.fsdecode(next(fields)) if status[:1] in b"RC" else change.path
        yield (change.path, change.old), (new_path, change.new)


def _has_bytes(entry: Entry) -> bool:
    return entry.mode is not Mode.GITLINK


def _blob(path: str, entry: Entry | None, data: Mapping[str, bytes]) -> Blob | None:
    return Blob(path, entry, data.get(entry.id, b"")) if entry else None
