"""The tools that are compared: how each is called, and which style it reads.

Every tool is a command that is run at the top of the working tree. Libraries are
called by `drivers.py`, in whichever of the named Pythons has them.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from model import Case, Format, Header, Style

_LENIENT = ("--recount", "--unidiff-zero", "-C1", "--ignore-whitespace")
_LEFT_OPEN = "ambiguous"  # the class without evidence that decides between two candidates
_PATCH = ("-p1", "--force", "--silent", "--no-backup-if-mismatch", "--reject-file=-", "-i")


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
        if self.patch_format is not None and case.style.patch_format not in (
            Format.ENVELOPE,
            Format.UNIFIED,
        ):
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
    """A command whose last word is the name of the patch; a value, so that processes can get it."""

    start: tuple[str, ...]

    def __call__(self, patch: str) -> list[str]:
        return [*self.start, patch]


def _opatch(_: Setup) -> Tool:
    command = _Words((sys.executable, "-m", "git_opatch", "apply"))
    return Tool("opatch", command, "the style of the case", in_git=True, stages=True)


def _program(name: str, *start: str, header: Header | None = None) -> Finder:
    """A program that takes the name of a file with a unified diff."""
    given = f"unified, {header.value if header else 'header of the style'}"
    tool = Tool(name, _Words(start), given, Format.UNIFIED, header, in_git=start[0] == "git")
    return lambda _: tool if shutil.which(start[0]) else None


def _library(name: str, module: str, patch_format: Format, header: Header | None = None) -> Finder:
    """A library that `drivers.py` calls by the name of its module."""
    driver = str(Path(__file__).with_name("drivers.py"))
    given = f"{patch_format.value}, {header.value if header else 'anchors of the style'}"

    def find(setup: Setup) -> Tool | None:
        python = next((python for python in setup.pythons if _has(python, module)), None)
        if python is None:
            return None
        return Tool(name, _Words((python, driver, module)), given, patch_format, header)

    return find


def _has(python: str, module: str) -> bool:
    look = f"import importlib.util as u, sys; sys.exit(u.find_spec({module!r}) is None)"
    return subprocess.run([python, "-c", look], check=False, capture_output=True).returncode == 0


@dataclass(frozen=True, slots=True)
class _CodexWords:
    """Codex takes the text of the patch as its last word."""

    codex: str

    def __call__(self, patch: str) -> list[str]:
        return [self.codex, "--codex-run-as-apply-patch", Path(patch).read_text("utf-8")]


def _codex(setup: Setup) -> Tool | None:
    if shutil.which(setup.codex) is None:
        return None
    command = _CodexWords(setup.codex)
    return Tool("codex", command, "envelope, anchors of the style", Format.ENVELOPE)


_FINDERS: dict[str, Finder] = {
    "opatch": _opatch,
    "git-apply": _program("git-apply", "git", "apply"),
    "git-apply-lenient": _program("git-apply-lenient", "git", "apply", *_LENIENT),
    "git-apply-numbered": _program(
        "git-apply-numbered", "git", "apply", *_LENIENT, header=Header.RIGHT
    ),
    "patch": _program("patch", "patch", *_PATCH),
    "patch-numbered": _program("patch-numbered", "patch", *_PATCH, header=Header.RIGHT),
    "mpatch-invented": _library("mpatch-invented", "mpatch", Format.UNIFIED, Header.INVENTED),
    "mpatch-numbered": _library("mpatch-numbered", "mpatch", Format.UNIFIED, Header.RIGHT),
    "aider-udiff": _library("aider-udiff", "aider", Format.UNIFIED, Header.BARE),
    "codex-apply-patch": _library("codex-apply-patch", "codex_apply_patch", Format.ENVELOPE),
    "agents-sdk": _library("agents-sdk", "agents", Format.ENVELOPE),
    "codex": _codex,
}

TOOLS = tuple(_FINDERS)
