"""Complete a call that would apply, so that what is checked is what will be written (D261, D263).

    Codex's and OpenCode's apply_patch, Codex's shell     the envelope that does what is planned
    OpenCode's edit                                       the strings that do what is planned
    another shell                          `git opatch apply-patch` with the patch as it is

A shell of Codex hands a call of `apply_patch` to the tool; what the tool cannot do is done as in
other shells, which have no such program.

A client takes the first place where the old lines are. So they are the file's own, with as much
context as makes them occur once in the file: whatever is compared then, that place is found. What
the tools cannot write is `Inexpressible`. Rules: Codex 0.169 and OpenCode 1.18.33, of which both
read UTF-8 and end the last line of an envelope's file; Codex ends added lines as the file's first
one; OpenCode's `apply_patch` takes a carriage return for text, and drops a blank line at the end of
a file that it updates; its `edit` ends all lines alike; neither sees a byte-order mark.
"""

from __future__ import annotations

import os
import posixpath
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from pathlib import Path
from posixpath import join
from typing import NamedTuple

from git_opatch.agent.hook import Judged, Place
from git_opatch.agent.hook_event import PATCH_TOOL, ToolCall
from git_opatch.complete.edits import Edit, written_lines
from git_opatch.complete.tree import Result
from git_opatch.create.hunks import HunkRange, LineChange, make_hunk, prefixed
from git_opatch.create.writers import write
from git_opatch.model.blob import Mode
from git_opatch.model.client import Client
from git_opatch.model.errors import InputError
from git_opatch.model.options import Format
from git_opatch.model.patch import FilePatch, Hunk, Line, Operation, Prefix
from git_opatch.model.text import BYTE_ORDER_MARK, Text, visible

_DELIMITER = "EOF"


class AgentHook(Enum):
    """What the hook does with a call that would apply (`opatch.agentHook`)."""

    REWRITE = "rewrite"
    CHECK = "check"
    """Nothing."""


def rewrite(
    call: ToolCall, judged: Judged, place: Place, program: Sequence[str]
) -> Mapping[str, object]:
    """Return the arguments to put in place of those of `call`; empty to leave them.

    `program` are the words that start git opatch. Left as it is: a patch for files outside of the
    working tree alone, a command that is a list of words, and a patch for the tool of a client
    that is not known. Raises `InputError` if the client could not do what is planned, with what
    to do instead.
    """
    if not judged.actions or not call.is_text:
        return {}
    if call.is_patch_tool and call.client is Client.CLAUDE:
        return {}  # which has no such tool: another client with the same events
    if judged.outside:
        paths = ", ".join(f"`{visible(section.path)}`" for section in judged.outside)
        raise InputError(
            f"{paths}: outside of the working tree, while other files of the patch are in it\n"
            "send a patch of its own for what is outside"
        )
    if not call.is_patch_tool and not call.edit and "\0" in call.arguments[call.argument]:
        raise InputError("the command has a NUL, which shells drop or end at; send it without")
    results = {below: action.plan.completed.results for below, action in judged.actions.items()}
    try:
        if call.edit:
            ((below, (result, *_)),) = results.items()
            old, new = write_edit(result, place.top / below)
            return {"oldString": old, "newString": new, "replaceAll": False}
        if call.is_patch_tool:
            patch = write_envelope(results, place.top, place.prefix, call.client)
            return {call.argument: patch}
    except Inexpressible as inexpressible:
        raise _unable(call, inexpressible, program) from None
    directory = shlex.quote(str(place.directory)) if judged.invocation.directory else ""
    if call.client is Client.CODEX:
        with suppress(Inexpressible):
            patch = write_envelope(results, place.top, place.prefix, call.client)
            return {call.argument: _script(directory, PATCH_TOOL, patch)}
    command = shlex.join([*program, "apply-patch"])
    return {call.argument: _script(directory, command, judged.invocation.patch)}


def _unable(call: ToolCall, why: Inexpressible, program: Sequence[str]) -> InputError:
    instead = shlex.join([*program, "apply-patch"])
    what, tool = ("edit", "edit") if call.edit else ("patch", PATCH_TOOL)
    text = "these arguments as JSON" if call.edit else "the same patch"
    return InputError(
        f"{visible(why.path)}: {why.reason}\n"
        f"the {what} would apply, but the tool `{tool}` of {call.client.title} cannot make this "
        f"change; run in a shell, with {text}: {instead} <<'{_DELIMITER}'"
    )


