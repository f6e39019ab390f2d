"""What an interrupted run left: told, and ended before anything else is done."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from git_opatch import journal, pending
from git_opatch.errors import BusyError
from git_opatch.repository import Repository
from git_opatch.transaction import (
    Backup,
    exclusive,
    home_of,
    is_interrupted,
    needs_sweeping,
    recover,
)


def finish_interrupted(repository: Repository) -> list[str]:
    """End what an interrupted run left, and say what was done. Raises `BusyError`."""
    if not needs_sweeping(repository) and not pending.is_pending(home_of(repository)):
        return []
    with exclusive(home_of(repository)):
        return tidy_up(repository)


def refuse_interrupted(repository: Repository) -> None:
    """For what only looks at the working tree. Raises `BusyError` if it is half written."""
    if is_interrupted(repository):
        raise BusyError(
            "an apply is at work here, or was interrupted; then `git opatch recover`, or the next "
            "`git opatch apply` without --check, puts it back"
        )


def tidy_up(repository: Repository) -> list[str]:
    """End what an interrupted run left, and say what was done. The caller has the lock."""
    return _recovered(repository) + pending.finish(repository, home_of(repository))


def _recovered(repository: Repository) -> list[str]:
    restored = recover(repository, partial(_record, home_of(repository)))
    if restored is None:
        return []
    if restored.finished:
        return [f"an interrupted apply was finished ({_count(restored.finished)})"]
    if not restored.kept:
        return [f"an interrupted apply was put back ({_count(restored.paths)})"]
    return [
        "an interrupted apply could not be put back whole, because the repository was changed "
        f"since; the versions before it are in {restored.backup}",
        *(f"{path}: left as it is" for path in restored.kept[:20]),
    ]


def _count(paths: Sequence[str]) -> str:
    return f"{len(paths)} file{'s' * (len(paths) != 1)}"


def _record(home: Path, backup: Backup) -> None:
    """Write down what was finished; how much is kept is left to whoever applies next.

    What left files unmerged cannot be taken back as it is: it has no record of all of it.
    """
    if backup.about.get("unmerged"):
        return
    with suppress(OSError):
        diff = backup.diff.read_bytes()
        journal.record(home, diff, backup.changes, backup.target, backup.about, sys.maxsize)
