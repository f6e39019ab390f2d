"""What to do about a file that is missing or left unmerged.

Is the missing one untracked, or spelled otherwise?
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from shlex import quote

from git_opatch.blob import Stages
from git_opatch.options import Options, Target
from git_opatch.outcome import Failure, Reason
from git_opatch.repository import Repository
from git_opatch.snapshot import is_file

_MOST_ADVISED = 3  # each asks git once
_MOST_COMPARED = 1000
_PLAIN = re.compile(r"[\w./-]+")


def with_advice(
    failures: Sequence[Failure], repository: Repository, options: Options
) -> list[Failure]:
    """`failures`, those of the first few missing files told apart."""
    advised = (_with_advice(one, repository, options) for one in failures[:_MOST_ADVISED])
    return [*advised, *failures[_MOST_ADVISED:]]


def _with_advice(failure: Failure, repository: Repository, options: Options) -> Failure:
    if failure.reason is not Reason.MISSING_FILE or failure.advice:
        return failure
    in_index = options.base is None and options.target is not Target.WORKTREE
    if in_index and repository.top is not None and is_file(repository.top / failure.path):
        return _untracked(failure, options)
    alike = _alike(failure.path, repository.tracked_like(failure.path))
    if not alike:
        advice = "check the path; it counts from the top of the working tree"
        return failure._replace(advice=advice)
    advice = "did you mean " + " or ".join(f"`{one}`" for one in alike) + "?"
    return failure._replace(advice=advice, alike=alike)


def _untracked(failure: Failure, options: Options) -> Failure:
    if options.commit:  # what is only added is not in HEAD, and --worktree stages nothing
        return failure._replace(
            reason=Reason.UNTRACKED, message="is untracked: add and commit it first"
        )
    return failure._replace(
        reason=Reason.UNTRACKED,
        message="is untracked: use --worktree, or `git add` it first",
        advice=options.command_with("--worktree"),
    )


def _alike(path: str, tracked: Sequence[str]) -> tuple[str, ...]:
    """Up to three of the `tracked` paths that may be meant by `path`."""
    name = path.rpartition("/")[2].lower()
    same = [one for one in tracked if one.rpartition("/")[2].lower() == name and one != path]
    return tuple(same[:3] or get_close_matches(path, tracked[:_MOST_COMPARED], n=1, cutoff=0.8))


def with_ways_on(
    failures: Sequence[Failure], stages: Mapping[str, Stages], record: int, options: Options
) -> list[Failure]:
    """`failures`, those of files that were left unmerged with how to go on, and how to go back.

    `record` is the journal's of what was applied besides, 0 if nothing was.
    """
    rest = f" && git opatch undo {record}" if record else ""
    return [
        one._replace(advice="\n".join(_ways_on(one.path, stages[one.path], rest, options)))
        if one.path in stages
        else one
        for one in failures
    ]


def _from_the_top(path: str) -> str:
    """The pathspec for `path`, wherever it is typed."""
    return f":/{path}" if _PLAIN.fullmatch(path) else f":(top,literal){path}"


def _ways_on(path: str, stages: Stages, rest: str, options: Options) -> tuple[str, str]:
    name, ours = quote(_from_the_top(path)), stages.ours
    if options.target is Target.CACHED:
        entry = quote(f"{ours.mode.value},{ours.id},{path}")
        back = f"git update-index --cacheinfo {entry}"
    else:
        back = f"git checkout --ours -- {name} && git add -- {name}"
    return (
        f"to go on: resolve the conflicts in {path}, then git add -- {name}",
        f"to go back: {back}{rest}",
    )
