"""One shell command line, read with a grammar of the shell and never run: what patch it applies.

    line    := ("cd " dir "&&")* call
    call    := name heredoc | name "<<<" word | name word | "cat" heredoc "|" name
             | shell "-c" script | ("git apply" | "git opatch apply" | "patch") flag* heredoc
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
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from git_opatch.parse.frames.shell.program import NAMES, SCRIPT_FLAGS, SHELLS, unknown_word
from git_opatch.parse.frames.shell.quoting import is_quoted, spans, unquoted

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_LONGEST = 4096
"""Bytes of a command line, without what is quoted over several lines."""

_HEREDOC = re.compile(rb"""(?<!<)<<-?[ \t]*((?:'[^'\n]*'|"[^"\n]*"|\\.|[^\s'"\\|&;<>()])+)""")
_QUOTED = {"raw_string", "ansi_c_string", "string", "string_content", '"'}
_PLAIN = {"word", "number", "concatenation", *_QUOTED}
_EXPANDED = re.compile(rb"[*?\[~{]")
_BROKEN = re.compile(rb"[&|][ \t]*\n")
_GAP = re.compile(rb"(?:[ \t\n]|\\\n)*(?:-(?:[ \t\n]|\\\n)*)?")


@dataclass(frozen=True, slots=True)
class Call:
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


class _Other(Exception):  # noqa: N818 - it is an answer
    """The command is no call that is known here: because of what is `written` there, if known."""

    def __init__(self, written: bytes = b"") -> None:
        super().__init__(written)
        self.written = written


@dataclass(frozen=True, slots=True)
class _Word:
    """A word as it was written, and the line of the command it begins on."""

    written: bytes
    line: int

    @property
    def said(self) -> bytes:
        return unquoted(self.written)[0]


@dataclass(frozen=True, slots=True)
class _Step:
    """A simple command: its words, and the sign and the word of what it reads, if anything."""

    words: tuple[_Word, ...] = ()
    sign: str = ""
    input: _Word | None = None


def delimiter_of(text: bytes) -> bytes | None:
    """The line that ends the first heredoc of the command `text`; None if it has none."""
    match = _HEREDOC.search(text)
    return unquoted(match[1])[0] if match else None


def understand(text: bytes) -> Call | None:
    """The call that the command line `text` is, if it is just that and no more."""
    try:
        return _understood(text)
    except _Other:
        return None


def culprit(text: bytes) -> bytes:
    """What of the command line `text` keeps it from being a call, in backquotes; may be empty."""
    try:
        _understood(text)
    except _Other as other:
        return b"`%b`" % other.written if other.written else b""
    return b""


def _understood(text: bytes) -> Call:
    skeleton, holes = _skeleton(text)
    delimiter = delimiter_of(skeleton)
    if delimiter is not None:
        skeleton += b"\n" + delimiter + b"\n"
    *moves, last = _Reader(skeleton, holes).steps()
    directories = [_directory(move) for move in moves]
    return _call(last, posixpath.join("", *directories))


def _skeleton(text: bytes) -> tuple[bytes, dict[int, bytes]]:
    """`text` with what is quoted over several lines, or could hold a heredoc, left empty; and
    that, by its place."""
    out, holes = bytearray(), {}
    for span in spans(text):
        if is_quoted(span) and (b"\n" in span or b"<<" in span):
            holes[len(out)] = span
            out += _emptied(span)
        else:
            out += span
        if len(out) > _LONGEST:
            raise _Other
    return bytes(out), holes


def _emptied(span: bytes) -> bytes:
    return b"$''" if span.startswith(b"$") else span[:1] * 2


def _directory(step: _Step) -> str:
    """Where a `cd` goes. Raises `_Other` if it is none, or says so in a way only a shell knows."""
    said = [word.said for word in step.words]
    if len(said) != 2 or said[0] != b"cd" or step.input or said[1][:1] in (b"", b"-"):
        raise _Other(b" ".join(word.written for word in step.words))
    return os.fsdecode(said[1])


def _call(step: _Step, directory: str) -> Call:
    program, *arguments = [os.fsdecode(word.said) for word in step.words] or [""]
    program = posixpath.basename(program)
    if step.input is None:
        return _with_argument(program, arguments, step.words[-1:], directory)
    unknown = unknown_word(program, arguments)
    if unknown is not None:
        raise _Other(os.fsencode(unknown))
    said = step.input.said
    if step.sign == "<<<" and b"\n" in said:
        return Call(program, directory, step.input.written, step.input.line)
    return Call(program, directory, delimiter=said, tabs=step.sign == "<<-")


