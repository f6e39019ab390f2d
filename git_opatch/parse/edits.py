r"""Strings to replace, as the edit tools of agents are called, in objects of JSON.

    edit    := {path, old, new [, every] [, expected] [, first line] [, last line]}
    several := {path, [{old, new [, every]}…]}                           or each with its own path
             | {path, old 1, new 1, old 2, new 2, …}
    call    := {"command": "str_replace" | "create" | "insert" | "append", path, …}
             | a call of a tool that writes, appends to, deletes or moves a file
    cell    := {"notebook_path": string, "cell_id" | "cell_number": …, "new_source": string}

What a member says is its role (see `roles`). Each edit sees the result of those before it, as in
Claude Code's MultiEdit, Gemini CLI and MCP's server (D140). Where an old string is in the file is
decided later, from the file's content; a line number is evidence, if no edit before it moved lines.
A member that no call has is noted; one that could ask for more than is done is refused.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from enum import Enum
from itertools import chain

from git_opatch.model.options import Format
from git_opatch.model.patch import Cell, FilePatch, Hunk, Line, Operation, Prefix, Replacement
from git_opatch.model.sentences import Malformed
from git_opatch.parse.hunk import line_diff
from git_opatch.parse.json_object import MAX_DIGITS, JsonObject, JsonText, Member, String
from git_opatch.parse.roles import DIGITS, Role, belong_together, is_sure, names, normal, roles_of


class _Verb(Enum):
    """What a call asks for, and the roles that its members may have."""

    EDIT = (
        *(Role.PATH, Role.OLD, Role.NEW, Role.EVERY, Role.EXPECTED),
        *(Role.FIRST, Role.LAST, Role.HASH),
    )
    WRITE = Role.PATH, Role.TEXT, Role.NEWLINE
    INSERT = Role.PATH, Role.AFTER, Role.NEW, Role.TEXT
    APPEND = Role.PATH, Role.NEW, Role.TEXT, Role.NEWLINE
    DELETE = (Role.PATH,)
    MOVE = Role.FROM, Role.TO
    CELL = Role.NOTEBOOK, Role.CELL, Role.SOURCE


_COMMANDS = {
    "strreplace": _Verb.EDIT,
    "create": _Verb.WRITE,
    "insert": _Verb.INSERT,
    "append": _Verb.APPEND,
}
"""The commands of text editors that change a file: Anthropic's, Augment's, Amazon Q's."""
_TOOLS = {
    **dict.fromkeys(names("write write_file create_file save_file fs_write"), _Verb.WRITE),
    **dict.fromkeys(names("fs_append append_file"), _Verb.APPEND),
    **dict.fromkeys(names("delete_file remove_file"), _Verb.DELETE),
    **dict.fromkeys(names("move_file rename_file"), _Verb.MOVE),
}
"""The tools whose names alone say what they do with a file.

Only their calls are read so: what a tool that reads a file answers has a path and a content, too.
"""
_TOOL_NAMES = "name tool_name"
_TOOL_INPUTS = "input arguments args parameters params tool_input"
_OF_PARTS = {Role.OLD, Role.NEW, Role.FIRST, Role.LAST, Role.AFTER}
_NO_STRING = String()
_HASHLINE = "set_line replace_lines insert_after"


def read(call: JsonObject) -> bool:
    """Add the sections of the edits that an object asks for; False if it asks for none."""
    tool = _TOOLS.get(_word(call, _TOOL_NAMES))
    inputs = call.present(_TOOL_INPUTS) if tool else []
    for member in inputs:
        for inner in member.objects():
            if inner is None:
                member.error(Malformed.NOT_AN_OBJECT)
            else:
                _read_call(inner, tool)
                inner.check()
    return bool(inputs) or _read_call(call, None)


def _word(call: JsonObject, written: str) -> str:
    """Return the word that one of these members is, as a name is compared."""
    return normal(call.word(written).decode("latin-1")).replace("-", "")


def _read_call(call: JsonObject, verb: _Verb | None) -> bool:
    """Add the sections of a call, of a tool that says to do `verb`, if that is known."""
    has_path = bool(call.present(Role.PATH))
    verb = (_COMMANDS.get(_word(call, "command")) if has_path else None) or verb
    several = call.present(Role.SEVERAL)
    lists = [member for member in several if _holds(member, _is_item)]
    parts, written = _numbered(call)
    if lists or (parts and has_path):
        call.note_unknown(Role.PATH, *(each.name for each in lists), *written)
        path = call.path() if has_path else None
        for part in chain(*(member.objects() for member in lists), parts):
            if part is None:
                call.error(Malformed.NOT_AN_OBJECT, name=lists[0].name)
            else:
                _read_change(part, verb or _Verb.EDIT, path)
                part.check()
    elif verb := verb or _verb_of(call):
        _read_change(call, verb, None)
    else:
        fault = _fault_of(call, several)
        if fault:
            call.error(fault)
        return fault is not None
    return True


