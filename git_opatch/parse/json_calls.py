r"""Patches in JSON: operations, edits, patches in strings, and the calls and messages around them.

    operation := {"type": "create_file" | "update_file", "path": string, "diff": string}
               | {"type": "delete_file", "path": string}
    edit      := strings to replace, as the tools of agents are called        (see `edits`)
    text      := a string with a patch of any format

They come alone, in a list, one on each line, or inside a call. Source: OpenAI's guide "Apply patch"
and the types of its Responses API, where `diff` is the body of an envelope section. JSON that is
cut off or not valid is refused, and never repaired by guessing; JSON without any of these is prose
(D62, D63).
"""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace

from git_opatch.model.json_text import DECODER
from git_opatch.model.options import Format
from git_opatch.model.patch import Operation
from git_opatch.model.sentences import Malformed
from git_opatch.parse import api_diffs, edits, envelope, suggestions
from git_opatch.parse.formats import FORMATS, JSON, MARKERS, OPENING, begins
from git_opatch.parse.json_object import DIRECTORIES, JsonObject, JsonText, Member, String
from git_opatch.parse.prose import note_command
from git_opatch.parse.roles import Role, names, normal
from git_opatch.parse.scanner import Scanner

_HEADERS = {
    b"create_file": (Operation.ADD, envelope.Marker.ADD),
    b"update_file": (Operation.UPDATE, envelope.Marker.UPDATE),
    b"delete_file": (Operation.DELETE, envelope.Marker.DELETE),
}
"""The types of operations, as envelope sections."""
_TEXTS = "diff patch unified_diff search_replace_blocks content contents"
"""Members that have hunks or blocks for the file at a path beside them."""
_MOVES = "move_to move_path"
_SURE_TEXTS = names("diff patch unified_diff search_replace_blocks")
_BARE = (
    re.compile(
        rb'"(?:\\[nrt]|\s)*(?:@@ -\d+(?:,\d+)? \+\d|' + begins(Format.SEARCH_REPLACE) + rb")"
    ),
    re.compile(rb'"(?!(?:\\[nrt]|\s)*(?:\*\*|diff |--- |Index: |<FILE_|```))'),
)
"""How hunks or blocks begin in a string of JSON: alone, and in a member that has nothing else."""
_OF_OPERATION = "type path diff call_id id status caller " + DIRECTORIES
_PREDICTIONS = "model_patch fix_patch test_patch"
"""What only a row of a benchmark has, or a prediction for one: `patch` is beside them, too."""
_STRINGS = "patch patchText input arguments command diff unified_diff model_patch fix_patch"
# Wrappers of a call's arguments (OpenAI's, Gemini's, those of Claude Code's hooks), and of calls in
# a message (Anthropic's, Gemini's).
_WRAPPERS = (
    f"operation operations {_STRINGS} output action tool_calls function function_call tool_input "
    "args parameters message content parts payload candidates choices file files changes diffs "
    "notes comments"
)
_ANSWERS = "content text result response output_text"
"""What an API calls the text that a model answers."""
_THOUGHTS = (b"thinking", b"reasoning")
_EMPTY = re.compile(rb'"?\s*\{\s*\}\s*"?')
_OTHER_ROLES = (b"user", b"system", b"developer", b"tool")
_READ = "`patch`, `patchText`, `input`, `arguments`, `command`, `operation`, `operations`"
"""The members that hold a patch, for messages."""
_RESULTS = "tool_response tool_use_result"
"""What agents record of a call that was made: its edits are in the file."""
_COMMANDS = re.compile(rb"(?:.*/)?(?:apply_?patch|(?:ba|z|da|k)?sh)")
_MAX_DEPTH = 8
"""A patch that is nested more deeply is not read."""
_WINDOW, _MAX_TOKEN = 4096, 64
_BLOCK = re.compile(rb"(?m)^[ \t]*" + begins(Format.SEARCH_REPLACE))
_LIKELY = re.compile(rb"[ \t]*+(?=([^ \t]))(?:" + JSON + rb")")
_DEEP = re.compile(rb"(?:[^\[{]*+[\[{]){100}")
_BLANK = re.compile(rb"\s*\Z")
_ENDS_LINE = re.compile(rb"[ \t\r]*(?:\n|\Z)")
_STRING_WITH_PATCH = rb"(?<!\\)[\"'](?:\\[nrt]|\s)*" + OPENING
_OLD = rb"[\"'](?:old_?(?:[sS]tring|[sS]tr|[tT]ext)|TargetContent)[\"']\s*+:"
_NEW = re.compile(rb"[\"'](?:new_?(?:[sS]tring|[sS]tr|[tT]ext)|ReplacementContent)[\"']\s*+:")
_MEANT = re.compile(
    rb"[\"'](?:create|update|delete)_file[\"']|[\"']apply_?patch"
    rb"|[\"'](?:patch(?:Text)?|diff|file_text|new_source)[\"']\s*+:?\s*+\""
    rb"|[\"'](?:(?i:file_?path)|notebook_path|TargetFile)[\"']\s*+:|"
    + rb"|".join((_OLD, _STRING_WITH_PATCH, FORMATS[Format.ENVELOPE].opens))
)
"""Text that shows that JSON is meant to change a file."""
_HELD = re.compile(
    rb'(?P<kind>"type"\s*+:\s*+"(?:create|update|delete)_file")|(?P<old>'
    + _OLD
    + rb")|"
    + _STRING_WITH_PATCH
    + rb"|\n[ \t]*"
    + OPENING
)
"""What valid JSON holds that must not be dropped."""
_STARTS_OTHER = rb"[ \t]*(?:```|~~~|" + OPENING + rb")"
_STOP = re.compile(rb"(?m)^" + _STARTS_OTHER)
_BELOW = re.compile(rb"(?m)^(?:[{\[]|" + _STARTS_OTHER + rb")")
"""Where JSON that is not valid ends: at a fence, another patch, or other JSON."""


