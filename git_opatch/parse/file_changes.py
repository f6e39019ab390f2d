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
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from git_opatch.model.options import Format
from git_opatch.model.patch import FilePatch, Hunk, Operation, Prefix
from git_opatch.model.sentences import Malformed
from git_opatch.parse import envelope
from git_opatch.parse.formats import (
    CONTAINER,
    TAG,
    begins,
    find_format,
    parser_of,
)
from git_opatch.parse.header import names_at
from git_opatch.parse.hunk import (
    CERTAIN_LINES,
    HunkBuilder,
    HunkReader,
    make_lines,
)
from git_opatch.parse.prose import (
    Fence,
    are_closed,
    fence_in,
    report_indented,
    report_missing_end,
)
from git_opatch.parse.scanner import Scanner, line_start

_NEW, _PATCH, _APPEND = b"FILE_NEW", b"FILE_PATCH", b"FILE_APPEND"
_COPY, _RENAME, _DELETE = b"FILE_COPY", b"FILE_RENAME", b"FILE_DELETE"
_ATTRIBUTES = {
    CONTAINER: (),
    **dict.fromkeys((_NEW, _PATCH, _APPEND, _DELETE), (b"file_path",)),
    **dict.fromkeys((_COPY, _RENAME), (b"from_path", b"to_path")),
}
_KNOWN = line_start(TAG)
"""The lines that begin with a tag of this format."""
_PAIR = rb"\s*+([\w-]++)\s*+=\s*+(\"[^\"]*+\"|'[^']*+')"
_TAG = re.compile(
    rb"(?s)([ \t]*)<(/?)[ \t]*([A-Za-z_][\w:-]*+)((?>(?:" + _PAIR + rb")*))"
    rb"\s*+(/?)\s*+>[ \t]*+(</\3>)?[ \t\r]*(.*)"
)
_ATTRIBUTE = re.compile(_PAIR)
_TAG_NAME = re.compile(rb"([ \t]*)<(/?)[ \t]*([A-Za-z_][\w:-]*+)")
_STARTS = re.compile(rb"[ \t]*" + begins(Format.FILE_CHANGES))
_HUNK_LINE = rb"@@|[+-](?![\s+-])"
_OTHER_STARTS = begins(*(name for name in Format if name is not Format.FILE_CHANGES))
_BETWEEN = line_start(rb"</?[ \t]*[A-Za-z_]|\*|" + _OTHER_STARTS + rb"|" + _HUNK_LINE)
_MAX_JSON_LINES = 8
_MARKDOWN = (".md", ".mkd", ".markdown", ".mdx", ".rmd", ".qmd")
_DOCUMENTS = (*_MARKDOWN, ".rst", ".txt", ".adoc", "")
_MARKDOWN_INFO = (b"", b"md", b"markdown", b"mdx")


class _Tag(NamedTuple):
    """The tag at the beginning of a line; it `is_whole` if it is well formed, and alone there."""

    indent: bytes
    closing: bool
    name: bytes
    attributes: tuple[tuple[bytes, bytes], ...] = ()
    empty: bool = False
    is_whole: bool = False

    @property
    def end(self) -> bytes:
        """The line that ends the element."""
        return self.indent + b"</" + self.name + b">"

    def path(self, attribute: bytes = b"file_path") -> str:
        """The path in an attribute of a checked tag."""
        return os.fsdecode(dict(self.attributes)[attribute])


def _read_tag(line: bytes) -> _Tag | None:
    """Parse the tag that `line` begins with, known or not; None if it begins with none."""
    begin, match = _TAG_NAME.match(line), _TAG.fullmatch(line)
    if begin is None:
        return None
    tag = _Tag(begin[1], bool(begin[2]), begin[3])
    if match is None:
        return tag
    pairs = tuple((name, value[1:-1].strip()) for name, value in _ATTRIBUTE.findall(match[4]))
    is_whole = not match[9] and not (tag.closing and (pairs or match[7]))
    return tag._replace(attributes=pairs, empty=bool(match[7] or match[8]), is_whole=is_whole)


