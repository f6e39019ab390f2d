"""What a format cannot say of a changed file, whatever its lines are (D291)."""

from __future__ import annotations

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
    blobs = [blob for blob in (old, new) if blob is not None]
    if old and new and old.entry.id == new.entry.id:
        blobs = []  # no lines are written
    elif new is None and patch_format in _WITHOUT_CONTENT:
        blobs = []
    if any(blob.binary for blob in blobs):
        yield "is binary"
    if patch_format in _JSON:
        names = "".join(blob.path for blob in (old, new) if blob is not None)
        if not _is_unicode(names.encode("utf-8", "surrogateescape")):
            yield "has a path that is not UTF-8, which JSON cannot have"
        if new is not None and not all(_is_unicode(blob.data) for blob in blobs):
            yield "is not UTF-8, which JSON has to be"
    if patch_format is Format.SEARCH_REPLACE and new and new in blobs:
        if old and not old.text.lines:
            yield "was empty"
        was_final = old.text.final_newline if old else True
        if new.text.final_newline is not was_final:
            yield f"{'gains' if new.text.final_newline else 'has no'} newline at its end"
    if patch_format is Format.FILE_CHANGES and old is None and new and not new.text.final_newline:
        yield "is new and has no newline at its end"


def _is_unicode(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
