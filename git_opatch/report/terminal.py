"""The terminal: messages to standard error, data to standard output; colours, pager, progress.

Colour is used on a terminal, if `NO_COLOR` and `color.ui` allow it, and elsewhere if `color.ui` is
`always`, as git has it. rich is imported only then. On a terminal what is printed goes through the
user's pager by git's rules: `GIT_PAGER`, `core.pager`, `PAGER`, else `less`; `cat`, or nothing, is
no pager. `git --no-pager` and `git -p` decide before us, as does `pager.opatch`.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from shutil import get_terminal_size
from threading import Event, Thread
from typing import TextIO, TypeVar

from git_opatch.git.repository import Repository
from git_opatch.git.runner import start_pager
from git_opatch.model.errors import InputError
from git_opatch.model.settings import FALSE
from git_opatch.model.text import Text, visible
from git_opatch.report.draw import Shown, Spans, plain

DIFF_STYLES = {"@": "cyan", "-": "red", "+": "green"}
"""The styles of a diff's lines, by their first character."""
_STYLES = {"error": "bold red", "note": "yellow", "hint": "cyan"}
_NEVER = (*FALSE[:3], "never")
_PATIENCE = 1.0  # seconds
_Result = TypeVar("_Result")


def use_colour(stream: TextIO, settings: Mapping[str, str]) -> bool:
    """Decide whether to colour what goes to `stream`: `always` also does so in a pipe."""
    wanted = settings.get("color.opatch", settings.get("color.ui", "auto")).lower()
    if wanted == "always":
        return True
    plain = os.environ.get("TERM") == "dumb" or bool(os.environ.get("NO_COLOR"))
    seen = stream.isatty() or (stream is sys.stdout and _in_pager(settings))
    return seen and not plain and wanted not in _NEVER


class _Pager:
    """Whether standard output goes to a pager that we started for a terminal."""

    runs = False


def is_on_terminal() -> bool:
    """Return whether standard output is a terminal, or a pager that we started for one."""
    return sys.stdout.isatty() or _Pager.runs


def is_for_a_person(settings: Mapping[str, str]) -> bool:
    """Return whether standard output is on a terminal, or is to have colours as if it were."""
    return is_on_terminal() or use_colour(sys.stdout, settings)


def _in_pager(settings: Mapping[str, str]) -> bool:
    """Return whether standard output goes through a pager, git's (`git -p`) or ours, and with
    colour."""
    coloured = settings.get("color.pager", "true").lower() not in _NEVER
    return coloured and (_Pager.runs or os.environ.get("GIT_PAGER_IN_USE") in ("1", "true"))


def show(lines: Iterable[Shown], stream: TextIO, settings: Mapping[str, str] | None = None) -> None:
    """Print `lines`, which are fit for a terminal, and may have pieces with styles.

    That nobody reads them is not an error.
    """
    render = _coloured if use_colour(stream, settings or {}) else plain
    try:
        for line in lines:
            stream.write(render(_with_label(line) if isinstance(line, str) else line) + "\n")
        stream.flush()
    except OSError:
        _silence(stream)


def _with_label(line: str) -> Spans:
    """Style the word that a line begins with, such as `error: `."""
    label, colon, rest = line.partition(": ")
    style = _STYLES.get(label, "") if colon else ""
    return [(label + colon, style), (rest, "")]


def _coloured(line: Spans) -> str:
    from rich.color import ColorSystem
    from rich.style import Style

    return "".join(
        Style.parse(style).render(plain([*pieces]), color_system=ColorSystem.STANDARD)
        for style, pieces in groupby(line, itemgetter(1))
    )


_IDS = rb"^index ([0-9a-f]{7})[0-9a-f]*\.\.([0-9a-f]{7})[0-9a-f]*"


def show_diff(details: Sequence[str], diff: bytes, settings: Mapping[str, str]) -> None:
    """Print `details` and the diff to standard output, in colour on a terminal.

    There, object ids are abbreviated as git does it. Elsewhere the bytes of the diff are written as
    they are, since a program may read them. Raises `OSError` if that fails.
    """
    if use_colour(sys.stdout, settings):
        head = ([(line, "" if line.startswith(" ") else "bold")] for line in [*details, ""])
        show([*head, *_styled(diff)], sys.stdout, settings)
    else:
        text = "".join(line + "\n" for line in [*details, ""])
        write_data(text.encode(errors="backslashreplace") + diff)


