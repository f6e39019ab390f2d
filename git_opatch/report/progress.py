"""How far long work is, on a terminal that can erase a line again; elsewhere nothing is printed."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TypeVar

_PATIENCE = 1.0  # seconds
_ERASE = "\r\x1b[K"
_Result = TypeVar("_Result")


def is_shown() -> bool:
    """Return whether standard error is a terminal that can erase a line."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def with_progress(results: Iterable[_Result], total: int) -> Iterator[_Result]:
    """Yield each of `total` results; after a second, with their number on standard error.

    It is written while a result is awaited, and erased before the result is yielded, so that the
    caller who prints the results need not know of it.
    """
    if total < 2 or not is_shown():
        yield from results
        return
    start, awaited = time.monotonic(), iter(results)
    for done in range(total):
        if late := time.monotonic() - start > _PATIENCE:
            _write(f"{done:,} of {total:,}")
        result = next(awaited)
        _write(_ERASE * late)
        yield result


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Say after each second what the work inside is, and how long it takes; nothing if it is ""."""
    done = Event()

    def tell() -> None:
        seconds = 0
        while not done.wait(_PATIENCE):
            seconds += 1
            _write(f"\r{what}: {seconds} s")
        _write(_ERASE * bool(seconds))

    thread = Thread(target=tell, daemon=True)
    if what and is_shown():
        thread.start()
    try:
        yield
    finally:
        done.set()
        if thread.ident:
            thread.join()


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
