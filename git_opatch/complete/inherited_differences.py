"""Correct in added lines what the author changed in every line; refuse what is unclear (D45).

Context and removed lines may differ from the file's in more than whitespace: in letter case,
typography, backticks, final punctuation, heading level. Whoever wrote them wrote the added lines:

    hunk                file
    -    "api": "1.0"       "api": "1.0",
    +    "api": "1.1"                       the comma would be lost

Each such line shows what the patch has where the file has something else. An added line that has
it, too, is in doubt

- if it replaces that line,
- or if the difference is a habit: no other old line of the hunk has it as the file does.

Typographic signs that the file does not have, and the levels of headings, become the file's, if
all old lines agree how. Any other doubt refuses the hunk.

Of whitespace, only that inside quotes is compared: there it is content. Where all lines end with
whitespace, and none of the file's does, the added ones lose what all have.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple
from unicodedata import category

from git_opatch.complete.reindent import lines_between
from git_opatch.model.failure import Problem
from git_opatch.model.limits import QUOTED
from git_opatch.model.options import Tier
from git_opatch.model.patch import Line, Prefix
from git_opatch.model.placement import Likeness, Placement
from git_opatch.model.sentences import Fault
from git_opatch.model.text import Text, visible_difference

_TOKEN = re.compile(r"\w+|(\W)\1*")
_HEADING = re.compile(r"(#{1,6})(?=\s)")
_DEEPEST = 6
"""The deepest level of a heading."""
_WHITESPACE = re.compile(r"[ \t\r]+")
_QUOTED = re.compile(r"(?<![\w\\])([\"'`]).*?(?<!\\)\1")
_SENTENCE_END = re.compile(r"[.,;:!?]+")
_SENTENCE = re.compile(r"[.!?]")
_CLOSED = re.compile(r".*[\w)\]}>\"'`\u2019\u201d]", re.DOTALL)
"""A line that could go on with a sign of punctuation."""
_EDGE = " "
_COMPARED = {Likeness.WHITESPACE, Likeness.HEADING_LEVEL, Likeness.CASE, Likeness.TEXT}


class Written(NamedTuple):
    """A placement with the added lines as they are meant, or why that is unclear."""

    placement: Placement
    unclear: Problem | None = None


class _Row(NamedTuple):
    """An old line: its text in the patch and in the file, and its run of changes, 0 for context."""

    in_patch: str
    in_file: str
    run: int


class _Difference(NamedTuple):
    """A token of the patch and that of the file in its place; either may be empty.

    `before` and `after` are the tokens around it in the patch, if it is not at the end.
    """

    in_patch: str
    in_file: str
    before: str
    after: str
    is_end: bool
    """Whether it is the punctuation at the end of the line."""
    is_first: bool = False
    """Whether it is the letter case of the line's first word."""


def correct_inherited(placement: Placement, text: Text) -> Written:
    """Return `placement` with its added lines as they are meant in `text`."""
    if _COMPARED.isdisjoint(placement.likeness):
        return Written(placement)
    rows = list(_rows(placement, text))
    differing = [row for row in rows if row.in_patch != row.in_file]
    shift = _heading_shift(rows, placement.hunk.lines)
    if shift is None:
        return Written(placement, Problem(Fault.HEADING_LEVEL))
    signs = _signs_to_undo(rows, differing, text)
    beyond = _whitespace_beyond(placement, text)
    cuts = _whitespace_to_cut(placement.hunk.lines, beyond)
    if _has_some_of(placement, text, beyond) or _leaves_whitespace(placement.hunk.lines, cuts):
        return Written(placement, Problem(Fault.WHITESPACE_AT_END))
    lines = [_undone(line, shift, signs, cuts) for line in placement.hunk.lines]
    in_prose = placement.tier is Tier.FUZZY
    unclear = _first_doubt(rows, differing, lines, text, in_prose=in_prose) or _first_quoted(
        placement, text
    )
    if lines != [*placement.hunk.lines]:
        placement = replace(placement, hunk=replace(placement.hunk, lines=tuple(lines)))
    return Written(placement, unclear)


