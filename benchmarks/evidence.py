"""Measure how often the position that a kind of evidence selects is the true one.

    python benchmarks/evidence.py --repo PATH [--repo PATH ...] [--context N] [--cases DIR]

Every commit's hunks are written with one line of context, and those that occur at several
positions of their file are located by one kind of evidence alone. Prints a table in Markdown:
how many hunks each kind was asked about, for how many it picked a position, and how many of
those positions were true. Below the line are ways to choose that decide nothing in git opatch,
for comparison. What is right in fewer than 99 of 100 must not decide by default.

With `--cases`, diffs that models typed (see model_diffs.py), a line below the table says how many
of their hunks that show nothing below a change end the file, which is what git means by it.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from git_opatch.locate import locate_hunks
from git_opatch.model.errors import ParseError
from git_opatch.model.patch import Anchor, Hunk, Line, Prefix, context_around
from git_opatch.model.placement import Evidence, Placement
from git_opatch.model.text import Text
from git_opatch.parse import parse_patch
from history import read_history
from hunks import hunks_of, places
from indents import indent_of
from model import FileChange
from model import Hunk as Written
from model_diffs import Case

Picks = Callable[["Asked"], int | None]
"""A kind of evidence: the place that it picks; None if it says nothing."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A hunk that occurs at `places`, of which `hunk.start` is the true one."""

    change: FileChange
    hunks: Sequence[Written]
    at: int
    positions: Sequence[int]
    rng: Random

    @property
    def hunk(self) -> Written:
        """The hunk that is asked about."""
        return self.hunks[self.at]

    @property
    def text(self) -> Text:
        """The file."""
        return Text([line.encode() for line in self.change.old])


def main() -> None:
    """Ask every kind of evidence about every hunk."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repo", type=Path, action="append", required=True)
    parser.add_argument("--context", type=int, default=1, help="lines of context (1)")
    parser.add_argument("--seed", default="1", help="another seed reads other commits")
    parser.add_argument("--cases", type=Path, help="diffs that models typed, too")
    arguments = parser.parse_args()
    counts = {name: Counter[str]() for name in (*DECIDE, *DECIDE_NOTHING)}
    for path in arguments.repo:
        for asked in _asked(path, arguments.seed, arguments.context):
            for name, picks in (DECIDE | DECIDE_NOTHING).items():
                _count(counts[name], picks(asked), asked.hunk.start)
    _print(counts)
    if arguments.cases:
        ends = Counter(_ends(arguments.cases))
        print(f"\nNothing below the change: {ends[True]} of {ends.total()} end the file, by models")


def _asked(path: Path, seed: str, context: int) -> Iterator[Asked]:
    rng = Random(seed)
    for commit in read_history(path, seed):
        for change in commit.files:
            hunks = hunks_of(change, context)
            for at, hunk in enumerate(hunks):
                found = places(hunk.before, change.old) if any(map(str.strip, hunk.before)) else []
                if len(found) > 1:
                    yield Asked(change, hunks, at, found, rng)


def _count(counter: Counter[str], place: int | None, true: int) -> None:
    counter["asked"] += 1
    counter["picked"] += place is not None
    counter["right"] += place == true


def _print(counts: dict[str, Counter[str]]) -> None:
    print("| evidence | hunks | places picked | of these true |\n| --- | --- | --- | --- |")
    for name, counter in counts.items():
        if name == next(iter(DECIDE_NOTHING)):
            print("| *decides nothing:* | | | |")
        share = f"{100 * counter['right'] / counter['picked']:.1f} %" if counter["picked"] else "-"
        print(f"| {name} | {counter['asked']} | {counter['picked']} | {share} |")


def _locate(asked: Asked, *hunks: Hunk, at: int = 0) -> int | None:
    numbered = [replace(hunk, ordinal=number) for number, hunk in enumerate(hunks, 1)]
    verdict = locate_hunks(numbered, asked.text)[at]
    chosen = isinstance(verdict, Placement) and verdict.evidence is not Evidence.UNIQUE
    return verdict.start if chosen and isinstance(verdict, Placement) else None


def _hunk(written: Written) -> Hunk:
    return Hunk(tuple(Line(Prefix(line.prefix), line.text.encode()) for line in written.lines))


def _at_end(asked: Asked) -> int | None:
    stop = asked.hunk.start + len(asked.hunk.before)
    if stop < len(asked.change.old):
        return None
    return _locate(asked, replace(_hunk(asked.hunk), at_end_of_file=True))


def _under(anchor_of: Callable[[Asked], str]) -> Picks:
    def picks(asked: Asked) -> int | None:
        anchor = anchor_of(asked)
        if not anchor:
            return None
        return _locate(asked, replace(_hunk(asked.hunk), anchors=(Anchor(anchor.encode()),)))

    return picks


def _heading_of_git(asked: Asked) -> str:
    """What git writes after a hunk's numbers, where no driver says otherwise."""
    return _last(asked, re.compile(r"[A-Za-z_$]"))


