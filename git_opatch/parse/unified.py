"""The unified diff, with correct, invented or missing line numbers.

    patch   := ["diff --git " names extended*] ["--- " name "+++ " name] hunk*
    hunk    := "@@"… line+                                    (see `parse.hunk`)

Source: git's diff format ("Generating patch text with -p") and the FILE_PATCH hunks of the
matching strategy ("Simplified Unified Diff Format"). Counts are not trusted: a hunk ends where its
lines end. `--- x` inside a hunk is a removed line; it begins a new file only with `+++` and `@@`
below it, where both name one file or one is /dev/null. Lines that `diff -r` and Subversion write
between files (GNU diff's manual, "Comparing Directories") are not content. A diff has no end
marker, so the next patch in the text ends it. Context diffs (GNU diff's manual, "Detailed Context")
and diffs with half a header are refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace

from git_opatch.model.errors import FixIt
from git_opatch.model.limits import MANY
from git_opatch.model.options import Format
from git_opatch.model.patch import FilePatch, Hunk, Operation, Prefix
from git_opatch.model.sentences import Malformed
from git_opatch.model.text import indentation
from git_opatch.parse import envelope
from git_opatch.parse.formats import DIFF_GIT, DRAFT, OPENING, begins, parser_of
from git_opatch.parse.header import (
    Names,
    git_names,
    git_path,
    names_agree,
    names_at,
    parse_names,
    read_extended,
    reject_names,
    stated_blobs,
    stated_mode,
)
from git_opatch.parse.hunk import (
    CERTAIN_LINES,
    HunkBuilder,
    HunkReader,
    is_hunk_line,
    size_of_solid,
)
from git_opatch.parse.mail import begins as begins_mail
from git_opatch.parse.prose import is_fence, report_lines_below
from git_opatch.parse.scanner import Scanner

_BETWEEN_FILES = (b"diff -", b"Index: ", b"Only in ")
"""Lines that `diff -r` and Subversion write between files."""
_ONE_SPACE = re.compile(rb" \S")
_ITEM = re.compile(rb"[-+] \S")
"""A line of a list; or an added or removed line that is one space deep."""
_VERSION = re.compile(rb"\d+\.\d[\w.() -]*\r?")
_TAG = re.compile(begins(Format.FILE_CHANGES) + rb"|</?(?:" + DRAFT + rb")>")
_BLOCK = re.compile(begins(Format.SEARCH_REPLACE))
_HUNK_PREFIXES = (b" ", b"-", b"+", b"@", b"\\")
_DEV_NULL = b"/dev/null"
_CONTEXT_DIFF_RULE = b"*" * 15
_CONTEXT_RANGE = re.compile(rb"\*\*\* \d+(?:,\d+)? \*{4}\s*")


def starts(scanner: Scanner) -> bool:
    """Return whether the diff of a file begins at the next line."""
    return _starts_alone(scanner.line) or names_at(scanner) is not None


def _starts_alone(line: bytes) -> bool:
    """Return whether `line` by itself shows that the diff of a file begins."""
    return line.startswith(DIFF_GIT) or reject_names(line) is not None


def parse(scanner: Scanner) -> None:
    """Take the diff of one file and add its section, unless there is an error."""
    first, number, errors = scanner.at, scanner.number, scanner.errors
    names, extended, has_prefixes = _take_header(scanner)
    is_known = scanner.found.recorded or "deleted file" in extended
    is_binary = "binary" in extended or ("differ" in extended and not is_known)
    hunks = _read_hunks(scanner)
    is_empty = not hunks and scanner.line_at(scanner.at - 1).startswith(b"@@")
    report_lines_below(scanner)
    if names is not None and None in names and (path := git_path(extended)) is not None:
        # beside /dev/null, only `diff --git` shows what is a prefix
        names = names[0] and path, names[1] and path
    _check_sides(scanner, names, hunks)
    has_names, names = names is not None, names or git_names(extended)
    if names is not None and b"" in names:
        scanner.error(Malformed.EMPTY_NAME, number)
    is_empty = is_empty or "new file" in extended
    if has_names and names and names[0] is None and not hunks and not is_empty:
        scanner.error(Malformed.NO_LINES_OF_NEW, number)
    if scanner.errors > errors:
        return
    has_change = bool(hunks) or "new mode" in extended or is_binary
    is_prefixed = has_prefixes or extended.get("names", b"").startswith(b"a/")
    section = _section(names, extended, has_change, is_prefixed)
    if section is None:
        replace(scanner, at=first).error(Malformed.NO_HUNK_BELOW)
        return
    scanner.section(
        section._replace(
            hunks=hunks,
            old_mode=stated_mode(extended, "old mode"),
            new_mode=stated_mode(extended, "new mode"),
            may_move=has_prefixes and _may_move(section),
            has_content=bool(hunks) or is_empty or (not has_names and "differ" not in extended),
            is_binary=is_binary,
            number=number,
            blobs=stated_blobs(extended),
        )
    )


def _take_header(scanner: Scanner) -> tuple[Names | None, dict[str, bytes], bool]:
    """Take the header; return its names, its extended lines, and whether it has git's prefixes."""
    has_git_line = scanner.line.startswith(DIFF_GIT)
    extended = read_extended(scanner) if has_git_line else {}
    names = names_at(scanner)
    has_prefixes = scanner.line.startswith((b"--- a/", b'--- "a/')) and (
        scanner.peek().startswith((b"+++ b/", b'+++ "b/'))
    )
    if (
        names
        and None not in names
        and names[0] != names[1]
        and scanner.line_at(scanner.at - 1).startswith(b"diff -")
    ):
        rest, *others = {(name or b"").partition(b"/")[2] for name in names}
        names = (rest, rest) if rest and not others else names  # as `git apply -p1` reads it
    if not has_git_line and names is None:
        names = reject_names(scanner.take())
    elif names is not None:
        if has_git_line and not names_agree(names, extended):
            scanner.error(Malformed.OTHER_NAMES)
        scanner.at += 2
    return names, extended, has_prefixes


