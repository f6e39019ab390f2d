"""In reverse: a file that the patch added, and that is nowhere, is as before the patch (D471)."""

from __future__ import annotations

import os
from collections.abc import Sequence

from git_opatch.git.history import new_names
from git_opatch.git.repository import Repository
from git_opatch.journal import Record
from git_opatch.model.failure import Failure
from git_opatch.model.options import Options, Target
from git_opatch.model.sentences import Fault
from git_opatch.plan.renamed_files import renamed_files


def mark_absent(
    failures: Sequence[Failure],
    repository: Repository,
    options: Options,
    record: Record | None,
) -> list[Failure]:
    """Return the failures of a patch in reverse; those of added files that are nowhere say so.

    A file that is in the working tree, or has another name now, is somewhere. `record` is the
    journal's of the patch, if there is one.
    """
    missing = [each for each in failures if each.fault is Fault.ADDED_FILE_NOT_APPLIED]
    if options.base is None and options.target is not Target.CACHED:
        top = repository.require_worktree()
        missing = [each for each in missing if not os.path.lexists(top / each.path)]
    if missing and options.base is None:
        paths = [each.path for each in missing]
        named = renamed_files(record, repository) if record else new_names(repository, paths)
        missing = [each for each in missing if each.path not in named]
    return [
        each._replace(fault=Fault.NOT_APPLIED) if each in missing else each for each in failures
    ]
