"""Measure what becomes of a hunk when somebody was at its place first.

A hunk is one edit of a real commit, for a file that moved on since:

word     one word of a line that it changes is another one
context  a line of its context is another one, or a line was added there
copy     its lines are below a copy of them: that has their first line as the hunk shows it, and
         another word in a line that changes, or beside what is added; their own first line is new

and is written in three forms. It may be applied at its place, or refused: everything else is wrong.

    python benchmarks/moved_on.py CLONE... --seed 1 --cases 5000 --jobs 2 [--list]
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from itertools import chain, islice, zip_longest
from pathlib import Path
from random import Random
from typing import NamedTuple

from arguments import drawing_parser
from git_opatch import Failure, Fault, Hunk, Placement, Reason, plan_in_memory
from grammar import decoded, diff_of, read_changes
from model import Edit, FileChange, Header, to_bytes
from processes import in_processes
from styles import Form
from table import counted

CONTEXT = 3
_WORD = re.compile(r"[A-Za-z_]\w+|\d+")


FORMS = (
    Form("bare", CONTEXT),
    Form("right numbers", CONTEXT, header=Header.RIGHT),
    Form("right numbers, no context", 0, header=Header.RIGHT),
)


class Moved(NamedTuple):
    """A file that moved on, and where the hunk's edit would be in it."""

    kind: str
    lines: tuple[str, ...]
    place: Edit


class Ended(Enum):
    """What became of a hunk."""

    RIGHT = "at its place"
    OTHERWISE = "there, otherwise"
    STRICT = "elsewhere: strict"
    RESILIENT = "resilient"
    FUZZY = "fuzzy"
    BLANK = "by blank lines"
    ALREADY = "already applied"
    MAY_BE = "may be applied"
    NOTHING = "nothing to do"
    REFUSED = "refused"

    @property
    def is_wrong(self) -> bool:
        """Whether more was done, or said, than the file shows."""
        return self not in (Ended.RIGHT, Ended.MAY_BE, Ended.REFUSED)


@dataclass(frozen=True, slots=True)
class Case:
    """A hunk as a patch, the file that it is given to, and that file with the hunk at its place."""

    source: str
    path: str
    kind: str
    form: str
    patch: str
    moved: Moved
    expected: bytes


def main() -> None:
    """Draw the hunks, plan them, and print what became of them."""
    parser = drawing_parser(__doc__, 5000)
    parser.add_argument("--list", action="store_true", help="print each wrong one")
    options = parser.parse_args()
    found = list(islice(draw_edits(options.repo, options.seed), options.cases))
    tried = in_processes(partial(_try_edit, options.seed), list(enumerate(found)), options.jobs)
    counts: dict[tuple[str, str], Counter[Ended]] = {}
    for row, ended, described in chain.from_iterable(tried):
        counts.setdefault(row, Counter())[ended] += 1
        if options.list and ended.is_wrong:
            print(described)
    table = counted(("moved on", "form"), list(Ended), dict(sorted(counts.items())))
    print(f"{len(found)} hunks", *table, sep="\n")


def _describe(case: Case, ended: Ended, after: bytes) -> Iterator[str]:
    """A case in full: the patch, the lines at its place, and what came out elsewhere."""
    yield f"=== {case.kind}, {case.form}: {ended.value}\n{case.source} {case.path}\n{case.patch}"
    at, lines = case.moved.place.old_start, case.moved.lines
    yield f"--- the file at its place, line {at + 1}"
    yield from lines[max(at - CONTEXT, 0) : at + CONTEXT]
    if ended is not Ended.ALREADY:
        yield "--- what came out"
        yield diff_of((*lines, ""), decoded(after).split("\n"))


def draw(paths: Sequence[Path], seed: str) -> Iterator[Case]:
    """The cases of one edit after the other."""
    for number, (source, change) in enumerate(draw_edits(paths, seed)):
        yield from cases_of(source, change, Random(f"{seed}:{number}"))


def draw_edits(paths: Sequence[Path], seed: str) -> Iterator[tuple[str, FileChange]]:
    """Single edits of commits, of all repositories in turn, each with the commit it is from."""
    pools = []
    for changes in read_changes(paths, seed):
        pool = [(str(commit), change, edit) for commit, change in changes for edit in change.edits]
        Random(seed).shuffle(pool)
        pools.append(pool)
    for row in zip_longest(*pools):
        yield from ((found[0], only(*found[1:])) for found in row if found)


def only(change: FileChange, edit: Edit) -> FileChange:
    """A change of one edit alone."""
    lines = change.new[edit.new_start : edit.new_stop]
    return changed(change.path, change.old, edit.old_start, edit.old_stop, lines)


def changed(
    path: str, old: tuple[str, ...], start: int, stop: int, lines: tuple[str, ...]
) -> FileChange:
    """The change of a file whose lines from `start` to `stop` become others."""
    new = (*old[:start], *lines, *old[stop:])
    return FileChange(path, old, new, (Edit(start, stop, start, start + len(lines)),))


def _try_edit(
    seed: str, drawn: tuple[int, tuple[str, FileChange]]
) -> list[tuple[tuple[str, str], Ended, str]]:
    number, (source, change) = drawn
    results = []
    for case in cases_of(source, change, Random(f"{seed}:{number}")):
        ended, after = run(case)
        described = "\n".join(_describe(case, ended, after)) if ended.is_wrong else ""
        results.append(((case.kind, case.form), ended, described))
    return results


