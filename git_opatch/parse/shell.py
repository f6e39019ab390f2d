"""A patch in shell text: `apply_patch <<'EOF'`, `bash -lc '…'`, `cd DIR && apply_patch "…"`.

    line    := ("cd " dir "&&")* call
    call    := name heredoc | name quoted | "cat" heredoc "|" name | shell "-c" quoted
             | ("echo" | "printf" "%s") quoted "|" name
             | ("git apply" | "git opatch apply" | "patch" [file]) option* heredoc
             | "cat >" file heredoc, and one of these commands below it that reads the file
    name    := apply_patch, or a wrong spelling that models use, with or without a directory
    heredoc := ("<<" | "<<-" | "<<<") word, or "<<<" quoted

Source: POSIX Shell Command Language, 2.2 "Quoting" and 2.7.4 "Here-Document"; Codex's detection of
`apply_patch` calls: anything more than one such command is not a call. OpenCode's patch subsystem
("Bash Integration Detection") has `<<<'PATCH'` with lines up to `PATCH` below it.

The words of a command are split by `shlex`. The text is read and never run: the body of a heredoc
and a quoted string are taken literally, so that `$x` means `$x` even where a shell would expand it.
A heredoc without its delimiter reaches to the end of the text, or of the Markdown fence around it.
An option that changes nothing here is skipped, `--directory` is done, and one that asks for
something else than applying is refused with ours: `_OTHERS` is the list of them. Any other command
that has a patch in it is an error, and one that has none is prose (D65).
"""

from __future__ import annotations

import os
import posixpath
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import NamedTuple

from git_opatch.model.sentences import Malformed
from git_opatch.model.text import indentation
from git_opatch.parse.formats import (
    ENDING,
    HUNK_START,
    MARKERS,
    MARKS,
    NAME,
    OPENING,
    SHELL,
    SHELL_COMMAND,
    UNSUPPORTED,
)
from git_opatch.parse.header import names_at
from git_opatch.parse.prose import is_fence, note_command, report_missing_end
from git_opatch.parse.scanner import Lines, Scanner

NAMES = frozenset({"apply_patch", "applypatch", "apply-patch"})
SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
SCRIPT_FLAGS = frozenset({"-c", "-lc"})
_SAME = re.compile(
    r"-|-p[01]|-v|-3|--(?:index|3way|verbose|recount|quiet|unidiff-zero|strip=[01]"
    r"|whitespace=[a-z]+)"
)
"""Options of git apply and patch that change nothing here."""
_IN_DIRECTORY = re.compile(r"(?:--directory|-d)(?:=|$)(.*)")
_OTHERS = (
    (rb"--check|--dry-run", "to `git opatch apply --check`"),
    (rb"-R|--reverse", "to `git opatch apply -R`"),
    (rb"--cached", "to `git opatch apply --cached`"),
    (rb"--worktree", "to `git opatch apply --worktree`"),
    (rb"--(?:num)?stat|--summary", "to `git opatch show`"),
    (rb"--(?:in|ex)clude\b\S*", "to `git opatch apply`, with `--only` or `--except`"),
    (rb"--directory\b\S*", "to `git opatch apply --directory`"),
    (rb"(?:-p|--strip=)\d+", "with its paths as they are from the top"),
)
"""Options that ask for something else than to apply all of the patch, and where to send it then."""
_CHECKS = ("--check", "--dry-run", "--stat", "--numstat", "--summary")
_WRITES = re.compile(rb"\s*(?:[$#%][ \t]+)?(?:cat[ \t]*>|tee[ \t])[ \t]*([\w./+-]+)\s*")
"""A command that writes its input, a heredoc, to a file."""
_LITERAL = re.compile(rb"'[^']*'|\"[^\"$`\\]*\"|\\.", re.DOTALL)
_EXPANDED = re.compile(rb"\"?[$`*?\[~{][^\s\"]*|(?<!\S)#")
"""What a shell would expand or drop, where it is not `_LITERAL`."""

