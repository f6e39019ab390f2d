"""A refusal as lines of text, whose pieces have styles for a terminal.

What is wrong comes first, then what was expected and what the file has, then what to do. What is
the same for several hunks or sections is said once. Everything is fit for a terminal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from git_opatch.model.extent import Extent, ExtentLine, Mark, Means, Suggestion
from git_opatch.model.failure import Failure, Refused, name_lines, name_range
from git_opatch.model.limits import QUOTED, SHOWN
from git_opatch.model.options import Options
from git_opatch.model.patch import Line, Patch
from git_opatch.model.selection import falling_sections, parts_of
from git_opatch.model.sentences import Detail, Difference, Fault, Reason
from git_opatch.model.text import visible, visible_difference
from git_opatch.model.text_position import string_line_of

Spans = Sequence[tuple[str, str]]
"""The pieces of a line, each with its style; empty for none."""
Shown = str | Spans
"""A line to show."""

_MOST_LAID = 5
"""So many hunks of a patch are laid over their files; later ones have a line each."""
_ROWS = (20, 14, 10, 7, 5, 3, 0)
"""So many lines of a hunk are shown: the first number with which it has its share of a message."""
_MOST_LINES, _MOST_NAMED = 50, 10
"""So many lines a message has; so many are kept for hunks that have a line each."""
_EXPECTED, _FOUND = "red", "green"
_LEAST_ALIKE = 0.5
"""How much alike two lines are, from 0 to 1, for the words that differ to be marked alone."""
_SKIP = Fault.ALREADY_APPLIED.advice


def refusal_text(refused: Refused) -> str:
    """Return the text of a refusal, as the commands print it, for a model to read."""
    summary = refusal_summary(refused.failures, refused.options)
    return "\n".join([*map(plain, failure_lines(refused.failures)), summary])


def text_of(failure: Failure) -> str:
    """Return the text of a failure, as the commands print it."""
    return "\n".join(map(plain, lines_of(failure)))


def plain(line: Shown) -> str:
    """Return the line without its styles."""
    return line if isinstance(line, str) else "".join(text for text, _ in line)


def failure_lines(failures: Sequence[Failure], *, all_applied: bool = False) -> Iterator[Shown]:
    """List the failures; those of a file that have one fault in common are one.

    Advice that several have is said at the last of them; that `--skip-applied` skips what is
    applied not where that is all.
    """
    groups = grouped(failures)
    last = {group[0].advice: at for at, group in enumerate(groups)}
    laid = [at for at, group in enumerate(groups) if group[0].extent and not group[1:]][:_MOST_LAID]
    count = 0
    for at, group in enumerate(groups):
        left = _MOST_LINES - count - min(len(groups) - at - 1, _MOST_NAMED)
        if left <= 0:
            yield f"and {len(groups) - at} more"
            return
        is_long = at in laid or not group[0].extent
        advice = group[0].advice
        advises = is_long and last[advice] == at and not (all_applied and advice == _SKIP)
        share = left // max(sum(each >= at for each in laid), 1)
        for rows in _ROWS if is_long else (0,):
            lines = [*lines_of(*group, advises=advises, rows=rows)]
            if len(lines) <= (share if rows > _ROWS[-2] else left):
                break
        yield from lines
        count += len(lines)
    refused = {(each.path, each.hunk) for each in failures}
    idle = {(each.path, number) for each in failures for number in each.idle} - refused
    for path, number in sorted(idle)[:_MOST_LAID]:
        yield f"note: {Detail.IDLE.fill(path=path, hunk=f'hunk {number}')}"


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
    failure: Failure, *others: Failure, advises: bool = True, rows: int = _ROWS[0]
) -> Iterator[Shown]:
    """Lay out a failure, with those of `others` that are said with it, and `rows` of its lines."""
    yield f"error: {headline(failure, len(others))}"
    is_laid = failure.extent is not None and bool(failure.extent.lines)
    if failure.number and not is_laid and not failure.record and not others:
        source, number = visible(failure.source), failure.number
        yield f"  {source}:{number}" if source else f"  patch line {number}"
    if failure.expected is not None:
        yield from _both_sides(failure, failure.expected)
    if failure.shown and failure.reason is Reason.NOT_FOUND:
        ((position, text), *_) = failure.shown
        yield f"  {visible(failure.path)}:{position + 1} has"
        yield f"      {visible(text)}".rstrip()
    left = rows
    if failure.extent and rows and not others and not failure.suggestions[1:]:
        laid = [*extent_lines(failure, failure.extent, rows)]
        left = max(rows - len(laid), rows // 4)
        yield from laid
    for sentence, around in details(failure) if rows else ():
        yield f"  {sentence}"
        yield from plain_rows(around[:left])
        left -= len(around[:left])
    is_told = len(failure.suggestions) > 1  # for each candidate what to write
    if advises and failure.advice and not is_told:
        yield f"  {failure.advice}"


def _both_sides(failure: Failure, expected: Sequence[bytes]) -> Iterator[Shown]:
    """Show the lines that do not merge: of the file, and what was there before."""
    there = [text for _, text in failure.shown]
    place = "".join(f"{visible(failure.path)}:{line} has" for line in failure.candidates)
    for title, lines, style in (("expected", expected, _EXPECTED), (place, there, _FOUND)):
        yield f"  {title}{'' if lines else ' nothing there'}"
        yield from ([("      ", ""), (visible(line), style)] for line in lines)


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


def extent_lines(failure: Failure, extent: Extent, rows: int) -> Iterator[Shown]:
    """Lay a hunk over the file: `=` is in both, `file` and `patch` only there."""
    if not extent.lines:
        return
    yield f"  {_title(failure, extent)}"
    numbers = [int(each.line.number) for each in extent.lines if each.line]
    numbers += [each.position + 1 for each in extent.lines if each.position is not None]
    width = len(str(max(numbers)))
    is_hardly = failure.fault in _HARDLY_THERE
    if is_hardly:
        shown = (each for each in extent.lines if each.mark is not Mark.IN_PATCH or each.difference)
        extent = extent._replace(lines=tuple(shown))
    for is_same, run in groupby(extent.most(rows), lambda each: each.mark in _SIGNS):
        group = [*run]
        if is_same:
            yield from (_row(each, width, _shown(each.text)) for each in group)
        else:
            pairs = [(each, *_sides(each)) for each in group]
            yield from (_row(each, width, text) for each, _, text in pairs if _is_in_file(each))
            missing = [(e, text) for e, text, _ in pairs if e.line or not _is_in_file(e)]
            if is_hardly:
                missing = [(e, text) for e, text in missing if _is_subtle(e) or text[1:]]
            yield from (_of_patch(each, width, text) for each, text in missing)


def _is_subtle(each: ExtentLine) -> bool:
    """Return whether it is to be said in what a line differs."""
    return each.difference not in (None, Difference.TEXT)


def _is_in_file(each: ExtentLine) -> bool:
    return each.position is not None


def _title(failure: Failure, extent: Extent) -> str:
    """Say which lines are shown, and what they are in."""
    first, last = extent.positions[0], extent.positions[-1]
    place = f"{visible(failure.path)}:{first + 1}" + f"-{last + 1}" * (last > first)
    if extent.inside:
        inside = extent.inside
        place += f", in `{visible(inside.text.strip(), QUOTED)}` (line {inside.line + 1})"
    title = Detail.CANDIDATE
    if failure.fault is Fault.NOTHING_FOUND:
        title = Detail.NEAREST
    elif failure.reason is Reason.NOT_FOUND:
        title = Detail.CLOSEST
    elif failure.reason is Reason.ALREADY_APPLIED:
        title = Detail.NEW_LINES
    return title.fill(place=place)


_SIGNS = {Mark.THERE: "=", Mark.AROUND: ""}
"""Of the lines of the file that the patch does not differ from."""
_HARDLY_THERE = (Fault.HARDLY_FOUND, Fault.NOTHING_FOUND)
"""Where lines of the patch are not shown beside the file's: they are none of these."""


