"""The `*** Begin Patch` envelope of OpenCode and Codex.

    envelope := "*** Begin Patch" ["*** Environment ID: " id] section* "*** End Patch"
    section  := "*** Add File: " path [header] ("+" text)*
              | "*** Delete File: " path [header]
              | "*** Update File: " path ["*** Move to: " path] [header] hunk*
              | "*** Move File: " path " -> " path
    hunk     := ("@@" [" " anchor])* line+ ["*** End of File"]
    header   := ["diff --git " names extended*] ["index " ids] ["--- " name "+++ " name]

A line is a marker only where no line of a hunk can be: an indented one inside an update is context.
A diff's header repeats the marker; it must name the same file.
"""

from __future__ import annotations

import os
import re

from git_opatch.model.blob import Mode
from git_opatch.model.errors import FixIt
from git_opatch.model.patch import FilePatch, Hunk, Line, Operation, Prefix
from git_opatch.model.paths import why_unsafe, without_octal
from git_opatch.model.sentences import Malformed
from git_opatch.parse import grammar
from git_opatch.parse.hunks import Hunks, is_no_newline, parse_header, report_unprefixed
from git_opatch.parse.names import modes, names_agree, names_at, read_extended
from git_opatch.parse.text import Scanner, line_start

ADD, DELETE, UPDATE, MOVE = (
    "*** Add File: ",
    "*** Delete File: ",
    "*** Update File: ",
    "*** Move to: ",
)
_SYNONYMS = {
    **dict.fromkeys(b"add create new".split(), ADD),
    **dict.fromkeys(b"delete remove".split(), DELETE),
    **dict.fromkeys(b"update modify edit change move rename".split(), UPDATE),
}
_VERB = rb"(?P<verb>" + rb"|".join(_SYNONYMS) + rb")"
_MARKER = re.compile(
    rb"(?is)\s*+(?:\*{3,}|\*\*_|_\*\*)\s*+(?:(?:move|rename)(?:\s+file)?\s+to|"
    + _VERB
    + rb"\s+file)"
    rb"(?:\s*:+(?P<path>.*)|\s+(?P<word>\S+|`[^`]*`|\"[^\"]*\"|'[^']*')[\s*]*)"
)
_NEAR = re.compile(
    rb"(?is)\s*+" + grammar.STARS + rb"\s*" + _VERB + rb"\b(?:\s+(?:a|the|new|old|existing)\b)*"
    rb"(?:\s+(?:files?|(?P<folder>director(?:y|ies)|folders?))\b)?(?:[\s:=]|\xef\xbc\x9a)*"
    rb"(?P<path>[^\s:].*)"
)
_NEAR_END = re.compile(grammar.STARS + rb"\s*(?i:end)\b(?!\s+(?i:of))")
_END_OF_FILE = re.compile(rb"(?i)(?:\*{3,}|\*\*_|_\*\*)\s*end\s+of\s+file[\s:*_]*")
_FIRST, _LAST = b"*** Begin Patch", b"*** End Patch"
_CLOSED = re.compile(rb"(?<![ \t])[ \t]+(?:\*{3,}|_\*\*|\*\*_)\Z")
_STARRED = (b"***", b"**_", b"_**")
_BELOW = re.compile(rb"-(?!-)|\+(?!\+\+ )")
_INDEX_LINE = re.compile(rb"index [0-9a-f]+\.\.[0-9a-f]+(?: \d{6})?\s*")


def parse_marker(line: bytes) -> tuple[str, bytes] | None:
    """Parse the marker and the path in `line`; None if it is not a marker."""
    match = _MARKER.fullmatch(line) if line.lstrip().startswith(_STARRED) else None
    return match and _marker(match, match["word"] if match["path"] is None else match["path"])


