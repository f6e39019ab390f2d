"""What is around patches: indentation, messages and mails, drafts, and calls that a server did not
parse.

What else is in a mail (author, encoding, attachments) `git mailinfo` reads (`git.mail`).
"""

from __future__ import annotations

import json
import os
import re

from git_opatch.model.json_text import DECODER
from git_opatch.model.sentences import Malformed
from git_opatch.model.text import indentation
from git_opatch.parse import grammar, read
from git_opatch.parse.roles import is_old, value_of
from git_opatch.parse.text import NumberedText, Scanner

_ENDING = re.compile(rb"(?i)[ \t]*(?:" + grammar.ENDING + rb")")
_LAST = re.compile(rb"[ \t]*(?:(?i:" + grammar.ENDING + rb")|" + grammar.MARKS + rb")\s*")
_DRAFT = re.compile(rb"[ \t]*(?:<(" + grammar.DRAFT + rb")>|" + grammar.DRAFT_END + rb")")
_OUTSIDE = rb"(?m)(?:\A|^(?![+-]\S|[ \t]))[^\n]*?</"
_DIFF = re.compile(rb"diff -|Index: |--- \S")
_JSON_LINE = re.compile(rb"(?m)^[ \t]*[\[{].*")
_MESSAGE_END = re.compile(rb"diff -|Index: |--- \S|---\s*$")
_ENCODED = re.compile(
    rb"(?i)Content-Transfer-Encoding:\s*(quoted-printable|base64)|Content-Type:\s*(multipart/\w+)"
)


def read_indented(scanner: Scanner) -> bool:
    """Take the indented block that has a patch here: the lines around its beginning that are
    indented at least as it is, with the blank lines between them."""
    lines, indent = scanner.lines, indentation(scanner.line)
    if not indent or scanner.at < scanner.flush_until:
        return False
    first = scanner.at
    while first and lines[first - 1].strip() and lines[first - 1].startswith(indent):
        first -= 1
    scanner.flush_until = end = _end_of_indented(scanner, indent)
    texts = [line.removeprefix(indent) for line in lines[first:end]]
    if not _is_whole(scanner.moved_to(end), texts):
        return False
    raw, numbers = b"".join(text + b"\n" for text in texts), scanner.from_(first)
    trial = Scanner(NumberedText(raw, numbers), at=scanner.at - first)
    name = grammar.find_format(trial)
    if name is None:
        return False
    if not _ENDING.fullmatch(texts[-1]):
        grammar.parse(trial, name)
        if trial.errors:
            return False
    content = scanner.nested(raw, numbers)
    content.at, scanner.at = scanner.at - first, end
    read(content)
    return True


def _end_of_indented(scanner: Scanner, indent: bytes) -> int:
    """Return the position below the last of the lines here that are indented by `indent`."""
    end = scanner.at + 1
    for at in range(end, scanner.end):
        line = scanner.lines[at]
        if line.strip():
            if not line.startswith(indent) or (scanner.fence and grammar.is_fence(scanner, line)):
                break
            end = at + 1
    return end


def _is_whole(below: Scanner, texts: list[bytes]) -> bool:
    """Return whether an indented block is whole: no line `below` may belong to it."""
    if not below.more or (below.fence and grammar.is_fence(below, below.line)):
        return True
    if below.line.strip():
        return _LAST.fullmatch(texts[-1]) is not None
    below.skip_blank_lines()
    return not grammar.HUNK_LINE.match(below.line)


