"""The user's editor on one hunk, as `git add -p` opens it for the answer `e`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TextIO

from git_opatch.git.repository import Repository
from git_opatch.git.runner import run_program, user_environment
from git_opatch.git.scratch import scratch_directory
from git_opatch.model.errors import InputError
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.text import Text

_NAME = "addp-hunk-edit.diff"
"""Git's name of the file, by which editors know what is in it."""
_HEAD = b"# Manual hunk edit mode -- see bottom for a quick guide.\n@@\n"
_GUIDE = b"""\
# ---
# To remove '-' lines, make them ' ' lines (context).
# To remove '+' lines, delete them.
# Lines starting with # will be removed.
# If the patch applies cleanly, the edited hunk will immediately be marked for applying.
"""
_PREFIXES = {b"": Prefix.CONTEXT, **{prefix.value.encode(): prefix for prefix in Prefix}}


class HunkEditor(NamedTuple):
    """Opens the editor that git would open (git-var(1)), with its input from `terminal`."""

    repository: Repository
    terminal: TextIO

    def edit(self, hunk: Hunk) -> Hunk | None:
        """Return `hunk` as the user leaves it; None if nothing is left, or a line has no prefix.

        Raises `InputError` if the editor fails.
        """
        with scratch_directory() as directory:
            path = Path(directory, _NAME)
            path.write_bytes(_HEAD + b"".join(line.written for line in hunk.lines) + _GUIDE)
            self._open(path)
            lines = _read(path.read_bytes())
        return replace(hunk, lines=lines, separators=0) if lines else None

    def _open(self, path: Path) -> None:
        top = self.repository.require_worktree()
        editor = self.repository.ask("var", "GIT_EDITOR").decode(errors="surrogateescape").strip()
        words = ["sh", "-c", f'{editor} "$@"', editor, str(path)]
        try:
            done = run_program(words, top, user_environment(), source=self.terminal, show=True)
        except OSError as error:
            raise InputError(f"cannot start the editor: {error.strerror}") from None
        if done.status:
            raise InputError(f"the editor ended with status {done.status}")


def _read(text: bytes) -> Sequence[Line]:
    """Read the lines of a hunk; none if one has no prefix. A line without anything is blank."""
    lines: list[Line] = []
    for line in Text.from_bytes(text).lines:
        prefix = _PREFIXES.get(line[:1])
        if line[:1] == b"#" or line[:2] == b"@@":
            continue
        if line[:1] == b"\\" and lines:
            lines[-1] = lines[-1]._replace(newline=False)
        elif prefix:
            lines.append(Line(prefix, line[1:]))
        else:
            return ()
    return tuple(lines)