def _check_tag(scanner: Scanner, tag: _Tag, number: int) -> bool:
    """Report what is wrong with `tag` of line `number`; False if anything is."""
    wanted = _ATTRIBUTES.get(tag.name)
    if wanted is None:
        scanner.error(Malformed.UNKNOWN_TAG, number, tag=tag.name, known=b", ".join(_ATTRIBUTES))
        return False
    names = () if tag.closing else wanted
    given = tuple(sorted(name for name, value in tag.attributes if value))
    if tag.is_whole and given == names and len(given) == len(tag.attributes):
        return True
    form = b"".join(b" " + name + b'="PATH"' for name in names)
    slash = b"/" if tag.closing else b""
    scanner.error(Malformed.WRONG_TAG, number, form=b"<" + slash + tag.name + form + b">")
    return False


def starts(scanner: Scanner) -> bool:
    """Return whether a tag of this format begins the next line."""
    return _STARTS.match(scanner.line) is not None


def parse(scanner: Scanner) -> None:
    """Take one container, or one directive outside of any, and add its sections."""
    tag = _read_tag(scanner.line) or _Tag(b"", closing=False, name=b"")
    if tag.name != CONTAINER or tag.closing:
        _take_directive(scanner, tag)
        return
    number, errors, sections = scanner.number, scanner.errors, len(scanner.found.sections)
    scanner.take()
    _check_tag(scanner, tag, number)
    end = scanner.at
    for line in scanner.seek(_BETWEEN):
        inside = _read_tag(line)
        if inside and inside.name == CONTAINER:
            break
        if inside:
            _take_directive(scanner, inside)
        else:
            _take_between(scanner)
        end = scanner.at
    if not scanner.at_end and inside and inside.closing:
        scanner.take()
        _check_tag(scanner, inside, scanner.previous_number)
    else:
        report_missing_end(scanner, "`<FILE_CHANGES>`", tag.end, end, number)
    if len(scanner.found.sections) == sections and scanner.errors == errors:
        scanner.error(Malformed.NO_DIRECTIVE, number)


def _take_between(scanner: Scanner) -> None:
    """Take a line between directives: prose, or, with an error, a line that looks like a patch."""
    line, below = scanner.line, scanner.limited_to(min(scanner.at + _MAX_JSON_LINES, scanner.end))
    is_patch = (
        find_format(scanner) is not None
        or re.match(_HUNK_LINE, line) is not None
        or envelope.is_marker(line)
        or (line.lstrip()[:1] in b"[{" and parser_of(Format.OPERATIONS).is_call(below.text))
    )
    if is_patch:
        scanner.error(Malformed.NOT_IN_DIRECTIVE)
        scanner.skip_to(_KNOWN)
    else:
        scanner.take()


def _take_directive(scanner: Scanner, tag: _Tag) -> None:
    """Take the directive that begins with `tag` and add its section, unless there is an error."""
    number, first = scanner.number, scanner.at
    scanner.take()
    if not _check_tag(scanner, tag, number):
        if not (tag.closing or tag.empty):
            scanner.skip_to(_KNOWN)  # what may be its content causes no more errors
            if scanner.line.strip() == tag.end.strip().upper():
                scanner.take()
    elif tag.closing:
        scanner.error(Malformed.ENDS_NOTHING, number, tag=tag.name)
    else:
        content = _take_content(scanner, tag, first)
        section = _read_section(content, tag, number)
        scanner.section(section._replace(number=number))


