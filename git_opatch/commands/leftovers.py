"""`git opatch leftovers`: marks of patches in files that are about to be committed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from itertools import islice

import typer

from git_opatch.commands import choices
from git_opatch.errors import RepositoryError
from git_opatch.leftovers import is_patch_file, is_written_beside, marks_in
from git_opatch.plumbing import Settings, fed
from git_opatch.report import leftovers as report
from git_opatch.report.terminal import show, write_data
from git_opatch.repository import Repository

_AT_ONCE = 200


def leftovers(
    files: choices.Searched = None,
    allow: choices.MayHave = None,
    zero: choices.PathsAlone = False,
) -> None:
    """Say which staged files have marks of patches, such as `*** Begin Patch`, on a line.

    Named files are looked at whether they are staged or not, always as they are in the index.
    Files of rejected hunks (.rej) and of former versions (.orig) must not be there at all. Patches
    (.opatch, .patch, .diff) may have marks, and Markdown in its fences. Exit status: 0 there
    are none, 1 there are, 128 no repository.
    """
    settings = (repository := Repository(asks_settings=True)).settings()
    if repository.top is None:
        raise RepositoryError("here is no working tree, and so no index to look at")
    paths = repository.tracked(files, os.getcwd()) if files else repository.staged()
    paths = [path for path in paths if not is_patch_file(path)]
    paths = _without_allowed(repository, paths, allow or [], settings)
    found = list(_found(repository, paths))
    if zero:
        write_data(fed(dict(found)))
    else:
        show((report.left(path, mark) for path, mark in found), sys.stdout, settings)
    if found:
        raise typer.Exit(1)


def _without_allowed(
    repository: Repository, paths: Sequence[str], allow: Sequence[str], settings: Settings
) -> list[str]:
    exempt: set[str] = set()
    configured = settings.every("opatch.leftovers")
    for specs, directory in ((allow, os.getcwd()), (configured, "")):
        if specs and paths:
            exempt |= repository.matched(paths, specs, directory)
    return [path for path in paths if path not in exempt]


def _found(
    repository: Repository, paths: Sequence[str]
) -> Iterator[tuple[str, tuple[int, bytes] | None]]:
    """What is left in the index, and where; None is the file itself."""
    rest = iter(paths)
    while some := set(islice(rest, _AT_ONCE)):
        listed = repository.list_index(some, [], index=repository.index_file)
        files = {
            one.path: one.entry.id
            for one in listed
            if one.path in some and one.stage == 0 and one.entry.mode.is_file
        }
        data = repository.read_blobs(files.values())
        for path, oid in files.items():
            if is_written_beside(path):
                yield path, None
            yield from ((path, mark) for mark in marks_in(path, data[oid]))
