"""The patch that takes a patch back: `-R`.

Adds become deletes, moves go back, sections are undone last first. Hunks are then located
by their new lines, like those of any patch. Rule: "Reverse" in the project's decisions.
"""

from __future__ import annotations

from dataclasses import replace

from git_opatch.patch import FilePatch, Hunk, Operation, Patch

_OPPOSITE = {Operation.ADD: Operation.DELETE, Operation.DELETE: Operation.ADD}


def reverse(patch: Patch) -> Patch:
    """The patch that undoes `patch`. A copy stays one: it cannot be told from a new file.

    It is no longer what a mail says of it.
    """
    return Patch(tuple(map(_reversed_section, reversed(patch.files))), patch.digest)


def reverse_recorded(patch: Patch) -> Patch:
    """The patch that undoes `patch`, which was applied: a copy goes, whatever it holds.

    The caller sees to it that it holds what was made of it.
    """
    return Patch(tuple(map(_undone, reversed(patch.files))), patch.digest)


def _undone(section: FilePatch) -> FilePatch:
    if section.operation is not Operation.COPY:
        return _reversed_section(section)
    return FilePatch(
        Operation.DELETE,
        section.new_path,
        None,
        states_content=False,
        number=section.number,
        source=section.source,
    )


def _reversed_section(section: FilePatch) -> FilePatch:
    return replace(
        section,
        operation=_OPPOSITE.get(section.operation, section.operation),
        old_path=section.new_path,
        new_path=section.old_path,
        old_mode=section.new_mode,
        new_mode=section.old_mode,
        hunks=tuple(map(_reversed_hunk, section.hunks)),
        blobs=section.blobs[::-1],
    )


def _reversed_hunk(hunk: Hunk) -> Hunk:
    """A hunk without a place of its own went to the end of the file, and is found there."""
    appended = not hunk.preimage and hunk.start is None and not hunk.anchors
    return replace(hunk.reversed(), at_end_of_file=hunk.at_end_of_file or appended)
