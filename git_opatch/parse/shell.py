"""A patch in shell text: `apply_patch <<'EOF'`, `bash -lc '…'`, `cd DIR && apply_patch "…"`.

    line    := ("cd " dir "&&")* call
    call    := name heredoc | name word | "cat" heredoc "|" name | shell "-c" script
             | ("git apply" | "git opatch apply" | "patch") flag* heredoc
    name    := apply_patch, or a wrong spelling that models use, with or without a directory
    heredoc := ("<<" | "<<-" | "<<<") word

Source: POSIX Shell Command Language, 2.2 "Quoting" and 2.7.4 "Here-Document"; Codex's detection of
`apply_patch` calls: anything more than one such command is not a call. OpenCode's patch subsystem
("Bash Integration Detection") has `<<<'PATCH'` with lines up to `PATCH` below it.

The text is read and never run: the body of a heredoc and a quoted string are taken literally, so
that `$x` means `$x` even where a shell would expand it. A heredoc without its delimiter reaches to
the end of the text, or of the Markdown fence around it. Anything that is not exactly such a call is
prose; where that would lose a directory, a flag or quoting, it is an error (D65).
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from git_opatch.model.options import Format
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
from git_opatch.parse.prose import is_fence, report_missing_end
from git_opatch.parse.scanner import Lines, Scanner, ShiftedLineNumbers

NAMES = frozenset({"apply_patch", "applypatch", "apply-patch"})
SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
SCRIPT_FLAGS = frozenset({"-c", "-lc"})
_IGNORED_FLAGS = re.compile(
    r"-|-p1|-v|-3|--(?:index|cached|worktree|3way|verbose|recount|quiet|check|dry-run|unidiff-zero"
    r"|whitespace=[a-z]+)"
)
_TOKEN = re.compile(
    rb"""(?P<gap>[ \t\r]++ | \\\n)
    | (?P<operator><<<|<<-?|&&|\|\||[|;&<>()\n])
    | (?P<word>(?:'[^']*+' | "[^"\\]*+(?:\\.[^"\\]*+)*+" | \\[^\n] | [^\s'"\\|;&<>()]++)+)""",
    re.DOTALL | re.VERBOSE,
)
_SPAN = re.compile(
    rb"""'[^']*+' | "[^"\\]*+(?:\\.[^"\\]*+)*+" | \\. | [^'"\\]++""", re.DOTALL | re.VERBOSE
)
_EXPANDED = re.compile(rb"[$`*?\[~{]|\A#")
_EXPANDED_IN_QUOTES = re.compile(rb'"(?!.*<<)[^\\$`\n]*+(?:\\.[^\\$`\n]*+)*+[$`][^\n]*"\Z')
_ASSIGNMENT = re.compile(rb"[A-Za-z_]\w*+\+?=")
_OPENS_HEREDOC = re.compile(rb"<<-?[ \t]*['\"]\Z")

_STARTS = re.compile(rb"[ \t]*(?:[$#%][ \t]+)?" + SHELL_COMMAND)
_PROMPT = re.compile(rb"\A([ \t]*)[$#%][ \t]+(?=" + SHELL_COMMAND + rb")")
_MENTIONS = re.compile(rb"apply[_-]?patch\b|\bapply\b|\bpatch\s")
"""Text that every line has which may apply a patch."""
_PATCH = rb"(?:[<{\[]|" + MARKERS + rb"|" + OPENING + rb")"
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
    rb"(?:\$?'|\")(?:\s|\\n)*(?:" + MARKERS + rb"|" + OPENING + rb")"
)
_INLINE = re.compile(rb"\$'(?:\s|\\n)*" + _PATCH)
# Heredocs that can be read as prose: applied here, forwards.
_LIKE_PROSE = re.compile(
    rb"(?!.*<<-)[ \t]*(?:" + NAME + rb"[ \t]*<<|cat[ \t]+(?:-[ \t]+)?<<[^>]*\|"
    rb"|" + NAME + rb"\b[^<]*<<-?[ \t]*\S+[ \t]+\w)"
)
_FLAG_OR_CD = re.compile(rb"\s--?\w|(?<![\w./-])(?:cd|pushd)\s")
_FLAG = re.compile(rb"(?:-R|--reverse|-p\d+|--directory)\b")
_ENDS = re.compile(rb"\s*" + ENDING, re.IGNORECASE)
_BARE_HEREDOC = re.compile(rb"[ \t]*<<(-?)[ \t]*(?:'(\w+)'|\"(\w+)\"|(\w+))[ \t\r]*")
_OPENING = re.compile(rb"\s*" + OPENING)
_CONTINUES = (b"\\", b"&&", b"|")
_MAX_CONTINUED = 8

