"""What stands between the tags of a directive: where it ends, and whether a fence is framing.

Rules: the FILE_CHANGES format, "Overview" and "Content Encoding and Fencing". What it leaves
open: a tag is one where it stands alone on its line, at the margin or indented as the tag that
it ends. Content that has such lines itself stands in a fence, where they come in pairs;
anywhere else they cannot be told from the tags of a directive whose end was forgotten.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from git_opatch.parse.body import Body
from git_opatch.parse.changes import APPEND, CONTAINER, PATCH
from git_opatch.parse.changes.tag import KNOWN, Tag, path_of, read_tag
from git_opatch.parse.cursor import Cursor
from git_opatch.parse.frames.fence import Fence, are_closed, fence_in
from git_opatch.patch import Mark
from git_opatch.text import visible

_MARKDOWN = (".md", ".mkd", ".markdown", ".mdx", ".rmd", ".qmd")
_DOCUMENTS = (*_MARKDOWN, ".rst", ".txt", ".adoc", "")
_WORDS = (b"md", b"markdown", b"mdx")


def take_content(cursor: Cursor, tag: Tag, number: int) -> Cursor:
    """Take all up to the end of `tag`, of line `number`, and that; gives a cursor over the former.

    A missing end is a fault; what comes next is then left to be read.
    """
    if tag.empty:
        return cursor.within(cursor.at)
    content = cursor.within(cursor.end)
    fenced = tag.name != PATCH and _begins_with_fence(content)
    nested: list[bytes] = []
    for found in _tags(cursor, tag):
        content.end = cursor.at - 1
        if found.closing and found.name == (nested[-1] if nested else tag.name):
            if not nested:
                _refuse_indented(content, tag, number)
                return content
            nested.pop()
        elif fenced and not found.closing:
            nested += [] if found.empty else [found.name]
        else:
            cursor.at -= 1
            _no_end_before(cursor, found, content, tag, number)
            return content
    content.end = cursor.end
    _no_end(content, tag, number)
    return content


def _begins_with_fence(content: Cursor) -> bool:
    ahead = replace(content)
    ahead.skip_blank()
    return not ahead.at_end and fence_in(ahead.line) is not None


def _tags(cursor: Cursor, opening: Tag) -> Iterator[Tag]:
    """Take the lines up to each that is nothing but a tag, and that."""
    while True:
        cursor.skip_to(KNOWN)
        if cursor.at_end:
            return
        tag = read_tag(cursor.take())
        if tag and not tag.rest and tag.indent in (b"", opening.indent):
            yield tag


def _no_end_before(cursor: Cursor, found: Tag, content: Cursor, tag: Tag, number: int) -> None:
    """Note that `found`, which is to be read next, stands where `tag` has not ended."""
    ends_other = found.closing and found.name not in (CONTAINER, tag.name)
    if ends_other or (found.name == tag.name and not found.attributes):
        cursor.fault(f"`{visible(cursor.line)}` does not end `{visible(tag.name)}`; did you mean "
                     f"`{visible(tag.end)}`?")  # fmt: skip
        cursor.take()
        return
    also = f"; if line {cursor.number} is content, put a fence round all of it"
    _no_end(content, tag, number, "" if found.closing else also)


def _no_end(content: Cursor, tag: Tag, number: int, also: str = "") -> None:
    last = trimmed(content).end
    line = content.line_at(last - 1) if last > content.at else b""
    if line.strip() != tag.end.strip() and not line.rstrip().endswith(tag.end.strip()):
        content.fault(no_end(tag, content.lines.number(last - 1)) + also, number)
        return
    message = f"a tag stands alone on its line, and not indented; write `{visible(tag.end)}` so"
    content.fault(message, content.lines.number(last - 1))


def no_end(tag: Tag, last: int) -> str:
    """What to say of a tag without its end; `last` is the last line that it can hold."""
    return (
        f"the `{visible(tag.corrected())}` that begins here has no end; if it is whole, add a line "
        f"`{visible(tag.end)}` after line {last} (a text that was cut off looks the same)"
    )


def _refuse_indented(content: Cursor, tag: Tag, number: int) -> None:
    """A directive whose every line is indented is quoted, and its content is not what it seems."""
    lines = [line for line in _lines(content) if line.strip()] if tag.indent else []
    if lines and all(line.startswith(tag.indent) for line in lines):
        message = f"the whole directive is indented by {len(tag.indent)}; send it without"
        content.fault(message, number)


def trimmed(content: Cursor) -> Cursor:
    """`content` without the blank lines at its ends."""
    found = replace(content)
    found.skip_blank()
    while found.end > found.at and not found.line_at(found.end - 1).strip():
        found.end -= 1
    return found


def added_lines(content: Cursor, tag: Tag) -> Body:
    """The lines of `content`, without a fence round them, as lines to be added."""
    inside = _without_fence(content, tag)
    lines = Body(inside.lines, inside.dedent)
    if not inside.at_end:
        lines.add(inside.at, inside.end - inside.at, Mark.ADDED)
    return lines


def _without_fence(content: Cursor, tag: Tag) -> Cursor:
    """`content` without the fence that is its first and its last line.

    Content may begin and end with fences of its own. Where reading them so, and reading them as
    framing, both leave every fence closed, or neither does, nothing tells which is meant.
    """
    solid = trimmed(content)
    if solid.at_end:
        return content
    opening, closing = fence_in(solid.line), fence_in(solid.line_at(solid.end - 1))
    if opening is None and closing is None:
        return content
    inside = solid.within(solid.end - 1)
    inside.at += 1
    closed = bool(opening and closing and inside.at <= inside.end and closing.closes(opening))
    if closed and opening and _same(solid, content) and _encloses(opening, inside, tag):
        return inside
    framing = closed and are_closed(_lines(inside))
    if framing == are_closed(_lines(solid)):
        _no_telling(solid, opening, closing, both=framing)
    return inside if framing else content


def _same(one: Cursor, two: Cursor) -> bool:
    return (one.at, one.end) == (two.at, two.end)


def _lines(content: Cursor) -> Iterator[bytes]:
    return (content.line_at(at) for at in range(content.at, content.end))


def _encloses(opening: Fence, inside: Cursor, tag: Tag) -> bool:
    """Whether the fence is one from end to end, and cannot be a code block of a document.

    One without a language that holds fences is none. What a Markdown file is to hold can as well
    be the code block that it looks like, and so can what is appended to any document.
    """
    holds = False
    for fence in map(fence_in, _lines(inside)):
        if fence and fence.closes(opening):
            return False
        holds = holds or fence is not None
    if tag.name != APPEND and not path_of(tag).lower().endswith(_MARKDOWN):
        return True
    extension = os.path.splitext(path_of(tag))[1].lower()
    is_hidden = os.path.basename(path_of(tag)).startswith(".")
    if extension not in _DOCUMENTS or (is_hidden and not extension):
        return True
    if not opening.info:
        return holds
    return extension in _MARKDOWN and opening.info.lower() in _WORDS


def _no_telling(solid: Cursor, opening: Fence | None, closing: Fence | None, *, both: bool) -> None:
    fence = opening or closing
    marks = visible(fence.marks if fence else b"```")
    first, last = solid.number, solid.lines.number(solid.end - 1)
    if both:
        longer = marks + marks[0]
        solid.fault(
            f"nothing tells whether this fence is content; if it is, put one of more marks, "
            f"`{longer}`, round lines {first}-{last}, else leave it out"
        )
    else:
        where = f"after line {last}" if opening else f"before line {first}"
        solid.fault(
            f"this fence has no other end; if it stands round the content, add a line `{marks}` "
            f"{where}, else put one of more marks round all of it",
            first if opening else last,
        )


def without_fence(content: Cursor) -> Cursor:
    """Hunks without the blank lines and the fence round them; no line of theirs can be one."""
    solid = trimmed(content)
    opening = None if solid.at_end else fence_in(solid.line)
    if opening is None:
        return solid
    closing = fence_in(solid.line_at(solid.end - 1))
    if solid.end - solid.at < 2 or closing is None or not closing.closes(opening):
        last = solid.lines.number(solid.end - 1)
        solid.fault(f"the fence that begins here has no end; add a line `{visible(opening.marks)}` "
                    f"after line {last}")  # fmt: skip
        return solid.within(solid.at)
    solid.at += 1
    return trimmed(solid.within(solid.end - 1))
