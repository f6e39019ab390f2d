"""What a careful reader sees: where a hunk can be meant, computed from the file alone.

Nothing here knows the tool: lines are compared by their letters, digits and signs, and a block
is what its indentation or its heading says.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from hunks import is_definition
from model import BARE, FileChange, Piece, Row, Verdict, Written
from scene import Scene

_PLAIN = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-"}
    | {"\u2011": "-", "\u00a0": " ", "\u2026": "...", "\u200b": "", "\ufeff": ""}
)
_CLOSERS = re.compile(r"\s*(?:[}\])]|end\b|\*/|#(?:if|el|en|de|un|in|pr)|\w+:\s*$|\{)")

_NO_OPENER = re.compile(rf"{_CLOSERS.pattern}|\s*(?:/?\*|//|#)")


@lru_cache(maxsize=200_000)
def loose(text: str) -> str:
    """A line without all that two writers may write differently."""
    plain = unicodedata.normalize("NFKC", text.translate(_PLAIN))
    return re.sub(r"[\s`]", "", plain).rstrip(".,;:!?").lstrip("#").lower()


@lru_cache(maxsize=64)
def _solid(lines: tuple[str, ...]) -> tuple[list[int], list[str], dict[str, list[int]]]:
    """The rows of the lines with text, their keys, and where each key is."""
    rows = [at for at, line in enumerate(lines) if line.strip()]
    keys = [loose(lines[at]) for at in rows]
    where: dict[str, list[int]] = {}
    for at, key in enumerate(keys):
        where.setdefault(key, []).append(at)
    return rows, keys, where


def loose_positions(rows: Sequence[Row], lines: tuple[str, ...]) -> list[int]:
    """Where these old lines can be meant: the file's row of the first line that has text.

    Blank lines are not compared, and lines that are written in another way fit any line.
    """
    wanted = [
        (loose(row.truth) if loose(row.text) == loose(row.truth) else None)
        for row in rows
        if row.is_old and row.truth is not None and row.truth.strip()
    ]
    file_rows, keys, where = _solid(lines)
    firm = [at for at, key in enumerate(wanted) if key is not None]
    if not firm:
        return []
    rarest = min(firm, key=lambda at: len(where.get(str(wanted[at]), ())))
    starts = [at - rarest for at in where.get(str(wanted[rarest]), ())]
    return [
        file_rows[start]
        for start in starts
        if 0 <= start <= len(keys) - len(wanted)
        and all(key in (None, keys[start + at]) for at, key in enumerate(wanted))
    ]


@lru_cache(maxsize=64)
def _where(lines: tuple[str, ...]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        found.setdefault(line, []).append(at)
    return found


def exact_positions(needle: Sequence[str], lines: tuple[str, ...]) -> list[int]:
    """Every position at which `needle` occurs exactly."""
    if not needle:
        return []
    where = _where(lines)
    rare = min(range(len(needle)), key=lambda at: len(where.get(needle[at], ())))
    starts = (at - rare for at in where.get(needle[rare], ()))
    return [
        start
        for start in starts
        if start >= 0 and lines[start : start + len(needle)] == tuple(needle)
    ]


def block_of(lines: Sequence[str], at: int, *, prose: bool) -> range:
    """The lines of the definition, or of the section, that begins at line `at`."""
    if prose:
        level = len(lines[at]) - len(lines[at].lstrip("#"))
        for stop in range(at + 1, len(lines)):
            marks = re.match(r"(#+) ", lines[stop])
            if marks and len(marks[1]) <= level:
                return range(at, stop)
        return range(at, len(lines))
    depth = _depth(lines[at])
    for stop in range(at + 1, len(lines)):
        line = lines[stop]
        if line.strip() and _depth(line) <= depth:
            if not _CLOSERS.match(line):
                return range(at, stop)
            if re.match(r"\s*(?:[}\]]|end\b)", line) and _depth(line) == depth:
                return range(at, stop + 1)
    return range(at, len(lines))


def _depth(line: str) -> int:
    text = line.expandtabs(4)
    return len(text) - len(text.lstrip())


_PROSE = (".md", ".markdown", ".rst", ".rdoc", ".txt", ".adoc")
_PROSE_NAMES = {
    "license",
    "copying",
    "changes",
    "changelog",
    "news",
    "authors",
    "readme",
    "notice",
    "todo",
}


def is_prose(change: FileChange) -> bool:
    """Whether the file is prose, whose definitions are headings."""
    path = change.path.lower()
    if path.endswith(("cmakelists.txt", "requirements.txt")):
        return False
    return path.endswith(_PROSE) or path.rpartition("/")[2] in _PROSE_NAMES


@lru_cache(maxsize=64)
def definitions(path: str, lines: tuple[str, ...]) -> tuple[int, ...]:
    """The rows of the definitions, or of Markdown's headings; prose of other kinds has none.

    A declaration such as `struct point p;` defines nothing that a hunk can be in.
    """
    if path.lower().endswith((".rst", ".rdoc", ".txt", ".adoc", ".xml", ".html")):
        return ()
    found = (at for at, line in enumerate(lines) if is_definition(path, line))
    return tuple(at for at in found if not lines[at].rstrip().endswith((";", "*/")))


_BLOCK_COMMENT = re.compile(r"/\*.*?\*/|\"\"\".*?\"\"\"|'''.*?'''", re.DOTALL)


@lru_cache(maxsize=64)
def commented(lines: tuple[str, ...]) -> frozenset[int]:
    """The rows in a comment of several lines, or in a string of several: their text is prose, or
    code that nothing runs."""
    text = "\n".join(lines)
    rows: set[int] = set()
    for match in _BLOCK_COMMENT.finditer(text):
        first = text.count("\n", 0, match.start())
        rows.update(range(first, first + match[0].count("\n") + 1) if "\n" in match[0] else ())
    return frozenset(rows)


def names_another_block(rows: Sequence[Row], start: int, below: int, scene: Scene) -> bool:
    """Whether these rows of a hunk, at `start`, show a heading whose block ends above `below`.

    What is shown there is then claimed to be in another block than it is.
    """
    prose, path = is_prose(scene.change), scene.change.path
    old = (at for at, row in enumerate(row for row in rows if row.is_old) if row.truth is not None)
    headings = (start + at for at in old if _is_heading(path, scene.base[start + at]))
    return any(block_of(scene.base, at, prose=prose).stop <= below for at in headings)


def _is_heading(path: str, line: str) -> bool:
    return is_definition(path, line) or re.fullmatch(r"\[[\w. :-]+\]\s*", line) is not None


def verdict_of(piece: Piece, scene: Scene) -> Verdict | None:
    """What the hunk's text says of its position; None if it says another one."""
    base = scene.base
    exact = exact_positions(piece.old, base) if piece.written is Written.PLAIN else []
    if exact and piece.start not in exact:
        return None
    verbatim = piece.start in exact and not piece.has_gaps
    rivals = [at for at in exact if at != piece.start]
    if not verbatim or not _is_distinctive(piece):
        first = _first_solid(piece, base)
        if first is None:
            return Verdict.MAY
        rivals += [at for at in loose_positions(piece.rows, base) if at != first]
    if piece.changes > 1 and any(row.prefix == BARE and row.text.strip() for row in piece.rows):
        return Verdict.MAY  # a lost space looks like other indentation, and the reverse
    if piece.tolerances and (piece.changes > 1 or rivals or not _is_distinctive(piece)):
        return Verdict.MAY
    if exact_positions(piece.after, base):
        return Verdict.MAY
    if rivals and not _anchor_decides(piece, scene, rivals):
        return Verdict.MAY
    is_misnamed = not is_prose(scene.change) and _is_misnamed(piece, base)
    return Verdict.MAY if is_misnamed else Verdict.APPLY


