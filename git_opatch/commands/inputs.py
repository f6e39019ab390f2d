"""What all commands that read patches share: the files, and the choice of a target."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from git_opatch.errors import Fault, InputError, ParseError, UsageError
from git_opatch.options import Ambiguous, Dialect, Matching, Past, Policy, Rule, Target, Tier
from git_opatch.parse import parse_patch
from git_opatch.patch import Patch
from git_opatch.paths import normalise, why_unsafe
from git_opatch.plumbing import Settings

if TYPE_CHECKING:
    import typer

_STANDARD_INPUT = "-"
_ID = re.compile(r"[0-9a-fA-F]{4,64}")
_NOT_SAID_AGAIN = {
    *("index", "cached", "worktree", "base", "check", "output", "quiet", "verbose", "json", "wait"),
    *("stat", "numstat", "name_only", "name_status", "zero"),
}

_Choice = TypeVar("_Choice", Target, Tier, Ambiguous)


def read_patch(files: Sequence[str], dialect: Dialect | None = None) -> Patch:
    """The patches in `files`, as one; standard input for none, or for `-`.

    `dialect` is the one family to read, None any.

    Raises `InputError` for a file that cannot be read, `ParseError` with all faults.
    """
    patches: list[Patch] = []
    faults: list[Fault] = []
    for name in files or [_STANDARD_INPUT]:
        data, source = _read(name), "" if name == _STANDARD_INPUT else name
        try:
            patches.append(parse_patch(data, dialect=dialect, source=source))
        except ParseError as error:
            faults += error.faults
    if faults:
        raise ParseError(faults)
    digest = "+".join(patch.digest for patch in patches)
    return Patch.joined(patches, digest)


def _read(name: str) -> bytes:
    try:
        if name != _STANDARD_INPUT:
            return Path(name).read_bytes()
        if sys.stdin is None:
            raise InputError("standard input is closed; name a patch file")
        if sys.stdin.isatty():
            sys.stderr.write("reading a patch from standard input; end it with Ctrl-D\n")
        return sys.stdin.buffer.read()
    except OSError as error:
        raise InputError(f"cannot read patch `{name}`: {error.strerror}") from None


def choose_matching(
    tier: Tier | None, ambiguous: Ambiguous | None, fuzz: int, settings: Mapping[str, str]
) -> Matching:
    """What was named, else `opatch.match` and `opatch.ambiguous`, else the defaults.

    A hook must not let a patch through that was placed by being near.
    """
    tier = tier or _configured(Tier, "opatch.match", Tier.FUZZY, settings)
    ambiguous = ambiguous or _configured(Ambiguous, "opatch.ambiguous", Ambiguous.REFUSE, settings)
    if ambiguous is Ambiguous.NEAREST and "PRE_COMMIT" in os.environ:
        raise UsageError("--ambiguous nearest is not for hooks: it guesses, and nobody looks on")
    return Matching(tier, ambiguous, _count("opatch.proximity", "lines", settings), fuzz)


def choose_past(given: Mapping[str, Any], target: Target) -> Past:
    """What the command's parameters ask of older versions. Raises `UsageError`."""
    if not given["three_way"]:
        return Past.TELL if given.get("verbose") else Past.LEAVE
    if target is Target.WORKTREE or given.get("carry"):
        raise UsageError("--3way merges in the index; it excludes --worktree and --carry")
    if given.get("partial") or given.get("reject"):
        raise UsageError("--3way merges whole files; it excludes --partial and --reject")
    return Past.MERGE


def choose_policy(
    allow: Sequence[str] | None,
    deny: Sequence[str] | None,
    expect: Sequence[str] | None,
    settings: Settings,
    directory: str = "",
    *,
    here: str = "",
) -> Policy:
    """What was named and what is configured, which hold together.

    Pathspecs that were named count from `here`, else the current directory, as git's do; those of
    `opatch.allow` and `opatch.deny` from the top of the working tree; the paths of `expect`
    are below `directory`, as the patch's are.
    """
    here = here or os.getcwd()
    rules = (
        Rule(tuple(allow or ()), True, here, "--allow"),
        Rule(tuple(deny or ()), False, here, "--deny"),
        Rule(tuple(settings.every("opatch.allow")), True, "", "opatch.allow"),
        Rule(tuple(settings.every("opatch.deny")), False, "", "opatch.deny"),
    )
    expected = tuple(_expected(one, directory) for one in expect or ())
    return Policy(tuple(rule for rule in rules if rule.pathspecs), expected)


def _expected(said: str, directory: str) -> tuple[str, str]:
    """A path, and how the id of its blob begins. Raises `UsageError`."""
    name, sign, oid = said.rpartition("=")
    path = normalise(name, directory)
    if not sign or not (_ID.fullmatch(oid) or not oid):
        raise UsageError(
            f"--expect takes PATH=BLOB, with at least 4 digits of the blob's id: `{said}`"
        )
    if why := why_unsafe(path):
        raise UsageError(f"--expect `{said}`: {why}")
    return path, oid.lower() if oid.strip("0") else ""


def choose_journal_size(settings: Mapping[str, str]) -> int:
    """How many records `opatch.journalSize` keeps; 0 keeps none, as sizes of git do."""
    return _count("opatch.journalSize", "records", settings)


def _count(name: str, things: str, settings: Mapping[str, str]) -> int:
    """The number that is configured, else a hundred."""
    value = settings.get(name.lower(), "100")
    if not (value.isascii() and value.isdigit()):
        raise UsageError(f"{name} is `{value}`; it is a number of {things}")
    return int(value[:9])


def _configured(
    choices: type[_Choice], name: str, default: _Choice, settings: Mapping[str, str]
) -> _Choice:
    value = settings.get(name, default.value)
    try:
        return choices(value.lower())
    except ValueError:
        *others, last = [choice.value for choice in choices]
        raise UsageError(f"{name} is `{value}`; it can be {', '.join(others)} or {last}") from None


def choose_target(
    *, index: bool, cached: bool, worktree: bool, settings: Mapping[str, str]
) -> Target:
    """The one target that was named, else that of `opatch.target`, else the index."""
    named = [
        target for target, chosen in zip(Target, (index, cached, worktree), strict=True) if chosen
    ]
    if len(named) > 1:
        raise UsageError("--index (and --carry), --cached and --worktree exclude one another")
    if named:
        return named[0]
    return _configured(Target, "opatch.target", Target.INDEX, settings)


def spelled(context: typer.Context) -> str:
    """The command as the user would type it again, with the options that change its meaning."""
    words = [context.command_path]
    for option in context.command.params:
        value = context.params.get(option.name or "")
        if not option.opts[0].startswith("-") or option.name in _NOT_SAID_AGAIN:
            continue
        for one in value if isinstance(value, (list, tuple)) else [value] if value else []:
            said = str(one.value if isinstance(one, Enum) else one)
            words += option.opts[:1] if one is True else [option.opts[0], shlex.quote(said)]
    return " ".join([*words, *map(shlex.quote, context.params["files"] or [])])
