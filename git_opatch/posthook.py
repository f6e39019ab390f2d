"""The `post-opatch` hook: tells a watcher or an editor which files were changed.

Found and run as git's hooks are (githooks(5)): by `core.hooksPath`, at the top of the working
tree, its output on standard error. What it does to the outcome is nothing: that stands already.
"""

from __future__ import annotations

import os
import subprocess

from git_opatch.plan import Plan
from git_opatch.plumbing import fed
from git_opatch.repository import Repository

NAME = "post-opatch"


def run_post_hook(plan: Plan, repository: Repository) -> None:
    """Give the changed paths of `plan` to the hook, if there is one; a note says if it failed."""
    hook = repository.hooks / NAME
    if not plan.completed.changes or not hook.is_file():
        return
    if not os.access(hook, os.X_OK):
        plan.notes.append(f"the {NAME} hook was ignored: it is not executable")
        return
    top = repository.require_worktree()
    where = {"GIT_DIR": str(repository.git_dir), "GIT_WORK_TREE": str(top)}
    try:
        ran = subprocess.run(
            [hook],
            input=fed(change.path for change in plan.completed.changes),
            stdout=2,  # standard output is ours
            cwd=top,
            env={**os.environ, **where},
            check=False,
        )
    except OSError as error:
        plan.notes.append(f"the {NAME} hook cannot be run: {error.strerror}")
    except KeyboardInterrupt:
        plan.notes.append(f"the {NAME} hook was interrupted; the files are changed all the same")
    else:
        if ran.returncode:
            how = f"failed (status {ran.returncode})"
            plan.notes.append(f"the {NAME} hook {how}; the files are changed all the same")
