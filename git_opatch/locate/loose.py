"""Lay a hunk over lines of the file that differ in form, or in one line of context.

It must not look where the skeletons of the lines say that it is not: those that may be one in any
class share one, so each class looks at the places that have all but one of them. A
place that has all lines but one in a stricter class is a rival: whoever is there was first, and no
looser place is taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, cached_property
from itertools import islice, pairwise, takewhile

from git_opatch.locate.blanks import lay
from git_opatch.locate.file import File
from git_opatch.locate.forms import decoded, loosest, seen, skeleton, spaced, typographic, worded
from git_opatch.locate.heads import rows_with
from git_opatch.locate.reading import (
    ADDED,
    CONTEXT,
    REMOVED,
    Level,
    Reading,
    Readings,
    Sought,
    has_word,
    is_blank,
    solid_lines,
)
from git_opatch.model.limits import FEW, SHOWN
from git_opatch.model.patch import Hunk, Line
from git_opatch.model.placement import Likeness

Form = Callable[[bytes, bool], bytes]


def as_written(line: bytes, in_prose: bool = False) -> bytes:  # noqa: ARG001 - as all forms
    """The line itself."""
    return line


class Nearby:
    """The places that are near a hunk: each is an index of the file's solid lines, from 0."""

    def __init__(self, hunk: Hunk, file: File, given: Hunk | None = None) -> None:
        self.hunk, self.file = hunk, file
        changed = (given or hunk).lines
        self.fixed = frozenset(line.text for line in changed if line.prefix is REMOVED)
        """What the hunk, as it was `given`, removes, if it is also to add it again."""
        self.solid = solid_lines(hunk)
        self.texts = file.texts(self.solid)
        self.unlike = cache(self._unlike)

    @cached_property
    def near(self) -> list[int]:
        """All of them."""
        return self.file.skeletons.near(self._keys) if self.texts else []

    @cached_property
    def places(self) -> list[int]:
        """Those that are compared line by line: of many, those that have all lines, at most one
        more than `FEW`."""
        if len(self.near) <= FEW:
            return self.near
        return self.file.skeletons.runs(self._keys)[: FEW + 1]

    @property
    def is_cut(self) -> bool:
        """Whether more places have all lines than are compared."""
        return len(self.places) > FEW

    @cached_property
    def _keys(self) -> list[bytes]:
        return [*map(skeleton, self.texts)]

    def rows(self, place: int) -> Sequence[int]:
        """The rows of the file's lines at a place."""
        return self.file.solid[place : place + len(self.texts)]

    def _unlike(self, place: int, form: Form) -> frozenset[int]:
        """Return which of the solid lines have another key than the file's line at a place."""
        prose, lines = self.file.is_document, self.file.lines
        rows = zip(self.texts, self.rows(place), strict=True)
        return frozenset(
            at
            for at, (text, row) in enumerate(rows)
            if text != lines[row] and form(text, prose) != form(lines[row], prose)
        )

    def alike(self, form: Form, most: int = 0) -> list[int]:
        """List the places where so many lines at most have another key."""
        return [place for place in self.places if len(self.unlike(place, form)) <= most]

    def rivals(self, form: Form, taken: Sequence[int]) -> list[int]:
        """List the rows of places, besides those that are taken, that have all lines but one, and
        share enough with the hunk: two lines with words, or a long one."""
        near = () if self.is_cut else (place for place in self.near if place not in taken)
        rivals = (
            self.file.solid[place]
            for place in near
            if len(self.unlike(place, form)) < 2 and self._shares_enough(place, form)
        )
        return [*islice(rivals, SHOWN)]

    def _shares_enough(self, place: int, form: Form) -> bool:
        unlike = self.unlike(place, form)
        same = [text for at, text in enumerate(self.texts) if at not in unlike and has_word([text])]
        return len(same) > 1 or any(len(text.strip()) >= _LEAST for text in same)


# ---------------------------------------------------------------- the classes


