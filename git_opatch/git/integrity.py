"""Whether files that git wrote are on the disk whole: git does not sync them by default."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from pathlib import Path

from git_opatch.git.repository import Repository


def is_whole_index(repository: Repository, file: Path) -> bool:
    """Return whether an index has the checksum at its end (gitformat-index(5)).

    With `index.skipHash` git writes zeros there; then it is asked to read the index.
    """
    algorithm = repository.algorithm
    try:
        data = file.read_bytes()
    except OSError:
        return False
    size = hashlib.new(algorithm, usedforsecurity=False).digest_size
    content, checksum = data[:-size], data[-size:]
    if not content.startswith(b"DIRC"):
        return False
    found = hashlib.new(algorithm, content, usedforsecurity=False).digest()
    if checksum == bytes(size):
        return not repository.run("ls-files", "--stage", index=file).status
    return checksum == found


def loose_object(objects: str | Path, oid: str) -> str:
    """Where the object `oid` is, if it is in a file of its own (gitrepository-layout(5))."""
    return f"{objects}/{oid[:2]}/{oid[2:]}"


def missing_blobs(repository: Repository, ids: Sequence[str]) -> set[str]:
    """Those of `ids` that are not in the repository, or damaged there.

    Raises `RepositoryError` if git fails.
    """
    files = {oid: Path(loose_object(repository.objects, oid)) for oid in ids}
    elsewhere = [oid for oid, file in files.items() if not file.exists()]
    missing = set(elsewhere) - repository.present(elsewhere)
    for oid in elsewhere:
        del files[oid]
    algorithm = repository.algorithm
    damaged = {oid for oid, file in files.items() if not _is_whole_object(file, oid, algorithm)}
    return missing | damaged


def _is_whole_object(file: Path, oid: str, algorithm: str) -> bool:
    """Return whether a loose object is readable, and has the content that `oid` names."""
    try:
        data = zlib.decompress(file.read_bytes())
    except (OSError, zlib.error):
        return False
    return hashlib.new(algorithm, data, usedforsecurity=False).hexdigest() == oid
