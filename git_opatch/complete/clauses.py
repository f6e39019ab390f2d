r"""Refuse a change after which a clause such as `else` continues nothing (D469).

Context is never written (D40), so a clause stays where what it continues is removed:

    hunk                file                result
    -    if ready           if ready            else        continues nothing
    -      go()               go()                wait()
         else               else
                              wait()

How deep lines are shows that in any language that is indented as usual: above a clause, past what
is deeper, is a line with a word that it may continue, another clause, or a closing bracket. Where
that is not so before, nothing is refused. Of Python more is known (D465).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from git_opatch.complete.edits import Edit
from git_opatch.model.languages import comment_marks, kind_of
from git_opatch.model.limits import MANY
from git_opatch.model.paths import is_document
from git_opatch.model.text import Text, indentation

_CLAUSE = re.compile(
    rb"(?:(?:else|elsif|elseif|elif|except|rescue|ensure|finally)\b|catch\b(?!.*\bdo\b))"
    rb"(?!\s*[=:.,])"
)
_CONTINUED = re.compile(
    rb"\b(?:if|unless|case|when|for|while|until|begin|try|do|def|in|class|module|switch|match)\b|"
    rb"^\s*[})]"
)
"""A line that a clause may continue."""


def orphaned_clause(before: Text, after: Text, edits: Sequence[Edit], path: str) -> int | None:
    """Return the position in `after` of a clause right below one of `edits` that continues
    nothing, and did before; None if there is none, or if the file at `path` may be prose."""
    if is_document(path) or not comment_marks(kind_of(path)):
        return None
    shift = 0
    for number, edit in enumerate(edits):
        shift += len(edit.lines) - (edit.stop - edit.start)
        end = edits[number + 1].start if number + 1 < len(edits) else len(before.lines)
        at = next((at for at in range(edit.stop, end) if before.lines[at].strip()), None)
        if at is None or not _CLAUSE.match(before.lines[at].lstrip()):
            continue
        if _continues(before.lines, at) and not _continues(after.lines, at + shift):
            return at + shift
    return None


def _continues(lines: Sequence[bytes], at: int) -> bool:
    """Return whether the clause at `at` is below a line that it may continue."""
    depth = len(indentation(lines[at]))
    above = (lines[row] for row in range(at - 1, max(at - MANY, 0) - 1, -1))
    shallow = (line for line in above if line.strip() and len(indentation(line)) <= depth)
    line = next(shallow, None)
    if line is None:
        return at > MANY
    return _CONTINUED.search(line) is not None or _CLAUSE.match(line.lstrip()) is not None
