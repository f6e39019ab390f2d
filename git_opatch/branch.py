"""Where HEAD is, what is staged beside it, and a branch put back where it was."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from git_opatch.blob import Change, Entry, Mode
from git_opatch.errors import CommitError
from git_opatch.plumbing import Answer
from git_opatch.repository import Repository

_SERIES = "series.json"
# The words are those of `git commit --amend` in the same place; the names those of git-status(1).
_UNFINISHED = {
    "MERGE_HEAD": ("merge", "merge"),
    "CHERRY_PICK_HEAD": ("cherry-pick", "cherry-pick"),
    "REVERT_HEAD": ("revert", "revert"),
    "rebase-merge": ("rebase", "rebase"),
    "rebase-apply/applying": ("am session", "am"),
    "rebase-apply": ("rebase", "rebase"),
    "sequencer": ("cherry-pick or revert", "cherry-pick"),
}


class Head(NamedTuple):
    """`id` is its commit's, empty on an unborn branch; `ref` is the branch in full, `HEAD` for
    none."""

    id: str
    ref: str


def read_head(repository: Repository) -> Head:
    """Where HEAD is now."""
    ref = _line(repository.run("symbolic-ref", "--quiet", "HEAD"))
    return Head(_commit(repository, "HEAD"), ref or "HEAD")


def refuse_unfinished(repository: Repository) -> None:
    """Raises `CommitError` in the middle of a merge, cherry-pick, revert, rebase or am."""
    for name, (what, command) in _UNFINISHED.items():
        if os.path.lexists(repository.git_dir / name):
            raise CommitError(
                f"you are in the middle of a {what} -- cannot apply and commit; first "
                f"`git {command} --continue` or `git {command} --abort`; nothing was changed"
            )


def staged(repository: Repository, head: Head) -> list[Change]:
    """What the index has other than HEAD; a path that is only to be added has nothing yet.

    An unmerged path has no entry after the change, nor one before it if it is new.
    """
    empty = hashlib.new(repository.algorithm, b"tree 0\0", usedforsecurity=False).hexdigest()
    output = repository.ask(
        "diff-index", "--cached", "--raw", "--no-renames", "--no-abbrev", "-z",
        "--ita-invisible-in-index", "--ignore-submodules=none", head.id or empty, "--",
    )  # fmt: skip
    about = output.split(b"\0")
    return [_change(raw, path) for raw, path in zip(about[::2], about[1::2], strict=False)]


def _change(raw: bytes, path: bytes) -> Change:
    old_mode, new_mode, old, new, _ = raw[1:].decode().split(" ")
    return Change(os.fsdecode(path), _entry(old_mode, old), _entry(new_mode, new))


def _entry(mode: str, oid: str) -> Entry | None:
    return Entry(Mode(mode), oid) if mode != "000000" else None


def write_tree(repository: Repository, index: Path) -> str:
    """The id of the tree that `index` stands for. Raises `RepositoryError`."""
    tree = repository.ask("write-tree", env={"GIT_INDEX_FILE": str(index)})
    return tree.decode().removesuffix("\n")


def commits_since(repository: Repository, since: str, tip: str) -> list[tuple[str, str]]:
    """The ids of the commits and their trees from `since`, oldest first, by first parents.

    Empty as well if `tip` does not come after it.
    """
    if not tip or tip == since:
        return []
    wanted = [tip, f"^{since}"] if since else [tip]
    form = "--format=%H %T %P"
    flags = ("--first-parent", "--reverse", "--no-show-signature", "--no-color", form)
    answer = repository.run("log", *flags, *wanted, "--")
    rows = [line.split(" ") for line in answer.output.decode().splitlines()]
    follows = rows and (rows[0][2:] or [""])[0] == since
    return [(row[0], row[1]) for row in rows] if follows else []


def tree_of(repository: Repository, commit: str) -> str:
    """The id of the tree of `commit`."""
    return _line(repository.run("rev-parse", "--verify", "--quiet", f"{commit}^{{tree}}"))


def is_in_history(repository: Repository, commit: str) -> bool:
    """Whether HEAD has `commit` among its ancestors, or is it."""
    return repository.run("merge-base", "--is-ancestor", commit, "HEAD").status == 0


def note_series(folder: Path, head: Head, trees: Sequence[str]) -> None:
    """Write down in `folder` that commits of these trees are about to follow `head`."""
    noted = {"head": head.id, "ref": head.ref, "trees": list(trees)}
    with (folder / _SERIES).open("w") as file:
        json.dump(noted, file)
        file.flush()
        os.fsync(file.fileno())


def put_back_series(repository: Repository, folder: Path) -> str | None:
    """Let the branch be where it was before the commits that are noted in `folder`.

    Only if what came since is these commits, by their trees; else the name of the branch, which
    is left alone. May be done again.
    """
    try:
        noted = json.loads((folder / _SERIES).read_bytes())
    except FileNotFoundError:
        return None
    head, ref, trees = Head(noted["head"], noted["ref"]), noted["ref"], noted["trees"]
    tip = _commit(repository, ref)
    if tip == head.id:
        return None
    made = commits_since(repository, head.id, tip)
    ours = [tree for _, tree in made] == trees[: len(made)]
    what = [ref, head.id, tip] if head.id else ["-d", ref, tip]
    words = ("update-ref", "--no-deref", "-m", "git opatch: put back", *what)
    if not made or not ours or repository.run(*words).status:
        return str(ref)
    return None


def _commit(repository: Repository, name: str) -> str:
    return _line(repository.run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"))


def _line(answer: Answer) -> str:
    return os.fsdecode(answer.output).removesuffix("\n") if not answer.status else ""
