"""The options and arguments of all commands, in one table, and what reads them.

A command is a function whose parameters are named in the table; a group of options that commands
share is a named tuple:

    def apply(target: TargetOptions, json: bool = False) -> None: ...

The row `apply.json` would be of that command alone, `TargetOptions.carry` of that group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from functools import wraps
from inspect import Parameter, Signature, signature
from types import NoneType
from typing import Annotated, Any, NamedTuple, get_args, get_type_hints

import typer

from git_opatch.model.errors import UsageError
from git_opatch.model.settings import Settings

Command = Callable[..., int | None]
"""What runs a command, and gives its exit status; None for 0."""


class When(Enum):
    """When the output has colours."""

    ALWAYS = "always"
    NEVER = "never"
    AUTO = "auto"


def colour(settings: Settings, when: When | None) -> Settings:
    """Return the settings with `--color` in place of `color.opatch`, which is asked first."""
    if when is not None:
        settings["color.opatch"] = when.value
    return settings


OPTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "Where": {
        "directory": (
            "--directory DIR",
            "Prepend DIR to all paths of the patch, which are relative to the top of the working "
            "tree.",
        ),
        "base": (
            "--base TREE-ISH",
            "Locate hunks in this commit or tree; works in a bare repository.",
        ),
        "index_and_worktree": ("--index", "Change the index and the working tree."),
        "cached": ("--cached", "Change just the index, without touching the working tree."),
        "create.cached": ("--cached", "Write what is staged."),
        "worktree": ("--worktree", "Locate hunks in the files of the working tree."),
        "TargetOptions.worktree": (
            "--worktree",
            "Change just the working tree, untracked files too; locate hunks in its files.",
        ),
        "PlaceOptions.worktree": (
            "--worktree",
            "Change just the working tree, without touching the index.",
        ),
        "carry": (
            "--carry",
            "Allow unstaged changes in touched files; they stay unstaged. Each hunk must have a "
            "position in the index and in the working tree.",
        ),
        "PlaceOptions.carry": (
            "--carry",
            "Allow unstaged changes in its files; they stay unstaged.",
        ),
        "overwrite": (
            "--overwrite",
            "Allow an added or moved file to replace a tracked one; with --worktree an untracked "
            "one, too.",
        ),
    },
    "Which hunks": {
        "only": (
            "--only HUNK",
            "Take only this hunk: its id (see `show`), PATH:N, or PATH for all of a file or a "
            "directory (may be repeated).",
        ),
        "leave_out": (
            "--except HUNK",
            "Leave this hunk out: its id, PATH:N, or PATH (may be repeated).",
        ),
        "interactive": (
            "-p --interactive --patch",
            "Ask for each hunk at the terminal, as `git reset -p`.",
        ),
        "skip_applied": ("--skip-applied", "Skip changes that are already applied."),
        "partial": (
            "--partial",
            "Apply the hunks that can be placed, report the others, and exit 1.",
        ),
        "reject": ("--reject", "Like --partial, and write the other hunks to FILE.rej."),
    },
    "How to match": {
        "match": ("--match", "The loosest way to compare lines (default: fuzzy, or opatch.match)."),
        "ambiguous": (
            "--ambiguous",
            "What to do with a hunk that has several candidates (default: refuse, or "
            "opatch.ambiguous). The nearest one is often wrong.",
        ),
        "three_way": ("-3 --3way", "Attempt a three-way merge from an older version."),
        "reverse": ("-R --reverse", "Apply the patch in reverse."),
    },
    "Policy": {
        "allow": (
            "--allow PATHSPEC",
            "Allow only patches that touch nothing but these paths (may be repeated).",
        ),
        "leftovers.allow": (
            "--allow PATHSPEC",
            "Skip what this matches, in addition to `opatch.leftovers` (may be repeated).",
        ),
        "deny": ("--deny PATHSPEC", "Refuse a patch that touches these paths (may be repeated)."),
        "PatchOptions.root": (
            "--root DIR",
            "Count absolute paths below DIR, where the patch was written, from the top (default: "
            "opatch.root).",
        ),
        "max_files": ("--max-files N", "Refuse a patch that touches more files than N."),
        "expect": (
            "--expect PATH=BLOB",
            "Refuse the patch as stale if the file is another version; `PATH=`, without a BLOB, if "
            "it exists (may be repeated).",
        ),
    },
    "Commit": {
        "commit": (
            "--commit",
            "Commit the patch, and nothing else, with `git commit`; the index must equal HEAD. "
            "Each mail of `git format-patch` becomes a commit.",
        ),
        "message": (
            "-m --message MSG",
            "With --commit: use MSG as the commit message. If repeated, the values are "
            "concatenated as separate paragraphs.",
        ),
    },
    "Options": {
        "patch_format": ("--format", "Read this format only (default: detected)."),
        "create.patch_format": ("--format", "The format to write (default: envelope)."),
        "prompt.patch_format": (
            "--format",
            "The format that the model is to write (default: envelope).",
        ),
        "grammar": (
            "--grammar",
            "Print the envelope's grammar instead, for decoding that is constrained by it.",
        ),
        "context": (
            "--context N",
            "Write N lines of context, or `minimal`: as few as the hunks need to be found, the "
            "default.",
        ),
        "clipboard": ("--clipboard", "Read the patch from the clipboard (needs `pyperclip`)."),
        "check": (
            "--check --dry-run",
            "Report whether the patch would apply, and change nothing.",
        ),
        "install_agent.check": (
            "--check",
            "Say whether what is installed would run, and why not.",
        ),
        "argv": (
            "--argv",
            "Judge a command instead, such as: check --argv -- bash -lc \"apply_patch <<'EOF' …\"",
        ),
        "output": ("-o --output OUT", "Write to the file OUT instead of standard output."),
        "batch.output": (
            "-o --output FILE",
            "Write the results to FILE; where it has results of these tasks, go on after them "
            "(default: standard output).",
        ),
        "repositories": (
            "--repositories DIR",
            "Look for the repositories of a benchmark's rows in DIR, as `owner__name` or "
            "`owner/name` (default: here).",
        ),
        "jobs": ("-j --jobs N", "Judge in N processes (default, or 0: the cores)."),
        "engine": (
            "--engine",
            "Judge in processes of this computer (`local`, the default), or with Ray.",
        ),
        "address": (
            "--address ADDRESS",
            "The Ray cluster (default: a Ray is started on this computer).",
        ),
        "diff": ("--diff", "Add the completed diff to each result, as `diff`."),
        "tree": ("--tree", "Add the id of the tree that the patch makes; it is not written."),
        "all_files": ("--all", "Search every tracked file."),
        "leftovers.zero": ("-z", "Print only the paths, each ended by NUL."),
        "patch": ("-p --patch", "Also show the applied diffs."),
        "count": ("-n --max-count COUNT", "Show at most COUNT patches; also -COUNT."),
        "root": (
            "--root DIR",
            "Paths count from DIR, and none may leave it (default: the current directory).",
        ),
        "project": ("--project", "Install it for this repository (the default)."),
        "user": ("--user", "Install it for all projects of the user."),
        "remove": ("--remove", "Take it out again, and nothing else."),
        "yes": ("-y --yes", "Write the change without asking."),
        "quiet": ("-q --quiet", "Print nothing on success."),
        "verbose": ("-v --verbose", "Print where each hunk was found."),
        "hunks": (
            "--hunks",
            "Output only the id and the name of each hunk, for --only and --except.",
        ),
        "html": ("--html", "Output a page for a browser: each hunk beside its place."),
        "batch.html": (
            "--html PAGE",
            "Write a page of the results by reason to the file PAGE (with --output).",
        ),
        "opens": ("--open", "Open the page in a browser."),
        "PageOptions.output": ("-o --output OUT", "Write the page to the file OUT."),
        "color": (
            "--color WHEN",
            "Colour the output: `always` (as `--color` alone), `never` or `auto` (default: as "
            "color.ui says).",
        ),
        "json": ("--json", "Print one JSON document on standard output, and nothing else."),
    },
    "Arguments": {
        "files": ("FILE", "Patch files; standard input if none is named, or for `-`."),
        "leftovers.files": (
            "FILE",
            "Tracked files or directories to search (default: the staged files).",
        ),
        "apply_patch.patch": (
            "PATCH",
            "The patch itself, not a file of it (default: standard input).",
        ),
        "tasks": (
            "TASKS",
            "A file with a task in JSON on each line; standard input if none is named, or for `-`.",
        ),
        "revision": ("COMMIT|A..B", "What the commit changed, or what differs from A to B."),
        "pathspecs": ("-- PATHSPEC", "The files (default: all)."),
        "log.number": ("N", "Show only patch N."),
        "undo.number": (
            "N",
            "The number of the patch, as `git opatch log` shows it (default: the last one that is "
            "still applied).",
        ),
        "redo.number": (
            "N",
            "The number of the patch, as `git opatch log` shows it (default: the one that was "
            "undone last).",
        ),
        "agent": ("AGENT", "claude-code, codex or opencode; or shim, a program apply_patch."),
        "install_agent.directory": ("DIR", "Where to install the shim."),
    },
}
"""By the title under which help lists it: the flags and the value of each option, and its help.

