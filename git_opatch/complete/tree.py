"""The tree as the sections of a patch change it, one after the other (D7).

Each file keeps its origin and its difference from it, so that in the end one diff per file shows
what all sections together did: also moves, swaps and several sections for one file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from git_opatch.complete.edits import (
    Edit,
    apply_edits,
    compose,
    edge_edits,
    trim_unchanged,
)
from git_opatch.model.blob import Blob, Mode
from git_opatch.model.patch import FilePatch, Prefix
from git_opatch.model.paths import parents
from git_opatch.model.text import Text


class FileContent(NamedTuple):
    """A file of the tree: `text` is that of `origin` after `edits`.

    `copied` is whether the origin stays where it was. `owners` has for each line the ordinal
    of the hunk that wrote it, -1 if that is one of an earlier section, or else 0; or it is empty.
    """

    mode: Mode
    text: Text
    origin: Blob | None = None
    edits: tuple[Edit, ...] = ()
    copied: bool = False
    owners: Sequence[int] = ()

    @classmethod
    def of(cls, blob: Blob) -> FileContent:
        """Return the file as it is in the base."""
        return cls(blob.entry.mode, blob.text, blob)

    def edited(self, edits: Sequence[Edit]) -> FileContent:
        """Apply `edits`, which are in order. The target of a symbolic link has no newline."""
        if not self.mode.is_file:
            edits = [edit._replace(newline=False) for edit in edits]
        edits = edge_edits(edits, self.text)
        after = apply_edits(self.text, edits)
        if self.edits and self.origin is not None:
            edits = compose(self.edits, edits, self.origin.text, after)
        return self._replace(text=after, edits=tuple(edits))

    def rebased_on(self, blob: Blob) -> FileContent:
        """Return the same content, as edits of `blob`."""
        if self.origin is not None and self.origin.path == blob.path:
            return self
        text = blob.text
        whole = Edit(0, len(text.lines), tuple(self.text.lines), self.text.final_newline)
        edit = trim_unchanged(whole, text)
        return FileContent(self.mode, self.text, blob, (edit,) if edit else ())


class VirtualTree:
    """The files that a patch touches, as they are after the sections applied so far."""

    def __init__(self, base: Mapping[str, Blob]) -> None:
        self.base = base
        self._files: dict[str, FileContent | None] = {}
        self._directories: Counter[str] = Counter()
        self._folders: Collection[str] | None = None

    def get(self, path: str) -> FileContent | None:
        """Return the file at `path`, or None if there is none."""
        if path not in self._files:
            blob = self.base.get(path)
            if blob is None:
                return None
            self.put(path, FileContent.of(blob))
        return self._files[path]

    def put(self, path: str, content: FileContent) -> None:
        """Set the file at `path`."""
        if self._files.get(path) is None:
            for directory in parents(path):
                self._directories[directory] += 1
        self._files[path] = content

    def remove(self, path: str) -> None:
        """Delete the file at `path`."""
        if self._files.get(path) is not None:
            self._directories.subtract(parents(path))
        self._files[path] = None

    def is_directory(self, path: str, tracked: Collection[str]) -> bool:
        """Return whether files are below `path`: those `tracked` in the base, or added since.

        `tracked` is the same for all paths of a tree.
        """
        if self._folders is None:
            self._folders = {folder for file in tracked for folder in parents(file)}
        below = (file for file in tracked if file.startswith(f"{path}/"))
        in_base = path in self._folders and any(self._files.get(file, file) for file in below)
        return in_base or self._directories[path] > 0

    def results(self) -> list[Result]:
        """Return the result for each changed path, with renames as renames.

        Deletions come first, so that the diff can be applied in order, forwards and in reverse,
        where a directory becomes a file.
        """
        finals = {path: file for path, file in self._files.items() if file is not None}
        moved = self._moves(finals)
        results = [
            self._result(path, file, path in moved.values()) for path, file in finals.items()
        ]
        deleted = [path for path, file in self._files.items() if file is None]
        results += [
            Result(self.base[path], path, None)
            for path in deleted
            if path in self.base and path not in moved
        ]
        parts = (part for result in results for part in result.parts() if part.changes)
        return sorted(parts, key=lambda part: (part.content is not None, part.path))

    def _moves(self, finals: Mapping[str, FileContent]) -> dict[str, str]:
        """Map the old to the new path of every file that only moved."""
        moves: dict[str, str] = {}
        for path, file in finals.items():
            origin = file.origin.path if file.origin else path
            free = path not in self.base and origin not in finals and origin not in moves
            if origin != path and free and not file.copied:
                moves[origin] = path
        return moves

    def _result(self, path: str, file: FileContent, moved: bool) -> Result:
        if path in self.base:
            return Result(self.base[path], path, file.rebased_on(self.base[path]))
        if moved or file.copied:
            return Result(file.origin, path, file)
        return Result(None, path, FileContent(file.mode, file.text))


class Result(NamedTuple):
    """The result for one file: `old` is None for a new one, `content` for a deleted one."""

    old: Blob | None
    path: str
    content: FileContent | None

    @property
    def renamed(self) -> bool:
        """Whether the content comes from another path."""
        return self.old is not None and self.old.path != self.path

    @property
    def changes(self) -> bool:
        """Whether the file differs from the base."""
        if self.old is None or self.content is None or self.renamed:
            return True
        return bool(self.content.edits) or self.content.mode is not self.old.entry.mode

    @property
    def binary(self) -> bool:
        """Whether the file was or becomes binary."""
        was = self.old is not None and self.old.binary
        return was or (self.content is not None and self.content.text.binary)

    def parts(self) -> list[Result]:
        """Split the result into a deletion and an addition, where one diff cannot express it.

        That is where a file becomes a symbolic link or back, or a binary file text or back.
        """
        if self.old is None or self.content is None:
            return [self]
        same_kind = self.old.entry.mode.is_file == self.content.mode.is_file
        if same_kind and not (self.content.edits and self.binary):
            return [self]
        return [Result(self.old, self.path, None), Result(None, self.path, self.content)]


def new_content(section: FilePatch, mode: Mode | None) -> FileContent:
    """Return the content of a new file: the added lines of its section."""
    texts, final_newline = [], True
    for line in (line for hunk in section.hunks for line in hunk.lines):
        if line.prefix is Prefix.ADDED:
            texts.append(line.text)
            final_newline = line.newline
    if mode is None or not mode.is_file:  # an executable stays one, a link does not
        mode = Mode.REGULAR
    mode = section.new_mode or mode
    return FileContent(mode, Text.from_lines(texts, final_newline and mode.is_file))


def restored_content(blob: Blob) -> FileContent:
    """Return the content of a deleted file that is restored."""
    return FileContent(blob.entry.mode, blob.text)
