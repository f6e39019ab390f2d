"""Make the sections of a patch from both versions of each file. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from git_opatch.create.context import HunkRange
from git_opatch.git.changes import ChangedFile
from git_opatch.model.blob import Blob
from git_opatch.model.patch import Anchor, FilePatch, Hunk, Line, Operation, Prefix
from git_opatch.model.text import Text


def make_section(file: ChangedFile, ranges: Sequence[HunkRange]) -> FilePatch:
    """Make the section of one file; `ranges` are its hunks, if it has two versions."""
    old, new = file.old, file.new
    if old is None:
        return FilePatch(
            *(Operation.ADD, None, file.path, _all_lines(new, Prefix.ADDED)),
            new_mode=new.entry.mode if new else None,
        )
    if new is None:
        return FilePatch(
            *(Operation.DELETE, file.path, None, _all_lines(old, Prefix.REMOVED)),
            old_mode=old.entry.mode,
        )
    hunks = tuple(
        Hunk(tuple(_lines(old.text, new.text, each)), _anchors(old.text, each), each.first)
        for each in ranges
    )
    changes_mode = old.entry.mode is not new.entry.mode
    return FilePatch(
        *(Operation.MOVE if file.is_renamed else Operation.UPDATE, old.path, new.path, hunks),
        old_mode=old.entry.mode if changes_mode else None,
        new_mode=new.entry.mode if changes_mode else None,
    )


def _all_lines(blob: Blob | None, prefix: Prefix) -> tuple[Hunk, ...]:
    if blob is None or blob.binary or not blob.text.lines:
        return ()
    return (Hunk(tuple(_prefixed(prefix, blob.text, 0, len(blob.text.lines)))),)


def _anchors(old: Text, hunk: HunkRange) -> tuple[Anchor, ...]:
    at = hunk.context.anchor
    return () if at is None else (Anchor(old.lines[at]),)


def _lines(old: Text, new: Text, hunk: HunkRange) -> Iterator[Line]:
    at = hunk.first
    for change in hunk.changes:
        yield from _prefixed(Prefix.CONTEXT, old, at, change.start)
        yield from _prefixed(Prefix.REMOVED, old, change.start, change.stop)
        yield from _prefixed(Prefix.ADDED, new, change.new_start, change.new_stop)
        at = change.stop
    yield from _prefixed(Prefix.CONTEXT, old, at, hunk.last)


def _prefixed(prefix: Prefix, text: Text, start: int, stop: int) -> Iterator[Line]:
    for at in range(start, stop):
        yield Line(prefix, text.lines[at], text.has_newline(at))
