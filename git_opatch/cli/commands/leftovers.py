"""`git opatch leftovers`: markers of patches in files that are about to be committed."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from itertools import islice

from git_opatch.agent.markers import find_markers, is_patch_file, is_reject_file
from git_opatch.git.head import object_id, staged_changes
from git_opatch.git.index import list_index
from git_opatch.git.output import nul_terminated
from git_opatch.git.pathspec import all_tracked_paths, matching_paths, tracked_paths
from git_opatch.git.repository import Repository
from git_opatch.model.errors import RepositoryError, UsageError
from git_opatch.model.limits import SHOWN
from git_opatch.model.paths import pathspec
from git_opatch.model.settings import Settings
from git_opatch.model.text import visible
from git_opatch.report.terminal import show, write_data

_BATCH_SIZE = 200  # files that are read at once


def leftovers(
    files: list[str] | None = None,
    all_files: bool = False,
    allow: list[str] | None = None,
    zero: bool = False,
) -> int:
    """List staged files that have markers of patches, such as `*** Begin Patch`, on a line.

    Named files, or with --all every tracked file, are searched whether they are staged or not,
    always as they are in the index.
    Files of rejected hunks (.rej) and of former versions (.orig) are listed, too. Patches
    (.opatch, .patch, .diff) may have markers, and Markdown in its fences. Exit status: 0 there
    are none, 1 there are, 128 no repository.
    """
    settings = (repository := Repository(asks_settings=True)).settings()
    if repository.top is None:
        raise RepositoryError("no working tree here, and so no index to search")
    paths = _searched(repository, files or [], all_files=all_files)
    paths = [path for path in paths if not is_patch_file(path)]
    paths = _without_allowed(repository, paths, allow or [], settings)
    markers = list(_found(repository, paths))
    if zero:
        write_data(nul_terminated(dict(markers)))
    else:
        show((_line(path, marker) for path, marker in markers), sys.stdout, settings)
        paths = list(dict(markers))[:SHOWN]
        show(map(_way_to_exempt, paths), sys.stderr, settings)
    return int(bool(markers))


def _searched(repository: Repository, files: Sequence[str], *, all_files: bool) -> list[str]:
    """List the paths to search. Raises `UsageError` and `RepositoryError`."""
    if files and all_files:
        raise UsageError("--all searches every tracked file; name no file with it")
    if all_files:
        return all_tracked_paths(repository)
    if files:
        return tracked_paths(repository, files, os.getcwd())
    staged = staged_changes(repository, object_id(repository, "HEAD"))
    return [change.path for change in staged if change.new]


def _without_allowed(
    repository: Repository, paths: Sequence[str], allow: Sequence[str], settings: Settings
) -> list[str]:
    exempt: set[str] = set()
    configured = settings.every("opatch.leftovers")
    for specs, directory in ((allow, os.getcwd()), (configured, "")):
        if specs and paths:
            exempt |= matching_paths(repository, paths, specs, directory)
    return [path for path in paths if path not in exempt]


def _found(
    repository: Repository, paths: Sequence[str]
) -> Iterator[tuple[str, tuple[int, bytes] | None]]:
    """Yield the files of the index with each of their markers; None for the file itself."""
    rest = iter(paths)
    while batch := set(islice(rest, _BATCH_SIZE)):
        listed = list_index(repository, batch, [], index=repository.index_file)
        files = {
            entry.path: entry.entry.id
            for entry in listed
            if entry.path in batch and entry.stage == 0 and entry.entry.mode.is_file
        }
        data = repository.read_blobs(files.values())
        for path, oid in files.items():
            if is_reject_file(path):
                yield path, None
            yield from ((path, marker) for marker in find_markers(path, data[oid]))


def _way_to_exempt(path: str) -> str:
    """Say how to exempt the file at `path`, so that hooks leave it out, too."""
    spec = shlex.quote(pathspec(path).removeprefix(":/"))  # the setting counts from the top
    return f"to exempt {visible(path)}: git config --add opatch.leftovers {visible(spec)}"


def _line(path: str, marker: tuple[int, bytes] | None) -> str:
    """Describe a marker, or a file that should not exist (None), as `git diff --check` does."""
    if marker is None:
        return f"{visible(path)}: may be left from a patch that did not apply"
    number, text = marker
    return f"{visible(path)}:{number}: leftover of a patch: {visible(text)}"
