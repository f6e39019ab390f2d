"""The notations of git's plumbing: what it prints, and how it is asked. Runs nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import IO, NamedTuple

from git_opatch.model.blob import Change, Entry, Mode
from git_opatch.model.errors import RepositoryError
from git_opatch.model.text import visible

_MAX_PATHSPECS = 20_000  # bytes; git compares every entry of the index with each of them
_MAX_LINES = 20
_RANGES = rb"(?m)^(?:diff --git .*?(\d+)$|@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@)"


class GitResult(NamedTuple):
    """How a process ended: git, or what was run in its place."""

    status: int
    output: bytes
    errors: str

    @property
    def killed(self) -> bool:
        """Whether a signal ended it."""
        return self.status < 0


class IndexEntry(NamedTuple):
    """An index entry as listed.

    `tag` is that of `ls-files -v`: H, S (skip-worktree), M (unmerged), in lower case for
    assume-unchanged; R and C for a file that is deleted or changed in the working tree; A for one
    that is only intended to be added (`git add -N`).
    """

    path: str
    entry: Entry
    stage: int
    tag: str


def parse_entry(record: bytes) -> IndexEntry:
    """Parse one record of `ls-files -v -s -z`."""
    fields, _, path = record.partition(b"\t")
    tag, mode, oid, stage = fields.decode().split()
    return IndexEntry(os.fsdecode(path), Entry(Mode(mode), oid), int(stage), tag)


def parse_change(raw: bytes, path: bytes) -> Change:
    """Parse one record of `--raw -z --no-abbrev`, and the path after it."""
    old_mode, new_mode, old, new, _ = raw[1:].decode().split(" ")
    return Change(os.fsdecode(path), _entry(old_mode, old), _entry(new_mode, new))


def _entry(mode: str, oid: str) -> Entry | None:
    return Entry(Mode(mode), oid) if mode != "000000" else None


MISSING = "missing"


class GitObject(NamedTuple):
    """An object of a repository: `kind` is git's name for its type, or `MISSING`."""

    id: str
    kind: str = MISSING
    data: bytes = b""


def read_object(stream: IO[bytes]) -> GitObject:
    """Read one answer of `cat-file --batch`. Raises `EOFError` if it is not whole."""
    header = stream.readline()
    if not header.endswith(b"\n"):
        raise EOFError
    oid, *fields = os.fsdecode(header[:-1]).split(" ")
    if len(fields) != 2 or not fields[1].isdigit():
        return GitObject(oid)  # "NAME missing", "NAME ambiguous"
    kind, size = fields[0], int(fields[1])
    data = stream.read(size)
    if not stream.read(1):  # the newline that follows
        raise EOFError
    return GitObject(oid, kind, data)


def parse_batch(output: bytes) -> Iterator[tuple[str, bytes]]:
    """Parse the output of `cat-file --batch`: ids and bytes. Raises `RepositoryError`."""
    stream = BytesIO(output)
    while stream.tell() < len(output):
        found = read_object(stream)
        if found.kind == MISSING:
            raise missing_object(found.id)
        yield found.id, found.data


def missing_object(oid: str) -> RepositoryError:
    """An error that names a missing object, and how a partial clone gets it."""
    return RepositoryError(
        f"object {oid} is missing; if this is a partial clone, `git cat-file -e {oid}` fetches it"
    )


def settings_environment(settings: Sequence[tuple[str, str]]) -> dict[str, str]:
    """The environment in which git has `settings`, with those of our own environment (`git`(1))."""
    if not settings:
        return {}
    first = int(os.environ.get("GIT_CONFIG_COUNT") or 0)
    env = {"GIT_CONFIG_COUNT": str(first + len(settings))}
    for number, (key, value) in enumerate(settings, first):
        env |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return env


def batches(words: Sequence[str], most: int) -> Iterator[Sequence[str]]:
    """Split `words` into runs of at most `most` characters, with a separator, or of one word."""
    first = size = 0
    for at, word in enumerate(words):
        if at > first and size + len(word) >= most:
            yield words[first:at]
            first, size = at, 0
        size += len(word) + 1
    if first < len(words):
        yield words[first:]


def pathspecs(paths: Iterable[str], parents: Iterable[str] = ()) -> list[str]:
    """Pathspecs for what is at or below `paths`, and at `parents` but not below them.

    Where they would be so many that it is faster to list the whole index, they match all of it.
    """
    specs = [f":(top,literal){path}" for path in paths]
    specs += [f":(top,glob){_glob_of_file(path)}" for path in parents]
    return specs if sum(map(len, specs)) <= _MAX_PATHSPECS else [":(top)"]


def _glob_of_file(path: str) -> str:
    """A glob for `path` and nothing below it; it may match a few names of the same length.

    Git takes a glob without wildcards for a directory, too. `?` is one byte, but not a slash.
    """
    escaped = re.sub(r"[*?\[\]\\]", r"\\\g<0>", path[:-1])
    return escaped + "?" * len(os.fsencode(path[-1]))


def nul_terminated(paths: Iterable[str]) -> bytes:
    """Join `paths` as commands read them with `-z --stdin`."""
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def split_nul(output: bytes) -> list[str]:
    """Split the paths that a command prints with `-z`."""
    return [os.fsdecode(name) for name in output.split(b"\0")[:-1]]


def git_message(errors: str) -> str:
    """What git says on standard error, safe to print.

    It may have several lines: which directory to trust, or how to set a name.
    """
    lines = errors.strip("\n").removeprefix("fatal: ").removeprefix("error: ").splitlines()
    return "\n".join(visible(line, 2000) for line in lines[:_MAX_LINES])


def quote_alternate(path: str) -> str:
    """Quote a path for the list of alternate object directories, where it is needed."""
    return quote_setting(path) if os.pathsep in path or path.startswith('"') else path


def quote_setting(value: str) -> str:
    """Quote a value for a file of settings (git-config(1), "Syntax")."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def changed_ranges(diff: bytes, files: int) -> list[list[tuple[range, int]]]:
    """The lines of each old text, from 0, that a diff without context replaces, and by how many.

    The diff is of `files` texts, whose names are their numbers.
    """
    ranges: list[list[tuple[range, int]]] = [[] for _ in range(files)]
    number = 0
    for name, start, removed, added in re.findall(_RANGES, diff):
        if name:
            number = int(name)
            continue
        count = int(removed or 1)
        first = int(start) - (count > 0)
        ranges[number].append((range(first, first + count), int(added or 1)))
    return ranges
