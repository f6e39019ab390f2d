"""The user's editor on one hunk, as `git add -p` opens it for the answer `e`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple, TextIO

from git_opatch.git.repository import Repository
from git_opatch.git.runner import run_program, user_environment
from git_opatch.git.scratch import scratch_directory
from git_opatch.model.errors import InputError
from git_opatch.model.patch import NO_NEWLINE, Hunk, Line, Prefix

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
_PREFIXES = {prefix.value.encode(): prefix for prefix in Prefix}


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
            path.write_bytes(_HEAD + b"".join(map(_written, hunk.lines)) + _GUIDE)
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


def _written(line: Line) -> bytes:
    written = line.prefix.value.encode() + line.text + b"\n"
    return written if line.newline else written + NO_NEWLINE


def _read(text: bytes) -> Sequence[Line]:
    """Read the lines of a hunk; none if one has no prefix. A line without anything is blank."""
    return tuple(_lines(text)) if all(map(_is_known, text.split(b"\n"))) else ()


def _is_known(line: bytes) -> bool:
    return not line or line[:1] in _PREFIXES or line[:1] in (b"#", b"\\") or line[:2] == b"@@"


def _lines(text: bytes) -> Iterator[Line]:
    shown = [line for line in text.split(b"\n") if line[:1] != b"#" and line[:2] != b"@@"]
    if shown and not shown[-1]:
        shown.pop()  # what follows the last newline
    for line, below in zip_longest(shown, shown[1:], fillvalue=b""):
        if line[:1] != b"\\":
            prefix = _PREFIXES.get(line[:1], Prefix.CONTEXT)
            yield Line(prefix, line[1:], newline=below[:1] != b"\\")
