"""Make the sections of a patch from both versions of each file. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from git_opatch.create.context import HunkRange
from git_opatch.model.blob import Blob, ChangedFile
from git_opatch.model.patch import Anchor, FilePatch, Hunk, Line, Operation, Prefix
from git_opatch.model.text import Text


def make_section(file: ChangedFile, ranges: Sequence[HunkRange]) -> FilePatch:
    """Make the section of one file; `ranges` are its hunks, if it has two versions."""
    old, new = file
    old_mode, new_mode = (blob.entry.mode if blob else None for blob in file)
    if old and new:
        operation = Operation.MOVE if file.is_renamed else Operation.UPDATE
        hunks = tuple(_hunk(old.text, new.text, each) for each in ranges)
        if old_mode is new_mode:
            old_mode = new_mode = None
    elif old:
        operation, hunks = Operation.DELETE, _whole(old, Prefix.REMOVED)
    else:
        operation, hunks = Operation.ADD, _whole(new, Prefix.ADDED)
    paths = (old.path if old else None, new.path if new else None)
    return FilePatch(operation, *paths, hunks, old_mode=old_mode, new_mode=new_mode)


def _whole(blob: Blob | None, prefix: Prefix) -> tuple[Hunk, ...]:
    """Return the hunk of all lines of a file, if it has any."""
    if blob is None or blob.binary or not blob.text.lines:
        return ()
    return (Hunk(tuple(_prefixed(prefix, blob.text, 0, len(blob.text.lines)))),)


def _hunk(old: Text, new: Text, hunk: HunkRange) -> Hunk:
    lines, at = list[Line](), hunk.first
    for change in hunk.changes:
        lines += _prefixed(Prefix.CONTEXT, old, at, change.start)
        lines += _prefixed(Prefix.REMOVED, old, change.start, change.stop)
        lines += _prefixed(Prefix.ADDED, new, change.new_start, change.new_stop)
        at = change.stop
    lines += _prefixed(Prefix.CONTEXT, old, at, hunk.last)
    anchor = hunk.context.anchor
    anchors = () if anchor is None else (Anchor(old.lines[anchor]),)
    return Hunk(tuple(lines), anchors, hunk.first)


def _prefixed(prefix: Prefix, text: Text, start: int, stop: int) -> Iterator[Line]:
    return (Line(prefix, text.lines[at], text.has_newline(at)) for at in range(start, stop))
