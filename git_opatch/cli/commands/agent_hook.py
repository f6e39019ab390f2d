"""`git opatch agent-hook`: answers the hook that an agent runs before each tool call."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from git_opatch import report
from git_opatch.agent.apply_patch_call import detect
from git_opatch.agent.hook import Place, find_edit, find_place, judge_edit, judge_patch
from git_opatch.agent.hook_event import ToolCall, denial, read_call, rewriting
from git_opatch.agent.program import program_words
from git_opatch.agent.rewrite import AgentHook, rewrite
from git_opatch.cli.groups import options_of_agent
from git_opatch.model.errors import InputError, OpatchError
from git_opatch.model.failure import Refused
from git_opatch.model.options import Options
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
        answer = _answer(call, allow, deny)
    except Refused as refused:
        answer = denial(call, refusal_text(refused))
    except OpatchError as error:
        answer = denial(call, "\n".join(report.error_lines(error)))
    if answer:
        write_data(answer)


def _answer(call: ToolCall, allow: Sequence[str] | None, deny: Sequence[str] | None) -> bytes:
    """Answer a call that may be made; empty to let it be as it is. Raises `OpatchError`."""
    if call.path:
        invocation, place = find_edit(call), find_place(call.directory)
        _require_one(call, place)
        if place:
            judge_edit(call.path, place, _options(place, allow, deny))
    else:
        invocation = detect(call.argv)
        place = find_place(call.directory, invocation.directory) if invocation else None
        _require_one(call, place)
    if invocation is None or place is None:
        return b""
    require_uninterrupted(place.repository)
    judged = judge_patch(invocation, place, _options(place, allow, deny))
    settings = place.repository.settings()
    if choice("opatch.agentHook", AgentHook.REWRITE, settings) is AgentHook.CHECK:
        return b""
    changed = rewrite(call, judged, place, program_words())
    return rewriting(call, changed) if changed else b""


def _require_one(call: ToolCall, place: Place | None) -> None:
    """Raise `InputError` if the client may read another member than the one that is judged."""
    if place and call.twice:
        both = " and ".join(f"`{name}`" for name in call.twice)
        raise InputError(
            f"the call has {both}, and {call.client.title} reads one of them; send one"
        )


def _options(place: Place, allow: Sequence[str] | None, deny: Sequence[str] | None) -> Options:
    """Resolve how a call is judged, by the options and the repository's settings."""
    return options_of_agent(place.repository.settings(), Named(allow, deny), str(place.top))
