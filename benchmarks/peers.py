"""The tools that are compared: how each is called, and which style it reads.

Every tool is a command that is run at the top of the working tree. Libraries are called in
whichever of the named Pythons has them.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from model import Format, Header

LEVEL = "-p1"
LENIENT = ("--recount", "--unidiff-zero", "-C1", "--ignore-whitespace")
PATCH = ("--force", "--silent", "--no-backup-if-mismatch", "--reject-file=-", "-i")
MPATCH = """\
import sys, mpatch
text = open(sys.argv[1], encoding="utf-8", errors="surrogateescape", newline="").read()
try:
    patches = mpatch.parse_auto(text) or mpatch.parse_patches(text)
    done = patches and mpatch.apply_patches_to_dir(patches, ".", atomic=True)
    sys.exit(not (done and done.all_applied_cleanly))
except mpatch.MpatchError as error:
    sys.exit(str(error))
"""
"""The program that applies a file with the mpatch library, set to write all or nothing."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool and what it reads; `stages` if it changes the index, too."""

    name: str
    start: tuple[str, ...]
    patch_format: Format | None = None
    header: Header | None = None
    stages: bool = False
    takes_text: bool = False
    """Whether the last word of its command is the patch, and not the name of a file with it."""

    def command(self, patch: Path, level: str = LEVEL) -> list[str]:
        """The command for a patch whose names begin as `level` says."""
        last = patch.read_text("utf-8") if self.takes_text else str(patch)
        return [*(level if word == LEVEL else word for word in self.start), last]


_APPLY, _PATCH = ("git", "apply", LEVEL), ("patch", LEVEL, *PATCH)
_MPATCH, _CODEX = ("python", "-c", MPATCH), ("codex", "--codex-run-as-apply-patch")
_DIFF, _RIGHT = Format.UNIFIED, Header.RIGHT
TOOLS = {
    tool.name: tool
    for tool in (
        Tool("opatch", (sys.executable, "-m", "git_opatch", "apply"), stages=True),
        Tool("git-apply", _APPLY, _DIFF),
        Tool("git-apply-lenient", (*_APPLY, *LENIENT), _DIFF),
        Tool("git-apply-numbered", (*_APPLY, *LENIENT), _DIFF, _RIGHT),
        Tool("patch", _PATCH, _DIFF),
        Tool("patch-numbered", _PATCH, _DIFF, _RIGHT),
        Tool("mpatch", _MPATCH, _DIFF),
        Tool("mpatch-numbered", _MPATCH, _DIFF, _RIGHT),
        Tool("codex", _CODEX, Format.ENVELOPE, takes_text=True),
    )
}
OWN = TOOLS["opatch"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where peers are."""
    add = parser.add_argument
    add("--python", action="append", default=[sys.executable], help="a Python that has mpatch")
    add("--codex", default="codex", help="the native codex program")


def find_tools(names: list[str], options: argparse.Namespace) -> list[Tool]:
    """Return the tools of these names that are installed; the others are named."""
    found = []
    for name in names:
        program, *rest = TOOLS[name].start
        places = {"python": options.python, "codex": [options.codex]}.get(program, [program])
        for place in filter(_has_mpatch if program == "python" else shutil.which, places):
            found.append(replace(TOOLS[name], start=(place, *rest)))
            break
        else:
            print(f"{name}: not here, skipped", file=sys.stderr)
    return found


def _has_mpatch(python: str) -> bool:
    return not subprocess.run([python, "-c", "import mpatch"], capture_output=True).returncode
