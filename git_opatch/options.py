"""What a user can choose, as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import NamedTuple


class Target(Enum):
    """What a patch changes, and so where its hunks are located."""

    INDEX = "index"
    """Index and working tree together; located in the index."""
    CACHED = "cached"
    """The index alone."""
    WORKTREE = "worktree"
    """The working tree alone; located in its files as `git add` would store them."""


class Dialect(Enum):
    """The families of forms that patches are written in."""

    ENVELOPE = "envelope"
    """`*** Begin Patch`, as OpenCode and Codex have it."""
    UNIFIED = "unified"
    """`---`, `+++` and `@@`, with or without right numbers."""
    SEARCH_REPLACE = "search-replace"
    """`<<<<<<< SEARCH`, `=======` and `>>>>>>> REPLACE`, as aider, Cline and Roo have them."""
    FILE_CHANGES = "file-changes"
    """`<FILE_CHANGES>` with a tag for each file, as udiffx has it."""
    OPERATIONS = "operations"
    """`create_file`, `update_file` and `delete_file` of the Responses API, in JSON."""


class Tier(Enum):
    """How loosely lines are compared, strictest first."""

    STRICT = "strict"
    RESILIENT = "resilient"
    FUZZY = "fuzzy"

    @cached_property
    def upto(self) -> tuple[Tier, ...]:
        """The tiers to try, up to this one."""
        tiers = tuple(Tier)
        return tiers[: tiers.index(self) + 1]


class Ambiguous(Enum):
    """What to do with a hunk that fits several places equally."""

    REFUSE = "refuse"
    NEAREST = "nearest"
    """Take the one nearest to the hunk before, within a limit."""


class Past(Enum):
    """What older versions of a file are asked for that a patch does not fit."""

    LEAVE = "leave"
    TELL = "tell"
    """Whether the patch fits one of them: a refusal says so."""
    MERGE = "merge"
    """To complete the patch against, and to merge it with the present file."""


class Matching(NamedTuple):
    """How hunks are located.

    `tier` is the loosest one to try, `fuzz` how many outermost context lines a side may be
    ignored, `proximity` how many lines from where it is expected a hunk may be that is
    placed only by being nearest.
    """

    tier: Tier = Tier.FUZZY
    ambiguous: Ambiguous = Ambiguous.REFUSE
    proximity: int = 100
    fuzz: int = 0
    can_loosen: bool = True
    """Whether a user could ask for a looser tier or more fuzz than this."""
    ordered: bool = True
    """Whether the order of a file's hunks may tell where one stands."""


class Rule(NamedTuple):
    """Pathspecs that each path of a patch must match, or must not.

    They mean what they mean to git in `directory`; empty is the top of the working tree.
    `said` is where they were given: an option, or a setting.
    """

    pathspecs: tuple[str, ...]
    allows: bool
    directory: str
    said: str


class Policy(NamedTuple):
    """What a patch may touch, and which versions of files it was written for.

    `rules` hold all together. `expected` has, for a path, how the id of its blob begins; empty
    where there must be no file.
    """

    rules: tuple[Rule, ...] = ()
    expected: tuple[tuple[str, str], ...] = ()

    @property
    def expected_paths(self) -> list[str]:
        """The files whose version matters."""
        return [path for path, _ in self.expected]


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
    matching: Matching = field(default_factory=Matching)
    past: Past = Past.LEAVE
    partial: bool = False
    """Whether hunks that have no place are left out, instead of refusing the whole patch."""
    reject: bool = False
    """Whether those hunks are written to files beside the ones that they were for."""
    journal_size: int = 100
    """How many records the journal keeps."""
    carry: bool = False
    """Whether files may have unstaged changes, which stay unstaged; for `Target.INDEX`."""
    skip_applied: bool = False
    """Whether what is there already is passed over, instead of refused."""
    commit: bool = False
    """Whether what is applied is to be committed, for which it must be staged."""
    policy: Policy = field(default_factory=Policy)
    command: str = "git opatch apply"
    target_flag: str = ""

    def __post_init__(self) -> None:
        """Raises `TypeError` for a target by its name: it would be taken for none that is known."""
        if not isinstance(self.target, Target):
            raise TypeError(f"a target is one of Target, and {self.target!r} is not")

    def command_with(self, flag: str) -> str:
        """The same command with one flag more; another target takes the place of --carry."""
        said = self.command
        if self.carry and flag in ("--cached", "--worktree"):
            said = said.replace(" --carry", "", 1)
        git, opatch, command, *rest = said.split(" ")
        return " ".join([git, opatch, command, flag, *rest])
