"""What is never added to a file, whatever the place: a placeholder, a doubled prefix, characters of
another encoding, lines that are one space off."""

from __future__ import annotations

import re
from collections.abc import Sequence

from git_opatch.locate.file import File
from git_opatch.locate.forms import is_utf8
from git_opatch.locate.placeholder import placeholder_in
from git_opatch.locate.reading import REMOVED, Reading, Step
from git_opatch.model.failure import Problem
from git_opatch.model.limits import NEAR
from git_opatch.model.patch import Hunk
from git_opatch.model.sentences import Fault
from git_opatch.model.text import indentation

_DOUBLED = re.compile(rb"\+(?:[ \t]{2}|\t|\w)")


def never_written(
    hunk: Hunk, reading: Reading, file: File, steps: Sequence[Step]
) -> Problem | None:
    """Return why a line that `reading` adds is not to be written; None if all may be. `steps` has
    them as they would be."""
    if placeholder := placeholder_in(hunk, file.text, is_document=file.is_document):
        return Problem.of(Fault.PLACEHOLDER, placeholder=placeholder)
    added = [line.text for line in reading.added]
    if not added:
        return None
    if any(text.startswith(b"+") for text in added) and _is_doubled(added, reading, file):
        return Problem(Fault.DOUBLED_PREFIX)
    if not all(text.isascii() for text in added) and (problem := _recoded(added, file)):
        return problem
    written = [line.text for line, row in steps if row is None and line.text.strip()]
    return Problem(Fault.ONE_SPACE_OFF) if _is_one_space_off(written, reading, file) else None


def _is_doubled(added: Sequence[bytes], reading: Reading, file: File) -> bool:
    """Return whether added lines begin with a second `+`, where the file has no such line near."""
    near = file.lines[max(reading.start - NEAR, 0) : reading.stop + NEAR]
    if any(line.startswith((b"+", b"-")) for line in near):
        return False
    removes = any(line.prefix is REMOVED for line, _ in reading.steps)
    shows = reading.start < reading.stop and not file.is_document
    all_have = all(text.startswith(b"+") for text in added)
    return (all_have and not removes) or (shows and any(map(_DOUBLED.match, added)))


def _recoded(added: Sequence[bytes], file: File) -> Problem | None:
    """Return that added lines are in another encoding than those that stay in the file."""
    come = {is_utf8(text) for text in added if not text.isascii()}
    if not file.encodings or come <= file.encodings:
        return None
    return Problem(Fault.NOT_UTF8 if file.encodings == {True} else Fault.UTF8_IN_OTHER)


def _is_one_space_off(written: Sequence[bytes], reading: Reading, file: File) -> bool:
    """Return whether all added lines are a space deeper, or less deep, than lines near them are,
    and none is as deep; one that only changes how deep it is may be."""
    depths = {indentation(text) for text in written if not _is_starred(text)}
    old = (file.lines[row] for _, row in reading.steps if row is not None)
    if not depths or not depths.isdisjoint(map(indentation, old)):
        return False
    near = file.lines[max(reading.start - NEAR, 0) : reading.stop + NEAR]
    there = {indentation(line) for line in near if not _is_starred(line)}
    beside = {b" " + depth for depth in there} | {
        depth[1:] for depth in there if depth.startswith(b" ")
    }
    gone = {line.text.strip() for line, _ in reading.steps if line.prefix is REMOVED}
    return depths <= beside - there - {b""} and gone.isdisjoint(text.strip() for text in written)


def _is_starred(line: bytes) -> bool:
    """Return whether a line is blank, or one of a comment of stars, which are a space off."""
    return line.strip()[:1] in (b"", b"*")