_DIRECTORY = rb"(?:[^\s'\"&|;]+|'[^']*'|\"[^\"]*\")"
_CD_LINE = re.compile(rb"[ \t]*(?:[$#%][ \t]+)?cd[ \t]+" + _DIRECTORY + rb"[ \t\r]*")
"""A line that only changes the directory."""
_SEPARATORS = re.compile(rb"&&|\|\||[;(){}]|\b(?:then|do)\b")
_CD_COMMAND = re.compile(
    rb"\s*(?:[$#%]\s+)?(?:cd|pushd|popd)(?:[ \t]+(?:-\w+[ \t]+)*" + _DIRECTORY + rb")?[\s\\]*"
)
_NOT_SCRIPT = re.compile(rb"[ \t]*(?:[-+@*<>]|[A-Z_]+[ \t\r]*$)")
_EMPTY = re.compile(rb"[ \t\r]*(?:#.*)?", re.DOTALL)
_MAX_LINES_BEFORE, _MAX_LINE = 32, 400
_MAX_OPEN = 100
"""So many heredocs without an end are looked for."""

_DELIMITER = rb"(?:'([^'\n`]+)'|\"([^\"\n`]+)\"|\\?([\w.-]+))"
_HEREDOC = re.compile(rb"(?<!<)<<[<-]?[ \t]*" + _DELIMITER)
# Words after the delimiter are a sentence's; a command has them before it.
_HEREDOC_AT_END = re.compile(rb"(?<!<)<<-?[ \t]*" + _DELIMITER + rb"[ \t\r\\]*(?:$|[|&;<>)]|\d>)")
_WORD_ALONE = re.compile(rb"(?m)^[ \t]*+(\S[^\n]*?)[ \t\r]*+$")
_FENCE = re.compile(rb"(?m)^[ \t]*+(?:```|~~~)")
_HELD_PATCH = re.compile(
    MARKERS
    + rb"|^[ \t]*(?:"
    + rb"|".join((HUNK_START, OPENING, MARKS, UNSUPPORTED))
    + rb"|[\[{].*[\"']\w*(?:patch|diff|operation|path)\w*[\"'])",
    re.IGNORECASE,
)


class _NotACall(Exception):  # noqa: N818 - it is an answer
    """The command is not a known call, because of the part `written`."""

    def __init__(self, written: bytes) -> None:
        super().__init__(written)
        self.written = written


class _Call(NamedTuple):
    """A call that applies a patch.

    The patch is the argument `word`, with its quotes, which begins at that line of the command
    (from 0); or it is below, up to the line `delimiter`. With `tabs` (`<<-`), those in front of the
    lines below are removed.
    """

    program: str
    directory: str = ""
    word: bytes = b""
    line: int = 0
    delimiter: bytes | None = None
    tabs: bool = False


class _Command(NamedTuple):
    """A command line: its tokens, each with its line, its number of lines, whether it is whole."""

    text: bytes
    tokens: list[tuple[bytes, int]]
    size: int
    closed: bool


def unwrap(scanner: Scanner, _formats: Iterable[Format]) -> list[Scanner] | None:
    """Take one call and return a scanner over what it applies. None if no call begins here."""
    if not _STARTS.match(scanner.line):
        return None
    # GPT-4.1 writes only the heredoc as the argument of `apply_patch`, and Codex reads that.
    bare = _BARE_HEREDOC.fullmatch(scanner.line)
    if bare and _OPENING.match(scanner.peek()):
        call, count = _Call("", delimiter=bare[2] or bare[3] or bare[4], tabs=bool(bare[1])), 1
    else:
        command = _read_command(scanner)
        if command is None:
            return _skip_other_heredoc(scanner)
        try:
            call, count = _parse(command), command.size
        except _NotACall as error:
            refused = _refuse(scanner, command, error.written)
            return _skip_other_heredoc(scanner) if refused is None else refused
        del command  # its text may be as large as the whole patch
    first, content = scanner.at, _read_content(scanner, call, count)
    if content is None:
        return None
    _resolve_directory(scanner, content, first, call.directory)
    if call.directory:
        number, alone = scanner.lines.number(first), _CD_LINE.fullmatch(scanner.line_at(first))
        scanner.directory_change = content.directory, number, scanner.at, bool(alone)
    elif change := scanner.directory_change:
        scanner.directory_change = (*change[:2], scanner.at, change[3])
    return [content]


