"""Makers of cases that differ from a commit in how its hunks are written.

A maker turns a commit into a draft, or into None where the commit has nothing to spoil.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random

import indents
import layout
import wording
from hunks import hunks_of, makes_a_change, places, plain_draft
from model import Commit, Draft, FileChange, Hunk, Section
from wording import Spoiler

Maker = Callable[[Commit, Random], Draft | None]

_CONTEXT = 3
"""Lines of context, as git writes and as the formats ask for; fewer are a class of their own."""

_FIRST = (indents.dedented, indents.tabs_to_spaces, indents.indentation_halved)
_THEN = (
    wording.trailing_spaces,
    wording.letter_case,
    wording.typographic,
    wording.inner_spaces,
    wording.trailing_punctuation,
    wording.truncated_line,
    layout.blank_line_at_edge,
    layout.dropped_blank_line,
)
_MISLEADING = (*_FIRST, wording.letter_case)


def clean(context: int) -> Maker:
    """Return a maker of cases that are the commit, unchanged."""

    def make(commit: Commit, _: Random) -> Draft | None:
        return plain_draft(commit, context)

    return make


def clean_anchored(commit: Commit, _: Random) -> Draft | None:
    """One line of context, and a definition to find each hunk below."""
    draft = plain_draft(commit, 1)
    named = all(hunk.anchor for section in draft.sections for hunk in section.hunks)
    return draft if named else None


def everywhere(spoiler: Spoiler) -> Maker:
    """Return a maker that spoils every hunk that can be spoiled."""
    return partial(_spoil, spoiler=spoiler, most=None)


def once(spoiler: Spoiler) -> Maker:
    """Return a maker that spoils one hunk."""
    return partial(_spoil, spoiler=spoiler, most=1)


def two_spoilings(commit: Commit, rng: Random) -> Draft | None:
    """A hunk spoiled twice, in ways that do not undo each other."""
    first, then = rng.choice((rng.choice(_FIRST), *_THEN)), rng.choice(_THEN)

    def both(hunk: Hunk, change: FileChange, rng: Random) -> Hunk | None:
        spoiled = first(hunk, change, rng)
        return spoiled and then(spoiled, change, rng)

    return once(both)(commit, rng) if first is not then else None


def _spoil(commit: Commit, rng: Random, spoiler: Spoiler, most: int | None) -> Draft | None:
    draft = plain_draft(commit, _CONTEXT)
    targets = [
        (at, n) for at, section in enumerate(draft.sections) for n in range(len(section.hunks))
    ]
    count = 0
    for at, number in rng.sample(targets, len(targets)):
        if count == most:
            break
        hunk = draft.sections[at].hunks[number]
        spoiled = spoiler(hunk, commit.files[at], rng)
        if spoiled and spoiled != hunk and makes_a_change(spoiled):
            draft = with_hunk(draft, at, number, spoiled)
            count += 1
    return draft if count else None


def with_hunk(draft: Draft, at: int, number: int, hunk: Hunk) -> Draft:
    """The draft with another hunk in section `at`."""
    hunks = list(draft.sections[at].hunks)
    hunks[number] = hunk
    return with_hunks(draft, at, tuple(hunks))


def with_hunks(draft: Draft, at: int, hunks: tuple[Hunk, ...]) -> Draft:
    """The draft with other hunks in section `at`."""
    sections = list(draft.sections)
    sections[at] = Section(sections[at].path, hunks)
    return replace(draft, sections=tuple(sections))


def misleading(key: Callable[[str], str]) -> Maker:
    """Return a maker of hunks that, once spoiled, match a wrong position, compared by `key`."""

    def make(commit: Commit, rng: Random) -> Draft | None:
        draft = plain_draft(commit, 1)
        for at, change in enumerate(commit.files):
            for number, hunk in enumerate(hunks_of(change, 1)):
                spoiled = _fits_elsewhere(hunk, change, key, rng)
                if spoiled is not None:
                    return with_hunk(draft, at, number, spoiled)
        return None

    return make


def _fits_elsewhere(
    hunk: Hunk, change: FileChange, key: Callable[[str], str], rng: Random
) -> Hunk | None:
    for spoiler in rng.sample(_MISLEADING, len(_MISLEADING)):
        spoiled = spoiler(hunk, change, rng)
        found = places(spoiled.before, change.old, key) if spoiled else []
        if spoiled and makes_a_change(spoiled) and set(found) - {hunk.start}:
            return spoiled
    return None


def ambiguous(*, anchored: bool) -> Maker:
    """A maker of hunks with one line of context that occur at several positions."""

    def make(commit: Commit, _: Random) -> Draft | None:
        draft = plain_draft(commit, 1)
        for section, change in zip(draft.sections, commit.files, strict=True):
            for hunk in section.hunks:
                if (hunk.anchor or not anchored) and len(places(hunk.before, change.old)) > 1:
                    return draft
        return None

    return make
