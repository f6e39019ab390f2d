"""`git opatch agent-hook`: answers the hook that an agent runs before each tool call."""

from __future__ import annotations

import sys

from git_opatch import report
from git_opatch.agent.apply_patch_call import detect
from git_opatch.agent.hook import find_edit, find_place, judge_edit, judge_patch
from git_opatch.agent.hook_event import ToolCall, denial, read_call, rewriting
from git_opatch.agent.program import program_words
from git_opatch.agent.rewrite import AgentHook, rewrite
from git_opatch.cli.groups import options_of_agent
from git_opatch.model.errors import InputError, OpatchError
from git_opatch.model.failure import Refused
from git_opatch.model.policy import Named
from git_opatch.model.settings import choice
from git_opatch.operations.recover import require_uninterrupted
from git_opatch.report.refusal import refusal_text
from git_opatch.report.terminal import write_data


def agent_hook(allow: list[str] | None = None, deny: list[str] | None = None) -> None:
    """Answer the hook of a client, such as Claude Code, whose JSON is standard input.

    A call of apply_patch that would not apply to the working tree is answered with "deny" and the
    reason, and so is a tool that writes a file which --allow and --deny forbid. One that would
    apply is completed so that the client writes just what was checked; opatch.agentHook=check
    leaves it as it is. Nothing is printed for other calls, nor outside of a repository. What a
    pass does not guarantee: see docs/hooks.md. Exit status: 0 answered, 128 not such JSON.
    """
    call = read_call(sys.stdin.buffer.read() if sys.stdin else b"")
    if call is None:
        return
    try:
        answer = _answer(call, Named(allow, deny))
    except Refused as refused:
        answer = denial(call, refusal_text(refused))
    except OpatchError as error:
        answer = denial(call, "\n".join(report.error_lines(error)))
    if answer:
        write_data(answer)


def _answer(call: ToolCall, named: Named) -> bytes:
    """Answer a call that may be made; empty to let it be as it is. Raises `OpatchError`."""
    invocation = find_edit(call) if call.path else detect(call.argv)
    below = "" if call.path or not invocation else invocation.directory
    place = find_place(call.directory, below) if call.path or invocation else None
    if place is None:
        return b""
    if call.twice:
        both = " and ".join(f"`{name}`" for name in call.twice)
        raise InputError(
            f"the call has {both}, and {call.client.title} reads one of them; send one"
        )
    settings = place.repository.settings()
    options = options_of_agent(settings, named, str(place.top))
    if call.path:
        judge_edit(call.path, place, options)
    if invocation is None:
        return b""
    require_uninterrupted(place.repository)
    judged = judge_patch(invocation, place, options)
    if choice("opatch.agentHook", AgentHook.REWRITE, settings) is AgentHook.CHECK:
        return b""
    changed = rewrite(call, judged, place, program_words())
    return rewriting(call, changed) if changed else b""
