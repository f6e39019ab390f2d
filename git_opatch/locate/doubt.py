"""What the added lines share with the old ones: one hand wrote both sides.

It must not place a hunk, nor decide whether two lines may be one: in what they differ comes with
the step.

An old line that differs from the file's in more than its indentation shows what the patch has where
the file has something else. An added line that has it, too, may be meant with the file's form.
Heading levels, whitespace at the ends of lines and typographic signs become the file's where all
old lines agree how:

    -# Setup             ## Setup           the file has a level more
    +# Installation      ## Installation    and so does what is written

Anything else is doubtful, if the added line replaces that line, or if no other old line has it as
the file does: a line that lacks the file's `;`, another word, other spaces in a string.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.line_forms import (
    composed,
    decomposed,
    resilient,
    shows_cut,
    without_invisible,
)
from git_opatch.locate.reading import Differs, Reading, Step
from git_opatch.model.failure import Problem
from git_opatch.model.limits import QUOTED
from git_opatch.model.patch import Prefix
from git_opatch.model.sentences import Fault
from git_opatch.model.text import visible_difference

CONTEXT, REMOVED = Prefix.CONTEXT, Prefix.REMOVED
_TOKEN = re.compile(r"\w+|(\W)\1*")
_HEADING = re.compile(rb"[ \t]*(#{1,6})(?= )")
_DEEPEST = 6
_SIGNS, _SENTENCE = ".,;:!?", ".!?"
"""What may end a sentence, or a statement."""
_QUOTES = frozenset("“”„‟«»‘’‚‛′″")  # noqa: RUF001 - they are what is meant
_QUOTED = re.compile(rb"(?<!\w)([\"'`])((?:(?!\1).)*)\1")


class _Difference(NamedTuple):
    """A token of an old line and that of the file in its place, with the tokens around it."""

    in_patch: str
    in_file: str
    before: str
    after: str
    is_end: bool
    """Whether it is the signs at the line's end that differ."""
    is_first: bool
    """Whether no word of the line is before it."""
    at: int
    """The place of the line in the steps."""


def in_file_form(reading: Reading, file: FileIndex) -> tuple[Reading, Problem | None]:
    """Return `reading` with its added lines in the file's form, and why that is doubtful; None if
    there is no doubt."""
    levelled = _with_levels(reading.steps, file)
    if levelled is None:
        return reading, Problem(Fault.HEADING_LEVEL)
    cut = _without_ends(levelled, file)
    if cut is None:
        return reading, Problem(Fault.WHITESPACE_AT_END)
    steps: Sequence[Step] = cut
    found = [each for at in range(len(steps)) for each in _differences(at, steps, file)]
    signs = _signs_to_undo(found, file)
    steps = [_without_signs(step, signs) for step in steps] if signs else steps
    doubtful = found[0].at if _QUOTES & signs.keys() and _adds_quotes(steps, file) else None
    inherited = (each.at for each in found if _is_inherited(each, steps, file))
    doubtful = next(inherited, None) if doubtful is None else doubtful
    if doubtful is None:
        doubtful = next((at for at in range(len(steps)) if _is_repeated(at, steps, file)), None)
    doubt = None if doubtful is None else _described(steps[doubtful], file)
    return reading._replace(steps=tuple(steps)), doubt


def _described(step: Step, file: FileIndex) -> Problem:
    """Say that an added line may have inherited how an old one differs from the file's."""
    found = file.lines[step.row] if step.row is not None else b""
    shown, there = visible_difference(step.line.text, found, QUOTED)
    return Problem.of(Fault.INHERITED, shown=shown, there=there)


# ---------------------------------------------------------------- what becomes the file's


