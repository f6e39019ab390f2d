"""The unified diff, with correct, invented or missing line numbers.

    patch   := ["diff --git " names extended*] ["--- " name "+++ " name] hunk*
    hunk    := "@@"… line+                                    (see `parse.hunk`)

Source: git's diff format ("Generating patch text with -p") and the FILE_PATCH hunks of the
matching strategy ("Simplified Unified Diff Format"). Counts are not trusted: a hunk ends where its
lines end. `--- x` inside a hunk is a removed line; it begins a new file only with `+++` and `@@`
below it, where both name one file or one is /dev/null. Lines that `diff -r` and Subversion write
between files (GNU diff's manual, "Comparing Directories") are not content.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from git_opatch.model.patch import FilePatch, Hunk, Operation, Prefix
from git_opatch.model.text import visible
from git_opatch.parse.envelope import parser as envelope
from git_opatch.parse.formats import DIFF_GIT
from git_opatch.parse.header import (
    Names,
    git_names,
    git_path,
    names_agree,
    names_at,
    read_extended,
    reject_names,
    stated_blobs,
    stated_mode,
)
from git_opatch.parse.hunk import CERTAIN_LINES, HunkBuilder, HunkReader, finish_hunks
from git_opatch.parse.scanner import Scanner
from git_opatch.parse.unified import boundaries
from git_opatch.parse.unified.unsupported import is_half_header
from git_opatch.parse.wrappers.fence import is_fence, report_lines_below
from git_opatch.parse.wrappers.mail import parser as mail

_BETWEEN_FILES = (b"diff -", b"Index: ", b"Only in ")
"""Lines that `diff -r` and Subversion write between files."""
_ONE_SPACE = re.compile(rb" \S")
_ITEM = re.compile(rb"[-+] \S")
"""A line of a list; or an added or removed line that is one space deep."""
_VERSION = re.compile(rb"\d+\.\d[\w.() -]*\r?")


def starts(scanner: Scanner) -> bool:
    """Return whether the diff of a file begins at the next line."""
    return starts_with(scanner.line) or names_at(scanner) is not None


def starts_with(line: bytes) -> bool:
    """Return whether `line` by itself shows that the diff of a file begins."""
    return line.startswith(b"diff ") and (
        line.startswith(DIFF_GIT) or reject_names(line) is not None
    )


def parse(scanner: Scanner) -> None:
    """Take the diff of one file and add its section."""
    section = _read_section(scanner)
    if section is not None:
        scanner.add_section(section)


def _read_section(scanner: Scanner) -> FilePatch | None:
    """Take the diff of one file and return its section; None after an error."""
    first, number, errors = scanner.at, scanner.number, len(scanner.diagnostics)
    names, extended, has_prefixes = _take_header(scanner)
    is_known = scanner.recorded or "deleted file" in extended
    is_binary = "binary" in extended or ("differ" in extended and not is_known)
    hunks = finish_hunks(_build_hunks(scanner))
    report_lines_below(scanner)
    names = _prefer_git_path(names, extended)
    _check_sides(scanner, names, hunks)
    if len(scanner.diagnostics) > errors:
        return None
    has_change = bool(hunks) or "new mode" in extended or is_binary
    determined = _determine_operation(names or git_names(extended), extended, has_change)
    if determined is None:
        scanner.error(_missing_hunk_message(scanner.line_at(first)), number)
        return None
    operation, old, new, alternate = determined
    return FilePatch(
        operation,
        old,
        new,
        hunks,
        stated_mode(extended, "old mode"),
        stated_mode(extended, "new mode"),
        alternate,
        may_move=has_prefixes and alternate is not None and not _is_version(old, alternate),
        has_content=bool(hunks) or (names is None and "differ" not in extended),
        is_binary=is_binary,
        number=number,
        source=scanner.source,
        directory=scanner.directory,
        blobs=stated_blobs(extended),
    )


def _take_header(scanner: Scanner) -> tuple[Names | None, dict[str, bytes], bool]:
    """Take the header; return its names, its extended lines, and whether it has git's prefixes."""
    has_git_line = scanner.line.startswith(DIFF_GIT)
    extended = read_extended(scanner) if has_git_line else {}
    names, has_prefixes = names_at(scanner), _has_prefixes_of_git(scanner)
    if not has_git_line and names is None:
        names = reject_names(scanner.take())
    elif names is not None:
        if has_git_line and not names_agree(names, extended):
            scanner.error(
                "this names a different file than the `diff --git` header above it; write one path"
            )
        scanner.at += 2
    return names, extended, has_prefixes


