"""The files of a plan: with their hunks, and in the formats of `git diff`.

Formats: "--stat", "--numstat", "--name-only" and "--name-status" of git-diff(1), with its quoting;
with `-z` paths are not quoted, and each ends with NUL.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from os.path import commonprefix

from git_opatch.complete import FileSummary
from git_opatch.git.output import nul_terminated
from git_opatch.model.patch import FilePatch, Operation, Patch
from git_opatch.model.paths import quote
from git_opatch.model.refusal import Spans
from git_opatch.model.selection import Part
from git_opatch.plan.plan import PlacedHunk, Plan

DIFF_STYLES = {"@": "cyan", "-": "red", "+": "green"}
"""The styles of a diff's lines, by their first character."""

UNCHANGED = "="
"""The status of a file that hunks were placed in, but that is not changed by them together."""
_NARROWEST = 10
_LETTERS = {
    Operation.ADD: "A",
    Operation.DELETE: "D",
    Operation.MOVE: "R",
    Operation.COPY: "C",
}


def placed_by_file(plan: Plan) -> list[tuple[FileSummary, list[PlacedHunk]]]:
    """List each file of the plan with its hunks; unchanged files come last."""
    files = {file.path: file for file in plan.completed.files}
    moved = {file.old_path: file for file in reversed(plan.completed.files)}
    found: dict[FileSummary, list[PlacedHunk]] = {file: [] for file in plan.completed.files}
    for placed in plan.placed:
        section = placed.section
        names = [name for name in (section.new_path, section.old_path, section.alternate) if name]
        known = [paths[name] for name in names for paths in (files, moved) if name in paths]
        file = known[0] if known else FileSummary(UNCHANGED, names[0], names[0], 0, 0)
        found.setdefault(file, []).append(placed)
    return list(found.items())


def stat(files: Sequence[FileSummary], width: int) -> Iterator[Spans]:
    """Yield a line for each file with its share of the changes, `width` columns wide, and a sum."""
    names = [_named(file) for file in files]
    counts = ["Bin" if file.binary else str(file.added + file.removed) for file in files]
    digits = max(map(len, counts), default=0)
    room = max(width - digits - 5, 2 * _NARROWEST)  # for names and graphs, without spaces and `|`
    column = min(max(map(len, names), default=0), room * 5 // 8)
    most = max((file.added + file.removed for file in files), default=0)
    graph = min(most, room - column)
    for file, name, count in zip(files, names, counts, strict=True):
        shown = name if len(name) <= column else "..." + name[3 - column :]
        plus, minus = (_scaled(count, most, graph) for count in (file.added, file.removed))
        text = f" {shown:<{column}} | {count:>{digits}}"
        gap = " " if plus + minus else ""
        yield [(text + gap, ""), ("+" * plus, "green"), ("-" * minus, "red")]
    yield [(_sum(files), "")]


def _scaled(count: int, most: int, width: int) -> int:
    """Scale `count` so that `most` fits `width`; only 0 becomes 0."""
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
    """Name a file; for a moved one give both paths and what they share once, as git does."""
    old, new = file.old_path, file.path
    if old == new:
        return quote(new)
    if quote(old) != old or quote(new) != new:
        return f"{quote(old)} => {quote(new)}"
    first = _shared_directories(old, new)
    at = max(len(first) - 1, 0)  # the same slash may end the first and begin the last
    last = _shared_directories(old[at:][::-1], new[at:][::-1])[::-1]
    middle = " => ".join(path[len(first) : len(path) - len(last)] for path in (old, new))
    return f"{first}{{{middle}}}{last}" if first or last else middle


def _shared_directories(path: str, other: str) -> str:
    """Find what both paths begin with, up to a slash."""
    shared = commonprefix([path, other])  # noqa: RUF071 - a name read backwards is not a path
    return shared[: shared.rfind("/") + 1]


def numstat(files: Sequence[FileSummary], *, zero: bool) -> bytes:
    """List for each file the numbers of added and removed lines (`-` if binary) and the path."""
    return b"".join(_numstat(file, zero=zero) for file in files)


def _numstat(file: FileSummary, *, zero: bool) -> bytes:
    counts = "-\t-\t" if file.binary else f"{file.added}\t{file.removed}\t"
    if not zero:
        return f"{counts}{_named(file)}\n".encode()
    paths = ["", file.old_path, file.path] if file.old_path != file.path else [file.path]
    return counts.encode() + nul_terminated(paths)


def names(patch: Patch, *, status: bool, zero: bool) -> bytes:
    """List the path of each section, with `status` also its operation; nothing twice.

    The order is that of git: by path.
    """
    sections = sorted(patch.files, key=lambda section: os.fsencode(_new_path(section)))
    records = dict.fromkeys(
        _status(section) if status else (_new_path(section),) for section in sections
    )
    return b"".join(_record(fields, zero=zero) for fields in records)


def hunks(parts: Iterable[Part]) -> bytes:
    """List the id and the name of each part of a patch, as `--only` takes them."""
    named = (
        (part.id, f"{part.section.path}:{part.hunk.ordinal}" if part.hunk else part.section.path)
        for part in parts
    )
    return b"".join(_record(fields, zero=False) for fields in named)


def _status(section: FilePatch) -> tuple[str, ...]:
    letter = _LETTERS.get(section.operation, "M")
    paths = (section.path, _new_path(section)) if letter in "RC" else (section.path,)
    return (letter, *paths)


def _new_path(section: FilePatch) -> str:
    return section.new_path or section.path


def _record(fields: Sequence[str], *, zero: bool) -> bytes:
    return nul_terminated(fields) if zero else ("\t".join(map(quote, fields)) + "\n").encode()
