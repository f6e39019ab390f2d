r"""Strings to replace, as the edit tools of agents are called, in objects of JSON.

    edit    := {path, old, new [, every] [, expected]}
    several := {path, [{old, new [, every]}…]}                           or each with its own path
    command := {"command": "str_replace" | "create" | "insert", path, …}
    cell    := {"notebook_path": string, "cell_id" | "cell_number": …, "new_source": string}
    write   := a call of a tool that writes a file, with a path and a content

Each edit sees the result of those before it, as in Claude Code's MultiEdit, Gemini CLI and MCP's
server (D140). Where an old string is in the file is decided later, from the file's content. A
member that no call has is noted; one that could ask for more than is done is refused.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from git_opatch.model.json_text import items, skip_space
from git_opatch.model.options import Format
from git_opatch.model.patch import Cell, FilePatch, Hunk, Line, Operation, Prefix, Replacement
from git_opatch.model.sentences import Malformed
from git_opatch.model.text import visible
from git_opatch.model.text_position import TextPosition
from git_opatch.parse.hunk import line_diff
from git_opatch.parse.json_object import DIRECTORIES, JsonObject, JsonText, String, normal
from git_opatch.parse.scanner import numbers_in_string


class _Harness(NamedTuple):
    """How an agent writes a call that replaces strings: the names of its members.

    `several` holds a list of edits, or one. The `silent` members, in one string, say nothing about
    the result.
    """

    path: str
    old: str
    new: str
    every: str = ""
    several: str = ""
    silent: str = ""


_HARNESSES = {
    "Claude Code": _Harness("file_path", "old_string", "new_string", "replace_all", "edits"),
    "Gemini CLI": _Harness(
        "file_path", "old_string", "new_string", "allow_multiple", silent="instruction"
    ),
    "Crush": _Harness("file_path", "old_string", "new_string", "replace_all", "edits"),
    "OpenCode": _Harness("filePath", "oldString", "newString", "replaceAll"),
    "VS Code": _Harness(
        "filePath", "oldString", "newString", several="replacements", silent="explanation"
    ),
    "Anthropic's text editor": _Harness("path", "old_str", "new_str"),
    "OpenHands": _Harness("path", "old_str", "new_str", silent="security_risk safety_risk summary"),
    "MCP's server for files": _Harness("path", "oldText", "newText", several="edits"),
    "Cline": _Harness("path", "old_text", "new_text"),
    "Hermes Agent": _Harness(
        "path", "old_string", "new_string", "replace_all", silent="mode cross_profile"
    ),
    "Zed": _Harness(
        "path", "old_text", "new_text", several="edits", silent="mode display_description"
    ),
    "goose": _Harness("path", "before", "after"),
    "Kimi CLI": _Harness("path", "old", "new", "replace_all", "edit"),
    "Codebuff": _Harness("path", "old", "new", "allowMultiple", "replacements"),
    "Antigravity": _Harness(
        "TargetFile",
        "TargetContent",
        "ReplacementContent",
        "AllowMultiple",
        "ReplacementChunks",
        "Instruction StartLine EndLine TargetLintErrorIds Complexity toolSummary toolAction",
    ),
}
"""The harnesses. Models mix the names; only what belongs to no other is told apart by `_PAIRS`."""


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(normal, text.split())))


_PATHS, _OLD, _NEW, _EVERY, _LISTS, _SILENT = (
    _names(" ".join(column)) for column in zip(*_HARNESSES.values(), strict=True)
)
_PAIRS = {(normal(row.old), normal(row.new)) for row in _HARNESSES.values()}
_ALSO_SILENT = _names("description instructions reason thought id call_id status dry_run")
_EXPECTED = _names("expected_replacements")
_KINDS = _names("mode type action operation method kind op")
_KIND = re.compile(r"[\w -]*(?:replace|edit|update|modify|change|tool|function)[\w -]*|")
"""What members of these names may say beside an old and a new string."""
_ASKS_MORE = re.compile(
    r"regex|pattern|glob|position|where|occurrence|count|index|insert|append|prepend|delete|remove"
    r"|move|rename|reverse|undo|preview|check|range|anchor|limit|command|newpath|fuzzy|ignore"
)
"""Names, normal, of members that could ask for more than is done."""
_TEXT, _INSERTED = _names("file_text content"), ("inserttext", *_NEW)
_COMMANDS = (b"str_replace", b"create", b"insert")
"""The commands of Anthropic's text editor that change a file."""
_NOTEBOOK, _SOURCE = _names("notebook_path"), _names("new_source")
_CELL = _names("cell_id cell_number cell_index cell_type edit_mode")
_TOOL_NAMES = _names("name tool_name")
_WRITING_TOOLS = (b"write", b"write_file", b"writefile", b"create_file")
"""The tools, in lower case, that write a whole file: Claude Code, OpenCode, Gemini CLI, VS Code.

Only their calls are read so: what a tool that reads a file answers has a path and a content, too.
"""
_TOOL_INPUTS = _names("input arguments args parameters params tool_input")
_HASHLINE = _names("set_line replace_lines insert_after")
_ROLES = {*_PATHS, *_OLD, *_NEW, *_EVERY, *_LISTS, *_TEXT, *_INSERTED, *_SOURCE, *_CELL, *_EXPECTED}


