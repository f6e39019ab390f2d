"""Lets opatch plan a case in this process, from values alone: no repository, no program.

Same verdicts as the program, as far as it is the plan that decides; an error of git or of
the file system cannot occur here.
"""

from __future__ import annotations

from collections.abc import Mapping

from dialects import render
from git_opatch.blob import Blob, Entry, Mode, blob_id
from git_opatch.errors import ParseError
from git_opatch.options import Options
from git_opatch.parse import parse_patch
from git_opatch.paths import parents
from git_opatch.plan import make_plan, refuse_unsafe, resolve_paths
from git_opatch.snapshot import Snapshot
from git_opatch.text import Text
from model import ROOT, Case
from peers import Tool
from trial import Result, judge

_ALGORITHM = "sha1"


def plan_case(case: Case, tool: Tool) -> Result:
    """The outcome of planning the case's patch against its base."""
    patch = render(case, tool.reads(case.dialect)).replace(ROOT, "/nowhere")
    got = dict(case.draft.base)
    message = _plan(patch, got)
    outcome = judge(case, got, success=not message)
    return Result(case, tool.name, outcome, message, patch, got)


def _plan(text: str, tree: dict[str, bytes]) -> str:
    """Change `tree` as the patch says, or give the errors that stand against it."""
    try:
        patch = resolve_paths(parse_patch(text.encode()), "")
    except ParseError as error:
        return f"error: {error}"
    failures = refuse_unsafe(patch)
    if not failures:
        plan = make_plan(patch, _snapshot(tree), Options(), _ALGORITHM, {})
        failures = plan.failures
        tree |= {} if failures else plan.completed.contents()
    return "\n".join(f"error: {one.path}: {one.message}" for one in failures)


def _snapshot(tree: Mapping[str, bytes]) -> Snapshot:
    blobs = {
        path: Blob(path, Entry(Mode.REGULAR, blob_id(Text.from_bytes(data), _ALGORITHM)), data)
        for path, data in tree.items()
    }
    folders = frozenset(parent for path in tree for parent in parents(path))
    return Snapshot(blobs, frozenset(blobs), folders)
