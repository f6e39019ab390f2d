"""Near misses of an envelope's markers.

    *** Updated File: a.py      →  did you mean `*** Update File: a.py`?
    diff --git a/a.py b/a.py    →  did you mean `*** Update File: a.py`?

Models vary the verbs, and mix the formats.
"""

from __future__ import annotations

from git_opatch.model.text import visible
from git_opatch.parse.envelope.marker import Marker, correct_marker
from git_opatch.parse.formats import DIFF_GIT
from git_opatch.parse.header import git_path, names_at
from git_opatch.parse.scanner import Scanner

_MARKERS = (
    "`*** Add File: PATH`, `*** Update File: PATH`, `*** Delete File: PATH` or `*** End Patch`"
)


def diagnose_unknown_marker(scanner: Scanner, hint: str = "") -> None:
    """Report that the next line is not a marker, and the marker that was probably meant."""
    corrected = correct_marker(scanner.line)
    meant = corrected or _marker_for_header(scanner)
    where = "" if corrected else " instead of the whole diff header"
    advice = f"did you mean `{visible(meant)}`{where}?" if meant else f"expected {_MARKERS}{hint}"
    message = f"`{visible(scanner.line)}` is not a patch marker; {advice}"
    scanner.error(message, corrected=meant)


def _marker_for_header(scanner: Scanner) -> bytes:
    """Return the marker that stands for the diff header here; empty if there is no header."""
    if scanner.line.startswith(DIFF_GIT):
        path = git_path({"names": scanner.line[len(DIFF_GIT) :]})
        return Marker.UPDATE.value.encode() + path if path else b""
    old, new = names_at(scanner) or (None, None)
    kind = Marker.DELETE if new is None else Marker.ADD if old is None else Marker.UPDATE
    path = old or new
    return kind.value.encode() + path if path else b""
