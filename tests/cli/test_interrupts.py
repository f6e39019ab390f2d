"""Ctrl-C at a terminal, twice, at any moment: one line, status 130, no traceback (D122)."""

from __future__ import annotations

import os
import pty
import signal
import termios
import time
from pathlib import Path

import pytest
from interrupts import hold_interrupts, wait_for_main
from sandbox import Sandbox
from writers import envelope

_BEFORE, _AFTER = b"a\nb\nc\n", b"a\nB\nc\n"
_MOMENTS = 12
_SECONDS = 60


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": _BEFORE})
    repo.write(".git/p", envelope(b"*** Update File: f\n@@\n-b\n+B\n"))
    return repo


class Terminal:
    """A program in a terminal of its own, whose keyboard the test has."""

    def __init__(self, directory: Path, *words: str) -> None:
        self.pid, self._keyboard = pty.fork()
        if not self.pid:
            os.chdir(directory)
            modes = termios.tcgetattr(0)
            modes[3] |= termios.NOFLSH  # else a Ctrl-C discards output that is not read yet
            termios.tcsetattr(0, termios.TCSANOW, modes)
            os.execvp(words[0], words)

    def press_ctrl_c(self) -> None:
        """The terminal sends the interrupt to each process that runs in the foreground."""
        os.write(self._keyboard, b"\x03")

    def end(self) -> tuple[int, str]:
        """Read until the program ends; return its status, and what it wrote without the echo."""
        seen = bytearray()
        deadline = time.monotonic() + _SECONDS
        while time.monotonic() < deadline:
            try:
                piece = os.read(self._keyboard, 65536)
            except OSError:  # Linux: the last writer is gone
                break
            if not piece:
                break
            seen += piece
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self._keyboard)
        return status, seen.replace(b"\r\n", b"\n").replace(b"^C", b"").decode()


@pytest.mark.parametrize("words", [("git", "opatch"), ("git-opatch",)], ids=" ".join)
def test_two_interrupts_at_any_moment_give_one_line(
    base: Sandbox, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold_interrupts(tmp_path / "python", monkeypatch)
    monkeypatch.setenv("NO_COLOR", "1")
    start = time.monotonic()
    assert Terminal(base.path, *words, "apply", ".git/p").end()[0] == 0
    usual = time.monotonic() - start
    base.git("reset", "--quiet", "--hard")
    interrupted = 0
    for moment in range(_MOMENTS):
        terminal = Terminal(base.path, *words, "apply", ".git/p")
        wait_for_main(terminal.pid)
        time.sleep(usual * moment / _MOMENTS / 2)
        terminal.press_ctrl_c()
        time.sleep(0.002 * (moment % 5))
        terminal.press_ctrl_c()
        status, seen = terminal.end()
        assert "Traceback" not in seen
        assert "Exception" not in seen
        lines = [line for line in seen.splitlines() if line]
        assert len(lines) == 1, seen
        if status:
            assert status in (130, -signal.SIGINT)
            assert lines[0].startswith("error: interrupted")
            interrupted += 1
        assert base.read("f") == base.index()["f"][1]
        expected = _AFTER if not status or "had been applied" in seen else _BEFORE
        assert base.read("f") == expected
        base.git("reset", "--quiet", "--hard")
    assert interrupted
