"""What is said of lines that seem to belong to a hunk, and do not."""

from __future__ import annotations

from git_opatch.parse.cursor import Cursor
from git_opatch.text import visible


def fault_header(cursor: Cursor) -> None:
    """Note that the line to be read next begins with `@@`, and is no header."""
    line = visible(cursor.line)
    if cursor.line.startswith(b"@@@ -"):
        cursor.fault(f"`{line}` is of a merge's combined diff; send a diff against one version")
        return
    meant = (b"@@ " + cursor.line.strip(b" \t\r@")).rstrip()
    message = f"`{line}` is no hunk header; did you mean `{visible(meant)}`?"
    cursor.fault(message, corrected=meant)


def fault_unmarked(cursor: Cursor) -> None:
    """Take lines without a mark before any hunk, which are one fault."""
    line, number = cursor.take(), cursor.previous
    cursor.skip_until(lambda line: line.startswith((b" ", b"-", b"+", b"@@", b"*")))
    more = f", and so on up to line {cursor.previous}" if cursor.previous > number else ""
    cursor.fault(
        f"`{visible(line)}` begins with neither ` `, `-`, `+` nor `@@`; "
        f"if it is context, write ` {visible(line)}`{more}",
        number,
        corrected=b" " + line,
    )
