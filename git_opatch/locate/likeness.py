"""How a line of a hunk may be a line of the file: the grades of a match.

It must not look at other lines than the two, nor know whether the hunk may differ elsewhere.

A removed line must be the file's but for whitespace and typography; in prose, also for letter case
and the signs that end a sentence. One of context, which is never written, may differ in a bit more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from git_opatch.locate.line_forms import (
    composed,
    key_of,
    resilient,
    shows_cut,
    spaced_once,
    typographic,
    without_dots,
    worded,
)
from git_opatch.locate.prose import Prose
from git_opatch.locate.reading import (
    FORM,
    SAME,
    SPACE,
    TOLERATED,
    Differs,
    Match,
)
from git_opatch.model.placement import Likeness

LEAST_DISTINCTIVE = 10
"""A line, or the part of one, with so many characters is taken to identify itself."""
_COMMENT = re.compile(rb"[ \t]+(?:#|//)[ \t]")
"""What begins a comment in any language."""
_SIGNS = ".,;:!?"
_QUOTES = re.compile("[\"'`\u2018\u2019\u201c\u201d]")
_EVERYWHERE = frozenset((b"begin", b"do", b"done", b"else", b"end", b"esac", b"fi", b"then"))


def match(
    is_context: bool, text: bytes, found: bytes, in_prose: bool, prose: Prose
) -> Match | None:
    """Return how `text`, a line of a hunk, is the file's line `found`; None if it is not.

    `in_prose` is whether all of that line is prose.
    """
    if text == found:
        return SAME
    if resilient(text) == resilient(found):
        return Match(SPACE, Differs.WHITESPACE)
    if typographic(text) == typographic(found):
        return Match(FORM, Differs.FORM)
    if worded(text) == worded(found):
        codes = [typographic(prose.code_of(each)) for each in (text, found)]
        if in_prose or codes[0] == codes[1]:
            return Match(FORM, Differs.FORM)
    differs = _tolerance(text, found, prose) if is_context else None
    return Match(TOLERATED, differs) if differs else None


def likeness_of(text: bytes, found: bytes) -> Likeness | None:
    """Return how a line of a patch is like one of the file; None if it is another one."""
    if text == found:
        return Likeness.EXACT
    if text.lstrip() == found.lstrip():
        return Likeness.INDENTATION
    if spaced_once(text) == spaced_once(found):
        return Likeness.WHITESPACE
    a, b = resilient(text), resilient(found)
    if a == b:
        return Likeness.HEADING_LEVEL
    if _lower(a) == _lower(b):
        return Likeness.CASE
    return Likeness.TEXT if key_of(text) == key_of(found) else None


def _lower(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape").lower()


def _tolerance(text: bytes, found: bytes, prose: Prose) -> Differs | None:
    """Return in what a line of context differs from the file's; None if in more than may be."""
    a, b = resilient(text), resilient(found)
    if composed(a) == composed(b):
        return Differs.LETTERS
    if _with_one_quote(a) == _with_one_quote(b):
        return Differs.QUOTES
    if _is_comment_alone(a, b, prose):
        return Differs.COMMENT
    return Differs.END if _is_cut(a, b) else None


def _with_one_quote(line: bytes) -> str:
    return _QUOTES.sub('"', line.decode("utf-8", "surrogateescape"))


def _is_comment_alone(a: bytes, b: bytes, prose: Prose) -> bool:
    """Return whether one line is the other without its comment, or with one more: in a language
    that is not known, what `#` or `//` between whitespace begins."""
    codes = [prose.code_of(line).rstrip() for line in (a, b)]
    have_comment = [code != line for code, line in zip(codes, (a, b), strict=True)]
    if codes[0] == codes[1] != b"" and have_comment[0] != have_comment[1]:
        return True
    short, long = sorted((a, b), key=len)
    may_add = all(have_comment) or not prose.is_known
    return may_add and long.startswith(short) and _COMMENT.match(long, len(short)) is not None


def _is_cut(text: bytes, found: bytes) -> bool:
    """Return whether `text` is the beginning of `found`, and shows it: by dots, a bracket or quote
    that it leaves open, or in the middle of a word."""
    whole, head = (line.decode("utf-8", "surrogateescape") for line in (found, without_dots(text)))
    rest = whole[len(head) :]
    if not whole.startswith(head) or not rest.strip(_SIGNS) or not any(map(str.isalnum, head)):
        return False
    return shows_cut(text) or (len(head) >= LEAST_DISTINCTIVE and _in_word(head[-1], rest[0]))


def _in_word(before: str, after: str) -> bool:
    """Return whether a word goes on between two characters: `user` is another name than `userId`
    and `user_id`, not a part of it."""
    begins_another = before.islower() and after.isupper()
    return before.isalpha() and after.isalpha() and not begins_another


def has_word(texts: Sequence[bytes]) -> bool:
    """Return whether lines say something: brackets, `end` and `else` are anywhere."""
    return not _EVERYWHERE.issuperset(
        word for text in texts for word in re.findall(rb"[\w\x80-\xff]+", text)
    )
