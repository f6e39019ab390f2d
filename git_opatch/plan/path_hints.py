"""Say of paths that name no file, or leave the working tree, which file may be meant.

That is one with a similar path, or with the lines of the section, whose hunks are judged there for
a reader: nothing is changed by it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import takewhile
from os.path import isdir
from unicodedata import normalize

from git_opatch.complete.tree import VirtualTree
from git_opatch.git.head import find_removal
from git_opatch.git.pathspec import all_tracked_paths
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import is_file, take_snapshot
from git_opatch.model.failure import Failure
from git_opatch.model.limits import FEW, MANY
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import FilePatch, Operation, Patch
from git_opatch.model.paths import name_meant
from git_opatch.model.sentences import Fault, Hint, Reason
from git_opatch.plan.patch_paths import created_paths
from git_opatch.plan.plan import Plan
from git_opatch.plan.section import SectionPlanner

_MAX_ADVISED = 3  # each asks git once
_MAX_SUGGESTED = 3
_LEAST_ALIKE = 0.8
"""How much alike two file names are, from 0 to 1, for one to be meant by the other."""
_MISSING = (Fault.MISSING_FILE, Fault.FILE_NOT_APPLIED, Fault.ADDED_FILE_NOT_APPLIED)


_LONG = 12
"""A line with so many characters says something."""
_SUFFIX = re.compile(r".*(\.\w+)")


def with_path_hints(plan: Plan, patch: Patch, repository: Repository, options: Options) -> Plan:
    """Say of wrong paths of `plan` what may be meant, and what of `patch` does not fit there.

    Which paths are similar, of the first few.
    """
    base, created, failures = options.base, created_paths(patch), [*plan.failures]
    if in_index := base is None and options.target is not Target.WORKTREE:
        failures = [_if_untracked(failure, repository) for failure in failures]
    wrong = [each for each in failures[:_MAX_ADVISED] if _is_wrong(each)]
    if not wrong:
        return plan.with_failures(failures)
    known = all_tracked_paths(repository) if base is None else repository.list_files(base)
    below = _directory(repository, options)
    there: list[Failure] = []
    sections = {(each.source, each.number): each for each in patch.files}
    for at, failure in enumerate(failures):
        if failure in wrong:
            others = [path for path in known if path not in (failure.path, *created)]
            section = sections.get((failure.source, failure.section_line))
            meant = name_meant(failure.path) or failure.path
            if repository.main_top:
                meant = meant.removeprefix(f"{repository.main_top}/")
            may_be_gone = in_index and failure.fault is Fault.MISSING_FILE
            if removal := find_removal(repository, failure.path) if may_be_gone else None:
                failures[at] = _as_removed(failure, *removal)
            elif (
                similar := _other_names(section, failure, others)
                or _similar_to(meant, others)
                or (file_with_lines(section, others, repository, options) if section else ())
            ):
                is_below = f"{below}/{failure.path}" in similar
                hint = Hint.BELOW if is_below else Hint.SIMILAR_PATH
                failures[at] = failure._replace(similar=similar).with_hint(hint, directory=below)
            if section and len(failures[at].similar) == 1 and failure.fault is Fault.MISSING_FILE:
                there += judge_in(failures[at].similar[0], section, repository, options)
    return plan.with_failures([*failures, *there])


def _other_names(
    section: FilePatch | None, failure: Failure, known: Sequence[str]
) -> tuple[str, ...]:
    """Return the name beside one that leaves the working tree, which may be a tool's own copy."""
    if section is None or failure.reason is not Reason.UNSAFE_PATH:
        return ()
    return tuple(name for name in section.names if name in known)


def _as_removed(failure: Failure, commit: str, new: str) -> Failure:
    hint = Hint.MOVED if new else Hint.DELETED
    similar = (new,) if new else ()
    return failure._replace(similar=similar).with_hint(hint, new=new, commit=commit)


def _is_wrong(failure: Failure) -> bool:
    """Return whether a path names no file that it should, or leaves the working tree."""
    return (
        failure.fault in (Fault.MISSING_FILE, Fault.FILE_NOT_APPLIED)
        or failure.reason is Reason.UNSAFE_PATH
    )


def _directory(repository: Repository, options: Options) -> str:
    """Return the current directory, if a user could mean that paths count from it; else empty."""
    is_plain = options.base is None and not options.directory and options.matching.can_choose
    return repository.directory if is_plain else ""


def with_directory_note(plan: Plan, repository: Repository, options: Options) -> Plan:
    """Note that a changed file is not the one of the same path below the current directory, and of
    an added one that its directory is there, and not at the top."""
    top, prefix = repository.top, _directory(repository, options)
    if not prefix or top is None:
        return plan
    for change in plan.completed.changes:
        here, below = top / change.path, top / prefix / change.path
        is_directory_below = isdir(below.parent) and not isdir(here.parent)
        if is_file(below) if change.old else is_directory_below:
            both = change.path
            break
    else:
        return plan
    advice = f"not {prefix}/{both}; `--directory {prefix}` changes that"
    return plan.with_notes([f"paths count from the top, so this is {both}, {advice}"])


def _if_untracked(failure: Failure, repository: Repository) -> Failure:
    """Say of a file that the index does not have that the working tree has it."""
    top = repository.top
    if failure.fault in _MISSING and top is not None and is_file(top / failure.path):
        return failure._replace(fault=Fault.UNTRACKED)
    return failure


def _similar_to(path: str, others: Sequence[str]) -> tuple[str, ...]:
    """Return those of the paths `others` that end most as `path` does.

    If none has its file name, in any letter case, one whose name is nearly the same.
    """
    name = _name(path)
    if not name.strip(".") or not path.isprintable() or len(name) > FEW:
        return ()
    if path in others:  # as of another working tree
        return (path,)
    found = [other for other in others if _name(other) == name]
    if not found:
        alike = {_name(other): other for other in others if _name(other)[:2] == name[:2]}
        close = get_close_matches(name, list(alike)[:MANY], 1, _LEAST_ALIKE)
        return tuple(alike[each] for each in close)
    most = max(_common_end(path, other) for other in found)
    return tuple(other for other in found if _common_end(path, other) == most)[:_MAX_SUGGESTED]


def _name(path: str) -> str:
    return normalize("NFC", path.rpartition("/")[2].lower())


def _common_end(path: str, other: str) -> int:
    """Count the parts that two paths end with in common, in any letter case."""
    pairs = zip(*(reversed(each.lower().split("/")) for each in (path, other)), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


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
