r"""Check what a hunk claims beside its lines, at the position where it would go (D80).

A claim holds, does not hold, or is silent. One that does not hold refuses the hunk, unless real
patches show that claims of its kind are noise: such a claim is ignored, with a note.

| claim | what the hunk says |
| --- | --- |
| `anchor_claims` | its anchors or git's heading name what it is in (D18, D19) |
| `_shows_a_line` | its lines that are not blank, or its number (D462) |
| `_is_after_its_anchor` | what its anchor opens is not torn from it (D463) |
| `_ends_file` | it ends where the file ends (D22); noise where the hunk is unique, or anchored |
| `_has_no_newline` | the file has no newline at its end (D81); noise |
| `_is_whole` | its last line is whole, where the text ends in it (D365) |
| `_is_not_there` | what it adds is not there yet (D38, D240) |
| `_is_at_its_number` | its line number (D84); noise, unless the file nearly has its lines there |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from git_opatch.locate.already_applied import is_rewrite, partly_applied_at
from git_opatch.locate.anchor_claims import names_what_is_above
from git_opatch.locate.claim_verdict import HunkAtPosition, Ignored, Verdict
from git_opatch.locate.tiers import resilient
from git_opatch.model.failure import Problem
from git_opatch.model.patch import Hunk, Prefix
from git_opatch.model.placement import Evidence
from git_opatch.model.sentences import Fault
from git_opatch.model.text import Text, indentation, opens


def check_claims(located: HunkAtPosition) -> tuple[Problem | None, list[str]]:
    """Return the first claim of the hunk that does not hold, and notes on those that are noise."""
    notes: list[str] = []
    for claim in CLAIMS:
        for answer in claim(located):
            if isinstance(answer, Problem):
                return answer, notes
            if answer is not None:
                notes.append(answer.note)
    return None, notes


def _ends_file(located: HunkAtPosition) -> Iterator[Verdict]:
    """The hunk says that it ends where the file ends: noise where it is unique without that, or its
    anchor decides.

    Not so in reverse (D8): what was added at the end is looked for there.
    """
    size = len(located.file_index.lines)
    if not located.candidates.hunk.at_end_of_file or located.stop == size:
        return
    is_decided = located.candidates.evidence in (Evidence.UNIQUE, Evidence.ANCHOR)
    if is_decided and located.candidates.decided and not located.matching.reversed:
        ends = f"its only candidate ends at line {located.stop} of {size}"
        yield Ignored(f"says that it ends the file, but {ends}; ignored")
    else:
        yield Problem.of(Fault.NOT_AT_END, stop=located.stop, size=size)


def _has_no_newline(located: HunkAtPosition) -> Iterator[Verdict]:
    r"""The last line has no newline, as `\ No newline at end of file` says of the old file."""
    text, lines = located.file_index.text, located.hunk.preimage
    ends = located.stop == len(text.lines)
    if ends and text.final_newline and lines and not lines[-1].newline:
        yield Ignored("says that the file has no newline at its end, but it has one; ignored")


def with_newlines_of(text: Text, hunk: Hunk, position: int) -> Hunk:
    r"""Ignore `\ No newline at end of file` on lines that have a newline in the file (D81).

    Only a hunk that ends the file, and says that the old last line has a newline and the new one
    has none, takes it away.
    """
    if all(line.newline for line in hunk.lines):
        return hunk
    preimage = hunk.preimage
    ends = position + len(preimage) == len(text.lines)
    if ends and not (text.final_newline and preimage and not preimage[-1].newline):
        return hunk
    return replace(hunk, lines=tuple(line._replace(newline=True) for line in hunk.lines))


def _shows_a_line(located: HunkAtPosition) -> Iterator[Verdict]:
    """The hunk shows where it goes: by a line that is not blank, or by its number.

    A blank line below added ones may be what separates them from the next hunk.
    """
    hunk = located.hunk
    is_blank = all(
        line.prefix is Prefix.CONTEXT and not line.text.strip() for line in hunk.preimage
    )
    if hunk.preimage and is_blank and hunk.stated_start != located.position:
        yield Problem(Fault.ONLY_BLANK_LINES)


def _is_after_its_anchor(located: HunkAtPosition) -> Iterator[Verdict]:
    """Added lines that are right below their anchor can be there: what it opens is not between.

    A sibling of what the anchor names is meant to come after that, and not above its body.
    """
    hunk, lines, at = located.hunk, located.file_index.lines, located.position
    if located.candidates.evidence is not Evidence.AFTER_ANCHOR:
        return
    anchor = lines[at - 1]
    if indentation(hunk.anchors[-1].text) != indentation(anchor):
        return  # the added lines may have lost their indentation, too (D43)
    below = next((line for line in lines[at:] if line.strip()), b"")
    depth, added = indentation(anchor), min(_depths(hunk), default=None, key=len)
    is_inside = len(indentation(below)) > len(depth) and opens(anchor)
    is_header = below.strip() == b"{" and not anchor.rstrip().endswith((b"{", b";", b"}"))
    if (is_inside and added is not None and len(added) <= len(depth)) or is_header:
        yield Problem.of(Fault.BETWEEN, anchor=anchor)


def _depths(hunk: Hunk) -> list[bytes]:
    return [indentation(line.text) for line in hunk.lines if line.text.strip()]


def _is_at_its_number(located: HunkAtPosition) -> Iterator[Verdict]:
    """The hunk is at its line number: noise, unless the file has it there, too, but for one line or
    for whitespace.

    Then the line there may have changed since, and the only candidate is a twin (D84).
    """
    stated = located.hunk.stated_start
    if stated is None or stated == located.position or not located.none_moved:
        return
    lines, preimage = located.file_index.lines, located.hunk.preimage
    pairs = [
        (located.file_index.normal(line.text).strip(), found.strip())
        for line, found in zip(preimage, lines[stated : stated + len(preimage)], strict=False)
    ]
    same = sum(bool(text) and text == found for text, found in pairs)
    differ = sum(text != found for text, found in pairs)
    if len(pairs) == len(preimage) and differ <= 1 and same > 1:
        yield Problem.of(Fault.OTHER_NUMBER, stated=stated + 1)


def _is_whole(located: HunkAtPosition) -> Iterator[Verdict]:
    """The text is not cut off in the hunk's last line: the file has that line, and not more of it.

    Fewer lines than the header announces are noise, but for a text that ends within a line.
    """
    hunk, lines = located.candidates.hunk, located.file_index.lines
    if not hunk.unfinished:
        return
    last, found = hunk.preimage[-1].text, lines[located.stop - 1] if located.stop else b""
    if resilient(located.file_index.normal(last)) != resilient(found):
        yield Problem(Fault.CUT_OFF)


def _is_not_there(located: HunkAtPosition) -> Iterator[Verdict]:
    """What the hunk adds is not in the file already: next to its position, or as all of it."""
    if not located.matching.appends and is_rewrite(located.hunk, located.file_index):
        yield Problem(Fault.REWRITE)
    found = partly_applied_at(located.hunk, located.position, located.file_index)
    if found is not None:
        yield Problem.of(Fault.PARTLY_APPLIED, at=found + 1)


CLAIMS: tuple[Callable[[HunkAtPosition], Iterator[Verdict]], ...] = (
    _shows_a_line,
    _is_after_its_anchor,
    _ends_file,
    _has_no_newline,
    _is_at_its_number,
    _is_whole,
    _is_not_there,
    names_what_is_above,
)
