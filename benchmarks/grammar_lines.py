"""Transformations of lines: what a writer does to a line, or to all of a hunk, from memory."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from functools import partial
from random import Random

from model import ADDED, BARE, CONTEXT, REMOVED, Piece, Row, Verdict, Written
from reading import commented, is_prose
from scene import Found, Scene, Spoil, Transform, in_all_hunks, in_one_hunk

Rewrite = Callable[[str, Random], str]

_COMMENT = re.compile(r"\s*(?:#(?!!|\[)|//|/?\*|--\s|;;|<!--)")
_DIRECTIVE = re.compile(r"\s*#\s*(?:include|if|el|en|define)")
_WITH_DIRECTIVES = (".c", ".h", ".cc", ".cpp", ".hpp", ".m", ".cs", ".swift")
_WORDS = re.compile(r"[A-Za-z]{2,}")
_CODE = re.compile(r"\w\(|[{};=\[\]]|->|::|\)[.,:;]?$")
_SENTENCE = re.compile(r"(?:\b[A-Za-z]+ ){3}[a-z]")
_LEAST_LEFT = 20
_ENDS = ("", "...", " ...")
_OPPOSITES = (
    *(("===", "!=="), ("==", "!="), ("&&", "||"), ("<=", ">="), (" < ", " > "), (" + ", " - ")),
    *((" += ", " -= "), ("++", "--"), (" and ", " or "), ("->", "=>"), (" = ", " == ")),
)
_OPERATORS = dict([*_OPPOSITES, *((right, left) for left, right in _OPPOSITES)])
_OPERATOR = re.compile("|".join(map(re.escape, sorted(_OPERATORS, key=len, reverse=True))))
_OTHER_WORDS = ("timeout", "buffer", "handler", "limit", "index", "scanner", "legacy", "retry")
_COMMENT_BEHIND = re.compile(r"\S(?:\s+(?:#|//)\s|\s{2,}(?:#|//))[^'\"`]*$")


class Kind(Enum):
    """What a line reads as."""

    PROSE = "prose"
    CODE = "code"
    UNCLEAR = "unclear"


def kind_of(text: str, scene: Scene) -> Kind:
    """Whether a line is a comment or prose, or clearly a line of code."""
    words = len(_WORDS.findall(text))
    looks_coded = _CODE.search(text) is not None and not _SENTENCE.search(text)
    is_comment = _COMMENT.match(text) and not (
        _DIRECTIVE.match(text) and scene.change.path.endswith(_WITH_DIRECTIVES)
    )
    if is_comment or is_prose(scene.change):
        is_text = words > 2 and not (is_prose(scene.change) and (looks_coded or text[:4].isspace()))
        return Kind.PROSE if is_text else Kind.UNCLEAR
    is_doc = any(scene.base[at] == text for at in commented(scene.base))
    return Kind.CODE if looks_coded and not is_doc else Kind.UNCLEAR


def letters(line: str) -> str:
    """A line without whitespace and letter case."""
    return re.sub(r"\s", "", line).lower()


def other_word(text: str, rng: Random) -> str:
    """The text with another word or number, or as it is if it has none."""
    words = list(re.finditer(r"[A-Za-z_]{3,}|\d+", text))
    if not words:
        return text
    found = rng.choice(words)
    if found[0].isdecimal():
        word = str(int(found[0]) + rng.randint(1, 9))
    else:
        word = rng.choice((found[0] + "s", found[0] + "_old", rng.choice(_OTHER_WORDS)))
    return text[: found.start()] + word + text[found.end() :]


def other_operator(text: str, rng: Random) -> str:
    """The text with another operator, or as it is if it has none."""
    operators = list(_OPERATOR.finditer(text))
    if not operators:
        return text
    found = rng.choice(operators)
    return text[: found.start()] + _OPERATORS[found[0]] + text[found.end() :]


def _lines_of(
    rewrite: Rewrite, prefixes: Sequence[str], verdict: Verdict, kind: Kind | None = None
) -> Spoil:
    """Spoil one line with one of these prefixes; `kind` chooses among them."""

    def spoil(piece: Piece, scene: Scene, rng: Random) -> Found:
        able = piece.indexes(*prefixes)
        for at in rng.sample(able, len(able)):
            text = piece.rows[at].text
            if kind is not None and kind is not kind_of(text, scene):
                continue
            new = rewrite(text, rng)
            if new != text and new.strip():
                return piece.with_text(at, new), verdict
        return None

    return spoil


def _context(rewrite: Rewrite, verdict: Verdict, kind: Kind | None = None) -> Transform:
    """One line of context; tolerable where all else is exact."""
    return in_one_hunk(_lines_of(rewrite, (CONTEXT,), verdict, kind), tolerance=True)


def _removed(rewrite: Rewrite, verdict: Verdict, kind: Kind | None = None) -> Transform:
    return in_one_hunk(_lines_of(rewrite, (REMOVED,), verdict, kind), tolerance=True)


def _all_lines(rewrite: Rewrite, verdict: Verdict) -> Transform:
    """All lines of a hunk alike: one hand wrote both sides."""

    def spoil(piece: Piece, _: Scene, rng: Random) -> Found:
        rows = tuple(
            replace(row, text=rewrite(row.text, rng)) if row.truth is not None else row
            for row in piece.rows
        )
        spoiled = replace(piece, rows=rows)
        return (spoiled, verdict) if spoiled.old != piece.old else None

    return in_one_hunk(spoil, tolerance=True)


def _some_lines(rewrite: Rewrite) -> Transform:
    """About half of the old lines, but no removed line that is added again but for whitespace."""

    def spoil(piece: Piece, _: Scene, rng: Random) -> Found:
        added = {"".join(row.text.split()) for row in piece.rows if row.prefix == ADDED}
        able = [
            at
            for at in piece.indexes(CONTEXT, BARE, REMOVED)
            if rewrite(piece.rows[at].text, Random(0)) != piece.rows[at].text
            and (piece.rows[at].is_context or "".join(piece.rows[at].text.split()) not in added)
        ]
        if not able:
            return None
        for at in rng.sample(able, rng.randint(1, len(able))):
            piece = piece.with_text(at, rewrite(piece.rows[at].text, rng))
        return piece, Verdict.APPLY

    return in_one_hunk(spoil)


def _trailing(text: str, rng: Random) -> str:
    return text.rstrip() if text.rstrip() != text else text + rng.choice((" ", "  ", "\t"))


def _padded(text: str, _: Random) -> str:
    return text + "  " if text.strip() else text


def _inner(text: str, _: Random) -> str:
    body = text.lstrip()
    collapsed = re.sub(r"[ \t]{2,}", " ", body)
    spoiled = collapsed if collapsed != body else body.replace(" ", "  ")
    return text[: len(text) - len(body)] + spoiled


def _case(text: str, _: Random) -> str:
    return re.sub(r"[A-Za-z]", lambda letter: letter[0].swapcase(), text, count=1)


def _sign(text: str, rng: Random) -> str:
    """Another sign at the end; not of a comment behind code, which is prose."""
    if _COMMENT_BEHIND.search(text):
        return text
    if re.search(r"[\w)\]'\"`][.,;:!?]$", text):
        return text[:-1]
    return text + rng.choice(".,;:!?") if re.search(r"[\w)\]'\"`]$", text) else text


def _sign_in_prose(piece: Piece, scene: Scene, rng: Random) -> Found:
    """Another sign at the end of one line of prose; one that is lost may be lost in an added line,
    too, where no line ends with it."""
    spoil = _lines_of(_sign, (CONTEXT,), Verdict.APPLY, Kind.PROSE)
    if (found := spoil(piece, scene, rng)) is None:
        return None
    spoiled, verdict = found
    at = next(at for at, row in enumerate(spoiled.rows) if row != piece.rows[at])
    old, new = piece.rows[at].text, spoiled.rows[at].text
    others = [row.text for near, row in enumerate(piece.rows) if near != at]
    is_kept = old.startswith(new) and any(text.endswith(old[-1]) for text in others)
    lacks = any(row.prefix == ADDED and re.search(r"[\w)\]'\"`]$", row.text) for row in piece.rows)
    unsure = len(new) < len(old) and lacks and not is_kept
    return spoiled, Verdict.MAY if unsure else verdict


def _without_sign(text: str, _: Random) -> str:
    return text[:-1] if re.search(r"[\w)\]'\"`][,;]$", text) else text


def _typographic(text: str, rng: Random) -> str:
    body = text.lstrip()
    found = [(a, b) for a, b in (('"', "\u201d"), ("'", "\u2019"), ("...", "\u2026")) if a in body]
    if not found:
        return text
    plain, sign = rng.choice(found)
    return text[: len(text) - len(body)] + body.replace(plain, sign)


def _other_quotes(text: str, _: Random) -> str:
    if text.count('"') == 2 and "'" not in text:
        return text.replace('"', "'")
    return text.replace("'", '"') if text.count("'") == 2 and '"' not in text else text


def _quotes_in_context(piece: Piece, _: Scene, rng: Random) -> Found:
    """Other quotes in one line of context; where an added line has them, too, it may be a habit."""
    able = [
        at
        for at in piece.indexes(CONTEXT)
        if _other_quotes(piece.rows[at].text, rng) != piece.rows[at].text
    ]
    if not able:
        return None
    at = rng.choice(able)
    text = piece.rows[at].text
    quote = "'" if '"' in text else '"'
    inherits = any(quote in row.text for row in piece.rows if row.prefix == ADDED)
    spoiled = piece.with_text(at, _other_quotes(text, rng))
    return spoiled, Verdict.MAY if inherits else Verdict.APPLY


def _entities(text: str, _: Random) -> str:
    return html.escape(text, quote=False)


def _escaped(text: str, _: Random) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _decomposed(text: str, _: Random) -> str:
    return unicodedata.normalize("NFD", text)


def _zero_width(text: str, rng: Random) -> str:
    gaps = [match.end() for match in re.finditer(r"\w\b", text)]
    if not gaps:
        return text
    at = rng.choice(gaps)
    return text[:at] + rng.choice(("\u200b", "\ufeff")) + text[at:]


def _without_comment(text: str, _: Random) -> str:
    """A line of code without the comment that ends it."""
    found = re.search(r"\S(\s+(?:#|//) [^'\"`]*)$", text)
    if found and not _COMMENT.match(text):
        return text[: found.start(1)]
    return text


def _cut_tail(text: str, rng: Random) -> str:
    """A line that shows that it is cut off: by dots, or in the middle of a word.

    `user` is not the beginning of the word `userId`, but another name.
    """
    body = text.rstrip()
    least = max(_LEAST_LEFT, 2 * len(body) // 3)
    if len(body) - least < 3:
        return text
    at = rng.randrange(least, len(body) - 2)
    in_word = re.match(r"[a-zA-Z][a-z]", text[at - 1 : at + 1])
    return text[:at].rstrip() + rng.choice(_ENDS[not in_word :])


def _lost_spaces(piece: Piece, _: Scene, rng: Random) -> Found:
    """Lines of context without the diff's space."""
    able = [
        at
        for at in piece.indexes(CONTEXT)
        if piece.rows[at].text and piece.rows[at].text[0] not in "+-@*\\"
    ]
    if not able:
        return None
    for at in rng.sample(able, rng.choice((len(able), rng.randint(1, len(able))))):
        piece = piece.with_row(at, replace(piece.rows[at], prefix=BARE))
    return piece, Verdict.APPLY


