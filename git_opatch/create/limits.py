"""What a format cannot say of a changed file, whatever its lines are (D291)."""

from __future__ import annotations

import os
from collections.abc import Iterator

from git_opatch.git.changes import ChangedFile
from git_opatch.model.blob import Blob, Mode
from git_opatch.model.options import Format

_JSON = (Format.OPERATIONS, Format.STRING_REPLACE)
_WITH_MODES = (Format.UNIFIED,)
_WITHOUT_PATHS = (Format.SEARCH_REPLACE, Format.STRING_REPLACE)
"""Formats that neither move nor delete a file."""
_WITHOUT_CONTENT = (Format.ENVELOPE, Format.FILE_CHANGES, Format.OPERATIONS)
"""Formats that delete a file by its name alone."""
_NAMES = {Mode.GITLINK: "a submodule", Mode.SYMLINK: "a symbolic link"}


def obstacle(file: ChangedFile, patch_format: Format) -> str:
    """Return why no patch of `patch_format` can express the change of `file`; empty if one may."""
    return next(_obstacles(file, patch_format), "")


def _obstacles(file: ChangedFile, patch_format: Format) -> Iterator[str]:
    old, new = file.old, file.new
    for blob in (old, new):
        if blob is not None and blob.entry.mode is Mode.GITLINK:
            yield "is a submodule"
    yield from _kind_obstacles(old, new, patch_format)
    if new is None and patch_format in _WITHOUT_PATHS:
        yield "is deleted"
    if file.is_renamed and new and patch_format in _WITHOUT_PATHS:
        yield f"is renamed to `{new.path}`"
    yield from _content_obstacles(file, patch_format)


def _kind_obstacles(old: Blob | None, new: Blob | None, patch_format: Format) -> Iterator[str]:
    if old and new and old.entry.mode is not new.entry.mode:
        if not (old.entry.mode.is_file and new.entry.mode.is_file):
            yield f"becomes {_NAMES.get(new.entry.mode, 'a file')}"
        elif patch_format not in _WITH_MODES:
            yield f"changes its mode to {new.entry.mode.value}"
    if old is None and new and new.entry.mode is not Mode.REGULAR:
        if new.entry.mode is Mode.SYMLINK and patch_format not in _WITH_MODES:
            yield "is a symbolic link"
        elif patch_format not in _WITH_MODES:
            yield f"is new, with the mode {new.entry.mode.value}"


def _content_obstacles(file: ChangedFile, patch_format: Format) -> Iterator[str]:
    old, new = file.old, file.new
    written = _written(file, patch_format)
    if any(blob.binary for blob in written):
        yield "is binary"
    if patch_format in _JSON:
        paths = [blob.path for blob in (old, new) if blob is not None]
        if not all(map(_is_unicode, map(os.fsencode, paths))):
            yield "has a path that is not UTF-8, as JSON has to be"
        if not all(_is_unicode(blob.data) for blob in written):
            yield "is not UTF-8, as JSON has to be"
    if new is not None and new in written:
        yield from _end_obstacles(old, new, patch_format)


def _written(file: ChangedFile, patch_format: Format) -> list[Blob]:
    """The versions of which a patch has lines."""
    old, new = file.old, file.new
    is_moved = old is not None and new is not None and old.entry.id == new.entry.id
    if is_moved or (new is None and patch_format in _WITHOUT_CONTENT):
        return []
    return [blob for blob in (old, new) if blob is not None]


def _end_obstacles(old: Blob | None, new: Blob, patch_format: Format) -> Iterator[str]:
    had_newline = old is None or old.text.final_newline
    if patch_format is Format.SEARCH_REPLACE:
        if old is not None and not old.text.lines:
            yield "was empty"
        if new.text.final_newline is not had_newline:
            yield f"{'gains a' if new.text.final_newline else 'has no'} newline at its end"
        elif not new.text.final_newline and old and old.text.lines[-1:] != new.text.lines[-1:]:
            yield "has another last line, which has no newline at its end"
    if patch_format is Format.STRING_REPLACE and old is None and not new.data:
        yield "is new and empty"
    if patch_format is Format.FILE_CHANGES and old is None and not new.text.final_newline:
        yield "is new and has no newline at its end"


def _is_unicode(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
