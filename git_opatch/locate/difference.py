"""Name the difference between two lines, for a refusal.

It must not decide whether they are the same: that is `likeness`.
"""

from __future__ import annotations

from unicodedata import category

from git_opatch.locate.likeness import likeness_of
from git_opatch.locate.line_forms import normalize
from git_opatch.model.extent import Values
from git_opatch.model.placement import Likeness
from git_opatch.model.sentences import Difference
from git_opatch.model.text import BYTE_ORDER_MARK, common_length, without_cr

Described = tuple[Difference, Values]
"""A difference, and the words that its sentence needs."""
_WHITESPACE = b" \t\n\v\f\r"


def squeezed(line: bytes) -> bytes:
    """Return `line` without whitespace and letter case."""
    return line.translate(None, _WHITESPACE).lower()


_DIFFERENCES = {
    Likeness.EXACT: Difference.LINE_ENDINGS,
    Likeness.INDENTATION: Difference.INDENTATION,
    Likeness.WHITESPACE: Difference.WHITESPACE,
    Likeness.HEADING_LEVEL: Difference.HEADING_LEVEL,
    Likeness.CASE: Difference.CASE,
    Likeness.TEXT: Difference.SIGNS,
}


def difference(expected: bytes, found: bytes) -> Described:
    """Name the difference between two lines that are not equal; by character if they look alike."""
    if expected.startswith(BYTE_ORDER_MARK) != found.startswith(BYTE_ORDER_MARK):
        return Difference.BYTE_ORDER_MARK, {}
    if expected.endswith(b"\r") != found.endswith(b"\r"):
        same = without_cr(expected) == without_cr(found)
        return Difference.LINE_ENDINGS if same else Difference.TEXT_AND_ENDINGS, {}
    if expected.rstrip() == found.rstrip():
        return Difference.WHITESPACE_AT_END, {}
    one, other = (line.decode("utf-8", "surrogateescape") for line in (expected, found))
    if _looks(one) == _looks(other):
        at = common_length(one, other)
        if (one[at:] + other[at:])[:1].isspace() or other[at : at + 1].isspace():
            at = len(one[:at].rstrip())
        names = {"patch": _named(one[at:]), "file": _named(other[at:])}
        return Difference.CHARACTER, {"column": at + 1, **names}
    if expected.lower() != found.lower() and squeezed(expected) == squeezed(found):
        return Difference.WHITESPACE, {}
    like = likeness_of(expected, found)
    return _DIFFERENCES[like] if like else Difference.TEXT, {}


def _named(rest: str) -> str:
    """Name the character that `rest` begins with, and how many spaces or tabs there are."""
    character = rest[:1]
    if character not in ("", " ", "\t"):
        code = f"U+{ord(character):04X}"
        return f"{code} ({character})" if character.isprintable() else code
    count = len(rest) - len(rest.lstrip(character)) if character else 0
    name = {"": "nothing", " ": "a space", "\t": "a tab"}[character]
    return name if count < 2 else f"{count} {name[2:]}s"


def _looks(text: str) -> str:
    """Return `text` as it looks: composed, without characters of no width, other scripts' letters
    as the Latin ones that they look like, and all whitespace as a space."""
    plain = normalize("NFKC", text).translate(_LOOKALIKES)
    shown = "".join(character for character in plain if category(character) != "Cf")
    indented = " " * shown[:1].isspace()
    return indented + " ".join(shown.split())


_LOOKALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТХУасеіјорѕхуΑΒΕΖΗΙΚΜΝΟΡΤΥΧο",  # noqa: RUF001 - Cyrillic and Greek
    "ABESIJKMHOPCTXYaceijopsxyABEZHIKMNOPTYXo",
)
