"""Judge all tasks: read, leave out what is done, judge, write. Memory does not grow with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, NamedTuple, Protocol

from git_opatch.batch.judge import NOT_JUDGED, Result, Wanted
from git_opatch.batch.lines import TaskLine, read_lines
from git_opatch.batch.output import MOST_LISTED, Done, Output, without_done


class Engine(Protocol):
    """What judges tasks: the processes of this computer, or others."""

    wanted: Wanted

    def judge(self, lines: Iterable[TaskLine]) -> Iterator[list[Result]]:
        """Yield the results of `lines`, in any order, as they come."""


class Tally(NamedTuple):
    """How many tasks have each verdict, and how many of them had it before this run.

    `not_judged` are the results of the first that could not be judged.
    """

    verdicts: Mapping[str, int]
    before: int = 0
    not_judged: Sequence[bytes] = ()


def judge_all(tasks: IO[bytes], engine: Engine, output: Output) -> Iterator[Tally]:
    """Judge the tasks that have no result in `output`, and write it there.

    Yields the tally at the beginning and after each write. Raises `InputError` if `output` is not
    of these tasks, `OSError` if it cannot be written, and what the engine raises.
    """
    verdicts: Counter[str] = Counter()
    failed: list[bytes] = []
    done = _counted(output.done(), verdicts, failed)
    waiting = without_done(read_lines(tasks), done, engine.wanted, output.name)
    first = next(waiting, None)  # by then, all that is done was read
    before = verdicts.total()
    yield Tally(verdicts, before, failed)
    if first is None:
        return
    for results in engine.judge(_from(first, waiting)):
        output.write(b"".join(result.line for result in results))
        for result in results:
            _count(result, verdicts, failed)
        yield Tally(verdicts, before, failed)


def _from(first: TaskLine, rest: Iterator[TaskLine]) -> Iterator[TaskLine]:
    yield first
    yield from rest


def _counted(done: Iterable[Done], verdicts: Counter[str], failed: list[bytes]) -> Iterator[Done]:
    for each in done:
        _count(each, verdicts, failed)
        yield each


def _count(result: Done | Result, verdicts: Counter[str], failed: list[bytes]) -> None:
    """Count a result, and keep it if it is one of the first that could not be judged."""
    verdicts[result.verdict] += 1
    if result.verdict == NOT_JUDGED and len(failed) < MOST_LISTED:
        failed.append(result.line)