def _rows(placement: Placement, text: Text) -> Iterator[_Row]:
    """Yield the old lines, but for those whose beginning is cut off."""
    in_file = lines_between(text, placement.start, placement.stop)
    old = (row for row in _numbered(placement.hunk.lines) if row[1].prefix is not Prefix.ADDED)
    for (run, line), found, kind in zip(old, in_file, placement.likeness, strict=True):
        if kind is not Likeness.CUT:
            removed = line.prefix is Prefix.REMOVED
            yield _Row(_text(line.text), _text(found), run if removed else 0)


def _numbered(lines: Sequence[Line]) -> Iterator[tuple[int, Line]]:
    """Yield each line with the number of its run of changes, or that of the run before it."""
    run, before = 0, Prefix.CONTEXT
    for line in lines:
        run += before is Prefix.CONTEXT and line.prefix is not Prefix.CONTEXT
        before = line.prefix
        yield run, line


def _text(line: bytes) -> str:
    return _WHITESPACE.sub(" ", line.decode("utf-8", "surrogateescape")).strip(" ")


def _tokens(text: str) -> list[str]:
    """Split `text` into words, and runs of one other character."""
    return [match[0] for match in _TOKEN.finditer(text)]


def _heading_shift(rows: Iterable[_Row], lines: Iterable[Line]) -> int | None:
    """Return how much deeper headings are in the file; None if that of added ones is unclear.

    It is clear if all old headings are as much deeper, and the least deep one that is added is as
    deep as one of them in the patch.
    """
    pairs = ((_level(row.in_patch), _level(row.in_file)) for row in rows)
    old = [(shown, found) for shown, found in pairs if shown and found]
    shifts = {found - shown for shown, found in old}
    added = [level for line in lines if line.prefix is Prefix.ADDED if (level := _level_of(line))]
    if not added or not any(shifts):
        return 0
    shift, levels = max(shifts), {shown for shown, _ in old}
    fits = len(shifts) == 1 and min(added) in levels and max(added) + shift <= _DEEPEST
    return shift if fits else None


def _level(text: str) -> int:
    """Return the level of the heading that `text` is, 0 if it is none."""
    heading = _HEADING.match(text)
    return len(heading[1]) if heading else 0


def _level_of(line: Line) -> int:
    return _level(_text(line.text))


def _signs_to_undo(rows: Sequence[_Row], differing: Sequence[_Row], text: Text) -> dict[str, str]:
    """Return the typographic signs that all lines have for one of ASCII, and the file nowhere."""
    signs: dict[str, set[str]] = defaultdict(set)
    for row in differing:
        for difference in _differences(row):
            if _is_typographic(difference.in_patch):
                signs[difference.in_patch].add(difference.in_file)
    in_file = {sign: found.pop() for sign, found in signs.items() if len(found) == 1}
    return {
        sign: found
        for sign, found in in_file.items()
        if found.isascii()
        and found
        and not any(found in row.in_patch for row in rows)
        and not _has(text, sign)
    }


def _whitespace_beyond(placement: Placement, text: Text) -> frozenset[str]:
    """Return the whitespace that old lines of a hunk end with, beyond that of the file's lines.

    One that is empty is of a line that ends as in the file.
    """
    in_file = lines_between(text, placement.start, placement.stop)
    old = zip(placement.hunk.preimage, in_file, placement.likeness, strict=True)
    shown = [
        (line.text, found)
        for line, found, kind in old
        if found.strip() and kind is not Likeness.CUT
    ]
    return frozenset(
        _whitespace_at_end(line)[len(_whitespace_at_end(found)) :].decode() for line, found in shown
    )


def _whitespace_to_cut(lines: Sequence[Line], beyond: Set[str]) -> Set[str]:
    """Return the whitespace that all of a hunk's `lines` end with; none if a line has none."""
    added = [line.text for line in lines if line.prefix is Prefix.ADDED]
    is_habit = all(_whitespace_at_end(line) or not line.strip() for line in added)
    return beyond if is_habit and "" not in beyond else frozenset()


def _has_some_of(placement: Placement, text: Text, beyond: Set[str]) -> bool:
    """Return whether some old lines, but not all, end with whitespace that the file does not have
    there, and an added one ends so, too."""
    lines = placement.hunk.lines
    added = (line.text for line in lines if line.prefix is Prefix.ADDED and line.text.strip())
    in_file = map(_whitespace_at_end, lines_between(text, placement.start, placement.stop))
    foreign = {end.encode() for end in beyond if end} - set(in_file)
    return "" in beyond and any(_whitespace_at_end(line) in foreign for line in added)


