r"""Patches in JSON: operations, edits, patches in strings, and the calls and messages around them.

    operation := {"type": "create_file" | "update_file", "path": string, "diff": string}
               | {"type": "delete_file", "path": string}
    edit      := strings to replace, as the tools of agents are called        (see `edits`)
    text      := a string with a patch of any format

They come alone, in a list, one on each line, or inside a call. JSON that is cut off or not valid is
refused, and never repaired by guessing; JSON without any of these is prose (D62, D63).
"""

from __future__ import annotations

import json
import os
import posixpath
import re

from git_opatch.model.json_text import DECODER
from git_opatch.model.options import Format
from git_opatch.model.patch import Operation
from git_opatch.model.sentences import Malformed
from git_opatch.parse import edits, envelope, grammar, read, suggestions
from git_opatch.parse.roles import names, normal
from git_opatch.parse.text import NumberedText, Scanner
from git_opatch.parse.tree import DIRECTORIES, JsonString, Node

_TYPES = {
    b"create_file": (Operation.ADD, envelope.ADD),
    b"update_file": (Operation.UPDATE, envelope.UPDATE),
    b"delete_file": (Operation.DELETE, envelope.DELETE),
}
"""The types of operations, as envelope sections."""
_TEXTS = "diff patch unified_diff search_replace_blocks content contents"
"""Members that have hunks or blocks for the file at a path beside them."""
_MOVES = "move_to move_path"
_HUNKS = re.compile(rb'"(?:\\[nrt]|\s)*(?:@@ -\d+(?:,\d+)? \+\d|' + grammar.BLOCK.pattern + rb")")
_SURE_HUNKS = re.compile(rb'"(?!(?:\\[nrt]|\s)*(?:\*\*|diff |--- |Index: |<FILE_|```))')
"""How hunks or blocks begin in a string: alone, and in a member that has nothing else."""
_BLOCK = re.compile(
    rb"(?m)^[ \t\r\f\v]*+(?:" + grammar.FORMATS[Format.SEARCH_REPLACE].begins + rb")"
)
_OF_OPERATION = "type path diff call_id id status caller " + DIRECTORIES
_PREDICTIONS = "model_patch fix_patch test_patch"
"""What only a row of a benchmark has, or a prediction for one: `patch` is beside them, too."""
_STRINGS = "patch patchText input arguments command diff unified_diff model_patch fix_patch"
_WRAPPERS = (
    f"operation operations {_STRINGS} output action tool_calls function function_call tool_input "
    "args parameters message content parts payload candidates choices file files changes diffs "
    "notes comments"
)
_ANSWERS = "content text result response output_text"
"""What an API calls the text that a model answers."""
_READ = "`patch`, `patchText`, `input`, `arguments`, `command`, `operation`, `operations`"
_RESULTS = "tool_response tool_use_result"
"""What agents record of a call that was made: its edits are in the file."""
_PROGRAMS = re.compile(rb'"(?:.*/)?(?:apply_?patch|(?:ba|z|da|k)?sh)"')
_MAX_DEPTH, _WINDOW, _MAX_TOKEN = 8, 4096, 64
_LIKELY = re.compile(rb"[ \t]*+(?=([^ \t]))(?:" + grammar.JSON + rb")")
_LINE_END = re.compile(rb"[ \t\r]*(?:\n|\Z)|(?<=\])(?=\[)")
_DEEP = re.compile(rb"(?:[^\[{]*+[\[{]){100}")
_NEW = re.compile(rb"[\"'](?:new_?(?:[sS]tring|[sS]tr|[tT]ext)|ReplacementContent)[\"']\s*+:")
_STARTS_OTHER = rb"[ \t]*(?:```|~~~|" + grammar.OPENS + rb")"
_STOP = re.compile(rb"(?m)^" + _STARTS_OTHER)
_BELOW = re.compile(rb"(?m)^(?:[{\[]|" + _STARTS_OTHER + rb")")
"""Where JSON that is not valid ends: at a fence, another patch, or other JSON."""


