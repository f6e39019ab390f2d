r"""Calls of tools as models write them, which a server did not parse.

    <tool_call>{"name": …}</tool_call>          [TOOL_CALLS]edit[ARGS]{…}
    <|channel|>commentary to=functions.edit <|message|>{…}<|call|>
    <tool_call><function=edit><parameter=path>a.py</parameter>…        <invoke name="edit">…
    <tool_call>edit<arg_key>path</arg_key><arg_value>a.py</arg_value>…

Each becomes the call in JSON. Source: the chat templates of Qwen, GLM, Kimi and Mistral models, and
OpenAI's harmony format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from git_opatch.model.json_text import DECODER
from git_opatch.model.sentences import Malformed
from git_opatch.parse.formats import BEGIN, END
from git_opatch.parse.roles import STRINGS, Role, normal, roles_of
from git_opatch.parse.scanner import Lines, Scanner

_TOKEN = rb"<\|[\w-]+\|>|</?tool_calls?>|\[/?(?:TOOL_CALLS|ARGS)\]"
_PREFIX = re.compile(
    rb"[ \t]*(?=<|\[T|functions\.)(?:" + _TOKEN + rb"|assistant|commentary|final|json"
    rb"|(?:to=)?functions\.(?P<name>[\w-]+)(?::\d+)?|(?<=\])(?P<called>[\w-]+)(?=\[)|[ \t])+"
)
_REST = re.compile(rb"(?:[ \t\r]|" + _TOKEN + rb")*(?:\n|\Z)")
_PATCH = re.compile(rb"(?s)" + BEGIN + rb"(?:(?!" + BEGIN + rb").)*?" + END)
_BEGIN = re.compile(
    rb"[ \t]*(?:<tool_call>\s*)?(?:<function=|<invoke name=\"|(?<=<tool_call>))"
    rb"(?P<tool>\w[\w-]*)(?:\"?>|(?=\s*<arg_key>))"
)
_MEMBER = re.compile(
    rb"(?s)\s*<(?:parameter(?P<lines>=)|parameter name=\"|arg_key>\s*)(?P<name>\w+)"
    rb"(?:\"[^>\n]*>|>|\s*</arg_key>\s*<arg_value>)(?(lines)(?:\r?\n)?)"
    rb"(?P<value>(?:(?!</?(?:parameter|function|invoke|tool_call|arg_value)\b).)*?)"
    rb"(?(lines)(?:\r?\n)?)</(?:parameter|arg_value)>"
)
"""A name and its value, in which no other tag of a call begins."""
_END = re.compile(rb"(?s)\s*(?:</function>|</invoke>|(?=</tool_call>))(?:\s*</tool_call>)?[^\n]*")


def unwrap(scanner: Scanner) -> Iterator[Scanner] | None:
    """Take the call that begins at the next line; yield a scanner over it in JSON."""
    lines, at = scanner.lines, scanner.at
    start = lines.offset(at)
    found = _tagged(scanner, start) or _prefixed(lines, start)
    if found is None:
        return None
    text, end = found
    scanner.at = lines.at_offset(end - 1) + 1
    return iter([scanner.nested(Lines(text, lines.numbers_from(at)))] if text else [])


def _prefixed(lines: Lines, start: int) -> tuple[bytes, int] | None:
    """Return the JSON, or the patch, that tokens of a template are around, and where they end."""
    match = _PREFIX.match(lines.raw, start)
    if match is None:
        return None
    name, end = match["name"] or match["called"], match.end()
    if lines.raw[end : end + 1] == b"{":
        line = lines.raw[end : (lines.raw.find(b"\n", end) + 1) or None].decode("latin-1")
        try:
            stop = end + int(DECODER.raw_decode(line)[1])
        except (ValueError, RecursionError):
            return None
        text = lines.raw[end:stop]
        text = b'{"name": "%s", "arguments": %s}' % (name, text) if name else text
    elif patch := _PATCH.match(lines.raw, end):
        text, stop = patch[0] + b"\n", patch.end()
    else:
        return None
    rest = _REST.match(lines.raw, stop)
    return (text, rest.end()) if rest else None


def _tagged(scanner: Scanner, start: int) -> tuple[bytes, int] | None:
    """Return the call that tags of names and values are, in JSON, and where it ends.

    One that replaces strings and is not whole is an error, and empty.
    """
    raw = scanner.lines.raw
    begin = _BEGIN.match(raw, start)
    if begin is None:
        return None
    members: dict[str, object] = {}
    at = begin.end()
    while member := _MEMBER.match(raw, at):
        name = member["name"].decode("utf-8", "surrogateescape")
        members[name] = _value(name, member["value"].decode("utf-8", "surrogateescape"))
        at = member.end()
    end = _END.match(raw, at)
    if end is None:
        if any(Role.OLD in roles_of(normal(name)) for name in members):
            scanner.error(Malformed.CUT_CALL)
            return b"", at
        return None
    made = {"name": begin["tool"].decode("latin-1"), "arguments": members}
    call = json.dumps(made, ensure_ascii=False)
    return call.encode("utf-8", "surrogateescape"), end.end()


def _value(name: str, text: str) -> object:
    """Return the value of a member: a string, unless it plays another role and is JSON."""
    if not roles_of(normal(name)).isdisjoint(STRINGS):
        return text
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, str) else value
