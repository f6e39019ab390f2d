"""Judge all tasks: read, leave out what is done, judge, write. Memory does not grow with them."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import IO, NamedTuple, Protocol, TypeVar

from git_opatch.batch.judge import NOT_JUDGED, Result, Wanted
from git_opatch.batch.lines import TaskLine, read_lines, task_line
from git_opatch.batch.output import MOST_LISTED, Done, Output, without_done

_Result = TypeVar("_Result", Done, Result)


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


def judge_all(
    tasks: IO[bytes], engine: Engine, output: Output, repositories: str = ""
) -> Iterator[Tally]:
    """Judge the tasks that have no result in `output`, and write it there.

    The repositories of a benchmark's rows are in the directory `repositories`.

    Yields the tally at the beginning and after each write. Raises `InputError` if `output` is not
    of these tasks, `OSError` if it cannot be written, and what the engine raises.
    """
    verdicts: Counter[str] = Counter()
    failed: list[bytes] = []
    done = _counted(output.done(), verdicts, failed)
    lines = (task_line(line, repositories) for line in read_lines(tasks))
    waiting = without_done(lines, done, engine.wanted, output.name)
    first = [*islice(waiting, 1)]  # by then, all that is done was read
    before = verdicts.total()
    yield Tally(verdicts, before, failed)
    for results in engine.judge(chain(first, waiting)) if first else ():
        output.write(b"".join(result.line for result in results))
        deque(_counted(results, verdicts, failed), 0)
        yield Tally(verdicts, before, failed)


def _counted(
    results: Iterable[_Result], verdicts: Counter[str], failed: list[bytes]
) -> Iterator[_Result]:
    """Count results as they come; keep the first of those that could not be judged."""
    for result in results:
        verdicts[result.verdict] += 1
        if result.verdict == NOT_JUDGED and len(failed) < MOST_LISTED:
            failed.append(result.line)
        yield result