def _read_section(content: Scanner, tag: _Tag, number: int) -> FilePatch:
    """Return the section of `tag`, in line `number`, with that content."""
    errors, solid = content.errors, _trim_blank_lines(content)
    if tag.name in (_COPY, _RENAME):
        old, new = tag.path(b"from_path"), tag.path(b"to_path")
        if old == new:
            content.error(Malformed.EQUAL_PATHS, number)
        return FilePatch(Operation.COPY if tag.name == _COPY else Operation.MOVE, old, new)
    path = tag.path()
    if tag.name == _DELETE:
        return FilePatch(Operation.DELETE, path, None, has_content=False)
    if tag.name == _PATCH:
        hunks = _read_hunks(solid, path)
        if not hunks and content.errors == errors:
            content.error(Malformed.NO_HUNK, number)
        return FilePatch(Operation.UPDATE, path, path, hunks)
    inside = _unfence_content(content, solid, tag)
    lines = make_lines(inside, inside.at, inside.end, Prefix.ADDED)
    hunk = Hunk(
        tuple(lines),
        at_end_of_file=tag.name == _APPEND,
        number=lines[0].number if lines else number,
        uniform_endings=content.uniform_endings,
    )
    if tag.name == _NEW:
        return FilePatch(Operation.ADD, None, path, (hunk,) if lines else ())
    if not lines and content.errors == errors:
        content.error(Malformed.NOTHING_TO_APPEND, number)
    return FilePatch(Operation.APPEND, path, path, (hunk,))


def _take_content(scanner: Scanner, tag: _Tag, first: int) -> Scanner:
    """Take everything up to the end of `tag`, at position `first`; return a scanner over it.

    A missing end is an error; the lines that could be another directive are then left.
    """
    content, solid = replace(scanner), _trim_blank_lines(scanner)
    if tag.empty:
        return scanner.limited_to(scanner.at)
    open_tags, ends_other = [tag.name], False
    # only in a fence may tags be content
    nests = tag.name != _PATCH and fence_in(solid.line) is not None
    for found in _read_tags(scanner, tag):
        if found.closing and found.name == open_tags[-1]:
            open_tags.pop()
        elif not nests or found.closing:
            ends_other = found.closing and found.name != CONTAINER
            break
        elif not found.empty:
            open_tags.append(found.name)
        if not open_tags:
            break
        scanner.take()
    content.end, number = scanner.at, scanner.lines.number(first)
    scanner.at += ends_other or not open_tags
    if open_tags:
        last = _trim_blank_lines(content).end
        report_missing_end(content, f"`<{tag.name.decode()}>`", tag.end, last, number)
    elif not solid.limited_to(content.end).at_end:
        if tag.name in (_COPY, _RENAME, _DELETE):
            scanner.error(Malformed.WITH_CONTENT, number, tag=tag.name)
        else:
            report_indented(scanner, "directive", first, content.end)
    return content


def _read_tags(scanner: Scanner, opening: _Tag) -> Iterator[_Tag]:
    """Move to each line that is only a tag, indented as `opening` is or not at all."""
    for line in scanner.seek(_KNOWN):
        tag = _read_tag(line)
        if tag and tag.is_whole and tag.indent in (b"", opening.indent):
            yield tag


def _trim_blank_lines(content: Scanner) -> Scanner:
    """Return `content` without the blank lines at both ends."""
    found = replace(content)
    found.skip_blank_lines()
    while found.end > found.at and not found.line_at(found.end - 1).strip():
        found.end -= 1
    return found


def _lines(content: Scanner) -> Iterator[bytes]:
    return map(content.line_at, range(content.at, content.end))


def _unfence_content(content: Scanner, solid: Scanner, tag: _Tag) -> Scanner:
    """Return `content` without the fence that is the first and the last line of its `solid` part.

    Content may itself begin and end with fences. It is ambiguous, and refused, if all fences are
    closed under both readings, or under neither.
    """
    opening, closing = fence_in(solid.line), fence_in(solid.line_at(solid.end - 1))
    fence = opening or closing
    if fence is None:
        return content
    inside = replace(solid, at=solid.at + 1, end=solid.end - 1)
    closed = bool(opening and closing and inside.at <= inside.end and closing.closes(opening))
    if opening and (solid.at, solid.end) == (content.at, content.end):
        rest = inside if closed else replace(inside, end=solid.end)
        if (closed or not any(map(fence_in, _lines(rest)))) and _wraps(opening, rest, tag):
            return rest
    framing = closed and are_closed(_lines(inside))
    if framing == are_closed(_lines(solid)):
        number = solid.number if opening else solid.lines.number(solid.end - 1)
        solid.error(Malformed.UNCLEAR_FENCE, number, longer=fence.marks + fence.marks[:1])
    return inside if framing else content