def _may_move(section: FilePatch) -> bool:
    """Return whether there are two names, and not a version of one file, as `f.orig` is of `f`."""
    old, new = section.path, section.alternate
    return new is not None and not (old.startswith(new) or new.startswith(old))


def _check_sides(scanner: Scanner, names: Names | None, hunks: Sequence[Hunk]) -> None:
    """Check that a new file has only added lines, and a deleted one only removed lines."""
    if names is None or None not in names:
        return
    is_new = names[0] is None
    prefix = Prefix.ADDED if is_new else Prefix.REMOVED
    for hunk in hunks:
        solid = hunk.lines[: size_of_solid(hunk.lines)]
        wrong = next((line for line in solid if line.prefix is not prefix), None)
        if wrong is not None:
            fault = Malformed.NEW_FILE_ONLY if is_new else Malformed.DELETED_FILE_ONLY
            scanner.error(fault, wrong.number, text=wrong.text)


def _section(
    names: Names | None, extended: dict[str, bytes], has_change: bool, is_prefixed: bool
) -> FilePatch | None:
    """Return the section with its operation and its names; None if nothing changes.

    `is_prefixed` is whether the names had the prefixes of git.
    """
    for operation, verb in ((Operation.MOVE, "rename"), (Operation.COPY, "copy")):
        if f"{verb} from" in extended and f"{verb} to" in extended:
            old, new = extended[f"{verb} from"], extended[f"{verb} to"]
            return FilePatch(operation, os.fsdecode(old), os.fsdecode(new))
    if names is None:
        return None
    old_name, new_name = (None if name is None else os.fsdecode(name) for name in names)
    if old_name is None or "new file" in extended:
        return FilePatch(Operation.ADD, None, new_name or old_name)
    if new_name is None or "deleted file" in extended:
        return FilePatch(Operation.DELETE, old_name, None)
    if not has_change:
        return None
    if new_name == old_name and old_name.startswith("/") and not is_prefixed:
        new_name = old_name[1:]  # as `git apply -p1` reads it
    alternate = new_name if new_name != old_name else None
    return FilePatch(Operation.UPDATE, old_name, old_name, alternate=alternate)