def _shown(text: bytes | None, style: str = "") -> Spans:
    return [(visible(text or b""), style)]


def _sides(each: ExtentLine) -> tuple[Spans, Spans]:
    """Lay out both sides of a line that differs, with what differs marked."""
    if each.mark is Mark.OTHER and each.line:
        return marked(each.line.text, each.text)
    return _shown(each.line.text if each.line else b"", _EXPECTED), _shown(each.text, _FOUND)


def _omitted(each: ExtentLine) -> str:
    """Say what is left out between lines that are shown."""
    detail = _OMITTED[each.omits or Mark.OMITTED]
    lines = "" if each.position is None else name_range(each.position, each.size)
    return detail.fill(count=each.size, lines=lines)


_OMITTED = {
    Mark.THERE: Detail.SAME,
    Mark.IN_FILE: Detail.NOT_IN_HUNK,
    Mark.IN_PATCH: Detail.MISSING,
    Mark.AROUND: Detail.REREAD,
    Mark.OMITTED: Detail.REREAD,
}


def _row(each: ExtentLine, width: int, text: Spans) -> Spans:
    """Lay out a line of the file, with the patch's prefix; or say which are left out."""
    if each.mark is Mark.OMITTED:
        return [(f"    {'':5} {'':{width}}  ({_omitted(each)})", "")]
    number = (each.position or 0) + 1
    mark = _SIGNS.get(each.mark, "file")
    prefix = each.line.prefix.value if each.line and each.mark is Mark.THERE else " "
    return _stripped([(f"    {mark:>5} {number:>{width}} {prefix}", ""), *text])


def _of_patch(each: ExtentLine, width: int, text: Spans) -> Spans:
    """Lay out a line that only the patch has, and say what differs where that is hard to see."""
    if each.mark is Mark.OMITTED:
        return _row(each, width, text)
    line = each.line
    number = int(line.number) if line and not string_line_of(line.number) else ""
    prefix = line.prefix.value if line else " "
    note = [(f"   ({each.described})", "")] if _is_subtle(each) else []
    return _stripped([(f"    {'patch':>5} {number:>{width}} {prefix}", ""), *text, *note])


