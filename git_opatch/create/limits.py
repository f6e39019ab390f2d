"""What a format cannot say of a changed file, whatever its lines are (D291)."""

from __future__ import annotations

import os
from collections.abc import Iterator

from git_opatch.model.blob import Blob, ChangedFile, Mode
from git_opatch.model.options import Format

_JSON = (Format.OPERATIONS, Format.STRING_REPLACE)
_WITHOUT_PATHS = (Format.SEARCH_REPLACE, Format.STRING_REPLACE)
"""Formats that neither move nor delete a file."""
_WITHOUT_CONTENT = (Format.ENVELOPE, Format.FILE_CHANGES, Format.OPERATIONS)
"""Formats that delete a file by its name alone."""


def obstacle(file: ChangedFile, patch_format: Format) -> str:
    """Return what no patch of `patch_format` can do to `file`, as a verb; empty if one may."""
    return next(_obstacles(file.old, file.new, patch_format), "")


def _obstacles(old: Blob | None, new: Blob | None, patch_format: Format) -> Iterator[str]:
    blobs = [blob for blob in (old, new) if blob is not None]
    yield from _obstacles_of_modes([blob.entry.mode for blob in blobs], old is None, patch_format)
    if patch_format in _WITHOUT_PATHS:
        if new is None:
            yield "delete a file"
        if old and new and old.path != new.path:
            yield "rename a file"
    written = _written(old, new, patch_format)
    if any(blob.binary for blob in written):
        yield "change a binary file"
    if patch_format in _JSON:
        texts = [*(os.fsencode(blob.path) for blob in blobs), *(blob.data for blob in written)]
        if not all(map(_is_unicode, texts)):
            yield "write what is not UTF-8"
    if new is not None and new in written:
        yield from _obstacles_at_end(old, new, patch_format)


def _obstacles_of_modes(modes: list[Mode], is_new: bool, patch_format: Format) -> Iterator[str]:
    if Mode.GITLINK in modes:
        yield "change a submodule"
    if len({mode.is_file for mode in modes}) > 1:
        yield "turn a file into a symbolic link, or back"
    if patch_format is not Format.UNIFIED:
        if len(set(modes)) > 1:
            yield "change the mode of a file"
        if is_new and modes != [Mode.REGULAR]:
            yield "create a symbolic link or an executable file"


def _written(old: Blob | None, new: Blob | None, patch_format: Format) -> list[Blob]:
    """The versions of which a patch has lines."""
    is_moved = old is not None and new is not None and old.entry.id == new.entry.id
    if is_moved or (new is None and patch_format in _WITHOUT_CONTENT):
        return []
    return [blob for blob in (old, new) if blob is not None]


def _obstacles_at_end(old: Blob | None, new: Blob, patch_format: Format) -> Iterator[str]:
    ends = new.text.final_newline
    if patch_format is Format.SEARCH_REPLACE:
        if old is not None and not old.text.lines:
            yield "fill an empty file"
        if ends is not (old is None or old.text.final_newline):
            yield "add or remove the newline at the end of a file"
        elif not ends and old and old.text.lines[-1:] != new.text.lines[-1:]:
            yield "change a last line without a newline"
    if patch_format is Format.STRING_REPLACE and old is None and not new.data:
        yield "create an empty file"
    if patch_format is Format.FILE_CHANGES and old is None and not ends:
        yield "create a file without a newline at its end"


def _is_unicode(data: bytes) -> bool:
    return data.decode(errors="ignore").encode() == data
