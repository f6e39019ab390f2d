"""Check what a hunk's anchors, or git's heading, name (D18, D19, D80, D242).

What is named must enclose the hunk's position, be the last one above it, or be in the hunk. It is
found as a line of the file, else as a part of one, else by kind and name; a text that is nowhere
may still refer to a definition, as `in the load method` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from git_opatch.locate.anchor import (
    defined,
    is_in_scope,
    occurrences,
    referred,
    scope_end,
)
from git_opatch.locate.anchor_references import (
    Reference,
    is_name,
    names_beside_kinds,
    references_in,
)
from git_opatch.locate.claim_verdict import HunkAtPosition, Ignored, Verdict
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.outline import (
    Name,
    OutlineKind,
    heading_at,
    is_certain,
    keyword_of,
    name_of,
    named_by,
)
from git_opatch.model.failure import Problem, Value
from git_opatch.model.limits import FEW
from git_opatch.model.patch import Anchor, Prefix
from git_opatch.model.sentences import Fault
from git_opatch.model.text import opens, visible

_LEAST_CUT = 76
"""Git cuts the heading that it writes after the numbers to 80 bytes, and to whole characters."""


_CODE_NAME = (
    rb"(?<![\w.$-])(?:[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*)\b"
    rb"|(?:(?<=struct )|(?<=union ))\w+(?= ?\*)"
)
"""A name that only code has: of several words, joined, or that of a type that is pointed to."""


def names_what_is_above(located: HunkAtPosition) -> Iterator[Verdict]:
    """Each anchor that names something names what the position is in, or below, or a line of it."""
    for anchor in located.candidates.hunk.anchors:
        yield _check_anchor(anchor, located)


def _check_anchor(anchor: Anchor, located: HunkAtPosition) -> Verdict:
    if not anchor.text.strip():
        return None
    positions, whole = _find_anchor(anchor, located.file_index)
    if not positions:
        return _check_missing(anchor, located)
    first = located.position
    if _is_in_one_of(positions, located):
        end = _next_definition(positions, located) if anchor.weak and whole else first
        return None if end >= first else _under(anchor, positions[-1], end, located)
    above = [position for position in positions if position < first]
    if not above:
        line = located.file_index.lines[positions[0]]
        is_heading = whole and (opens(line) or not anchor.weak)
        is_claim = is_heading or named_by(line) is not None
        if not is_claim or _is_explained(anchor, located, positions[0]):
            return None
        return _problem(Fault.ANCHOR_BELOW, anchor, at=positions[0] + 1)
    end = scope_end(above[-1], located.file_index)
    if _is_explained(anchor, located, above[-1]):
        return None
    if anchor.weak and not _has_later_heading(above[-1], end, located):
        return None
    return _under(anchor, above[-1], end, located)


def _problem(fault: Fault, anchor: Anchor, **values: Value) -> Problem:
    kind = "heading" if anchor.weak else "anchor"
    return Problem.of(fault, kind=kind, anchor=anchor.text, **values)


def _under(anchor: Anchor, found: int, other: int, located: HunkAtPosition) -> Problem:
    """Say that the hunk is not below the line at `found`, but below that at `other`."""
    below = located.file_index.lines[other]
    return _problem(Fault.ANCHOR_OF_OTHER, anchor, at=found + 1, below=below)


def _is_at_margin(line: bytes) -> bool:
    """Return whether git may take `line` for a heading, in a language that it does not know."""
    return line[:1].isalpha() or line[:1] in (b"_", b"$")


def _next_definition(positions: Sequence[int], located: HunkAtPosition) -> int:
    """Return where a definition at the margin follows the only line that is git's heading.

    Git would have taken that one, if it is above the hunk. The hunk's position if none does.
    """
    (line, *others), first = positions, located.position
    lines = located.file_index.lines
    if others or line >= first or not _is_at_margin(lines[line]) or heading_at(lines, line):
        return first
    headings = located.file_index.headings
    following = headings.between(OutlineKind.DEFINITION, line + 1, first)
    return next((at for at in following if _is_at_margin(lines[at])), first)


def _has_later_heading(heading: int, end: int, located: HunkAtPosition) -> bool:
    """Return whether git would have written a line from `end`, where the scope of its heading ends,
    to the hunk."""
    lines, headings = located.file_index.lines, located.file_index.headings
    between = headings.between(OutlineKind.DEFINITION, end + 1, located.position)
    return any(_would_be_heading(at, heading, lines) for at in chain((end,), between))


def _would_be_heading(position: int, heading: int, lines: Sequence[bytes]) -> bool:
    """Return whether git would have written the line at `position`, had it been above the hunk.

    Git takes the last line of a pattern, which is narrower for some languages: one at the margin
    that begins with a letter, or as the heading does, or with the same keyword. Without this, 14 of
    13,063 right headings were refused.
    """
    line, other = lines[position], lines[heading]
    if line[:1].isspace():
        return keyword_of(line) == keyword_of(other)
    return _is_at_margin(line) or line[:1] == other[:1]


def _check_missing(anchor: Anchor, located: HunkAtPosition) -> Verdict:
    name = named_by(anchor.text)
    if name is None or not _has_kind(name.kind, located.file_index):
        if unknown := _unknown_name(anchor, located):
            return _problem(Fault.ANCHOR_NAME_MISSING, anchor, name=unknown)
        if other := _refers_elsewhere(anchor, located):
            line, named = other
            return _problem(Fault.ANCHOR_ELSEWHERE, anchor, name=named, at=line + 1)
        is_known = anchor.weak or referred(anchor, located.file_index)
        shown = visible(anchor.text.strip())
        return None if is_known else Ignored(f"the anchor `{shown}` is not in the file")
    if _is_explained(anchor, located):
        return None
    return _problem(Fault.ANCHOR_MISSING, anchor)


def _refers_elsewhere(anchor: Anchor, located: HunkAtPosition) -> tuple[int, bytes] | None:
    """Return a definition that the anchor refers to and that does not contain the hunk; or None.

    A name that the patch has in its lines is no reference in a sentence: `call the load method`.
    """
    file_index, named = located.file_index, references_in(anchor.text)
    if meant := referred(anchor, file_index):
        is_explained = _is_in_one_of(meant, located) or _is_written(named[-1].name, file_index)
        return None if is_explained else (meant[0], named[-1].name)
    qualifiers = {reference.qualifier for reference in named}
    found = {reference: defined(reference, file_index) for reference in named}
    if not all(found[each] or each.name in qualifiers for each in named):
        lines = [line.text for line in located.hunk.lines]
        beside = (
            Reference(name)
            for name in names_beside_kinds(anchor.text)
            if not any(name in line for line in lines)
        )
        found = {reference: defined(reference, file_index) for reference in beside}
    for reference, positions in found.items():
        is_there = not positions or _is_in_one_of(positions, located)
        if not is_there and not _is_written(reference.name, file_index):
            return positions[0], reference.name
    return None


def _is_written(name: bytes, file_index: FileIndex) -> bool:
    """Return whether a hunk of the patch adds or removes a definition of that name."""
    wanted = Name(OutlineKind.DEFINITION, name)
    return any(
        name in line.text and _names(line.text, wanted)
        for hunk in (*file_index.hunks, *file_index.placed)
        for line in hunk.lines
        if line.prefix is not Prefix.CONTEXT
    )


def _is_in_one_of(positions: Sequence[int], located: HunkAtPosition) -> bool:
    """Return whether the hunk has one of the definitions at `positions`, or is in or below one."""
    first, stop = located.position, max(located.stop, located.position + 1)
    if any(first <= position < stop for position in positions):
        return True
    above = [position for position in positions if position < first][-FEW:]
    return any(is_in_scope(first, position, located.file_index) for position in above)


def _unknown_name(anchor: Anchor, located: HunkAtPosition) -> bytes:
    """Return a name such as `open_file` or `openFile` that neither file nor patch has; or empty.

    Prose may mention a name from the code; the name must be in the file or the patch. The file's
    own name is allowed.
    """
    patch = [
        line.text
        for hunk in (*located.file_index.hunks, *located.file_index.placed)
        for line in hunk.lines
    ]
    path = located.matching.path.encode("utf-8", "surrogateescape")
    for name in re.findall(_CODE_NAME, anchor.text):
        if name in path or any(name in line for line in patch):
            continue
        if not located.file_index.containing(name):
            return bytes(name)
    return b""


def _find_anchor(anchor: Anchor, file_index: FileIndex) -> tuple[Sequence[int], bool]:
    """List where an anchor's text occurs, else what it names; tell whether as a whole line.

    A part of a line counts where the line names the same: `class Foo` is not `class FooBar`. A
    heading of git's may be cut off.
    """
    positions, whole = occurrences(anchor, file_index)
    if whole:
        return file_index.trimmed_to(anchor.text.strip()), True
    lines, text = file_index.lines, anchor.text.strip()
    name = named_by(text)
    if name is None:
        return _named_bare(anchor, positions, file_index), False
    begun = [position for position in positions if _begins(lines[position].strip(), text)]
    return begun or _named(name, file_index), False


def _begins(line: bytes, text: bytes) -> bool:
    """Return whether `text` begins `line`, and ends with a word, or where git cuts a heading
    off."""
    is_cut = len(text) >= _LEAST_CUT
    inside_word = re.match(rb"\w\w", text[-1:] + line[len(text) : len(text) + 1])
    return line.startswith(text) and (is_cut or not inside_word)


def _named(name: Name, file_index: FileIndex) -> list[int]:
    """List the headings that name what `name` does."""
    return [
        position
        for position in file_index.containing(name.name)
        if _names(file_index.lines[position], name)
    ]


def _names(line: bytes, name: Name) -> bool:
    if name.kind is OutlineKind.LABEL:
        return line.strip().startswith(name.name + b":")
    found = name_of(line)
    return found is not None and found.matches(name)


def _named_bare(anchor: Anchor, positions: Sequence[int], file_index: FileIndex) -> Sequence[int]:
    """List the definitions that an anchor names which is nothing but a name, else `positions`, that
    have the text."""
    named = referred(anchor, file_index) if positions and is_name(anchor.text) else ()
    return named or positions


def _has_kind(kind: OutlineKind, file_index: FileIndex) -> bool:
    """Return whether the file has headings of that kind: else the text was not meant as one."""
    lines = file_index.lines
    return kind is OutlineKind.DEFINITION or any(
        is_certain(lines, position, kind) for position in file_index.headings.of(kind)
    )


def _is_explained(anchor: Anchor, located: HunkAtPosition, position: int | None = None) -> bool:
    """Return whether the patch itself writes what the anchor names, or another hunk removed it.

    A hunk that shows the line at `position`, which has the anchor, only writes that one again.
    Where the file has what the anchor names, only its text counts: a constructor that is written
    is not the class of its name.
    """
    is_there = position is not None
    found = located.file_index.lines[position].strip() if position is not None else None
    return any(
        _is_text(anchor, line.text) or (not is_there and _is_name(anchor, line.text))
        for hunk, prefixes in (
            *(
                (hunk, (Prefix.ADDED,))
                for hunk in located.file_index.hunks
                if all(line.text.strip() != found for line in hunk.preimage)
            ),
            *((hunk, (Prefix.ADDED, Prefix.REMOVED)) for hunk in located.file_index.placed),
        )
        for line in hunk.lines
        if line.prefix in prefixes
    )


def _is_text(anchor: Anchor, line: bytes) -> bool:
    return re.search(rb"(?<![\w#=])" + re.escape(anchor.text.strip()), line) is not None


def _is_name(anchor: Anchor, line: bytes) -> bool:
    name = named_by(anchor.text.strip())
    return name is not None and name.name in line and _names(line, name)
