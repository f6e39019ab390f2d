"""The parts of a patch that can be applied alone, their ids, and the choice of some of them.

A part is a hunk of a file that is updated, moved or copied, and otherwise a whole section, such as
an added file. Its id comes from its path and its lines, so that it is the same in another patch and
after other parts are gone. It is shortened as git shortens object names (D160).
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from git_opatch.model.errors import UsageError
from git_opatch.model.failure import Failure
from git_opatch.model.patch import FilePatch, Hunk, Mail, Operation, Patch, Prefix
from git_opatch.model.paths import normalise
from git_opatch.model.text import visible

_SHORTEST_ID = 4
"""As core.abbrev of git allows; less could be taken for a number."""

_MARKS = {prefix: prefix.value.encode() for prefix in Prefix}

Key = tuple[str, int, int]
"""What a part is known by: source, line of its section in the text, and ordinal of its hunk."""


_OF_LINES = (Operation.UPDATE, Operation.APPEND)


class Part(NamedTuple):
    """A part of a patch; `hunk` is None for a whole section.

    `id` is as short as is unique in the patch, `full_id` has all digits.
    """

    id: str
    section: FilePatch
    hunk: Hunk | None
    full_id: str

    @property
    def key(self) -> Key:
        """What this part is known by."""
        return key_of(self.section, self.hunk.ordinal if self.hunk else 0)

    @property
    def keys(self) -> tuple[Key, ...]:
        """What a refusal of this part is known by: as itself, its section, or a hunk of a whole
        one."""
        hunks = (self.hunk,) if self.hunk else self.section.hunks
        return (*(key_of(self.section, hunk.ordinal) for hunk in hunks), key_of(self.section, 0))


class Selected(NamedTuple):
    """A patch with the parts that were chosen, and those that were left out, in order."""

    patch: Patch
    left_out: tuple[Part, ...] = ()


def key_of(section: FilePatch, ordinal: int) -> Key:
    """Return what the hunk with that `ordinal`, or the whole section for 0, is known by."""
    return section.source, section.number, ordinal


def parts_of(patch: Patch) -> list[Part]:
    """List the parts of `patch` with their ids, in order."""
    unnamed = [(section, hunk) for section in patch.files for hunk in _hunks_to_choose(section)]
    seen: Counter[bytes] = Counter()
    digests = []
    for section, hunk in unnamed:
        content = _content(section, hunk)
        digests.append(hashlib.sha1(b"%d\0" % seen[content] + content, usedforsecurity=False))
        seen[content] += 1
    full = [digest.hexdigest() for digest in digests]
    size = _unique_length(full)
    return [Part(name[:size], *part, name) for name, part in zip(full, unnamed, strict=True)]


def ids_of(patch: Patch) -> dict[Key, str]:
    """Return the id of each part of `patch`; a hunk of a whole section has that section's."""
    parts = parts_of(patch)
    return {key: part.id for part in parts for key in (part.keys if not part.hunk else (part.key,))}


def select(
    patch: Patch,
    only: Sequence[str],
    leave_out: Sequence[str],
    resolved: Patch | None = None,
    top: str = "",
) -> Selected:
    """Choose the parts that `only` names (all, if it is empty), without those of `leave_out`.

    A name is an id or the beginning of one, `PATH`, or `PATH:N` for the hunk with that ordinal.
    A path is as `patch` has it, or as `resolved`, which is `patch` with its paths resolved; it may
    be absolute, in the working tree at `top`. Raises `UsageError` if a name is of no part or of
    several ids, or if nothing is left.
    """
    if not only and not leave_out:
        return Selected(patch)
    parts = parts_of(patch)
    paths: dict[Key, set[str]] = {part.key: {*part.section.names} for part in parts}
    for part in parts_of(resolved) if resolved else ():
        paths[part.key] |= {*part.section.names}

    def named(names: Sequence[str]) -> set[Key]:
        return {part.key for name in names for part in _named(name, parts, paths, top)}

    chosen = named(only) if only else {part.key for part in parts}
    chosen -= named(leave_out)
    if not chosen:
        raise UsageError("nothing of the patch is left to apply")
    return keep(patch, [part for part in parts if part.key not in chosen])


def _named(
    name: str, parts: Sequence[Part], paths: Mapping[Key, Set[str]], top: str
) -> Sequence[Part]:
    """Return the parts that `name` means: a path first, as ids are not made by people."""
    if found := _of_path(name, parts, paths, top):
        return found
    path, _, ordinal = name.rpartition(":")
    in_file = _of_path(path, parts, paths, top) if ordinal.isdecimal() else []
    found = [part for part in in_file if part.hunk and part.hunk.ordinal == int(ordinal)]
    digits = name.strip("[]")  # in which ids are shown
    if not in_file and len(digits) >= _SHORTEST_ID:
        found = [part for part in parts if part.full_id.startswith(digits)]
    if len(found) != 1:
        what = f"means {len(found)} hunks" if found else "is not a hunk or file of this patch"
        raise UsageError(f"`{visible(name)}` {what}; `git opatch show --hunks` lists them")
    return found


