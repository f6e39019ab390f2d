"""Every call to the system may fail: then it is all or nothing, and a message says so (D203)."""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import pytest
from inside import fork
from killed import kill_before
from sandbox import Ran, Sandbox
from writers import envelope

_CHANGING = {
    "os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.symlink", "os.truncate",
    "os.chmod", "os.utime", "subprocess.Popen",
}  # fmt: skip
KILL = -1
"""Instead of an error: the process is killed before the call."""
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class _Faults:
    """Counts the calls that change something, and fails one of them."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.fails_at = 0
        self.error = 0
        self.active = False

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Look at a call, as an audit hook (sys.addaudithook); raises `OSError` to fail it."""
        if not self.active:
            return
        if event in _CHANGING or (event == "open" and _is_written(arguments)):
            self.count(event, str(arguments[0]))

    def count(self, event: str, path: str) -> None:
        self.seen.append(f"{event} {path}")
        if len(self.seen) == self.fails_at:
            self.fails_at = 0
            if self.error == KILL:
                os.kill(os.getpid(), signal.SIGKILL)
            raise OSError(self.error, os.strerror(self.error), path)


_faults = _Faults()
_installed = False


def _is_written(arguments: tuple[Any, ...]) -> bool:
    path, _, flags = arguments
    return isinstance(path, (str, bytes, os.PathLike)) and bool(flags & _WRITING)


@contextmanager
def failing(at: int, error: int) -> Iterator[list[str]]:
    """Fail the call of this number with `error`; gives the calls that were made. 0 fails none.

    Counted are calls that rename, link, delete, create, sync, open for writing or start a process.
    """
    global _installed
    if not _installed:
        sys.addaudithook(_faults.audit)
        _installed = True
    sync = os.fsync

    def fsync(descriptor: int) -> None:
        _faults.count("os.fsync", "")
        sync(descriptor)

    _faults.seen, _faults.fails_at, _faults.error, _faults.active = [], at, error, True
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        try:
            yield _faults.seen
        finally:
            _faults.active = False


_ERRORS = (errno.EIO, errno.ENOSPC)
_FILES = 12
_FEW = 4
_SECTIONS = [
    *(f"*** Update File: d{n % 3}/f{n}\n@@\n-old\n+new\n".encode() for n in range(7)),
    *(f"*** Delete File: d{n % 3}/f{n}\n".encode() for n in range(7, 9)),
    *(f"*** Add File: made{n % 2}/f{n}\n+n\n".encode() for n in range(9, _FILES)),
]
_PATCH = envelope(*_SECTIONS)


def _apply(*words: str) -> Callable[[Sandbox], Ran]:
    return lambda repo: repo.opatch("apply", *words, feed=_PATCH)


def _applied(repo: Sandbox) -> None:
    assert repo.opatch("apply", feed=_PATCH).status == 0


def _edited(repo: Sandbox) -> None:
    repo.write("d1/f1", "old\nx\nmine\n")


def _interrupted(repo: Sandbox) -> None:
    kill_before(20, repo, _PATCH)


class _Run(NamedTuple):
    prepare: Callable[[Sandbox], object]
    run: Callable[[Sandbox], Ran]


_RUNS = {
    "apply": _Run(lambda _: None, _apply()),
    "worktree": _Run(lambda _: None, _apply("--worktree")),
    "cached": _Run(lambda _: None, _apply("--cached")),
    "carry": _Run(_edited, _apply("--carry")),
    "commit": _Run(lambda _: None, _apply("--commit", "-m", "m")),
    "undo": _Run(_applied, lambda repo: repo.opatch("undo")),
    "recover": _Run(_interrupted, lambda repo: repo.opatch("recover")),
}


