"""What a user can choose, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Target(Enum):
    """What a patch changes, and so where its hunks are located."""

    INDEX = "index"
    """Index and working tree together; located in the index."""
    CACHED = "cached"
    """The index alone."""
    WORKTREE = "worktree"
    """The working tree alone; located in its files as `git add` would store them."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a patch is read and applied.

    `base` is a tree-ish to locate in, instead of the index; `directory` is put before
    every path of the patch, counted from the top of the working tree. `command` is how the
    user would say the same again, and `target_flag` how the target, for advice in messages.
    """

    target: Target = Target.INDEX
    reverse: bool = False
    overwrite: bool = False
    directory: str = ""
    base: str | None = None
    command: str = "git opatch apply"
    target_flag: str = ""

    def command_with(self, flag: str) -> str:
        """The same command with one flag more."""
        program, _, rest = self.command.partition(" apply")
        return f"{program} apply {flag}{rest}"
