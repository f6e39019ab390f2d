"""Hunks given as their lines, and their application to a file."""

from __future__ import annotations

from git_opatch.complete.tree import FileContent
from git_opatch.model.blob import Mode
from git_opatch.model.options import Matching, Options
from git_opatch.model.patch import FilePatch, Hunk, Line, Operation, Prefix
from git_opatch.model.text import Text
from git_opatch.parse.hunk import Header, parse_header
from git_opatch.plan.apply_hunks import AppliedHunks, apply_hunks


def edited(
    content: str, *hunks: list[str], matching: Matching | None = None, path: str = "notes.txt"
) -> AppliedHunks:
    """Edit `content` with `hunks`, each of which may begin with its `@@` line.

    It is a document, if `path` does not say otherwise.
    """
    asked = tuple(
        _hunk(lines, number, is_last=number == len(hunks)) for number, lines in enumerate(hunks, 1)
    )
    section = FilePatch(Operation.UPDATE, path, path, asked)
    text = Text.from_bytes(content.encode())
    return apply_hunks(
        section, FileContent(Mode.REGULAR, text), Options(matching=matching or Matching())
    )


def _hunk(lines: list[str], number: int, *, is_last: bool) -> Hunk:
    headers = [line for line in lines if line.startswith("@@")]
    stated = [parse_header(line.encode()) or Header() for line in headers]
    return Hunk(
        tuple(Line(Prefix(line[:1]), line[1:].encode()) for line in lines[len(headers) :]),
        tuple(header.anchor for header in stated if header.anchor),
        next((header.start for header in stated if header.start is not None), None),
        ordinal=number,
        is_last=is_last,
    )
