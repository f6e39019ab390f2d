"""Edits and the patches that say them, written as a model would: without numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    """Lines from `start` of the old file that others take the place of."""

    start: int
    old: tuple[bytes, ...]
    new: tuple[bytes, ...]

    @property
    def stop(self) -> int:
        return self.start + len(self.old)


@dataclass(frozen=True)
class Edited:
    r"""A file before and after; lines keep their `\r`, the newlines are told apart."""

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
        """Marked lines, those of near runs together, as git groups them."""
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
    """An envelope's section."""
    lines = [b"*** Update File: " + path.encode()]
    if move:
        lines.append(b"*** Move to: " + move.encode())
    for hunk in edited.hunks(context):
        lines.append(b"@@")
        lines += [mark + text for mark, text in hunk]
    return b"\n".join(lines) + b"\n"


def envelope(*sections: bytes) -> bytes:
    return b"*** Begin Patch\n" + b"".join(sections) + b"*** End Patch\n"


def without_numbers(diff: bytes) -> bytes:
    """A diff whose hunk headers are bare; marked lines cannot look like one."""
    return re.sub(rb"(?m)^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*$", b"@@", diff)


def places(lines: Sequence[bytes], wanted: Sequence[bytes]) -> list[int]:
    """Where `wanted` stands, found the slow and obvious way, line endings apart."""
    found = [line.removesuffix(b"\r") for line in lines]
    sought = [line.removesuffix(b"\r") for line in wanted]
    size = len(sought)
    return [at for at in range(len(found) - size + 1) if found[at : at + size] == sought]
