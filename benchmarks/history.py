"""Commits of real repositories: small edits of text files, with both versions of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from model import Commit, Edit, FileChange
from trees import git

POOL = 600  # commits to read of each repository, drawn at random
MOST_FILES = 5
MOST_LINES = 80  # changed lines of one file; with context, hardly more than 120
MOST_BYTES = 300_000

_LOG = ("log", "--no-merges", "--diff-filter=M", "--format=%H", "HEAD")
_DIFF = (
    *("diff-tree", "--stdin", "-r", "-p", "-U0", "--full-index"),
    *("--diff-filter=M", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"),
)
_COMMITS = re.compile(rb"(?m)^(?=[0-9a-f]{40}$)")
_FILES = re.compile(rb"(?m)^diff --git ")
_INDEX = re.compile(rb"(?m)^index ([0-9a-f]{40})\.\.([0-9a-f]{40}) 100(?:644|755)$")
_PATH = re.compile(rb"(?m)^\+\+\+ b/([\w./+-]+)$")
_HUNK = re.compile(rb"(?m)^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NO_NEWLINE = re.compile(rb"(?m)^\\")


@dataclass(frozen=True, slots=True)
class _Found:
    """A file that a commit changed: its old and its new blob, and the edits between them."""

    path: str
    old: str
    new: str
    edits: tuple[Edit, ...]


def read_history(path: Path, seed: str) -> list[Commit]:
    """Up to `POOL` usable commits of the repository or git directory at `path`."""
    directory = git_directory(path)
    name = path.resolve().parent.name if path.name == "repo" else path.resolve().name
    ids = git(directory, *_LOG).decode().split()
    Random(f"{seed}:{name}").shuffle(ids)
    diffs = dict(_diffs(git(directory, *_DIFF, feed="\n".join(ids[:POOL]).encode())))
    wanted = {blob for files in diffs.values() for file in files for blob in (file.old, file.new)}
    blobs = _read_blobs(directory, sorted(wanted))
    commits = (_commit(name, id_, files, blobs) for id_, files in diffs.items())
    return [commit for commit in commits if 0 < len(commit.files) <= MOST_FILES]


def git_directory(path: Path) -> Path:
    """The git directory of a repository, of a bare one, or of the one below `repo`."""
    for directory in (path, path / ".git", path / "repo", path / "repo/.git"):
        if (directory / "objects").is_dir():
            return directory
    raise SystemExit(f"{path} is not a git repository")


def _diffs(output: bytes) -> Iterator[tuple[str, list[_Found]]]:
    """Return the output of `git diff-tree --stdin` for each commit; lines of files have a mark."""
    for commit in _COMMITS.split(output)[1:]:
        files = map(_read_file, _FILES.split(commit)[1:])
        yield commit[:40].decode(), [file for file in files if file]


def _read_file(diff: bytes) -> _Found | None:
    """Read one file's diff; None if it is not usable."""
    index, path = _INDEX.search(diff), _PATH.search(diff)
    edits = tuple(map(_edit, _HUNK.finditer(diff)))
    if not (index and path and edits) or _NO_NEWLINE.search(diff) or _size(edits) > MOST_LINES:
        return None
    return _Found(path[1].decode(), index[1].decode(), index[2].decode(), edits)


def _edit(header: re.Match[bytes]) -> Edit:
    start, count, new_start, new_count = (int(group or 1) for group in header.groups())
    start -= count > 0  # git counts from 1, and names the line before an empty range
    new_start -= new_count > 0
    return Edit(start, start + count, new_start, new_start + new_count)


def _size(edits: Sequence[Edit]) -> int:
    return sum(edit.old_stop - edit.old_start + edit.new_stop - edit.new_start for edit in edits)


def _read_blobs(directory: Path, ids: list[str]) -> dict[str, bytes]:
    output = git(directory, "cat-file", "--batch", feed="\n".join(ids).encode())
    blobs: dict[str, bytes] = {}
    at = 0
    while at < len(output):
        stop = output.index(b"\n", at)
        id_, *found = output[at:stop].split()
        at = stop + 1
        if len(found) == 2:  # not "missing"
            blobs[id_.decode()] = output[at : at + int(found[1])]
            at += int(found[1]) + 1
    return blobs


def _commit(name: str, id_: str, files: list[_Found], blobs: dict[str, bytes]) -> Commit:
    changes = []
    for file in files:
        old, new = _lines(blobs.get(file.old, b"")), _lines(blobs.get(file.new, b""))
        if old and new:
            changes.append(FileChange(file.path, old, new, file.edits))
    return Commit(name, id_, tuple(changes))


def _lines(data: bytes) -> tuple[str, ...]:
    """Return the lines of a plain text file; None for any other file."""
    if len(data) > MOST_BYTES or b"\0" in data or b"\r" in data or not data.endswith(b"\n"):
        return ()
    try:
        return tuple(data.decode().split("\n")[:-1])
    except UnicodeDecodeError:
        return ()