def _with_levels(steps: Sequence[Step], file: FileIndex) -> Sequence[Step] | None:
    """Shift the levels of added headings as those of the old ones are; None if it is not clear
    how."""
    shown: list[tuple[int, int]] = []
    for step in steps:
        if step.row is not None:
            a, b = _HEADING.match(step.line.text), _HEADING.match(file.lines[step.row])
            shown += [(len(a[1]), len(b[1]))] if a and b else []
    shifts = {b - a for a, b in shown}
    added = [_level(step) for step in steps if step.row is None and _level(step)]
    if shifts <= {0} or not added:
        return steps
    (shift,) = shifts if len(shifts) == 1 else (0,)
    in_patch, in_file = {a for a, _ in shown}, {b for _, b in shown}
    is_clear = shift and all(0 < level + shift <= _DEEPEST for level in added)
    if not is_clear or min(added) in in_file - in_patch:
        return None
    return [_shifted(step, shift) for step in steps]


def _level(step: Step) -> int:
    match = _HEADING.match(step.line.text)
    return len(match[1]) if match else 0


def _shifted(step: Step, shift: int) -> Step:
    level, text = _level(step), step.line.text
    if step.row is not None or not level:
        return step
    return _with_text(step, text.replace(b"#" * level, b"#" * (level + shift), 1))


def _with_text(step: Step, text: bytes) -> Step:
    return step._replace(line=step.line._replace(text=text))


def _without_ends(steps: Sequence[Step], file: FileIndex) -> Sequence[Step] | None:
    """Cut the whitespace at the end of added lines that all old lines have beyond the file's; None
    if only some have it, or if all added lines would keep more."""
    beyond = {
        _end(step.line.text)[len(_end(file.lines[step.row])) :]
        for step in steps
        if step.row is not None and step.line.text.strip()
    }
    added = [step.line.text for step in steps if step.row is None]
    ends = [_end(text) for text in added if text.strip()]
    if b"" in beyond:
        kept = {_end(file.lines[step.row]) for step in steps if step.row is not None}
        return None if {*ends} & (beyond - kept - {b""}) else steps
    if not beyond or not all(ends):
        return steps
    if len(beyond) == 1 and ends and min(ends, key=len) > min(beyond):
        return None
    return [
        _with_text(step, _without_end(step.line.text, beyond)) if step.row is None else step
        for step in steps
    ]


def _without_end(line: bytes, beyond: Set[bytes]) -> bytes:
    """Return `line` without the whitespace at its end that is one of `beyond`."""
    text = line.rstrip(b"\r")
    if not text.strip():
        return b"" if text in beyond else line
    cut = len(_end(text)) if len(beyond) > 1 else min(len(_end(text)), *map(len, beyond))
    return text[: len(text) - cut] + line[len(text) :]


def _end(line: bytes) -> bytes:
    line = line.rstrip(b"\r")
    return line[len(line.rstrip(b" \t")) :]


def _signs_to_undo(found: Sequence[_Difference], file: FileIndex) -> dict[str, str]:
    """Return typographic signs, each with what the file has in its place.

    They are not of ASCII, nowhere in the file, and all old lines agree on one sign for each.
    """
    signs: dict[str, set[str]] = {}
    for each in found:
        sign, instead = each.in_patch, each.in_file
        if instead and sign and not sign.isascii() and not re.search(r"\w", sign):
            if len({*sign}) == len({*instead}) == 1 and len(sign) == len(instead):
                sign, instead = sign[0], instead[0]
            signs.setdefault(sign, set()).add(instead)
    return {
        sign: texts.pop()
        for sign, texts in signs.items()
        if len(texts) == 1 and sign.encode("utf-8", "surrogateescape") not in file.joined
    }


def _without_signs(step: Step, signs: Mapping[str, str]) -> Step:
    if step.row is not None or step.line.text.isascii():
        return step
    text = step.line.text.decode("utf-8", "surrogateescape")
    for sign, instead in signs.items():
        text = text.replace(sign, instead)
    return _with_text(step, text.encode("utf-8", "surrogateescape"))


def _adds_quotes(steps: Sequence[Step], file: FileIndex) -> bool:
    """Return whether an added line has typographic quotes that the file does not have."""
    added = b"".join(step.line.text for step in steps if step.row is None)
    left = _QUOTES.intersection(added.decode("utf-8", "surrogateescape"))
    return any(sign.encode() not in file.joined for sign in left)


