"""The `<FILE_CHANGES>` container of udiffx, and its directives where the container was forgotten.

    container := "<FILE_CHANGES>" (directive | prose)* "</FILE_CHANGES>"
    directive := "<FILE_NEW file_path=…>" content "</FILE_NEW>"        or FILE_APPEND
               | "<FILE_PATCH file_path=…>" hunks "</FILE_PATCH>"
               | "<FILE_DELETE file_path=… />"
               | "<FILE_COPY from_path=… to_path=… />"                 or FILE_RENAME
    hunks     := [fence] [envelope] [names] ("@@"… (line | "~")+)* [envelope] [fence]

Source: the FILE_CHANGES format, "Structure", "Directives" and "Content Encoding and Fencing"; the
FILE_PATCH strategy, "Wrapper Meta Line Sanitization", "Hunk Cleanup" and "Tilde Range-Remove". Tags
look like XML but are not: nothing is unescaped, neither in a path nor in content. A tag is one
where it is alone on its line, and not indented or indented as the tag that it ends. Content with
such lines must be in a fence, in which they must come in pairs; anywhere else they could be the
tags of a directive whose end was forgotten. Of hunks, the tag alone names the file: a diff header
or an envelope marker inside is skipped if it names the same one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from git_opatch.model.options import Format
from git_opatch.model.patch import FilePatch, Hunk, Line, Operation, Prefix
from git_opatch.model.sentences import Malformed
from git_opatch.parse import envelope
from git_opatch.parse.formats import CONTAINER, DIFF_GIT, TAG, begins, parser_of
from git_opatch.parse.header import names_at, read_extended
from git_opatch.parse.hunk import (
    CERTAIN_LINES,
    HunkBuilder,
    HunkReader,
    added_hunk,
    finish_hunks,
    make_lines,
)
from git_opatch.parse.prose import Fence, are_closed, fence_in, report_missing_end
from git_opatch.parse.scanner import Scanner, line_start

_NEW, _PATCH, _APPEND = b"FILE_NEW", b"FILE_PATCH", b"FILE_APPEND"
_COPY, _RENAME, _DELETE = b"FILE_COPY", b"FILE_RENAME", b"FILE_DELETE"
_FILE_PATH, _FROM_TO_PATHS = (b"file_path",), (b"from_path", b"to_path")
_ATTRIBUTES = {
    CONTAINER: (),
    _NEW: _FILE_PATH,
    _PATCH: _FILE_PATH,
    _APPEND: _FILE_PATH,
    _DELETE: _FILE_PATH,
    _COPY: _FROM_TO_PATHS,
    _RENAME: _FROM_TO_PATHS,
}
_KNOWN = line_start(TAG)
"""The lines that begin with a tag of this format."""
_TAG = re.compile(rb"([ \t]*)<(/?)[ \t]*([A-Za-z_][\w:-]*+)(.*)", re.DOTALL)
_ATTRIBUTE = re.compile(rb"\s*+([\w-]++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")
_END = re.compile(rb"\s*+(/?)\s*+>[ \t\r]*(.*)", re.DOTALL)
_MAX_ATTRIBUTES = 100
_STARTS = re.compile(rb"[ \t]*" + begins(Format.FILE_CHANGES))
_HUNK_LINE = rb"@@|[+-](?![\s+-])"
_OTHER_STARTS = begins(*(name for name in Format if name is not Format.FILE_CHANGES))
_BETWEEN = line_start(rb"</?[ \t]*[A-Za-z_]|\*|" + _OTHER_STARTS + rb"|" + _HUNK_LINE)
_BLOCK = re.compile(begins(Format.SEARCH_REPLACE))
_MAX_JSON_LINES = 8
_MARKDOWN = (".md", ".mkd", ".markdown", ".mdx", ".rmd", ".qmd")
_DOCUMENTS = (*_MARKDOWN, ".rst", ".txt", ".adoc", "")
_MARKDOWN_INFO = (b"md", b"markdown", b"mdx")


class _Tag(NamedTuple):
    """The tag at the beginning of a line; `rest` is the text after it."""

    name: bytes
    attributes: tuple[tuple[bytes, bytes], ...] = ()
    indent: bytes = b""
    closing: bool = False
    empty: bool = False
    rest: bytes = b""
    well_formed: bool = True

    @property
    def end(self) -> bytes:
        """The line that ends the element."""
        return self.indent + b"</" + self.name + b">"

    def path(self, attribute: bytes = b"file_path") -> str:
        """The path in an attribute of a checked tag."""
        return os.fsdecode(dict(self.attributes)[attribute].strip())


def _read_tag(line: bytes) -> _Tag | None:
    """Parse the tag that `line` begins with, known or not; None if it begins with none."""
    match = _TAG.fullmatch(line)
    if match is None:
        return None
    indent, slash, name, rest = match.groups()
    attributes: list[tuple[bytes, bytes]] = []
    at = 0
    while len(attributes) < _MAX_ATTRIBUTES and (found := _ATTRIBUTE.match(rest, at)):
        attributes.append((found[1], found[2] if found[3] is None else found[3]))
        at = found.end()
    end = _END.fullmatch(rest, at)
    if end is None:
        return _Tag(name, (), indent, bool(slash), well_formed=False)
    after = end[2].strip()
    closed = after == b"</" + name + b">"
    empty, well_formed = bool(end[1]) or closed, not at or not slash
    after = b"" if closed else after
    return _Tag(name, tuple(attributes), indent, bool(slash), empty, after, well_formed)


def _check_tag(scanner: Scanner, tag: _Tag, number: int) -> bool:
    """Report what is wrong with `tag` of line `number`; False if anything is."""
    errors, wanted = scanner.errors, _ATTRIBUTES.get(tag.name)
    attributes = {key: value.strip() for key, value in tag.attributes}
    if wanted is None:
        scanner.error(Malformed.UNKNOWN_TAG, number, tag=tag.name, known=b", ".join(_ATTRIBUTES))
    elif not tag.closing and (
        not tag.well_formed
        or attributes.keys() != set(wanted)
        or not all(attributes.values())
        or len(attributes) < len(tag.attributes)
    ):
        form = b"".join(b" " + key + b'="PATH"' for key in wanted)
        scanner.error(Malformed.WRONG_TAG, number, form=b"<" + tag.name + form + b">")
    elif tag.rest or not tag.well_formed:
        scanner.error(Malformed.BESIDE_TAG, number, text=tag.rest or tag.name)
    return scanner.errors == errors


def starts(scanner: Scanner) -> bool:
    """Return whether a tag of this format begins the next line."""
    return _STARTS.match(scanner.line) is not None


def parse(scanner: Scanner) -> None:
    """Take one container, or one directive outside of any, and add its sections."""
    tag = _read_tag(scanner.line) or _Tag(b"")
    if tag.name != CONTAINER or tag.closing:
        _take_directive(scanner, tag)
        return
    number, errors, sections = scanner.number, scanner.errors, len(scanner.found.sections)
    scanner.take()
    _check_tag(scanner, tag, number)
    end, inside = scanner.at, None
    while True:
        scanner.skip_to(_BETWEEN)
        inside = None if scanner.at_end else _read_tag(scanner.line)
        if scanner.at_end or (inside and inside.name == CONTAINER):
            break
        if inside:
            _take_directive(scanner, inside)
        else:
            _take_between(scanner)
        end = scanner.at
    if inside and inside.closing:
        scanner.take()
        _check_tag(scanner, inside, scanner.previous_number)
    else:
        report_missing_end(scanner, "`<FILE_CHANGES>`", tag.end, end, number)
    if len(scanner.found.sections) == sections and scanner.errors == errors:
        scanner.error(Malformed.NO_DIRECTIVE, number)


def _take_between(scanner: Scanner) -> None:
    """Take a line between directives: prose, or, with an error, a line that looks like a patch."""
    line = scanner.line
    end = scanner.end if line.lstrip()[:1] in b"[{" else 0
    below = range(scanner.at + 1, min(scanner.at + _MAX_JSON_LINES, end))
    is_patch = (
        re.match(_HUNK_LINE, line)
        or envelope.is_marker(line)
        or envelope.is_begin(line)
        or line.startswith(DIFF_GIT)
        or names_at(scanner) is not None
        or _BLOCK.match(line.lstrip())
        or parser_of(Format.OPERATIONS).is_call(b"\n".join([line, *map(scanner.line_at, below)]))
    )
    scanner.take()
    if is_patch:
        scanner.error(Malformed.NOT_IN_DIRECTIVE, scanner.previous_number, text=line)
        scanner.skip_to(_KNOWN)


def _take_directive(scanner: Scanner, tag: _Tag) -> None:
    """Take the directive that begins with `tag` and add its section, unless there is an error."""
    number, errors = scanner.number, scanner.errors
    scanner.take()
    if not _check_tag(scanner, tag, number):
        # its probable content causes no more errors
        name = tag.name.upper()
        if not tag.closing and not tag.empty and name not in (_COPY, _RENAME, _DELETE):
            scanner.skip_to(_KNOWN)
            found = None if scanner.at_end else _read_tag(scanner.line)
            if found and found.closing and found.name == name:
                scanner.take()
        return
    if tag.closing:
        scanner.error(Malformed.ENDS_NOTHING, number, tag=tag.name)
        return
    section = _read_section(scanner, tag, number)
    if scanner.errors == errors:
        scanner.section(section._replace(number=number))


def _read_section(scanner: Scanner, tag: _Tag, number: int) -> FilePatch:
    """Take what is below `tag` of line `number` and return the section."""
    errors = scanner.errors
    if tag.name in (_COPY, _RENAME):
        _take_end(scanner, tag, number)
        old, new = tag.path(b"from_path"), tag.path(b"to_path")
        if old == new:
            scanner.error(Malformed.EQUAL_PATHS, number)
        return FilePatch(Operation.COPY if tag.name == _COPY else Operation.MOVE, old, new)
    path = tag.path()
    if tag.name == _DELETE:
        _take_end(scanner, tag, number)
        return FilePatch(Operation.DELETE, path, None, has_content=False)
    content = _take_content(scanner, tag, number)
    if tag.name == _PATCH:
        hunks = _read_hunks(_unfence_hunks(content), path)
        if not hunks and scanner.errors == errors:
            scanner.error(Malformed.NO_HUNK, number)
        return FilePatch(Operation.UPDATE, path, path, hunks)
    inside = _unfence_content(content, tag)
    lines = make_lines(inside, inside.at, inside.end, Prefix.ADDED)
    uniform = scanner.uniform_endings
    if tag.name == _NEW:
        added = (added_hunk(lines, uniform_endings=uniform),) if lines else ()
        return FilePatch(Operation.ADD, None, path, added)
    if not lines and scanner.errors == errors:
        scanner.error(Malformed.NOTHING_TO_APPEND, number)
    hunk = added_hunk(lines, number=number, uniform_endings=uniform, at_end_of_file=True)
    return FilePatch(Operation.APPEND, path, path, (hunk,))


def _take_end(scanner: Scanner, tag: _Tag, number: int) -> None:
    """Take the end of a tag that has no content and does not end with `/>`."""
    if tag.empty:
        return
    ahead = replace(scanner)
    ahead.skip_blank_lines()
    found = None if ahead.at_end else _read_tag(ahead.line)
    if found is None or not found.closing or found.name != tag.name or found.rest:
        scanner.error(Malformed.TAG_NOT_ENDED, number, tag=tag.name)
    else:
        scanner.at = ahead.at + 1


def _take_content(scanner: Scanner, tag: _Tag, number: int) -> Scanner:
    """Take everything up to the end of `tag` of line `number`; return a scanner over the content.

    A missing end is an error; the lines that could be another directive are then left.
    """
    if tag.empty:
        return scanner.limited_to(scanner.at)
    content, solid = replace(scanner), _trim_blank_lines(scanner)
    fenced = tag.name != _PATCH and not solid.at_end and fence_in(solid.line) is not None
    nested: list[bytes] = []
    for found in _read_tags(scanner, tag):
        content.end = scanner.at - 1
        if found.closing and found.name == (nested[-1] if nested else tag.name):
            if not nested:
                lines = [line for line in _iter_lines(content) if line.strip()]
                if tag.indent and lines and all(line.startswith(tag.indent) for line in lines):
                    count = len(tag.indent)
                    scanner.error(Malformed.INDENTED, number, subject="directive", count=count)
                return content
            nested.pop()
        elif fenced and not found.closing:
            nested += [] if found.empty else [found.name]
        else:
            scanner.at -= 1
            ends_other = found.closing and found.name not in (CONTAINER, tag.name)
            if ends_other or (found.name == tag.name and not found.attributes):
                text = scanner.line
                scanner.error(Malformed.ENDS_OTHER_TAG, text=text, tag=tag.name, end=tag.end)
                scanner.take()
            else:
                _report_missing_end(content, tag, number)
            return content
    content.end = scanner.end
    _report_missing_end(content, tag, number)
    return content


def _read_tags(scanner: Scanner, opening: _Tag) -> Iterator[_Tag]:
    """Take the lines up to each line that is only a tag, with that line."""
    while True:
        scanner.skip_to(_KNOWN)
        if scanner.at_end:
            return
        tag = _read_tag(scanner.take())
        if tag and not tag.rest and tag.indent in (b"", opening.indent):
            yield tag


def _report_missing_end(content: Scanner, tag: _Tag, number: int) -> None:
    last = _trim_blank_lines(content).end
    line = content.line_at(last - 1) if last > content.at else b""
    if line.rstrip().endswith(tag.end.strip()):
        content.error(Malformed.TAG_NOT_ALONE, content.lines.number(last - 1), end=tag.end)
    else:
        subject = f"`<{tag.name.decode()}>`"
        report_missing_end(content, subject, tag.end, last, number)


def _trim_blank_lines(content: Scanner) -> Scanner:
    """Return `content` without the blank lines at both ends."""
    found = replace(content)
    found.skip_blank_lines()
    while found.end > found.at and not found.line_at(found.end - 1).strip():
        found.end -= 1
    return found


def _iter_lines(content: Scanner) -> Iterator[bytes]:
    return (content.line_at(at) for at in range(content.at, content.end))


def _unfence_content(content: Scanner, tag: _Tag) -> Scanner:
    """Return `content` without the fence that is its first and its last line.

    Content may itself begin and end with fences. It is ambiguous, and refused, if all fences are
    closed under both readings, or under neither.
    """
    solid = _trim_blank_lines(content)
    if solid.at_end:
        return content
    opening, closing = fence_in(solid.line), fence_in(solid.line_at(solid.end - 1))
    if opening is None and closing is None:
        return content
    inside = replace(solid, at=solid.at + 1, end=solid.end - 1)
    closed = bool(opening and closing and inside.at <= inside.end and closing.closes(opening))
    if opening and (solid.at, solid.end) == (content.at, content.end):
        if closed and _is_wrapper(opening, inside, tag):
            return inside
        rest = replace(inside, end=solid.end)
        if not any(map(fence_in, _iter_lines(rest))) and _is_wrapper(opening, rest, tag):
            return rest
    framing = closed and are_closed(_iter_lines(inside))
    if framing == are_closed(_iter_lines(solid)):
        fence = (opening or closing or Fence(b"```", b"")).marks
        first, last = solid.number, solid.lines.number(solid.end - 1)
        if framing:
            longer = fence + fence[:1]
            solid.error(Malformed.UNCLEAR_FENCE, longer=longer, first=first, last=last)
        elif opening:
            solid.error(Malformed.FENCE_WITHOUT_END, first, fence=fence, last=last)
        else:
            solid.error(Malformed.FENCE_WITHOUT_BEGIN, last, fence=fence, first=first)
    return inside if framing else content


def _is_wrapper(opening: Fence, inside: Scanner, tag: _Tag) -> bool:
    """Return whether the fence wraps all of the content, and cannot be a code block of a document.

    A fence without a language that has fences inside is a wrapper. Content for a Markdown file can
    equally be the code block that it looks like, as can text that is appended to any document.
    """
    fences = [fence for fence in map(fence_in, _iter_lines(inside)) if fence]
    if any(fence.closes(opening) for fence in fences):
        return False
    path = tag.path()
    if tag.name != _APPEND and not path.lower().endswith(_MARKDOWN):
        return True
    extension = os.path.splitext(path)[1].lower()
    is_hidden = os.path.basename(path).startswith(".")
    if extension not in _DOCUMENTS or (is_hidden and not extension):
        return True
    if not opening.info:
        return bool(fences)
    return extension in _MARKDOWN and opening.info.lower() in _MARKDOWN_INFO


def _unfence_hunks(content: Scanner) -> Scanner:
    """Return hunks without blank lines and a fence around them; hunk lines are never fences."""
    solid = _trim_blank_lines(content)
    opening = None if solid.at_end else fence_in(solid.line)
    if opening is None:
        return solid
    closing = fence_in(solid.line_at(solid.end - 1))
    closed = solid.end - solid.at > 1 and closing is not None and closing.closes(opening)
    return _trim_blank_lines(replace(solid, at=solid.at + 1, end=solid.end - closed))


def _read_hunks(content: Scanner, path: str) -> tuple[Hunk, ...]:
    """Read the hunks for the file at `path`; `content` has no fence around it."""
    name = os.fsencode(path)
    if not content.at_end and envelope.is_begin(content.line):
        content.take()
        content.skip_blank_lines()
    update = None if content.at_end else envelope.parse_marker(content.line)
    if update and update[0] is envelope.Marker.UPDATE:
        if not _may_be_same_file(update[1], name):
            content.error(Malformed.OTHER_FILE_IN_TAG)
        content.take()
    if content.end > content.at and envelope.is_end(content.line_at(content.end - 1)):
        content.end = _trim_blank_lines(content.limited_to(content.end - 1)).end
    return finish_hunks(_build_hunks(content, name))


def _build_hunks(content: Scanner, name: bytes) -> Iterator[HunkBuilder]:
    hunks = HunkReader(content)
    while not content.at_end:
        line = content.line
        if line.startswith(b"@@"):
            _drop_separator(content, hunks)
            yield from hunks.take_header()
        elif line.rstrip() == b"~":
            _take_range_remove(content, hunks)
        elif _skip_file_header(content, hunks, name):
            continue
        elif hunks.current is None and not line.strip():
            content.take()
        elif hunks.current is not None and line[:1] == b"*" and envelope.is_end_of_file(line):
            hunks.current.at_end_of_file = True
            content.take()
            content.skip_blank_lines()
        elif not (hunks.take_lines(CERTAIN_LINES) or hunks.take_line()):
            hunks.take_unprefixed()
    yield from hunks.close()


def _drop_separator(content: Scanner, hunks: HunkReader) -> None:
    """Drop blank lines before `@@`: they separate two hunks, as in the format's own examples."""
    at = content.at - 1
    while hunks.current and hunks.current.lines and content.line_at(at) in (b"", b"\r"):
        hunks.current.lines.pop()
        at -= 1