@pytest.fixture
def base(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    monkeypatch.setattr(Sandbox, "as_program", False)
    repo.commit({f"d{n % 3}/f{n}": "old\nx\n" for n in range(9)})
    return repo


def _copied(base: Sandbox, number: int) -> Sandbox:
    copy = Sandbox(base.path.with_name(f"copy{number}"))
    base.run("cp", "-a", str(base.path), str(copy.path))
    return copy


def _state(repo: Sandbox) -> tuple[object, ...]:
    return repo.run("git", "ls-files", "-s").out, repo.files()


def _leftovers(repo: Sandbox) -> list[str]:
    git = repo.path / ".git"
    patterns = ("opatch/txn*", "opatch/commit", "opatch/kept*", "opatch/committing", "index.*")
    return sorted(path.name for pattern in patterns for path in git.glob(pattern))


def _check(base: Sandbox, run: _Run, numbers: Callable[[int], list[int]]) -> None:
    """Fail calls of `run`, each by one of the errors in turn."""
    run.prepare(base)
    before = _state(base)
    done = _copied(base, 0)
    with failing(0, 0) as calls:
        assert run.run(done).status == 0
    after, count = _state(done), len(calls)
    # what recovery restores is the state before it was interrupted
    outcomes = (after,) if run is _RUNS["recover"] else (before, after)
    for number in numbers(count):
        repo = _copied(base, number)
        with failing(number, _ERRORS[number % len(_ERRORS)]) as seen:
            ran = run.run(repo)
        what = f"call {number} of {count}, {seen[number - 1 : number]}: {ran}"
        _check_one(repo, ran, outcomes, what)
        repo.run("rm", "-rf", str(repo.path))


def _check_one(repo: Sandbox, ran: Ran, outcomes: tuple[object, ...], what: str) -> None:
    if ran.status == 0:
        assert _state(repo) == outcomes[-1], what
    else:
        assert ran.status in (1, 128), what
        assert ran.err.startswith(("error: ", "note: ")) or ran.err.count("error: "), what
    if _leftovers(repo):
        again = repo.opatch("recover")
        assert again.status == 0, (what, again)
    assert _state(repo) in outcomes, what
    assert _leftovers(repo) == [], what


def _many(count: int) -> list[int]:
    """One call of three, so that each error has its turn: 12 files make the same calls."""
    return list(range(1, count + 1, 3))


@pytest.mark.parametrize("name", _RUNS)
def test_a_call_that_fails_leaves_all_or_nothing(base: Sandbox, name: str) -> None:
    def some(count: int) -> list[int]:
        assert count > _FILES
        return random.Random(name).sample(range(1, count + 1), _FEW)

    _check(base, _RUNS[name], some)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", _RUNS)
def test_many_calls_that_fail_leave_all_or_nothing(base: Sandbox, name: str) -> None:
    _check(base, _RUNS[name], _many)


def test_a_file_that_the_system_does_not_give_is_named(base: Sandbox) -> None:
    """Such as one that another file system is mounted on, or an immutable one."""
    before = _state(base)

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event == "os.rename" and arguments[0] == "f3":
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    hook = partial(sys.addaudithook, refuse)
    ran = base.direct("git-opatch", "apply", feed=_PATCH, fork=True, prepare=hook)
    why = "d0/f3 cannot be replaced: Device or resource busy\neverything was restored\n"
    assert (ran.status, ran.err) == (128, f"error: {why}")
    assert (_state(base), _leftovers(base)) == (before, [])


def _check_kills(base: Sandbox, run: _Run, numbers: Callable[[int], list[int]]) -> None:
    """Kill the program before calls of `run`, and recover."""
    run.prepare(base)
    before, done = _state(base), _copied(base, 0)
    with failing(0, 0) as calls:
        assert run.run(done).status == 0
    after = _state(done)
    outcomes = (after,) if run is _RUNS["recover"] else (before, after)
    for number in numbers(len(calls)):
        repo = _copied(base, number)
        child = fork()
        if not child:
            with failing(number, KILL):
                run.run(repo)
            os._exit(0)  # the calls of two runs may differ by a few
        os.waitpid(child, 0)
        what = f"killed before call {number} of {len(calls)}, {calls[number - 1]}"
        assert repo.opatch("recover").status == 0, what
        assert _state(repo) in outcomes, what
        assert _leftovers(repo) == [], what
        repo.run("rm", "-rf", str(repo.path))


@pytest.mark.parametrize("name", _RUNS)
def test_a_kill_before_a_call_leaves_all_or_nothing(base: Sandbox, name: str) -> None:
    _check_kills(base, _RUNS[name], lambda count: random.Random(name).sample(range(1, count), 3))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", _RUNS)
def test_a_kill_before_many_calls_leaves_all_or_nothing(base: Sandbox, name: str) -> None:
    _check_kills(base, _RUNS[name], _many)


_GITS = ("apply", "check-attr", "checkout-index", "add", "ls-files", "commit")
_CALLS = ("openat", "write", "rename", "link", "mkdir", "unlink")


def _trace_git(repo: Sandbox, command: str, options: str) -> dict[str, str]:
    """Run one command of git below strace; returns the environment for that."""
    real = shutil.which("git")
    git = repo.path.with_name("bin") / "git"
    git.parent.mkdir(exist_ok=True)
    git.write_text(
        '#!/bin/sh\ncase " $* " in *" opatch "*) ;; '
        f'*" {command} "*) exec strace -f --seccomp-bpf -qq {options} {real} "$@" ;; esac\n'
        f'exec {real} "$@"\n'
    )
    git.chmod(0o755)
    return {"PATH": f"{git.parent}{os.pathsep}{os.environ['PATH']}"}


def _run_alone(repo: Sandbox, command: str, env: dict[str, str]) -> Ran:
    words = ["--commit", "-m", "m"] if command == "commit" else []
    return repo.direct("git-opatch", "apply", *words, feed=_PATCH, env=env)


def _calls_of_git(done: Sandbox, command: str) -> list[tuple[str, int]]:
    """Apply the patch; returns each call of one command of git, by its number in its process."""
    logs = done.path.with_name("logs")
    logs.mkdir()
    env = _trace_git(done, command, f"-o {logs}/$$ -e trace={','.join(_CALLS)}")
    assert _run_alone(done, command, env).status == 0
    most: Counter[str] = Counter()
    for log in logs.iterdir():
        lines = [line.split(None, 1) for line in log.read_text().splitlines()]
        seen = Counter((process, call.partition("(")[0]) for process, call in lines)
        for (_, call), count in seen.items():
            most[call] = max(most[call], count)
    return [(call, number) for call in _CALLS for number in range(1, most[call] + 1)]


def _fail_git(base: Sandbox, command: str, some: int | None) -> None:
    if command == "checkout-index":  # which writes what the attributes have git convert
        base.write(".git/info/attributes", "* ident")
    before, done = _state(base), _copied(base, 0)
    calls = _calls_of_git(done, command)
    assert len(calls) > 4
    outcomes = (before, _state(done))
    for at, (call, number) in enumerate(
        random.Random(command).sample(calls, some or len(calls) // 2)
    ):
        repo, error = _copied(base, 1), _ERRORS[at % len(_ERRORS)]
        inject = f"-o /dev/null -e inject={call}:error={errno.errorcode[error]}:when={number}"
        ran = _run_alone(repo, command, _trace_git(repo, command, inject))
        what = f"git {command}, {call} {number}, {os.strerror(error)}: {ran}"
        if ran.status:
            assert "error: " in ran.err or "fatal: " in ran.err, what  # the second by git
        if command == "commit" and (repo.path / ".git/index.lock").exists():
            (repo.path / ".git/index.lock").unlink()  # that of git commit itself
        assert repo.opatch("recover").status == 0, what
        assert _state(repo) in outcomes, what
        assert _leftovers(repo) == [], what
        repo.run("rm", "-rf", str(repo.path))


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
@pytest.mark.parametrize("command", _GITS)
def test_a_call_of_git_that_fails_leaves_all_or_nothing(base: Sandbox, command: str) -> None:
    _fail_git(base, command, 2)


@pytest.mark.exhaustive
@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
@pytest.mark.parametrize("command", _GITS)
def test_every_call_of_git_that_fails_leaves_all_or_nothing(base: Sandbox, command: str) -> None:
    _fail_git(base, command, None)
