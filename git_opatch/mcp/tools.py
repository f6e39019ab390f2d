"""The tools: what they are called with, and what they do.

A refusal is a result with `isError`, in the words of the commands, so that a model can act on it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from git_opatch import report
from git_opatch.agent.hook import as_seen_from
from git_opatch.git.repository import Repository
from git_opatch.model.errors import (
    InputError,
    OpatchError,
    RepositoryError,
    SystemCallError,
)
from git_opatch.model.failure import Refused
from git_opatch.model.options import Matching, Options, Target
from git_opatch.model.patch import Patch
from git_opatch.model.policy import Named, PathRule, Policy
from git_opatch.model.selection import ids_of
from git_opatch.model.settings import choice, journal_size
from git_opatch.operations import apply as operation
from git_opatch.operations.log import logged_patches
from git_opatch.operations.recover import require_uninterrupted
from git_opatch.operations.undo import reverse
from git_opatch.parse import parse_patch
from git_opatch.plan.patch_paths import called_in, name_of
from git_opatch.report import history, placements
from git_opatch.report.refusal import refusal_text
from git_opatch.report.reporters import notes_of

_NAME = "mcp"
"""What the journal calls the patch."""
_MAX_CHARACTERS = 100_000
"""Of a result, which a model has to read."""
_MAX_RECORDS = 20

_NAMES_OPTION = re.compile(r"  (?! ).*`(?:git opatch|(?:apply )?--\w)")
"""Advice for a command line, whose options a tool has not."""
_NAMES_FILES = re.compile(r": git opatch \w+ \d+ -- ")
"""Advice to undo, or redo, some files of a patch, which no tool does."""
_IN_TOOLS = {
    r"`git opatch (?:apply --)?(check|show|undo|redo|log)`": r"the tool `\1`",
    r"for `\S+` send only the patch, to `git opatch .*": "no tool here does that",
    r";? \(?how .* git opatch prompt.*": "",
}
"""What an error names of the command line, and what tools have of it."""

Arguments = Mapping[str, Any]


class Service(NamedTuple):
    """What a server is for: where patches may write, and what they change."""

    root: Path
    """An absolute path without symbolic links: paths count from it, and none may leave it."""
    named: Named = Named()
    """What a patch may touch; pathspecs count from the root."""
    target: Target | None = None
    """None for that of `opatch.target`, else the working tree."""
    carry: bool = False

    @property
    def instructions(self) -> str:
        """What a client may tell its model about all tools."""
        return (
            f"Applies patches below {self.root}, from which paths count. A patch lands as a whole "
            "where it should, or nothing changes and the result says why: correct it as the result "
            "says, and send the whole patch again."
        )

    def options(self, repository: Repository, expect: Mapping[str, str], prefix: str) -> Options:
        """Return the options of a call; paths of `expect` are below `prefix`. Raises `UsageError`.

        The root is a rule of its own.
        """
        settings = repository.settings()
        named = self.named._replace(expect=expect)
        top = str(repository.top)
        policy = Policy.read(
            settings, named, str(self.root), prefix=prefix, top=top, expect="`expect`"
        )
        root = PathRule((".",), True, str(self.root), "--root")
        return Options(
            self.target or choice("opatch.target", Target.WORKTREE, settings),
            matching=Matching.from_settings(settings)._replace(can_choose=False),
            journal_size=journal_size(settings),
            carry=self.carry,
            policy=policy._replace(rules=(root, *policy.rules)),
        )


class _Call(NamedTuple):
    """A call of a tool: its repository, opened anew each time, and its options."""

    repository: Repository
    options: Options
    prefix: str
    """The root, relative to the top of the working tree."""


class Tool(NamedTuple):
    """A tool: how it is described to a model, and what it does."""

    description: str
    properties: Mapping[str, Mapping[str, Any]]
    run: Callable[[_Call, Arguments], Iterable[str]]
    """Returns the lines of the result. Raises `OpatchError`."""
    required: tuple[str, ...] = ()
    changes: bool = False


def call_tool(tool: Tool, arguments: object, service: Service) -> tuple[str, bool]:
    """Call a tool; return the text of the result, and whether it is an error."""
    error: OpatchError
    try:
        return _bounded("\n".join(_run(tool, arguments, service))), False
    except Refused as refused:
        told = refusal_text(refused).split("\n")
        error, lines = refused, iter([line for line in told if not _NAMES_OPTION.match(line)])
    except OpatchError as caught:
        error, lines = caught, map(_in_tools, report.error_lines(caught))
    except OSError as caught:
        error = SystemCallError(f"the system refused: {caught}")
        lines = report.error_lines(error)
    notes = [note for note in notes_of(error) if not _NAMES_FILES.search(note)]
    return _bounded("\n".join([*report.notes(notes), *lines])), True


def _in_tools(line: str) -> str:
    for command, tool in _IN_TOOLS.items():
        line = re.sub(command, tool, line)
    return line


def describe_tools() -> list[dict[str, Any]]:
    """Describe all tools, as `tools/list` is answered."""
    return [
        {
            "name": name,
            "description": tool.description,
            "inputSchema": {
                "type": "object",
                "properties": tool.properties,
                "required": list(tool.required),
                "additionalProperties": False,
            },
            "annotations": {"readOnlyHint": not tool.changes, "openWorldHint": False},
        }
        for name, tool in TOOLS.items()
    ]


def _run(tool: Tool, arguments: object, service: Service) -> list[str]:
    given = _checked(tool, arguments)
    repository = Repository(service.root)
    prefix = os.path.relpath(service.root, repository.require_worktree())
    if prefix.split("/")[0] == "..":
        raise RepositoryError(f"the root {service.root} is not in the working tree")
    options = service.options(repository, given.get("expect", {}), prefix)
    call = _Call(repository, options, prefix)
    try:
        return list(tool.run(call, given))
    except Refused as refused:
        told = as_seen_from(prefix, refused, call.options)
        for note in notes_of(refused):
            told.add_note(note)
        raise told from None


def _checked(tool: Tool, arguments: object) -> Arguments:
    """Return the arguments, if they are what the tool takes. Raises `InputError`."""
    if not isinstance(arguments, dict):
        raise InputError("the arguments must be an object")
    for name in arguments.keys() - tool.properties.keys():
        takes = ", ".join(f"`{name}`" for name in tool.properties)
        raise InputError(f"there is no argument `{name}`; the arguments are: {takes}")
    for name in tool.required:
        if name not in arguments:
            raise InputError(f"the argument `{name}` is missing")
    given = {name: value for name, value in arguments.items() if value is not None}
    for name, value in given.items():
        kind = tool.properties[name]["type"]
        if not _is_a(kind, value):
            raise InputError(f"`{name}` must be {_KINDS[kind]}")
    return given


_KINDS = {
    "string": "a string",
    "integer": "a whole number from 1",
    "object": "an object of strings, by path",
    "boolean": "true or false",
}


def _is_a(kind: str, value: object) -> bool:
    if kind == "integer":
        return type(value) is int and 0 < value < 10**9
    if kind == "object":
        return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())
    return isinstance(value, str if kind == "string" else bool)


def _bounded(text: str) -> str:
    """Return `text` without half characters, cut where it is too long for a model to read."""
    whole = text.encode("utf-8", "replace").decode()
    if len(whole) <= _MAX_CHARACTERS:
        return whole
    return f"{whole[:_MAX_CHARACTERS]}\n(cut; {len(whole)} characters in all)"


def _patch_of(call: _Call, arguments: Arguments) -> Patch:
    return called_in(call.prefix, parse_patch(arguments["patch"]))


def _edit(call: _Call, arguments: Arguments) -> Iterator[str]:
    """Apply the edit as the patch that it is: a replacement of a string, in JSON."""
    return _apply(call, {"patch": json.dumps(arguments)})


def _apply(call: _Call, arguments: Arguments) -> Iterator[str]:
    patch = _patch_of(call, arguments)
    plan = operation.apply_patch(patch, call.repository, call.options, name_of(_NAME, patch))
    yield from report.notes(plan.notes)
    yield from placements.loose_placements(plan)
    undo = f"the tool `undo` with number {plan.record}" if plan.record else ""
    yield report.carried_out(plan, call.options, undo)


def _check(call: _Call, arguments: Arguments) -> Iterator[str]:
    patch = _patch_of(call, arguments)
    require_uninterrupted(call.repository)
    plan = operation.check_patch(patch, call.repository, call.options)
    yield from report.notes(plan.notes)
    yield from placements.loose_placements(plan)
    yield report.would_apply(plan, call.options)


def _show(call: _Call, arguments: Arguments) -> Iterator[str]:
    patch = _patch_of(call, arguments)
    require_uninterrupted(call.repository)
    plan = operation.plan_patch(patch, call.repository, call.options)
    if plan.failures:
        raise Refused(plan.failures, call.options)
    yield from report.notes(plan.notes)
    yield from placements.details(plan, patch, ids_of(patch))
    yield ""
    yield plan.completed.diff.decode("utf-8", "replace")


def _create(call: _Call, arguments: Arguments) -> Iterator[str]:
    from git_opatch.create.from_repository import create_patch

    if call.prefix != ".":
        raise InputError("`create` writes paths from the top of the working tree; serve that one")
    created = create_patch(call.repository, arguments.get("revision", ""))
    try:
        yield created.text.decode() or "nothing has changed"
    except UnicodeDecodeError:
        raise InputError("the patch has text that is not UTF-8; use `git opatch create`") from None


def _reverse(call: _Call, arguments: Arguments, *, redoes: bool) -> Iterator[str]:
    """Undo or redo a record, none of whose paths is forbidden."""
    options = Options(
        reverse=True,
        journal_size=call.options.journal_size,
        redoes=redoes,
        policy=call.options.policy,
    )
    plan, options = reverse(arguments.get("number"), call.repository, options)
    yield from report.notes(plan.notes)
    opposite = "redo" if plan.undoes else "undo"
    recorded = f"the tool `{opposite}` with number {plan.undoes or plan.redoes}"
    yield report.carried_out(plan, options, recorded if plan.record else "")


def _log(call: _Call, arguments: Arguments) -> Iterator[str]:
    entries = logged_patches(call.repository, None, arguments.get("count", _MAX_RECORDS))
    yield from ("".join(piece for piece, _ in row) for row in history.rows(entries))
    if not entries:
        yield "no patch has been applied here"


_PATCH = {
    "type": "string",
    "description": (
        "The patch. Begin with `*** Begin Patch` and end with `*** End Patch`; between them, for "
        "each file, `*** Update File: PATH` and hunks, or `*** Add File: PATH` and lines that all "
        "begin with `+`, or `*** Delete File: PATH`; `*** Move to: PATH` below an update moves it. "
        "A hunk begins with `@@` and, if that tells it apart, the line of its function or class; "
        "no line numbers. Its lines begin with a space (context, copied exactly), `-` or `+`. "
        "Unified diffs and SEARCH/REPLACE blocks are read, too."
    ),
}
_EXPECT = {
    "type": "object",
    "description": (
        "The versions that the patch was written for: the id that `git hash-object PATH` printed, "
        "by path; empty if there must be no file. The patch is refused if one has changed."
    ),
    "additionalProperties": {"type": "string"},
}
_NUMBER = {
    "type": "integer",
    "minimum": 1,
    "description": "The number of the patch, as `log` shows it; without it the last one.",
}
_REVISION = {
    "type": "string",
    "description": "What a commit changed, or A..B; without it what is not staged.",
}
_COUNT = {"type": "integer", "minimum": 1, "description": f"How many; {_MAX_RECORDS} without it."}
_JUDGED: Mapping[str, Mapping[str, Any]] = {"patch": _PATCH, "expect": _EXPECT}
_STRINGS: Mapping[str, Mapping[str, Any]] = {
    "path": {"type": "string", "description": "The file."},
    "old_string": {"type": "string", "description": "Text of the file, with the lines around it "
                   "that tell its place. Empty: the file is new."},
    "new_string": {"type": "string", "description": "What takes its place."},
    "replace_all": {"type": "boolean", "description": "Replace it wherever it is."},
}  # fmt: skip

TOOLS: Mapping[str, Tool] = {
    "apply": Tool(
        "Apply a patch to files of the repository: all of it, or nothing. If it is refused, the "
        "result says why, what the file has, and what to do.",
        _JUDGED, _apply, ("patch",), changes=True,
    ),
    "edit": Tool(
        "Replace a string in a file, after another tool has not found it or found it twice: it is "
        "found although whitespace, quotes or escapes differ, where only one place can be meant.",
        _STRINGS, _edit, ("path", "old_string", "new_string"), changes=True,
    ),
    "check": Tool(
        "Say whether a patch would apply, and why not. Changes nothing.",
        _JUDGED, _check, ("patch",),
    ),
    "show": Tool(
        "Show where each hunk of a patch would go, and the whole diff. Changes nothing.",
        _JUDGED, _show, ("patch",),
    ),
    "create": Tool(
        "Write what has changed as a patch, proved to give exactly that. Changes nothing.",
        {"revision": _REVISION}, _create,
    ),
    "undo": Tool(
        "Undo a patch that was applied here, by the diff that was applied.",
        {"number": _NUMBER}, partial(_reverse, redoes=False), changes=True,
    ),
    "redo": Tool(
        "Apply a patch again that was undone.",
        {"number": _NUMBER}, partial(_reverse, redoes=True), changes=True,
    ),
    "log": Tool(
        "List the patches that were applied here, newest first, and what became of each.",
        {"count": _COUNT}, _log,
    ),
}  # fmt: skip
"""All tools, by name."""
