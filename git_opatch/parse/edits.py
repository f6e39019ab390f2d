r"""Strings to replace, as the edit tools of agents are called, in objects of JSON.

    edit    := {path, old, new [, every] [, expected] [, first line] [, last line]}
    several := {path, [{old, new [, every]}…]}                           or each with its own path
             | {path, old 1, new 1, old 2, new 2, …}
    call    := {"command": "str_replace" | "create" | "insert" | "append", path, …}
             | a call of a tool that writes, appends to, deletes or moves a file
    cell    := {"notebook_path": string, "cell_id" | "cell_number": …, "new_source": string}

What a member says is its role (see `roles`). Each edit sees the result of those before it (D140). A
line number is evidence, if no edit before it moved lines. A member that no call has is noted; one
that could ask for more than is done is refused.
"""

from __future__ import annotations

import hashlib
import os
from itertools import chain

from git_opatch.model.options import Format
from git_opatch.model.patch import Cell, FilePatch, Hunk, Line, Operation, Prefix, Replacement
from git_opatch.model.sentences import Malformed
from git_opatch.parse.hunks import line_diff
from git_opatch.parse.roles import PAIR, SURE, names, normal, plain, roles_of
from git_opatch.parse.tree import JsonString, Node

_ROLES = {
    "edit": ("PATH", "OLD", "NEW", "EVERY", "EXPECTED", "FIRST", "LAST", "HASH"),
    "write": ("PATH", "TEXT", "NEWLINE"),
    "insert": ("PATH", "AFTER", "NEW", "TEXT"),
    "append": ("PATH", "NEW", "TEXT", "NEWLINE"),
    "delete": ("PATH",),
    "move": ("FROM", "TO"),
    "cell": ("NOTEBOOK", "CELL", "SOURCE"),
}
"""What a call asks for, and the roles that its members may have."""
_COMMANDS = {"strreplace": "edit", "create": "write", "insert": "insert", "append": "append"}
"""The commands of text editors that change a file: Anthropic's, Augment's, Amazon Q's."""
_TOOLS = {
    **dict.fromkeys(names("write write_file create_file save_file fs_write"), "write"),
    **dict.fromkeys(names("fs_append append_file"), "append"),
    **dict.fromkeys(names("delete_file remove_file"), "delete"),
    **dict.fromkeys(names("move_file rename_file"), "move"),
}
"""The tools whose names alone say what they do with a file."""
_INPUTS = "input arguments args parameters params tool_input"
_OF_PARTS = {"OLD", "NEW", "FIRST", "LAST", "AFTER"}


def read_edit(call: Node) -> bool:
    """Add the sections of the edits that an object asks for; False if it asks for none."""
    tool = _TOOLS.get(_word(call, "name tool_name"), "")
    inputs = call.present(_INPUTS) if tool else []
    for member in inputs:
        for inner in member.objects():
            if inner is None:
                member.error(Malformed.NOT_AN_OBJECT)
            else:
                _read_call(inner, tool)
                inner.check()
    return bool(inputs) or _read_call(call, "")


def _word(call: Node, written: str) -> str:
    return normal(call.word(written).decode("latin-1")).replace("-", "")


def _read_call(call: Node, verb: str) -> bool:
    """Add the sections of a call, of a tool that says to do `verb`, if that is known."""
    has_path, command = bool(call.present("PATH")), _word(call, "command")
    verb = (_COMMANDS.get(command, "") if has_path else "") or verb
    firsts = [(member, next(member.objects(), None)) for member in call.present("SEVERAL")]
    lists = [member for member, first in firsts if first and _is_edit(first, has_path=True)]
    if _read_several(call, lists, verb):
        return True
    if not verb:
        if _is_edit(call, has_path=has_path):
            verb = "edit"
        elif call.present("NOTEBOOK") and call.present("SOURCE"):
            verb = "cell"
    if verb:
        _read_change(call, verb, b"")
        return True
    # why is an edit not read that does not say what is in the file?
    has_hashes = any(
        first and first.present("set_line replace_lines insert_after") for _, first in firsts
    )
    if has_hashes or all(map(call.present, ("PATH", "FIRST", "NEW"))):
        call.error(Malformed.HASHLINE)
    elif not {"code", "explanation"} - call.members.keys() or "codeedit" in call.members:
        call.error(Malformed.FAST_APPLY)
    elif "undoedit" in (command, _word(call, "name tool_name")):
        call.error(Malformed.UNDO_CALL)
    else:
        return False
    return True


