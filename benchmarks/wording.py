"""Spoilers of single lines: what a model writes when it quotes a line from memory.

A spoiler gets a hunk, the change that it is a part of, and a source of chance; it gives
the spoiled hunk, or None if there is nothing to spoil.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace
from random import Random

from model import ADDED, BARE, CONTEXT, REMOVED, FileChange, Hunk

Spoiler = Callable[[Hunk, FileChange, Random], Hunk | None]
Rewrite = Callable[[str, Random], str]

LEAST_LEFT = 10  # characters that a truncated line keeps at least
_TYPOGRAPHY = {
    '"': "\u201c\u201d",
    "'": "\u2019\u2018",
    "-": "\u2013\u2014\u2011",
    " ": "\u00a0",
    "...": "\u2026",
}
_PROSE = (".md", ".rst", ".txt", ".adoc", ".mdx", ".markdown")


def rewrite_one(
    hunk: Hunk, rng: Random, prefixes: Collection[str], rewrite: Rewrite
) -> Hunk | None:
    """Rewrite one line with one of these prefixes, drawn at random among those that change."""
    for at in rng.sample(hunk.indexes, len(hunk.lines)):
        line = hunk.lines[at]
        if line.prefix in prefixes:
            text = rewrite(line.text, rng)
            if text != line.text:
                return hunk.with_line(at, replace(line, text=text))
    return None


def rewrite_some(hunk: Hunk, rng: Random, rewrite: Rewrite) -> Hunk | None:
    """Rewrite about half of the context and removed lines, but one at least.

    Lines whose whitespace the patch itself changes are kept: that would be another patch.
    """
    added = {"".join(line.text.split()) for line in hunk.lines if line.prefix == ADDED}
    rewritten = {
        at: text
        for at, line in enumerate(hunk.lines)
        if line.is_context or (line.prefix == REMOVED and "".join(line.text.split()) not in added)
        if (text := rewrite(line.text, rng)) != line.text
    }
    if not rewritten:
        return None
    certain = rng.choice(sorted(rewritten))
    for at, text in rewritten.items():
        if at == certain or rng.random() < 0.5:
            hunk = hunk.with_line(at, replace(hunk.lines[at], text=text))
    return hunk


def trailing_spaces(hunk: Hunk, _: FileChange, rng: Random) -> Hunk | None:
    """Add or remove trailing spaces."""

    def rewrite(text: str, rng: Random) -> str:
        return text.rstrip() if text.rstrip() != text else text + rng.choice((" ", "  ", "\t"))

    return rewrite_some(hunk, rng, rewrite)


def inner_spaces(hunk: Hunk, _: FileChange, rng: Random) -> Hunk | None:
    """Collapse runs of spaces inside lines, or double them."""

    def rewrite(text: str, _: Random) -> str:
        body = text.lstrip()
        collapsed = re.sub(r"[ \t]{2,}", " ", body)
        spoiled = collapsed if collapsed != body else body.replace(" ", "  ")
        return text[: len(text) - len(body)] + spoiled

    return rewrite_some(hunk, rng, rewrite)


def letter_case(hunk: Hunk, _: FileChange, rng: Random) -> Hunk | None:
    """A context line with its first letter, or all of them, in the other case."""

    def rewrite(text: str, rng: Random) -> str:
        swapped = re.sub(r"[^\W\d_]", lambda letter: letter[0].swapcase(), text, count=1)
        return rng.choice((swapped, swapped, text.lower()))

    return rewrite_one(hunk, rng, (CONTEXT,), rewrite)


def typographic(hunk: Hunk, _: FileChange, rng: Random) -> Hunk | None:
    """Quotes, dashes and the like of a context line made typographic, or plain."""

    def rewrite(text: str, rng: Random) -> str:
        plain = text
        for ascii_form, signs in _TYPOGRAPHY.items():
            plain = re.sub(f"[{signs}]", ascii_form, plain)
        if plain != text:
            return plain
        body = text.lstrip()
        present = [variant for variant in ('"', "'", "...", "-") if variant in body]
        if not present:
            return text
        variant = rng.choice(present)
        return text[: len(text) - len(body)] + body.replace(
            variant, rng.choice(_TYPOGRAPHY[variant])
        )

    return rewrite_one(hunk, rng, (CONTEXT,), rewrite)


def backticks(hunk: Hunk, change: FileChange, rng: Random) -> Hunk | None:
    """Backticks taken from a context line, or, in prose, put around one of its words."""

    def rewrite(text: str, rng: Random) -> str:
        if "`" in text:
            return text.replace("`", "") if text.strip("` ") else text
        words = list(re.finditer(r"\b\w{3,}\b", text))
        if not change.path.endswith(_PROSE) or not words:
            return text
        word = rng.choice(words)
        return f"{text[: word.start()]}`{word[0]}`{text[word.end() :]}"

    return rewrite_one(hunk, rng, (CONTEXT,), rewrite)


def trailing_punctuation(hunk: Hunk, _: FileChange, rng: Random) -> Hunk | None:
    """A sign of punctuation added to or taken from the end of a context line."""

    def rewrite(text: str, rng: Random) -> str:
        if re.search(r"[\w)\]'\"`][.,;:!?]$", text):
            return text[:-1]
        return text + rng.choice(".,;:") if re.search(r"[\w)\]'\"`]$", text) else text

    return rewrite_one(hunk, rng, (CONTEXT,), rewrite)


def punctuation_in_both(hunk: Hunk, _: FileChange, rng: Random) -> Hunk | None:
    """A sign of punctuation taken from the end of a removed line, and of all added ones."""
    ends = {line.text[-1:] for line in hunk.lines if line.prefix == REMOVED} & set(".,;:")
    ends &= {line.text[-1:] for line in hunk.lines if line.prefix == ADDED}
    if not ends:
        return None
    sign = rng.choice(sorted(ends))
    return hunk.with_lines(
        *(
            line if line.is_context else replace(line, text=line.text.removesuffix(sign))
            for line in hunk.lines
        )
    )


def truncated_line(hunk: Hunk, _: FileChange, rng: Random) -> Hunk | None:
    """A long context line of which only the end is left."""

    def rewrite(text: str, rng: Random) -> str:
        body = text.strip()
        if len(body) < 2 * LEAST_LEFT:
            return text
        cut = rng.randrange(4, len(body) - LEAST_LEFT + 1)
        return body[cut:].lstrip() if re.search(r"\w", body[:cut]) else text

    return rewrite_one(hunk, rng, (CONTEXT,), rewrite)


def copied_numbers(hunk: Hunk, _: FileChange, rng: Random) -> Hunk | None:
    """The line numbers of what was read before all lines but the added ones, or before all."""
    form, every = rng.choice(("{:>4} | {}", "{}: {}", "{:6}\t{}")), rng.random() < 0.5
    old = new = hunk.start
    lines = []
    for line in hunk.lines:
        old, new = old + (line.prefix != ADDED), new + (line.prefix != REMOVED)
        number = new if line.prefix == ADDED else old
        written = every or line.prefix != ADDED
        lines.append(replace(line, text=form.format(number, line.text) if written else line.text))
    return hunk.with_lines(*lines)


def missing_leading_space(hunk: Hunk, _: FileChange, rng: Random) -> Hunk | None:
    """Some or all context lines as they are in the file, without the diff's space."""
    able = [
        at
        for at, line in enumerate(hunk.lines)
        if line.prefix == CONTEXT and line.text and line.text[0] not in "+-@*\\"
    ]
    if not able:
        return None
    count = rng.choice((len(able), rng.randint(1, len(able))))
    for at in rng.sample(able, count):
        hunk = hunk.with_line(at, replace(hunk.lines[at], prefix=BARE))
    return hunk