_QUOTES = dict.fromkeys(map(ord, "'`\u2018\u2019\u201c\u201d"), '"')
_WIDE = _QUOTES | {ord(sign) + 0xFEE0: sign for sign in "!(),:;?[]{}"}
"""Quotes, and the signs that are as wide as a Chinese letter, in ASCII."""
_COMMENT = re.compile(rb"(?<=\S)[ \t]+(?:#|//|--|/\*|<!--)[ \t].*\Z")
_DOTS = re.compile(rb"\s*(?:\.\.\.|\xe2\x80\xa6)\Z")
_WORD = re.compile(rb"[A-Za-z_]{2,}")
_LETTER = re.compile(rb"[\w\x80-\xff]")
_BRACKETS = (b"()", b"[]", b"{}")
_LEAST = 10
"""So many characters of a line are enough to know it by."""
_MOST_PAST = 3
"""So many lines of context may be past the end of the file."""


def loose(nearby: Nearby, level: Level) -> Sought:
    """Return the readings of a class, and its rivals."""
    if level is Level.SPACE:
        return _spaced(nearby)
    return _formed(nearby) if level is Level.FORM else _tolerated(nearby)


def _spaced(nearby: Nearby) -> Sought:
    """Whitespace may differ, and blank lines. Without the latter is stricter."""
    places = nearby.alike(spaced)
    laid = _laid(nearby, places, Level.SPACE)
    straight = [reading for reading in laid if not reading.repairs]
    if straight and not nearby.hunk.separators:
        laid = straight
    rivals = nearby.rivals(as_written, places) if laid else ()
    return Sought(nearby.hunk, Readings.of(laid, is_cut=nearby.is_cut), rivals=rivals)


def _formed(nearby: Nearby) -> Sought:
    """Typography may differ, in prose letter case and final signs, and the place is alone."""
    places = nearby.alike(typographic)
    laid = _laid(nearby, places, Level.FORM)
    rivals = [*_loose_rivals(nearby, places, 0), *nearby.rivals(as_written, places)] if laid else []
    return Sought(nearby.hunk, Readings.of(laid, is_cut=nearby.is_cut), alone=True, rivals=rivals)


def _tolerated(nearby: Nearby) -> Sought:
    """One line of context may differ otherwise, and the place is alone."""
    places = [place for place in nearby.alike(typographic, 1) if _is_tolerated(nearby, place)]
    laid = _laid(nearby, places, Level.TOLERATED)
    near = [place for place in nearby.alike(spaced, 1) if place not in places] if laid else []
    rivals = [*_loose_rivals(nearby, places, 1), *(nearby.file.solid[place] for place in near)]
    return Sought(nearby.hunk, Readings.of(laid, is_cut=nearby.is_cut), alone=True, rivals=rivals)


def _laid(nearby: Nearby, places: Sequence[int], level: Level) -> list[Reading]:
    hunk, file = nearby.hunk, nearby.file
    readings = (lay(hunk, nearby.rows(place), file, level) for place in places)
    return [reading for reading in readings if reading]


def _loose_rivals(nearby: Nearby, places: Sequence[int], most: int) -> list[int]:
    """List the rows of other places that are alike by the loosest key, but for lines that differ
    at a place that is taken, too."""
    known = [nearby.unlike(place, loosest) for place in places]
    return [
        nearby.file.solid[place]
        for place in nearby.alike(loosest, most)
        if place not in places and any(nearby.unlike(place, loosest) <= lines for lines in known)
    ]


def past_the_end(hunk: Hunk, file: File) -> Sought:
    """Lay a hunk at the end of the file whose last lines of context would be past it (FILE_PATCH).

    They are three at most, none of them may be in the file, and they must not be right below
    changes that remove more lines than they add: a line may have lost its sign.
    """
    lines = list(hunk.lines)
    for _ in range(_MOST_PAST):
        last = lines.pop()
        if last.prefix is not CONTEXT or not last.has_prefix or _is_in(last, file):
            break
        if sum(not is_blank(line) for line in lines if line.prefix is not ADDED) < 2:
            break
        nearby = Nearby(replace(hunk, lines=tuple(lines)), file)
        at_end = [x for x in loose(nearby, Level.SPACE).readings if x.stop == len(file.lines)]
        if at_end and (is_blank(last) or not _lacks_additions(lines)):
            taken = [place for place in nearby.places if nearby.rows(place)[0] >= at_end[0].start]
            rivals = [file.solid[at] for at in nearby.alike(spaced, 1) if at not in taken]
            return Sought(nearby.hunk, Readings.of(at_end), alone=True, rivals=rivals)
    return Sought(hunk)


