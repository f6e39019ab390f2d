"""Makers of patches that must be refused: what they name does not exist, or must not be changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from random import Random

from hunks import draft_of, hunks_of, makes_a_change, places, plain_draft
from model import CONTEXT, REMOVED, ROOT, Commit, Draft, FileChange, Hunk, to_bytes
from spoil import Maker, with_hunk
from wording import rewrite_one

Alter = Callable[[str, Random], str]

_OPPOSITES = (
    *(("===", "!=="), ("==", "!="), ("&&", "||"), ("<=", ">="), (" < ", " > "), (" + ", " - ")),
    *((" += ", " -= "), ("++", "--"), (" and ", " or "), ("->", "=>"), (" = ", " == ")),
)
_OPERATORS = dict([*_OPPOSITES, *((right, left) for left, right in _OPPOSITES)])
_OPERATOR = re.compile("|".join(map(re.escape, sorted(_OPERATORS, key=len, reverse=True))))
_WORDS = ("timeout", "buffer", "handler", "limit", "index", "scanner", "legacy", "retry")


def stale(prefix: str) -> Maker:
    """Return a maker of hunks with another word or number in a line with this prefix."""
    return partial(_make_stale, prefixes=(prefix,), alter=other_word)


def changed_operator(commit: Commit, rng: Random) -> Draft | None:
    """A context or removed line with another operator."""
    return _make_stale(commit, rng, (CONTEXT, REMOVED), other_operator)


def one_stale_of_three(commit: Commit, rng: Random) -> Draft | None:
    """Three files, one of which differs from what the patch expects."""
    if len(commit.files) < 3:
        return None
    three = replace(commit, files=tuple(rng.sample(commit.files, 3)))
    return _make_stale(three, rng, (CONTEXT, REMOVED), other_word)


def _make_stale(
    commit: Commit, rng: Random, prefixes: Collection[str], alter: Alter
) -> Draft | None:
    draft = plain_draft(commit, 3)
    targets = [
        (at, n) for at, section in enumerate(draft.sections) for n in range(len(section.hunks))
    ]
    for at, number in rng.sample(targets, len(targets)):
        change, hunk = commit.files[at], draft.sections[at].hunks[number]
        spoiled = rewrite_one(hunk, rng, prefixes, partial(_not_in, change, alter))
        if spoiled and makes_a_change(spoiled):
            return replace(with_hunk(draft, at, number, spoiled), expected=None)
    return None


def _not_in(change: FileChange, alter: Alter, text: str, rng: Random) -> str:
    """`text` altered, or as it is if the outcome looks like any line of the file."""
    altered = alter(text, rng)
    known = {letters(line) for line in (*change.old, *change.new)}
    return text if letters(altered) in known else altered


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
        word = rng.choice((found[0] + "s", found[0] + "_old", rng.choice(_WORDS)))
    return text[: found.start()] + word + text[found.end() :]


def other_operator(text: str, rng: Random) -> str:
    """The text with another operator, or as it is if it has none."""
    operators = list(_OPERATOR.finditer(text))
    if not operators:
        return text
    found = rng.choice(operators)
    return text[: found.start()] + _OPERATORS[found[0]] + text[found.end() :]


def target_deleted(commit: Commit, rng: Random) -> Draft | None:
    """The lines that a hunk names are gone from the file."""
    change = rng.choice(commit.files)
    hunk = rng.choice(hunks_of(change, 3))
    left = change.old[: hunk.start] + change.old[hunk.start + len(hunk.before) :]
    if len(letters("".join(hunk.before))) < 20 or places(hunk.before, left, letters):
        return None
    draft = plain_draft(commit, 3)
    return replace(draft, base={**draft.base, change.path: to_bytes(left)}, expected=None)


def applied_twice(commit: Commit, _: Random) -> Draft | None:
    """A patch for files that are already what it makes of them."""
    draft = plain_draft(commit, 3)
    base = {change.path: to_bytes(change.new) for change in commit.files}
    return replace(draft, base=base, expected=None)


def partly_applied(commit: Commit, rng: Random) -> Draft | None:
    """A patch for a file that has some of its edits already, which may not be made twice."""
    several = [change for change in commit.files if len(change.edits) > 1]
    if not several:
        return None
    change = rng.choice(several)
    made = rng.sample(change.edits, rng.randrange(1, len(change.edits)))
    left = list(change.old)
    for edit in reversed(change.edits):
        if edit in made:
            left[edit.old_start : edit.old_stop] = change.new[edit.new_start : edit.new_stop]
    draft = plain_draft(commit, 3)
    return replace(draft, base={**draft.base, change.path: to_bytes(tuple(left))})


def missing_file(commit: Commit, rng: Random) -> Draft | None:
    """One section names a file that does not exist."""
    change = rng.choice(commit.files)
    directory, slash, name = change.path.rpartition("/")
    names = (f"{directory}{slash}other_{name}", f"old/{change.path}", change.path + ".orig")
    draft = plain_draft(commit, 3)
    return replace(_renamed(draft, change.path, rng.choice(names)), expected=None)


def _renamed(draft: Draft, old: str, new: str) -> Draft:
    sections = (
        replace(section, path=new) if section.path == old else section for section in draft.sections
    )
    return replace(draft, sections=tuple(sections))


def duplicated(commit: Commit, rng: Random) -> Draft | None:
    """Make a file whose only hunk matches two positions equally well."""
    single = [change for change in commit.files if len(hunks_of(change, 3)) == 1]
    if not single:
        return None
    change = rng.choice(single)
    (hunk,) = hunks_of(change, 3)
    stop = hunk.start + len(hunk.before)
    twice = (*change.old[:stop], *_copy(hunk), *change.old[stop:])
    if len(places(hunk.before, twice)) != 2:
        return None
    draft = draft_of([change], [[hunk]])
    return replace(draft, base={change.path: to_bytes(twice)}, expected=None)


def _copy(hunk: Hunk) -> tuple[str, ...]:
    """The hunk's lines once more, well apart from the first ones."""
    return (*(f"between {number}" for number in range(4)), *hunk.before, "after", "all")


def path_escape(commit: Commit, rng: Random) -> Draft | None:
    """A section that names an existing file outside of the working tree, or in `.git`."""
    change = rng.choice(commit.files)
    name = change.path.replace("/", "-")
    outside = rng.choice((f"../{name}", f"{ROOT}/{name}", f".git/{name}", f"sub/../../{name}"))
    draft = plain_draft(commit, 3)
    base = {**draft.base, outside: draft.base[change.path]}
    return replace(_renamed(draft, change.path, outside), base=base, expected=None)


def binary(commit: Commit, _: Random) -> Draft | None:
    """Files with a NUL in the first line."""
    draft = plain_draft(commit, 3)
    base = {path: b"\0" + data for path, data in draft.base.items()}
    return replace(draft, base=base, expected=None)