def cases_of(source: str, change: FileChange, rng: Random) -> Iterator[Case]:
    """The cases of an edit: each way in which its file may have moved on, in each form."""
    (edit,) = change.edits
    added = change.new[edit.new_start : edit.new_stop]
    for moved in filter(None, (move(change, edit, rng) for move in _MOVES)):
        lines, place = moved.lines, moved.place
        expected = to_bytes((*lines[: place.old_start], *added, *lines[place.old_stop :]))
        for form in FORMS:
            if form.context or any(map(str.strip, change.old[edit.old_start : edit.old_stop])):
                patch = form.write(change)
                yield Case(source, change.path, moved.kind, form.name, patch, moved, expected)


def _other_word(change: FileChange, line: str, rng: Random) -> str | None:
    """The line with another word of the file for one of its words; None if it has none."""
    words = list(_WORD.finditer(line))
    if not words:
        return None
    word = rng.choice(words)
    others = _WORD.findall(" ".join(rng.sample(change.old, min(20, len(change.old)))))
    kind = str.isdecimal if word[0].isdecimal() else str.isidentifier
    able = [other for other in others if kind(other) and other.lower() != word[0].lower()]
    new = rng.choice(able or [word[0] + "2"])
    found = line[: word.start()] + new + line[word.end() :]
    return None if found in (*change.old, *change.new) else found


def _word(change: FileChange, edit: Edit, rng: Random) -> Moved | None:
    """One word of a line that changes is another one by now."""
    if edit.old_start == edit.old_stop:
        return None
    lines = _with_other_word(change, rng.randrange(edit.old_start, edit.old_stop), rng)
    return None if lines is None else Moved("word", lines, edit)


def _with_other_word(change: FileChange, at: int, rng: Random) -> tuple[str, ...] | None:
    line = _other_word(change, change.old[at], rng)
    return None if line is None else _with(change.old, at, line)


def _with(lines: tuple[str, ...], at: int, line: str) -> tuple[str, ...]:
    return (*lines[:at], line, *lines[at + 1 :])


def _context(change: FileChange, edit: Edit, rng: Random) -> Moved | None:
    """A line of context is another one by now, or there is one more."""
    above = range(max(edit.old_start - CONTEXT, 0), edit.old_start)
    below = range(edit.old_stop, min(edit.old_stop + CONTEXT, len(change.old)))
    at = rng.choice([*above, *below] or [-1])
    line = _other_word(change, change.old[at], rng) if at >= 0 else None
    if line is None:
        return None
    if rng.random() < 0.5:
        return Moved("context", _with(change.old, at, line), edit)
    at += at in above  # below the line that is above, above the line that is below
    by = at <= edit.old_start
    place = replace(edit, old_start=edit.old_start + by, old_stop=edit.old_stop + by)
    return Moved("context", (*change.old[:at], line, *change.old[at:]), place)


def _copy(change: FileChange, edit: Edit, rng: Random) -> Moved | None:
    """The lines are below a copy of them, whose first one is as the hunk shows it."""
    old, at = change.old, edit.old_start
    start, stop = max(at - CONTEXT, 0), min(edit.old_stop + CONTEXT, len(old))
    head = next((number for number in range(start, at) if _WORD.search(old[number])), None)
    other = None if head is None else _other_word(change, old[head], rng)
    stale = _with_other_word(change, min(at, len(old) - 1), rng)
    if head is None or not other or not stale:
        return None
    block = _with(old, head, other)[start:stop]
    return Moved("copy", (*old[:start], *stale[start:stop], *block, *old[stop:]), edit)


_MOVES: Sequence[Callable[[FileChange, Edit, Random], Moved | None]] = (_word, _context, _copy)


def run(case: Case) -> tuple[Ended, bytes]:
    """Plan a hunk for the file that moved on; return also what the file has then."""
    data = to_bytes(case.moved.lines)
    plan = plan_in_memory(case.patch, {case.path: data})
    if plan.failures:
        return refused(plan.failures), data
    if plan.is_empty:
        return Ended.NOTHING, data
    after = plan.completed.contents()[case.path]
    if after == case.expected:
        return Ended.RIGHT, after
    ((section, placement),) = plan.placed
    (start, stop), place = placement.changed, case.moved.place
    if start == place.old_start or (start < place.old_stop and place.old_start < stop):
        return Ended.OTHERWISE, after
    return _elsewhere(section.hunks[0], placement), after


def refused(failures: Sequence[Failure]) -> Ended:
    """What is said of a patch that is not applied."""
    if any(failure.reason is not Reason.ALREADY_APPLIED for failure in failures):
        return Ended.REFUSED
    loose = any(failure.fault is Fault.MAY_BE_APPLIED for failure in failures)
    return Ended.MAY_BE if loose else Ended.ALREADY


def _elsewhere(hunk: Hunk, placement: Placement) -> Ended:
    """By which tier it is elsewhere, or that nothing but blank lines differs there."""
    shown, found = (
        [line.text.strip() for line in each.preimage] for each in (hunk, placement.hunk)
    )
    if len(shown) != len(found) and list(filter(None, shown)) == list(filter(None, found)):
        return Ended.BLANK
    return Ended[placement.tier.name]


if __name__ == "__main__":
    main()
