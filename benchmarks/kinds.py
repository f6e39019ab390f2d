"""Classes of cases, each a commit written in one way, and the selection of cases from history.

Formats, wrappers and slips of the format are here, hunks that share their context, and patches
whose paths must be refused; slips of lines, indentation and hunks are drawn by `grammar.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from random import Random

import styles
from hunks import draft_of, hunk_of, hunks_of, plain_draft
from model import (
    CONTEXT,
    ROOT,
    Case,
    Commit,
    Draft,
    FileChange,
    Hunk,
    Line,
    Slip,
    Style,
    Wanted,
    Wrapper,
    to_bytes,
)
from reading import exact_positions

Maker = Callable[[Commit, Random], Draft | None]
"""Turns a commit into a draft, or into None where the commit has nothing to show the class with."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A class of cases: how they are made and written, and the expected result."""

    make: Maker
    wanted: Wanted = Wanted.EXACT
    styles: Sequence[Style] = styles.ALL


def _clean(commit: Commit, _: Random, *, context: int = 3) -> Draft | None:
    """The commit, unchanged."""
    return plain_draft(commit, context)


def _clean_anchored(commit: Commit, _: Random) -> Draft | None:
    """One line of context, and a definition to find each hunk below."""
    draft = plain_draft(commit, 1)
    named = all(hunk.anchor for section in draft.sections for hunk in section.hunks)
    return draft if named else None


def _apart(commit: Commit, _: Random, *, after: bool) -> Draft | None:
    """Near changes as hunks of their own, whose context is the same lines.

    With `after`, each shows above what those before it made.
    """
    sizes = range(1, 3 if after else 6)
    if not any(gap in sizes for change in commit.files for gap in _gaps(change)[1:-1]):
        return None
    return draft_of(commit.files, [_hunks_apart(change, after) for change in commit.files])


def _gaps(change: FileChange) -> list[int]:
    """Return the numbers of unchanged lines before, between and after the edits."""
    stops = [0, *(edit.old_stop for edit in change.edits)]
    starts = [*(edit.old_start for edit in change.edits), len(change.old)]
    return [start - stop for start, stop in zip(starts, stops, strict=True)]


def _hunks_apart(change: FileChange, after: bool) -> list[Hunk]:
    hunks, gaps = [], _gaps(change)
    for edit, above, below in zip(change.edits, gaps, gaps[1:], strict=False):
        hunk = hunk_of(change, [edit], min(above, 3), min(below, 3))
        if after:
            shown = change.new[max(edit.new_start - 3, 0) : edit.new_start]
            context = (Line(CONTEXT, text) for text in shown)
            lines = (*context, *hunk.lines[edit.old_start - hunk.start :])
            hunk = replace(hunk, lines=lines, start=edit.old_start - len(shown))
        hunks.append(hunk)
    return hunks


def _repeated(commit: Commit, _: Random, *, anchored: bool) -> Draft | None:
    """Hunks with one line of context, of which one occurs at several positions."""
    draft = plain_draft(commit, 1)
    for section, change in zip(draft.sections, commit.files, strict=True):
        for hunk in section.hunks:
            if (hunk.anchor or not anchored) and len(exact_positions(hunk.before, change.old)) > 1:
                return draft
    return None


def _doubled(commit: Commit, rng: Random) -> Draft | None:
    """A file whose only hunk matches two positions equally well."""
    single = [change for change in commit.files if len(hunks_of(change, 3)) == 1]
    if not single:
        return None
    change = rng.choice(single)
    (hunk,) = hunks_of(change, 3)
    stop = hunk.start + len(hunk.before)
    between = (f"between {number}" for number in range(4))  # the two are well apart
    twice = (*change.old[:stop], *between, *hunk.before, "after", "all", *change.old[stop:])
    if len(exact_positions(hunk.before, twice)) != 2:
        return None
    draft = draft_of([change], [[hunk]])
    return replace(draft, base={change.path: to_bytes(twice)}, expected=None)


def _missing_file(commit: Commit, rng: Random) -> Draft | None:
    """One section names a file that does not exist."""
    change = rng.choice(commit.files)
    directory, slash, name = change.path.rpartition("/")
    names = (f"{directory}{slash}other_{name}", f"old/{change.path}", change.path + ".orig")
    return _renamed(plain_draft(commit, 3), change.path, rng.choice(names))