def patch_of(text: bytes) -> tuple[str, bytes] | None:
    """Return directory and patch of `text`; None unless it is exactly one `apply_patch` call."""
    scanner = Scanner.from_bytes(text)
    scanner.skip_blank_lines()
    if scanner.at_end or _CD_LINE.fullmatch(scanner.line) or _PROMPT.match(scanner.line):
        return None
    command = _read_command(scanner)
    try:
        call = _parse(command) if command else None
    except _NotACall:
        return None
    if command is None or call is None or call.program not in NAMES:
        return None
    content = _read_content(scanner, call, command.size)
    scanner.skip_blank_lines()
    if content is None or not scanner.at_end or scanner.errors:
        return None
    return call.directory, b"\n".join(map(content.line_at, range(content.at, content.end))) + b"\n"


def _read_command(scanner: Scanner) -> _Command | None:
    """Return the command line at the scanner; None if it cannot be a call."""
    below = min(scanner.at + _MAX_CONTINUED, scanner.end - 1)
    near = scanner.lines.between(scanner.at, below + 1)
    if not _MENTIONS.search(near) and not _PRINTS.search(near):
        return None
    count = 1
    while count < _MAX_CONTINUED and scanner.at + count < scanner.end:
        line = scanner.line_at(scanner.at + count - 1)
        if not (line.rstrip(b" \t").endswith(_CONTINUES) or _CD_LINE.fullmatch(line)):
            break
        count += 1
    text = _join_lines(scanner, count)
    command, shown = _tokenize(text), text + b"\n" + scanner.peek(count)
    mentioned = _MENTIONS.search(shown) and (command.closed or _OPENS.search(shown))
    if not mentioned and not _PRINTS.search(shown):
        return None
    while not command.closed and scanner.at + count < scanner.end:
        count = min(2 * count, scanner.end - scanner.at)
        command = _tokenize(_join_lines(scanner, count))
    return command


def _join_lines(scanner: Scanner, count: int) -> bytes:
    """Join `count` lines; a `cd` on a line of its own is joined to the next line by `&&`."""
    rest = scanner.limited_to(scanner.at + count)
    lines: list[bytes] = []
    while not rest.at_end:
        line = rest.take()
        lines.append(_PROMPT.sub(rb"\1", line, count=1))
        if rest.at_end or not _CD_LINE.fullmatch(line):
            break
        lines[-1] += b" &&"
    return b"\n".join(lines if rest.at_end else [*lines, rest.text])


def _tokenize(text: bytes) -> _Command:
    """Split the first command of `text` into words and operators.

    It ends at an unquoted newline, except after `&&` or `|`, or before a quote that is not closed.
    """
    tokens: list[tuple[bytes, int]] = []
    at = line = 0
    while match := _TOKEN.match(text, at):
        if match["operator"] == b"\n" and not (tokens and tokens[-1][0] in (b"&&", b"|")):
            break
        if match["gap"] is None:
            tokens.append((match[0], line))
        line += match[0].count(b"\n")
        at = match.end()
    return _Command(text[:at], tokens, line + 1, text[at : at + 1] in (b"", b"\n"))


def _parse(command: _Command) -> _Call:
    """Return the call that a command is. Raises `_NotACall` with what is not understood."""
    if not command.closed:
        raise _NotACall(b"")
    tokens, directory = iter([*command.tokens, (b"", 0)]), ""
    words, (operator, _) = _take_words(tokens)
    while operator == b"&&":
        directory = posixpath.join(directory, _cd_target([word for word, _ in words]))
        words, (operator, _) = _take_words(tokens, after_newlines=True)
    sign, given = operator, (b"", 0)
    if sign in (b"<<", b"<<-", b"<<<"):
        (given, *others), (operator, _) = _take_words(tokens)
        words += others
    if operator == b"|":
        if not given[0] or [word for word, _ in words if word != b"-"] != [b"cat"]:
            raise _NotACall(words[0][0])
        words, (operator, _) = _take_words(tokens)
    if operator:
        raise _NotACall(operator if operator != b"\n" else words[0][0])
    return _make_call(directory, words, sign, given)


