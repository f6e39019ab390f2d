"""`git opatch agent-hook`: answers an agent's PreToolUse hook."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from git_opatch import report
from git_opatch.agent.apply_patch_call import detect
from git_opatch.agent.pre_tool_use import ToolCall, denial, read_call
from git_opatch.agent.verify import repository_of, verify
from git_opatch.cli.groups import MatchOptions
from git_opatch.cli.policy_options import Allow, Deny, path_rules
from git_opatch.model.command_line import CommandLine
from git_opatch.model.errors import OpatchError
from git_opatch.model.options import Options, Policy, Target
from git_opatch.model.result import Refused
from git_opatch.operations.recover import refuse_interrupted
from git_opatch.report.terminal import write_data

_COMMAND = CommandLine("git opatch agent-hook")


def agent_hook(allow: Allow = None, deny: Deny = None) -> None:
    """Answer a PreToolUse hook of Claude Code or Codex, whose JSON is standard input.

    A call of apply_patch that would not apply to the working tree is answered with "deny" and the
    reason. Nothing is printed for other calls and commands, nor outside of a repository. It cannot
    be known for certain what a call will do: see docs/hooks.md. Exit status: 0 answered, 128 the
    input is not such JSON.
    """
    call = read_call(sys.stdin.buffer.read() if sys.stdin else b"")
    reason = _find_objection(call, allow, deny) if call else ""
    if reason:
        write_data(denial(reason))


def _find_objection(call: ToolCall, allow: Sequence[str] | None, deny: Sequence[str] | None) -> str:
    """Word why the call would fail; empty if it would not."""
    options = Options(Target.WORKTREE, command=_COMMAND)
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
            matching=MatchOptions().resolve(settings, by_program=True),
            policy=Policy(path_rules(settings, allow, deny, top)),
            command=_COMMAND,
        )
        verify(["apply_patch", invocation.patch], where, options)
    except Refused as refused:
        return str(refused)
    except OpatchError as error:
        return "\n".join(report.error_lines(error))
    return ""
