"""What becomes of each file, with the hunks that were placed in it; and as counts and names.

Formats: "git diff --stat", "--numstat", "--name-only" and "--name-status" of git, its quoting
included; with `-z` paths are unquoted, and a NUL ends each, as there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os.path import commonprefix

from git_opatch.complete import FileSummary
from git_opatch.patch import FilePatch, Operation, Patch
from git_opatch.paths import quote
from git_opatch.plan import Placed, Plan
from git_opatch.plumbing import fed

Spans = Sequence[tuple[str, str]]
"""A line: pieces of text, each with the name of its style or nothing."""

UNCHANGED = "="
"""The status of a file that hunks were placed in, and that ends as it was."""
_NARROWEST = 10
_LETTERS = {
    Operation.ADD: "A",
    Operation.DELETE: "D",
    Operation.MOVE: "R",
    Operation.COPY: "C",
}


def placed_by_file(plan: Plan) -> list[tuple[FileSummary, list[Placed]]]:
    """Each file of the plan with its hunks; those that sections took back again come last."""
    files = {file.path: file for file in plan.completed.files}
    moved = {file.old_path: file for file in reversed(plan.completed.files)}
    found: dict[FileSummary, list[Placed]] = {file: [] for file in plan.completed.files}
    for placed in plan.placed:
        one = placed.section
        names = [name for name in (one.new_path, one.old_path, one.alternate) if name]
        here = [known[name] for name in names for known in (files, moved) if name in known]
        file = here[0] if here else FileSummary(UNCHANGED, names[0], names[0], 0, 0)
        found.setdefault(file, []).append(placed)
    return list(found.items())


def stat(files: Sequence[FileSummary], width: int) -> Iterator[Spans]:
    """A line for each file with its share of the changes, `width` columns wide, and a sum."""
    names = [_named(file) for file in files]
    counts = ["Bin" if file.binary else str(file.added + file.removed) for file in files]
    digits = max(map(len, counts), default=0)
    room = max(width - digits - 5, 2 * _NARROWEST)  # for names and graphs, blanks and `|` taken off
    column = min(max(map(len, names), default=0), room * 5 // 8)
    most = max((file.added + file.removed for file in files), default=0)
    graph = min(most, room - column)
    for file, name, count in zip(files, names, counts, strict=True):
        shown = name if len(name) <= column else "..." + name[3 - column :]
        plus, minus = (_scaled(one, most, graph) for one in (file.added, file.removed))
        text = f" {shown:<{column}} | {count:>{digits}}"
        gap = " " if plus + minus else ""
        yield [(text + gap, ""), ("+" * plus, "green"), ("-" * minus, "red")]
    yield [(_sum(files), "")]


def _scaled(count: int, most: int, width: int) -> int:
    """How wide to draw `count` where `most` is as wide as there is room; 0 for nothing alone."""
    if most <= width or not count:
        return count
    return max(count * (width - 1) // most, 1)


def _sum(files: Sequence[FileSummary]) -> str:
    parts = [f" {len(files)} file{'s' * (len(files) != 1)} changed"]
    added, removed = sum(file.added for file in files), sum(file.removed for file in files)
    for count, other, word, mark in (
        (added, removed, "insertion", "+"),
        (removed, added, "deletion", "-"),
    ):
        if count or not other:
            parts.append(f"{count} {word}{'s' * (count != 1)}({mark})")
    return ", ".join(parts)


def _named(file: FileSummary) -> str:
    """The path; for a moved file both, what they share written once, as git does."""
    old, new = file.old_path, file.path
    if old == new:
        return quote(new)
    if quote(old) != old or quote(new) != new:
        return f"{quote(old)} => {quote(new)}"
    first = _folders(old, new)
    at = max(len(first) - 1, 0)  # one slash may end the one and begin the other
    last = _folders(old[at:][::-1], new[at:][::-1])[::-1]
    middle = " => ".join(path[len(first) : len(path) - len(last)] for path in (old, new))
    return f"{first}{{{middle}}}{last}" if first or last else middle


def _folders(one: str, two: str) -> str:
    """What both begin with, up to a slash."""
    shared = commonprefix([one, two])  # noqa: RUF071 - a name read backwards is no path
    return shared[: shared.rfind("/") + 1]


def numstat(files: Sequence[FileSummary], *, zero: bool) -> bytes:
    """For each file the added and removed lines, `-` for a binary one, and the path."""
    return b"".join(_numstat(file, zero=zero) for file in files)


def _numstat(file: FileSummary, *, zero: bool) -> bytes:
    counts = "-\t-\t" if file.binary else f"{file.added}\t{file.removed}\t"
    if not zero:
        return f"{counts}{_named(file)}\n".encode()
    paths = ["", file.old_path, file.path] if file.old_path != file.path else [file.path]
    return counts.encode() + fed(paths)


def names(patch: Patch, *, status: bool, zero: bool) -> bytes:
    """Each path that a section is for, or with `status` what it asks for; nothing twice."""
    told = dict.fromkeys(_status(one) if status else (_last(one),) for one in patch.files)
    return b"".join(_record(fields, zero=zero) for fields in told)


def _status(section: FilePatch) -> tuple[str, ...]:
    letter = _LETTERS.get(section.operation, "M")
    paths = (section.path, _last(section)) if letter in "RC" else (section.path,)
    return (letter, *paths)


def _last(section: FilePatch) -> str:
    return section.new_path or section.path


def _record(fields: Sequence[str], *, zero: bool) -> bytes:
    return fed(fields) if zero else ("\t".join(map(quote, fields)) + "\n").encode()