def read(call: JsonObject) -> bool:
    """Add the sections of the edits that an object asks for; False if it asks for none."""
    has_path, has_old, has_new = map(call.present, (_PATHS, _OLD, _NEW))
    lists = [name for name in _LISTS if name in call.members]
    if call.word(*_TOOL_NAMES).lower() in _WRITING_TOOLS and call.present(_TOOL_INPUTS):
        for inner in _inputs(call):
            _read_command(inner, b"create")
    elif (command := call.word("command")) in _COMMANDS and has_path:
        _read_command(call, command)
    elif has_old and (has_new or has_path):
        _read_edit(call, None, [])
    elif call.present(_NOTEBOOK) and call.present(_SOURCE):
        _read_cell(call)
    elif any(_holds(call, name, _OLD) for name in lists):
        _read_several(call, lists)
    elif any(_holds(call, name, _HASHLINE) for name in lists):
        call.error(Malformed.HASHLINE)
    elif "codeedit" in call.members:
        call.error(Malformed.FAST_APPLY)
    else:
        return False
    return True


def _objects(call: JsonObject, name: str) -> list[JsonObject]:
    """Return the objects in the list `name`, or the one that it is; another value is an error."""
    text, (shown, start, _) = call.json, call.members[name]
    starts = [item[1] for item in items(text.text, start)] if call.holds(name, "[") else [start]
    for at in starts:
        if text.text[at] != "{":
            text.error(Malformed.NOT_AN_OBJECT, at, name=shown)
    return [JsonObject(text, at) for at in starts if text.text[at] == "{"]


def _holds(call: JsonObject, name: str, names: Collection[str]) -> bool:
    """Return whether the member `name` is an object with one of `names`, or a list of such."""
    start = call.members[name].start
    if call.holds(name, "["):
        start = next((item[1] for item in items(call.json.text, start)), start)
    is_object = call.json.text[start] == "{"
    return is_object and not JsonObject(call.json, start).members.keys().isdisjoint(names)


def _inputs(call: JsonObject) -> Iterator[JsonObject]:
    """Yield the inputs of a tool's call; OpenAI's calls have the object in a string."""
    for name, start, end in call.present(_TOOL_INPUTS):
        text, found = call.json, call.json.text[start:end]
        if found.startswith('"'):
            value = text.decode(start, end) or b""
            text = JsonText(text.string_scanner(value, start, name), text.formats, [])
            found, start = value.decode("latin-1"), 0
        try:
            is_object = isinstance(json.loads(found, strict=False), dict)
        except (ValueError, RecursionError):
            is_object = False
        if is_object:
            yield JsonObject(text, skip_space(text.text, start))
        else:
            call.error(Malformed.NOT_AN_OBJECT, name=name)


def _read_edit(call: JsonObject, outer_path: bytes | None, notes: list[str]) -> None:
    """Add the section of one replacement; `outer_path` is that of the object around it."""
    notes = notes + _note_unknown(call, {*_PATHS, *_OLD, *_NEW, *_EVERY, *_EXPECTED})
    path = outer_path
    if path is None or call.present(_PATHS):
        path = call.path(_PATHS, "file_path")
    old, new = call.string(_OLD, "old_string"), call.string(_NEW, "new_string")
    every, expected = call.boolean(_EVERY), call.number(_EXPECTED) or 0
    if old and new and not _belong_together(normal(old.name), normal(new.name)):
        call.error(Malformed.UNKNOWN_COMBINATION, first=old.name, second=new.name)
    if path and old and new:
        replacement = Replacement(old.value, new.value, every or expected > 1, expected)
        creates = not old.value
        _add(call, path, old, new, replacement, creates=creates, fills=creates, notes=notes)


def _belong_together(old: str, new: str) -> bool:
    """Return whether some call has both names, or their names say that they are a pair."""
    return (old, new) in _PAIRS or (old.startswith("old") and new.startswith("new"))


def _read_several(call: JsonObject, lists: list[str]) -> None:
    """Add the sections of a list of edits, in order."""
    notes = _note_unknown(call, {*_PATHS, *_LISTS})
    path = call.path(_PATHS) if call.present(_PATHS) else None
    for name in lists:
        for edit in _objects(call, name):
            _read_edit(edit, path, notes)
            edit.check()
            notes = []


