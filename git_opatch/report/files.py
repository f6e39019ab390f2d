"""The files of a plan with their hunks, and the names of the hunks of a patch."""

from __future__ import annotations

from collections.abc import Iterable

from git_opatch.complete import FileSummary
from git_opatch.model.paths import quote
from git_opatch.model.selection import Part
from git_opatch.plan.plan import PlacedHunk, Plan

DIFF_STYLES = {"@": "cyan", "-": "red", "+": "green"}
"""The styles of a diff's lines, by their first character."""

UNCHANGED = "="
"""The status of a file that hunks were placed in, but that is not changed by them together."""


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


def hunk_names(parts: Iterable[Part]) -> bytes:
    """List the id and the name of each part of a patch, as `--only` takes them."""
    named = (
        (part.id, f"{part.section.path}:{part.hunk.ordinal}" if part.hunk else part.section.path)
        for part in parts
    )
    return b"".join(f"{part}\t{quote(name)}\n".encode() for part, name in named)
