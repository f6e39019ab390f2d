"""Find patches in JSON: which members are read, and how.

    {"operations": [{"type": …, "path": …, "diff": …}]}      operations
    {"command": ["apply_patch", "*** Begin Patch…"]}         the last word of a command
    {"workdir": "lib", "patch": "*** Begin Patch…"}          a directory, as `cd lib &&`

An operation with an unknown member is an error, since it could ask for more than is done; so is a
patch or an operation in a member that is not read. Source: D62.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial

from git_opatch.model.text import visible
from git_opatch.parse import search_replace
from git_opatch.parse.json_operations.json_text import (
    InvalidJson,
    StringLineNumbers,
    decode_string,
    find_end,
    iter_items,
)
from git_opatch.parse.json_operations.members import (
    CALL,
    DIRECTORIES,
    FLAGS,
    HEADERS,
    IGNORED,
    OF_OPERATION,
    OPERATIONS,
    OTHER_DIRECTORIES,
    READ,
    STRINGS,
    WRAPPERS,
    Members,
    name_of,
    read_members,
)
from git_opatch.parse.json_operations.undecoded import holds_patch
from git_opatch.parse.lines import Lines
from git_opatch.parse.scanner import Origin, Scanner

_BLOCK = re.compile(rb"(?m)^[ \t]*(?:" + search_replace.HINT + rb")")
_EXPECTED = "expected `create_file`, `update_file` or `delete_file`"
_COMMANDS = re.compile(rb"(?:.*/)?(?:apply_?patch|(?:ba|z|da|k)?sh)")
_MAX_DEPTH = 8
"""A patch that is nested more deeply is not found."""


class OperationLines(Lines):
    """The lines of one operation, as a section of an envelope."""

    __slots__ = ()


class Reader:
    """Finds the patches in the valid JSON values of a text."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._raw = scanner.lines.raw

    def value(self, start: int, end: int, name: str, depth: int = 0) -> Iterator[Scanner]:
        """Yield the patches in the value of the member `name`, from offset `start` to `end`."""
        first = self._raw[start : start + 1]
        if depth > _MAX_DEPTH:
            self._refuse_unread(start, end, "a value that is nested so deeply")
        elif first == b'"' and (not name or name in STRINGS):
            if (text := self._decode(start, end)) is not None:
                yield self._string_scanner(text, start, name)
        elif first == b"[":
            yield from self._list(start, end, name, depth)
        elif first == b"{":
            yield from self._object(start, name, depth)
        else:
            self._refuse_unread(start, end, f"a string `{name}`")

    def _list(self, at: int, end: int, name: str, depth: int) -> Iterator[Scanner]:
        if (first := next(iter_items(self._raw, at), None)) is None or self._raw[first[1]] != ord(
            '"'
        ):
            yield from self._objects(at, name, depth)
            return
        command = self._decode(*first[1:])
        if command is not None and _COMMANDS.fullmatch(command):
            _, last, last_end = deque(iter_items(self._raw, at), maxlen=1).pop()
            for _, start, word_end in iter_items(self._raw, at):
                if start != last:
                    self._refuse_unread(start, word_end, "all but the last word of a command")
            yield from self.value(last, last_end, "command", depth + 1)
        else:
            self._refuse_unread(at, end, "a list that begins with a string and is not a command")

    def _objects(self, at: int, name: str, depth: int) -> Iterator[Scanner]:
        """Yield the patches in a list of objects; if one is an operation, all must be."""
        has_operation = any(
            self._word(read_members(self._raw, start), "type") in HEADERS
            for _, start, _ in iter_items(self._raw, at)
            if self._raw[start] == ord("{")
        )
        for _, start, end in iter_items(self._raw, at):
            if self._raw[start] == ord("{"):
                yield from self._object(start, "operations" if has_operation else name, depth + 1)
            else:
                self._refuse_unread(start, end, "a value beside objects in a list")

    def _object(self, at: int, name: str, depth: int) -> Iterator[Scanner]:
        members, found = read_members(self._raw, at), len(self._scanner.sections)
        yield from self._in_directory(members)._members_of(members, at, name, depth)
        if len(self._scanner.sections) > found:
            self._refuse_directories(members)

    def _members_of(self, members: Members, at: int, name: str, depth: int) -> Iterator[Scanner]:
        kind = self._word(members, "type")
        if kind == CALL:
            yield from self._call(members, at)
        elif kind in HEADERS or ({"path", "type"} & set(members) and name in OPERATIONS):
            yield from self._operation(members, at)
        elif self._word(members, "path") and self._word(members, "diff"):
            blocks_alone = kind is None and self._has_blocks(members)
            yield from (self._blocks if blocks_alone else self._operation)(members, at)
        else:
            for known in WRAPPERS:
                if known in members:
                    start, end = self._single(members, known)
                    yield from self.value(start, end, known, depth + 1)
            self._refuse_others(at, WRAPPERS)

    def _in_directory(self, members: Members) -> Reader:
        """Return a reader for the directory that the members name, if they do."""
        named = next((name for name in DIRECTORIES if name in members), None)
        start, end = members[named][0] if named else (0, 0)
        try:
            own = decode_string(self._raw, start, end) if self._raw[start:end][:1] == b'"' else b""
        except InvalidJson:
            return self
        if not own:
            return self
        joined = posixpath.normpath(posixpath.join(self._scanner.directory, os.fsdecode(own)))
        return Reader(replace(self._scanner, directory=joined))

    def _refuse_directories(self, members: Members) -> None:
        """Check that the members name a directory once, and correctly."""
        for name in OTHER_DIRECTORIES:
            if name in members:
                self._error(f"`{name}` is not read; write `workdir`", members[name][0][0])
        for name in FLAGS:
            start, end = members[name][0] if name in members else (0, 0)
            if self._raw[start:end] not in (b"", b"false"):
                self._error(f"`{name}` is not read; give `git opatch apply` the flag", start)
        named = [name for name in DIRECTORIES if name in members]
        for name in named:
            directory = self._string(members, name)
            if directory and not _is_path(directory):
                self._error(f"`{visible(directory)}` is not a path", members[name][0][0])
        for name in named[1:]:
            message = f"there are both `{named[0]}` and `{name}`; leave one out"
            self._error(message, members[name][0][0])

    def _refuse_others(self, at: int, read: Collection[str]) -> None:
        for key, start, end in iter_items(self._raw, at):
            if name_of(key) not in read:
                self._refuse_unread(start, end, f"`{visible(key[1:-1])}`")

    def _refuse_unread(self, start: int, end: int, description: str) -> None:
        """Report a patch in a value that is not read."""
        if holds_patch(self._raw, start, end):
            self._error(f"there is a patch here, but {description} is not read; use {READ}", start)

    def _call(self, members: Members, at: int) -> Iterator[Scanner]:
        start = self._single(members, "operation")[0] if "operation" in members else at
        if start == at or self._raw[start] != ord("{"):
            self._error("an `apply_patch_call` must have an object `operation`", at)
            return
        self._refuse_others(at, ("operation",))
        inner = read_members(self._raw, start)
        yield from self._in_directory(inner)._operation(inner, start)
        self._refuse_directories(inner)

    def _operation(self, members: Members, at: int) -> Iterator[Scanner]:
        """Yield the section that an operation asks for; nothing after an error."""
        errors = len(self._scanner.diagnostics)
        kind, path, diff = (self._string(members, name) for name in ("type", "path", "diff"))
        if len(self._scanner.diagnostics) > errors:
            return
        if kind not in HEADERS:
            wrong = f"`{visible(kind)}` is not an operation" if kind else "no `type`"
            self._error(f"{wrong}; {_EXPECTED}", at)
        elif not path or not _is_path(path):
            wrong = f"`{visible(path)}` is not a path" if path else "the operation has no `path`"
            self._error(f"{wrong}; a path is one line, without spaces around it", at)
        elif diff is None and kind != b"delete_file":
            self._error(f"the operation `{visible(kind)}` has no `diff`", at)
        elif self._has_no_more(at):
            yield self._operation_scanner(OperationLines, HEADERS[kind] + path, members, at)

    def _has_no_more(self, at: int) -> bool:
        """Refuse members that could change the operation's meaning; False after an error."""
        errors = len(self._scanner.diagnostics)
        for key, start, end in iter_items(self._raw, at):
            name = name_of(key)
            if name not in OF_OPERATION | IGNORED and self._raw[start:end] != b"null":
                self._error(
                    f"`{visible(key[1:-1])}` is not a member of an operation, which has `type`, "
                    "`path` and `diff`; leave it out, or send the patch in another format",
                    start,
                )
        return len(self._scanner.diagnostics) == errors

    def _has_blocks(self, members: Members) -> bool:
        return _BLOCK.search(self._string(members, "diff") or b"") is not None

    def _blocks(self, members: Members, at: int) -> Iterator[Scanner]:
        """Yield the search-and-replace blocks for the file `path`."""
        path = self._string(members, "path")
        if path is not None and self._has_no_more(at):
            yield self._operation_scanner(Lines, b"`" + path + b"`", members, at)

    def _operation_scanner(
        self, kind: type[Lines], header: bytes, members: Members, at: int
    ) -> Scanner:
        """Return a scanner over a header and the lines of `diff`."""
        diff = (self._string(members, "diff") if "diff" in members else None) or b""
        offset = members["diff"][0][0] if "diff" in members else at
        numbers = StringLineNumbers(self._number(offset), offset, "`diff`", self._number(at))
        ending = b"\r\n" if b"\r\n" in diff else b"\n"
        origin = Origin(self._scanner.lines, _derive_operation, at)
        return self._scanner.nested(kind(header + ending + diff, numbers=numbers), origin)

    def _string_scanner(self, text: bytes, start: int, name: str) -> Scanner:
        called = f"`{name}`" if name else "the string"
        numbers = StringLineNumbers(self._number(start), start, called)
        origin = Origin(self._scanner.lines, _DERIVE_STRING[name], start)
        return self._scanner.nested(Lines(text, numbers=numbers), origin)

    def _word(self, members: Members, name: str) -> bytes | None:
        """Return the string member `name` without decoding it; None if there is none."""
        if name not in members:
            return None
        start, end = members[name][0]
        return self._raw[start + 1 : end - 1] if self._raw[start] == ord('"') else None

    def _string(self, members: Members, name: str) -> bytes | None:
        """Return the string member `name`; None if it is missing, or not a string (an error)."""
        if name not in members:
            return None
        start, end = self._single(members, name)
        if self._raw[start] != ord('"'):
            self._error(f"`{name}` is not a string", start)
            return None
        return self._decode(start, end)

    def _single(self, members: Members, name: str) -> tuple[int, int]:
        if len(members[name]) > 1:
            self._error(f"`{name}` occurs twice in one object", members[name][1][0])
        return members[name][0]

    def _decode(self, start: int, end: int) -> bytes | None:
        try:
            return decode_string(self._raw, start, end)
        except InvalidJson as error:
            self._error(str(error), error.at)
            return None

    def _number(self, offset: int) -> int:
        return self._scanner.lines.number(self._scanner.lines.at_offset(offset))

    def _error(self, message: str, offset: int) -> None:
        self._scanner.error(message, self._number(offset))


def _derive_operation(lines: Lines, at: int) -> Lines:
    """Return the lines of the operation at that offset."""
    reader = Reader(Scanner(lines))
    return next(reader._members_of(read_members(lines.raw, at), at, "", 0)).lines


def _derive_string(lines: Lines, at: int, name: str) -> Lines:
    """Return the lines of the string at that offset."""
    return next(Reader(Scanner(lines)).value(at, find_end(lines.raw, at), name)).lines


_DERIVE_STRING = {name: partial(_derive_string, name=name) for name in ("", *STRINGS)}


def _is_path(path: bytes) -> bool:
    return path == path.strip() and not any(
        character in path for character in (b"\n", b"\r", b"\0")
    )
