"""Let opatch plan a case in this process, from values alone: no repository, no program.

The verdicts are those of the program where the plan decides; an error of git or of
the file system cannot occur here.
"""

from __future__ import annotations

from collections.abc import Mapping

from git_opatch.git.snapshot import Snapshot
from git_opatch.model.blob import Blob, Entry, Mode, blob_id
from git_opatch.model.errors import ParseError
from git_opatch.model.options import Options
from git_opatch.model.paths import parents
from git_opatch.model.text import Text
from git_opatch.parse import parse_patch
from git_opatch.plan.patch_paths import refuse_unsafe, resolve_paths
from git_opatch.plan.section import plan_sections
from model import ROOT, Case
from peers import Tool
from styles import render
from trial import Result, judge

_ALGORITHM = "sha1"


def plan_case(case: Case, tool: Tool) -> Result:
    """The outcome of planning the case's patch against its base."""
    return plan_patch(case, tool, render(case, tool.reads(case.style)))


def plan_patch(case: Case, tool: Tool, text: str) -> Result:
    """The outcome of planning this patch against the base of `case`."""
    patch = text.replace(ROOT, "/nowhere")
    got = dict(case.draft.base)
    message = _plan(patch, got)
    outcome = judge(case, got, success=not message)
    return Result(case, tool.name, outcome, message, patch, got)


def _plan(text: str, tree: dict[str, bytes]) -> str:
    """Change `tree` as the patch says, or return why it does not apply."""
    try:
        patch = resolve_paths(parse_patch(text.encode()), "")
    except ParseError as error:
        return f"error: {error}"
    failures = refuse_unsafe(patch)
    if not failures:
        plan = plan_sections(patch, _snapshot(tree), Options(), _ALGORITHM, {})
        failures = list(plan.failures)
        tree |= {} if failures else plan.completed.contents()
    return "\n".join(f"error: {failure.path}: {failure.message}" for failure in failures)


def _snapshot(tree: Mapping[str, bytes]) -> Snapshot:
    blobs = {
        path: Blob(path, Entry(Mode.REGULAR, blob_id(Text.from_bytes(data), _ALGORITHM)), data)
        for path, data in tree.items()
    }
    directories = frozenset(parent for path in tree for parent in parents(path))
    return Snapshot(blobs, frozenset(blobs), directories)
