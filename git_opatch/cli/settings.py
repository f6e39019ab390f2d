"""Values of `git config opatch.*`, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from git_opatch.model.errors import UsageError
from git_opatch.model.options import Ambiguous, Target, Tier

_Choice = TypeVar("_Choice", Target, Tier, Ambiguous)


def choice(name: str, default: _Choice, settings: Mapping[str, str]) -> _Choice:
    """Look up one of the values of the enum that `default` is of. Raises `UsageError`."""
    value = settings.get(name, default.value)
    try:
        return type(default)(value.lower())
    except ValueError:
        *others, last = [member.value for member in type(default)]
        raise UsageError(f"{name} is `{value}`; use {', '.join(others)} or {last}") from None


def count(name: str, default: int, unit: str, settings: Mapping[str, str]) -> int:
    """Look up a number of `unit`. Raises `UsageError`."""
    value = settings.get(name.lower(), str(default))
    if not (value.isascii() and value.isdigit()):
        raise UsageError(f"{name} is `{value}`; use a number of {unit}")
    return int(value[:9])


def journal_size(settings: Mapping[str, str]) -> int:
    """Look up how many records the journal keeps; 0 keeps none, as sizes of git do."""
    return count("opatch.journalSize", 100, "records", settings)
