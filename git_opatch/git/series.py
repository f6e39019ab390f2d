"""The branch while a series of commits is made on it, and how it is restored after a failure.

    <directory>/series.json     where the branch was, the trees of the commits, the locks of others
    <directory>/restoring       exists once git was asked to restore the branch

Git may be killed while it holds the locks of HEAD and of the branch, and then no git can move the
branch. Git does not say whose a lock is; so one is removed only if all of this holds (D134):

- no git of the interrupted run is alive, which the caller knows: he has the run's own lock;
- nobody removed our lock of the index, and so no other commit, checkout or reset was made since;
- it was not there when the series began, and is not older;
- it names the commit that was to be made, or is empty, as that of HEAD always is, and that commit
  has been written and is not on the branch yet: then our git was just about to move it;
- it stays as it is for longer than git holds such a lock.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from git_opatch.git.commit_locks import HELD, lock_stamp, ref_locks
from git_opatch.git.head import Head, commit_id, commits_since
from git_opatch.git.integrity import COARSE, loose_objects
from git_opatch.git.repository import Repository
from git_opatch.git.torn import remove_torn_objects, restore_torn_branch
from git_opatch.model.errors import RepositoryError

_SERIES, _RESTORING = "series.json", "restoring"


class _Series(NamedTuple):
    head: Head
    trees: list[str]
    since: int
    foreign: list[str]
    """The locks that were there before."""


class RestoredBranch(NamedTuple):
    """What became of the branch: it is at `head` again, without `commits`, or was left alone."""

    head: str = ""
    commits: tuple[str, ...] = ()
    """Those that were taken off it, oldest first."""
    kept: str = ""
    """Its name, if it was left alone."""


def record_series(
    repository: Repository, directory: Path, head: Head, trees: Sequence[str]
) -> None:
    """Record in `directory` that commits of `trees` are about to be made on top of `head`."""
    file = directory / _SERIES
    foreign = [name for name, lock in ref_locks(repository, head) if os.path.lexists(lock)]
    series = {
        "head": head.id,
        "ref": head.ref,
        "trees": list(trees),
        "since": time.time_ns(),
        "foreign": foreign,
    }
    partial = file.with_suffix(".tmp")
    with partial.open("w") as written:
        json.dump(series, written)
    repository.sync([partial])
    os.replace(partial, file)
    repository.sync([directory])


def change_series(directory: Path, trees: Sequence[str]) -> None:
    """Record other `trees` of the commits, for example because a hook changed one."""
    file = directory / _SERIES
    partial = file.with_suffix(".tmp")
    partial.write_text(json.dumps({**json.loads(file.read_bytes()), "trees": list(trees)}))
    os.replace(partial, file)


def restore_series(repository: Repository, directory: Path, *, undisturbed: bool) -> RestoredBranch:
    """Set the branch back to where it was before the commits recorded in `directory`.

    Only if all commits made since are of that series, by their trees; otherwise leaves the branch
    alone. `undisturbed` is whether the index is still locked by that run. May
    be repeated. Raises `RepositoryError` if git fails, as for a lock of somebody else.
    """
    series = _read(directory)
    if series is None:
        return RestoredBranch()
    head, trees = series.head, series.trees
    remove_torn_objects(repository, series.since)
    restore_torn_branch(repository, head, series.since)
    tip = commit_id(repository, head.ref)
    made = commits_since(repository, head.id, tip)
    if undisturbed:
        _remove_locks(repository, directory, series, tip, len(made))
    if tip == head.id:
        return RestoredBranch()
    if not made or [tree for _, tree in made] != trees[: len(made)]:
        return RestoredBranch(kept=head.ref)
    change = [head.ref, head.id, tip] if head.id else ["-d", head.ref, tip]
    (directory / _RESTORING).touch()
    repository.ask("update-ref", "--no-deref", "-m", "git opatch: restore", *change)
    return RestoredBranch(head.id, tuple(commit for commit, _ in made))


def _read(directory: Path) -> _Series | None:
    file = directory / _SERIES
    try:
        found = json.loads(file.read_bytes())
        return _Series(
            Head(str(found["head"]), str(found["ref"])),
            list(map(str, found["trees"])),
            int(found["since"]),
            list(map(str, found["foreign"])),
        )
    except FileNotFoundError:
        return None
    except (OSError, LookupError, TypeError, ValueError):
        raise RepositoryError(f"{file} is damaged; look at it, then move it away") from None


def _remove_locks(
    repository: Repository, directory: Path, series: _Series, tip: str, made: int
) -> None:
    """Remove the locks that our own git left (see above)."""
    locks = [
        lock for name, lock in ref_locks(repository, series.head) if name not in series.foreign
    ]
    stamps = {lock: stamp for lock in locks if (stamp := lock_stamp(lock)) is not None}
    if not stamps:
        return
    expected = set(_unfinished_commits(repository, series, tip, made))
    if (directory / _RESTORING).exists():
        expected.add(series.head.id)
    time.sleep(HELD)
    for lock, stamp in stamps.items():
        if lock_stamp(lock) != stamp or stamp[1] < series.since - COARSE or not expected:
            continue
        content = lock.read_text("ascii", "replace").strip()
        if not content or content in expected:
            lock.unlink(missing_ok=True)


def _unfinished_commits(
    repository: Repository, series: _Series, tip: str, made: int
) -> Iterator[str]:
    """The next commit of the series, if it was written and the branch not moved to it."""
    if made >= len(series.trees):
        return
    feed = "".join(f"{oid}\n" for oid in loose_objects(repository.objects, series.since)).encode()
    if not feed:
        return
    listed = repository.ask("cat-file", "--batch-check=%(objecttype) %(objectname)", feed=feed)
    rows = [line.split(" ") for line in listed.decode().splitlines()]
    commits = repository.read_blobs(oid for kind, oid, *_ in rows if kind == "commit")
    wanted = {f"tree {series.trees[made]}", *([f"parent {tip}"] if tip else [])}
    for oid, data in commits.items():
        if wanted <= set(data.partition(b"\n\n")[0].decode("utf-8", "replace").splitlines()):
            yield oid
