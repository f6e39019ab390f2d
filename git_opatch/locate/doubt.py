"""What added lines share with the old ones: one hand wrote both sides.

It must not look at indentation. In what an old line differs from the file's, an added one may
differ, too. Levels of headings, whitespace at ends, tabs between columns and typographic signs
become the file's where all old lines agree how; anything else that an added line repeats makes it
doubtful.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from git_opatch.locate.file import File
from git_opatch.locate.forms import decoded, encoded, is_comment, spaced
from git_opatch.locate.loose import code_of
from git_opatch.locate.reading import REMOVED, Step
from git_opatch.model.failure import Problem
from git_opatch.model.limits import QUOTED
from git_opatch.model.sentences import Fault
from git_opatch.model.text import visible_difference

_TOKEN = re.compile(r"\w+|(\W)\1*")
_WORD = re.compile(r"\w")
_HEADING = re.compile(rb"[ \t]*(#{1,6})(?= )")
_QUOTED = re.compile(rb"(?<!\w)([\"'`/])((?:(?!\1).)*)\1")
_BETWEEN = re.compile(rb"(?<=\S)[ \t]+(?=\S)")
_UNUSUAL = re.compile(rb"[ \t]*(?:\xc2\xa0|\xe2\x80[\x80-\x8a\xaf]|\xe2\x81\x9f|\xe3\x80\x80)")
_SIGNS = ".,;:!?"
_QUOTES = "“”„‟«»‘’‚‛′″"  # noqa: RUF001 - as they are written

_Pairs = Sequence[tuple[bytes, bytes]]
"""Old lines as the patch has them, and as the file has."""
_Formed = tuple[Sequence[Step], Problem | None]
"""The steps, and why they are doubtful."""


def in_file_form(steps: Sequence[Step], file: File) -> _Formed:
    """Return the steps with added lines in the file's form, and why that is doubtful."""
    old = [
        (step.line.text, file.lines[step.row])
        for step in steps
        if step.row is not None and step.line.text.strip()
    ]
    if not any(_is_added(step) for step in steps) or all(a == b for a, b in old):
        return steps, None
    for form in (_with_blanks, _with_levels, _with_ends, _with_tabs):
        steps, problem = form(steps, old)
        if problem:
            return steps, problem
    return _with_signs(steps, file)


def _is_added(step: Step) -> bool:
    return step.row is None and bool(step.line.text.strip())


def _with_text(step: Step, text: bytes) -> Step:
    return step if step.row is not None else step._replace(line=step.line._replace(text=text))


# ---------------------------------------------------------------- one rule for all old lines


def _with_blanks(steps: Sequence[Step], old: _Pairs) -> _Formed:
    """Refuse lines that are indented by other blanks than spaces and tabs on one side alone."""
    unlike = any((_UNUSUAL.match(a) is None) != (_UNUSUAL.match(b) is None) for a, b in old)
    return steps, Problem(Fault.MIXED_INDENTATION) if unlike else None


def _with_levels(steps: Sequence[Step], old: _Pairs) -> _Formed:
    """Shift the levels of added headings as those of the old ones are."""
    shown = [
        (len(a[1]), len(b[1]))
        for x, y in old
        if (a := _HEADING.match(x)) and (b := _HEADING.match(y))
    ]
    added = [len(match[1]) for step in steps if step.row is None and (match := _heading_of(step))]
    shifts = {b - a for a, b in shown}
    if shifts <= {0} or not added:
        return steps, None
    shift = min(shifts)
    is_clear = len(shifts) == 1 and all(0 < level + shift <= 6 for level in added)
    if not is_clear or min(added) in {b for _, b in shown} - {a for a, _ in shown}:
        return steps, Problem(Fault.HEADING_LEVEL)
    return [_shifted(step, shift) for step in steps], None


def _heading_of(step: Step) -> re.Match[bytes] | None:
    return _HEADING.match(step.line.text)


def _shifted(step: Step, shift: int) -> Step:
    match = _heading_of(step)
    if match is None:
        return step
    signs = b"#" * (len(match[1]) + shift)
    return _with_text(step, step.line.text.replace(match[1], signs, 1))


