"""The `*** Begin Patch` envelope of OpenCode and Codex.

    envelope := "*** Begin Patch" ["*** Environment ID: " id] section* "*** End Patch"
    section  := "*** Add File: " path [header] ("+" text)*
              | "*** Delete File: " path [header]
              | "*** Update File: " path ["*** Move to: " path] [header] hunk*
              | "*** Move File: " path " -> " path
    hunk     := ("@@" [" " anchor])* line+ ["*** End of File"]
    header   := ["diff --git " names extended*] ["index " ids] ["--- " name "+++ " name]

Markers are read as models write them: letter case, whitespace and a closing ` ***` do not matter,
verbs have synonyms, a path may be in backticks or quotes; the colon may be missing before a path
without spaces, but `*** New file handling` is a sentence. A line is a marker only where no line of
a hunk can be: an indented one inside an update is context. A diff's header repeats the marker; it
must name the same file. Source: OpenCode's patch format; Codex's parser; D59, D60.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from functools import cache

from git_opatch.model.blob import Mode
from git_opatch.model.errors import FixIt
from git_opatch.model.options import Format
from git_opatch.model.patch import FilePatch, Hunk, Line, Operation, Prefix
from git_opatch.model.paths import why_unsafe
from git_opatch.model.sentences import Malformed
from git_opatch.parse.formats import BEGIN, CLOSING, DIFF_GIT, END, FORMATS, STARS
from git_opatch.parse.header import (
    Names,
    git_path,
    names_agree,
    names_at,
    read_extended,
    stated_mode,
)
from git_opatch.parse.hunk import (
    PREFIXED_LINES,
    HunkReader,
    is_no_newline,
    parse_header,
    report_lines_without_prefix,
    take_lines,
)
from git_opatch.parse.prose import is_fence, report_indented, report_lines_below, report_missing_end
from git_opatch.parse.scanner import Scanner, line_start


class Marker(Enum):
    """The kind of a marker that has a path; the value is its exact spelling."""

    ADD = "*** Add File: "
    DELETE = "*** Delete File: "
    UPDATE = "*** Update File: "
    MOVE = "*** Move to: "


_SYNONYMS = {
    Marker.ADD: rb"add|create|new",
    Marker.DELETE: rb"delete|remove",
    Marker.UPDATE: rb"update|modify|edit|change|move|rename",
}
_VERBS = rb"|".join(_SYNONYMS.values())
_PATH = rb"""(?:\s*:+(?P<path>.*)|\s+(?P<word>\S+|`[^`]*`|"[^"]*"|'[^']*')[\s*]*)"""
_SECTION = re.compile(
    rb"\s*(?:\*{3,}|\*\*_|_\*\*)\s*(?:(?:move|rename)(?:\s+file)?\s+to|(?P<verb>"
    + _VERBS
    + rb")\s+file)"
    + _PATH,
    re.IGNORECASE | re.DOTALL,
)
_NEAR_MISS = (
    rb"(?is)\s*" + STARS + rb"\s*(?P<verb>" + _VERBS + rb")\b(?:\s+(?:a|the|new|old|existing)\b)*"
    rb"(?:\s+(?:files?|(?P<folder>director(?:y|ies)|folders?))\b)?(?:[\s:=]|\xef\xbc\x9a)*"
    rb"(?P<path>[^\s:].*)"
)
_BEGIN, _END = re.compile(rb"\s*" + BEGIN + CLOSING), re.compile(rb"\s*" + END + CLOSING)
_NEAR_END = re.compile(STARS + rb"\s*(?i:end)\b(?!\s+(?i:of))")
_END_OF_FILE = rb"(?i)(?:\*{3,}|\*\*_|_\*\*)\s*end\s+of\s+file[\s:*_]*"
_LAST = FORMATS[Format.ENVELOPE].marks[-1]
_CLOSED = re.compile(rb"[ \t]+(?:\*{3,}|_\*\*|\*\*_)\Z")
_ARROW = " -> "
_STARRED = (b"***", b"**_", b"_**")
_ADDED_LINES = re.compile(rb"(?:\+[^\n]*+\n?+)*+")
_HUNK_LINE = rb"-(?!-)|\+(?!\+\+ )"
_ENVIRONMENT = b"*** Environment ID: "
_INDEX_LINE = re.compile(rb"index [0-9a-f]+\.\.[0-9a-f]+(?: \d{6})?\s*")


def is_begin(line: bytes) -> bool:
    """Return whether `line` begins an envelope."""
    return _BEGIN.fullmatch(line) is not None


def is_end(line: bytes) -> bool:
    """Return whether `line` ends an envelope."""
    return _END.fullmatch(line) is not None


def is_marker(line: bytes) -> bool:
    """Return whether `line` can only be part of an envelope."""
    return is_end(line) or parse_marker(line) is not None


def is_end_of_file(line: bytes) -> bool:
    """Return whether `line`, which is not indented, is `*** End of File`."""
    return re.fullmatch(_END_OF_FILE, line) is not None


def parse_marker(line: bytes) -> tuple[Marker, bytes] | None:
    """Parse the marker and the path in `line`; None if it is not a marker."""
    match = _SECTION.fullmatch(line) if line.lstrip().startswith(_STARRED) else None
    if match is None:
        return None
    return _marker_for(match["verb"]), _clean_path(
        match["word"] if match["path"] is None else match["path"]
    )


def _marker_for(verb: bytes | None) -> Marker:
    if verb is None:
        return Marker.MOVE
    return next(kind for kind, verbs in _SYNONYMS.items() if verb.lower() in verbs.split(b"|"))


def _clean_path(path: bytes) -> bytes:
    """Remove whitespace, a closing ` ***` and quotes around a path."""
    path = _CLOSED.sub(b"", path.strip())
    quoted = len(path) > 2 and path[:1] == path[-1:] and path[:1] in (b"`", b'"', b"'")
    return path[1:-1] if quoted else path


def starts(scanner: Scanner) -> bool:
    """Return whether an envelope begins at the next line."""
    return is_begin(scanner.line)


def parse(scanner: Scanner) -> None:
    """Take one envelope and add its sections."""
    begin, first = scanner.number, scanner.at
    scanner.take()
    end, has_marker = _find_end(scanner)
    last = end if has_marker else _report_no_end(scanner, begin, end)
    errors, sections = scanner.errors, len(scanner.found.sections)
    report_indented(scanner, "patch", first, end + has_marker)
    read_sections(scanner.limited_to(last))
    scanner.at = end + has_marker
    if has_marker and re.match(_HUNK_LINE, scanner.line):
        scanner.error(Malformed.BELOW_END, marker=_LAST)
        scanner.skip_until(lambda line: not re.match(_HUNK_LINE, line))
    if has_marker:
        report_lines_below(scanner)
    if len(scanner.found.sections) == sections and scanner.errors == errors:
        scanner.error(Malformed.NO_SECTION, begin)


def _report_no_end(scanner: Scanner, begin: int, end: int) -> int:
    """Report that the envelope of line `begin` has no end; return where its sections end.

    A last line that is nearly an end marker was meant as one, or was cut off in it.
    """
    last = end - 1
    while not scanner.line_at(last).strip():
        last -= 1
    if not _NEAR_END.match(scanner.line_at(last)):
        report_missing_end(scanner, "patch", _LAST, end, begin)
        return end
    replace(scanner, at=last).error(Malformed.NEAR_MARKER, corrected=_LAST)
    return last


def _find_end(scanner: Scanner) -> tuple[int, bool]:
    """Find the position of the envelope's end, and whether an end marker is there.

    The first unindented end marker ends it, else the last indented one (any other indented one is
    context). Without either it ends at the end of its fence, if it is in one.
    """
    padded = fence = None
    ahead = replace(scanner)
    for line in ahead.seek(_may_end(scanner.fence)):
        if is_end(line):
            if line[:1] not in b" \t":
                return ahead.at, True
            padded = ahead.at
        elif line[:1] not in b" \t" and is_begin(line):
            break
        elif fence is None and line.startswith(scanner.fence or b"\n") and is_fence(scanner, line):
            fence = ahead.at
    if padded is not None:
        return padded, True
    return ahead.at if fence is None else fence, False


@cache
def _may_end(fence: bytes) -> re.Pattern[bytes]:
    """Return the pattern of `line_start` for lines that may end an envelope in `fence`."""
    return line_start(STARS + rb"[ \t\f\v]*(?i:begin|end)" + (b"|" + fence if fence else b""))


def read_sections(scanner: Scanner) -> None:
    """Take all lines that are left, which are inside an envelope, and add their sections."""
    if scanner.line.lstrip().startswith(_ENVIRONMENT):
        scanner.take()
    scanner.skip_blank_lines()
    while not scanner.at_end:
        section = _read_section(scanner)
        if section is not None:
            scanner.section(section)
        scanner.skip_blank_lines()


def _read_section(scanner: Scanner) -> FilePatch | None:
    """Take one section and return it; None after an error."""
    parsed = parse_marker(scanner.line)
    if parsed is not None and parsed[0] in _READERS:
        kind, path = parsed
        if not path:
            scanner.error(Malformed.MARKER_WITHOUT_PATH, marker=kind.value)
        return _READERS[kind](scanner, os.fsdecode(path))
    _report_marker(scanner)
    scanner.take()
    scanner.skip_until(_begins_section)
    return None


def _begins_section(line: bytes) -> bool:
    """Return whether `line` certainly begins a section: its marker is not indented."""
    parsed = parse_marker(line) if line.startswith(_STARRED) else None
    return parsed is not None and parsed[0] in _READERS


def _report_marker(scanner: Scanner) -> None:
    """Report that the next line is a marker in a wrong place, or not one, and the marker that was
    probably meant."""
    line = scanner.line
    match = re.fullmatch(_NEAR_MISS, line)
    if parse_marker(line) is not None:
        scanner.error(Malformed.MISPLACED_MOVE)
    elif match and match["folder"]:
        scanner.error(Malformed.DIRECTORY_MARKER)
    elif match:
        meant = _marker_for(match["verb"]).value.encode() + _clean_path(match["path"])
        scanner.error(Malformed.NEAR_MARKER, corrected=meant)
    elif meant := _marker_for_header(scanner):
        scanner.error(Malformed.HEADER_FOR_MARKER, corrected=meant)
    else:
        scanner.error(Malformed.NO_MARKER)


def _marker_for_header(scanner: Scanner) -> bytes:
    """Return the marker that stands for the diff header here; empty if there is no header."""
    if scanner.line.startswith(DIFF_GIT):
        path = git_path({"names": scanner.line[len(DIFF_GIT) :]})
        return Marker.UPDATE.value.encode() + path if path else b""
    old, new = names_at(scanner) or (None, None)
    kind = Marker.DELETE if new is None else Marker.ADD if old is None else Marker.UPDATE
    path = old or new
    return kind.value.encode() + path if path else b""


def _read_add(scanner: Scanner, path: str) -> FilePatch:
    number = scanner.number
    _check_new_path(scanner, Marker.ADD, path)
    scanner.take()
    _, mode = skip_header(scanner, None, path)
    header = parse_header(scanner.line)
    if header is not None and header.anchor is None:  # a new file may have one without text
        scanner.take()
    lines: list[Line] = []
    while not _ends_new_file(scanner):
        line = scanner.line
        if line.startswith(b"+"):
            lines.append(Line(Prefix.ADDED, line[1:], number=scanner.number))
            scanner.at += 1
            lines += take_lines(scanner, _ADDED_LINES)
            continue
        if lines:  # an empty file has no newline anyway
            lines[-1] = lines[-1]._replace(newline=False)
        scanner.take()
    hunk = Hunk(
        tuple(lines),
        number=lines[0].number if lines else 0,
        uniform_endings=scanner.uniform_endings,
    )
    hunks = (hunk,) if lines else ()
    return FilePatch(Operation.ADD, None, path, hunks, new_mode=mode, number=number)


def _ends_new_file(scanner: Scanner) -> bool:
    r"""Return whether the new file ends here; otherwise the next line has `+` or is `\ No
    newline…`.

    Takes blank lines before the next section. Other lines have lost their `+`: they are taken, with
    one error for each run of them.
    """
    while not scanner.at_end and not scanner.line.startswith(b"+"):
        first, line = scanner.at, scanner.line
        if is_no_newline(line) and not scanner.peek().startswith(b"+"):
            return False
        scanner.skip_blank_lines()
        if scanner.at_end or parse_marker(scanner.line) is not None:
            return True
        if line.startswith(_STARRED):
            _report_marker(scanner)
            scanner.take()
            continue
        scanner.skip_until(lambda line: line.startswith((b"+", *_STARRED)))
        report_lines_without_prefix(scanner, Malformed.NO_PLUS, first, b"+")
    return scanner.at_end


def _read_delete(scanner: Scanner, path: str) -> FilePatch:
    number = scanner.number
    scanner.take()
    skip_header(scanner, path, None)
    scanner.skip_blank_lines()
    if not scanner.at_end and not scanner.line.lstrip().startswith(_STARRED):
        scanner.error(Malformed.DELETION_WITH_LINES)
        scanner.skip_until(lambda line: line.startswith(_STARRED))
    return FilePatch(Operation.DELETE, path, None, has_content=False, number=number)


def _read_update(scanner: Scanner, path: str) -> FilePatch:
    number, errors = scanner.number, scanner.errors
    scanner.take()
    path, _, target = path.partition(_ARROW)
    if target:
        _check_new_path(scanner, Marker.MOVE, target)
    new_path = target or _read_move(scanner)
    modes = skip_header(scanner, path, new_path or path)
    reader = HunkReader(scanner, PREFIXED_LINES, bare=True)
    hunks = reader.read(lambda hunks: _take_in_update(hunks, scanner))
    if not hunks and not new_path and scanner.errors == errors:
        scanner.error(Malformed.NO_HUNK_IN_UPDATE, number)
    operation = Operation.UPDATE if not new_path or new_path == path else Operation.MOVE
    return FilePatch(operation, path, new_path or path, hunks, *modes, number=number)


def _read_move(scanner: Scanner) -> str:
    """Take `*** Move to:` and return its path, or "".

    An indented line must have the exact spelling; otherwise it is context.
    """
    parsed = parse_marker(scanner.line)
    if parsed is None or parsed[0] is not Marker.MOVE:
        return ""
    is_exact = scanner.line.lstrip().startswith(Marker.MOVE.value.encode())
    if not is_exact and not scanner.line.startswith(_STARRED):
        return ""
    if not parsed[1]:
        scanner.error(Malformed.MARKER_WITHOUT_PATH, marker=Marker.MOVE.value)
    _check_new_path(scanner, Marker.MOVE, os.fsdecode(parsed[1]))
    scanner.take()
    return os.fsdecode(parsed[1])


def _check_new_path(scanner: Scanner, kind: Marker, path: str) -> None:
    """Report a new path that ends with `/`, or uses a backslash as the separator.

    Git uses only `/`, on every system (gitglossary, "path"); a name with a backslash cannot be
    checked out on Windows.
    """
    if path.endswith("/"):
        scanner.error(Malformed.NAMES_DIRECTORY, text=kind.value + path)
    elif "\\" in path and not why_unsafe(path):
        meant = os.fsencode(kind.value + path.replace("\\", "/"))
        scanner.error(Malformed.BACKSLASHES, corrected=meant)


def _take_in_update(hunks: HunkReader, scanner: Scanner) -> bool | None:
    """Take a marker inside an update; None at the next section."""
    line, current = scanner.line, hunks.current
    if not line.startswith(_STARRED):
        is_after_end = current is not None and current.closed and not line.startswith(b"@@")
        if is_after_end:
            fix = FixIt.INSERT_BEFORE
            scanner.error(Malformed.HUNK_AFTER_END_OF_FILE, corrected=b"@@", fix=fix)
            scanner.skip_until(lambda line: line.startswith((b"@@", *_STARRED)))
        return is_after_end
    if _begins_section(line):
        return None
    if is_end_of_file(line) and current is not None:
        current.at_end_of_file = current.closed = True
        scanner.take()
        scanner.skip_blank_lines()
        return True
    _report_marker(scanner)
    scanner.take()
    return True


_READERS: dict[Marker, Callable[[Scanner, str], FilePatch]] = {
    Marker.ADD: _read_add,
    Marker.DELETE: _read_delete,
    Marker.UPDATE: _read_update,
}


def skip_header(
    scanner: Scanner, old: str | None, new: str | None
) -> tuple[Mode | None, Mode | None]:
    """Take the diff header that is next, if any, and return the old and the new mode it states.

    `old` and `new` are the section's paths. A header that names another file is an error, unless
    its lines can belong to a first hunk without `@@`.
    """
    paths = _encode(old), _encode(new)
    extended: dict[str, bytes] = {}
    if scanner.line.startswith(DIFF_GIT):
        number, extended = scanner.number, read_extended(scanner)
        if "binary" in extended or "differ" in extended:
            scanner.error(Malformed.BINARY_SECTION, number)
        elif not names_agree(paths, extended):
            _report_other_file(scanner, paths, number)
    if _INDEX_LINE.fullmatch(scanner.line):
        scanner.take()
    names = names_at(scanner)
    agrees = names is not None and _are_section_paths(names, paths)
    if names is not None and (agrees or old is None or scanner.peek(2).startswith(b"@@")):
        if not agrees:
            _report_other_file(scanner, paths, scanner.number)
        scanner.at += 2
    return stated_mode(extended, "old mode"), stated_mode(extended, "new mode")


def _encode(path: str | None) -> bytes | None:
    return None if path is None else os.fsencode(path)


def _are_section_paths(names: Names, paths: Names) -> bool:
    """Return whether the names in `---` and `+++` are the section's paths, or /dev/null for no
    path."""
    known = {prefix + path for path in paths if path for prefix in (b"", b"a/", b"b/")}
    return all(
        name in known if name else path is None for name, path in zip(names, paths, strict=True)
    )


def _report_other_file(scanner: Scanner, paths: Names, number: int) -> None:
    scanner.error(Malformed.HEADER_OF_OTHER_FILE, number, path=paths[0] or paths[1] or b"")
