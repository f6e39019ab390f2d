"""Prove a created patch: read and plan it as `apply` does, and compare each path with the target.

The base is the old version of each changed file, in memory; nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from git_opatch.git.changes import ChangedFile
from git_opatch.model.blob import Change
from git_opatch.model.errors import ParseError
from git_opatch.model.options import Options, Tier
from git_opatch.model.patch import Patch
from git_opatch.model.placement import Evidence, Placement
from git_opatch.operations.in_memory import plan_blobs
from git_opatch.parse import parse_patch
from git_opatch.plan.plan import Plan

_CERTAIN = (Evidence.UNIQUE, Evidence.ANCHOR)
_OPTIONS = Options()


class Proof(NamedTuple):
    """What became of a patch: why it is refused, or reads as something else; empty if it is right.

    `doubtful` are its hunks, counted from 0 through the whole text, that are refused, or placed by
    more than their own lines and anchors. Empty with a `reason` if that is not known.
    `doubtful_paths` are their files, where the patch is right. `plan` is what it was planned as.
    """

    reason: str = ""
    doubtful: frozenset[int] = frozenset()
    doubtful_paths: frozenset[str] = frozenset()
    plan: Plan | None = None

    @property
    def holds(self) -> bool:
        """Whether the patch gives the target."""
        return not self.reason


def prove(text: bytes, files: Sequence[ChangedFile], algorithm: str) -> Proof:
    """Apply the patch `text` to the old versions of `files` in memory."""
    try:
        patch = parse_patch(text)
    except ParseError as error:
        return Proof(str(error).split("\n")[0])
    blobs = {file.old.path: file.old for file in files if file.old is not None}
    plan = plan_blobs(patch, blobs, _OPTIONS, algorithm)
    numbers = _hunk_numbers(patch)
    if plan.failures:
        return Proof(
            plan.failures[0].sentence,
            frozenset(
                numbers[key]
                for failure in plan.failures
                if (key := (failure.section_line, failure.hunk)) in numbers
            ),
        )
    if _by_path(plan.completed.changes) != _target(files):
        return Proof("it would give another version")
    doubtful = dict(_doubtful(plan, numbers))
    return Proof("", frozenset(doubtful), frozenset(doubtful.values()), plan)


def _hunk_numbers(patch: Patch) -> dict[tuple[int, int], int]:
    """Number the hunks of the text, by the line of their section and their ordinal in it."""
    keys = ((section.number, hunk.ordinal) for section in patch.files for hunk in section.hunks)
    return {key: number for number, key in enumerate(keys)}


def _doubtful(plan: Plan, numbers: dict[tuple[int, int], int]) -> Iterable[tuple[int, str]]:
    """Yield the number of each hunk that is not certain, and its file."""
    for section, placement in plan.placed:
        key = (section.number, placement.hunk.ordinal)
        if not _is_certain(placement) and key in numbers:
            yield numbers[key], section.path


def _is_certain(placement: Placement) -> bool:
    """Return whether a hunk was found at one position only, as it is written, by what it says
    itself."""
    is_exact = placement.tier is Tier.STRICT and not placement.repairs
    return is_exact and placement.evidence in _CERTAIN


def _by_path(changes: Iterable[Change]) -> dict[str, Change]:
    return {change.path: change for change in changes if change.old != change.new}


def _target(files: Iterable[ChangedFile]) -> dict[str, Change]:
    """The change of each path; of a renamed file, of two."""
    found: dict[str, Change] = {}
    for old, new in files:
        paths = dict.fromkeys(blob.path for blob in (old, new) if blob is not None)
        for path in paths:
            before = found.get(path, Change(path, None, None))
            found[path] = Change(
                path,
                old.entry if old and old.path == path else before.old,
                new.entry if new and new.path == path else before.new,
            )
    return _by_path(found.values())
