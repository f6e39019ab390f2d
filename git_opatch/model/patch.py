"""A patch as values: its sections, hunks and lines.

The preimage of a hunk is its context and removed lines, the postimage its context and added lines.
Positions inside count from 0, line numbers that a user sees from 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from operator import attrgetter
from typing import NamedTuple

from git_opatch.model.blob import Mode
from git_opatch.model.paths import normalise


class Prefix(Enum):
    """The first character of a hunk's line."""

    CONTEXT = " "
    REMOVED = "-"
    ADDED = "+"


NO_NEWLINE = b"\\ No newline at end of file\n"
"""The line of a diff that follows a last line without a newline."""


class Line(NamedTuple):
    r"""A line of a hunk, without its prefix and its `\n`; equal regardless of its number."""

    prefix: Prefix
    text: bytes
    newline: bool = True
    r"""False if `\ No newline at end of file` follows it."""
    number: int = 0
    """The line's number in the patch's text, from 1."""
    has_prefix: bool = True
    """False for a context line that was written without its leading space."""

    @property
    def written(self) -> bytes:
        """The line as a diff has it, with its prefix and its end."""
        return self.prefix.value.encode() + self.text + b"\n" + NO_NEWLINE * (not self.newline)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Line) and self[:3] == other[:3]

    def __ne__(self, other: object) -> bool:
        return not self == other  # a tuple has a `__ne__` of its own

    def __hash__(self) -> int:
        return hash(self[:3])


_CONTENT = attrgetter("text", "newline")


class Anchor(NamedTuple):
    """The text after `@@`: a line at or before the change.

    A weak one is the heading that git writes after the numbers. Either may decide between
    positions, and refuses a hunk that is not in what it names (D80).
    """

    text: bytes
    weak: bool = False


class Cell(NamedTuple):
    """A cell of a notebook: its id or empty, its number from 0, or both; and its type, or empty."""

    id: str
    number: int | None
    kind: str = ""


class Quote(NamedTuple):
    """Lines of a file at a commit, or an empty one: from the position `start` up to `stop`."""

    commit: str
    start: int
    stop: int
    is_shown: bool
    """Whether the hunk has these lines."""


