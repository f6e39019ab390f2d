"""A patch in shell text: `apply_patch <<'EOF'`, `bash -lc '…'`, `cd DIR && apply_patch "…"`.

    line    := ("cd " dir "&&")* call
    call    := name heredoc | name quoted | "cat" heredoc "|" name | shell "-c" quoted
             | ("echo" | "printf" "%s") quoted "|" name
             | ("git apply" | "git opatch apply" | "patch" [file]) option* heredoc
    heredoc := ("<<" | "<<-" | "<<<") word, or "<<<" quoted

The words of a command are split by `shlex`. The text is read and never run: a heredoc and a quoted
string are taken literally. A heredoc without its delimiter reaches to the end of the text, or of
the fence around it. Any other command that has a patch in it is an error, and one that has none is
prose (D65).
"""

from __future__ import annotations

import os
import posixpath
import re
import shlex
from typing import NamedTuple

from git_opatch.model.sentences import Malformed
from git_opatch.model.text import indentation
from git_opatch.parse import grammar, read
from git_opatch.parse.names import names_at
from git_opatch.parse.text import NumberedText, Scanner

NAMES = frozenset({"apply_patch", "applypatch", "apply-patch"})
SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
SCRIPT_FLAGS = frozenset({"-c", "-lc"})
_SAME = re.compile(
    r"-|-p[01]|-v|-3|--(?:index|3way|verbose|recount|quiet|unidiff-zero|strip=[01]"
    r"|whitespace=[a-z]+)"
)
"""Options of git apply and patch that change nothing here."""
_OTHERS = (
    (rb"--check|--dry-run", "to `git opatch apply --check`"),
    (rb"-R|--reverse", "to `git opatch apply -R`"),
    (rb"--cached", "to `git opatch apply --cached`"),
    (rb"--worktree", "to `git opatch apply --worktree`"),
    (rb"--(?:num)?stat|--summary", "to `git opatch show`"),
    (rb"--(?:in|ex)clude\b\S*", "to `git opatch apply`, with `--only` or `--except`"),
    (rb"--directory\b\S*|-d", "to `git opatch apply --directory`"),
    (rb"(?:-p|--strip=)\d+", "with its paths as they are from the top"),
)
"""Options that ask for something else than to apply all of the patch, and where to send it then."""
_WORD = r"(?:[^\s'\"\\$`*?\[~{;&|<>()#]|(?<=\S)[#]|'[^']*'|\"[^\"$`\\]*\"|\\.)+"
"""A word that a shell would neither expand nor drop."""
_CHANGED = re.compile(r"cd\s+(?!-)((?>" + _WORD + r"))\s*&&")
_LONG = 1 << 15
"""A command of so many characters is not read: `shlex` takes time by their square."""
_COMMAND = re.compile(
    rf"""(?xs) [\s\\]* (?P<cd> (?: {_CHANGED.pattern} [\s\\]* )* )
    (?: cat (?: \s+ (?:cat|-) )* \s* \| [\s\\]*
      | (?P<print> echo (?:\s+-n)? | printf \s+ ['"]?%s(?:\\n)?['"]? ) \s* \| [\s\\]* )?
    (?P<program> (?: (?P<name> (?:{_WORD}/)? apply[_-]?patch )
      | (?P<takes> (?:{_WORD}/)? (?: git (?:\s+opatch)? \s+ apply | patch ) )
      | (?P<shell> (?:{_WORD}/)? (?:ba|z|da)?sh ) \s+ -l?c
      | (?>{_WORD}) ) (?=\s|\Z) )?
    (?P<options> (?: (?:\s|\\\n)+ (?>{_WORD}) (?=\s|\Z) )* ) \s*"""
)
_PROMPT = re.compile(rb"\A([ \t]*)[$#%][ \t]+(?=" + grammar.COMMAND + rb")")
_CALL = rb"(?:(?:cd|cat|git|patch)[ \t]|" + grammar.SHELL + rb"[ \t]|" + grammar.NAME + rb"[ \t<])"
_QUOTE = re.compile(  # of a patch or a script, not an apostrophe
    rb"(?P<value>(?:apply[_-]?patch[ \t]+(?:-\S+[ \t]+(?:\w\S*[ \t]+)?){0,4}|<<<[ \t]*))?"
    rb"(?P<script>-l?c[ \t]+)?(?<![^\s<])(?P<ansi>\$?)(?P<quote>['\"])(?:\s|\\n)*(?:"
    + rb"|".join((grammar.MARKERS, grammar.OPENS))
    + rb"|(?(value)[<{\[]|(?(script)"
    + _CALL
    + rb"|(?!))))"
)
# An apostrophe may be written as `'\''` or `'"'"'`; the quotes around the word of a heredoc in a
# script end the text and begin it again, which changes nothing.
_SINGLE = re.compile(rb"'((?>(?:[^']+|'\\''|'\"'\"'|(?:(?<=<<)|(?<=<<-))'\w+')*))'")
_DOUBLE = re.compile(rb'(?s)"([^"\\]*+(?:\\.[^"\\]*+)*+)"')
_JOINED = re.compile(rb"(?<!\\)(?:\\\\)*\\\n")
_HEREDOC = re.compile(
    rb"(?<!<)<<(?P<tabs>-?)<?[ \t]*(?P<word>'[^'\n`]+'|\"[^\"\n`]+\"|\\?(?!\d+\b)[\w.-]+)"
)
_ENDS = re.compile(rb"(?i)\s*(?:" + grammar.ENDING + rb")")
_FENCE = re.compile(rb"(?m)^[ \t]*+(?:```|~~~)")
_HELD = re.compile(
    rb"(?im)"
    + rb"|^[ \t]*(?:@@|".join((grammar.MARKERS, grammar.OPENS))
    + rb"|\*{15}|\+\+\+ |[\[{].*[\"']\w*(?:patch|diff|operation|path)\w*[\"']|"
    + grammar.MARKS
    + rb")"
)
_DIRECTORY = rb"(?:[^\s'\"&|;]+|'[^']*'|\"[^\"]*\")"
_BELOW = re.compile(rb"\b(?:git[ \t]+-C|cd|pushd)[ \t]+(?P<directory>" + _DIRECTORY + rb")")
"""What runs a command in another directory, where its paths begin."""
_CD_LINE = re.compile(rb"[ \t]*(?:[$#%][ \t]+)?cd[ \t]+" + _DIRECTORY + rb"[ \t\r]*")
"""A line that only changes the directory."""
_CD_COMMAND = re.compile(
    rb"\s*(?:[$#%]\s+)?(?:cd|pushd|popd)(?:[ \t]+(?:-\w+[ \t]+)*" + _DIRECTORY + rb")?[\s\\]*"
)
_NOT_SCRIPT = re.compile(rb".*(?:apply[_-]?patch\b|\bapply\b|\bpatch\s)|[ \t]*[-+@*<>]")
_DELIMITER = re.compile(rb"[ \t]*([A-Z_]+)[ \t\r]*")
_PARTS = re.compile(rb"&&|\|\||[;(){}]|\b(?:then|do)\b")
_EMPTY = re.compile(rb"(?s)[ \t\r]*(?:#.*)?")
_MAX_LINES = 32