def _styled(diff: bytes) -> Iterator[Spans]:
    """Style the lines of a git diff; a file's header ends where its first hunk begins."""
    in_header = True
    for line in Text.from_bytes(diff).lines:
        in_header = line.startswith(b"diff ") or (in_header and not line.startswith(b"@@ "))
        style = "bold" if in_header else DIFF_STYLES.get(line[:1].decode("latin-1"), "")
        if in_header:
            line = re.sub(_IDS, rb"index \1..\2", line)
        yield [(visible(line, len(line)), style)]


def _silence(stream: TextIO) -> None:
    """Discard what is still buffered for a stream that failed."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_data(data: bytes) -> None:
    """Write `data` to standard output as it is, but escaped on a terminal.

    Raises `OSError` if not all of it can be written.
    """
    if is_on_terminal():
        show((visible(line, len(line)) for line in Text.from_bytes(data).lines), sys.stdout)
        return
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError:
        _silence(sys.stdout)
        raise


def write_file(data: bytes, name: str) -> None:
    """Write `data` to the file `name`. Raises `InputError` if that fails."""
    try:
        Path(name).write_bytes(data)
    except OSError as error:
        raise InputError(f"cannot write `{name}`: {error.strerror}") from None


@contextmanager
def paged(repository: Repository, settings: Mapping[str, str]) -> Iterator[None]:
    """Page what is printed inside, if standard output is a terminal.

    That the user leaves the pager early is not an error.
    """
    command = _pager(repository, settings)
    process = start_pager(command) if command else None
    if process is None or process.stdin is None:
        yield
        return
    sys.stdout.flush()
    terminal = os.dup(1)
    os.dup2(process.stdin.fileno(), 1)
    process.stdin.close()
    _Pager.runs = True
    try:
        with suppress(BrokenPipeError):
            yield
    finally:
        with suppress(OSError):
            sys.stdout.flush()
        _Pager.runs = False
        os.dup2(terminal, 1)
        os.close(terminal)
        # an interrupt is for the pager, which stops what it is doing and goes on
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        process.wait()
        signal.signal(signal.SIGINT, handler)


def _pager(repository: Repository, settings: Mapping[str, str]) -> str:
    """Return the command of the pager; empty for none."""
    if not sys.stdout.isatty() or settings.get("pager.opatch", "").lower() in FALSE:
        return ""
    command = os.fsdecode(repository.run("var", "GIT_PAGER").output).strip()
    return "" if command == "cat" else command


def shows_progress() -> bool:
    """Return whether standard error is a terminal that can erase a line."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def with_progress(results: Iterable[_Result], total: int) -> Iterator[_Result]:
    """Yield each of `total` results; after a second, with their number on standard error.

    It is written while a result is awaited, and erased before the result is yielded, so that the
    caller who prints the results need not know of it.
    """
    if total < 2 or not shows_progress():
        yield from results
        return
    start, awaited = time.monotonic(), iter(results)
    for done in range(total):
        if late := time.monotonic() - start > _PATIENCE:
            show_progress(f"{done:,} of {total:,}")
        result = next(awaited)
        if late:
            show_progress("")
        yield result


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Say after each second what the work inside is, and how long it takes; nothing if it is ""."""
    done = Event()

    def tell() -> None:
        seconds = 0
        while not done.wait(_PATIENCE):
            seconds += 1
            show_progress(f"{what}: {seconds} s")
        if seconds:
            show_progress("")

    thread = Thread(target=tell, daemon=True)
    if what and shows_progress():
        thread.start()
    try:
        yield
    finally:
        done.set()
        if thread.ident:
            thread.join()


def show_progress(text: str) -> None:
    """Write `text` over the line that is on the terminal; nothing erases it."""
    sys.stderr.write("\r\x1b[K" + text[: get_terminal_size().columns - 1])
    sys.stderr.flush()