_PROMPT = re.compile(rb"\A([ \t]*)[$#%][ \t]+(?=" + SHELL_COMMAND + rb")")
_CALL = rb"(?:(?:cd|cat|git|patch)[ \t]|" + SHELL + rb"[ \t]|" + NAME + rb"[ \t<])"
_QUOTE = re.compile(  # of a patch or a script, not an apostrophe
    rb"(?P<value>(?:apply[_-]?patch[ \t]+(?:-\S+[ \t]+(?:\w\S*[ \t]+)?){0,4}|<<<[ \t]*))?"
    rb"(?P<script>-l?c[ \t]+)?(?<![^\s<])(?P<ansi>\$?)(?P<quote>['\"])(?:\s|\\n)*"
    rb"(?:" + MARKERS + rb"|" + OPENING + rb"|(?(value)[<{\[]|(?(script)" + _CALL + rb"|(?!))))"
)
# An apostrophe may be written as `'\''` or `'"'"'`; the quotes around the word of a heredoc in a
# script end the text and begin it again, which changes nothing.
_SINGLE = re.compile(rb"'((?>(?:[^']+|'\\''|'\"'\"'|(?:(?<=<<)|(?<=<<-))'\w+')*))'")
_DOUBLE = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL)
_APOSTROPHE = re.compile(rb"'\\''|'\"'\"'")
_PRINTS = re.compile(rb"\s*echo\b")
_PRINTED = (["echo"], ["echo", "-n"], ["printf", "%s"], ["printf", "%s\\n"])
_JOINED = re.compile(rb"(?<!\\)(?:\\\\)*\\\n")
_HEREDOC = re.compile(rb"(?<!<)<<[<-]?[ \t]*(?P<word>'[^'\n`]+'|\"[^\"\n`]+\"|\\?(?!\d+\b)[\w.-]+)")
_OPENING = re.compile(rb"\s*" + OPENING)
_ENDS = re.compile(rb"\s*" + ENDING, re.IGNORECASE)
_FENCE = re.compile(rb"(?m)^[ \t]*+(?:```|~~~)")
_HELD_PATCH = re.compile(
    MARKERS
    + rb"|^[ \t]*(?:"
    + rb"|".join((HUNK_START, OPENING, MARKS, UNSUPPORTED))
    + rb"|[\[{].*[\"']\w*(?:patch|diff|operation|path)\w*[\"'])",
    re.IGNORECASE | re.MULTILINE,
)
_CONTINUES = (b"\\", b"&&", b"|")
_MAX_CONTINUED = 8

_DIRECTORY = rb"(?:[^\s'\"&|;]+|'[^']*'|\"[^\"]*\")"
_CD_LINE = re.compile(rb"[ \t]*(?:[$#%][ \t]+)?cd[ \t]+" + _DIRECTORY + rb"[ \t\r]*")
"""A line that only changes the directory."""
_SEPARATORS = re.compile(rb"&&|\|\||[;(){}]|\b(?:then|do)\b")
_CD_COMMAND = re.compile(
    rb"\s*(?:[$#%]\s+)?(?:cd|pushd|popd)(?:[ \t]+(?:-\w+[ \t]+)*" + _DIRECTORY + rb")?[\s\\]*"
)
_NOT_SCRIPT = re.compile(
    rb".*(?:apply[_-]?patch\b|\bapply\b|\bpatch\s)|[ \t]*(?:[-+@*<>]|[A-Z_]+[ \t\r]*$)"
)
_EMPTY = re.compile(rb"[ \t\r]*(?:#.*)?", re.DOTALL)
_MAX_LINES_BEFORE, _MAX_LINE = 32, 400
_MAX_OPEN = 100
"""So many heredocs without an end are looked for."""


