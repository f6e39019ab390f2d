"""Write the manual page: a template in roff, with the help of each command."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from commands import Command, Option


def page(template: str, commands: Sequence[Command], version: str) -> str:
    """Fill the template with all `commands` and the `version`."""
    synopsis = "\n.br\n".join(_synopsis(command) for command in commands)
    sections = "\n".join(line for command in commands for line in _section(command))
    values = {"@VERSION@": version, "@SYNOPSIS@": synopsis, "@COMMANDS@": sections}
    return re.sub("|".join(values), lambda match: values[match[0]], template)


def _synopsis(command: Command) -> str:
    return (
        f"\\fBgit opatch {command.name}\\fR [\\fIoptions\\fR] {_roff(command.arguments)}".rstrip()
    )


def _section(command: Command) -> Iterator[str]:
    yield f".SS git opatch {command.name}"
    for number, paragraph in enumerate(command.help.split("\n\n")):
        if number:
            yield ".PP"
        yield _roff(" ".join(paragraph.split()))
    for option in command.options:
        yield ".TP"
        yield ", ".join(_flag(flag, option) for flag in option.flags)
        yield _roff(option.help)


def _flag(flag: str, option: Option) -> str:
    value = f" \\fI{_roff(option.metavar)}\\fR" if option.metavar else ""
    return f"\\fB{_roff(flag)}\\fR{value}"


def _roff(text: str) -> str:
    """Escape `text` for roff; text in backticks becomes bold."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    bold = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", escaped)
    return re.sub(r"(?m)^(?=[.'])", r"\\&", bold)
