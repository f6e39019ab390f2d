"""What came of a call, as one value that the reporters render."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from git_opatch.model.blob import Blob
from git_opatch.model.errors import OpatchError
from git_opatch.model.failure import Failure, Refused
from git_opatch.model.options import Options
from git_opatch.model.patch import Patch
from git_opatch.model.selection import Key, Part, ids_of, parts_of
from git_opatch.plan.plan import Plan
from git_opatch.report.placements import refused_parts
from git_opatch.report.refusal import refusal_summary

_MOST_REVERTED = 10
"""So many commits are named in a command that reverts them; more are a range."""


class Status(Enum):
    """The outcome of a call, best first. A call that changes nothing is never called applied."""

    APPLIED = "applied"
    UNDONE = "undone"
    REDONE = "redone"
    WOULD_APPLY = "would_apply"
    NOTHING_TO_DO = "nothing_to_do"
    NOT_COMMITTED = "not_committed"
    PARTIALLY_APPLIED = "partially_applied"
    UNMERGED = "unmerged"
    WOULD_PARTIALLY_APPLY = "would_partially_apply"
    ALREADY_APPLIED = "already_applied"
    REFUSED = "refused"
    MALFORMED = "malformed"
    ERROR = "error"
    SHOWN = "shown"
    RECOVERED = "recovered"
    PARTIALLY_RECOVERED = "partially_recovered"


class Outcome(NamedTuple):
    """What came of one patch.

    `patch` has its paths as failures name them. `failures` are why all of it is refused; what was
    left out of a patch that was applied in part is in `plan.failures`.
    """

    options: Options
    patch: Patch
    plan: Plan = Plan()
    failures: Sequence[Failure] = ()
    error: OpatchError | None = None
    done: bool = False
    """Whether the plan was carried out."""
    commits: int = 0
    """How many commits would be made."""
    name: str = ""
    """The patch's name, where several are judged."""
    whole: Patch | None = None
    """The patch as it was given, whose parts have ids; None if it is not from a text."""
    left_out: tuple[Part, ...] = ()
    """The parts of it that were not chosen."""
    base: Mapping[str, Blob] = {}
    """The files that hunks are located in, by path, where they are known."""

    @property
    def ids(self) -> Mapping[Key, str]:
        """The ids of the patch's parts."""
        return ids_of(self.whole) if self.whole else {}

    @property
    def already_applied(self) -> bool:
        """Whether it is refused because all of it is already applied."""
        if self.options.reverse or not all(failure.already_applied for failure in self.failures):
            return False
        rest = parts_of(self.patch)
        there = refused_parts(rest, self.failures)
        return bool(self.failures) and all(
            part.key in there or (part.hunk is not None and not part.hunk.changes) for part in rest
        )

    @property
    def refusal(self) -> str:
        """A line that says that nothing was changed."""
        if self.already_applied:
            return "the patch is already applied; nothing was changed"
        return refusal_summary(self.failures, self.options, self.patch)

    @property
    def opposite(self) -> str:
        """The command that takes back what was done; empty if nothing was, or it has no record."""
        plan = self.plan
        if self.done and plan.commits:
            made = plan.commit_names  # oldest first
            many = len(made) > _MOST_REVERTED
            names = [f"{made[0]}^..{made[-1]}"] if many else made[::-1]
            return " ".join(["git revert", *names])
        if not (self.done and plan.record):
            return ""
        if plan.reverses and plan.undoes:  # conflicts are not made again
            return "" if plan.reverses.unmerged else f"git opatch redo {plan.undoes}"
        return f"git opatch undo {plan.redoes or plan.record}"

    @property
    def exit_status(self) -> int:
        """The status that the program would exit with for this patch alone."""
        if self.error:
            return self.error.exit_status
        return Refused.exit_status if self.failures or self.plan.failures else 0
