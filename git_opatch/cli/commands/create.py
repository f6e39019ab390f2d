"""`git opatch create`: write what changed as a patch, in the form that a model would write it."""

from __future__ import annotations

import os
from pathlib import Path

from git_opatch.create.from_repository import create_patch
from git_opatch.git.repository import Repository
from git_opatch.model.errors import UsageError
from git_opatch.model.options import Format
from git_opatch.report.progress import timed
from git_opatch.report.terminal import write_data, write_file

_MINIMAL = "minimal"
_SEPARATOR = "--"


def create(
    revision: str = "",
    pathspecs: list[str] | None = None,
    patch_format: Format = Format.ENVELOPE,
    context: str = _MINIMAL,
    cached: bool = False,
    output: str = "",
) -> None:
    """Write what changed as a patch, proved to give exactly that.

    That is what a commit changed, or what differs from A to B; with --cached what is staged; else
    what is changed in the working tree and not staged. The patch is applied in memory before it is
    printed. Where the format cannot express a file, the file is named, nothing is printed, and the
    exit status is 1.
    """
    lines = _parse_context(context)
    revision, specs = _split([*filter(None, [revision]), *(pathspecs or [])])
    repository = Repository()
    with timed("create"):
        created = create_patch(
            repository,
            revision,
            cached=cached,
            pathspecs=specs,
            directory=_directory(repository.top),
            patch_format=patch_format,
            context=lines,
        )
    if output:
        write_file(created.text, output)
    else:
        write_data(created.text)


def _parse_context(value: str) -> int | None:
    """Return how many lines of context are wanted; None for as few as are needed."""
    if value == _MINIMAL:
        return None
    if not (value.isascii() and value.isdigit() and len(value) < 10):
        raise UsageError("--context takes a number of lines, or `minimal`")
    return int(value)


def _split(words: list[str]) -> tuple[str, list[str]]:
    """Split the words into the revision and the pathspecs, which come after `--`."""
    at = words.index(_SEPARATOR) if _SEPARATOR in words else len(words)
    if at > 1:
        raise UsageError("name one commit, or A..B; write -- before paths")
    return "".join(words[:at]), words[at + 1 :]


def _directory(top: Path | None) -> str:
    """Return the current directory, relative to the top of the working tree."""
    relative = os.path.relpath(os.getcwd(), top) if top is not None else "."
    return "" if relative == "." or relative.startswith("..") else relative
