"""What a power cut can leave on a disk, after a run of the program and of every git below it.

The run is recorded with strace: each call that changes a directory entry or a file's content, and
each sync. A file or directory is told by its inode, not by its name. A cut comes after any call.
What was synced by then is on the disk; of the rest, any part may be: the other changes may be
missing in any combination, as in ALICE (Pillai et al., OSDI 2014) under its weakest rules, but

- changes of the same directory entry reach the disk in their order;
- a rename is one change, of both its entries;
- content that is not synced may be missing: all of it, or its second half.
"""

from __future__ import annotations

import os
import random
import re
import stat
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from disk import Inode, frozen, read_disk, tree_of

CALLS = (
    "openat,creat,write,pwrite64,ftruncate,rename,renameat,renameat2,link,linkat,unlink,unlinkat,"
    "mkdir,mkdirat,rmdir,symlink,symlinkat,fsync,fdatasync,syncfs,sync,newfstatat,chmod,fchmod,"
    "fchmodat"
)
STRACE = ("strace", "-f", "--seccomp-bpf")
"""Traces all processes, and stops them at what is traced alone."""
_LINE = re.compile(r"^\d+ +(\w+)\((.*)\) += (-?\d+)(.*)$")
_UNFINISHED = re.compile(r"^(\d+) +(.*) <unfinished \.\.\.>$")
_RESUMED = re.compile(r"^(\d+) +<\.\.\. \w+ resumed>(.*)$")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_OPENED = re.compile(r"<((?:\\x[0-9a-f]{2})+)>")
_STAMP = re.compile(r"st_mtime=(\d+) [^,]*, st_mtime_nsec=(\d+)")

Name = tuple[int, str]
"""A directory, and a name in it."""


@dataclass(frozen=True)
class Change:
    """One change: of directory entries, or of a file's content."""

    entries: tuple[tuple[Name, int | None], ...] = ()
    """What each name leads to after it."""
    inode: int = 0
    content: bytes = b""
    """The whole content after it, if it is one of content."""
    call: str = ""


@dataclass
class Recording:
    """A run: the disk before, the changes in their order, and until when each is safe."""

    before: dict[int, Inode]
    changes: list[Change]
    inodes: dict[int, Inode]
    safe: list[int | None]
    """For each change, the number of changes that were made when it was on the disk for sure."""

    def cuts(self, *, some: int, seed: int) -> Iterator[tuple[str, dict[int, Inode]]]:
        """What may be on the disk, once each, in any order."""
        chance, seen = random.Random(seed), set[int]()
        cuts = list(self._chosen(some, chance))
        chance.shuffle(cuts)
        for end, chosen, torn in cuts:
            disk = self.disk(self._closed(chosen), torn=torn)
            key = hash(frozen(disk))
            if key not in seen:
                seen.add(key)
                last = self.changes[end - 1].call if end else "nothing"
                left = sorted(set(range(end)) - chosen)
                yield f"cut {end} after {last}, without {left}", disk

    def _chosen(self, some: int, chance: random.Random) -> Iterator[tuple[int, set[int], bool]]:
        """For a cut after every change, the plausible extremes of what is on the disk.

        These are: all that was made; what is safe alone; all but one; one alone beside what is
        safe; and `some` at random. Each is torn, or not.
        """
        for end in range(len(self.changes) + 1):
            sure = {at for at in range(end) if (safe := self.safe[at]) is not None and safe <= end}
            open_ = [at for at in range(end) if at not in sure]
            sets = [set(range(end)), sure]
            sets += [set(range(end)) - {at} for at in open_]
            sets += [sure | {at} for at in open_]
            sets += [sure | {at for at in open_ if chance.random() < 0.5} for _ in range(some)]
            yield from ((end, chosen, torn) for chosen in sets for torn in (False, True))

    def _closed(self, chosen: set[int]) -> list[int]:
        """Add what must have come before: earlier changes of the same entries."""
        result, names = set(chosen), set[Name]()
        for at in range(max(chosen, default=-1), -1, -1):
            own = {name for name, _ in self.changes[at].entries}
            if at in result or own & names:
                result.add(at)
                names |= own
        return sorted(result)

    def disk(self, chosen: Sequence[int], *, torn: bool = False) -> dict[int, Inode]:
        """The disk after just the changes `chosen`; with half of other content if `torn`."""
        disk = {number: inode.copy() for number, inode in self.before.items()}
        for at in chosen:
            change = self.changes[at]
            if change.inode:
                self._on(disk, change.inode).content = change.content
            for (directory, name), target in change.entries:
                names = self._on(disk, directory).names
                names.pop(name, None)
                if target is not None:
                    self._on(disk, target)
                    names[name] = target
        if torn:
            self._tear(disk, set(chosen))
        return disk

    def _on(self, disk: dict[int, Inode], number: int) -> Inode:
        """The inode on `disk`, where a new one is empty; but a link has its target."""
        if number not in disk:
            made = self.inodes[number]
            content = made.content if stat.S_ISLNK(made.mode) else b""
            disk[number] = Inode(made.mode, content, {}, made.modified)
        return disk[number]

    def _tear(self, disk: dict[int, Inode], chosen: set[int]) -> None:
        for at, change in enumerate(self.changes):
            inode = disk.get(change.inode)
            is_new = change.inode not in self.before
            if at not in chosen and inode and is_new and not inode.content:
                half = len(change.content) // 2
                inode.content = change.content[:half] + bytes(len(change.content) - half)


