"""Say of paths that name no file, or leave the working tree, which file may be meant."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from itertools import takewhile

from git_opatch.git.pathspec import all_tracked_paths
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import is_file
from git_opatch.model.failure import Failure
from git_opatch.model.limits import FEW, MANY
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import Patch
from git_opatch.model.paths import name_meant
from git_opatch.model.sentences import Fault, Hint, Reason
from git_opatch.plan.meant_file import file_with_lines, judge_in
from git_opatch.plan.patch_paths import created_paths
from git_opatch.plan.plan import Plan

_MAX_ADVISED = 3  # each asks git once
_MAX_SUGGESTED = 3
_LEAST_ALIKE = 0.8
"""How much alike two file names are, from 0 to 1, for one to be meant by the other."""
_MISSING = (Fault.MISSING_FILE, Fault.FILE_NOT_APPLIED, Fault.ADDED_FILE_NOT_APPLIED)


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
            from git_opatch.git.history import find_removal

            others = [path for path in known if path not in (failure.path, *created)]
            section = sections.get((failure.source, failure.section_line))
            meant = name_meant(failure.path) or failure.path
            if repository.main_top:
                meant = meant.removeprefix(f"{repository.main_top}/")
            may_be_gone = in_index and failure.fault is Fault.MISSING_FILE
            if removal := find_removal(repository, failure.path) if may_be_gone else None:
                failures[at] = _as_removed(failure, *removal)
            elif similar := _similar_to(meant, others) or (
                file_with_lines(section, others, repository, options) if section else ()
            ):
                is_below = f"{below}/{failure.path}" in similar
                hint = Hint.BELOW if is_below else Hint.SIMILAR_PATH
                failures[at] = failure._replace(similar=similar).with_hint(hint, directory=below)
            if section and len(failures[at].similar) == 1 and failure.fault is Fault.MISSING_FILE:
                there += judge_in(failures[at].similar[0], section, repository, options)
    return plan.with_failures([*failures, *there])


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
    """Note that a changed file is not the one of the same path below the current directory."""
    top, prefix = repository.top, _directory(repository, options)
    paths = (change.path for change in plan.completed.changes if change.old is not None)
    both = next((path for path in paths if prefix and top and is_file(top / prefix / path)), None)
    if both is None:
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
    return path.rpartition("/")[2].lower()


def _common_end(path: str, other: str) -> int:
    """Count the parts that two paths end with in common, in any letter case."""
    pairs = zip(*(reversed(each.lower().split("/")) for each in (path, other)), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