def read_calls(scanner: Scanner) -> bool:
    """Take the JSON value that begins at the next line, and read each patch in it."""
    text, raw = scanner.text, scanner.text.raw
    match = _LIKELY.match(raw, scanner.offset)
    if match is None:
        return False
    start = match.start(1)
    while True:
        at, fault, what = _end_of(scanner.text, start)
        if what:
            _refuse(scanner, start, at, fault, what)
            return True
        scanner.at = text.position(at - 1) + 1
        root = Node(scanner, start, at)
        _walk(root, "", 0)
        _report_not_read(root)
        if raw[at : at + 1] != b"[":
            return True
        start = at  # the pages of a list, as `gh api --paginate` prints them


def _end_of(text: NumberedText, start: int) -> tuple[int, Malformed, str]:
    """Return the offset of the end of the value at `start`; or of what is wrong, and what is."""
    whole, size = text.latin_1, _WINDOW
    if whole[start] == '"':  # a bare string is on its line
        whole = whole[: (whole.find("\n", start) + 1 or len(whole) + 1) - 1]
    # To make an error takes as long as the text is, so no more is shown to `json` than is needed.
    while True:
        try:
            at = start + int(DECODER.raw_decode(whole[start : start + size])[1])
        except json.JSONDecodeError as error:
            is_open = error.msg.startswith("Unterminated")
            if start + size < len(whole) and (is_open or error.pos >= size - _MAX_TOKEN):
                size *= 4
                continue
            at = start + error.pos
            is_cut = is_open or not text.raw[at:].strip()
            fault = Malformed.CUT_JSON if is_cut else Malformed.INVALID_JSON
            return at, fault, error.msg.lower()
        except RecursionError:
            deep = _DEEP.match(text.raw, start)
            at = deep.end() - 1 if deep else start
            return at, Malformed.INVALID_JSON, "nested too deeply"
        is_alone = _LINE_END.match(text.raw, at)
        return at, Malformed.INVALID_JSON, "" if is_alone else "more text follows on the line"


def _report_not_read(root: Node) -> None:
    """Report what `root` holds that looks like a change of a file and was not read."""
    text, before = root.scanner.text, root.start
    for first, last in [*sorted(text.read), (root.end, root.end)]:
        for held in grammar.HELD.finditer(text.raw, before, max(first, before)):
            if held["old"] is None or _NEW.search(text.raw, root.start, root.end):
                offset = held.start() + held[0].startswith(b"\n")
                root.error(Malformed.PATCH_NOT_READ, offset, read=_READ)
        before = max(before, last)
    text.read.clear()


def _refuse(scanner: Scanner, start: int, at: int, fault: Malformed, what: str) -> None:
    """Take JSON that is not valid at offset `at`; with an error if it was meant as a patch."""
    text, raw = scanner.text, scanner.text.raw
    below = _BELOW.search(raw, at + (raw[at : at + 1] in (b"[", b"{")))
    end = max(below.start() - 1 if below else len(raw), at)
    is_meant: object = fault is Malformed.CUT_JSON or grammar.MEANT.search(raw, start, end)
    if raw[start : start + 1] == b'"':  # on this line; prose may begin with a quotation
        markers = re.compile(grammar.MARKERS)
        is_meant, end = grammar.MEANT.match(raw, start) or markers.match(raw, start + 1), at
    if is_meant:
        position = text.position(at)
        column = at - text.starts[position] + 1
        scanner.error(fault, text.number(position), what=what, column=column)
        at = end
    else:  # another patch may begin where this is broken, or in a string that is not closed
        stop = _STOP.search(raw, start + 1, at)
        at = start + max(len(raw[start : stop.start() if stop else at].rstrip()) - 1, 0)
    scanner.at = max(scanner.at, text.position(at)) + 1


def _walk(node: Node, name: str, depth: int) -> None:
    """Read a value: a string with a patch, a command, a list, or an object."""
    sections = node.scanner.contents.sections
    first, name = len(sections), normal(name)
    if node.opening == '"' and (not name or name in names(_STRINGS)):
        content = node.below(b"", node.decode())
        read(content)
        for at in range(content.end) if name == "command" and first == len(sections) else ():
            grammar.note_command(content, at)
    elif node.opening == "[":
        _walk_list(node, name, depth)
    elif node.opening == "{":
        own = node.in_directory()
        _object(own, name, depth)
        if first < len(sections):
            node.check()


