"""How far a long piece of work is, on a terminal.

The bar is drawn while one result is awaited and erased before that is handed on, so that
whoever prints the results need not know of it.
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


def watched(results: Iterable[_Result], total: int) -> Iterator[_Result]:
    """Each of `results`, of which there are `total`; after a second with a bar on standard error.

    None is drawn where nobody looks on, or where there is but one result.
    """
    if total < 2 or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield from results
        return
    start, awaited = time.monotonic(), iter(results)
    for done in range(total):
        late = time.monotonic() - start > _PATIENCE
        with _bar(done, total) if late else nullcontext():
            one = next(awaited)
        yield one


@contextmanager
def _bar(done: int, total: int) -> Iterator[None]:
    from rich.console import Console
    from rich.control import Control
    from rich.progress_bar import ProgressBar
    from rich.segment import ControlType

    console = Console(stderr=True, highlight=False)
    said = f"{done} of {total} "
    width = max(min(40, console.width - len(said) - 1), 1)
    console.print(said, end="")
    console.print(ProgressBar(total, done, width))
    try:
        yield
    finally:
        console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2)))
