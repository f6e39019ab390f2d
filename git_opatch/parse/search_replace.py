r"""Search-and-replace blocks, as aider, Cline and Roo define them.

    path
    <<<<<<< SEARCH [path]       or ------- SEARCH           5 to 9 characters
    [":start_line:" number      [":end_line:" number] ["-------"]]
    old line*
    =======
    new line*
    >>>>>>> REPLACE [path]      or +++++++ REPLACE

Source: aider's "Edit formats" and its parser (a block without a path is for the file of the block
before, if no prose is between them; a block without old lines adds a file), Cline's
`replace_in_file` (the other markers; `<path>`), Roo's `apply_diff` (the start line; a marker that
is content has a `\` before it). Consecutive blocks for one file are hunks of one section: they are
located together in the file as it is, in any order; then in it as the others leave it.

The path is before the fence around the block, or the first line in it. Models decorate it: as a
heading, a comment or a list item, in backticks or bold, with a label before it or a colon after it.
Only a line that is nothing but a path names a file; one that merely mentions a file is unclear.
Text that was copied from a chat has the language on a line of its own instead of a fence: a word
that does not look like a path is not taken as one where it may be a language.

A block with other words at its markers is an error beside a patch; alone it is a file with conflict
markers (git-merge, "How conflicts are presented"), and not a patch (D61).

Models write a second divider above the closing marker. It is left out where it can only be that: in
code, at the margin, below new lines of which the last is not a title (D473).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from git_opatch.model.patch import FilePatch, Hunk, Line, Operation, Prefix
from git_opatch.model.paths import is_document
from git_opatch.model.sentences import Malformed
from git_opatch.parse.formats import DRAFT
from git_opatch.parse.hunk import line_diff, make_lines
from git_opatch.parse.prose import report_indented, skip_fence
from git_opatch.parse.scanner import Scanner, line_start

_BESIDE = rb">?[ \t\r]*(?:(?<=[ \t])(\S+)[ \t\r]*)?"
_SEARCH = rb"[ \t]*(?:(?i:SEARCH)|(?<=<)ORIGINAL|(?<=< )ORIGINAL)"
_REPLACE = rb"[ \t]*(?:(?i:REPLACE)|(?<=>)UPDATED|(?<=> )UPDATED)"
_OPEN = re.compile(rb"([ \t]*)(<{5,9}|-{5,9})" + _SEARCH + _BESIDE)
_CLOSE = re.compile(rb"([ \t]*)(>{5,9}|\+{5,9})" + _REPLACE + _BESIDE)
_DIVIDER = re.compile(rb"([ \t]*)(={5,9})[ \t\r]*")
_NEAR_DIVIDER = re.compile(rb"[ \t]*={2,}[ \t\r]*")
_HINT = (
    rb"(?:start[_ -]?line\b[ \t]*[:>]?[ \t]*(?P<%s>\d{1,12})"
    rb"|end[_ -]?line\b[ \t]*[:>]?[ \t]*\d{1,12})[ \t\r]*\n"
)
_RULE = rb"[ \t]*-{5,9}[ \t\r]*\n"
_STATED = re.compile(
    rb"(?i)(?:(?:[ \t]*:?"
    + _HINT % b"ruled"
    + rb")+"
    + _RULE
    + rb"|(?:[ \t]*:"
    + _HINT % b"line"
    + rb")+)"
)
"""The lines that state where the old lines are: each with its colon, or with a rule below them."""
_GLUED_RULE = re.compile(rb"-{7}(?=[^\s-])")
_ESCAPED = re.compile(
    rb"([ \t]*)\\(?=(?:<{5,9}|={5,9}|>{5,9}|-{5,9}|\+{5,9})(?:\s|$)|:(?:start|end)_line:)"
)
_TITLE = re.compile(rb"\w[\w .,'-]*\r?")
_SECOND_DIVIDER = "a second divider below its new lines; it was left out"
_MARKER = line_start(rb"[<>]{4}|[+-]{5}")
_MAY_DIVIDE = line_start(rb"={5}")
_CONFLICT_CLOSE = re.compile(rb">{4,}(?!>).*", re.DOTALL)
_CONFLICT = re.compile(
    rb"[ \t]*<{4,}[ \t]*\w.*\n(?:(?![ \t]*(?:<{4,}[ \t]*\w|={4,}[ \t\r]*\n)).*\n)*"
    rb"[ \t]*={4,}[ \t\r]*\n(?:(?![ \t]*(?:<{4,}[ \t]*\w|>{4})).*\n)*[ \t]*>{4}"
)
_MAX_ABOVE = 6
"""How many lines above a block can belong to it."""

_MAX_LINE = 4096
"""No path is longer, nor is a line that names one."""
_MAX_DECORATIONS = 8
"""How many decorations a path can have; with more, it is not one."""
_FENCE = re.compile(rb"[ \t]*(?:`{3,}|~{3,})(.*)")
_DRAFT = rb"</?(?:" + DRAFT + rb")>"
_TAG = re.compile(
    rb"(?!" + _DRAFT + rb")(?:</?[A-Za-z][\w-]*>|<!\[CDATA\[|\]\]>|<(start_line)>\d+</\1>)+"
)
_TAG_WITH_PATH = re.compile(rb"<[A-Za-z][\w-]*\s[^<>]*?(?<=[\s_])path=[\"']([^\"'<>]+)[\"'][^<>]*>")
_DECORATIONS = (
    (re.compile(rb"(?:#{1,6}|//+|/\*|<!--|[-*+]|\d{1,3}[.)])[ \t]+(.*?)(?:\*/)?(?:-->)?"), False),
    (re.compile(rb"(?i)(?:file(?:[ _-]?(?:name|path|url))?|path)[ \t]*:(.*)"), True),
    (re.compile(rb"<(path|file_path|file)>([^<>]+)</\1>"), True),
    (re.compile(rb"(`|\"|')([^`\"']+)\1"), True),
    (re.compile(rb"(\*\*|__|\*)((?!\*).+?)\1"), False),
    (re.compile(rb"(.*):"), False),
)
"""What is around a path, which is the last group, and whether it shows that this is one."""
_MENTION = re.compile(rb"[\w.-]/[\w.-]|[\w-]{2}\.[A-Za-z]\w{0,7}\b")
_SPACED_PATH = re.compile(rb"[\w.-]++/[\w-]++(?:[ /][\w-]++)*\.[A-Za-z]\w{0,7}")
"""A path with spaces: a directory first, one extension at its end, and no sign of a sentence."""
_LANGUAGE = re.compile(rb"[\w+#]+(?:[ \t]+|:)")
_BARE_PATH = re.compile(rb"[\w./@+-]+")
_LANGUAGES = frozenset(
    b"""
    asm astro awk bash bat batch c c# c++ clojure cmake cmd code console copy cpp cs csharp css csv
    cuda cypher dart diff elixir elm erb erlang fortran fsharp glsl go golang gradle graphql groovy
    haskell hcl html http ini java javascript jinja js json json5 jsonc jsx julia kotlin kt latex
    less lisp lua markdown matlab md mdx nginx nim nix objc ocaml patch perl php plain plaintext
    powershell proto protobuf ps1 py python python3 r rb rs rst ruby rust sass scala scheme scss sh
    shell solidity sql svelte svg swift tcl terraform tex text toml ts tsx txt typescript vb vim vue
    wasm xml yaml yml zig zsh
    """.split()
)
"""The language names that chats write above code, in lower case."""


class _Block(NamedTuple):
    """One block; `adds` is whether it has no old lines, so that the file is new."""

    path: str
    number: int
    adds: bool
    lines: list[Line]
    start: int | None
    begin: Scanner


def _match_opening(line: bytes) -> re.Match[bytes] | None:
    """Match a marker that begins a block: its indentation, characters and path."""
    match = _OPEN.fullmatch(line)
    if match and match[3] and not (match[2].startswith(b"<") and looks_like_path(match[3])):
        return None
    return match


def _is_close(line: bytes) -> bool:
    """Return whether `line` ends a block, for any file."""
    match = _CLOSE.fullmatch(line)
    return match is not None and (match[3] is None or looks_like_path(match[3]))


def starts(scanner: Scanner) -> bool:
    """Return whether a block begins at the next line, or one ends there that has no beginning."""
    line = scanner.line
    is_marker = _match_opening(line) is not None or _is_close(line)
    return is_marker or _conflict_at(scanner) is not None


def parse(scanner: Scanner) -> None:
    """Take consecutive blocks and add the sections of their files."""
    if _match_opening(scanner.line) is None:
        conflict = _conflict_at(scanner)
        fault = Malformed.CONFLICT if conflict else Malformed.NO_SEARCH
        scanner.error(fault, text=scanner.line.strip())
        scanner.at += 1 + (conflict[0].count(b"\n") if conflict else 0)
        return
    blocks = groupby(_read_blocks(scanner), lambda block: (block.path, block.adds and block.number))
    for _, group in blocks:
        first, *rest = group
        first.begin.section(_make_section(first, rest))


def _make_section(first: _Block, rest: Sequence[_Block]) -> FilePatch:
    """Make the section of `first` and of the `rest`, which are for the same file.

    A block that adds a file is a section of its own.
    """
    blocks = [block for block in (first, *rest) if block.lines]
    hunks = [
        Hunk(
            tuple(block.lines),
            stated_start=None if block.adds else block.start,
            number=block.lines[0].number,
            ordinal=ordinal,
            is_last=ordinal == len(blocks),
            uniform_endings=block.begin.uniform_endings,
        )
        for ordinal, block in enumerate(blocks, start=1)
    ]
    return FilePatch(
        Operation.ADD if first.adds else Operation.UPDATE,
        None if first.adds else first.path,
        first.path,
        tuple(hunks),
        number=first.number,
        ordered=False,
        fills=first.adds,
    )


def _read_blocks(scanner: Scanner) -> Iterator[_Block]:
    """Take a block and those that follow it, with only paths and wrapper lines between them."""
    path, ahead = "", replace(scanner)
    while not ahead.at_end:
        line = ahead.line
        if opening := _match_opening(line):
            scanner.at, scanner.fence, scanner.dedent = ahead.at, ahead.fence, ahead.dedent
            path = _read_path(scanner, opening, path)
            if block := _read_block(scanner, opening, path):
                yield block
            ahead = replace(scanner)
        elif not skip_fence(ahead):
            if not _is_wrapper_line(line) and not path_in(line):
                return
            ahead.take()


def _read_block(scanner: Scanner, opening: re.Match[bytes], path: str) -> _Block | None:
    """Take one block, for the file at `path`; None after an error."""
    number, begin = scanner.number, replace(scanner)
    scanner.take()
    start, glued = _read_start_line(scanner)
    first = scanner.at
    end = _find_end(scanner, opening, path)
    if end is None:
        return None
    report_indented(scanner, "block", begin.at, end)
    dividers = _find_dividers(scanner, first, end, opening)
    is_conflict = scanner.lines.find(_MARKER, first, end) < end
    if not is_conflict and _has_second_divider(scanner, dividers, end, path):
        end = dividers.pop()
        scanner.found.notes.append(f"the block at line {number:d} has {_SECOND_DIVIDER}")
    if len(dividers) != 1:
        _report_dividers(scanner, dividers, range(first, end), "=" * len(opening[2]))
    if len(dividers) != 1 or not path:
        return None
    (middle,) = dividers
    old = _make_side(scanner, first, middle, Prefix.REMOVED)
    if glued:
        old[0] = old[0]._replace(text=old[0].text[glued:])
    adds = not any(line.text.strip() for line in old)
    lines = line_diff([] if adds else old, _make_side(scanner, middle + 1, end, Prefix.ADDED))
    return _Block(path, number, adds, lines, start, begin)


def _read_path(scanner: Scanner, opening: re.Match[bytes], before: str) -> str:
    """Return the path of the block that `opening` begins; `before` is that of the block before.

    Empty after an error.
    """
    (above, at), text = _find_path_line(scanner), scanner.line.strip()
    if opening[3]:
        if above and above != opening[3] and looks_like_path(above):
            scanner.error(Malformed.OTHER_PATH, text=text, path=above)
        return os.fsdecode(opening[3])
    if above == b"":
        number = scanner.lines.number(at)
        scanner.error(Malformed.UNCLEAR_PATH, number, text=scanner.line_at(at).strip())
    elif above is None and not before:
        scanner.error(Malformed.NO_PATH_ABOVE, text=text)
    return os.fsdecode(above or b"") or before


def _read_start_line(scanner: Scanner) -> tuple[int | None, int]:
    """Take the lines that state where the old lines are; return their position, from 0.

    Return also how many characters of a rule the first old line has in front, glued to it.
    """
    lines = scanner.lines
    stated = _STATED.match(lines.raw, lines.offset(scanner.at), lines.offset(scanner.end))
    if stated is None:
        return None, 0
    scanner.at += stated[0].count(b"\n")
    number = int(stated["line"] or stated["ruled"] or 0)
    glued = _GLUED_RULE.match(scanner.line)
    return number - 1 if number else None, glued.end() if glued else 0


def _find_end(scanner: Scanner, opening: re.Match[bytes], path: str) -> int | None:
    """Move past the end of the block for `path` and return its position; None if there is none."""
    first, own_path, near = scanner.at, os.fsencode(path), -1
    marker = ("+" if opening[2].startswith(b"-") else ">") * len(opening[2]) + " REPLACE"
    for line in scanner.seek(_MARKER):
        close, again = _CLOSE.fullmatch(line), _match_opening(line)
        if close and close[1] == opening[1] and (_is_close(line) or close[3] == own_path):
            if close[3] not in (None, own_path) and own_path:
                scanner.error(Malformed.OTHER_PATH, text=line.strip(), path=own_path)
            scanner.take()
            return scanner.at - 1
        if again and again[1] == opening[1]:
            break
        if near < 0 and _CONFLICT_CLOSE.fullmatch(line):
            near = scanner.at
    if near >= first:
        text, number = scanner.line_at(near).strip(), scanner.lines.number(near)
        scanner.error(
            Malformed.OTHER_END, number, corrected=marker.encode(), text=text, marker=marker
        )
        scanner.at = near + 1
    else:
        number = scanner.previous_number if scanner.at_end else scanner.number
        scanner.error(Malformed.BLOCK_WITHOUT_END, number, marker=marker)
    return None


def _find_dividers(scanner: Scanner, first: int, end: int, opening: re.Match[bytes]) -> list[int]:
    """Return the positions of what may divide the block.

    The markers of one block have the same length; a divider of another length is content.
    """
    found: list[int] = []
    same_length: list[int] = []
    block = replace(scanner, at=first, end=end)
    for line in block.seek(_MAY_DIVIDE):
        match = _DIVIDER.fullmatch(line)
        if match and match[1] == opening[1]:
            found.append(block.at)
            if len(match[2]) == len(opening[2]):
                same_length.append(block.at)
    return same_length if len(same_length) == 1 else found


def _has_second_divider(scanner: Scanner, dividers: Sequence[int], end: int, path: str) -> bool:
    """Return whether the second of two dividers is only written again, above the closing marker."""
    if len(dividers) != 2 or dividers[1] != end - 1 or is_document(path):
        return False
    above, divider = scanner.line_at(end - 2), scanner.line_at(end - 1)
    is_title = _TITLE.fullmatch(above) and len(above.rstrip()) <= len(divider.rstrip())
    return dividers[0] < end - 2 and divider.startswith(b"=") and not is_title


def _report_dividers(scanner: Scanner, found: Sequence[int], block: range, divider: str) -> None:
    """Report that a block has no divider, or more than one."""
    number_of = scanner.lines.number
    if found:
        scanner.error(Malformed.TWO_DIVIDERS, number_of(found[1]), divider=divider)
        return
    near = [at for at in block if _NEAR_DIVIDER.fullmatch(scanner.line_at(at))]
    if len(near) == 1:
        wrong = replace(scanner, at=near[0])
        wrong.error(Malformed.NEAR_DIVIDER, corrected=divider.encode(), divider=divider)
    else:
        scanner.error(Malformed.NO_DIVIDER, number_of(block.stop), divider=divider)


def _make_side(scanner: Scanner, start: int, stop: int, prefix: Prefix) -> list[Line]:
    r"""Make the lines of one side, without the `\` before those that look like markers."""
    return [
        line._replace(text=escaped[1] + line.text[escaped.end() :])
        if (escaped := _ESCAPED.match(line.text))
        else line
        for line in make_lines(scanner, start, stop, prefix)
    ]


def _conflict_at(scanner: Scanner) -> re.Match[bytes] | None:
    """Match the conflict that begins here."""
    lines = scanner.lines
    return _CONFLICT.match(lines.raw, lines.offset(scanner.at), lines.offset(scanner.end))


def _find_path_line(scanner: Scanner) -> tuple[bytes | None, int]:
    """Return the path above the scanner's line, below the block before, and its position.

    It is empty if that is unclear, and None if there is none. A single word may be a path
    (`Makefile`) or the language of a chat's code block (`python`): what is above that is examined,
    too.
    """
    word, below = None, -1
    for at in range(scanner.at - 1, max(scanner.at - 1 - _MAX_ABOVE, -1), -1):
        line = scanner.line_at(at)
        if _CLOSE.fullmatch(line):
            break
        fence = _FENCE.match(line)
        path = _path_of_fence(fence[1]) if fence else path_in(line)
        if (fence and not path and not _MENTION.search(fence[1])) or _is_wrapper_line(line):
            continue
        is_word = bool(path) and path == line.strip() and not looks_like_path(path)
        if word is None and is_word:
            word, below = path, at
        elif word is None or (_is_language(word) and not is_word and path is not None):
            return path, at
        elif path and (not is_word or _is_language(path)):
            return b"", below
        else:
            break
    return (b"" if word and _is_language(word) else word), below


def _path_of_fence(info: bytes) -> bytes:
    """Return the path behind the language of a fence; empty if there is none."""
    path = _LANGUAGE.sub(b"", info.strip(), count=1)
    return path if looks_like_path(path) and _BARE_PATH.fullmatch(path) else b""


def _is_language(word: bytes) -> bool:
    return word.lower() in _LANGUAGES


def _is_wrapper_line(line: bytes) -> bool:
    """Return whether `line` is blank, or a tag around a block."""
    text = line.strip()
    return not text or (len(text) <= _MAX_LINE and _TAG.fullmatch(text) is not None)


def path_in(line: bytes) -> bytes | None:
    """Return the path that `line` is, and no more; empty if it may have one, None if it has not."""
    mentioned = b"" if _MENTION.search(line) else None
    if len(line) > _MAX_LINE or re.match(_DRAFT, line.lstrip()):
        return mentioned
    if tag := _TAG_WITH_PATH.fullmatch(line.strip()):
        return tag[1]
    text, is_certain = _strip_decoration(line.strip())
    is_whole, is_word = text == line.strip(), not re.search(rb"\s", text)
    if not re.search(rb"\w", text):
        return None
    if is_certain or (is_word and (is_whole or looks_like_path(text))):
        return text
    if is_whole and _SPACED_PATH.fullmatch(text):
        return text
    return b"" if is_word else mentioned


def looks_like_path(word: bytes) -> bool:
    """Return whether a word has a character that only paths have."""
    return b"/" in word or b"." in word.strip(b".")


def _strip_decoration(text: bytes) -> tuple[bytes, bool]:
    """Remove the decoration of a line; the second value is whether it shows that this is a path."""
    is_certain = False
    for _ in range(_MAX_DECORATIONS):
        around = ((pattern.fullmatch(text), shows) for pattern, shows in _DECORATIONS)
        match, shows = next((found for found in around if found[0]), (None, False))
        if match is None:
            return text, is_certain
        text, is_certain = match[match.lastindex or 0].strip(), is_certain or shows
    return b"", False
