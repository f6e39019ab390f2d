"""The unified diff, with correct, invented or missing line numbers, and git's extended header.

A hunk ends where its lines end. `--- x` inside a hunk is a removed line; it begins a new file only
with `+++` and `@@` below it. A diff has no end marker, so the next patch, or prose, ends it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from git_opatch.model.errors import FixIt
from git_opatch.model.limits import MANY
from git_opatch.model.patch import FilePatch, Hunk, Operation, Prefix
from git_opatch.model.sentences import Malformed
from git_opatch.model.text import indentation
from git_opatch.parse import grammar
from git_opatch.parse.hunks import Hunks, OpenHunk, is_hunk_line, size_of_solid
from git_opatch.parse.names import (
    DEV_NULL,
    Names,
    git_path,
    modes,
    names_agree,
    names_at,
    parse_names,
    read_extended,
)
from git_opatch.parse.text import Scanner

_BLOBS = re.compile(r"([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: \d{6})?\s*")
_VERSION = re.compile(rb"\d+\.\d[\w.() -]*\r?")
_CONTEXT_DIFF = re.compile(rb"\*{15}[^\n]*\n\*\*\* \d+(?:,\d+)? \*{4}\s*")
_PREFIXED = (b" ", b"-", b"+")


def starts(scanner: Scanner) -> bool:
    """Return whether the diff of a file begins at the next line."""
    return _starts_alone(scanner.line) or names_at(scanner) is not None


def _starts_alone(line: bytes) -> bool:
    return line.startswith(grammar.DIFF_GIT)


def parse(scanner: Scanner) -> None:
    """Take the diff of one file and add its section, unless there is an error."""
    begin, errors = scanner.copy(), scanner.errors
    extended = read_extended(scanner)
    old, new = scanner.line, scanner.peek()
    has_sides = old.startswith((b"--- a/", b'--- "a/')) and new.startswith((b"+++ b/", b'+++ "b/'))
    names = _take_names(scanner, extended)
    hunks = _read_hunks(scanner)
    is_empty = not hunks and scanner.peek(-1).startswith(b"@@")
    grammar.report_below_fence(scanner)
    path = git_path(extended.get("names", b""))
    has_names = names is not None
    if names is not None and None in names:
        if path is not None:  # beside /dev/null, only `diff --git` shows what is a prefix
            names = names[0] and path, names[1] and path
        _check_sides(scanner, names[0] is None, hunks)
    elif names is None and path is not None:
        names = (
            None if "new file" in extended else path,
            None if "deleted file" in extended else path,
        )
    if names is not None and b"" in names:
        scanner.error(Malformed.EMPTY_NAME, begin.number)
    is_empty = is_empty or "new file" in extended
    if has_names and names and names[0] is None and not hunks and not is_empty:
        scanner.error(Malformed.NO_LINES_OF_NEW, begin.number)
    if scanner.errors > errors:
        return
    is_known = scanner.contents.recorded or "deleted file" in extended
    is_binary = "binary" in extended or ("differ" in extended and not is_known)
    has_change = bool(hunks) or "new mode" in extended or is_binary
    is_prefixed = has_sides or extended.get("names", b"").startswith(b"a/")
    section = _section(names, extended, has_change, is_prefixed)
    if section is None:
        begin.error(Malformed.NO_HUNK_BELOW)
        return
    old_mode, new_mode = modes(extended)
    one, other = section.path, section.alternate
    blobs = _BLOBS.fullmatch(os.fsdecode(extended.get("index", b"")))
    # not a version of one file, as `f.orig` is of `f`
    is_version = other is None or one.startswith(other) or other.startswith(one)
    scanner.section(
        section._replace(
            hunks=hunks,
            old_mode=old_mode,
            new_mode=new_mode,
            may_move=has_sides and not is_version,
            has_content=bool(hunks) or is_empty or (not has_names and "differ" not in extended),
            is_binary=is_binary,
            number=begin.number,
            blobs=(blobs[1], blobs[2]) if blobs else ("", ""),
        )
    )


def _take_names(scanner: Scanner, extended: dict[str, bytes]) -> Names | None:
    """Take the two lines with names, if they are next, and return the names."""
    names = names_at(scanner)
    if names is not None:
        if extended and not names_agree(names, extended):
            scanner.error(Malformed.OTHER_NAMES)
        scanner.at += 2
    return names


def _check_sides(scanner: Scanner, is_new: bool, hunks: Sequence[Hunk]) -> None:
    """Check that a new file has only added lines, and a deleted one only removed lines."""
    prefix = Prefix.ADDED if is_new else Prefix.REMOVED
    for hunk in hunks:
        for line in hunk.lines[: size_of_solid(hunk.lines)]:
            if line.prefix is not prefix:
                fault = Malformed.NEW_FILE_ONLY if is_new else Malformed.DELETED_FILE_ONLY
                scanner.error(fault, line.number, text=line.text)
                break


def _section(
    names: Names | None, extended: dict[str, bytes], has_change: bool, is_prefixed: bool
) -> FilePatch | None:
    """Return the section with its operation and its names; None if nothing changes."""
    for operation, verb in ((Operation.MOVE, "rename"), (Operation.COPY, "copy")):
        source, target = (extended.get(f"{verb} {side}") for side in ("from", "to"))
        if source is not None and target is not None:
            return FilePatch(operation, os.fsdecode(source), os.fsdecode(target))
    if names is None:
        return None
    old, new = (None if name is None else os.fsdecode(name) for name in names)
    if old is None or "new file" in extended:
        return FilePatch(Operation.ADD, None, new or old)
    if new is None or "deleted file" in extended:
        return FilePatch(Operation.DELETE, old, None)
    if new == old and old.startswith("/") and not is_prefixed:
        new = old[1:]  # as `git apply -p1` reads it
    alternate = new if new != old else None
    return FilePatch(Operation.UPDATE, old, old, alternate=alternate) if has_change else None


def _read_hunks(scanner: Scanner) -> tuple[Hunk, ...]:
    ahead, below = scanner.copy(), scanner.copy()

    def take(hunks: Hunks) -> bool | None:
        if hunks.take_lines():
            return True
        current, line = hunks.current, scanner.line
        if _ends_diff(scanner, current):
            return None
        if line.startswith(b"@@"):
            return False
        if current and line in (b"", b"\r"):
            below.at = max(below.at, scanner.at)  # no blank line is looked at twice
            below.skip_blank_lines()
            items = _list_below(below.copy(), current)
            if items:
                scanner.error(Malformed.LIST_BELOW, items)
            is_apart = current.is_complete and (
                not below.line.startswith(_PREFIXED) or _begins_next(below)
            )
            if items or is_apart:
                scanner.at = below.at
                return True
        return None if not is_hunk_line(line) and _is_prose(scanner, current, ahead) else False

    return Hunks(scanner, may_be_cut=True).read(take)


def _list_below(below: Scanner, hunk: OpenHunk) -> int:
    """Return the number of the first item of a list that is `below` blank lines, or 0 (D184).

    No fence says where the diff ends, all announced lines are there, and none of the last is as
    deep as an item.
    """
    first = below.number
    below.skip_until(lambda line: not re.match(rb"[-+] \S", line))
    is_open = below.fence or hunk.is_incomplete or below.number == first
    if is_open or (below.line.strip() and not starts(below)):
        return 0
    is_as_deep = any(re.match(rb" \S", line.text) for line in hunk.lines[-MANY:])
    return first if hunk.is_complete or not is_as_deep else 0


def _ends_diff(scanner: Scanner, hunk: OpenHunk | None) -> bool:
    """Return whether the diff of this file ends before the next line."""
    line, next_line = scanner.line, scanner.peek()
    if _starts_alone(line) or _begins_other(scanner):
        return True
    if hunk is None:
        return not line.startswith(b"@@") and bool(line.strip())
    is_full = hunk.is_complete
    if line.rstrip() == b"--" and scanner.at + 1 < scanner.end:  # the signature of a mail
        if is_full and line.startswith(b"-- ") and not next_line.startswith(_PREFIXED):
            return not next_line.startswith(b"@@")
        after = scanner.peek(2)
        is_last = not after.strip() or after.startswith((b"From ", grammar.DIFF_GIT))
        if is_last and _VERSION.fullmatch(next_line):
            return True
    # such a line is more likely a file's name than an added line of a complete hunk
    may_be_name = is_full or (line.startswith(b"+++ b/") and not hunk.is_incomplete)
    return (
        _begins_next(scanner, any_names=is_full)
        or (may_be_name and _missing_half(scanner) is not None)
        or grammar.begins_mail(scanner)
    )


def _begins_other(scanner: Scanner) -> bool:
    """Return whether a patch of another format begins here, by text that no file has by chance."""
    line, after = scanner.line, scanner.peek()
    if not line or line.startswith((*_PREFIXED, b"@", b"\\")):
        return False
    if line.startswith((b"*", b"_")):
        return grammar.is_begin(line)
    if line.startswith(b"{"):
        return grammar.is_call(line)
    if line.startswith(b"<"):
        return grammar.OTHER_TAG.match(line) is not None
    marker = scanner.peek(2) if grammar.is_fence(scanner, after) else after
    return grammar.BLOCK.match(marker) is not None


def _begins_next(scanner: Scanner, *, any_names: bool = False) -> bool:
    """Return whether `---` here begins another file and is not a removed line."""
    names = names_at(scanner)
    if names is None or not scanner.peek(2).startswith(b"@@"):
        return False
    return any_names or names[0] == names[1] or None in names


def _is_prose(scanner: Scanner, hunk: OpenHunk | None, ahead: Scanner) -> bool:
    """Return whether an unprefixed line ends the patch, and is not context that lost its space.

        line                                          is prose if
        closes the open fence                         it is after a complete hunk, or no prefixed
                                                      line follows at once
        is a fence, and none is open                  the text ends with it
        after a complete hunk, or written by `diff`   no prefixed line comes before the next patch
        below a blank line, outside of a fence        the same, and no more lines are announced

    `ahead` is moved to the next such line, so that no line is examined twice.
    """
    line = scanner.line
    if grammar.is_fence(scanner, line):
        if scanner.fence:
            is_complete = hunk is not None and hunk.is_complete
            return is_complete or not scanner.peek().startswith(_PREFIXED)
        below = scanner.moved_to(scanner.at + 1)
        below.skip_blank_lines()
        if not below.more:
            return True
    is_below_blank = not scanner.peek(-1).strip() and not scanner.fence
    is_outside = hunk is None or hunk.is_complete or (is_below_blank and not hunk.is_incomplete)
    if not is_outside and not line.startswith((b"diff -", b"Index: ", b"Only in ")):
        return False
    if ahead.at <= scanner.at:
        ahead.at = scanner.at
        ahead.skip_until(
            lambda line: (
                (line.startswith((b"+", b"-", b"@@", grammar.DIFF_GIT)) and line.rstrip() != b"--")
                or grammar.is_begin(line)
            )
        )
    return starts(ahead) or grammar.is_begin(ahead.line) or not ahead.more


def report_unsupported(scanner: Scanner) -> bool:
    """Take a diff in an unsupported format, or with half a header, with an error; else False."""
    line, indent = scanner.line, indentation(scanner.line)
    if (missing := _missing_half(scanner)) is not None:
        is_old = missing.startswith(b"---")
        scanner.error(
            Malformed.HALF_HEADER_BEFORE if is_old else Malformed.HALF_HEADER_AFTER,
            corrected=missing,
            fix=FixIt.INSERT_BEFORE if is_old else FixIt.INSERT_AFTER,
            missing=missing,
        )
        scanner.at += 1
        scanner.skip_until(
            lambda line: line.startswith((b"--- ", b"+++ ")) or grammar.OPENING.match(line)
        )
    elif indent and scanner.depth and line[len(indent) :].startswith(b"--- "):
        three = (scanner.peek(at).removeprefix(indent) for at in range(3))
        ahead = Scanner(scanner.view([*three], scanner.at).text)
        if names_at(ahead) is None or not ahead.peek(2).startswith(b"@@"):
            return False
        scanner.error(Malformed.INDENTED, subject="diff", count=len(indent))
        scanner.at += 3
    elif _CONTEXT_DIFF.fullmatch(line + b"\n" + scanner.peek()):
        scanner.error(Malformed.CONTEXT_DIFF)
        scanner.skip_until(lambda line: line.startswith(grammar.DIFF_GIT) or grammar.is_begin(line))
    else:
        return False
    return True


def _missing_half(scanner: Scanner) -> bytes | None:
    """Return the line to write before or after the next one, if that is half of a header.

    That is a `---` or `+++` line alone, directly above a hunk, that names a file.
    """
    sign, name = scanner.line[:4], scanner.line[4:]
    if sign not in (b"--- ", b"+++ ") or not scanner.peek().startswith(b"@@"):
        return None
    is_old = sign == b"--- "
    names = parse_names(name, DEV_NULL) if is_old else parse_names(DEV_NULL, name)
    path = names and (names[0] or names[1])
    return None if path is None else (b"+++ b/" if is_old else b"--- a/") + path
