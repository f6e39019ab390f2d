"""Run the program in this process: all of it but the start of an interpreter.

Its words, directory, environment and streams are its own while it runs, down to the
descriptors that the programs it starts inherit; what it does to the process is undone.
An exception that it does not catch is one of the test's.
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from types import FrameType
from typing import IO, Any, NoReturn

import pytest
import typer.main
from typer.main import get_command_from_info
from typer.models import CommandInfo
from typer.utils import get_params_from_function

from git_opatch import __main__
from git_opatch.cli import main
from git_opatch.cli.main import app

# Parameters of a function do not change, and inspecting them each time doubles the run time.
vars(typer.main)["get_params_from_function"] = cache(get_params_from_function)

_commands: dict[str, tuple[object, Any]] = {}
_imported: dict[str, Any] = {}
_import_command = main._import_command


def _import_once(name: str) -> Any:
    """Import a command, and describe its options, once: the modules stay what they are."""
    if name not in _imported:
        _imported[name] = _import_command(name)
    return _imported[name]


vars(main)["_import_command"] = _import_once


def _get_command(*, command_info: CommandInfo, **options: Any) -> Any:
    """Build the parser of a command once: it is the same for the same function."""
    function, command = _commands.get(command_info.name or "", (None, None))
    if function is not command_info.callback:
        command = get_command_from_info(command_info, **options)
        _commands[command_info.name or ""] = (command_info.callback, command)
    return command


vars(typer.main)["get_command_from_info"] = _get_command

_really_end = os._exit
_FAILED = 70
"""The status of a fork in which something else than the program failed."""

SECONDS = 120
"""How long a run may take."""

_PURE = tuple(f"git_opatch.{name}." for name in ("model", "parse", "locate", "complete"))
"""The packages whose functions know nothing but their arguments."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)


class _Ended(BaseException):
    """Raised in place of ending the process."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def run(
    command: Sequence[str], feed: bytes, cwd: Path, env: Mapping[str, str], *, merged: bool = False
) -> tuple[int, bytes, bytes]:
    """Run `git opatch …`, or `git-opatch`, or its path, as if git had no part in it.

    Returns its status and what it wrote to its two streams, or to the first if they are `merged`.
    """
    with _files() as (source, out, err):
        _feed(source, feed)
        streams = [source.fileno(), out.fileno(), (out if merged else err).fileno()]
        status = run_with(streams, command, cwd, env)
        return status, _written(out), _written(err)


def run_forked(
    commands: Sequence[Sequence[str]],
    feed: bytes,
    cwd: Path,
    env: Mapping[str, str],
    prepare: Callable[[], object] = list,
) -> list[tuple[int, bytes, bytes]]:
    """Run commands at the same time, each in a fork of this process, which may be killed, after
    `prepare` in it. The status of a killed process is its signal, negative."""
    with ExitStack() as stack:
        runs = []
        for command in commands:
            files = stack.enter_context(_files())
            _feed(files[0], feed)
            child = fork()
            if not child:
                try:
                    prepare()
                    _really_end(run_with([file.fileno() for file in files], command, cwd, env))
                finally:
                    _really_end(_FAILED)
            runs.append((child, files))
        ended = [(os.waitpid(child, 0)[1], files) for child, files in runs]
        return [
            (os.waitstatus_to_exitcode(status), _written(out), _written(err))
            for status, (_, out, err) in ended
        ]


def fork() -> int:
    """Fork this process, whose other threads do nothing but wait."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def run_with(
    descriptors: Sequence[int], command: Sequence[str], cwd: Path, env: Mapping[str, str]
) -> int:
    """Run a command, as of `run`, with `descriptors` as its three streams; return its status."""
    by_git = command[0] == "git"
    _forget()
    with _restored():
        os.chdir(cwd)
        _set_environment({**os.environ, **env})
        if by_git:
            _add_programs_of_git()
        sys.argv = ["git-opatch", *command[2:]] if by_git else [*command]
        with _streams(descriptors):
            return _status()


