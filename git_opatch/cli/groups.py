"""Groups of options that commands share, and what they mean together with `git config opatch.*`.

`options` has a row for each field. Groups are named tuples: to define a dataclass takes five times
as long, and every run would wait for it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from git_opatch.cli.patch_input import read_patch
from git_opatch.model.errors import UsageError
from git_opatch.model.options import Ambiguous, Format, Matching, Target, ThreeWay, Tier
from git_opatch.model.patch import Patch
from git_opatch.model.selection import Selected, select
from git_opatch.model.settings import Settings, choice
from git_opatch.plan.patch_paths import resolve_paths


class InputOptions(NamedTuple):
    """The patch, and how to read it."""

    files: list[str] | None = None
    patch_format: Format | None = None
    directory: str = ""
    overwrite: bool = False

    def read(self) -> Patch:
        """Read all files as one patch. Raises `InputError` and `ParseError`."""
        return read_patch(self.files or (), self.patch_format)


class TargetOptions(NamedTuple):
    """What to change."""

    index_and_worktree: bool = False
    cached: bool = False
    worktree: bool = False
    carry: bool = False

    @property
    def named(self) -> Target | None:
        """The target that is named, if there is one. Raises `UsageError` for several."""
        wanted = {
            Target.INDEX: self.index_and_worktree or self.carry,
            Target.CACHED: self.cached,
            Target.WORKTREE: self.worktree,
        }
        named = [target for target, is_named in wanted.items() if is_named]
        if len(named) > 1:
            raise UsageError("--index (and --carry), --cached and --worktree exclude one another")
        return named[0] if named else None

    def resolve(self, settings: Settings) -> Target:
        """Take the target that is named, else that of `opatch.target`, else the index."""
        return self.named or choice("opatch.target", Target.INDEX, settings)


class PlaceOptions(TargetOptions):
    """Where to undo, or to redo."""


class BaseOptions(NamedTuple):
    """Where to locate hunks, for commands that change nothing."""

    base: str = ""
    worktree: bool = False

    def resolve(self) -> Target:
        """Choose what to locate in, if it is not `base`. Raises `UsageError`."""
        if self.base and self.worktree:
            raise UsageError("--base and --worktree exclude one another")
        return Target.WORKTREE if self.worktree else Target.CACHED


class MatchOptions(NamedTuple):
    """How to locate hunks."""

    match: Tier | None = None
    ambiguous: Ambiguous | None = None
    three_way: bool = False

    def resolve(self, settings: Settings, *, by_program: bool = False) -> Matching:
        """Take what is named, else `opatch.match` and `opatch.ambiguous`, else the defaults.

        `by_program` says that a program reads the result, to which no option is advised.
        Raises `UsageError`, also for a guess in a hook, where nobody checks the result.
        """
        configured = Matching.from_settings(settings)
        ambiguous = self.ambiguous or configured.ambiguous
        if ambiguous is Ambiguous.NEAREST and "PRE_COMMIT" in os.environ:
            raise UsageError("--ambiguous nearest is not allowed in hooks: nobody checks its guess")
        return Matching(self.match or configured.tier, ambiguous, can_choose=not by_program)

    def resolve_three_way(
        self, target: Target, *, carry: bool = False, partial: bool = False
    ) -> ThreeWay:
        """Choose what older versions of files are used for. Raises `UsageError`."""
        if not self.three_way:
            return ThreeWay.OFF if carry or partial else ThreeWay.SUGGEST
        if target is Target.WORKTREE or carry:
            raise UsageError("--3way merges in the index; it excludes --worktree and --carry")
        if partial:
            raise UsageError("--3way merges whole files; it excludes --partial and --reject")
        return ThreeWay.MERGE


class SelectOptions(NamedTuple):
    """Which parts of the patch are meant."""

    only: list[str] | None = None
    leave_out: list[str] | None = None

    def resolve(self, patch: Patch, directory: str, top: Path | None) -> Selected:
        """Choose the parts of `patch`, whose paths are below `directory`. Raises `UsageError`."""
        root = str(top or "")
        resolved = resolve_paths(patch, directory, root)
        return select(patch, self.only or (), self.leave_out or (), resolved, root)


class PartialOptions(NamedTuple):
    """What to do with changes that cannot be applied."""

    skip_applied: bool = False
    partial: bool = False
    reject: bool = False

    @property
    def allows_part(self) -> bool:
        """Whether a part of the patch may be applied."""
        return self.partial or self.reject
