"""Let opatch plan a case in this process, from values alone: no repository, no program.

The verdicts are those of the program where the plan decides; an error of git or of
the file system cannot occur here.
"""

from __future__ import annotations

from git_opatch import ParseError, plan_in_memory
from model import ROOT, Case
from peers import Tool
from styles import render
from trial import Result, judge


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
        plan = plan_in_memory(text.encode(), tree)
    except ParseError as error:
        return f"error: {error}"
    tree |= {} if plan.failures else plan.completed.contents()
    return "\n".join(f"error: {failure.path}: {failure.message}" for failure in plan.failures)