def _fault_of(call: JsonObject, several: Sequence[Member]) -> Malformed | None:
    """Return why an edit is not read that does not say what is in the file; None if it is none."""
    by_lines = (Role.PATH, Role.FIRST, Role.NEW)
    if any(_holds(each, _is_hashline) for each in several) or all(map(call.present, by_lines)):
        return Malformed.HASHLINE
    if not {"code", "explanation"} - call.members.keys() or "codeedit" in call.members:
        return Malformed.FAST_APPLY
    is_undo = "undoedit" in (_word(call, "command"), _word(call, _TOOL_NAMES))
    return Malformed.UNDO_CALL if is_undo else None


def _verb_of(call: JsonObject) -> _Verb | None:
    """Return what the members of `call` ask for."""
    if _is_edit(call, has_path=bool(call.present(Role.PATH))):
        return _Verb.EDIT
    is_cell = call.present(Role.NOTEBOOK) and call.present(Role.SOURCE)
    return _Verb.CELL if is_cell else None


def _is_edit(call: JsonObject, *, has_path: bool) -> bool:
    """Return whether `call` has an old string and what it takes to replace it."""
    old, has_new = call.present(Role.OLD), bool(call.present(Role.NEW))
    if any(is_sure(normal(member.name)) for member in old):
        return has_new or has_path
    return bool(old) and has_new and has_path


def _is_item(item: JsonObject) -> bool:
    return _is_edit(item, has_path=True)


def _is_hashline(item: JsonObject) -> bool:
    return bool(item.present(_HASHLINE))


def _holds(member: Member, is_one: Callable[[JsonObject], bool]) -> bool:
    """Return whether a member is an object of a kind, or a list that begins with one."""
    first = next(member.objects(), None)
    return first is not None and is_one(first)


def _numbered(call: JsonObject) -> tuple[list[JsonObject], list[str]]:
    """Return an object for each number that names of `call` end with, and these names.

    `old_str_1` and `new_str_1` are the old and the new string of one edit.
    """
    found: dict[str, dict[str, Member]] = {}
    written: list[str] = []
    for name, member in call.members.items():
        number = name[len(name.rstrip(DIGITS)) :]
        if 0 < len(number) <= MAX_DIGITS and not roles_of(name).isdisjoint(_OF_PARTS):
            found.setdefault(number, {})[name] = member
            written.append(name)
    return [call.part(found[number]) for number in sorted(found, key=int)], written


def _read_change(call: JsonObject, verb: _Verb, outer: bytes | None) -> None:
    """Add the section of one change; `outer` is the path of the object around it."""
    call.note_unknown(*verb.value)
    if verb is _Verb.CELL:
        _read_cell(call)
    elif verb is _Verb.MOVE:
        _section(call, Operation.MOVE, call.path(Role.FROM), call.path(Role.TO))
    else:
        path = outer if outer and not call.present(Role.PATH) else call.path()
        if verb is _Verb.EDIT:
            _read_edit(call, path, may_delete=_word(call, "command") in _COMMANDS)
        elif verb is not _Verb.DELETE:
            _read_text(call, verb, path)
        else:
            _section(call, Operation.DELETE, path, b"")


def _read_edit(call: JsonObject, path: bytes, *, may_delete: bool) -> None:
    """Add the section of one replacement.

    Anthropic's own tool deletes the text if `new_str` is missing (`may_delete`).
    """
    old, every = call.string(Role.OLD, "old_string"), call.boolean(Role.EVERY)
    new = old._replace(value=b"")
    if not may_delete or call.present(Role.NEW):
        new = call.string(Role.NEW, "new_string")
        is_whole = old.name and new.name
        if is_whole and not belong_together(normal(old.name), normal(new.name)):
            call.error(Malformed.UNKNOWN_COMBINATION, first=old.name, second=new.name)
    expected = call.number(Role.EXPECTED) or 0
    for member in call.present(Role.EXPECTED) if old.value and not expected else ():
        member.error(Malformed.ASKS_TO_CHECK)
    first, last = call.number(Role.FIRST), call.number(Role.LAST)
    for member in call.present(Role.HASH):
        wanted = member.raw[1:-1].lower().decode("latin-1")
        if not (wanted and hashlib.sha256(old.value).hexdigest().startswith(wanted)):
            member.error(Malformed.OTHER_HASH, string=old.name)
    replacement = Replacement(old.value, new.value, every or expected > 1, expected)
    is_stated = first and last in (None, first + len(_lines_of(old.value, b"")[0]) - 1)
    if not old.value:
        _add(call, path, new, Operation.ADD, fills=True)
    else:
        start = first - 1 if first and is_stated else None
        _add(call, path, new, old=old, replacement=replacement, start=start)


