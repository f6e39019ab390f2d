"""The outcomes of the grammar as tables in Markdown, and as records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from model import Wanted
from trial import Outcome, Result

_GOOD = {
    Wanted.EXACT: (Outcome.EXACT,),
    Wanted.EITHER: (Outcome.EXACT, Outcome.REFUSED),
    Wanted.REFUSAL: (Outcome.REFUSED,),
}
_COLUMNS = (
    "cases", "must apply", "exact", "refused", "wrong", "may", "exact", "refused", "wrong",
    "must refuse", "refused", "wrong",
)  # fmt: skip


def is_good(result: Result) -> bool:
    """Whether the outcome is one that the oracle allows."""
    return result.outcome in _GOOD[result.case.wanted]


def tables(results: Sequence[Result]) -> Iterator[str]:
    """A table by the number of transformations, and one by transformation."""
    yield from _table("transformations at once", results, lambda result: [str(len(_names(result)))])
    yield ""
    alone = [result for result in results if len(_names(result)) == 1]
    yield from _table("alone", alone, _names)
    yield ""
    together = [result for result in results if len(_names(result)) > 1]
    yield from _table("with others", together, _names)


def _names(result: Result) -> list[str]:
    return result.case.kind.split(" + ")


def _table(
    title: str, results: Sequence[Result], keys: Callable[[Result], Sequence[str]]
) -> Iterator[str]:
    yield _row([title, *_COLUMNS])
    yield _row(["---"] * (len(_COLUMNS) + 1))
    by_key: dict[str, list[Result]] = {}
    for result in results:
        for key in keys(result):
            by_key.setdefault(key, []).append(result)
    for key in sorted(by_key):
        yield _row([key, *_cells(by_key[key])])
    yield _row(["**all**", *_cells(results)])


def _cells(results: Sequence[Result]) -> Iterator[str]:
    yield str(len(results))
    for wanted in _GOOD:
        own = [result for result in results if result.case.wanted is wanted]
        outcomes = [result.outcome for result in own]
        counts = [
            *([outcomes.count(Outcome.EXACT)] if wanted is not Wanted.REFUSAL else []),
            outcomes.count(Outcome.REFUSED),
            outcomes.count(Outcome.WRONG) + outcomes.count(Outcome.HALF),
        ]
        yield str(len(own) or "")
        yield from (
            str(count) if own and (count or at < 2) else "" for at, count in enumerate(counts)
        )


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def record(result: Result) -> dict[str, object]:
    """The outcome of a case for a file."""
    case = result.case
    return {
        "number": case.number,
        "transformations": _names(result),
        "repository": case.commit.repository,
        "commit": case.commit.id,
        "format": case.style.patch_format.value,
        "wanted": case.wanted.value,
        "tool": result.tool,
        "outcome": result.outcome.value,
        "message": result.message,
    }
