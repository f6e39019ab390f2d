"""Run in this process, the program behaves as in its own, and leaves no state behind."""

from __future__ import annotations

import gc
import os
import signal
import sys
from pathlib import Path
from types import ModuleType

import pytest
from inside import SECONDS, run
from sandbox import Sandbox
from writers import envelope

from git_opatch.cli.commands import prompt

_PATCH = envelope(b"*** Update File: f\n@@\n-a\n+b\n")
_RUNS: list[tuple[list[str], bytes]] = [
    (["apply", "--check", "--json"], _PATCH),
    (["check", "\udcff"], b""),
    (["-h"], b""),
    (["nonsense"], b""),
    (["prompt"], b""),
]
"""What no scenario runs: those are run by the real program, too, with `--as-program`."""


@pytest.mark.parametrize(("words", "feed"), _RUNS, ids=[" ".join(words) for words, _ in _RUNS])
def test_it_behaves_like_the_real_program(repo: Sandbox, words: list[str], feed: bytes) -> None:
    repo.commit({"f": "a\n"})
    real = repo.program("git", "opatch", *words, feed=feed)
    assert repo.opatch(*words, feed=feed) == real


def _state() -> tuple[object, ...]:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
    streams = sys.stdin, sys.stdout, sys.stderr
    descriptors = [os.readlink(f"/proc/self/fd/{number}") for number in range(3)]
    return (
        *(dict(os.environ), os.getcwd(), list(sys.argv), streams, descriptors, os._exit),
        *([signal.getsignal(number) for number in numbers], gc.isenabled(), sys.excepthook),
    )


def _of_the_package() -> dict[str, object]:
    """Give the mutable globals of each module of the package."""
    modules = [
        (name, module) for name, module in sys.modules.items() if name.startswith("git_opatch")
    ]
    return {
        f"{name}.{key}": repr(value)
        for name, module in modules
        if isinstance(module, ModuleType)
        for key, value in vars(module).items()
        if isinstance(value, (list, dict, set, str, bytes, int)) and not key.startswith("__")
    }


def test_global_state_is_restored(repo: Sandbox, tmp_path: Path) -> None:
    repo.commit({"f": "a\n"})
    for words, feed in _RUNS:
        repo.opatch(*words, feed=feed)
    before, held = _state(), _of_the_package()
    for words, feed in _RUNS:
        repo.opatch(*words, feed=feed, cwd=tmp_path, env={"TZ": "UTC-5", "OPATCH_X": "1"})
        assert _state() == before
    assert _of_the_package() == held


def test_an_exception_reaches_the_test(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _state()

    def broken(_: str) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Sandbox, "as_program", False)
    monkeypatch.setattr(prompt, "files", broken)
    with pytest.raises(ZeroDivisionError):
        repo.opatch("prompt")
    assert _state() == before


def test_a_run_that_does_not_end_is_stopped(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    assert SECONDS >= 60
    monkeypatch.setattr("inside.SECONDS", 0.2)
    ours, theirs = os.pipe()
    try:
        with pytest.raises(pytest.fail.Exception, match="ran for more than"):
            run(["git", "opatch", "apply", f"/dev/fd/{ours}"], b"", repo.path, {})
    finally:
        os.close(ours)
        os.close(theirs)