def _has_prefixes_of_git(scanner: Scanner) -> bool:
    """Return whether git's `a/` and `b/` are before the two names here."""
    return (scanner.peek(0) or b"").startswith((b"--- a/", b'--- "a/')) and (
        scanner.peek() or b""
    ).startswith((b"+++ b/", b'+++ "b/'))


def _is_version(old: str | None, new: str) -> bool:
    """Return whether one name is the other with more behind it, as `f.orig` is: a version of one
    file."""
    return old is not None and (old.startswith(new) or new.startswith(old))


def _prefer_git_path(names: Names | None, extended: dict[str, bytes]) -> Names | None:
    """Replace the name beside /dev/null by that of `diff --git`, which shows the prefixes."""
    if names is None or None not in names:
        return names
    path = git_path(extended)
    return names if path is None else (names[0] and path, names[1] and path)


def _check_sides(scanner: Scanner, names: Names | None, hunks: Sequence[Hunk]) -> None:
    """Check that a new file has only added lines, and a deleted one only removed lines."""
    if names is None or None not in names:
        return
    prefix = Prefix.ADDED if names[0] is None else Prefix.REMOVED
    kind = "a new file" if names[0] is None else "a deleted file"
    for hunk in hunks:
        lines, end = hunk.lines, len(hunk.lines)
        while end and lines[end - 1].prefix is Prefix.CONTEXT and not lines[end - 1].text.strip():
            end -= 1  # separates the hunk from the next one
        wrong = next((lines[at] for at in range(end) if lines[at].prefix is not prefix), None)
        if wrong is not None:
            text = visible(wrong.text)
            message = (
                f"every line of {kind} begins with `{prefix.value}`; write "
                f"`{prefix.value}{text}`, or is this an update?"
            )
            scanner.error(message, wrong.number)


def _missing_hunk_message(header: bytes) -> str:
    return f"`{visible(header)}` has no hunk below it; add `@@` and the lines to change"


def _determine_operation(
    names: Names | None, extended: dict[str, bytes], has_change: bool
) -> tuple[Operation, str | None, str | None, str | None] | None:
    """Return the operation, its two paths and the alternate name; None if nothing changes."""
    for operation, verb in ((Operation.MOVE, "rename"), (Operation.COPY, "copy")):
        if f"{verb} from" in extended and f"{verb} to" in extended:
            old, new = extended[f"{verb} from"], extended[f"{verb} to"]
            return operation, os.fsdecode(old), os.fsdecode(new), None
    if names is None:
        return None
    old_name, new_name = map(_decode, names)
    if old_name is None or "new file" in extended:
        return Operation.ADD, None, new_name or old_name, None
    if new_name is None or "deleted file" in extended:
        return Operation.DELETE, old_name, None, None
    if not has_change:
        return None
    return Operation.UPDATE, old_name, old_name, new_name if new_name != old_name else None


def _decode(name: bytes | None) -> str | None:
    return None if name is None else os.fsdecode(name)


def _build_hunks(scanner: Scanner) -> Iterator[HunkBuilder]:
    hunks, ahead = HunkReader(scanner), replace(scanner)
    while not scanner.at_end:
        if hunks.take_lines(CERTAIN_LINES):
            continue
        if _ends_diff(scanner, hunks):
            break
        if scanner.line.startswith(b"@@"):
            yield from hunks.take_header()
        elif _is_separator(scanner, hunks):
            scanner.skip_blank_lines()
        elif list_below := _list_below(scanner, hunks):
            scanner.error(
                "this may be a list below the diff, or belong to the hunk above; leave it out, or "
                "put the diff between lines of ```",
                list_below,
            )
            scanner.skip_blank_lines()
        elif not hunks.take_line():
            if _is_prose(scanner, hunks, ahead):
                break
            hunks.take_unprefixed()
    if scanner.at_end and not scanner.ends_with_newline and hunks.current is not None:
        _judge_last(scanner, hunks.current)
    yield from hunks.close()


