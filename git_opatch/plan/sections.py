"""Plan all sections of a patch, one after the other, and complete the result.

All failures are collected, so that a user sees them at once. Sections of one path stand or fall
together, with `--partial`, too (D523).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from git_opatch.complete import Completed, complete
from git_opatch.complete.tree import FileContent, VirtualTree
from git_opatch.git.snapshot import Snapshot
from git_opatch.locate.oversized import refuse_repeated
from git_opatch.model.blob import Change, Mode
from git_opatch.model.failure import Failure, refusal
from git_opatch.model.options import Options
from git_opatch.model.patch import Patch
from git_opatch.model.paths import is_modules_file
from git_opatch.model.selection import falling_sections
from git_opatch.model.sentences import Fault
from git_opatch.plan.broken_structure import refuse_broken
from git_opatch.plan.plan import Plan
from git_opatch.plan.policy import refuse_stale
from git_opatch.plan.quotes import refuse_missing
from git_opatch.plan.section import SectionPlanner

_NOTHING: Mapping[str, FileContent] = {}


def plan_sections(
    patch: Patch,
    snapshot: Snapshot,
    options: Options,
    algorithm: str,
    merged: Mapping[str, FileContent] = _NOTHING,
    in_conflict: Collection[str] = (),
) -> Plan:
    """Plan `patch`, whose paths are resolved and safe, and complete it.

    `algorithm` is the repository's hash; `merged` is what becomes of the lines of files that were
    merged, of which those `in_conflict` have markers, and so are not judged as code.
    """
    tree = VirtualTree(snapshot.blobs)
    repeated = refuse_repeated(patch, snapshot.blobs.get)
    if refused := (*refuse_missing(patch), *refuse_stale(patch, snapshot), *repeated):
        return Plan(failures=refused)
    planner = SectionPlanner(tree, snapshot, options, merged)
    failures = [failure for section in patch.files for failure in planner.plan_section(section)]
    plan = Plan(
        placed=tuple(planner.placed),
        notes=tuple(planner.notes),
        failures=tuple(failures),
        skipped=tuple(planner.skipped),
    )
    if failures and not options.partial:
        return plan
    completed = complete(tree, algorithm)
    judged = [result for result in completed.results if result.path not in in_conflict]
    broken, notes = ([], []) if failures else refuse_broken(patch, judged, options)
    if broken:
        return Plan(failures=tuple(broken))
    plan = plan.with_notes(notes)
    return _with_diff(plan, completed, patch, options)


def _with_diff(plan: Plan, completed: Completed, patch: Patch, options: Options) -> Plan:
    if linked := _linked_modules(completed.changes):
        return Plan(failures=(*plan.failures, *linked))
    if not (completed.changes or plan.failures or plan.skipped):
        fault = Fault.NOTHING_TO_UNDO if options.reverse else Fault.CHANGES_NOTHING
        plan = plan.with_failures([refusal(patch.files[0], fault)])
    return plan._replace(completed=completed)


def _linked_modules(changes: Sequence[Change]) -> list[Failure]:
    """Refuse a `.gitmodules` that is a link, as git does (verify_path): it could lead outside."""
    return [
        Failure(Fault.LINKED_MODULES, change.path)
        for change in changes
        if change.new and change.new.mode is Mode.SYMLINK and is_modules_file(change.path)
    ]


def plan_together(patch: Patch, snapshot: Snapshot, options: Options, algorithm: str) -> Plan:
    """Plan `patch` as `plan_sections` does; with `Options.partial`, without what falls together."""
    plan = plan_sections(patch, snapshot, options, algorithm)
    fallen = falling_sections(patch, plan.failures) if options.partial else []
    if not fallen:
        return plan
    keys, refused = {(each.source, each.number) for each in fallen}, _refused(plan.failures)
    failures = [each for each in plan.failures if (each.source, each.section_line) in keys]
    failures += [
        refusal(section, Fault.FALLS_TOGETHER)
        for section in fallen
        if (section.source, section.number) not in refused
    ]
    rest = tuple(each for each in patch.files if (each.source, each.number) not in keys)
    plan = Plan()
    if rest:
        plan = plan_together(patch._replace(files=rest), snapshot, options, algorithm)
    return plan.with_failures(sorted([*failures, *plan.failures], key=_place))


def _refused(failures: Sequence[Failure]) -> set[tuple[str, int]]:
    return {(failure.source, failure.section_line) for failure in failures}


def _place(failure: Failure) -> tuple[str, int, int]:
    return failure.source, failure.section_line, failure.number