class _ShellCommand(NamedTuple):
    """A command: its program, its directory, and the part that is not understood, or empty."""

    program: str = ""
    directory: str = ""
    unknown: str = ""
    file: str = ""
    """The file that it changes, whatever its patch says (`patch FILE`)."""
    content: Scanner | None = None
    """What it applies; None if that is refused or no patch."""


def read_shell(scanner: Scanner) -> bool:
    """Take one call and read what it applies. False if no call begins here."""
    first = scanner.at
    call = _read_call(scanner)
    if call is None or call.content is None:
        return call is not None
    called = scanner.moved_to(first)
    _resolve_directory(scanner, called, call.directory, call.content)
    _note_around(scanner, called)
    if call.directory:
        is_alone = _CD_LINE.fullmatch(called.line) is not None
        scanner.moved = call.content.directory, called.number, scanner.at, is_alone
    elif scanner.moved:
        scanner.moved = (*scanner.moved[:2], scanner.at, scanner.moved[3])
    read(call.content)
    return True


def _resolve_directory(scanner: Scanner, called: Scanner, own: str, content: Scanner) -> None:
    """Set the directory of a call, which changes to its `own`, from the call before it.

    A `cd` on a line of its own holds for the rest of the script. A call with a `cd` may be one of
    several that each start at the top: for the next call, the two readings differ.
    """
    if scanner.moved is None or posixpath.isabs(own):
        return
    directory, before, end, is_alone = scanner.moved
    gap = scanner.lines[end : called.at]
    is_at_once = bool(scanner.fence) or all(map(_EMPTY.fullmatch, gap))
    if is_alone and is_at_once and (not own or own.startswith("..")):
        content.directory = posixpath.normpath(posixpath.join(directory, own))
    elif is_alone or is_at_once:
        called.error(Malformed.UNCLEAR_DIRECTORY, directory=directory, before=before)


