"""A diff against an older version of a file, merged with the present one by git, aside.

`git apply --3way` does it, in an index and an object directory of their own, and for conflicts in
a working tree of its own: attributes, merge drivers and the style of the markers are what they are
to git, and nothing of the repository is written.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from git_opatch.blob import Blob, Stages
from git_opatch.plumbing import PLAIN_DIFF, differing, fed
from git_opatch.repository import Repository

_APPLY = (
    "-c", "rerere.enabled=false",  # it would remember how a trial ended
    "apply", "--3way", "--whitespace=nowarn", "--no-ignore-whitespace",
)  # fmt: skip
_FELL_BACK = "Falling back to direct application"
"""What git says where it cannot merge, and tries to apply the diff as it is."""


class Unmerged(Enum):
    """Why there is no one content that diffs merge to."""

    CONFLICT = "conflict"
    DISAGREE = "disagree"
    """Against one version it comes to another content than against the others."""


class Merged(NamedTuple):
    """The content that a merge comes to, and the lines of the present one that differ from it.

    `edits` are those lines, each with how many others stand for them. `stages` is what git has of
    the path in the index if `data` has conflicts.
    """

    data: bytes
    edits: tuple[tuple[range, int], ...]
    stages: Stages | None = None


def merge(repository: Repository, present: Blob, diffs: Sequence[bytes]) -> Merged | Unmerged:
    """What all of `diffs`, each complete and against a version that git has, merge to."""
    with tempfile.TemporaryDirectory(prefix="git-opatch-") as name:
        folder = Path(name)
        index, env = repository.rebuilt_index({present.path: present.entry}, folder)
        found = {_tried(repository, present.path, diff, index, env) for diff in diffs}
        if len(found) > 1:
            return Unmerged.DISAGREE
        (blob,) = found
        if blob is None:
            return Unmerged.CONFLICT
        return _between(repository, present, blob, env)


def _tried(
    repository: Repository, path: str, diff: bytes, index: Path, env: Mapping[str, str]
) -> str | None:
    """The blob that `diff` merges to; None for conflicts, or where git cannot merge."""
    trial, file = index.with_name("trial"), index.with_name("diff")
    shutil.copy2(index, trial)
    file.write_bytes(diff)
    aside = {**env, "GIT_INDEX_FILE": str(trial)}
    answer = repository.run(*_APPLY, "--cached", str(file), env=aside)
    if answer.status or _FELL_BACK in answer.errors:
        return None
    (entry,) = repository.list_index([path], [], index=trial)
    return entry.entry.id


def _between(repository: Repository, present: Blob, blob: str, env: Mapping[str, str]) -> Merged:
    """From the present content to that of `blob`."""
    data = repository.read_blobs([blob], env=env)[blob]
    ids = (present.entry.id, blob)
    diff = repository.run("diff", *PLAIN_DIFF, *ids, "--", env=dict(env)).output
    return Merged(data, tuple(differing(diff)))


def with_conflicts(repository: Repository, present: Blob, diff: bytes) -> Merged | None:
    """The content with git's markers that `diff` merges to; None where git can make none.

    `present` is what the index has.
    """
    with tempfile.TemporaryDirectory(prefix="git-opatch-") as name:
        folder = Path(name)
        index, env = repository.rebuilt_index({}, folder)
        shutil.copy2(repository.index_file, index)  # attributes may stand there alone
        file, tree = folder / "diff", folder / "tree"
        file.write_bytes(diff)
        tree.mkdir()
        env = {**env, "GIT_WORK_TREE": str(tree)}
        there = ("-C", str(tree))  # git apply works where it stands, whatever the environment says
        feed = fed([present.path])
        repository.run(*there, "checkout-index", "-f", "-u", "-z", "--stdin", env=env, feed=feed)
        answer = repository.run(*there, *_APPLY, "--index", str(file), env=env)
        stages = {one.stage: one for one in repository.list_index([present.path], [], index=index)}
        if _FELL_BACK in answer.errors or set(stages) != {1, 2, 3}:
            return None
        repository.run(*there, "update-index", "-z", "--stdin", env=env, feed=feed)
        (marked,) = repository.list_index([present.path], [], index=index)
        theirs = stages[3].entry.id
        data = repository.read_blobs([theirs], env=env)[theirs]
        merged = _between(repository, present, marked.entry.id, env)
    return merged._replace(stages=Stages(stages[1].entry, stages[2].entry, data))
