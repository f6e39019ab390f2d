"""Spoilers of indentation. The file has all information that they remove: what the
context lines show of the change of indentation is enough to undo it in the added lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from model import ADDED, CONTEXT, REMOVED, FileChange, Hunk, Line

Reindent = Callable[[str], str | None]
"""New indentation for old, or None where that could not be undone."""


def indent_of(text: str) -> str:
    """Return the leading whitespace of `text`."""
    return text[: len(text) - len(text.lstrip(" \t"))]


def tabs_to_spaces(hunk: Hunk, _: FileChange, rng: Random) -> Hunk | None:
    """Leading tabs as spaces, in all lines."""
    width = rng.choice((4, 4, 2, 8))

    def reindent(indent: str) -> str | None:
        return " " * (width * len(indent)) if not indent.strip("\t") else None

    return _reindented(hunk, reindent)


def spaces_to_tabs(hunk: Hunk, _: FileChange, __: Random) -> Hunk | None:
    """Leading spaces as tabs, in all lines; only where every indentation is of whole tabs."""
    width = _unit(hunk, (4, 2))

    def reindent(indent: str) -> str | None:
        return "\t" * (len(indent) // width) if _is_whole(indent, width) else None

    return _reindented(hunk, reindent) if width else None


def dedented(hunk: Hunk, _: FileChange, __: Random) -> Hunk | None:
    """Remove the indentation that all lines have in common."""
    if _hides_spaces(hunk) or not any(text.strip() for text in hunk.before):
        return None
    cut = len(_common([indent_of(text) for text in _written(hunk.lines)]))
    if not cut:
        return None
    return hunk.with_lines(*(replace(line, text=line.text[cut:]) for line in hunk.lines))


def indentation_halved(hunk: Hunk, _: FileChange, __: Random) -> Hunk | None:
    """Every level of indentation half as wide."""
    return _scaled(hunk, halve=True)


def indentation_doubled(hunk: Hunk, _: FileChange, __: Random) -> Hunk | None:
    """Every level of indentation twice as wide."""
    return _scaled(hunk, halve=False)


def some_dedented(hunk: Hunk, _: FileChange, rng: Random) -> Hunk | None:
    """The first context lines without their indentation, the rest as it is."""
    first = 0
    while first < len(hunk.lines) and hunk.lines[first].is_context:
        first += 1
    count = rng.randint(1, max(first, 1))
    rest = [line.text for line in hunk.lines[count:] if line.prefix != ADDED]
    if not any(map(indent_of, hunk.before[:count])) or not any(map(indent_of, rest)) or not first:
        return None
    bare = (replace(line, text=line.text.lstrip(" \t")) for line in hunk.lines[:count])
    return hunk.with_lines(*bare, *hunk.lines[count:])


def changes_dedented(hunk: Hunk, _: FileChange, rng: Random) -> Hunk | None:
    """The changed lines less deep than they are, the context as it is."""
    return _partly_dedented(hunk, rng, [not line.is_context for line in hunk.lines])


def removed_dedented(hunk: Hunk, _: FileChange, rng: Random) -> Hunk | None:
    """The removed lines less deep than they are, the rest as it is."""
    return _partly_dedented(hunk, rng, [line.prefix == REMOVED for line in hunk.lines])


def preimage_dedented(hunk: Hunk, _: FileChange, rng: Random) -> Hunk | None:
    """The context and the removed lines less deep than they are, the added ones as they are."""
    if not any(line.prefix == ADDED for line in hunk.lines):
        return None
    return _partly_dedented(hunk, rng, [line.prefix != ADDED for line in hunk.lines])


def rest_dedented(hunk: Hunk, _: FileChange, rng: Random) -> Hunk | None:
    """Some of the first context lines as they are, the rest less deep."""
    is_context = [line.is_context for line in hunk.lines]
    first = is_context.index(False) if False in is_context else 0
    kept = rng.randint(1, max(first, 1))
    return (
        _partly_dedented(hunk, rng, [at >= kept for at in range(len(is_context))])
        if first
        else None
    )


def _partly_dedented(hunk: Hunk, rng: Random, chosen: Sequence[bool]) -> Hunk | None:
    """The `chosen` lines without some of the indentation that they have in common."""
    texts = [line.text for line, is_chosen in zip(hunk.lines, chosen, strict=True) if is_chosen]
    common = _common([indent_of(text) for text in texts if text.strip()] or [""])
    if not common or _hides_spaces(hunk):
        return None
    cut = rng.choice((len(common), 1 if common.startswith("\t") else min(4, len(common))))
    lines = (
        replace(line, text=line.text[cut:] if is_chosen and line.text.strip() else line.text)
        for line, is_chosen in zip(hunk.lines, chosen, strict=True)
    )
    spoiled = hunk.with_lines(*lines)
    return spoiled if spoiled.before != hunk.before else None


def _scaled(hunk: Hunk, *, halve: bool) -> Hunk | None:
    unit = _unit(hunk, (8, 4) if halve else (4, 2))

    def reindent(indent: str) -> str | None:
        if not _is_whole(indent, unit):
            return None
        return indent[: len(indent) // 2] if halve else indent * 2

    shown = {indent_of(text) for text in hunk.before if text.strip()}
    added = {indent_of(line.text) for line in hunk.lines if line.prefix == ADDED}
    if not unit or (len(shown) < 2 and added - shown):
        return None
    return _reindented(hunk, reindent)


def _reindented(hunk: Hunk, reindent: Reindent) -> Hunk | None:
    """Each line with another indentation, if each can be and the preimage shows it."""
    lines: list[Line] = []
    for line in hunk.lines:
        indent = indent_of(line.text)
        new = reindent(indent) if line.text.strip() else indent
        if new is None:
            return None
        lines.append(replace(line, text=new + line.text[len(indent) :]))
    spoiled = hunk.with_lines(*lines)
    return spoiled if spoiled.before != hunk.before and not _hides_spaces(hunk) else None


def _unit(hunk: Hunk, units: Sequence[int]) -> int:
    """How wide a level may be: the first unit that every indentation is a multiple of, or 0."""
    widths = {len(indent_of(text)) for text in _written(hunk.lines)} - {0}
    return next((unit for unit in units if widths and not any(w % unit for w in widths)), 0)


def _common(indents: Sequence[str]) -> str:
    """Return the longest common prefix."""
    least, most = min(indents), max(indents)
    same = (at for at in range(len(least), -1, -1) if most.startswith(least[:at]))
    return least[: next(same)]


def _is_whole(indent: str, width: int) -> bool:
    return not indent.strip(" ") and len(indent) % width == 0


def _written(lines: Sequence[Line]) -> list[str]:
    return [line.text for line in lines if line.text.strip()]


def _hides_spaces(hunk: Hunk) -> bool:
    """Return whether a changed line is whitespace alone, so that its width could be lost."""
    return any(line.prefix != CONTEXT and line.text.isspace() for line in hunk.lines)
