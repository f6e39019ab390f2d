r"""Refuse a change after which the blocks of a Python file no longer fit together (D465).

Context is never written (D40), so what a hunk does not remove or add stays where it is:

    hunk                file                result
    -    if ready:          if ready:           else:           without its `if`
    -        go()               go()                wait()
         else:              else:
                                wait()

A line is as deep as a block around it, or is the first of the block that the line above opens; and
a clause such as `else` comes after the one that it continues. Lines in brackets and strings may be
as deep as they like. What is not certain is not refused: a file whose blocks do not fit together by
these rules as it is, such as a template.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from git_opatch.complete.edits import Edit
from git_opatch.model.languages import kind_of
from git_opatch.model.text import Text, indentation

_PYTHON = ("py", "pyi", "pyx")
_TOKENS = re.compile(
    rb'#[^\n]*|""".*?(?:(?<!\\)(?:\\\\)*"""|\Z)|'
    rb"'''.*?(?:(?<!\\)(?:\\\\)*'''|\Z)|"
    rb'"(?:\\.|[^"\\\n])*+(?:"|(?=\n)|\Z)|'
    rb"'(?:\\.|[^'\\\n])*+(?:'|(?=\n)|\Z)|"
    rb"\\\r?\n",
    re.DOTALL,
)
"""Comments, strings, and a newline that does not end the line; each text is read once."""
_JOINT = b"\0"
"""Stands for each newline that is inside a logical line."""
_BLANK = b" \t\r\f" + _JOINT
_HEAD = re.compile(rb"(?:async\s+)?(\w+)")
_FOLLOWS = {
    b"elif": (b"if", b"elif"),
    b"else": (b"if", b"elif", b"for", b"while", b"except"),
    b"except": (b"try", b"except"),
    b"finally": (b"try", b"except", b"else"),
}
"""The clauses of a statement, and what each may come after."""


class _LogicalLine(NamedTuple):
    """A line of code with those that continue it, without comments and what is in strings."""

    number: int
    code: bytes

    @property
    def head(self) -> bytes:
        """The word that it begins with."""
        match = _HEAD.match(self.code.lstrip())
        return match[1] if match else b""

    @property
    def opens(self) -> bool:
        """Whether a block follows it."""
        return self.code.rstrip(_BLANK).endswith(b":")


@dataclass(slots=True, eq=False)
class _Block:
    """The indentation of a block, and the first line of its last statement so far."""

    depth: bytes
    last: _LogicalLine | None = None

    def end(self, head: bytes) -> int | None:
        """Return that the last statement lacks something, where `head` begins the next line."""
        if self.last is None or self.last.head != b"try" or head in (b"except", b"finally"):
            return None
        return self.last.number

    def add(self, line: _LogicalLine) -> int | None:
        """Add the next line; return that it lacks the clause before it, if it does."""
        last, self.last = self.last, line
        follows = _FOLLOWS.get(line.head)
        if follows and (last is None or last.head not in follows):
            return line.number
        return None


def block_fault(before: Text, after: Text, edits: Sequence[Edit], path: str) -> int | None:
    """Return the first line of a file that does not fit into its blocks after `edits`; or None.

    None, too, if one does not before, or if the name of the file, `path`, is not Python's. Where
    the statements at the margin that the edits are in are sound, the whole file is not read.
    """
    if kind_of(path) not in _PYTHON or not any(map(_first_fault, _edited(after.lines, edits))):
        return None
    fault = _first_fault(after.lines)
    return None if fault is None or _first_fault(before.lines) else fault


def _edited(lines: Sequence[bytes], edits: Sequence[Edit]) -> Iterator[Sequence[bytes]]:
    """Yield those of `lines`, which `edits` left, from the margin above an edit to that below."""
    shift = first = stop = 0
    for edit in edits:
        start = edit.start + shift
        shift += len(edit.lines) - (edit.stop - edit.start)
        end = edit.stop + shift
        if end < stop:
            continue
        if start >= stop:
            first = next((at for at in range(start - 1, stop, -1) if _begins(lines[at])), stop)
        stop = next((at for at in range(end, len(lines)) if _begins(lines[at])), len(lines))
        yield lines[first:stop]


def _begins(line: bytes) -> bool:
    """Return whether a statement at the margin begins with `line`, if that is not in a string."""
    match = _HEAD.match(line)
    return match is not None and match[1] not in _FOLLOWS


def _first_fault(lines: Sequence[bytes]) -> int | None:
    blocks = [_Block(b"")]
    above: _LogicalLine | None = None
    for line in _logical_lines([*lines, b"pass"]):
        if fault := _fault_of(line, above, blocks):
            return fault
        above = line
    return None


def _fault_of(line: _LogicalLine, above: _LogicalLine | None, blocks: list[_Block]) -> int | None:
    """Return what is wrong with the place of `line`; None if nothing is.

    `blocks` are those that the line above is in, and become those that `line` is in.
    """
    depth = indentation(line.code)
    if above is not None and above.opens:
        if not depth.startswith(blocks[-1].depth) or depth == blocks[-1].depth:
            return above.number
        blocks.append(_Block(depth))
    while len(depth) < len(blocks[-1].depth):
        if fault := blocks.pop().end(b""):
            return fault
    if depth != blocks[-1].depth:
        return line.number
    return blocks[-1].end(line.head) or blocks[-1].add(line)


def _logical_lines(lines: Sequence[bytes]) -> Iterator[_LogicalLine]:
    """Yield the logical lines that have code."""
    code = _TOKENS.sub(_without_text, b"\n".join(lines))
    joined: list[bytes] = []
    number, first, inside = 1, 1, 0
    for line in code.split(b"\n"):
        if not joined:
            first = number
        joined.append(line)
        number += 1 + line.count(_JOINT)
        inside += len(line.translate(None, b")]}")) - len(line.translate(None, b"([{"))
        if inside > 0:
            continue
        whole = _JOINT.join(joined)
        if whole.strip(_BLANK):
            yield _LogicalLine(first, whole.lstrip(b"\f"))
        joined, inside = [], 0


def _without_text(match: re.Match[bytes]) -> bytes:
    """Return what stands for a comment, a string, or a newline that continues the line."""
    token = match[0]
    joints = _JOINT * token.count(b"\n")
    return joints if token[:1] in b"#\\" else b'"' + joints + b'"'
