"""Results as tables in Markdown, and as records."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from model import Wanted
from trial import Outcome, Result

_PARTS = {
    "must apply": (Wanted.EXACT, Wanted.ANSWERED),
    "may": (Wanted.EITHER,),
    "must refuse": (Wanted.REFUSAL,),
}
_OUTCOMES = {
    "exact": (Outcome.EXACT,),
    "layout": (Outcome.LAYOUT,),
    "refused": (Outcome.REFUSED,),
    "wrong": (Outcome.WRONG,),
    "half": (Outcome.HALF,),
}
_ADVICE = re.compile(r"did you mean `|write `|add a line `")
"""How a refusal begins that gives the corrected line."""


def is_good(result: Result) -> bool:
    """Whether the outcome is a wanted one; a refusal with the right line is, for a format error."""
    wanted, outcome = result.case.wanted, result.outcome
    if outcome is Outcome.REFUSED:
        may_advise = wanted is Wanted.ANSWERED and _ADVICE.search(result.message) is not None
        return may_advise or wanted in (Wanted.EITHER, Wanted.REFUSAL)
    return outcome is Outcome.EXACT and wanted is not Wanted.REFUSAL


def table(
    title: str, results: Sequence[Result], keys: Callable[[Result], Iterable[str]]
) -> Iterator[str]:
    """How the cases of each key ended that must be applied, may be, and must be refused.

    A case has several keys, or one; only columns that have something are shown.
    """
    by_key: dict[str, list[Result]] = {}
    for result in results:
        for key in keys(result):
            by_key.setdefault(key, []).append(result)
    columns = [
        (part, outcome)
        for part in _PARTS
        for outcome in _OUTCOMES
        if any(_count(own, part, outcome) for own in by_key.values())
    ]
    yield _row([title, "cases", *(f"{part}: {outcome}" for part, outcome in columns)])
    yield _row(["---"] * (len(columns) + 2))
    for key, own in by_key.items():
        yield _row([key, str(len(own)), *(str(_count(own, *each) or "") for each in columns)])


def _count(results: Sequence[Result], part: str, outcome: str) -> int:
    return sum(
        result.case.wanted in _PARTS[part] and _ended(result) in _OUTCOMES[outcome]
        for result in results
    )


def _ended(result: Result) -> Outcome:
    is_answered = result.case.wanted is Wanted.ANSWERED and is_good(result)
    return Outcome.EXACT if is_answered else result.outcome


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def reasons(results: Sequence[Result]) -> Iterator[str]:
    """The messages where the outcome was not a wanted one, most frequent first."""
    messages = Counter(
        f"{result.case.kind}: {result.outcome.value}: {_first_error(result.message)}"
        for result in results
        if not is_good(result)
    )
    yield from (f"{count:4}  {message}" for message, count in messages.most_common())


def _first_error(message: str) -> str:
    """The first error without what differs from case to case: path, numbers, quotations."""
    line = next((line for line in message.splitlines() if line.startswith("error:")), "no error")
    line = re.sub(r"^error: (?:(?!line )\S+: )?", "", line)
    return re.sub(r"\d+", "N", re.sub(r"`[^`]*`", "`...`", line))[:100]


def record(result: Result) -> dict[str, object]:
    """The outcome of a case for a file."""
    case = result.case
    return {
        "case": case.name,
        "repository": case.commit.repository,
        "commit": case.commit.id,
        "style": str(case.style),
        "wanted": case.wanted.value,
        "tool": result.tool,
        "outcome": result.outcome.value,
        "message": result.message,
    }