def _read_hunks(scanner: Scanner) -> tuple[Hunk, ...]:
    ahead, below = replace(scanner), replace(scanner)

    def take(hunks: HunkReader) -> bool | None:
        if hunks.take_lines(CERTAIN_LINES):
            return True
        if _ends_diff(scanner, hunks):
            return None
        if scanner.line.startswith(b"@@"):
            return False
        if hunks.current and scanner.line in (b"", b"\r"):
            below.at = max(below.at, scanner.at)  # no line of many blank ones is looked at twice
            below.skip_blank_lines()
            list_below = _list_below(replace(below), hunks.current)
            if list_below:
                scanner.error(Malformed.LIST_BELOW, list_below)
            if list_below or _is_separated(below, hunks.current):
                scanner.at = below.at
                return True
        is_prose = not is_hunk_line(scanner.line) and _is_prose(scanner, hunks, ahead)
        return None if is_prose else False

    return HunkReader(scanner, CERTAIN_LINES, may_be_cut=True).read(take)


def _is_separated(below: Scanner, hunk: HunkBuilder) -> bool:
    """Return whether blank lines are outside any hunk, since nothing of the last one is `below`."""
    if not hunk.is_complete:
        return False
    return below.at_end or not _has_prefix(below.line) or _begins_next_file(below)


def _list_below(below: Scanner, hunk: HunkBuilder) -> int:
    """Return the number of the first item of a list that is `below` blank lines, or 0 (D184).

    Its items look like added or removed lines, one space deep. No fence says where the diff ends,
    the hunk has all lines that are announced, and none of the last ones is as deep.
    """
    first = below.number
    while not below.at_end and _ITEM.match(below.line):
        below.at += 1
    ends = below.at_end or not below.line.strip() or starts(below)
    if below.fence or hunk.is_incomplete or below.number == first or not ends:
        return 0
    is_as_deep = any(_ONE_SPACE.match(line.text) for line in hunk.lines[-MANY:])
    return first if hunk.is_complete or not is_as_deep else 0


def _has_prefix(line: bytes) -> bool:
    return line.startswith((b" ", b"-", b"+"))


def _ends_diff(scanner: Scanner, hunks: HunkReader) -> bool:
    """Return whether the diff of this file ends before the next line."""
    line = scanner.line
    if _starts_alone(line) or _begins_other_format(scanner):
        return True
    if hunks.current is None:
        return not line.startswith(b"@@") and bool(line.strip())
    full = hunks.current.is_complete
    # such a line is more likely a file's name than an added line of a complete hunk
    may_be_name = line.startswith(b"+++ b/") and not hunks.current.is_incomplete
    return (
        _is_signature(scanner, complete=full)
        or _begins_next_file(scanner, any_names=full)
        or ((full or may_be_name) and _missing_half(scanner) is not None)
        or (line.startswith(b"From ") and begins_mail(scanner))
    )


def _begins_other_format(scanner: Scanner) -> bool:
    """Return whether a patch of another format begins at the next line, which could be unprefixed
    context.

    Only text that no file contains by chance counts: a container tag, a path above a block's
    marker, an operation.
    """
    line = scanner.line
    if not line or line.startswith(_HUNK_PREFIXES):
        return False
    if line.startswith((b"*", b"_")):
        return envelope.is_begin(line)
    if line.startswith(b"<"):
        return _TAG.match(line) is not None or _BLOCK.match(line) is not None
    if line.startswith(b"{"):
        is_call: bool = parser_of(Format.OPERATIONS).is_call(line)
        return is_call
    after = scanner.peek()
    return _BLOCK.match(scanner.peek(2) if is_fence(scanner, after) else after) is not None


def _is_signature(scanner: Scanner, *, complete: bool) -> bool:
    """Return whether the signature of a mail made by git begins here: `-- ` and git's version.

    After a hunk that is `complete` the second line may be any without a prefix
    (`format.signature`).
    """
    if scanner.line.rstrip() != b"--" or scanner.at + 1 >= scanner.end:
        return False
    version, after = scanner.peek(), scanner.peek(2)
    if complete and scanner.line.startswith(b"-- ") and not _has_prefix(version):
        return not version.startswith(b"@@")
    ended = not after.strip() or after.startswith((b"From ", DIFF_GIT))
    return ended and _VERSION.fullmatch(version) is not None


