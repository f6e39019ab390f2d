"""Sections of one path stand or fall together: with `--partial`, too (D523)."""

from __future__ import annotations

from collections.abc import Sequence

from git_opatch.git.snapshot import Snapshot
from git_opatch.model.failure import Failure, refusal
from git_opatch.model.options import Options
from git_opatch.model.patch import Patch
from git_opatch.model.selection import falling_sections
from git_opatch.model.sentences import Fault
from git_opatch.plan.plan import Plan
from git_opatch.plan.section import plan_sections


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
