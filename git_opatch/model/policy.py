"""What a patch may touch, and which versions of files it was written for: read here alone.

    Policy.read(settings, Named(allow, deny, expect, max_files), ...) -> Policy

The command line, the settings, the tasks of a batch and the tools of MCP name the same things;
what names them differs (`--deny`, `opatch.deny`, `deny`), and is what a refusal says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from git_opatch.model.errors import UsageError
from git_opatch.model.paths import normalise, why_unsafe
from git_opatch.model.settings import Settings, number
from git_opatch.model.text import visible

_BLOB_ID = re.compile(r"[0-9a-fA-F]{4,64}")


class PathRule(NamedTuple):
    """Pathspecs that each path of a patch must match, or must not match."""

    pathspecs: tuple[str, ...]
    allows: bool
    directory: str
    """Where git is to resolve them; empty for the top of the working tree."""
    origin: str
    """The option or the setting that they are from."""


class MaxFiles(NamedTuple):
    """How many files a patch may touch, and the option or the setting that says so."""

    limit: int
    origin: str


class Named(NamedTuple):
    """What a command, a call or a task names, without the settings."""

    allow: Sequence[str] | None = None
    deny: Sequence[str] | None = None
    expect: Mapping[str, str] | None = None
    """The beginning of the id of a blob, or an empty text for no file, by path."""
    max_files: int | None = None
    root: str | None = None
    """The directory that absolute paths of a patch begin with, wherever it was written."""


class Policy(NamedTuple):
    """What a patch may touch, and which versions of files it was written for."""

    rules: tuple[PathRule, ...] = ()
    """All of them must hold."""
    expected: tuple[tuple[str, str], ...] = ()
    """Paths, each with the beginning of its blob's id; empty where there must be no file."""
    max_files: MaxFiles | None = None
    root: str = ""
    """Absolute paths below it count from the top; empty for none."""

    @classmethod
    def read(
        cls,
        settings: Settings,
        named: Named = Named(),  # noqa: B008 - it is frozen
        directory: str = "",
        *,
        prefix: str = "",
        top: str = "",
        mark: str = "--",
        expect: str = "--expect",
    ) -> Policy:
        """Combine what is `named` and what is configured; a patch must satisfy all of it.

        Named pathspecs are relative to `directory`, an absolute one, or the top of the working
        tree; those of `opatch.allow` and `opatch.deny` to the top. The paths of `expect` are below
        `prefix`, or absolute and below `top`. `mark` is before each name of an option, and
        `expect` what names an expectation. Raises `UsageError`.
        """
        rules = (
            PathRule(tuple(named.allow or ()), True, directory, f"{mark}allow"),
            PathRule(tuple(named.deny or ()), False, directory, f"{mark}deny"),
            PathRule(tuple(settings.every("opatch.allow")), True, "", "opatch.allow"),
            PathRule(tuple(settings.every("opatch.deny")), False, "", "opatch.deny"),
        )
        given = [
            MaxFiles(count, origin)
            for count, origin in (
                (named.max_files, f"{mark}{'max-files' if mark else 'max_files'}"),
                (number("opatch.maxFiles", None, settings, " of files"), "opatch.maxFiles"),
            )
            if count is not None
        ]
        return cls(
            tuple(rule for rule in rules if rule.pathspecs),
            tuple(_read_expected(named.expect or {}, prefix, top, expect)),
            min(given, default=None),
            _read_root(named.root, settings, mark),
        )


def _read_root(named: str | None, settings: Settings, mark: str) -> str:
    for origin, root in ((f"{mark}root", named), ("opatch.root", settings.get("opatch.root"))):
        if root is not None and not root.startswith("/"):
            raise UsageError(f"{origin} is `{visible(root)}`; use an absolute path")
        if root is not None:
            return root.rstrip("/")
    return ""


def _read_expected(
    given: Mapping[str, str], prefix: str, top: str, option: str
) -> Iterator[tuple[str, str]]:
    for name, oid in given.items():
        path = normalise(name, prefix, top)
        if not isinstance(oid, str) or not (_BLOB_ID.fullmatch(oid) or not oid):
            raise UsageError(
                f"{option} of `{visible(name)}` is not the id of a blob, or at least 4 digits "
                f"of it, nor empty, which means that there must be no file: `{visible(str(oid))}`"
            )
        if why := why_unsafe(path):
            raise UsageError(f"{option} of `{visible(name)}`: {why.sentence}")
        yield path, oid.lower() if oid.strip("0") else ""


def split_expected(values: Sequence[str]) -> dict[str, str]:
    """Split each `PATH=BLOB` of a command line. Raises `UsageError`."""
    pairs = {}
    for value in values:
        name, sign, oid = value.rpartition("=")
        if not sign:
            raise UsageError(
                f"--expect takes PATH=BLOB, with at least 4 digits of the blob's id, or `PATH=` if "
                f"there must be no file: `{value}`"
            )
        pairs[name] = oid
    return pairs
