"""One shell command line as its grammar has it: the simple commands that are run one by one.

Rules: POSIX Shell Command Language, 2.9 "Shell Commands", and Bash's here-strings, as the grammar
`tree-sitter-bash` reads them. What a shell would expand is no word here, and no command that has
more than words, `&&`, one `|` and one thing to read is read.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from git_opatch.parse.frames.shell.quoting import is_quoted, spans, unquoted

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_LONGEST = 4096
"""Bytes of a command line, without what is quoted over several lines."""

_QUOTED = {"raw_string", "ansi_c_string", "string", "string_content", '"'}
_PLAIN = {"word", "number", "concatenation", *_QUOTED}
_PRINTERS = ([b"printf", b"%s"], [b"printf", b"%s\\n"], [b"printf", b"%s\n"])
_EXPANDED = re.compile(rb"[*?\[~{]")
_BROKEN = re.compile(rb"[&|][ \t]*\n")
_GAP = re.compile(rb"(?:[ \t\n]|\\\n)*(?:-(?:[ \t\n]|\\\n)*)?")


class Other(Exception):  # noqa: N818 - it is an answer
    """The command is no call that is known here: because of what is `written` there, if known."""

    def __init__(self, written: bytes = b"") -> None:
        super().__init__(written)
        self.written = written


class Word(NamedTuple):
    """A word as it was written, and the line of the command it begins on."""

    written: bytes
    line: int

    @property
    def said(self) -> bytes:
        """What it says, without its quotes."""
        return unquoted(self.written)[0]


class Step(NamedTuple):
    """A simple command: its words, and the sign and the word of what it reads, if anything."""

    words: tuple[Word, ...] = ()
    sign: str = ""
    input: Word | None = None


def skeleton_of(text: bytes) -> tuple[bytes, dict[int, bytes]]:
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
            raise Other
    return bytes(out), holes


def _emptied(span: bytes) -> bytes:
    return b"$''" if span.startswith(b"$") else span[:1] * 2


@cache
def _parser() -> Parser:
    # Most patches hold no shell text, and need not wait for the grammar.
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


class Reader:
    """Reads the syntax tree of one command line. Raises `Other` at what is no call."""

    def __init__(self, skeleton: bytes, holes: dict[int, bytes]) -> None:
        self._text, self._holes = skeleton, holes
        self._read = 0

    def steps(self) -> list[Step]:
        """The commands that are run one after the other, if all goes well."""
        root = _parser().parse(self._text).root_node
        if root.has_error or root.child_count != 1:
            raise Other(b"" if root.child_count < 2 else root.children[1].text or b"")
        steps = self._steps(root.children[0])
        self._pass(len(self._text))
        return steps

    def _pass(self, start: int, end: int = 0) -> None:
        """Go on to `end`. What the tree is silent about before `start` can only be a `-`."""
        if not _GAP.fullmatch(self._text, self._read, start):
            raise Other
        self._read = end or start

    def _sign(self, node: Node, *signs: str) -> str:
        if node.type not in signs:
            raise Other(node.text or b"")
        self._pass(node.start_byte, node.end_byte)
        return node.type

    def _steps(self, node: Node) -> list[Step]:
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
        if node.type == "pipeline":
            return [self._printed(node)]
        raise Other

    def _step(self, node: Node) -> Step:
        words: list[Word] = []
        for child in node.children:
            if child.type == "herestring_redirect" and child == node.children[-1]:
                sign, word = _children(child, 2)
                return Step(tuple(words), self._sign(sign, "<<<"), self._word(word))
            words.append(self._word(child))
        return Step(tuple(words))

    def _redirected(self, step: Step, node: Node) -> Step:
        if node.type != "heredoc_redirect" or step.input is not None:
            raise Other
        sign, start, *rest = node.children
        how, word = self._sign(sign, "<<", "<<-"), self._taken(start)
        if rest and rest[0].type == "pipeline":
            step = self._piped(step, rest.pop(0))
        if [one.type for one in rest] != ["heredoc_body", "heredoc_end"] or step.input is not None:
            raise Other
        if _BROKEN.search(self._text, start.end_byte, rest[0].start_byte):
            raise Other  # the body begins on the next line, before the rest of the command
        self._pass(rest[1].start_byte, rest[1].end_byte)
        return Step(step.words, how, word)

    def _printed(self, node: Node) -> Step:
        """What a command does with the text that another one prints, as if it were a here-string.

        Some shells' `echo` reads a backslash, and `printf` its first word: those print what only
        the shell knows.
        """
        left, sign, right = _children(node, 3)
        printer = self._simple(left)
        self._sign(sign, "|")
        step = self._simple(right)
        *before, text = printer.words
        said = [word.said for word in before]
        plain = said == [b"echo"] and b"\\" not in text.said
        if step.input or not (plain or said in _PRINTERS) or b"\n" not in text.said:
            raise Other(b" ".join(word.written for word in before))
        return Step(step.words, "<<<", text)

    def _simple(self, node: Node) -> Step:
        if node.type != "command":
            raise Other(node.text or b"")
        return self._step(node)

    def _piped(self, cat: Step, node: Node) -> Step:
        if [word.written for word in cat.words] != [b"cat"]:
            raise Other
        pipe, reader = _children(node, 2)
        self._sign(pipe, "|")
        return self._simple(reader)

    def _word(self, node: Node) -> Word:
        """A word that a shell would take as it is. Raises `Other` if it is none."""
        if not _is_plain(node.children[0] if node.type == "command_name" else node):
            raise Other(node.text or b"")
        return self._taken(node)

    def _taken(self, node: Node) -> Word:
        self._pass(node.start_byte, node.end_byte)
        before = self._written(0, node.start_byte)
        return Word(self._written(node.start_byte, node.end_byte), before.count(b"\n"))

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
        raise Other
    return node.children


def _is_plain(node: Node) -> bool:
    if node.type == "word" and _EXPANDED.search(node.text or b""):
        return False
    return node.type in _PLAIN and all(map(_is_plain, node.children))
