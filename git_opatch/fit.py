"""The versions of a file that a patch fits, exactly: it may have been written for one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from git_opatch.blob import Blob, Entry
from git_opatch.options import Matching, Options, Tier
from git_opatch.outcome import Reason
from git_opatch.patch import FilePatch, Hunk, Operation, Patch
from git_opatch.plan import Plan, make_plan
from git_opatch.repository import Repository
from git_opatch.snapshot import Snapshot
from git_opatch.versions import Version

_LOST = {Reason.NOT_FOUND, Reason.CONTRADICTED}
UNFIT = {*_LOST, Reason.AMBIGUOUS, Reason.ALREADY_APPLIED}
"""Why hunks do not fit a file that may fit a version of it."""


class Stale(NamedTuple):
    """A file with hunks that do not fit it, and all sections of the patch that are for it.

    `lost` is whether one stands nowhere. Where all merely stand in several places, the patch may
    have been written for this very version, and only its own word can say otherwise.
    """

    present: Blob
    sections: tuple[FilePatch, ...]
    lost: bool

    @property
    def path(self) -> str:
        """The name that the patch calls it by."""
        return self.sections[0].path

    @property
    def stated(self) -> str:
        """The id of the blob that the patch says it was written for."""
        return next((one.blobs[0] for one in self.sections if one.blobs[0]), "")


class Fit(NamedTuple):
    """A version that the patch fits, exactly, and the diff that completes it there.

    Without a diff, it fits that version in several places.
    """

    version: Version
    diff: bytes


def stale_files(plan: Plan, patch: Patch, snapshot: Snapshot) -> Iterator[Stale]:
    """The files that a version is to be looked for."""
    reasons: dict[tuple[str, int], set[Reason]] = {}
    for failure in plan.failures:
        reasons.setdefault((failure.source, failure.section), set()).add(failure.reason)
    by_path: dict[str, list[FilePatch]] = {}
    for section in patch.files:
        for path in {section.old_path, section.new_path, section.alternate} - {None}:
            by_path.setdefault(path or "", []).append(section)
    for path, sections in by_path.items():
        present = snapshot.blobs.get(path)
        why = {one for it in sections for one in reasons.get((it.source, it.number), ())}
        if present is None or not why & (UNFIT - {Reason.ALREADY_APPLIED}) or why - UNFIT:
            continue
        alone = len(sections) == 1 or all(one.operation is Operation.UPDATE for one in sections)
        if alone and present.entry.mode.is_file and all(_is_edit(one, path) for one in sections):
            yield Stale(present, tuple(sections), bool(why & _LOST))


def _is_edit(section: FilePatch, path: str) -> bool:
    """Whether `section` changes lines of the file at `path`, and at most moves it besides."""
    there = section.operation in (Operation.UPDATE, Operation.MOVE) and bool(section.hunks)
    return there and not section.counted and path in (section.old_path, section.alternate)


def fits(
    stale: Stale, known: Sequence[Version], repository: Repository, options: Options
) -> list[Fit]:
    """The versions that the patch fits, newest first; alone the one that it names if it does."""
    wanted = [
        one for one in known if one.id != stale.present.entry.id and (stale.lost or one.stated)
    ]
    data = repository.read_blobs(one.id for one in wanted)
    found: list[Fit] = []
    for version in wanted:
        diff = _fitting(stale, version.id, data[version.id], repository, options)
        if diff is not None:
            found.append(Fit(version, diff))
            if version.stated:
                break
    return found


def _fitting(
    stale: Stale, blob: str, data: bytes, repository: Repository, options: Options
) -> bytes | None:
    """The completed diff against a version that the patch fits; empty if in several places."""
    if not all(_may_fit(hunk, data) for one in stale.sections for hunk in one.hunks):
        return None
    path = stale.present.path
    there = Blob(path, Entry(stale.present.entry.mode, blob), data)
    sections = tuple(
        replace(one, operation=Operation.UPDATE, old_path=path, new_path=path, alternate=None,
                old_mode=None, new_mode=None)
        for one in stale.sections
    )  # fmt: skip
    exactly = replace(
        options, matching=Matching(Tier.STRICT, can_loosen=False), partial=False, skip_applied=False
    )
    plan = make_plan(
        Patch(sections),
        Snapshot({path: there}, frozenset({path})),
        exactly,
        repository.algorithm,
        {},
    )
    if plan.failures:
        open_still = all(one.reason is Reason.AMBIGUOUS for one in plan.failures)
        return b"" if open_still else None
    return plan.completed.diff if all(one.placement.exact for one in plan.placed) else None


def _may_fit(hunk: Hunk, data: bytes) -> bool:
    """Whether the lines of `hunk` are in a file at all; most versions are told from others by that.

    Whether it fits, the planner says: here line ends are passed over.
    """
    if hunk.elisions:
        return True
    lines = b"\n".join(line.text.removesuffix(b"\r") for line in hunk.preimage)
    return lines in data.replace(b"\r\n", b"\n")
