"""In what two lines differ: of a line that was taken for one of the file, and of one that was not.

It must not decide whether they may be one.
"""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import category, normalize

from git_opatch.locate.file import File
from git_opatch.locate.forms import decoded, loosest, spaced, typographic
from git_opatch.locate.loose import tolerance
from git_opatch.locate.reading import Step
from git_opatch.model.picture import Values
from git_opatch.model.placement import Likeness
from git_opatch.model.sentences import Difference
from git_opatch.model.text import BYTE_ORDER_MARK, common_length, without_cr

Described = tuple[Difference, Values]
"""A difference, and the words that its sentence needs."""
_WHITESPACE = b" \t\n\v\f\r"
_LONG = 4000
"""To compose more characters than this takes time quadratic in their marks."""
_LIKENESS = {
    Difference.INDENTATION: Likeness.INDENTATION,
    Difference.HEADING_LEVEL: Likeness.HEADING_LEVEL,
    Difference.WHITESPACE: Likeness.WHITESPACE,
    Difference.CASE: Likeness.CASE,
    Difference.SIGNS: Likeness.TEXT,
}


def squeezed(line: bytes) -> bytes:
    """Return `line` without whitespace and letter case."""
    return line.translate(None, _WHITESPACE).lower()


def difference(text: bytes, line: bytes) -> Described:
    """Name the difference between a line of a patch and one of the file that is not equal; by
    character if they look alike."""
    if text.startswith(BYTE_ORDER_MARK) != line.startswith(BYTE_ORDER_MARK):
        return Difference.BYTE_ORDER_MARK, {}
    if text.endswith(b"\r") != line.endswith(b"\r"):
        is_same = without_cr(text) == without_cr(line)
        return Difference.LINE_ENDINGS if is_same else Difference.TEXT_AND_ENDINGS, {}
    if text.rstrip() == line.rstrip():
        return Difference.WHITESPACE_AT_END, {}
    one, other = decoded(text), decoded(line)
    if len(one) + len(other) < _LONG and _looks(one) == _looks(other):
        at = common_length(one, other)
        if (one[at:] + other[at:])[:1].isspace() or other[at : at + 1].isspace():
            at = len(one[:at].rstrip())
        names = {"patch": _named(one[at:]), "file": _named(other[at:])}
        return Difference.CHARACTER, {"column": at + 1, **names}
    return _kind(text, line), {}


def _kind(text: bytes, line: bytes) -> Difference:
    """Name the difference by the strictest form in which two lines are equal."""
    if text.strip() == line.strip():
        return Difference.INDENTATION
    if text.split() == line.split():
        return Difference.WHITESPACE
    if spaced(text) == spaced(line):
        return Difference.HEADING_LEVEL
    if spaced(text).lower() == spaced(line).lower():
        return Difference.CASE
    if squeezed(text) == squeezed(line):
        return Difference.WHITESPACE
    return Difference.SIGNS if loosest(text) == loosest(line) else Difference.TEXT


def likeness(steps: Sequence[Step], file: File) -> tuple[Likeness, ...]:
    """Say of each old line of a reading how it is like the file's."""
    rows = ((step.line.text, step.row) for step in steps if step.row is not None)
    return tuple([_likeness(text, file.lines[row], file) for text, row in rows])


def _likeness(text: bytes, line: bytes, file: File) -> Likeness:
    if text == line:
        return Likeness.EXACT
    if text.rstrip() == line.rstrip():
        return Likeness.WHITESPACE
    if typographic(text, file.is_document) == typographic(line, file.is_document):
        return _LIKENESS.get(_kind(text, line), Likeness.TEXT)
    return tolerance(spaced(text), spaced(line)) or Likeness.TEXT


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