def _judge_last(scanner: Scanner, hunk: HunkBuilder) -> None:
    """Refuse the last hunk of a text that ends without a newline, if a change may be cut off.

    It is short of the lines that its header announces. Below its last change that is noise, if the
    file has its last line (D365).
    """
    hunk.unfinished = hunk.is_incomplete and hunk.ends_with_context
    if hunk.is_incomplete and not hunk.unfinished:
        scanner.error(
            "the text ends in the middle of a hunk: its header announces more lines",
            scanner.previous_number,
        )


def _is_separator(scanner: Scanner, hunks: HunkReader) -> bool:
    """Return whether a blank line is outside any hunk, since nothing of the last one follows it."""
    if hunks.current is None or not hunks.current.is_complete:
        return hunks.current is None and not scanner.line.strip()
    if scanner.line not in (b"", b"\r"):
        return False
    ahead = replace(scanner)
    ahead.skip_blank_lines()
    return ahead.at_end or not _has_prefix(ahead.line) or _begins_next_file(ahead)


def _list_below(scanner: Scanner, hunks: HunkReader) -> int:
    """Return the number of the first item of a list below a blank line here, or 0 (D184).

    Its items look like added or removed lines, one space deep. No fence says where the diff ends,
    the hunk has all lines that are announced, and none of them is as deep.
    """
    hunk = hunks.current
    if scanner.fence or scanner.line not in (b"", b"\r") or hunk is None or hunk.is_incomplete:
        return 0
    if not hunk.is_complete and any(_ONE_SPACE.match(line.text) for line in hunk.lines):
        return 0
    ahead = replace(scanner)
    ahead.skip_blank_lines()
    first = ahead.number
    while not ahead.at_end and _ITEM.match(ahead.line):
        ahead.at += 1
    ends = ahead.at_end or not ahead.line.strip() or starts(ahead)
    return first if ends and ahead.number > first else 0


def _has_prefix(line: bytes) -> bool:
    return line.startswith((b" ", b"-", b"+"))


def _ends_diff(scanner: Scanner, hunks: HunkReader) -> bool:
    """Return whether the diff of this file ends before the next line."""
    line = scanner.line
    if starts_with(line) or boundaries.begins_other_format(scanner):
        return True
    if hunks.current is None:
        return not line.startswith(b"@@") and bool(line.strip())
    full = hunks.current.is_complete
    return (
        _is_signature(scanner, complete=full)
        or _begins_next_file(scanner, any_names=full)
        or ((full or _may_be_name(line, hunks.current)) and is_half_header(scanner))
        or (line.startswith(b"From ") and mail.begins(scanner))
    )


def _may_be_name(line: bytes, hunk: HunkBuilder) -> bool:
    """Return whether `line` is more likely a file's name than an added line of a complete hunk."""
    return line.startswith(b"+++ b/") and not hunk.is_incomplete


def _is_signature(scanner: Scanner, *, complete: bool) -> bool:
    """Return whether the signature of a mail made by git begins here: `-- ` and git's version.

    After a hunk that is `complete` the second line may be any without a prefix
    (`format.signature`).
    """
    if scanner.line.rstrip() != b"--":
        return False
    version, after = scanner.peek(), scanner.peek(2)
    if version is None:
        return False
    if complete and scanner.line.startswith(b"-- ") and not _has_prefix(version):
        return not version.startswith(b"@@")
    ended = after is None or not after.strip() or after.startswith((b"From ", DIFF_GIT))
    return ended and _VERSION.fullmatch(version) is not None


def _ends_text(scanner: Scanner) -> bool:
    """Whether nothing but blank lines follows the next one."""
    ahead = replace(scanner)
    ahead.take()
    ahead.skip_blank_lines()
    return ahead.at_end


def _begins_next_file(scanner: Scanner, *, any_names: bool = False) -> bool:
    """Return whether `---` here begins another file and is not a removed line.

    With `any_names`, also if the two names differ.
    """
    names = names_at(scanner)
    if names is None or not (scanner.peek(2) or b"").startswith(b"@@"):
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
    if scanner.fence and is_fence(scanner, scanner.line):
        after = scanner.peek()
        return after is None or not _has_prefix(after)
    if is_fence(scanner, scanner.line) and _ends_text(scanner):
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
            lambda line: (
                line.startswith((b"+", b"-", b"@@", DIFF_GIT)) or envelope.starts_with(line)
            )
        )
    return ahead.at_end or starts(ahead) or envelope.starts(ahead)
