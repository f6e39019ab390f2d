"""What git stores for a path: its mode, the id of its blob, and the blob's bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple

from git_opatch.model.paths import native, portable
from git_opatch.model.text import Text, is_binary


class Mode(Enum):
    """The modes of an index entry."""

    REGULAR = "100644"
    EXECUTABLE = "100755"
    SYMLINK = "120000"
    GITLINK = "160000"

    @property
    def is_file(self) -> bool:
        """Whether this is a regular file, executable or not."""
        return self in (Mode.REGULAR, Mode.EXECUTABLE)


class Entry(NamedTuple):
    """A path's mode and blob id in an index or a tree."""

    mode: Mode
    id: str


@dataclass(frozen=True)
class Blob:
    """A path's content in the base of a patch."""

    path: str
    entry: Entry
    data: bytes

    @property
    def binary(self) -> bool:
        """Whether git would show no text diff of it."""
        return is_binary(self.data)

    @cached_property
    def text(self) -> Text:
        """The lines of the blob."""
        return Text.from_bytes(self.data)


class ChangedFile(NamedTuple):
    """Two versions of a file; None where there is none.

    A renamed one has two paths. A submodule has no bytes.
    """

    old: Blob | None
    new: Blob | None

    @property
    def old_path(self) -> str:
        """Where it was, if it was there."""
        blob = self.old or self.new
        return blob.path if blob else ""

    @property
    def path(self) -> str:
        """Where it is, if it is there."""
        return ChangedFile(self.new, self.old).old_path

    @property
    def is_renamed(self) -> bool:
        """Whether the two versions have different paths."""
        return self.old_path != self.path


class Stages(NamedTuple):
    """Stages 1, 2 and 3 of an unmerged path (gitglossary(7), "unmerged index").

    `theirs` is the content, because git may not have a blob of it yet.
    """

    base: Entry
    ours: Entry
    theirs: bytes


class Change(NamedTuple):
    """The change of one path: its entry before and after; None where it is absent."""

    path: str
    old: Entry | None
    new: Entry | None

    def to_json(self) -> list[object]:
        """Serialize to path, and mode and id before and after."""
        return [portable(self.path), _pair(self.old), _pair(self.new)]

    @classmethod
    def from_json(cls, value: Sequence[Any]) -> Change:
        """Parse what `to_json` returned. Raises `LookupError`, `TypeError`, `ValueError` or
        `AttributeError`."""
        path, old, new = value
        return cls(native(path), _entry(old), _entry(new))


class WrittenFile(NamedTuple):
    """What becomes of a file of the working tree; `change` has the ids of its bytes as blobs."""

    change: Change
    before: bytes | None
    after: Text | None


def _pair(entry: Entry | None) -> tuple[str, str] | None:
    return (entry.mode.value, entry.id) if entry else None


def _entry(pair: Sequence[str] | None) -> Entry | None:
    return Entry(Mode(pair[0]), pair[1]) if pair else None


def null_id(algorithm: str) -> str:
    """The id that means "no blob" in a repository with this hash algorithm."""
    return "0" * (hashlib.new(algorithm, usedforsecurity=False).digest_size * 2)


def blob_id(content: Text | bytes, algorithm: str) -> str:
    """The id that git gives a blob of this content; `algorithm` is "sha1" or "sha256".

    A text is hashed piece by piece: to join a large file takes longer than to hash it.
    """
    size = content.size if isinstance(content, Text) else len(content)
    digest = hashlib.new(algorithm, b"blob %d\0" % size, usedforsecurity=False)
    for piece in content.pieces() if isinstance(content, Text) else [content]:
        digest.update(piece)
    return digest.hexdigest()
