"""What patches left, to lines for a person."""

from __future__ import annotations

from git_opatch.text import visible


def left(path: str, mark: tuple[int, bytes] | None) -> str:
    """The line on one mark, or on a file that should not be there, as `git diff --check` has it."""
    if mark is None:
        return f"{visible(path)}: was left by a patch that did not apply"
    number, text = mark
    return f"{visible(path)}:{number}: leftover of a patch: {visible(text)}"