An option without the name of its value has that of its choices.
"""
TITLES = {
    name.rpartition(".")[2]: title
    for title, rows in OPTIONS.items()
    if title != "Arguments"
    for name in rows
}
"""The title of each option, by the name of its parameter."""
_ROWS = {name: row for rows in OPTIONS.values() for name, row in rows.items()}


def with_options(command: Command) -> Command:
    """Let typer see the rows of the table as the parameters of `command`.

    The command gets values of the types that its own parameters have, and groups as such. Raises
    `UsageError` for a value that is not one.
    """
    fields = [*_fields(command)]
    groups = {name: hint for name, hint in _hints(command).items() if hasattr(hint, "_fields")}

    @wraps(command)
    def run(**given: Any) -> int | None:
        for field in fields:
            given[field.name] = _converted(field, given[field.name])
        for name, group in groups.items():
            given[name] = group(*map(given.pop, group._fields))
        return command(**given)

    run.__signature__ = Signature([*map(_parameter, fields)])  # type: ignore[attr-defined]
    run.__annotations__ = {}
    return run


class _Field(NamedTuple):
    """A parameter of a command, or of a group, and its row of the table."""

    name: str
    kind: Any
    default: Any
    words: str
    text: str


def _hints(function: Any) -> dict[str, Any]:
    hints = get_type_hints(function)
    hints.pop("return", None)
    return hints


def _fields(owner: Any) -> Iterator[_Field]:
    """Yield the parameters of a command; those of a group in its place."""
    parameters = signature(owner).parameters
    for name, hint in _hints(owner).items():
        if hasattr(hint, "_fields"):
            yield from _fields(hint)
        else:
            row, kinds = _ROWS.get(f"{owner.__name__}.{name}") or _ROWS[name], get_args(hint)
            kind = kinds[0] if NoneType in kinds else hint
            yield _Field(name, kind, parameters[name].default, *row)


def _parameter(field: _Field) -> Parameter:
    """Describe a parameter to typer, which is to convert nothing: it needs pydantic for it."""
    words, kind = field.words, field.kind
    flags = [word for word in words.split() if word[0] == "-" and word != "--"]
    value = words.removeprefix(" ".join(flags)).strip()
    attributes: Any = {"help": field.text, "show_default": False}
    attributes["metavar"] = value or _choices(kind)
    shown = typer.Option(*flags, **attributes) if flags else typer.Argument(**attributes)
    seen: Any = bool if kind is bool else list[str] | None if kind == list[str] else str | None
    default = False if kind is bool else None
    annotation = Annotated[seen, shown]
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _choices(kind: Any) -> str | None:
    """Name what can be chosen: `<refuse|nearest>`; None for a kind of any value."""
    is_choice = isinstance(kind, type) and issubclass(kind, Enum)
    return f"<{'|'.join(member.value for member in kind)}>" if is_choice else None


def _converted(field: _Field, given: Any) -> Any:
    """Convert what was given to a choice or a number, none of which is negative."""
    kind, words = field.kind, field.words
    if given is None or given == ():
        return field.default
    if kind in (bool, str) or not isinstance(kind, type):
        return given
    named = ", ".join(word for word in words.split() if word[0] == "-") or words
    try:
        value = kind(given)
    except ValueError:
        choices = (_choices(kind) or "").strip("<>").split("|")
        wanted = "one of " + ", ".join(choices) if choices[0] else "a number"
        raise UsageError(f"{named}: `{given}` is not {wanted}") from None
    if not (isinstance(value, Enum) or value >= 0):
        raise UsageError(f"{named}: {given} is less than 0")
    return value
