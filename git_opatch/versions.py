"""The versions of a file that git keeps: what a patch may have been written against.

Its `index` line names one; the others are those of the file's history, HEAD and the journal. How
far back is looked is bounded in number, and so in time. A version that a partial clone has not got
is passed over, for the gateway fetches nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from git_opatch import journal
from git_opatch.blob import Entry, Mode
from git_opatch.errors import RepositoryError
from git_opatch.repository import Repository
from git_opatch.transaction import home_of

_MOST_COMMITS = 5000
_MOST_VERSIONS = 50
"""Of one file, from its history."""
_MOST_RECORDS = 100


class Version(NamedTuple):
    """A blob that a file was. `where` says where it was found, a commit by its whole id.

    `age` is how many commits came after that one, `stated` whether the patch names the blob.
    """

    id: str
    where: str
    age: int | None = None
    stated: bool = False


def versions(
    repository: Repository, stated: Mapping[str, str], tip: str
) -> dict[str, list[Version]]:
    """The versions of each file that are there to be read: that of the patch, then newest first.

    `stated` has, for each path, the id that the patch names, or nothing; `tip` is where history
    begins.
    """
    found: dict[str, dict[str, Version]] = {path: {} for path in stated}
    for path, version in (
        *_of_history(repository, list(stated), tip),
        *_of_tip(repository, list(stated), tip),
        *_of_journal(repository),
    ):
        if path in found:
            found[path].setdefault(version.id, version)
    for path, start in stated.items():
        blob = _whole(repository, start)
        if blob is not None:
            known = found[path].pop(blob, Version(blob, f"blob {blob[:10]}"))
            found[path] = {blob: known._replace(stated=True), **found[path]}
    present = _present(repository, [blob for those in found.values() for blob in those])
    return {
        path: [version for blob, version in those.items() if blob in present]
        for path, those in found.items()
    }


def _of_history(
    repository: Repository, paths: Sequence[str], tip: str
) -> Iterator[tuple[str, Version]]:
    """What commits made of `paths`, newest first; the outcome of a merge is a version, too."""
    commits = repository.run(
        "rev-list", f"--max-count={_MOST_COMMITS}", "--end-of-options", tip, "--"
    ).output
    answer = repository.run(
        "diff-tree", "--stdin", "-r", "-m", "--root", "--raw", "--no-abbrev", "--no-renames", "-z",
        "--", *paths, feed=commits, env={"GIT_LITERAL_PATHSPECS": "1"},
    )  # fmt: skip
    ages = {commit: age for age, commit in enumerate(commits.decode().split())}
    blobs: dict[str, set[str]] = {path: set() for path in paths}
    commit = ""
    fields = iter(answer.output.split(b"\0"))
    for field in fields:
        if not field.startswith(b":"):
            commit = field.decode()
            continue
        path, (_, mode, _, blob, _) = os.fsdecode(next(fields, b"")), field.decode().split(" ")
        known = blobs.get(path)
        if known is not None and _is_file(mode) and len(known) < _MOST_VERSIONS:
            known.add(blob)
            yield path, Version(blob, commit, ages.get(commit))


def _of_tip(
    repository: Repository, paths: Sequence[str], tip: str
) -> Iterator[tuple[str, Version]]:
    """What stands there, should no commit that was looked at have made it."""
    with suppress(RepositoryError):  # no commit yet
        for path, entry in repository.list_tree(tip, paths).items():
            if entry is not None and entry.mode.is_file:
                yield path, Version(entry.id, tip)


def _of_journal(repository: Repository) -> Iterator[tuple[str, Version]]:
    """What patches that were applied here made of files, and what stood there before."""
    records = (one for _, one in journal.entries(home_of(repository)))
    for record in islice(
        (one for one in records if isinstance(one, journal.Record)), _MOST_RECORDS
    ):
        for side in ("new", "old"):
            for change in record.changes:
                entry: Entry | None = getattr(change, side)
                if entry is not None and entry.mode.is_file:
                    yield change.path, Version(entry.id, f"record {record.number} of the journal")


def _is_file(mode: str) -> bool:
    return mode in (Mode.REGULAR.value, Mode.EXECUTABLE.value)


def _whole(repository: Repository, blob: str) -> str | None:
    """The whole id of the blob whose id begins so; None if it is not here.

    Asked of each by itself: git gives up at the first that it would have to fetch.
    """
    if not blob.strip("0"):
        return None
    feed = f"{blob}^{{blob}}\n".encode()
    command = ("cat-file", "--batch-check=%(objecttype) %(objectname)")
    kind, _, name = repository.run(*command, feed=feed).output.decode().partition(" ")
    return name.strip() if kind == "blob" else None


def _present(repository: Repository, blobs: Sequence[str]) -> set[str]:
    """Those of `blobs` that are here. `cat-file` would give up at the first that is not."""
    output = repository.run(
        "rev-list", "--objects", "--no-walk", "--missing=allow-any", "--ignore-missing", "--stdin",
        feed="".join(f"{blob}\n" for blob in blobs).encode(),
    ).output  # fmt: skip
    return {line.split(b" ")[0].decode() for line in output.splitlines()}


def describe(version: Version, repository: Repository) -> str:
    """When the file was so: "3f2c1ab (2 commits ago)"."""
    if version.age is None:
        return version.where
    short = repository.run("rev-parse", "--short", version.where).output.decode().strip()
    ago = f"{version.age} commit{'s' * (version.age > 1)} ago" if version.age else "the last commit"
    return f"{short} ({ago})"