class Replacement(NamedTuple):
    r"""A string of the file and what takes its place; either may begin and end inside a line.

    With `every`, all occurrences are replaced, of which there must be `expected`, if that is not 0;
    else there must be one. `after` inserts `new`, which is whole lines, below so many lines of the
    file; `old` is then empty. With `cell`, `new` becomes the source of that cell; `old` is empty.
    """

    old: bytes
    new: bytes
    every: bool = False
    expected: int = 0
    after: int | None = None
    cell: Cell | None = None


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines to find together, and everything that the patch says about their position."""

    lines: Sequence[Line]
    anchors: tuple[Anchor, ...] = ()
    stated_start: int | None = None
    """The stated position of the preimage in the old file, from 0; None if not stated."""
    new_start: int | None = None
    """The same for the postimage in the new file."""
    at_end_of_file: bool = False
    number: int = field(default=0, compare=False)
    """The number of the hunk's first line in the patch's text, from 1."""
    ordinal: int = field(default=1, compare=False)
    """The number of the hunk in its section, or in all sections of its file (`counted`), from 1."""
    is_last: bool = field(default=True, compare=False)
    """Whether it is the last hunk of its section."""
    uniform_endings: bool = True
    r"""Whether all lines of the text ended alike, so that a `\r` is not content."""
    removed_ranges: tuple[int, ...] = ()
    """Indexes into `lines` before which `~` removes lines that the patch does not show."""
    of_new_file: bool = field(default=False, compare=False)
    """Whether the header says that the old file has no lines (`@@ -0,0 +1,2 @@`)."""
    unfinished: bool = field(default=False, compare=False)
    """Whether the text may be cut off in the last line, of context (D365)."""
    separators: int = field(default=0, compare=False)
    """How many empty lines at the end may only separate the hunk from what follows (D464)."""
    replacement: Replacement | None = None
    """What the hunk asks for, if it replaces a string; `lines` then read it as whole lines."""
    quote: Quote | None = None
    """Where its old lines are from; the plan reads what is around them, and those not shown."""
    _preimage: tuple[Line, ...] | None = field(default=None, init=False, repr=False, compare=False)
    _postimage: tuple[Line, ...] | None = field(default=None, init=False, repr=False, compare=False)

    # Computed when first used: they are needed often, but not of every hunk. A `cached_property`
    # needs an instance dictionary and, before Python 3.12, takes a lock: to make and use a thousand
    # hunks and placements took 20 % longer.
    @property
    def preimage(self) -> tuple[Line, ...]:
        """The lines that the file must have."""
        if self._preimage is None:
            object.__setattr__(self, "_preimage", self._without(Prefix.ADDED))
        return self._preimage or ()

    @property
    def postimage(self) -> tuple[Line, ...]:
        """The lines that the file will have."""
        if self._postimage is None:
            object.__setattr__(self, "_postimage", self._without(Prefix.REMOVED))
        return self._postimage or ()

    def _without(self, prefix: Prefix) -> tuple[Line, ...]:
        return tuple([line for line in self.lines if line.prefix is not prefix])

    @property
    def changes(self) -> bool:
        """Whether the postimage differs from the preimage."""
        if self.replacement is not None:
            return bool(self.replacement.cell) or self.replacement.old != self.replacement.new
        before, after = self.preimage, self.postimage
        return len(before) != len(after) or [*map(_CONTENT, before)] != [*map(_CONTENT, after)]

    @property
    def strong(self) -> tuple[Anchor, ...]:
        """Its anchors, but for the heading after the numbers."""
        return tuple(anchor for anchor in self.anchors if not anchor.weak)


class Operation(Enum):
    """What a section of a patch does with its file."""

    ADD = "add"
    UPDATE = "update"
    DELETE = "delete"
    MOVE = "move"
    COPY = "copy"
    APPEND = "append"
    """Added lines go to the end of the file, which is created if it does not exist."""


class FilePatch(NamedTuple):
    """One section of a patch; equal regardless of where in the text it is.

    `old_path` is the file that must exist, `new_path` the one that will; an add has only a new one,
    a delete only an old one, an append the same twice. `alternate` is another name that the headers
    gave the same file. `old_mode` and `new_mode` are None if not stated.
    """

    operation: Operation
    old_path: str | None
    new_path: str | None
    hunks: Sequence[Hunk] = ()
    old_mode: Mode | None = None
    new_mode: Mode | None = None
    alternate: str | None = None
    has_content: bool = True
    """False for a delete that only names the file (`*** Delete File`)."""
    is_binary: bool = False
    """Whether it is a binary change, which has no lines."""
    directory: str = ""
    """The directory that the paths are relative to, as the text says (`cd DIR &&`)."""
    may_move: bool = False
    """Whether `alternate` may be a new name: git's prefixes are before two different names."""
    ordered: bool = True
    """Whether the hunks should be in the order of the file."""
    fills: bool = False
    """Whether an add may also fill a file that exists and is empty."""
    number: int = 0
    """The number of the section's first line in the patch's text, from 1."""
    source: str = ""
    """The name of the patch file that the section is in."""
    blobs: tuple[str, str] = ("", "")
    """The ids of the old and the new blob in the headers, possibly abbreviated."""
    hunk_count: int = 0
    """How many hunks the text has for the file, if not those of this section; else 0."""
    left_out: Sequence[Hunk] = ()
    """The hunks of the section that were left out on purpose."""
    guards: tuple[tuple[str, str], ...] = ()
    """Hashes of the file as its author saw it, or their beginnings, each with its name."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FilePatch) and self[:_COMPARED] == other[:_COMPARED]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self[:_COMPARED])

    @property
    def path(self) -> str:
        """The name to call the file by."""
        return self.old_path or self.new_path or ""

    @property
    def names(self) -> tuple[str, ...]:
        """All names that it has for its file, each once: the old one, the new one, another one."""
        names = dict.fromkeys((self.old_path, self.new_path, self.alternate))
        return tuple(name for name in names if name is not None)

    @property
    def hunks_in_text(self) -> int:
        """How many hunks the text has for the file."""
        return self.hunk_count or len(self.hunks)

    @property
    def has_parts(self) -> bool:
        """Whether each of its hunks can be applied alone; else only the whole section can be."""
        return bool(self.hunks) and self.operation in _WITH_PARTS


_COMPARED = FilePatch._fields.index("number")
_WITH_PARTS = (Operation.UPDATE, Operation.MOVE, Operation.COPY)


class Mail(NamedTuple):
    """The author, date and message of a mail, for a commit.

    `author` is `Name <address>`, `date` is as the mail has it, `message` the subject and the body
    as git would commit them. `first` is the index of the first section that the mail covers; it
    covers those up to the next mail's.
    """

    author: str
    date: str
    message: str
    first: int = 0


class Patch(NamedTuple):
    """The sections of a patch, in order; `digest` identifies its text.

    `mails` are the mails that the sections were sent in, if any; each covers at least one.
    """

    files: Sequence[FilePatch]
    digest: str = ""
    mails: tuple[Mail, ...] = ()
    is_part: bool = False
    """Whether some of the text's hunks were left out on purpose."""
    notes: tuple[str, ...] = ()
    """What was left out of the text, for the report."""

    @classmethod
    def joined(cls, patches: Sequence[Patch], digest: str) -> Patch:
        """Join the sections of all `patches`, in order, their hunks counted anew."""
        if len(patches) == 1:
            return patches[0]._replace(digest=digest)
        files: list[FilePatch] = []
        mails: list[Mail] = []
        notes = tuple(note for patch in patches for note in patch.notes)
        for patch in patches:
            mails += [mail._replace(first=mail.first + len(files)) for mail in patch.mails]
            files += patch.files
        return cls(counted(files), digest, tuple(mails), notes=notes)


