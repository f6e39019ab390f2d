r"""Refuse a change after which the braces of a file no longer pair (D170).

Context is never written (D40), so what a hunk does not remove or add stays:

    hunk                     file                       result
    -    if (ready) {            if (ready) {               go();
         go();                       go();              }                 one `}` too many
                                 }

In the file, one `}` closes what one `{` opens; a patch that takes one alone leaves lines out.
Braces in strings and comments do not count. What is not certain is not refused: other languages,
and files whose braces did not pair before, by this count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import PurePosixPath

from git_opatch.complete.edits import Edit
from git_opatch.model.text import Text

_LANGUAGES = re.compile(
    r"\.(?:[chm]|cc|cpp|cxx|hh|hpp|hxx|cs|css|dart|go|groovy|java|[cm]?[jt]s|[jt]sx|json|kts?|less|"
    r"mm|php|proto|rs|scala|scss|sol|swift|zig)"
)
_RAW = frozenset({".go"})
"""Languages in whose backquoted strings a backslash is a character like any other."""
_SKIPPED = (
    rb"//[^\n]*|/\*.*?\*/|"
    rb'"(?:\\.|[^"\\\n])*"|'
    rb"'(?:\\.|[^'\\\n])*'|"
)
_BACKQUOTED = rb"`(?:\\.|[^`\\])*`|"
_BACKQUOTED_RAW = rb"`[^`]*`|"


def unpaired_braces(before: Text, after: Text, edits: Sequence[Edit], path: str) -> int:
    """Return how many more `{` than `}` a file has after `edits`; 0 if they did not pair before.

    `path` is the name of the file, which tells its language.
    """
    kind = PurePosixPath(path.lower()).suffix
    if not _LANGUAGES.fullmatch(kind) or not _changes_count(before, edits, kind):
        return 0
    return 0 if _count(before.lines, kind) else _count(after.lines, kind)


def _changes_count(before: Text, edits: Sequence[Edit], kind: str) -> bool:
    """Tell whether the lines that come have other braces than those that go, seen alone."""
    gone = [line for edit in edits for line in before.lines[edit.start : edit.stop]]
    come = [line for edit in edits for line in edit.lines]
    return _count(gone, kind) != _count(come, kind)


def _count(lines: Sequence[bytes], kind: str) -> int:
    """Return how many more `{` than `}` are outside of strings and comments."""
    found = [match[0] for match in _tokens(kind).finditer(b"\n".join(lines))]
    return found.count(b"{") - found.count(b"}")


@cache
def _tokens(kind: str) -> re.Pattern[bytes]:
    backquoted = _BACKQUOTED_RAW if kind in _RAW else _BACKQUOTED
    return re.compile(_SKIPPED + backquoted + rb"[{}]", re.DOTALL)