def read_message(scanner: Scanner) -> bool:
    """Take the message above a diff, which may quote anything and is not a patch.

    `git show` and `git log -p` indent it by four. In Mercurial's export, and in a mail without its
    `From` line, it reaches to the diff, as for `hg import` and `git am`.
    """
    ahead, line = scanner.copy(), scanner.line
    ahead.at += 1
    if line.startswith(b"commit "):
        if not re.match(rb"(?:Author|Merge|tree|Reflog):? ", ahead.line):
            return False
        ahead.skip_until(lambda line: not line.strip())
        ahead.skip_until(lambda line: line.strip() and not line.startswith((b"    ", b"Notes")))
    elif line.startswith((b"#", b"From:", b"Subject:")):
        ahead.skip_until(lambda line: not re.match(rb"[ \t#]|" + grammar.MAIL_HEADER.pattern, line))
        head = b"\n" + b"\n".join(scanner.lines[scanner.at : ahead.at])
        is_mail = not ahead.line.strip() and b"\nFrom:" in head and b"\nSubject:" in head
        if not is_mail and not line.startswith(b"#"):
            return False
        ahead.skip_until(_DIFF.match)
        if not ahead.more:
            return False
    else:
        return False
    scanner.at = ahead.at
    return True


def read_mail(scanner: Scanner) -> bool:
    """Take a mail of `git format-patch`, up to the next one; only its patch is read.

    The message ends as for git-mailinfo: at the first line that is `---` or may begin a diff; if
    there is none, where an envelope begins. What is indented below it is quoted (an interdiff).
    """
    if not grammar.begins_mail(scanner):
        return False
    number, first, lines = scanner.number, scanner.at + 1, scanner.lines
    next_mail = (
        at for at in range(first, scanner.end) if grammar.begins_mail(scanner, at - scanner.at)
    )
    scanner.at = end = next(next_mail, scanner.end)
    is_head = re.compile(grammar.MAIL_HEADER.pattern + rb"|[ \t]").match
    body = next((at for at in range(first, end) if not is_head(lines[at])), end)
    encodings = filter(None, map(_ENCODED.match, lines[first:body]))
    if encoded := next(encodings, None):
        scanner.error(Malformed.ENCODED_MAIL, number, encoding=encoded[1] or encoded[2])
        return True
    for is_end in (_MESSAGE_END.match, grammar.is_begin):
        begin = next((at for at in range(body, end) if is_end(lines[at])), end)
        if begin < end:
            part = scanner.moved_to(begin, end)
            part.depth = 0
            read(part)
            break
    return True


def read_draft(scanner: Scanner) -> bool:
    """Take what a model thinks before its answer, in tags: a patch in it is skipped with a note.

    Servers keep one of the tags, or both. A patch may begin behind the last one.
    """
    text, contents = scanner.text, scanner.contents
    raw, start, stop = text.raw, scanner.offset, scanner.stop
    match = _DRAFT.match(raw, start, stop)
    if match is None:
        return False
    number, end = scanner.number, match.end()
    drafted = bool(contents.sections or contents.diagnostics)
    if match[1]:
        inside = raw[end:stop]
        last = re.search(_OUTSIDE + match[1] + b">", inside)
        inside = inside[: last.start() if last else None]
        is_call = any(grammar.is_call(line[0]) for line in _JSON_LINE.finditer(inside))
        drafted = is_call or grammar.find_patch(Scanner(NumberedText(inside))) is not None
        if last is None and drafted:
            scanner.error(Malformed.OPEN_DRAFT, tag=match[1])
        end = end + last.end() if last else stop
    else:  # all above it was the draft
        contents.diagnostics.clear()
        contents.sections.clear()
        contents.errors = 0
    if drafted:
        contents.drafts.append(number)
    at = text.position(max(end - 1, start))
    line_end = text.starts[at + 1] - 1
    rest = raw[end:line_end].lstrip()
    scanner.at, scanner.fence = min(at + 1, scanner.end), b""
    if grammar.PATCH.match(rest):
        scanner.at = scanner.end
        read(scanner.nested(raw[line_end - len(rest) : stop], scanner.from_(at)))
    return True