def _with_argument(
    program: str, arguments: list[str], last: tuple[_Word, ...], directory: str
) -> Call:
    script = program in SHELLS and len(arguments) == 2 and arguments[0] in SCRIPT_FLAGS
    if not script and not (program in NAMES and len(arguments) == 1):
        raise _Other
    return Call(program, directory, last[0].written, last[0].line)


@cache
def _parser() -> Parser:
    # Most patches hold no shell text, and need not wait for the grammar.
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


class _Reader:
    """Reads the syntax tree of one command line. Raises `_Other` at what is no call."""

    def __init__(self, skeleton: bytes, holes: dict[int, bytes]) -> None:
        self._text, self._holes = skeleton, holes
        self._read = 0

    def steps(self) -> list[_Step]:
        """The commands that are run one after the other, if all goes well."""
        root = _parser().parse(self._text).root_node
        if root.has_error or root.child_count != 1:
            raise _Other(b"" if root.child_count < 2 else root.children[1].text or b"")
        steps = self._steps(root.children[0])
        self._pass(len(self._text))
        return steps

    def _pass(self, start: int, end: int = 0) -> None:
        """Go on to `end`. What the tree is silent about before `start` can only be a `-`."""
        if not _GAP.fullmatch(self._text, self._read, start):
            raise _Other
        self._read = end or start

    def _sign(self, node: Node, *signs: str) -> str:
        if node.type not in signs:
            raise _Other(node.text or b"")
        self._pass(node.start_byte, node.end_byte)
        return node.type

    def _steps(self, node: Node) -> list[_Step]:
        if node.type == "command":
            return [self._step(node)]
        if node.type == "list":
            left, sign, right = _children(node, 3)
            steps = self._steps(left)
            self._sign(sign, "&&")
            return steps + self._steps(right)
        if node.type == "redirected_statement" and node.child_count == 2:
            *before, last = self._steps(node.children[0])
            return [*before, self._redirected(last, node.children[1])]
        raise _Other

    def _step(self, node: Node) -> _Step:
        words: list[_Word] = []
        for child in node.children:
            if child.type == "herestring_redirect" and child == node.children[-1]:
                sign, word = _children(child, 2)
                return _Step(tuple(words), self._sign(sign, "<<<"), self._word(word))
            words.append(self._word(child))
        return _Step(tuple(words))

    def _redirected(self, step: _Step, node: Node) -> _Step:
        if node.type != "heredoc_redirect" or step.input is not None:
            raise _Other
        sign, start, *rest = node.children
        how, word = self._sign(sign, "<<", "<<-"), self._taken(start)
        if rest and rest[0].type == "pipeline":
            step = self._piped(step, rest.pop(0))
        if [one.type for one in rest] != ["heredoc_body", "heredoc_end"] or step.input is not None:
            raise _Other
        if _BROKEN.search(self._text, start.end_byte, rest[0].start_byte):
            raise _Other  # the body begins on the next line, before the rest of the command
        self._pass(rest[1].start_byte, rest[1].end_byte)
        return _Step(step.words, how, word)

    def _piped(self, cat: _Step, node: Node) -> _Step:
        if [word.written for word in cat.words] != [b"cat"]:
            raise _Other
        pipe, reader = _children(node, 2)
        self._sign(pipe, "|")
        if reader.type != "command":
            raise _Other
        return self._step(reader)

    def _word(self, node: Node) -> _Word:
        """A word that a shell would take as it is. Raises `_Other` if it is none."""
        if not _is_plain(node.children[0] if node.type == "command_name" else node):
            raise _Other(node.text or b"")
        return self._taken(node)

    def _taken(self, node: Node) -> _Word:
        self._pass(node.start_byte, node.end_byte)
        before = self._written(0, node.start_byte)
        return _Word(self._written(node.start_byte, node.end_byte), before.count(b"\n"))

    def _written(self, start: int, end: int) -> bytes:
        """That part of the command as it was before it was made a skeleton."""
        out, at = bytearray(), start
        for hole, span in self._holes.items():
            if start <= hole < end:
                out += self._text[at:hole] + span
                at = hole + len(_emptied(span))
        return bytes(out + self._text[at:end])


def _children(node: Node, count: int) -> list[Node]:
    if node.child_count != count:
        raise _Other
    return node.children


def _is_plain(node: Node) -> bool:
    if node.type == "word" and _EXPANDED.search(node.text or b""):
        return False
    return node.type in _PLAIN and all(map(_is_plain, node.children))
