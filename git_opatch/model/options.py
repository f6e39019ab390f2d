"""The options of a run, as values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, Protocol

from git_opatch.model.errors import UsageError
from git_opatch.model.policy import Policy
from git_opatch.model.settings import Settings, choice, journal_size


class Target(Enum):
    """What a patch changes, and therefore where its hunks are located."""

    INDEX = "index"
    """Index and working tree together; located in the index."""
    CACHED = "cached"
    """The index only."""
    WORKTREE = "worktree"
    """The working tree only; located in its files as `git add` would store them."""

    @property
    def places(self) -> tuple[Target, ...]:
        """The index, the working tree, or both, as the targets that are just that."""
        both = (Target.CACHED, Target.WORKTREE)
        return both if self is Target.INDEX else (self,)

    @classmethod
    def of(cls, places: Iterable[Target]) -> Target | None:
        """Return the target that has just these places; None if there are none."""
        known = {*places}
        return cls.INDEX if len(known) > 1 else next(iter(known), None)

    def without(self, other: Target | None) -> Target | None:
        """Return what `other` does not have of it; None if that is nothing."""
        others = other.places if other else ()
        return Target.of(place for place in self.places if place not in others)

    def shared_with(self, other: Target | None) -> Target | None:
        """Return the places that both have; None if there are none."""
        return self.without(self.without(other))


class Format(Enum):
    """The formats that patches are written in."""

    ENVELOPE = "envelope"
    """`*** Begin Patch`, as in OpenCode and Codex."""
    UNIFIED = "unified"
    """`---`, `+++` and `@@`, with or without correct numbers."""
    SEARCH_REPLACE = "search-replace"
    """`<<<<<<< SEARCH`, `=======` and `>>>>>>> REPLACE`, as in aider, Cline and Roo."""
    FILE_CHANGES = "file-changes"
    """`<FILE_CHANGES>` with a tag for each file, as in udiffx."""
    OPERATIONS = "operations"
    """`create_file`, `update_file` and `delete_file` of the Responses API, in JSON."""
    STRING_REPLACE = "string-replace"
    """`old_string` and `new_string` in JSON, as in Claude Code, Gemini CLI and MCP servers."""


class Tier(Enum):
    """How loosely lines are compared, strictest first."""

    STRICT = "strict"
    RESILIENT = "resilient"
    FUZZY = "fuzzy"


class Ambiguous(Enum):
    """What to do with a hunk that fits several positions equally."""

    REFUSE = "refuse"
    NEAREST = "nearest"
    """Take the position nearest to the previous hunk; within 100 lines, unless it is strict."""


class ThreeWay(Enum):
    """How older versions of a file are used for a patch that does not fit the present one."""

    OFF = "off"
    SUGGEST = "suggest"
    """A refusal says which of them the patch fits."""
    MERGE = "merge"
    """The patch is completed against one of them and merged with the present file."""


class Configured(Protocol):
    """What has settings, as a repository has."""

    def settings(self) -> Settings:
        """Read the `opatch.*` settings."""


class Matching(NamedTuple):
    """How hunks are located."""

    tier: Tier = Tier.FUZZY
    """The loosest one to try."""
    ambiguous: Ambiguous = Ambiguous.REFUSE
    can_choose: bool = True
    """Whether the user is a person, who can choose other options: then a message may advise one."""
    reversed: bool = False
    """Whether the hunks are those of a patch in reverse."""
    ordered: bool = True
    """Whether the order of a file's hunks may decide between positions."""
    path: str = ""
    """The file's name, which tells what of it is prose; empty if it is not known."""
    appends: bool = False
    """Whether the hunks only append, as the patch says outright (`Operation.APPEND`)."""
    partly_applied: bool = False
    """Whether the file has some of the patch already: then line numbers are not evidence (D38)."""

    @classmethod
    def from_settings(cls, settings: Settings) -> Matching:
        """Take what `opatch.match` and `opatch.ambiguous` choose.

        Raises `UsageError` for a value that is not one of theirs, and for `opatch.proximity`: one
        below 100 would refuse what is now taken.
        """
        if "opatch.proximity" in settings:
            raise UsageError(
                "opatch.proximity is not a setting any more: the limit is 100 lines; unset it"
            )
        return cls(
            choice("opatch.match", Tier.FUZZY, settings),
            choice("opatch.ambiguous", Ambiguous.REFUSE, settings),
        )


@dataclass(frozen=True, slots=True)
class Options:
    """How a patch is read and applied."""

    target: Target = Target.INDEX
    reverse: bool = False
    overwrite: bool = False
    directory: str = ""
    """Prepended to every path of the patch; relative to the top of the working tree."""
    base: str | None = None
    """A tree-ish to locate in instead of the index."""
    matching: Matching = field(default_factory=Matching)
    three_way: ThreeWay = ThreeWay.OFF
    partial: bool = False
    """Whether hunks that do not apply are left out, instead of refusing the whole patch."""
    reject: bool = False
    """Whether those hunks are written to `.rej` files."""
    journal_size: int = 100
    """The number of records that the journal keeps."""
    carry: bool = False
    """Whether files may have unstaged changes, which stay unstaged: for `Target.INDEX`. With
    `Target.WORKTREE`, the plan is for such files as they are, unstaged changes included."""
    skip_applied: bool = False
    """Whether changes that are already applied are skipped, instead of refused."""
    commit: bool = False
    """Whether the applied patch is to be committed, for which it must be staged."""
    policy: Policy = field(default_factory=Policy)
    converts: bool = False
    """Whether a diff is wanted that git is to apply: then files are as git stores them."""
    redoes: bool = False
    """Whether what is applied in reverse is itself an undo: for messages."""

    def __post_init__(self) -> None:
        """Raises `TypeError` for a value of another type, such as the name of a target."""
        require_type("target", self.target, Target)
        require_type("matching", self.matching, Matching)
        require_type("three_way", self.three_way, ThreeWay)
        require_type("policy", self.policy, Policy)
        require_type("matching.tier", self.matching.tier, Tier)
        require_type("matching.ambiguous", self.matching.ambiguous, Ambiguous)

    @classmethod
    def from_config(cls, repository: Configured) -> Options:
        """Return the options that `git config opatch.*` chooses for `repository`.

        Those of the commands: target, match, ambiguous, journalSize, allow and deny.
        Raises `UsageError` for a value that is not one.
        """
        settings = repository.settings()
        return cls(
            target=choice("opatch.target", Target.INDEX, settings),
            matching=Matching.from_settings(settings),
            journal_size=journal_size(settings),
            policy=Policy.read(settings),
        )


def require_type(name: str, value: object, kind: type) -> None:
    """Raise `TypeError`, which says what to pass, if `value` is not of `kind`.

    Without a type checker, a name in place of a value (`"strict"`) would be taken for another
    value, and not fail. Of an enumeration, the member that `value` names is to pass, or any.
    """
    if isinstance(value, kind):
        return
    members = list(kind) if issubclass(kind, Enum) else []
    named = [member for member in members if member.value == value]
    to_pass = "; pass " + " or ".join(map(str, named or members)) if members else ""
    found = type(value).__name__
    raise TypeError(f"{name} must be of type {kind.__name__}, not {found}{to_pass}")
