"""The types of what programs pass to the API where a wrong one would be ignored.

A type checker says it earlier; without one, a name in place of a value (`"strict"`) would be taken
for another value, and not fail.
"""

from __future__ import annotations

from enum import Enum


def require_type(name: str, value: object, kind: type) -> None:
    """Raise `TypeError`, which says what to pass, if `value` is not of `kind`.

    That is the member of an enumeration that `value` names, or all members.
    """
    if isinstance(value, kind):
        return
    members = list(kind) if issubclass(kind, Enum) else []
    named = [member for member in members if member.value == value]
    to_pass = "; pass " + " or ".join(map(str, named or members)) if members else ""
    found = type(value).__name__
    raise TypeError(f"{name} must be of type {kind.__name__}, not {found}{to_pass}")
