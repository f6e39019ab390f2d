"""The files of a plan with their hunks, and those of a patch in the formats of `git diff`.

Formats: "--name-only" and "--name-status" of git-diff(1), with its quoting; with `-z` paths are not
quoted, and each ends with NUL.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from git_opatch.complete import FileSummary
from git_opatch.git.output import nul_terminated
from git_opatch.model.patch import FilePatch, Operation, Patch
from git_opatch.model.paths import quote
from git_opatch.model.selection import Part
from git_opatch.plan.plan import PlacedHunk, Plan

DIFF_STYLES = {"@": "cyan", "-": "red", "+": "green"}
"""The styles of a diff's lines, by their first character."""

UNCHANGED = "="
"""The status of a file that hunks were placed in, but that is not changed by them together."""
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
