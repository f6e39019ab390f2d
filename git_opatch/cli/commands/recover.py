"""`git opatch recover`: restore or finish what an interrupted run left."""

from __future__ import annotations

import sys

from git_opatch import report
from git_opatch.git.repository import Repository
from git_opatch.operations.recover import recover_interrupted
from git_opatch.report import document
from git_opatch.report.terminal import show, write_data


def recover(json: bool = False) -> int:
    """Recover from an interrupted apply: restore what it changed, or finish it.

    The next `git opatch apply` or `undo` does the same. Files that were changed since are left as
    they are, and named, with the place of the version before. If it fails, it can be run again.
    Exit status: 0 done, or nothing to do; 1 something was changed since, and is left as it is; 128
    an apply is running, its files are damaged, or git or the system failed.
    """
    settings = (repository := Repository(asks_settings=True)).settings()
    recovery = recover_interrupted(repository)
    status = int(bool(recovery.kept))
    if json:
        fields = document.recovered(recovery.notes, recovery.kept)
        write_data(document.render("recover", status, fields))
    else:
        notes = report.sentences(recovery.notes)
        show(notes or [report.NOTHING_TO_RECOVER], sys.stdout, settings)
    return status