def _make_call(
    directory: str, words: list[tuple[bytes, int]], sign: bytes, given: tuple[bytes, int]
) -> _Call:
    """Return the call of a program, by its words and the heredoc or here-string given to it."""
    program, *arguments = [os.fsdecode(_unquote(word)) for word, _ in words]
    program = posixpath.basename(program)
    if not given[0]:
        is_script = program in SHELLS and len(arguments) == 2 and arguments[0] in SCRIPT_FLAGS
        if not is_script and not (program in NAMES and len(arguments) == 1):
            raise _NotACall(words[-1][0] if program in NAMES else words[0][0])
        return _Call(program, directory, *words[-1])
    _check_arguments(program, arguments)
    value = _unquote(given[0])
    if sign == b"<<<" and b"\n" in value:
        return _Call(program, directory, *given)
    if not value or b"\n" in value:
        raise _NotACall(given[0])
    return _Call(program, directory, delimiter=value, tabs=sign == b"<<-")


def _take_words(
    tokens: Iterator[tuple[bytes, int]], *, after_newlines: bool = False
) -> tuple[list[tuple[bytes, int]], tuple[bytes, int]]:
    """Take the words up to an operator, at least one, and the operator, which is empty at the end.

    Raises `_NotACall` without a word, and for one that a shell expands. A patch or a script in
    double quotes is text, as it was meant.
    """
    words: list[tuple[bytes, int]] = []
    for token in tokens:
        written = token[0]
        if written == b"\n" and after_newlines and not words:
            continue
        match = _TOKEN.fullmatch(written)
        if match is None or match["word"] is None:
            if not words or _ASSIGNMENT.match(words[0][0]):
                raise _NotACall(words[0][0] if words else written)
            return words, token
        for span in _SPAN.findall(written):
            is_bare = not span.startswith((b"'", b'"', b"\\"))
            if (is_bare and _EXPANDED.search(span)) or _EXPANDED_IN_QUOTES.match(span):
                raise _NotACall(written)
        words.append(token)
    raise _NotACall(b"")


def _cd_target(words: Sequence[bytes]) -> str:
    """Return the directory of a `cd`. Raises `_NotACall` for another command."""
    target = _unquote(words[1]) if len(words) == 2 and words[0] == b"cd" else b""
    if target[:1] in (b"", b"-"):
        raise _NotACall(b" ".join(words))
    return os.fsdecode(target)


def _check_arguments(program: str, arguments: Sequence[str]) -> None:
    """Raise `_NotACall` with the first word that may change how or where the input is applied."""
    if program in NAMES:
        unknown = [argument for argument in arguments if argument != "-"]
    elif program == "git":
        verb = 2 if arguments[:1] == ["opatch"] else 1
        if arguments[verb - 1 : verb] != ["apply"]:
            raise _NotACall(os.fsencode(" ".join([program, *arguments[:verb]])))
        unknown = [each for each in arguments[verb:] if not _IGNORED_FLAGS.fullmatch(each)]
    elif program == "patch":
        unknown = [each for each in arguments if not _IGNORED_FLAGS.fullmatch(each)]
    else:
        unknown = [program]
    if unknown:
        raise _NotACall(os.fsencode(unknown[0]))


def _unquote(word: bytes) -> bytes:
    """Unquote a word as a shell does, but expand nothing."""
    return b"".join(
        span[1:-1]
        if span.startswith(b"'")
        else re.sub(rb'\\([$`"\\\n])', rb"\1", span[1:-1])
        if span.startswith(b'"')
        else span.removeprefix(b"\\")
        for span in _SPAN.findall(word)
    )


