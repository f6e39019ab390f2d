"""The tree as the sections of a patch change it, one after the other.

Each file remembers where it came from and how it differs from there, so that in the end
one diff per file says what all sections together did: moves, swaps and several sections
of one file included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from git_opatch.blob import Blob, Mode
from git_opatch.complete.edits import Edit, apply_edits, at_the_ends, compose, joined, trimmed
from git_opatch.patch import FilePatch, Mark
from git_opatch.paths import parents
from git_opatch.text import Text


class Content(NamedTuple):
    """A file of the draft: `text` is that of `origin` after `edits`.

    `copied` is whether the origin stays where it was.
    """

    mode: Mode
    text: Text
    origin: Blob | None = None
    edits: tuple[Edit, ...] = ()
    copied: bool = False

    @classmethod
    def of(cls, blob: Blob) -> Content:
        """The file as it stands in the base."""
        return cls(blob.entry.mode, blob.text, blob)

    def edited(self, edits: Sequence[Edit]) -> Content:
        """The file with `edits`, which are in order. The target of a link has no newline."""
        if not self.mode.is_file:
            edits = [edit._replace(newline=False) for edit in edits]
        edits = at_the_ends(joined(edits, self.text), self.text)
        after = apply_edits(self.text, edits)
        if self.edits and self.origin is not None:
            edits = compose(self.edits, edits, self.origin.text, after)
        return self._replace(text=after, edits=tuple(edits))

    def against(self, blob: Blob) -> Content:
        """The same content, told as what becomes of `blob`."""
        if self.origin is not None and self.origin.path == blob.path:
            return self
        text = blob.text
        whole = Edit(0, len(text.lines), tuple(self.text.lines), self.text.final_newline)
        edit = trimmed(whole, text)
        return Content(self.mode, self.text, blob, (edit,) if edit else ())


class Draft:
    """The files that a patch touches, as they are after the sections read so far."""

    def __init__(self, base: Mapping[str, Blob]) -> None:
        self.base = base
        self._files: dict[str, Content | None] = {}
        self._folders: Counter[str] = Counter()

    def get(self, path: str) -> Content | None:
        """The file at `path`, or None if there is none."""
        if path not in self._files:
            blob = self.base.get(path)
            if blob is None:
                return None
            self.put(path, Content.of(blob))
        return self._files[path]

    def put(self, path: str, content: Content) -> None:
        """Let `path` be `content`."""
        if self._files.get(path) is None:
            for folder in parents(path):
                self._folders[folder] += 1
        self._files[path] = content

    def remove(self, path: str) -> None:
        """Let there be no file at `path`."""
        if self._files.get(path) is not None:
            self._folders.subtract(parents(path))
        self._files[path] = None

    def is_folder(self, path: str, tracked: Collection[str]) -> bool:
        """Whether files stand below `path`: those `tracked` in the base, or put there since."""
        return self._folders[path] > 0 or any(
            one.startswith(path + "/") and self._files.get(one, one) is not None for one in tracked
        )

    def results(self) -> list[Result]:
        """What becomes of each touched path, renames told as renames.

        Deletions come first, so that the sections can be read in order, forwards and back,
        where a folder becomes a file.
        """
        finals = {path: file for path, file in self._files.items() if file is not None}
        moved = self._moves(finals)
        results = [
            self._result(path, file, path in moved.values()) for path, file in finals.items()
        ]
        gone = [path for path, file in self._files.items() if file is None]
        results += [
            Result(self.base[path], path, None)
            for path in gone
            if path in self.base and path not in moved
        ]
        changed = (one for result in results for one in result.parts() if one.changes)
        return sorted(changed, key=lambda one: (one.content is not None, one.path))

    def _moves(self, finals: Mapping[str, Content]) -> dict[str, str]:
        """Old to new path of every file that simply moved."""
        moves: dict[str, str] = {}
        for path, file in finals.items():
            origin = file.origin.path if file.origin else path
            free = path not in self.base and origin not in finals and origin not in moves
            if origin != path and free and not file.copied:
                moves[origin] = path
        return moves

    def _result(self, path: str, file: Content, moved: bool) -> Result:
        if path in self.base:
            return Result(self.base[path], path, file.against(self.base[path]))
        if moved or file.copied:
            return Result(file.origin, path, file)
        return Result(None, path, Content(file.mode, file.text))


class Result(NamedTuple):
    """What becomes of one file: `old` is None for a new one, `content` for a deleted one."""

    old: Blob | None
    path: str
    content: Content | None

    @property
    def renamed(self) -> bool:
        """Whether the content comes from another path."""
        return self.old is not None and self.old.path != self.path

    @property
    def changes(self) -> bool:
        """Whether anything is different afterwards."""
        if self.old is None or self.content is None or self.renamed:
            return True
        return bool(self.content.edits) or self.content.mode is not self.old.entry.mode

    @property
    def binary(self) -> bool:
        """Whether it was binary, or becomes so."""
        was = self.old is not None and self.old.binary
        return was or (self.content is not None and self.content.text.binary)

    def parts(self) -> list[Result]:
        """The result, or a deletion and an addition where one diff cannot say it.

        That is where a file becomes a link or back, and where a binary one becomes text or back.
        """
        if self.old is None or self.content is None:
            return [self]
        same_kind = self.old.entry.mode.is_file == self.content.mode.is_file
        if same_kind and not (self.content.edits and self.binary):
            return [self]
        return [Result(self.old, self.path, None), Result(None, self.path, self.content)]


def new_content(section: FilePatch, mode: Mode | None) -> Content:
    """The content of a new file: the added lines of its section."""
    texts, ended = [], True
    for line in (line for hunk in section.hunks for line in hunk.lines):
        if line.mark is Mark.ADDED:
            texts.append(line.text)
            ended = line.newline
    if mode is None or not mode.is_file:  # an executable stays one, a link does not
        mode = Mode.REGULAR
    mode = section.new_mode or mode
    return Content(mode, Text.from_lines(texts, ended and mode.is_file))


def restored_content(blob: Blob) -> Content:
    """The content of a file that comes back as it was."""
    return Content(blob.entry.mode, blob.text)