class _Command(NamedTuple):
    """A command: its program, its directory, and the part that is not understood, or empty."""

    program: str = ""
    directory: str = ""
    unknown: str = ""
    file: str = ""
    """The file that it changes, whatever its patch says (`patch FILE`), or that has the patch."""
    below: str = ""
    """The directory that `--directory` names: that of this call alone."""
    content: Scanner | None = None
    """What it applies; None if that is refused or no patch."""


def unwrap(scanner: Scanner) -> list[Scanner] | None:
    """Take one call and return a scanner over what it applies. None if no call begins here."""
    first = scanner.at
    call = _read_call(scanner)
    if call is None:
        return None
    if call.content is None:
        return []
    own = call.directory
    _resolve_directory(scanner, call.content, first, own)
    _examine_script(scanner, first)
    if own:
        alone = _CD_LINE.fullmatch(scanner.line_at(first)) is not None
        number = scanner.lines.number(first)
        scanner.directory_change = call.content.directory, number, scanner.at, alone
    elif change := scanner.directory_change:
        scanner.directory_change = (*change[:2], scanner.at, change[3])
    return [call.content.below(call.below)]


def _examine_script(scanner: Scanner, first: int) -> None:
    """Note the commands around the call at position `first`, up to a fence or another call.

    One above it that changes the directory is an error.
    """
    above = range(first - 1, max(first - _MAX_LINES_BEFORE, 0) - 1, -1)
    below = range(scanner.at, min(scanner.at + _MAX_LINES_BEFORE, scanner.end))
    for at in chain(_in_script(scanner, above), _in_script(scanner, below)):
        parts = _SEPARATORS.split(scanner.line_at(at)[:_MAX_LINE]) if at < first else []
        if any(map(_CD_COMMAND.fullmatch, parts)):
            called = scanner.lines.number(first)
            replace(scanner, at=at).error(Malformed.UNREAD_DIRECTORY, called=called)
        note_command(scanner, at)


def _in_script(scanner: Scanner, positions: range) -> Iterator[int]:
    """Yield the positions up to the end of the script."""
    for at in positions:
        line = scanner.line_at(at)
        if is_fence(scanner, line) or _NOT_SCRIPT.match(line):
            return
        yield at


def patch_of(text: bytes) -> tuple[str, bytes] | None:
    """Return directory and patch of `text`; None unless it is exactly one `apply_patch` call."""
    scanner = Scanner.from_bytes(text)
    scanner.skip_blank_lines()
    if scanner.at_end or _CD_LINE.fullmatch(scanner.line) or _PROMPT.match(scanner.line):
        return None
    call = _read_call(scanner)
    scanner.skip_blank_lines()
    if call is None or call.content is None or not scanner.at_end or scanner.errors:
        return None
    if call.program not in NAMES or call.file:
        return None
    return call.directory, call.content.text.removesuffix(b"\n") + b"\n"


def _read_call(scanner: Scanner) -> _Command | None:
    """Take the command that begins here; None, with nothing taken, if it has no patch."""
    lines: list[bytes] = []
    ahead = replace(scanner)
    while not ahead.at_end and len(lines) < _MAX_CONTINUED:
        line = ahead.take()
        lines.append(_PROMPT.sub(rb"\1", line))
        if _CD_LINE.fullmatch(line):
            lines[-1] += b" &&"
        elif not line.rstrip(b" \t\r").endswith(_CONTINUES):
            break
    text = b"\n".join(lines)
    quote = _QUOTE.search(text if ahead.at_end else text + b"\n" + ahead.line)
    if quote and quote.start("quote") < len(text):
        return _read_quoted(scanner, text, ahead, quote)
    heredoc = _HEREDOC.search(text)
    return _read_heredoc(scanner, text, ahead, heredoc) if heredoc else None


