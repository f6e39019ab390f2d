"""Word how far a batch is, and draw it on a terminal."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from git_opatch.report import error_line
from git_opatch.report.outcome import Status
from git_opatch.report.terminal import show_progress

_EVERY = 0.25  # seconds
_NOT_JUDGED = Status.ERROR.value
_Tally = TypeVar("_Tally")


def summary(verdicts: Mapping[str, int], before: int, seconds: float) -> str:
    """Count the tasks: "9 tasks (81/s): 7 would apply, 1 refused; 1 could not be judged"."""
    total = sum(verdicts.values())
    earlier = f", {before:,} of them by an earlier run" if before else ""
    judged = total - before
    rate = f" ({judged / seconds:,.0f}/s)" if judged and seconds else ""
    failed, names = verdicts.get(_NOT_JUDGED, 0), [status.value for status in Status]  # best first
    known = [name for name in names if name in verdicts and name != _NOT_JUDGED]
    counts = ", ".join(f"{verdicts[name]:,} {name.replace('_', ' ')}" for name in known)
    return (
        f"{total:,} task{'s' * (total != 1)}{earlier}{rate}: {counts or 'none judged'}; "
        f"{failed:,} could not be judged"
    )


def task_name(number: int, task_id: str | int | None) -> str:
    """Name the task on a line: `line 3 (id "x")`."""
    return f"line {number:,} (id {json.dumps(task_id)})"


def not_judged(results: Sequence[bytes], count: int) -> Iterator[str]:
    """Name the tasks of `results`, the first of `count` that could not be judged, with reasons."""
    for data in results:
        result = json.loads(data)
        task = task_name(result["line"], result["id"])
        yield error_line(f"{task}: {result['document']['summary']}")
    if count > len(results):
        yield f"and {count - len(results):,} more; their results have the reasons"


def draw_totals(name: str, title: str) -> bytes:
    """Draw a page of the results in the file `name`: tasks by verdict and by reason.

    A task that is refused for several reasons counts for each of them.
    """
    from git_opatch.report.pages import totals_page

    totals: Counter[tuple[str, str]] = Counter()
    tasks = 0
    with open(name, "rb") as file:
        for line in file:
            tasks += 1
            result = json.loads(line)
            verdict = result["verdict"]
            reasons = {failure["reason"] for failure in result["document"]["failures"]}
            for reason in (reasons - {verdict}) or {""}:
                totals[verdict.replace("_", " "), reason.replace("_", " ")] += 1
    return totals_page(title, totals, tasks)


def with_counts(tallies: Iterable[_Tally]) -> Iterator[_Tally]:
    """Yield each of `tallies`, with `verdicts` and `before`, and show their counts meanwhile."""
    start = shown = time.monotonic()
    for tally in tallies:
        now = time.monotonic()
        if now - shown > _EVERY:
            shown = now
            counts, before = getattr(tally, "verdicts", {}), getattr(tally, "before", 0)
            show_progress(summary(counts, before, now - start))
        yield tally
    show_progress("")