def _read_several(call: Node, lists: list[Node], verb: str) -> bool:
    """Add the sections of a call that has lists of edits, or edits in members with numbers."""
    has_path, numbered = bool(call.present("PATH")), dict[str, dict[str, Node]]()
    for name, member in call.members.items():
        number = name[len(plain(name)) :]
        if 0 < len(number) <= 9 and not roles_of(name).isdisjoint(_OF_PARTS):
            numbered.setdefault(number, {})[name] = member
    parts = [call.part(numbered[number]) for number in sorted(numbered, key=int)]
    if not (lists or (parts and has_path)):
        return False
    call.note_unknown("PATH", *(member.name for member in lists), *chain(*numbered.values()))
    path = call.path() if has_path else b""
    for part in chain(*(member.objects() for member in lists), parts):
        if part is None:
            call.error(Malformed.NOT_AN_OBJECT, name=lists[0].name)
        else:
            _read_change(part, verb or "edit", path)
            part.check()
    return True


def _is_edit(call: Node, *, has_path: bool) -> bool:
    """Return whether `call` has an old string and what it takes to replace it."""
    old, has_new = call.present("OLD"), bool(call.present("NEW"))
    if any(SURE.fullmatch(normal(member.name)) for member in old):
        return has_new or has_path
    return bool(old) and has_new and has_path


def _read_change(call: Node, verb: str, outer: bytes) -> None:
    """Add the section of one change; `outer` is the path of the object around it."""
    call.note_unknown(*_ROLES[verb])
    if verb == "cell":
        _read_cell(call)
    elif verb == "move":
        _section(call, Operation.MOVE, call.path("FROM"), call.path("TO"))
    else:
        path = outer if outer and not call.present("PATH") else call.path()
        if verb == "edit":
            _read_edit(call, path)
        elif verb != "delete":
            _read_text(call, verb, path)
        else:
            _section(call, Operation.DELETE, path, b"")


def _read_edit(call: Node, path: bytes) -> None:
    """Add the section of one replacement. Anthropic's own tool deletes the text if `new_str` is
    missing."""
    old, every = call.string("OLD", "old_string"), call.boolean("EVERY")
    new = old._replace(value=b"")
    if call.present("NEW") or _word(call, "command") not in _COMMANDS:
        new = call.string("NEW", "new_string")
        both = f"{normal(old.name)} {normal(new.name)}"
        if old.name and new.name and not PAIR.fullmatch(both):
            call.error(Malformed.UNKNOWN_COMBINATION, first=old.name, second=new.name)
    expected = call.count("EXPECTED") or 0
    for member in call.present("EXPECTED") if old.value and not expected else ():
        member.error(Malformed.ASKS_TO_CHECK)
    first, last = call.count("FIRST"), call.count("LAST")
    for member in call.present("HASH"):
        wanted = member.raw[1:-1].lower().decode("latin-1")
        if not (wanted and hashlib.sha256(old.value).hexdigest().startswith(wanted)):
            member.error(Malformed.OTHER_HASH, string=old.name)
    replacement = Replacement(old.value, new.value, every or expected > 1, expected)
    if not old.value:
        _add(call, path, new, Operation.ADD, fills=True)
    else:
        size = len(_lines_of(old.value, b"")[0])
        is_stated = first and last in (None, first + size - 1)
        start = first - 1 if first and is_stated else None
        _add(call, path, new, old=old, replacement=replacement, start=start)


