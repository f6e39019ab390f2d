"""Edits of a file on disk of which git stores other bytes, line by line."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

from git_opatch.complete.edits import Edit, apply_edits
from git_opatch.model.text import Text

_MARKS = {
    "utf_16_le": codecs.BOM_UTF16_LE,
    "utf_16_be": codecs.BOM_UTF16_BE,
    "utf_32_le": codecs.BOM_UTF32_LE,
    "utf_32_be": codecs.BOM_UTF32_BE,
}


def edit_on_disk(disk: bytes, stored: Text, edits: Sequence[Edit]) -> bytes | None:
    r"""Apply `edits` of the text that git stores to the bytes on disk, whose lines are the same.

    New lines end as those on disk that they replace, or as their neighbours. Returns None if there
    are not as many lines.
    """
    text = Text.from_bytes(disk)
    if (len(text.lines), text.final_newline) != (len(stored.lines), stored.final_newline):
        return None
    return apply_edits(text, [_with_endings(edit, text, stored) for edit in edits]).to_bytes()


def edit_encoded(disk: bytes, stored: Text, edits: Sequence[Edit], encoding: str) -> bytes | None:
    """Do the same in a file of another encoding than UTF-8, as which git stores it.

    Returns None for an encoding that is not known, or is not that of the file.
    """
    try:
        codec, mark = _codec(encoding, disk)
        text = disk[len(mark) :].decode(codec)
        if mark + text.encode(codec) != disk:
            return None
        edited = edit_on_disk(text.encode(), stored, edits)
        return edited and mark + edited.decode().encode(codec)
    except (LookupError, ValueError):
        return None


def _codec(encoding: str, disk: bytes) -> tuple[str, bytes]:
    """Return the codec of an encoding, by its name for git, and the byte-order mark of the file."""
    name = codecs.lookup(encoding.lower().removesuffix("-bom")).name.replace("-", "_")
    for codec, mark in _MARKS.items():
        if codec.startswith(name) and disk.startswith(mark):
            return codec, mark
    return name, b""


def _with_endings(edit: Edit, text: Text, stored: Text) -> Edit:
    lines = [
        line + _ending(edit, number, text, stored) if not line.endswith(b"\r") else line
        for number, line in enumerate(edit.lines)
    ]
    if lines and not edit.newline and edit.stop == len(stored.lines):
        lines[-1] = edit.lines[-1]
    return edit._replace(lines=tuple(lines))


def _ending(edit: Edit, number: int, text: Text, stored: Text) -> bytes:
    r"""Return the `\r` that the line which a new one replaces has on disk alone."""
    near = min(edit.start + number, edit.stop - 1)
    for at in (near, near - 1, near + 1):
        if 0 <= at < len(text.lines) and text.has_newline(at):
            is_on_disk = text.lines[at].endswith(b"\r")
            return b"\r" if is_on_disk and not stored.lines[at].endswith(b"\r") else b""
    return b""