def _read_command(call: JsonObject, command: bytes) -> None:
    """Add the section of one command of Anthropic's text editor."""
    known, old, new, after = {"command", *_PATHS}, String(offset=call.at), None, None
    path = call.path(_PATHS, "file_path")
    if command == b"create":
        known |= set(_TEXT)
        new = call.string(_TEXT, "file_text")
    elif command == b"insert":
        known |= {"insertline", *_INSERTED}
        new, after = call.string(_INSERTED, "insert_text"), call.number(("insertline",))
        if after is None:
            call.error(Malformed.NO_MEMBER, name="insert_line")
    else:  # Anthropic's own tool deletes the text if `new_str` is missing
        known |= {*_OLD, *_NEW}
        old = call.string(_OLD, "old_str") or old
        new = call.string(_NEW) if call.present(_NEW) else old._replace(value=b"")
    notes = _note_unknown(call, known)
    if path and new:
        creates = after is None and not old.value
        fills = creates and command != b"create"
        replacement = Replacement(old.value, new.value, after=after)
        _add(call, path, old, new, replacement, creates=creates, fills=fills, notes=notes)


def _read_cell(call: JsonObject) -> None:
    """Add the section that changes the source of a notebook's cell, as `NotebookEdit` does."""
    mode = call.word("editmode") or b"replace"
    name, number = call.word("cellid").decode("latin-1"), call.word("cellnumber", "cellindex")
    path, new = call.path(_NOTEBOOK), call.string(_SOURCE)
    notes = _note_unknown(call, {*_NOTEBOOK, *_SOURCE, *_CELL})
    if mode != b"replace":
        call.error(Malformed.CELL_MODE, mode=mode)
    is_number = number.isdigit() and len(number) < 10
    if not is_number and (number or not name):
        call.error(Malformed.NO_CELL)
    if path and new:
        cell = Cell(name, int(number) if is_number else None)
        _add(call, path, String(), new, Replacement(b"", new.value, cell=cell), notes=notes)


def _note_unknown(call: JsonObject, known: Collection[str]) -> list[str]:
    """Return notes on the members that are not `known`; refuse those that could ask for more.

    These are the members of other calls, lists and objects, and those whose names say so.
    """
    notes: list[str] = []
    silent = {*known, *_SILENT, *_ALSO_SILENT, *DIRECTORIES} - {*_KINDS}
    for name, member in call.members.items():
        kind = normal(call.word(name).decode("latin-1")) if name in _KINDS else ""
        if name in silent or (kind and _KIND.fullmatch(kind) and not _ASKS_MORE.search(kind)):
            continue
        asks_more = name in _ROLES or name in _KINDS or _ASKS_MORE.search(name)
        if asks_more or call.holds(name, "[") or call.holds(name, "{"):
            call.json.error(Malformed.UNKNOWN_MEMBER, member.start, name=member.name)
        else:
            notes.append(f"`{visible(member.name, 40)}` of the call was ignored")
    return notes


def _add(
    call: JsonObject,
    path: bytes,
    old: String,
    new: String,
    replacement: Replacement,
    *,
    creates: bool = False,
    fills: bool = False,
    notes: Collection[str] = (),
) -> None:
    """Add the section of one change."""
    text = call.json
    if Format.STRING_REPLACE not in text.formats:
        return
    old_lines, new_lines = _lines_of(old.value, new.value, creates=creates)
    removed = _make_lines(text, old, old_lines, Prefix.REMOVED)
    lines = _make_lines(text, new, new_lines, Prefix.ADDED)
    if creates and lines and not new.value.endswith(b"\n"):
        lines[-1] = lines[-1]._replace(newline=False)
    elif old.value:
        lines = line_diff(removed, lines)
    number = TextPosition(text.number(call.at), call.at, 0, "")
    hunk = Hunk(
        tuple(lines),
        number=lines[0].number if lines else number,
        uniform_endings=not creates and not any(line.text.endswith(b"\r") for line in lines),
        replacement=None if creates else replacement,
        notes=tuple(notes),
    )
    name = os.fsdecode(path)
    text.scanner.section(
        FilePatch(
            Operation.ADD if creates else Operation.UPDATE,
            None if creates else name,
            name,
            (hunk,) if lines or replacement.cell else (),
            number=number,
            fills=fills,
        )
    )


def _make_lines(
    text: JsonText, string: String, lines: Sequence[bytes], prefix: Prefix
) -> list[Line]:
    """Make the lines of a string, each with its number in it."""
    number_of = numbers_in_string(text.number(string.offset), string.offset, f"`{string.name}`")
    text.scanner.found.add_lines(len(lines))
    return [Line(prefix, line, number=number_of(at)) for at, line in enumerate(lines)]


def _lines_of(old: bytes, new: bytes, *, creates: bool) -> tuple[list[bytes], list[bytes]]:
    r"""Split two strings into lines: for a replacement, those that it is if read as whole lines.

    A newline at the end of both is that of the last line. Of text for a new file, or to insert, it
    always is. `\r` before every newline belongs to it, but for a new file.
    """
    both = old + new
    if not creates and 0 < both.count(b"\n") == both.count(b"\r\n"):
        old, new = old.replace(b"\r\n", b"\n"), new.replace(b"\r\n", b"\n")
    if not old:
        return [], new.removesuffix(b"\n").split(b"\n") if new else []
    if old.endswith(b"\n") and (new.endswith(b"\n") or not new):
        return old[:-1].split(b"\n"), new[:-1].split(b"\n") if new else []
    return old.split(b"\n"), new.split(b"\n")
