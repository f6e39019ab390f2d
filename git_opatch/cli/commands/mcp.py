"""`git opatch mcp`: a server of the Model Context Protocol on standard input and output."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from git_opatch import report
from git_opatch.cli.groups import (
    TargetOptions,
)
from git_opatch.mcp.server import serve
from git_opatch.mcp.tools import Service
from git_opatch.model.errors import UsageError
from git_opatch.model.policy import Named
from git_opatch.report.terminal import show


def mcp(
    target: TargetOptions,
    root: str = ".",
    allow: list[str] | None = None,
    deny: list[str] | None = None,
    max_files: int | None = None,
) -> None:
    """Serve apply, edit, check, show, create, undo, redo and log by the Model Context Protocol.

    It reads messages from standard input until that is closed, and answers on standard output. The
    working tree is changed, unless an option or `opatch.target` says otherwise. A refusal is a
    result that says what to do. Pathspecs of --allow and --deny are relative to DIR, and hold for
    undo and redo, too. See docs/agents.md for the configuration of clients.
    """
    real = Path(os.path.realpath(os.path.expanduser(root)))
    if not real.is_dir():
        raise UsageError(f"--root: `{root}` is not a directory")
    service = Service(real, Named(allow, deny, max_files=max_files), target.named, target.carry)
    if sys.stdin is not None and sys.stdin.isatty():
        note = "waiting for a client of the Model Context Protocol; end it with Ctrl-D"
        show(report.notes([note]), sys.stderr)
    gc.enable()  # it was disabled for a run that is short
    with _message_streams() as (source, out):
        serve(source, out, service)


@contextmanager
def _message_streams() -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Take standard input and output for messages alone.

    What else is printed goes to standard error, and what else reads finds nothing: a hook that
    prints must not break the protocol.
    """
    source, out = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    with open(source, "rb") as reader, open(out, "wb") as writer:
        yield reader, writer
