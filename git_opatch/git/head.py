"""HEAD, what is staged compared with it, and the versions of files that commits have.

A version that a partial clone does not have is skipped: nothing is fetched.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from git_opatch.git.output import GitResult, git_message, parse_change, split_nul
from git_opatch.git.repository import Repository
from git_opatch.model.blob import Change, Entry
from git_opatch.model.errors import CommitError, RepositoryError
from git_opatch.model.limits import MANY
from git_opatch.model.sentences import Notice

# Worded as by `git commit --amend` in the same state, and named as by git-status(1); with the
# command that git has for it.
_UNFINISHED = {
    "MERGE_HEAD": ("a merge", "merge"),
    "CHERRY_PICK_HEAD": ("a cherry-pick", "cherry-pick"),
    "REVERT_HEAD": ("a revert", "revert"),
    "rebase-merge": ("a rebase", "rebase"),
    "rebase-apply/applying": ("an am session", "am"),
    "rebase-apply": ("a rebase", "rebase"),
    "sequencer": ("a cherry-pick or revert", "cherry-pick"),
}
_SAME_TIME = 60  # seconds


class Head(NamedTuple):
    """The id of HEAD's commit, empty on an unborn branch, and the full name of its branch.

    Without a branch, `ref` is `HEAD`.
    """

    id: str
    ref: str


def read_head(repository: Repository) -> Head:
    """Read where HEAD is now."""
    ref = _answer(repository.run("symbolic-ref", "--quiet", "HEAD"))
    return Head(object_id(repository, "HEAD"), ref or "HEAD")


def committed_entries(repository: Repository, paths: Iterable[str]) -> dict[str, Entry]:
    """What HEAD has at those of `paths` at which it has a file; nothing before the first commit."""
    with suppress(RepositoryError):
        listed = repository.list_tree("HEAD", list(paths))
        return {path: entry for path, entry in listed.items() if entry is not None}
    return {}


def moved_since(repository: Repository, file: Path, written: int) -> bool:
    """Return whether HEAD moved, by a commit or otherwise, after `file` was written.

    By the time of its log (gitrepository-layout(5), "logs"). True if that is not known: if there is
    none, or `file` has another time than `written`, in seconds, as in a copy of the repository.
    """
    try:
        log, now = os.stat(repository.git_dir / "logs/HEAD"), os.stat(file)
    except OSError:
        return True
    return log.st_mtime_ns >= now.st_mtime_ns or abs(now.st_mtime - written) > _SAME_TIME


def require_finished(repository: Repository) -> None:
    """Raise `CommitError` in the middle of a merge, cherry-pick, revert, rebase or am.

    A rebase that stopped for an `edit`, a `break` or an `exec` waits for commits (git-rebase(1)).
    """
    rebase = repository.git_dir / "rebase-merge"
    waits = (rebase / "amend").exists() or not (rebase / "stopped-sha").exists()
    for file, (name, command) in _UNFINISHED.items():
        if os.path.lexists(repository.git_dir / file) and not (waits and file == rebase.name):
            raise CommitError(Notice.UNFINISHED.fill(name=name, command=command))


def empty_tree(repository: Repository) -> str:
    """The id of the tree without entries, which every repository knows."""
    return hashlib.new(repository.algorithm, b"tree 0\0", usedforsecurity=False).hexdigest()


def staged_changes(repository: Repository, head: str) -> list[Change]:
    """The differences between the commit `head` and the index, without paths only intended to be
    added.

    An unmerged path has no entry after the change, nor one before it if it is new.
    """
    output = repository.ask(
        "diff-index", "--cached", "--raw", "--no-renames", "--no-abbrev", "-z",
        "--ita-invisible-in-index", "--ignore-submodules=none",
        head or empty_tree(repository), "--",
    )  # fmt: skip
    return _changes(output)


def committed_changes(repository: Repository, since: str, commit: str) -> list[Change]:
    """The differences between two commits; `since` may be empty."""
    flags = ("-r", "--raw", "--no-renames", "--no-abbrev", "-z")
    before = since or empty_tree(repository)
    return _changes(repository.ask("diff-tree", *flags, before, commit, "--"))


def _changes(output: bytes) -> list[Change]:
    fields = output.split(b"\0")
    return [parse_change(raw, path) for raw, path in zip(fields[::2], fields[1::2], strict=False)]


def commit_after(repository: Repository, since: str, tip: str) -> str:
    """The first commit after `since` up to `tip`, by first parents; both are ids, or empty.

    Empty if `tip` is not a descendant of `since`. Raises `RepositoryError` if git was killed.
    """
    if not tip or tip == since:
        return ""
    revisions = [tip, f"^{since}"] if since else [tip]
    flags = ("--first-parent", "--reverse", "--parents")
    result = repository.run("rev-list", *flags, *revisions, "--")
    if result.killed:
        raise RepositoryError("git was killed while it looked for commits")
    first, *above = result.output.decode().partition("\n")[0].split() or ("",)
    return first if (above or [""])[0] == since else ""


def object_id(repository: Repository, name: str, kind: str = "commit") -> str:
    """The id of the commit, or of the object of another kind, that `name` stands for.

    Empty if there is none. Raises `RepositoryError` if git fails, which is not an answer.
    """
    flags = ("--verify", "--quiet", "--end-of-options")
    return _answer(repository.run("rev-parse", *flags, f"{name}^{{{kind}}}"))


def _answer(result: GitResult) -> str:
    """The line that git printed; empty for its status 1, which says that there is nothing."""
    if result.status not in (0, 1):
        message = git_message(result.errors)
        raise RepositoryError(message or f"git ended with status {result.status}")
    return os.fsdecode(result.output).removesuffix("\n") if not result.status else ""


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
