"""Imports point one way, and each outside library has one importer."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence, Set
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import git_opatch
from git_opatch.parse.grammar import FORMATS, WRAPPERS

_PACKAGE = Path(git_opatch.__file__).parent
_MODULES = sorted(_PACKAGE.rglob("*.py"))

# From the bottom up: a package imports from the rows above it and from itself; the packages
# of one row do not import one another.
_LAYERS = [
    {"model"},
    {"parse", "complete", "git", "install"},
    {"locate"},
    {"transaction"},
    {"journal"},
    {"plan"},
    {"operations"},
    {"create"},
    {"agent"},
    {"report"},
    {"__init__"},
    {"mcp", "batch"},
    {"cli"},
    {"__main__"},
]
_PURE = {"model", "parse", "locate", "complete"}
_ONLY_IMPORTER = {
    "git": "git/runner.py",
    "subprocess": "git/runner.py",
    "rich": "report/",
    "typer": "cli/",
    "unidiff": "complete/",
    "multiprocessing": "batch/",
}


def _part(path: Path) -> str:
    relative = path.relative_to(_PACKAGE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def _imports(path: Path) -> Sequence[str]:
    return list(_each_import(path))


def _each_import(path: Path) -> Iterator[str]:
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "git_opatch":
            yield from (f"git_opatch.{name.name}" for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            yield node.module or ""


def _own_imports(path: Path) -> set[str]:
    names = {name.split(".")[1] for name in _imports(path) if name.startswith("git_opatch.")}
    return names - {"__version__", "__main__"}


def _level(part: str) -> int:
    return next(level for level, parts in enumerate(_LAYERS) if part in parts)


def test_imports_point_downwards() -> None:
    upwards = [
        f"{path.relative_to(_PACKAGE)} imports {imported}"
        for path in _MODULES
        for imported in sorted(_own_imports(path) - {_part(path)})
        if _level(imported) >= _level(_part(path))
    ]
    assert upwards == []


def test_no_modules_import_one_another() -> None:
    """Not even for types alone."""
    modules = {_dotted(path): path for path in _MODULES}
    graph = {
        name: _modules_imported(path, modules.keys()) - {name} for name, path in modules.items()
    }
    assert len(list(TopologicalSorter(graph).static_order())) >= len(modules)


def _dotted(path: Path) -> str:
    parts = path.relative_to(_PACKAGE.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def _modules_imported(path: Path, known: Set[str]) -> set[str]:
    nodes = [node for node in ast.walk(_tree(path)) if isinstance(node, ast.ImportFrom)]
    names = {f"{node.module}.{name.name}" for node in nodes for name in node.names}
    modules = {node.module for node in nodes if node.module}
    # A package that is imported only for its modules is not a dependency.
    packages = {name.rpartition(".")[0] for name in names if name in known}
    return ((names | modules) & known) - packages


def test_each_library_has_one_importer() -> None:
    foreign = [
        f"{path.relative_to(_PACKAGE)} imports {name}"
        for path in _MODULES
        for name in _imports(path)
        if not str(path.relative_to(_PACKAGE)).startswith(
            _ONLY_IMPORTER.get(name.split(".")[0], "")
        )
    ]
    assert foreign == []


def test_the_core_is_pure() -> None:
    shell = {"git", "subprocess", "tempfile", "shutil", "sys", "typer", "rich"}
    for path in _MODULES:
        if _part(path) in _PURE:
            roots = {name.split(".")[0] for name in _imports(path)}
            assert not roots & shell, f"{path} imports {roots & shell}"


def test_every_module_has_a_layer() -> None:
    assert {_part(path) for path in _MODULES} == set().union(*_LAYERS)


def test_a_command_line_is_read_without_pydantic() -> None:
    script = (
        "import sys; from git_opatch.cli.main import register, run\n"
        "register()\n"
        "status = run(sys.argv[1:])\n"
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


def test_help_is_given_without_git_and_colour() -> None:
    for arguments, imported in zip(_HELP, _imported(*_HELP), strict=True):
        assert not {"git", "rich", "pydantic"} & imported, arguments
        commands = {name for name in imported if name.startswith("git_opatch.cli.commands.")}
        assert len(commands) == (arguments[1:] == ["-h"]), arguments


def test_a_command_imports_git_and_no_other_command() -> None:
    (imported,) = _imported(["apply", os.devnull])
    assert {"git.cmd", "git_opatch.cli.commands.apply"} <= imported
    assert not {"git.repo", "git.objects"} & imported
    assert not {"rich", "git_opatch.cli.commands.check", "git_opatch.cli.commands.show"} & imported


def test_all_of_gitpython_is_imported_where_a_part_does_not_do(tmp_path: Path) -> None:
    """As it would be with a version whose module for commands needs the package."""
    script = """
import os, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "git.cmd" and not hasattr(sys.modules["git"], "__version__"):
            raise ImportError(name)

sys.meta_path.insert(0, Finder())
os.environ["GIT_PYTHON_GIT_EXECUTABLE"] = os.devnull
from git_opatch.git.runner import GitRunner
assert GitRunner(".").ask("version").startswith(b"git version")
assert "git.repo" in sys.modules and "GIT_PYTHON_GIT_EXECUTABLE" not in os.environ
"""
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)


def test_another_program_has_all_of_gitpython(tmp_path: Path) -> None:
    script = """
from git_opatch.git.runner import GitRunner
GitRunner(".")
import git
assert git.Repo
"""
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)


def test_an_envelope_is_read_by_its_own_parser_alone() -> None:
    text = "*** Begin Patch\\n*** Delete File: a\\n*** End Patch\\n"
    script = (
        "import sys; from git_opatch.parse import parse_patch\n"
        f"parse_patch('{text}')\n"
        "print(*sys.modules, sep='\\n')"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    modules = {row.module for rows in (FORMATS, WRAPPERS) for row in rows.values()}
    prefix = "git_opatch.parse."
    loaded = {name.removeprefix(prefix) for name in ran.stdout.splitlines()}
    assert loaded & modules == {"envelope"}


def _imported(*runs: list[str]) -> list[set[str]]:
    """List the modules that each run of the program has imported when it ends.

    They are forks of one process, which has imported only what ends them.
    """
    script = (
        "import json, os, sys\n"
        "for words in json.loads(sys.argv[1]):\n"
        "    if not os.fork():\n"
        "        del sys.modules['json']\n"
        "        sys.argv[1:] = words\n"
        "        from git_opatch import __main__\n"
        "        end = os._exit\n"
        "        os._exit = lambda status: (print('', *sys.modules, flush=True), end(status))\n"
        "        __main__.main()\n"
        "    os.wait()\n"
    )
    command = [sys.executable, "-c", script, json.dumps(runs)]
    ran = subprocess.run(command, capture_output=True, text=True)
    found = [
        set(line.split()) for line in ran.stdout.splitlines() if " git_opatch.cli.main " in line
    ]
    assert len(found) == len(runs)
    return found