def _lost_plus(piece: Piece, _: Scene, rng: Random) -> Found:
    """An added line without its `+`, which so claims to be in the file."""
    able = [
        at
        for at in piece.indexes(ADDED)
        if piece.rows[at].text.strip() and piece.rows[at].text[0] not in "+-@*\\"
    ]
    if not able or not any(row.is_old for row in piece.rows):
        return None
    at = rng.choice(able)
    row = Row(rng.choice((CONTEXT, BARE)), piece.rows[at].text, None)
    return piece.with_row(at, row), Verdict.MAY


def _written(written: Written, piece: Piece, _: Scene, __: Random) -> Found:
    if any(row.prefix == BARE or row.truth is None for row in piece.rows):
        return None
    removed, added = piece.indexes(REMOVED), piece.indexes(ADDED)
    alone = written is Written.DOUBLED and not (removed and added)
    safe = not alone and written is not Written.OLD_NUMBERED
    if written is Written.DOUBLED and any(
        piece.rows[at].text[:1] in ("+", "-") for at in (*removed, *added)
    ):
        return None
    if piece.written is not Written.PLAIN:
        return None
    return replace(piece, written=written), Verdict.APPLY if safe else Verdict.MAY


def _whole(written: Written) -> Transform:
    return in_one_hunk(partial(_written, written), tolerance=True)