def _marker(match: re.Match[bytes], path: bytes) -> tuple[str, bytes]:
    """Return the marker that is meant, and the path without quotes or a closing ` ***`."""
    path = _CLOSED.sub(b"", path.strip())
    path = without_octal(path)
    is_quoted = len(path) > 2 and path[:1] == path[-1:] and path[:1] in b"`\"'"
    return _SYNONYMS.get((match["verb"] or b"").lower(), MOVE), path[1:-1] if is_quoted else path


def _section_at(line: bytes) -> tuple[str, bytes] | None:
    """Parse the marker that certainly begins a section: it is not indented."""
    parsed = parse_marker(line) if line.startswith(_STARRED) else None
    return parsed if parsed and parsed[0] != MOVE else None


def is_marker(line: bytes) -> bool:
    """Return whether `line` can only be part of an envelope."""
    return grammar.is_end(line) or parse_marker(line) is not None


def is_end_of_file(line: bytes) -> bool:
    """Return whether `line`, which is not indented, is `*** End of File`."""
    return _END_OF_FILE.fullmatch(line) is not None


def report_stray(scanner: Scanner) -> bool:
    """Take a marker outside of an envelope, and report what is missing; False if none is here."""
    number, is_last = scanner.number, grammar.is_end(scanner.line)
    if not is_marker(scanner.line):
        return False
    is_first = not any(map(bytes.strip, scanner.lines[: scanner.at]))
    scanner.at += 1
    if is_last and is_first:
        return True  # the echo of an end, above everything
    if is_last and scanner.contents.sections:
        scanner.error(Malformed.SECOND_END, number, marker=_LAST)
    else:
        fix = FixIt.INSERT_BEFORE
        scanner.error(Malformed.NO_BEGIN, number, corrected=_FIRST, fix=fix, marker=_FIRST)
    scanner.skip_until(grammar.is_begin)
    return True


def starts(scanner: Scanner) -> bool:
    """Return whether an envelope begins at the next line."""
    return grammar.is_begin(scanner.line)


def parse(scanner: Scanner) -> None:
    """Take one envelope and add its sections."""
    begin, first = scanner.number, scanner.at
    scanner.at += 1
    end, has_marker = _find_end(scanner)
    last, contents = end, scanner.contents
    if not has_marker:
        while not scanner.lines[last - 1].strip():
            last -= 1
        if _NEAR_END.match(scanner.lines[last - 1]):  # meant as one, or cut off in it
            last -= 1
            scanner.moved_to(last).error(Malformed.NEAR_MARKER, corrected=_LAST)
        else:
            last = end
            scanner.report_no_end("patch", _LAST, end, begin)
    before = contents.errors, len(contents.sections)
    scanner.report_indented("patch", first, end + has_marker)
    read_sections(scanner.moved_to(scanner.at, last))
    scanner.at = end + has_marker
    if has_marker and _BELOW.match(scanner.line):
        scanner.error(Malformed.BELOW_END, marker=_LAST)
        scanner.skip_until(lambda line: not _BELOW.match(line))
    if has_marker:
        grammar.report_below_fence(scanner)
    if before == (contents.errors, len(contents.sections)):
        scanner.error(Malformed.NO_SECTION, begin)


def _find_end(scanner: Scanner) -> tuple[int, bool]:
    """Find the position of the envelope's end, and whether an end marker is there.

    The first unindented end marker ends it, else the last indented one (any other indented one is
    context). Without either it ends at the end of its fence, if it is in one.
    """
    padded = fence = None
    ahead = scanner.copy()
    marks = rb"|" + scanner.fence if scanner.fence else b""
    pattern = line_start(grammar.STARS + rb"[ \t\f\v]*(?i:begin|end)" + marks)
    while ahead.seek(pattern):
        line = ahead.line
        is_indented = line[:1] in (b" ", b"\t")
        if grammar.is_end(line):
            if not is_indented:
                return ahead.at, True
            padded = ahead.at
        elif not is_indented and grammar.is_begin(line):
            break
        elif fence is None and scanner.fence and line.startswith(scanner.fence):
            fence = ahead.at if grammar.is_fence(scanner, line) else None
        ahead.at += 1
    if padded is not None:
        return padded, True
    return ahead.at if fence is None else fence, False


