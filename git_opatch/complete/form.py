"""Does what is added show a removed line's text in a form that the file does not have?

A removed line may differ from the file's in letter case, punctuation, typography, backticks or
heading marks. An added line that keeps what differs has it from the same mistake: `"1.0"` replaced
by `"2.0"`, where the file has `"1.0",`, would lose the comma. Nothing tells which form is meant,
and so the hunk is refused. Blanks and tabs make no form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby

from git_opatch.complete.indent import lines_between
from git_opatch.outcome import Likeness, Placement
from git_opatch.patch import Mark
from git_opatch.text import Text, visible

_BLANKS = re.compile(r"[ \t]+")
_TOKEN = re.compile(r"\w+|(\W)\1*")
_LONGEST = 1000
"""Of lines of more characters nothing is told."""
_MOST_COMPARED = 20
_ALIKE = 0.5
_SHOWN = 60
_FORMS = {Likeness.BLANKS, Likeness.HEADING, Likeness.CASE, Likeness.TEXT}


def doubtful_form(placement: Placement, text: Text) -> str:
    """Why nothing tells in which form a line is to be added; empty if that is no question."""
    if _FORMS.isdisjoint(placement.likeness):
        return ""
    everywhere = {_text(line.text) for line in placement.hunk.lines if line.mark is Mark.ADDED}
    for removed, added in _runs(placement, lines_between(text, placement.start, placement.stop)):
        for at, (shown, there) in enumerate(removed):
            if shown != there and (
                shown in everywhere
                or any(_keeps(shown, there, one) for one in _counterparts(at, removed, added))
            ):
                return (
                    f"removes `{visible(shown, _SHOWN)}` where the file has "
                    f"`{visible(there, _SHOWN)}`, and adds a line of the same form, so there is no "
                    "telling which form it is to have"
                )
    return ""


def _runs(
    placement: Placement, found: Sequence[bytes]
) -> Iterator[tuple[list[tuple[str, str]], list[str]]]:
    """For each run of changes the removed lines, each as it is shown and as the file has it, and
    those added."""
    at = 0
    for kept, group in groupby(placement.hunk.lines, lambda line: line.mark is Mark.CONTEXT):
        run, before = list(group), at
        at += sum(line.mark is not Mark.ADDED for line in run)
        if not kept:
            removed = [_text(line.text) for line in run if line.mark is Mark.REMOVED]
            added = [_text(line.text) for line in run if line.mark is Mark.ADDED]
            yield list(zip(removed, map(_text, found[before:at]), strict=True)), added


def _text(line: bytes) -> str:
    return _BLANKS.sub(" ", line.decode("utf-8", "surrogateescape")).strip(" \r")


def _counterparts(
    at: int, removed: Sequence[tuple[str, str]], added: Sequence[str]
) -> Sequence[str]:
    """Those of the first `added` lines that may be another version of the one `removed` at `at`."""
    shown, there = removed[at]
    if there.startswith(shown):  # all lines may lack what they end with
        return added[:_MOST_COMPARED]
    if len(removed) == len(added):
        return added[at : at + 1]
    return [one for one in added[:_MOST_COMPARED] if _matcher(shown, one).ratio() >= _ALIKE]


def _matcher(one: str, two: str) -> SequenceMatcher[str]:
    return SequenceMatcher(None, _tokens(one), _tokens(two), autojunk=False)


def _tokens(text: str) -> list[str]:
    """Words, and runs of one other character."""
    return [match[0] for match in _TOKEN.finditer(text[:_LONGEST])]


def _keeps(shown: str, there: str, added: str) -> bool:
    """Whether `added` has anything in which `shown` differs from `there` as `shown` has it."""
    if max(map(len, (shown, there, added))) > _LONGEST:
        return True
    new, file, kept = _tokens(added), _tokens(there), [-1] * len(_tokens(shown))
    for first, second, size in _matcher(shown, added).get_matching_blocks():
        kept[first : first + size] = range(second, second + size)
    return any(
        -1 not in kept[first:last] if first < last else _lacks(file[start:stop], new, first, kept)
        for tag, first, last, start, stop in _matcher(shown, there).get_opcodes()
        if tag != "equal"
    )


def _lacks(missing: list[str], new: list[str], at: int, kept: Sequence[int]) -> bool:
    """Whether `new` has not what is `missing` before the token `at`, at an end or between the same
    neighbours; `kept` is where each token stands in it."""
    if at == len(kept):
        return new[-len(missing) :] != missing
    if not at:
        return new[: len(missing)] != missing
    return kept[at - 1] >= 0 and kept[at - 1] + 1 == kept[at]
