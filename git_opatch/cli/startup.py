"""Start and end fast. All tricks to that end are here, with what each of them saves.

`benchmarks/speed.py` measures a small `git opatch apply`, and
`tests/project/test_layers.py` tests that help and a command import no more than they need.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress


def disable_garbage_collection() -> None:
    """Save a tenth of a run, which is short and makes few reference cycles."""
    gc.disable()


def enable_garbage_collection() -> None:
    """Collect again: for a run that may take hours."""
    gc.enable()


def skip_version_check() -> None:
    """Let GitPython, when it is imported, not run `git version` twice, which takes 8 ms.

    It looks for git under a name that cannot be run. Its commands have the name `git` all the same,
    and the variable is removed after the import (`git/runner.py`).
    """
    os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
    os.environ.setdefault("GIT_PYTHON_GIT_EXECUTABLE", os.devnull)


def exit_at_once(status: int) -> None:
    """Exit without finalizing the interpreter, module by module, which takes 25 ms.

    If a stream cannot be flushed, exit in the ordinary way: Python has a status for that.
    """
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)
