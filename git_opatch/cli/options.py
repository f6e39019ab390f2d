"""Options of commands: a decorator that lets commands take them in groups, and single ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_args, get_type_hints

import typer

from git_opatch.model.command_line import CommandLine

TRANSIENT = "transient"
"""Marks an option that advice does not repeat: it does not change what the patch does."""


def value_option(*flags: str, **attributes: Any) -> Any:
    """Declare an option that takes a value, and whose help says what happens without it."""
    return typer.Option(*flags, show_default=False, **attributes)


Reverse = Annotated[bool, typer.Option("-R", "--reverse", help="Apply the patch in reverse.")]
SkipApplied = Annotated[
    bool, typer.Option("--skip-applied", help="Skip changes that are already applied.")
]
Wait = Annotated[
    float,
    value_option(
        "--wait",
        metavar="SECONDS",
        help="Wait up to SECONDS for the lock (default: fail at once).",
    ),
    TRANSIENT,
]
A_WHILE = "60"
"""The value of `--wait` in advice."""
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Print nothing on success."), TRANSIENT]
Verbose = Annotated[
    bool, typer.Option("-v", "--verbose", help="Print where each hunk was found."), TRANSIENT
]
Output = Annotated[
    str,
    value_option(
        "-o", "--output", metavar="OUT", help="Write to the file OUT instead of standard output."
    ),
    TRANSIENT,
]
Json = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON document on standard output, and nothing else."),
    TRANSIENT,
]


def option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Let `command` take groups of options, which are named tuples.

    typer sees the fields of a group as parameters of their own, and the command gets the group:

        @option_groups
        def apply(target: TargetOptions, json: Json = False) -> None: ...

    A parameter that is a `CommandLine` gets the command as the user typed it, without what is
    `TRANSIENT`.
    """
    hints = get_type_hints(command, include_extras=True)
    restated = [name for name, hint in hints.items() if hint is CommandLine]
    groups: dict[str, Any] = {
        name: hint
        for name, hint in hints.items()
        if hasattr(hint, "_fields") and name not in restated
    }
    parameters = list(_parameters(command, hints, groups))

    @wraps(command)
    def run(**given: Any) -> None:
        for name in restated:
            given[name] = _restate(command.__name__, parameters, given)
        for name, group in groups.items():
            given[name] = group(*map(given.pop, group._fields))
        command(**given)

    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {}
    return run


def _parameters(
    command: Callable[..., None], hints: Mapping[str, Any], groups: Mapping[str, Any]
) -> Iterator[Parameter]:
    """Yield what typer is to see: the fields of each group in its place."""
    for name, parameter in signature(command).parameters.items():
        if group := groups.get(name):
            for field, kind in group.__annotations__.items():
                default = group._field_defaults[field]
                yield Parameter(field, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        elif hints[name] is not CommandLine:
            yield parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[name])


def _restate(name: str, parameters: Sequence[Parameter], given: Mapping[str, Any]) -> CommandLine:
    """Spell the command again, with the options that change what the patch does."""
    options: list[tuple[str, ...]] = []
    arguments: list[str] = []
    for parameter in parameters:
        _, declaration, *marks = get_args(parameter.annotation)
        value = given[parameter.name]
        is_given = value and value != parameter.default
        values = value if isinstance(value, list) else [value] if is_given else []
        words = [str(word.value if isinstance(word, Enum) else word) for word in values]
        if isinstance(declaration, typer.models.ArgumentInfo):
            arguments += words
        elif TRANSIENT not in marks:
            flag = declaration.default  # where typer keeps the first spelling, beside Annotated
            options += [(flag,) if value is True else (flag, word) for word in words]
    command = f"git opatch {name.replace('_', '-')}"
    return CommandLine(command, tuple(options), tuple(arguments))
