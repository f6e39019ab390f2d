r"""Refuse a change after which a file can no longer be read, or its brackets no longer pair.

It must not mend anything: it only refuses.

Context is never written, so what a hunk does not remove or add stays:

    hunk                     file                       result
    -    if (ready) {            if (ready) {               go();
         go();                       go();              }                 one `}` too many
                                 }

Python, JSON and TOML are read by the standard library. A fault in a line of Python that the patch
writes may be newer syntax than this Python has: it is only noted, unless it is one of indentation,
or an entity of HTML without which the file can be read. Elsewhere
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
from html import unescape
from pathlib import PurePosixPath
from typing import NamedTuple

from git_opatch.complete.edits import Edit, written_lines
from git_opatch.locate.languages import BLOCK_COMMENTS, HASH, comment_marks, kind_of
from git_opatch.model.failure import Problem
from git_opatch.model.paths import is_document
from git_opatch.model.sentences import Fault, Notice
from git_opatch.model.text import BYTE_ORDER_MARK, Text, indentation

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
    rb"(?:(?<=[(,=:\[!&|?])|(?:(?<=[{};+\n])|(?<=[(,=:\[!&|?{};+] )|(?<=return )|(?<=  ))(?!/>))"
    rb"/(?![/*\s])(?:\\.|\[(?:\\.|[^\]\\\n])*+(?:\]|(?=\n)|\Z)|[^/\\\n\[])++(?:/|(?=\n)|\Z)"
)
"""A regular expression, where an operand may begin; `/>` ends a tag, but where none can end."""
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
_MOST_LINES, _FEW_LINES = 50_000, 5_000
"""A longer file is not read, but its brackets are counted; in one that is not short, lines that are
replaced as they were are not read."""
_PYTHON, _LOCKS = ("py", "pyi", "pyw", "sconstruct", "sconscript"), ("lock", "pipfile")
_LIKE_JSON = ("jsonl", "ndjson", "log", "code-workspace", "sublime-project", "sublime-settings")
_ENTITY = re.compile(rb"&(?:lt|gt|amp|quot|apos|#39);")


class Judged(NamedTuple):
    """What of a file's structure is lost, or what is to be said of it; neither if nothing is."""

    problem: Problem | None = None
    note: str = ""


def judge_structure(before: Text, after: Text, edits: Sequence[Edit], path: str) -> Judged:
    """Judge a file after `edits`; `path` is its name, which tells its language.

    A new file, whose `before` is empty, is judged by what no version of a language has.
    """
    unpaired = _unpaired(before, after, edits, path) if before.lines else None
    return Judged(unpaired) if unpaired else _unreadable(before, after, edits, path)


# ---------------------------------------------------------------- what can be read


def _unreadable(before: Text, after: Text, edits: Sequence[Edit], path: str) -> Judged:
    read = _reader(path, before if before.lines else after)
    if read is None or not edits or len(after.lines) > _MOST_LINES:
        return Judged()
    is_long = len(after.lines) > _FEW_LINES
    if is_long and read is _python_fault and all(_keeps_blocks(edit, before) for edit in edits):
        return Judged()
    found = read(after.to_bytes())
    if found is None or (before.lines and read(before.to_bytes()) is not None):
        return Judged()
    written, at = [*written_lines(edits)], abs(found.line)
    if not 0 < at <= len(after.lines):
        return Judged(Problem.of(Fault.UNREADABLE, why=found.why) if before.lines else None)
    line = after.lines[at - 1]
    if any(found.line - 1 in rows for rows in written):
        problem = _never_read(line, at, after, edits, read)
        note = Notice.MAY_NOT_PARSE.fill(path=path, line=line.strip(), at=at, why=found.why)
        return Judged(problem, note if before.lines and not problem else "")
    if not before.lines:
        return Judged()
    above = [n for n, rows in enumerate(written) if rows.start < at]
    near, edit = (written[above[-1]].start + 1, edits[above[-1]]) if above else (at, edits[0])
    (change, *_) = (*edit.lines, *before.lines[edit.start : edit.stop])
    return Judged(
        Problem.of(Fault.UNREADABLE_LINE, line=line, at=at, why=found.why, near=near, change=change)
    )


class _Unread(NamedTuple):
    """Why a file cannot be read: the number of the line, from 1, negative if it is not newer
    syntax, 0 if it is not known; and the reader's reason."""

    line: int
    why: str


_Read = Callable[[bytes], _Unread | None]


