"""`git opatch recover`: what an interrupted run left, put back or finished."""

from __future__ import annotations

import sys

from git_opatch import report
from git_opatch.commands import choices
from git_opatch.interrupted import finish_interrupted
from git_opatch.report import document
from git_opatch.report.terminal import show, write_data
from git_opatch.repository import Repository
from git_opatch.transaction import patiently


def recover(wait: choices.Wait = 0, json: choices.Json = False) -> None:
    """Put back what an interrupted apply left half done, or finish what was all but done.

    The next `git opatch apply` or `undo` does it, too. Files that somebody changed meanwhile
    are left alone, and named. Exit status: 0 done, or nothing to do; 128 at work, or damaged.
    """
    settings = (repository := Repository(asks_settings=True)).settings()
    done = patiently(lambda: finish_interrupted(repository), wait)
    if json:
        write_data(document.one("recover", 0, document.recovered(done)))
    else:
        show(report.sentences(done) or [report.NOTHING_TO_RECOVER], sys.stdout, settings)