def _walk_list(node: Node, name: str, depth: int) -> None:
    """Read a list: the words of a command, or objects, or pages of these."""
    values = node.items("command")
    if values and values[0].opening == '"':
        if _PROGRAMS.fullmatch(values[0].raw):
            _walk(values[-1], "command", depth)
        elif name == "command":  # another one
            words = b" ".join(value.raw.strip(b'"') for value in values)
            grammar.note_command(node.below(b"", JsonString(words, node.start)), 0)
        return
    if any(value.opening == "{" and value.word("type") in _TYPES for value in values):
        name = "operations"  # one makes all that
    is_pages = all(value.opening == "[" for value in values)  # of `gh api --slurp`
    firsts, sections = set[int](), node.scanner.contents.sections
    for value in values if depth < _MAX_DEPTH else ():
        if value.opening == "{" or is_pages:
            firsts.add(len(sections))
            _walk(Node(node.scanner, value.start, value.end), name, depth + 1)
    if name in ("choices", "candidates") and len({*firsts, len(sections)}) > 2:
        node.error(Malformed.SEVERAL_SAMPLES)


def _object(own: Node, name: str, depth: int) -> None:
    """Read an object: an edit, an operation, or what holds them."""
    contents, spans = own.scanner.contents, own.scanner.text.read
    kind, role = own.word("type"), own.word("role")
    if own.present(_PREDICTIONS):
        spans.append((own.start, own.end))
        contents.rows += 1
        if contents.rows == 2:
            own.error(Malformed.SECOND_PREDICTION)
    _check_input(own)
    is_thought = kind in (b"thinking", b"reasoning") or own.word("thought") == b"true"
    if _change(own, kind, name in ("operation", "operations")) or is_thought:
        spans.append((own.start, own.end))
        return
    spans.extend((member.start, member.end) for member in own.present(_RESULTS))
    if role in (b"user", b"system", b"developer", b"tool") or depth >= _MAX_DEPTH:
        return
    for member in own.present(_WRAPPERS):
        first = len(contents.sections)
        _walk(Node(own.scanner, member.start, member.end, member.name), member.name, depth + 1)
        if member.opening == '"' and first < len(contents.sections):
            _check_beside(own, first)
    for member in _answers(own, kind, role):
        _walk(Node(own.scanner, member.start, member.end), "", depth + 1)


def _check_input(own: Node) -> None:
    """Report a call of `apply_patch` whose input is empty."""
    if own.word("name tool_name").replace(b"_", b"") == b"applypatch":
        for member in own.present("arguments args parameters input"):
            if re.fullmatch(rb'"?\s*\{\s*\}\s*"?', member.raw):
                own.error(Malformed.NO_MEMBER, name="input")


def _answers(own: Node, kind: bytes, role: bytes) -> list[Node]:
    """Return the strings of an API's answer that say what the model says."""
    is_part = kind in (b"text", b"output_text", b"result")
    is_whole = role in (b"assistant", b"model") or "model" in own.members
    if is_part or is_whole or own.members.keys() == {"text"}:
        return [member for member in own.present(_ANSWERS) if member.opening == '"']
    return []


def _change(own: Node, kind: bytes, is_listed: bool) -> bool:
    """Read an object that says what becomes of a file; False if it is none."""
    members, is_list = own.members, own.holds("diff", "[") and own.present("PATH")
    if edits.read_edit(own):
        return True
    if suggestions.is_comment(own):
        suggestions.read_comment(own)
    elif {"filename", "status"} <= members.keys():
        own.error(Malformed.FILES_OF_API, command="gh pr diff NUMBER")
    elif {"oldpath", "newpath", "diff"} <= members.keys():
        own.error(Malformed.FILES_OF_API, command="glab mr diff NUMBER")
    elif is_list:  # blocks in objects
        path, diff = own.path(), members["diff"]
        for item in diff.objects() if path else ():
            if item is None:
                diff.error(Malformed.NOT_AN_OBJECT)
            else:
                read(item.below(b"`%s`\n" % path, item.string("content")))
    elif kind in _TYPES or _text_of(own) or (is_listed and own.present("path type")):
        _operation(own, kind)
    else:
        return False
    return True


