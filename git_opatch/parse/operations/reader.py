"""Where the patches stand in JSON: which members are read, and as what.

Rules: the project's decisions. A member that an operation has not is a fault, since it could ask
for more than is done; so is a patch or an operation under a member that is not read. A directory
counts as `cd DIR &&` before the patch does.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial

from git_opatch.parse import blocks
from git_opatch.parse.cursor import Cursor, Origin
from git_opatch.parse.lines import Lines
from git_opatch.parse.operations.json_text import Broken, NumbersOfString, end_of, items, string
from git_opatch.parse.operations.unread import holds_patch
from git_opatch.text import visible

_BLOCK = re.compile(rb"(?m)^[ \t]*(?:" + blocks.HINT + rb")")
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
_READ = ", ".join(f"`{name}`" for name in (*_STRINGS, *_OPERATIONS))
_TURNS = ("reverse", "dry_run")
_DIRECTORIES = ("workdir", "cwd", "working_directory")
_OTHER_DIRECTORIES = ("directory", "dir")
_OF_OPERATION = {"type", "path", "diff", *_DIRECTORIES}
_HARMLESS = {"call_id", "id", "status", "caller"}
_COMMANDS = re.compile(rb"(?:.*/)?(?:apply_?patch|(?:ba|z|da|k)?sh)")
_MOST_ROUND = 8
"""A patch that has more round it is not looked for."""

Members = dict[str, list[tuple[int, int]]]
"""Where the values of the members that count stand, by name; more than one is a fault."""


class OperationLines(Lines):
    """The lines of one operation, as a section of an envelope."""

    __slots__ = ()


class Reader:
    """Finds the patches in the JSON values of a text, which are valid."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._raw = cursor.lines.raw

    def value(self, start: int, end: int, name: str, depth: int = 0) -> Iterator[Cursor]:
        """The patches in the value of the member `name`, which stands there."""
        first = self._raw[start : start + 1]
        if depth > _MOST_ROUND:
            self._refuse_unread(start, end, "what is nested so deep")
        elif first == b'"' and (not name or name in _STRINGS):
            if (text := self._decoded(start, end)) is not None:
                yield self._inside(text, start, name)
        elif first == b"[":
            yield from self._list(start, end, name, depth)
        elif first == b"{":
            yield from self._object(start, name, depth)
        else:
            self._refuse_unread(start, end, f"a string `{name}`")

    def _list(self, at: int, end: int, name: str, depth: int) -> Iterator[Cursor]:
        if (first := next(items(self._raw, at), None)) is None or self._raw[first[1]] != ord('"'):
            yield from self._objects(at, name, depth)
            return
        command = self._decoded(*first[1:])
        if command is not None and _COMMANDS.fullmatch(command):
            _, last, last_end = deque(items(self._raw, at), maxlen=1).pop()
            for _, start, one_end in items(self._raw, at):
                if start != last:
                    self._refuse_unread(start, one_end, "all but the last word of a command")
            yield from self.value(last, last_end, "command", depth + 1)
        else:
            self._refuse_unread(at, end, "a list that begins with a string and is no command")

    def _objects(self, at: int, name: str, depth: int) -> Iterator[Cursor]:
        """The patches in a list of objects; beside an operation, all are to be one."""
        beside = any(
            self._word(self._members(start), "type") in _HEADERS
            for _, start, _ in items(self._raw, at)
            if self._raw[start] == ord("{")
        )
        for _, start, end in items(self._raw, at):
            if self._raw[start] == ord("{"):
                yield from self._object(start, "operations" if beside else name, depth + 1)
            else:
                self._refuse_unread(start, end, "what is no object in a list of objects")

    def _object(self, at: int, name: str, depth: int) -> Iterator[Cursor]:
        members, found = self._members(at), len(self._cursor.sections)
        yield from self._below(members)._members_of(members, at, name, depth)
        if len(self._cursor.sections) > found:
            self._refuse_directories(members)

    def _members_of(self, members: Members, at: int, name: str, depth: int) -> Iterator[Cursor]:
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
            self._refuse_others(at, _ROUND)

    def _below(self, members: Members) -> Reader:
        """A reader for what counts from the directory that the members name, if they do."""
        named = next((name for name in _DIRECTORIES if name in members), None)
        start, end = members[named][0] if named else (0, 0)
        try:
            said = string(self._raw, start, end) if self._raw[start:end][:1] == b'"' else b""
        except Broken:
            return self
        if not said:
            return self
        joined = posixpath.normpath(posixpath.join(self._cursor.directory, os.fsdecode(said)))
        return Reader(replace(self._cursor, directory=joined))

    def _refuse_directories(self, members: Members) -> None:
        """What names a directory for a patch has to do so in one way, and rightly."""
        for name in _OTHER_DIRECTORIES:
            if name in members:
                self._fault(f"`{name}` is not read; write `workdir`", members[name][0][0])
        for name in _TURNS:
            start, end = members[name][0] if name in members else (0, 0)
            if self._raw[start:end] not in (b"", b"false"):
                self._fault(f"`{name}` is not read; give `git opatch apply` the flag", start)
        named = [name for name in _DIRECTORIES if name in members]
        for name in named:
            said = self._string(members, name)
            if said and not _is_path(said):
                self._fault(f"`{visible(said)}` is no path", members[name][0][0])
        for name in named[1:]:
            self._fault(f"`{named[0]}` and `{name}`; leave one out", members[name][0][0])

    def _refuse_others(self, at: int, read: Collection[str]) -> None:
        for key, start, end in items(self._raw, at):
            if _name(key) not in read:
                self._refuse_unread(start, end, f"`{visible(key[1:-1])}`")

    def _refuse_unread(self, start: int, end: int, what: str) -> None:
        """A fault if what stands there, and is not read, is or holds a patch."""
        if holds_patch(self._raw, start, end):
            self._fault(f"a patch stands here, but {what} is not read; read are {_READ}", start)

    def _members(self, at: int) -> Members:
        members: Members = {}
        for key, start, end in items(self._raw, at):
            name = _name(key)
            if name in _KNOWN and self._raw[start:end] != b"null":
                found = members.setdefault(name, [])
                if len(found) < _TWICE:
                    found.append((start, end))
        return members

    def _call(self, members: Members, at: int) -> Iterator[Cursor]:
        start = self._one(members, "operation")[0] if "operation" in members else at
        if start == at or self._raw[start] != ord("{"):
            self._fault("an `apply_patch_call` has an object `operation`", at)
            return
        self._refuse_others(at, ("operation",))
        inner = self._members(start)
        yield from self._below(inner)._operation(inner, start)
        self._refuse_directories(inner)

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
        elif self._has_no_more(at):
            yield self._section(OperationLines, _HEADERS[kind] + path, members, at)

    def _has_no_more(self, at: int) -> bool:
        """Whether the operation has no member that could change its meaning; or a fault."""
        faults = len(self._cursor.faults)
        for key, start, end in items(self._raw, at):
            name = _name(key)
            if name not in _OF_OPERATION | _HARMLESS and self._raw[start:end] != b"null":
                self._fault(
                    f"`{visible(key[1:-1])}` is no member of an operation, which has `type`, "
                    "`path` and `diff`; leave it out, or send the patch in another form",
                    start,
                )
        return len(self._cursor.faults) == faults

    def _has_blocks(self, members: Members) -> bool:
        return _BLOCK.search(self._string(members, "diff") or b"") is not None

    def _blocks(self, members: Members, at: int) -> Iterator[Cursor]:
        """Search-and-replace blocks that are for the file `path`."""
        path = self._string(members, "path")
        if path is not None and self._has_no_more(at):
            yield self._section(Lines, b"`" + path + b"`", members, at)

    def _section(self, kind: type[Lines], header: bytes, members: Members, at: int) -> Cursor:
        """A header, and after it the lines of `diff`."""
        diff = (self._string(members, "diff") if "diff" in members else None) or b""
        offset = members["diff"][0][0] if "diff" in members else at
        numbers = NumbersOfString(self._number(offset), offset, "`diff`", self._number(at))
        ending = b"\r\n" if b"\r\n" in diff else b"\n"
        origin = Origin(self._cursor.lines, _operation_again, at)
        return self._cursor.inside(kind(header + ending + diff, numbers=numbers), origin)

    def _inside(self, text: bytes, start: int, name: str) -> Cursor:
        called = f"`{name}`" if name else "the string"
        numbers = NumbersOfString(self._number(start), start, called)
        origin = Origin(self._cursor.lines, _STRINGS_AGAIN[name], start)
        return self._cursor.inside(Lines(text, numbers=numbers), origin)

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


_KNOWN = {"type", "path", "diff", *_ROUND, *_TURNS, *_DIRECTORIES, *_OTHER_DIRECTORIES}
_TWICE = 2


def _operation_again(lines: Lines, at: int) -> Lines:
    """Those of the operation that stands there."""
    reader = Reader(Cursor(lines))
    return next(reader._members_of(reader._members(at), at, "", 0)).lines


def _string_again(lines: Lines, at: int, name: str) -> Lines:
    """Those of the string that stands there."""
    return next(Reader(Cursor(lines)).value(at, end_of(lines.raw, at), name)).lines


_STRINGS_AGAIN = {name: partial(_string_again, name=name) for name in ("", *_STRINGS)}


def _name(key: bytes) -> str:
    return key[1:-1].decode("latin-1")


def _is_path(path: bytes) -> bool:
    return path == path.strip() and not any(mark in path for mark in (b"\n", b"\r", b"\0"))
