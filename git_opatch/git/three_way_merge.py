"""Merge a diff against an older version of a file with the present version, by git.

`git apply --3way` does it, in a scratch index, and for conflicts in a working tree of its own:
attributes, merge drivers and the style of the conflict markers are what they are to git, and
nothing of the repository is written.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from git_opatch.git.index import ScratchIndex, build_index, list_index
from git_opatch.git.output import nul_terminated
from git_opatch.git.repository import Repository
from git_opatch.git.scratch import scratch_directory
from git_opatch.model.blob import Blob, Stages

_APPLY = (
    "-c", "rerere.enabled=false",  # it would record how a trial ended
    "apply", "--3way", "--whitespace=nowarn", "--no-ignore-whitespace",
)  # fmt: skip
_FELL_BACK = "Falling back to direct application"
"""Git's message where it cannot merge, and tries to apply the diff as it is; its exit status does
not tell. GitPython runs git with `LC_ALL=C`, so that it is never translated."""


class Unmerged(Enum):
    """Why diffs do not merge to one content."""

    CONFLICT = "conflict"
    DISAGREE = "disagree"
    """Against one version the outcome differs from that against another."""


class Merged(NamedTuple):
    """The content that a merge results in, and its differences from the present content.

    `edits` are the lines of the present content, from 0, that are replaced, each with the number
    of lines that replace them. `stages` are the stages of the path if `data` has conflicts.
    """

    data: bytes
    edits: tuple[tuple[range, int], ...]
    stages: Stages | None = None


def merge(repository: Repository, present: Blob, diffs: Sequence[bytes]) -> Merged | Unmerged:
    """Merge each of `diffs`, complete and against a version that git has; all must agree."""
    with scratch_directory() as name:
        scratch = build_index(repository, {present.path: present.entry}, Path(name))
        blobs = {_merge_diff(repository, present.path, diff, scratch) for diff in diffs}
        if len(blobs) > 1:
            return Unmerged.DISAGREE
        (blob,) = blobs
        if blob is None:
            return Unmerged.CONFLICT
        return _merged(repository, present, blob, scratch.env)


def _merge_diff(
    repository: Repository, path: str, diff: bytes, scratch: ScratchIndex
) -> str | None:
    """The id of the blob that `diff` merges to; None for conflicts, or where git cannot merge."""
    trial, file = scratch.file.with_name("trial"), scratch.file.with_name("diff")
    shutil.copy2(scratch.file, trial)
    file.write_bytes(diff)
    result = repository.run(*_APPLY, "--cached", str(file), index=trial, env=scratch.env)
    if result.status or _FELL_BACK in result.errors:
        return None
    (listed,) = list_index(repository, [path], [], index=trial)
    return listed.entry.id


def _merged(repository: Repository, present: Blob, blob: str, env: Mapping[str, str]) -> Merged:
    data = repository.read_blobs([blob], env=env)[blob]
    return Merged(data, tuple(repository.blob_differences(present.entry.id, blob, env)))


def with_conflicts(repository: Repository, present: Blob, diff: bytes) -> Merged | None:
    """Merge `diff` and mark the conflicts; None where git cannot merge, or has no conflict.

    `present` is the content in the index.
    """
    with scratch_directory() as name:
        directory = Path(name)
        index, env = build_index(repository, {}, directory)
        shutil.copy2(repository.index_file, index)  # attributes may be only in the index
        file, tree = directory / "diff", directory / "tree"
        file.write_bytes(diff)
        tree.mkdir()
        env = {**env, "GIT_WORK_TREE": str(tree)}
        git = ("-C", str(tree))  # git apply writes below its working directory, whatever is set
        feed = nul_terminated([present.path])
        repository.run(*git, "checkout-index", "-f", "-u", "-z", "--stdin", env=env, feed=feed)
        result = repository.run(*git, *_APPLY, "--index", str(file), env=env)
        listed = list_index(repository, [present.path], [], index=index)
        stages = {entry.stage: entry.entry for entry in listed}
        if _FELL_BACK in result.errors or set(stages) != {1, 2, 3}:
            return None
        repository.run(*git, "update-index", "-z", "--stdin", env=env, feed=feed)
        (marked,) = list_index(repository, [present.path], [], index=index)
        theirs = stages[3].id
        data = repository.read_blobs([theirs], env=env)[theirs]
        merged = _merged(repository, present, marked.entry.id, env)
    return merged._replace(stages=Stages(stages[1], stages[2], data))
