"""Running one tool once on a case: in a real repository, from the same state each time."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from speed_inputs import Case
from trees import git, seal

LIMIT = 100.0
"""Seconds after which a run is ended."""

_LONG_AGO = 1_000_000_000
_SPELLINGS = ("envelope", "invented", "finished")


@dataclass(frozen=True, slots=True)
class Tool:
    """A command, run at the top of a repository beside which the patch lies in three spellings.

    `leaves` is what `git status` says of the changed files afterwards: "M " where they are
    staged, " M" where they are not, and nothing for a command that changes none.
    """

    name: str
    command: tuple[str, ...]
    leaves: str = "M "


@dataclass(frozen=True, slots=True)
class Sample:
    """One run: its seconds, and how it ended.

    `verdict` is "ok", "refused" (and nothing was changed), "WRONG" or "endless".
    """

    seconds: float
    verdict: str


class Stage:
    """A repository for one case, in `directory`."""

    def __init__(self, case: Case, directory: Path) -> None:
        self._case = case
        self._directory = directory
        self._top = directory / "repository"
        sealed = seal(directory).items()
        self._environment = {key: value for key, value in sealed if not key.startswith("PYTHON")}
        self._top.mkdir(parents=True)
        for name in _SPELLINGS:
            (directory / name).write_bytes(getattr(case, name))
        self._build()

    def _build(self) -> None:
        git(self._top, "init", "--quiet", "--initial-branch=main")
        # all objects into a pack, so that `_restore` can tell what a run has made
        packed = ("-c", "fastimport.unpackLimit=1", "fast-import", "--quiet")
        git(self._top, *packed, feed=b"".join(_history(self._case)))

    def run(self, tool: Tool) -> Sample:
        """Run `tool` once, from the state that all runs begin in."""
        self._restore()
        null, start = subprocess.DEVNULL, time.perf_counter()
        process = subprocess.Popen(
            tool.command, cwd=self._top, env=self._environment,
            stdin=null, stdout=null, stderr=null, start_new_session=True,
        )  # fmt: skip
        alarm = threading.Timer(LIMIT, os.killpg, (process.pid, signal.SIGKILL))
        alarm.start()
        status = process.wait()
        seconds = time.perf_counter() - start
        alarm.cancel()
        return Sample(seconds, self._verdict(status, tool) if seconds < LIMIT else "endless")

    def _restore(self) -> None:
        """Undo the last run: files, index, new objects; let all stat data be clean and old."""
        own = self._top / ".git"
        shutil.rmtree(own / "opatch", ignore_errors=True)
        for leftover in own.glob("index.*"):
            leftover.unlink()
        for objects in own.glob("objects/[0-9a-f][0-9a-f]"):
            shutil.rmtree(objects)
        git(self._top, "reset", "--quiet", "--hard")
        for path in self._case.before:
            os.utime(self._top / path, (_LONG_AGO, _LONG_AGO))
        git(self._top, "update-index", "-q", "--refresh")
        os.sync()  # or the first tool that asks for it writes what this function left

    def _verdict(self, status: int, tool: Tool) -> str:
        applied = status == 0 and bool(tool.leaves)
        after = self._case.after if applied else self._case.before
        changed = [f"{tool.leaves} {path}" for path in sorted(after or ())] if applied else []
        listed = git(self._top, "status", "--porcelain").decode().splitlines()
        if after is None or listed != changed or not self._holds(after):
            return "WRONG"
        return "refused" if status else "ok"

    def _holds(self, files: dict[str, bytes]) -> bool:
        return all((self._top / path).read_bytes() == data for path, data in files.items())


def _history(case: Case) -> Iterator[bytes]:
    """One commit with the case's files, as `git fast-import` reads it: objects in a pack."""
    yield b"blob\nmark :1\ndata 11\nbackground\n\n"
    yield b"commit refs/heads/main\ncommitter a <a@example.com> 1700000000 +0000\ndata 0\n"
    for at in range(case.background):
        yield b"M 100644 :1 background/%03d/file_%d.txt\n" % (at % 500, at)
    for path, data in case.before.items():
        yield b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data)
