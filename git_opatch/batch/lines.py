"""The lines of a file of tasks: numbered, and bounded, whatever the file is."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import IO, Any, NamedTuple

from git_opatch.model.errors import InputError

MOST_BYTES = 128 << 20
"""Of one line. A patch itself may have 64 MiB (`parse.bounds`)."""
_PIECE = 1 << 20
_PATCHES = ("model_patch", "patch", "fix_patch")


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


def task_line(line: TaskLine, repositories: str) -> TaskLine:
    """Return a row of a benchmark, or a prediction for one, as the line of a task; else `line`.

    A row has `instance_id`, `base_commit`, `repo`, and `model_patch`, `patch` or `fix_patch`, as in
    SWE-bench. The repository is `owner__name` or `owner/name` in the directory `repositories`.
    """
    if line.text is None or b'"instance_id"' not in line.text:
        return line
    try:
        row = fields_of(line)
    except InputError:
        return line
    if "id" in row or not isinstance(row.get("instance_id"), str):
        return line
    owner, _, name = str(row.get("repo") or row["instance_id"].rpartition("-")[0]).partition("/")
    flat = f"{owner}__{name}" if name else owner
    places = [os.path.join(repositories, each) for each in (flat, flat.replace("__", "/", 1))]
    task = {
        "id": row["instance_id"],
        "repository": next((each for each in places if os.path.isdir(each)), places[0]),
        "base": row.get("base_commit"),
        "patch": next((row[each] for each in _PATCHES if row.get(each)), ""),
    }
    given = {field: value for field, value in task.items() if value is not None}
    return TaskLine(line.number, json.dumps(given).encode())


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
