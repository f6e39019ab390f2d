r"""Refuse a change after which a file can no longer be read, or its brackets no longer pair.

It must not mend anything: it only refuses.

Context is never written, so what a hunk does not remove or add stays:

    hunk                     file                       result
    -    if (ready) {            if (ready) {               go();
         go();                       go();              }                 one `}` too many
                                 }

Python, JSON and TOML are read by the standard library; a fault in a line that the patch writes may
be newer syntax than this Python has, and is no reason, unless it is one of indentation. Elsewhere
one `}` closes what one `{` opens, and so do `)` and `]`; brackets in strings, regular expressions
and comments do not count. Where `#if` and `#else` both open a block that is closed once, the first
branches are counted alone as well.

What is not certain is not refused: other languages, and a file that could not be read, or whose
brackets paired no better, before.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import PurePosixPath
from typing import NamedTuple

from git_opatch.complete.edits import Edit, written_lines
from git_opatch.locate.languages import BLOCK_COMMENTS, HASH, comment_marks, kind_of
from git_opatch.model.failure import Problem
from git_opatch.model.sentences import Fault
from git_opatch.model.text import Text, indentation

_QUOTED = rb'"(?:\\.|[^"\\\n])*"'
_SINGLE = rb"'(?:\\.|[^'\\\n])*'"
_CHARACTER = rb"'(?:\\[^\n']*|\\'|[^\\'\n])'"
"""Not `'a`, which is a lifetime."""
_LONG = rb'"""(?:\\.|[^\\])*?"""'
_LONG_SINGLE = rb"'''(?:\\.|[^\\])*?'''"
_BACKQUOTED = rb"`(?:\\.|[^`\\])*`"
_BACKQUOTED_RAW = rb"`[^`]*`"
_RAW = rb'r(#+)".*?(?:"\1|\Z)'
_EXPRESSION = (
    rb"(?:(?<=[(,=:\[!&|?{};+\n])|(?<=[(,=:\[!&|?{};+] )|(?<=return )|(?<=  ))"
    rb"/(?![/*\s])(?:\\.|\[(?:\\.|[^\]\\\n])*+(?:\]|(?=\n)|\Z)|[^/\\\n\[])++(?:/|(?=\n)|\Z)"
)
"""A regular expression, where an operand may begin."""
_ESCAPE = rb"\\."
"""One outside of a string. What it escapes begins none: so no line is read once for each quote."""

_STRINGS = {
    "c h m mm cc cpp cxx hh hpp hxx cs css less php proto scss sol zig": (_QUOTED, _SINGLE),
    "dart groovy java kt kts scala swift": (_LONG, _QUOTED, _SINGLE),
    "cjs cts js jsx mjs mts ts tsx": (_QUOTED, _SINGLE, _BACKQUOTED, _EXPRESSION),
    "go": (_QUOTED, _CHARACTER, _BACKQUOTED_RAW),
    "json": (_QUOTED,),
    "py pyi": (_LONG, _LONG_SINGLE, _QUOTED, _SINGLE),
    "rs": (_RAW, _QUOTED, _CHARACTER),
}
"""How strings are written, by the kinds of files."""

_PAIRS = (b"{}", b"()", b"[]")
_DIRECTIVE = rb"[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b"


_MAY_OPEN = re.compile(rb"[:\\]|\"\"\"|'''|^\s*$|^\s*(?:pass|#)")
"""What a line of Python may have that opens or ends a block or a string, or goes on."""
_ONLY_TREE = 0x400
"""`ast.PyCF_ONLY_AST`, without the time that it takes to import `ast`."""
_MOST_DOTS = 64
"""A line of TOML with more is not judged: to read a key takes time quadratic in its parts."""
_MOST_LINES = 50_000
"""A longer file is not read, but its brackets are counted."""


class _Unpaired(NamedTuple):
    """How many more opening than closing brackets a file would have, and has before."""

    surplus: int
    before: int
    opening: str
    closing: str
    near: int = 0
    change: bytes = b""


def structure_fault(before: Text, after: Text, edits: Sequence[Edit], path: str) -> Problem | None:
    """Return what of a file's structure is lost after `edits`; None if nothing is.

    `path` is the name of the file, which tells its language.
    """
    found = _unpaired(before, after, edits, path)
    if found is None:
        return _unreadable(before, after, edits, path)
    more, less = (found.opening, found.closing)[:: 1 if found.surplus > 0 else -1]
    return Problem.of(
        Fault.UNPAIRED,
        count=abs(found.surplus),
        more=more,
        less=less,
        near=found.near,
        change=found.change,
    )


# ---------------------------------------------------------------- what can be read


def _unreadable(before: Text, after: Text, edits: Sequence[Edit], path: str) -> Problem | None:
    read = _reader(path)
    if read is None or not edits or len(after.lines) > _MOST_LINES:
        return None
    if read is _python_fault and all(_keeps_blocks(edit, before) for edit in edits):
        return None
    found = read(after.to_bytes())
    written = [*written_lines(edits)]
    if found is None or any(found.line - 1 in rows for rows in written):
        return None
    if read(before.to_bytes()) is not None:
        return None
    at = abs(found.line)
    if not 0 < at <= len(after.lines):
        return Problem.of(Fault.UNREADABLE, why=found.why)
    above = [n for n, rows in enumerate(written) if rows.start < at]
    near, edit = (written[above[-1]].start + 1, edits[above[-1]]) if above else (at, edits[0])
    line, (change, *_) = after.lines[at - 1], (*edit.lines, *before.lines[edit.start : edit.stop])
    return Problem.of(
        Fault.UNREADABLE_LINE, line=line, at=at, why=found.why, near=near, change=change
    )


class _Unread(NamedTuple):
    """Why a file cannot be read: the number of the line, from 1, negative if it is not newer
    syntax, 0 if it is not known; and the reader's reason."""

    line: int
    why: str