def _has_stray_quotes(word: bytes) -> bool:
    r"""Return whether quotes inside a quoted text seem to have ended it, as in `'a 'b' c'`.

    The idioms for a quote, `'\''` and `'"'"'`, and the delimiter of a heredoc in a script
    (`'cat <<'EOF'…'`) are not stray. Nor does a quoted text join lines by `\`.
    """
    before, spans = b"", _SPAN.findall(word)
    if not any(span.startswith((b"'", b'"')) for span in spans):
        return False
    for span in spans:
        if span.startswith((b"'", b'"')):
            is_joined = span.startswith(b'"') and re.search(rb"(?<!\\)(?:\\\\)*\\\n", span)
            if is_joined or (before.startswith((b"'", b'"')) and before[-1:] == span[:1]):
                return True
        elif span != b"\\'" and not (_OPENS_HEREDOC.search(before) and span.isalnum()):
            return True
        before = span
    return False


def _read_content(scanner: Scanner, call: _Call, count: int) -> Scanner | None:
    """Take the call of `count` lines and return a scanner over what it applies.

    None, with nothing taken, if that cannot be a patch.
    """
    directory = scanner.directory
    if call.directory:
        directory = posixpath.normpath(posixpath.join(directory, call.directory))
    if call.delimiter is None:
        text = _unquote(call.word)
        begins = _SCRIPT if call.program in SHELLS else _BEGINS
        if count == 1 and not begins.match(text):
            return None
        first = scanner.at + call.line
        if _has_stray_quotes(call.word):
            scanner.error(Malformed.STRAY_QUOTES)
            scanner.at += count
            return scanner.limited_to(scanner.at)
        numbers = ShiftedLineNumbers(scanner.lines, first)
        scanner.at += count
        content = scanner.nested(Lines(text.removesuffix(b"\n") + b"\n", numbers=numbers))
        content.directory = directory
        return content
    dedent = _strip_tabs(scanner.dedent) if call.tabs else scanner.dedent
    body = replace(scanner, at=scanner.at + count, dedent=dedent, directory=directory)
    body = _without_indentation(body, call.delimiter, indentation(scanner.line))
    end, ended = _find_terminator(body, call.delimiter)
    last_lines = (body.line_at(at) for at in range(end - 1, body.at - 1, -1))
    if not ended and not any(map(_ENDS.match, islice(filter(bytes.strip, last_lines), 2))):
        report_missing_end(scanner, "heredoc", call.delimiter, end)
    scanner.at = end + ended
    return replace(body, end=end, fence=b"", directory_change=None)


def _strip_tabs(dedent: Callable[[bytes], bytes] | None) -> Callable[[bytes], bytes]:
    """Return the dedent of a `<<-` heredoc, which is applied after that of an outer wrapper."""
    if dedent is None:
        return lambda line: line.lstrip(b"\t")
    return lambda line: dedent(line).lstrip(b"\t")


def _without_indentation(body: Scanner, delimiter: bytes, indent: bytes) -> Scanner:
    """Return a scanner that takes off `indent`, which the call has, if all lines have it.

    The delimiter must have it, too: then all of the script is indented (D181).
    """
    if not indent:
        return body
    dedent = body.dedent or bytes
    inner = replace(body, dedent=lambda line: dedent(line).removeprefix(indent))
    end, ended = _find_terminator(inner, delimiter)
    lines = (body.line_at(at) for at in range(body.at, end + 1)) if ended else iter((b"x",))
    return inner if all(line.startswith(indent) for line in lines if line.strip()) else body


def _find_terminator(body: Scanner, delimiter: bytes) -> tuple[int, bool]:
    """Return the position where the lines of `body` end, and whether the delimiter is there.

    The fence around them ends them, too, unless the delimiter comes below it.
    """
    below = -1
    for at in range(body.at, body.end):
        line = body.line_at(at)
        if line == delimiter:
            return at, True
        if below < at and body.fence and is_fence(body, line):
            end = _find_end(replace(body, at=at), delimiter)
            if end is None or body.line_at(end) != delimiter:
                return at, False
            below = end
    return body.end, False


