"""The objects of trees: their entries, and the id of a tree with changed files (D281)."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from git_opatch.model.blob import Change, Entry, Mode

_TREE = b"40000"
_MAX_MODES = 100  # that are remembered


class TreeEntry(NamedTuple):
    """An entry of a tree: `mode` is None for a tree."""

    mode: Mode | None
    id: str


Entries = Mapping[str, TreeEntry]
"""The entries of one tree by name."""


class ParsedTree(Entries):
    """The entries of one tree, each made when it is asked for: most trees are asked for one."""

    def __init__(self, found: Mapping[bytes, bytes], id_length: int) -> None:
        """`found` are the entries as the tree has them, by name: nothing to collect as garbage."""
        self._found = found
        self._id_length = id_length

    def __getitem__(self, name: str) -> TreeEntry:
        entry = self._found[os.fsencode(name)]
        mode, _, _ = entry.partition(b" ")
        return TreeEntry(_mode(mode), entry[-self._id_length :].hex())

    def __iter__(self) -> Iterator[str]:
        return map(os.fsdecode, self._found)

    def __len__(self) -> int:
        return len(self._found)


def parse_tree(data: bytes, id_length: int) -> ParsedTree:
    """Parse the content of a tree object, whose ids have `id_length` bytes.

    Raises `ValueError` if it is not one.
    """
    entry, name = _patterns(id_length)
    entries = entry.findall(data)
    if sum(map(len, entries)) != len(data):
        raise ValueError("it has something that is not an entry")
    return ParsedTree(dict(zip(name.findall(data), entries, strict=True)), id_length)


@cache
def _patterns(id_length: int) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """Return the patterns that find each entry of a tree, and the name of each."""
    entry = rb"[0-7]+ %b\0.{%d}"
    patterns = (entry % (name, id_length) for name in (rb"[^\0]*", rb"([^\0]*)"))
    whole, named = (re.compile(pattern, re.DOTALL) for pattern in patterns)
    return whole, named


@lru_cache(_MAX_MODES)
def _mode(octal: bytes) -> Mode | None:
    """Read a mode as git does: old trees have others than those of today (canon_mode)."""
    bits = int(octal, 8)
    kind = bits & 0o170000
    if kind == 0o040000:
        return None
    if kind == 0o100000:
        return Mode.EXECUTABLE if bits & 0o100 else Mode.REGULAR
    return Mode.SYMLINK if kind == 0o120000 else Mode.GITLINK


def changed_tree(
    tree: str | None,
    changes: Iterable[Change],
    algorithm: str,
    entries_of: Callable[[str], Entries],
) -> str:
    """Return the id of `tree` after `changes`, as `git write-tree` would; nothing is written.

    `tree` is an id, or None for an empty one. `entries_of` returns the entries of a tree by its id.
    """
    hasher = _Hasher(algorithm, entries_of)
    return hasher.changed(tree, [(change.path, change.new) for change in changes])[0]


class _Hasher(NamedTuple):
    algorithm: str
    entries_of: Callable[[str], Entries]

    def changed(
        self, tree: str | None, changes: Iterable[tuple[str, Entry | None]]
    ) -> tuple[str, bool]:
        """Return the id of `tree` after `changes`, and whether it has any entry."""
        entries = dict(self.entries_of(tree)) if tree is not None else {}
        below: dict[str, list[tuple[str, Entry | None]]] = {}
        for path, entry in changes:
            name, slash, rest = path.partition("/")
            if slash:
                below.setdefault(name, []).append((rest, entry))
            elif entry is not None:
                entries[name] = TreeEntry(entry.mode, entry.id)
            elif name in entries and entries[name].mode is not None:
                del entries[name]
        for name, inner in below.items():
            old = entries.get(name)
            subtree, is_there = self.changed(old.id if old and old.mode is None else None, inner)
            if is_there:
                entries[name] = TreeEntry(None, subtree)
            elif old is not None and old.mode is None:
                del entries[name]
        return self._id(entries), bool(entries)

    def _id(self, entries: Entries) -> str:
        named = sorted((_sort_key(name, entry), name, entry) for name, entry in entries.items())
        data = b"".join(
            (entry.mode.value.encode() if entry.mode else _TREE)
            + b" " + os.fsencode(name) + b"\0" + bytes.fromhex(entry.id)
            for _, name, entry in named
        )  # fmt: skip
        header = b"tree %d\0" % len(data)
        return hashlib.new(self.algorithm, header + data, usedforsecurity=False).hexdigest()


def _sort_key(name: str, entry: TreeEntry) -> bytes:
    """Git sorts a tree as if its name ended in a slash."""
    return os.fsencode(name) + (b"/" if entry.mode is None else b"")
