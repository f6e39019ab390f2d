"""The values of a patch: what it asks for.

Preimage is the context and removed lines of a hunk, postimage its context and added
lines. Positions inside count from 0, line numbers that a user sees from 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from operator import attrgetter
from typing import NamedTuple

from git_opatch.blob import Mode


class Mark(Enum):
    """The first character of a hunk's line."""

    CONTEXT = " "
    REMOVED = "-"
    ADDED = "+"

    def reversed(self) -> Mark:
        """What this line is when the patch is taken back."""
        return {Mark.REMOVED: Mark.ADDED, Mark.ADDED: Mark.REMOVED}.get(self, self)


NO_NEWLINE = b"\\ No newline at end of file\n"
"""What a diff has below a last line that no newline ends."""


class Line(NamedTuple):
    r"""A line of a hunk, without its mark and its `\n`; the same wherever it stands."""

    mark: Mark
    text: bytes
    newline: bool = True
    r"""False when the patch says `\ No newline at end of file`."""
    number: int = 0
    """The line's number in the patch's text, from 1."""
    marked: bool = True
    """False for context that was written without its leading blank."""

    def __eq__(self, other: object) -> bool:
        """Whether it is the same line of a hunk."""
        return isinstance(other, Line) and self[:3] == other[:3]

    def __ne__(self, other: object) -> bool:
        """Whether it is not, which a tuple would say of its own."""
        return not self == other

    def __hash__(self) -> int:
        """That of what makes a line the same."""
        return hash(self[:3])


_SAID = attrgetter("text", "newline")


class Anchor(NamedTuple):
    """The text after `@@`: a line at or before the change.

    A weak one (the heading that git writes after the numbers) may tell places apart
    but never contradicts one.
    """

    text: bytes
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines to find together, and all that the patch says of where they stand."""

    lines: Sequence[Line]
    """A tuple, or what equals one."""
    anchors: tuple[Anchor, ...] = ()
    start: int | None = None
    """The stated position of the preimage in the old file, from 0; None if not stated."""
    new_start: int | None = None
    """The same for the postimage in the new file."""
    at_end_of_file: bool = False
    number: int = field(default=0, compare=False)
    """The number of the hunk's first line in the patch's text, from 1."""
    ordinal: int = field(default=1, compare=False)
    """Which hunk of its section this is, from 1."""
    is_last: bool = field(default=True, compare=False)
    """Whether no hunk of its section comes after it."""
    framed: bool = True
    r"""Whether the text's lines all ended alike, so that a `\r` is no content."""
    elisions: tuple[int, ...] = ()
    """Where `~` stands: before these of `lines` the file has more, which are removed, too."""
    _preimage: tuple[Line, ...] | None = field(default=None, init=False, repr=False, compare=False)
    _postimage: tuple[Line, ...] | None = field(default=None, init=False, repr=False, compare=False)

    # Told apart once: the images are asked for again and again, but not of every hunk.
    @property
    def preimage(self) -> tuple[Line, ...]:
        """The lines that the file must have."""
        if self._preimage is None:
            object.__setattr__(self, "_preimage", self._without(Mark.ADDED))
        return self._preimage or ()

    @property
    def postimage(self) -> tuple[Line, ...]:
        """The lines that the file will have."""
        if self._postimage is None:
            object.__setattr__(self, "_postimage", self._without(Mark.REMOVED))
        return self._postimage or ()

    def _without(self, mark: Mark) -> tuple[Line, ...]:
        return tuple([line for line in self.lines if line.mark is not mark])

    @property
    def changes(self) -> bool:
        """Whether the lines after the hunk are others than those before it."""
        before, after = self.preimage, self.postimage
        return len(before) != len(after) or [*map(_SAID, before)] != [*map(_SAID, after)]

    def reversed(self) -> Hunk:
        """The hunk that takes this one back."""
        lines = tuple(line._replace(mark=line.mark.reversed()) for line in self.lines)
        return replace(self, lines=lines, start=self.new_start, new_start=self.start)


class Operation(Enum):
    """What a section of a patch does with its file."""

    ADD = "add"
    UPDATE = "update"
    DELETE = "delete"
    MOVE = "move"
    COPY = "copy"
    APPEND = "append"
    """Added lines go to the end of the file, which is made if it is not there."""


@dataclass(frozen=True, slots=True)
class FilePatch:
    """One section of a patch.

    `old_path` is the file that must exist, `new_path` the one that will; an add has
    only a new one, a delete only an old one, an append the same twice.
    `alternate` is a second name that the headers gave the same file. `old_mode` and
    `new_mode` are None if not stated.
    """

    operation: Operation
    old_path: str | None
    new_path: str | None
    hunks: Sequence[Hunk] = ()
    """A tuple, or what equals one."""
    old_mode: Mode | None = None
    new_mode: Mode | None = None
    alternate: str | None = None
    states_content: bool = True
    """False for a delete that names the file and no more (`*** Delete File`)."""
    number: int = field(default=0, compare=False)
    """The number of the section's first line in the patch's text, from 1."""
    source: str = field(default="", compare=False)
    """The name of the patch file that the section stands in."""
    directory: str = ""
    """The directory that the text says the paths count from."""
    counted: bool = False
    """Whether the hunks were counted in the very file: each stands, byte for byte, where its
    number says, or nowhere."""
    ordered: bool = True
    """Whether the hunks are meant to be in the order of the file."""
    blobs: tuple[str, str] = field(default=("", ""), compare=False)
    """The ids of the old and the new blob that the headers state, cut off perhaps."""

    @property
    def path(self) -> str:
        """The name to call the file by."""
        return self.old_path or self.new_path or ""


class Mail(NamedTuple):
    """What a mail says of the change that it brings, for a commit.

    `author` is `Name <address>`, `date` as the mail has it, `message` the subject and the body
    as git would commit them. `first` is the index of the first section that the mail covers;
    it covers those up to the next mail's.
    """

    author: str
    date: str
    message: str
    first: int = 0


@dataclass(frozen=True, slots=True)
class Patch:
    """The sections of a patch, in order; `digest` tells its text from any other.

    `mails` says of which sections the patch was sent as mail; each covers at least one.
    """

    files: Sequence[FilePatch]
    """A tuple, or what equals one."""
    digest: str = field(default="", compare=False)
    mails: tuple[Mail, ...] = ()

    @classmethod
    def joined(cls, patches: Sequence[Patch], digest: str) -> Patch:
        """The sections of all `patches`, in order."""
        if len(patches) == 1:
            return replace(patches[0], digest=digest)
        files: list[FilePatch] = []
        mails: list[Mail] = []
        for patch in patches:
            mails += [mail._replace(first=mail.first + len(files)) for mail in patch.mails]
            files += patch.files
        return cls(tuple(files), digest, tuple(mails))


def context_around(lines: Sequence[Line]) -> tuple[int, int]:
    """How many context lines stand before the first change and after the last."""
    changed = [at for at, line in enumerate(lines) if line.mark is not Mark.CONTEXT]
    return (changed[0], len(lines) - 1 - changed[-1]) if changed else (len(lines), 0)


def changed_span(hunk: Hunk, start: int) -> tuple[int, int]:
    """From where to where a file changes if the preimage of `hunk` stands at `start`."""
    before, after = context_around(hunk.lines)
    return start + before, start + len(hunk.preimage) - after
