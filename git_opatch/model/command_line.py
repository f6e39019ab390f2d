"""A command line as a value, for advice that repeats what the user typed with a change."""

from __future__ import annotations

import shlex
from typing import NamedTuple


class CommandLine(NamedTuple):
    """A subcommand, its options (each with its value, if it takes one) and its arguments."""

    name: str
    options: tuple[tuple[str, ...], ...] = ()
    arguments: tuple[str, ...] = ()

    def with_option(self, *option: str) -> CommandLine:
        """Put `option` (its name, and its value if it takes one) first."""
        return self._replace(options=(option, *self.options))

    def without(self, name: str) -> CommandLine:
        """Drop the option `name`, if it is there."""
        return self._replace(options=tuple(option for option in self.options if option[0] != name))

    def __str__(self) -> str:
        """The command as a shell reads it."""
        words = [word for option in self.options for word in option]
        return " ".join([self.name, *map(shlex.quote, (*words, *self.arguments))])
