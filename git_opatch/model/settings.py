"""The settings of `git config opatch.*` and `color.*`, and their values, checked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import Enum
from typing import TypeVar

from git_opatch.model.errors import UsageError

_Choice = TypeVar("_Choice", bound=Enum)
_Default = TypeVar("_Default", int, None)


FALSE = ("false", "no", "off", "0")


class Settings(dict[str, str]):
    """The configured settings: by lower-case key, the last value of each."""

    def __init__(self, output: bytes = b"") -> None:
        """Parse what `git config -z --get-regexp` prints."""
        items = os.fsdecode(output).split("\0")[:-1]
        pairs = [item.partition("\n") for item in items]
        self._pairs = [(key.lower(), value if nl else "true") for key, nl, value in pairs]
        super().__init__(self._pairs)
        filters = [item for item in pairs if item[0].lower().startswith("filter.")]
        last = {key: value if nl else "true" for key, nl, value in filters}
        self.filters: dict[str, set[str]] = {}
        """The programs, by the last word of their settings, of each filter (gitattributes(5))."""
        for key in [key for key, value in last.items() if value]:
            name, _, program = key.split(".", 1)[1].rpartition(".")
            if program.lower() == "required" and last[key].lower() in FALSE:
                continue
            self.filters.setdefault(name, set()).add(program)

    def every(self, key: str) -> list[str]:
        """All values of `key`, which is in lower case.

        An empty value clears those before it, as for `credential.helper` (gitcredentials).
        """
        values = [value for name, value in self._pairs if name == key]
        last_empty = max((at for at, value in enumerate(values) if not value), default=-1)
        return values[last_empty + 1 :]


def choice(name: str, default: _Choice, settings: Mapping[str, str]) -> _Choice:
    """Look up one of the values of the enum that `default` is of. Raises `UsageError`."""
    value = settings.get(name.lower(), default.value)
    try:
        return type(default)(value.lower())
    except ValueError:
        *others, last = [member.value for member in type(default)]
        raise UsageError(f"{name} is `{value}`; use {', '.join(others)} or {last}") from None


def number(
    name: str, default: _Default, settings: Mapping[str, str], of: str = ""
) -> int | _Default:
    """Look up a number, which is not negative; `of` says of what. Raises `UsageError`."""
    value = settings.get(name.lower())
    if value is None:
        return default
    if not (value.isascii() and value.isdigit()):
        raise UsageError(f"{name} is `{value}`; use a number{of}")
    return int(value[:9])


def journal_size(settings: Mapping[str, str]) -> int:
    """Look up how many records the journal keeps; 0 keeps none, as sizes of git do.

    Raises `UsageError`.
    """
    return number("opatch.journalSize", 100, settings, " of records")