def _leaves_whitespace(lines: Sequence[Line], cuts: Set[str]) -> bool:
    """Return whether all added lines would keep some whitespace at their end without `cuts`.

    It may as well be theirs as a habit of the author that an old line does not show in full.
    """
    ends = [
        _whitespace_at_end(line.text)
        for line in lines
        if line.prefix is Prefix.ADDED and line.text.strip()
    ]
    return len(cuts) == 1 and bool(ends) and all(len(end) > len(*cuts) for end in ends)


def _whitespace_at_end(line: bytes) -> bytes:
    line = line.rstrip(b"\r")
    return line[len(line.rstrip(b" \t")) :]


def _undone(line: Line, shift: int, signs: Mapping[str, str], cuts: Set[str]) -> Line:
    """Return an added line with the file's signs and level of headings.

    `cuts` is whitespace at the end of old lines that goes; a line of nothing but others stays.
    """
    if line.prefix is not Prefix.ADDED or not (shift or signs or cuts):
        return line
    text = line.text.decode("utf-8", "surrogateescape")
    if cuts and (text.strip() or text.rstrip("\r") in cuts):
        body, end = text.rstrip("\r"), text[len(text.rstrip("\r")) :]
        (cut, *others) = cuts
        is_one = not others and body.endswith(cut)
        text = (body.removesuffix(cut) if is_one else body.rstrip(" \t")) + end
    if not any(found in text for found in signs.values()):
        text = "".join(signs.get(token, token) for token in _tokens(text))
    at = len(text) - len(text.lstrip())
    if level := _level(text[at:]):
        text = text[:at] + "#" * (level + shift) + text[at + level :]
    return line._replace(text=text.encode("utf-8", "surrogateescape"))


def _first_doubt(
    rows: Sequence[_Row],
    differing: Iterable[_Row],
    lines: Sequence[Line],
    text: Text,
    *,
    in_prose: bool,
) -> Problem | None:
    """Return which difference an added line may have inherited; None if none.

    `in_prose` is whether signs differ in prose alone, as they do at the fuzzy tier (D100).
    """
    added, kept = _AddedLines(lines, text), _KeptTokens(rows, in_prose=in_prose)
    judged: set[tuple[_Difference, int, str]] = set()
    for row in differing:
        first = _tokens(row.in_patch)[0]
        for difference in _differences(row):
            if (difference, row.run, first) in judged or not added.may_repeat(difference):
                continue
            judged.add((difference, row.run, first))
            if _is_in_doubt(difference, row.run, first, added, kept):
                shown, there = visible_difference(row.in_patch, row.in_file, QUOTED)
                return Problem.of(Fault.INHERITED, shown=shown, there=there)
    return None


def _is_in_doubt(
    difference: _Difference, run: int, first: str, added: _AddedLines, kept: _KeptTokens
) -> bool:
    """Return whether an added line in the same run repeats a difference, or any line a habit.

    The old line that has the difference begins with the token `first`.
    """
    ends_as_in_file = difference.is_end and any(
        _ends_as_in_file(tokens, first, difference) for _, tokens in added.rows
    )
    is_habit = not ends_as_in_file and not kept.has(difference)
    return added.has_foreign_sign_like(difference.in_patch) or any(
        (of_run == run and _repeats(tokens, difference))
        or (
            is_habit
            and _inherits(tokens, first, difference, in_prose=kept.in_prose)
            and not (difference.is_end and kept.replaces_end(of_run, tokens))
        )
        for of_run, tokens in added.rows
    )


def _ends_as_in_file(tokens: Sequence[str], other: str, difference: _Difference) -> bool:
    """Return whether an added line ends with the file's sign; or without one, where the file has
    none at the end of the line of its kind that begins with the token `other`."""
    if difference.in_file:
        return tokens[-1] == difference.in_file
    return _is_alike(tokens[0], other) and _CLOSED.fullmatch(tokens[-1]) is not None