def _never_read(
    line: bytes, at: int, after: Text, edits: Sequence[Edit], read: _Read
) -> Problem | None:
    """Return what no version of a language reads in a line that the patch writes, the one at `at`:
    an indentation of other spaces, or an entity of HTML without which all can be read."""
    shown = line.decode("utf-8", "replace")
    spaces = shown[: len(shown) - len(shown.lstrip())].strip(" \t\f")
    if spaces:
        point = f"U+{ord(spaces[0]):04X}"
        return Problem.of(Fault.STRANGE_INDENTATION, line=line, at=at, change=line, point=point)
    if (entity := _ENTITY.search(line)) is None:
        return None
    lines = [*after.lines]
    for rows in written_lines(edits):
        for row in rows:
            lines[row] = _ENTITY.sub(_character, lines[row])
    if read(after._replace(lines=lines).to_bytes()) is not None:
        return None
    values = {"entity": entity[0], "character": _character(entity)}
    return Problem.of(Fault.ENTITY, line=line, at=at, change=line, **values)


def _character(entity: re.Match[bytes]) -> bytes:
    return unescape(entity[0].decode()).encode()


def _keeps_blocks(edit: Edit, before: Text) -> bool:
    """Return whether lines of Python are replaced one for one, as deep as they were, and none of
    them may be of a block or of a string: then the lines around them are read as before."""
    gone = before.lines[edit.start : edit.stop]
    if len(gone) != len(edit.lines) or any(map(_MAY_OPEN.search, (*gone, *edit.lines))):
        return False
    return all(indentation(a) == indentation(b) for a, b in zip(gone, edit.lines, strict=True))


def _reader(path: str, text: Text) -> _Read | None:
    """Return what reads a file of that name and text; None if nothing does.

    JSON is known by its content, where the name does not say that it may have comments, or one
    value a line; so is TOML among lock files; and Python by its first line, too.
    """
    kind, pure = kind_of(path), PurePosixPath(path)
    first = next(
        (line.lstrip(BYTE_ORDER_MARK + b" \t") for line in text.lines if line.strip()), b""
    )
    if kind in _PYTHON or (first.startswith(b"#!") and b"python" in first):
        return _python_fault
    if kind == "toml" or (kind in _LOCKS and first[:1] != b"{"):
        return _toml_fault
    if kind == "json":
        may_comment = pure.name.startswith("tsconfig") or ".vscode" in pure.parts
        return None if may_comment else _json_fault
    is_other = comment_marks(kind) or kind in _LIKE_JSON or kind.endswith("rc") or is_document(path)
    return _json_fault if first[:1] in (b"{", b"[") and not is_other else None


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


def _unpaired(before: Text, after: Text, edits: Sequence[Edit], path: str) -> Problem | None:
    """Return that brackets of a file pair worse after `edits` than before; None if none do.

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
    worse = _worse(tokens, before.lines, after.lines) or _worse(
        tokens, _first_branches(before.lines), _first_branches(after.lines)
    )
    if worse is None:
        return None
    pair, surplus = worse
    near, change = _brought(pair, surplus, tokens, before, edits)
    signs = _PAIRS[pair].decode()[:: 1 if surplus > 0 else -1]
    count = abs(surplus)
    return Problem.of(
        Fault.UNPAIRED, count=count, more=signs[0], less=signs[1], near=near, change=change
    )


def _brought(
    pair: int, surplus: int, tokens: re.Pattern[bytes], before: Text, edits: Sequence[Edit]
) -> tuple[int, bytes]:
    """Return the first line, from 1, of the edit that brings what is too many, or takes its other
    end; and the line that it writes there, or takes."""
    for edit, rows in zip(edits, written_lines(edits), strict=True):
        gone = before.lines[edit.start : edit.stop]
        grows = _count(tokens, edit.lines)[pair] - _count(tokens, gone)[pair]
        if grows * surplus > 0:
            ends = (line for line in (*edit.lines, *gone) if _count(tokens, [line])[pair])
            return rows.start + 1, next(ends, b"")
    return 0, b""


def _worse(
    tokens: re.Pattern[bytes], before: Sequence[bytes], after: Sequence[bytes]
) -> tuple[int, int] | None:
    """Return which pair of brackets pairs worse, and how many more open than close."""
    counts = zip(_count(tokens, before), _count(tokens, after), strict=True)
    for pair, (old, new) in enumerate(counts):
        if abs(new) > abs(old):
            return pair, new
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
