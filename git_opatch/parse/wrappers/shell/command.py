"""One shell command line, parsed and never run: which patch does it apply?

    line    := ("cd " dir "&&")* call
    call    := name heredoc | name "<<<" word | name word | "cat" heredoc "|" name
             | ("echo" | "printf" "%s") word "|" name | shell "-c" script
             | ("git apply" | "git opatch apply" | "patch") flag* heredoc
    name    := apply_patch, or a wrong spelling that models use, with or without a directory
    heredoc := ("<<" | "<<-") word

Source: POSIX Shell Command Language, 2.7.4 "Here-Document", Bash's here-strings, and Codex's
detection of `apply_patch` calls: anything more than one such command is not a call (D65).
OpenCode's patch subsystem ("Bash Integration Detection") has `<<<'PATCH'` with lines up to `PATCH`
below it: a here-string of one line is read so, since no patch has only one line.
"""

from __future__ import annotations

import os
import posixpath
import re
from typing import NamedTuple

from git_opatch.parse.wrappers.shell.program import (
    NAMES,
    SCRIPT_FLAGS,
    SHELLS,
    find_unknown_argument,
)
from git_opatch.parse.wrappers.shell.quoting import unquote
from git_opatch.parse.wrappers.shell.syntax import (
    NotACall,
    SimpleCommand,
    Word,
    parse_commands,
)

_HEREDOC = re.compile(rb"""(?<!<)<<[<-]?[ \t]*((?:'[^'\n]*'|"[^"\n]*"|\\.|[^\s'"\\|&;<>()])+)""")


class Call(NamedTuple):
    """A call that applies a patch.

    The patch is the argument `word`, with its quotes, which begins at that line of the command
    (from 0); or it is below, up to the line `delimiter`.
    """

    program: str
    directory: str = ""
    word: bytes = b""
    line: int = 0
    delimiter: bytes | None = None
    tabs: bool = False
    """Whether leading tabs of the lines below are removed (`<<-`)."""

    @property
    def applies(self) -> bool:
        """Whether this is a call of `apply_patch` itself."""
        return self.program in NAMES

    @property
    def is_script(self) -> bool:
        """Whether the word is a script, not a patch."""
        return self.program in SHELLS


def find_delimiter(text: bytes) -> bytes | None:
    """Return the delimiter of the first heredoc, or here-string, in the command `text`."""
    match = _HEREDOC.search(text)
    return unquote(match[1])[0] if match else None


def parse_call(text: bytes) -> Call | None:
    """Parse the command line `text`; None if it is not exactly one call."""
    try:
        return _parse(text)
    except NotACall:
        return None


def find_unknown_part(text: bytes) -> bytes:
    """Return the part of `text` that keeps it from being a call, in backticks; may be empty."""
    try:
        _parse(text)
    except NotACall as error:
        return b"`%b`" % error.written if error.written else b""
    return b""


def _parse(text: bytes) -> Call:
    *moves, last = parse_commands(text)
    directories = [_cd_target(move) for move in moves]
    return _make_call(last, posixpath.join("", *directories))


def _cd_target(step: SimpleCommand) -> str:
    """Return the directory of a `cd`. Raises `NotACall` for another command or an expanded word."""
    words = [word.value for word in step.words]
    if len(words) != 2 or words[0] != b"cd" or step.input or words[1][:1] in (b"", b"-"):
        raise NotACall(b" ".join(word.written for word in step.words))
    return os.fsdecode(words[1])


def _make_call(step: SimpleCommand, directory: str) -> Call:
    program, *arguments = [os.fsdecode(word.value) for word in step.words] or [""]
    program = posixpath.basename(program)
    if step.input is None:
        return _make_argument_call(program, arguments, step.words[-1:], directory)
    given = [argument for argument in arguments if argument != "-"]  # standard input
    unknown = find_unknown_argument(program, given)
    if unknown is not None:
        raise NotACall(os.fsencode(unknown))
    value = step.input.value
    if step.operator == "<<<" and b"\n" in value:
        return Call(program, directory, step.input.written, step.input.line)
    if b"\n" in value:
        raise NotACall(step.input.written)
    return Call(program, directory, delimiter=value, tabs=step.operator == "<<-")


def _make_argument_call(
    program: str, arguments: list[str], last: tuple[Word, ...], directory: str
) -> Call:
    script = program in SHELLS and len(arguments) == 2 and arguments[0] in SCRIPT_FLAGS
    if not script and not (program in NAMES and len(arguments) == 1):
        raise NotACall
    return Call(program, directory, last[0].written, last[0].line)