def _script(directory: str, command: str, patch: str) -> str:
    """Write the script that runs `command` with `patch` as its input.

    No line of the patch can end the heredoc, in which a shell expands nothing.
    """
    body = patch if patch.endswith("\n") else f"{patch}\n"
    delimiter = _DELIMITER
    while f"\n{delimiter}\n" in f"\n{body}":
        delimiter += "_"
    before = f"cd {directory} && " if directory else ""
    return f"{before}{command} <<'{delimiter}'\n{body}{delimiter}\n"


_MARKERS = (b"***", b"@@")
_CONTEXT = 3


class Inexpressible(Exception):  # noqa: N818 - an answer, not a fault
    """The client's own tool cannot change the file `path` as planned; `reason` says why."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason


class _Change(NamedTuple):
    """What becomes of one file: its text in the working tree before and after, None if absent."""

    path: str
    old: bytes | None
    new: bytes | None
    target: str
    """Where the file is afterwards; `path`, unless it is moved."""
    edits: tuple[Edit, ...] = ()


def write_envelope(
    results: Mapping[str, Sequence[Result]], top: Path, prefix: str, client: Client
) -> str:
    """Write the envelope that does what `results` say, for a call made in `prefix` below `top`.

    They are by the directory below `top` of the repository that has the files. Raises
    `Inexpressible` if the client could not do just that.
    """
    changes = [
        change._replace(path=join(below, change.path), target=join(below, change.target))
        for below, parts in results.items()
        for change in [_change_of(result, top / below) for result in parts]
    ]
    _require_separate(changes)
    for change in changes:
        _require_endings(change, client)
    sections = [section for change in changes for section in _sections(change, prefix, client)]
    return os.fsdecode(write(sections, Format.ENVELOPE))


def write_edit(result: Result, top: Path) -> tuple[str, str]:
    """Return the old and the new string of OpenCode's tool `edit`: all edits of the file in one.

    Raises `Inexpressible` if the client could not do just that.
    """
    change = _change_of(result, top)
    old, new = change.old or b"", change.new or b""
    if b"\r" in old + new and not _ends_with_cr(old, new):
        raise Inexpressible(change.path, "has different line endings, which it would not keep")
    old, new = (data.removeprefix(BYTE_ORDER_MARK) for data in (old, new))
    lines = old.split(b"\n")
    shown = _certain(lines, change.edits)
    head = sum(len(line) + 1 for line in lines[: shown.first])
    tail = len(b"\n".join(lines[shown.last :]))
    return old[head : len(old) - tail].decode(), new[head : len(new) - tail].decode()


def _change_of(result: Result, top: Path) -> _Change:
    """Read the file, and put the planned change in terms of its text. Raises `Inexpressible`."""
    old, new, path = result.old, result.content, result.path
    if old is None or (new is not None and new.copied):
        if new is None or new.mode is not Mode.REGULAR:
            raise Inexpressible(path, "cannot be created as an executable or a symbolic link")
        return _Change(path, None, _require_utf8(path, new.text.to_bytes()), path)
    if not old.entry.mode.is_file or (new is not None and new.mode is not old.entry.mode):
        raise Inexpressible(path, "is a symbolic link, or its mode is to be changed")
    if new is None:
        return _Change(old.path, b"", None, old.path)
    if result.renamed and new.mode is Mode.EXECUTABLE:
        raise Inexpressible(old.path, "would not be executable any more after the move")
    data, after = _read(top, old.path), new.text.to_bytes()
    if data != old.data:
        if data != old.data.replace(b"\n", b"\r\n"):
            reason = "is stored otherwise by git than it is on disk (a filter)"
            raise Inexpressible(old.path, reason)
        after = after.replace(b"\n", b"\r\n")
    for text in (data, after):
        _require_utf8(old.path, text)
    if data.startswith(BYTE_ORDER_MARK) != after.startswith(BYTE_ORDER_MARK):
        raise Inexpressible(old.path, "gets a byte-order mark, or loses it")
    return _Change(old.path, data, after, path, new.edits)


def _read(top: Path, path: str) -> bytes:
    try:
        return (top / path).read_bytes()
    except OSError as error:
        raise Inexpressible(path, f"cannot be read: {error.strerror}") from None


def _require_utf8(path: str, data: bytes) -> bytes:
    try:
        data.decode()
    except UnicodeDecodeError:
        raise Inexpressible(path, "is not UTF-8") from None
    return data


def _require_separate(changes: Sequence[_Change]) -> None:
    """Raise `Inexpressible` if the order of the changes would matter, as in a swap of names."""
    named = [path for change in changes for path in {change.path, change.target}]
    for path in named:
        if named.count(path) > 1:
            raise Inexpressible(path, "has to change together with another file of that name")
        if path != path.strip() or "\n" in path:
            raise Inexpressible(path, "has a name that an envelope cannot have")


def _require_endings(change: _Change, client: Client) -> None:
    """Raise `Inexpressible` if the tool would end the lines of the file otherwise than planned."""
    old, new = change.old or b"", change.new or b""
    if new and not (new.endswith(b"\n") and (old.endswith(b"\n") or b"\r" not in old)):
        raise Inexpressible(change.path, "has no newline at its end, and would get one")
    if client is Client.OPENCODE and change.old is not None and (b"\n" + new).endswith(b"\n\n"):
        raise Inexpressible(change.path, "ends with a blank line, which it would drop")
    if client is Client.CODEX and b"\r" in old + new and not _ends_with_cr(old, new):
        raise Inexpressible(change.path, "has line endings that it would not keep")


def _ends_with_cr(*texts: bytes) -> bool:
    """Return whether every line of the texts ends with a carriage return, and none has another."""
    return all(0 < text.count(b"\n") == text.count(b"\r\n") == text.count(b"\r") for text in texts)


def _sections(change: _Change, prefix: str, client: Client) -> Iterator[FilePatch]:
    """Yield the sections for one file: two where one with nothing in it is moved."""
    path, target = (
        posixpath.relpath(name, prefix) if prefix else name for name in (change.path, change.target)
    )
    is_replaced = path != target and not change.old  # which has no line for a hunk to show
    if change.new is None or is_replaced:
        yield FilePatch(Operation.DELETE, path, None)
    if change.old is None or is_replaced:
        new = Text.from_bytes(change.new or b"")
        if client is Client.OPENCODE and new.lines[-1:] == [b""]:  # which takes its newline off
            new = Text([*new.lines, b""])
        yield FilePatch(Operation.ADD, None, target, (Hunk([*prefixed(Prefix.ADDED, new)]),))
    elif change.new is not None:
        operation = Operation.UPDATE if path == target else Operation.MOVE
        yield FilePatch(operation, path, target, (_hunk(change, client),))


def _hunk(change: _Change, client: Client) -> Hunk:
    """Make the hunk that has all edits; the tools want one for a move, too."""
    old, new = (_text(data or b"", client) for data in (change.old, change.new))
    hunk = make_hunk(old, new, _certain(old.lines, change.edits))
    return Hunk([shown for line in hunk.lines for shown in _unmistakable(line)])


def _text(data: bytes, client: Client) -> Text:
    """Split a file into the lines that a patch names, of which the last gets a newline."""
    is_codex = client is Client.CODEX
    text = data.replace(b"\r\n", b"\n") if is_codex else data.removeprefix(BYTE_ORDER_MARK)
    return Text(Text.from_bytes(text).lines)


def _unmistakable(line: Line) -> Iterator[Line]:
    """Yield a line; one of context that looks like a marker is removed and added again."""
    is_marker = line.prefix is Prefix.CONTEXT and line.text.strip().startswith(_MARKERS)
    prefixes = (Prefix.REMOVED, Prefix.ADDED) if is_marker else (line.prefix,)
    return (line._replace(prefix=prefix) for prefix in prefixes)


def _certain(lines: Sequence[bytes], edits: Sequence[Edit]) -> HunkRange:
    """Return the range of all `edits` with so much context that it occurs once, or is the file."""
    changes = [
        LineChange(edit.start, edit.stop, new.start, new.stop)
        for edit, new in zip(edits, written_lines(edits), strict=True)
    ]
    hunk = HunkRange(changes or [LineChange(0, 0, 0, 0)], _CONTEXT, len(lines))
    text = b"\n".join(lines)
    while not hunk.is_whole:
        shown = b"\n".join(lines[hunk.first : hunk.last])
        if text.find(shown, text.find(shown) + 1) < 0:
            break
        hunk = hunk.wider()
    return hunk
