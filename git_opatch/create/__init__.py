"""Create a patch from what changed: the inverse of applying one.

`limits` says what a format cannot express. Of the other files `line_changes` lists the runs of
lines that differ, and `context` how little context each needs. `sections` makes the patch as
values, `writers` its text. `proof` applies that to the base in memory: it gives the target, or is
not used. All sections are proved together first, then by themselves those that leave a doubt. Both
versions of each file are from `git.changes`. `from_repository` is all of it, for Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from git_opatch.create.context import HunkRange, OldFile
from git_opatch.create.limits import obstacle
from git_opatch.create.line_changes import line_changes
from git_opatch.create.proof import Proof, prove
from git_opatch.create.sections import make_section
from git_opatch.create.writers import writer_of
from git_opatch.git.changes import ChangedFile
from git_opatch.model.errors import OpatchError
from git_opatch.model.limits import SHOWN
from git_opatch.model.options import Format
from git_opatch.model.patch import FilePatch
from git_opatch.model.text import Text, visible
from git_opatch.plan.plan import Plan

_WITH_ANCHORS = (Format.ENVELOPE, Format.UNIFIED, Format.FILE_CHANGES, Format.OPERATIONS)


class Wanted(NamedTuple):
    """How to write a patch; `algorithm` is the hash of the blobs, "sha1" or "sha256"."""

    patch_format: Format = Format.ENVELOPE
    context: int | None = None
    """Lines of context on each side of a change; None for as few as are needed."""
    algorithm: str = "sha1"


class CreatedPatch(NamedTuple):
    """A patch that was proved: its text, and how many files and hunks it has.

    `plan` is the proof: its completed diff, of the old versions, gives the new ones. None for a
    patch of nothing.
    """

    text: bytes
    files: int
    hunks: int
    plan: Plan | None = None


class NotExpressibleError(OpatchError):
    """No patch of the format says what changed; `reasons` has each file that it cannot express.

    `others` are formats without the limits that are exceeded. What is the same for several files
    is one line.
    """

    def __init__(self, reasons: Sequence[tuple[str, str]], others: Sequence[Format]) -> None:
        paths: dict[str, list[str]] = {}
        for path, reason in reasons:
            paths.setdefault(reason, []).append(visible(path))
        lines = [_line(files, reason) for reason, files in paths.items()]
        names = ", ".join(other.value for other in others)
        advice = f"\n  formats that can: {names}" if names else ""
        super().__init__("\nerror: ".join(lines) + advice)
        self.reasons = tuple(reasons)
        self.others = tuple(others)


def _line(paths: Sequence[str], reason: str) -> str:
    more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
    return f"{', '.join(paths[:SHOWN])}{more}: {visible(reason)}".removeprefix(": ")


def write_patch(files: Iterable[ChangedFile], wanted: Wanted) -> CreatedPatch:
    """Write the patch that turns the old version of all `files` into the new one, and prove it.

    Raises `NotExpressibleError` if no patch of the format does, and so nothing is written.
    """
    changed = list(files)
    parts = sorted(_parts(changed, wanted.patch_format), key=_removes_last)
    reasons = [
        (file.path, f"{wanted.patch_format.value} cannot {found}")
        for file in parts
        if (found := obstacle(file, wanted.patch_format))
    ]
    if reasons:
        raise NotExpressibleError(list(dict.fromkeys(reasons)), _others(changed, wanted))
    drafts = [_draft(file, wanted) for file in parts]
    text, proof = _written(drafts, changed, wanted)
    if not _suffices(proof, wanted):
        drafts = [_settled(draft, proof, wanted) for draft in drafts]
        reasons = [(draft.file.path, draft.reason) for draft in drafts if draft.reason]
        if reasons:
            raise NotExpressibleError(reasons, ())
        text, proof = _written(drafts, changed, wanted)
    if not proof.holds:
        reason = f"the sections are right one by one, but not together: {proof.reason}"
        raise NotExpressibleError([("", reason)], ())
    hunks = sum(len(draft.section.hunks) for draft in drafts)
    return CreatedPatch(text, len(changed), hunks, proof.plan)


def _parts(files: Iterable[ChangedFile], patch_format: Format) -> Iterator[ChangedFile]:
    """Split the files that are renamed where a format can only delete and add them."""
    for file in files:
        if file.is_renamed and patch_format is Format.OPERATIONS:
            yield file._replace(new=None)
            yield file._replace(old=None)
        else:
            yield file


def _removes_last(file: ChangedFile) -> bool:
    """Return whether `file` stays where it is: what is removed or moved may be in the way of the
    rest."""
    return not (file.new is None or file.is_renamed)


def _others(files: Sequence[ChangedFile], wanted: Wanted) -> list[Format]:
    """List the formats whose limits none of the files exceeds."""
    return [
        other
        for other in Format
        if other is not wanted.patch_format
        and not any(obstacle(file, other) for file in _parts(files, other))
    ]


class _Draft(NamedTuple):
    """The section of a file as it stands, its hunks, or why there is none that gives the target."""

    file: ChangedFile
    section: FilePatch
    old_file: OldFile
    ranges: Sequence[HunkRange]
    reason: str = ""


def _draft(file: ChangedFile, wanted: Wanted) -> _Draft:
    """Make the section of `file` with the context that should do."""
    old_file, ranges = _first_ranges(file, wanted)
    return _Draft(file, make_section(file, ranges), old_file, ranges)


def _written(
    drafts: Sequence[_Draft], changed: Sequence[ChangedFile], wanted: Wanted
) -> tuple[bytes, Proof]:
    """Write the sections of `drafts`, and prove that they turn all of `changed` into the target."""
    if not drafts:
        return b"", Proof()
    text = writer_of(wanted.patch_format)([draft.section for draft in drafts])
    return text, prove(text, changed, wanted.algorithm)


def _suffices(proof: Proof, wanted: Wanted) -> bool:
    """Return whether the target is reached, and by what each hunk says itself if that is wanted."""
    return proof.holds and (not proof.doubtful or wanted.context is not None)


def _settled(draft: _Draft, together: Proof, wanted: Wanted) -> _Draft:
    """Prove the section of `draft` by itself, unless all sections `together` left no doubt of it.

    Hunks that are not found for certain get more context, until all have the whole file.
    """
    file, old_file, ranges = draft.file, draft.old_file, draft.ranges
    if together.holds and not together.doubtful_paths & _paths(file):
        return draft
    fallback = None
    while True:
        section = make_section(file, ranges)
        _, proof = _written([draft._replace(section=section)], [file], wanted)
        if _suffices(proof, wanted):
            return draft._replace(section=section)
        fallback = section if proof.holds else fallback
        wider = old_file.settled(_widened(ranges, proof))
        if wider == ranges:
            reason = "" if fallback else _reason(proof, wanted)
            return draft._replace(section=fallback or section, reason=reason)
        ranges = wider


def _paths(file: ChangedFile) -> set[str]:
    return {blob.path for blob in file if blob is not None}


def _reason(proof: Proof, wanted: Wanted) -> str:
    """Say why no section gives the new version."""
    what = f"{wanted.patch_format.value} cannot express its new version"
    if wanted.context is not None:
        what = f"{wanted.context} lines of context do not give its new version"
    return f"{what}: {proof.reason}"


def _first_ranges(file: ChangedFile, wanted: Wanted) -> tuple[OldFile, list[HunkRange]]:
    """Return the hunks of a file with two versions, with as little context as is wanted."""
    if file.old is None or file.new is None or file.old.entry.id == file.new.entry.id:
        return OldFile(Text([]), anchors=False), []
    old, new = file.old.text, file.new.text
    old_file, changes = (
        OldFile(old, anchors=wanted.patch_format in _WITH_ANCHORS),
        line_changes(old, new),
    )
    if wanted.context is not None:
        return old_file, old_file.fixed(changes, wanted.context)
    return old_file, old_file.minimal(changes)


def _widened(ranges: Sequence[HunkRange], proof: Proof) -> list[HunkRange]:
    """Give more context to the hunks that the proof doubts, or to all if it names none."""
    return [
        each.wider() if not proof.doubtful or number in proof.doubtful else each
        for number, each in enumerate(ranges)
    ]
