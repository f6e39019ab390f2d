"""A repository as its objects alone, for many patches against many base trees (D280).

Nothing but its objects decides: it has no index, no working tree, no journal. One git reads all
trees and blobs, and what was read is kept for the next patch.
"""

from __future__ import annotations

import os
import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from git_opatch.git.output import (
    MISSING,
    GitObject,
    batches,
    git_message,
    missing_object,
    read_object,
)
from git_opatch.git.repository import Repository
from git_opatch.git.runner import Conversation, GitRunner
from git_opatch.git.tree import Entries, ParsedTree, changed_tree, parse_tree
from git_opatch.model.blob import Change, Entry
from git_opatch.model.errors import RepositoryError
from git_opatch.model.paths import parents
from git_opatch.model.text import visible

_MAX_NAMES = 10_000
_BYTES_OF_ENTRY = 250
"""About what an entry of a tree takes in memory."""
_TREE_TOO = 1000
_SIMPLE_NAME = re.compile(r"\w[\w./-]*[\^~\d]*", re.ASCII)
"""The name of a commit or tree after which a colon and a path name what is in it."""


_MAX_ERRORS = 4096  # bytes of git's messages that are kept
_MAX_ASKED = 1000
"""Characters of names: every pipe takes 4,096 bytes at once, and one has up to four."""


class ObjectCache:
    """What was read of repositories, up to a number of bytes; what was used last is kept."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._kept: OrderedDict[tuple[str, str], tuple[object, int]] = OrderedDict()

    def get(self, key: tuple[str, str]) -> object | None:
        """Return what is kept under `key`."""
        found = self._kept.get(key)
        if found is None:
            return None
        self._kept.move_to_end(key)
        return found[0]

    def put(self, key: tuple[str, str], value: object, size: int) -> None:
        """Keep `value`, which takes about `size` bytes, unless that is most of the room."""
        if size > self._most // 2 or key in self._kept:
            return
        self._kept[key] = (value, size)
        self._size += size
        while self._size > self._most:
            self._size -= self._kept.popitem(last=False)[1][1]


class ObjectRepository(Repository):
    """A repository whose objects are read by one git, and kept in `cache`."""

    has_journal = False

    def __init__(self, directory: str, cache: ObjectCache) -> None:
        """Raises `RepositoryError` if `directory` is not the top of a repository."""
        if not os.path.isdir(directory):
            raise RepositoryError("there is no such directory")
        super().__init__(directory)
        named = Path(os.path.realpath(directory))
        if named not in map(_resolved, filter(None, (self.top, self.git_dir))):
            raise RepositoryError(f"is not a repository, but a directory in one, {self.git_dir}")
        self.top = None
        self._env.pop("GIT_WORK_TREE", None)
        self._move_to(self.git_dir)
        self._cache, self._scope = cache, str(self.git_dir)
        self._reader = ObjectReader(self)
        self._roots: dict[str, str] = {}
        self._id_length = 20 if self.algorithm == "sha1" else 32

    def close(self) -> None:
        """End git."""
        self._reader.close()

    def list_tree(
        self, tree: str, paths: Sequence[str], *, recursive: bool = False
    ) -> dict[str, Entry | None]:
        """List what `tree` has at each of `paths`, as `Repository.list_tree` does."""
        root = self.tree_id(tree)
        found: dict[str, Entry | None] = {}
        for path in paths:
            oid: str | None = root
            for name in (*parents(path), path):
                entry = self._entries(oid).get(name.rpartition("/")[2]) if oid else None
                if entry is None:
                    break
                oid = entry.id if entry.mode is None else None
                if name == path or (oid and recursive):
                    found[name] = Entry(entry.mode, entry.id) if entry.mode else None
            else:
                found |= self._below(oid, path) if oid and recursive else {}
        return found

    def read_blobs(
        self, ids: Iterable[str], *, env: Mapping[str, str] | None = None
    ) -> dict[str, bytes]:
        """Read the bytes of each blob. Raises `RepositoryError` if one is missing."""
        if env is not None:
            return super().read_blobs(ids, env=env)
        found = {oid: self._cache.get((self._scope, oid)) for oid in set(ids)}
        missing = [oid for oid, kept in found.items() if not isinstance(kept, bytes)]
        for oid, read in self._reader.read_each(missing):
            if read.kind == MISSING:
                raise missing_object(oid)
            found[oid] = read.data
            self._keep(read)
        return {oid: data for oid, data in found.items() if isinstance(data, bytes)}

    def read_ahead(self, wanted: Mapping[str, Iterable[str]]) -> None:
        """Read, all at once, what patches are about, by the name of their tree: the paths there.

        That is kept as far as there is room, and read once more where it is not. Nothing is read
        where that tree is known: others of its patches will have been for the same directories.
        A name that is not one of a tree is skipped.
        """
        names: dict[str, str] = {}
        for name, paths in wanted.items():
            if name not in self._roots and _SIMPLE_NAME.fullmatch(name):
                named = [path for path in paths if _is_plain(path)]
                above = dict.fromkeys(parent for path in named for parent in parents(path))
                names[name + "^{tree}"] = name
                names |= {f"{name}:{path}": "" for path in (*above, *named)}
        with suppress(RepositoryError):  # what is damaged is named once it is needed
            for question, found in self._reader.read_each([*names]):
                if not names[question]:
                    self._keep(found)
                elif found.kind == "tree":
                    self._keep_root(names[question], found)

    def tree_id(self, name: str) -> str:
        """Return the id of the tree that `name` names, the same one for as long as this lives.

        Raises `RepositoryError` for what is not a tree-ish.
        """
        known = self._roots.get(name)
        if known is not None:
            return known
        found = self._reader.read(name + "^{tree}")
        if found.kind != "tree":
            raise RepositoryError(f"`{visible(name)}` is not a tree or commit of this repository")
        return self._keep_root(name, found)

    def _keep_root(self, name: str, found: GitObject) -> str:
        self._keep(found)
        if len(self._roots) >= _MAX_NAMES:
            self._roots.clear()
        self._roots[name] = found.id
        return found.id

    def _keep(self, found: GitObject) -> None:
        if found.kind == "tree":
            self._keep_tree(found.id, found.data)
        elif found.kind == "blob":
            self._cache.put((self._scope, found.id), found.data, len(found.data))

    def changed_tree(self, base: str, changes: Iterable[Change]) -> str:
        """Return the id of the tree of `base` after `changes`. Nothing is written."""
        return changed_tree(self.tree_id(base), changes, self.algorithm, self._entries)

    def _below(self, tree: str, path: str) -> dict[str, Entry | None]:
        found: dict[str, Entry | None] = {}
        for name, entry in self._entries(tree).items():
            full = f"{path}/{name}"
            if entry.mode is None:
                found[full] = None
                found |= self._below(entry.id, full)
            else:
                found[full] = Entry(entry.mode, entry.id)
        return found

    def _entries(self, tree: str) -> Entries:
        kept = self._cache.get((self._scope, tree))
        if isinstance(kept, ParsedTree):
            return kept
        found = self._reader.read(tree)
        if found.kind != "tree":
            raise missing_object(tree)
        return self._keep_tree(tree, found.data)

    def _keep_tree(self, tree: str, data: bytes) -> Entries:
        kept = self._cache.get((self._scope, tree))
        if isinstance(kept, ParsedTree):
            return kept
        try:
            entries = parse_tree(data, self._id_length)
        except ValueError:
            raise RepositoryError(f"tree {tree} is damaged") from None
        size = _TREE_TOO + len(entries) * _BYTES_OF_ENTRY
        self._cache.put((self._scope, tree), entries, size)
        return entries


def _is_plain(path: str) -> bool:
    """Return whether git takes `path`, after a tree and a colon, for one from the tree's top."""
    return not {"", ".", ".."} & set(path.split("/"))