def _of_path(
    path: str, parts: Sequence[Part], paths: Mapping[Key, Set[str]], top: str
) -> list[Part]:
    """Return the parts of a file, or of all files below a directory."""
    if path and os.path.normpath(path) == os.curdir:
        return [*parts]
    names = {path, normalise(path, "", top)} - {""}
    below = tuple(f"{name.rstrip('/')}/" for name in names)
    return [
        part
        for part in parts
        if names & paths[part.key] or any(known.startswith(below) for known in paths[part.key])
    ]


def keep(patch: Patch, left_out: Sequence[Part]) -> Selected:
    """Leave parts out of `patch`, not all of them; hunks keep their ordinals."""
    if not left_out:
        return Selected(patch)
    keys = {part.key for part in left_out}
    kept = [_without(section, keys) for section in patch.files]
    files = tuple(section for section in kept if section is not None)
    digest = hashlib.sha256(os.fsencode(patch.digest))
    digest.update("\0".join(part.id for part in left_out).encode())
    mails = tuple(_mails(patch.mails, kept))
    part = Patch(files, digest.hexdigest(), mails, is_part=True, notes=patch.notes)
    return Selected(part, tuple(left_out))


def _hunks_to_choose(section: FilePatch) -> Sequence[Hunk | None]:
    return section.hunks if section.has_parts else (None,)


def _content(section: FilePatch, hunk: Hunk | None) -> bytes:
    """Return what identifies a part: its file, what becomes of it, and its lines."""
    hunks = section.hunks if hunk is None else [hunk]
    names = (section.operation.value, section.old_path or "", section.new_path or "")
    lines = (line for part in hunks for line in part.lines)
    return b"\0".join(
        [
            *map(os.fsencode, names),
            *(anchor.text for part in hunks for anchor in part.anchors),
            *[_MARKS[line.prefix] + line.text for line in lines],
        ]
    )


def _unique_length(ids: Sequence[str]) -> int:
    """Return how many digits are needed so that no two `ids` are alike."""
    size = _SHORTEST_ID
    while len({name[:size] for name in ids}) < len(ids):
        size += 1
    return size


def _without(section: FilePatch, left_out: set[Key]) -> FilePatch | None:
    """Return `section` without hunks; None if nothing of it is left."""
    hunks = _hunks_to_choose(section)
    kept = [hunk for hunk in hunks if key_of(section, hunk.ordinal if hunk else 0) not in left_out]
    if len(kept) == len(hunks):
        return section
    if not kept:
        return None
    # the numbers in the new file count what is left out, too
    rest = tuple(replace(hunk, new_start=None) for hunk in kept if hunk is not None)
    chosen = {hunk.ordinal for hunk in rest}
    others = (hunk for hunk in section.hunks if hunk.ordinal not in chosen)
    return section._replace(
        hunks=rest, hunk_count=section.hunks_in_text, left_out=(*section.left_out, *others)
    )


def _mails(mails: Sequence[Mail], kept: Sequence[FilePatch | None]) -> Iterator[Mail]:
    """Yield the mails of which a section is left, counted anew."""
    ends = [mail.first for mail in mails[1:]] + [len(kept)]
    for mail, end in zip(mails, ends, strict=bool(mails)):
        if any(kept[mail.first : end]):
            first = sum(section is not None for section in kept[: mail.first])
            yield mail._replace(first=first)


def falling_sections(patch: Patch, failures: Sequence[Failure]) -> list[FilePatch]:
    """Return the sections of which nothing is applied since one of the same path is refused.

    Where one of several sections of a path, or a hunk of it, is refused, no other one adds,
    deletes, moves or copies that file. If all change only lines they are independent, as the hunks
    of one section are.
    """
    refused = {(failure.source, failure.section_line) for failure in failures}
    return [
        section
        for sections in _groups(patch.files)
        if len(sections) > 1
        and any(section.operation not in _OF_LINES for section in sections)
        and any((section.source, section.number) in refused for section in sections)
        for section in sections
    ]


def _groups(sections: Sequence[FilePatch]) -> list[list[FilePatch]]:
    """Return the sections that have a path in common, also by way of others."""
    leaders: dict[str, str] = {}

    def leader(path: str) -> str:
        while leaders.setdefault(path, path) != path:
            path = leaders[path] = leaders[leaders[path]]
        return path

    groups: dict[str, list[FilePatch]] = {}
    for section in sections:
        for name in section.names:
            leaders[leader(name)] = leader(section.names[0])
    for section in sections:
        groups.setdefault(leader(section.names[0]), []).append(section)
    return list(groups.values())
