"""Operations in JSON, and any patch that stands in a string of JSON.

    operation := {"type": "create_file" | "update_file", "path": string, "diff": string}
               | {"type": "delete_file", "path": string}

Rules: OpenAI's guide "Apply patch" and the types of its Responses API: `diff` is the body of an
envelope's section. Operations come alone, in a list, one on each line, or within what the API and
agents put round them; a patch in a string, as the arguments of a call. It is a family for the
operations and a frame for the strings; JSON that holds neither is prose.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from git_opatch.parse import blocks, envelope
from git_opatch.parse.cursor import Cursor, Lines, Place
from git_opatch.parse.operations.json_text import Broken, end_of, items, string
from git_opatch.patch import FilePatch
from git_opatch.text import visible

# A string alone has an escape, since a patch has more than one line.
HINT = rb'\{\s*+"|\[\s*+["{]|"(?:\*\*\* |[^"\\\r\n]*+\\)'
_LIKELY = re.compile(rb"[ \t]*+(?=([^ \t]))(?:" + HINT + rb")")
_ENDS_LINE = re.compile(rb"[ \t\r]*(?:\n|\Z)")
_BLOCK = re.compile(rb"(?m)^[ \t]*(?:" + blocks.HINT + rb")")
# What is broken, and holds this, was meant as a patch.
_PATCH = re.compile(
    rb"[\"'](?:create|update|delete)_file[\"']|[\"']apply_?patch|\*\*\* ?Begin Patch"
)
_HEADERS = {
    b"create_file": b"*** Add File: ",
    b"update_file": b"*** Update File: ",
    b"delete_file": b"*** Delete File: ",
}
_EXPECTED = "expected `create_file`, `update_file` or `delete_file`"
_CALL = b"apply_patch_call"
_OPERATIONS = ("operation", "operations")
_STRINGS = ("patch", "patchText", "input", "arguments", "command")
_ROUND = (*_OPERATIONS, *_STRINGS, "output", "tool_calls", "function", "action")
_COMMANDS = re.compile(rb"(?:.*/)?(?:apply_?patch|(?:ba|z|da|k)?sh)")
_MOST_ROUND = 8
"""A patch that has more round it is not looked for."""

Members = dict[str, list[tuple[int, int]]]
"""Where the values of the members that count stand, by name; more than one is a fault."""


class _Operation(Lines):
    """The lines of one operation, as a section of an envelope."""


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Which line of a string each line is; with `header`, all after a first one, which is put
    before them and has that number.
    """

    number: int
    offset: int
    name: str
    header: int = 0

    def __getitem__(self, at: int, /) -> int:
        """The number of the line at `at`."""
        if self.header and not at:
            return Place(self.header, self.offset, 0, self.name)
        return Place(self.number, self.offset, at + (not self.header), self.name)


def starts(cursor: Cursor) -> bool:
    """Whether the cursor is over an operation."""
    return isinstance(cursor.lines, _Operation)


def parse(cursor: Cursor) -> list[FilePatch]:
    """Take an operation and give its section."""
    files = envelope.sections(cursor)
    if len(files) > 1:
        cursor.fault("an operation is for one file; put this into one of its own", files[1].number)
    return files[:1]


def opened(cursor: Cursor) -> Iterator[Cursor] | None:
    """Take the JSON value that begins at the cursor's line, and give the patches in it."""
    raw = cursor.lines.raw
    match = _LIKELY.match(raw, cursor.lines.offset(cursor.at))
    if match is None:
        return None
    start = match.start(1)
    try:
        end = end_of(raw, start)
        if not _ENDS_LINE.match(raw, end):
            raise Broken(end, "the line goes on after the JSON value that ends here")
    except Broken as broken:
        return _refused(cursor, start, broken)
    cursor.at = cursor.lines.at_offset(end - 1) + 1
    return _Reader(cursor).value(start, end, "")


def _refused(cursor: Cursor, start: int, broken: Broken) -> Iterator[Cursor]:
    """Take what is no JSON, up to where that shows: a fault if it was meant as a patch."""
    lines = cursor.lines
    at = lines.at_offset(broken.at)
    if lines.raw[start] == ord('"'):
        meant = broken.at == start and lines.raw.startswith(b'"*** ', start)
    else:
        in_string = lines.raw[broken.at : broken.at + 1] == b'"'
        stop = lines.offset(at + 1) if in_string else broken.at
        meant = _PATCH.search(lines.raw, start, stop) is not None
    if meant:
        cursor.fault(str(broken), lines.number(at))
        at += 1
    cursor.at = max(cursor.at + 1, at)
    return iter(())


def is_operation(line: bytes) -> bool:
    """Whether `line` begins an operation, or what holds one or a patch."""
    return _LIKELY.match(line) is not None and _PATCH.search(line) is not None