_APPLY, _MAY, _REFUSE = Verdict.APPLY, Verdict.MAY, Verdict.REFUSE

LINES: dict[str, Transform] = {
    "trailing whitespace": _some_lines(_trailing),
    "trailing whitespace: all lines": _all_lines(_padded, _MAY),
    "inner whitespace": _some_lines(_inner),
    "case: prose context": _context(_case, _APPLY, Kind.PROSE),
    "case: code context": _context(_case, _MAY, Kind.CODE),
    "case: code removed": _removed(_case, _REFUSE, Kind.CODE),
    "sign at end: prose context": in_one_hunk(_sign_in_prose, tolerance=True),
    "sign at end: code context": _context(_sign, _MAY, Kind.CODE),
    "sign at end: code removed": _removed(_sign, _REFUSE, Kind.CODE),
    "sign lost in all lines": _all_lines(_without_sign, _MAY),
    "typographic: context": _context(_typographic, _APPLY),
    "typographic: all lines": _all_lines(_typographic, _MAY),
    "other quotes: context": in_one_hunk(_quotes_in_context, tolerance=True),
    "other quotes: all lines": _all_lines(_other_quotes, _MAY),
    "entities: all lines": _all_lines(_entities, _MAY),
    "escaped: all lines": _all_lines(_escaped, _MAY),
    "NFD: context": _context(_decomposed, _APPLY),
    "NFD: all lines": _all_lines(_decomposed, _MAY),
    "zero-width: context": _context(_zero_width, _APPLY),
    "zero-width: removed": _removed(_zero_width, _MAY),
    "comment left out: context": _context(_without_comment, _APPLY),
    "comment left out: removed": _removed(_without_comment, _MAY),
    "cut tail: context": _context(_cut_tail, _APPLY),
    "cut tail: removed": _removed(_cut_tail, _MAY),
    "lost space": in_all_hunks(_lost_spaces),
    "lost plus": in_one_hunk(_lost_plus),
    "doubled prefixes": _whole(Written.DOUBLED),
    "line numbers: all lines": _whole(Written.NUMBERED),
    "line numbers: old lines": _whole(Written.OLD_NUMBERED),
}
