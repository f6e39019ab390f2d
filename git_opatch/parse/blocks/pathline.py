"""The line that names the file of a search-and-replace block.

    path
    ```python
    <<<<<<< SEARCH

Rules: aider's documentation, "Edit formats": the path stands before the fence ("diff") or first
in it ("diff-fenced"); Cline and Roo put it into `<path>`. Models decorate it: as a heading, a
comment or a list's item, in backticks or bold, with a label before it or a colon after it. Only
a line that is nothing but a path names a file; one that merely mentions another file is unclear.
What is copied from a chat has the name of the language on a line of its own, where the fence was:
a word that is no path by its looks is not taken for one where it may be that.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from git_opatch.parse.cursor import Cursor

_FAR = 6
"""How many lines above a block can belong to it."""

_LONGEST = 4096
"""No path is longer, nor a line that names one or stands round a block."""
_DEEPEST = 8
"""How often a path can be decorated; more is no path."""

_FENCE = re.compile(rb"[ \t]*(?:`{3,}|~{3,})(.*)")
_TAG = re.compile(rb"(?:</?[A-Za-z][\w-]*>|<!\[CDATA\[|\]\]>|<(start_line)>\d+</\1>)+")
_LEAD = re.compile(rb"(?:#{1,6}|//+|/\*|<!--|[-*+]|\d{1,3}[.)])[ \t]+")
_LABEL = re.compile(rb"(?:file(?:[ _-]?(?:name|path|url))?|path)[ \t]*:[ \t]*", re.IGNORECASE)
_ELEMENT = re.compile(rb"<(path|file_path|file)>[ \t]*([^<>]+?)[ \t]*</\1>")
_QUOTED = re.compile(rb"(`|\"|')([^`\"']+)\1")
_BOLD = re.compile(rb"(\*\*|__|\*)((?!\*).+?)\1")
_MENTION = re.compile(rb"[\w.-]/[\w.-]|[\w-]{2}\.[A-Za-z]\w{0,7}\b")
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
"""What chats write above code to say what it is, in small letters."""


class Says(Enum):
    """What a line says of the file."""

    PATH = "its path, and no more"
    WORD = "a word that may be its path, or a label"
    UNCLEAR = "something that may be its path"
    NOTHING = "nothing"


class Heading(NamedTuple):
    """What the lines above a block say; `at` is the line that says it."""

    says: Says = Says.NOTHING
    path: bytes = b""
    at: int = -1


def above(cursor: Cursor, ends: re.Pattern[bytes]) -> Heading:
    """What the lines above the cursor's say, down to one that `ends` matches in full."""
    word, unclear = Heading(), Heading()
    for at in range(cursor.at - 1, max(cursor.at - 1 - _FAR, -1), -1):
        line = cursor.line_at(at)
        if ends.fullmatch(line):
            break
        fence = _FENCE.match(line)
        if fence and _MENTION.search(fence[1]):
            unclear = Heading(Says.UNCLEAR, at=at)
        elif not fence and not is_frame(line):
            says, path = read(line)
            found = unclear if says is Says.NOTHING else Heading(says, path, at)
            if word.says is Says.NOTHING and _is_bare_word(found, line):
                word = found
            else:
                return _decided(word, found, is_named=not _is_bare_word(found, line))
    return _decided(word, unclear)


def _is_bare_word(heading: Heading, line: bytes) -> bool:
    """Whether the line is a path only if nothing else is meant: `Makefile`, or `python`."""
    path = heading.path
    return heading.says is Says.PATH and line.strip() == path and not looks_like_path(path)


def _decided(word: Heading, found: Heading, *, is_named: bool = False) -> Heading:
    """What a bare word, if there is one, and what stands above it say together."""
    if word.says is Says.NOTHING:
        return found
    names = found.says is Says.PATH
    if word.path.lower() in _LANGUAGES:
        is_label = found.says is Says.UNCLEAR or (names and is_named)
        return found if is_label else Heading(Says.WORD, at=word.at)
    is_other = names and (is_named or found.path.lower() in _LANGUAGES)
    return Heading(Says.WORD, at=word.at) if is_other else word


def prose_above(cursor: Cursor, ends: re.Pattern[bytes]) -> int:
    """Where the nearest line above is that stands round no block; -1 if there is none.

    A line that `ends` matches in full closes the block before; what is above it is not read.
    """
    for at in range(cursor.at - 1, -1, -1):
        line = cursor.line_at(at)
        if ends.fullmatch(line):
            break
        if not _FENCE.match(line) and not is_frame(line):
            return at
    return -1


def is_frame(line: bytes) -> bool:
    """Whether `line` is blank, or a tag that stands round a block."""
    text = line.strip()
    return not text or (len(text) <= _LONGEST and _TAG.fullmatch(text) is not None)


def read(line: bytes) -> tuple[Says, bytes]:
    """What one line says, and the path."""
    if len(line) > _LONGEST:
        return (Says.UNCLEAR if _MENTION.search(line) else Says.NOTHING), b""
    text, sure = _bare(line.strip())
    plain = text == line.strip()
    whole = not re.search(rb"\s", text)
    if not re.search(rb"\w", text):
        return Says.NOTHING, b""
    if sure or (whole and (plain or looks_like_path(text))):
        return Says.PATH, text
    if _MENTION.search(line) or whole:
        return Says.UNCLEAR, b""
    return Says.NOTHING, b""


def looks_like_path(word: bytes) -> bool:
    """Whether a word has what only paths have."""
    return b"/" in word or b"." in word.strip(b".")


def _bare(text: bytes) -> tuple[bytes, bool]:
    """A line without its decoration, and whether that shows that it is a path."""
    sure, before = False, b""
    for _ in range(_DEEPEST):
        if text == before:
            break
        before = text
        if lead := _LEAD.match(text):
            text = text[lead.end() :].removesuffix(b"*/").removesuffix(b"-->").rstrip()
        label = _LABEL.match(text)
        named = _ELEMENT.fullmatch(text) or _QUOTED.fullmatch(text)
        if label or named:
            sure = True
        if label:
            text = text[label.end() :]
        elif named:
            text = named[2]
        elif bold := _BOLD.fullmatch(text):
            text = bold[2]
        text = text.removesuffix(b":").strip()
    else:
        return b"", False
    return text, sure
