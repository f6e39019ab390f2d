"""What the patch tools of Codex and OpenCode make of an envelope (D263).

Modelled is what an envelope of `client_envelope` can have: hunks under a bare `@@`, whose old lines
are those of the file. Then the first exact match decides, and none of the looser comparisons that
the tools try after it. Rules: Codex 0.169 (`apply-patch`), OpenCode 1.18.33 (`patch`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

BEGIN, END = "*** Begin Patch", "*** End Patch"
ADD, DELETE, UPDATE, MOVE = (
    f"*** {name}: " for name in ("Add File", "Delete File", "Update File", "Move to")
)
_BOM = "\ufeff"


class Inexpressible(Exception):  # noqa: N818 - an answer, not a fault
    """The client's own tool cannot change the file `path` as planned; `reason` says why."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason


class Manner(Protocol):
    """How a client reads files and writes them."""

    takes_carriage_returns: bool
    """Whether a patch may have them."""

    def lines_of(self, text: str) -> list[str]:
        """Split a file into the lines that a patch names."""

    def line(self, line: str) -> str:
        """Return a line of a file, which may end with a carriage return, as a patch names it."""

    def added_lines(self, text: str) -> list[str]:
        """Return the lines of a section that adds a file with the content `text`."""

    def added(self, lines: Sequence[str]) -> str:
        """Return the content of a file that is added with `lines`."""

    def replaced(self, text: str, replacements: Sequence[tuple[int, int, list[str]]]) -> str:
        """Return the file `text` with lines replaced: (first, how many, by which)."""


class _Codex:
    """A carriage return before a newline is its ending, and not text.

    New lines get the ending of the file's first line, and the last line gets one, too.
    """

    takes_carriage_returns = False

    def lines_of(self, text: str) -> list[str]:
        return [self.line(line) for line in _split(text)]

    def line(self, line: str) -> str:
        return line.removesuffix("\r")

    def added_lines(self, text: str) -> list[str]:
        return [f"+{line}" for line in _split(text)]

    def added(self, lines: Sequence[str]) -> str:
        return "".join(f"{line}\n" for line in lines)

    def replaced(self, text: str, replacements: Sequence[tuple[int, int, list[str]]]) -> str:
        old = _split(text)
        ending = "\r" if text.split("\n", 1)[0].endswith("\r") and "\n" in text else ""
        new, at = [], 0
        for first, count, lines in replacements:
            new += [*old[at:first], *(line + ending for line in lines)]
            at = first + count
        new += old[at:]
        if text and not text.endswith("\n") and new and at < len(old):
            new[-1] += ending
        return "".join(f"{line}\n" for line in new)


class _OpenCode:
    """A carriage return is text. A byte-order mark is not, and an update keeps it.

    Of the lines of an added file the last newline is taken off, and one is added if none is left.
    """

    takes_carriage_returns = True

    def lines_of(self, text: str) -> list[str]:
        return _split(text.removeprefix(_BOM))

    def line(self, line: str) -> str:
        return line

    def added_lines(self, text: str) -> list[str]:
        lines = _split(text)
        return [f"+{line}" for line in (*lines, *lines[-1:] * (not any(lines[-1:])))]

    def added(self, lines: Sequence[str]) -> str:
        text = "\n".join(lines)
        return text if not text or text.endswith("\n") else f"{text}\n"

    def replaced(self, text: str, replacements: Sequence[tuple[int, int, list[str]]]) -> str:
        mark = _BOM if text.startswith(_BOM) else ""
        lines = self.lines_of(text)
        for first, count, new in reversed(replacements):
            lines[first : first + count] = new
        if text.removeprefix(_BOM).endswith("\n") or not lines or lines[-1]:
            lines.append("")
        return mark + "\n".join(lines)


CODEX: Manner = _Codex()
OPENCODE: Manner = _OpenCode()


def _split(text: str) -> list[str]:
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


class _Section(NamedTuple):
    """A section of an envelope: its first line, the new name, and the lines of each hunk."""

    kind: str
    path: str
    target: str
    hunks: list[list[str]]


def outcome(envelope: str, files: Mapping[str, bytes], manner: Manner) -> dict[str, bytes | None]:
    """Return what the client makes of `envelope` where there are `files`: bytes by path.

    A file that is deleted or moved away is None. Raises `Inexpressible` if the client would refuse.
    """
    made: dict[str, bytes | None] = {}
    for section in _sections(envelope):
        in_hunks = (line for hunk in section.hunks for line in hunk)
        if not manner.takes_carriage_returns and any("\r" in line for line in in_hunks):
            raise Inexpressible(section.path, "has carriage returns that it would not keep")
        if section.kind == ADD:
            (lines,) = section.hunks
            made[section.path] = manner.added([line[1:] for line in lines]).encode()
        elif section.kind == DELETE:
            made[section.path] = None
        elif section.path in files:
            made[section.path] = None
            text = _updated(section, files[section.path].decode(), manner)
            made[section.target] = text.encode()
    return made


def _sections(envelope: str) -> Iterator[_Section]:
    """Parse an envelope of `client_envelope`. Raises `Inexpressible` for any other line."""
    section: _Section | None = None
    for line in envelope.split("\n")[1:-2]:
        kind = next((kind for kind in (ADD, DELETE, UPDATE) if line.startswith(kind)), "")
        if kind:
            if section:
                yield section
            path = line.removeprefix(kind).strip()
            section = _Section(kind, path, path, [[]] if kind == ADD else [])
        elif section and line.startswith(MOVE) and not section.hunks:
            section = section._replace(target=line.removeprefix(MOVE).strip())
        elif section and line == "@@":
            section.hunks.append([])
        elif section and section.hunks and line[:1] in (" ", "-", "+"):
            section.hunks[-1].append(line)
        else:
            raise Inexpressible(section.path if section else "", "has a name with a newline in it")
    if section:
        yield section


def _updated(section: _Section, text: str, manner: Manner) -> str:
    lines = manner.lines_of(text)
    positions: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        positions.setdefault(line, []).append(at)
    replacements: list[tuple[int, int, list[str]]] = []
    cursor = 0
    for hunk in section.hunks:
        old = [line[1:] for line in hunk if line[0] in " -"]
        found = _find(lines, positions, cursor, old)
        if found is None:
            raise Inexpressible(section.path, "has lines that its tool would not find")
        replacements += _replacements(hunk, found)
        cursor = found + len(old)
    return manner.replaced(text, replacements)


def _replacements(hunk: Sequence[str], at: int) -> Iterator[tuple[int, int, list[str]]]:
    """Yield what a hunk at the line `at` replaces: each run of removed and added lines."""
    count, new = 0, list[str]()
    for line in (*hunk, " "):
        if line[0] == "-":
            count += 1
        elif line[0] == "+":
            new.append(line[1:])
        else:
            if count or new:
                yield at, count, new
            at, count, new = at + count + 1, 0, []


def _find(
    lines: Sequence[str], positions: Mapping[str, list[int]], cursor: int, old: Sequence[str]
) -> int | None:
    """Return the first position from `cursor` on where the lines `old` are; None if nowhere."""
    if not old:
        return len(lines)
    for at in positions.get(old[0], ()):
        if at >= cursor and all(
            lines[at + offset] == line if at + offset < len(lines) else False
            for offset, line in enumerate(old)
        ):
            return at
    return None


def first_match(
    lines: Sequence[str], positions: Mapping[str, list[int]], cursor: int, start: int, stop: int
) -> int:
    """Return the first position from `cursor` on where the lines from `start` to `stop` occur."""
    found = _find(lines, positions, cursor, lines[start:stop])
    return start if found is None else found
