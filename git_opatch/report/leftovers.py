"""Leftovers of patches in files, as lines for a person."""

from __future__ import annotations

import shlex

from git_opatch.model.paths import pathspec
from git_opatch.model.text import visible


def way_to_exempt(path: str) -> str:
    """Say how to exempt the file at `path`, so that hooks leave it out, too."""
    spec = shlex.quote(pathspec(path).removeprefix(":/"))  # the setting counts from the top
    return f"to exempt {visible(path)}: git config --add opatch.leftovers {visible(spec)}"


def line(path: str, marker: tuple[int, bytes] | None) -> str:
    """Describe a marker, or a file that should not exist (None), as `git diff --check` does."""
    if marker is None:
        return f"{visible(path)}: may be left from a patch that did not apply"
    number, text = marker
    return f"{visible(path)}:{number}: leftover of a patch: {visible(text)}"
