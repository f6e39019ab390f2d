r"""Check what a hunk claims beside its lines, at the position where it would go (D80).

A claim holds, does not hold, or is silent. One that does not hold refuses the hunk, unless real
patches show that claims of its kind are noise: such a claim is ignored, with a note.

| claim | what the hunk says |
| --- | --- |
| `_names_what_is_above` | its anchors or git's heading name what it is in (D18, D19) |
| `_ends_file` | it ends where the file ends (D22); noise where the hunk is unique |
| `_has_no_newline` | the file has no newline at its end (D81); noise |
| `_is_not_there` | what it adds is not there yet (D38, D240, D241) |
| `_is_at_its_number` | its line number (D84); noise, unless the file nearly has its lines there |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from git_opatch.locate.already_applied import is_rewrite, partly_applied_at, redefined
from git_opatch.locate.anchor import occurrences, scope_end
from git_opatch.locate.candidates import Candidates
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.outline import Heading, Name, claimed_name, is_certain, keyword_of, name_of
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Anchor, Hunk, Prefix
from git_opatch.model.text import Text, opens, visible

_TRUNCATED = 80
"""Git cuts the heading that it writes after the numbers to so many bytes."""
_MAX_CHARACTER = 4
"""The bytes of the character that may be cut off with it."""
_MAX_SCOPES = 100
"""No more occurrences of an anchor than this are looked at, the last above the position."""


_CODE_NAME = re.compile(rb"(?<![\w.$-])(?:[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*)\b")
"""A name that only code has: of several words, joined."""
_ADVICE = "re-read the file and send the hunk again with the definition that it is in"


class Refuted(NamedTuple):
    """A claim that does not hold: what was claimed and what the file has, and what to do."""

    message: str
    advice: str = "re-read the file and send the hunk again"


class Ignored(NamedTuple):
    """A claim that does not hold, of a kind that is noise: the note that says so."""

    note: str


Answer = Refuted | Ignored | None
"""None if the claim holds, or there is none."""


class Claimed(NamedTuple):
    """A hunk at the only position that is left for it, in its file."""

    candidates: Candidates
    position: int
    file_index: FileIndex
    none_moved: bool = False
    """Whether no other hunk with one candidate is elsewhere than its line number says."""
    matching: Matching = Matching()

    @property
    def hunk(self) -> Hunk:
        """The hunk as the file has it."""
        return self.candidates.hunk_at(self.position)

    @property
    def stop(self) -> int:
        """The position after the hunk's preimage."""
        return self.position + len(self.hunk.preimage)


def check_claims(claimed: Claimed) -> tuple[Refuted | None, list[str]]:
    """Return the first claim of the hunk that does not hold, and notes on those that are noise."""
    notes: list[str] = []
    for claim in CLAIMS:
        for answer in claim(claimed):
            if isinstance(answer, Refuted):
                return answer, notes
            if answer is not None:
                notes.append(answer.note)
    return None, notes


def _ends_file(claimed: Claimed) -> Iterator[Answer]:
    """The hunk says that it ends where the file ends: noise where it is unique without that.

    Not so in reverse (D8): what was added at the end is looked for there.
    """
    size = len(claimed.file_index.lines)
    if not claimed.candidates.hunk.at_end_of_file or claimed.stop == size:
        return
    ends = f"its only candidate ends at line {claimed.stop} of {size}"
    if claimed.candidates.unique and not claimed.matching.reversed:
        yield Ignored(f"says that it ends the file, but {ends}; ignored")
    else:
        yield Refuted(f"must end where the file ends, but {ends}")


def _has_no_newline(claimed: Claimed) -> Iterator[Answer]:
    r"""The last line has no newline, as `\ No newline at end of file` says of the old file."""
    text, lines = claimed.file_index.text, claimed.hunk.preimage
    ends = claimed.stop == len(text.lines)
    if ends and text.final_newline and lines and not lines[-1].newline:
        yield Ignored("says that the file has no newline at its end, but it has one; ignored")


