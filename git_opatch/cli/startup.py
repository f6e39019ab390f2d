"""Start and end fast. All tricks to that end are here, with what each of them saves.

`benchmarks/speed.py` measures a small `git opatch apply`, and
`tests/project/test_layers.py` tests that help and a command import no more than they need.
"""

from __future__ import annotations

import gc
import os
import sys
import typing
from contextlib import suppress
from functools import partial
from typing import Any

_CHECK: Any = getattr(typing, "_type_check", None)


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


def trust_annotations() -> None:
    """Let named tuples keep the annotations of their fields as the text that they are.

    `typing` compiles each, to find out whether it could be one; that is a fifth of the time that
    our modules take to import. It replaces `_type_check` there.
    """
    if _CHECK is not None:
        typing._type_check = _trusting  # type: ignore[attr-defined]


def _trusting(argument: Any, *others: Any, **named: Any) -> Any:
    return argument if isinstance(argument, str) else _CHECK(argument, *others, **named)


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
    """Let `parameters` pass on text as it is given; `options` converts it.

    typer imports pydantic for its first value, even a default; that import takes as long as all
    others together. It reaches into typer's own names: `process_value`, and `display_type_rich`,
    which writes the Python type of arguments into the help (`[FILE]...  list[str]`).
    """
    for parameter in parameters:
        parameter.process_value = partial(_as_given, parameter)
        if parameter.param_type_name == "argument":
            parameter.display_type_rich = lambda **_: ""
    return parameters


def _as_given(parameter: Any, context: Any, value: Any) -> Any:
    callback = parameter.callback  # of --help and --version
    return callback(context, parameter, value) if callback and value else value
