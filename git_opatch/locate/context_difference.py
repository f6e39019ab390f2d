"""Tolerate one context line that differs, where all else is exact (D101).

Context is never written (D40), so a difference there alone costs nothing if the position is
certain without that line:

    hunk                        file
     name = "x"                 name = 'x'        quotes
    -retries = 3                retries = 3
    +retries = 4

The other lines must match but for whitespace, and without that line they must match at one
position alone when compared as loosely as lines are at all. The difference must be one of
`_KINDS`, and no added line may have it, too: whoever wrote both may have meant the file's
form.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Literal, NamedTuple

from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.rivals import has_distinctive_line
from git_opatch.locate.tiers import LEAST_DISTINCTIVE, fuzzy, resilient
from git_opatch.model.limits import FEW
from git_opatch.model.options import Tier
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.text import indentation

_Form = Literal["NFC", "NFD"]
_FORMS: tuple[_Form, ...] = ("NFC", "NFD")

_SIZES = ((1, 1), (1, 2), (2, 1))
"""How many lines of the hunk are how many of the file."""

_QUOTES = re.compile("[\"'`\u2018\u2019\u201c\u201d]")
_INVISIBLE = re.compile("[\u200b-\u200d\u2060\ufeff\u00ad]")
_MARK = "\ufeff"
"""The byte-order mark, which a file may begin with."""
_TOKEN = re.compile(r"\w+|[^\w\s]")
_ELLIPSIS = re.compile(r"\s*(?:\.\.\.|\u2026)\Z")
_COULD_GO_ON = re.compile(r"[\w)\]\"'`]$")
"""A line that could end with a sign."""
_COMMENT_OF_ANY = re.compile(rb"[ \t]+(?:#|//)[ \t].*")
_SIGNS = ".,;:!?"


class _DifferingLines(NamedTuple):
    """Lines of a preimage, `size` from `at` on, that may be `in_file` lines of the file."""

    at: int
    size: int
    in_file: int

    @property
    def stop(self) -> int:
        """The index after them."""
        return self.at + self.size

    def rows(self, hunk: Hunk) -> tuple[int, int]:
        """Return the first of the lines among all of the hunk, and the one after the last."""
        rows = [index for index, line in enumerate(hunk.lines) if line.prefix is not Prefix.ADDED]
        return rows[self.at], rows[self.stop - 1] + 1


class Tolerated(NamedTuple):
    """A hunk as the file has it at `start`, and what differs there, in words."""

    hunk: Hunk
    start: int
    difference: str


def tolerate_context(hunk: Hunk, file_index: FileIndex, tier: Tier) -> Tolerated | None:
    """Return where `hunk` matches at `tier` but for one context line; None if it is not certain.

    `tier` is strict, or resilient: then whitespace may differ in the other lines.
    """
    found = list(_readings(hunk, file_index, tier))
    return found[0] if len(found) == 1 else None


def _readings(hunk: Hunk, file_index: FileIndex, tier: Tier) -> Iterator[Tolerated]:
    """Yield how `hunk` matches but for one line."""
    if tier is Tier.STRICT:
        texts = [file_index.normal(line.text) for line in hunk.preimage]
        keys: Sequence[bytes] = file_index.lines
        positions = [file_index.strict_positions(text) for text in texts]
    else:
        view = file_index.view(tier)
        texts, keys = [view.key(line) for line in hunk.preimage], view.keys
        positions = [view.positions(text) for text in texts]
    for start in _starts(texts, positions):
        at = _first_difference(texts, keys, start)
        for differ in (_DifferingLines(at, size, in_file) for size, in_file in _SIZES):
            if not _fits(texts, differ, keys, start):
                continue
            found = file_index.lines[start + at : start + at + differ.in_file]
            difference = _difference(hunk, differ, found, file_index)
            if (tier is Tier.STRICT or differ.size != differ.in_file) and not _has_same_whitespace(
                hunk, differ, found
            ):
                continue  # whitespace differs, too, and would not show how that of added lines does
            if difference and _is_only_position(
                hunk.preimage, differ, start, file_index, leaves_words=difference.leaves_words
            ):
                yield Tolerated(_with_lines(hunk, differ, found), start, difference.name)


def _starts(texts: Sequence[bytes], positions: Sequence[Sequence[int]]) -> list[int]:
    """List where a hunk may begin, of which each line is at `positions`.

    One line may differ, and be elsewhere: one of the two rarest ones does not.
    """
    rows = [(positions[index], index) for index, text in enumerate(texts) if text.strip()]
    found = sorted((row for row in rows if row[0]), key=lambda row: len(row[0]))[:2]
    if any(len(of_line) > FEW for of_line, _ in found):
        return []
    shifts = {size - in_file for size, in_file in _SIZES}
    return sorted(
        {
            position - index + shift
            for of_line, index in found
            for position in of_line
            for shift in shifts
            if position - index + shift >= 0
        }
    )


def _first_difference(texts: Sequence[bytes], lines: Sequence[bytes], start: int) -> int:
    rows = enumerate(zip(texts, lines[start : start + len(texts)], strict=False))
    return next((index for index, (text, line) in rows if text != line), len(texts))


def _fits(
    texts: Sequence[bytes], differ: _DifferingLines, lines: Sequence[bytes], start: int
) -> bool:
    """Return whether the lines around `differ` are at `start`, and `differ` is not beyond the
    end."""
    first, below = start + differ.at, texts[differ.stop :]
    after = first + differ.in_file
    stop = after + len(below)
    return (
        differ.stop <= len(texts)
        and stop <= len(lines)
        and list(lines[start:first]) == list(texts[: differ.at])
        and list(lines[after:stop]) == list(below)
    )


def _is_only_position(
    preimage: Sequence[Line],
    differ: _DifferingLines,
    start: int,
    file_index: FileIndex,
    *,
    leaves_words: bool,
) -> bool:
    """Return whether the lines around `differ` are nowhere else, compared at the loosest tier.

    If the difference `leaves_words`, another position must have those of the line, too.
    """
    view = file_index.view(Tier.FUZZY)
    keys = [view.key(line) for line in preimage]
    rows = [
        (view.positions(key), index)
        for index, key in enumerate(keys)
        if key and not differ.at <= index < differ.stop
    ]
    positions, index = min(rows, key=lambda row: len(row[0]), default=((), 0))
    if not 0 < len(positions) <= FEW:
        return False
    shift = differ.in_file - differ.size if index > differ.at else 0
    begins = {position - index - shift for position in positions} - {start}
    words = _words(preimage[differ.at].text)
    return not any(
        begin >= 0
        and _fits(keys, differ, view.keys, begin)
        and (not leaves_words or _words(file_index.lines[begin + differ.at]) == words)
        for begin in begins
    )


def _with_lines(hunk: Hunk, differ: _DifferingLines, found: Sequence[bytes]) -> Hunk:
    """Return `hunk` with the file's lines in place of the lines that `differ`.

    A line for a line keeps its whitespace at both ends: it may show what all lines of the hunk
    have.
    """
    first, stop = differ.rows(hunk)
    if differ.size == len(found) == 1:
        before, after = _outer_whitespace(hunk.lines[first].text)
        found = [before + found[0].strip(b" \t") + after]
    lines = [hunk.lines[first]._replace(text=text) for text in found]
    return replace(hunk, lines=(*hunk.lines[:first], *lines, *hunk.lines[stop:]))


def _has_same_whitespace(hunk: Hunk, differ: _DifferingLines, found: Sequence[bytes]) -> bool:
    """Return whether the first of the lines begins and ends with the whitespace of that of the
    file."""
    first, _ = differ.rows(hunk)
    return [_outer_whitespace(hunk.lines[first].text)] == [*map(_outer_whitespace, found[:1])]


def _outer_whitespace(line: bytes) -> tuple[bytes, bytes]:
    """Return the whitespace that `line` begins with, and that which it ends with."""
    return indentation(line), line[len(line.rstrip(b" \t")) :]


def _difference(
    hunk: Hunk,
    differ: _DifferingLines,
    found: Sequence[bytes],
    file_index: FileIndex,
) -> _Difference | None:
    """Return the only difference between context lines and the file's; None if they differ more.

    None, too, if an added line may have inherited it, and if the other lines are nothing but
    brackets. In a line that is removed and added again it may be what the hunk changes.
    """
    first, stop = differ.rows(hunk)
    shown = hunk.lines[first:stop]
    if any(line.prefix is not Prefix.CONTEXT or not line.text.strip() for line in shown):
        return None
    if not has_distinctive_line(replace(hunk, lines=(*hunk.lines[:first], *hunk.lines[stop:]))):
        return None
    texts = [file_index.normal(line.text) for line in shown]
    if len(texts) != 1 or len(found) != 1:
        return _Difference("line breaks") if _is_rewrapped(texts, found) else None
    text, line = texts[0], found[0]
    for kind in _KINDS:
        if kind.is_only_difference(text, line, file_index):
            is_inherited = kind.is_inherited(hunk, first, _text(text), _text(line))
            return None if is_inherited else kind.difference
    return None


def _is_rewrapped(shown: Sequence[bytes], found: Sequence[bytes]) -> bool:
    """Return whether the lines are the same but for one line break, none of them blank."""
    if any(not line.strip() for line in found):
        return False
    spaced = [b" ".join(map(resilient, lines)) for lines in (shown, found)]
    joined = [b"".join(map(resilient, lines)) for lines in (shown, found)]
    return spaced[0] == spaced[1] or joined[0] == joined[1]


def _text(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape").strip()


def _other_quotes(line: bytes, found: bytes, _: FileIndex) -> bool:
    return _QUOTES.sub('"', _text(line)) == _QUOTES.sub('"', _text(found))


def _other_characters(line: bytes, found: bytes, _: FileIndex) -> bool:
    return _visible(_text(line)) == _visible(_text(found))


def _words(line: bytes) -> str:
    """Return what tells a line from others, however its quotes and characters are written."""
    return _QUOTES.sub('"', _visible(_text(line)))


def _visible(text: str) -> str:
    return _INVISIBLE.sub("", unicodedata.normalize("NFC", text))


def _other_comment(line: bytes, found: bytes, file_index: FileIndex) -> bool:
    """Return whether one of the lines ends with a comment that the other does not have.

    A line that is a comment, or has one, may end with another one.
    """
    codes = [_code_of(each, file_index).rstrip() for each in (line, found)]
    has_comment = [code != each.rstrip() for code, each in zip(codes, (line, found), strict=True)]
    if all(has_comment):
        shorter, longer = sorted((line.strip(), found.strip()), key=len)
        return (
            longer.startswith(shorter) and _COMMENT_OF_ANY.match(longer, len(shorter)) is not None
        )
    return codes[0] == codes[1] != b"" and any(has_comment)


def _code_of(line: bytes, file_index: FileIndex) -> bytes:
    """Return `line` without a comment, which `#` or `//` between whitespace begins in any
    language."""
    code = file_index.prose.code_of(line)
    return code if file_index.prose.is_known else _COMMENT_OF_ANY.sub(b"", code)


def _cut_off(line: bytes, found: bytes, _: FileIndex) -> bool:
    """Return whether a line begins another, and shows that it is cut off.

    That is by dots at its end, a bracket or quote that it leaves open, or in the middle of a word.
    Else it may be what the line was before it was extended.
    """
    whole, text = _text(found), _ELLIPSIS.sub("", _text(line))
    if not whole.startswith(text) or not any(map(str.isalnum, text)):
        return False
    if not whole[len(text) :].strip(_SIGNS):
        return False  # a sign that is left out is another difference
    in_word = len(text) >= LEAST_DISTINCTIVE and _is_in_word(*whole[len(text) - 1 :][:2])
    return _shows_cut(_text(line)) or in_word


def _is_in_word(before: str, after: str) -> bool:
    """Return whether a word goes on between two characters: `user` is another name than `userId`
    and `user_id`, not a part of it."""
    begins_another = before.islower() and after.isupper()
    return before.isalpha() and after.isalpha() and not begins_another


def _shows_cut(text: str) -> bool:
    pairs = (("(", ")"), ("[", "]"), ("{", "}"))
    has_open_bracket = any(text.count(begin) > text.count(end) for begin, end in pairs)
    return has_open_bracket or text.count('"') % 2 > 0 or _ELLIPSIS.search(text) is not None


def _other_case_or_punctuation(line: bytes, found: bytes, _: FileIndex) -> bool:
    return fuzzy(line) == fuzzy(found)


def _added(hunk: Hunk) -> list[str]:
    return [_text(line.text) for line in hunk.lines if line.prefix is Prefix.ADDED]


def _words_inherited(hunk: Hunk, _row: int, in_patch: str, in_file: str) -> bool:
    """Return whether an added line has a word or sign that only the patch's form of the line
    has."""
    only_in_patch = {*_TOKEN.findall(in_patch)} - {*_TOKEN.findall(in_file)}
    return any(only_in_patch & {*_TOKEN.findall(line)} for line in _added(hunk))


def _form_inherited(hunk: Hunk, _row: int, in_patch: str, in_file: str) -> bool:
    """Return whether an added line has the Unicode form of the patch's line, or invisible
    characters."""
    forms = [form for form in _FORMS if not _is_in(form, in_patch) and _is_in(form, in_file)]
    added = [line.removeprefix(_MARK) for line in _added(hunk)]
    return any(
        _INVISIBLE.search(line) or not all(_is_in(form, line) for form in forms) for line in added
    )


def _is_in(form: _Form, text: str) -> bool:
    return unicodedata.normalize(form, text) == text


def _sign_inherited(hunk: Hunk, row: int, in_patch: str, in_file: str) -> bool:
    """Return whether words are inherited, or the line at `row`, which ends with another sign, such
    as a comma, is beside an added one."""
    ends = {in_patch[-1:], in_file[-1:]}
    ends_otherwise = len(ends) == 2 and bool(ends & {*_SIGNS})
    beside = ends_otherwise and _is_beside_added(hunk, row)
    lost = ends_otherwise and _is_lost_elsewhere(hunk, row, in_file[-1:])
    return beside or lost or _words_inherited(hunk, row, in_patch, in_file)


def _is_lost_elsewhere(hunk: Hunk, row: int, sign: str) -> bool:
    """Return whether an added line may lack a `;` or `,` as well, as no line of the hunk has
    one."""
    written = [_text(line.text) for at, line in enumerate(hunk.lines) if at != row]
    others = [text for text in written if any(map(str.isalnum, text))]
    if sign not in (";", ",") or any(text.endswith(sign) for text in others):
        return False
    return any(_COULD_GO_ON.search(text) for text in _added(hunk))


def _cut_inherited(hunk: Hunk, _row: int, in_patch: str, _in_file: str) -> bool:
    """Return whether an added line is cut off at the same column."""
    return any(len(line) == len(in_patch) and _shows_cut(line) for line in _added(hunk))


def _never_inherited(_hunk: Hunk, _row: int, _in_patch: str, _in_file: str) -> bool:
    return False


class _Difference(NamedTuple):
    """A difference of a context line, in words."""

    name: str
    leaves_words: bool = False
    """Whether the line still has all that tells it from other lines."""


class _Kind(NamedTuple):
    """What may differ in a context line, and whether an added line may have inherited it."""

    difference: _Difference
    is_only_difference: Callable[[bytes, bytes, FileIndex], bool]
    is_inherited: Callable[[Hunk, int, str, str], bool]


_KINDS = (
    _Kind(_Difference("quotes", leaves_words=True), _other_quotes, _words_inherited),
    _Kind(
        _Difference("Unicode form or invisible characters", leaves_words=True),
        _other_characters,
        _form_inherited,
    ),
    _Kind(_Difference("a comment at its end"), _other_comment, _never_inherited),
    _Kind(_Difference("its end, which is cut off"), _cut_off, _cut_inherited),
    _Kind(_Difference("letter case or punctuation"), _other_case_or_punctuation, _sign_inherited),
)


def _is_beside_added(hunk: Hunk, row: int) -> bool:
    """Return whether a run of changes beside the line at `row` adds anything."""
    above = takewhile(_is_change, reversed(hunk.lines[:row]))
    below = takewhile(_is_change, hunk.lines[row + 1 :])
    return any(line.prefix is Prefix.ADDED for line in (*above, *below))


def _is_change(line: Line) -> bool:
    return line.prefix is not Prefix.CONTEXT
