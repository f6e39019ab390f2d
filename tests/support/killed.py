"""Kill the program between two files, while it puts them in their places, or before a call."""

from __future__ import annotations

import signal
import sys

from sandbox import Sandbox

_PROGRAM = """
import os, signal, sys

left = int(sys.argv.pop(1))

def is_step(event, arguments):
    if event == "os.link":
        return "/opatch/txn/new/" in str(arguments[0])
    target = str(arguments[1]) if event == "os.rename" else ""
    return "/opatch/txn/files/" in target or target.endswith("/opatch/commit")

def note(event, arguments):
    global left
    if event in ("os.link", "os.rename") and is_step(event, arguments):
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(note)
sys.argv[0] = "git-opatch"
from git_opatch.__main__ import main
main()
"""


def kill_before(step: int, repo: Sandbox, patch: bytes, *words: str) -> None:
    """Apply `patch` and kill the program before its n-th step.

    The steps are: each old file is moved away (deleted ones first, then modified ones), each new
    one gets its name (modified ones right after they are moved away, added ones last), and the
    commit point.
    """
    command = [sys.executable, "-c", _PROGRAM, str(step), "apply", *words]
    ran = repo.program(*command, feed=patch)
    assert ran.status == -signal.SIGKILL, ran
    assert (repo.path / ".git/opatch/txn").exists()


_BEFORE = """
import os, signal, sys

event, ending = sys.argv.pop(1), sys.argv.pop(1)

def note(name, arguments):
    paths = [str(path) for path in arguments[:2] if isinstance(path, (str, os.PathLike))]
    if name == event and paths and paths[-1].endswith(ending):
        os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(note)
sys.argv[0] = "git-opatch"
from git_opatch.__main__ import main
main()
"""


def kill_before_call(
    repo: Sandbox, event: str, ending: str, *words: str, feed: bytes = b""
) -> None:
    """Run the program with `words`, and kill it before a call.

    The call is told by its audit event, such as `os.rename` (os.replace is one, too), and how its
    last path ends.
    """
    command = [sys.executable, "-c", _BEFORE, event, ending, *words]
    ran = repo.program(*command, feed=feed)
    assert ran.status == -signal.SIGKILL, ran