# ---------------------------------------------------------------- what is doubtful


def _differences(at: int, steps: Sequence[Step], file: FileIndex) -> Iterator[_Difference]:
    step = steps[at]
    if step.row is None or not DOUBTS[step.differs].by_tokens:
        return
    found = file.lines[step.row]
    a, b = _tokens(_decoded(step.line.text)), _tokens(_decoded(found))
    for tag, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag != "equal":
            texts = "".join(a[i:j]), "".join(b[k:m])
            is_end = j == len(a) and m == len(b) and not (texts[0] + texts[1]).strip(_SIGNS)
            before, after = "".join(a[max(i - 1, 0) : i]), "".join(a[j : j + 1])
            is_first = not re.search(r"\w", "".join(a[:i]))
            yield _Difference(*texts, before, after, is_end, is_first, at)


def _decoded(line: bytes) -> str:
    return resilient(line).decode("utf-8", "surrogateescape")


def _tokens(text: str) -> list[str]:
    return [match[0] for match in _TOKEN.finditer(text)]


def _is_inherited(each: _Difference, steps: Sequence[Step], file: FileIndex) -> bool:
    """Return whether an added line has what this difference shows, so that it is doubtful."""
    step = steps[each.at]
    run = _run_at(steps, each.at)
    beside = [other for other in run if other.row is None]
    replaces = step.line.prefix is REMOVED
    in_prose = _is_prose(step, file)
    adds = [other for other in steps if other.row is None]
    same = [_decoded(other.line.text) for other in adds if _is_prose(other, file) == in_prose]
    is_habit = not each.is_end or all(text.endswith(each.in_patch) for text in same)
    for added in adds if is_habit else beside if replaces else []:
        is_own = replaces and added in beside
        is_other = in_prose != _is_prose(added, file)
        is_text = is_own and len(added.line.text.split()) > 1
        if is_other and not is_text and not re.search(r"\w", each.in_patch + each.in_file):
            continue
        if each.is_end and not is_own and _keeps(added, each, steps, file):
            continue
        if _has(_decoded(added.line.text), each, in_prose=in_prose, is_own=is_own):
            return True
    return False


def _run_at(steps: Sequence[Step], at: int) -> Sequence[Step]:
    """Return the changed lines around the step at `at`, or beside it if that is context."""
    first, last = at, at
    while first and steps[first - 1].line.prefix is not CONTEXT:
        first -= 1
    while last + 1 < len(steps) and steps[last + 1].line.prefix is not CONTEXT:
        last += 1
    return steps[first : last + 1]


def _keeps(added: Step, each: _Difference, steps: Sequence[Step], file: FileIndex) -> bool:
    """Return whether an added line ends as the line that it replaces, which has the file's end; or
    its sentence goes on in the next line."""
    at = steps.index(added)
    following = steps[at + 1 : at + 2]
    if _is_prose(added, file) and any(s.row is None and _is_prose(s, file) for s in following):
        return True
    run = _run_at(steps, at)
    ends = [
        _tokens(_decoded(step.line.text))[-1:]
        for step in run
        if step.row is not None
        and step.line.prefix is REMOVED
        and _decoded(step.line.text) == _decoded(file.lines[step.row])
    ]
    return _tokens(_decoded(added.line.text))[-1:] in ends and steps[each.at] not in run


def _is_prose(step: Step, file: FileIndex) -> bool:
    """Return whether a line is a comment, or of a document."""
    is_comment = not file.prose.code_of(step.line.text).strip()
    return is_comment or (file.is_document if step.row is None else file.prose.includes(step.row))


def _last_kind(text: str) -> str:
    """Return what a line ends with: a word, or that sign."""
    return "a" if re.search(r"\w$", text) else text[-1:]


