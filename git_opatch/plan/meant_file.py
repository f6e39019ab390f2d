"""Find the file that a section without one may be for, by its lines, and judge its hunks there.

It is for a reader: nothing is changed by it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from git_opatch.complete.tree import VirtualTree
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import take_snapshot
from git_opatch.model.failure import Failure
from git_opatch.model.limits import MANY
from git_opatch.model.options import Options
from git_opatch.model.patch import FilePatch, Operation
from git_opatch.plan.section import SectionPlanner

_LONG = 12
"""A line with so many characters says something."""
_SUFFIX = re.compile(r".*(\.\w+)")


def file_with_lines(
    section: FilePatch, paths: Sequence[str], repository: Repository, options: Options
) -> tuple[str, ...]:
    """Return the one of `paths` that has at least half of the lines of a section, and most of them.

    Only files of the same kind, by the end of their names, are looked at, unless they are many.
    """
    suffix = _SUFFIX.match(section.path.rpartition("/")[2].split(" ")[0])
    old = {line.text.strip() for hunk in section.hunks for line in hunk.preimage}
    lines = {line for line in old if len(line) >= _LONG}
    alike = [path for path in paths if suffix and path.endswith(suffix[1])]
    if not lines or len(alike) > MANY:
        return ()
    blobs = take_snapshot(repository, alike, options).blobs
    counts = {
        path: len(lines.intersection(map(bytes.strip, blobs[path].text.lines))) for path in blobs
    }
    most = max(counts.values(), default=0)
    found = [path for path in counts if counts[path] == most]
    return tuple(found) if len(found) == 1 and 2 * most >= len(lines) else ()


def judge_in(
    path: str, section: FilePatch, repository: Repository, options: Options
) -> list[Failure]:
    """Return what refuses the hunks of `section` in the file at `path`."""
    if section.operation is not Operation.UPDATE or options.partial or options.policy.rules:
        return []
    snapshot = take_snapshot(repository, [path], options)
    planner = SectionPlanner(VirtualTree(snapshot.blobs), snapshot, options, {})
    there = section._replace(old_path=path, new_path=path, alternate=None)
    return [failure for failure in planner.plan_section(there) if failure.hunk]