class _AddedLines:
    """The added lines of a hunk, and what all of them have.

    `rows` have the number of the run of changes, and the tokens of each line that is not blank.
    """

    def __init__(self, lines: Sequence[Line], text: Text) -> None:
        self.rows = [
            (run, _tokens(_text(line.text)))
            for run, line in _numbered(lines)
            if line.prefix is Prefix.ADDED and line.text.strip()
        ]
        self._text = text
        self._tokens = {token for _, tokens in self.rows for token in tokens}
        self._pairs = {
            pair for _, tokens in self.rows for pair in pairwise([_EDGE, *tokens, _EDGE])
        }

    def may_repeat(self, difference: _Difference) -> bool:
        """Return whether it is worth comparing each line with `difference`."""
        in_patch = difference.in_patch
        if difference.is_end or _is_typographic(in_patch):
            return True
        if not in_patch:
            return (difference.before, difference.after) in self._pairs
        return in_patch == _EDGE or in_patch in self._tokens

    def has_foreign_sign_like(self, sign: str) -> bool:
        """Return whether a line has a typographic sign that the file does not have, where `sign` is
        one of that kind: a quote, a dash, a space."""
        return _is_typographic(sign) and _sign_kind(sign) in self._foreign_kinds

    @cached_property
    def _foreign_kinds(self) -> set[str]:
        signs = {token for token in self._tokens if _is_typographic(token)}
        return {_sign_kind(sign) for sign in signs if not _has(self._text, sign)}


class _KeptTokens:
    """What old lines have in the patch as the file has it."""

    def __init__(self, rows: Sequence[_Row], *, in_prose: bool) -> None:
        self._rows = rows
        self.in_prose = in_prose
        self._tokens: set[str] = set()
        for row in rows:
            self._tokens |= {*_tokens(row.in_patch)} & {*_tokens(row.in_file)}
        self._ends: dict[tuple[str, str], bool] = {}
        self._removed_ends = {
            (row.run, *_tokens(row.in_patch)[-2:]) for row in rows if row.in_patch == row.in_file
        }

    def replaces_end(self, run: int, tokens: Sequence[str]) -> bool:
        """Return whether a line of `tokens` ends as a removed one of its run does.

        That one is as in the file, so its end is not a mistake.
        """
        return (run, *tokens[-2:]) in self._removed_ends

    def has(self, difference: _Difference) -> bool:
        """Return whether a line has what the file has, where others have `difference`."""
        in_patch, in_file = difference.in_patch, difference.in_file
        if not difference.is_end:
            return (in_file or in_patch) in self._tokens
        key = in_patch, in_file
        if key not in self._ends:
            self._ends[key] = any(_ends_alike(row, in_patch, in_file) for row in self._rows) or (
                self.in_prose and bool(in_file) and any(map(_keeps_a_sign, self._rows))
            )
        return self._ends[key]


def _first_quoted(placement: Placement, text: Text) -> Problem | None:
    """Say which quoted text differs in whitespace, and is added as the patch has it."""
    lines = placement.hunk.lines
    added = [each for line in lines if line.prefix is Prefix.ADDED for each in _quoted(line.text)]
    in_file = lines_between(text, placement.start, placement.stop)
    old = zip(placement.hunk.preimage, in_file, placement.likeness, strict=True)
    for line, found, kind in old if added else ():
        if kind is not Likeness.WHITESPACE:
            continue
        for shown, there in zip(_quoted(line.text), _quoted(found), strict=False):
            if shown != there and any(_has_whitespace_of(each, shown, there) for each in added):
                one, other = visible_difference(shown, there, QUOTED)
                return Problem.of(Fault.INHERITED, shown=one, there=other)
    return None


def _has_whitespace_of(quoted: str, shown: str, there: str) -> bool:
    """Return whether a quoted text has the whitespace of `shown`, beside a word or sign of
    that, where `there` has others."""
    pairs = {*pairwise(_tokens(shown))} - {*pairwise(_tokens(there))}
    blank = {pair for pair in pairs if any(map(str.isspace, pair))}
    return quoted == shown or not blank.isdisjoint(pairwise(_tokens(quoted)))


def _quoted(line: bytes) -> list[str]:
    """List the texts in quotes, with these."""
    return [match[0] for match in _QUOTED.finditer(line.decode("utf-8", "surrogateescape"))]


