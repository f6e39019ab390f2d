"""Write the result for a file as a standard unified diff, from its edits: no diff algorithm (D3).

Context comes from the blob, three lines around each edit; edits close to each other share a hunk.
Headers have full blob ids, so that `git apply -3` has its base and the result can be verified.
Format: git's diff format, "Generating patch text with -p".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from git_opatch.complete.edits import Edit
from git_opatch.complete.tree import FileContent, Result
from git_opatch.model.blob import blob_id, null_id
from git_opatch.model.patch import NO_NEWLINE
from git_opatch.model.paths import quote
from git_opatch.model.text import Text

_CONTEXT = 3
_LONGEST_HEADING = 80


class FileDiff(NamedTuple):
    """The diff of one file: `blob` is the id that the file will have."""

    data: bytes
    blob: str
    added: int
    removed: int
    binary: bool
    """Whether git shows no lines of it, because it was or becomes binary."""


def complete_file(result: Result, algorithm: str) -> FileDiff:
    """Write the diff of one file; `algorithm` is the repository's hash, "sha1" or "sha256"."""
    blob, edits, binary = _new_id(result, algorithm), _edits(result), result.binary
    head = [*_header(result, algorithm, blob)]
    old, new = _names(result)
    if edits and binary:
        head.append(f"Binary files {old} and {new} differ")
        edits = ()
    elif edits:
        head += [f"--- {old}{_tab(old)}", f"+++ {new}{_tab(new)}"]
    data = "".join(f"{line}\n" for line in head).encode() + b"".join(_hunks(result, edits))
    added = sum(len(edit.lines) for edit in edits)
    removed = sum(edit.stop - edit.start for edit in edits)
    return FileDiff(data, blob, added, removed, binary)


def _new_id(result: Result, algorithm: str) -> str:
    """Return the blob id that the file will have; the null id for a deleted one."""
    if result.content is None:
        return null_id(algorithm)
    if result.old is not None and not result.content.edits:
        return result.old.entry.id
    return blob_id(result.content.text, algorithm)


def _edits(result: Result) -> Sequence[Edit]:
    """Return the edits that lead from the old file, or from nothing, to the new one."""
    if result.old is None and result.content is not None:
        text = result.content.text
        return (Edit(0, 0, tuple(text.lines), text.final_newline),) if text.lines else ()
    if result.content is None and result.old is not None:
        size = len(result.old.text.lines)
        return (Edit(0, size, ()),) if size else ()
    return result.content.edits if result.content else ()


def _names(result: Result) -> tuple[str, str]:
    old = quote(f"a/{result.old.path}") if result.old else "/dev/null"
    new = quote(f"b/{result.path}") if result.content else "/dev/null"
    return old, new


def _tab(name: str) -> str:
    """Return the tab that git writes after a name with spaces, so that its end can be seen."""
    return "\t" if " " in name and not name.startswith('"') else ""


def _header(result: Result, algorithm: str, blob: str) -> Iterator[str]:
    old, new = result.old, result.content
    old_path = old.path if old else result.path
    yield f"diff --git {quote(f'a/{old_path}')} {quote(f'b/{result.path}')}"
    if old is None and new is not None:
        yield f"new file mode {new.mode.value}"
    elif new is None and old is not None:
        yield f"deleted file mode {old.entry.mode.value}"
    elif old is not None and new is not None and old.entry.mode is not new.mode:
        yield f"old mode {old.entry.mode.value}"
        yield f"new mode {new.mode.value}"
    if old is not None and new is not None and result.renamed:
        verb = "copy" if new.copied else "rename"
        yield f"similarity index {_similarity(old.text, new)}%"
        yield f"{verb} from {quote(old.path)}"
        yield f"{verb} to {quote(result.path)}"
    if old is None or new is None or new.edits:
        same_mode = old is not None and new is not None and old.entry.mode is new.mode
        ids = f"{old.entry.id if old else null_id(algorithm)}..{blob}"
        yield f"index {ids}" + (f" {old.entry.mode.value}" if old and same_mode else "")


def _similarity(old: Text, new: FileContent) -> int:
    """Return how much of the larger file stays, in percent; 100 only where nothing changed."""
    if not new.edits:
        return 100
    removed = (line for edit in new.edits for line in old.lines[edit.start : edit.stop])
    kept = max(old.size - sum(len(line) + 1 for line in removed), 0)
    larger = max(old.size, new.text.size, 1)
    return min(99, 100 * kept // larger)


def _hunks(result: Result, edits: Sequence[Edit]) -> Iterator[bytes]:
    old = result.old.text if result.old else Text([])
    new = result.content.text if result.content else Text([])
    offset = above = 0
    heading = b""
    for group in _groups(edits):
        first = max(group[0].start - _CONTEXT, 0)
        last = min(group[-1].stop + _CONTEXT, len(old.lines))
        grown = sum(edit.growth for edit in group)
        size = last - first
        heading, above = _heading(old.lines, above, first) or heading, first
        ranges = _range(first, size), _range(first + offset, size + grown)
        yield b"@@ -%b +%b @@%b\n" % (*ranges, heading)
        yield from _lines(old, group, new, first, last)
        offset += grown


def _range(first: int, size: int) -> bytes:
    """Write where a hunk begins, from 1, or which line it follows, and its size if not 1."""
    return b"%d" % (first + 1) if size == 1 else b"%d,%d" % (first + (size > 0), size)


def _heading(lines: Sequence[bytes], begin: int, stop: int) -> bytes:
    """Return the last of these lines that git takes for the beginning of a function, for `@@`.

    Such a line begins with a letter, `_` or `$` (`def_ff` of git's xdiff/xemit.c).
    """
    for line in reversed(lines[begin:stop]):
        if line >= b"$" and (line[:1].isalpha() or line[:1] in (b"_", b"$")):  # most are less
            return b" " + line[:_LONGEST_HEADING].rstrip()
    return b""


def _groups(edits: Sequence[Edit]) -> Iterator[list[Edit]]:
    """Group the edits that share a hunk: those with no more than two contexts between them."""
    group: list[Edit] = []
    for edit in edits:
        if group and edit.start - group[-1].stop > 2 * _CONTEXT:
            yield group
            group = []
        group.append(edit)
    if group:
        yield group


def _lines(old: Text, edits: Sequence[Edit], new: Text, first: int, last: int) -> Iterator[bytes]:
    done, end = first, len(old.lines)
    for edit in edits:
        start, stop = edit.start, edit.stop
        yield _prefixed(b" ", old.lines[done:start], start < end or old.final_newline)
        yield _prefixed(b"-", old.lines[start:stop], stop < end or old.final_newline)
        yield _prefixed(b"+", edit.lines, stop < end or new.final_newline)
        done = stop
    yield _prefixed(b" ", old.lines[done:last], last < end or old.final_newline)


def _prefixed(prefix: bytes, lines: Sequence[bytes], newline: bool) -> bytes:
    """Write `lines` with their prefix; `newline` is whether the last one has a newline."""
    if not lines:
        return b""
    return prefix + (b"\n" + prefix).join(lines) + b"\n" + (b"" if newline else NO_NEWLINE)