def _read_text(call: Node, verb: str, path: bytes) -> None:
    """Add the section of a text: a whole file, or lines to insert or to append."""
    is_insert, after = verb == "insert", call.count("AFTER") if verb == "insert" else None
    if is_insert and after is None:
        call.error(Malformed.NO_MEMBER, name="insert_line")
    roles = [role for role in ("NEW", "TEXT") if role in _ROLES[verb]]
    members = [member.name for role in roles for member in call.present(role)]
    text = call.string(" ".join(members), "file_text")
    if call.boolean("NEWLINE") and not text.value.endswith(b"\n"):
        text = text._replace(value=text.value + b"\n")
    if is_insert:
        _add(call, path, text, replacement=Replacement(b"", text.value, after=after))
    else:
        _add(call, path, text, Operation.ADD if verb == "write" else Operation.APPEND)


def _read_cell(call: Node) -> None:
    """Add the section that changes the source of a notebook's cell, as `NotebookEdit` does."""
    mode = call.word("edit_mode") or b"replace"
    name, number = call.word("cell_id").decode("latin-1"), call.word("cell_number cell_index")
    path, new = call.path("NOTEBOOK"), call.string("SOURCE")
    if mode != b"replace":
        call.error(Malformed.CELL_MODE, mode=mode)
    is_number = number.isdigit() and len(number) <= 9
    if not is_number and (number or not name):
        call.error(Malformed.NO_CELL)
    kind = call.word("cell_type").decode("latin-1")
    cell = Cell(name, int(number) if is_number else None, kind)
    _add(call, path, new, replacement=Replacement(b"", new.value, cell=cell))


def _add(
    call: Node,
    path: bytes,
    new: JsonString,
    operation: Operation = Operation.UPDATE,
    *,
    old: JsonString = JsonString(),  # noqa: B008
    replacement: Replacement | None = None,
    fills: bool = False,
    start: int | None = None,
) -> None:
    """Add the section of one change, of text in a file or of a whole file."""
    contents, is_whole = call.scanner.contents, operation is not Operation.UPDATE
    sides = _lines_of(old.value, new.value, is_whole=is_whole)
    removed, lines = (
        [Line(prefix, line, number=number(at)) for at, line in enumerate(texts)]
        for prefix, texts, number in zip(
            (Prefix.REMOVED, Prefix.ADDED), sides, map(call.numbers, (old, new)), strict=True
        )
    )
    contents.add_lines(len(removed) + len(lines))
    moves = len(removed) != len(lines) or (replacement and replacement.every)
    if operation is Operation.ADD and lines and not new.value.endswith(b"\n"):
        lines[-1] = lines[-1]._replace(newline=False)
    elif old.value:
        lines = line_diff(removed, lines)
    if operation is Operation.APPEND and not lines:
        call.error(Malformed.NOTHING_TO_APPEND)
    hunk = Hunk(
        tuple(lines),
        stated_start=None if path in contents.moved else start,
        at_end_of_file=operation is Operation.APPEND,
        number=lines[0].number if lines else call.number,
        uniform_endings=not is_whole and not any(line.text.endswith(b"\r") for line in lines),
        replacement=replacement,
    )
    if moves:
        contents.moved.add(path)
    hunks = (hunk,) if lines or (replacement and replacement.cell) else ()
    _section(call, operation, b"" if operation is Operation.ADD else path, path, hunks, fills)


def _section(
    call: Node,
    operation: Operation,
    old: bytes,
    new: bytes,
    hunks: tuple[Hunk, ...] = (),
    fills: bool = False,
) -> None:
    """Add a section, from the file `old` to the file `new`; either may be empty."""
    if Format.STRING_REPLACE in call.scanner.contents.formats:
        before, after = (os.fsdecode(path) if path else None for path in (old, new))
        section = FilePatch(operation, before, after, hunks, fills=fills, number=call.number)
        has_content = operation is not Operation.DELETE
        call.scanner.section(section._replace(has_content=has_content))


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
