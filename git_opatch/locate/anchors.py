"""Anchors: what the text after `@@` names, where that is, and whether it holds for a place.

It must not place a hunk: evidence keeps what is inside, and a claim refuses what is outside.

An anchor is text after `@@`. What it names is found as a whole line, else as the beginning of one,
else by kind and name, else as a reference (`Store.load`, `in the load method`). It holds for a
position that has it, or is in its scope. One that names something and does not hold refuses the
hunk; among several candidates, those that it holds for are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from git_opatch.locate.alignment import shows_context
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.outline import (
    Name,
    OutlineKind,
    heading,
    is_certain,
    is_for_the_file,
    keyword_of,
    name_of,
    named_by,
)
from git_opatch.locate.reading import Found
from git_opatch.locate.scope import encloses, inside, scope_end
from git_opatch.model.failure import Problem
from git_opatch.model.limits import FEW
from git_opatch.model.patch import Anchor, Hunk, Prefix, context_around
from git_opatch.model.sentences import Fault
from git_opatch.model.text import opens, visible

_LEAST_CUT = 76
"""Git cuts the heading that it writes after the numbers to 80 bytes, and to whole characters."""
_CLASSES = b"class struct interface module trait impl enum".split()
_FUNCTIONS = b"method function func def fn fun".split()
_KINDS = rb"(?:%b|constructor)" % b"|".join((*_FUNCTIONS, *_CLASSES))
_FILLERS = frozenset(b"in inside within of the a line at block body definition section".split())
_NAME = rb"[A-Za-z_$][\w$]*[?!]?"
_PATH = rb"`?(" + _NAME + rb"(?:(?:\.|::|#)" + _NAME + rb")*)`?(?:\(\))?`?"
_ARGUMENTS = rb"\([^()]*\)"
_OTHER = rb"[^\w$\s.,:;#>/`'\"?!-]"
_BESIDE_KIND = rb"\b" + _KINDS + rb"\s+" + _PATH + rb"|" + _PATH + rb"\s+" + _KINDS + rb"\b"
_BARE = rb"(?:\(\*?[\w$]+\)\.|(?:[\w$]+(?:\.|::|#))*)[\w$]+[?!]?(?:\([^()]*\))?:?"
_IN_CLASS = re.compile(
    rb"(?:%b)\s+\w+(?:\s*(?:[:>/,{@]|->))+\s*" % b"|".join(_CLASSES)
    + rb"(?P<kind>(?:async\s+)?(?:%b)\s+)?(?P<name>[A-Za-z_]\w*)\W*$" % b"|".join(_FUNCTIONS)
)
"""The beginning of a class, and what is in it, in one line."""
_CODE_NAME = (
    rb"(?<![\w.$-])(?:[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*)\b"
    rb"|(?:(?<=struct )|(?<=union ))\w+(?= ?\*)"
)


def find(anchor: Anchor, file: FileIndex) -> Found:
    """Find what `anchor` names; once in a file."""
    if anchor not in file.found:
        file.found[anchor] = _find(anchor, file)
    return file.found[anchor]


def _find(anchor: Anchor, file: FileIndex) -> Found:
    text = file.normal(anchor.text).strip()
    named = named_by(text)
    if not text:
        return Found(anchor, ())
    rows = file.containing(text)
    whole = [row for row in rows if file.lines[row].strip() == text]
    if whole:
        same = [row for row in whole if file.lines[row] == file.normal(anchor.text)]
        return Found(anchor, whole if anchor.weak or not same else same, True, named)
    if named is None:
        is_name = re.fullmatch(_BARE, text) is not None
        referred = _referred(text, file) if is_name else []
        return Found(anchor, referred or rows or _referred(text, file), False, None)
    begun = [row for row in rows if _begins(file.lines[row].strip(), text)]
    by_name = [row for row in file.containing(named.name) if _names(file.lines[row], named)]
    if not begun and (inner := _IN_CLASS.search(re.sub(_ARGUMENTS, b"", text))):
        by_name = _inside_of(by_name, inner, file)
    return Found(anchor, begun or by_name, False, named)


def _inside_of(rows: list[int], inner: re.Match[bytes], file: FileIndex) -> list[int]:
    """List where a function is that an anchor names behind the class that it is in; the class, if
    that has the name in its own line, or it is only a word."""
    name = inner["name"]
    defined = _defined(name, b"", file)
    functions = [row for row in defined if keyword_of(file.lines[row]) not in _CLASSES]
    if any(name in file.lines[row] for row in rows) or not (inner["kind"] or functions):
        return rows
    return [row for row in functions if any(at < row < file.block_end(at) for at in rows)]


def _begins(line: bytes, text: bytes) -> bool:
    inside_word = re.match(rb"\w\w", text[-1:] + line[len(text) : len(text) + 1])
    return line.startswith(text) and (len(text) >= _LEAST_CUT or not inside_word)


def _names(line: bytes, name: Name) -> bool:
    if name.kind is OutlineKind.LABEL:
        return line.strip().startswith(name.name + b":")
    found = name_of(line)
    return found is not None and found.matches(name)


def _defined(name: bytes, qualifier: bytes, file: FileIndex) -> list[int]:
    asked = name, qualifier
    if asked not in file.defined:
        names = ((row, name_of(file.lines[row])) for row in file.containing(name))
        file.defined[asked] = [
            row for row, found in names if found and found.matches(Name(found.kind, *asked))
        ]
    return file.defined[asked]


def _is_qualified(line: bytes) -> bool:
    """Return whether a definition has its qualifier on its own line, as in Go and C++."""
    name = name_of(line)
    return name is not None and bool(name.qualifier)


def _references(text: bytes) -> list[tuple[bytes, bytes]]:
    """Return the names, each with its qualifier, of a text that only says where a hunk is."""
    text = re.sub(_ARGUMENTS, b"", re.sub(rb"\(\*?(\w+)\)\.", rb"\1.", text))
    if re.search(_OTHER, text):
        return []
    found: list[tuple[bytes, bytes]] = []
    for path in re.findall(_PATH, text):
        names = re.findall(_NAME, path)
        found += zip(names, [b"", *names], strict=False)
    return [
        each
        for each in found
        if each[0] not in _FILLERS and not re.fullmatch(_KINDS, each[0].lower())
    ]


def _referred(text: bytes, file: FileIndex) -> list[int]:
    """List the definitions that a text refers to: `Store.load` is `load` in `Store`."""
    found: list[int] | None = None
    for name, qualifier in _references(text):
        rows = _defined(name, qualifier, file)
        own = [row for row in rows if _is_qualified(file.lines[row])] if qualifier else []
        if own:
            found = own
        elif found:
            found = [row for row in rows if any(at < row < file.block_end(at) for at in found)]
        elif found is None and not qualifier:
            found = rows
        else:
            return []
    return found or []


def scoped(starts: Sequence[int], anchors: Sequence[Anchor], file: FileIndex) -> list[int]:
    """Keep those of `starts` that are surely in the scope of `anchors`, one in another."""
    found: Sequence[int] = ()
    for rows in (find(anchor, file).rows for anchor in anchors):
        if 0 < len(rows) <= FEW:
            found = inside(rows, found, file) if found else rows
            if not found:
                break
    return inside(starts, found, file)


# ---------------------------------------------------------------- what does not hold


def refuted(hunk: Hunk, start: int, stop: int, file: FileIndex) -> Iterator[Problem | str]:
    """Yield what does not hold of a hunk's anchors for the lines from `start` to `stop`: a problem,
    or a note on one that names nothing."""
    stop = max(stop, start + 1)
    shows_own = _shows_definition(hunk, file.lines[start:stop])
    for anchor in hunk.anchors:
        found = find(anchor, file)
        is_noise = anchor.weak and shows_own and not _is_indented(found, file)
        if anchor.text.strip() and not is_noise:
            if found.rows:
                problem = _elsewhere(found, start, stop, hunk, file)
            else:
                problem = _missing(found, start, stop, hunk, file)
            if problem:
                yield problem
            elif not (anchor.weak or found.rows or _is_explained(found, None, file)):
                yield f"the anchor `{visible(anchor.text.strip())}` is not in the file"


def _is_indented(found: Found, file: FileIndex) -> bool:
    return bool(found.rows) and not any(_is_at_margin(file.lines[row]) for row in found.rows)


def _shows_definition(hunk: Hunk, lines: Sequence[bytes]) -> bool:
    """Return whether context above the first change has a definition at the margin of the file.

    Git's heading then names another one at the margin, which says nothing of this place.
    """
    above, _ = context_around(hunk.lines)
    texts = (line.text for line in hunk.lines[:above])
    return any(
        heading(text) is OutlineKind.DEFINITION and not is_for_the_file(text)
        for text in texts
        if _is_at_margin(text) and text in lines
    )


def _elsewhere(found: Found, start: int, stop: int, hunk: Hunk, file: FileIndex) -> Problem | None:
    lines, rows = file.lines, found.rows
    if encloses(rows, start, stop, file):
        return _under_other(found, max(at for at in rows if at < stop), start, hunk, file)
    above = [row for row in rows if row < start]
    if not above:
        line = lines[rows[0]]
        claims = found.whole and (opens(line) or not found.anchor.weak)
        if not (claims or named_by(line)) or _is_explained(found, rows[0], file):
            return None
        return found.problem(Fault.ANCHOR_BELOW, at=rows[0] + 1)
    end = scope_end(above[-1], start, file)
    if _is_explained(found, above[-1], file):
        return None
    if found.anchor.weak:
        later = (end, *file.headings(OutlineKind.DEFINITION, end + 1, start))
        if not any(_would_be_heading(at, above[-1], lines) for at in later):
            return None
    return _under(found, above[-1], end, file)


def _under_other(found: Found, row: int, start: int, hunk: Hunk, file: FileIndex) -> Problem | None:
    """Say that git would have written another heading than one at the margin, at `row`, that is not
    a definition: it writes the last line there, if the language is not known to it."""
    lines = file.lines
    if not (found.anchor.weak and _is_at_margin(lines[row])) or file.heading_at(row):
        return None
    is_bare = hunk.stated_start not in (None, start) and not shows_context(hunk)
    other = (
        at
        for at in range(row + 1, start)
        if _is_at_margin(lines[at])
        and (is_bare or file.heading_at(at) is OutlineKind.DEFINITION)
        and not file.is_written(at)
    )
    return next((_under(found, row, at, file) for at in other), None)


def _is_at_margin(line: bytes) -> bool:
    """Return whether git may write `line` as a heading in any language."""
    return line[:1].isalpha() or line[:1] in (b"_", b"$")


def _would_be_heading(row: int, named: int, lines: Sequence[bytes]) -> bool:
    """Return whether git would have written that line as the heading, had it been above."""
    line, other = lines[row], lines[named]
    if line[:1].isspace():
        return keyword_of(line) == keyword_of(other)
    return _is_at_margin(line) or line[:1] == other[:1]


def _under(found: Found, row: int, other: int, file: FileIndex) -> Problem:
    return found.problem(Fault.ANCHOR_OF_OTHER, at=row + 1, below=file.lines[other])


def _missing(found: Found, start: int, stop: int, hunk: Hunk, file: FileIndex) -> Problem | None:
    kind = found.named.kind if found.named else None
    if kind and (kind is OutlineKind.DEFINITION or any(_certain(kind, file))):
        explained = _is_explained(found, None, file)
        return None if explained else found.problem(Fault.ANCHOR_MISSING)
    text = found.anchor.text
    path = file.path.encode("utf-8", "surrogateescape")
    for name in re.findall(_CODE_NAME, text):
        if name not in path and name not in file.patched and name not in file.joined:
            return found.problem(Fault.ANCHOR_NAME_MISSING, name=name)
    named = _references(text)
    rows = {each: _defined(*each, file) for each in named}
    if not all(rows[each] or each[0] in {q for _, q in named} for each in named):
        beside = re.finditer(_BESIDE_KIND, re.sub(_ARGUMENTS, b"()", text))
        names = [name for m in beside for name in re.findall(_NAME, m[1] or m[2])]
        mine = [line.text for line in hunk.lines]
        rows = {
            (name, b""): _defined(name, b"", file)
            for name in names
            if not any(name in line for line in mine)
        }
    for (name, _), at in rows.items():
        if at and not encloses(at, start, stop, file) and not _is_written(name, file):
            return found.problem(Fault.ANCHOR_ELSEWHERE, name=name, at=at[0] + 1)
    return None


def _certain(kind: OutlineKind, file: FileIndex) -> Iterator[bool]:
    rows = file.headings(kind, 0, len(file.lines))
    return (is_certain(file.lines, row, kind) for row in rows)


def _is_written(name: bytes, file: FileIndex) -> bool:
    """Return whether a hunk of the patch adds or removes a definition of that name."""
    wanted = Name(OutlineKind.DEFINITION, name)
    lines = (line for hunk in file.hunks for line in hunk.lines)
    return any(
        name in line.text and _names(line.text, wanted)
        for line in lines
        if line.prefix is not Prefix.CONTEXT
    )


def _is_explained(found: Found, row: int | None, file: FileIndex) -> bool:
    """Return whether the patch itself writes what the anchor names, or a placed hunk removed it;
    one that shows the line at `row`, which has it, only writes that one again."""
    there = file.lines[row].strip() if row is not None else None
    text = re.compile(rb"(?<![\w#=])" + re.escape(found.anchor.text.strip()))
    named = found.named if row is None else None
    wanted = (found.anchor.text.strip(), *((named.name,) if named else ()))
    if not any(each in file.patched for each in wanted):
        return False
    for hunk in file.hunks:
        is_placed = hunk in file.placed
        if not is_placed and any(line.text.strip() == there for line in hunk.preimage):
            continue
        for line in hunk.lines:
            if line.prefix is Prefix.ADDED or (is_placed and line.prefix is Prefix.REMOVED):
                is_name = named and named.name in line.text and _names(line.text, named)
                if is_name or text.search(line.text):
                    return True
    return False