def read_sections(scanner: Scanner) -> None:
    """Take all lines that are left, which are inside an envelope, and add their sections."""
    scanner.at += scanner.line.lstrip().startswith(b"*** Environment ID: ")
    scanner.skip_blank_lines()
    while scanner.more:
        kind, path = parse_marker(scanner.line) or (MOVE, b"")
        if kind == MOVE:
            _report_marker(scanner)
            scanner.skip_until(_section_at)
        else:
            if not path:
                scanner.error(Malformed.MARKER_WITHOUT_PATH, marker=kind)
            number = scanner.number
            read = {ADD: _read_add, DELETE: _read_delete, UPDATE: _read_update}[kind]
            section = read(scanner, os.fsdecode(path))
            scanner.section(section._replace(number=number))
        scanner.skip_blank_lines()


def _report_marker(scanner: Scanner) -> None:
    """Take a marker in a wrong place, or a line in its place, and report what was meant."""
    line, corrected = scanner.line, b""
    match = _NEAR.fullmatch(line)
    if parse_marker(line):
        fault = Malformed.MISPLACED_MOVE
    elif match and match["folder"]:
        fault = Malformed.DIRECTORY_MARKER
    elif match:
        kind, path = _marker(match, match["path"])
        fault, corrected = Malformed.NEAR_MARKER, kind.encode() + path
    else:
        fault = Malformed.NO_MARKER
    scanner.error(fault, corrected=corrected)
    scanner.at += 1


def _read_add(scanner: Scanner, path: str) -> FilePatch:
    _check_new_path(scanner, ADD, path)
    scanner.at += 1
    _, mode = skip_header(scanner, None, path)
    header = parse_header(scanner.line)
    scanner.at += header is not None and header.anchor is None
    lines: list[Line] = []
    while not _ends_new_file(scanner):
        line = scanner.line
        if line.startswith(b"+"):
            lines.append(Line(Prefix.ADDED, line[1:], True, scanner.number))
        elif lines:  # an empty file has no newline anyway
            lines[-1] = lines[-1]._replace(newline=False)
        scanner.at += 1
    number, uniform = lines[0].number if lines else 0, scanner.text.uniform
    hunk = Hunk(tuple(lines), number=number, uniform_endings=uniform)
    return FilePatch(Operation.ADD, None, path, (hunk,) if lines else (), new_mode=mode)


def _ends_new_file(scanner: Scanner) -> bool:
    r"""Return whether the new file ends here; otherwise the next line has `+` or is `\ No
    newline…`.

    Takes blank lines before the next section. Other lines have lost their `+`: they are taken, with
    one error for each run of them.
    """
    while scanner.more and not (line := scanner.line).startswith(b"+"):
        if is_no_newline(line) and not scanner.peek().startswith(b"+"):
            return False
        first = scanner.copy()
        scanner.skip_blank_lines()
        if not scanner.more or parse_marker(scanner.line):
            return True
        if line.startswith(_STARRED):
            _report_marker(scanner)
        else:
            scanner.at = first.at
            report_unprefixed(scanner, Malformed.NO_PLUS, b"+", b"+", *_STARRED)
    return not scanner.more


def _read_delete(scanner: Scanner, path: str) -> FilePatch:
    scanner.at += 1
    skip_header(scanner, path, None)
    scanner.skip_blank_lines()
    if scanner.more and not scanner.line.lstrip().startswith(_STARRED):
        scanner.error(Malformed.DELETION_WITH_LINES)
        scanner.skip_until(lambda line: line.startswith(_STARRED))
    return FilePatch(Operation.DELETE, path, None, has_content=False)


