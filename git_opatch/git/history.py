"""The versions of files that commits have, and which blobs can be read.

A version that a partial clone does not have is skipped: nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from git_opatch.git.output import parse_change, split_nul
from git_opatch.git.repository import Repository
from git_opatch.model.limits import MANY


class Version(NamedTuple):
    """A blob that the file at a path was.

    `where` is the commit's whole id, or says where else it was found; `age` is how many of the
    listed commits came after that one. `is_stated` is whether a patch names the blob.
    """

    path: str
    id: str
    where: str
    age: int | None = None
    is_stated: bool = False


def list_history(
    repository: Repository, paths: Sequence[str], tip: str, most_commits: int
) -> Iterator[Version]:
    """List what the commits up to `tip` made of the files at `paths`, newest first; merges, too."""
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
        change = parse_change(field, next(fields, b""))
        if change.new is not None and change.new.mode.is_file:
            yield Version(change.path, change.new.id, commit, ages.get(commit, 0))


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


def find_removal(repository: Repository, path: str) -> tuple[str, str] | None:
    """Return the last commit that took the file at `path` away, abbreviated, and what it moved it
    to, empty if it deleted it; None if none of the last `MANY` did."""
    env = {"GIT_LITERAL_PATHSPECS": "1"}
    commits = repository.run("rev-list", f"--max-count={MANY}", "HEAD", "--")
    found = repository.run(
        "diff-tree", "--stdin", "-r", "--diff-filter=D", "--no-renames", "--name-only",
        "-z", "--", path, feed=commits.output, env=env,
    )  # fmt: skip
    words = split_nul(found.output)
    if path not in words:
        return None
    commit = abbreviated(repository, words[words.index(path) - 1])
    shown = repository.run(
        "diff-tree", "-r", "-M", "--diff-filter=R", "--name-status", "-z", "--root",
        "--no-commit-id", commit,
    )  # fmt: skip
    triples = iter(split_nul(shown.output))
    moved = {old: new for _, old, new in zip(triples, triples, triples, strict=False)}
    return commit, moved.get(path, "")