def _wraps(opening: Fence, inside: Scanner, tag: _Tag) -> bool:
    """Return whether the fence wraps all of the content, and cannot be a code block of a document.

    A fence without a language that has fences inside is a wrapper. Content for a Markdown file can
    equally be the code block that it looks like, as can text that is appended to any document.
    """
    fences = [fence for fence in map(fence_in, _lines(inside)) if fence]
    if any(fence.closes(opening) for fence in fences):
        return False
    extension = os.path.splitext(tag.path().lower())[1]
    if extension not in (_DOCUMENTS if tag.name == _APPEND else _MARKDOWN):
        return True
    is_markdown = extension in _MARKDOWN and opening.info.lower() in _MARKDOWN_INFO
    return bool(fences) if not opening.info else is_markdown


def _read_hunks(solid: Scanner, path: str) -> tuple[Hunk, ...]:
    """Read the hunks for the file at `path`, in a fence or an envelope or neither."""
    if opening := fence_in(solid.line):
        last = fence_in(solid.line_at(solid.end - 1))
        closed = last is not None and last.closes(opening)
        solid = _trim_blank_lines(replace(solid, at=solid.at + 1, end=solid.end - closed))
    if envelope.is_begin(solid.line):
        solid.take()
        solid.skip_blank_lines()
    update = envelope.parse_marker(solid.line)
    if update and update[0] is envelope.Marker.UPDATE:
        if not _may_be_same_file(update[1], os.fsencode(path)):
            solid.error(Malformed.OTHER_FILE_IN_TAG)
        solid.take()
    if envelope.is_end(solid.line_at(solid.end - 1)):
        solid.end -= 1
    solid = _trim_blank_lines(solid)
    reader = HunkReader(solid, CERTAIN_LINES)
    return reader.read(lambda hunks: _take_in_hunks(hunks, solid, path))


def _take_in_hunks(hunks: HunkReader, content: Scanner, path: str) -> bool:
    """Take what only this format has between lines of hunks; False if nothing of it is here."""
    line, current = content.line, hunks.current
    if line.startswith(b"@@"):
        at = content.at - 1
        while current and current.lines and content.line_at(at) in (b"", b"\r"):
            current.lines.pop()  # it separates two hunks, as in the format's own examples
            at -= 1
        return False
    if line.rstrip() == b"~":
        _take_range_remove(content, current)
    elif current is not None and envelope.is_end_of_file(line):
        current.at_end_of_file = True
        content.take()
        content.skip_blank_lines()
    else:
        first, number = content.at, content.number
        is_header = names_at(content) is not None and (
            current is None or content.peek(2).startswith(b"@@")
        )
        if (is_header or current is None) and any(envelope.skip_header(content, path, path)):
            content.error(Malformed.NOT_IN_FILE_PATCH, number, text=b"mode")
        if is_header and content.at == first:
            content.error(Malformed.OTHER_FILE_IN_TAG)
            content.take()
        return content.at > first
    return True


def _take_range_remove(content: Scanner, hunk: HunkBuilder | None) -> None:
    """Take a `~`, which must be between removed lines."""
    around = content.peek(-1), content.peek()
    if hunk and all(line.startswith(b"-") for line in around):
        hunk.removed_ranges.append(len(hunk.lines))
    else:
        content.error(Malformed.RANGE_NOT_BETWEEN)
    content.take()


def _may_be_same_file(path: bytes, other: bytes) -> bool:
    """Return whether two paths may name one file: they are equal, or one is the end of the
    other."""
    return (b"/" + path).endswith(b"/" + other) or (b"/" + other).endswith(b"/" + path)
