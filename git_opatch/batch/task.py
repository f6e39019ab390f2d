"""A task: one patch, and the files that it is to be judged against; a line of a file of tasks.

Lines are numbered, and bounded, whatever the file is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Set
from enum import Enum
from typing import IO, Any, NamedTuple, TypeVar

from git_opatch.model.errors import InputError, OpatchError, UsageError
from git_opatch.model.options import (
    Ambiguous,
    Format,
    Matching,
    Options,
    Target,
    Tier,
)
from git_opatch.model.policy import Named, Policy
from git_opatch.model.settings import Settings
from git_opatch.model.text import visible
from git_opatch.parse.text import MAX_BYTES
from git_opatch.report.fields import TABLES

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
    places = [os.path.join(repositories, name) for name in (flat, flat.replace("__", "/", 1))]
    task = {
        "id": row["instance_id"],
        "repository": next((place for place in places if os.path.isdir(place)), places[0]),
        "base": row.get("base_commit"),
        "patch": next((row[field] for field in _PATCHES if row.get(field)), ""),
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


_FIELDS, OPTIONS = ({field.name for field in TABLES[name].fields} for name in ("task", "options"))
"""The members of a task, and of its `options`."""
_Choice = TypeVar("_Choice", bound=Enum)


class Task(NamedTuple):
    """A patch to judge: against `base` in `repository`, or against `files`, by path."""

    id: str | int
    patch: bytes
    source: str
    """The name of the patch's file; empty if the patch is in the task."""
    patch_format: Format | None
    options: Options
    repository: str = ""
    files: Mapping[str, bytes] | None = None


def task_of(fields: Mapping[str, Any]) -> Task:
    """Read the task that `fields` are.

    Raises `InputError` for a field that is missing or wrong, or a patch file that cannot be read,
    and `UsageError` for an option that is.
    """
    _require_known(fields, _FIELDS, "is not a field of a task", InputError)
    task_id = valid_id(fields.get("id"))
    if task_id is None:
        raise InputError("`id` is missing" if "id" not in fields else "`id` is not a string")
    repository, base, files = _base_of(fields)
    patch, source = _patch_of(fields)
    given = _of_kind(fields, "options", dict, {})
    options = _options_of(given, base)
    if files is not None and options.policy != Policy():
        raise UsageError("a policy needs a repository; this task has `files`")
    patch_format = _choice(fields, "format", Format)
    return Task(task_id, patch, source, patch_format, options, repository, files)


def _require_known(
    given: Mapping[str, Any], known: Set[str], what: str, error: type[OpatchError]
) -> None:
    if unknown := sorted(given.keys() - known):
        raise error(f"`{unknown[0]}` {what}: {', '.join(sorted(known))}")


def _base_of(fields: Mapping[str, Any]) -> tuple[str, str | None, dict[str, bytes] | None]:
    """Return the repository and the tree-ish in it, or the files."""
    if "files" in fields:
        if "repository" in fields or "base" in fields:
            raise InputError("`files` excludes `repository` and `base`: a task has one base")
        files = _of_kind(fields, "files", dict, {})
        return "", None, {path: _encoded(files, path, "files") for path in files}
    for name in ("repository", "base"):
        if name not in fields:
            raise InputError(f"`{name}` is missing; a task has `repository` and `base`, or `files`")
    repository = _of_kind(fields, "repository", str, "")
    base = _of_kind(fields, "base", str, "")
    if not base or not repository or "\0" in repository:
        raise InputError(f"`{'repository' if base else 'base'}` is empty, or not a name")
    return repository, base, None


def _patch_of(fields: Mapping[str, Any]) -> tuple[bytes, str]:
    if ("patch" in fields) == ("patch_file" in fields):
        raise InputError("a task needs exactly one of `patch` and `patch_file`")
    if "patch" in fields:
        return _encoded(fields, "patch", ""), ""
    name = _of_kind(fields, "patch_file", str, "")
    try:
        if os.path.exists(name) and not os.path.isfile(name):  # a pipe may never end
            raise InputError(f"cannot read patch `{visible(name)}`: it is not a regular file")
        with open(name, "rb") as file:
            return file.read(MAX_BYTES + 1), name
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"cannot read patch `{visible(name)}`: {reason}") from None


def _encoded(fields: Mapping[str, Any], name: str, where: str) -> bytes:
    """Return the bytes of a text; bytes that are not UTF-8 are surrogate escapes."""
    value = fields[name]
    shown = f"`{where}[{name}]`" if where else f"`{name}`"
    if not isinstance(value, str):
        raise InputError(f"{shown} is not a string")
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise InputError(f"{shown} has half a surrogate pair, which is not a character") from None


def _options_of(given: Mapping[str, Any], base: str | None) -> Options:
    _require_known(given, OPTIONS, "is not an option of a task", UsageError)
    matching = Matching(
        _choice(given, "match", Tier) or Tier.FUZZY,
        _choice(given, "ambiguous", Ambiguous) or Ambiguous.REFUSE,
        can_choose=False,  # a program reads the result
    )
    directory = _of_kind(given, "directory", str, "")
    return Options(
        Target.INDEX if base is None else Target.CACHED,
        overwrite=_of_kind(given, "overwrite", bool, False),
        directory=directory,
        base=base,
        matching=matching,
        skip_applied=_of_kind(given, "skip_applied", bool, False),
        policy=_policy_of(given, directory),
    )


def _policy_of(given: Mapping[str, Any], directory: str) -> Policy:
    for name in ("allow", "deny"):
        if not all(isinstance(spec, str) for spec in _of_kind(given, name, list, [])):
            raise UsageError(f"`{name}` is not a list of pathspecs")
    most = _of_kind(given, "max_files", int, 0) if "max_files" in given else None
    expect = _of_kind(given, "expect", dict, {})
    root = _of_kind(given, "root", str, "/") if "root" in given else None
    named = Named(given.get("allow"), given.get("deny"), expect, most, root)
    return Policy.read(Settings(), named, prefix=directory, mark="", expect="`expect`")


def _of_kind(fields: Mapping[str, Any], name: str, kind: type, default: Any) -> Any:
    value = fields.get(name, default)
    if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
        return value
    names = {
        str: "a string",
        dict: "an object",
        list: "a list",
        bool: "true or false",
        int: "a number",
    }
    raise InputError(f"`{name}` is not {names[kind]}")


def _choice(fields: Mapping[str, Any], name: str, kind: type[_Choice]) -> _Choice | None:
    if name not in fields:
        return None
    try:
        return kind(fields[name])
    except ValueError:
        choices = ", ".join(f"`{choice.value}`" for choice in kind)
        raise UsageError(f"`{name}` is not one of {choices}") from None
