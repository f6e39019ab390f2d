"""The `<FILE_CHANGES>` container of udiffx, and its directives where the container was forgotten.

    container := "<FILE_CHANGES>" (directive | prose)* "</FILE_CHANGES>"
    directive := "<FILE_NEW file_path=…>" content "</FILE_NEW>"        or FILE_APPEND
               | "<FILE_PATCH file_path=…>" hunks "</FILE_PATCH>"
               | "<FILE_DELETE file_path=… />"
               | "<FILE_COPY from_path=… to_path=… />"                 or FILE_RENAME
    hunks     := [fence] [envelope] [names] ("@@"… (line | "~")+)* [envelope] [fence]

Tags look like XML but are not: nothing is unescaped. A tag is one where it is alone on its line,
and not indented or indented as the tag that it ends. Content with such lines must be in a fence, in
which they come in pairs. Of hunks, the tag alone names the file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from git_opatch.model.patch import FilePatch, Hunk, Operation, Prefix
from git_opatch.model.sentences import Malformed
from git_opatch.parse import grammar
from git_opatch.parse.envelope import UPDATE, is_end_of_file, is_marker, parse_marker, skip_header
from git_opatch.parse.grammar import fence_in
from git_opatch.parse.hunks import Hunks, OpenHunk, make_lines
from git_opatch.parse.names import names_at
from git_opatch.parse.text import Scanner, line_start

_ATTRIBUTES = {
    b"FILE_CHANGES": (),
    **dict.fromkeys((b"FILE_NEW", b"FILE_PATCH", b"FILE_APPEND", b"FILE_DELETE"), (b"file_path",)),
    **dict.fromkeys((b"FILE_COPY", b"FILE_RENAME"), (b"from_path", b"to_path")),
}
_TARGETS = {
    b"FILE_DELETE": Operation.DELETE,
    b"FILE_COPY": Operation.COPY,
    b"FILE_RENAME": Operation.MOVE,
}
"""The directives without content."""
_KNOWN = line_start(grammar.TAG)
_PAIR = re.compile(rb"\s*+([\w-]++)\s*+=\s*+(\"[^\"]*+\"|'[^']*+')")
_TAG = re.compile(
    rb"(?s)([ \t]*)<(/?)[ \t]*([A-Za-z_][\w:-]*+)(?:((?>(?:"
    + _PAIR.pattern
    + rb")*))\s*+(/?)\s*+>[ \t]*+(</\3>)?[ \t\r]*\Z)?"
)
_HUNK_LINE = rb"@@|[+-](?![\s+-])"
_BETWEEN = line_start(
    rb"</?[ \t]*[A-Za-z_]|\*|" + rb"[ \t\r\f\v]*+(?:" + grammar.BEGINS + rb")|" + _HUNK_LINE
)
_MARKDOWN = (".md", ".mkd", ".markdown", ".mdx", ".rmd", ".qmd")
_DOCUMENTS = (*_MARKDOWN, ".rst", ".txt", ".adoc", "")


class _Tag(NamedTuple):
    """The tag at the beginning of a line; it `is_whole` if it is well formed, and alone there."""

    indent: bytes
    closing: bool
    name: bytes
    attributes: Sequence[tuple[bytes, bytes]]
    empty: bool
    is_whole: bool

    @property
    def end(self) -> bytes:
        """The line that ends the element."""
        return self.indent + b"</" + self.name + b">"


def _read_tag(line: bytes) -> _Tag | None:
    """Parse the tag that `line` begins with, known or not; None if it begins with none."""
    match = _TAG.match(line)
    if match is None:
        return None
    pairs = [(name, value[1:-1].strip()) for name, value in _PAIR.findall(match[4] or b"")]
    is_whole = match.end() == len(line) and match[4] is not None
    is_whole = is_whole and not (match[2] and (pairs or match[7]))
    return _Tag(match[1], bool(match[2]), match[3], pairs, bool(match[7] or match[8]), is_whole)


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
    slash = b"/" * tag.closing
    scanner.error(Malformed.WRONG_TAG, number, form=b"<" + slash + tag.name + form + b">")
    return False


def starts(_: Scanner) -> bool:
    """Return whether a tag of this format begins the next line."""
    return True  # the table knows


def parse(scanner: Scanner) -> None:
    """Take one container, or one directive outside of any, and add its sections."""
    contents, number, tag = scanner.contents, scanner.number, _read_tag(scanner.line)
    if tag is None or tag.name != b"FILE_CHANGES" or tag.closing:
        _take_directive(scanner, tag or _Tag(b"", False, b"", (), False, False))
        return
    before = contents.errors, len(contents.sections)
    scanner.at += 1
    _check_tag(scanner, tag, number)
    end, inside = scanner.at, None
    while scanner.seek(_BETWEEN):
        inside = _read_tag(scanner.line)
        if inside and inside.name == b"FILE_CHANGES":
            break
        if inside:
            _take_directive(scanner, inside)
        else:
            _take_between(scanner)
        end = scanner.at
    if scanner.more and inside and inside.closing:
        _check_tag(scanner, inside, scanner.number)
        scanner.at += 1
    else:
        scanner.report_no_end("`<FILE_CHANGES>`", tag.end, end, number)
    if before == (contents.errors, len(contents.sections)):
        scanner.error(Malformed.NO_DIRECTIVE, number)


def _take_between(scanner: Scanner) -> None:
    """Take a line between directives: prose, or, with an error, a line that looks like a patch."""
    line = scanner.line
    if (
        grammar.find_format(scanner)
        or re.match(_HUNK_LINE, line)
        or is_marker(line)
        or grammar.is_call(b"\n".join(scanner.lines[scanner.at : scanner.end][:8]))
    ):
        scanner.error(Malformed.NOT_IN_DIRECTIVE)
        scanner.seek(_KNOWN)
    else:
        scanner.at += 1


def _take_directive(scanner: Scanner, tag: _Tag) -> None:
    """Take the directive that begins with `tag` and add its section, unless there is an error."""
    number, first = scanner.number, scanner.at
    scanner.at += 1
    if not _check_tag(scanner, tag, number):
        if not (tag.closing or tag.empty):
            scanner.seek(_KNOWN)  # what may be its content causes no more errors
            scanner.at += scanner.line.strip() == tag.end.strip().upper()
    elif tag.closing:
        scanner.error(Malformed.ENDS_NOTHING, number, tag=tag.name)
    else:
        content = _take_content(scanner, tag, first)
        scanner.section(_section(content, tag, number)._replace(number=number))


def _section(content: Scanner, tag: _Tag, number: int) -> FilePatch:
    """Return the section of `tag`, in line `number`, with that content."""
    errors, solid = content.errors, _trim(content)
    paths = [os.fsdecode(value) for _, value in sorted(tag.attributes)]
    if operation := _TARGETS.get(tag.name):
        if len({*paths}) < len(paths):
            content.error(Malformed.EQUAL_PATHS, number)
        has_content = operation is not Operation.DELETE
        return FilePatch(operation, paths[0], (*paths, None)[1], has_content=has_content)
    (path,) = paths
    if tag.name == b"FILE_PATCH":
        hunks = _read_hunks(solid, path)
        if not hunks and content.errors == errors:
            content.error(Malformed.NO_HUNK, number)
        return FilePatch(Operation.UPDATE, path, path, hunks)
    is_new = tag.name == b"FILE_NEW"
    inside = _unfence(content, solid, path, is_new)
    lines = make_lines(inside, inside.at, inside.end, Prefix.ADDED)
    first, uniform = lines[0].number if lines else number, content.text.uniform
    hunk = Hunk(tuple(lines), at_end_of_file=not is_new, number=first, uniform_endings=uniform)
    if is_new:
        return FilePatch(Operation.ADD, None, path, (hunk,) if lines else ())
    if not lines and content.errors == errors:
        content.error(Malformed.NOTHING_TO_APPEND, number)
    return FilePatch(Operation.APPEND, path, path, (hunk,))


def _take_content(scanner: Scanner, tag: _Tag, first: int) -> Scanner:
    """Take everything up to the end of `tag`, at position `first`; return a scanner over it.

    A missing end is an error; the lines that could be another directive are then left.
    """
    content, solid = scanner.copy(), _trim(scanner)
    if tag.empty:
        return scanner.moved_to(scanner.at, scanner.at)
    open_tags, ends_other = [tag.name], False
    # only in a fence may tags be content
    nests = tag.name != b"FILE_PATCH" and fence_in(solid.line) is not None
    while open_tags and scanner.seek(_KNOWN):
        inner = _read_tag(scanner.line)
        if inner and inner.is_whole and inner.indent in (b"", tag.indent):
            if inner.closing and inner.name == open_tags[-1]:
                open_tags.pop()
            elif not nests or inner.closing:
                ends_other = inner.closing and inner.name != b"FILE_CHANGES"
                break
            elif not inner.empty:
                open_tags.append(inner.name)
        scanner.at += bool(open_tags)
    content.end = scanner.at
    scanner.at += ends_other or not open_tags
    if open_tags:
        last, number = _trim(content).end, scanner.number_at(first)
        content.report_no_end(f"`<{tag.name.decode()}>`", tag.end, last, number)
    elif solid.at < content.end:
        if tag.name in _TARGETS:
            scanner.error(Malformed.WITH_CONTENT, scanner.number_at(first), tag=tag.name)
        else:
            scanner.report_indented("directive", first, content.end)
    return content


def _trim(content: Scanner) -> Scanner:
    """Return `content` without the blank lines at both ends."""
    solid = content.copy()
    solid.skip_blank_lines()
    while solid.end > solid.at and not solid.lines[solid.end - 1].strip():
        solid.end -= 1
    return solid


def _unfence(content: Scanner, solid: Scanner, path: str, is_new: bool) -> Scanner:
    """Return `content` without the fence that is the first and the last line of its `solid` part.

    Content may itself begin and end with fences. It is ambiguous, and refused, if all fences are
    closed under both readings, or under neither.
    """
    opening, closing = fence_in(solid.line), fence_in(solid.lines[solid.end - 1])
    fence = opening or closing
    if fence is None:
        return content
    inside = solid.moved_to(solid.at + 1, solid.end - 1)
    is_closed = bool(opening and inside.at <= inside.end and grammar.closes(closing, fence[0]))
    if opening and (solid.at, solid.end) == (content.at, content.end):
        rest = inside if is_closed else solid.moved_to(inside.at)
        fences = [*filter(None, map(fence_in, rest.left))]
        if (is_closed or not fences) and _wraps(opening, fences, path, is_new):
            return rest
    is_framing = is_closed and grammar.are_closed(inside.left)
    if is_framing == grammar.are_closed(solid.left):
        number = solid.number_at(solid.at if opening else solid.end - 1)
        solid.error(Malformed.UNCLEAR_FENCE, number, longer=fence[0] + fence[0][:1])
    return inside if is_framing else content


def _wraps(
    opening: grammar.Fence, fences: Sequence[grammar.Fence], path: str, is_new: bool
) -> bool:
    """Return whether the fence wraps all of the content, and cannot be a code block of a document.

    A fence without a language that has fences inside is a wrapper. Content for a Markdown file can
    equally be the code block that it looks like, as can text that is appended to any document.
    """
    if any(grammar.closes(fence, opening[0]) for fence in fences):
        return False
    extension = os.path.splitext(path.lower())[1]
    if extension not in (_MARKDOWN if is_new else _DOCUMENTS):
        return True
    is_markdown = opening[1].lower() in (b"md", b"markdown", b"mdx") and extension in _MARKDOWN
    return is_markdown if opening[1] else bool(fences)


def _read_hunks(solid: Scanner, path: str) -> tuple[Hunk, ...]:
    """Read the hunks for the file at `path`, in a fence or an envelope or neither."""
    if opening := fence_in(solid.line):
        is_closed = grammar.closes(fence_in(solid.lines[solid.end - 1]), opening[0])
        solid = _trim(solid.moved_to(solid.at + 1, solid.end - is_closed))
    if grammar.is_begin(solid.line):
        solid.at += 1
        solid.skip_blank_lines()
    kind, other = parse_marker(solid.line) or ("", b"")
    if kind == UPDATE:
        one, two = b"/" + os.fsencode(path), b"/" + other
        if not (one.endswith(two) or two.endswith(one)):
            solid.error(Malformed.OTHER_FILE_IN_TAG)
        solid.at += 1
    solid.end -= grammar.is_end(solid.lines[solid.end - 1])
    solid = _trim(solid)

    return Hunks(solid).read(lambda hunks: _take_between_lines(hunks, path))


def _take_between_lines(hunks: Hunks, path: str) -> bool:
    """Take what only this format has between lines of hunks."""
    solid, current = hunks.scanner, hunks.current
    line, first = solid.line, solid.at
    if line.startswith(b"@@"):
        while current and current.lines and solid.lines[first - 1] in (b"", b"\r"):
            current.lines.pop()  # it separates two hunks, as in the format's own examples
            first -= 1
        return False
    if line.rstrip() == b"~":
        if current and solid.peek(-1).startswith(b"-") and solid.peek().startswith(b"-"):
            current.ranges.append(len(current.lines))
        else:
            solid.error(Malformed.RANGE_NOT_BETWEEN)
        solid.at += 1
    elif current and is_end_of_file(line):
        current.at_end = True
        solid.at += 1
        solid.skip_blank_lines()
    else:
        _skip_header(solid, current, path)
    return solid.at > first


def _skip_header(solid: Scanner, current: OpenHunk | None, path: str) -> None:
    """Take the header of a diff for the file at `path`; `current` is the hunk above it."""
    number, first = solid.number, solid.at
    is_header = names_at(solid) and (not current or solid.peek(2).startswith(b"@@"))
    if (is_header or not current) and any(skip_header(solid, path, path)):
        solid.error(Malformed.NOT_IN_FILE_PATCH, number, text=b"mode")
    if is_header and solid.at == first:
        solid.error(Malformed.OTHER_FILE_IN_TAG)
        solid.at += 1