def _stripped(spans: Spans) -> Spans:
    """Leave out the spaces at the end of a line that has nothing else."""
    is_blank = not any(text.strip() for text, _ in spans[1:])
    return [(spans[0][0].rstrip(), spans[0][1])] if is_blank else spans


def plain_rows(lines: Sequence[ExtentLine]) -> Iterator[Spans]:
    """Lay out lines of the file that the hunk does not have."""
    width = max((len(str((each.position or 0) + 1)) for each in lines), default=0)
    return (_row(each, width, _shown(each.text)) for each in lines)


def details(failure: Failure) -> Iterator[tuple[str, Sequence[ExtentLine]]]:
    """Yield what is known beyond the hunk's lines: each a sentence, fit for a terminal, with lines
    of the file."""
    is_told = bool(failure.suggestions[1:])  # for each candidate what to write
    for told in failure.suggestions if failure.enclosing or is_told else ():
        yield _suggested(told), ()
    for each in () if is_told else failure.enclosing:
        place = f"{visible(failure.path)}:{each.candidate + 1}"
        yield f"{place} is in `{visible(each.text.strip())}`", ()
    extent = failure.extent or Extent()
    if extent.nowhere:
        which = _patch_lines(extent.nowhere, quotes=not extent.lines)
        yield Detail.NOWHERE.fill(which=which), ()
    if extent.named:
        named = extent.named
        detail = Detail.NOT_IN_NAMED if extent.lines else Detail.NAMED
        detail = detail if named.positions else Detail.NAMED_NOWHERE
        lines = name_lines(named.positions)
        yield detail.fill(name=named.text, lines=lines), named.around
    for other in extent.elsewhere:
        detail = Detail.ELSEWHERE if other.text is None else Detail.LIKE
        said = detail.fill(
            which=_patch_lines([other.line]),
            line=other.line.text.strip(),
            lines=name_lines(other.positions),
            text=(other.text or b"").strip(),
        )
        yield said, other.around
    for there in extent.added:
        lines = name_range(there.positions[0], len(there.positions))
        yield Detail.ADDED.fill(which=_patch_lines([there.line]), lines=lines), ()


def _suggested(each: Suggestion) -> str:
    detail = {
        Means.ANCHOR: Detail.ANCHOR,
        Means.ABOVE: Detail.LINES_ABOVE if each.distance > 1 else Detail.LINE_ABOVE,
        Means.BELOW: Detail.LINES_BELOW if each.distance > 1 else Detail.LINE_BELOW,
    }[each.means]
    at, line = (each.candidate or 0) + 1, each.text.strip()
    return detail.fill(at=at, line=line, count=each.distance)


def _patch_lines(lines: Sequence[Line], *, quotes: bool = False) -> str:
    """Name lines of the patch: "patch lines 9, 12-14"; with their text, the first ones."""
    if quotes or string_line_of(lines[0].number):
        quoted = [f"`{visible(line.text.strip(), QUOTED)}`" for line in lines[:SHOWN]]
        return ", ".join([*quoted, *["…"] * (len(lines) > SHOWN)])
    numbers = [int(line.number) for line in lines]
    runs = [[*run] for _, run in groupby(enumerate(numbers), lambda each: each[1] - each[0])]
    named = [f"{run[0][1]}-{run[-1][1]}" if len(run) > 1 else f"{run[0][1]}" for run in runs]
    shown = ", ".join([*named[: 2 * SHOWN], *["…"] * (len(named) > 2 * SHOWN)])
    return f"patch line{'s' * (len(lines) > 1)} {shown}"


def marked(expected: bytes, found: bytes | None) -> tuple[Spans, Spans]:
    """Mark what differs between two lines: words where they are close, else all of them.

    Both are made fit for a terminal; the pieces that are the same have no style.
    """
    from difflib import SequenceMatcher

    shown = visible_difference(expected, expected if found is None else found)
    words: list[list[str]] = [re.findall(r"\w+|\s+|.", line) for line in shown]
    matcher = SequenceMatcher(None, words[0], words[1], autojunk=False)
    if matcher.ratio() < _LEAST_ALIKE:
        return [(shown[0], _EXPECTED)], [(shown[1], _FOUND)]
    old: list[tuple[str, str]] = []
    new: list[tuple[str, str]] = []
    for tag, first, last, start, stop in matcher.get_opcodes():
        is_same = tag == "equal"
        old.append(("".join(words[0][first:last]), "" if is_same else _EXPECTED))
        new.append(("".join(words[1][start:stop]), "" if is_same else _FOUND))
    return [span for span in old if span[0]], [span for span in new if span[0]]


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
    if is_whole or not all(each.section_line for each in failures):
        return ""
    refused, parts = {each.key for each in failures}, parts_of(patch)
    falling = {(each.source, each.number) for each in falling_sections(patch, failures)}
    fitting = sum(
        refused.isdisjoint(part.keys) and (part.section.source, part.section.number) not in falling
        for part in parts
    )
    reasons = {each.reason for each in failures if each.hunk and not each.already_applied}
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