def _resolved(path: Path) -> Path:
    return Path(os.path.realpath(path))


class ObjectReader:
    """Reads the objects of one repository; git is started when it is first asked."""

    def __init__(self, runner: GitRunner) -> None:
        self._runner = runner
        self._process: Conversation | None = None
        self._errors = b""

    def read(self, name: str) -> GitObject:
        """Read the object that `name` names, as in gitrevisions(7).

        Raises `RepositoryError` if git cannot read it.
        """
        return dict(self.read_each([name])).get(name, GitObject(name))

    def read_each(self, names: Sequence[str]) -> Iterator[tuple[str, GitObject]]:
        """Yield each of `names` and the object that it names, as they are read.

        A name that git cannot be asked for is left out. Read nothing else before the end of it.
        Many are asked for at once: to change from one process to the other and back takes as long
        as git takes to answer. Raises `RepositoryError` if git cannot read one.
        """
        if not names:
            return
        process = self._started()
        try:
            for asked in _in_portions(names):
                answers = _ask(process, asked)
                for name in asked:
                    yield name, read_object(answers)
        except (OSError, EOFError):  # git ends at an object that is damaged
            raise RepositoryError(self._end_badly(process)) from None
        except GeneratorExit:  # there are answers that nobody will read
            self.close()
            raise

    def close(self) -> None:
        """End git, and wait until it has ended; the next question starts it again."""
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        process.wait()

    def _started(self) -> Conversation:
        if self._process is None:
            self._process = self._runner.start_conversation("cat-file", "--batch")
            self._errors = b""
            os.set_blocking(_descriptor(self._process.stderr), False)
        self._read_errors(self._process)
        return self._process

    def _read_errors(self, process: Conversation) -> None:
        """Take what git printed to standard error: it would wait once the pipe is full."""
        with suppress(BlockingIOError):
            while more := os.read(_descriptor(process.stderr), _MAX_ERRORS):
                self._errors = (self._errors + more)[-_MAX_ERRORS:]

    def _end_badly(self, process: Conversation) -> str:
        """End git, which gave no answer, and return why."""
        if process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
        process.wait()
        self._read_errors(process)
        self.close()
        return git_message(os.fsdecode(self._errors)) or "git cat-file ended without an answer"


def _descriptor(stream: IO[bytes] | None) -> int:
    return stream.fileno() if stream is not None else -1


def _in_portions(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the `names` that git can be asked for, so many as a pipe takes.

    Git stops to read while nobody takes its answers.
    """
    askable = [name for name in names if name and "\n" not in name and "\0" not in name]
    return batches(askable, _MAX_ASKED)


def _ask(process: Conversation, names: Iterable[str]) -> IO[bytes]:
    """Ask for objects; return what the answers are read from. Raises `EOFError` if git ended."""
    if process.stdin is None or process.stdout is None:
        raise EOFError
    process.stdin.write(b"".join(os.fsencode(name) + b"\n" for name in names))
    process.stdin.flush()
    return process.stdout