def _read_text(call: JsonObject, verb: _Verb, path: bytes) -> None:
    """Add the section of a text: a whole file, or lines to insert or to append."""
    after = call.number(Role.AFTER) if verb is _Verb.INSERT else None
    if verb is _Verb.INSERT and after is None:
        call.error(Malformed.NO_MEMBER, name="insert_line")
    members = [each for role in (Role.NEW, Role.TEXT) for each in call.present(role)]
    if Role.NEW not in verb.value:
        members = call.present(Role.TEXT)
    text = call.string(" ".join(each.name for each in members), "file_text")
    if call.boolean(Role.NEWLINE) and not text.value.endswith(b"\n"):
        text = text._replace(value=text.value + b"\n")
    if verb is _Verb.INSERT:
        _add(call, path, text, replacement=Replacement(b"", text.value, after=after))
    else:
        _add(call, path, text, Operation.ADD if verb is _Verb.WRITE else Operation.APPEND)


def _read_cell(call: JsonObject) -> None:
    """Add the section that changes the source of a notebook's cell, as `NotebookEdit` does."""
    mode = call.word("edit_mode") or b"replace"
    name, number = call.word("cell_id").decode("latin-1"), call.word("cell_number cell_index")
    path, new = call.path(Role.NOTEBOOK), call.string(Role.SOURCE)
    if mode != b"replace":
        call.error(Malformed.CELL_MODE, mode=mode)
    is_number = number.isdigit() and len(number) <= MAX_DIGITS
    if not is_number and (number or not name):
        call.error(Malformed.NO_CELL)
    cell = Cell(name, int(number) if is_number else None)
    _add(call, path, new, replacement=Replacement(b"", new.value, cell=cell))


def _add(
    call: JsonObject,
    path: bytes,
    new: String,
    operation: Operation = Operation.UPDATE,
    *,
    old: String = _NO_STRING,
    replacement: Replacement | None = None,
    fills: bool = False,
    start: int | None = None,
) -> None:
    """Add the section of one change, of text in a file or of a whole file."""
    text, is_whole = call.json, operation is not Operation.UPDATE
    old_lines, new_lines = _lines_of(old.value, new.value, is_whole=is_whole)
    removed = _make_lines(text, old, old_lines, Prefix.REMOVED)
    lines = _make_lines(text, new, new_lines, Prefix.ADDED)
    if operation is Operation.ADD and lines and not new.value.endswith(b"\n"):
        lines[-1] = lines[-1]._replace(newline=False)
    elif old.value:
        lines = line_diff(removed, lines)
    if operation is Operation.APPEND and not lines:
        call.error(Malformed.NOTHING_TO_APPEND)
    if path in text.scanner.found.moved:
        start = None
    if len(old_lines) != len(new_lines) or (replacement and replacement.every):
        text.scanner.found.moved.add(path)
    hunk = Hunk(
        tuple(lines),
        stated_start=start,
        at_end_of_file=operation is Operation.APPEND,
        number=lines[0].number if lines else call.position,
        uniform_endings=not is_whole and not any(line.text.endswith(b"\r") for line in lines),
        replacement=replacement,
    )
    has_hunk = bool(lines) or (replacement is not None and replacement.cell is not None)
    hunks = (hunk,) if has_hunk else ()
    _section(call, operation, b"" if operation is Operation.ADD else path, path, hunks, fills=fills)


def _section(
    call: JsonObject,
    operation: Operation,
    old: bytes,
    new: bytes,
    hunks: Sequence[Hunk] = (),
    *,
    fills: bool = False,
) -> None:
    """Add a section, from the file `old` to the file `new`; either may be empty."""
    if Format.STRING_REPLACE in call.json.scanner.found.formats:
        section = FilePatch(
            operation,
            os.fsdecode(old) if old else None,
            os.fsdecode(new) if new else None,
            hunks,
            has_content=operation is not Operation.DELETE,
            fills=fills,
            number=call.position,
        )
        call.json.scanner.section(section)


def _make_lines(
    text: JsonText, string: String, lines: Sequence[bytes], prefix: Prefix
) -> list[Line]:
    """Make the lines of a string, each with its number in it."""
    number_of = text.numbers(string)
    text.scanner.found.add_lines(len(lines))
    return [Line(prefix, line, number=number_of(at)) for at, line in enumerate(lines)]


def _lines_of(old: bytes, new: bytes, *, is_whole: bool = False) -> tuple[list[bytes], list[bytes]]:
    r"""Split two strings into lines: for a replacement, those that it is if read as whole lines.

    A newline at the end of both is that of the last line. Of text for a new file, or to insert, it
    always is. `\r` before every newline belongs to it, but for a new file.
    """
    both = old + new
    if not is_whole and 0 < both.count(b"\n") == both.count(b"\r\n"):
        old, new = old.replace(b"\r\n", b"\n"), new.replace(b"\r\n", b"\n")
    if not old:
        return [], new.removesuffix(b"\n").split(b"\n") if new else []
    if old.endswith(b"\n") and (new.endswith(b"\n") or not new):
        return old[:-1].split(b"\n"), new[:-1].split(b"\n") if new else []
    return old.split(b"\n"), new.split(b"\n")
