r"""Objects of JSON and the strings in them, with their places in the text.

    {"file_path": "a.py", "old_string": "one\ntwo"}     line 2 of `old_string`

JSON is read by `json`; where each value is, so that errors and hunks have a place, is found in its
text. Names are compared without `_` and in lower case: `file_path` and `filePath` are one.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Collection, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from git_opatch.model.json_text import items
from git_opatch.model.options import Format
from git_opatch.model.sentences import Malformed
from git_opatch.model.text import visible
from git_opatch.parse.roles import Role, normal, roles_of
from git_opatch.parse.scanner import Lines, Scanner, numbers_in_string

DIRECTORIES = ("workdir", "cwd", "workingdirectory")
_ASKS_ELSE = {
    "directory": Malformed.OTHER_DIRECTORY,
    "dir": Malformed.OTHER_DIRECTORY,
    "reverse": Malformed.FLAG_IN_JSON,
    **dict.fromkeys(
        ("check", "checkonly", "dryrun", "noop", "preview", "simulate", "validate", "validateonly"),
        Malformed.ASKS_TO_CHECK,
    ),
}
"""Members that change where or how a call is applied, or ask not to; `false` does not."""
_MAY_FORBID = {"apply", "confirm", "confirmed", "execute", "write"}
"""Members that ask not to apply a call where they are `false`."""
_GUARD = re.compile(
    r"(?:(?:expected|file|base|content|original|old|before|current)(?:file|content|blob)?"
    r"(?:hash|sha|sha1|sha256|md5|digest|checksum|etag|blob)|ifmatch|etag)"
)
"""Names of the hash that the file had when its author saw it."""
_HASH = re.compile(r'(?i)(?:W/)?\\?"?(?:(?:sha-?(?:1|256)|md5|git|blob)[:-])?([0-9a-f]{7,64})\\?"?')
MAX_DIGITS = 9
_RAW_BREAK = re.compile(rb"[\r\n]")
_ESCAPE = re.compile(rb"(?<!\\)(?:\\\\)*\\[nrtbfu]")
_HALF_PAIR = re.compile(rb"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")


_KINDS = ("mode", "type", "action", "operation", "method", "kind", "op")
_KIND = re.compile(
    r"(?:[\w -]*(?:replace|edit|update|modify|change|tool|function)[\w -]*|literal|exact|)"
)
"""What members of these names may say beside an old and a new string."""
_ASKS_MORE = re.compile(
    r"regex|pattern|glob|position|where|occurrence|count|index|insert|append|prepend|delete|remove"
    r"|move|rename|reverse|undo|preview|check|range|anchor|limit|command|newpath|fuzzy|ignore"
)
"""Names, normal, of members that could ask for more than is done."""
_STRINGS = {Role.PATH, Role.OLD, Role.NEW, Role.TEXT}


Names = Role | Sequence[str]
"""What members are called: any of these, or what plays a role."""


class Member(NamedTuple):
    """A member of an object: its name as written, and where its value is."""

    name: str
    start: int
    end: int


class String(NamedTuple):
    """A string, where it is, and the name of its member."""

    value: bytes = b""
    offset: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class JsonText:
    """The text of a scanner, which has valid JSON, and the formats that are looked for.

    `read` collects where there is a value that was read, or need not be.
    """

    scanner: Scanner
    formats: Collection[Format]
    read: list[tuple[int, int]]

    @property
    def raw(self) -> bytes:
        """The text in bytes."""
        return self.scanner.lines.raw

    @property
    def text(self) -> str:
        """The text with one character for each byte, so that offsets are the same."""
        return self.scanner.lines.latin_1

    def number(self, offset: int) -> int:
        """Return the number of the line with the byte at `offset`."""
        return self.scanner.lines.number(self.scanner.lines.at_offset(offset))

    def error(self, fault: Malformed, offset: int, **values: Any) -> None:
        """Add a diagnostic for the line with the byte at `offset`."""
        self.scanner.error(fault, self.number(offset), **values)

    def decode(self, start: int, end: int) -> bytes | None:
        r"""Decode the valid string at `start` to UTF-8; None after an error.

        A string with a raw line break and a `\n`, too, was not escaped as a whole.
        """
        token = self.raw[start:end]
        value: str = json.loads(token.decode("utf-8", "surrogateescape"), strict=False)
        self.read.append((start, end))
        if _RAW_BREAK.search(token) and _ESCAPE.search(token):
            self.error(Malformed.RAW_BREAK, start)
        elif _HALF_PAIR.search(token) and _SURROGATE.search(value):
            self.error(Malformed.HALF_PAIR, start)
        else:
            return value.encode("utf-8", "surrogateescape")
        return None

    def string_scanner(self, text: bytes, start: int, name: str) -> Scanner:
        """Return a scanner over the string `name` at `start`."""
        called = f"`{name}`" if name else "the string"
        return self.scanner.nested(
            Lines(text, numbers_in_string(self.number(start), start, called))
        )


class JsonObject:
    """An object at offset `at`, with its members that are not null, by their normal names."""

    def __init__(self, json_text: JsonText, at: int) -> None:
        self.json, self.at = json_text, at
        self.members: dict[str, Member] = {}
        self._twice: list[Member] = []
        self.end = at + 1
        for key, start, self.end in items(json_text.text, at):
            if json_text.raw[start : self.end] != b"null":
                member = Member(key, start, self.end)
                if self.members.setdefault(normal(key), member) is not member:
                    self._twice.append(member)

    def part(self, members: dict[str, Member]) -> JsonObject:
        """Return the object as if it had nothing but these members."""
        part = copy(self)
        part.members, part._twice = members, []
        return part

    @property
    def line(self) -> int:
        """The number of the line where the object begins."""
        return self.json.number(self.at)

    def text(self, name: str) -> str:
        """Return the value of the member `name` as it is written; empty if there is none."""
        member = self.members.get(name)
        return self.json.text[member.start : member.end] if member else ""

    def word(self, *names: str) -> bytes:
        """Return the value of the first of these members, undecoded and without quotes."""
        member = next((self.members[name] for name in names if name in self.members), None)
        return self.json.raw[member.start : member.end].strip(b'"') if member else b""

    def holds(self, name: str, opening: str) -> bool:
        """Return whether the value of the member `name` begins with that character."""
        member = self.members.get(name)
        return member is not None and self.json.text[member.start] == opening

    def present(self, names: Names) -> list[Member]:
        """Return the members with any of the `names` for one thing, or with a role.

        Beside a string, what is none does not play a role that strings have.
        """
        if not isinstance(names, Role):
            return [self.members[name] for name in names if name in self.members]
        found = [name for name in self.members if names in roles_of(name)]
        if names is Role.SEVERAL:
            found = [name for name in found if self.is_structure(name)]
        elif names in _STRINGS:
            found = [name for name in found if self.holds(name, '"')] or found
        return [self.members[name] for name in found]

    def is_structure(self, name: str) -> bool:
        """Return whether the value of the member `name` is a list or an object."""
        return self.holds(name, "[") or self.holds(name, "{")

    def error(self, fault: Malformed, **values: bytes | str | int) -> None:
        """Add a diagnostic for the line where the object begins."""
        self.json.error(fault, self.at, **values)

    def string(self, names: Names, shown: str) -> String | None:
        """Return the string with any of the `names`; None after an error.

        If there is none, the error says that `shown` is missing.
        """
        found = self.present(names)
        if not found:
            self.error(
                Malformed.NO_MEMBER,
                name=shown,
            )
            return None
        name, start, end = found[0]
        for other in found[1:]:
            if self.json.raw[start:end] != self.json.raw[other.start : other.end]:
                self.json.error(Malformed.BOTH, other.start, first=name, second=other.name)
        if self.json.text[start] != '"':
            self.json.error(Malformed.NOT_A_STRING, start, name=name)
            return None
        value = self.json.decode(start, end)
        return None if value is None else String(value, start, name)

    def path(self, names: Names, shown: str) -> bytes | None:
        """Return the path with any of the `names`; None after an error."""
        found = self.string(names, shown)
        if found is None:
            return None
        if found.value and _is_path(found.value):
            return found.value
        fault = Malformed.NOT_A_PATH if found.value else Malformed.EMPTY
        self.json.error(fault, found.offset, path=found.value, name=found.name)
        return None

    def boolean(self, names: Names) -> bool:
        """Return whether any of these members is true; another value is an error."""
        words = [(member, self.word(normal(member.name)).lower()) for member in self.present(names)]
        for member, word in words:
            if word not in (b"true", b"false"):
                self.json.error(Malformed.NOT_A_BOOLEAN, member.start, name=member.name)
        return any(word == b"true" for _, word in words)

    def number(self, names: Names) -> int | None:
        """Return the number from 0 on that the member is; None if there is none."""
        for member in self.present(names):
            word = self.json.raw[member.start : member.end]
            if word.isdigit() and len(word) <= MAX_DIGITS:
                return int(word)
            self.json.error(Malformed.NOT_A_NUMBER, member.start, name=member.name)
        return None

    def in_directory(self) -> JsonText:
        """Return the text as read in the directory that the members name, if they do."""
        scanner = self.json.scanner
        named = next(iter(self.present(DIRECTORIES)), None)
        own = self.word(normal(named.name)) if named else b""
        if not own or b"\\" in own or not self.holds(normal(named.name) if named else "", '"'):
            return self.json
        joined = posixpath.normpath(posixpath.join(scanner.directory, os.fsdecode(own)))
        return replace(self.json, scanner=replace(scanner, directory=joined))

    def note_unknown(self, known: Collection[Role | str], *, refuses: bool = True) -> list[str]:
        """Return notes on members that are not `known`, by role or by name; refuse those that could
        ask for more, unless not to.

        These are the members of other calls, lists and objects, and those whose names say so.
        """
        notes: list[str] = []
        played = [each for role in known if isinstance(role, Role) for each in self.present(role)]
        read: set[object] = {*known, *DIRECTORIES, *_ASKS_ELSE, *([] if refuses else _KINDS)}
        read.update(normal(each.name) for each in played)
        for name, member in self.members.items():
            roles, word = roles_of(name), self.word(name).decode("latin-1")
            if name in read or _GUARD.fullmatch(name) or (name in _MAY_FORBID and not roles):
                continue
            is_kind = name in _KINDS and _KIND.fullmatch(normal(word))
            if (is_kind and not _ASKS_MORE.search(normal(word))) or Role.SILENT in roles:
                continue
            if word == "false" and not roles:
                continue
            asks_more = roles or name in _KINDS or _ASKS_MORE.search(name)
            if refuses and (asks_more or self.is_structure(name)):
                self.json.error(Malformed.UNKNOWN_MEMBER, member.start, name=member.name)
            else:
                notes.append(f"`{visible(member.name, 40)}` of the call was ignored")
        return notes

    def check(self, first: int) -> None:
        """Check what the members say about the sections from `first` on, which are the object's."""
        for member in self._twice:
            self.json.error(Malformed.MEMBER_TWICE, member.start, name=member.name)
        for name, member in self.members.items():
            is_off = self.word(name) in (b"", b"false")
            fault = _ASKS_ELSE.get(name) if not is_off else None
            if name in _MAY_FORBID and self.word(name) == b"false":
                fault = Malformed.ASKS_TO_CHECK
            if fault:
                self.json.error(fault, member.start, name=member.name)
            elif _GUARD.fullmatch(name):
                self._guard(member, first)
        if self.present(DIRECTORIES):
            found = self.string(DIRECTORIES, "workdir")
            if found and (not _is_path(found.value) or b"\\" in found.value):
                self.json.error(Malformed.NOT_A_PATH, found.offset, path=found.value)

    def _guard(self, member: Member, first: int) -> None:
        """Have the sections from `first` on compared with a hash of their file."""
        stated = _HASH.fullmatch(self.json.text[member.start + 1 : member.end - 1])
        if stated is None or self.json.text[member.start] != '"':
            self.json.error(Malformed.NOT_A_HASH, member.start, name=member.name)
            return
        sections, guard = self.json.scanner.found.sections, (member.name, stated[1])
        sections[first:] = [
            section._replace(guards=(*section.guards, guard)) for section in sections[first:]
        ]


def _is_path(path: bytes) -> bool:
    """Return whether `path` can be one: one line, without spaces around it."""
    return path == path.strip() and not any(each in path for each in (b"\n", b"\r", b"\0"))