_PREFIX = re.compile(
    rb"""(?x) [ \t]*+ (?=<|\[T|functions\.)
    (?: <\|[\w-]+\|> | </?tool_calls?> | \[/?(?:TOOL_CALLS|ARGS)\]
      | assistant | commentary | final | json
      | (?:to=)?functions\.(?P<name>[\w-]+)(?::\d+)? | (?<=\])(?P<called>[\w-]+)(?=\[) | [ \t] )+"""
)
_REST = re.compile(rb"(?:[ \t\r]|<\|[\w-]+\|>|</?tool_calls?>|\[/?(?:TOOL_CALLS|ARGS)\])*(?:\n|\Z)")
_PATCH = re.compile(rb"(?s)" + grammar.BEGIN + rb"(?:(?!" + grammar.BEGIN + rb").)*?" + grammar.END)
_TAGGED = re.compile(
    rb"[ \t]*(?:<tool_call>\s*)?(?:<function=|<(?:\w+:)?invoke name=\"|(?<=<tool_call>))"
    rb"(?P<tool>\w[\w-]*)(?:\"?>|(?=\s*<arg_key>))"
)
_MEMBER = re.compile(
    rb"(?s)\s*<(?:\w+:)?(?:parameter(?P<lines>=)|parameter name=\"|arg_key>\s*)(?P<name>\w+)"
    rb"(?:\"[^>\n]*>|>|\s*</arg_key>\s*<arg_value>)(?(lines)(?:\r?\n)?)"
    rb"(?P<value>(?:(?!</?(?:\w+:)?(?:parameter|function|invoke|tool_call|arg_value)\b).)*?)"
    rb"(?(lines)(?:\r?\n)?)</(?:\w+:)?(?:parameter|arg_value)>"
)
_TAGGED_END = re.compile(
    rb"(?s)\s*(?:</function>|</(?:\w+:)?invoke>|(?=</tool_call>))(?:\s*</tool_call>)?[^\n]*"
)


def read_raw_call(scanner: Scanner) -> bool:
    """Take the call of a tool as a model writes it, which a server did not parse, as JSON.

    <tool_call>{"name": …}</tool_call>          [TOOL_CALLS]edit[ARGS]{…}
    <|channel|>commentary to=functions.edit <|message|>{…}<|call|>
    <tool_call><function=edit><parameter=path>a.py</parameter>…        <invoke name="edit">…
    <tool_call>edit<arg_key>path</arg_key><arg_value>a.py</arg_value>…
    """
    raw, start, first = scanner.text.raw, scanner.offset, scanner.at
    if tagged := _TAGGED.match(raw, start):
        members, at = dict[str, object](), tagged.end()
        while member := _MEMBER.match(raw, at):
            written, value = (os.fsdecode(member[part]) for part in ("name", "value"))
            members[written], at = value_of(written, value), member.end()
        if end := _TAGGED_END.match(raw, at):
            made = {"name": os.fsdecode(tagged["tool"]), "arguments": members}
            call, stop = os.fsencode(json.dumps(made, ensure_ascii=False)), end.end()
        elif any(map(is_old, members)):
            scanner.error(Malformed.CUT_CALL)
            scanner.at = scanner.text.position(at - 1) + 1
            return True
        else:
            return False
    elif prefix := _PREFIX.match(raw, start):
        name, at = prefix["name"] or prefix["called"], prefix.end()
        if raw[at : at + 1] == b"{":
            line = raw[at : (raw.find(b"\n", at) + 1) or None].decode("latin-1")
            try:
                stop = at + int(DECODER.raw_decode(line)[1])
            except (ValueError, RecursionError):
                return False
            call = raw[at:stop]
            call = b'{"name": "%s", "arguments": %s}' % (name, call) if name else call
        elif patch := _PATCH.match(raw, at):
            call, stop = patch[0] + b"\n", patch.end()
        else:
            return False
        rest = _REST.match(raw, stop)
        if rest is None:
            return False
        stop = rest.end()
    else:
        return False
    scanner.at = scanner.text.position(stop - 1) + 1
    read(scanner.nested(call, scanner.from_(first)))
    return True