def _lacks_additions(lines: Sequence[Line]) -> bool:
    """Return whether a hunk ends with changes that remove more lines than they add."""
    run = list(takewhile(lambda line: line.prefix is not CONTEXT, reversed(lines)))
    return 2 * sum(line.prefix is REMOVED for line in run) > len(run)


def _is_in(line: Line, file: File) -> bool:
    text = line.text.strip()
    return len(text) >= _LEAST and any(
        file.lines[row].strip() == text for row in rows_with(text, file.joined)
    )


# ---------------------------------------------------------------- one line of context


def _is_tolerated(nearby: Nearby, place: int) -> bool:
    """Return whether one line differs at a place, which is context, and may; another has a word."""
    unlike = nearby.unlike(place, typographic)
    if len(unlike) != 1:
        return False
    (at,) = unlike
    line, row = nearby.solid[at], nearby.rows(place)[at]
    rest = (text for other, text in enumerate(nearby.texts) if other != at)
    is_kept = line.prefix is CONTEXT and line.text not in nearby.fixed
    if not is_kept or not any(map(_WORD.search, rest)):
        return False
    text, other = spaced(nearby.texts[at]), spaced(nearby.file.lines[row])
    likeness = tolerance(text, other)
    if likeness is Likeness.CASE and text.lower() != other.lower():
        return not _is_beside_addition(line, nearby.hunk)  # which may lack a sign, too
    return likeness is not None


def _is_beside_addition(line: Line, hunk: Hunk) -> bool:
    pairs = pairwise(hunk.lines)
    return any(
        (a is line and b.prefix is ADDED) or (b is line and a.prefix is ADDED) for a, b in pairs
    )


def tolerance(text: bytes, line: bytes) -> Likeness | None:
    """Return in what a line of context differs from the file's, both in their spaced form; None if
    it must not: in what is not seen, quotes or wide signs, a comment, letter case or a final sign,
    a cut beginning or a cut end."""
    if seen(text) == seen(line):
        return Likeness.LETTERS
    for signs, likeness in ((_QUOTES, Likeness.QUOTES), (_WIDE, Likeness.WIDTH)):
        if decoded(text).translate(signs) == decoded(line).translate(signs):
            return likeness
    codes = code_of(text), code_of(line)
    if codes[0] == codes[1] and (codes[0] != text) != (codes[1] != line):
        return Likeness.COMMENT
    if worded(text) == worded(line):
        return Likeness.CASE
    before = line[: len(line) - len(text)]
    if line.endswith(text) and len(text) >= _LEAST and _LETTER.search(before):
        return Likeness.BEGINNING
    return Likeness.END if _is_cut(text, line) else None


def code_of(line: bytes) -> bytes:
    """The line without the comment at its end."""
    return _COMMENT.sub(b"", line)


def shows_cut(line: bytes) -> bool:
    """Return whether a line shows that it goes on: by dots, an open bracket or quote."""
    is_open = any(line.count(pair[:1]) > line.count(pair[1:]) for pair in _BRACKETS)
    return is_open or line.count(b'"') % 2 > 0 or _DOTS.sub(b"", line) != line


def _is_cut(text: bytes, line: bytes) -> bool:
    head = _DOTS.sub(b"", text)
    rest = line[len(head) :]
    if not line.startswith(head) or not rest.strip(b".,;:!?") or not re.search(rb"\w", head):
        return False
    before, after = head[-1:], rest[:1]
    is_camel = before.islower() and after.isupper()
    in_word = len(head) >= _LEAST and before.isalpha() and after.isalpha() and not is_camel
    return shows_cut(text) or in_word