def _note_around(scanner: Scanner, called: Scanner) -> None:
    """Note the other commands of a script; one above the call that may change the directory is an
    error."""
    above = range(called.at - 1, max(called.at - _MAX_LINES, 0) - 1, -1)
    below = range(scanner.at, min(scanner.at + _MAX_LINES, scanner.end))
    for positions in (above, below):
        until: re.Pattern[bytes] | None = None
        for at in positions:
            line = scanner.lines[at]
            if until is not None:  # in a heredoc, which is not a command
                is_inside = positions is below or not until.search(line)
                until = None if until.search(line) else until
                if is_inside:
                    continue
            if grammar.is_fence(scanner, line) or _NOT_SCRIPT.match(line):
                break
            if positions is above and (word := _DELIMITER.fullmatch(line)):
                until = re.compile(rb"<<-?[ \t]*['\"\\]?" + word[1])
                continue
            if positions is below and (heredoc := _HEREDOC.search(line)):
                delimiter = heredoc["word"].strip(b"'\"\\")
                until = re.compile(rb"^[ \t]*" + re.escape(delimiter) + rb"[ \t\r]*$")
            parts = _PARTS.split(line[:400]) if at < called.at else []
            if any(map(_CD_COMMAND.fullmatch, parts)):
                scanner.moved_to(at).error(Malformed.UNREAD_DIRECTORY, called=called.number)
            grammar.note_command(scanner, at)


def patch_of(text: bytes) -> tuple[str, bytes] | None:
    """Return directory and patch of `text`; None unless it is exactly one `apply_patch` call."""
    scanner = Scanner(NumberedText(text))
    scanner.skip_blank_lines()
    if not scanner.more or _CD_LINE.fullmatch(scanner.line) or _PROMPT.match(scanner.line):
        return None
    call = _read_call(scanner)
    scanner.skip_blank_lines()
    if call is None or call.content is None or scanner.more or scanner.errors:
        return None
    if call.program not in NAMES or call.file:
        return None
    return call.directory, b"\n".join(call.content.left).removesuffix(b"\n") + b"\n"


def _read_call(scanner: Scanner) -> _ShellCommand | None:
    """Take the command that begins here; None, with nothing taken, if it has no patch."""
    lines: list[bytes] = []
    ahead = scanner.copy()
    for line in ahead.left[:8]:
        ahead.at += 1
        lines.append(_PROMPT.sub(rb"\1", line))
        if _CD_LINE.fullmatch(line):
            lines[-1] += b" &&"
        elif not line.rstrip(b" \t\r").endswith((b"\\", b"&&", b"|")):
            break
    text = b"\n".join(lines)
    quote = _QUOTE.search(text if not ahead.more else text + b"\n" + ahead.line)
    if quote and quote.start("quote") < len(text):
        return _read_quoted(scanner, text, ahead, quote)
    heredoc = _HEREDOC.search(text)
    return _read_heredoc(scanner, text, ahead, heredoc) if heredoc else None


