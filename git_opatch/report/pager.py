"""Send what is printed through the user's pager, by git's rules.

Only on a terminal: `GIT_PAGER`, `core.pager`, `PAGER`, else `less`; `cat`, or nothing, is no pager.
`git --no-pager` and `git -p` decide before us, as does `pager.opatch`.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from git_opatch.git.repository import Repository
from git_opatch.git.runner import start_pager
from git_opatch.report.terminal import set_paging

_FALSE = ("false", "no", "off", "0")


@contextmanager
def paged(repository: Repository, settings: Mapping[str, str]) -> Iterator[None]:
    """Page what is printed inside, if standard output is a terminal.

    That the user leaves the pager early is not an error.
    """
    command = _pager(repository, settings)
    process = start_pager(command) if command else None
    if process is None or process.stdin is None:
        yield
        return
    sys.stdout.flush()
    terminal = os.dup(1)
    os.dup2(process.stdin.fileno(), 1)
    process.stdin.close()
    set_paging(True)
    try:
        with suppress(BrokenPipeError):
            yield
    finally:
        with suppress(OSError):
            sys.stdout.flush()
        set_paging(False)
        os.dup2(terminal, 1)
        os.close(terminal)
        # an interrupt is for the pager, which stops what it is doing and goes on
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        process.wait()
        signal.signal(signal.SIGINT, handler)


def _pager(repository: Repository, settings: Mapping[str, str]) -> str:
    """Return the command of the pager; empty for none."""
    if not sys.stdout.isatty() or settings.get("pager.opatch", "").lower() in _FALSE:
        return ""
    command = os.fsdecode(repository.run("var", "GIT_PAGER").output).strip()
    return "" if command == "cat" else command
