"""A directory as a disk has it: files, directories and links by their inodes, and their names."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Inode:
    """A file, directory or link, as the running program sees it."""

    mode: int
    content: bytes = b""
    names: dict[str, int] = field(default_factory=dict)
    modified: int = 0

    def copy(self) -> Inode:
        return Inode(self.mode, self.content, dict(self.names), self.modified)


def read_disk(top: Path) -> dict[int, Inode]:
    """The files below `top`: the directory itself is number 1, and its own hard links are told."""
    disk: dict[int, Inode] = {}
    known: dict[tuple[int, int], int] = {}

    def read(path: Path) -> int:
        found = os.lstat(path)
        identity = (found.st_dev, found.st_ino)
        if identity in known:
            return known[identity]
        number = known[identity] = len(known) + 1
        inode = disk[number] = Inode(found.st_mode, modified=found.st_mtime_ns)
        if path.is_symlink():
            inode.content = os.fsencode(os.readlink(path))
        elif path.is_dir():
            inode.names = {name: read(path / name) for name in sorted(os.listdir(path))}
        else:
            inode.content = path.read_bytes()
        return number

    read(Path(os.path.realpath(top)))
    return disk


def tree_of(disk: Mapping[int, Inode], number: int = 1) -> object:
    """Return kinds and contents by name."""
    inode = disk[number]
    kind = stat.S_IFMT(inode.mode)
    if stat.S_ISDIR(inode.mode):
        return {name: tree_of(disk, child) for name, child in sorted(inode.names.items())}
    return kind, inode.content


def frozen(disk: Mapping[int, Inode], number: int = 1) -> object:
    """Return all of a disk, to be hashed."""
    inode = disk[number]
    if stat.S_ISDIR(inode.mode):
        return tuple((name, frozen(disk, child)) for name, child in sorted(inode.names.items()))
    return inode.mode, inode.content, number


def write_disk(disk: Mapping[int, Inode], top: Path) -> None:
    """Make the files at `top`, which is replaced."""
    shutil.rmtree(top, ignore_errors=True)
    made: dict[int, Path] = {}

    def write(number: int, path: Path) -> None:
        inode = disk[number]
        if stat.S_ISDIR(inode.mode):
            path.mkdir()
            for name, child in inode.names.items():
                write(child, path / name)
        elif number in made:
            os.link(made[number], path, follow_symlinks=False)
        elif stat.S_ISLNK(inode.mode):
            os.symlink(inode.content, path)
        else:
            made[number] = path
            path.write_bytes(inode.content)
            path.chmod(stat.S_IMODE(inode.mode))
            if inode.modified:
                os.utime(path, ns=(inode.modified, inode.modified))

    write(1, top)