def _read_quoted(
    scanner: Scanner, text: bytes, below: Scanner, quote: re.Match[bytes]
) -> _Command | None:
    """Take a command with a quoted patch, whose first line is `text`; the others are `below`."""
    start, first = quote.start("quote"), scanner.at
    pattern = _SINGLE if quote["quote"] == b"'" else _DOUBLE
    shown, until = text, below.at
    while (match := pattern.match(shown, start)) is None and until < below.end:
        until = min(4 * until - 3 * first + 8, below.end)
        shown = text + b"\n" + below.limited_to(until).text
    if match is None:
        scanner.error(Malformed.UNCLOSED_QUOTE)
        scanner.at = scanner.end
        return _Command()
    tail = shown[match.end() :].partition(b"\n")[0]
    head, is_glued = shown[: quote.start("ansi")], not re.match(rb"[\s;&|<>()]|\Z", tail)
    is_input = head.rstrip().endswith(b"<<<")
    command = _judge(head.rstrip().removesuffix(b"<<<") + b" " + tail, quoted=not is_input)
    if _PRINTS.match(head) and b"\\" in match[1]:
        command = command._replace(unknown="\\")
    size = shown.count(b"\n", 0, match.end()) + 1
    if quote["ansi"] or (command.unknown and not is_glued):
        if size == 1 and not quote["ansi"]:
            return None
        part, written = command.unknown or "$'", text + b"\n" + tail
        return _refuse(scanner, written, part, scanner.at + size)
    if is_glued or (pattern is _DOUBLE and _JOINED.search(match[1])):
        scanner.error(Malformed.STRAY_QUOTES)
        scanner.at = scanner.end
        return command
    value = (
        _APOSTROPHE.sub(b"'", match[1])
        if pattern is _SINGLE
        else re.sub(rb'\\([$`"\\])', rb"\1", match[1])
    )
    numbers = scanner.lines.numbers_from(first + shown.count(b"\n", 0, start))
    content = scanner.nested(Lines(value.removesuffix(b"\n") + b"\n", numbers))
    scanner.at = first + size
    return command._replace(content=content.below(command.directory))


def _read_heredoc(
    scanner: Scanner, text: bytes, below: Scanner, heredoc: re.Match[bytes]
) -> _Command | None:
    """Take a command, whose line is `text`, and its heredoc, whose lines are `below`."""
    delimiter = heredoc["word"].strip(b"'\"\\")
    shown, after = text[: heredoc.start()] + b" " + text[heredoc.end() :], 0
    command = _judge(shown, quoted=False)
    if (writes := _WRITES.fullmatch(shown)) and (end := _find_below(below, delimiter)) is not None:
        command, after = _use_of(replace(below, at=end + 1), writes[1])
    # GPT-4.1 writes only the heredoc as the argument of `apply_patch`, and Codex reads that.
    if not command.program and (below.at_end or not _OPENING.match(below.line)):
        command = command._replace(unknown=command.unknown or os.fsdecode(heredoc[0]))
    if command.unknown:
        end = _find_below(below, delimiter)
        body = below.limited_to(min(below.at + 1 if end is None else end, below.end))
        if _HELD_PATCH.search(body.text):
            end = max(after, body.end + (end is not None))
            return _refuse(scanner, text, command.unknown, end)
        scanner.at = scanner.at if end is None else end + 1
        return None if end is None else command
    if text[heredoc.start() :].startswith(b"<<-"):
        body = below.dedented(lambda line: line.lstrip(b"\t"))
    else:
        body = _without_indentation(below, delimiter, indentation(scanner.line))
    end, ended = _find_end(body, delimiter)
    last_lines = (body.line_at(at) for at in range(end - 1, body.at - 1, -1))
    if not ended and not any(map(_ENDS.match, islice(filter(bytes.strip, last_lines), 2))):
        report_missing_end(body, "heredoc", delimiter, end, scanner.number)
    body = replace(body, end=end, fence=b"")
    if command.file and not after:
        if not body.line.startswith(b"@@") and names_at(body) is None:
            return _refuse(scanner, text, command.file, end + ended)
        body = _for_file(body, os.fsencode(command.file))
    scanner.at = max(end + ended, after)
    return command._replace(content=body.below(command.directory))


