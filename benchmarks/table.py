"""Results as tables in Markdown."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import product
from typing import Any

from model import Verdict
from trial import Outcome, Result

_PARTS = {Verdict.APPLY: "must apply", Verdict.MAY: "may", Verdict.REFUSE: "must refuse"}


def is_good(result: Result) -> bool:
    """Whether the outcome is a wanted one."""
    wanted = result.case.verdict
    if result.outcome is Outcome.REFUSED:
        return wanted is not Verdict.APPLY
    return result.outcome is Outcome.EXACT and wanted is not Verdict.REFUSE


def table(
    title: str, results: Sequence[Result], keys: Callable[[Result], Iterable[str]]
) -> Iterator[str]:
    """How the cases of each key ended that must be applied, may be, and must be refused.

    A case has several keys, or one; only columns that have something are shown.
    """
    counts: dict[str, Counter[tuple[Verdict, Outcome]]] = defaultdict(Counter)
    for result in results:
        for key in keys(result):
            counts[key][result.case.verdict, result.outcome] += 1
    every = Counter(ended for count in counts.values() for ended in count)
    columns = [column for column in product(_PARTS, Outcome) if column in every]
    yield _row([title, "cases", *(f"{_PARTS[part]}: {out.value}" for part, out in columns)])
    yield _row(["---"] * (len(columns) + 2))
    for key, count in counts.items():
        yield _row([key, str(count.total()), *(str(count[each] or "") for each in columns)])


def counted(
    titles: Sequence[str],
    columns: Sequence[Any],
    counts: Mapping[Any, Counter[Any]],
) -> Iterator[str]:
    """How many cases of each row ended in each way; a row has a cell for each of its titles."""
    words = [column.value if isinstance(column, Enum) else column for column in columns]
    yield _row([*titles, "cases", *words])
    yield _row([*["---"] * len(titles), *["---:"] * (len(columns) + 1)])
    for row, count in counts.items():
        yield _row([*row, str(count.total()), *(str(count[column] or "") for column in columns)])


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