def _begins_next_file(scanner: Scanner, *, any_names: bool = False) -> bool:
    """Return whether `---` here begins another file and is not a removed line.

    With `any_names`, also if the two names differ.
    """
    names = names_at(scanner)
    if names is None or not scanner.peek(2).startswith(b"@@"):
        return False
    return any_names or names[0] == names[1] or None in names


def _is_prose(scanner: Scanner, hunks: HunkReader, ahead: Scanner) -> bool:
    """Return whether an unprefixed line ends the patch, and is not context that lost its space.

        line                                          is prose if
        closes the open fence                         no prefixed line follows at once
        is a fence, and none is open                  the text ends with it
        after a complete hunk, or written by `diff`   no prefixed line comes before the next patch
        below a blank line, outside of a fence        the same, and no more lines are announced

    `ahead` is moved to the next such line, so that no line is examined twice.
    """
    if is_fence(scanner, scanner.line):
        if scanner.fence:
            return not _has_prefix(scanner.peek())
        below = replace(scanner, at=scanner.at + 1)
        below.skip_blank_lines()
        if below.at_end:
            return True
    below_blank = not scanner.line_at(scanner.at - 1).strip()
    outside = (
        hunks.current is None
        or hunks.current.is_complete
        or (below_blank and not scanner.fence and not hunks.current.is_incomplete)
        or scanner.line.startswith(_BETWEEN_FILES)
    )
    if not outside:
        return False
    if ahead.at <= scanner.at:
        ahead.at = scanner.at
        ahead.skip_until(
            lambda line: line.startswith((b"+", b"-", b"@@", DIFF_GIT)) or envelope.is_begin(line)
        )
    return ahead.at_end or starts(ahead) or envelope.starts(ahead)


def report_unsupported(scanner: Scanner) -> bool:
    """Take a diff in an unsupported format, or with half a header, with an error.

    False, with nothing taken, if there is none here.
    """
    if (missing := _missing_half(scanner)) is not None:
        is_old = missing.startswith(b"---")
        scanner.error(
            Malformed.HALF_HEADER_BEFORE if is_old else Malformed.HALF_HEADER_AFTER,
            corrected=missing,
            fix=FixIt.INSERT_BEFORE if is_old else FixIt.INSERT_AFTER,
            missing=missing,
        )
        scanner.take()
        scanner.skip_until(
            lambda line: line.startswith((b"--- ", b"+++ ")) or re.match(OPENING, line) is not None
        )
    elif indent := _common_indent(scanner):
        scanner.error(Malformed.INDENTED, subject="diff", count=len(indent))
        scanner.at += 3
    elif scanner.line.startswith(_CONTEXT_DIFF_RULE) and _CONTEXT_RANGE.fullmatch(scanner.peek()):
        scanner.error(Malformed.CONTEXT_DIFF)
        scanner.skip_until(lambda line: line.startswith(DIFF_GIT) or envelope.is_begin(line))
    else:
        return False
    return True


def _missing_half(scanner: Scanner) -> bytes | None:
    """Return the line to write before or after the next one, if that is half of a header.

    That is a `---` or `+++` line alone, directly above a hunk, that names a file.
    """
    line = scanner.line
    if not line.startswith((b"--- ", b"+++ ")) or not scanner.peek().startswith(b"@@"):
        return None
    name, old = line[4:], line.startswith(b"---")
    names = parse_names(name, _DEV_NULL) if old else parse_names(_DEV_NULL, name)
    path = (names[0] or names[1]) if names else None
    return None if path is None else (b"+++ b/" if old else b"--- a/") + path


def _common_indent(scanner: Scanner) -> bytes:
    """Return the indentation that the header and the first `@@` of a diff here have, all alike."""
    indent = indentation(scanner.line)
    ahead = scanner.dedented(lambda line: line.removeprefix(indent))
    is_diff = names_at(ahead) is not None and ahead.peek(2).startswith(b"@@")
    return indent if is_diff else b""
