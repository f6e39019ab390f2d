"""What is never added to a file, whatever the place: a doubled prefix, characters of another
encoding, and lines that stand for code (D34, D93, D92).

It must not look for a place. What stands for code is known by the patch:

    +    # ... rest of the function unchanged ...
    +// existing code
    +...

It says what to keep. Written into a file it is nonsense, and it often stands for lines that the
hunk removes.

A placeholder is a comment of nothing but dots, or of a whole phrase that says that code is kept;
or dots alone. In a hunk that removes more lines than it adds beside it, it is, in any language, a
comment that begins with dots, or has dots and a word that says so, or a text in dots and brackets:

    +# ...其余代码保持不变...
    +[... 40 lines omitted ...]

What the hunk's old lines have is content, and so are

    a phrase that the file has on a line of its own
    dots alone below a line that ends with a colon, or below a docstring   Python's empty body
    dots without a phrase, in a document                                  an example in it
    dots without a phrase, in a hunk that shows no line of the file       nothing to stand for
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from git_opatch.locate.file import File
from git_opatch.locate.forms import is_utf8
from git_opatch.locate.reading import REMOVED, Reading
from git_opatch.model.failure import Problem
from git_opatch.model.limits import NEAR
from git_opatch.model.patch import Hunk, Prefix, added_lines
from git_opatch.model.sentences import Fault
from git_opatch.model.text import Text

_DOUBLED = re.compile(rb"\+(?:[ \t]{2}|\t|\w)")


def never_written(hunk: Hunk, reading: Reading, file: File) -> Problem | None:
    """Return why a line that `reading` adds is not to be written; None if all may be."""
    if placeholder := placeholder_in(hunk, file.text, is_document=file.is_document):
        return Problem.of(Fault.PLACEHOLDER, placeholder=placeholder)
    added = [line.text for line in reading.added]
    if not added:
        return None
    if any(text.startswith(b"+") for text in added) and _is_doubled(added, reading, file):
        return Problem(Fault.DOUBLED_PREFIX)
    return None if all(text.isascii() for text in added) else _recoded(added, file)


def _is_doubled(added: Sequence[bytes], reading: Reading, file: File) -> bool:
    """Return whether added lines begin with a second `+`, where the file has no such line near."""
    near = file.lines[max(reading.start - NEAR, 0) : reading.stop + NEAR]
    if any(line.startswith((b"+", b"-")) for line in near):
        return False
    removes = any(line.prefix is REMOVED for line, _ in reading.steps)
    shows = reading.start < reading.stop and not file.is_document
    all_have = all(text.startswith(b"+") for text in added)
    return (all_have and not removes) or (shows and any(map(_DOUBLED.match, added)))


def _recoded(added: Sequence[bytes], file: File) -> Problem | None:
    """Return that added lines are in another encoding than those that stay in the file."""
    come = {is_utf8(text) for text in added if not text.isascii()}
    if not file.encodings or come <= file.encodings:
        return None
    return Problem(Fault.NOT_UTF8 if file.encodings == {True} else Fault.UTF8_IN_OTHER)


# ---------------------------------------------------------------- placeholders


_COMMENT = r"(#|//|/\*|--|;+|%|<!--|\{/\*)?\s*(.*?)\s*(\*/\}?|-->)?"
_MARKS = (b"#", b"//", b"/*", b"--", b";", b"%", b"<!--", b"{/*")
"""What begins a comment. A placeholder begins with one, or has dots."""
_BLANKS = b" \t\n\v\f\r\x1c\x1d\x1e\x1f"
"""All of ASCII that is whitespace in text."""
_DOTS = r"\.{3,}|…"
_SPREAD = r"\.{3}[\w$]+,?"
"""A spread of JavaScript, alone on its line: `...rest,`."""
_WORD = r"[a-z'-]+"
_BETWEEN = r"[\s()\[\]:;,.…]*"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_KEPT = _words("existing unchanged unmodified untouched omitted elided rest remaining")
"""With a word for code, these say that it is kept."""
_KEPT_WITH_DOTS = _KEPT | _words("other previous original same snip snipped truncated keep")
_CODE = _words(
    "code file function method class module script component implementation logic body content "
    "contents definition definitions imports functions methods classes tests lines fields "
    "properties routes declarations variables setup configuration everything"
)
_ALONE = {"unchanged", "rest unchanged", "omitted for brevity", "no changes"}
"""Phrases without a word for code."""
_FILLERS = _words(
    "a the same of this that these all any else is are be to will should stay stays remain remains "
    "keep kept continue continues as in it here above below before for brevity exactly no changes "
    "changed not shown your my and from unchanged goes"
)
_STANDS_FOR_MORE = re.compile(rf"(?:{_DOTS}).*|[(\[<]\s*(?:{_DOTS}).*(?:{_DOTS})\s*[)\]>]")
"""The form of a phrase of any words that stands for lines which are removed."""
_BODY_ABOVE = (b":", b'"""', b"'''")
"""How a line ends above Python's empty body."""


