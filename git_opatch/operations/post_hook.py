"""Run the `post-opatch` hook, which tells a watcher or an editor which files were changed.

It is found and run as git's hooks are (githooks(5)): by `core.hooksPath`, at the top of the working
tree, its output on standard error. It has no effect on the outcome. It is not run if the patch
itself changes it, or anything else in the directory of hooks: a patch must not bring a program that
runs (D132).
"""

from __future__ import annotations

import os

from git_opatch.git.hooks import any_is_hook, find_hook, run_hook
from git_opatch.git.output import nul_terminated
from git_opatch.git.repository import Repository
from git_opatch.plan.plan import Plan
from git_opatch.transaction.lock import after_commit

NAME = "post-opatch"


def finish(plan: Plan, repository: Repository) -> Plan:
    """Run the hook for a plan that was carried out; return it with notes on the hook.

    Raises `Interrupted`, which says that all was applied by then.
    """
    with after_commit():
        return plan.with_notes(_run_post_hook(plan, repository))


def _run_post_hook(plan: Plan, repository: Repository) -> list[str]:
    """Give the changed paths of `plan` to the hook, if there is one; return notes on a failure."""
    hook = find_hook(repository, NAME)
    if not plan.completed.changes or hook is None:
        return []
    if not os.access(hook, os.X_OK):
        return [f"the {NAME} hook was ignored: it is not executable"]
    paths = [change.path for change in plan.written.changes]
    if any_is_hook(repository, paths):
        return [f"the {NAME} hook was not run, because the patch changes hooks; look at them first"]
    try:
        changed = nul_terminated(change.path for change in plan.completed.changes)
        status = run_hook(repository, hook, feed=changed)
    except OSError as error:
        return [f"the {NAME} hook cannot be run: {error.strerror}"]
    except KeyboardInterrupt:
        return [f"the {NAME} hook was interrupted; the files are changed all the same"]
    if status:
        return [f"the {NAME} hook failed (status {status}); the files are changed all the same"]
    return []
