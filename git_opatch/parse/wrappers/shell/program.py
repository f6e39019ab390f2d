"""The programs that apply a patch or run a script, and the flags that do not matter.

Source: Codex's detection of `apply_patch` calls; git-apply(1) and patch(1) for the flags.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

NAMES = frozenset({"apply_patch", "applypatch", "apply-patch"})
SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
SCRIPT_FLAGS = frozenset({"-c", "-lc"})
_IGNORED_FLAGS = re.compile(
    r"-p1|-v|-3|--(?:index|cached|worktree|3way|verbose|recount|quiet|check|dry-run|unidiff-zero"
    r"|whitespace=[a-z]+)"
)


def find_unknown_argument(program: str, arguments: Sequence[str]) -> str | None:
    """Return the first word that may change how or where the program applies its input, or None."""
    if program in NAMES:
        return arguments[0] if arguments else None
    if program == "git":
        verb = 2 if arguments[:1] == ["opatch"] else 1
        if arguments[verb - 1 : verb] != ["apply"]:
            return " ".join([program, *arguments[:verb]])
        arguments = arguments[verb:]
    elif program != "patch":
        return program
    return next(
        (argument for argument in arguments if not _IGNORED_FLAGS.fullmatch(argument)), None
    )
