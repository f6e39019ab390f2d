"""Sections of one path stand or fall together: with `--partial`, too (D523)."""

from __future__ import annotations

from collections.abc import Sequence

from git_opatch.git.snapshot import Snapshot
from git_opatch.model.failure import Failure, refusal
from git_opatch.model.options import Options
from git_opatch.model.patch import FilePatch, Operation, Patch
from git_opatch.model.sentences import Fault
from git_opatch.plan.plan import Plan
from git_opatch.plan.section import plan_sections

_OF_LINES = (Operation.UPDATE, Operation.APPEND)


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


def falling_sections(patch: Patch, failures: Sequence[Failure]) -> list[FilePatch]:
    """Return the sections of which nothing is applied since one of the same path is refused.

    Where one of several sections of a path, or a hunk of it, is refused, no other one adds,
    deletes, moves or copies that file. If all change only lines they are independent, as the hunks
    of one section are.
    """
    refused = _refused(failures)
    return [
        section
        for sections in _groups(patch.files)
        if len(sections) > 1
        and any(each.operation not in _OF_LINES for each in sections)
        and any((each.source, each.number) in refused for each in sections)
        for section in sections
    ]


def _refused(failures: Sequence[Failure]) -> set[tuple[str, int]]:
    return {(failure.source, failure.section_line) for failure in failures}


def _groups(sections: Sequence[FilePatch]) -> list[list[FilePatch]]:
    """Return the sections that have a path in common, also by way of others."""
    leaders: dict[str, str] = {}

    def leader(path: str) -> str:
        while leaders.setdefault(path, path) != path:
            path = leaders[path] = leaders[leaders[path]]
        return path

    groups: dict[str, list[FilePatch]] = {}
    for section in sections:
        for name in section.names:
            leaders[leader(name)] = leader(section.names[0])
    for section in sections:
        groups.setdefault(leader(section.names[0]), []).append(section)
    return list(groups.values())


def _place(failure: Failure) -> tuple[str, int, int]:
    return failure.source, failure.section_line, failure.number
