"""Ctrl-C at a terminal, twice, at any moment: one line, status 130, no traceback (D122)."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from sandbox import Sandbox
from writers import envelope

import git_opatch

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


_BEFORE, _AFTER = b"a\nb\nc\n", b"a\nB\nc\n"
_MOMENTS = 6
_MANY_MOMENTS = 80
_SECONDS = 60
_LINE_OF_GIT = "error: waitpid for git-opatch failed"
"""What git says, and ends with 128, where an interrupt finds it already waiting for us."""


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": _BEFORE})
    repo.write(".git/p", envelope(b"*** Update File: f\n@@\n-b\n+B\n"))
    return repo


# The shell that leads the session stays until all was read: when it ends, output may be lost.
_END = "\x1e"
_SHELL = f"""trap : INT; "$@"; status=$?; trap '' INT
printf '{_END}%d{_END}' $status; exec sleep {_SECONDS}"""


class Terminal:
    """A program in a terminal of its own, whose keyboard the test has."""

    def __init__(self, directory: Path, *words: str) -> None:
        self.pid, self._keyboard = pty.fork()
        if not self.pid:
            os.chdir(directory)
            modes = termios.tcgetattr(0)
            modes[3] |= termios.NOFLSH  # else a Ctrl-C discards output that is not read yet
            termios.tcsetattr(0, termios.TCSANOW, modes)
            os.execvp("sh", ["sh", "-c", _SHELL, "sh", *words])

    def press_ctrl_c(self) -> None:
        """The terminal sends the interrupt to each process that runs in the foreground."""
        os.write(self._keyboard, b"\x03")

    def end(self) -> tuple[int, str]:
        """Read until the program ends; return its status, and what it wrote without the echo."""
        seen = bytearray()
        deadline = time.monotonic() + _SECONDS
        while seen.count(_END.encode()) < 2:
            assert time.monotonic() < deadline
            seen += os.read(self._keyboard, 65536)
        os.close(self._keyboard)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        text = seen.replace(b"\r\n", b"\n").replace(b"^C", b"").decode()
        written, status, _ = text.split(_END)
        return int(status), written


_WAYS = [("git", "opatch"), ("git-opatch",)]


@pytest.mark.parametrize("words", _WAYS, ids=" ".join)
def test_two_interrupts_at_any_moment_give_one_line(
    base: Sandbox, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold_interrupts(tmp_path / "python", monkeypatch)
    _interrupt_at(_MOMENTS, base, words, monkeypatch)


@pytest.mark.exhaustive
@pytest.mark.parametrize("words", _WAYS, ids=" ".join)
def test_two_interrupts_at_each_of_many_moments_give_one_line(
    base: Sandbox, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold_interrupts(tmp_path / "python", monkeypatch)
    _interrupt_at(_MANY_MOMENTS, base, words, monkeypatch)


def _interrupt_at(
    moments: int, base: Sandbox, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    start = time.monotonic()
    assert Terminal(base.path, *words, "apply", ".git/p").end()[0] == 0
    usual = time.monotonic() - start
    base.git("reset", "--quiet", "--hard")
    interrupted = 0
    for moment in range(moments):
        terminal = Terminal(base.path, *words, "apply", ".git/p")
        wait_for_main(terminal.pid)
        time.sleep(usual * moment / moments)
        terminal.press_ctrl_c()
        time.sleep(0.002 * (moment % 5))
        terminal.press_ctrl_c()
        status, seen = terminal.end()
        assert "Traceback" not in seen
        assert "Exception" not in seen
        gits_own = [line for line in seen.splitlines() if line.startswith(_LINE_OF_GIT)]
        lines = [line for line in seen.splitlines() if line and line not in gits_own]
        assert len(lines) == 1, (moment, status, seen)
        said = lines[0].startswith("error: interrupted")
        if status:
            assert status == 128 + signal.SIGINT or gits_own
            # Git may end by an interrupt that comes when we have said that all is applied.
            assert said or words[0] == "git", (moment, status, seen)
            interrupted += 1
        assert base.read("f") == base.index()["f"][1]
        expected = _AFTER if not said or "had been applied" in seen else _BEFORE
        assert base.read("f") == expected
        base.git("reset", "--quiet", "--hard")
    assert interrupted


def test_nothing_is_imported_before_interrupts_are_caught() -> None:
    """Until then Python's own handler is there, which shows a traceback."""
    script = (
        "import sys\n"
        f"sys.path.insert(0, {str(Path(git_opatch.__file__).parents[1])!r})\n"
        "known = set(sys.modules)\n"
        "from git_opatch.cli import process\n"
        "print(*sorted(set(sys.modules) - known))\n"
    )
    command = [sys.executable, "-I", "-c", script]
    imported = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert imported == ["git_opatch", "git_opatch.cli", "git_opatch.cli.process"]


_INTERRUPT_AT_UNLOCK = """
import fcntl, os, signal, sys
unlock = fcntl.flock
def flock(lock, operation):
    unlock(lock, operation)
    if operation == fcntl.LOCK_UN:
        os.kill(os.getpid(), signal.SIGINT)
fcntl.flock = flock
from git_opatch.__main__ import main
main()
"""


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        (
            envelope(b"*** Update File: f\n@@\n-b\n+B\n"),
            "error: interrupted; the patch had been applied by then, all of it\n",
        ),
        (envelope(b"*** Update File: f\n@@\n-x\n+B\n"), "error: interrupted\n"),
    ],
    ids=["applied", "refused"],
)
def test_an_interrupt_at_the_very_end_says_whether_all_was_applied(
    base: Sandbox, patch: bytes, message: str
) -> None:
    """Neither deferred any more, nor yet ignored because the report follows (D122)."""
    base.write(".git/p", patch)
    command = [sys.executable, "-c", _INTERRUPT_AT_UNLOCK, "apply", ".git/p"]
    ended = subprocess.run(command, cwd=base.path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", message)
    is_applied = "applied" in message
    assert base.read("f") == base.index()["f"][1] == (_AFTER if is_applied else _BEFORE)


_INTERRUPT_IN_A_CLASS = """
import os, signal
from git_opatch.parse import grammar
class Name:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGINT)
def parse(scanner, name):
    class Parser:
        name = Name()
grammar.parse = parse
from git_opatch.__main__ import main
main()
"""


def test_an_interrupt_that_python_wraps_is_an_interrupt(base: Sandbox) -> None:
    """An error in `__set_name__` is raised as a `RuntimeError` by Python 3.11."""
    command = [sys.executable, "-c", _INTERRUPT_IN_A_CLASS, "apply", ".git/p"]
    ended = subprocess.run(command, cwd=base.path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "error: interrupted\n")
    assert base.read("f") == base.index()["f"][1] == _BEFORE