def is_call(line: bytes) -> bool:
    """Return whether `line` begins JSON that is meant to change a file."""
    return _LIKELY.match(line) is not None and _MEANT.search(line) is not None


def unwrap(scanner: Scanner) -> Iterator[Scanner] | None:
    """Take the JSON value that begins at the next line; yield a scanner for each patch in it."""
    lines, raw = scanner.lines, scanner.lines.raw
    match = _LIKELY.match(raw, lines.offset(scanner.at))
    if match is None:
        return None
    start = match.start(1)
    is_string = raw[start : start + 1] == b'"'
    try:
        end = _end_of_value(lines.latin_1, start, on_line=is_string)
    except json.JSONDecodeError as error:
        at = start + error.pos
        is_cut = error.msg.startswith("Unterminated") or _BLANK.match(raw, at)
        fault = Malformed.CUT_JSON if is_cut else Malformed.INVALID_JSON
        return _refuse(scanner, start, at, fault, error.msg.lower())
    except RecursionError:
        deep = _DEEP.match(raw, start)
        at = deep.end() - 1 if deep else start
        return _refuse(scanner, start, at, Malformed.INVALID_JSON, "nested too deeply")
    if not _ENDS_LINE.match(raw, end):
        return _refuse(scanner, start, end, Malformed.INVALID_JSON, "more text follows on the line")
    scanner.at = lines.at_offset(end - 1) + 1
    return _read(JsonText(scanner), start, end)


def _end_of_value(text: str, start: int, *, on_line: bool) -> int:
    """Return where the value at `start` ends, which must be on its line for a bare string.

    Raises `JSONDecodeError`, whose position counts from `start`, and `RecursionError`. To make such
    an error takes as long as the text is, so no more of it is shown to `json` than is needed.
    """
    size = _WINDOW
    if on_line:
        line_end = text.find("\n", start)
        text = text[: len(text) if line_end < 0 else line_end]
    while True:
        window = text[start : start + size]
        try:
            return start + int(DECODER.raw_decode(window)[1])
        except json.JSONDecodeError as error:
            is_whole = start + size >= len(text)
            if is_whole or (error.pos < size - _MAX_TOKEN and "Unterminated" not in error.msg):
                raise
        size *= 4


def _refuse(
    scanner: Scanner, start: int, at: int, fault: Malformed, what: str
) -> Iterator[Scanner]:
    """Take JSON that is not valid at offset `at`; with an error if it was meant as a patch."""
    raw, lines = scanner.lines.raw, scanner.lines
    below = _BELOW.search(raw, at + (raw[at : at + 1] in (b"[", b"{")))
    end = max(below.start() - 1 if below else len(raw), at)
    is_meant: object
    if raw[start : start + 1] == b'"':  # on this line; prose may begin with a quotation
        is_meant = _MEANT.match(raw, start) or re.compile(MARKERS).match(raw, start + 1)
        end = at
    else:
        is_meant = fault is Malformed.CUT_JSON or _MEANT.search(raw, start, end)
    if is_meant:
        position = lines.at_offset(at)
        column = at - lines.offset(position) + 1
        scanner.error(fault, lines.number(position), what=what, column=column)
        at = end
    else:  # another patch may begin where this is broken, or in a string that is not closed
        stop = _STOP.search(raw, start + 1, at)
        at = start + max(len(raw[start : stop.start() if stop else at].rstrip()) - 1, 0)
    scanner.at = max(scanner.at, lines.at_offset(at)) + 1
    return iter(())


