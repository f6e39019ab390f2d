"""Commit ids in messages, and the command that reverts commits."""

from __future__ import annotations

from collections.abc import Sequence

_SHORT = 12
_MOST_NAMED = 10
_MOST_LISTED = 3


def revert_command(commits: Sequence[str]) -> str:
    """Return the command that reverts `commits`, which are oldest first."""
    first, last = commits[0], commits[-1]
    if len(commits) > _MOST_NAMED:
        return f"git revert {abbreviate(first)}^..{abbreviate(last)}"
    return " ".join(["git revert", *map(abbreviate, reversed(commits))])


def committed_as(commits: Sequence[str]) -> str:
    """Name the commits that were made."""
    if len(commits) > _MOST_LISTED:
        return f"committed as {len(commits)} commits"
    return f"committed as {', '.join(map(abbreviate, commits))}"


def abbreviate(commit: str) -> str:
    """Shorten an id, to a length that is unique in practice."""
    return commit[:_SHORT]
