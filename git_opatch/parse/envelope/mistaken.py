"""A line where only an envelope's marker can stand, and that is none: what was it meant to be?"""

from __future__ import annotations

from git_opatch.parse.cursor import Cursor
from git_opatch.parse.envelope.marker import Marker, nearly
from git_opatch.parse.header import names_at, path_of
from git_opatch.text import visible

_KNOWN = "`*** Add File: PATH`, `*** Update File: PATH`, `*** Delete File: PATH` or `*** End Patch`"
_GIT = b"diff --git "


def fault_no_marker(cursor: Cursor, hint: str = "") -> None:
    """Note that the cursor's line is no marker, with the one that was meant, if it can be told."""
    near = nearly(cursor.line)
    meant = near or _meant_by_header(cursor)
    where = "" if near else ", in place of the whole header of the diff"
    advice = f"did you mean `{visible(meant)}`{where}?" if meant else f"expected {_KNOWN}{hint}"
    message = f"`{visible(cursor.line)}` is no marker of a patch; {advice}"
    cursor.fault(message, corrected=meant)


def _meant_by_header(cursor: Cursor) -> bytes:
    """The marker to write in place of the diff's header that begins here; empty if none does."""
    if cursor.line.startswith(_GIT):
        path = path_of({"names": cursor.line[len(_GIT) :]})
        return Marker.UPDATE.value.encode() + path if path else b""
    old, new = names_at(cursor) or (None, None)
    kind = Marker.DELETE if new is None else Marker.ADD if old is None else Marker.UPDATE
    path = old or new
    return kind.value.encode() + path if path else b""
