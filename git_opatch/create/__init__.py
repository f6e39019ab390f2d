"""Create a patch from what changed: the inverse of applying one.

`limits` says what a format cannot express. Of the other files `context` lists the runs of lines
that differ, and how little context each needs. `sections` makes the patch as values, `writers` its
text. `proof` applies that to the base in memory: it gives the target, or is not used. Both versions
of each file are from `git.changes`. `from_repository` is all of it, for Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from git_opatch.create.context import HunkRange, LineChange, OldFile, line_changes
from git_opatch.create.limits import obstacle
from git_opatch.create.proof import Proof, prove
from git_opatch.create.sections import make_section
from git_opatch.create.writers import write
from git_opatch.git.changes import ChangedFile
from git_opatch.model.errors import OpatchError
from git_opatch.model.limits import SHOWN
from git_opatch.model.options import Format
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

    def __init__(self, reasons: Sequence[tuple[str, str]], others: Sequence[Format] = ()) -> None:
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

    Hunks that are not found for certain get more context, until all have the whole file. Raises
    `NotExpressibleError` if no patch of the format does, and so nothing is written.
    """
    changed = list(files)
    if reasons := list(dict.fromkeys(_obstacles(changed, wanted.patch_format))):
        others = [each for each in Format if not any(_obstacles(changed, each))]
        raise NotExpressibleError(reasons, others)
    if not changed:
        return CreatedPatch(b"", 0, 0)
    parts = sorted(_parts(changed, wanted.patch_format), key=_stays)
    anchors = wanted.patch_format in _WITH_ANCHORS
    old_files = [
        OldFile(file.old.text if file.old else Text([]), anchors=anchors) for file in parts
    ]
    ranges = [
        old_file.hunks(_changes(file), wanted.context)
        for file, old_file in zip(parts, old_files, strict=True)
    ]
    created, proof = _proved(parts, ranges, wanted)
    if wanted.context is None and (proof.doubtful or proof.wrong):
        ranges = [
            _settled(*each, proof, wanted) for each in zip(parts, old_files, ranges, strict=True)
        ]
        created, proof = _proved(parts, ranges, wanted)
    if proof.wrong:
        raise NotExpressibleError([*_reasons(parts, ranges, proof, wanted)])
    return created._replace(files=len(changed))


def _proved(
    parts: Sequence[ChangedFile], ranges: Sequence[Sequence[HunkRange]], wanted: Wanted
) -> tuple[CreatedPatch, Proof]:
    """Write the sections of `parts`, and prove them."""
    sections = [make_section(*each) for each in zip(parts, ranges, strict=True)]
    text = write(sections, wanted.patch_format)
    proof = prove(text, parts, wanted.algorithm)
    hunks = sum(len(section.hunks) for section in sections)
    return CreatedPatch(text, len(parts), hunks, proof.plan), proof


def _settled(
    file: ChangedFile,
    old_file: OldFile,
    ranges: list[HunkRange],
    together: Proof,
    wanted: Wanted,
) -> list[HunkRange]:
    """Give more context to the hunks of a file that are in doubt, as long as there is more.

    The file is proved by itself, unless all of them `together` left no doubt of it.
    """
    proof, right = together, None
    if not _paths(file).isdisjoint(together.wrong):
        _, proof = _proved([file], [ranges], wanted)
    while True:
        right = right if proof.wrong else ranges
        wider = old_file.merged(_widened(file, ranges, proof))
        if wider == ranges:
            return right or ranges
        ranges = wider
        _, proof = _proved([file], [ranges], wanted)


def _obstacles(files: Iterable[ChangedFile], patch_format: Format) -> Iterator[tuple[str, str]]:
    """Yield the files that a format cannot express, each with the reason."""
    for file in sorted(_parts(files, patch_format), key=_stays):
        if found := obstacle(file, patch_format):
            yield file.path, f"{patch_format.value} cannot {found}"


def _parts(files: Iterable[ChangedFile], patch_format: Format) -> Iterator[ChangedFile]:
    """Split the files that are renamed where a format can only delete and add them."""
    for file in files:
        if file.is_renamed and patch_format is Format.OPERATIONS:
            yield file._replace(new=None)
            yield file._replace(old=None)
        else:
            yield file


def _stays(file: ChangedFile) -> bool:
    """Return whether `file` stays where it is: what is removed or moved may be in the way of the
    rest."""
    return not (file.new is None or file.is_renamed)


def _changes(file: ChangedFile) -> list[LineChange]:
    """List what differs between the two versions of a file; nothing where there are not two."""
    if file.old is None or file.new is None or file.old.entry.id == file.new.entry.id:
        return []
    return line_changes(file.old.text, file.new.text)


def _paths(file: ChangedFile) -> set[str]:
    return {blob.path for blob in file if blob is not None}


def _widened(file: ChangedFile, ranges: Sequence[HunkRange], proof: Proof) -> list[HunkRange]:
    """Give more context to the hunks that the proof doubts, or to all of a file that is wrong
    otherwise."""
    paths = _paths(file)
    numbers = {number for path, number in proof.doubtful if path in paths}
    is_all = not numbers and not paths.isdisjoint(proof.wrong)
    return [
        each.wider() if is_all or number in numbers else each for number, each in enumerate(ranges)
    ]


def _reasons(
    parts: Sequence[ChangedFile],
    ranges: Sequence[Sequence[HunkRange]],
    proof: Proof,
    wanted: Wanted,
) -> Iterator[tuple[str, str]]:
    """Yield the files whose sections are wrong by themselves, and why; or what all of them are."""
    what = f"{wanted.patch_format.value} cannot express its new version"
    if wanted.context is not None:
        what = f"{wanted.context} lines of context do not give its new version"
    is_one = False
    for file, its in zip(parts, ranges, strict=True):
        for why in list(_proved([file], [its], wanted)[1].wrong.values())[:1]:
            is_one = True
            yield file.path, f"{what}: {why}"
    if not is_one:
        why = next(iter(proof.wrong.values()))
        yield "", f"the sections are right one by one, but not together: {why}"
