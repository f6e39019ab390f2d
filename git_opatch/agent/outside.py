"""Which files an agent's call names in the working tree, and which outside of it (D262).

An agent may write anywhere that its sandbox lets it. A call is judged for the files of the working
tree; what is outside of it is the agent's own affair, and its user's.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from git_opatch.git.repository import Repository
from git_opatch.model.errors import RepositoryError
from git_opatch.model.failure import Failure, refusal
from git_opatch.model.patch import FilePatch, Patch
from git_opatch.model.paths import parents, why_unsafe
from git_opatch.model.sentences import Fault, Hint
from git_opatch.model.text import visible


def path_within(top: Path, path: str) -> str | None:
    """Return the absolute `path` relative to `top`; None if it is outside.

    It may be named through symbolic links, or be one that leads into `top`.
    """
    if "\0" in path:
        return path  # which no patch may name
    above, name = os.path.split(os.path.normpath(path))
    for file in (f"{above}/{name}", f"{os.path.realpath(above)}/{name}", os.path.realpath(path)):
        relative = os.path.relpath(file, top)
        if relative != os.curdir and relative.split(os.sep, 1)[0] != os.pardir:
            return relative
    return None


def names_within(top: Path, path: str) -> list[str]:
    """Return all names that the file at the absolute `path` has within `top`, links resolved."""
    found = (path_within(top, each) for each in (path, os.path.realpath(path)))
    return list(dict.fromkeys(each for each in found if each is not None))


def split_by_place(patch: Patch, top: Path, directory: Path) -> tuple[Patch, tuple[FilePatch, ...]]:
    """Return `patch` without the sections that name a file outside `top`, and those sections.

    Paths of the patch are relative to `directory`, and those of the result to `top`, except those
    of git's own directory, which are left as they are. The sections outside are as they were.
    """
    sections = [(section, _placed(section, top, directory)) for section in patch.files]
    inside = tuple(placed for _, placed in sections if placed is not None)
    outside = tuple(section for section, placed in sections if placed is None)
    return patch._replace(files=inside), outside


def split_by_repository(patch: Patch, top: Path) -> dict[str, Patch]:
    """Return the parts of `patch`, by the directory of the repository below `top` that has them.

    That is a submodule, or a nested repository; empty is `top` itself. Paths are relative to `top`,
    and those of a part to its directory. A section that names files of two belongs to `top`, where
    it will be refused.
    """
    if "GIT_DIR" in os.environ:
        return {"": patch}
    parts: dict[str, list[FilePatch]] = {}
    for section in patch.files:
        paths = (section.old_path, section.new_path, section.alternate)
        owners = {_owner(top, path) for path in paths if path}
        owner = owners.pop() if len(owners) == 1 else ""
        start = f"{owner}/" if owner else ""
        old, new, alternate = (path and path.removeprefix(start) for path in paths)
        section = section._replace(old_path=old, new_path=new, alternate=alternate)
        parts.setdefault(owner, []).append(section)
    return {owner: patch._replace(files=tuple(files)) for owner, files in parts.items()}


def _owner(top: Path, path: str) -> str:
    """Return the directory of the innermost repository below `top` that has the file."""
    owner = ""
    for parent in parents(path):
        if why_unsafe(path) or (top / parent).is_symlink():
            break
        owner = parent if os.path.lexists(top / parent / ".git") else owner
    return owner


def refuse_main_checkout(
    sections: Iterable[FilePatch], repository: Repository, directory: Path
) -> list[Failure]:
    """Refuse the sections that name a file of the main working tree, from a linked one (D522).

    Paths are relative to `directory`. What is meant is the file of the same name (git-worktree(1)).
    """
    main, failures = repository.main_top, list[Failure]()
    if main is None:
        return []
    for section in sections:
        for path in (section.path, section.new_path or section.path):
            absolute = os.path.join(directory, section.directory, path)
            meant = path_within(main.resolve(), absolute)
            if (
                meant and not why_unsafe(meant) and not _owner(main, meant)
            ):  # its `.git` is ours, too
                failure = refusal(section, Fault.OTHER_WORKTREE, path=absolute)
                failures.append(failure._replace(similar=(meant,)).with_hint(Hint.SIMILAR_PATH))
                break
    return failures


def nested_repository(top: Path, below: str) -> Repository:
    """Open the repository in the directory `below` the top. Raises `RepositoryError` if there is
    none of its own."""
    repository = Repository(top / below)
    if repository.top is None or repository.top.resolve() != (top / below).resolve():
        raise RepositoryError(f"`{visible(below)}` has a `.git`, and is not a repository")
    return repository


def _placed(section: FilePatch, top: Path, directory: Path) -> FilePatch | None:
    base = os.path.join(directory, section.directory)
    given = (section.old_path, section.new_path, section.alternate)
    found = [path and path_within(top, os.path.join(base, path)) for path in given]
    if any(old and new is None for old, new in zip(given, found, strict=True)):
        return None
    old, new, alternate = found
    return section._replace(directory="", old_path=old, new_path=new, alternate=alternate)


def relative_paths(paths: Iterable[str], prefix: str, below: str = "") -> list[str]:
    """Return `paths`, which count from the directory `below` the top, as counted from the directory
    `prefix`."""
    joined = [os.path.join(below, path) for path in paths]
    return [os.path.relpath(path, prefix) for path in joined] if prefix else joined
