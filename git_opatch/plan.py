"""A patch and the base it is meant for to a plan: all decided, nothing written.

Each section is settled in order, against the draft that those before it left. What is
wrong is collected, so that all of it is said at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from git_opatch.blob import Change, Mode
from git_opatch.complete import complete
from git_opatch.complete.draft import Draft
from git_opatch.errors import CommitError
from git_opatch.options import Options
from git_opatch.outcome import Failure, Reason, refusal
from git_opatch.patch import FilePatch, Patch
from git_opatch.paths import is_modules_file, normalise, why_unsafe
from git_opatch.settle import Former, Placed, Plan, Planner
from git_opatch.snapshot import Snapshot


class NotCommitted(CommitError):  # noqa: N818 - the patch was applied
    """`plan` was applied, and is staged, but git did not commit it; `again` is the command to."""

    def __init__(
        self, message: str, plan: Plan, exit_status: int = 1, again: str = "git commit"
    ) -> None:
        super().__init__(message, exit_status)
        self.plan = plan
        self.again = again


def resolve_paths(patch: Patch, directory: str, top: str = "") -> Patch:
    """`patch` with every path below `directory` and its section's own, in its plain form.

    `top` is the working tree's: a section's directory may name it in full.
    """
    return replace(patch, files=tuple(_resolved(one, directory, top) for one in patch.files))


def _resolved(section: FilePatch, directory: str, top: str) -> FilePatch:
    own = section.directory
    named = (section.old_path, section.new_path, section.alternate)
    whole = top and (own + "/").startswith(top.rstrip("/") + "/")
    below = normalise(own[len(top) :].lstrip("/") if whole else own, directory)

    old, new, other = plain = tuple(path and normalise(path, below) for path in named)
    if plain == named and not own:
        return section
    return replace(section, directory="", old_path=old, new_path=new, alternate=other)


def named_paths(patch: Patch) -> list[str]:
    """Every path that a section names."""
    names = {
        name
        for section in patch.files
        for name in (section.old_path, section.new_path, section.alternate)
        if name is not None
    }
    return sorted(names)


def refuse_unsafe(patch: Patch) -> list[Failure]:
    """A failure for each section that names a path no patch may name."""
    return [
        refusal(section, Reason.UNSAFE_PATH, why, path=path)
        for section in patch.files
        for path in dict.fromkeys((section.old_path, section.new_path, section.alternate))
        if path is not None and (why := why_unsafe(path))
    ]


def make_plan(
    patch: Patch, snapshot: Snapshot, options: Options, algorithm: str, former: Former
) -> Plan:
    """Settle every section of `patch`, whose paths are resolved and safe, and complete it."""
    plan = Plan()
    draft = Draft(snapshot.blobs)
    planner = Planner(draft, snapshot, options, former, plan)
    for section in patch.files:
        plan.failures += planner.settle(section)
    if not plan.failures or options.partial:
        plan.completed = complete(draft, algorithm)
        if not plan.completed.changes and not plan.failures and not plan.skipped:
            section = patch.files[0]
            plan.failures.append(refusal(section, Reason.NO_CHANGE, "the patch changes nothing"))
    linked = _linked_modules(plan.completed.changes)
    return Plan(failures=[*plan.failures, *linked]) if linked else plan


def _linked_modules(changes: Sequence[Change]) -> list[Failure]:
    """Git takes no `.gitmodules` that is a link (verify_path): it would be read from outside."""
    what = "`.gitmodules` cannot be a symbolic link"
    return [
        Failure(Reason.UNSAFE_PATH, what, change.path)
        for change in changes
        if change.new and change.new.mode is Mode.SYMLINK and is_modules_file(change.path)
    ]


__all__ = [
    "Former",
    "Placed",
    "Plan",
    "make_plan",
    "named_paths",
    "refuse_unsafe",
    "resolve_paths",
]
