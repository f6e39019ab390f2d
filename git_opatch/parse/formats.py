"""The table of formats and wrappers, and how each begins.

    package          begins with (`HINT`)      its `parser` has
    a format         a patch                   `starts(scanner)`, `parse(scanner)`
    a wrapper        what is around a patch    `unwrap(scanner)`

`starts` tells whether a patch begins at the next line, and `parse` takes it and adds its sections.
`unwrap` takes what is wrapped and returns scanners over it; None, with nothing taken, if no
wrapper begins here. `HINT` matches every line that may begin one: parsers are imported on demand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from types import ModuleType

from git_opatch.model.options import Format
from git_opatch.parse import envelope, file_changes, json_operations, search_replace, unified
from git_opatch.parse.scanner import Scanner
from git_opatch.parse.wrappers import fence, mail, shell

FORMATS: dict[Format, ModuleType] = {
    Format.ENVELOPE: envelope,
    Format.UNIFIED: unified,
    Format.SEARCH_REPLACE: search_replace,
    Format.FILE_CHANGES: file_changes,
    Format.OPERATIONS: json_operations,
}
_WRAPPERS: tuple[ModuleType, ...] = (json_operations, shell, mail)
"""Fences are not in the list: they change the state of the scanner, and have no inner text."""

HUNK_START = rb"@@"
_WEAK_HINTS = (unified.HINT, fence.HINT, unified.UNSUPPORTED_HINT)
"""Hints of text that has half of a diff's header, or none of it."""
_PACKAGES = dict.fromkeys((*FORMATS.values(), *_WRAPPERS))  # one is both
_HINTS = [*(package.HINT for package in _PACKAGES), fence.HINT, unified.UNSUPPORTED_HINT]

# Prose, which may be long, is skipped by one pattern before it is split into lines.
BEGINNING = re.compile(rb"(?m)^[ \t]*(?:" + rb"|".join([HUNK_START, *_HINTS]) + rb")")
"""A line that may begin a patch, a wrapper, or part of one."""
NAMED_BEGINNING = re.compile(
    rb"[ \t]*(?:"
    + rb"|".join(
        [HUNK_START, rb"diff --git ", *(hint for hint in _HINTS if hint not in _WEAK_HINTS)]
    )
    + rb")"
)
"""A line in a fence which shows that there is more than a diff without names."""


def find_format(scanner: Scanner, formats: Iterable[ModuleType]) -> ModuleType | None:
    """Return which of the formats a patch at the next line has; None if none begins there."""
    likely = _matching_hint(scanner, formats)
    return next((package for package in likely if parser_of(package).starts(scanner)), None)


def unwrap(scanner: Scanner) -> Iterable[Scanner] | None:
    """Take the wrapper that begins at the next line; None, with nothing taken, if none does."""
    for wrapper in _matching_hint(scanner, _WRAPPERS):
        contents: Iterable[Scanner] | None = parser_of(wrapper).unwrap(scanner)
        if contents is not None:
            return contents
    return None


def _matching_hint(scanner: Scanner, packages: Iterable[ModuleType]) -> Iterator[ModuleType]:
    """Yield the packages whose hint matches the next line, with or without its indentation."""
    start, is_indented = scanner.lines.offset(scanner.at), scanner.dedent is not None
    for package in packages:
        hint = _hint_of(package)
        if hint.match(scanner.lines.raw, start) or (
            is_indented and hint.match(scanner.line + b"\n")
        ):
            yield package


@cache
def _hint_of(package: ModuleType) -> re.Pattern[bytes]:
    return re.compile(rb"[ \t\r\f\v]*(?:" + package.HINT + rb")")


# To import one takes as long as to parse a small patch, and a text needs one or two.
@cache
def parser_of(package: ModuleType) -> ModuleType:
    """Import the parser of a format or wrapper."""
    return import_module(f"{package.__name__}.parser")
