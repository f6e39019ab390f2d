"""Do the same with many items, in several processes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def in_processes(
    attempt: Callable[[_Item], _Result], items: Sequence[_Item], jobs: int, at_once: int = 20
) -> Iterator[_Result]:
    """Yield the result of each item, in order.

    The processes are forks, which have `attempt` and the items already: sent are positions there,
    so many at once, and results.
    """
    if jobs == 1:
        yield from map(attempt, items)
        return
    context = multiprocessing.get_context("fork")
    with context.Pool(jobs, _keep, (lambda at: attempt(items[at]),)) as pool:
        yield from pool.imap(_attempt, range(len(items)), chunksize=at_once)


_kept: list[Callable[[int], object]] = []


def _keep(attempt: Callable[[int], object]) -> None:
    _kept.append(attempt)


def _attempt(at: int) -> object:
    return _kept[-1](at)
