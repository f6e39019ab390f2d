"""The versions of files that commits have, and which blobs can be read.

A version that a partial clone does not have is skipped: nothing is fetched.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from git_opatch.git.repository import Repository

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


def find_blob(repository: Repository, abbreviated: str) -> str | None:
    """The full id of the blob whose id begins with `abbreviated`; None if it is not here.

    One at a time: git gives up at the first that it would have to fetch.
    """
    feed = f"{abbreviated}^{{blob}}\n".encode()
    command = ("cat-file", "--batch-check=%(objecttype) %(objectname)")
    kind, _, oid = repository.run(*command, feed=feed).output.decode().partition(" ")
    return oid.strip() if kind == "blob" else None


def abbreviated(repository: Repository, commit: str) -> str:
    """The id of a commit, abbreviated as `core.abbrev` has it; all of it if it is not here."""
    found = repository.run("rev-parse", "--verify", "--quiet", "--short", commit)
    return found.output.decode().strip() or commit
