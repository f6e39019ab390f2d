"""The markers of a search-and-replace block, each of which may be indented as the others are.

Rules: aider's parser, Cline's `replace_in_file`. Models write the block's path beside one, too.
"""

from __future__ import annotations

import re

from git_opatch.parse.blocks.pathline import looks_like_path

_PATH = rb"[ \t\r]*(?:(?<=[ \t])(\S+)[ \t\r]*)?"
_OPEN = re.compile(rb"([ \t]*)(<{5,9}|-{5,9})[ \t]*(?i:SEARCH)>?" + _PATH)
CLOSE = re.compile(rb"([ \t]*)(>{5,9}|\+{5,9})[ \t]*(?i:REPLACE)" + _PATH)
DIVIDER = re.compile(rb"([ \t]*)(={5,9})[ \t\r]*")


def opening_of(line: bytes) -> re.Match[bytes] | None:
    """The indent, the marks and the path of a marker that begins a block; None if it is none."""
    match = _OPEN.fullmatch(line)
    if match and match[3] and not (match[2].startswith(b"<") and looks_like_path(match[3])):
        return None
    return match


def is_close(line: bytes) -> bool:
    """Whether `line` ends a block, whatever file it is for."""
    match = CLOSE.fullmatch(line)
    return match is not None and (match[3] is None or looks_like_path(match[3]))
