r"""Search-and-replace blocks, as aider, Cline and Roo define them.

    path
    <<<<<<< SEARCH [path]       or ------- SEARCH           5 to 9 characters
    [":start_line:" number      [":end_line:" number] ["-------"]]
    old line*
    =======
    new line*
    >>>>>>> REPLACE [path]      or +++++++ REPLACE

A block without a path is for the file of the block before, if no prose is between them; a block
without old lines adds a file; a marker that is content has a `\` before it. Consecutive blocks for
one file are hunks of one section. Only a line that is nothing but a path names a file; one that
merely mentions a file is unclear, and so is a word that may be a language. A block with other words
at its markers is an error beside a patch; alone it is a file with conflict markers (D61).
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from itertools import groupby

from git_opatch.model.patch import FilePatch, Hunk, Line, Operation, Prefix
from git_opatch.model.sentences import Malformed
from git_opatch.parse import grammar
from git_opatch.parse.hunks import line_diff, make_lines
from git_opatch.parse.text import Scanner, line_start

_BESIDE = rb">?[ \t\r]*(?:(?<=[ \t])(\S+)[ \t\r]*)?"
_OPEN = re.compile(
    rb"([ \t]*)(<{5,9}|-{5,9})[ \t]*(?:(?i:SEARCH)|(?<=<)ORIGINAL|(?<=< )ORIGINAL)" + _BESIDE
)
_CLOSE = re.compile(
    rb"([ \t]*)(>{5,9}|\+{5,9})[ \t]*(?:(?i:REPLACE)|(?<=>)UPDATED|(?<=> )UPDATED)" + _BESIDE
)
_DIVIDER = re.compile(rb"([ \t]*)(={5,9})[ \t\r]*")
_NEAR_DIVIDER = re.compile(rb"[ \t]*={2,}[ \t\r]*")
_STATED = re.compile(
    rb"""(?xi)
    (?: (?: [ \t]*:? (?: start[_ -]?line\b[ \t]*[:>]?[ \t]*(?P<ruled>\d{1,12})
                       | end[_ -]?line\b[ \t]*[:>]?[ \t]*\d{1,12} ) [ \t\r]*\n )+
        [ \t]*-{5,9}[ \t\r]*\n
      | (?: [ \t]*: (?: start[_ -]?line\b[ \t]*[:>]?[ \t]*(?P<line>\d{1,12})
                       | end[_ -]?line\b[ \t]*[:>]?[ \t]*\d{1,12} ) [ \t\r]*\n )+ )"""
)
"""The lines that state where the old lines are: each with its colon, or with a rule below them."""
_GLUED_RULE = re.compile(rb"-{7}(?=[^\s-])")
_ESCAPED = re.compile(
    rb"([ \t]*)\\(?=(?:<{5,9}|={5,9}|>{5,9}|-{5,9}|\+{5,9})(?:\s|$)|:(?:start|end)_line:)"
)
_MARKER = line_start(rb"[<>]{4}|[+-]{5}")
_CONFLICT_CLOSE = re.compile(rb"(?s)>{4,}(?!>).*")
_CONFLICT = re.compile(
    rb"[ \t]*<{4,}[ \t]*\w.*\n(?:(?![ \t]*(?:<{4,}[ \t]*\w|={4,}[ \t\r]*\n)).*\n)*"
    rb"[ \t]*={4,}[ \t\r]*\n(?:(?![ \t]*(?:<{4,}[ \t]*\w|>{4})).*\n)*[ \t]*>{4}"
)
_MAX_ABOVE, _MAX_LINE = 6, 4096
_DRAFT = rb"</?(?:" + grammar.DRAFT + rb")>"
_TAG = re.compile(
    rb"(?!" + _DRAFT + rb")(?:</?[A-Za-z][\w-]*>|<!\[CDATA\[|\]\]>|<(start_line)>\d+</\1>)+"
)
_TAG_WITH_PATH = re.compile(rb"<[A-Za-z][\w-]*\s[^<>]*?(?<=[\s_])path=[\"']([^\"'<>]+)[\"'][^<>]*>")
_SURE = re.compile(
    rb"(?i:(?:file(?:[ _-]?(?:name|path|url))?|path)[ \t]*:(.*))"
    rb"|<(path|file_path|file)>([^<>]+)</\2>|(`|\"|')([^`\"']+)\4"
)
"""What shows that a path is inside."""
_DECORATED = re.compile(
    rb"(?:#{1,6}|//+|/\*|<!--|[-*+]|\d{1,3}[.)])[ \t]+(.*?)(?:\*/)?(?:-->)?"
    rb"|(\*\*|__|\*)((?!\*).+?)\2|(.*):"
)
_MENTION = re.compile(rb"[\w.-]/[\w.-]|[\w-]{2}\.[A-Za-z]\w{0,7}\b")
_SPACED_PATH = re.compile(rb"[\w.-]++/[\w-]++(?:[ /][\w-]++)*\.[A-Za-z]\w{0,7}")
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
"""The language names that chats write above code."""


def _opening(line: bytes) -> re.Match[bytes] | None:
    """Match a marker that begins a block: its indentation, characters and path."""
    match = _OPEN.fullmatch(line)
    if match and match[3] and not (match[2].startswith(b"<") and looks_like_path(match[3])):
        return None
    return match


def _closes(line: bytes, path: bytes = b"") -> bool:
    """Return whether `line` ends a block, for any file."""
    match = _CLOSE.fullmatch(line)
    return match is not None and (match[3] in (None, path) or looks_like_path(match[3]))


def _conflict_at(scanner: Scanner) -> re.Match[bytes] | None:
    return _CONFLICT.match(scanner.text.raw, scanner.offset, scanner.stop)


def starts(scanner: Scanner) -> bool:
    """Return whether a block begins at the next line, or one ends there that has no beginning."""
    line = scanner.line
    return bool(_opening(line) or _closes(line) or _conflict_at(scanner))


def parse(scanner: Scanner) -> None:
    """Take consecutive blocks and add the sections of their files."""
    if _opening(scanner.line) is None:
        conflict = _conflict_at(scanner)
        fault = Malformed.CONFLICT if conflict else Malformed.NO_SEARCH
        scanner.error(fault, text=scanner.line.strip())
        scanner.at += 1 + (conflict[0].count(b"\n") if conflict else 0)
        return
    blocks, path, ahead = list[tuple[str, int, Hunk]](), "", scanner.copy()
    while ahead.more:
        line = ahead.line
        if opening := _opening(line):
            scanner.at, scanner.fence = ahead.at, ahead.fence
            path = _read_path(scanner, opening[3], path)
            number = scanner.number
            if hunk := _read_block(scanner, opening, path):
                blocks.append((path, number, hunk))
            ahead = scanner.copy()
        elif not grammar.skip_fence(ahead):
            if not _is_wrapper_line(line) and not path_in(line):
                break
            ahead.at += 1
    for (path, adds), group in groupby(blocks, lambda it: (it[0], it[2].of_new_file and it[1])):
        whole = [*group]
        hunks = [hunk for _, _, hunk in whole if hunk.lines]
        scanner.section(
            FilePatch(
                Operation.ADD if adds else Operation.UPDATE,
                None if adds else path,
                path,
                tuple(
                    replace(hunk, ordinal=at, is_last=at == len(hunks), of_new_file=False)
                    for at, hunk in enumerate(hunks, start=1)
                ),
                number=whole[0][1],
                ordered=False,
                fills=bool(adds),
            )
        )


def _read_block(scanner: Scanner, opening: re.Match[bytes], path: str) -> Hunk | None:
    """Take one block, for the file at `path`, as a hunk; None after an error."""
    begin = scanner.at
    scanner.at += 1
    start = glued = None
    if stated := _STATED.match(scanner.text.raw, scanner.offset, scanner.stop):
        scanner.at += stated[0].count(b"\n")
        start = int(stated["line"] or stated["ruled"] or 0) - 1
        glued = _GLUED_RULE.match(scanner.line)
    inside = scanner.copy()
    end = _find_end(scanner, opening, os.fsencode(path))
    if end is None:
        return None
    scanner.report_indented("block", begin, end)
    inside.end = end
    dividers = _dividers(inside, opening)
    if len(dividers) != 1:
        _report_divider(scanner, inside, dividers, b"=" * len(opening[2]))
    if len(dividers) != 1 or not path:
        return None
    old = _make_side(scanner, inside.at, dividers[0], Prefix.REMOVED)
    if glued:
        old[0] = old[0]._replace(text=old[0].text[glued.end() :])
    adds = not any(line.text.strip() for line in old)
    new = _make_side(scanner, dividers[0] + 1, inside.end, Prefix.ADDED)
    made = tuple(line_diff([] if adds else old, new))
    return Hunk(
        made,
        stated_start=None if adds or start == -1 else start,
        number=made[0].number if made else 0,
        uniform_endings=scanner.text.uniform,
        of_new_file=adds,
    )


def _dividers(inside: Scanner, opening: re.Match[bytes]) -> list[int]:
    """Return the positions of the lines that may divide a block; one of another length than the
    marker is content."""
    positions, lines = range(inside.at, inside.end), inside.lines
    matches = [(at, _DIVIDER.fullmatch(lines[at])) for at in positions if b"=====" in lines[at]]
    same = [(at, len(match[2])) for at, match in matches if match and match[1] == opening[1]]
    dividers = [at for at, size in same if size == len(opening[2])]
    return dividers if len(dividers) == 1 else [at for at, _ in same]


def _report_divider(scanner: Scanner, inside: Scanner, dividers: list[int], rule: bytes) -> None:
    """Report that a block, whose lines are `inside`, has no divider, or several."""
    positions = range(inside.at, inside.end)
    near = [at for at in positions if _NEAR_DIVIDER.fullmatch(inside.lines[at])]
    if dividers:
        scanner.error(Malformed.TWO_DIVIDERS, scanner.number_at(dividers[1]), divider=rule)
    elif len(near) == 1:
        wrong = scanner.moved_to(near[0])
        wrong.error(Malformed.NEAR_DIVIDER, corrected=rule, divider=rule)
    else:
        scanner.error(Malformed.NO_DIVIDER, scanner.number_at(inside.end), divider=rule)


def _find_end(scanner: Scanner, opening: re.Match[bytes], path: bytes) -> int | None:
    """Move past the end of the block for `path` and return its position; None if there is none."""
    near, marker = None, (b">" if opening[2][:1] == b"<" else b"+") * len(opening[2]) + b" REPLACE"
    while scanner.seek(_MARKER):
        line = scanner.line
        close, again = _CLOSE.fullmatch(line), _opening(line)
        if close and close[1] == opening[1] and _closes(line, path):
            if close[3] not in (None, path) and path:
                scanner.error(Malformed.OTHER_PATH, text=line.strip(), path=path)
            scanner.at += 1
            return scanner.at - 1
        if again and again[1] == opening[1]:
            break
        if near is None and _CONFLICT_CLOSE.fullmatch(line):
            near = scanner.copy()
        scanner.at += 1
    if near:
        near.error(Malformed.OTHER_END, corrected=marker, text=near.line.strip(), marker=marker)
        scanner.at = near.at + 1
    else:
        last = scanner.at - (not scanner.more)
        scanner.error(Malformed.BLOCK_WITHOUT_END, scanner.number_at(last), marker=marker)
    return None


def _make_side(scanner: Scanner, start: int, stop: int, prefix: Prefix) -> list[Line]:
    r"""Make the lines of one side, without the `\` before those that look like markers."""
    lines = make_lines(scanner, start, stop, prefix)
    return [
        line._replace(text=_ESCAPED.sub(rb"\1", line.text, count=1))
        if _ESCAPED.match(line.text)
        else line
        for line in lines
    ]


def _read_path(scanner: Scanner, own: bytes | None, before: str) -> str:
    """Return the path of the block that begins here; `before` is that of the block before.

    Empty after an error.
    """
    (above, at), text = _find_path_line(scanner), scanner.line.strip()
    if own:
        if above and above != own and looks_like_path(above):
            scanner.error(Malformed.OTHER_PATH, text=text, path=above)
        return os.fsdecode(own)
    if above == b"":
        wrong = scanner.moved_to(at)
        wrong.error(Malformed.UNCLEAR_PATH, text=wrong.line.strip())
    elif above is None and not before:
        scanner.error(Malformed.NO_PATH_ABOVE, text=text)
    return os.fsdecode(above or b"") or before


def path_above(scanner: Scanner) -> bytes:
    """Return the path that is named above the scanner's line; empty if that is unclear."""
    return _find_path_line(scanner)[0] or b""


def _find_path_line(scanner: Scanner) -> tuple[bytes | None, int]:
    """Return the path above the scanner's line, below the block before, and its position.

    It is empty if that is unclear, and None if there is none. A single word may be a path
    (`Makefile`) or the language of a chat's code block (`python`): what is above that is examined,
    too.
    """
    word, below = None, -1
    for at in range(scanner.at - 1, max(scanner.at - 1 - _MAX_ABOVE, -1), -1):
        line = scanner.lines[at]
        if _CLOSE.fullmatch(line):
            break
        path = path_in(line)
        if fence := grammar.fence_in(line):
            path = re.sub(rb"[\w+#]+(?:[ \t]+|:)", b"", fence[1], count=1)
            if not (looks_like_path(path) and re.fullmatch(rb"[\w./@+-]+", path)):
                path = b""
                if not _MENTION.search(fence[1]):
                    continue
        if _is_wrapper_line(line):
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


def _is_language(word: bytes) -> bool:
    return word.lower() in _LANGUAGES


def _is_wrapper_line(line: bytes) -> bool:
    """Return whether `line` is blank, or a tag around a block."""
    text = line.strip()
    return not text or (len(text) <= _MAX_LINE and _TAG.fullmatch(text) is not None)


def path_in(line: bytes) -> bytes | None:
    """Return the path that `line` is, and no more; empty if it may have one, None if it has not."""
    mentioned, whole = b"" if _MENTION.search(line) else None, line.strip()
    if len(line) > _MAX_LINE or re.match(_DRAFT, whole):
        return mentioned
    if tag := _TAG_WITH_PATH.fullmatch(whole):
        return tag[1]
    text, is_certain = whole, False
    for _ in range(8):
        sure = _SURE.fullmatch(text)
        match = sure or _DECORATED.fullmatch(text)
        if match is None:
            break
        text, is_certain = match[match.lastindex or 0].strip(), is_certain or bool(sure)
    else:
        text, is_certain = b"", False
    is_word = not re.search(rb"\s", text)
    if not re.search(rb"\w", text):
        return None
    if is_certain or (is_word and (text == whole or looks_like_path(text))):
        return text
    if text == whole and _SPACED_PATH.fullmatch(text):
        return text
    return b"" if is_word else mentioned


def looks_like_path(word: bytes) -> bool:
    """Return whether a word has a character that only paths have."""
    return b"/" in word or b"." in word.strip(b".")