def _is_misnamed(piece: Piece, base: Sequence[str]) -> bool:
    """Whether the hunk's name, drawn by a simple pattern, is not that of what the hunk is in.

    Another line, as shallow as the one named, opens a block between that one's block and the hunk.
    """
    for name in piece.head.names:
        above = [at for at in range(piece.start) if base[at].strip() == name.strip()]
        if not above:
            continue
        stop = block_of(base, above[-1], prose=False).stop
        if any(_opens(base, at, _depth(base[above[-1]])) for at in range(stop, piece.start)):
            return True
    return False


def _opens(base: Sequence[str], at: int, most: int) -> bool:
    """Whether the next line with text is deeper, and this one no deeper than `most`."""
    if not base[at].strip() or _depth(base[at]) > most or _NO_OPENER.match(base[at]):
        return False
    below = next((line for line in base[at + 1 :] if line.strip()), "")
    return below.strip() == "{" or _depth(below) > _depth(base[at])


def _is_distinctive(piece: Piece) -> bool:
    """Whether an old line that is as it is has some letters or digits, to know the place by."""
    firm = (row.text for row in piece.rows if row.is_old and row.is_true)
    whole = piece.written is not Written.PLAIN or not any(row.is_true for row in piece.rows)
    return whole or any(len(re.findall(r"\w", text)) >= 4 for text in firm)


def _first_solid(piece: Piece, base: Sequence[str]) -> int | None:
    """The file's row of the first old line with text."""
    for at in range(piece.start, min(piece.start + piece.size + 40, len(base))):
        if base[at].strip():
            return at
    return None


def _anchor_decides(piece: Piece, scene: Scene, rivals: Sequence[int]) -> bool:
    """Whether the hunk is the only candidate in the block of its anchor, which is there once."""
    names = piece.head.names
    if len(names) != 1:
        return False
    found = [at for at, line in enumerate(scene.base) if line.strip() == names[0].strip()]
    if len(found) != 1:
        return False
    block = block_of(scene.base, found[0], prose=is_prose(scene.change))
    inside = piece.start in block and piece.start + piece.size <= block.stop
    return inside and not any(at in block for at in rivals)
