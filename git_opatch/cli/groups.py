"""Groups of options that commands share, and what they mean together with `git config opatch.*`.

Annotations are evaluated here, because typer reads them when a command is registered. Groups are
named tuples: to define a dataclass takes five times as long, and every run would wait for it.
"""

import os
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from git_opatch.cli.options import SkipApplied, value_option
from git_opatch.cli.patch_input import read_patch
from git_opatch.model.errors import UsageError
from git_opatch.model.options import Ambiguous, Format, Matching, Target, ThreeWay, Tier
from git_opatch.model.patch import Patch
from git_opatch.model.selection import Selected, select
from git_opatch.model.settings import Settings, choice
from git_opatch.plan.patch_paths import resolve_paths


class InputOptions(NamedTuple):
    """The patch, and how to read it."""

    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE",
            show_default=False,
            help="Patch files; standard input if none is named, or for `-`.",
        ),
    ] = None
    patch_format: Annotated[
        Format | None,
        typer.Option(
            "--format",
            show_default=False,
            help="Read this format only (default: detected).",
        ),
    ] = None
    directory: Annotated[
        str,
        value_option(
            "--directory",
            metavar="DIR",
            help="Prepend DIR to all paths of the patch, which are relative to the top of "
            "the working tree.",
        ),
    ] = ""
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite",
            help="Allow an added or moved file to replace a tracked one; with --worktree an "
            "untracked one, too.",
        ),
    ] = False

    def read(self) -> Patch:
        """Read all files as one patch. Raises `InputError` and `ParseError`."""
        return read_patch(self.files or (), self.patch_format)


Both = Annotated[bool, typer.Option("--index", help="Change the index and the working tree.")]
Cached = Annotated[
    bool, typer.Option("--cached", help="Change just the index, without touching the working tree.")
]


class TargetOptions(NamedTuple):
    """What to change."""

    index_and_worktree: Both = False
    cached: Cached = False
    worktree: Annotated[
        bool,
        typer.Option(
            "--worktree",
            help="Change just the working tree, untracked files too; locate hunks in its files.",
        ),
    ] = False
    carry: Annotated[
        bool,
        typer.Option(
            "--carry",
            help="Allow unstaged changes in touched files; they stay unstaged. Each hunk must have "
            "a position in the index and in the working tree.",
        ),
    ] = False

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


class PlaceOptions(NamedTuple):
    """Where to undo, or to redo."""

    index_and_worktree: Both = False
    cached: Cached = False
    worktree: Annotated[
        bool,
        typer.Option(
            "--worktree", help="Change just the working tree, without touching the index."
        ),
    ] = False
    carry: Annotated[
        bool,
        typer.Option("--carry", help="Allow unstaged changes in its files; they stay unstaged."),
    ] = False

    @property
    def named(self) -> Target | None:
        """The target that is named, if there is one. Raises `UsageError` for several."""
        return TargetOptions(*self).named


class BaseOptions(NamedTuple):
    """Where to locate hunks, for commands that change nothing."""

    base: Annotated[
        str,
        value_option(
            "--base",
            metavar="TREE-ISH",
            help="Locate hunks in this commit or tree; works in a bare repository.",
        ),
    ] = ""
    worktree: Annotated[
        bool,
        typer.Option("--worktree", help="Locate hunks in the files of the working tree."),
    ] = False

    def resolve(self) -> Target:
        """Choose what to locate in, if it is not `base`. Raises `UsageError`."""
        if self.base and self.worktree:
            raise UsageError("--base and --worktree exclude one another")
        return Target.WORKTREE if self.worktree else Target.CACHED


class MatchOptions(NamedTuple):
    """How to locate hunks."""

    match: Annotated[
        Tier | None,
        typer.Option(
            "--match",
            show_default=False,
            help="The loosest way to compare lines (default: fuzzy, or opatch.match).",
        ),
    ] = None
    ambiguous: Annotated[
        Ambiguous | None,
        typer.Option(
            "--ambiguous",
            show_default=False,
            help="What to do with a hunk that has several candidates (default: refuse, or "
            "opatch.ambiguous). The nearest one is often wrong.",
        ),
    ] = None
    three_way: Annotated[
        bool, typer.Option("-3", "--3way", help="Attempt a three-way merge from an older version.")
    ] = False

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

    only: Annotated[
        list[str] | None,
        value_option(
            "--only",
            metavar="HUNK",
            help="Take only this hunk: its id (see `show`), PATH:N, or PATH for all of a file or a "
            "directory (may be repeated).",
        ),
    ] = None
    leave_out: Annotated[
        list[str] | None,
        value_option(
            "--except",
            metavar="HUNK",
            help="Leave this hunk out: its id, PATH:N, or PATH (may be repeated).",
        ),
    ] = None

    def resolve(self, patch: Patch, directory: str, top: Path | None) -> Selected:
        """Choose the parts of `patch`, whose paths are below `directory`. Raises `UsageError`."""
        root = str(top or "")
        resolved = resolve_paths(patch, directory, root)
        return select(patch, self.only or (), self.leave_out or (), resolved, root)


class PartialOptions(NamedTuple):
    """What to do with changes that cannot be applied."""

    skip_applied: SkipApplied = False
    partial: Annotated[
        bool,
        typer.Option(
            "--partial", help="Apply the hunks that can be placed, report the others, and exit 1."
        ),
    ] = False
    reject: Annotated[
        bool,
        typer.Option("--reject", help="Like --partial, and write the other hunks to FILE.rej."),
    ] = False

    @property
    def allows_part(self) -> bool:
        """Whether a part of the patch may be applied."""
        return self.partial or self.reject
