"""The options that limit what a patch may touch."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from git_opatch.model.errors import UsageError
from git_opatch.model.options import PathRule, Policy
from git_opatch.model.paths import normalise, why_unsafe
from git_opatch.model.settings import Settings

_BLOB_ID = r"[0-9a-fA-F]{4,64}"


class PolicyOptions(NamedTuple):
    """Which paths a patch may touch, and which versions of files it was written for."""

    allow: list[str] | None = None
    deny: list[str] | None = None
    expect: list[str] | None = None

    def resolve(self, settings: Settings, directory: str, top: Path | None) -> Policy:
        """Check the expectations, whose paths are below `directory`, or absolute and below `top`.

        Raises `UsageError`.
        """
        expected = tuple(_parse_expected(each, directory, top) for each in self.expect or ())
        return Policy(path_rules(settings, self.allow, self.deny), expected)


def _parse_expected(value: str, directory: str, top: Path | None) -> tuple[str, str]:
    """Split `PATH=BLOB` into the path and the beginning of the blob's id. Raises `UsageError`."""
    name, sign, oid = value.rpartition("=")
    path = normalise(name, directory, str(top or ""))
    if not sign or not (re.fullmatch(_BLOB_ID, oid) or not oid):
        raise UsageError(
            f"--expect takes PATH=BLOB, with at least 4 digits of the blob's id, or `PATH=` if "
            f"there must be no file: `{value}`"
        )
    if why := why_unsafe(path):
        raise UsageError(f"--expect `{value}`: {why.sentence}")
    return path, oid.lower() if oid.strip("0") else ""


def path_rules(
    settings: Settings, allow: Sequence[str] | None, deny: Sequence[str] | None, directory: str = ""
) -> tuple[PathRule, ...]:
    """Combine what is named and what is configured; a path must satisfy all of it.

    Named pathspecs are relative to `directory`, else to the current one, as git's do; those
    of `opatch.allow` and `opatch.deny` to the top of the working tree.
    """
    named = named_rules(allow, deny, directory or os.getcwd())
    return (*named, *PathRule.from_settings(settings))


def named_rules(
    allow: Sequence[str] | None, deny: Sequence[str] | None, directory: str
) -> tuple[PathRule, ...]:
    """Combine what is named on the command line, relative to `directory`."""
    named = (
        PathRule(tuple(allow or ()), True, directory, "--allow"),
        PathRule(tuple(deny or ()), False, directory, "--deny"),
    )
    return tuple(rule for rule in named if rule.pathspecs)
