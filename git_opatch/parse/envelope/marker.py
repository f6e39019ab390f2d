"""The `***` lines of an envelope, as OpenCode and Codex have them and as models write them.

    marker := "***" verb "File:" path | "***" ("Move" | "Rename") ["File"] "to:" path
    verb   := "Add" | "Create" | "New" | "Delete" | "Remove"
            | "Update" | "Modify" | "Edit" | "Change"

Letter case, the blanks round the words and a closing ` ***` mean nothing, and a path may stand
in backticks or quotes. The colon may be missing before a path without blanks: `*** New
file handling` is a sentence. Rules: OpenCode's patch format ("Operation Types"), loosened by
the project's decisions.
"""

from __future__ import annotations

import re
from enum import Enum


class Marker(Enum):
    """What a marker before a path says; the value is how it is written."""

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
_NEARLY = re.compile(
    rb"\s*\*{2,}\s*(?P<verb>" + _VERBS + rb")\b(?:\s+files?\b)?[\s:]*(?P<path>[^\s:].*)",
    re.IGNORECASE | re.DOTALL,
)
_BEGIN = re.compile(rb"\s*\*{2,}\s*begin\s+patch[\s:*]*", re.IGNORECASE)
_END = re.compile(rb"\s*\*{2,}\s*end\s+(?:of\s+)?patch[\s:*]*", re.IGNORECASE)
_END_OF_FILE = re.compile(rb"\*{3,}\s*end\s+of\s+file[\s:*]*", re.IGNORECASE)


def is_begin(line: bytes) -> bool:
    """Whether `line` begins an envelope."""
    return _BEGIN.fullmatch(line) is not None


def is_end(line: bytes) -> bool:
    """Whether `line` ends an envelope."""
    return _END.fullmatch(line) is not None


def is_end_of_file(line: bytes) -> bool:
    """Whether `line`, which stands at the margin, says that the file ends."""
    return _END_OF_FILE.fullmatch(line) is not None


def marker_of(line: bytes) -> tuple[Marker, bytes] | None:
    """What the marker in `line` says, and its path; None if it is none."""
    match = _SECTION.fullmatch(line) if line.lstrip().startswith(b"***") else None
    if match is None:
        return None
    return _kind(match["verb"]), _bare(match["word"] if match["path"] is None else match["path"])


def is_exact(line: bytes) -> bool:
    """Whether `line` has a marker just as the format writes it, padded or not."""
    return line.lstrip().startswith(tuple(kind.value.encode() for kind in Marker))


def nearly(line: bytes) -> bytes:
    """The marker that `line` may stand for, as it is to be written; empty if there is none."""
    match = _NEARLY.fullmatch(line)
    return _kind(match["verb"]).value.encode() + _bare(match["path"]) if match else b""


def _kind(verb: bytes | None) -> Marker:
    if verb is None:
        return Marker.MOVE
    return next(kind for kind, verbs in _SYNONYMS.items() if verb.lower() in verbs.split(b"|"))


def _bare(path: bytes) -> bytes:
    """A path without padding, a closing ` ***`, and what it is quoted in."""
    path = path.strip()
    stem = path.rstrip(b"*")
    if len(path) - len(stem) >= 3 and stem.endswith((b" ", b"\t")):
        path = stem.rstrip()
    quoted = len(path) > 2 and path[:1] == path[-1:] and path[:1] in (b"`", b'"', b"'")
    return path[1:-1] if quoted else path
