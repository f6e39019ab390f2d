"""What git's plumbing prints, and the notations in which it is asked. No git is run here."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from git_opatch.blob import Entry, Mode
from git_opatch.errors import RepositoryError
from git_opatch.text import visible

MOST_ARGUMENTS = 500_000  # bytes
_MOST_PATHSPECS = 20_000  # bytes; git compares every entry of the index with each of them
# What would be refused on one system is refused on all; hard links change a file's ctime.
OUR_CONFIG = (
    "-c", "core.protectHFS=true",
    "-c", "core.protectNTFS=true",
    "-c", "core.trustctime=false",
    "-c", "core.safecrlf=false",
)  # fmt: skip
# Pathspecs of ours carry their magic with them; the user's defaults would undo it.
OUR_PATHSPECS = {f"GIT_{name}_PATHSPECS": "0" for name in ("LITERAL", "GLOB", "NOGLOB", "ICASE")}
# Nothing of the user's in a diff that is read by us.
PLAIN_DIFF = ("--text", "--no-color", "--no-ext-diff", "--no-textconv", "-U0",
              "--inter-hunk-context=0")  # fmt: skip

_MOST_LINES = 20

_RANGES = re.compile(rb"(?m)^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")


class Listed(NamedTuple):
    """An index entry as listed. `tag` is git's (`ls-files -v`): H, S, M; R and C are
    a file that is gone from the working tree, or changed there; A is one of which the index
    has no content yet (`git add -N`)."""

    path: str
    entry: Entry
    stage: int
    tag: str


class Settings(dict[str, str]):
    """What is configured: by lower-case key, the last value of each."""

    def __init__(self, output: bytes = b"") -> None:
        """Of what `git config -z --get-regexp` prints."""
        items = os.fsdecode(output).split("\0")[:-1]
        pairs = (item.partition("\n") for item in items)
        self._pairs = [(key.lower(), value if nl else "true") for key, nl, value in pairs]
        super().__init__(self._pairs)

    def every(self, key: str) -> list[str]:
        """All values of `key`, which is in lower case.

        An empty one takes back those before it, as for `credential.helper` (gitcredentials).
        """
        values = [value for name, value in self._pairs if name == key]
        last = max((at for at, value in enumerate(values) if not value), default=-1)
        return values[last + 1 :]


class Answer(NamedTuple):
    """How a git command ended."""

    status: int
    output: bytes
    errors: str

    @property
    def killed(self) -> bool:
        """Whether a signal ended it."""
        return self.status < 0


def listed(record: bytes) -> Listed:
    """One record of `ls-files -v -s -z`."""
    about, _, path = record.partition(b"\t")
    tag, mode, oid, stage = about.decode().split()
    return Listed(os.fsdecode(path), Entry(Mode(mode), oid), int(stage), tag)


def batch(output: bytes) -> Iterator[tuple[str, bytes]]:
    """The ids and bytes in what `cat-file --batch` prints. Raises `RepositoryError`."""
    at = 0
    while at < len(output):
        end = output.index(b"\n", at)
        oid, *about = output[at:end].decode("utf-8", "replace").split(" ")
        if not about or not about[-1].isdigit():
            raise missing(oid)
        size = int(about[-1])
        yield oid, output[end + 1 : end + 1 + size]
        at = end + 1 + size + 1


def missing(oid: str) -> RepositoryError:
    """Says that an object is not here, and how a partial clone gets it."""
    return RepositoryError(
        f"object {oid} is missing; if this is a partial clone, `git cat-file -e {oid}` fetches it"
    )


def batches(words: Sequence[str], most: int) -> Iterator[Sequence[str]]:
    """`words` in runs of at most `most` characters, or of one word."""
    first = size = 0
    for at, word in enumerate(words):
        if at > first and size + len(word) > most:
            yield words[first:at]
            first, size = at, 0
        size += len(word)
    if first < len(words):
        yield words[first:]


def escaped(path: str) -> str:
    """`path` as a glob that means just it."""
    return "".join(f"\\{character}" if character in "*?[]\\" else character for character in path)


def pathspecs(paths: Iterable[str], parents: Iterable[str] = ()) -> list[str]:
    """Arguments that mean what is at or below `paths`, and `parents` but not what is below them.

    Where they would be so many that it is faster to list the whole index, they mean that.
    """
    specs = [f":(top,literal){path}" for path in paths]
    specs += [f":(top,glob){no_folder(path)}" for path in parents]
    return specs if sum(map(len, specs)) <= _MOST_PATHSPECS else [":(top)"]


def no_folder(path: str) -> str:
    """A glob for `path` and nothing below it; it may fit a few names of the same length.

    Git takes a glob without wildcards for a folder, too. `?` is one byte, and no slash.
    """
    return escaped(path[:-1]) + "?" * len(os.fsencode(path[-1]))


def fed(paths: Iterable[str]) -> bytes:
    """`paths` as commands read them with `-z --stdin`."""
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def said(words: str) -> str:
    """What git says, line by line, as it may be printed; some of it, such as whom to trust or who
    the user is, has several."""
    lines = words.strip("\n").removeprefix("fatal: ").removeprefix("error: ").splitlines()
    return "\n".join(visible(line, 2000) for line in lines[:_MOST_LINES])


def names(output: bytes) -> list[str]:
    """The paths that a command prints with `-z`."""
    return [os.fsdecode(name) for name in output.split(b"\0")[:-1]]


def quoted(path: str) -> str:
    """A path as the list of alternate object directories wants it."""
    if os.pathsep in path or path.startswith('"'):
        return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return path


def differing(diff: bytes) -> list[tuple[range, int]]:
    """The lines of the old text, from 0, that a `PLAIN_DIFF` replaces, and by how many new ones."""
    found = []
    for start, gone, new in _RANGES.findall(diff):
        count = int(gone or 1)
        first = int(start) - (count > 0)
        found.append((range(first, first + count), int(new or 1)))
    return found
