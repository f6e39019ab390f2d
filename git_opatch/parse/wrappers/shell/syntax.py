"""The simple commands of one shell command line, by the grammar of `tree-sitter-bash`.

    cd lib && cat <<'EOF' | apply_patch     →  cd lib · apply_patch, with a heredoc

Source: POSIX Shell Command Language, 2.9 "Shell Commands", and Bash's here-strings. Words that a
shell would expand are refused, as is any command with more than words, `&&`, one `|` and one
redirected input.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from git_opatch.parse.wrappers.shell.quoting import is_quoted, split_spans, unquote

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_MAX_SKELETON = 4096
"""Bytes of a command line, without quoted text of several lines."""

_QUOTED_NODES = {"raw_string", "ansi_c_string", "string", "string_content", '"'}
_PLAIN_NODES = {"word", "number", "concatenation", *_QUOTED_NODES}
_PRINTERS = ([b"printf", b"%s"], [b"printf", b"%s\\n"], [b"printf", b"%s\n"])
_EXPANDED = re.compile(rb"[*?\[~{]")
_OPERATOR_NEWLINE = re.compile(rb"[&|][ \t]*\n")
_GAP = re.compile(rb"(?:[ \t\n]|\\\n)*(?:-(?:[ \t\n]|\\\n)*)?")


class NotACall(Exception):  # noqa: N818 - it is an answer
    """The command is not a known call, because of the part `written`, if known."""

    def __init__(self, written: bytes = b"") -> None:
        super().__init__(written)
        self.written = written


class Word(NamedTuple):
    """A word with its quotes, and its line in the command."""

    written: bytes
    line: int

    @property
    def value(self) -> bytes:
        """The word without its quotes."""
        return unquote(self.written)[0]


class SimpleCommand(NamedTuple):
    """A simple command: its words, and the operator and word of its input, if any."""

    words: tuple[Word, ...] = ()
    operator: str = ""
    input: Word | None = None


def make_skeleton(text: bytes) -> tuple[bytes, dict[int, bytes]]:
    """Empty the quotes that have several lines or could hold a heredoc.

    Returns the skeleton, which the grammar parses in little time, and the quoted text by offset.
    """
    out, holes = bytearray(), {}
    for span in split_spans(text):
        if is_quoted(span) and (b"\n" in span or b"<<" in span):
            holes[len(out)] = span
            out += _empty_quotes(span)
        else:
            out += span
        if len(out) > _MAX_SKELETON:
            raise NotACall
    return bytes(out), holes


def _empty_quotes(span: bytes) -> bytes:
    return b"$''" if span.startswith(b"$") else span[:1] * 2


@cache
def _parser() -> Parser:
    # Imported late: it takes time, and most patches have no shell text.
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


class TreeReader:
    """Reads the syntax tree of one command line. Raises `NotACall`."""

    def __init__(self, skeleton: bytes, holes: dict[int, bytes]) -> None:
        self._text, self._holes = skeleton, holes
        self._read = 0

    def steps(self) -> list[SimpleCommand]:
        """Return the commands that are run one after the other if all succeed."""
        root = _parser().parse(self._text).root_node
        if root.has_error or root.child_count != 1:
            raise NotACall(b"" if root.child_count < 2 else root.children[1].text or b"")
        steps = self._steps(root.children[0])
        self._advance(len(self._text))
        return steps

    def _advance(self, start: int, end: int = 0) -> None:
        """Move on to `end`; before `start` the tree may omit only a `-`."""
        if not _GAP.fullmatch(self._text, self._read, start):
            raise NotACall
        self._read = end or start

    def _operator(self, node: Node, *operators: str) -> str:
        if node.type not in operators:
            raise NotACall(node.text or b"")
        self._advance(node.start_byte, node.end_byte)
        return node.type

    def _steps(self, node: Node) -> list[SimpleCommand]:
        if node.type == "command":
            return [self._step(node)]
        if node.type == "list":
            left, operator, right = _children(node, 3)
            steps = self._steps(left)
            self._operator(operator, "&&")
            return steps + self._steps(right)
        if node.type == "redirected_statement" and node.child_count == 2:
            *before, last = self._steps(node.children[0])
            return [*before, self._redirected(last, node.children[1])]
        if node.type == "pipeline":
            return [self._printed(node)]
        raise NotACall

    def _step(self, node: Node) -> SimpleCommand:
        words: list[Word] = []
        for child in node.children:
            if child.type == "herestring_redirect" and child == node.children[-1]:
                operator, word = _children(child, 2)
                return SimpleCommand(
                    tuple(words), self._operator(operator, "<<<"), self._word(word)
                )
            words.append(self._word(child))
        return SimpleCommand(tuple(words))

    def _redirected(self, step: SimpleCommand, node: Node) -> SimpleCommand:
        if node.type != "heredoc_redirect" or step.input is not None:
            raise NotACall
        sign, start, *rest = node.children
        operator, word = self._operator(sign, "<<", "<<-"), self._taken(start)
        if rest and rest[0].type == "pipeline":
            step = self._piped(step, rest.pop(0))
        if [node.type for node in rest] != [
            "heredoc_body",
            "heredoc_end",
        ] or step.input is not None:
            raise NotACall
        if _OPERATOR_NEWLINE.search(self._text, start.end_byte, rest[0].start_byte):
            raise NotACall  # the body begins on the next line, before the rest of the command
        self._advance(rest[1].start_byte, rest[1].end_byte)
        return SimpleCommand(step.words, operator, word)

    def _printed(self, node: Node) -> SimpleCommand:
        """Read the text that another command prints as a here-string.

        `echo` of some shells interprets backslashes, and `printf` its first word: then only the
        shell knows what is printed.
        """
        left, sign, right = _children(node, 3)
        printer = self._simple(left)
        self._operator(sign, "|")
        step = self._simple(right)
        *before, text = printer.words
        words = [word.value for word in before]
        plain = words == [b"echo"] and b"\\" not in text.value
        if step.input or not (plain or words in _PRINTERS) or b"\n" not in text.value:
            raise NotACall(b" ".join(word.written for word in before))
        return SimpleCommand(step.words, "<<<", text)

    def _simple(self, node: Node) -> SimpleCommand:
        if node.type != "command":
            raise NotACall(node.text or b"")
        return self._step(node)

    def _piped(self, cat: SimpleCommand, node: Node) -> SimpleCommand:
        if [word.written for word in cat.words] != [b"cat"]:
            raise NotACall
        pipe, reader = _children(node, 2)
        self._operator(pipe, "|")
        return self._simple(reader)

    def _word(self, node: Node) -> Word:
        """Return a word that a shell does not expand. Raises `NotACall`."""
        if not _is_plain(node.children[0] if node.type == "command_name" else node):
            raise NotACall(node.text or b"")
        return self._taken(node)

    def _taken(self, node: Node) -> Word:
        self._advance(node.start_byte, node.end_byte)
        before = self._written(0, node.start_byte)
        return Word(self._written(node.start_byte, node.end_byte), before.count(b"\n"))

    def _written(self, start: int, end: int) -> bytes:
        """Return a part of the command with its quoted text restored."""
        out, at = bytearray(), start
        for hole, span in self._holes.items():
            if start <= hole < end:
                out += self._text[at:hole] + span
                at = hole + len(_empty_quotes(span))
        return bytes(out + self._text[at:end])


def _children(node: Node, count: int) -> list[Node]:
    if node.child_count != count:
        raise NotACall
    return node.children


def _is_plain(node: Node) -> bool:
    if node.type == "word" and _EXPANDED.search(node.text or b""):
        return False
    return node.type in _PLAIN_NODES and all(map(_is_plain, node.children))