def _find_end(scanner: Scanner, delimiter: bytes) -> int | None:
    """Return the position of the delimiter that ends the heredoc opened on the next line, or None.

    A document may contain fences, so a fence does not end it, unless another heredoc with the same
    delimiter opens after the fence. Few are looked for in vain, so that the time stays linear.
    """
    lines, raw, found = scanner.lines, scanner.lines.raw, scanner.found
    if found.open_heredocs < _MAX_OPEN and scanner.at + 1 < scanner.end:
        start, stop = lines.offset(scanner.at + 1), lines.offset(scanner.end)
        word = re.escape(delimiter)
        end = re.compile(rb"(?m)^[ \t]*+" + word + rb"[ \t\r]*+$").search(raw, start, stop)
        fence = _FENCE.search(raw, start, end.start()) if end else None
        again = rb"<<-?[ \t]*['\"\\]?" + word
        if end and not (fence and re.compile(again).search(raw, fence.end(), end.start())):
            return lines.at_offset(end.start())
        found.open_heredocs += 1
    return None


def _refuse(scanner: Scanner, command: _Command, part: bytes) -> list[Scanner] | None:
    """Report a command that has a patch but is not a known call; None if it is like prose."""
    text = command.text
    if not command.closed:
        scanner.error(Malformed.UNCLOSED_QUOTE)
        scanner.at = scanner.end
        return []
    heredoc = _HEREDOC.search(text)
    if _INLINE.search(text) or any(
        b"\n" in token and token != b"\n" for token, _ in command.tokens
    ):
        heredoc = None
    else:
        like_prose = _LIKE_PROSE.match(text) and not _FLAG_OR_CD.search(text)
        if not heredoc or like_prose or not _BEGINS.match(scanner.peek(command.size)):
            return None
    has_flags = part.startswith(b"-") or any(_FLAG.match(token) for token, _ in command.tokens)
    fault = Malformed.FLAGS_OF_COMMAND if has_flags else Malformed.UNSUPPORTED_COMMAND
    scanner.error(fault, text=text.partition(b"\n")[0], part=part)
    scanner.at += command.size
    if heredoc is not None:
        end, ended = _find_terminator(scanner, heredoc[1] or heredoc[2] or heredoc[3])
        scanner.at = end + ended
    return []


def _skip_other_heredoc(scanner: Scanner) -> list[Scanner] | None:
    """Take a heredoc of another command, which may write or run it; None if there is none."""
    line = _PROMPT.sub(b"", scanner.line, count=1)
    opened = None if _LIKE_PROSE.match(line) else _HEREDOC_AT_END.search(line)
    if opened is None:
        return None
    end = _find_end(scanner, opened[1] or opened[2] or opened[3])
    until = scanner.at + 2 if end is None else end
    held = range(scanner.at + 1, min(until, scanner.end))
    holds = any(_HELD_PATCH.search(scanner.line_at(at)) for at in held)
    if end is None and not holds:
        return None
    if holds:
        scanner.error(Malformed.OTHER_HEREDOC, text=line)
    scanner.at = min(until, scanner.end - 1) + 1
    return []


def _resolve_directory(scanner: Scanner, content: Scanner, first: int, own: str) -> None:
    """Set the directory of `content`, the patch of the call at position `first`.

    That is its `own`, and that of a `cd` on a line of its own before, which holds for the rest of
    the script: one Markdown fence is one; without a fence, only lines without a gap are. A call
    with a `cd` may be one of several that each start at the top, as agents run them: for the next
    call, the two readings differ.
    """
    for at in range(first - 1, max(first - _MAX_LINES_BEFORE, 0) - 1, -1):
        line = scanner.line_at(at)
        if is_fence(scanner, line) or _MENTIONS.search(line) or _NOT_SCRIPT.match(line):
            break
        if any(map(_CD_COMMAND.fullmatch, _SEPARATORS.split(line[:_MAX_LINE]))):
            number, called = scanner.lines.number(at), scanner.lines.number(first)
            scanner.error(Malformed.UNREAD_DIRECTORY, number, text=line, called=called)
            break
    if scanner.directory_change is None or posixpath.isabs(own):
        return
    directory, before, end, alone = scanner.directory_change
    between = map(scanner.line_at, range(end, first))
    at_once = bool(scanner.fence) or all(map(_EMPTY.fullmatch, between))
    if not alone and not at_once:
        scanner.directory_change = None
        return
    if alone and at_once and (not own or own.startswith("..")):
        content.directory = posixpath.normpath(posixpath.join(directory, own))
        return
    scanner.error(
        Malformed.UNCLEAR_DIRECTORY,
        scanner.lines.number(first),
        text=scanner.line_at(first),
        directory=directory,
        before=before,
    )
