"""Refuse a patch whose author saw another version of a file: the hashes that a call states."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress

from git_opatch.git.snapshot import Snapshot
from git_opatch.model.failure import Failure, refusal
from git_opatch.model.patch import FilePatch, Patch
from git_opatch.model.sentences import Fault
from git_opatch.model.text import visible


def refuse_stale(patch: Patch, snapshot: Snapshot) -> Iterator[Failure]:
    """Yield a failure for each hash in `patch` that is not one of the file in `snapshot`.

    It may be the id of the file's blob, or a hash of its bytes, as git stores them or on disk; the
    beginning is enough.
    """
    for section in patch.files:
        for name, wanted in section.guards:
            hashes = [*_hashes(section, snapshot)]
            if not any(found.startswith(wanted.lower()) for found in hashes):
                found = f"blob {hashes[-1][:12]}, SHA-256 {hashes[0][:12]}" if hashes else "none"
                stated = f"`{visible(name, 40)}` {wanted[:12]}"
                yield refusal(section, Fault.STALE, wanted=stated, found=found)


def _hashes(section: FilePatch, snapshot: Snapshot) -> Iterator[str]:
    """Yield the hashes of the file that `section` changes; none if there is no such file.

    A file with unstaged changes is what is on disk, since that is what its author saw.
    """
    names = (section.path, section.alternate or "")
    blob = next((snapshot.blobs[name] for name in names if name in snapshot.blobs), None)
    if blob is None:
        return
    versions = []
    if snapshot.top and blob.entry.mode.is_file:
        with suppress(OSError):
            versions.append((snapshot.top / blob.path).read_bytes())
    is_unchanged = not snapshot.top or blob.path not in snapshot.changed | snapshot.deleted
    if is_unchanged:
        versions.append(blob.data)
    for data in versions:
        yield from (hashlib.new(kind, data).hexdigest() for kind in ("sha256", "sha1", "md5"))
    if is_unchanged:
        yield from (entry.id for entry in (snapshot.stored.get(blob.path), blob.entry) if entry)
