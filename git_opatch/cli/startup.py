"""Start and end fast. All tricks to that end are here, with what each of them saves.

A small `git opatch apply` takes about 130 ms; `benchmarks/startup.py` measures it, and
`tests/project/test_layers.py` tests that help and a command import no more than they need.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from enum import Enum
from functools import partial
from typing import Any


def disable_garbage_collection() -> None:
    """Save a tenth of a run, which is short and makes few reference cycles."""
    gc.disable()


def enable_garbage_collection() -> None:
    """Collect again: for a run that may take hours."""
    gc.enable()


def skip_version_check() -> None:
    """Let GitPython, when it is imported, not run `git version` twice, which takes 8 ms.

    It looks for git under a name that cannot be run. Its commands have the name `git` all the same,
    and the variable is removed after the import (`git/runner.py`).
    """
    os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
    os.environ.setdefault("GIT_PYTHON_GIT_EXECUTABLE", os.devnull)


def exit_at_once(status: int) -> None:
    """Exit without finalizing the interpreter, module by module, which takes 25 ms.

    If a stream cannot be flushed, exit in the ordinary way: Python has a status for that.
    """
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


def without_pydantic(parameters: list[Any]) -> list[Any]:
    """Let `parameters` convert their values themselves.

    typer imports pydantic to convert its first value, even a default; that import takes as
    long as all others together. It reaches into private names: `process_value` and
    `type_descriptor` of typer's parameters.
    """
    for parameter in parameters:
        parameter.process_value = partial(_process_value, parameter)
    return parameters


def without_type_of_arguments(parameters: list[Any]) -> list[Any]:
    """Let the help of arguments not show their Python type (`[FILE]...  list[str]`)."""
    for parameter in parameters:
        if parameter.param_type_name == "argument":
            parameter.display_type_rich = lambda **_: ""
    return parameters


def _process_value(parameter: Any, context: Any, value: Any) -> Any:
    kind = _kind(parameter)
    if value is None and parameter.required:
        return type(parameter).process_value(parameter, context, value)  # says that it is missing
    if (not value and value != "") or kind in (str, list[str]):
        return value
    if isinstance(kind, type) and issubclass(kind, (Enum, int, float)) and kind is not bool:
        return _convert(parameter, context, kind, value)
    if choices := getattr(getattr(parameter, "type", None), "choices", ()):
        _check_choice(parameter, context, choices, value)
    return type(parameter).process_value(parameter, context, value)


def _kind(parameter: Any) -> Any:
    """Return the type that a parameter's value is to have; None if only typer knows it.

    typer 0.28 has types of its own instead, of which those of numbers have these names.
    """
    if descriptor := getattr(parameter, "type_descriptor", None):
        return descriptor.annotation
    name = getattr(getattr(parameter, "type", None), "name", None)
    return {"int": int, "float": float}.get(name) if isinstance(name, str) else None


def _convert(parameter: Any, context: Any, kind: type, value: Any) -> Any:
    """Convert `value` to a choice or a number, none of which is negative.

    Raises typer's `BadParameter`. (With a least number, typer would write `[x>=0]` into the help.)
    """
    from typer import BadParameter

    try:
        converted = kind(value)
    except ValueError:
        if issubclass(kind, Enum):
            _check_choice(parameter, context, [choice.value for choice in kind], value)
        message = f"`{value}` is not a number"
        raise BadParameter(message, ctx=context, param=parameter) from None
    if isinstance(converted, (int, float)) and not converted >= 0:
        raise BadParameter(f"{value} is less than 0", ctx=context, param=parameter)
    return converted


def _check_choice(parameter: Any, context: Any, choices: Sequence[str], value: Any) -> None:
    """Raise typer's `BadParameter` if `value` is not one of `choices`."""
    from typer import BadParameter

    if getattr(value, "value", value) not in choices:  # a default is one of an `Enum`
        listed = ", ".join(f"`{choice}`" for choice in choices)
        raise BadParameter(f"`{value}` is not one of {listed}", ctx=context, param=parameter)
