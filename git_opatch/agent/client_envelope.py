"""Write a planned change as the envelope with which a client's own tool does the same (D263).

    Action ──▶ edits of the file's lines ──▶ hunks with enough context ──▶ envelope ──▶ proof

A client takes the first place, from the end of the previous hunk on, where the old lines occur. So
a hunk is written with the file's own lines, and with so much context above it that its place is
the first one. The proof is `client_model`, which does with the envelope what the client will do;
where the result is not byte for byte what was planned, the client cannot express the change.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from git_opatch.agent.client_model import (
    ADD,
    BEGIN,
    DELETE,
    END,
    MOVE,
    UPDATE,
    Inexpressible,
    Manner,
    first_match,
    outcome,
)
from git_opatch.complete.edits import Edit
from git_opatch.complete.tree import Result
from git_opatch.model.blob import Mode

_CONTEXT = 3
_MARKERS = ("***", "@@")


class _Change(NamedTuple):
    """What becomes of one file: its bytes in the working tree before and after, None if absent."""

    path: str
    old: bytes | None
    new: bytes | None
    target: str
    """Where the file is afterwards; `path`, unless it is moved."""
    edits: tuple[Edit, ...] = ()


def write_envelope(results: Sequence[Result], top: Path, prefix: str, manner: Manner) -> str:
    """Write the envelope that does what `results` say, for a call made in `prefix` below `top`.

    Raises `Inexpressible`, with the reason in words, if the client could not do just that.
    """
    changes = [_change_of(result, top) for result in results]
    _require_separate(changes)
    lines = [BEGIN]
    for change in changes:
        lines += _section(change, prefix, manner)
    text = "\n".join([*lines, END, ""])
    _prove(text, changes, prefix, manner)
    return text


def _change_of(result: Result, top: Path) -> _Change:
    """Read the file, and put the planned change in terms of its bytes. Raises `Inexpressible`."""
    old, new, path = result.old, result.content, result.path
    if old is None or (new is not None and new.copied):
        if new is None or new.mode is not Mode.REGULAR:
            raise Inexpressible(path, "cannot be created as an executable or a symbolic link")
        return _Change(path, None, new.text.to_bytes(), path)
    if not old.entry.mode.is_file or (new is not None and new.mode is not old.entry.mode):
        raise Inexpressible(path, "is a symbolic link, or its mode is to be changed")
    data = _read(top, old.path)
    if new is None:
        return _Change(old.path, data, None, old.path)
    if result.renamed and new.mode is Mode.EXECUTABLE:
        raise Inexpressible(old.path, "would not be executable any more after the move")
    after, edits = new.text.to_bytes(), new.edits
    if data != old.data:
        if data != old.data.replace(b"\n", b"\r\n"):
            raise Inexpressible(
                old.path, "is stored otherwise by git than it is on disk (a filter)"
            )
        after, edits = after.replace(b"\n", b"\r\n"), tuple(map(_with_crlf, edits))
    return _Change(old.path, data, after, path, edits)


def _read(top: Path, path: str) -> bytes:
    try:
        return (top / path).read_bytes()
    except OSError as error:
        raise Inexpressible(path, f"cannot be read: {error.strerror}") from None


def _with_crlf(edit: Edit) -> Edit:
    return edit._replace(lines=tuple(line + b"\r" for line in edit.lines))


def _require_separate(changes: Sequence[_Change]) -> None:
    """Raise `Inexpressible` if the order of the changes would matter, as in a swap of names."""
    named = [path for change in changes for path in {change.path, change.target}]
    for path in named:
        if named.count(path) > 1:
            raise Inexpressible(path, "has to change together with another file of that name")


def _section(change: _Change, prefix: str, manner: Manner) -> Iterator[str]:
    """Yield the lines of the section for one file."""
    path, target = (_from(prefix, name) for name in (change.path, change.target))
    if change.new is None:
        yield DELETE + path
    elif change.old is None:
        yield ADD + path
        yield from manner.added_lines(_decode(change.path, change.new))
    elif path != target and not change.old:
        yield DELETE + path
        yield ADD + target
    else:
        yield UPDATE + path
        if path != target:
            yield MOVE + target
        yield from _hunks(change, manner)


def _from(prefix: str, path: str) -> str:
    return posixpath.relpath(path, prefix) if prefix else path


def _decode(path: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Inexpressible(path, "is not UTF-8") from None


class _Region(NamedTuple):
    """Lines of the old file, from `start` to `stop`, that become others."""

    start: int
    stop: int
    edits: tuple[tuple[int, int, list[str]], ...]


def _hunks(change: _Change, manner: Manner) -> Iterator[str]:
    old = manner.lines_of(_decode(change.path, change.old or b""))
    edits = [
        (edit.start, edit.stop, [manner.line(_decode(change.path, line)) for line in edit.lines])
        for edit in change.edits
    ]
    regions = _regions(edits) if edits else [_Region(0, min(_CONTEXT, len(old)), ())]
    positions = _positions(old)
    cursor = 0
    for at, region in enumerate(regions):
        limit = regions[at + 1].start if at + 1 < len(regions) else len(old)
        stop = min(region.stop + _CONTEXT, limit)
        start = _first_line(old, positions, cursor, region.start, stop)
        yield "@@"
        yield from _lines(old, region, start, stop)
        cursor = stop


def _regions(edits: Sequence[tuple[int, int, list[str]]]) -> list[_Region]:
    """Join the edits that are so near that their context would overlap."""
    regions: list[_Region] = []
    for edit in edits:
        if regions and edit[0] - regions[-1].stop <= 2 * _CONTEXT:
            last = regions.pop()
            regions.append(_Region(last.start, edit[1], (*last.edits, edit)))
        else:
            regions.append(_Region(edit[0], edit[1], (edit,)))
    return regions


def _positions(lines: Sequence[str]) -> Mapping[str, list[int]]:
    positions: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        positions.setdefault(line, []).append(at)
    return positions


def _first_line(
    old: Sequence[str], positions: Mapping[str, list[int]], cursor: int, start: int, stop: int
) -> int:
    """Return where a hunk is to begin, so that its first match from `cursor` on is its place.

    At the latest that is at `cursor` itself.
    """
    context = _CONTEXT
    while True:
        first = max(start - context, cursor)
        if first == cursor or first_match(old, positions, cursor, first, stop) == first:
            return first
        context *= 2


def _lines(old: Sequence[str], region: _Region, start: int, stop: int) -> Iterator[str]:
    at = start
    for first, last, lines in region.edits:
        yield from _context(old[at:first])
        yield from (f"-{line}" for line in old[first:last])
        yield from (f"+{line}" for line in lines)
        at = last
    yield from _context(old[at:stop])


def _context(lines: Sequence[str]) -> Iterator[str]:
    """Yield context lines; one that looks like a marker is removed and added again."""
    for line in lines:
        prefixes = "-+" if line.strip().startswith(_MARKERS) else " "
        yield from (prefix + line for prefix in prefixes)


def _prove(text: str, changes: Sequence[_Change], prefix: str, manner: Manner) -> None:
    """Raise `Inexpressible` unless the client makes of `text` what is planned."""
    before = {
        _from(prefix, change.path): change.old for change in changes if change.old is not None
    }
    wanted: dict[str, bytes | None] = {}
    for change in changes:
        if change.target != change.path:
            wanted[_from(prefix, change.path)] = None
        wanted[_from(prefix, change.target)] = change.new
    made = outcome(text, before, manner)
    for path in wanted | made:
        if path not in made or path not in wanted or made[path] != wanted[path]:
            raise Inexpressible(path, _difference(wanted.get(path), made.get(path)))


def _difference(wanted: bytes | None, made: bytes | None) -> str:
    if wanted is not None and made == wanted + b"\n":
        return "has no newline at its end, and would get one"
    if wanted and made and wanted.replace(b"\r", b"") == made.replace(b"\r", b""):
        return "has line endings that it would not keep"
    return "would come out otherwise than planned"
