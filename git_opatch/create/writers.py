"""Write the sections of a patch in a format: the inverse of the parsers.

What a format cannot say is left out: `limits` says so before, and the proof finds out.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from git_opatch.model.blob import Mode
from git_opatch.model.options import Format
from git_opatch.model.patch import FilePatch, Line, Operation
from git_opatch.model.paths import quote
from git_opatch.parse.blocks import looks_like_path, path_in

_NEEDS_FENCE = re.compile(rb"(?m)\A\s*(?:```|~~~)|^[ \t]*</?FILE_")
_FENCE = re.compile(rb"(?m)^[ \t]*(`{3,})")
_MARKER = re.compile(
    rb"(?:^|(?<=\\))(?=(?:(?:<{5,9}|-{5,9})[ \t]+(?i:SEARCH)|={7}[ \t\r]*$"
    rb"|(?:>{5,9}|\+{5,9})[ \t]+(?i:REPLACE)|:(?:start|end)_line:))"
    rb"|(?<=\\)(?=(?:<{5,9}|={5,9}|>{5,9}|-{5,9}|\+{5,9})(?:\s|$))"
)
"""Where a line of a block needs a backslash, also because it has one that would be taken off."""


def write(sections: Iterable[FilePatch], patch_format: Format) -> bytes:
    """Write the whole patch in `patch_format`."""
    return _WRITERS[patch_format](list(sections))


def _envelope(sections: Sequence[FilePatch]) -> bytes:
    written = [b"*** Begin Patch\n"]
    for section in sections:
        name = os.fsencode(section.path) + b"\n"
        if section.operation is Operation.ADD:
            written += [b"*** Add File: ", name, _lines(_added(section))]
        elif section.operation is Operation.DELETE:
            written += [b"*** Delete File: ", name]
        else:
            written += [b"*** Update File: ", name]
            if section.operation is Operation.MOVE:
                written += [b"*** Move to: ", os.fsencode(section.new_path or ""), b"\n"]
            written.append(_hunks(section))
    return b"".join([*written, b"*** End Patch\n"])


def _unified(sections: Sequence[FilePatch]) -> bytes:
    """Write a diff without line numbers; modes and renames in git's headers.

    If one section has lines that belong below `diff --git`, all have that: else the next would be
    read as part of it.
    """
    headers = [[*_git_lines(section)] for section in sections]
    written = []
    for section, lines in zip(sections, headers, strict=True):
        old, new = section.old_path, section.new_path
        if any(headers):
            names = f"{quote(f'a/{old or new}')} {quote(f'b/{new or old}')}"
            lines = [f"diff --git {names}", *lines]
        if section.hunks:
            lines = [*lines, f"--- {_name('a', old)}", f"+++ {_name('b', new)}"]
        written += ["".join(f"{line}\n" for line in lines).encode(), _hunks(section)]
    return b"".join(written)


def _git_lines(section: FilePatch) -> Iterator[str]:
    """Yield what only git's own headers say."""
    for word, one, other in (
        ("new", section.new_mode, section.old_mode),
        ("deleted", section.old_mode, section.new_mode),
    ):
        if one and not other and (one is not Mode.REGULAR or not section.hunks):
            yield f"{word} file mode {one.value}"
    if section.old_mode and section.new_mode:
        yield f"old mode {section.old_mode.value}"
        yield f"new mode {section.new_mode.value}"
    if section.operation is Operation.MOVE:
        yield f"rename from {quote(section.old_path or '')}"
        yield f"rename to {quote(section.new_path or '')}"


def _name(side: str, path: str | None) -> str:
    """Return the name in a header, with the tab that ends one with spaces."""
    if path is None:
        return "/dev/null"
    name = quote(f"{side}/{path}")
    return name + ("\t" if " " in name and not name.startswith('"') else "")


def _file_changes(sections: Sequence[FilePatch]) -> bytes:
    written = []
    for section in sections:
        path, tag, content = os.fsencode(section.path), b"FILE_PATCH", _hunks(section)
        if section.operation is Operation.DELETE:
            written.append(b'<FILE_DELETE file_path="%s" />\n' % path)
            continue
        if section.operation is Operation.ADD:
            tag = b"FILE_NEW"
            content = _fenced(b"".join(line.text + b"\n" for line in _added(section)))
        elif section.operation is Operation.MOVE:
            old, path = path, os.fsencode(section.new_path or "")
            written.append(b'<FILE_RENAME from_path="%s" to_path="%s" />\n' % (old, path))
        if content or section.operation is Operation.ADD:
            written.append(b'<%s file_path="%s">\n%s</%s>\n' % (tag, path, content, tag))
    return b"<FILE_CHANGES>\n" + b"".join(written) + b"</FILE_CHANGES>\n"


