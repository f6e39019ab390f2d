"""A refusal: the error, and its text as lines, whose pieces have styles for a terminal.

What is wrong comes first, then what was expected and what the file has, then what to do. What is
the same for several hunks or sections is said once. Everything is fit for a terminal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from git_opatch.model.errors import Kind, OpatchError
from git_opatch.model.failure import ClosestMatch, Failure
from git_opatch.model.options import Options
from git_opatch.model.patch import Patch, Prefix
from git_opatch.model.sentences import Fault, Reason
from git_opatch.model.text import visible, visible_difference

Spans = Sequence[tuple[str, str]]
"""The pieces of a line, each with its style; empty for none."""

_MAX_FAILURES = 20
_ERROR, _EXPECTED, _FOUND = "bold red", "red", "green"
_LEAST_ALIKE = 0.5
"""How much alike two lines are, from 0 to 1, for the words that differ to be marked alone."""
_SKIP = Fault.ALREADY_APPLIED.advice


class Refused(OpatchError):  # noqa: N818 - an outcome, as success is
    """The patch does not apply, for the reasons in `failures`; nothing was changed.

    `str()` of it is the text that the commands print.
    """

    def __init__(self, failures: Iterable[Failure], options: Options) -> None:
        self.failures = tuple(failures)
        self.options = options
        self.kind = self.failures[0].kind if self.failures else Kind.IO
        super().__init__(self.failures, options)

    def __str__(self) -> str:
        return "\n".join(plain(refusal_lines(self.failures, self.options)))


def text_of(failure: Failure) -> str:
    """Return the text of a failure, as the commands print it."""
    return "\n".join(plain(lines_of(failure)))


def plain(lines: Iterable[Spans]) -> Iterator[str]:
    """Return the lines without their styles."""
    return ("".join(text for text, _ in line) for line in lines)


def refusal_lines(
    failures: Sequence[Failure],
    options: Options,
    patch: Patch | None = None,
    *,
    all_applied: bool = False,
) -> Iterator[Spans]:
    """List all failures, and say that nothing was changed.

    `patch` is what they are of, and `all_applied` whether all of it is already applied.
    """
    yield from failure_lines(failures, all_applied=all_applied)
    yield [(refusal_summary(failures, options, patch, all_applied=all_applied), "")]


def failure_lines(failures: Sequence[Failure], *, all_applied: bool = False) -> Iterator[Spans]:
    """List the failures; those of a file that have one fault in common are one.

    That `--skip-applied` skips what is applied is said once, and not where that is all.
    """
    groups = grouped(failures)
    skippable = [id(group) for group in groups if group[0].advice == _SKIP]
    silent = skippable if all_applied else skippable[:-1]
    for group in groups[:_MAX_FAILURES]:
        yield from lines_of(*group, advises=id(group) not in silent)
    if len(groups) > _MAX_FAILURES:
        yield [(f"and {len(groups) - _MAX_FAILURES} more", "")]


def grouped(failures: Sequence[Failure]) -> list[list[Failure]]:
    """Put together what is said once: of a file as a whole, and of hunks that are all applied."""
    groups: dict[object, list[Failure]] = {}
    for at, failure in enumerate(failures):
        what = failure.reason if failure.hunk else failure.message
        is_once = not failure.hunk or failure.already_applied
        key = (failure.source, failure.path, what) if is_once else at
        groups.setdefault(key, []).append(failure)
    return [*groups.values()]


def lines_of(failure: Failure, *others: Failure, advises: bool = True) -> Iterator[Spans]:
    """Lay out a failure, with those of `others` that are said with it."""
    yield [("error: ", _ERROR), (headline(failure, len(others)), "")]
    if failure.closest:
        yield from _comparison(failure, failure.closest)
    elif failure.number and not failure.record and not others:
        yield [(f"  {_line_name(failure, failure.number)}", "")]
    if failure.expected is not None:
        yield from _both_sides(failure, failure.expected)
    if failure.shown and failure.fault.reason is Reason.NOT_FOUND:
        ((position, text), *_) = failure.shown
        yield [(f"  {visible(failure.path)}:{position + 1} has", "")]
        yield [(f"      {visible(text)}".rstrip(), "")]
    for each in failure.enclosing:
        inside = visible(each.text.strip())
        yield [(f"  {visible(failure.path)}:{each.candidate + 1} is in `{inside}`", "")]
    if advises and failure.advice:
        yield [(f"  {failure.advice}", "")]


def _both_sides(failure: Failure, expected: Sequence[bytes]) -> Iterator[Spans]:
    """Show the lines that do not merge: of the file, and what was there before."""
    there = [text for _, text in failure.shown]
    place = "".join(f"{visible(failure.path)}:{line} has" for line in failure.candidates)
    for title, lines, style in (("expected", expected, _EXPECTED), (place, there, _FOUND)):
        yield [(f"  {title}{'' if lines else ' nothing there'}", "")]
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


def _line_name(failure: Failure, number: int) -> str:
    if failure.record or not number:
        return f"patch {failure.record}" if failure.record else "the patch"
    return f"{visible(failure.source)}:{number}" if failure.source else f"patch line {number}"


def _comparison(failure: Failure, closest: ClosestMatch) -> Iterator[Spans]:
    """Compare the lines of the patch with the file's, which are numbered from 1."""
    verb = "adds" if closest.line.prefix is Prefix.ADDED else "expects"
    path, found = visible(failure.path), closest.found
    expected, there = marked(closest.line.text, found)
    yield [(f"  {_line_name(failure, failure.number)} {verb}", "")]
    yield [("      ", ""), *expected]
    if not closest.around:
        return
    yield [(f"  closest match, {path}:{closest.position + 1}; {closest.described}", "")]
    width = len(str(closest.around[-1][0] + 1))
    for position, line in closest.around:
        shown = there if position == closest.position else [(visible(line), "")]
        number = f"      {position + 1:>{width}}"
        yield [(f"{number}  ", ""), *shown] if any(text for text, _ in shown) else [(number, "")]
    for other in closest.others:
        expected, there = marked(other.line.text, other.found)
        yield [(f"  {_line_name(failure, other.line.number)} {verb}", "")]
        yield [("      ", ""), *expected]
        yield [(f"  {path}:{other.position + 1} has", "")]
        yield [("      ", ""), *there]
    if closest.more:
        yield [
            (f"  and {closest.more} more line{'s differ' if closest.more > 1 else ' differs'}", "")
        ]


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
    failures: Sequence[Failure],
    options: Options,
    patch: Patch | None = None,
    *,
    all_applied: bool = False,
) -> str:
    """Say in one line that nothing was changed, and what `--partial` would apply of `patch`."""
    if all_applied:
        return "the patch is already applied; nothing was changed"
    parts = [count_failures(failures, options)]
    if patch and (fitting := _fitting(failures, options, patch)):
        parts.append(fitting)
    return "; ".join([*parts, "nothing was changed"])


def _fitting(failures: Sequence[Failure], options: Options, patch: Patch) -> str:
    """Say how many hunks fit, where others do not, and what applies them; else empty."""
    is_whole = options.reverse or options.commit or options.carry or options.partial
    if is_whole or not all(each.section_line for each in failures):
        return ""
    total = sum(len(section.hunks) for section in patch.files)
    refused = {each.key for each in failures}
    fitting = sum(
        (section.source, section.number, hunk.ordinal) not in refused
        for section in patch.files
        if (section.source, section.number, 0) not in refused
        for hunk in section.hunks
    )
    reasons = {each.reason for each in failures if each.hunk and not each.already_applied}
    if not fitting or not reasons or Reason.OVERLAP in reasons:  # of two versions, none is better
        return ""
    verb, them = ("fit", "those") if fitting > 1 else ("fits", "it")
    return f"{fitting} of {total} hunks {verb}, and `--partial` applies {them}"


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
