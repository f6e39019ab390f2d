"""Create a patch from what changed: the inverse of applying one.

`limits` says what a format cannot express. Of the other files `hunks` lists the runs of lines that
differ, and makes the patch of them as values; `writers` makes its text. `proof` applies that to the
base in memory: it gives the target, or hunks get more context, or it is not used. Both versions of
each file are from `git.changes`. `from_repository` is all of it, for Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from git_opatch.create.hunks import HunkRange, hunk_ranges, line_changes, make_section, merged
from git_opatch.create.limits import obstacle
from git_opatch.create.proof import Proof, prove
from git_opatch.create.writers import write
from git_opatch.model.blob import ChangedFile
from git_opatch.model.errors import OpatchError
from git_opatch.model.limits import SHOWN
from git_opatch.model.options import Format
from git_opatch.model.text import visible
from git_opatch.plan.plan import Plan


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
    drafts = [_draft(file, wanted.context) for file in _parts(changed, wanted.patch_format)]
    created, proof = _proved(drafts, wanted)
    doubted = {path for path, _ in proof.doubtful} | proof.wrong.keys()
    if wanted.context is None and doubted:
        drafts = [_settled(each, wanted) if doubted & each.paths else each for each in drafts]
        created, proof = _proved(drafts, wanted)
    if proof.wrong:
        raise NotExpressibleError(_reasons(drafts, proof, wanted))
    return created._replace(files=len(changed))


class _Draft(NamedTuple):
    """A file, and its hunks as they stand."""

    file: ChangedFile
    ranges: Sequence[HunkRange]

    @property
    def paths(self) -> set[str]:
        """The paths of both versions."""
        return {blob.path for blob in self.file if blob is not None}


def _draft(file: ChangedFile, context: int | None) -> _Draft:
    """Begin with the hunks that may do; there are none where there are not two versions."""
    old, new = file
    if not old or not new or old.entry.id == new.entry.id:
        return _Draft(file, ())
    changes = line_changes(old.text, new.text)
    return _Draft(file, hunk_ranges(changes, len(old.text.lines), context))


def _proved(drafts: Sequence[_Draft], wanted: Wanted) -> tuple[CreatedPatch, Proof]:
    """Write the sections of `drafts`, and prove them."""
    sections = [make_section(draft.file, draft.ranges) for draft in drafts]
    text = write(sections, wanted.patch_format)
    proof = prove(text, [draft.file for draft in drafts], wanted.algorithm)
    hunks = sum(len(section.hunks) for section in sections)
    return CreatedPatch(text, len(drafts), hunks, proof.plan), proof


def _settled(draft: _Draft, wanted: Wanted) -> _Draft:
    """Give more context to the hunks of a file that are in doubt, as long as there is more.

    The file is proved by itself. With doubts that nothing ends, it is the last that was right.
    """
    right = None
    while True:
        _, proof = _proved([draft], wanted)
        right = right if proof.wrong else draft
        wider = draft._replace(ranges=merged(_widened(draft, proof)))
        if wider.ranges == draft.ranges:
            return right or draft
        draft = wider


def _obstacles(files: Iterable[ChangedFile], patch_format: Format) -> Iterator[tuple[str, str]]:
    """Yield the files that a format cannot express, each with the reason."""
    for file in _parts(files, patch_format):
        if found := obstacle(file, patch_format):
            yield file.old_path, f"{patch_format.value} cannot {found}"


def _parts(files: Iterable[ChangedFile], patch_format: Format) -> list[ChangedFile]:
    """List `files`, those first that are removed or moved: they may be in the way of the rest.

    One that is renamed is two where a format can only delete and add it.
    """
    splits = patch_format is Format.OPERATIONS
    parts: list[ChangedFile] = []
    for file in files:
        is_two = splits and file.is_renamed
        parts += [file._replace(new=None), file._replace(old=None)] if is_two else [file]
    return sorted(parts, key=lambda part: part.new is not None and not part.is_renamed)


def _widened(draft: _Draft, proof: Proof) -> list[HunkRange]:
    """Give more context to the hunks that the proof doubts, or to all of a file that is wrong
    otherwise."""
    numbers = {number for path, number in proof.doubtful if path in draft.paths}
    is_all = not numbers and not draft.paths.isdisjoint(proof.wrong)
    return [
        each.wider() if is_all or number in numbers else each
        for number, each in enumerate(draft.ranges)
    ]


def _reasons(drafts: Sequence[_Draft], proof: Proof, wanted: Wanted) -> list[tuple[str, str]]:
    """List the files whose sections are wrong by themselves, and why; or what all of them are."""
    what = f"{wanted.patch_format.value} cannot express its new version"
    if wanted.context is not None:
        what = f"{wanted.context} lines of context do not give its new version"
    reasons = [
        (draft.file.old_path, f"{what}: {why}")
        for draft in drafts
        for why in [*_proved([draft], wanted)[1].wrong.values()][:1]
    ]
    if not reasons:
        why = next(iter(proof.wrong.values()))
        reasons = [("", f"the sections are right one by one, but not together: {why}")]
    return reasons
