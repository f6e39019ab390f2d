"""Where hunks were placed, as lines for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from git_opatch.model.failure import Failure
from git_opatch.model.patch import FilePatch, Patch, Prefix
from git_opatch.model.placement import Evidence, Likeness, Placement
from git_opatch.model.refusal import Spans
from git_opatch.model.selection import Key, Part, key_of
from git_opatch.model.text import visible
from git_opatch.plan.plan import PlacedHunk, Plan
from git_opatch.report.files import DIFF_STYLES, placed_by_file

_MAX_SHOWN = 20
_CONTEXT = 3
"""Lines shown above and below a hunk, as git does."""


_WHOLE = "ADRC"
"""Git's letters for the changes of files that may be one part."""


class Surroundings(NamedTuple):
    """Where a hunk was placed: its line, from 1, and the file's lines around what it shows."""

    line: int = 0
    above: Sequence[bytes] = ()
    below: Sequence[bytes] = ()
    deleted: Sequence[bytes] = ()
    """Instead of all that: the lines of a file that is deleted, which the patch does not show."""


class PartIds(NamedTuple):
    """The ids of a patch's parts, and by path those of the files that are one part each.

    `order` has the paths of its sections in the order of the text.
    """

    parts: Mapping[Key, str]
    files: Mapping[str, str]
    order: Mapping[str, int]


def details(plan: Plan, ids: PartIds) -> Iterator[str]:
    """List each file, and each hunk with its line, tier and evidence, for `show` and `-v`.

    The files are in the order of the patch; the diff has them in git's.
    """
    last = len(ids.order)
    for file, hunks in sorted(
        placed_by_file(plan),
        key=lambda each: min(ids.order.get(path, last) for path in each[0].paths),
    ):
        old = f"{visible(file.old_path)} => " if file.old_path != file.path else ""
        counts = "binary" if file.binary else f"+{file.added} -{file.removed}"
        yield f"{file.status} {old}{visible(file.path)} ({counts})"
        name = ids.files.get(file.path) or ids.files.get(file.old_path)
        if name and file.status in _WHOLE:
            yield f"  [{name}] the whole file"
        yield from (f"  {_id_of(placed, ids.parts)}{_describe(placed)}" for placed in hunks)


def verdicts(parts: Sequence[Part], plan: Plan, failures: Sequence[Failure]) -> Iterator[str]:
    """Say of each part of a refused patch where it would apply, or why it is refused.

    `plan` is of the parts that would. A part of a file that is refused as a whole is refused.
    """
    placed = {key_of(each.section, each.placement.hunk.ordinal): each for each in plan.placed}
    refused = refused_parts(parts, failures)
    for part in parts:
        if failure := refused.get(part.key):
            message = failure.message
            verdict = message if failure.already_applied else f"refused: {message}"
        elif found := placed.get(part.key):
            verdict = _where(found.placement)
        else:
            verdict = "would apply"
        yield f"{_name_of(part)}: {verdict}"


def left_out_verdicts(parts: Sequence[Part], plan: Plan) -> list[str]:
    """Say of each part that `plan` refuses why it is left out, and how to see more."""
    refused = refused_parts(parts, plan.failures)
    lines = [
        f"note: left out: {_name_of(part)}: refused: {refused[part.key].message}"
        for part in parts
        if part.key in refused
    ]
    return [*lines, "note: `git opatch show` shows more"] if lines else []


def refused_parts(parts: Sequence[Part], failures: Sequence[Failure]) -> Mapping[Key, Failure]:
    """Find the first failure of each part, or of its whole file."""
    by_key = {each.key: each for each in reversed(failures)}
    found = {part.key: by_key.get(part.key) or by_key.get(part.whole) for part in parts}
    return {key: failure for key, failure in found.items() if failure}


def surroundings_of(plan: Plan, patch: Patch) -> Mapping[Key, Surroundings]:
    """Find the lines around each hunk of `patch` that was placed, and of each deleted file.

    The paths of `patch` are resolved.
    """
    files = {
        each.old.path: () if each.binary else each.old.text.lines
        for each in plan.completed.results
        if each.old
    }
    deleted = {
        key_of(section, 0): Surroundings(deleted=files.get(section.path, ()))
        for section in patch.files
        if not section.has_content
    }
    return deleted | {
        key_of(placed.section, placed.placement.hunk.ordinal): _surroundings(
            placed.placement, files.get(placed.section.old_path or "", ())
        )
        for placed in plan.placed
    }


