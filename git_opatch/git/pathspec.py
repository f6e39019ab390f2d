"""Pathspecs: the paths that the user's match, and globs of ours."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from git_opatch.git.index import build_index
from git_opatch.git.output import escape_glob, split_nul
from git_opatch.git.repository import Repository
from git_opatch.git.runner import PATHSPEC_DEFAULTS
from git_opatch.git.scratch import scratch_directory
from git_opatch.model.blob import Entry, Mode, blob_id
from git_opatch.model.paths import parents
from git_opatch.model.text import Text

_BEGINNING = 3
"""So many characters of two names are equal where one may be meant by the other."""


def similar_paths(repository: Repository, path: str, tree: str | None = None) -> list[str]:
    """The tracked paths whose file names begin like that of `path`, in any letter case, or that
    are in the same directory, or in one with the same name; those of `tree`, else of the index."""
    directory, _, name = path.rpartition("/")
    parent = directory.rpartition("/")[2]
    if tree is not None:
        return [
            other
            for other in repository.list_files(tree)
            if _is_similar(other, directory, parent.lower(), name[:_BEGINNING].lower())
        ]
    siblings = f"{escape_glob(directory)}/*" if directory else "*"
    globs = [f":(top,glob,icase)**/{escape_glob(name[:_BEGINNING])}*", f":(top,glob){siblings}"]
    if parent:
        globs.append(f":(top,glob,icase)**/{escape_glob(parent)}/*")
    return split_nul(repository.ask("ls-files", "-z", "--", *globs))


def _is_similar(other: str, directory: str, parent: str, beginning: str) -> bool:
    above, _, name = other.rpartition("/")
    if above == directory or name.lower().startswith(beginning):
        return True
    return bool(parent) and above.rpartition("/")[2].lower() == parent


def existing_paths(repository: Repository, paths: Iterable[str], tree: str | None) -> set[str]:
    """Those of `paths` that are files of `tree`, or of the index if there is none."""
    wanted = sorted(paths)
    if tree is not None:
        return {path for path, entry in repository.list_tree(tree, wanted).items() if entry}
    literal = {"GIT_LITERAL_PATHSPECS": "1"}
    return set(split_nul(repository.ask("ls-files", "-z", "--", *wanted, env=literal)))


def tracked_paths(repository: Repository, files: Sequence[str], directory: str) -> list[str]:
    """The tracked paths at or below `files`, which are relative to `directory`.

    Raises `RepositoryError` if one of them is not tracked.
    """
    env = {"GIT_LITERAL_PATHSPECS": "1"}
    return _list_files(repository, files, directory, env, "--error-unmatch")


def is_ignored(repository: Repository, path: str) -> bool:
    """Whether `path`, of an untracked file, is ignored: then `git add` refuses it without `-f`."""
    return repository.run("check-ignore", "--quiet", "--", path).status == 0


def all_tracked_paths(repository: Repository) -> list[str]:
    """All paths of the index, each once."""
    return list(dict.fromkeys(split_nul(repository.ask("ls-files", "-z"))))


def matching_paths(
    repository: Repository, paths: Iterable[str], pathspecs: Sequence[str], directory: str
) -> set[str]:
    """Those of `paths`, whether they exist or not, that `pathspecs` match, as in `directory`.

    Raises `RepositoryError`, with git's message, for what is not a pathspec.
    """
    wanted = set(paths)
    levels: dict[int, list[str]] = {}
    for path in wanted:  # an index cannot have a file and another one below it
        levels.setdefault(sum(parent in wanted for parent in parents(path)), []).append(path)
    matched = (_match(repository, level, pathspecs, directory) for level in levels.values())
    return set().union(*matched)


def _match(
    repository: Repository, paths: list[str], pathspecs: Sequence[str], directory: str
) -> list[str]:
    """The same for paths none of which is below another, by an index of just these paths."""
    entry = Entry(Mode.REGULAR, blob_id(Text([]), repository.algorithm))
    users = {name: os.environ.get(name, default) for name, default in PATHSPEC_DEFAULTS.items()}
    with scratch_directory() as scratch:
        _, env = build_index(repository, dict.fromkeys(paths, entry), Path(scratch))
        return _list_files(repository, pathspecs, directory, {**env, **users})


def _list_files(
    repository: Repository,
    pathspecs: Sequence[str],
    directory: str,
    env: Mapping[str, str],
    *flags: str,
) -> list[str]:
    """The index's paths that `pathspecs` match; `ls-files` lists only below its directory."""
    change = ("-C", directory or ".") if repository.top is not None else ()
    command = (*change, "ls-files", "-z", "--full-name", *flags, "--", *pathspecs)
    return split_nul(repository.ask(*command, env=env))
