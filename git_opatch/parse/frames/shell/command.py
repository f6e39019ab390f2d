"""One shell command line, read with a grammar of the shell and never run: what patch it applies.

    line    := ("cd " dir "&&")* call
    call    := name heredoc | name "<<<" word | name word | "cat" heredoc "|" name
             | ("echo" | "printf" "%s") word "|" name | shell "-c" script
             | ("git apply" | "git opatch apply" | "patch") flag* heredoc
    name    := apply_patch, or one of the wrong spellings that models use, with or without a path
    heredoc := ("<<" | "<<-") word

Rules: POSIX Shell Command Language, 2.7.4 "Here-Document", Bash's here-strings, and Codex's
detection of `apply_patch` calls: what is more than one such command is none. OpenCode's patch
subsystem ("Bash Integration Detection") has `<<<'PATCH'` followed by lines up to `PATCH`: a
here-string of one line is read so, since no patch has only one.
"""

from __future__ import annotations

import os
import posixpath
import re
from typing import NamedTuple

from git_opatch.parse.frames.shell.program import NAMES, SCRIPT_FLAGS, SHELLS, unknown_word
from git_opatch.parse.frames.shell.quoting import unquoted
from git_opatch.parse.frames.shell.syntax import Other, Reader, Step, Word, skeleton_of

_HEREDOC = re.compile(rb"""(?<!<)<<[<-]?[ \t]*((?:'[^'\n]*'|"[^"\n]*"|\\.|[^\s'"\\|&;<>()])+)""")


class Call(NamedTuple):
    """What a command line asks for.

    The patch is the argument `word`, quoted as it was written, which begins on that line of
    the command (from 0); or it follows, up to the line `delimiter`.
    """

    program: str
    directory: str = ""
    word: bytes = b""
    line: int = 0
    delimiter: bytes | None = None
    tabs: bool = False
    """Whether the leading tabs of what follows are no part of it (`<<-`)."""

    @property
    def applies(self) -> bool:
        """Whether this is a call of `apply_patch` itself."""
        return self.program in NAMES

    @property
    def is_script(self) -> bool:
        """Whether the word is a script, not a patch."""
        return self.program in SHELLS


def delimiter_of(text: bytes) -> bytes | None:
    """The line that ends the first heredoc of the command `text`, or what is read as one."""
    match = _HEREDOC.search(text)
    return unquoted(match[1])[0] if match else None


def understand(text: bytes) -> Call | None:
    """The call that the command line `text` is, if it is just that and no more."""
    try:
        return _understood(text)
    except Other:
        return None


def culprit(text: bytes) -> bytes:
    """What of the command line `text` keeps it from being a call, in backquotes; may be empty."""
    try:
        _understood(text)
    except Other as other:
        return b"`%b`" % other.written if other.written else b""
    return b""


def _understood(text: bytes) -> Call:
    skeleton, holes = skeleton_of(text)
    delimiter = delimiter_of(skeleton)
    if delimiter is not None and b"<<<" not in skeleton:
        skeleton += b"\n" + delimiter + b"\n"
    *moves, last = Reader(skeleton, holes).steps()
    directories = [_directory(move) for move in moves]
    return _call(last, posixpath.join("", *directories))


def _directory(step: Step) -> str:
    """Where a `cd` goes. Raises `Other` if it is none, or says so in a way only a shell knows."""
    said = [word.said for word in step.words]
    if len(said) != 2 or said[0] != b"cd" or step.input or said[1][:1] in (b"", b"-"):
        raise Other(b" ".join(word.written for word in step.words))
    return os.fsdecode(said[1])


def _call(step: Step, directory: str) -> Call:
    program, *arguments = [os.fsdecode(word.said) for word in step.words] or [""]
    program = posixpath.basename(program)
    if step.input is None:
        return _with_argument(program, arguments, step.words[-1:], directory)
    unknown = unknown_word(program, arguments)
    if unknown is not None:
        raise Other(os.fsencode(unknown))
    said = step.input.said
    if step.sign == "<<<" and b"\n" in said:
        return Call(program, directory, step.input.written, step.input.line)
    return Call(program, directory, delimiter=said, tabs=step.sign == "<<-")


def _with_argument(
    program: str, arguments: list[str], last: tuple[Word, ...], directory: str
) -> Call:
    script = program in SHELLS and len(arguments) == 2 and arguments[0] in SCRIPT_FLAGS
    if not script and not (program in NAMES and len(arguments) == 1):
        raise Other
    return Call(program, directory, last[0].written, last[0].line)
