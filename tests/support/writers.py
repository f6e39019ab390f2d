"""Edits and patches for them, written as a model would: without numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    """Lines of the old file, from `start`, and the lines that replace them."""

    start: int
    old: tuple[bytes, ...]
    new: tuple[bytes, ...]

    @property
    def stop(self) -> int:
        return self.start + len(self.old)


@dataclass(frozen=True)
class Edited:
    r"""A file before and after; lines keep their `\r`, final newlines are separate fields."""

    old: tuple[bytes, ...]
    runs: tuple[Run, ...]
    old_newline: bool
    new_newline: bool

    @property
    def new(self) -> tuple[bytes, ...]:
        lines: list[bytes] = []
        at = 0
        for run in self.runs:
            lines += [*self.old[at : run.start], *run.new]
            at = run.stop
        return (*lines, *self.old[at:])

    @property
    def before(self) -> bytes:
        return content(self.old, self.old_newline)

    @property
    def after(self) -> bytes:
        return content(self.new, self.new_newline)

    @property
    def changes_end(self) -> bool:
        return bool(self.runs) and self.runs[-1].stop == len(self.old)

    def hunks(self, context: int) -> list[list[tuple[bytes, bytes]]]:
        """Return lines with prefixes, grouped into hunks as git does."""
        groups: list[list[Run]] = []
        for run in self.runs:
            if groups and run.start - groups[-1][-1].stop <= 2 * context:
                groups[-1].append(run)
            else:
                groups.append([run])
        return [self._hunk(group, context) for group in groups]

    def _hunk(self, group: Sequence[Run], context: int) -> list[tuple[bytes, bytes]]:
        at = max(group[0].start - context, 0)
        lines: list[tuple[bytes, bytes]] = []
        for run in group:
            lines += [(b" ", line) for line in self.old[at : run.start]]
            lines += [(b"-", line) for line in run.old]
            lines += [(b"+", line) for line in run.new]
            at = run.stop
        return lines + [(b" ", line) for line in self.old[at : group[-1].stop + context]]


def content(lines: Sequence[bytes], newline: bool) -> bytes:
    data = b"\n".join(lines)
    return data + b"\n" if lines and newline else data


def update(path: str, edited: Edited, context: int, move: str | None = None) -> bytes:
    """Write a section of an envelope."""
    lines = [b"*** Update File: " + path.encode()]
    if move:
        lines.append(b"*** Move to: " + move.encode())
    for hunk in edited.hunks(context):
        lines.append(b"@@")
        lines += [prefix + text for prefix, text in hunk]
    return b"\n".join(lines) + b"\n"


def envelope(*sections: bytes) -> bytes:
    return b"*** Begin Patch\n" + b"".join(sections) + b"*** End Patch\n"


def without_numbers(diff: bytes) -> bytes:
    """Return the diff with bare hunk headers; lines with a prefix cannot look like one."""
    return re.sub(rb"(?m)^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*$", b"@@", diff)


def places(lines: Sequence[bytes], wanted: Sequence[bytes]) -> list[int]:
    """Return the positions of `wanted`, found by linear search, ignoring line endings."""
    found = [line.removesuffix(b"\r") for line in lines]
    sought = [line.removesuffix(b"\r") for line in wanted]
    size = len(sought)
    return [at for at in range(len(found) - size + 1) if found[at : at + size] == sought]


def numbered(path: str, edited: Edited) -> bytes:
    """Write a unified diff as git does: three lines of context, correct numbers."""
    names = f"--- a/{path}\t\n+++ b/{path}\t\n"
    return names.encode() + b"".join(_numbered_hunks(edited))


def _numbered_hunks(edited: Edited) -> Iterator[bytes]:
    shift = 0
    at = 0
    for hunk in edited.hunks(3):
        before = [text for prefix, text in hunk if prefix != b"+"]
        after = [text for prefix, text in hunk if prefix != b"-"]
        at = next(place for place in places(edited.old, before) if place >= at)
        old, new = at + bool(before), at + shift + bool(after)
        yield b"@@ -%d,%d +%d,%d @@\n" % (old, len(before), new, len(after))
        last = edited.old[-1] if edited.old else b""
        for prefix, text in hunk:
            yield prefix + text + b"\n"
            ends = text == last if prefix != b"+" else edited.new[-1:] == (text,)
            if ends and not (edited.new_newline if prefix == b"+" else edited.old_newline):
                yield b"\\ No newline at end of file\n"
        shift += len(after) - len(before)
