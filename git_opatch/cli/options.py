"""Options of commands: a decorator that lets commands take them in groups, and single ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_type_hints

import typer


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
]
Output = Annotated[
    str,
    value_option(
        "-o", "--output", metavar="OUT", help="Write to the file OUT instead of standard output."
    ),
]
WAIT = "`--wait SECONDS` waits for it"
"""The advice where another process has the lock."""
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Print nothing on success.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Print where each hunk was found.")]
Json = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON document on standard output, and nothing else."),
]


def option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Let `command` take groups of options, which are named tuples.

    typer sees the fields of a group as parameters of their own, and the command gets the group:

        @option_groups
        def apply(target: TargetOptions, json: Json = False) -> None: ...
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {
        name: hint for name, hint in hints.items() if hasattr(hint, "_fields")
    }
    parameters = list(_parameters(command, hints, groups))

    @wraps(command)
    def run(**given: Any) -> None:
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
        else:
            yield parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[name])
