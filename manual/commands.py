"""Read the commands of `git opatch` and their options from their own help."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import typer

from git_opatch.cli.main import app, register


@dataclass(frozen=True, slots=True)
class Option:
    """An option: its spellings, the metavar or the choices of its value, and its help."""

    flags: tuple[str, ...]
    metavar: str
    choices: tuple[str, ...]
    help: str


@dataclass(frozen=True, slots=True)
class Command:
    """A command; `arguments` is the part of its usage after the name and the options."""

    name: str
    arguments: str
    summary: str
    help: str
    options: tuple[Option, ...]


def read_commands() -> tuple[Command, ...]:
    """List all commands, in the order of the help."""
    register()
    group: Any = typer.main.get_command(app)
    return tuple(_command(name, command) for name, command in group.commands.items())


def _command(name: str, command: Any) -> Command:
    context = typer.Context(command, info_name=name, help_option_names=["-h", "--help"])
    parameters = command.get_params(context)
    options = [parameter for parameter in parameters if parameter.opts[0].startswith("-")]
    arguments = " ".join(
        word
        for parameter in parameters
        if parameter not in options
        for word in parameter.get_usage_pieces(context)
    )
    read = tuple(_option(option, context) for option in options)
    return Command(name, arguments, command.short_help, command.help, read)


def _option(option: Any, context: typer.Context) -> Option:
    _, text = option.get_help_record(context)
    value = "" if option.is_flag else option.metavar
    choices = tuple(value.strip("<>").split("|")) if value[:1] == "<" else ()
    flags = sorted(option.opts, key=len)
    return Option(tuple(flags), value.strip("<>"), choices, text.replace("  [", " ["))