def _with_ends(steps: Sequence[Step], old: _Pairs) -> _Formed:
    """Cut the whitespace at the end of added lines that all old lines have beyond the file's; add
    what all old lines lack there."""
    pairs = [(_end(a), _end(b)) for a, b in old]
    ends = [_end(step.line.text) for step in steps if _is_added(step)]
    lacking = {b[len(a) :] for a, b in pairs}
    if len(lacking) == 1 and lacking != {b""} and not any(ends):
        return [_lengthened(step, *lacking) for step in steps], None
    beyond, kept = {a[len(b) :] for a, b in pairs}, {b for _, b in pairs}
    mixed = {*ends} & (beyond - kept - {b""})
    if beyond == {b""} or not all(ends):
        is_mixed = b"" in beyond and bool(mixed)
        return steps, Problem(Fault.WHITESPACE_AT_END) if is_mixed else None
    if b"" in beyond or (len(beyond) == 1 and min(ends, key=len) > min(beyond)):
        is_mixed = bool(mixed) or b"" not in beyond
        return steps, Problem(Fault.WHITESPACE_AT_END) if is_mixed else None
    more = min(map(len, beyond))
    return [_with_text(step, _cut(step.line.text, more, beyond)) for step in steps], None


def _lengthened(step: Step, end: bytes) -> Step:
    return _with_text(step, step.line.text + end) if _is_added(step) else step


def _cut(text: bytes, more: int, beyond: set[bytes]) -> bytes:
    if not text.strip():
        return b"" if text in beyond else text
    return text[: len(text) - min(len(_end(text)), more)]


def _end(line: bytes) -> bytes:
    line = line.rstrip(b"\r")
    return line[len(line.rstrip(b" \t")) :]


def _with_tabs(steps: Sequence[Step], old: _Pairs) -> _Formed:
    """Put tabs between the columns of added lines where the file has them in all old ones; where
    it has them in some alone, it is doubtful."""
    between = [
        pair for a, b in old for pair in zip(_BETWEEN.findall(a), _BETWEEN.findall(b), strict=False)
    ]
    changed = {(a, b) for a, b in between if a != b and b"\t" in b and b"\t" not in a}
    added = [step.line.text for step in steps if _is_added(step)]
    if not changed or not any(map(_BETWEEN.search, added)):
        return steps, None
    told = dict(between)
    if any(told[a] != b for a, b in between):
        return steps, Problem(Fault.WHITESPACE_AT_END)
    return [_with_text(step, _in_columns(step.line.text, told)) for step in steps], None


def _in_columns(text: bytes, told: dict[bytes, bytes]) -> bytes:
    return _BETWEEN.sub(lambda match: told.get(match[0], match[0]), text)


# ---------------------------------------------------------------- signs and words


class _Difference(NamedTuple):
    """Tokens of the patch, and of the file in their place; the tokens before and after them."""

    shown: str
    original: str
    before: str
    after: str
    at_end: bool = False
    """Whether it is a sign at the end of the line."""


def _with_signs(steps: Sequence[Step], file: File) -> _Formed:
    """Put the file's signs in the place of typographic ones that the old lines have, and refuse
    what else added lines repeat."""
    differences = [(at, each) for at, step in enumerate(steps) for each in _differences(step, file)]
    certain = _certain([difference for _, difference in differences], file)
    steps = [_with_text(step, _translated(step.line.text, certain)) for step in steps]
    added = (sign for step in steps if step.row is None for sign in decoded(step.line.text))
    left = {sign for sign in added if certain and sign in _QUOTES}
    if any(sign.encode() not in file.joined for sign in left):
        return steps, Problem.of(Fault.INHERITED, shown=min(left), there=min(certain.values()))
    for at, difference in differences:
        if _is_repeated(steps[at], difference, steps, file):
            line = file.lines[steps[at].row or 0]
            shown, original = visible_difference(steps[at].line.text, line, QUOTED)
            return steps, Problem.of(Fault.INHERITED, shown=shown, there=original)
    return steps, None


def _certain(differences: Sequence[_Difference], file: File) -> dict[str, str]:
    """Return the typographic signs that the file has not, and the one sign that it has for each."""
    signs: dict[str, set[str]] = {}
    for shown, original, *_ in differences:
        is_sign = shown and not shown.isascii() and not _WORD.search(shown)
        if original and is_sign and encoded(shown) not in file.joined:
            signs.setdefault(shown, set()).add(original)
    return {sign: texts.pop() for sign, texts in signs.items() if len(texts) == 1}


