"""What the index is asked, and indexes beside it in which git tries things out.

A scratch index has an object directory of its own, so that nothing of the repository is written.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

from git_opatch.git.output import (
    GitResult,
    IndexEntry,
    nul_terminated,
    parse_entry,
    pathspecs,
)
from git_opatch.git.repository import Repository
from git_opatch.git.runner import output_of
from git_opatch.git.scratch import scratch_directory
from git_opatch.model.blob import Entry, Mode, Stages, blob_id, null_id

_MAX_TO_REFRESH = 200


class ScratchIndex(NamedTuple):
    """An index of our own, and the environment in which git uses it and the objects beside it."""

    file: Path
    env: dict[str, str]


def list_index(
    repository: Repository,
    paths: Iterable[str],
    parents: Iterable[str],
    *,
    index: Path | None = None,
    compare: bool = False,
) -> list[IndexEntry]:
    """List the entries at or below `paths`, and those that are themselves one of `parents`.

    With a working tree, entries that are only intended to be added are listed a second time, with
    the tag A, and if `compare` those that are deleted or changed there, with R and C. That may
    run the user's filters. `index` is another index to read.
    """
    specs = pathspecs(paths, parents)
    if not specs:
        return []
    wanted = set(paths)
    has_files = repository.top is not None and index is None
    compared = _start_comparison(repository, wanted) if compare and has_files and wanted else None
    env = _objects_beside(repository, index)
    output = repository.ask("ls-files", "-v", "-c", "-s", "-z", "--", *specs, index=index, env=env)
    entries = [parse_entry(record) for record in output.split(b"\0")[:-1]]
    if has_files:
        empty = empty_blob(repository).id
        named = (entry for entry in entries if entry.path in wanted)
        unsure = [entry for entry in named if compare or entry.entry.id == empty]
        entries += _different_entries(repository, unsure, compared)
    return entries


def _different_entries(
    repository: Repository,
    entries: Sequence[IndexEntry],
    compared: Callable[[], GitResult] | None,
) -> list[IndexEntry]:
    """Those of `entries` whose files are deleted, changed, or only intended to be added.

    `compared` waits for a comparison that has been started. It does not do for entries with bits
    that let git skip their files: those are cleared in a copy of the index.
    """
    paths = {entry.path for entry in entries}
    hidden = [entry for entry in entries if entry.tag.islower()]
    if not entries:
        return []
    with scratch_directory() if hidden else nullcontext() as name:
        index = None
        if name:
            (Path(name) / "objects").mkdir()
            index = copy_index(repository, Path(name), hidden)
        wait = None if hidden else compared
        wait = wait or _start_comparison(repository, paths, index)
        fields = os.fsdecode(output_of(wait())).split("\0")
        letters = dict(zip(fields[1::2], fields[:-1:2], strict=True))
        specs = pathspecs(sorted(paths & letters.keys()))
        if not specs:
            return []
        flags, env = ("-v", "-d", "-m", "-s", "-z"), _objects_beside(repository, index)
        output = repository.ask("ls-files", *flags, "--", *specs, index=index, env=env)
    found = map(parse_entry, output.split(b"\0")[:-1])
    return [each._replace(tag="A") if letters.get(each.path) == "A" else each for each in found]


def _start_comparison(
    repository: Repository, paths: set[str], index: Path | None = None
) -> Callable[[], GitResult]:
    """Start to compare entries with the working tree.

    `ls-files -m` stats every file of the index unless all its arguments have a directory in
    common; `diff-files` only those asked for. But it also names files that merely look changed, and
    would run git in a submodule, by that repository's configuration.
    """
    flags = ("--ita-invisible-in-index", "--ignore-submodules", "--name-status", "-z")
    specs = pathspecs(sorted(paths))
    env = _objects_beside(repository, index)
    return repository.start_query("diff-files", *flags, "--", *specs, index=index, env=env)


def store_worktree(
    repository: Repository,
    paths: Sequence[str],
    directory: Path,
    *,
    hidden: Sequence[IndexEntry] = (),
) -> ScratchIndex:
    """Store the working tree's files at `paths` as `git add` would, in a scratch index.

    Not by `hash-object`, which follows links and ignores git's rule for CRLF in the index.
    `hidden` are entries with bits that would let git skip their files.
    """
    env = _scratch_env(repository, directory)
    index = copy_index(repository, directory, hidden)
    repository.ask(
        "update-index", "--add", "--remove", "--replace", "-z", "--stdin",
        feed=nul_terminated(paths), env=env,
    )  # fmt: skip
    return ScratchIndex(index, env)


def build_index(repository: Repository, paths: Iterable[str], directory: Path) -> ScratchIndex:
    """Make a scratch index in `directory` with empty files at `paths` alone."""
    index = ScratchIndex(directory / "index", _scratch_env(repository, directory))
    set_entries(repository, dict.fromkeys(paths, empty_blob(repository)), index)
    return index


def set_entries(
    repository: Repository, entries: Mapping[str, Entry | None], index: ScratchIndex
) -> None:
    """Set the entries of `index` at some paths; None is for a path to remove."""
    lines = ((path, each, 0) for path, each in entries.items())
    _set_stages(repository, lines, index)


def _set_stages(
    repository: Repository, lines: Iterable[tuple[str, Entry | None, int]], index: ScratchIndex
) -> None:
    """Set entries of `index`, each with its stage, in order."""
    removed = f"0 {null_id(repository.algorithm)}"
    feed = b"".join(
        (f"{entry.mode.value} {entry.id}" if entry else removed).encode()
        + f" {stage}\t".encode()
        + os.fsencode(path)
        + b"\0"
        for path, entry, stage in lines
    )
    repository.ask("update-index", "-z", "--index-info", feed=feed, index=index.file, env=index.env)


def _scratch_env(repository: Repository, directory: Path) -> dict[str, str]:
    objects = repository.scratch_objects(directory)
    return {"GIT_INDEX_FILE": str(directory / "index"), **objects}


def _objects_beside(repository: Repository, index: Path | None) -> dict[str, str]:
    """The object directory beside `index`, if there is one.

    Where an index is to be sparse, git writes trees even though it only reads the index.
    """
    objects = index.parent / "objects" if index is not None else repository.objects
    if index is None or objects == repository.objects or not objects.is_dir():
        return {}
    return repository.scratch_objects(index.parent)


def copy_index(repository: Repository, directory: Path, hidden: Sequence[IndexEntry] = ()) -> Path:
    """Copy the index, and clear the bits by which git would skip the files of `hidden`."""
    index = directory / "index"
    if repository.index_file.exists():
        # with its time: by a later one, git would take files changed since for unchanged
        shutil.copy2(repository.index_file, index)
    for flag, tags in (("--no-skip-worktree", "Ss"), ("--no-assume-unchanged", "hs")):
        paths = [entry.path for entry in hidden if entry.tag in tags]
        if paths:
            set_flag(repository, flag, paths, index=index)
    return index


def outside_sparse_checkout(repository: Repository, paths: Sequence[str]) -> set[str]:
    """Those of `paths`, none of which is tracked, that the sparse checkout leaves out.

    Git is asked about an index of just these paths and an empty working tree.
    """
    if not paths or not (repository.git_dir / "info/sparse-checkout").exists():
        return set()
    with scratch_directory() as directory:
        top = Path(directory, "top")
        top.mkdir()
        index, env = build_index(repository, paths, Path(directory))
        # a sparse index would have an entry for the directory instead of one for the file
        command = ("-c", "index.sparse=false", "sparse-checkout", "reapply")
        if repository.run(*command, env={**env, "GIT_WORK_TREE": str(top)}).status:
            return set()  # not a sparse checkout any more
        listed = list_index(repository, paths, [], index=index)
        return {entry.path for entry in listed if entry.tag == "S"}


def empty_blob(repository: Repository) -> Entry:
    """The entry of an empty file."""
    return Entry(Mode.REGULAR, blob_id(b"", repository.algorithm))


def refresh(
    repository: Repository,
    paths: Sequence[str],
    *,
    index: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> None:
    """Update the index's file times where a file looks changed and is not.

    Git compares each path with every entry; for many paths, all entries are faster.
    """
    if len(paths) > _MAX_TO_REFRESH:
        repository.run("update-index", "-q", "--refresh", index=index, env=env)
        return
    repository.run(
        "add", "--refresh", "--pathspec-from-file=-", "--pathspec-file-nul",
        index=index, env={"GIT_LITERAL_PATHSPECS": "1", **(env or {})}, feed=nul_terminated(paths),
    )  # fmt: skip


def set_flag(repository: Repository, flag: str, paths: Sequence[str], *, index: Path) -> None:
    """Set or clear a bit of entries of `index`; `flag` is an option of `git update-index`."""
    env, feed = _objects_beside(repository, index), nul_terminated(paths)
    repository.ask("update-index", flag, "-z", "--stdin", index=index, env=env, feed=feed)


def set_unmerged(repository: Repository, unmerged: Mapping[str, Stages], index: Path) -> None:
    """Replace the entry of each path in `index` by its three stages. Raises `RepositoryError`."""
    lines: list[tuple[str, Entry | None, int]] = []
    for path, stages in unmerged.items():
        theirs = repository.store_blob(stages.theirs)
        ids = (stages.base.id, stages.ours.id, theirs)
        lines.append((path, None, 0))
        lines += [(path, Entry(stages.ours.mode, oid), stage) for stage, oid in enumerate(ids, 1)]
    if lines:
        _set_stages(repository, lines, ScratchIndex(index, {}))


def list_everything(repository: Repository, index: Path) -> bytes:
    """All entries of `index` with their bits, to compare. Raises `RepositoryError`."""
    return repository.ask("ls-files", "-v", "-s", "-z", index=index)


def unmerged_paths(repository: Repository) -> list[str]:
    """The paths that the index has in several stages."""
    return sorted(unmerged_stages(repository))


def unmerged_stages(repository: Repository) -> dict[str, dict[int, Entry]]:
    """The stages, by number, of each path that the index has in several."""
    found: dict[str, dict[int, Entry]] = {}
    for record in repository.ask("ls-files", "--unmerged", "-v", "-z").split(b"\0")[:-1]:
        path, entry, stage, _ = parse_entry(record)
        found.setdefault(path, {})[stage] = entry
    return found
