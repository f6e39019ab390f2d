"""Find the command that applies what is missing of a patch which cannot be redone as a whole."""

from __future__ import annotations

import shlex
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from git_opatch.git.repository import Repository
from git_opatch.journal import Record
from git_opatch.model.command_line import CommandLine
from git_opatch.model.errors import OpatchError
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import Patch
from git_opatch.parse import parse_patch
from git_opatch.plan.patch_paths import resolve_paths
from git_opatch.plan.planner import plan_request
from git_opatch.plan.preflight import preflight

_APPLY = "git opatch apply"
_PLACES = {f"--{target.value}" for target in Target}


def way_to_apply_rest(record: Record, target: Target, repository: Repository) -> str:
    """Spell the command that applies the rest of the patch of `record`; empty if none is known.

    It is known if the patch is still in its file, and was applied without options but for the
    place; and if it would be applied.
    """
    if not record.command.startswith(_APPLY):
        return ""
    flags = shlex.split(record.command.removeprefix(_APPLY))
    with suppress(OpatchError):
        patch = _read(record) if _PLACES.issuperset(flags) else None
        options = _options(record, target, repository)
        if patch is not None and _fits(patch, repository, options):
            return str(options.command)
    return ""


def _read(record: Record) -> Patch | None:
    """Read the patch from the file that it was in; None if it has another text now."""
    with suppress(OSError, ValueError):
        patch = parse_patch(Path(record.name).read_bytes())
        return patch if patch.digest == record.digest else None
    return None


def _options(record: Record, target: Target, repository: Repository) -> Options:
    """Return the options with which the rest would be applied in `target`."""
    options = Options.from_config(repository)
    command = CommandLine(_APPLY, (("--skip-applied",),), (record.name,))
    if target is not options.target:
        command = command.with_option(f"--{target.value}")
    return replace(options, target=target, skip_applied=True, command=command)


def _fits(patch: Patch, repository: Repository, options: Options) -> bool:
    """Return whether a part of `patch` is skipped, and the rest would be applied."""
    resolved = resolve_paths(patch, "", str(repository.top or ""))
    plan = preflight(plan_request(resolved, repository, options), repository, options)
    return bool(plan.skipped and plan.completed.changes)
