"""The `***` lines of an envelope, as OpenCode and Codex define them and as models write them.

    marker := "***" verb "File:" path | "***" ("Move" | "Rename") ["File"] "to:" path
    verb   := "Add" | "Create" | "New" | "Delete" | "Remove"
            | "Update" | "Modify" | "Edit" | "Change"

Letter case, whitespace around the words and a closing ` ***` do not matter, and a path may be in
backticks or quotes. The colon may be missing before a path without spaces, but `*** New
file handling` is a sentence. Source: OpenCode's patch format ("Operation Types"), loosened by D59.
"""

from __future__ import annotations

import re
from enum import Enum

from git_opatch.parse.envelope import BEGIN, CLOSING, END


class Marker(Enum):
    """The kind of a marker that has a path; the value is its exact spelling."""

    ADD = "*** Add File: "
    DELETE = "*** Delete File: "
    UPDATE = "*** Update File: "
    MOVE = "*** Move to: "


_SYNONYMS = {
    Marker.ADD: rb"add|create|new",
    Marker.DELETE: rb"delete|remove",
    Marker.UPDATE: rb"update|modify|edit|change",
}
_VERBS = rb"|".join(_SYNONYMS.values())
_PATH = rb"""(?:\s*:(?P<path>.*)|\s+(?P<word>\S+|`[^`]*`|"[^"]*"|'[^']*')[\s*]*)"""
_SECTION = re.compile(
    rb"\s*\*{3,}\s*(?:(?P<verb>" + _VERBS + rb")\s+file|(?:move|rename)(?:\s+file)?\s+to)" + _PATH,
    re.IGNORECASE | re.DOTALL,
)
_NEAR_MISS = (
    rb"(?is)\s*\*{2,}\s*(?P<verb>" + _VERBS + rb")\b(?:\s+files?\b)?[\s:]*(?P<path>[^\s:].*)"
)
_BEGIN = re.compile(rb"\s*" + BEGIN + CLOSING)
_END = re.compile(rb"\s*" + END + CLOSING)
_END_OF_FILE = rb"(?i)\*{3,}\s*end\s+of\s+file[\s:*]*"


def is_begin(line: bytes) -> bool:
    """Return whether `line` begins an envelope."""
    return _BEGIN.fullmatch(line) is not None


def is_end(line: bytes) -> bool:
    """Return whether `line` ends an envelope."""
    return _END.fullmatch(line) is not None


def is_end_of_file(line: bytes) -> bool:
    """Return whether `line`, which is not indented, is `*** End of File`."""
    return re.fullmatch(_END_OF_FILE, line) is not None


def parse_marker(line: bytes) -> tuple[Marker, bytes] | None:
    """Parse the marker and the path in `line`; None if it is not a marker."""
    match = _SECTION.fullmatch(line) if line.lstrip().startswith(b"***") else None
    if match is None:
        return None
    return _marker_for(match["verb"]), _clean_path(
        match["word"] if match["path"] is None else match["path"]
    )


def has_exact_marker(line: bytes) -> bool:
    """Return whether `line` has a marker in its exact spelling, indented or not."""
    return line.lstrip().startswith(tuple(kind.value.encode() for kind in Marker))


def correct_marker(line: bytes) -> bytes:
    """Return the marker that `line` was probably meant to be; empty if there is none."""
    match = re.fullmatch(_NEAR_MISS, line)
    return _marker_for(match["verb"]).value.encode() + _clean_path(match["path"]) if match else b""


def _marker_for(verb: bytes | None) -> Marker:
    if verb is None:
        return Marker.MOVE
    return next(kind for kind, verbs in _SYNONYMS.items() if verb.lower() in verbs.split(b"|"))


def _clean_path(path: bytes) -> bytes:
    """Remove whitespace, a closing ` ***` and quotes around a path."""
    path = path.strip()
    stem = path.rstrip(b"*")
    if len(path) - len(stem) >= 3 and stem.endswith((b" ", b"\t")):
        path = stem.rstrip()
    quoted = len(path) > 2 and path[:1] == path[-1:] and path[:1] in (b"`", b'"', b"'")
    return path[1:-1] if quoted else path
