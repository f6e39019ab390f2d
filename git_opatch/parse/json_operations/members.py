"""The members of JSON objects, and how they are read (D62).

    {"type": "update_file", "path": …, "diff": …}       an operation
    {"patch": "*** Begin Patch…", "workdir": "lib"}     a patch in a string, and its directory
    {"tool_calls": [{"function": {"arguments": …}}]}    wrappers of either

What is not in the tables is not read.
"""

from __future__ import annotations

from collections.abc import Collection

from git_opatch.parse.envelope.marker import Marker
from git_opatch.parse.json_operations.json_text import iter_items

HEADERS = {
    b"create_file": Marker.ADD.value.encode(),
    b"update_file": Marker.UPDATE.value.encode(),
    b"delete_file": Marker.DELETE.value.encode(),
}
"""The types of operations, as the markers of envelope sections."""
CALL = b"apply_patch_call"
OPERATIONS = ("operation", "operations")
STRINGS = ("patch", "patchText", "input", "arguments", "command")
CALLS = (
    "tool_calls",
    "function",
    "functionCall",
    "function_call",
    "tool_input",
    "args",
    "parameters",
)
"""Wrappers of a call's arguments: OpenAI's, Gemini's, those of Claude Code's hooks."""
MESSAGES = ("message", "content", "parts")
"""Wrappers of calls in a message: Anthropic's, Gemini's."""
WRAPPERS = (*OPERATIONS, *STRINGS, "output", "action", *CALLS, *MESSAGES)
READ = ", ".join(f"`{name}`" for name in (*STRINGS, *OPERATIONS))
"""The members that hold a patch, for messages."""
FLAGS = ("reverse", "dry_run")
DIRECTORIES = ("workdir", "cwd", "working_directory")
OTHER_DIRECTORIES = ("directory", "dir")
"""Near misses of those."""
OF_OPERATION = {"type", "path", "diff", *DIRECTORIES}
IGNORED = {"call_id", "id", "status", "caller"}
_KNOWN = {"type", "path", "diff", *WRAPPERS, *FLAGS, *DIRECTORIES, *OTHER_DIRECTORIES}
_MAX_REPEATS = 2

Members = dict[str, list[tuple[int, int]]]
"""The spans of the values of known members, by name; more than one is an error."""


def read_members(raw: bytes, at: int, known: Collection[str] = _KNOWN) -> Members:
    """Return the `known` members of the valid object at offset `at`, except for nulls."""
    members: Members = {}
    for key, start, end in iter_items(raw, at):
        name = name_of(key)
        if name in known and raw[start:end] != b"null":
            spans = members.setdefault(name, [])
            if len(spans) < _MAX_REPEATS:
                spans.append((start, end))
    return members


def name_of(key: bytes) -> str:
    """Return a key without its quotes; escapes are not decoded: no known name has any."""
    return key[1:-1].decode("latin-1")
