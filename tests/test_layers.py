"""Imports point one way, and each outside library has one importer."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import git_opatch

_PACKAGE = Path(git_opatch.__file__).parent
_MODULES = sorted(_PACKAGE.rglob("*.py"))

# From the ground up: what stands in a row imports from rows above it, and from its own
# folder; the stages of one row do not know one another.
_LAYERS = [
    {"__init__"},
    {"text", "errors", "options", "paths"},
    {"blob"},
    {"patch", "plumbing"},
    {"selecting"},
    {"outcome", "reverse", "gateway"},
    {"repository"},
    {"snapshot", "branch", "porcelain"},
    {"folder"},
    {"parse", "locate", "complete", "transaction", "journal"},
    {"pending"},
    {"hunks", "advice", "former", "drift", "interrupted", "invocation", "spent", "policy"},
    {"merge", "versions"},
    {"leftovers", "tooluse"},
    {"settle"},
    {"plan"},
    {"fit", "again"},
    {"travel"},
    {"planning", "carry"},
    {"ready", "posthook"},
    {"apply"},
    {"action", "commit"},
    {"api"},
    {"report"},
    {"commands"},
    {"cli"},
    {"__main__"},
]
_STAGES = {"parse", "locate", "complete"}
_PURE = {
    "text",
    "errors",
    "options",
    "paths",
    "blob",
    "patch",
    "outcome",
    "plumbing",
    "reverse",
    "invocation",
    "leftovers",
    "tooluse",
    *_STAGES,
}
_ONLY_IMPORTER = {
    "git": ("gateway",),
    "rich": ("report",),
    "typer": ("commands", "cli"),
    "tree_sitter": ("parse",),
    "tree_sitter_bash": ("parse",),
}


def _part(path: Path) -> str:
    relative = path.relative_to(_PACKAGE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "git_opatch":
            yield from (f"git_opatch.{name.name}" for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            yield node.module or ""


def _own_imports(path: Path) -> set[str]:
    names = {name.split(".")[1] for name in _imports(path) if name.startswith("git_opatch.")}
    return {"__init__" if name.startswith("__") else name for name in names}


def _level(part: str) -> int:
    return next(level for level, parts in enumerate(_LAYERS) if part in parts)


@pytest.mark.parametrize("path", _MODULES, ids=lambda path: str(path.relative_to(_PACKAGE)))
def test_imports_point_downwards(path: Path) -> None:
    part = _part(path)
    for imported in _own_imports(path) - {part}:
        assert _level(imported) < _level(part), f"{part} imports {imported}"


@pytest.mark.parametrize("path", _MODULES, ids=lambda path: str(path.relative_to(_PACKAGE)))
def test_each_library_has_one_importer(path: Path) -> None:
    for name in _imports(path):
        owner = _ONLY_IMPORTER.get(name.split(".")[0])
        assert owner is None or _part(path) in owner, f"{path} imports {name}"


def test_the_core_is_pure() -> None:
    shell = {"git", "subprocess", "tempfile", "shutil", "sys", "typer", "rich"}
    for path in _MODULES:
        if _part(path) in _PURE:
            roots = {name.split(".")[0] for name in _imports(path)}
            assert not roots & shell, f"{path} imports {roots & shell}"
            assert not _own_imports(path) & {"repository", "snapshot", "transaction"}


def test_every_module_has_a_layer() -> None:
    assert {_part(path) for path in _MODULES} == set().union(*_LAYERS)


def test_a_command_line_is_read_without_pydantic() -> None:
    script = (
        "import sys; from git_opatch.cli import register, run\n"
        "register()\n"
        "status = run()\n"
        "print(status, 'pydantic' in sys.modules)"
    )
    command = [sys.executable, "-c", script, "apply", "--directory", "folder", "missing.patch"]
    ran = subprocess.run(command, capture_output=True, check=True)
    assert ran.stdout == b"128 False\n"


_HELP = [
    ["-h"],
    ["--version"],
    [],
    ["nonsense"],
    *([name, "-h"] for name in ("apply", "check", "convert", "show", "demo")),
]


@pytest.mark.parametrize("arguments", _HELP, ids=" ".join)
def test_help_is_given_without_git_and_colour(arguments: list[str]) -> None:
    assert not {"git", "rich", "pydantic"} & _imported(*arguments)


def test_a_command_imports_git_and_no_other_command() -> None:
    imported = _imported("apply", os.devnull)
    assert {"git", "git_opatch.commands.apply"} <= imported
    assert not {"rich", "git_opatch.commands.check", "git_opatch.commands.show"} & imported


def test_help_imports_no_command() -> None:
    imported = _imported("-h") | _imported("--version") | _imported("aply")
    assert not {name for name in imported if name.startswith("git_opatch.commands.")}


def test_a_command_below_other_words_is_still_run() -> None:
    command = [sys.executable, "-m", "git_opatch", "--", "apply", "no such patch"]
    assert subprocess.run(command, capture_output=True).returncode != 0


def test_an_envelope_is_read_by_its_own_family_alone() -> None:
    text = "*** Begin Patch\\n*** Delete File: a\\n*** End Patch\\n"
    script = (
        "import sys; from git_opatch.parse import parse_patch\n"
        f"parse_patch('{text}')\n"
        "print(*sys.modules, sep='\\n')"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    readings = {name for name in ran.stdout.splitlines() if name.endswith(".reading")}
    assert readings == {"git_opatch.parse.envelope.reading"}


def _imported(*arguments: str) -> set[str]:
    """The modules that a run of the program has imported when it ends."""
    script = (
        "import os, sys\n"
        "from git_opatch import __main__\n"
        "os._exit = lambda status: print('', *sys.modules, sep='\\n')\n"
        "__main__.main()"
    )
    command = [sys.executable, "-c", script, *arguments]
    imported = set(subprocess.run(command, capture_output=True, text=True).stdout.splitlines())
    assert "git_opatch.cli" in imported
    return imported


def test_sizes() -> None:
    for path in _MODULES:
        source = path.read_text()
        assert len(source.splitlines()) <= 300, f"{path} is too long"
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef):
                length = (node.end_lineno or 0) - node.lineno + 1
                assert length <= 50, f"{path}: {node.name} has {length} lines"