def _inherits(
    tokens: Sequence[str], other: str, difference: _Difference, *, in_prose: bool
) -> bool:
    """Return whether a line repeats a habit, seen in a line that begins with the token `other`.

    What is a slip of words or of a sentence counts in a line of the same kind alone: in prose and
    in code, or behind the same mark of a comment.
    """
    changed = difference.in_patch + difference.in_file
    is_syntax = difference.is_end and not in_prose and not _SENTENCE.search(changed)
    return (is_syntax or _is_alike(tokens[0], other)) and _repeats(tokens, difference)


def _is_alike(first: str, other: str) -> bool:
    """Return whether lines that begin with these tokens are of one kind: both begin with a word,
    or behind the same mark of a comment."""
    return first == other or (first.isalnum() and other.isalnum())


def _is_typographic(token: str) -> bool:
    return not token.isascii() and category(token[:1])[0] in "PZ"


def _sign_kind(sign: str) -> str:
    """Return the kind of a typographic sign: a dash, a space, or another, as quotes are."""
    kind = category(sign[0])
    return kind if kind in ("Pd", "Zs") else ""


def _has(text: Text, sign: str) -> bool:
    sought = sign.encode("utf-8", "surrogateescape")
    return any(sought in line for line in text.lines)


def _differences(row: _Row) -> Iterator[_Difference]:
    """Yield the tokens in which the patch and the file differ, from left to right."""
    shown, found = _tokens(row.in_patch), _tokens(row.in_file)
    at = there = 0
    while at < len(shown) or there < len(found):
        old, new = shown[at : at + 1], found[there : there + 1]
        if old == new:
            at, there = at + 1, there + 1
            continue
        if old and old == found[there + 1 : there + 2]:
            old = []
        elif new and new == shown[at + 1 : at + 2]:
            new = []
        before, begins = shown[at - 1] if at else _EDGE, not _first_word(shown[:at])
        at, there = at + len(old), there + len(new)
        after = shown[at] if at < len(shown) else _EDGE
        in_patch, in_file = "".join(old), "".join(new)
        ends = at == len(shown) and there == len(found)
        is_end = ends and _SENTENCE_END.fullmatch(in_patch + in_file) is not None
        if before == _EDGE and not (in_patch + in_file).strip("#"):
            continue  # the level of a heading
        around = ("", "") if is_end else (before, after)
        is_first = begins and in_patch.lower() == in_file.lower()
        yield _Difference(in_patch, in_file, *around, is_end, is_first)


def _first_word(tokens: Sequence[str]) -> str:
    """Return the first word of a line, which may be behind the mark of a comment; or ""."""
    return next((token for token in tokens if token[0].isalnum()), "")


def _keeps_a_sign(row: _Row) -> bool:
    """Return whether a line ends with the file's sign of a sentence: who wrote it drops none."""
    end = row.in_file[-1:]
    return _SENTENCE_END.fullmatch(end) is not None and row.in_patch.endswith(end)


def _ends_alike(row: _Row, in_patch: str, in_file: str) -> bool:
    """Return whether a line ends in the patch as in the file, where others end otherwise."""
    end = in_file or in_patch
    ends = row.in_patch.endswith(end), row.in_file.endswith(end)
    closed = _CLOSED.fullmatch(row.in_patch) is not None
    return all(ends) if in_file else closed and not any(ends)


def _repeats(tokens: Sequence[str], difference: _Difference) -> bool:
    """Return whether a line of these `tokens` has what the patch has where the file differs."""
    in_patch, in_file, before, after, is_end, _ = difference
    if is_end:
        last = tokens[-1]
        return last == in_patch if in_patch else _CLOSED.fullmatch(last) is not None
    if any(map(str.isalnum, in_patch)):
        return in_patch == _first_word(tokens) if difference.is_first else in_patch in tokens
    around = [_EDGE, *tokens, _EDGE]
    if not in_patch:
        return (before, after) in pairwise(around)
    if not in_file and not _is_typographic(in_patch):  # beside the same word
        beside = {(before, in_patch), (in_patch, after)}
        return any(pair in beside and any(map(str.isalnum, pair)) for pair in pairwise(around))
    if in_patch == _EDGE:
        return (before, in_patch, after) in zip(around, around[1:], around[2:], strict=False)
    sides = before == _EDGE, after == _EDGE
    return any(
        token == in_patch and (left == _EDGE, right == _EDGE) == sides
        for left, token, right in zip(around, around[1:], around[2:], strict=False)
    )
