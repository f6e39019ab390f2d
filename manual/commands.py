"""The commands of `git opatch` with their options, as their own help has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

import typer

from git_opatch.cli import app, register


@dataclass(frozen=True, slots=True)
class Option:
    """An option: its spellings, the name or the values of what it takes, and what it does."""

    flags: tuple[str, ...]
    takes: str
    values: tuple[str, ...]
    help: str


@dataclass(frozen=True, slots=True)
class Command:
    """A command: `words` is what stands after its name when all options are left out."""

    name: str
    words: str
    summary: str
    help: str
    options: tuple[Option, ...]


def read_commands() -> tuple[Command, ...]:
    """All commands, in the order of their list."""
    register()
    group: Any = typer.main.get_command(app)
    return tuple(_command(name, one) for name, one in group.commands.items())


def _command(name: str, command: Any) -> Command:
    context = typer.Context(command, info_name=name, help_option_names=["-h", "--help"])
    options = [one for one in command.get_params(context) if one.opts[0].startswith("-")]
    arguments = [one for one in command.get_params(context) if one not in options]
    words = " ".join(word for one in arguments for word in one.get_usage_pieces(context))
    told = [_option(one, context) for one in options]
    return Command(name, words, command.short_help, command.help, tuple(told))


def _option(option: Any, context: typer.Context) -> Option:
    _, text = option.get_help_record(context)
    values: tuple[str, ...] = ()
    form = getattr(option, "type_descriptor", None)
    for one in _parts(getattr(form, "annotation", None)):
        if isinstance(one, type) and issubclass(one, Enum):
            values = tuple(str(member.value) for member in one)
    takes = "" if option.is_flag else option.metavar or "|".join(values) or "VALUE"
    flags = sorted(option.opts, key=len)
    return Option(tuple(flags), takes, values, text.replace("  [", " ["))


def _parts(annotation: object) -> Iterator[object]:
    yield annotation
    yield from getattr(annotation, "__args__", ())
