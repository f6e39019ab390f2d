"""The sections of string replacements, one for each: each sees the result of those before it.

Claude Code's MultiEdit, Gemini CLI and MCP's server apply edits in this order, one after the other
(D140). Where an old string is in the file is decided later, from the file's content.
"""

from __future__ import annotations

import os

from git_opatch.model.patch import FilePatch, Hunk, Operation, Prefix
from git_opatch.parse.hunk_line import make_lines, without_newline
from git_opatch.parse.line_diff import line_diff
from git_opatch.parse.scanner import Scanner
from git_opatch.parse.string_replace.objects import Edit, EditLines


def parse(scanner: Scanner) -> None:
    """Take all lines, which are those of one edit, and add its section."""
    scanner.add_section(_make_section(scanner))
    scanner.at = scanner.end


def _make_section(scanner: Scanner) -> FilePatch:
    assert isinstance(scanner.lines, EditLines)
    edit, path = scanner.lines.edit, os.fsdecode(scanner.lines.edit.path)
    return FilePatch(
        Operation.ADD if edit.creates else Operation.UPDATE,
        None if edit.creates else path,
        path,
        _make_hunks(scanner, edit, scanner.lines.old_count),
        number=edit.number,
        source=scanner.source,
        directory=scanner.directory,
        fills=edit.fills,
    )


def _make_hunks(scanner: Scanner, edit: Edit, old_count: int) -> tuple[Hunk, ...]:
    """Return the one hunk of the edit; none for a new file that is empty."""
    if edit.creates or edit.replacement.after is not None:
        lines = make_lines(scanner, 0, scanner.end, Prefix.ADDED)
        if edit.creates and lines and not edit.replacement.new.endswith(b"\n"):
            lines[-1] = without_newline(lines[-1])
    else:
        old = make_lines(scanner, 0, old_count, Prefix.REMOVED)
        lines = line_diff(old, make_lines(scanner, old_count, scanner.end, Prefix.ADDED))
    if not lines:
        return ()
    hunk = Hunk(
        tuple(lines),
        number=lines[0].number,
        uniform_endings=scanner.uniform_endings and not edit.creates,
        replacement=None if edit.creates else edit.replacement,
    )
    return (hunk,)
