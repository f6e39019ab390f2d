"""Judge the calls of an agent before they are made (D260).

    read_call ──▶ detect ──▶ verify the files in the working tree ──▶ deny, or nothing

A call is judged from the directory that it is made in, and the refusal counts paths from there. An
agent may write anywhere that its sandbox lets it: a call is judged for the files of the working
tree, and what is outside of it is the agent's own affair, and its user's (D262).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from git_opatch.agent.apply_patch_call import Action, Invocation, repository_of, verify_patch
from git_opatch.agent.hook_event import ToolCall
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot
from git_opatch.model.errors import RepositoryError
from git_opatch.model.failure import Failure, Refused, refusal
from git_opatch.model.options import Options
from git_opatch.model.patch import FilePatch, Operation, Patch
from git_opatch.model.paths import parents, why_unsafe
from git_opatch.model.policy import Policy
from git_opatch.model.sentences import Fault, Hint
from git_opatch.model.text import visible
from git_opatch.operations.recover import require_uninterrupted
from git_opatch.parse import parse_patch
from git_opatch.plan.patch_paths import called_in, resolve_paths
from git_opatch.plan.policy import check_policy


class Place(NamedTuple):
    """Where a call is made: a directory of the working tree of `repository` at `top`."""

    repository: Repository
    top: Path
    directory: Path

    @property
    def prefix(self) -> str:
        """The directory relative to the top; empty for the top itself."""
        prefix = os.path.relpath(self.directory, self.top)
        return "" if prefix == os.curdir else prefix


class Judged(NamedTuple):
    """A call of `apply_patch` that would apply. There are no `actions` if it is outside
    altogether."""

    invocation: Invocation
    actions: Mapping[str, Action]
    """What it does, by the directory of the repository below the working tree, empty for its
    own."""
    outside: tuple[FilePatch, ...]
    """The sections that name files outside of the working tree: they are not judged."""


def find_edit(call: ToolCall) -> Invocation | None:
    """Return OpenCode's call of `edit` as a patch; None if its tool does what the call says.

    That is where the old string is in the file once, or each is replaced. Where there is a line
    ending of another kind, or a character that is not UTF-8, the tool would change that, too.
    """
    if call.edit is None:
        return None
    old, new, every = call.edit
    path = os.path.join(call.directory, os.path.expanduser(call.path))
    with suppress(OSError, ValueError):  # the plan will say why it cannot be read
        text = Path(path).read_bytes().decode().removeprefix("\ufeff")
        plain, old = (string.replace("\r\n", "\n") for string in (text, old))
        is_alike = text in (plain, plain.replace("\n", "\r\n")) or "\n" not in old + new
        is_once = plain.find(old) == plain.rfind(old)
        if is_alike and old in plain and ("$" not in new if every else is_once):
            return None  # `$` is not text where OpenCode replaces all
    given = {"filePath": path, "oldString": old, "newString": new, "replaceAll": every}
    patch = json.dumps(given)
    return Invocation(patch, "", patch)


def find_place(directory: str, below: str = "") -> Place | None:
    """Find the working tree of a call that changes to `below`; None if it is in none.

    Raises `RepositoryError` if there is a repository that cannot be read.
    """
    where = Path(directory, os.path.expanduser(below))
    repository = repository_of(where) if where.is_dir() else None
    if repository is None or repository.top is None:
        return None
    return Place(repository, repository.top.resolve(), where.resolve())


def judge_patch(invocation: Invocation, place: Place, options: Options) -> Judged:
    """Find out what the call would do in the working tree.

    Raises `Refused` if it does not apply, or is not allowed, with paths as the call counts them;
    `ParseError` and `RepositoryError` as `verify`.
    """
    patch = parse_patch(invocation.patch)
    where, outside = place.directory, tuple[FilePatch, ...]()
    if not any(rule.allows for rule in options.policy.rules):
        where, (patch, outside) = place.top, split_by_place(patch, place.top, place.directory)
    if failures := refuse_main_checkout(outside, place.repository, place.directory):
        raise as_seen_from(place.prefix, Refused(failures, options), options)
    if outside and not patch.files:
        return Judged(invocation, {}, outside)
    parts = {"": patch} if where != place.top else split_by_repository(patch, place.top)
    actions = dict[str, Action]()
    for below, part in parts.items():
        try:
            actions[below] = _verify(part, invocation, where, below, options)
        except Refused as refused:
            raise as_seen_from(place.prefix, refused, options, below) from None
    return Judged(invocation, actions, outside)


def _verify(
    part: Patch, invocation: Invocation, where: Path, below: str, options: Options
) -> Action:
    """Verify the part of a patch for the repository `below` that of the call, which has its own
    policy, too. Raises as `judge_patch` does."""
    if not below:
        return verify_patch(part, invocation, where, options)
    repository = nested_repository(where, below)
    require_uninterrupted(repository)
    require_allowed(part, below, Repository(where), options)
    own = Policy.read(repository.settings())
    return verify_patch(part, invocation, where / below, replace(options, policy=own))


def require_allowed(part: Patch, below: str, outer: Repository, options: Options) -> None:
    """Hold the part of a patch for the repository `below` another to the policy of that one.

    Raises `Refused`, with paths as the part has them.
    """
    named = resolve_paths(called_in(below, part))
    if failures := check_policy(named, Snapshot({}), outer, options):
        own_paths = (failure._replace(path=failure.path[len(below) + 1 :]) for failure in failures)
        raise Refused(own_paths, options)


def judge_edit(path: str, place: Place, options: Options) -> None:
    """Hold the file that an editing tool writes to the policy. Raises `Refused`.

    A path outside of the working tree is not allowed where only some paths are.
    """
    path = os.path.join(place.directory, os.path.expanduser(path))
    rules = options.policy.rules
    names = names_within(place.top, path)
    if not names and any(rule.allows for rule in rules):
        names = [path]
    sections = tuple(FilePatch(Operation.UPDATE, name, name) for name in names)
    failures = check_policy(Patch(sections), Snapshot({}), place.repository, options)
    if not names:
        outside = [FilePatch(Operation.UPDATE, path, path)]
        failures += refuse_main_checkout(outside, place.repository, place.directory)
    if failures:
        raise as_seen_from(place.prefix, Refused(failures, options), options)


def as_seen_from(prefix: str, refused: Refused, options: Options, below: str = "") -> Refused:
    """Return the refusal with all paths as counted from the directory `prefix`, below the top.

    Those of the refusal count from the directory `below`.
    """
    if prefix in ("", os.curdir) and not below:
        return refused
    return Refused((_relative(failure, prefix, below) for failure in refused.failures), options)


def _relative(failure: Failure, prefix: str, below: str) -> Failure:
    if not os.path.isabs(failure.path):
        (path,) = relative_paths([failure.path], prefix, below)
        failure = failure._replace(path=path)
    if failure.similar:
        return failure._replace(similar=tuple(relative_paths(failure.similar, prefix, below)))
    if failure.fault is Fault.MISSING_FILE and prefix:
        return failure.with_hint(Hint.HERE, directory=prefix)
    return failure


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
    names = (path_within(top, name) for name in (path, os.path.realpath(path)))
    return list(dict.fromkeys(name for name in names if name is not None))


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
            # the `.git` of the main working tree is ours, too
            if meant and not why_unsafe(meant) and not _owner(main, meant):
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
    placed = [path and path_within(top, os.path.join(base, path)) for path in given]
    if any(old and new is None for old, new in zip(given, placed, strict=True)):
        return None
    old, new, alternate = placed
    return section._replace(directory="", old_path=old, new_path=new, alternate=alternate)


def relative_paths(paths: Iterable[str], prefix: str, below: str = "") -> list[str]:
    """Return `paths`, which count from the directory `below` the top, as counted from the directory
    `prefix`."""
    joined = [os.path.join(below, path) for path in paths]
    return [os.path.relpath(path, prefix) for path in joined] if prefix else joined
