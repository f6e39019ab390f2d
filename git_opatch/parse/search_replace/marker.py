"""The markers of a search-and-replace block, which may be indented.

    open    := "<<<<<<< SEARCH" [path] | "------- SEARCH"         5 to 9 characters
    divider := "======="
    close   := ">>>>>>> REPLACE" [path] | "+++++++ REPLACE"

Source: aider's parser, Cline's `replace_in_file`. Models also write the block's path beside one,
and `>` behind the word.
"""

from __future__ import annotations

import re

from git_opatch.parse.search_replace.path_line import looks_like_path

_PATH = rb"[ \t\r]*(?:(?<=[ \t])(\S+)[ \t\r]*)?"
_OPEN = re.compile(rb"([ \t]*)(<{5,9}|-{5,9})[ \t]*(?i:SEARCH)>?" + _PATH)
CLOSE = re.compile(rb"([ \t]*)(>{5,9}|\+{5,9})[ \t]*(?i:REPLACE)>?" + _PATH)
DIVIDER = re.compile(rb"([ \t]*)(={5,9})[ \t\r]*")


def match_opening(line: bytes) -> re.Match[bytes] | None:
    """Match a marker that begins a block: its indentation, characters and path."""
    match = _OPEN.fullmatch(line)
    if match and match[3] and not (match[2].startswith(b"<") and looks_like_path(match[3])):
        return None
    return match


def is_close(line: bytes) -> bool:
    """Return whether `line` ends a block, for any file."""
    match = CLOSE.fullmatch(line)
    return match is not None and (match[3] is None or looks_like_path(match[3]))
