r"""Which patch does a command apply? A call of `apply_patch`, told from its words alone.

    argv   := [name, patch] | [shell, "-c" | "-lc", script]
    script := ("cd " dir "&&")* one call of `apply_patch`   (see `parse.frames.shell.command`)

Rules: OpenCode's patch subsystem ("Bash Integration Detection", "Error Types") and Codex, which
is as strict: a script that does anything more is no invocation. Nothing is run, and nothing but
the words is looked at.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import NamedTuple

from git_opatch.errors import ImplicitInvocation
from git_opatch.parse import is_patch
from git_opatch.parse.frames.shell.program import NAMES, SCRIPT_FLAGS, SHELLS
from git_opatch.parse.frames.shell.reading import patch_of

_IMPLICIT = (
    "this is a patch, and no command: call `apply_patch` with it as the one argument, as in "
    '["apply_patch", PATCH] or ["bash", "-lc", "apply_patch <<\'EOF\'\\n" + PATCH + "\\nEOF\\n"]'
)


class Invocation(NamedTuple):
    """A call of `apply_patch`."""

    patch: str
    """The patch's text, out of its quotes; what is not UTF-8 as surrogate escapes."""
    directory: str
    """Where the call goes before it applies the patch (`cd DIR &&`); empty if nowhere."""
    text: str
    """The patch as it was given: the argument, or the script round it."""


def detect(argv: Sequence[str]) -> Invocation | None:
    """The call of `apply_patch` that the command `argv` is; None for any other command.

    Raises `ImplicitInvocation` if a bare patch stands where the command or the script should.
    The patch itself is not judged. `ParseError` is raised for a string that is no text: one
    with half a surrogate pair.
    """
    words = list(argv)
    if words and is_patch(words[0]):
        raise ImplicitInvocation(_IMPLICIT)
    program = posixpath.basename(words[0]) if words else ""
    if program in NAMES and len(words) == 2:
        return Invocation(words[1], "", words[1])
    if program in SHELLS and len(words) == 3 and words[1] in SCRIPT_FLAGS:
        return _in_script(words[2])
    return None


def _in_script(script: str) -> Invocation | None:
    if is_patch(script):
        raise ImplicitInvocation(_IMPLICIT)
    found = patch_of(script.encode("utf-8", "surrogateescape"))
    if found is None:
        return None
    directory, patch = found
    return Invocation(patch.decode("utf-8", "surrogateescape"), directory, script)
