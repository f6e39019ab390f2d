"""Complete a call that would apply, so that what is checked is what will be written (D261, D263).

    Codex's and OpenCode's apply_patch, Codex's shell     the envelope that does what is planned
    OpenCode's edit                                       the strings that do what is planned
    another shell                          `git opatch apply-patch` with the patch as it is

A shell of Codex hands a call of `apply_patch` to the tool; what the tool cannot do is done as in
other shells, which have no such program.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from enum import Enum

from git_opatch.agent.client_change import Inexpressible, write_edit, write_envelope
from git_opatch.agent.hook import Judged, Place
from git_opatch.agent.hook_event import PATCH_TOOL, ToolCall
from git_opatch.model.client import Client
from git_opatch.model.errors import InputError
from git_opatch.model.text import visible

_DELIMITER = "EOF"


class AgentHook(Enum):
    """What the hook does with a call that would apply (`opatch.agentHook`)."""

    REWRITE = "rewrite"
    CHECK = "check"
    """Nothing."""


def rewrite(
    call: ToolCall, judged: Judged, place: Place, program: Sequence[str]
) -> Mapping[str, object]:
    """Return the arguments to put in place of those of `call`; empty to leave them.

    `program` are the words that start git opatch. Left as it is: a patch for files outside of the
    working tree alone, a command that is a list of words, and a patch for the tool of a client
    that is not known. Raises `InputError` if the client could not do what is planned, with what
    to do instead.
    """
    if not judged.actions or not call.is_text:
        return {}
    if call.is_patch_tool and call.client is Client.CLAUDE:
        return {}  # which has no such tool: another client with the same events
    if judged.outside:
        raise _outside(judged)
    if not call.is_patch_tool and not call.edit and "\0" in call.arguments[call.argument]:
        raise InputError("the command has a NUL, which shells drop or end at; send it without")
    results = {below: each.plan.completed.results for below, each in judged.actions.items()}
    try:
        if call.edit:
            ((below, (result, *_)),) = results.items()
            old, new = write_edit(result, place.top / below)
            return {"oldString": old, "newString": new, "replaceAll": False}
        if call.is_patch_tool:
            patch = write_envelope(results, place.top, place.prefix, call.client)
            return {call.argument: patch}
    except Inexpressible as inexpressible:
        raise _unable(call, inexpressible, program) from None
    directory = shlex.quote(str(place.directory)) if judged.invocation.directory else ""
    if call.client is Client.CODEX:
        with suppress(Inexpressible):
            patch = write_envelope(results, place.top, place.prefix, call.client)
            return {call.argument: _script(directory, PATCH_TOOL, patch)}
    command = shlex.join([*program, "apply-patch"])
    return {call.argument: _script(directory, command, judged.invocation.patch)}


def _outside(judged: Judged) -> InputError:
    paths = ", ".join(f"`{visible(section.path)}`" for section in judged.outside)
    return InputError(
        f"{paths}: outside of the working tree, while other files of the patch are in it\n"
        "send a patch of its own for what is outside"
    )


def _unable(call: ToolCall, why: Inexpressible, program: Sequence[str]) -> InputError:
    instead = shlex.join([*program, "apply-patch"])
    what, tool = ("edit", "edit") if call.edit else ("patch", PATCH_TOOL)
    text = "these arguments as JSON" if call.edit else "the same patch"
    return InputError(
        f"{visible(why.path)}: {why.reason}\n"
        f"the {what} would apply, but the tool `{tool}` of {call.client.title} cannot make this "
        f"change; run in a shell, with {text}: {instead} <<'{_DELIMITER}'"
    )


def _script(directory: str, command: str, patch: str) -> str:
    """Write the script that runs `command` with `patch` as its input.

    No line of the patch can end the heredoc, in which a shell expands nothing.
    """
    body = patch if patch.endswith("\n") else f"{patch}\n"
    delimiter = _DELIMITER
    while f"\n{delimiter}\n" in f"\n{body}":
        delimiter += "_"
    before = f"cd {directory} && " if directory else ""
    return f"{before}{command} <<'{delimiter}'\n{body}{delimiter}\n"
