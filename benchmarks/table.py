"""Results as text: a table of the classes, one of the totals, and the reasons of failures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from hunks import places
from model import Case, Tree, Wanted
from trial import Outcome, Result

_GOOD = {
    Wanted.EXACT: {Outcome.EXACT},
    Wanted.ANSWERED: {Outcome.EXACT},
    Wanted.EITHER: {Outcome.EXACT, Outcome.REFUSED},
    Wanted.REFUSAL: {Outcome.REFUSED},
}
_ADVICE = re.compile(r"did you mean `|write `|add a line `")
"""How a refusal begins that gives the corrected line."""


def is_good(result: Result) -> bool:
    """Whether the outcome is a wanted one."""
    wanted, outcome = result.case.wanted, result.outcome
    may_advise = wanted is Wanted.ANSWERED and outcome is Outcome.REFUSED
    return outcome in _GOOD[wanted] or (may_advise and _ADVICE.search(result.message) is not None)


def by_class(results: Sequence[Result], tools: Sequence[str]) -> Iterator[str]:
    """A row for each class, with each tool's share of what was wanted, and what went wrong."""
    yield from _head(["class", "wanted", "cases", *tools])
    for kind in dict.fromkeys(result.case.kind for result in results):
        own = [result for result in results if result.case.kind == kind]
        cells = [_cell([result for result in own if result.tool == tool]) for tool in tools]
        cases = len({result.case.name for result in own})
        yield _row([kind, own[0].case.wanted.value, str(cases), *cells])


def _cell(results: Sequence[Result]) -> str:
    if not results:
        return ""
    counts = Counter(result.outcome for result in results)
    good = _percent(sum(map(is_good, results)), len(results))
    if results[0].case.wanted is Wanted.EITHER:
        good = f"{_percent(counts[Outcome.EXACT], len(results))} exact"
    bad = [
        f"{counts[outcome]} {outcome.value}"
        for outcome in (Outcome.WRONG, Outcome.HALF)
        if counts[outcome]
    ]
    return ", ".join([good, *bad])


def totals(results: Sequence[Result], tools: Sequence[str]) -> Iterator[str]:
    """A row for each tool: how patches ended that should apply, might, and must not."""
    yield from _head(
        [
            "tool",
            "applied exactly",
            "wrong, success reported",
            "refused",
            "left half done",
            "blank lines elsewhere",
            "either way: wrong or half",
            "to be refused: right",
        ]
    )
    for tool in tools:
        own = [result for result in results if result.tool == tool]
        apply, answered, either, refuse = (
            Counter(result.outcome for result in own if result.case.wanted is wanted)
            for wanted in Wanted
        )
        apply += answered
        shares = [_percent(apply[outcome], apply.total()) for outcome in Outcome]
        bad = _percent(either[Outcome.WRONG] + either[Outcome.HALF], either.total())
        yield _row([tool, *shares, bad, _percent(refuse[Outcome.REFUSED], refuse.total())])


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def _head(names: Sequence[str]) -> Iterator[str]:
    yield _row(names)
    yield _row(["---"] * len(names))


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def reasons(results: Sequence[Result]) -> Iterator[str]:
    """The messages where the outcome was not a wanted one, most frequent first."""
    messages = Counter(
        (result.case.kind, result.outcome.value, _first_error(result.message))
        for result in results
        if not is_good(result)
    )
    for (kind, outcome, reason), count in sorted(
        messages.items(), key=lambda item: (item[0][0], -item[1])
    ):
        yield f"{count:4}  {kind}: {outcome}: {reason}"


def _first_error(message: str) -> str:
    """The first error without what differs from case to case: path, numbers, quotations."""
    errors = [line for line in message.splitlines() if line.startswith(("error:", "fatal:"))]
    line = errors[0] if errors else "no error"
    line = re.sub(r"^\w+: (?:(?!line )\S+: )?", "", line)
    return re.sub(r"\d+", "N", re.sub(r"`[^`]*`", "`...`", line))[:100]


def repeated(results: Sequence[Result]) -> Iterator[str]:
    """How patches to apply ended whose hunks fit several places, and how those of the others.

    The hunks first, then the cases of each class that has some that are not exact.
    """
    to_apply = [result for result in results if result.case.wanted is Wanted.EXACT]
    counts = [(result, _repeated_hunks(result.case)) for result in to_apply]
    total = sum(count for _, count in counts)
    placed = sum(count for result, count in counts if result.outcome is Outcome.EXACT)
    yield (
        f"{total} hunks occur at several positions (whitespace aside); {placed} of them were placed"
    )
    for kind in dict.fromkeys(result.case.kind for result, _ in counts):
        own = [(result, count) for result, count in counts if result.case.kind == kind]
        once = [result for result, count in own if not count]
        several = [result for result, count in own if count]
        if _exact(once + several) < len(own):
            yield (
                f"{kind}: {_exact(once)} of {len(once)} exact where each hunk occurs once, "
                f"{_exact(several)} of {len(several)} where one occurs several times"
            )


def _exact(results: Sequence[Result]) -> int:
    return sum(result.outcome is Outcome.EXACT for result in results)


def _repeated_hunks(case: Case) -> int:
    return sum(
        len(places(hunk.before, _lines(case.draft.base, section.path), str.strip)) > 1
        for section in case.draft.sections
        for hunk in section.hunks
    )


def _lines(tree: Tree, path: str) -> list[str]:
    return tree[path].decode().splitlines()
