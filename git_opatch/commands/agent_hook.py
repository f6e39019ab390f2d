"""`git opatch agent-hook`: the answer to an agent's PreToolUse hook."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from git_opatch import report
from git_opatch.action import repository_of, verify
from git_opatch.apply import Refused
from git_opatch.commands import choices
from git_opatch.commands.inputs import choose_matching, choose_policy
from git_opatch.errors import OpatchError, ParseError
from git_opatch.interrupted import refuse_interrupted
from git_opatch.invocation import detect
from git_opatch.options import Options, Target
from git_opatch.report.terminal import write_data
from git_opatch.text import visible
from git_opatch.tooluse import ToolCall, denial, read_call


def agent_hook(allow: choices.Allow = None, deny: choices.Deny = None) -> None:
    """Answer a PreToolUse hook of Claude Code or Codex, whose JSON is standard input.

    Nothing is said of a call of apply_patch that would apply to the working tree, or whose
    directory is in no repository, nor of any other command. Else the answer is "deny", with the
    refusal as its reason. What a call does is not known for certain before it is made: see
    docs/hooks.md. Exit status: 0 answered, 128 the input is no such JSON.
    """
    call = read_call(sys.stdin.buffer.read() if sys.stdin else b"")
    reason = _objection(call, allow or [], deny or []) if call else ""
    if reason:
        write_data(denial(reason))


def _objection(call: ToolCall, allow: list[str], deny: list[str]) -> str:
    """What stands against the call; empty if nothing does."""
    options = Options(Target.WORKTREE, command="git opatch agent-hook")
    try:
        invocation = detect(call.argv)
        if invocation is None:
            return ""
        where = Path(call.directory, os.path.expanduser(invocation.directory))
        repository = repository_of(where) if where.is_dir() else None
        if repository is None or repository.top is None:
            return ""
        refuse_interrupted(repository)
        settings, top = repository.settings(), str(repository.top)
        options = Options(
            Target.WORKTREE,
            matching=choose_matching(None, None, 0, settings),
            policy=choose_policy(allow, deny, None, settings, here=top),
            command="git opatch agent-hook",
        )
        verify(["apply_patch", invocation.patch], where, options)
    except Refused as refused:
        return "\n".join(report.refusal(refused.failures, options))
    except ParseError as error:
        faults = [f"error: {visible(str(fault), 2000)}" for fault in error.faults]
        return "\n".join([*faults, "nothing was changed"])
    except OpatchError as error:
        return "\n".join(f"error: {visible(line, 2000)}" for line in str(error).splitlines())
    return ""
