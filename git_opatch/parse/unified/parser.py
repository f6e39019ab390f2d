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
from git_opatch.parse.header import (
    Names,
    git_names,
    git_path,
    names_agree,
    names_at,
    read_extended,
    stated_blobs,
    stated_mode,
)
from git_opatch.parse.hunk import HunkBuilder, HunkReader, read_hunks
from git_opatch.parse.scanner import Scanner
from git_opatch.parse.unified import boundaries
from git_opatch.parse.unified.unsupported import is_half_header
from git_opatch.parse.wrappers.fence import is_fence, refuse_lines_below
from git_opatch.parse.wrappers.mail import parser as mail

_DIFF_GIT = b"diff --git "
_BETWEEN_FILES = (b"diff -", b"Index: ", b"Only in ")
"""Lines that `diff -r` and Subversion write between files."""
_VERSION = re.compile(rb"\d+\.\d[\w.() -]*\r?")


def starts(scanner: Scanner) -> bool:
    """Whether the diff of a file begins at the next line."""
    return starts_with(scanner.line) or names_at(scanner) is not None


def starts_with(line: bytes) -> bool:
    """Whether `line` by itself shows that the diff of a file begins."""
    return line.startswith(_DIFF_GIT)


def parse(scanner: Scanner) -> None:
    """Take the diff of one file and add its section."""
    at, section = scanner.at, _read_section(scanner)
    if section is not None:
        scanner.add_section(section, at, _read_section)


def _read_section(scanner: Scanner) -> FilePatch | None:
    """Take the diff of one file and return its section; None after an error."""
    first, number, errors = scanner.at, scanner.number, len(scanner.diagnostics)
    has_git_line = starts_with(scanner.line)
    extended = read_extended(scanner) if has_git_line else {}
    names = names_at(scanner)
    if names is not None:
        if has_git_line and not names_agree(names, extended):
            scanner.error(
                "this names a different file than the `diff --git` header above it; write one path"
            )
        scanner.at += 2
    is_known = scanner.recorded or "deleted file" in extended
    if "binary" in extended or ("differ" in extended and not is_known):
        scanner.error("a binary patch has no lines to match; use `git apply` for this file", number)
    hunks = read_hunks(scanner, _build_hunks)
    refuse_lines_below(scanner)
    names = _prefer_git_path(names, extended)
    _check_sides(scanner, names, hunks)
    if len(scanner.diagnostics) > errors:
        return None
    determined = _determine_operation(names or git_names(extended), extended, hunks)
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
        has_content=bool(hunks) or (names is None and "differ" not in extended),
        number=number,
        source=scanner.source,
        directory=scanner.directory,
        blobs=stated_blobs(extended),
    )


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
    names: Names | None, extended: dict[str, bytes], hunks: Sequence[Hunk]
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
    if not hunks and "new mode" not in extended:
        return None
    return Operation.UPDATE, old_name, old_name, new_name if new_name != old_name else None


def _decode(name: bytes | None) -> str | None:
    return None if name is None else os.fsdecode(name)


def _build_hunks(scanner: Scanner) -> Iterator[HunkBuilder]:
    hunks, ahead = HunkReader(scanner), replace(scanner)
    while not scanner.at_end and not _ends_diff(scanner, hunks):
        if scanner.line.startswith(b"@@"):
            yield from hunks.take_header()
        elif _is_separator(scanner, hunks):
            scanner.skip_blank_lines()
        elif not hunks.take_line():
            if _is_prose(scanner, hunks, ahead):
                break
            hunks.take_unprefixed()
    if (
        scanner.at_end
        and not scanner.ends_with_newline
        and hunks.current is not None
        and hunks.current.is_incomplete
    ):
        scanner.error(
            "the text ends in the middle of a hunk: its header announces more lines",
            scanner.previous_number,
        )
    yield from hunks.close()


def _is_separator(scanner: Scanner, hunks: HunkReader) -> bool:
    """Whether a blank line is outside any hunk, since nothing of the last one follows it."""
    if hunks.current is None or not hunks.current.is_complete:
        return hunks.current is None and not scanner.line.strip()
    if scanner.line not in (b"", b"\r"):
        return False
    ahead = replace(scanner)
    ahead.skip_blank_lines()
    return ahead.at_end or not _has_prefix(ahead.line) or _begins_next_file(ahead)


def _has_prefix(line: bytes) -> bool:
    return line.startswith((b" ", b"-", b"+"))


def _ends_diff(scanner: Scanner, hunks: HunkReader) -> bool:
    """Whether the diff of this file ends before the next line."""
    line = scanner.line
    if line.startswith(_DIFF_GIT) or boundaries.begins_other_format(scanner):
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
    """Whether `line` is more likely a file's name than an added line of a complete hunk."""
    return line.startswith(b"+++ b/") and not hunk.is_incomplete


def _is_signature(scanner: Scanner, *, complete: bool) -> bool:
    """Whether the signature of a mail made by git begins here: `-- ` and git's version.

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
    ended = after is None or not after.strip() or after.startswith((b"From ", _DIFF_GIT))
    return ended and _VERSION.fullmatch(version) is not None


def _begins_next_file(scanner: Scanner, *, any_names: bool = False) -> bool:
    """Whether `---` here begins another file and is not a removed line.

    With `any_names`, also if the two names differ.
    """
    names = names_at(scanner)
    if names is None or not (scanner.peek(2) or b"").startswith(b"@@"):
        return False
    return any_names or names[0] == names[1] or None in names


def _is_prose(scanner: Scanner, hunks: HunkReader, ahead: Scanner) -> bool:
    """Whether an unprefixed line ends the patch, and is not context that lost its space.

        line                                          is prose if
        closes the open fence                         no prefixed line follows at once
        after a complete hunk, or written by `diff`   no prefixed line comes before the next patch
        below a blank line, outside of a fence        the same, and no more lines are announced

    `ahead` is moved to the next such line, so that no line is examined twice.
    """
    if scanner.fence and is_fence(scanner, scanner.line):
        after = scanner.peek()
        return after is None or not _has_prefix(after)
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
                line.startswith((b"+", b"-", b"@@", _DIFF_GIT)) or envelope.starts_with(line)
            )
        )
    return ahead.at_end or starts(ahead) or envelope.starts(ahead)