def _read(text: JsonText, start: int, end: int) -> Iterator[Scanner]:
    """Read a whole value; a patch in it that was not read is an error."""
    yield from _value(Member(text, "", start, end), 0)
    at = start
    for first, last in [*sorted(text.read), (end, end)]:
        for held in _HELD.finditer(text.raw, at, max(first, at)):
            if held["old"] is None or _NEW.search(text.raw, start, end):
                offset = held.start() + held[0].startswith(b"\n")
                text.error(Malformed.PATCH_NOT_READ, offset, read=_READ)
        at = max(at, last)


def _value(member: Member, depth: int) -> Iterator[Scanner]:
    """Read the value of a member: a string with a patch, a list or an object."""
    name = normal(member.name)
    if depth > _MAX_DEPTH:
        return
    if member.opening == '"' and (not name or name in names(_STRINGS)):
        content = member.json.below(b"", member.decode())
        found = len(content.found.sections)
        yield content
        is_beside = name == "command" and found == len(content.found.sections)
        for at in range(content.end) if is_beside else ():
            note_command(content, at)
    elif member.opening == "[":
        yield from _list(member, depth)
    elif member.opening == "{":
        yield from _object(JsonObject(member.json, member.start), name, depth)


def _list(member: Member, depth: int) -> Iterator[Scanner]:
    """Read a command, whose last word is a patch, or objects; one operation makes all that."""
    values = [Member(member.json, "command", *item[1:]) for item in member.items()]
    if values and values[0].opening == '"':
        if _COMMANDS.fullmatch(values[0].raw[1:-1]):
            yield from _value(values[-1], depth + 1)
        else:
            words = b" ".join(each.raw.strip(b'"') for each in values)
            note_command(member.json.below(b"", String(words, member.start)), 0)
        return
    is_listed = any(each and each.word("type") in _HEADERS for each in member.objects())
    name = "operations" if is_listed else normal(member.name)
    for each in filter(None, member.objects()):
        yield from _object(each, name, depth + 1)


def _object(outer: JsonObject, name: str, depth: int) -> Iterator[Scanner]:
    """Read an object: an edit, an operation, or what holds them."""
    text, own = outer.json, outer.in_directory()
    _check_call(own)
    patches = _patches_of(own, is_listed=name in ("operation", "operations"))
    if patches is None and (own.word("type") in _THOUGHTS or own.word("thought") == b"true"):
        patches = iter(())
    if patches is None:
        yield from _inside(own, depth)
    else:
        text.read.append((own.at, own.end))
        yield from patches
    if len(text.scanner.found.sections) > outer.first:
        outer.check()


def _check_call(own: JsonObject) -> None:
    """Count the rows of a benchmark, and refuse a call that has no patch."""
    if own.present(_PREDICTIONS):
        own.json.read.append((own.at, own.end))
        own.json.scanner.found.rows += 1
        if own.json.scanner.found.rows == 2:
            own.error(Malformed.SECOND_PREDICTION)
    if own.word("name tool_name").replace(b"_", b"") == b"applypatch":
        for member in own.present("arguments args parameters input"):
            if _EMPTY.fullmatch(member.raw):
                own.error(Malformed.NO_MEMBER, name="input")


def _inside(own: JsonObject, depth: int) -> Iterator[Scanner]:
    """Read what an object holds: calls, messages, and what a model says in them, but not thinks."""
    own.json.read.extend((each.start, each.end) for each in own.present(_RESULTS))
    if own.word("role") in _OTHER_ROLES:
        return
    for member in own.present(_WRAPPERS):
        first = len(own.json.scanner.found.sections)
        yield from _value(member, depth + 1)
        if member.opening == '"':
            _check_beside(own, first)
    for member in own.present(_ANSWERS) if _is_answer(own) else ():
        if member.opening == '"':
            yield from _value(member._replace(name=""), depth + 1)


def _is_answer(own: JsonObject) -> bool:
    """Return whether an object of an API's answer has what the model says."""
    is_part = own.word("type") in (b"text", b"output_text", b"result")
    is_whole = own.word("role") in (b"assistant", b"model") or "model" in own.members
    return is_part or is_whole or own.members.keys() == {"text"}


def _patches_of(own: JsonObject, *, is_listed: bool) -> Iterator[Scanner] | None:
    """Read an object that says what becomes of a file; None if it is none.

    Returns scanners over what it has in strings.
    """
    kind = own.word("type")
    if edits.read(own):
        return iter(())
    if suggestions.is_comment(own):
        suggestions.read(own)
        return iter(())
    if api_diffs.is_file(own):
        return api_diffs.diff_of(own)
    if own.holds("diff", "[") and own.present(Role.PATH):
        return _listed_blocks(own)
    if kind in _HEADERS or _text_of(own) or (is_listed and own.present("path type")):
        return _operation(own, kind)
    return None


