"""The program at a terminal of a given width."""

from __future__ import annotations

import os
import subprocess
import termios
from collections.abc import Iterator, Mapping
from threading import Thread

import inside
from sandbox import Sandbox


def in_terminal(
    repo: Sandbox,
    *words: str,
    columns: int = 80,
    env: Mapping[str, str] | None = None,
    program: str = "git-opatch",
    keyboard: bool = False,
    typed: str | None = None,
) -> tuple[int, str]:
    """Run `git opatch`, or `program`; return its status and all that it wrote to the terminal.

    Its standard input is empty, or the terminal if it has a `keyboard`, on which `typed` is typed.
    """
    ours, theirs = os.openpty()
    keyboard = keyboard or typed is not None
    os.write(ours, (typed or "").encode())
    nothing = os.open(os.devnull, os.O_RDONLY)
    termios.tcsetwinsize(theirs, (24, columns))
    streams = (theirs if keyboard else nothing, theirs, theirs)
    environment = {"TERM": "xterm-256color", **(env or {})}
    seen: list[bytes] = []
    reader = Thread(target=lambda: seen.extend(_pieces(ours)))
    reader.start()
    try:
        if program == "git-opatch" and not repo.as_program:
            status = inside.run_with(streams, ("git", "opatch", *words), repo.path, environment)
        else:
            status = _status([program, *words], streams, repo, environment)
    finally:
        os.close(theirs)
        reader.join()
        os.close(nothing)
        os.close(ours)
    return status, b"".join(seen).replace(b"\r\n", b"\n").decode()


def _status(
    words: list[str], streams: tuple[int, int, int], repo: Sandbox, env: Mapping[str, str]
) -> int:
    stdin, stdout, stderr = streams
    return subprocess.run(
        words, cwd=repo.path, stdin=stdin, stdout=stdout, stderr=stderr, env={**os.environ, **env}
    ).returncode


def _pieces(terminal: int) -> Iterator[bytes]:
    """Yield what is written until the last writer is gone, which Linux reports as an error."""
    try:
        while piece := os.read(terminal, 65536):
            yield piece
    except OSError:
        return
