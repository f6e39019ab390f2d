r"""Objects of JSON and the strings in them, with their places in the text.

    {"file_path": "a.py", "old_string": "one\ntwo"}     line 2 of `old_string`

JSON is read by `json`; where each value is, so that errors and hunks have a place, is found in its
text. Names are compared without `_` and in lower case: `file_path` and `filePath` are one.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from git_opatch.model.json_text import items, skip_space
from git_opatch.model.sentences import Malformed
from git_opatch.model.text import visible
from git_opatch.model.text_position import TextPosition
from git_opatch.parse.roles import STRINGS, Role, names, normal, roles_of
from git_opatch.parse.scanner import LineNumbers, Lines, Scanner, numbers_in_string

DIRECTORIES = "workdir cwd working_directory"
_FALSE, _NOT_FALSE = "false", "(?!false$).*"
_EDITS = r".*\w[^\w-].*|create|insert|append|apply_?patch|(?:str_?)?replace|edit(?:_file)?|update"
"""The command of an editor that changes a file; or one of a shell, which has more than a word."""
_ASKS_ELSE = {
    name: (re.compile(nothing, re.IGNORECASE | re.DOTALL), fault)
    for written, nothing, fault in (
        ("directory dir", "", Malformed.OTHER_DIRECTORY),
        ("reverse", _FALSE, Malformed.FLAG_IN_JSON),
        ("check check_only dry_run noop preview simulate", _FALSE, Malformed.ASKS_TO_CHECK),
        ("validate validate_only", _FALSE, Malformed.ASKS_TO_CHECK),
        ("cancelled disabled rejected skip", _FALSE, Malformed.ASKS_TO_CHECK),
        ("apply confirm confirmed execute write", _NOT_FALSE, Malformed.ASKS_TO_CHECK),
        ("accepted active approved enabled", _NOT_FALSE, Malformed.ASKS_TO_CHECK),
        (
            "status state decision approval",
            r"(?!reject|den(?:y|ied)|declin|cancel|disabled|refused|skip).*",
            Malformed.ASKS_TO_CHECK,
        ),
        ("command", _EDITS, Malformed.UNKNOWN_MEMBER),
        ("case_sensitive literal match_case", _NOT_FALSE, Malformed.UNKNOWN_MEMBER),
        ("base64 is_base64", _FALSE, Malformed.UNKNOWN_MEMBER),
        (
            "encoding content_encoding",
            "utf-?8|(?:us-)?ascii|text|plain|none",
            Malformed.UNKNOWN_MEMBER,
        ),
    )
    for name in names(written)
}
"""Members that ask for something else than to apply a call as it is, and their values that do
not; nor does an empty one."""
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
    r"|onlyif|unless|^if[a-z]"
)
"""Names, normal, of members that could ask for more than is done."""


class String(NamedTuple):
    """A string, where it is, and the name of its member."""

    value: bytes = b""
    offset: int = 0
    name: str = ""


Names = Role | str
"""What members are called: any of these names, as in `"path uri"`, or what plays a role."""


@dataclass(frozen=True, slots=True)
class JsonText:
    """The text of a scanner, which has valid JSON.

    `read` collects where there is a value that was read, or need not be.
    """

    scanner: Scanner
    read: list[tuple[int, int]] = field(default_factory=list)

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

    def numbers(self, string: String, at: int = 0, above: int = 0) -> LineNumbers:
        """Return the numbers of the lines of a string, and of some `above` it, written at `at`."""
        name = f"`{string.name}`" if string.name else "the string"
        position = self.number(string.offset), string.offset, name
        return numbers_in_string(*position, self.number(at), above)

    def below(self, header: bytes, string: String, at: int = 0) -> Scanner:
        """Return a scanner over a string below lines that were written at offset `at`."""
        ending = b"\r\n" if b"\r\n" in string.value else b"\n"
        numbers = self.numbers(string, at, header.count(b"\n"))
        return self.scanner.nested(Lines(header.replace(b"\n", ending) + string.value, numbers))


class Member(NamedTuple):
    """A member of an object: its name as written, and where its value is."""

    json: JsonText
    name: str
    start: int
    end: int

    @property
    def raw(self) -> bytes:
        """The value as it is written."""
        return self.json.raw[self.start : self.end]

    @property
    def opening(self) -> str:
        """The first character of the value."""
        return self.json.text[self.start]

    def error(self, fault: Malformed, **values: Any) -> None:
        """Add a diagnostic that names the member, for the line where its value begins."""
        self.json.error(fault, self.start, name=self.name, **values)

    def decode(self) -> String:
        r"""Decode the value, a valid string, to UTF-8; without a name after an error.

        A string with a raw line break and a `\n`, too, was not escaped as a whole.
        """
        value: str = json.loads(self.raw.decode("utf-8", "surrogateescape"), strict=False)
        self.json.read.append((self.start, self.end))
        if _RAW_BREAK.search(self.raw) and _ESCAPE.search(self.raw):
            self.error(Malformed.RAW_BREAK)
        elif _HALF_PAIR.search(self.raw) and _SURROGATE.search(value):
            self.error(Malformed.HALF_PAIR)
        else:
            return String(value.encode("utf-8", "surrogateescape"), self.start, self.name)
        return String()

    def items(self) -> list[tuple[str, int, int]]:
        """Return where the items of the list are that the value is."""
        return list(items(self.json.text, self.start))

    def objects(self) -> Iterator[JsonObject | None]:
        """Yield the object that the value is, or each item of a list; None for what is none.

        A call may have either in a string.
        """
        text, start = self.json, self.start
        if self.opening == '"':
            string = self.decode()
            text = JsonText(text.below(b"", string))
            if not isinstance(_load(string.value), dict):
                yield None
                return
            start = skip_space(text.text, 0)
        found = (
            [item[1] for item in items(text.text, start)] if text.text[start] == "[" else [start]
        )
        for at in found:
            yield JsonObject(text, at) if text.text[at] == "{" else None


def _load(value: bytes) -> object:
    """Return what a text is in JSON; None if it is not."""
    try:
        found: object = json.loads(value.decode("latin-1"), strict=False)
    except (ValueError, RecursionError):
        return None
    return found


class JsonObject:
    """An object at offset `at`, with its members that are not null, by their normal names."""

    def __init__(self, json_text: JsonText, at: int) -> None:
        self.json, self.at = json_text, at
        self.members: dict[str, Member] = {}
        self.first = len(json_text.scanner.found.sections)
        """How many sections were found before it."""
        self._twice: list[Member] = []
        self.end = at + 1
        for key, start, self.end in items(json_text.text, at):
            member = Member(json_text, key, start, self.end)
            if member.raw != b"null" and self.members.setdefault(normal(key), member) is not member:
                self._twice.append(member)

    def part(self, members: dict[str, Member]) -> JsonObject:
        """Return the object as if it had nothing but these members."""
        part = copy(self)
        part.members, part._twice = members, []
        return part

    @property
    def position(self) -> TextPosition:
        """The number of the line where the object begins."""
        return TextPosition(self.json.number(self.at), self.at, 0, "")

    def word(self, written: str) -> bytes:
        """Return the value of the first of these members, undecoded and without quotes."""
        return next((member.raw.strip(b'"') for member in self.present(written)), b"")

    def holds(self, name: str, openings: str) -> bool:
        """Return whether the value of the member `name` begins with one of these characters."""
        member = self.members.get(name)
        return member is not None and member.opening in openings

    def present(self, wanted: Names) -> list[Member]:
        """Return the members with any of these names for one thing, or with a role.

        Beside a string, what is none does not play a role that strings have.
        """
        if not isinstance(wanted, Role):
            return [self.members[name] for name in names(wanted) if name in self.members]
        found = [name for name in self.members if wanted in roles_of(name)]
        if wanted is Role.SEVERAL:
            found = [name for name in found if self.holds(name, "[{")]
        elif wanted in STRINGS:
            found = [name for name in found if self.holds(name, '"')] or found
        return [self.members[name] for name in found]

    def error(self, fault: Malformed, **values: bytes | str | int) -> None:
        """Add a diagnostic for the line where the object begins."""
        self.json.error(fault, self.at, **values)

    def string(self, wanted: Names, shown: str = "") -> String:
        """Return the string with any of these names; an empty one, without a name, after an error.

        If there is none, the error says that `shown`, or the first name, is missing.
        """
        found = self.present(wanted)
        if not found:
            shown = shown or (wanted.value if isinstance(wanted, Role) else wanted.split()[0])
            self.error(Malformed.NO_MEMBER, name=shown)
            return String()
        for other in found[1:]:
            if found[0].raw != other.raw:
                other.json.error(
                    Malformed.BOTH, other.start, first=found[0].name, second=other.name
                )
        if found[0].opening == '"':
            return found[0].decode()
        found[0].error(Malformed.NOT_A_STRING)
        return String()

    def path(self, wanted: Names = Role.PATH) -> bytes:
        """Return the path with any of these names; empty after an error."""
        found = self.string(wanted)
        if found.name and not (found.value and _is_path(found.value)):
            fault = Malformed.NOT_A_PATH if found.value else Malformed.EMPTY
            self.json.error(fault, found.offset, path=found.value, name=found.name)
            return b""
        return found.value

    def boolean(self, wanted: Names) -> bool:
        """Return whether any of these members is true; another value is an error."""
        words = [(member, member.raw.strip(b'"').lower()) for member in self.present(wanted)]
        for member, word in words:
            if word not in (b"true", b"false"):
                member.error(Malformed.NOT_A_BOOLEAN)
        return any(word == b"true" for _, word in words)

    def number(self, wanted: Names) -> int | None:
        """Return the number from 0 on that the member is; None if there is none."""
        for member in self.present(wanted):
            if member.raw.isdigit() and len(member.raw) <= MAX_DIGITS:
                return int(member.raw)
            member.error(Malformed.NOT_A_NUMBER)
        return None

    def in_directory(self) -> JsonObject:
        """Return the object as read in the directory that its members name, if they do."""
        named = self.word(DIRECTORIES)  # which `check` looks at
        if not named:
            return self
        below = self.json.scanner.below(os.fsdecode(named))
        return JsonObject(replace(self.json, scanner=below), self.at)

    def note_unknown(self, *known: Names, refuses: bool = True) -> None:
        """Note members that are not `known`, by role or by name; refuse those that could ask for
        more, unless not to.

        These are the members of other calls, lists and objects, and those whose names say so.
        """
        read = {*names(DIRECTORIES), *_ASKS_ELSE, *([] if refuses else _KINDS)}
        read |= {normal(each.name) for wanted in known for each in self.present(wanted)}
        for name, member in self.members.items():
            roles, word = roles_of(name), self.word(name).decode("latin-1")
            if name in read or _GUARD.fullmatch(name):
                continue
            is_kind = name in _KINDS and _KIND.fullmatch(normal(word))
            if (is_kind and not _ASKS_MORE.search(normal(word))) or Role.SILENT in roles:
                continue
            if not roles and word == "false":
                continue
            asks_more = roles or name in _KINDS or _ASKS_MORE.search(name)
            if refuses and (asks_more or self.holds(name, "[{")):
                member.error(Malformed.UNKNOWN_MEMBER)
            else:
                what, line = visible(member.name, 40), self.json.number(member.start)
                self.json.scanner.found.notes.append(
                    f"`{what}` of the call at line {line:d} was ignored"
                )

    def check(self) -> None:
        """Check what the members say about the sections that were found since, which are the
        object's."""
        for member in self._twice:
            member.error(Malformed.MEMBER_TWICE)
        for name, member in self.members.items():
            word = self.word(name).decode("latin-1")
            if name in _ASKS_ELSE:
                nothing, fault = _ASKS_ELSE[name]
                if word and not nothing.fullmatch(word):
                    member.error(fault)
            elif _GUARD.fullmatch(name):
                self._guard(member)
        if self.present(DIRECTORIES):
            found = self.string(DIRECTORIES)
            if not _is_path(found.value) or b"\\" in found.value:
                self.json.error(Malformed.NOT_A_PATH, found.offset, path=found.value)

    def _guard(self, member: Member) -> None:
        """Have the sections that were found since compared with a hash of their file."""
        stated = _HASH.fullmatch(member.raw[1:-1].decode("latin-1"))
        if stated is None or member.opening != '"':
            member.error(Malformed.NOT_A_HASH)
            return
        sections, guard = self.json.scanner.found.sections, (member.name, stated[1])
        sections[self.first :] = [
            section._replace(guards=(*section.guards, guard)) for section in sections[self.first :]
        ]


def _is_path(path: bytes) -> bool:
    """Return whether `path` can be one: one line, without spaces around it."""
    return path == path.strip() and not any(each in path for each in (b"\n", b"\r", b"\0"))
