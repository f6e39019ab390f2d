"""Reverse a patch: `-R` (D8).

Adds become deletes, moves go in the other direction, and the sections are in reverse order. Hunks
are then located by their new lines, like those of any patch.
"""

from __future__ import annotations

from dataclasses import replace

from git_opatch.model.patch import FilePatch, Hunk, Operation, Patch, Prefix, Replacement

_OPPOSITE = {Operation.ADD: Operation.DELETE, Operation.DELETE: Operation.ADD}
_PREFIXES = {Prefix.ADDED: Prefix.REMOVED, Prefix.REMOVED: Prefix.ADDED}


def reverse(patch: Patch) -> Patch:
    """Reverse `patch`, without its mails. A copy stays a copy: it looks like any new file."""
    return Patch(tuple(map(_reversed_section, reversed(patch.files))), patch.digest)


def _reversed_section(section: FilePatch) -> FilePatch:
    return section._replace(
        operation=_OPPOSITE.get(section.operation, section.operation),
        old_path=section.new_path,
        new_path=section.old_path,
        old_mode=section.new_mode,
        new_mode=section.old_mode,
        hunks=tuple(map(_reversed_hunk, section.hunks)),
        left_out=tuple(map(_reversed_hunk, section.left_out)),
        blobs=section.blobs[::-1],
    )


def _reversed_hunk(hunk: Hunk) -> Hunk:
    """Reverse a hunk; one with nothing to locate it was added at the end of the file."""
    appended = not hunk.preimage and hunk.stated_start is None and not hunk.anchors
    return replace(
        hunk,
        lines=tuple(
            line._replace(prefix=_PREFIXES.get(line.prefix, line.prefix)) for line in hunk.lines
        ),
        stated_start=hunk.new_start,
        new_start=hunk.stated_start,
        at_end_of_file=hunk.at_end_of_file or appended,
        replacement=hunk.replacement and _reversed_string(hunk.replacement),
    )


def _reversed_string(replaced: Replacement) -> Replacement:
    """Reverse the replacement of one occurrence; a newline that ends the old string alone stayed in
    the file, unless nothing took its place."""
    old, new, newline = replaced.old, replaced.new, b""
    if new and old.endswith(b"\n") and not new.endswith(b"\n"):
        newline = b"\r\n" if old.endswith(b"\r\n") else b"\n"
    return Replacement(new + newline, old)