def _definition(asked: Asked) -> str:
    return asked.hunk.anchor


def _enclosing(asked: Asked) -> str:
    """The last line that is indented less than the hunk."""
    depth = min(len(indent_of(line)) for line in asked.hunk.before if line.strip())
    return _last(asked, re.compile(rf"(?=\s*\S)(?!\s{{{depth}}})")) if depth else ""


def _last(asked: Asked, pattern: re.Pattern[str]) -> str:
    before = reversed(asked.change.old[: asked.hunk.start])
    return next((line.strip() for line in before if pattern.match(line)), "")


def _order(asked: Asked) -> int | None:
    return _locate(asked, *map(_hunk, asked.hunks), at=asked.at)


def _numbers(asked: Asked) -> int | None:
    """The numbers of the whole file, right ones."""
    return _locate(asked, *_numbered(asked, lambda start: start)[: asked.at + 1], at=asked.at)


def _invented_numbers(asked: Asked) -> int | None:
    size = len(asked.change.old)
    hunks = _numbered(asked, lambda _: asked.rng.randrange(size))
    bare = _order(asked)
    found = _locate(asked, *hunks, at=asked.at)
    return found if found != bare else None


def _numbered(asked: Asked, start_of: Callable[[int], int]) -> list[Hunk]:
    hunks, grown = [], 0
    for written in asked.hunks:
        start = start_of(written.start)
        hunks.append(replace(_hunk(written), stated_start=start, new_start=start + grown))
        grown += len(written.after) - len(written.before)
    return hunks


def _first(asked: Asked) -> int:
    return asked.positions[0]


def _nearest_to_last_hunk(asked: Asked) -> int:
    before = asked.hunks[asked.at - 1] if asked.at else None
    expected = before.start + len(before.before) if before else 0
    return min(asked.positions, key=lambda place: abs(place - expected))


def _nearest_to_number(asked: Asked) -> int:
    number = asked.hunk.start + asked.rng.choice((-1, 1)) * asked.rng.randint(5, 50)
    return min(asked.positions, key=lambda place: abs(place - number))


def _first_after_anchor(asked: Asked) -> int | None:
    anchor = _definition(asked)
    matches = [at for at, line in enumerate(asked.change.old) if anchor and line.strip() == anchor]
    if len(matches) != 1:
        return None
    return next((place for place in asked.positions if place >= matches[0]), None)


def _nothing_below(asked: Asked) -> int | None:
    """Where git apply would look for it: at the end of the file (match_end in apply.c)."""
    if asked.hunk.lines[-1].prefix == Prefix.CONTEXT.value:
        return None
    end = len(asked.change.old) - len(asked.hunk.before)
    return end if end in asked.positions else None


def _near_its_names(asked: Asked) -> int | None:
    """The only place that has a name, among ten lines on each side, which the hunk brings."""
    old, reach = asked.change.old, 10
    brought = _names(asked.hunk.after) - _names(asked.hunk.before)
    near = [
        place
        for place in asked.positions
        if brought & _names(old[max(place - reach, 0) : place + reach])
    ]
    return near[0] if len(near) == 1 else None


def _names(lines: Sequence[str]) -> set[str]:
    return {name for line in lines for name in re.findall(r"[A-Za-z_]\w{3,}", line)}


def _ends(cases: Path) -> Iterator[bool]:
    """Of each hunk with one place that shows lines above its change, and none below: does it
    end the file, but for blank lines?"""
    for place in sorted(cases.iterdir()):
        case = Case.load(place)
        with suppress(ParseError):
            for section in parse_patch(case.patch).files:
                data = case.base.get(section.old_path or "")
                text = Text.from_bytes(data or b"")
                hunks = [hunk for hunk in section.hunks if hunk.changes] if data else []
                for found in locate_hunks(hunks, text):
                    if isinstance(found, Placement) and _shows_above_alone(found.hunk):
                        yield not any(map(bytes.strip, text.lines[found.stop :]))


def _shows_above_alone(hunk: Hunk) -> bool:
    above, below = context_around(hunk.lines)
    return above > 0 == below


DECIDE: dict[str, Picks] = {
    "end-of-file marker": _at_end,
    "anchor: the heading that git writes": _under(_heading_of_git),
    "anchor: the nearest definition": _under(_definition),
    "anchor: the enclosing line": _under(_enclosing),
    "order of the hunks": _order,
    "right numbers": _numbers,
}
DECIDE_NOTHING: dict[str, Picks] = {
    "invented numbers (what they add)": _invented_numbers,
    "the first place": _first,
    "the nearest to the hunk before": _nearest_to_last_hunk,
    "the nearest to a number that is off by 5 to 50": _nearest_to_number,
    "the first place after the nearest definition": _first_after_anchor,
    "the only place that is near names which it brings": _near_its_names,
    "nothing below the change: the end of the file": _nothing_below,
}


if __name__ == "__main__":
    main()