class _Reader:
    """Finds the patches in the JSON values of a text, which are valid."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._raw = cursor.lines.raw

    def value(self, start: int, end: int, name: str, depth: int = 0) -> Iterator[Cursor]:
        """The patches in the value of the member `name`, which stands there."""
        first = self._raw[start : start + 1]
        if depth > _MOST_ROUND:
            return
        if first == b'"' and (not name or name in _STRINGS):
            text = self._decoded(start, end)
            if text is not None:
                yield self._inside(text, start, name)
        elif first == b"[":
            yield from self._list(start, name, depth)
        elif first == b"{":
            yield from self._object(start, name, depth)

    def _list(self, at: int, name: str, depth: int) -> Iterator[Cursor]:
        first = next(items(self._raw, at), None)
        if first is None or self._raw[first[1]] != ord('"'):
            yield from self._objects(at, name, depth)
            return
        command = self._decoded(*first[1:])
        if command is not None and _COMMANDS.fullmatch(command):
            _, start, end = deque(items(self._raw, at), maxlen=1).pop()
            yield from self.value(start, end, "command", depth + 1)

    def _objects(self, at: int, name: str, depth: int) -> Iterator[Cursor]:
        """The patches in a list of objects; beside an operation, all are to be one."""
        found = [start for _, start, _ in items(self._raw, at) if self._raw[start] == ord("{")]
        beside = any(self._word(self._members(start), "type") in _HEADERS for start in found)
        for start in found:
            yield from self._object(start, "operations" if beside else name, depth + 1)

    def _object(self, at: int, name: str, depth: int) -> Iterator[Cursor]:
        members = self._members(at)
        kind = self._word(members, "type")
        if kind == _CALL:
            yield from self._call(members, at)
        elif kind in _HEADERS or ({"path", "type"} & set(members) and name in _OPERATIONS):
            yield from self._operation(members, at)
        elif self._word(members, "path") and self._word(members, "diff"):
            blocks_alone = kind is None and self._has_blocks(members)
            yield from (self._blocks if blocks_alone else self._operation)(members, at)
        else:
            for known in _ROUND:
                if known in members:
                    start, end = self._one(members, known)
                    yield from self.value(start, end, known, depth + 1)

    def _members(self, at: int) -> Members:
        members: Members = {}
        for key, start, end in items(self._raw, at):
            name = key[1:-1].decode("latin-1")
            if name in _KNOWN and self._raw[start:end] != b"null":
                members.setdefault(name, []).append((start, end))
        return members

    def _call(self, members: Members, at: int) -> Iterator[Cursor]:
        start = self._one(members, "operation")[0] if "operation" in members else at
        if start == at or self._raw[start] != ord("{"):
            self._fault("an `apply_patch_call` has an object `operation`", at)
        else:
            yield from self._operation(self._members(start), start)

    def _operation(self, members: Members, at: int) -> Iterator[Cursor]:
        """The section that an operation asks for; nothing after a fault."""
        faults = len(self._cursor.faults)
        kind, path, diff = (self._string(members, name) for name in ("type", "path", "diff"))
        if len(self._cursor.faults) > faults:
            return
        if kind not in _HEADERS:
            what = f"`{visible(kind)}` is no type of an operation" if kind else "no `type`"
            self._fault(f"{what}; {_EXPECTED}", at)
        elif not path or not _is_path(path):
            what = f"`{visible(path)}` is no path" if path else "the operation has no `path`"
            self._fault(f"{what}; it is one line, without blanks round it", at)
        elif diff is None and kind != b"delete_file":
            self._fault(f"the operation `{visible(kind)}` has no `diff`", at)
        else:
            yield self._section(_Operation, _HEADERS[kind] + path, members, at)

    def _has_blocks(self, members: Members) -> bool:
        return _BLOCK.search(self._string(members, "diff") or b"") is not None

    def _blocks(self, members: Members, at: int) -> Iterator[Cursor]:
        """Search-and-replace blocks that are for the file `path`."""
        path = self._string(members, "path")
        if path is not None:
            yield self._section(Lines, b"`" + path + b"`", members, at)

    def _section(self, kind: type[Lines], header: bytes, members: Members, at: int) -> Cursor:
        """A header, and after it the lines of `diff`."""
        diff = (self._string(members, "diff") if "diff" in members else None) or b""
        offset = members["diff"][0][0] if "diff" in members else at
        numbers = _Numbers(self._number(offset), offset, "`diff`", self._number(at))
        ending = b"\r\n" if b"\r\n" in diff else b"\n"
        return self._cursor.inside(kind(header + ending + diff, numbers=numbers))

    def _inside(self, text: bytes, start: int, name: str) -> Cursor:
        called = f"`{name}`" if name else "the string"
        numbers = _Numbers(self._number(start), start, called)
        return self._cursor.inside(Lines(text, numbers=numbers))

    def _word(self, members: Members, name: str) -> bytes | None:
        """The string `name` as it is written; None if it is not there, or none."""
        if name not in members:
            return None
        start, end = members[name][0]
        return self._raw[start + 1 : end - 1] if self._raw[start] == ord('"') else None

    def _string(self, members: Members, name: str) -> bytes | None:
        """The string `name`; None if it is not there, or, after a fault, if it is none."""
        if name not in members:
            return None
        start, end = self._one(members, name)
        if self._raw[start] != ord('"'):
            self._fault(f"`{name}` is no string", start)
            return None
        return self._decoded(start, end)

    def _one(self, members: Members, name: str) -> tuple[int, int]:
        if len(members[name]) > 1:
            self._fault(f"`{name}` stands twice in one object", members[name][1][0])
        return members[name][0]

    def _decoded(self, start: int, end: int) -> bytes | None:
        try:
            return string(self._raw, start, end)
        except Broken as broken:
            self._fault(str(broken), broken.at)
            return None

    def _number(self, offset: int) -> int:
        return self._cursor.lines.number(self._cursor.lines.at_offset(offset))

    def _fault(self, message: str, offset: int) -> None:
        self._cursor.fault(message, self._number(offset))


_KNOWN = {"type", "path", "diff", *_ROUND}


def _is_path(path: bytes) -> bool:
    return path == path.strip() and not any(mark in path for mark in (b"\n", b"\r", b"\0"))
