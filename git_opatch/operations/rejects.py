"""Write rejected hunks beside the file that they were for: `--reject`, `FILE.rej` as git writes it.

An existing file of that name is left as it is, and refused if it has anything else. Nothing is read
or written through a symbolic link, also if a directory becomes one meanwhile (D131).
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from git_opatch.git.repository import Repository
from git_opatch.model.failure import Failure, Refused
from git_opatch.model.options import Options
from git_opatch.model.patch import FilePatch, Hunk, Patch
from git_opatch.model.paths import quote
from git_opatch.model.selection import key_of
from git_opatch.model.sentences import Fault
from git_opatch.plan.plan import Plan
from git_opatch.transaction.guard import guard_parents
from git_opatch.transaction.working_tree import WorkingTree, opened

_TITLE = b"\t(rejected hunks)"


def plan_rejects(
    patch: Patch, plan: Plan, repository: Repository, options: Options
) -> dict[str, bytes]:
    """Make the files of rejected hunks, by path. Raises `Refused` if one is in the way."""
    if not options.reject:
        return {}
    rejects = _rejects_of(patch, plan.failures)
    changed = {change.path for change in plan.completed.changes}
    if obstacles := _guard(repository.require_worktree(), rejects, changed):
        raise Refused([*plan.failures, *obstacles], options)
    return rejects


def write_rejects(
    repository: Repository, rejects: Mapping[str, bytes], plan: Plan, options: Options
) -> list[str]:
    """Write the files of rejected hunks; return notes.

    Also on the files that are refused as a whole, of which `git apply` writes no `.rej`, either.
    """
    if not options.reject:
        return []
    whole = dict.fromkeys(failure.path for failure in plan.failures if not failure.hunk)
    unwritten = [f"{path}: refused as a whole, and in no .rej file" for path in whole]
    top = repository.require_worktree()
    if _guard(top, rejects, ()):
        return [*(f"{path}: left as it is" for path in rejects), *unwritten]
    try:
        _write(top, rejects)
    except OSError as error:
        return [f"the rejected hunks could not be written: {error.strerror}", *unwritten]
    return [*(f"rejected hunks written to {path}" for path in rejects), *unwritten]


def _rejects_of(patch: Patch, failures: Sequence[Failure]) -> dict[str, bytes]:
    """The content of each `.rej` file, by path."""
    rejected = {failure.key for failure in failures if failure.hunk}
    contents: dict[str, bytes] = {}
    for section in patch.files:
        hunks = [hunk for hunk in section.hunks if key_of(section, hunk.ordinal) in rejected]
        if hunks:
            path = f"{section.new_path or section.path}.rej"
            contents[path] = contents.get(path, _title(section)) + b"".join(map(_to_bytes, hunks))
    return contents


def _guard(top: Path, rejects: Mapping[str, bytes], changed: Collection[str]) -> list[Failure]:
    """List what prevents writing `rejects`; `changed` are the paths that the patch changes."""
    failures = guard_parents(top, list(rejects))
    failures += [Failure(Fault.REJECTS_OF_PATCH, path) for path in rejects if path in changed]
    with opened(top) as tree:
        failures += [
            Failure(Fault.NOT_REJECTS, path)
            for path, content in rejects.items()
            if _is_in_the_way(tree, path, content)
        ]
    return failures


def _write(top: Path, rejects: Mapping[str, bytes]) -> None:
    """Write each file at once, by a rename. Raises `OSError`."""
    with opened(top) as tree:
        for path, content in rejects.items():
            directory, _, name = path.rpartition("/")
            if directory:
                tree.make_directory(directory)
            tree.write(path, content, f".opatch-{name}")
        tree.forget()
        for path in rejects:
            if tree.stamp(path) is None:  # its directory was replaced meanwhile
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)


def _is_in_the_way(tree: WorkingTree, path: str, content: bytes) -> bool:
    """Return whether there is something that is not a file of this content."""
    found = tree.stamp(path)
    if found is None:
        return False
    try:
        return not stat.S_ISREG(found.mode) or tree.read(path) != content
    except OSError:
        return True


def _title(section: FilePatch) -> bytes:
    names = quote(f"a/{section.path}"), quote(f"b/{section.new_path or section.path}")
    return f"diff {names[0]} {names[1]}".encode("latin-1") + _TITLE + b"\n"


def _to_bytes(hunk: Hunk) -> bytes:
    return b"".join([*_header(hunk), *_lines(hunk)])


def _header(hunk: Hunk) -> Iterator[bytes]:
    if hunk.stated_start is not None and hunk.new_start is not None:
        old, new = len(hunk.preimage), len(hunk.postimage)
        ranges = f"-{hunk.stated_start + (old > 0)},{old} +{hunk.new_start + (new > 0)},{new}"
        heading = b"".join(b" " + anchor.text for anchor in hunk.anchors if anchor.weak)
        yield f"@@ {ranges} @@".encode() + heading + b"\n"
        return
    yield from (b"@@ " + anchor.text + b"\n" for anchor in hunk.anchors)
    if not hunk.anchors:
        yield b"@@\n"


def _lines(hunk: Hunk) -> Iterator[bytes]:
    removed_ranges = set(hunk.removed_ranges)
    for at, line in enumerate(hunk.lines):
        if at in removed_ranges:
            yield b"~\n"
        yield line.written