def _surroundings(placement: Placement, lines: Sequence[bytes]) -> Surroundings:
    """Find the file's `lines` around a hunk; none if the file was changed before it."""
    start, stop = placement.start, placement.stop
    if list(lines[start:stop]) != [line.text for line in placement.hunk.preimage]:
        return Surroundings(placement.line)
    shown = [line.prefix is Prefix.CONTEXT for line in placement.hunk.lines]
    above = _CONTEXT - _count_first(shown)
    below = _CONTEXT - _count_first(shown[::-1])
    first = max(start - max(above, 0), 0)
    return Surroundings(placement.line, lines[first:start], lines[stop : stop + max(below, 0)])


def _count_first(are_context: Sequence[bool]) -> int:
    return next((at for at, is_it in enumerate(are_context) if not is_it), len(are_context))


def _id_of(placed: PlacedHunk, ids: Mapping[Key, str]) -> str:
    name = ids.get(key_of(placed.section, placed.placement.hunk.ordinal))
    return f"[{name}] " if name else ""


def left_out_notes(parts: Sequence[Part]) -> list[str]:
    """Note what of a patch was not chosen: the part, or how many parts."""
    if len(parts) < 2:
        return [f"note: left out: {_name_of(part)}" for part in parts]
    files = len({part.section.path for part in parts})
    return [f"note: left out: {len(parts)} hunks in {files} file{'s' * (files > 1)}"]


def part_lines(part: Part, around: Surroundings | None = None) -> Iterator[Spans]:
    """Show a part of a patch as its text has it, with its name and what is around it, styled."""
    section, hunk = part.section, part.hunk
    where = f", line {around.line}" if around and around.line else ""
    yield [(f"{section.operation.value} {_name_of(part, _old_and_new(section))}{where}", "bold")]
    for gone in around.deleted if around else ():
        yield [(f"-{visible(gone, len(gone))}", DIFF_STYLES["-"])]
    for shown in section.hunks if hunk is None else [hunk]:
        anchors = b" ".join(anchor.text for anchor in shown.anchors)
        if hunk is not None:
            yield [(visible(b"@@ " + anchors).rstrip(), DIFF_STYLES["@"])]
        yield from _context_lines(around.above if around else ())
        for line in shown.lines:
            prefix = line.prefix.value
            text = visible(line.text, len(line.text))
            yield [(prefix + text, DIFF_STYLES.get(prefix, ""))]
        yield from _context_lines(around.below if around else ())


def _context_lines(lines: Sequence[bytes]) -> Iterator[Spans]:
    for line in lines:
        yield [(f" {visible(line, len(line))}", DIFF_STYLES.get(" ", ""))]


def _name_of(part: Part, path: str = "") -> str:
    name = f"[{part.id}] {path or visible(part.section.path)}"
    return (
        f"{name}: hunk {part.hunk.ordinal} of {part.section.hunks_in_text}" if part.hunk else name
    )


def _old_and_new(section: FilePatch) -> str:
    """Return the path of a section's file, and that which a move or copy gives it."""
    paths = dict.fromkeys(path for path in (section.old_path, section.new_path) if path)
    return " => ".join(map(visible, paths))


def loose_placements(plan: Plan, *, chosen_only: bool = False) -> list[str]:
    """Note each hunk that did not match exactly, or that was a choice between candidates."""
    loose = [
        placed
        for placed in plan.placed
        if placed.placement.evidence is Evidence.NEAREST
        or (tolerated(placed.placement) and not chosen_only)
    ]
    shown = [
        f"note: {visible(placed.section.path)}: {_describe(placed)}"
        for placed in loose[:_MAX_SHOWN]
    ]
    more = len(loose) - _MAX_SHOWN
    return [*shown, f"note: and {more} more; see -v"] if more > 0 else shown


def _describe(placed: PlacedHunk) -> str:
    return f"hunk {placed.placement.hunk.ordinal} of {placed.section.hunks_in_text}: " + _where(
        placed.placement
    )


def _where(placement: Placement) -> str:
    differences = "".join(f"; {difference}" for difference in tolerated(placement))
    where = f"line {placement.start + 1}, {placement.tier.value} ({_evidence(placement)})"
    return where + differences


def _evidence(placement: Placement) -> str:
    """Say what decided between the candidates."""
    if placement.evidence is Evidence.NEAREST:
        return f"nearest of {placement.candidate_count} candidates"
    return str(placement.evidence.value)


def tolerated(placement: Placement) -> list[str]:
    """List the differences that were tolerated."""
    if not placement.likeness:
        return list(placement.repairs)
    counts = Counter(placement.likeness)
    differences = [
        f"{count} line{'s differ' if count > 1 else ' differs'} in {likeness.value}"
        for likeness in Likeness
        if likeness is not Likeness.EXACT and (count := counts[likeness])
    ]
    return [*differences, *placement.repairs]