def placeholder_in(hunk: Hunk, text: Text, *, is_document: bool) -> bytes:
    """Return the first added line of `hunk` that is a placeholder; empty if there is none.

    `text` is the file; `is_document` says that it is prose, by its name.
    """
    if not may_have_placeholder(added_lines(hunk.lines)):
        return b""
    above = b""
    can_be_dots = bool(hunk.preimage) and not is_document
    removes = not is_document and _removes_more(hunk)
    for line in hunk.lines:
        is_added = line.prefix is Prefix.ADDED and _may_be_one(line.text)
        if is_added and (
            _is_placeholder(line.text, above, can_be_dots)
            or (removes and not _ends_in_dots(above) and _stands_for_more(line.text))
        ):
            has_words = re.search(r"[^\W\d_]", line.text.decode("utf-8", "replace"))
            content = [*(other.text for other in hunk.preimage), *(text.lines if has_words else ())]
            if not _has(content, line.text):
                return line.text.strip()
        if line.prefix is not Prefix.REMOVED and line.text.strip():
            above = line.text.strip()
    return b""


def may_have_placeholder(added: Sequence[bytes]) -> bool:
    """Return whether one of the `added` lines looks like a placeholder."""
    return any(map(_may_be_one, added))


def _has(lines: Sequence[bytes], line: bytes) -> bool:
    text = line.strip()
    return any(text in other and text == other.strip() for other in lines)


def _may_be_one(line: bytes) -> bool:
    """Return whether a line has dots, or begins a comment, or is not ASCII and may do either."""
    return not line.isascii() or b"..." in line or line.strip(_BLANKS).startswith(_MARKS)


def _is_placeholder(line: bytes, above: bytes, can_be_dots: bool) -> bool:
    """Return whether a line is a placeholder; `above` is the line that is above it afterwards."""
    comment = re.fullmatch(_COMMENT, line.decode("utf-8", "replace").strip())
    if comment is None:
        return False
    mark, phrase = comment[1], comment[2].lower()
    if mark is None and re.fullmatch(_SPREAD, phrase):
        return False
    words = re.findall(_WORD, phrase)
    if not all(re.fullmatch(_BETWEEN, between) for between in re.split(_WORD, phrase)):
        return False
    has_dots = re.search(_DOTS, phrase) is not None
    if not words:
        is_body = above.endswith(_BODY_ABOVE)
        return has_dots and can_be_dots and (mark is not None or not is_body)
    return (mark is not None or has_dots) and _says_that_code_is_kept(words, has_dots)


def _removes_more(hunk: Hunk) -> bool:
    """Return whether a hunk removes more lines than it adds beside one, none of which stands for
    more by its form: such a line is content of the file."""
    removed = [line.text for line in hunk.lines if line.prefix is Prefix.REMOVED]
    is_more = len(removed) >= len(added_lines(hunk.lines)) > 0
    return is_more and not any(_may_be_one(line) and _stands_for_more(line) for line in removed)


def _ends_in_dots(line: bytes) -> bool:
    """Return whether a line goes on in the next one, as a comment does."""
    return line.endswith((b"...", "…".encode()))


def _stands_for_more(line: bytes) -> bool:
    """Return whether a line has the form of one that stands for lines, whatever its words are."""
    comment = re.fullmatch(_COMMENT, line.decode("utf-8", "replace").strip())
    if comment is None:
        return False
    mark, phrase = comment[1], comment[2].lower()
    if mark is None:
        return phrase[:1] in ("(", "[", "<") and _STANDS_FOR_MORE.fullmatch(phrase) is not None
    is_kept = re.search(_DOTS, phrase) and not _KEPT.isdisjoint(re.findall(_WORD, phrase))
    return bool(is_kept) or _STANDS_FOR_MORE.fullmatch(phrase) is not None


def _says_that_code_is_kept(words: Sequence[str], has_dots: bool) -> bool:
    kept = _KEPT_WITH_DOTS if has_dots else _KEPT
    if not {*words} <= kept | _CODE | _FILLERS:
        return False
    if " ".join(words) in _ALONE:
        return True
    return not kept.isdisjoint(words) and (has_dots or not _CODE.isdisjoint(words))
