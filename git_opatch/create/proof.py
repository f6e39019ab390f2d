"""Prove a created patch: read and plan it as `apply` does, and compare each path with the target.

The base is the old version of each changed file, in memory; nothing is written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from git_opatch.model.blob import ChangedFile, Entry
from git_opatch.model.errors import ParseError
from git_opatch.model.options import Options
from git_opatch.model.patch import Patch
from git_opatch.model.placement import Evidence
from git_opatch.operations.in_memory import plan_blobs
from git_opatch.parse import parse_patch
from git_opatch.plan.plan import Plan

_CERTAIN = (Evidence.UNIQUE, Evidence.ANCHOR)
_OPTIONS = Options()
NamedHunk = tuple[str, int]
"""The path of a hunk, and its number among all that the text has for that path, from 0."""


class Proof(NamedTuple):
    """What becomes of a patch.

    `wrong` has the paths that are not as they should be, and why; all of them if the text cannot be
    read. `doubtful` are the hunks that are refused, or placed by more than their own lines and
    anchors.
    """

    plan: Plan
    wrong: Mapping[str, str] = {}
    doubtful: frozenset[NamedHunk] = frozenset()


def prove(text: bytes, files: Sequence[ChangedFile], algorithm: str) -> Proof:
    """Apply the patch `text` to the old versions of `files` in memory."""
    before = {file.old.path: file.old for file in files if file.old}
    after = {file.new.path: file.new for file in files if file.new}
    try:
        patch = parse_patch(text)
    except ParseError as error:
        return Proof(Plan(), dict.fromkeys({**before, **after}, str(error).split("\n")[0]))
    plan = plan_blobs(patch, before, _OPTIONS, algorithm)
    wrong = {failure.path: failure.sentence for failure in reversed(plan.failures)}
    if not wrong:
        made = {change.path: change.new for change in plan.completed.changes}
        present: dict[str, Entry | None] = {path: before[path].entry for path in before}
        differing = [
            path
            for path in {**before, **after, **made}
            if {**present, **made}.get(path) != (after[path].entry if path in after else None)
        ]
        wrong = dict.fromkeys(differing, "it would give another version")
    return Proof(plan, wrong, frozenset(_doubtful(plan, patch)))


def _doubtful(plan: Plan, patch: Patch) -> Iterator[NamedHunk]:
    """Yield the hunks that are refused, or not found at one position only, as they are written, by
    what they say themselves."""
    names: dict[tuple[int, int], NamedHunk] = {}
    counts = Counter[str]()
    for section in patch.files:
        for hunk in section.hunks:
            names[section.number, hunk.ordinal] = (section.path, counts[section.path])
            counts[section.path] += 1
    keys = [(failure.section_line, failure.hunk) for failure in plan.failures]
    for section, placed in plan.placed:
        if not placed.exact or placed.evidence not in _CERTAIN:
            keys.append((section.number, placed.hunk.ordinal))
    return (names[key] for key in keys if key in names)
