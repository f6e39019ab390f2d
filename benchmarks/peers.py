"""The tools that are compared: how each is called, and which style it reads.

Every tool is a command that is run at the top of the working tree. Libraries are called in
whichever of the named Pythons has them.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from model import Case, Format, Header, Style

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
_CODEX_BINDING = """\
import sys, codex_apply_patch
sys.exit(not codex_apply_patch.apply_patch(open(sys.argv[1], encoding="utf-8").read()))
"""
_LEFT_OPEN = "ambiguous"  # the class without evidence that decides between two candidates


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool and what it reads; `stages` if it changes the index, too."""

    name: str
    command: Callable[[str], list[str]]
    given: str
    patch_format: Format | None = None
    header: Header | None = None
    in_git: bool = False
    stages: bool = False

    def suits(self, case: Case) -> bool:
        """Whether the tool can be given `case`: not if numbers would make it unambiguous.

        A tool of one format gets the cases of the two that it can read, in any wrapper.
        """
        read = (Format.ENVELOPE, Format.UNIFIED)
        if self.patch_format is not None and case.style.patch_format not in read:
            return False
        return self.header is not Header.RIGHT or case.kind != _LEFT_OPEN

    def reads(self, style: Style) -> Style:
        """Return the style that the tool gets where opatch gets `style`."""
        return replace(
            style,
            patch_format=self.patch_format or style.patch_format,
            header=self.header or style.header,
        )


@dataclass(frozen=True, slots=True)
class Setup:
    """Where to look for tools."""

    pythons: Sequence[str]
    codex: str


Finder = Callable[[Setup], Tool | None]


def find_tool(name: str, setup: Setup) -> Tool | None:
    """Return the tool of this name, or None if it is not installed."""
    return _FINDERS[name](setup)


@dataclass(frozen=True, slots=True)
class _Words:
    """A command whose last word is the patch's name, or its text; a value, for other processes."""

    start: tuple[str, ...]
    has_text: bool = False

    def __call__(self, patch: str) -> list[str]:
        return [*self.start, Path(patch).read_text("utf-8") if self.has_text else patch]


def _opatch(_: Setup) -> Tool:
    command = _Words((sys.executable, "-m", "git_opatch", "apply"))
    return Tool("opatch", command, "the style of the case", in_git=True, stages=True)


def _program(name: str, *start: str, header: Header | None = None) -> Finder:
    """A program that takes the name of a file with a unified diff."""
    given = f"unified, {header.value if header else 'header of the style'}"
    tool = Tool(name, _Words(start), given, Format.UNIFIED, header, in_git=start[0] == "git")
    return lambda _: tool if shutil.which(start[0]) else None


def _library(name: str, program: str, patch_format: Format, header: Header | None = None) -> Finder:
    """A library of Python, called by this program."""
    given = f"{patch_format.value}, {header.value if header else 'anchors of the style'}"
    importing = program.partition("\n")[0]

    def find(setup: Setup) -> Tool | None:
        for python in setup.pythons:
            if not subprocess.run([python, "-c", importing], capture_output=True).returncode:
                return Tool(name, _Words((python, "-c", program)), given, patch_format, header)
        return None

    return find


def _codex(setup: Setup) -> Tool | None:
    if shutil.which(setup.codex) is None:
        return None
    command = _Words((setup.codex, "--codex-run-as-apply-patch"), has_text=True)
    return Tool("codex", command, "envelope, anchors of the style", Format.ENVELOPE)


_RIGHT, _INVENTED = Header.RIGHT, Header.INVENTED
_FINDERS: dict[str, Finder] = {
    "opatch": _opatch,
    "git-apply": _program("git-apply", "git", "apply"),
    "git-apply-lenient": _program("git-apply-lenient", "git", "apply", *LENIENT),
    "git-apply-numbered": _program("git-apply-numbered", "git", "apply", *LENIENT, header=_RIGHT),
    "patch": _program("patch", "patch", "-p1", *PATCH),
    "patch-numbered": _program("patch-numbered", "patch", "-p1", *PATCH, header=_RIGHT),
    "mpatch-invented": _library("mpatch-invented", MPATCH, Format.UNIFIED, _INVENTED),
    "mpatch-numbered": _library("mpatch-numbered", MPATCH, Format.UNIFIED, _RIGHT),
    "codex-apply-patch": _library("codex-apply-patch", _CODEX_BINDING, Format.ENVELOPE),
    "codex": _codex,
}

TOOLS = tuple(_FINDERS)