def _translated(text: bytes, signs: dict[str, str]) -> bytes:
    line = decoded(text)
    for sign, instead in signs.items():
        line = line.replace(sign, instead)
    return encoded(line)


def _differences(step: Step, file: File) -> Iterator[_Difference]:
    """Yield in what an old line differs from the file's: by tokens; whitespace in quotes."""
    if step.row is None:
        return
    text, line = spaced(step.line.text), spaced(file.lines[step.row])
    if text == line:
        blanks, others = (set(_blanks(each)) for each in (step.line.text, file.lines[step.row]))
        yield from (_Difference(sign, "", before, "") for sign, before in blanks - others)
        return
    if line in (text, code_of(text)) or code_of(line) == text:
        return
    a, b = _tokens(decoded(text)), _tokens(decoded(line))
    for tag, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        shown, original = "".join(a[i:j]), "".join(b[k:m])
        at_end = j == len(a) and m == len(b)
        is_beginning = line.startswith(text[: len(text) - len(encoded(shown))])
        is_cut = is_beginning and _WORD.search(original) and not _WORD.search(shown)
        if tag != "equal" and not (at_end and is_cut):
            is_sign = at_end and not (shown + original).strip(_SIGNS)
            before, after = "".join(a[max(i - 1, 0) : i]), "".join(a[j : j + 1])
            yield _Difference(shown, original, before, after, is_sign)


def _blanks(line: bytes) -> Iterator[tuple[str, str]]:
    """Yield the whitespace in strings, with what is before it."""
    for match in _QUOTED.finditer(line):
        pairs = pairwise(_tokens(decoded(match[2])))
        yield from ((sign, before) for before, sign in pairs if not sign.strip())


def _tokens(text: str) -> list[str]:
    return [match[0] for match in _TOKEN.finditer(text)]


def _is_repeated(old: Step, difference: _Difference, steps: Sequence[Step], file: File) -> bool:
    """Return whether an added line has what the patch has there."""
    is_prose = file.is_document or is_comment(old.line.text)
    is_removed = old.line.prefix is REMOVED
    has_word = _WORD.search(difference.shown + difference.original) is not None
    added = [step.line.text for step in steps if _is_added(step)]
    if difference.at_end and is_prose and not is_removed and _keeps_a_sign(steps, file):
        return False
    if difference.at_end and difference.shown and not is_removed:
        return all(decoded(text.strip()).endswith(difference.shown) for text in added)
    for text in added:
        is_of_kind = is_prose == (file.is_document or is_comment(text))
        if not (is_of_kind or is_removed or has_word):
            continue
        if _repeats(decoded(text.strip()), difference, is_prose=is_prose, is_removed=is_removed):
            return True
    return False


def _keeps_a_sign(steps: Sequence[Step], file: File) -> bool:
    """Return whether an old line ends with a sign as in the file: another one lost it by a slip."""
    old = ((step.line.text, step.row) for step in steps if step.row is not None)
    return any(
        text == file.lines[row] and decoded(text[-1:]) in _SIGNS and text for text, row in old
    )


def _repeats(text: str, difference: _Difference, *, is_prose: bool, is_removed: bool) -> bool:
    shown, original, before, after, at_end = difference
    tokens = _tokens(text)
    if at_end:
        if shown:
            return text.endswith(shown)
        is_sentence = original not in ".!?" or sum(map(str.isalpha, tokens)) > 1
        kinds = (_last_kind(before), *("a)]\"'`" if is_removed else ""))
        ends_alike = not text.endswith(original) and _last_kind(text) in kinds
        return ends_alike and (is_sentence or not is_prose or is_removed)
    if _WORD.search(shown):
        is_case = shown.lower() == original.lower() and is_prose and not is_removed
        is_first = tokens[:1] == [shown]
        return shown in tokens and original not in tokens and (is_first or not is_case)
    if shown.strip() and original.strip():
        return shown in text and original not in text
    near = {(before, shown), (shown, after)} if shown else {(before, after)}
    return any(_WORD.search(a + b) and (a, b) in near for a, b in pairwise(tokens))


def _last_kind(text: str) -> str:
    """Return what a line ends with: a word, or that sign."""
    return "a" if re.search(r"\w$", text) else text[-1:]
