"""Apply a patch, or decide what it would do (D2).

    parse ──▶ resolve paths ──▶ plan ──▶ preflight ──▶ perform: transaction, journal

`convert` and `show` end after the plan; `check` ends after preflight and asks git. With `--reject`,
the hunks that do not apply are written beside the file that they are for, to `FILE.rej` as git
writes it: in the same transaction, as new files. One that is there with anything else is refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from git_opatch.git.converted import read_text
from git_opatch.git.repository import CONVERT, Repository
from git_opatch.model.blob import Change, Entry, Mode, WrittenFile, blob_id
from git_opatch.model.failure import Failure, Refused
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import FilePatch, Hunk, Patch
from git_opatch.model.paths import quote
from git_opatch.model.selection import key_of
from git_opatch.model.sentences import Fault, Hint
from git_opatch.model.text import Text
from git_opatch.operations.perform import Session, finish, perform
from git_opatch.operations.recover import Recovery, recovered
from git_opatch.parse import patch_of
from git_opatch.plan.patch_paths import resolve_paths
from git_opatch.plan.plan import Plan
from git_opatch.plan.planner import plan_resolved
from git_opatch.plan.preflight import preflight, refuse_ignored
from git_opatch.transaction.guard import guard_parents
from git_opatch.transaction.lock import deferred_signals
from git_opatch.transaction.record import ChangeSet
from git_opatch.transaction.write import check

_TITLE = b"\t(rejected hunks)"


def plan_patch(
    patch: Patch | str | bytes, repository: Repository | Mapping[str, bytes], options: Options
) -> Plan:
    """Decide everything about `patch`, and write nothing. Raises `ParseError`, `RepositoryError`.

    Instead of a repository, files may be given: the bytes of each by path (see `in_memory`).
    """
    if isinstance(repository, Mapping):
        from git_opatch.operations.in_memory import plan_in_memory

        return plan_in_memory(patch, repository, options)
    return plan_resolved(_resolve(patch, repository, options), repository, options)[0]


def check_patch(patch: Patch | str | bytes, repository: Repository, options: Options) -> Plan:
    """Decide, then let git check the diff. Raises `ParseError`, `Refused`, `TransactionError`."""
    repository.require_worktree(CONVERT)
    patch = _resolve(patch, repository, options)
    plan = _plan_checked(patch, repository, options)
    if plan.conflicts:
        raise Refused(plan.failures, options)
    _rejects(patch, plan, repository, options)
    changes_index = plan.completed.changes and options.target is not Target.WORKTREE
    if changes_index and not plan.filtered.paths:
        check(repository, ChangeSet(plan.completed.diff, plan.completed.changes))
    return plan


def apply_patch(
    patch: Patch | str | bytes, repository: Repository, options: Options, name: str = "a program"
) -> Plan:
    """Apply `patch`, called `name` in the journal, to the target of `options`.

    All of it is applied, or nothing is. With `ThreeWay.MERGE`, files may be left unmerged, which
    are the plan's failures. The notes include what was recovered from an interrupted run.
    Raises `Refused` if it does not apply, other kinds of `OpatchError` if its text is malformed, or
    git or the system fails.
    """
    read = patch_of(patch)
    repository.require_worktree(CONVERT)

    def act(lock: int, recovery: Recovery) -> Plan:
        plan = apply_locked(read, Session(repository, options, lock, name))
        return plan.with_notes([], first=recovery.notes)

    return finish(recovered(repository, act), repository)


def apply_locked(patch: Patch, session: Session) -> Plan:
    """Apply `patch` while the caller has the lock; neither recovers nor runs the hook."""
    repository, options = session.repository, session.options
    patch = _resolve(patch, repository, options)
    plan = _plan_checked(patch, repository, options)
    if plan.conflicts and options.commit:
        raise Refused(plan.failures, options)
    rejects = _rejects(patch, plan, repository, options)
    digest = "" if options.reverse else patch.digest
    plan = plan._replace(is_part=patch.is_part)
    with deferred_signals():
        plan = perform(plan, session, digest=digest, beside=tuple(filter(None, rejects.values())))
        return _with_conflicts_left(plan.with_notes(_notes_on(rejects, plan, options)))


def _plan_checked(patch: Patch, repository: Repository, options: Options) -> Plan:
    """Plan a patch whose paths are resolved, and check it against the working tree."""
    plan = preflight(*plan_resolved(patch, repository, options), repository, options)
    return refuse_ignored(plan, patch, repository, options)


def _with_conflicts_left(plan: Plan) -> Plan:
    """Say of the files that were left unmerged how to go on: by an undo of just this patch."""
    if not plan.conflicts:
        return plan
    left = (each._replace(fault=Fault.CONFLICT_LEFT) for each in plan.failures)
    if plan.record:
        left = (each.with_hint(Hint.UNDO_CONFLICT, patch=plan.record) for each in left)
    return plan.with_failures(left)


def _resolve(patch: Patch | str | bytes, repository: Repository, options: Options) -> Patch:
    return resolve_paths(patch_of(patch), options, repository.top)


def _rejects(
    patch: Patch, plan: Plan, repository: Repository, options: Options
) -> dict[str, WrittenFile | None]:
    """Make the files of rejected hunks, by path; None for one that is there already.

    Raises `Refused` if one is in the way. Nothing is read through a symbolic link.
    """
    if not options.reject:
        return {}
    top, contents = repository.require_worktree(), _rejected_hunks(patch, plan.failures)
    changed = {change.path for change in plan.completed.changes}
    obstacles = guard_parents(top, list(contents))
    obstacles += [Failure(Fault.REJECTS_OF_PATCH, path) for path in contents if path in changed]
    rejects: dict[str, WrittenFile | None] = {}
    for path, content in contents.items() if not obstacles else ():
        if not os.path.lexists(top / path):
            entry = Entry(Mode.REGULAR, blob_id(content, repository.algorithm))
            new = WrittenFile(Change(path, None, entry), None, Text.from_bytes(content))
            rejects[path] = new
        elif read_text(repository, path) == content:
            rejects[path] = None
        else:
            obstacles.append(Failure(Fault.NOT_REJECTS, path))
    if obstacles:
        raise Refused([*plan.failures, *obstacles], options)
    return rejects


def _notes_on(rejects: Mapping[str, object], plan: Plan, options: Options) -> list[str]:
    """Name the files of rejected hunks, and the files that are refused as a whole.

    Of those `git apply` writes no `.rej`, either.
    """
    if not options.reject:
        return []
    whole = dict.fromkeys(failure.path for failure in plan.failures if not failure.hunk)
    notes = [f"rejected hunks written to {path}" for path in rejects]
    return [*notes, *(f"{path}: refused as a whole, and in no .rej file" for path in whole)]


def _rejected_hunks(patch: Patch, failures: Sequence[Failure]) -> dict[str, bytes]:
    """Return the content of each `.rej` file, by path."""
    rejected = {failure.key for failure in failures if failure.hunk}
    contents: dict[str, bytes] = {}
    for section in patch.files:
        hunks = [hunk for hunk in section.hunks if key_of(section, hunk.ordinal) in rejected]
        if hunks:
            path = f"{section.new_path or section.path}.rej"
            contents[path] = contents.get(path, _title(section)) + b"".join(map(_to_bytes, hunks))
    return contents


def _title(section: FilePatch) -> bytes:
    names = quote(f"a/{section.path}"), quote(f"b/{section.new_path or section.path}")
    return f"diff {names[0]} {names[1]}".encode("latin-1") + _TITLE + b"\n"


def _to_bytes(hunk: Hunk) -> bytes:
    return b"".join([*_header(hunk), *_lines(hunk)])


def _header(hunk: Hunk) -> Iterator[bytes]:
    if hunk.stated_start is not None and hunk.new_start is not None:
        old, new = len(hunk.preimage), len(hunk.postimage)
        ranges = f"-{hunk.stated_start + (old > 0)},{old} +{hunk.new_start + (new > 0)},{new}"
        heading = b"".join(b" " + anchor.text for anchor in hunk.anchors if anchor.weak)
        yield f"@@ {ranges} @@".encode() + heading + b"\n"
        return
    yield from (b"@@ " + anchor.text + b"\n" for anchor in hunk.anchors)
    if not hunk.anchors:
        yield b"@@\n"


def _lines(hunk: Hunk) -> Iterator[bytes]:
    removed_ranges = set(hunk.removed_ranges)
    for at, line in enumerate(hunk.lines):
        if at in removed_ranges:
            yield b"~\n"
        yield line.written
