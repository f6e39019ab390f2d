"""Leftovers of patches in files, as lines for a person."""

from __future__ import annotations

from git_opatch.model.command_line import CommandLine
from git_opatch.model.text import visible


def way_to_exempt(command: CommandLine) -> str:
    """Say below the list how to exempt a file: for good, or in this call, which is `command`."""
    here = visible(str(command.with_option("--allow", "PATHSPEC")))
    return f"to exempt a file: git config --add opatch.leftovers PATHSPEC, or once: {here}"


def line(path: str, marker: tuple[int, bytes] | None) -> str:
    """Describe a marker, or a file that should not exist (None), as `git diff --check` does."""
    if marker is None:
        return f"{visible(path)}: may be left from a patch that did not apply"
    number, text = marker
    return f"{visible(path)}:{number}: leftover of a patch: {visible(text)}"