def _check_beside(own: Node, first: int) -> None:
    """Check what is beside a string with a patch, whose sections are those from `first` on.

    A path must be that of its file; a member that no call has is noted.
    """
    contents = own.scanner.contents
    for member in own.present("PATH"):
        path = os.fsdecode(member.raw.strip(b'"'))
        for section in (
            contents.sections[first:] if path and not path.endswith((".patch", ".diff")) else ()
        ):
            named = (posixpath.normpath(name).lstrip("/") for name in section.names)
            if not f"/{posixpath.normpath(path)}".endswith(tuple("/" + name for name in named)):
                member.error(Malformed.OTHER_FILE, path=path, other=section.path)
    if not own.present(_PREDICTIONS):
        own.note_unknown("PATH", _WRAPPERS, _RESULTS, refuses=False)
    elif "testpatch" in own.members:
        contents.notes.append("`test_patch` beside the patch was not applied")


def _text_of(own: Node) -> Node | None:
    """Return the member that has hunks or blocks for the file that a path beside it names."""
    for member in own.present(_TEXTS) if own.present("PATH") else ():
        is_sure = not normal(member.name).startswith("content")
        if (_SURE_HUNKS if is_sure else _HUNKS).match(member.raw):
            return member
    return None


def _operation(own: Node, kind: bytes) -> None:
    """Add the section that an operation asks for, or read blocks for its path.

    A call without a `type` is of a tool: it updates the file, or says what it does in `operation`.
    """
    contents, errors = own.scanner.contents, own.scanner.errors
    member, is_tool = _text_of(own), "type" not in own.members
    name = member.name if member else "diff"
    if is_tool and member:
        kind = (own.word("operation") or b"update") + b"_file"
    if kind not in _TYPES:
        own.error(Malformed.UNKNOWN_OPERATION if kind else Malformed.NO_TYPE, kind=kind)
        return
    for unknown in own.members.keys() - names(_OF_OPERATION) if not is_tool else ():
        own.members[unknown].error(Malformed.UNKNOWN_OF_OPERATION)
    has_diff = normal(name) in own.members or kind != b"delete_file"
    diff = own.string(name) if has_diff else JsonString(offset=own.start)
    path, value = own.path(), diff.value
    is_blocks = is_tool and _BLOCK.search(value)
    if is_tool:
        own.note_unknown("PATH", _TEXTS, "operation", *([] if is_blocks else [_MOVES]))
    if contents.errors > errors:
        return
    if is_blocks:
        read(own.below(b"`%s`\n" % path, diff))
    elif Format.OPERATIONS in contents.formats:
        _read_section(own, kind, path, diff, is_tool=is_tool)


def _read_section(own: Node, kind: bytes, path: bytes, diff: JsonString, *, is_tool: bool) -> None:
    """Add the section of an operation, which changes one file.

    A `diff` that is an envelope must have exactly the expected section (D64).
    """
    operation, marker = _TYPES[kind]
    header, value = marker.encode() + path + b"\n", diff.value
    if own.present(_MOVES):
        header += envelope.MOVE.encode() + own.path(_MOVES) + b"\n"
    if kind == b"create_file":
        if is_tool and re.search(rb"(?m)^[^+\n]", value):  # it may have the file as it is
            value = b"+" + value.removesuffix(b"\n").replace(b"\n", b"\n+")
        elif value.endswith(b"\n+"):  # OpenAI's implementation joins lines by newlines
            value = value[:-2] + b"\n"
    scanner = own.below(header, JsonString(value, diff.offset, "diff"))
    sections, errors = scanner.contents.sections, scanner.errors
    first, ahead = len(sections), scanner.moved_to(1)
    ahead.skip_blank_lines()
    if not ahead.line.startswith(b"*") or not grammar.is_begin(ahead.line):
        envelope.read_sections(scanner)
        if len(sections) > first + 1:
            scanner.error(Malformed.MANY_SECTIONS, sections[first + 1].number)
        return
    number = ahead.number
    envelope.parse(ahead)
    ahead.skip_blank_lines()
    actual = [(section.operation, section.path) for section in sections[first:]]
    if scanner.errors == errors and (actual != [(operation, os.fsdecode(path))] or ahead.more):
        scanner.error(Malformed.OTHER_SECTIONS, number)
