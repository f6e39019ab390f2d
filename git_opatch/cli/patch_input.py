"""Read patches and commit messages, from files or standard input."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from shlex import quote

from git_opatch.model.errors import Diagnostic, InputError, OpatchError, ParseError
from git_opatch.model.options import Format
from git_opatch.model.patch import Patch
from git_opatch.parse import parse_patch

STANDARD_INPUT = "-"


def read_patch(files: Sequence[str], patch_format: Format | None = None) -> Patch:
    """Read the patches in `files` as one patch; standard input for none, or for `-`.

    `patch_format` is the only format to read, None any. Raises `InputError` if a file cannot be
    read, `ParseError` with everything that is wrong in any of them.
    """
    patches: list[Patch] = []
    diagnostics: list[Diagnostic] = []
    for name in files or [STANDARD_INPUT]:
        data, source = _read(name), "" if name == STANDARD_INPUT else name
        try:
            patches.append(parse_patch(data, patch_format=patch_format, source=source))
        except ParseError as error:
            diagnostics += error.diagnostics
    if diagnostics:
        raise ParseError(diagnostics)
    digest = "+".join(patch.digest for patch in patches)
    return Patch.joined(patches, digest)


def _read(name: str) -> bytes:
    try:
        if name != STANDARD_INPUT:
            return Path(name).read_bytes()
        if sys.stdin is None:
            raise InputError("standard input is closed; name a patch file")
        if sys.stdin.isatty():
            sys.stderr.write("reading a patch from standard input; end it with Ctrl-D\n")
        return sys.stdin.buffer.read()
    except OSError as error:
        meant = _meant_by(name) if isinstance(error, FileNotFoundError) else ""
        raise InputError(f"cannot read patch `{name}`: {error.strerror}{meant}") from None


def _meant_by(name: str) -> str:
    """Say what a name of no file may mean: a recorded patch, or a commit; empty if neither."""
    from git_opatch.git.head import commit_id
    from git_opatch.git.repository import Repository
    from git_opatch.journal import read_journal
    from git_opatch.transaction import state_dir

    with suppress(OpatchError):
        repository = Repository()
        if name.isdecimal():
            number = read_journal(state_dir(repository)).find(int(name)).number
            return f"\n  to see what patch {number} changed: git opatch log -p {number}"
        if commit_id(repository, name):
            return f"\n  to write that commit as a patch: git opatch create {quote(name)}"
    return ""


def read_message(name: str) -> bytes:
    """Read a commit message; standard input for `-`. Raises `InputError`."""
    try:
        return sys.stdin.buffer.read() if name == STANDARD_INPUT else Path(name).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read message `{name}`: {error.strerror}") from None
