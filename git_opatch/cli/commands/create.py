"""`git opatch create`: write what changed as a patch, in the form that a model would write it."""

from __future__ import annotations

from git_opatch.cli.usage import split_words
from git_opatch.create.from_repository import create_patch
from git_opatch.git.repository import Repository
from git_opatch.model.errors import UsageError
from git_opatch.model.options import Format
from git_opatch.report.terminal import timed, write_data, write_file

_MINIMAL = "minimal"


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
    revision, specs = split_words(revision, pathspecs, "name one commit, or A..B")
    repository = Repository()
    with timed("create"):
        created = create_patch(
            repository,
            revision,
            cached=cached,
            pathspecs=specs,
            directory=repository.directory,
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
