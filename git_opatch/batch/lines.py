"""The lines of a file of tasks: numbered, and bounded, whatever the file is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import IO, Any, NamedTuple

from git_opatch.model.errors import InputError

MOST_BYTES = 128 << 20
"""Of one line. A patch itself may have 64 MiB (`parse.bounds`)."""
_PIECE = 1 << 20


class TaskLine(NamedTuple):
    """A line of the tasks, from 1. `text` is None if the line is too long to be read."""

    number: int
    text: bytes | None


def read_lines(file: IO[bytes]) -> Iterator[TaskLine]:
    """Yield the lines of `file` that are not blank, one at a time. Raises `OSError`."""
    number = 0
    while text := file.readline(MOST_BYTES + 1):
        number += 1
        if len(text) > MOST_BYTES:
            while not text.endswith(b"\n") and (text := file.readline(_PIECE)):
                pass
            yield TaskLine(number, None)
        elif not text.isspace():
            yield TaskLine(number, text)


def portions(
    lines: Iterable[TaskLine], most_tasks: int, most_bytes: int
) -> Iterator[list[TaskLine]]:
    """Yield `lines` in lists of so many, or of so many bytes and the line that reaches them.

    No more is taken than is in the list.
    """
    portion: list[TaskLine] = []
    size = 0
    for line in lines:
        portion.append(line)
        size += len(line.text or b"")
        if len(portion) >= most_tasks or size >= most_bytes:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


def fields_of(line: TaskLine) -> dict[str, Any]:
    """Parse a line. Raises `InputError` if it is not an object of JSON."""
    if line.text is None:
        raise InputError(f"the line has more than {MOST_BYTES >> 20} MiB; use `patch_file`")
    try:
        value = json.loads(line.text)
    except json.JSONDecodeError as error:  # the line of the file is known: it is said elsewhere
        raise InputError(f"not JSON: {error.msg} at character {error.colno}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise InputError("the line is not an object of JSON: write {…}")
    return value


def id_of(line: TaskLine) -> str | int | None:
    """Return the id of the task on a line; None if it has none."""
    try:
        return valid_id(fields_of(line).get("id"))
    except InputError:
        return None


def valid_id(value: object) -> str | int | None:
    """Return `value` if it is an id, else None."""
    return value if isinstance(value, (str, int)) and not isinstance(value, bool) else None