def _fenced(content: bytes) -> bytes:
    """Put content that has such tags, or begins with a fence, in a fence."""
    if not _NEEDS_FENCE.search(content):
        return content
    longest = max((len(found) for found in _FENCE.findall(content)), default=2)
    fence = b"`" * (longest + 1) + b"\n"
    return fence + content + fence


def _search_replace(sections: Sequence[FilePatch]) -> bytes:
    r"""Write blocks, each with its path above it; a line like a marker gets a `\` before it."""

    def escaped(lines: Iterable[Line]) -> bytes:
        return b"".join(_MARKER.sub(rb"\\", line.text) + b"\n" for line in lines)

    return b"\n".join(
        b"%s\n<<<<<<< SEARCH\n%s=======\n%s>>>>>>> REPLACE\n"
        % (_path_line(os.fsencode(section.path)), escaped(old), escaped(new))
        for section in sections
        for old, new in _replacements(section)
    )


def _path_line(path: bytes) -> bytes:
    """Return the path, in backticks where it could be a word of prose."""
    is_clear = looks_like_path(path) and path_in(path) == path
    return path if is_clear else b"`" + path + b"`"


def _string_replace(sections: Sequence[FilePatch]) -> bytes:
    """Write replacements of whole lines; each sees the result of those before it."""

    def string(lines: Iterable[Line]) -> bytes:
        return b"".join(line.text + b"\n" * line.newline for line in lines)

    return _json(
        {"file_path": os.fsencode(each.path), "old_string": string(old), "new_string": string(new)}
        for each in sections
        for old, new in _replacements(each)
    )


def _operations(sections: Sequence[FilePatch]) -> bytes:
    return _json(map(_operation, sections))


def _operation(section: FilePatch) -> Mapping[str, bytes]:
    r"""Write a section; a move is a deletion and a new file.

    Where all lines of a new file end with `\r`, a header without one shows that it is content, and
    not how the text ends its lines.
    """
    path = os.fsencode(section.path)
    if section.operation is Operation.DELETE:
        return {"type": b"delete_file", "path": path}
    if section.operation is not Operation.ADD:
        return {"type": b"update_file", "path": path, "diff": _hunks(section)}
    lines = _added(section)
    is_crlf = bool(lines) and all(line.text.endswith(b"\r") for line in lines)
    return {"type": b"create_file", "path": path, "diff": b"@@\n" * is_crlf + _lines(lines)}


def _json(objects: Iterable[Mapping[str, bytes]]) -> bytes:
    """Write `objects` as a list, one on a line; what is not UTF-8 stays as it is."""
    lines = [
        json.dumps({key: os.fsdecode(each[key]) for key in each}, ensure_ascii=False)
        for each in objects
    ]
    return os.fsencode("[\n" + ",\n".join(f"  {line}" for line in lines) + "\n]\n")


def _added(section: FilePatch) -> Sequence[Line]:
    """Return the lines of a new file."""
    return section.hunks[0].lines if section.hunks else ()


def _replacements(section: FilePatch) -> Iterator[tuple[Sequence[Line], Sequence[Line]]]:
    """Yield the old and the new lines of each hunk; of a new file also where it is empty."""
    if not section.hunks and section.operation is Operation.ADD:
        yield (), ()
    for hunk in section.hunks:
        yield hunk.preimage, hunk.postimage


def _hunks(section: FilePatch) -> bytes:
    """Write the hunks of a section, each with a header."""
    return b"".join(b"@@\n" + _lines(hunk.lines) for hunk in section.hunks)


def _lines(lines: Iterable[Line]) -> bytes:
    """Write lines, each with its prefix."""
    return b"".join(line.written for line in lines)


_WRITERS: Mapping[Format, Callable[[Sequence[FilePatch]], bytes]] = {
    Format.ENVELOPE: _envelope,
    Format.UNIFIED: _unified,
    Format.SEARCH_REPLACE: _search_replace,
    Format.FILE_CHANGES: _file_changes,
    Format.OPERATIONS: _operations,
    Format.STRING_REPLACE: _string_replace,
}
