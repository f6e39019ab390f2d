"""The versions of files that commits have, and which blobs can be read.

A version that a partial clone does not have is skipped: nothing is fetched.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from git_opatch.git.index import build_index, write_tree
from git_opatch.git.output import parse_change
from git_opatch.git.repository import Repository
from git_opatch.git.scratch import scratch_directory
from git_opatch.model.blob import Change, Entry

_MAX_COMMITS = 1000
"""How many commits are searched for those that renamed files."""
_MAX_ASKED = 3
"""How many of these git is asked about."""


class HistoricVersion(NamedTuple):
    """A blob that `commit` gave a path; `age` is how many of the listed commits are newer."""

    path: str
    mode: str
    blob: str
    commit: str
    age: int | None


def list_history(
    repository: Repository, paths: Sequence[str], tip: str, most_commits: int
) -> Iterator[HistoricVersion]:
    """List what the commits up to `tip` made of `paths`, newest first; of merges, too."""
    commits = repository.run(
        "rev-list", f"--max-count={most_commits}", "--end-of-options", tip, "--"
    ).output
    result = repository.run(
        "diff-tree", "--stdin", "-r", "-m", "--root", "--raw", "--no-abbrev", "--no-renames", "-z",
        "--", *paths, feed=commits, env={"GIT_LITERAL_PATHSPECS": "1"},
    )  # fmt: skip
    ages = {commit: age for age, commit in enumerate(commits.decode().split())}
    commit = ""
    fields = iter(result.output.split(b"\0"))
    for field in fields:
        if not field.startswith(b":"):
            commit = field.decode()
            continue
        path, (_, mode, _, blob, _) = os.fsdecode(next(fields, b"")), field.decode().split(" ")
        yield HistoricVersion(path, mode, blob, commit, ages.get(commit))


def list_changes(
    repository: Repository, paths: Sequence[str], tip: str, most_commits: int
) -> Iterator[tuple[str, Change]]:
    """List what the commits up to `tip` changed of `paths`, newest first; not of merges."""
    commits = repository.run(
        "rev-list", f"--max-count={most_commits}", "--no-merges", "--end-of-options", tip, "--"
    ).output
    result = repository.run(
        "diff-tree", "--stdin", "-r", "--root", "--raw", "--no-abbrev", "--no-renames", "-z",
        "--", *paths, feed=commits, env={"GIT_LITERAL_PATHSPECS": "1"},
    )  # fmt: skip
    commit = ""
    fields = iter(result.output.split(b"\0"))
    for field in fields:
        if field.startswith(b":"):
            yield commit, parse_change(field, next(fields, b""))
        else:
            commit = field.decode()


def list_parents(
    repository: Repository, tips: Sequence[str], most_commits: int
) -> dict[str, list[str]]:
    """The parents of the newest commits up to `tips`; of those `tips` that are here."""
    output = repository.run(
        "rev-list", "--parents", f"--max-count={most_commits}", "--ignore-missing", "--stdin",
        feed="".join(f"{tip}\n" for tip in tips).encode(),
    ).output.decode()  # fmt: skip
    return {commit: parents for commit, *parents in map(str.split, output.splitlines())}


def renamed_since(
    repository: Repository, tree: str, env: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The paths in the index of the files that were renamed since `tree`, by their old paths.

    By git's measure of half the lines; empty if there is no such tree-ish. `env` names the object
    directory that `tree` is in, if it is another.
    """
    result = repository.run(
        "diff-index", "--cached", "-M50%", "--diff-filter=R", "--name-status", "-z", tree, "--",
        index=repository.index_file, env=env,
    )  # fmt: skip
    _, *fields = [b"", *result.output.split(b"\0")[:-1]]
    paths = [os.fsdecode(field) for field in fields]
    return dict(zip(paths[1::3], paths[2::3], strict=True))


def renamed_since_left(
    repository: Repository, commit: str | None, left: Mapping[str, Entry | None]
) -> dict[str, str]:
    """The same since the files were as `left`, and all others as in `commit`.

    None in `left` is for a file that was deleted. So a file that no commit had is found under its
    new name, too, and one that now has the name of a deleted file.
    """
    kept = repository.present(entry.id for entry in left.values() if entry)
    entries = {path: entry for path, entry in left.items() if entry is None or entry.id in kept}
    with scratch_directory() as directory:
        scratch = build_index(repository, entries, Path(directory), tree=commit)
        tree = write_tree(repository, scratch.file, scratch.env)
        return renamed_since(repository, tree, scratch.env)


def new_names(repository: Repository, paths: Sequence[str]) -> dict[str, str]:
    """The paths in the index of the files that were renamed from `paths`, by their old paths.

    None of `paths` is in the index; by git's measure, since a commit that had them.
    """
    newest: dict[str, tuple[str, Change]] = {}
    for commit, change in list_changes(repository, paths, "HEAD", _MAX_COMMITS):
        newest.setdefault(change.path, (commit, change))
    deleted_by = {commit: None for commit, change in newest.values() if change.new is None}
    renamed: dict[str, str] = {}
    for since in ("HEAD", *(f"{commit}^" for commit in [*deleted_by][:_MAX_ASKED])):
        renamed = renamed_since(repository, since) | renamed
    return {path: renamed[path] for path in newest if path in renamed}


def find_blob(repository: Repository, abbreviated: str) -> str | None:
    """The full id of the blob whose id begins with `abbreviated`; None if it is not here.

    One at a time: git gives up at the first that it would have to fetch.
    """
    feed = f"{abbreviated}^{{blob}}\n".encode()
    command = ("cat-file", "--batch-check=%(objecttype) %(objectname)")
    kind, _, oid = repository.run(*command, feed=feed).output.decode().partition(" ")
    return oid.strip() if kind == "blob" else None


def readable_blobs(repository: Repository, ids: Sequence[str]) -> set[str]:
    """Those of `ids` that are here. `cat-file` would give up at the first that is not."""
    output = repository.run(
        "rev-list", "--objects", "--no-walk", "--missing=allow-any", "--ignore-missing", "--stdin",
        feed="".join(f"{oid}\n" for oid in ids).encode(),
    ).output  # fmt: skip
    return {line.split(b" ")[0].decode() for line in output.splitlines()}


def abbreviate_commits(repository: Repository, commits: Sequence[str]) -> tuple[str, ...]:
    """The ids of `commits`, abbreviated as `core.abbrev` has it; of one that is not here, all."""
    if not commits:
        return ()
    output = repository.run(
        "rev-list", "--no-walk=unsorted", "--ignore-missing", "--no-commit-header",
        "--format=%H %h", "--stdin", feed="".join(f"{commit}\n" for commit in commits).encode(),
    ).output.decode()  # fmt: skip
    found: dict[str, str] = {}
    for line in output.splitlines():
        commit, _, abbreviated = line.partition(" ")
        found[commit] = abbreviated
    return tuple(found.get(commit, commit) for commit in commits)
