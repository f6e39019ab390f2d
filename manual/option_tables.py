"""Write the tables of options in docs/commands.md, each between two marks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from commands import Command, Option

_PLACE = re.compile(r"(?s)(<!-- options of ([\w-]+) -->\n).*?(<!-- end -->)")


def with_options(text: str, commands: Sequence[Command]) -> str:
    """Fill each place of the page with a command's options; what one above has is only named."""
    by_name = {command.name: command for command in commands}
    shown: set[Option] = set()

    def fill(place: re.Match[str]) -> str:
        options = [each for each in by_name[place[2]].options if "--help" not in each.flags]
        lines = "".join(line + "\n" for line in _lines(options, shown))
        shown.update(options)
        return f"{place[1]}{lines}{place[3]}"

    return _PLACE.sub(fill, text)


def _lines(options: Sequence[Option], shown: set[Option]) -> Iterator[str]:
    new = [option for option in options if option not in shown]
    known = [f"`{option.flags[-1]}`" for option in options if option in shown]
    if new:
        yield "| option | what it does |"
        yield "| --- | --- |"
        yield from (f"| {_flags(option)} | {_escaped(option.help)} |" for option in new)
    if new and known:
        yield ""
    if known:
        yield f"{'As above' if new else 'Options, as above'}: {', '.join(known)}."


def _flags(option: Option) -> str:
    value = f" {option.metavar}" if option.metavar else ""
    return _escaped(", ".join(f"`{flag}{value}`" for flag in option.flags))


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
