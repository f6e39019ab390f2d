"""Say of paths that name no file, or leave the working tree, which file may be meant."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Collection, Iterable
from difflib import SequenceMatcher
from pathlib import Path
from shlex import quote

from git_opatch.git.history import Departure, abbreviate_commits, departures
from git_opatch.git.index import tag_of
from git_opatch.git.pathspec import all_tracked_paths, existing_paths, is_ignored, similar_paths
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import is_file
from git_opatch.journal import Record
from git_opatch.model.errors import Kind
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import Patch
from git_opatch.model.paths import pathspec
from git_opatch.model.result import Failure, MissingFile, Reason
from git_opatch.plan.path_failures import ways_to_add
from git_opatch.plan.plan import Plan
from git_opatch.plan.renamed_files import renamed_files

_MAX_ADVISED = 3  # each asks git once
_MAX_COMPARED = 1000
_MAX_SUGGESTED = 3
_LEAST_ALIKE = 0.8
"""How much alike two file names are, from 0 to 1, for one to be meant by the other."""
CHECK_PATH = "check the path; it is relative to the top of the working tree"
"""The advice on a path that is like no file's."""
NOTHING_TRACKED = (
    "no file of this repository is tracked yet: a patch can create files, and change those that "
    "`git add` has added"
)
"""The advice on any path, where there are none."""


def with_path_hints(
    plan: Plan,
    repository: Repository,
    options: Options,
    record: Record | None = None,
    created: Collection[str] = (),
) -> Plan:
    """Say of the first few wrong paths of `plan` what may be meant; not those that it `created`.

    Those of a patch with a journal `record` are not read from another directory, and a program
    cannot choose to (`Matching.can_choose`).
    """
    first, rest = plan.failures[:_MAX_ADVISED], plan.failures[_MAX_ADVISED:]
    can_choose = record is None and options.matching.can_choose
    if can_choose and (below := _below_current_directory(plan, repository, options)):
        return plan.with_failures([first[0]._replace(advice=below), *first[1:], *rest])
    hinted = (_with_hint(each, repository, options, record, created) for each in first)
    return plan.with_failures([*hinted, *rest])


def with_other_names(plan: Plan, patch: Patch, repository: Repository, options: Options) -> Plan:
    """Say of hunks that do not fit which file the other name of their header may mean (D31)."""
    others = {
        (section.source, section.number): {section.path, section.alternate}
        for section in patch.files
        if section.alternate is not None
    }
    failures = []
    for failure in plan.failures:
        names = others.pop((failure.source, failure.where.section_line), set()) - {failure.path}
        if failure.kind is Kind.MATCH and len(names) == 1:
            (other,) = names
            left_out = {failure.path, other}
            if similar := _most_similar(other, repository, options.base, left_out, same_name=False):
                asked = f"the patch also names `{other}`: {did_you_mean(similar)}"
                failure = failure._replace(advice=f"{failure.advice}\n{asked}".strip())
        failures.append(failure)
    return plan.with_failures(failures)


def with_directory_note(plan: Plan, repository: Repository, options: Options) -> Plan:
    """Note that a changed file is not the one of the same path below the current directory."""
    top, prefix = repository.top, _current_directory(repository)
    is_plain = options.base is None and not options.directory and options.matching.can_choose
    if top is None or not prefix or not is_plain:
        return plan
    paths = (change.path for change in plan.completed.changes if change.old is not None)
    both = next((path for path in paths if is_file(top / prefix / path)), None)
    if both is None:
        return plan
    note = f"paths count from the top, so this is {both}, not {prefix}/{both}"
    return plan.with_notes([f"{note}; to change that: {options.way_with('--directory', prefix)}"])


def _with_hint(
    failure: Failure,
    repository: Repository,
    options: Options,
    record: Record | None,
    created: Collection[str],
) -> Failure:
    if failure.advice or failure.reason not in (Reason.MISSING_FILE, Reason.UNSAFE_PATH):
        return failure
    is_missing = failure.reason is Reason.MISSING_FILE
    in_index = options.base is None and options.target is not Target.WORKTREE
    top = repository.top
    if is_missing and in_index and top is not None and is_file(top / failure.path):
        return _untracked(failure, repository, options)
    gone = _departure(failure.path, repository, options, record) if is_missing else None
    if gone and (name := gone.new_name):
        advice = f"it was renamed: {did_you_mean([name])}"
        return failure._replace(advice=advice, detail=MissingFile((name,)))
    if isinstance(failure.detail, MissingFile):
        return failure
    left_out = {failure.path, *created}
    similar = _most_similar(
        failure.path, repository, options.base, left_out, same_name=not is_missing
    )
    if is_missing and in_index and not similar and not all_tracked_paths(repository):
        return failure._replace(advice=NOTHING_TRACKED)
    deleted = _deleted(failure.path, gone, repository, options) if gone else ""
    if similar:
        advice = "\n".join(filter(None, [deleted, did_you_mean(similar)]))
        detail = MissingFile(similar) if is_missing else None
        return failure._replace(advice=advice, detail=detail)
    if deleted or (is_missing and not options.reverse):
        return failure._replace(advice=deleted or CHECK_PATH)
    return failure