def _read_quoted(
    scanner: Scanner, text: bytes, below: Scanner, quote: re.Match[bytes]
) -> _ShellCommand | None:
    """Take a command with a quoted patch, whose first line is `text`; the others are `below`."""
    start, first = quote.start("quote"), scanner.at
    is_single, shown, until = quote["quote"] == b"'", text, below.at
    pattern = _SINGLE if is_single else _DOUBLE
    while (match := pattern.match(shown, start)) is None and until < below.end:
        until = min(4 * until - 3 * first + 8, below.end)
        shown = b"\n".join((text, *below.lines[below.at : until]))
    if match is None:
        scanner.error(Malformed.UNCLOSED_QUOTE)
        scanner.at = scanner.end
        return _ShellCommand()
    tail = shown[match.end() :].partition(b"\n")[0]
    head, is_glued = shown[: quote.start("ansi")], not re.match(rb"[\s;&|<>()]|\Z", tail)
    words = head.rstrip().removesuffix(b"<<<")
    command = _judge(words + b" " + tail, quoted=words == head.rstrip())
    if re.match(rb"\s*echo\b", head) and b"\\" in match[1]:
        command = command._replace(unknown="\\")
    size = shown.count(b"\n", 0, match.end()) + 1
    if quote["ansi"] or (command.unknown and not is_glued):
        if size == 1 and not quote["ansi"]:
            return None
        part = command.unknown or "$'"
        return _refuse(scanner, text + b"\n" + tail, part, scanner.at + size)
    if is_glued or (not is_single and _JOINED.search(match[1])):
        scanner.error(Malformed.STRAY_QUOTES)
        scanner.at = scanner.end
        return command
    escape, plain = (rb"'(?:\\'|\"'\")'", b"'") if is_single else (rb'\\([$`"\\])', rb"\1")
    value = re.sub(escape, plain, match[1]).removesuffix(b"\n") + b"\n"
    content = scanner.nested(value, scanner.from_(first + shown.count(b"\n", 0, start)))
    scanner.at = first + size
    return command._replace(content=content.below(command.directory))


def _read_heredoc(
    scanner: Scanner, text: bytes, below: Scanner, heredoc: re.Match[bytes]
) -> _ShellCommand | None:
    """Take a command, whose line is `text`, and its heredoc, whose lines are `below`."""
    delimiter = heredoc["word"].strip(b"'\"\\")
    shown = text[: heredoc.start()] + b" " + text[heredoc.end() :]
    command = _judge(shown, quoted=False)
    # GPT-4.1 writes only the heredoc as the argument of `apply_patch`, and Codex reads that.
    if not command.program and not grammar.OPENING.match(below.line.lstrip()):
        command = command._replace(unknown=command.unknown or os.fsdecode(heredoc[0]))
    if command.unknown:
        end = _find_below(below, delimiter)
        stop = min(below.at + 1 if end is None else end, below.end)
        if _HELD.search(b"\n".join(below.lines[below.at : stop])):
            return _refuse(scanner, text, command.unknown, stop + (end is not None))
        if end is None:
            return None
        grammar.note_command(scanner, scanner.at)
        scanner.at = end + 1
        return command
    content, end = _heredoc_lines(scanner, below, heredoc["tabs"], delimiter)
    if command.file:
        names, is_bare = names_at(content), content.line.startswith(b"@@")
        if not is_bare and names is None:
            return _refuse(scanner, text, command.file, end)
        path, skipped = os.fsencode(command.file), 0 if is_bare else 2
        rest = b"\n".join((*content.left[skipped:], b""))
        numbers = scanner.from_(max(below.at + skipped - 2, 0))
        content = content.nested(b"--- %b\n+++ %b\n%b" % (path, path, rest), numbers)
    scanner.at = end
    return command._replace(content=content.below(command.directory))


def _heredoc_lines(
    scanner: Scanner, below: Scanner, tabs: bytes, delimiter: bytes
) -> tuple[Scanner, int]:
    """Return the lines of the heredoc that begins `below`, and the position after it."""
    first, indent, body = below.at, indentation(scanner.line), below.left
    if tabs:
        body = [line.lstrip(b"\t") for line in body]
    size, is_ended = _find_end(below, body, delimiter)
    if indent and not tabs:  # all of the script may be indented (D181)
        inner = [line.removeprefix(indent) for line in body]
        end, is_inner = _find_end(below, inner, delimiter)
        whole = body[: end + 1]
        if is_inner and all(line.startswith(indent) for line in whole if line.strip()):
            body, size, is_ended = inner, end, True
    if not is_ended:
        last_two = [line for line in reversed(body[:size]) if line.strip()][:2]
        if not any(map(_ENDS.match, last_two)):
            end = first + size
            below.report_no_end("heredoc", delimiter, end, scanner.number)
    content = below.moved_to(first, first + size)
    if content.left != body[:size]:
        content = below.view(body[:size], first)
    content.fence, content.depth = b"", scanner.depth - 1
    return content, first + size + is_ended