def _take_range_remove(content: Scanner, hunks: HunkReader) -> None:
    """Take a `~`, which must be between removed lines."""
    lines: Sequence[Line] = hunks.current.lines if hunks.current else ()
    before = bool(lines) and content.line_at(content.at - 1)[:1] == b"-"
    if hunks.current and before and content.peek().startswith(b"-"):
        hunks.current.removed_ranges.append(len(lines))
    else:
        content.error(Malformed.RANGE_WITHOUT_LAST if before else Malformed.RANGE_WITHOUT_FIRST)
    content.take()


def _skip_file_header(content: Scanner, hunks: HunkReader, name: bytes) -> bool:
    """Take a diff header; False, with nothing taken, if lines of a hunk are here."""
    line, number = content.line, content.number
    if hunks.current is None and line.startswith(DIFF_GIT):
        if unexpected := set(read_extended(content)) - {"names", "index"}:
            content.error(Malformed.NOT_IN_FILE_PATCH, number, text=min(unexpected))
        return True
    if not line.startswith(b"--- ") or not content.peek().startswith(b"+++ "):
        return False
    names = names_at(content)
    agree = names is not None and all(each and _may_be_same_file(each, name) for each in names)
    if hunks.current is not None and not (agree and content.peek(2).startswith(b"@@")):
        return False
    if not agree:
        content.error(Malformed.OTHER_FILE_IN_TAG)
    content.at += 2
    return True


def _may_be_same_file(path: bytes, other: bytes) -> bool:
    """Return whether two paths may name one file: they are equal, or one is the end of the
    other."""
    return (b"/" + path).endswith(b"/" + other) or (b"/" + other).endswith(b"/" + path)