def did_you_mean(paths: Iterable[str]) -> str:
    """Ask whether one of `paths` is meant."""
    return "did you mean " + " or ".join(f"`{path}`" for path in paths) + "?"


def way_to_restore(path: str, repository: Repository, options: Options) -> str:
    """Say what deleted the file at `path`, which is not in the index, and where its content is.

    Empty if no commit had it.
    """
    gone = _departure(path, repository, options, None)
    return _deleted(path, gone, repository, options) if gone else ""


def _departure(
    path: str, repository: Repository, options: Options, record: Record | None
) -> Departure | None:
    """Return what became of the file at `path`; a new name only if the patch can change that."""
    if options.base is not None:
        return None
    gone = departures(repository, [path]).get(path)
    if record is not None and (new_name := renamed_files(record, repository).get(path)):
        gone = (gone or Departure(None, None))._replace(new_name=new_name)
    if gone is None or gone.new_name is None or options.target is not Target.WORKTREE:
        return gone
    is_there = is_file(repository.require_worktree() / gone.new_name)
    return gone if is_there else gone._replace(new_name=None)


def _deleted(path: str, gone: Departure, repository: Repository, options: Options) -> str:
    """Say what deleted the file at `path`, and where its content is."""
    if gone.commit is not None:
        (commit,) = abbreviate_commits(repository, [gone.commit])
        show = f"git show {quote(f'{commit}^:{path}')}"
        return f"it was deleted by {commit}; its content before that: {show}"
    places = "--staged --worktree "
    if options.target is Target.CACHED:
        places = "--staged "
    elif tag := tag_of(repository, path):
        if tag in "sS":
            return ""  # not checked out
        places = ""
    command = f"git restore {places}-- {quote(pathspec(path))}"
    return f"it was deleted since the last commit; to restore it: {command}"


def _untracked(failure: Failure, repository: Repository, options: Options) -> Failure:
    add = "git add -f" if is_ignored(repository, failure.path) else "git add"
    message, advice = "is not tracked by git", ways_to_add(options, add)
    return failure._replace(reason=Reason.UNTRACKED, message=message, advice=advice)


def _most_similar(
    path: str,
    repository: Repository,
    tree: str | None,
    left_out: Collection[str],
    *,
    same_name: bool,
) -> tuple[str, ...]:
    """Return the paths, tracked or of `tree`, that end as `path` does, but for `left_out`.

    If there are none, one whose name is nearly the same.
    """
    name = _name(path)
    if not name.strip(".") or not path.isprintable():
        return ()
    tracked = [other for other in similar_paths(repository, path, tree) if other not in left_out]
    ending = sorted(
        (other for other in tracked if _name(other) == name),
        key=lambda other: -_common_end(path, other),
    )
    if ending or same_name:
        most = _common_end(path, ending[0]) if ending else 0
        return tuple(o for o in ending if most < 2 or _common_end(path, o) == most)[:_MAX_SUGGESTED]
    alike = [(_likeness(name, _name(other)), other) for other in tracked[:_MAX_COMPARED]]
    close = [pair for pair in alike if pair[0] >= _LEAST_ALIKE]
    best = max(close, key=lambda pair: (_common_end(path, pair[1]), pair[0]), default=None)
    return (best[1],) if best else ()


def _likeness(name: str, other: str) -> float:
    matcher = SequenceMatcher(None, name, other, autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= _LEAST_ALIKE else 0


def _common_end(path: str, other: str) -> int:
    """Count the parts that two paths end with in common; names that differ are left out."""
    parts, others = ([part.lower() for part in each.split("/")] for each in (path, other))
    if parts[-1] != others[-1]:
        parts, others = parts[:-1], others[:-1]
    pairs = zip(reversed(parts), reversed(others), strict=False)
    return next(
        (n for n, (one, two) in enumerate(pairs) if one != two), min(len(parts), len(others))
    )


def _name(path: str) -> str:
    return path.rpartition("/")[2].lower()


def _below_current_directory(plan: Plan, repository: Repository, options: Options) -> str:
    """Give the command that reads the paths from the current directory, where all of them exist.

    Empty if one exists below the top, or not there.
    """
    prefix = _current_directory(repository)
    missing = [failure.path for failure in plan.failures]
    if not prefix or plan.placed or not missing:
        return ""
    if any(failure.reason is not Reason.MISSING_FILE for failure in plan.failures):
        return ""
    below = {f"{prefix}/{path}" for path in missing}
    if options.target is Target.WORKTREE and options.base is None:
        exist = {path for path in below if is_file(repository.require_worktree() / path)}
    else:
        exist = existing_paths(repository, below, options.base)
    if exist != below:
        return ""
    directory = posixpath.normpath(posixpath.join(prefix, options.directory))
    way = options.way_with("--directory", directory)
    return f"paths are read from the top of the working tree; to read them from here: {way}"


def _current_directory(repository: Repository) -> str:
    """Return the current directory, relative to the top; empty for the top and outside of it."""
    if repository.top is None:
        return ""
    try:
        relative = Path.cwd().resolve().relative_to(repository.top.resolve())
    except (OSError, ValueError):
        return ""
    return "" if relative == Path() else os.fspath(relative).replace(os.sep, "/")
