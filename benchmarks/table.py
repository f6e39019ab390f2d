"""Results as tables in Markdown, and as records."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

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
    by_key: dict[str, list[tuple[Verdict, Outcome]]] = {}
    for result in results:
        for key in keys(result):
            by_key.setdefault(key, []).append((result.case.verdict, result.outcome))
    every = {ended for own in by_key.values() for ended in own}
    columns = [(part, out) for part in _PARTS for out in Outcome if (part, out) in every]
    yield _row([title, "cases", *(f"{_PARTS[part]}: {out.value}" for part, out in columns)])
    yield _row(["---"] * (len(columns) + 2))
    for key, own in by_key.items():
        yield _row([key, str(len(own)), *(str(own.count(each) or "") for each in columns)])


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def write(path: Path | None, results: Sequence[Result]) -> None:
    """Write every outcome to a file, if one is named."""
    records = [
        {
            "case": result.case.name,
            "source": result.case.source,
            "verdict": _PARTS[result.case.verdict],
            "tool": result.tool,
            "outcome": result.outcome.value,
            "message": result.message,
        }
        for result in results
    ]
    if path:
        path.write_text(json.dumps(records, indent=1), "utf-8")
