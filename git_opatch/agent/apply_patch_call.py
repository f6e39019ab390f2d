r"""Detect a call of `apply_patch` in the words of a command (D69).

    argv   := [name, patch] | [shell, "-c" | "-lc", script]
    script := ("cd " dir "&&")* one call of `apply_patch`   (see `parse.shell`)

Rules: OpenCode's patch subsystem ("Bash Integration Detection", "Error Types") and Codex, which is
as strict: a script that does anything else is not such a call. Nothing is run, and nothing but the
words is read.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import NamedTuple

from git_opatch.model.errors import ImplicitInvocation
from git_opatch.parse import is_patch
from git_opatch.parse.shell import NAMES, SCRIPT_FLAGS, SHELLS, patch_of

_IMPLICIT = (
    "this is a patch, not a command: call `apply_patch` with it as the only argument, as in "
    '["apply_patch", PATCH] or ["bash", "-lc", "apply_patch <<\'EOF\'\\n" + PATCH + "\\nEOF\\n"]'
)


class Invocation(NamedTuple):
    """A call of `apply_patch`."""

    patch: str
    """The text of the patch, unquoted; bytes that are not UTF-8 are surrogate escapes."""
    directory: str
    """The directory that the script changes to first (`cd DIR &&`), or empty."""
    text: str
    """The argument as it was given: the patch, or the script that has it."""


def detect(argv: Sequence[str]) -> Invocation | None:
    """Detect the call of `apply_patch` in the command `argv`; None for any other command.

    The patch itself is not parsed. Raises `ImplicitInvocation` for a bare patch in place of the
    command or the script, and `ParseError` for a string with half a surrogate pair.
    """
    words = list(argv) or [""]
    program = posixpath.basename(words[0])
    has_script = program in SHELLS and len(words) == 3 and words[1] in SCRIPT_FLAGS
    script = words[2] if has_script else ""
    if is_patch(script or words[0]):
        raise ImplicitInvocation(_IMPLICIT)
    if program in NAMES and len(words) == 2:
        return Invocation(words[1], "", words[1])
    call = patch_of(script.encode("utf-8", "surrogateescape"))
    if call is None:
        return None
    directory, patch = call
    return Invocation(patch.decode("utf-8", "surrogateescape"), directory, script)
