"""`apply --interactive`: ask, as git does, which changes of a patch are wanted."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TextIO

from git_opatch.cli.git_prompt import ask_git
from git_opatch.create.hunks import hunk_ranges, line_changes, make_section
from git_opatch.git.repository import Repository
from git_opatch.model.blob import Blob, ChangedFile
from git_opatch.model.errors import InputError, UsageError
from git_opatch.model.options import Options, Tier
from git_opatch.model.patch import FilePatch, Patch
from git_opatch.model.selection import Selected, keep, parts_of
from git_opatch.model.text import visible
from git_opatch.operations.apply import plan_patch
from git_opatch.plan.plan import Plan
from git_opatch.report.placements import left_out_verdicts, refused_parts
from git_opatch.report.terminal import show, use_colour

_CONTEXT = 3
_SOURCE = "what was chosen"
"""What a message about it calls the patch."""
_Versions = Mapping[str, tuple[Blob | None, Blob | None]]
"""What each file is, and what it would be, by path."""


def choose(
    selected: Selected, repository: Repository, options: Options, settings: Mapping[str, str]
) -> tuple[Selected, Options]:
    """Let git ask which changes of the selected parts are wanted.

    The parts that do not apply are named, and left out. If none applies, or what fails is not of a
    part, nothing is asked, and all stays selected: then the reasons are for the caller to report.
    If all changes are chosen, the patch is what it was; else it is another one, of the changes that
    were, to be applied with the options that are returned; it is empty if none was. Raises
    `UsageError` without a terminal, and for several mails.
    """
    patch = selected.patch
    if options.commit and len(patch.mails) > 1:
        raise UsageError(
            "--interactive with --commit asks about one mail, and these are "
            f"{len(patch.mails)}\n  apply them one by one (git mailsplit)"
        )
    plan, parts = _plan(patch, repository, replace(options, partial=True)), parts_of(patch)
    refused = refused_parts(parts, plan.failures)
    known = {key for part in parts for key in part.keys}
    is_refused = len(refused) == len(parts) or any(each.key not in known for each in plan.failures)
    with _terminal() as answers:
        if is_refused or not plan.completed.changes:
            return selected, options
        show(left_out_verdicts(parts, plan), sys.stderr, settings)
        files = _versions(plan)
        is_plain = not use_colour(sys.stderr, settings)
        chosen = ask_git(files, repository, answers, is_plain=is_plain)
    if not any(_differ(chosen[path], old) for path, (old, _) in files.items()):
        return Selected(Patch(())), options
    if not any(_differ(chosen[path], new) for path, (_, new) in files.items()):
        rest, left_out = keep(patch, [part for part in parts if part.key in refused])
        return Selected(rest, (*selected.left_out, *left_out)), options
    options = replace(
        options,
        directory="",
        matching=options.matching._replace(tier=Tier.STRICT),
        skip_applied=False,
    )
    part = _patch(patch, _changed(plan, files, chosen), options)
    _require(chosen, plan_patch(part, repository, options), files)
    return Selected(part, selected.left_out), options


def _plan(patch: Patch, repository: Repository, options: Options) -> Plan:
    """Plan the hunks of `patch`, whose text says what is reversed."""
    plan = plan_patch(patch, repository, options)
    if plan.reverses:  # as a whole; the lines of its hunks are known by its text
        by_text = plan_patch(patch._replace(digest=""), repository, options)
        plan = plan if by_text.failures else by_text
    return plan


@contextmanager
def _terminal() -> Iterator[TextIO]:
    """Open what answers are read from: standard input may be the patch.

    Raises `UsageError` if there is no terminal.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        yield sys.stdin
        return
    try:
        stream = open("/dev/tty")  # noqa: SIM115 - closed below
    except OSError:
        raise UsageError(
            "not a terminal, so --interactive cannot ask\n"
            "  `--only` and `--except` choose hunks; `git opatch show --hunks` lists them"
        ) from None
    with stream:
        yield stream


def _versions(plan: Plan) -> _Versions:
    """Return both versions of each file that `plan` changes; a move is of two."""
    blobs = plan.completed.blobs()
    return {
        path: (
            Blob(path, old, blobs[old.id]) if old else None,
            Blob(path, new, blobs[new.id]) if new else None,
        )
        for path, old, new in plan.completed.changes
    }


def _differ(one: Blob | None, other: Blob | None) -> bool:
    return (one and one.entry) != (other and other.entry)


def _changed(
    plan: Plan, files: _Versions, chosen: Mapping[str, Blob | None]
) -> Iterator[ChangedFile]:
    """Yield the files that were chosen to change; a move stays one if both halves were chosen."""
    left = {path: old for path, (old, _) in files.items() if _differ(chosen[path], old)}
    for result in plan.completed.results:
        old, path = result.old, result.path
        is_moved = old is not None and result.renamed and result.content is not None
        if not is_moved or old is None or {old.path, path} - left.keys():
            continue
        if chosen[old.path] is None and left[path] is None and chosen[path] is not None:
            del left[path]
            yield ChangedFile(left.pop(old.path), chosen[path])
    for path, old in left.items():
        yield ChangedFile(old, chosen[path])


def _patch(patch: Patch, changed: Iterator[ChangedFile], options: Options) -> Patch:
    """Make the patch of what was chosen of `patch`, in the direction that `options` apply it."""
    files: list[FilePatch] = []
    digest = hashlib.sha256(os.fsencode(patch.digest))
    for old, new in changed:
        file = ChangedFile(new, old) if options.reverse else ChangedFile(old, new)
        changes = line_changes(file.old.text, file.new.text) if file.old and file.new else []
        length = len(file.old.text.lines) if file.old else 0
        section = make_section(file, hunk_ranges(changes, length, _CONTEXT))
        files.append(section._replace(number=len(files) + 1, source=_SOURCE))
        digest.update(repr([blob and (blob.path, blob.entry) for blob in (old, new)]).encode())
    mails = tuple(mail._replace(first=0) for mail in patch.mails[:1])
    return Patch(tuple(files), digest.hexdigest(), mails, is_part=True, notes=patch.notes)


def _require(chosen: Mapping[str, Blob | None], plan: Plan, files: _Versions) -> None:
    """Raise `InputError` if `plan` gives other files than those that were chosen."""
    if plan.failures:
        return  # for the caller to report
    made: dict[str, object] = {path: old and old.entry for path, (old, _) in files.items()}
    made |= {change.path: change.new for change in plan.completed.changes}
    wanted = {path: blob and blob.entry for path, blob in chosen.items()}
    wrong = [visible(path) for path in made if made[path] != wanted.get(path)]
    if wrong:
        raise InputError(
            f"{', '.join(wrong)}: a patch cannot have just what was chosen; nothing was changed"
        )