def _keeps_blocks(edit: Edit, before: Text) -> bool:
    """Return whether lines of Python are replaced one for one, as deep as they were, and none of
    them may be of a block or of a string: then the lines around them are read as before."""
    gone = before.lines[edit.start : edit.stop]
    if len(gone) != len(edit.lines) or any(map(_MAY_OPEN.search, (*gone, *edit.lines))):
        return False
    return all(indentation(a) == indentation(b) for a, b in zip(gone, edit.lines, strict=True))


def _reader(path: str) -> Callable[[bytes], _Unread | None] | None:
    """Return what reads files of that name; None if nothing does."""
    kind, pure = kind_of(path), PurePosixPath(path)
    if kind in ("py", "pyi"):
        return _python_fault
    if kind == "json" and not pure.name.startswith("tsconfig") and ".vscode" not in pure.parts:
        return _json_fault
    return _toml_fault if kind == "toml" else None


def _python_fault(data: bytes) -> _Unread | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(data, "", "exec", _ONLY_TREE, dont_inherit=True)
    except IndentationError as error:
        return _Unread(-(error.lineno or 0), error.msg)
    except SyntaxError as error:
        return _Unread(error.lineno or 0, error.msg)
    except (ValueError, RecursionError, MemoryError) as error:
        return _Unread(0, str(error))
    return None


def _json_fault(data: bytes) -> _Unread | None:
    try:
        json.loads(data)
    except json.JSONDecodeError as error:
        return _Unread(-error.lineno, error.msg)
    except (ValueError, RecursionError) as error:
        return _Unread(0, str(error))
    return None


def _toml_fault(data: bytes) -> _Unread | None:
    import tomllib

    if any(line.count(b".") > _MOST_DOTS for line in data.split(b"\n")):
        return None
    try:
        tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        return _Unread(0, str(error))
    return None


# ---------------------------------------------------------------- brackets


def _unpaired(before: Text, after: Text, edits: Sequence[Edit], path: str) -> _Unpaired | None:
    """Return the brackets of a file that pair worse after `edits` than before; None if none do.

    `path` is the name of the file, which tells its language. Where the lines that come have as many
    brackets of each kind as those that go, the whole file is not read.
    """
    tokens = _tokens(kind_of(path))
    if tokens is None:
        return None
    gone = _count(tokens, [line for edit in edits for line in before.lines[edit.start : edit.stop]])
    come = _count(tokens, [line for edit in edits for line in edit.lines])
    if gone == come:
        return None
    found = _worse(tokens, before.lines, after.lines) or _worse(
        tokens, _first_branches(before.lines), _first_branches(after.lines)
    )
    return found and _at_edit(found, tokens, before, edits)


def _at_edit(
    found: _Unpaired, tokens: re.Pattern[bytes], before: Text, edits: Sequence[Edit]
) -> _Unpaired:
    """Add the first line, from 1, of the edit that brings what is too many, or takes its other end;
    and the line that it writes there, or takes."""
    pair = _PAIRS.index((found.opening + found.closing).encode())
    for edit, rows in zip(edits, written_lines(edits), strict=True):
        gone = before.lines[edit.start : edit.stop]
        grows = _count(tokens, edit.lines)[pair] - _count(tokens, gone)[pair]
        if grows * found.surplus > 0:
            ends = (each for each in (*edit.lines, *gone) if _count(tokens, [each])[pair])
            return found._replace(near=rows.start + 1, change=next(ends, b""))
    return found


def _worse(
    tokens: re.Pattern[bytes], before: Sequence[bytes], after: Sequence[bytes]
) -> _Unpaired | None:
    counts = zip(_count(tokens, before), _count(tokens, after), strict=True)
    for pair, (old, new) in zip(_PAIRS, counts, strict=True):
        if abs(new) > abs(old):
            return _Unpaired(new, old, pair[:1].decode(), pair[1:].decode())
    return None


def _first_branches(lines: Sequence[bytes]) -> list[bytes]:
    """Return the lines that are left when each `#if` is true, without the directives."""
    kept: list[bytes] = []
    taken: list[bool] = []
    for line in lines:
        directive = re.match(_DIRECTIVE, line)
        if directive is None:
            if all(taken):
                kept.append(line)
        elif directive[1] == b"endif":
            del taken[-1:]
        elif directive[1].startswith(b"if"):
            taken.append(True)
        else:
            taken[-1:] = [False]
    return kept


def _count(tokens: re.Pattern[bytes], lines: Sequence[bytes]) -> list[int]:
    """Return how many more opening than closing brackets of each pair `lines` have, in code."""
    found = [match[0] for match in tokens.finditer(b"\n".join(lines))]
    return [found.count(pair[:1]) - found.count(pair[1:]) for pair in _PAIRS]


@cache
def _tokens(kind: str) -> re.Pattern[bytes] | None:
    """Return what finds brackets, and skips strings and comments, in files of this kind."""
    strings = next((forms for kinds, forms in _STRINGS.items() if kind in kinds.split()), None)
    if strings is None:
        return None
    comments = (_comment(mark, kind) for mark in comment_marks(kind))
    return re.compile(b"|".join((*comments, *strings, _ESCAPE, rb"[{}()\[\]]")), re.DOTALL)


def _comment(mark: bytes, kind: str) -> bytes:
    end = BLOCK_COMMENTS.get(mark)
    if end is not None:
        return re.escape(mark) + b".*?(?:" + re.escape(end) + rb"|\Z)"
    is_attribute = rb"(?!\[)" if mark == HASH and kind == "php" else b""
    return re.escape(mark) + is_attribute + rb"[^\n]*"
