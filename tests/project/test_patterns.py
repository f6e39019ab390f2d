"""Regular expressions that every supported version of Python matches alike."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from re import _constants, _parser  # type: ignore[attr-defined]

import pytest

import git_opatch

_REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
_LOOKAROUNDS = (_constants.ASSERT, _constants.ASSERT_NOT)


def _patterns() -> Iterator[tuple[str, re.Pattern[bytes] | re.Pattern[str]]]:
    for module in pkgutil.walk_packages(git_opatch.__path__, "git_opatch."):
        if not module.name.endswith("__main__"):
            for name, value in vars(importlib.import_module(module.name)).items():
                for at, pattern in enumerate(_patterns_in(value)):
                    yield f"{module.name}.{name} {at}", pattern


def _patterns_in(value: object) -> Iterator[re.Pattern[bytes] | re.Pattern[str]]:
    """Find patterns, also those in tables."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, (tuple, list, Mapping)):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _patterns_in(part)


def _children(argument: object) -> Iterator[_parser.SubPattern]:
    if isinstance(argument, _parser.SubPattern):
        yield argument
    elif isinstance(argument, (tuple, list)):
        for part in argument:
            yield from _children(part)


def _can_fail_after_moving(body: _parser.SubPattern) -> bool:
    """Whether a part of `body` that may fail comes after a repeat in it, or is one further on."""
    moved = False
    for at, (operator, argument) in enumerate(body):
        if operator in _LOOKAROUNDS:
            return True
        optional = operator in _REPEATS and argument[0] == 0
        if not optional and (moved or (operator in _REPEATS and at > 0)):
            return True
        moved = moved or operator in _REPEATS
        if any(_can_fail_after_moving(child) for child in _children(argument)):
            return True
    return False


def _unsafe(pattern: _parser.SubPattern) -> bool:
    return any(
        (operator is _constants.POSSESSIVE_REPEAT and _can_fail_after_moving(argument[2]))
        or any(map(_unsafe, _children(argument)))
        for operator, argument in pattern
    )


def _is_unsafe(pattern: bytes | str, flags: int = 0) -> bool:
    return _unsafe(_parser.parse(pattern, flags & ~re.UNICODE))


def test_no_possessive_group_fails_after_a_repeat_in_it() -> None:
    r"""Python before 3.11.5 goes on behind what the last, failed repeat of the group had matched.

    `(?:\+[^\n]*+\n)*+` matches the first byte of a last line without a newline there
    (https://github.com/python/cpython/issues/106052).
    """
    patterns = dict(_patterns())
    assert len(patterns) > 100
    unsafe = [name for name, found in patterns.items() if _is_unsafe(found.pattern, found.flags)]
    assert unsafe == []


@pytest.mark.parametrize(
    ("pattern", "unsafe"),
    [
        (rb"(?:\+[^\n]*+\n)*+", True),
        (rb"(?:\w+\s+)*+", True),
        (rb"(?:<(?!<))*+", True),
        (rb"(?:<[^<]++)*+", True),
        (rb"(?:\+[^\n]*+\n?+)*+", False),
        (rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', False),
        (rb"(?>(?:\w+\s+)*)", False),
        (rb"(?:a|b)*+", False),
    ],
)
def test_an_unsafe_pattern_is_seen(pattern: bytes, unsafe: bool) -> None:
    assert _is_unsafe(pattern) == unsafe
