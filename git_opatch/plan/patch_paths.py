"""The paths that a patch names: resolve them, list them, refuse those that cannot be changed."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from git_opatch.complete.tree import FileContent, VirtualTree
from git_opatch.git.snapshot import Snapshot
from git_opatch.model.failure import Failure, refusal
from git_opatch.model.options import Options
from git_opatch.model.patch import FilePatch, Operation, Patch
from git_opatch.model.paths import name_meant, normalise, parents, why_unsafe
from git_opatch.model.sentences import Fault, Hint

_PLAIN = Options()


def resolve_paths(patch: Patch, options: Options = _PLAIN, top: Path | None = None) -> Patch:
    """Normalise every path of `patch`, below the options' directory and its section's own one.

    `top` is the working tree's: a section's directory, and a path, may be absolute, and below it or
    below the policy's root, which is where the tree was for the author.
    """
    where = options.directory, str(top or ""), options.policy.root
    files = tuple(_resolve_section(section, *where) for section in patch.files)
    is_same = all(resolved is given for resolved, given in zip(files, patch.files, strict=True))
    return patch if is_same else patch._replace(files=files)


def called_in(directory: str, patch: Patch) -> Patch:
    """Return `patch` as called in `directory`, relative to the top, for the top itself."""
    files = (
        section._replace(directory=posixpath.normpath(posixpath.join(directory, section.directory)))
        for section in patch.files
    )
    return patch._replace(files=tuple(files))


def _resolve_section(section: FilePatch, directory: str, top: str, root: str) -> FilePatch:
    own = section.directory
    paths = (section.old_path, section.new_path, section.alternate)
    inside = next(
        (at for at in (root, top) if at and f"{own}/".startswith(at.rstrip("/") + "/")), ""
    )
    below = (
        normalise(own[len(inside) :].lstrip("/"), directory)
        if inside
        else normalise(own, directory)
    )

    old, new, alternate = (path and _resolve(path, below, top, root) for path in paths)
    if section.old_path and alternate and section.old_path == f"/{section.alternate}":
        # `/src/a.py` on both sides: in the working tree at `top`, or for git, in its top
        old = new = alternate if old and old.startswith("/") else old
        alternate = None
    if (old, new, alternate) == paths and not own:
        return section
    return section._replace(directory="", old_path=old, new_path=new, alternate=alternate)


def _resolve(path: str, below: str, top: str, root: str) -> str:
    is_inside = root and path.startswith(f"{root}/")
    return normalise(path[len(root) + 1 :]) if is_inside else normalise(path, below, top)


def named_paths(patch: Patch) -> list[str]:
    """List every path that a section names, sorted."""
    return sorted({path for section in patch.files for path in section.names})


def name_of(caller: str, patch: Patch) -> str:
    """Name a patch that comes from no file in the journal: by who sent it, and what it is for."""
    paths = list(dict.fromkeys(section.new_path or section.path for section in patch.files))
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"{caller}: {paths[0]}{more}"


def created_paths(patch: Patch) -> set[str]:
    """Return the paths at which `patch` creates a file."""
    files = patch.files
    return {each.new_path for each in files if each.new_path and each.new_path != each.old_path}


def refuse_unsafe(patch: Patch, tracked: Callable[[], Iterable[str]] = tuple) -> list[Failure]:
    """Return a failure for each path that no patch may name, or that is not a name for a new
    file; `tracked` lists the files that are there."""
    unsafe = [
        refusal(section, why, path=path)
        for section in patch.files
        for path in section.names
        if (why := why_unsafe(path))
    ]
    olds = {None, *(section.old_path for section in patch.files)}
    return unsafe or [
        _not_a_name(section, meant)
        for section in patch.files
        if section.new_path and section.new_path != section.old_path
        if (meant := _name_meant(section.new_path, tracked)) not in olds and meant is not None
    ]


def _name_meant(path: str, tracked: Callable[[], Iterable[str]]) -> str | None:
    """Return the name that is meant by the `path` of a new file; None if that is one.

    `@src/a.py` mentions a file to an agent, where there is `src` and no `@src`. A file whose name
    has the other form of Unicode looks the same.
    """
    if not path.isascii():
        forms = {path, *(normalize(form, path) for form in ("NFC", "NFD"))}
        known = forms.intersection(tracked()) if len(forms) > 1 else set()
        if known and path not in known:
            return known.pop()
    first, slash, _ = path.partition("/")
    if not (path.startswith("@") and slash):
        return name_meant(path)
    tops = {each.partition("/")[0] for each in tracked()}
    return path[1:] if first[1:] in tops and first not in tops else name_meant(path)


def _not_a_name(section: FilePatch, meant: str) -> Failure:
    failure = refusal(section, Fault.NOT_A_NAME, path=section.new_path)
    return failure._replace(similar=(meant,)).with_hint(Hint.SIMILAR_PATH) if meant else failure


# ---------------------------------------------------------------- in the tree


class PathFailures(NamedTuple):
    """Checks paths of sections against `tree`, which began as the files of `snapshot`."""

    tree: VirtualTree
    snapshot: Snapshot
    options: Options

    def missing(self, section: FilePatch, path: str) -> Failure:
        """Return why there is no file to change at `path`."""
        snapshot = self.snapshot
        for fault, paths in (
            (Fault.UNMERGED, snapshot.unmerged),
            (Fault.SUBMODULE, snapshot.submodules),
            (Fault.DIRECTORY, snapshot.folders),
            (Fault.INTENDED, snapshot.intended),
            (Fault.GONE_EARLIER, self.tree.base),
        ):
            if path in paths:
                return refusal(section, fault, path=path)
        fault = Fault.MISSING_FILE
        if self.options.reverse:
            is_added = section.operation is Operation.DELETE  # so that no other file can be meant
            fault = Fault.ADDED_FILE_NOT_APPLIED if is_added else Fault.FILE_NOT_APPLIED
        elif self.options.skip_applied and section.operation is Operation.DELETE:
            fault = Fault.DELETION_APPLIED  # else a wrong path looks the same
        return refusal(section, fault, path=path, base=snapshot.name)

    def obstacle(self, section: FilePatch, path: str, content: FileContent) -> Failure | None:
        """Return why `content` cannot be created at `path`; None if it can."""
        snapshot = self.snapshot
        existing = self.tree.get(path)
        if existing is not None and path not in self.tree.base:
            return refusal(section, Fault.ADDED_EARLIER, path=path)
        if existing is not None and not self.options.overwrite:
            return _exists(section, path, existing, content)
        if path in snapshot.submodules | snapshot.unmerged | snapshot.intended:
            return self.missing(section, path)
        tracked = snapshot.tracked if path in snapshot.folders else ()
        if self.tree.is_directory(path, tracked):
            return refusal(section, Fault.DIRECTORY, path=path)
        for parent in parents(path):
            if fault := self._not_a_directory(parent):
                return refusal(section, fault, path=path, parent=parent)
        return None

    def _not_a_directory(self, parent: str) -> Fault | None:
        """Return why `parent` cannot have files below it; None if it can."""
        snapshot = self.snapshot
        if parent in snapshot.submodules:
            return Fault.BELOW_SUBMODULE
        is_file = parent in snapshot.unmerged | snapshot.intended or self.tree.get(parent)
        return Fault.BELOW_FILE if is_file else None


def _exists(section: FilePatch, path: str, existing: FileContent, content: FileContent) -> Failure:
    """Refuse to create the file at `path`, which exists, with `content`."""
    if existing.text == content.text and existing.mode.is_file == content.mode.is_file:
        if section.operation is not Operation.MOVE:
            return refusal(section, Fault.FILE_APPLIED, path=path)
        old_path = section.old_path or ""
        return refusal(section, Fault.MOVED_IN_PART, path=path, old_path=old_path)
    is_copied = section.operation in (Operation.MOVE, Operation.COPY)
    fault = Fault.TARGET_EXISTS if is_copied else Fault.FILE_EXISTS
    return refusal(section, Fault.EMPTY_SEARCH if section.fills else fault, path=path)