def _judge(shown: bytes, *, quoted: bool) -> _ShellCommand:
    """Read a command: all but its patch, which is its last word, or its input."""
    text, directory, file = os.fsdecode(shown.replace(b"\\\n", b" ")), "", ""
    match = _COMMAND.match(text) if len(text) < _LONG else None
    if match is None:
        return _ShellCommand(unknown=text.strip())
    for into in _CHANGED.findall(match["cd"]):
        directory = posixpath.join(directory, *shlex.split(into))
    program, options = posixpath.basename(match["program"] or ""), shlex.split(match["options"])
    unknown, is_alone = text[match.end() :].split()[:1], quoted and not match["print"]
    if match["name"]:
        unknown, options = [word for word in options if is_alone or word != "-"] + unknown, []
    elif (match["shell"] and is_alone and not options) or not program:
        pass
    elif is_alone or not match["takes"] or (match["print"] and not quoted):
        unknown = [program, *unknown]
    for word in [] if unknown else options:
        if program == "patch" and word[:1] != "-" and not file:
            file = word
        elif not _SAME.fullmatch(word):
            unknown.append(word)
    return _ShellCommand(program, directory, (*unknown, "")[0], file)


def _refuse(scanner: Scanner, text: bytes, part: str, end: int) -> _ShellCommand:
    """Take a command that has a patch up to `end`, with an error: its `part` is not understood."""
    sought, first = text + b" " + os.fsencode(part), text.partition(b"\n")[0]
    options = (
        (option, instead)
        for pattern, instead in _OTHERS
        if (option := re.search(rb"(?<!\S)(?:" + pattern + rb")(?!\S)", sought))
    )
    option, instead = next(options, (None, ""))
    if below := _BELOW.search(text):
        option, directory = option or below, os.fsdecode(below["directory"])
        instead = f"{instead or 'to `git opatch apply`'}, with `--directory {directory}`"
    if option:
        scanner.error(Malformed.OPTION_OF_COMMAND, text=first, part=option[0], instead=instead)
    else:
        scanner.error(Malformed.UNSUPPORTED_COMMAND, text=first, part=part)
    scanner.at = end
    return _ShellCommand()


def _find_end(below: Scanner, body: list[bytes], delimiter: bytes) -> tuple[int, bool]:
    """Return how many lines of `body` the heredoc has, and whether the delimiter is there.

    The fence around them ends them, too, unless the delimiter comes below it.
    """
    for at, line in enumerate(body):
        if line == delimiter:
            return at, True
        if below.fence and grammar.is_fence(below, line):
            end = _find_below(below.moved_to(below.at + at + 1), delimiter)
            if end is not None and body[end - below.at] == delimiter:
                return end - below.at, True
            return at, False
    return len(body), False


def _find_below(scanner: Scanner, delimiter: bytes) -> int | None:
    """Return the position of the delimiter that ends the heredoc which begins here, or None.

    A document may contain fences, so a fence does not end it, unless another heredoc with the same
    delimiter opens after the fence. Few are looked for in vain, so that the time stays linear.
    """
    text, contents = scanner.text, scanner.contents
    if contents.heredocs < 100 and scanner.more:
        word = re.escape(delimiter)
        pattern = re.compile(rb"(?m)^[ \t]*+" + word + rb"[ \t\r]*+$")
        end = pattern.search(text.raw, scanner.offset, scanner.stop)
        fence = _FENCE.search(text.raw, scanner.offset, end.start()) if end else None
        again = re.compile(rb"<<-?[ \t]*['\"\\]?" + word)
        if end and not (fence and again.search(text.raw, fence.end(), end.start())):
            return text.position(end.start())
        contents.heredocs += 1
    return None
