"""Check a hunk's only candidate against what else the hunk says."""

from __future__ import annotations

from git_opatch.locate.already_applied import partly_applied_at
from git_opatch.locate.anchor import heading_between, occurrences
from git_opatch.locate.candidates import Candidates
from git_opatch.locate.file_index import FileIndex
from git_opatch.model.text import visible


def contradiction(candidates: Candidates, position: int, file_index: FileIndex) -> str | None:
    """Say what contradicts the only candidate, at `position`; None if nothing does."""
    return (
        _not_at_end_of_file(candidates, position, file_index)
        or _partly_applied(candidates, position, file_index)
        or _out_of_scope(candidates, position, file_index)
    )


def _not_at_end_of_file(candidates: Candidates, position: int, file_index: FileIndex) -> str | None:
    """The hunk claims the end of the file and ends elsewhere; `git apply` refuses it, too (D22)."""
    stop, size = position + len(candidates.hunk_at(position).preimage), len(file_index.lines)
    if not candidates.hunk.at_end_of_file or stop == size:
        return None
    return f"must end where the file ends, but its only candidate ends at line {stop} of {size}"


def _partly_applied(candidates: Candidates, position: int, file_index: FileIndex) -> str | None:
    """Lines that the hunk adds are next to its position already (D38)."""
    found = partly_applied_at(candidates.hunk_at(position), position, file_index)
    if found is None:
        return None
    return (
        "may be partly applied: lines that it adds are already next to their position, "
        f"at line {found + 1}"
    )


def _out_of_scope(candidates: Candidates, position: int, file_index: FileIndex) -> str | None:
    """An anchor that is a whole line occurs only after the position, or in another block (D18)."""
    stop = position + len(candidates.hunk_at(position).preimage)
    for anchor in candidates.hunk.anchors:
        positions, full = occurrences(anchor, file_index)
        if not full or anchor.weak:
            continue
        has_anchor = f"has its anchor `{visible(anchor.text.strip())}` at line {positions[0] + 1}"
        if positions[0] >= max(stop, position + 1):
            return f"{has_anchor}, after its only candidate, line {position + 1}"
        between = heading_between(position, positions, file_index)
        if between is not None and candidates.unique:
            heading = visible(file_index.lines[between].strip())
            return (
                f"{has_anchor}, but its only candidate, line {position + 1}, is under `{heading}`"
            )
    return None
