r"""Values of JSON with their places in the text: strings, lists, and objects with their members.

    {"file_path": "a.py", "old_string": "one\ntwo"}     line 2 of `old_string`

Names are compared without `_` and in lower case: `file_path` and `filePath` are one.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from copy import copy
from functools import cached_property
from typing import NamedTuple

from git_opatch.model.json_text import TextPosition, items, skip_space
from git_opatch.model.paths import without_octal
from git_opatch.model.sentences import Malformed
from git_opatch.model.text import visible
from git_opatch.parse.roles import STRINGS, names, normal, roles_of
from git_opatch.parse.text import Numbers, Scanner, in_string

DIRECTORIES = "workdir cwd working_directory"
_ASKS = """
directory dir =
reverse base64 is_base64 = false
check check_only dry_run noop preview simulate validate validate_only = false
cancelled disabled rejected skip = false
apply confirm confirmed execute write accepted active approved enabled = (?!false$).*
case_sensitive literal match_case = (?!false$).*
status state decision approval = (?!incom|reject|den(?:y|ied)|declin|cancel|disabled|refused|skip).*
command = .*\\w[^\\w-].*|create|insert|append|apply_?patch|(?:str_?)?replace|edit(?:_file)?|update
finish_reason stop_reason done_reason = (?!malf|inc).*(?:stop|end_?turn|compl|tool|func|eos|load).*
encoding content_encoding = utf-?8|(?:us-)?ascii|text|plain|none
"""
_ASKS_ELSE = {
    name: re.compile(value.strip(), re.IGNORECASE | re.DOTALL)
    for row in _ASKS.strip().split("\n")
    for written, _, value in (row.partition("="),)
    for name in names(written)
}
"""Members that ask for something else than to apply a call as it is, and their values that do
not; nor does an empty one."""
_FAULTS = {
    **dict.fromkeys(("directory", "dir"), Malformed.OTHER_DIRECTORY),
    "reverse": Malformed.FLAG_IN_JSON,
    **dict.fromkeys(names("finish_reason stop_reason done_reason"), Malformed.CUT_ANSWER),
    **dict.fromkeys(
        names(
            "command case_sensitive literal match_case base64 is_base64 encoding content_encoding"
        ),
        Malformed.UNKNOWN_MEMBER,
    ),
}
_GUARD = re.compile(
    r"(?:(?:expected|file|base|content|original|old|before|current)(?:file|content|blob)?"
    r"(?:hash|sha|sha1|sha256|md5|digest|checksum|etag|blob)|ifmatch|etag)"
)
"""Names of the hash that the file had when its author saw it."""
_HASH = re.compile(
    r'(?i)"(?:W/)?\\?"?(?:(?:sha-?(?:1|256)|md5|git|blob)[:-])?([0-9a-f]{7,64})\\?"?"'
)
_MIXED = re.compile(rb"(?s)(?=.*[\r\n])(?=.*(?<!\\)(?:\\\\)*\\[nrtbfu])")
"""A string with a raw line break and a `\n`, too, which was not escaped as a whole."""
_KINDS = ("mode", "type", "action", "operation", "method", "kind", "op")
_KIND = re.compile(
    r"(?:[\w -]*(?:replace|edit|update|modify|change|tool|function)[\w -]*|literal|exact|)"
)
"""What members of these names may say beside an old and a new string."""
_ASKS_MORE = re.compile(
    r"regex|pattern|glob|position|where|occurrence|count|index|insert|append|prepend|delete|remove"
    r"|move|rename|reverse|undo|preview|check|range|anchor|limit|command|newpath|fuzzy|ignore"
    r"|onlyif|unless|^if[a-z]"
)
"""Names, normal, of members that could ask for more than is done."""


class JsonString(NamedTuple):
    """A string, where it is, and the name of its member."""

    value: bytes = b""
    offset: int = 0
    name: str = ""


class Node:
    """A value and where it is."""

    def __init__(self, scanner: Scanner, start: int, end: int, name: str = "") -> None:
        self.scanner, self.start, self.end, self.name = scanner, start, end, name
        self.first = len(scanner.contents.sections)
        self.twice: list[Node] = []
        self.opening = scanner.text.latin_1[start]

    @cached_property
    def raw(self) -> bytes:
        """The value as it is written."""
        return self.scanner.text.raw[self.start : self.end]

    @cached_property
    def members(self) -> dict[str, Node]:
        """The members of an object that are not null, by their normal names."""
        members: dict[str, Node] = {}
        for name, start, end in items(self.scanner.text.latin_1, self.start):
            member = Node(self.scanner, start, end, name)
            if member.raw != b"null" and members.setdefault(normal(name), member) is not member:
                self.twice.append(member)
        return members

    def part(self, members: dict[str, Node]) -> Node:
        """Return the object as if it had nothing but these members."""
        part = copy(self)
        part.members, part.twice = members, []
        return part

    def items(self, name: str = "") -> list[Node]:
        """Return the items of the list that the value is."""
        spans = items(self.scanner.text.latin_1, self.start)
        return [Node(self.scanner, start, end, name) for _, start, end in spans]

    def objects(self) -> Iterator[Node | None]:
        """Yield the object that the value is, or each item of a list; None for what is none.

        A call may have either in a string.
        """
        node = self
        if self.opening == '"':
            string = self.decode()
            try:
                is_object = isinstance(
                    json.loads(string.value.decode("latin-1"), strict=False), dict
                )
            except (ValueError, RecursionError):
                is_object = False
            if not is_object:
                yield None
                return
            inner = self.below(b"", string)
            node = Node(inner, skip_space(inner.text.latin_1, 0), len(inner.text.raw))
        for value in node.items() if node.opening == "[" else [node]:
            yield value if value.opening == "{" else None

    @property
    def number(self) -> TextPosition:
        """The number of the line where the value begins."""
        return TextPosition(self.number_at(self.start), self.start, 0, "")

    def number_at(self, offset: int) -> int:
        """Return the number of the line with the byte at `offset`."""
        text = self.scanner.text
        return text.number(text.position(offset))

    def error(self, fault: Malformed, offset: int | None = None, **values: object) -> None:
        """Add a diagnostic that names the member, for the line where its value begins."""
        line = self.number_at(self.start if offset is None else offset)
        values.setdefault("name", self.name)
        self.scanner.error(fault, line, **values)  # type: ignore[arg-type]

    def numbers(self, string: JsonString, above: int = 0) -> Numbers:
        """Return the numbers of the lines of a string, and of some `above` it."""
        name = f"`{string.name}`" if string.name else "the string"
        place = self.number_at(string.offset), string.offset, name
        return in_string(*place, self.number_at(self.start), above)

    def below(self, header: bytes, string: JsonString) -> Scanner:
        """Return a scanner over a string below lines that are written where the value is."""
        ending = b"\r\n" if b"\r\n" in string.value else b"\n"
        numbers = self.numbers(string, header.count(b"\n"))
        return self.scanner.nested(header.replace(b"\n", ending) + string.value, numbers)

    def decode(self) -> JsonString:
        """Decode the value, a valid string, to UTF-8; without a name after an error."""
        value: str = json.loads(os.fsdecode(self.raw), strict=False)
        self.scanner.text.read.append((self.start, self.end))
        if _MIXED.match(self.raw):
            self.error(Malformed.RAW_BREAK)
        elif re.search(rb"\\u[dD][89a-fA-F]", self.raw) and re.search("[\ud800-\udfff]", value):
            self.error(Malformed.HALF_PAIR)
        else:
            return JsonString(value.encode("utf-8", "surrogateescape"), self.start, self.name)
        return JsonString()

    def word(self, written: str) -> bytes:
        """Return the value of the first of these members, undecoded and without quotes."""
        return next((member.raw.strip(b'"') for member in self.present(written)), b"")

    def holds(self, name: str, openings: str) -> bool:
        """Return whether the value of the member `name` begins with one of these characters."""
        return name in self.members and self.members[name].opening in openings

    def present(self, wanted: str) -> list[Node]:
        """Return the members with any of these names for one thing, or with a role, in capitals.

        Beside a string, what is none does not play a role that strings have.
        """
        if not wanted.isupper():
            return [self.members[name] for name in names(wanted) if name in self.members]
        called = [name for name in self.members if wanted in roles_of(name)]
        if wanted == "SEVERAL":
            called = [name for name in called if self.holds(name, "[{")]
        elif wanted in STRINGS:
            called = [name for name in called if self.holds(name, '"')] or called
        return [self.members[name] for name in called]

    def string(self, wanted: str, shown: str = "") -> JsonString:
        """Return the string with any of these names; an empty one, without a name, after an error.

        If there is none, the error says that `shown`, or the first name, is missing.
        """
        members = self.present(wanted)
        if not members:
            shown = shown or (wanted.lower() if wanted.isupper() else wanted.split()[0])
            self.error(Malformed.NO_MEMBER, name=shown)
            return JsonString()
        for other in members[1:]:
            if members[0].raw != other.raw:
                other.error(Malformed.BOTH, first=members[0].name, second=other.name)
        if members[0].opening == '"':
            return members[0].decode()
        members[0].error(Malformed.NOT_A_STRING)
        return JsonString()

    def path(self, wanted: str = "PATH") -> bytes:
        """Return the path with any of these names; empty after an error."""
        value, offset, name = self.string(wanted)
        if name and not (value and _is_path(value)):
            fault = Malformed.NOT_A_PATH if value else Malformed.EMPTY
            self.error(fault, offset, path=value, name=name)
            return b""
        return without_octal(value)

    def boolean(self, wanted: str) -> bool:
        """Return whether any of these members is true; another value is an error."""
        words = [(member, member.raw.strip(b'"').lower()) for member in self.present(wanted)]
        for member, word in words:
            if word not in (b"true", b"false"):
                member.error(Malformed.NOT_A_BOOLEAN)
        return any(word == b"true" for _, word in words)

    def count(self, wanted: str) -> int | None:
        """Return the number from 0 on that the member is; None if there is none."""
        for member in self.present(wanted):
            if member.raw.isdigit() and len(member.raw) <= 9:
                return int(member.raw)
            member.error(Malformed.NOT_A_NUMBER)
        return None

    def in_directory(self) -> Node:
        """Return the object as read in the directory that its members name, if they do."""
        named = self.word(DIRECTORIES)  # which `check` looks at
        below = self.scanner.below(os.fsdecode(named))
        return Node(below, self.start, self.end) if named else self

    def note_unknown(self, *known: str, refuses: bool = True) -> None:
        """Note members that are not `known`, by role or by name; refuse those that could ask for
        more, unless not to.

        These are the members of other calls, lists and objects, and those whose names say so.
        """
        read = {*names(DIRECTORIES), *_ASKS_ELSE, *([] if refuses else _KINDS)}
        read |= {normal(member.name) for wanted in known for member in self.present(wanted)}
        for name, member in self.members.items():
            roles, word = roles_of(name), normal(self.word(name).decode("latin-1"))
            is_kind = name in _KINDS and _KIND.fullmatch(word) and not _ASKS_MORE.search(word)
            if name in read or is_kind or _GUARD.fullmatch(name) or "SILENT" in roles:
                continue
            if not roles and word == "false":
                continue
            asks_more = roles or name in _KINDS or _ASKS_MORE.search(name)
            if refuses and (asks_more or member.opening in "[{"):
                member.error(Malformed.UNKNOWN_MEMBER)
            else:
                what, line = visible(member.name, 40), member.number_at(member.start)
                note = f"`{what}` of the call at line {line:d} was ignored"
                self.scanner.contents.notes.append(note)

    def check(self) -> None:
        """Check what the members say about the sections that were found since, which are the
        object's."""
        sections = self.scanner.contents.sections
        members = self.members
        for other in self.twice:
            other.error(Malformed.MEMBER_TWICE)
        for name, member in members.items():
            word = self.word(name).decode("latin-1")
            if name in _ASKS_ELSE:
                if word and not _ASKS_ELSE[name].fullmatch(word):
                    is_cut = word.lower() == "incomplete"
                    fault = Malformed.CUT_ANSWER if is_cut else Malformed.ASKS_TO_CHECK
                    member.error(_FAULTS.get(name, fault))
            elif _GUARD.fullmatch(name):
                stated = _HASH.fullmatch(member.raw.decode("latin-1"))
                if stated is None:
                    member.error(Malformed.NOT_A_HASH)
                    continue
                for at in range(self.first, len(sections)):
                    guards = (*sections[at].guards, (member.name, stated[1]))
                    sections[at] = sections[at]._replace(guards=guards)
        if self.present(DIRECTORIES):
            value, offset, _ = self.string(DIRECTORIES)
            if not _is_path(value) or b"\\" in value:
                self.error(Malformed.NOT_A_PATH, offset, path=value)


def _is_path(path: bytes) -> bool:
    """Return whether `path` can be one: one line, without spaces around it."""
    return path == path.strip() and not any(sign in path for sign in (b"\n", b"\r", b"\0"))
