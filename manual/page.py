"""The manual page: a template in roff, and each command's own help in its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from commands import Command, Option


def page(template: str, commands: Sequence[Command], version: str) -> str:
    """The page of all `commands`, for this `version`."""
    synopsis = "\n.br\n".join(_synopsis(one) for one in commands)
    sections = "\n".join(line for one in commands for line in _section(one))
    told = {"@VERSION@": version, "@SYNOPSIS@": synopsis, "@COMMANDS@": sections}
    return re.sub("|".join(told), lambda found: told[found[0]], template)


def _synopsis(command: Command) -> str:
    return f"\\fBgit opatch {command.name}\\fR [\\fIoptions\\fR] {_roff(command.words)}".rstrip()


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
    takes = f" \\fI{_roff(option.takes)}\\fR" if option.takes else ""
    return f"\\fB{_roff(flag)}\\fR{takes}"


def _roff(text: str) -> str:
    """`text` as roff takes it: nothing in it is a request, and what stands in backticks is bold."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    bold = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", escaped)
    return re.sub(r"(?m)^(?=[.'])", r"\\&", bold)
