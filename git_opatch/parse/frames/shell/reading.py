r"""A patch in shell text: `apply_patch <<'EOF'`, `bash -lc '…'`, `cd DIR && apply_patch "…"`.

What is a call, and the public documents it is taken from, is said in `command`. The
text is read, never run: the body of a heredoc and a quoted string are taken literally, so
that `$x` means `$x` even where a shell would expand it. A heredoc whose terminator is
missing reaches to the end of the text, or of the Markdown fence it stands in. Anything that
is not just such a call is prose; where that would lose the directory, the flags or the
quoting that it gives a patch, it is a fault.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice

from git_opatch.errors import Fix
from git_opatch.parse.cursor import Cursor, Origin
from git_opatch.parse.frames.shell import HINT, KNOWN, NAME, OTHER, SHELL, heredoc, script
from git_opatch.parse.frames.shell.command import Call, culprit, delimiter_of, understand
from git_opatch.parse.frames.shell.quoting import NumbersIn, is_glued, is_quoted, spans, unquoted
from git_opatch.parse.lines import Lines
from git_opatch.text import visible

_STARTS = re.compile(rb"[ \t]*" + HINT)
_PROMPT = re.compile(rb"([ \t]*)[$#%][ \t]+(?=" + KNOWN + rb"|" + OTHER + rb")")
_PATCH = rb"(?:\*\*\*|--- |diff --git |[<{\[])"
_CALL = rb"(?:(?:cd|cat|git|patch)[ \t]|" + SHELL + rb"[ \t]|" + NAME + rb"[ \t<])"
_BEGINS = re.compile(rb"\s*" + _PATCH)
_SCRIPT = re.compile(rb"\s*(?:" + _CALL + rb"|" + _PATCH + rb")")
# A quote that opens a patch or a script, not an apostrophe.
_OPENS = re.compile(
    rb"(?:apply[_-]?patch[ \t]+(?:-\S+[ \t]+(?:\w\S*[ \t]+)?){0,4}|<<<[ \t]*)(?:\$?'|\")(?:\s|\\n)*"
    + _PATCH
    + rb"|-l?c[ \t]+(?:\$?'|\")"
    rb"(?:\s|\\n)*" + _CALL
)
# A command that writes a patch, for another to apply.
_PRINTS = re.compile(
    rb"\b(?:echo|printf)[ \t]+(?:-\w+[ \t]+)*(?:(['\"]?)%[sb](?:\\n)?\1[ \t]+)?"
    rb"(?:\$?'|\")(?:\s|\\n)*(?:\*\*\* ?[BAUDE]|--- \S|diff --git |<FILE_CHANGES>)"
)
_INLINE = re.compile(rb"\$'(?:\s|\\n)*\*\*\*")
# Heredocs that are the same as prose.
_PLAIN = re.compile(
    rb"(?!.*<<-)[ \t]*(?:" + NAME + rb"[ \t]*<<|cat[ \t]+(?:-[ \t]+)?<<[^>]*\|"
    rb"|" + NAME + rb"\b[^<]*<<-?[ \t]*\S+[ \t]+\w)"
)
# What a command that is the same as prose cannot have: it would say how or where to apply.
_TURNS = re.compile(rb"\s--?\w|(?<![\w./-])(?:cd|pushd)\s")
_FLAG = re.compile(rb"\s(?:-R|--reverse|-p\d+|--directory)\b")
_ENDS = re.compile(rb"\s*(?:\*+\s*end\s+patch|</FILE_CHANGES)", re.IGNORECASE)
_CONTINUES = (b"\\", b"&&", b"|")
_MOST_CONTINUED = 8


@dataclass(frozen=True, slots=True)
class _Command:
    """A command line, how many lines it has, and whether its quotes are closed."""

    text: bytes
    count: int
    closed: bool


def opened(cursor: Cursor) -> list[Cursor] | None:
    """Take one call; what it applies, decoded. None if the cursor is at none."""
    if not _STARTS.match(cursor.line):
        return None
    command = _command(cursor)
    call = understand(command.text) if command and command.closed else None
    if command is None or call is None:
        refused = _refused(cursor, command) if command else None
        return _other(cursor) if refused is None else refused
    first, count = cursor.at, command.count
    del command  # its text can be all there is
    content = _content(cursor, call, count)
    if content is None:
        return None
    script.place(cursor, content, first, call.directory)
    return [content]


def patch_of(text: bytes) -> tuple[str, bytes] | None:
    """The directory and the patch of `text`, if it is one call of `apply_patch` and no more."""
    cursor = Cursor.over(text)
    cursor.skip_blank()
    alone = not (
        cursor.at_end or script.CHANGES.fullmatch(cursor.line) or _PROMPT.match(cursor.line)
    )
    command = _command(cursor) if alone else None
    call = understand(command.text) if command and command.closed else None
    if command is None or call is None or not call.applies:
        return None
    content = _content(cursor, call, command.count)
    cursor.skip_blank()
    if content is None or not cursor.at_end:
        return None
    return call.directory, b"\n".join(map(content.line_at, range(content.at, content.end))) + b"\n"


def _command(cursor: Cursor) -> _Command | None:
    """The command line that begins at the cursor; None if it is none that could be a call."""
    below = min(cursor.at + _MOST_CONTINUED, cursor.end - 1)
    near = cursor.lines.between(cursor.at, below + 1)
    if not script.MENTIONS.search(near) and not _PRINTS.search(near):
        return None
    text, count = _continued(cursor)
    shown = text + b"\n" + (cursor.ahead(count) or b"")
    mentioned = script.MENTIONS.search(shown) and (_closed(text) or _OPENS.search(shown))
    if not mentioned and not _PRINTS.search(shown):
        return None
    while not _closed(text) and cursor.at + count < cursor.end:
        count = min(2 * count, cursor.end - cursor.at)
        text = _lines(cursor, count)
    if text.rstrip(b" \t\r").endswith(_CONTINUES):
        text = _lines(cursor, min(count + 1, cursor.end - cursor.at))
    closed, text = _closed(text), text[: _size(text)]
    return _Command(text, text.count(b"\n") + 1, closed)


def _continued(cursor: Cursor) -> tuple[bytes, int]:
    """The line at the cursor and those on which it goes on; and how many they are."""
    count = 1
    while count < _MOST_CONTINUED and cursor.ahead(count) is not None:
        line = cursor.line_at(cursor.at + count - 1)
        if not (line.rstrip(b" \t").endswith(_CONTINUES) or script.CHANGES.fullmatch(line)):
            break
        count += 1
    return _lines(cursor, count), count


def _lines(cursor: Cursor, count: int) -> bytes:
    """So many lines; a change of directory on a line of its own holds for the next one."""
    rest = cursor.within(cursor.at + count)
    lines: list[bytes] = []
    while not rest.at_end:
        line = rest.take()
        lines.append(_PROMPT.sub(rb"\1", line, count=1))
        if rest.at_end or not script.CHANGES.fullmatch(line):
            break
        lines[-1] += b" &&"
    return b"\n".join(lines if rest.at_end else [*lines, rest.text])


def _closed(text: bytes) -> bool:
    """Whether no quote is open where the command ends, or the text."""
    size = _size(text)
    return text[size : size + 1] in (b"", b"\n")


def _size(text: bytes) -> int:
    """How many bytes of `text` are its first command, as far as its quotes are closed."""
    return sum(map(len, spans(text)))


def _content(cursor: Cursor, call: Call, count: int) -> Cursor | None:
    """Take the call, which has so many lines; what it applies.

    None, and nothing taken, if that can be no patch.
    """
    directory = script.joined(cursor.directory, call.directory)
    if call.delimiter is None:
        return _argument(cursor, call, count, directory)
    start = cursor.at + count
    dedent = _without_tabs(cursor.dedent) if call.tabs else cursor.dedent
    body = replace(cursor, at=start, dedent=dedent, directory=directory)
    end, ended = heredoc.terminator(body, call.delimiter)
    if not ended and not _has_end(body, end):
        word = visible(call.delimiter)
        cursor.fault(
            f"the heredoc that begins here has no end; if it is whole, add a line `{word}` after "
            f"line {cursor.lines.number(end - 1)} (a text that was cut off looks the same)",
            corrected=call.delimiter,
            fix=Fix.INSERT_AFTER,
            at=cursor.lines.number(end - 1),
        )
    cursor.at = end + ended
    return replace(body, end=end, fence=b"", move=None)


def _has_end(body: Cursor, end: int) -> bool:
    """Whether the patch from `body` up to `end` has an end of its own, as an envelope has."""
    lines = (body.line_at(at) for at in range(end - 1, body.at - 1, -1))
    return any(map(_ENDS.match, islice(filter(bytes.strip, lines), 2)))


def _argument(cursor: Cursor, call: Call, count: int, directory: str) -> Cursor | None:
    """What a quoted string holds; its lines have the numbers of those they are written in."""
    begins = _SCRIPT if call.is_script else _BEGINS
    if count == 1 and not begins.match(unquoted(call.word)[0]):
        return None
    if is_glued(call.word):
        cursor.fault(
            "the quotes inside the quoted text of this call end it, and a shell drops them; write "
            "`apply_patch <<'EOF'`, where quotes mean themselves"
        )
        cursor.at += count
        return cursor.within(cursor.at)
    at, lines = cursor.at, _lines_of(cursor.lines, cursor.at, call)
    cursor.at += count
    plain = cursor.dedent is None and cursor.end == len(cursor.lines)
    content = cursor.inside(lines, Origin(cursor.lines, _lines_again, at) if plain else None)
    content.directory = directory
    return content


def _lines_of(lines: Lines, at: int, call: Call) -> Lines:
    """Those of the quoted argument of the call, which begins at that one of `lines`."""
    said, offsets = unquoted(call.word)
    if not said.endswith(b"\n"):
        said += b"\n"
    return Lines(said, numbers=NumbersIn(lines, at + call.line, offsets))


def _lines_again(lines: Lines, at: int) -> Lines:
    command = _command(Cursor(lines, at=at))
    call = understand(command.text) if command else None
    assert call is not None
    return _lines_of(lines, at, call)


def _without_tabs(dedent: Callable[[bytes], bytes] | None) -> Callable[[bytes], bytes]:
    """What `<<-` takes off a line, after what the framing round it does."""
    if dedent is None:
        return lambda line: line.lstrip(b"\t")
    return lambda line: dedent(line).lstrip(b"\t")


def _refused(cursor: Cursor, command: _Command) -> list[Cursor] | None:
    """Take a command that has a patch and is no call that is known; None if it is as prose."""
    text, after = command.text, cursor.ahead(command.count)
    if not command.closed:
        cursor.fault("the quote that opens in this command is never closed; is the text whole?")
        cursor.at = cursor.end
        return []
    delimiter = delimiter_of(text)
    if _INLINE.search(text) or any(is_quoted(span) and b"\n" in span for span in spans(text)):
        delimiter = None
    elif delimiter is None or not _BEGINS.match(after or b"") or _is_plain(text):
        return None
    shown = visible(text.partition(b"\n")[0], 80)
    cursor.fault(
        f"`{shown}` is no command that is read here, and what it means for the patch would be "
        f"lost{_advice(text)}"
    )
    cursor.at += command.count
    if delimiter is not None:
        end, ended = heredoc.terminator(cursor, delimiter)
        cursor.at = end + ended
    return []


def _is_plain(text: bytes) -> bool:
    """Whether the heredoc of this command is the same as prose: it is applied here, forwards."""
    return _PLAIN.match(text) is not None and not _TURNS.search(text)


def _advice(text: bytes) -> str:
    """What of the command is too much, and what to write."""
    reason = culprit(text)
    because = f": {visible(reason, 80)} is not understood" if reason else ""
    bare = b"''".join(span for span in spans(text) if not is_quoted(span))
    if reason.startswith(b"`-") or _FLAG.search(bare):
        return f"{because}; write just the patch, and give the flags to `git opatch apply` itself"
    return f"{because}; write `apply_patch <<'EOF'`, with `cd DIR && ` before it if need be"


def _other(cursor: Cursor) -> list[Cursor] | None:
    """Take a heredoc that is for another command, which may write or run it; None if it is none."""
    line = _PROMPT.sub(b"", cursor.line, count=1)
    delimiter = None if _PLAIN.match(line) else heredoc.opened_by(line)
    if delimiter is None:
        return None
    end = heredoc.end_of(cursor, delimiter)
    until = cursor.at + 2 if end is None else end
    held = range(cursor.at + 1, min(until, cursor.end))
    holds = any(heredoc.is_beginning(cursor.line_at(at)) for at in held)
    if end is None and not holds:
        return None
    if holds:
        cursor.fault(
            f"`{visible(line, 80)}` does not apply what its heredoc holds, which looks like a "
            "patch; write just the patch, as `apply_patch <<'EOF'` has it, and nothing before it"
        )
    cursor.at = min(until, cursor.end - 1) + 1
    return []
