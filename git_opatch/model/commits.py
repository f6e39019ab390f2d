"""Commits in messages, and the command that reverts them.

Their ids are abbreviated by git before they come here, as `core.abbrev` has it.
"""

from __future__ import annotations

from collections.abc import Sequence

_MAX_NAMED = 10
_MAX_LISTED = 3


def revert_command(commits: Sequence[str]) -> str:
    """Return the command that reverts `commits`, which are oldest first."""
    if len(commits) > _MAX_NAMED:
        return f"git revert {commits[0]}^..{commits[-1]}"
    return " ".join(["git revert", *reversed(commits)])


def committed_as(commits: Sequence[str]) -> str:
    """Name the commits that were made."""
    if len(commits) > _MAX_LISTED:
        return f"committed as {len(commits)} commits"
    return f"committed as {', '.join(commits)}"