def _use_of(below: Scanner, name: bytes) -> tuple[_Command, int]:
    """Read the commands below that name the file, which has the patch; return the one that applies
    it, and the position after them. Checks before it are part of applying it here."""
    word = rb"(?:\./)?" + re.escape(name) + rb"(?![\w./-])"
    use = re.compile(rb"(?:<[ \t]*|(?<=[ \t])(?:-i[ \t]*|--input=)?)" + word)
    found = _Command(unknown=os.fsdecode(name))
    below.skip_blank_lines()
    while not below.at_end and use.search(below.line):
        for part in re.split(rb"&&|;", _PROMPT.sub(rb"\1", below.take())):
            if re.fullmatch(rb"\s*(?:rm[ \t]+(?:-f[ \t]+)?" + word + rb"\s*)?", part):
                continue
            command = _judge(use.sub(b"", part, count=1), quoted=False)
            if command.unknown not in ("", *_CHECKS):
                return command._replace(unknown=os.fsdecode(part).strip()), below.at
            found = command._replace(file=os.fsdecode(name))
    return found, below.at


def _for_file(body: Scanner, path: bytes) -> Scanner:
    """Return a scanner over the diff in `body` with the name that `patch FILE` gives it."""
    named = 0 if body.line.startswith(b"@@") else 2
    numbers = body.lines.numbers_from(max(body.at + named - 2, 0))
    text = b"--- %b\n+++ %b\n%b\n" % (path, path, replace(body, at=body.at + named).text)
    return body.nested(Lines(text, numbers))


def _judge(shown: bytes, *, quoted: bool) -> _Command:
    """Read the words of a command: all but its patch, which is its last word, or its input."""
    if expanded := _EXPANDED.search(_LITERAL.sub(b"", shown)):
        return _Command(unknown=os.fsdecode(expanded[0]))
    lexer = shlex.shlex(
        os.fsdecode(shown.replace(b"\\\n", b" ")), posix=True, punctuation_chars=True
    )
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:
        return _Command(unknown=os.fsdecode(shown))
    directory = ""
    while "&&" in words:
        changed, words = words[: words.index("&&")], words[words.index("&&") + 1 :]
        if len(changed) != 2 or changed[0] != "cd" or changed[1].startswith("-"):
            return _Command(unknown=" ".join(changed))
        directory = posixpath.join(directory, changed[1])
    if words[:1] and words[0] in ("cat", "echo", "printf") and "|" in words:
        read = words[: words.index("|")]
        is_all = read in _PRINTED if quoted else set(read) <= {"cat", "-"}
        words, quoted = (words[len(read) + 1 :] if is_all else read), not is_all
    program, *rest = [posixpath.basename(word) for word in words[:1]] + words[1:] or [""]
    operators = [word for word in words if not word.strip("();<>|&")]
    command = _Command(program, directory, operators[0] if operators else "")
    return command if operators else _with_options(command, rest, quoted=quoted)


def _with_options(command: _Command, rest: list[str], *, quoted: bool) -> _Command:
    """Read the words behind the program; one that may change how the patch is applied is
    unknown."""
    program, unknown = command.program, list[str]()
    if quoted and program in SHELLS and len(rest) == 1 and rest[0] in SCRIPT_FLAGS:
        return command
    if program in NAMES:
        unknown = [word for word in rest if quoted or word != "-"]
    elif quoted or program not in ("git", "patch"):
        unknown = [program]
    elif program == "git":
        verb = 1 if rest[:1] == ["opatch"] else 0
        if rest[verb : verb + 1] != ["apply"]:
            unknown = [" ".join([program, *rest[: verb + 1]])]
        rest = rest[verb + 1 :]
    words = iter(rest)
    for word in words:
        if (into := _IN_DIRECTORY.fullmatch(word)) and (below := into[1] or next(words, "")):
            command = command._replace(below=posixpath.join(command.below, below))
        elif program == "patch" and word[:1] != "-" and not command.file:
            command = command._replace(file=word)
        elif not _SAME.fullmatch(word):
            unknown.append(word)
    return command._replace(unknown=unknown[0]) if unknown else command


