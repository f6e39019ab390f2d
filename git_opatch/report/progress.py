"""A progress bar for long work, on a terminal.

It is drawn while a result is awaited, and erased before the result is yielded, so that the caller
who prints the results need not know of it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TypeVar

_PATIENCE = 1.0  # seconds
_Result = TypeVar("_Result")


def with_progress(results: Iterable[_Result], total: int) -> Iterator[_Result]:
    """Yield each of `total` results; after a second, with a bar on standard error.

    No bar is drawn if standard error is not a terminal, or if there is only one result.
    """
    if total < 2 or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield from results
        return
    start, awaited = time.monotonic(), iter(results)
    for done in range(total):
        late = time.monotonic() - start > _PATIENCE
        with _bar(done, total) if late else nullcontext():
            result = next(awaited)
        yield result


@contextmanager
def _bar(done: int, total: int) -> Iterator[None]:
    from rich.console import Console
    from rich.control import Control
    from rich.progress_bar import ProgressBar
    from rich.segment import ControlType

    console = Console(stderr=True, highlight=False)
    label = f"{done} of {total} "
    width = max(min(40, console.width - len(label) - 1), 1)
    console.print(label, end="")
    console.print(ProgressBar(total, done, width))
    try:
        yield
    finally:
        console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2)))
