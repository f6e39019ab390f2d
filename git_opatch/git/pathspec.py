"""Pathspecs: the paths that the user's match, and globs of ours."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from git_opatch.git.index import build_index
from git_opatch.git.output import nul_terminated, split_nul
from git_opatch.git.repository import Repository
from git_opatch.git.runner import PATHSPEC_DEFAULTS
from git_opatch.git.scratch import scratch_directory
from git_opatch.model.paths import parents


def tracked_paths(repository: Repository, files: Sequence[str], directory: str) -> list[str]:
    """The tracked paths at or below `files`, which are relative to `directory`.

    Raises `RepositoryError` if one of them is not tracked.
    """
    env = {"GIT_LITERAL_PATHSPECS": "1"}
    return _list_files(repository, files, directory, env, "--error-unmatch")


def all_tracked_paths(repository: Repository) -> list[str]:
    """All paths of the index, each once."""
    return list(dict.fromkeys(split_nul(repository.ask("ls-files", "-z"))))


def ignored_paths(repository: Repository, paths: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Those of `paths`, which are not tracked, that git ignores: each with the pattern and its
    place, `FILE:LINE`."""
    feed = nul_terminated(paths)
    words = iter(split_nul(repository.run("check-ignore", "-v", "-z", "--stdin", feed=feed).output))
    found = zip(words, words, words, words, strict=False)
    return {
        path: (pattern, f"{source}:{line}")
        for source, line, pattern, path in found
        if not pattern.startswith("!")
    }


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
    users = {name: os.environ.get(name, default) for name, default in PATHSPEC_DEFAULTS.items()}
    with scratch_directory() as scratch:
        _, env = build_index(repository, paths, Path(scratch))
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
