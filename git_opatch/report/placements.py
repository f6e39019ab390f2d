"""Where hunks were placed: the files of a plan with their hunks, and lines for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from git_opatch.complete import FileSummary
from git_opatch.model.failure import Failure
from git_opatch.model.patch import Patch
from git_opatch.model.paths import quote
from git_opatch.model.placement import Evidence, Likeness, Placement
from git_opatch.model.selection import Key, Part, key_of
from git_opatch.model.text import visible
from git_opatch.plan.plan import PlacedHunk, Plan

_MAX_SHOWN = 20
_WHOLE = "ADRC"
"""Git's letters for the changes of files that may be one part."""
UNCHANGED = "="
"""The status of a file that hunks were placed in, but that is not changed by them together."""


def placed_by_file(plan: Plan) -> list[tuple[FileSummary, list[PlacedHunk]]]:
    """List each file of the plan with its hunks; unchanged files come last."""
    files = {file.path: file for file in plan.completed.files}
    moved = {file.old_path: file for file in reversed(plan.completed.files)}
    found: dict[FileSummary, list[PlacedHunk]] = {file: [] for file in plan.completed.files}
    for placed in plan.placed:
        section = placed.section
        names = [name for name in (section.new_path, section.old_path, section.alternate) if name]
        known = [paths[name] for name in names for paths in (files, moved) if name in paths]
        file = known[0] if known else FileSummary(UNCHANGED, names[0], names[0], 0, 0)
        found.setdefault(file, []).append(placed)
    return list(found.items())


def hunk_names(parts: Iterable[Part]) -> bytes:
    """List the id and the name of each part of a patch, as `--only` takes them."""
    named = (
        (part.id, f"{part.section.path}:{part.hunk.ordinal}" if part.hunk else part.section.path)
        for part in parts
    )
    return b"".join(f"{part}\t{quote(name)}\n".encode() for part, name in named)


def details(plan: Plan, patch: Patch, ids: Mapping[Key, str]) -> Iterator[str]:
    """List each file, and each hunk with its line, tier and evidence, for `show` and `-v`.

    The files are in the order of the patch; the diff has them in git's. `ids` are those of the
    patch's parts: a file that is one part, such as an added one, has an id of its own.
    """
    order: dict[str, int] = {}
    names: dict[str | None, str] = {}
    for section in patch.files:
        for path in section.names:
            order.setdefault(path, len(order))
        if name := ids.get(key_of(section, 0)):
            names |= dict.fromkeys((section.old_path, section.new_path), name)
    last = len(order)
    for file, hunks in sorted(
        placed_by_file(plan), key=lambda pair: min(order.get(path, last) for path in pair[0].paths)
    ):
        old = f"{visible(file.old_path)} => " if file.old_path != file.path else ""
        counts = "binary" if file.binary else f"+{file.added} -{file.removed}"
        yield f"{file.status} {old}{visible(file.path)} ({counts})"
        name = names.get(file.path) or names.get(file.old_path)
        if name and file.status in _WHOLE:
            yield f"  [{name}] the whole file"
        yield from (f"  {_id_of(placed, ids)}{_describe(placed)}" for placed in hunks)


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
    by_key = {failure.key: failure for failure in reversed(failures)}
    found = {part.key: [by_key[key] for key in part.keys if key in by_key] for part in parts}
    return {key: failures[0] for key, failures in found.items() if failures}


def _id_of(placed: PlacedHunk, ids: Mapping[Key, str]) -> str:
    name = ids.get(key_of(placed.section, placed.placement.hunk.ordinal))
    return f"[{name}] " if name else ""


def left_out_notes(parts: Sequence[Part]) -> list[str]:
    """Note what of a patch was not chosen: the part, or how many parts."""
    if len(parts) < 2:
        return [f"note: left out: {_name_of(part)}" for part in parts]
    files = len({part.section.path for part in parts})
    return [f"note: left out: {len(parts)} hunks in {files} file{'s' * (files > 1)}"]


def _name_of(part: Part) -> str:
    name = f"[{part.id}] {visible(part.section.path)}"
    return (
        f"{name}: hunk {part.hunk.ordinal} of {part.section.hunks_in_text}" if part.hunk else name
    )


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
    return f"hunk {placed.placement.hunk.ordinal} of {placed.section.hunks_in_text}: " + where(
        placed.placement
    )


def where(placement: Placement) -> str:
    """Say where a hunk is placed, and what decided it: "line 5, strict (unique)"."""
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
    counts = Counter(placement.likeness)
    differences = [
        f"{count} line{'s differ' if count > 1 else ' differs'} in {likeness.value}"
        for likeness in Likeness
        if likeness is not Likeness.EXACT and (count := counts[likeness])
    ]
    return [*differences, *(repair.value for repair in placement.repairs)]