def _feed(source: IO[bytes], feed: bytes) -> None:
    source.write(feed)
    source.seek(0)


def _status() -> int:
    try:
        __main__.main()
    except _Ended as ended:
        return ended.status
    raise AssertionError("the program did not say how it ended")


def _forget() -> None:
    """Clear state that a new process would not have."""
    app.registered_commands.clear()
    for clear in _caches(sum(name.startswith("git_opatch") for name in sys.modules)):
        clear()


@cache
def _caches(_modules: int) -> list[Callable[[], None]]:
    """Return what clears each cache of the package, for this number of imported modules.

    What the pure packages keep is the same in each process.
    """
    modules = [
        module
        for name, module in sys.modules.items()
        if name.startswith("git_opatch") and not name.startswith(_PURE)
    ]
    values = [value for module in modules for value in vars(module).values()]
    return [value.cache_clear for value in values if hasattr(value, "cache_clear")]


@contextmanager
def _files() -> Iterator[list[IO[bytes]]]:
    """Open a file for each stream: unlike pipes, files do not need a concurrent reader."""
    with ExitStack() as stack:
        yield [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]


def _written(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


@contextmanager
def _restored() -> Iterator[None]:
    """Restore the state of this process after the program."""
    environment, directory = dict(os.environ), os.getcwd()
    words, excepthook = sys.argv, sys.excepthook  # which typer replaces
    unraisable = sys.unraisablehook
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    leave, collects = os._exit, gc.isenabled()
    os._exit = _end
    signal.signal(signal.SIGALRM, _too_long)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        os._exit = leave
        if collects:
            gc.enable()
        os.chdir(directory)
        sys.argv, sys.excepthook, sys.unraisablehook = words, excepthook, unraisable
        _set_environment(environment)


def _end(status: int) -> NoReturn:
    raise _Ended(status)


def _too_long(_number: int, _frame: FrameType | None) -> NoReturn:
    pytest.fail(f"the program ran for more than {SECONDS} seconds")


def _set_environment(environment: Mapping[str, str]) -> None:
    zone = os.environ.get("TZ")
    for name in os.environ.keys() - environment.keys():
        del os.environ[name]
    for name, value in environment.items():
        if os.environ.get(name) != value:
            os.environ[name] = value
    if os.environ.get("TZ") != zone:
        time.tzset()


def _add_programs_of_git() -> None:
    """Extend PATH as git does before it runs a program for a subcommand."""
    os.environ["PATH"] = f"{_programs_of_git()}{os.pathsep}{os.environ['PATH']}"


@cache
def _programs_of_git() -> str:
    return subprocess.check_output(["git", "--exec-path"], text=True).rstrip("\n")


@contextmanager
def _streams(descriptors: Sequence[int]) -> Iterator[None]:
    """Make `descriptors` the streams 0, 1 and 2, and standard input, output and error."""
    streams = sys.stdin, sys.stdout, sys.stderr
    for stream in streams:
        if stream is not None:
            with suppress(OSError, ValueError):
                stream.flush()
    kept = [os.dup(number) for number in range(3)]
    try:
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
        sys.stdin, sys.stdout, sys.stderr = _stream(0, "r"), _stream(1, "w"), _stream(2, "w")
        try:
            yield
        finally:
            for stream in (sys.stdin, sys.stdout, sys.stderr):
                stream.close()
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
        for number, descriptor in enumerate(kept):
            os.dup2(descriptor, number)
            os.close(descriptor)


def _stream(number: int, mode: str) -> Any:
    """Open a stream as Python does in the locale of the tests, `C.UTF-8`."""
    errors = "backslashreplace" if number == 2 else "surrogateescape"
    lines = 1 if number == 2 else -1
    return open(number, mode, lines, encoding="utf-8", errors=errors, closefd=False)