def counted(sections: Sequence[FilePatch]) -> tuple[FilePatch, ...]:
    """Count the hunks of each file on through all its sections: `PATH:N` is one hunk (D160).

    A file that is moved or copied is counted by both of its names.
    """
    counts: dict[str, int] = {}
    before: list[int] = []
    for section in sections:
        paths = _counted_by(section)
        before.append(max([counts.get(path, 0) for path in paths], default=0))
        counts |= dict.fromkeys(paths, before[-1] + len(section.hunks))
    return tuple(
        _count_on(section, number, counts) for section, number in zip(sections, before, strict=True)
    )


def _counted_by(section: FilePatch) -> list[str]:
    """Return the paths by which the hunks of `section` are counted; none if it is one part."""
    paths = section.names if section.has_parts else ()
    return [normalise(path, section.directory) for path in paths]


def _count_on(section: FilePatch, before: int, counts: Mapping[str, int]) -> FilePatch:
    """Return `section` with its hunks numbered after `before` others, of all those of its file."""
    if not section.has_parts:
        return section
    count = counts[_counted_by(section)[0]]
    if (section.hunks[0].ordinal, section.hunks_in_text) == (before + 1, count):
        return section
    hunks = [replace(hunk, ordinal=number) for number, hunk in enumerate(section.hunks, before + 1)]
    return section._replace(hunks=tuple(hunks), hunk_count=count)


def added_lines(lines: Sequence[Line]) -> list[bytes]:
    """The text of those of `lines` that are added."""
    return [line.text for line in lines if line.prefix is Prefix.ADDED]


def context_around(lines: Sequence[Line]) -> tuple[int, int]:
    """The numbers of context lines before the first change and after the last."""
    changed = [at for at, line in enumerate(lines) if line.prefix is not Prefix.CONTEXT]
    return (changed[0], len(lines) - 1 - changed[-1]) if changed else (len(lines), 0)


def changed_span(hunk: Hunk, start: int) -> tuple[int, int]:
    """The range of the file's lines that change if the preimage of `hunk` is at `start`."""
    before, after = context_around(hunk.lines)
    return start + before, start + len(hunk.preimage) - after
