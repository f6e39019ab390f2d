"""A command line as a value, for advice that repeats what the user typed with a change."""

from __future__ import annotations

import shlex
from typing import NamedTuple

_READING = tuple(f"git opatch {name}" for name in ("apply", "check", "convert", "show"))
"""The commands that read a patch from standard input if they name none."""
_REPEATED = ("--only", "--except")
"""Options that may be given several times, each with a value of its own."""


class CommandLine(NamedTuple):
    """A subcommand, its options (each with its value, if it takes one) and its arguments."""

    name: str
    options: tuple[tuple[str, ...], ...] = ()
    arguments: tuple[str, ...] = ()

    def with_option(self, *option: str) -> CommandLine:
        """Put `option` (its name, and its value if it takes one) first."""
        return self._replace(options=(option, *self.options))

    def without(self, *names: str) -> CommandLine:
        """Drop the options `names`, if they are there."""
        return self._replace(options=tuple(each for each in self.options if each[0] not in names))

    @property
    def is_piped(self) -> bool:
        """Whether it reads a patch that it does not name: by itself it would wait for one."""
        return self.name in _READING and set(self.arguments) <= {"-"}

    def way_with(self, *option: str) -> str:
        """Say how to give `option`, in place of another value of it.

        That is the command, if it names what it reads; else it is for the one that is piped.
        """
        if self.is_piped:
            return f"add {shlex.join(option)}"
        others = self if option[0] in _REPEATED else self.without(option[0])
        return str(others.with_option(*option))

    def only(self, *names: str) -> CommandLine:
        """Drop all options but `names`."""
        return self._replace(options=tuple(each for each in self.options if each[0] in names))

    def __str__(self) -> str:
        """The command as a shell reads it."""
        words = [word for option in self.options for word in option]
        return " ".join([self.name, *map(shlex.quote, (*words, *self.arguments))])
