"""What attributes (gitattributes(5)) say of files: their filters, and whether git converts them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from git_opatch.git.output import nul_terminated, settings_environment, split_nul
from git_opatch.git.repository import Repository
from git_opatch.git.stamp import is_regular
from git_opatch.model.paths import parents

_NO_DRIVER = ("unspecified", "unset", "set")
_CONVERTING: Mapping[str, Sequence[str]] = {
    "filter": ("unspecified", "unset"),
    "ident": ("unspecified", "unset"),
    "working-tree-encoding": ("unspecified", "unset"),
    "text": ("unspecified", "unset", "set", "auto"),
    "eol": ("unspecified", "lf"),
    "crlf": ("unspecified",),
}
"""Each attribute that may change what a checkout writes, and the values with which it does not."""


def values_of(
    repository: Repository,
    name: str,
    paths: Sequence[str],
    *,
    index: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """What each path has of an attribute that names a filter, or an encoding; empty for none.

    By the `.gitattributes` of the working tree, and where one is missing there by the index. Raises
    `RepositoryError`.
    """
    found = _attributes(repository, paths, [name], index=index, env=env)
    return {path: "" if value in _NO_DRIVER else value for path, _, value in found}


def has_merge_driver(repository: Repository, path: str) -> bool:
    """Return whether the attribute `merge` has git merge a file by other than its lines."""
    ((_, _, value),) = _attributes(repository, [path], ["merge"])
    return value not in ("unspecified", "set", "text")


def _attributes(
    repository: Repository,
    paths: Sequence[str],
    names: Iterable[str],
    *,
    index: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> list[tuple[str, str, str]]:
    """List the value of each attribute of `names` that each of `paths` has."""
    words, feed = ("check-attr", "-z", "--stdin", *names), nul_terminated(paths)
    fields = split_nul(repository.ask(*words, index=index, env=env, feed=feed))
    return list(zip(fields[::3], fields[1::3], fields[2::3], strict=True))


def missing_attribute_files(top: Path, paths: Iterable[str]) -> list[str]:
    """The files `.gitattributes` beside and above `paths` that are not in the working tree.

    Git takes these from the index, if that has them.
    """
    return [name for name in attribute_files(paths) if not is_regular(f"{top}/{name}")]


def attribute_files(paths: Iterable[str]) -> list[str]:
    """The files `.gitattributes` beside and above `paths`, whether they are there or not."""
    above = sorted({parent for path in paths for parent in parents(path)})
    return [".gitattributes", *(f"{directory}/.gitattributes" for directory in above)]


def unconverted(repository: Repository, paths: Sequence[str]) -> Collection[str]:
    """Those of `paths` whose files a checkout writes as their blobs are, byte for byte.

    Raises `RepositoryError`.
    """
    if repository.converts_line_endings():
        return ()
    found = _attributes(repository, paths, _CONVERTING)
    converted = {path for path, name, value in found if value not in _CONVERTING[name]}
    return [path for path in paths if path not in converted]


def without_filters(
    names: Collection[str], others: Sequence[tuple[str, str]] = ()
) -> dict[str, str]:
    """The environment in which git runs none of the filters `names`, and asks for none.

    It has the settings `others`, too.
    """
    settings = [
        (f"filter.{name}.{key}", value)
        for name in sorted(names)
        for key, value in (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false"))
    ]
    return settings_environment([*others, *settings])
