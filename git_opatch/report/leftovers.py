"""Leftovers of patches in files, as lines for a person."""

from __future__ import annotations

from git_opatch.model.text import visible

EXEMPT = "to exempt a file: --allow PATHSPEC, or git config --add opatch.leftovers PATHSPEC"
"""The advice below the list."""


def line(path: str, marker: tuple[int, bytes] | None) -> str:
    """Describe a marker, or a file that should not exist (None), as `git diff --check` does."""
    if marker is None:
        return f"{visible(path)}: may be left from a patch that did not apply"
    number, text = marker
    return f"{visible(path)}:{number}: leftover of a patch: {visible(text)}"