def _refuse(scanner: Scanner, text: bytes, part: str, end: int) -> _Command:
    """Take a command that has a patch up to `end`, with an error: its `part` is not understood."""
    line = text.partition(b"\n")[0]
    for pattern, instead in _OTHERS:
        sought = text + b" " + os.fsencode(part)
        if option := re.search(rb"(?<!\S)(?:" + pattern + rb")(?!\S)", sought):
            scanner.error(Malformed.OPTION_OF_COMMAND, text=line, part=option[0], instead=instead)
            break
    else:
        scanner.error(Malformed.UNSUPPORTED_COMMAND, text=line, part=part)
    scanner.at = end
    return _Command()


def _without_indentation(body: Scanner, delimiter: bytes, indent: bytes) -> Scanner:
    """Return a scanner that takes off `indent`, which the call has, if all lines have it.

    The delimiter must have it, too: then all of the script is indented (D181).
    """
    if not indent:
        return body
    inner = body.dedented(lambda line: line.removeprefix(indent))
    end, ended = _find_end(inner, delimiter)
    lines = map(body.line_at, range(body.at, end + ended))
    is_indented = all(line.startswith(indent) for line in lines if line.strip())
    return inner if ended and is_indented else body


def _find_end(body: Scanner, delimiter: bytes) -> tuple[int, bool]:
    """Return the position where the lines of `body` end, and whether the delimiter is there.

    The fence around them ends them, too, unless the delimiter comes below it.
    """
    for at in range(body.at, body.end):
        line = body.line_at(at)
        if line == delimiter:
            return at, True
        if body.fence and is_fence(body, line):
            end = _find_below(replace(body, at=at + 1), delimiter)
            if end is not None and body.line_at(end) == delimiter:
                return end, True
            return at, False
    return body.end, False


def _find_below(scanner: Scanner, delimiter: bytes) -> int | None:
    """Return the position of the delimiter that ends the heredoc which begins here, or None.

    A document may contain fences, so a fence does not end it, unless another heredoc with the same
    delimiter opens after the fence. Few are looked for in vain, so that the time stays linear.
    """
    lines, raw, found = scanner.lines, scanner.lines.raw, scanner.found
    if found.open_heredocs < _MAX_OPEN and not scanner.at_end:
        start, stop = lines.offset(scanner.at), lines.offset(scanner.end)
        word = re.escape(delimiter)
        end = re.compile(rb"(?m)^[ \t]*+" + word + rb"[ \t\r]*+$").search(raw, start, stop)
        fence = _FENCE.search(raw, start, end.start()) if end else None
        again = rb"<<-?[ \t]*['\"\\]?" + word
        if end and not (fence and re.compile(again).search(raw, fence.end(), end.start())):
            return lines.at_offset(end.start())
        found.open_heredocs += 1
    return None


def _resolve_directory(scanner: Scanner, content: Scanner, first: int, own: str) -> None:
    """Set the directory of `content`, the patch of the call at position `first`.

    That is its `own`, and that of a `cd` on a line of its own before, which holds for the rest of
    the script: one Markdown fence is one; without a fence, only lines without a gap are. A call
    with a `cd` may be one of several that each start at the top, as agents run them: for the next
    call, the two readings differ.
    """
    if scanner.directory_change is None or posixpath.isabs(own):
        return
    directory, before, end, alone = scanner.directory_change
    at_once = bool(scanner.fence) or all(
        map(_EMPTY.fullmatch, map(scanner.line_at, range(end, first)))
    )
    if alone and at_once and (not own or own.startswith("..")):
        content.directory = posixpath.normpath(posixpath.join(directory, own))
    elif alone or at_once:
        call = replace(scanner, at=first)
        call.error(Malformed.UNCLEAR_DIRECTORY, directory=directory, before=before)