def record(top: Path, command: Sequence[str], feed: bytes, log: Path) -> Recording:
    """Run `command` in the repository at `top` under strace."""
    before = read_disk(top)
    traced = [*STRACE, "-y", "-v", "-xx", "-s", "9999999", "-e", f"trace={CALLS}"]
    done = subprocess.run(
        [*traced, "-o", str(log), *command], cwd=top, input=feed, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    recorder = _Recorder(top, before)
    for call, arguments, result in _calls(log.read_text().splitlines()):
        recorder.see(call, arguments, result)
    made = read_disk(top)
    assert tree_of(recorder.inodes) == tree_of(made), "the recording does not lead to what is there"
    return Recording(before, recorder.changes, recorder.inodes, recorder.safe)


def _calls(lines: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Calls that succeeded: name, arguments, and what is behind them."""
    begun: dict[str, str] = {}
    for line in lines:
        if match := _UNFINISHED.match(line):
            begun[match[1]] = match[2]
            continue
        if match := _RESUMED.match(line):
            line = f"{match[1]} {begun.pop(match[1])}{match[2]}"
        match = _LINE.match(line)
        if match and not match[3].startswith("-"):
            yield match[1], match[2], match[4]


class _Recorder:
    def __init__(self, top: Path, before: Mapping[int, Inode]) -> None:
        self.top = os.path.realpath(top)
        self.inodes = {number: inode.copy() for number, inode in before.items()}
        self.changes: list[Change] = []
        self.safe: list[int | None] = []
        self._offsets: dict[str, int] = {}
        self._next = max(before) + 1

    def see(self, call: str, arguments: str, result: str) -> None:
        texts = [_unhex(text) for text in _TEXT.findall(arguments)]
        opened = [os.fsdecode(_unhex(text)) for text in _OPENED.findall(arguments)]
        if call in ("openat", "creat"):
            self._open(arguments, os.fsdecode(_unhex(_OPENED.findall(result)[0])))
        elif call in ("write", "pwrite64"):
            self._write(opened[0], texts[0])
        elif call == "ftruncate" and self._find(opened[0]):
            self._set(opened[0], self._inode(opened[0]).content[: int(arguments.split()[-1])])
        elif call in ("fsync", "fdatasync"):
            self._sync(self._find(opened[0]))
        elif call in ("sync", "syncfs"):
            self._sync(None)
        elif "chmod" in call or call == "newfstatat":
            self._note(call, arguments, opened, texts)
        else:
            self._name_call(call, opened, texts)

    def _name_call(self, call: str, opened: Sequence[str], texts: Sequence[bytes]) -> None:
        if call.startswith("symlink"):
            path = self._path(opened, os.fsdecode(texts[1]))
            self._make(call, path, stat.S_IFLNK | 0o777, texts[0])
            return
        first, *others = self._paths(call, opened, texts)
        if call.startswith("rename"):
            self._rename(first, *others)
        elif call.startswith("link"):
            self._enter(call, others[0], self._find(first))
        elif call.startswith("mkdir"):
            self._make(call, first, stat.S_IFDIR | 0o755)
        else:
            self._enter(call, first, None)

    def _note(
        self, call: str, arguments: str, opened: Sequence[str], texts: Sequence[bytes]
    ) -> None:
        """Note a mode that was set, or a time that was seen."""
        name = os.fsdecode(texts[0]) if texts else ""
        number = self._find(self._path(opened, name) if name else opened[0])
        if not number:
            return
        inode = self.inodes[number]
        if "chmod" in call:
            mode = int(re.findall(r"\b0\d{3,4}\b", arguments)[-1], 8)
            inode.mode = stat.S_IFMT(inode.mode) | mode
        elif stamp := _STAMP.search(arguments):
            inode.modified = int(stamp[1]) * 10**9 + int(stamp[2])

    def _paths(self, call: str, opened: Sequence[str], texts: Sequence[bytes]) -> list[str]:
        names = [os.fsdecode(text) for text in texts]
        if "at" in call:
            return [
                os.path.normpath(os.path.join(directory, name))
                for directory, name in zip(opened, names, strict=False)
            ]
        return [self._path((), name) for name in names]

    def _path(self, opened: Sequence[str], name: str) -> str:
        # every git runs at the top; our own process, too
        return os.path.normpath(os.path.join(opened[0] if opened else self.top, name))

    def _find(self, path: str) -> int | None:
        if not (path + "/").startswith(self.top + "/"):
            return None
        number = 1
        for name in path[len(self.top) + 1 :].split("/") if path != self.top else ():
            found = self.inodes[number].names.get(name)
            if found is None:
                return None
            number = found
        return number

    def _inode(self, path: str) -> Inode:
        number = self._find(path)
        assert number, path
        return self.inodes[number]

    def _name(self, path: str) -> Name | None:
        directory, name = os.path.split(path)
        number = self._find(directory)
        return (number, name) if number else None

    def _add(self, change: Change) -> None:
        for (directory, name), target in change.entries:
            if target is None:
                # What a killed run had started may have made it after the files were listed.
                self.inodes[directory].names.pop(name, None)
            else:
                self.inodes[directory].names[name] = target
        if change.inode:
            self.inodes[change.inode].content = change.content
        self.changes.append(change)
        self.safe.append(None)

    def _open(self, arguments: str, path: str) -> None:
        is_written = "O_CREAT" in arguments or "O_TRUNC" in arguments
        if not is_written or "O_TMPFILE" in arguments or not path.startswith(self.top + "/"):
            return
        if self._find(path) is None:
            mode = int(re.findall(r", (0\d+)$", arguments)[-1], 8) & ~0o022
            self._make("openat", path, stat.S_IFREG | mode)
        elif "O_TRUNC" in arguments and self._inode(path).content:
            self._set(path, b"")
        self._offsets[path] = len(self._inode(path).content) if "O_APPEND" in arguments else 0

    def _make(self, call: str, path: str, mode: int, content: bytes = b"") -> None:
        name = self._name(path)
        if name is None:
            return
        self.inodes[self._next] = Inode(mode, content)
        self._add(Change(((name, self._next),), call=f"{call} {path}"))
        self._next += 1

    def _write(self, path: str, data: bytes) -> None:
        number = self._find(path)
        if number is None or not stat.S_ISREG(self.inodes[number].mode):
            return
        content, at = self.inodes[number].content, self._offsets.get(path, 0)
        self._set(path, content[:at] + data + content[at + len(data) :])
        self._offsets[path] = at + len(data)

    def _set(self, path: str, content: bytes) -> None:
        number = self._find(path)
        assert number
        self._add(Change(inode=number, content=content, call=f"write {path}"))

    def _enter(self, call: str, path: str, target: int | None) -> None:
        name = self._name(path)
        if name is not None:
            self._add(Change(((name, target),), call=f"{call} {path}"))

    def _rename(self, old: str, new: str) -> None:
        source, target, number = self._name(old), self._name(new), self._find(old)
        if source and target and number:
            self._add(Change(((source, None), (target, number)), call=f"rename {old} {new}"))
            if old in self._offsets:
                self._offsets[new] = self._offsets.pop(old)

    def _sync(self, number: int | None) -> None:
        for at, change in enumerate(self.changes):
            if self.safe[at] is not None:
                continue
            directories = {directory for (directory, _), _ in change.entries}
            if number is None or change.inode == number or number in directories:
                self.safe[at] = len(self.changes)


def _unhex(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))
