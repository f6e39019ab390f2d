"""The types of what programs pass to the functions of the API.

A type checker says it earlier; without one, a name in place of a value (`"strict"`) would be
ignored, or fail far from the call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from functools import wraps
from types import NoneType
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")


def require_type(name: str, value: object, *kinds: type) -> None:
    """Raise `TypeError`, which says what to pass, if `value` is not of one of `kinds`."""
    if not isinstance(value, kinds):
        wanted = " or ".join(kind.__name__ for kind in kinds if kind is not NoneType)
        found = type(value).__name__
        raise TypeError(f"{name} must be of type {wanted}, not {found}{_to_pass(value, kinds)}")


def _to_pass(value: object, kinds: Sequence[type]) -> str:
    """Name the members of an enumeration that can be passed: the one that `value` names, or all."""
    members = [member for kind in kinds if issubclass(kind, Enum) for member in kind]
    named = [member for member in members if member.value == value]
    return "; pass " + " or ".join(map(str, named or members)) if members else ""


def typed(**kinds: type | tuple[type, ...]) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Let a function raise `TypeError` for arguments of these names that are of other types."""

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        names = function.__code__.co_varnames

        @wraps(function)
        def checked(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            for name, value in (*zip(names, args, strict=False), *kwargs.items()):
                if wanted := kinds.get(name):
                    require_type(name, value, *(wanted if isinstance(wanted, tuple) else [wanted]))
            return function(*args, **kwargs)

        return checked

    return decorate
