"""Write a planned change as a client's own tool takes it: an envelope, or two strings (D263).

A client takes the first place where the old lines are. So they are the file's own, with as much
context as makes them occur once in the file: whatever is compared then, that place is found. What
the tools cannot write is `Inexpressible`. Rules: Codex 0.169 and OpenCode 1.18.33, of which both
read UTF-8 and end the last line of an envelope's file; Codex ends added lines as the file's first
one; OpenCode's `apply_patch` takes a carriage return for text, and drops a blank line at the end of
a file that it updates; its `edit` ends all lines alike; neither sees a byte-order mark.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from posixpath import join
from typing import NamedTuple

from git_opatch.complete.edits import Edit
from git_opatch.complete.tree import Result
from git_opatch.model.blob import Mode
from git_opatch.model.client import Client

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_ADD, _DELETE, _UPDATE, _MOVE = (
    f"*** {name}: " for name in ("Add File", "Delete File", "Update File", "Move to")
)
_MARKERS = ("***", "@@")
_CONTEXT = 3
_BOM = "\ufeff"


class Inexpressible(Exception):  # noqa: N818 - an answer, not a fault
    """The client's own tool cannot change the file `path` as planned; `reason` says why."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason


class _Change(NamedTuple):
    """What becomes of one file: its text in the working tree before and after, None if absent."""

    path: str
    old: str | None
    new: str | None
    target: str
    """Where the file is afterwards; `path`, unless it is moved."""
    edits: tuple[Edit, ...] = ()


def write_envelope(
    results: Mapping[str, Sequence[Result]], top: Path, prefix: str, client: Client
) -> str:
    """Write the envelope that does what `results` say, for a call made in `prefix` below `top`.

    They are by the directory below `top` of the repository that has the files. Raises
    `Inexpressible` if the client could not do just that.
    """
    changes = [
        change._replace(path=join(below, change.path), target=join(below, change.target))
        for below, each in results.items()
        for change in [_change_of(result, top / below) for result in each]
    ]
    _require_separate(changes)
    lines = [_BEGIN]
    for change in changes:
        _require_endings(change, client)
        lines += _section(change, prefix, client)
    return "\n".join([*lines, _END, ""])


def write_edit(result: Result, top: Path) -> tuple[str, str]:
    """Return the old and the new string of OpenCode's tool `edit`: all edits of the file in one.

    Raises `Inexpressible` if the client could not do just that.
    """
    change = _change_of(result, top)
    old, new = change.old or "", change.new or ""
    if "\r" in old + new and not _ends_with_cr(old, new):
        raise Inexpressible(change.path, "has different line endings, which it would not keep")
    old, new = (text.removeprefix(_BOM) for text in (old, new))
    lines = old.split("\n")
    first, last = _shown(old, lines, change.edits[0].start, change.edits[-1].stop)
    head = "".join(f"{line}\n" for line in lines[:first])
    tail = "\n".join(lines[last:])
    return old[len(head) : len(old) - len(tail)], new[len(head) : len(new) - len(tail)]


def _change_of(result: Result, top: Path) -> _Change:
    """Read the file, and put the planned change in terms of its text. Raises `Inexpressible`."""
    old, new, path = result.old, result.content, result.path
    if old is None or (new is not None and new.copied):
        if new is None or new.mode is not Mode.REGULAR:
            raise Inexpressible(path, "cannot be created as an executable or a symbolic link")
        return _Change(path, None, _decode(path, new.text.to_bytes()), path)
    if not old.entry.mode.is_file or (new is not None and new.mode is not old.entry.mode):
        raise Inexpressible(path, "is a symbolic link, or its mode is to be changed")
    if new is None:
        return _Change(old.path, "", None, old.path)
    if result.renamed and new.mode is Mode.EXECUTABLE:
        raise Inexpressible(old.path, "would not be executable any more after the move")
    data, after = _read(top, old.path), new.text.to_bytes()
    if data != old.data:
        if data != old.data.replace(b"\n", b"\r\n"):
            reason = "is stored otherwise by git than it is on disk (a filter)"
            raise Inexpressible(old.path, reason)
        after = after.replace(b"\n", b"\r\n")
    before, text = _decode(old.path, data), _decode(old.path, after)
    if before.startswith(_BOM) != text.startswith(_BOM):
        raise Inexpressible(old.path, "gets a byte-order mark, or loses it")
    return _Change(old.path, before, text, path, new.edits)