def _listed_blocks(own: JsonObject) -> Iterator[Scanner]:
    """Yield the blocks in a list of objects, for the path beside it."""
    path, diff = own.path(), own.members["diff"]
    for item in diff.objects() if path else ():
        if item is None:
            diff.error(Malformed.NOT_AN_OBJECT)
        else:
            yield own.json.below(b"`%s`\n" % path, item.string("content"), item.at)


def _check_beside(own: JsonObject, first: int) -> None:
    """Check what is beside a string with a patch, whose sections are those from `first` on.

    A path must be that of its file; a member that no call has is noted.
    """
    sections = own.json.scanner.found.sections
    if first == len(sections):
        return
    for member in own.present(Role.PATH):
        path = member.raw.strip(b'"').decode("utf-8", "surrogateescape")
        for section in sections[first:] if path and not path.endswith((".patch", ".diff")) else ():
            named = filter(None, (section.old_path, section.new_path, section.alternate))
            ends = tuple("/" + posixpath.normpath(each).lstrip("/") for each in named)
            if not f"/{posixpath.normpath(path)}".endswith(ends):
                member.error(Malformed.OTHER_FILE, path=path, other=section.path)
    if not own.present(_PREDICTIONS):
        own.note_unknown(Role.PATH, _WRAPPERS, _RESULTS, refuses=False)
    elif "testpatch" in own.members:
        own.json.scanner.found.notes.append("`test_patch` beside the patch was not applied")


def _text_of(own: JsonObject) -> Member | None:
    """Return the member that has hunks or blocks for the file that a path beside it names."""
    for member in own.present(_TEXTS) if own.present(Role.PATH) else ():
        is_sure = normal(member.name) in _SURE_TEXTS
        if _BARE[is_sure].match(own.json.raw, member.start):
            return member
    return None


def _operation(own: JsonObject, kind: bytes) -> Iterator[Scanner]:
    """Add the section that an operation asks for; yield blocks for its path, if it has those.

    A call without a `type` is of a tool: it updates the file, or says what it does in `operation`.
    """
    text, errors = own.json, own.json.scanner.errors
    member, is_tool = _text_of(own), "type" not in own.members
    name = member.name if member else "diff"
    if is_tool and member:
        kind = (own.word("operation") or b"update") + b"_file"
    if kind not in _HEADERS:
        own.error(Malformed.UNKNOWN_OPERATION if kind else Malformed.NO_TYPE, kind=kind)
        return
    for unknown in own.members.keys() - names(_OF_OPERATION) if not is_tool else ():
        own.members[unknown].error(Malformed.UNKNOWN_OF_OPERATION)
    has_diff = normal(name) in own.members or kind != b"delete_file"
    diff = own.string(name) if has_diff else String(offset=own.at)
    path = own.path()
    is_blocks = is_tool and _BLOCK.search(diff.value) is not None
    if is_tool:
        own.note_unknown(Role.PATH, _TEXTS, "operation", *([] if is_blocks else [_MOVES]))
    if text.scanner.errors > errors:
        return
    if is_blocks:
        yield text.below(b"`%s`\n" % path, diff, own.at)
    elif Format.OPERATIONS in text.scanner.found.formats:
        header = _HEADERS[kind][1].value.encode() + path + b"\n"
        if own.present(_MOVES):
            header += envelope.Marker.MOVE.value.encode() + own.path(_MOVES) + b"\n"
        value = _added(diff.value, is_tool=is_tool) if kind == b"create_file" else diff.value
        below = text.below(header, String(value, diff.offset, "diff"), own.at)
        _read_section(below, (_HEADERS[kind][0], os.fsdecode(path)))


def _added(value: bytes, *, is_tool: bool) -> bytes:
    """Return the lines of a new file, each with its `+`; a tool may have the file as it is."""
    if is_tool and re.search(rb"(?m)^[^+\n]", value):
        return b"+" + value.removesuffix(b"\n").replace(b"\n", b"\n+")
    # OpenAI's implementation joins the lines of a new file by newlines
    return value.removesuffix(b"\n+") + b"\n" * value.endswith(b"\n+")


def _read_section(scanner: Scanner, expected: tuple[Operation, str]) -> None:
    """Add the section of an operation, which changes one file.

    A `diff` that is an envelope must have exactly the `expected` section (D64).
    """
    sections, errors = scanner.found.sections, scanner.errors
    first, ahead = len(sections), replace(scanner, at=1)
    ahead.skip_blank_lines()
    if ahead.at_end or not ahead.line.startswith(b"*") or not envelope.starts(ahead):
        envelope.read_sections(scanner)
        if len(sections) > first + 1:
            scanner.error(Malformed.MANY_SECTIONS, sections[first + 1].number)
        return
    number = ahead.number
    envelope.parse(ahead)
    ahead.skip_blank_lines()
    actual = [(section.operation, section.path) for section in sections[first:]]
    if scanner.errors == errors and (actual != [expected] or not ahead.at_end):
        scanner.error(Malformed.OTHER_SECTIONS, number)
