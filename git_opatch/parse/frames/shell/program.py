"""The programs that apply a patch, or run a script that does, and the flags that change nothing.

Rules: Codex's detection of `apply_patch` calls, and git-apply(1) and patch(1) for the flags.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

NAMES = frozenset({"apply_patch", "applypatch", "apply-patch"})
SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
SCRIPT_FLAGS = frozenset({"-c", "-lc"})
_HARMLESS = re.compile(
    r"-p1|-v|-3|--(?:index|cached|worktree|3way|verbose|recount|quiet|check|dry-run|unidiff-zero"
    r"|whitespace=[a-z]+)"
)


def unknown_word(program: str, arguments: Sequence[str]) -> str | None:
    """The word because of which the program may not apply what it reads, forwards and where its
    paths say; None if it does."""
    if program in NAMES:
        return arguments[0] if arguments else None
    if program == "git":
        verb = 2 if arguments[:1] == ["opatch"] else 1
        if arguments[verb - 1 : verb] != ["apply"]:
            return " ".join([program, *arguments[:verb]])
        arguments = arguments[verb:]
    elif program != "patch":
        return program
    return next((one for one in arguments if not _HARMLESS.fullmatch(one)), None)
