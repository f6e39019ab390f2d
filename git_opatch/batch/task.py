"""A task: one patch, and the files that it is to be judged against."""

from __future__ import annotations

import os
from collections.abc import Mapping, Set
from enum import Enum
from typing import Any, NamedTuple, TypeVar

from git_opatch.batch.lines import valid_id
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