def _read(top: Path, path: str) -> bytes:
    try:
        return (top / path).read_bytes()
    except OSError as error:
        raise Inexpressible(path, f"cannot be read: {error.strerror}") from None


def _decode(path: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Inexpressible(path, "is not UTF-8") from None


def _require_separate(changes: Sequence[_Change]) -> None:
    """Raise `Inexpressible` if the order of the changes would matter, as in a swap of names."""
    named = [path for change in changes for path in {change.path, change.target}]
    for path in named:
        if named.count(path) > 1:
            raise Inexpressible(path, "has to change together with another file of that name")
        if path != path.strip() or "\n" in path:
            raise Inexpressible(path, "has a name that an envelope cannot have")


def _require_endings(change: _Change, client: Client) -> None:
    """Raise `Inexpressible` if the tool would end the lines of the file otherwise than planned."""
    old, new = change.old or "", change.new or ""
    if new and not (new.endswith("\n") and (old.endswith("\n") or "\r" not in old)):
        raise Inexpressible(change.path, "has no newline at its end, and would get one")
    if client is Client.OPENCODE and change.old is not None and f"\n{new}".endswith("\n\n"):
        raise Inexpressible(change.path, "ends with a blank line, which it would drop")
    if client is Client.CODEX and "\r" in old + new and not _ends_with_cr(old, new):
        raise Inexpressible(change.path, "has line endings that it would not keep")


def _ends_with_cr(*texts: str) -> bool:
    """Return whether every line of the texts ends with a carriage return, and none has another."""
    return all(0 < text.count("\n") == text.count("\r\n") == text.count("\r") for text in texts)


def _section(change: _Change, prefix: str, client: Client) -> Iterator[str]:
    """Yield the lines of the section for one file."""
    path, target = (
        posixpath.relpath(name, prefix) if prefix else name for name in (change.path, change.target)
    )
    is_replaced = path != target and not change.old  # which has no line for a hunk to show
    if change.new is None or is_replaced:
        yield _DELETE + path
    if change.old is None or is_replaced:
        yield _ADD + target
        lines = (change.new or "").split("\n")[:-1]
        if client is Client.OPENCODE and lines[-1:] == [""]:  # which takes the last newline off
            lines.append("")
        yield from (f"+{line}" for line in lines)
    elif change.new is not None:
        yield _UPDATE + path
        if path != target:
            yield _MOVE + target
        yield from _hunk(change, client)


def _lines_of(text: str, client: Client) -> list[str]:
    """Split a file into the lines that a patch names."""
    text = text.replace("\r\n", "\n") if client is Client.CODEX else text.removeprefix(_BOM)
    return text.removesuffix("\n").split("\n") if text else []


def _hunk(change: _Change, client: Client) -> Iterator[str]:
    """Yield the lines of the hunk that makes all edits; the tools want one for a move, too."""
    old, new = (_lines_of(text or "", client) for text in (change.old, change.new))
    edits, longer = change.edits, 0
    at, last = 0, min(_CONTEXT, len(old))
    if edits:
        at, last = _shown("\n".join(old), old, edits[0].start, edits[-1].stop)
    yield "@@"
    for edit in edits:
        yield from _context(old[at : edit.start])
        yield from (f"-{line}" for line in old[edit.start : edit.stop])
        start, at = edit.start + longer, edit.stop
        yield from (f"+{line}" for line in new[start : start + len(edit.lines)])
        longer += len(edit.lines) - (edit.stop - edit.start)
    yield from _context(old[at:last])


def _context(lines: Sequence[str]) -> Iterator[str]:
    """Yield context lines; one that looks like a marker is removed and added again."""
    for line in lines:
        prefixes = "-+" if line.strip().startswith(_MARKERS) else " "
        yield from (prefix + line for prefix in prefixes)


def _shown(text: str, lines: Sequence[str], start: int, stop: int) -> tuple[int, int]:
    """Return which lines to show for a change of those from `start` to `stop`, at most all.

    They have so much context on both sides that they occur once in `text`, which is all `lines`.
    """
    size = _CONTEXT
    while True:
        first, last = max(start - size, 0), min(stop + size, len(lines))
        shown = "\n".join(lines[first:last])
        if last - first == len(lines) or text.find(shown, text.find(shown) + 1) < 0:
            return first, last
        size *= 2
