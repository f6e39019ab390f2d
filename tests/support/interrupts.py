"""When the program can be interrupted: a traceback from before its first line is Python's."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

_SECONDS = 60


def hold_interrupts(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Python ignore interrupts from its start until the program catches them."""
    directory.mkdir()
    (directory / "sitecustomize.py").write_text(
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    )
    path = [str(directory), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, path)))


def wait_for_main(process: int) -> None:
    """Wait until the program that `process` is, or has started, catches interrupts, or ended."""
    deadline = time.monotonic() + _SECONDS
    for field in ("SigIgn", "SigCgt"):
        while not (_has_ended(process) or _is_set(field, [process, *_descendants(process)])):
            assert time.monotonic() < deadline
            time.sleep(0.0005)


def _is_set(field: str, processes: list[int]) -> bool:
    """Whether one of the programs that are written in Python ignores, or catches, interrupts."""
    masks = (_status(process, field) for process in processes if _is_python(process))
    return any(int(mask, 16) >> (signal.SIGINT - 1) & 1 for mask in masks if mask)


def _is_python(process: int) -> bool:
    try:
        return "python" in os.readlink(f"/proc/{process}/exe")
    except OSError:
        return False


def _has_ended(process: int) -> bool:
    """Whether it ended, or is a shell that became `sleep` when its program ended."""
    return _status(process, "State") in ("", "Z") or _status(process, "Name") == "sleep"


def _status(process: int, field: str) -> str:
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return ""
    return next((line.split()[1] for line in lines if line.startswith(f"{field}:")), "")


def _descendants(process: int) -> list[int]:
    try:
        words = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return []
    children = list(map(int, words))
    return [*children, *(deeper for child in children for deeper in _descendants(child))]