def _has(text: str, each: _Difference, *, in_prose: bool, is_own: bool) -> bool:
    """Return whether an added line has what the patch has there; `is_own` if it replaces it."""
    if not text:
        return False
    if each.is_end:
        if each.in_patch:
            return text.endswith(each.in_patch)
        if (
            in_prose
            and not is_own
            and each.in_file in _SENTENCE
            and len(re.findall(r"[^\W\d]{2,}", text)) < 2
        ):
            return False  # it is not a sentence
        ends = {_last_kind(each.before), *("a)]\"'`" if is_own else "")}
        return not text.endswith(each.in_file) and _last_kind(text) in ends
    tokens = _tokens(text)
    if each.in_patch.lower() == each.in_file.lower() and in_prose and not is_own:
        words = [token for token in tokens if re.search(r"\w", token)]
        return words[:1] == [each.in_patch] and each.is_first
    if re.search(r"\w", each.in_patch):
        return each.in_patch in tokens
    if each.in_patch.strip() and each.in_file.strip():
        return each.in_patch in text and each.in_file not in text
    near = [(each.before, each.after)]
    if each.in_patch:
        near = [(each.before, each.in_patch), (each.in_patch, each.after)]
    beside = {pair for pair in near if re.search(r"\w", "".join(pair))}
    return not beside.isdisjoint(pairwise(tokens))


_Repeats = Callable[[bytes], bool]
"""Whether an added line has what an old one has, and the file has not."""


def _is_repeated(at: int, steps: Sequence[Step], file: FileIndex) -> bool:
    """Return whether an added line repeats in what the old line at `at` differs from the file's."""
    step = steps[at]
    repeated = DOUBTS[step.differs].repeated
    if step.row is None or repeated is None:
        return False
    repeats = repeated(step.line.text.strip(), file.lines[step.row].strip())
    return any(repeats(other.line.text) for other in steps if other.row is None)


def _blanks(text: bytes, found: bytes) -> _Repeats:
    """In a string, whitespace is content."""
    differ = _blanks_that_differ(text, found)
    return lambda line: bool(differ) and not differ.isdisjoint(_pairs_in_strings(line))


def _letters(text: bytes, found: bytes) -> _Repeats:
    """Letters in another Unicode form than the file's, or beside what cannot be seen."""
    forms = [form for form in (composed, decomposed) if form(found) == found and form(text) != text]
    return lambda line: without_invisible(line) != line or any(form(line) != line for form in forms)


def _cut(text: bytes, _: bytes) -> _Repeats:
    """What cut an old line off may have cut an added one, too."""
    return lambda line: len(line.strip()) == len(text) and shows_cut(line)


class Doubt(NamedTuple):
    """What an added line must not have of an old one that differs: the tokens that differ, unless
    it is the patch's habit (`_is_inherited`); and wherever it is, what `repeated` finds."""

    by_tokens: bool = False
    repeated: Callable[[bytes, bytes], _Repeats] | None = None


DOUBTS: Mapping[Differs | None, Doubt] = {
    None: Doubt(),
    Differs.WHITESPACE: Doubt(repeated=_blanks),
    Differs.FORM: Doubt(by_tokens=True, repeated=_blanks),
    Differs.LETTERS: Doubt(by_tokens=True, repeated=_letters),
    Differs.QUOTES: Doubt(by_tokens=True),
    Differs.COMMENT: Doubt(),
    Differs.END: Doubt(repeated=_cut),
}
"""A row for each way to differ."""


def _blanks_that_differ(in_patch: bytes, in_file: bytes) -> Set[tuple[str, str]]:
    """Return the whitespace in strings of a line that differs from the file's, with the words
    around it, if that is all that differs."""
    strings = [*map(_strings, (in_patch, in_file))]
    if strings[0] == strings[1] or len(strings[0]) != len(strings[1]):
        return set()
    return set(_pairs_in_strings(in_patch)) - set(_pairs_in_strings(in_file))


def _pairs_in_strings(line: bytes) -> list[tuple[str, str]]:
    tokens = (_tokens(text.decode("utf-8", "surrogateescape")) for text in _strings(line))
    return [pair for each in tokens for pair in pairwise(each) if not all(map(str.strip, pair))]


def _strings(line: bytes) -> list[bytes]:
    return [match[2] for match in _QUOTED.finditer(line)]
