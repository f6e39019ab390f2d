"""What `--json` answers, where a command came to a decision; `cli` answers for errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from git_opatch.apply import plan_patch
from git_opatch.errors import OpatchError
from git_opatch.options import Options
from git_opatch.outcome import Failure
from git_opatch.patch import Patch
from git_opatch.plan import Plan, resolve_paths
from git_opatch.repository import Repository

if TYPE_CHECKING:
    from git_opatch.report.values import Fields


def refused(
    failures: Sequence[Failure], patch: Patch, repository: Repository, options: Options
) -> Fields:
    """The outcome of `patch`, which does not apply."""
    from git_opatch.report import document

    already = all_applied(failures, options, lambda those: plan_patch(patch, repository, those))
    named = resolved(patch, repository, options)
    return document.refused(failures, options, named, already=already)


def all_applied(
    failures: Sequence[Failure], options: Options, look: Callable[[Options], Plan]
) -> bool:
    """Whether a patch is refused because all of it is there: passed over, it leaves nothing.

    `look` gives the plan of the patch with other options.
    """
    there = all(one.is_done for one in failures)
    if options.reverse or not there:
        return False
    plan = look(replace(options, skip_applied=True))
    return not plan.failures and not plan.completed.changes


def resolved(patch: Patch, repository: Repository, options: Options) -> Patch:
    """`patch` with its paths as failures name them."""
    return resolve_paths(patch, options.directory, str(repository.top or ""))


@contextmanager
def noted(notes: Sequence[str]) -> Iterator[None]:
    """Let an error that is raised inside carry `notes`, for the document that it becomes."""
    try:
        yield
    except OpatchError as error:
        for note in notes:
            error.add_note(note)
        raise
