"""A refusal as lines of text, whose pieces have styles for a terminal.

What is wrong comes first, then the pictures of it, then what is odd, then what to do. What is the
same for several hunks or sections is said once. Everything is fit for a terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from git_opatch.model.failure import Failure, Refused
from git_opatch.model.json_text import string_line_of
from git_opatch.model.options import Options
from git_opatch.model.patch import Patch
from git_opatch.model.picture import Mark, Picture, Shows
from git_opatch.model.selection import falling_sections, parts_of
from git_opatch.model.sentences import Detail, Fault, Reason
from git_opatch.model.text import visible
from git_opatch.report.draw import Shown, drawn, joined, title

_MOST_ROWS, _LEAST_ROWS, _MOST_DRAWN, _MOST = 36, 7, 4, 12
"""So many rows a message has, and each hunk at least; so many hunks are drawn; so many named."""
_MOST_OF_ONE = 30
_SKIP = Fault.ALREADY_APPLIED.advice


def refusal_text(refused: Refused) -> str:
    """Return the text of a refusal, as the commands print it, for a model to read."""
    summary = refusal_summary(refused.failures, refused.options)
    return joined([*failure_lines(refused.failures), summary])


def text_of(failure: Failure) -> str:
    """Return the text of a failure, as the commands print it."""
    return joined(lines_of(failure))


def failure_lines(failures: Sequence[Failure], *, all_applied: bool = False) -> Iterator[Shown]:
    """List the failures; those of a file that have one fault in common are one.

    Advice that several have is said at the last of them; that `--skip-applied` skips what is
    applied not where that is all.
    """
    groups = grouped(failures)
    last = {group[0].advice: at for at, group in enumerate(groups)}
    many = max(sum(bool(group[0].pictures) for group in groups), 1)
    rows = max(min(_MOST_ROWS // many, _MOST_OF_ONE), _LEAST_ROWS)
    seen: set[tuple[str, Picture]] = set()
    for at, group in enumerate(groups[:_MOST]):
        is_drawn = at < _MOST_DRAWN
        advice = group[0].advice
        advises = last[advice] == at and not (all_applied and advice == _SKIP)
        first = group[0]
        drawn_once = {(first.path, shown) for shown in first.pictures if shown.shows is Shows.LIST}
        pictures = [shown for shown in first.pictures if (first.path, shown) not in seen]
        seen |= drawn_once
        group[0] = first._replace(pictures=tuple(pictures))
        yield from lines_of(*group, advises=advises, rows=rows * is_drawn)
    if groups[_MOST:]:
        yield f"and {len(groups) - _MOST} more"
    yield from (f"note: {said}" for said in rest_of(failures))


def rest_of(failures: Sequence[Failure]) -> Iterator[str]:
    """Say of the other hunks of these files that they change nothing, or fit."""
    if Reason.OVERLAP in {
        failure.reason for failure in failures
    }:  # of two versions, none is better
        return
    refused: dict[tuple[str, int], set[int]] = {}
    for failure in failures:
        refused.setdefault((failure.path, failure.hunks), set()).add(failure.hunk)
    idle = {(failure.path, number) for failure in failures for number in failure.idle}
    for (path, hunks), numbers in refused.items():
        rest = sorted({*range(1, hunks + 1)} - numbers) if 0 not in numbers else []
        for detail in (Detail.IDLE, Detail.FITS):
            which = [n for n in rest if ((path, n) in idle) is (detail is Detail.IDLE)]
            listed = ", ".join(map(str, which[:_LEAST_ROWS]))
            if which:
                yield detail.fill(path=path, hunks=f"hunk{'s' * (len(which) > 1)} {listed}")


def grouped(failures: Sequence[Failure]) -> list[list[Failure]]:
    """Put together what is said once: of a file as a whole, and of hunks that are all applied."""
    groups: dict[object, list[Failure]] = {}
    for at, failure in enumerate(failures):
        what = failure.reason if failure.hunk else failure.message
        is_once = not failure.hunk or failure.already_applied
        key = (failure.source, failure.path, what) if is_once else at
        groups.setdefault(key, []).append(failure)
    return [*groups.values()]


def lines_of(
    failure: Failure, *others: Failure, advises: bool = True, rows: int = _MOST_OF_ONE
) -> Iterator[Shown]:
    """Lay out a failure, with those of `others` that are said with it, and `rows` of its lines."""
    yield f"error: {headline(failure, len(others))}"
    if not rows and failure.pictures:
        return
    is_shown = rows and not others and not failure.already_applied
    pictures = failure.pictures if is_shown else ()
    is_drawn = any(picture.shows is Shows.PLACE for picture in pictures)
    is_numbered = failure.record or (is_drawn and not string_line_of(failure.number))
    if failure.number and not is_numbered and not others:
        source, number = visible(failure.source), failure.number
        yield f"  {source}:{number}" if source else f"  patch line {number}"
    is_told = any(picture.advice for picture in pictures)  # for each candidate what to write
    left, hidden = rows, Mark.ADDED if failure.reason is Reason.NOT_FOUND else None
    for picture in pictures:
        if is_told:
            yield f"  {picture.advice or title(picture, failure.path)}"
            continue
        if left <= 0:
            break
        told = [row for row in picture.telling if row.mark is not hidden]
        shown = [*drawn(told, left)]
        if not shown:
            continue
        yield f"  {title(picture, failure.path)}"
        yield from shown
        left -= max(len(shown), 1)
    yield from (f"  {said}" for said in (failure.said if rows and not others else ()))
    if advises and failure.advice and not is_told:
        yield f"  {failure.advice}"


def headline(failure: Failure, others: int = 0) -> str:
    """Say in one line what is wrong, and where; `others` is with how many further ones."""
    path = visible(failure.path) or "(no path)"
    if not others:
        return f"{path}: {failure.sentence}"
    count = others + 1
    if not failure.hunk:
        return f"{path}: {failure.message} ({count} edits)"
    is_all, is_there = count == failure.hunks, failure.reason is Reason.ALREADY_APPLIED
    if is_all and not is_there:
        return f"{path}: none of its hunks is applied"
    which = "all its hunks" if is_all else f"{count} of {failure.hunks} hunks"
    return f"{path}: {which} are {'already' if is_there else 'not'} applied"


def refusal_summary(
    failures: Sequence[Failure], options: Options, patch: Patch | None = None
) -> str:
    """Say in one line that nothing was changed, and what `--partial` would apply of `patch`."""
    parts = [count_failures(failures, options)]
    if patch and (fitting := _fitting(failures, options, patch)):
        parts.append(fitting)
    return "; ".join([*parts, "nothing was changed"])


def _fitting(failures: Sequence[Failure], options: Options, patch: Patch) -> str:
    """Say how many parts fit, where others do not, and what applies them; else empty."""
    is_whole = options.reverse or options.commit or options.carry or options.partial
    if is_whole or not all(failure.section_line for failure in failures):
        return ""
    refused, parts = {failure.key for failure in failures}, parts_of(patch)
    falling = {(failure.source, failure.number) for failure in falling_sections(patch, failures)}
    fitting = sum(
        refused.isdisjoint(part.keys) and (part.section.source, part.section.number) not in falling
        for part in parts
    )
    reasons = {
        failure.reason for failure in failures if failure.hunk and not failure.already_applied
    }
    if not fitting or not reasons or Reason.OVERLAP in reasons:  # of two versions, none is better
        return ""
    verb, them = ("fit", "those") if fitting > 1 else ("fits", "it")
    return f"{fitting} of {len(parts)} parts {verb}, and `--partial` applies {them}"


def count_conflicts(failures: Sequence[Failure]) -> str:
    """Say how many files `--3way` would leave with conflicts; empty if anything else is wrong."""
    if not failures or any(
        failure.reason is not Reason.CONFLICT or failure.record for failure in failures
    ):
        return ""
    return f"{len(failures)} file{'s' * (len(failures) > 1)} with conflicts"


def count_failures(failures: Sequence[Failure], options: Options) -> str:
    """Say what failed, and for how many reasons if there are several."""
    if conflicts := count_conflicts(failures):
        return f"the patch would leave {conflicts}"
    verdict = f"the patch does not apply{' in reverse' * options.reverse}"
    if options.redoes or any(failure.record for failure in failures):
        verdict = f"the patch cannot be {'redone' if options.redoes else 'undone'}"
    count = len(grouped(failures))
    return f"{verdict} ({count} problems)" if count > 1 else verdict
