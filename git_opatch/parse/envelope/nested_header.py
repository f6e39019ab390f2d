"""A diff header inside an envelope section, which repeats the section's marker.

    header := ["diff --git " names extended*] ["index " ids] ["--- " name "+++ " name]

Models that know both formats write it right after `*** Update File:`. It must name the section's
file, with or without `a/` and `b/`; apart from that, only its mode counts. Source: D60.
"""

from __future__ import annotations

import os
import re

from git_opatch.model.blob import Mode
from git_opatch.model.text import visible
from git_opatch.parse.formats import DIFF_GIT
from git_opatch.parse.header import (
    Names,
    names_agree,
    names_at,
    read_extended,
    stated_mode,
)
from git_opatch.parse.scanner import Scanner

Modes = tuple[Mode | None, Mode | None]
"""The old and the new mode; None where the header does not state one."""

_INDEX_LINE = re.compile(rb"index [0-9a-f]+\.\.[0-9a-f]+(?: \d{6})?\s*")


def skip_header(scanner: Scanner, old: str | None, new: str | None) -> Modes:
    """Take the diff header that is next, if any, and return its modes.

    `old` and `new` are the section's paths. A header that names another file is an error, unless
    its lines can belong to a first hunk without `@@`.
    """
    paths = _encode(old), _encode(new)
    extended = _skip_extended(scanner, paths)
    if (
        not scanner.at_end
        and _INDEX_LINE.fullmatch(scanner.line)
        and names_at(scanner, 1) is not None
    ):
        scanner.take()
    names = names_at(scanner)
    if names is not None and (
        _are_section_paths(names, paths) or old is None or _hunk_follows(scanner)
    ):
        if not _are_section_paths(names, paths):
            _report_other_file(scanner, paths, scanner.number)
        scanner.at += 2
    return stated_mode(extended, "old mode"), stated_mode(extended, "new mode")


def _hunk_follows(scanner: Scanner) -> bool:
    """Return whether `@@` follows the names here, so that they are not lines of a hunk."""
    return (scanner.peek(2) or b"").startswith(b"@@")


def _skip_extended(scanner: Scanner, paths: Names) -> dict[str, bytes]:
    if scanner.at_end or not scanner.line.startswith(DIFF_GIT):
        return {}
    number, extended = scanner.number, read_extended(scanner)
    if "binary" in extended or "differ" in extended:
        scanner.error("a binary patch has no lines to match; leave this section out", number)
    elif not names_agree(paths, extended):
        _report_other_file(scanner, paths, number)
    return extended


def _are_section_paths(names: Names, paths: Names) -> bool:
    """Return whether the names in `---` and `+++` are the section's paths, or /dev/null for no
    path."""
    known = {prefix + path for path in paths if path for prefix in (b"", b"a/", b"b/")}
    return all(
        name in known if name else path is None for name, path in zip(names, paths, strict=True)
    )


def _report_other_file(scanner: Scanner, paths: Names, number: int) -> None:
    path = visible(paths[0] or paths[1] or b"")
    scanner.error(
        f"this diff header names a different file than the marker above it, `{path}`; give each "
        "file its own section (if these lines are to be removed and added, write `@@` above them)",
        number,
    )


def _encode(path: str | None) -> bytes | None:
    return None if path is None else os.fsencode(path)
