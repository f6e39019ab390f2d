"""How large a created patch is beside `git diff` of the same change."""

from __future__ import annotations

from git_opatch.create import CreatedPatch


def saving(created: CreatedPatch, diff: bytes) -> bytes:
    """Say the counts and the sizes in one line, and how much smaller the patch is."""
    counts = f"{_count(created.files, 'file')}, {_count(created.hunks, 'hunk')}"
    size, other = len(created.text), len(diff)
    lines, other_lines = created.text.count(b"\n"), diff.count(b"\n")
    percent = round(100 * (other - size) / other) if other else 0
    than = f"{percent} % less" if percent >= 0 else f"{-percent} % more"
    sizes = f"{_count(size, 'byte')} in {_count(lines, 'line')}"
    beside = f"git diff: {_count(other, 'byte')} in {_count(other_lines, 'line')}"
    return f"{counts}: {sizes}; {beside} ({than})\n".encode()


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