def _path_escape(commit: Commit, rng: Random) -> Draft | None:
    """A section that names an existing file outside of the working tree, or in `.git`."""
    change = rng.choice(commit.files)
    name = change.path.replace("/", "-")
    outside = rng.choice((f"../{name}", f"{ROOT}/{name}", f".git/{name}", f"sub/../../{name}"))
    draft = plain_draft(commit, 3)
    base = {**draft.base, outside: draft.base[change.path]}
    return replace(_renamed(draft, change.path, outside), base=base)


def _renamed(draft: Draft, old: str, new: str) -> Draft:
    sections = (
        replace(section, path=new) if section.path == old else section for section in draft.sections
    )
    return replace(draft, sections=tuple(sections), expected=None)


def _binary(commit: Commit, _: Random) -> Draft | None:
    """Files with a NUL in the first line."""
    draft = plain_draft(commit, 3)
    base = {path: b"\0" + data for path, data in draft.base.items()}
    return replace(draft, base=base, expected=None)


_tight = partial(_clean, context=1)

KINDS = {
    "clean-3": Kind(_clean),
    "clean-1": Kind(_tight),
    "clean-anchored": Kind(_clean_anchored, styles=(styles.ANCHORED_ENVELOPE,)),
    "clean-numbers-invented": Kind(_clean, styles=(styles.INVENTED_DIFF,)),
    "overlapping-context": Kind(partial(_apart, after=False)),
    "state-after": Kind(partial(_apart, after=True)),
    "fenced": Kind(_clean, styles=styles.wrapped(Wrapper.FENCE)),
    "heredoc": Kind(_clean, styles=styles.wrapped(Wrapper.HEREDOC)),
    "wrong-counts": Kind(_clean, styles=styles.slipped(Slip.COUNTS)),
    "missing-prefixes": Kind(_clean, styles=styles.slipped(Slip.PREFIXES)),
    "file-changes": Kind(_clean, styles=(styles.CHANGES,)),
    "search-replace": Kind(_clean, styles=(styles.BLOCKS,)),
    "operations": Kind(_clean, styles=(styles.OPERATIONS,)),
    "string-replace": Kind(_clean, styles=(styles.STRINGS,)),
    "string-replace-tight": Kind(_tight, styles=(styles.STRINGS,)),
    "no-grammar": Kind(_clean, Wanted.ANSWERED, styles.slipped(Slip.GRAMMAR)),
    "ambiguous-anchored": Kind(
        partial(_repeated, anchored=True), Wanted.EITHER, (styles.ANCHORED_ENVELOPE,)
    ),
    "ambiguous-bare": Kind(partial(_repeated, anchored=False), Wanted.EITHER, styles.NUMBERLESS),
    "ambiguous": Kind(_doubled, Wanted.REFUSAL, styles.NUMBERLESS),
    "missing-file": Kind(_missing_file, Wanted.REFUSAL),
    "path-escape": Kind(_path_escape, Wanted.REFUSAL),
    "binary": Kind(_binary, Wanted.REFUSAL),
}


def draw(name: str, histories: Sequence[Sequence[Commit]], count: int, seed: str) -> list[Case]:
    """Up to `count` cases of a class, spread over the repositories; the same for a seed."""
    kind, rng = KINDS[name], Random(f"{seed}:{name}")
    cases: list[Case] = []
    for commit in _in_turn(histories, rng):
        if len(cases) == count:
            break
        draft = kind.make(commit, rng)
        if draft is not None:
            number = len(cases) + 1
            style = kind.styles[number % len(kind.styles)]
            cases.append(Case(name, number, commit, draft, style, kind.wanted))
    return cases


def _in_turn(histories: Sequence[Sequence[Commit]], rng: Random) -> Iterator[Commit]:
    """Every commit once, one of each repository in turn."""
    shuffled = [rng.sample(history, len(history)) for history in histories]
    for round_ in zip_longest(*shuffled):
        yield from (commit for commit in round_ if commit is not None)
