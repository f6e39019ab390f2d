"""The real program at a terminal of a given width."""

from __future__ import annotations

import os
import subprocess
import termios
from collections.abc import Iterator, Mapping

from sandbox import Sandbox


def in_terminal(
    repo: Sandbox,
    *words: str,
    columns: int = 80,
    env: Mapping[str, str] | None = None,
    program: str = "git-opatch",
    keyboard: bool = False,
) -> tuple[int, str]:
    """The status of `git opatch`, or of `program`, and all that it wrote to the terminal.

    Its standard input is empty, or the terminal if it has a `keyboard`.
    """
    ours, theirs = os.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    termios.tcsetwinsize(theirs, (24, columns))
    running = subprocess.Popen(
        [program, *words],
        cwd=repo.path,
        stdin=theirs if keyboard else subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={**environment, "TERM": "xterm-256color", **(env or {})},
    )
    os.close(theirs)
    seen = b"".join(_pieces(ours)).replace(b"\r\n", b"\n").decode()
    os.close(ours)
    return running.wait(), seen


def _pieces(terminal: int) -> Iterator[bytes]:
    """What is written until the last writer is gone, which Linux tells by an error."""
    try:
        while piece := os.read(terminal, 65536):
            yield piece
    except OSError:
        return
