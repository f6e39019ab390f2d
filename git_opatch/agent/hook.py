"""Judge the calls of an agent before they are made (D260).

    read_call ──▶ detect ──▶ verify the files in the working tree ──▶ deny, or nothing

A call is judged from the directory that it is made in, and the refusal counts paths from there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from git_opatch.agent.apply_patch_call import Invocation
from git_opatch.agent.hook_event import ToolCall
from git_opatch.agent.outside import (
    names_within,
    nested_repository,
    refuse_main_checkout,
    relative_paths,
    split_by_place,
    split_by_repository,
)
from git_opatch.agent.verify import Action, repository_of, verify_patch
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot
from git_opatch.model.failure import Failure, Refused
from git_opatch.model.options import Options
from git_opatch.model.patch import FilePatch, Operation, Patch
from git_opatch.model.policy import Policy
from git_opatch.model.sentences import Fault, Hint
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
        plain, old = (each.replace("\r\n", "\n") for each in (text, old))
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
        own_paths = (each._replace(path=each.path[len(below) + 1 :]) for each in failures)
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