def with_newlines_of(text: Text, hunk: Hunk, position: int) -> Hunk:
    r"""Take back what `\ No newline at end of file` says of lines that have a newline (D81).

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


def _is_at_its_number(claimed: Claimed) -> Iterator[Answer]:
    """The hunk is at its line number: noise, unless the file has all of it there but one line.

    Then the line there may have changed since, and the only candidate is a twin (D84).
    """
    stated = claimed.hunk.start
    if stated is None or stated == claimed.position or not claimed.none_moved:
        return
    lines, preimage = claimed.file_index.lines, claimed.hunk.preimage
    pairs = [
        (claimed.file_index.normal(line.text).strip(), found.strip())
        for line, found in zip(preimage, lines[stated : stated + len(preimage)], strict=False)
    ]
    same = sum(bool(text) and text == found for text, found in pairs)
    differ = sum(text != found for text, found in pairs)
    if len(pairs) == len(preimage) and differ == 1 and same > 1:
        yield Refuted(
            f"states line {stated + 1}, where the file has all of its lines but one, "
            f"but its only candidate is line {claimed.position + 1}",
            f"re-read the file; correct the line that differs below line {stated + 1}, or leave "
            "out the numbers",
        )


def _is_not_there(claimed: Claimed) -> Iterator[Answer]:
    """What the hunk adds is not in the file already: next to its position, or as all of it."""
    if not claimed.matching.appends and is_rewrite(claimed.hunk, claimed.file_index):
        yield Refuted(
            "only adds lines, and the file has most of them: it would be there twice",
            "send only what changes, with context lines and the lines to remove",
        )
    again = redefined(claimed.hunk, claimed.position, claimed.file_index)
    if again is not None and claimed.matching.tier is not Tier.STRICT:
        yield Refuted(
            f"adds `{visible(again[0].strip())}`, which the file has at line {again[1] + 1}",
            "send what changes in it, with the lines to remove; if it is meant to be there twice, "
            "use --match strict",
        )
    found = partly_applied_at(claimed.hunk, claimed.position, claimed.file_index)
    if found is not None:
        yield Refuted(
            "may be partly applied: lines that it adds are already next to their position, "
            f"at line {found + 1}"
        )


def _names_what_is_above(claimed: Claimed) -> Iterator[Answer]:
    """Each anchor that names something names what the position is in, or below, or a line of it."""
    for anchor in claimed.candidates.hunk.anchors:
        yield _check_anchor(anchor, claimed)


def _check_anchor(anchor: Anchor, claimed: Claimed) -> Answer:
    if not anchor.text.strip():
        return None
    positions, whole = _find_anchor(anchor, claimed.file_index)
    shown = f"{'heading' if anchor.weak else 'anchor'} `{visible(anchor.text.strip())}`"
    if not positions:
        return _check_missing(anchor, shown, claimed)
    first, stop = claimed.position, max(claimed.stop, claimed.position + 1)
    if any(first <= position < stop for position in positions):
        return None
    above = [position for position in positions if position < first]
    if not above:
        line = claimed.file_index.lines[positions[0]]
        is_heading = whole and (opens(line) or not anchor.weak)
        is_claim = is_heading or claimed_name(line) is not None
        if not is_claim or _is_explained(anchor, claimed, positions[0]):
            return None
        after = f"after its only candidate, line {first + 1}"
        return Refuted(f"has its {shown} at line {positions[0] + 1}, {after}")
    ends = [scope_end(position, claimed.file_index) for position in above[-_MAX_SCOPES:]]
    if max(ends) >= first or _is_explained(anchor, claimed, above[-1]):
        return None
    if anchor.weak and not _would_be_heading(ends[-1], above[-1], claimed.file_index.lines):
        return None
    below = visible(claimed.file_index.lines[ends[-1]].strip())
    return Refuted(
        f"has its {shown} at line {above[-1] + 1}, "
        f"but its only candidate, line {first + 1}, is under `{below}`"
    )


def _would_be_heading(position: int, heading: int, lines: Sequence[bytes]) -> bool:
    """Tell whether git would have written the line at `position`, had it been above the hunk.

    Git takes the last line of a pattern, which is narrower for some languages: one at the margin,
    or with the same keyword. Without this, 14 of 13,063 right headings were refused.
    """
    line, other = lines[position], lines[heading]
    return not line[:1].isspace() or keyword_of(line) == keyword_of(other)


def _check_missing(anchor: Anchor, shown: str, claimed: Claimed) -> Answer:
    name = claimed_name(anchor.text)
    if name is None or not _has_kind(name.kind, claimed.file_index):
        if unknown := _unknown_name(anchor, claimed):
            return Refuted(f"has the {shown}, but `{visible(unknown)}` is not in the file", _ADVICE)
        return None if anchor.weak else Ignored(f"the {shown} is not in the file")
    if _is_explained(anchor, claimed):
        return None
    return Refuted(f"has the {shown}, which is not in the file", _ADVICE)


def _unknown_name(anchor: Anchor, claimed: Claimed) -> bytes:
    """Return a name such as `open_file` or `openFile` that neither file nor patch has; or empty.

    Prose that is no claim may speak of code, which then must be there. What it may also speak of is
    the file's own name.
    """
    patch = [
        line.text
        for hunk in (*claimed.file_index.hunks, *claimed.file_index.placed)
        for line in hunk.lines
    ]
    path = claimed.matching.path.encode("utf-8", "surrogateescape")
    for name in _CODE_NAME.findall(anchor.text):
        if name in path or any(name in line for line in patch):
            continue
        if not claimed.file_index.containing(name):
            return bytes(name)
    return b""


def _find_anchor(anchor: Anchor, file_index: FileIndex) -> tuple[Sequence[int], bool]:
    """List where an anchor's text occurs, else what it names; tell whether as a whole line.

    A part of a line counts where the line names the same: `class Foo` is not `class FooBar`. A
    heading of git's may be cut off.
    """
    positions, whole = occurrences(anchor, file_index)
    if whole:
        return file_index.trimmed[anchor.text.strip()], True
    lines, text = file_index.lines, anchor.text.strip()
    name = claimed_name(text)
    if name is None:
        return _named_bare(text, positions, lines), False
    begun = [position for position in positions if _begins(lines[position].strip(), text)]
    return begun or _named(name, file_index), False


def _begins(line: bytes, text: bytes) -> bool:
    """Tell whether `text` begins `line`, and ends with a word, or where git cuts a heading off."""
    is_cut = len(text) >= _TRUNCATED - _MAX_CHARACTER
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
    if name.kind is Heading.LABEL:
        return line.strip().startswith(name.name + b":")
    found = name_of(line)
    return found is not None and found.matches(name)


_BARE = re.compile(rb"(?:[\w$]+(?:\.|::))*([\w$]+)(?:\([^()]*\))?:?")


def _named_bare(text: bytes, positions: Sequence[int], lines: Sequence[bytes]) -> list[int]:
    """List the definitions among the lines at `positions` that have the bare name `text`."""
    match = _BARE.fullmatch(text)
    if match is None:
        return list(positions)
    found = ((position, name_of(lines[position])) for position in positions)
    named = [position for position, name in found if name and name.name == match[1]]
    return named or list(positions)


def _has_kind(kind: Heading, file_index: FileIndex) -> bool:
    """Tell whether the file has headings of that kind: else the text was not meant as one."""
    lines = file_index.lines
    return kind is Heading.DEFINITION or any(
        is_certain(lines, position, kind) for position in file_index.headings[kind]
    )


def _is_explained(anchor: Anchor, claimed: Claimed, position: int | None = None) -> bool:
    """Tell whether the patch itself writes what the anchor names, or another hunk removed it.

    A hunk that shows the line at `position`, which has the anchor, only writes that one again.
    """
    found = None if position is None else claimed.file_index.lines[position].strip()
    return any(
        _is_meant(anchor, line.text)
        for hunk, prefixes in (
            *(
                (hunk, (Prefix.ADDED,))
                for hunk in claimed.file_index.hunks
                if all(line.text.strip() != found for line in hunk.preimage)
            ),
            *((hunk, (Prefix.ADDED, Prefix.REMOVED)) for hunk in claimed.file_index.placed),
        )
        for line in hunk.lines
        if line.prefix in prefixes
    )


def _is_meant(anchor: Anchor, line: bytes) -> bool:
    text = anchor.text.strip()
    is_in = re.search(rb"(?<![\w#=])" + re.escape(text), line) is not None
    if not is_in and (name := claimed_name(text)):
        return name.name in line and _names(line, name)
    return is_in


CLAIMS: tuple[Callable[[Claimed], Iterator[Answer]], ...] = (
    _ends_file,
    _has_no_newline,
    _is_at_its_number,
    _is_not_there,
    _names_what_is_above,
)
