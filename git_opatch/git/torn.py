"""What a power cut leaves of git's own `git commit`, and how it is put back (D342).

By default git syncs a branch, but not the new commit's objects, nor the index. So the branch may
lead to a commit that is not whole, and the index may be cut off. What they were before is recorded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from git_opatch.git.commit_locks import remove_stable_locks
from git_opatch.git.head import Head, read_head
from git_opatch.git.index import list_everything
from git_opatch.git.integrity import is_whole_index, is_whole_object, loose_object, loose_objects
from git_opatch.git.repository import Repository
from git_opatch.model.errors import RepositoryError
from git_opatch.model.text import visible

_SHOWN = 12  # digits of an id


def restore_torn_branch(repository: Repository, before: Head, since: int) -> list[str]:
    """Put the branch of HEAD back to `before` if it leads to nothing that git can read; notes.

    A commit that is not whole must have been made on `before`, and so by the run that recorded it:
    git makes none on a commit that it cannot read. Locks of HEAD and the branch from `since` on, in
    nanoseconds, go with it. Raises `RepositoryError` if git fails.
    """
    ref = before.ref
    head = _path(repository, "HEAD")  # git fails to tell a branch whose file is empty
    if ref not in ("HEAD", os.fsdecode(head.read_bytes()).removeprefix("ref: ").strip()):
        return []
    tip = repository.run("rev-parse", "--verify", "--quiet", ref).output.decode().strip()
    if tip == before.id or (tip and _is_whole(repository, tip, before.id)):
        return []
    if not (_is_made_on(repository, tip, before.id) if tip else _is_torn(repository, before)):
        return []
    remove_stable_locks(repository, before, since, {"", tip})
    change = [ref, before.id, tip or "0" * len(before.id)] if before.id else ["-d", ref, tip]
    repository.ask("update-ref", "--no-deref", "-m", "git opatch: restore", *change)
    name = visible(ref.removeprefix("refs/heads/"))
    place = f"put back to {before.id[:_SHOWN]}" if before.id else "without a commit, as before"
    return [f"git's commit was not whole on the disk after a power cut: {name} is {place}"]


def remove_torn_objects(repository: Repository, since: int) -> None:
    """Delete damaged loose objects from `since` on, in nanoseconds.

    They hold nothing, and git would take them for present when it makes the same ones again.
    """
    for oid in loose_objects(repository.objects, since):
        file = Path(loose_object(repository.objects, oid))
        if not is_whole_object(file, oid, repository.algorithm):
            file.unlink(missing_ok=True)


def restore_torn_index(repository: Repository, saved: Path, before: Head) -> list[str]:
    """Put `saved`, a copy of the index, back if the index is not whole; notes.

    So if nothing was committed on `before`, and it has the same entries: then the index may name
    trees that are lost, and git would take them for present. Raises `RepositoryError` if an index
    that is not whole is locked.
    """
    index = repository.index_file
    if not is_whole_index(repository, saved):
        return []
    is_whole = is_whole_index(repository, index)
    if is_whole and (
        read_head(repository) != before
        or list_everything(repository, index) != list_everything(repository, saved)
    ):
        return []
    lock = index.with_name(index.name + ".lock")
    try:
        with lock.open("xb") as file:
            file.write(saved.read_bytes())
    except FileExistsError:
        if is_whole:
            return []
        raise RepositoryError(
            f"git's index was not whole on the disk after a power cut, and {visible(str(lock))} is "
            "left: if no git is at work, remove it, and run `git opatch recover` again"
        ) from None
    repository.sync([lock])
    os.replace(lock, index)
    return (
        []
        if is_whole
        else ["git's index was not whole on the disk after a power cut: it is as before the commit"]
    )


def commit_files(repository: Repository, ref: str, since: int) -> Iterator[Path]:
    """What `git commit` on the branch `ref` has written since then: index, objects and branch."""
    yield from (repository.index_file, repository.index_file.parent)
    for oid in loose_objects(repository.objects, since):
        file = Path(loose_object(repository.objects, oid))
        yield from (file, file.parent)
    yield repository.objects
    branch = repository.objects.parent / ref
    yield from (branch, branch.parent)


def _is_whole(repository: Repository, tip: str, before: str) -> bool:
    """Return whether git can read all commits and trees that `tip` has beyond `before`."""
    beyond = [tip, f"^{before}"] if before else [tip]
    result = repository.run("rev-list", "--quiet", "--objects", *beyond, "--")
    if result.killed:
        raise RepositoryError("git was killed while it read the new commit")
    return not result.status


def _is_made_on(repository: Repository, tip: str, before: str) -> bool:
    """Return whether a commit has the parent `before`, or cannot be read at all."""
    result = repository.run("cat-file", "commit", tip)
    if result.killed:
        raise RepositoryError("git was killed while it read the new commit")
    header = result.output.partition(b"\n\n")[0].decode("utf-8", "replace").splitlines()
    parents = [line for line in header if line.startswith("parent ")]
    return bool(result.status) or parents == ([f"parent {before}"] if before else [])


def _is_torn(repository: Repository, before: Head) -> bool:
    """Return whether a branch that had a commit has lost it: git deletes its log with a branch.

    The file of the branch, if it is there, has nothing; it is removed, for git to write it.
    """
    if not before.id:
        return False
    branch, log = (_path(repository, name) for name in (before.ref, f"logs/{before.ref}"))
    if not os.path.lexists(branch):
        return log.exists()
    if branch.is_symlink() or branch.read_bytes().strip(b"\0 \n"):
        return False
    branch.unlink()
    return True


def _path(repository: Repository, name: str) -> Path:
    output = repository.ask("rev-parse", "--path-format=absolute", "--git-path", name)
    return Path(os.fsdecode(output).removesuffix("\n"))
