"""What came of a call, as one value that the reporters render."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from git_opatch.model.errors import OpatchError
from git_opatch.model.options import Options
from git_opatch.model.patch import Patch
from git_opatch.model.result import Failure, Refused
from git_opatch.model.selection import Key, Part, ids_of, key_of
from git_opatch.plan.plan import Plan


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
    undo_command: str = ""
    commits: int = 0
    """How many commits would be made."""
    name: str = ""
    """The patch's name, where several are judged."""
    already_applied: bool = False
    """Whether it is refused because all of it is already applied."""
    whole: Patch | None = None
    """The patch as it was given, whose parts have ids; None if it is not from a text."""
    left_out: tuple[Part, ...] = ()
    """The parts of it that were not chosen."""

    @property
    def ids(self) -> Mapping[Key, str]:
        """The id of each part of the patch, by what it is known by."""
        return ids_of(self.whole) if self.whole else {}

    def ids_of_files(self, ids: Mapping[Key, str]) -> Mapping[str, str]:
        """Return those of `ids` that are of a whole file, such as an added one, by each path."""
        whole = ((section, ids.get(key_of(section, 0))) for section in self.patch.files)
        return {
            path: name
            for section, name in whole
            for path in (section.old_path, section.new_path)
            if name and path
        }

    @property
    def exit_status(self) -> int:
        """The status that the program would exit with for this patch alone."""
        if self.error:
            return self.error.exit_status
        return Refused.exit_status if self.failures or self.plan.failures else 0