def _read_update(scanner: Scanner, path: str) -> FilePatch:
    number, errors = scanner.number, scanner.errors
    scanner.at += 1
    path, _, target = path.partition(" -> ")
    if target:
        _check_new_path(scanner, MOVE, target)
    new_path = target or _read_move(scanner)
    stated = skip_header(scanner, path, new_path or path)
    hunks = Hunks(scanner, is_diff=False, bare=True).read(_take_in_update)
    if not (hunks or new_path) and scanner.errors == errors:
        scanner.error(Malformed.NO_HUNK_IN_UPDATE, number)
    operation = Operation.MOVE if new_path not in ("", path) else Operation.UPDATE
    return FilePatch(operation, path, new_path or path, hunks, *stated)


def _read_move(scanner: Scanner) -> str:
    """Take `*** Move to:` and return its path, or "".

    An indented line must have the exact spelling; otherwise it is context.
    """
    line = scanner.line
    kind, path = parse_marker(line) or ("", b"")
    is_exact = line.lstrip().startswith(MOVE.encode())
    if kind != MOVE or not (is_exact or line.startswith(_STARRED)):
        return ""
    if not path:
        scanner.error(Malformed.MARKER_WITHOUT_PATH, marker=MOVE)
    _check_new_path(scanner, MOVE, os.fsdecode(path))
    scanner.at += 1
    return os.fsdecode(path)


def _check_new_path(scanner: Scanner, kind: str, path: str) -> None:
    r"""Report a new path that ends with `/`, or uses `\` as the separator, which git never does."""
    if path.endswith("/"):
        scanner.error(Malformed.NAMES_DIRECTORY, text=kind + path)
    elif "\\" in path and not why_unsafe(path):
        meant = os.fsencode(kind + path.replace("\\", "/"))
        scanner.error(Malformed.BACKSLASHES, corrected=meant)


def _take_in_update(hunks: Hunks) -> bool | None:
    """Take a marker inside an update; None at the next section."""
    scanner, current = hunks.scanner, hunks.current
    line = scanner.line
    if not line.startswith(_STARRED):
        if current is None or not current.closed or line.startswith(b"@@"):
            return False
        scanner.error(Malformed.HUNK_AFTER_END_OF_FILE, corrected=b"@@", fix=FixIt.INSERT_BEFORE)
        scanner.skip_until(lambda line: line.startswith((b"@@", *_STARRED)))
    elif _section_at(line):
        return None
    elif is_end_of_file(line) and current:
        current.at_end = current.closed = True
        scanner.at += 1
        scanner.skip_blank_lines()
    else:
        _report_marker(scanner)
    return True


def skip_header(
    scanner: Scanner, old: str | None, new: str | None
) -> tuple[Mode | None, Mode | None]:
    """Take the diff header that is next, if any, and return the old and the new mode it states.

    `old` and `new` are the section's paths. A header that names another file is an error, unless
    its lines can belong to a first hunk without `@@`.
    """
    first, second = (None if path is None else os.fsencode(path) for path in (old, new))
    paths = first, second
    path, number = paths[0] or paths[1] or b"", scanner.number
    if extended := read_extended(scanner):
        if "binary" in extended or "differ" in extended:
            scanner.error(Malformed.BINARY_SECTION, number)
        elif not names_agree(paths, extended):
            scanner.error(Malformed.HEADER_OF_OTHER_FILE, number, path=path)
    scanner.at += _INDEX_LINE.fullmatch(scanner.line) is not None
    if names := names_at(scanner):
        known = {side + path for path in paths if path for side in (b"", b"a/", b"b/")}
        sides = zip(names, paths, strict=True)
        agrees = all(name in known if name else path is None for name, path in sides)
        if agrees or old is None or scanner.peek(2).startswith(b"@@"):
            if not agrees:
                scanner.error(Malformed.HEADER_OF_OTHER_FILE, path=path)
            scanner.at += 2
    return modes(extended)
