"""Call one library on one patch in the current directory; run by a Python that has the library.

    python drivers.py MODULE PATCH

Ends with status 0 if the library reports success.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace


def mpatch(text: str) -> None:
    """Apply with the mpatch library, set to write all or nothing."""
    library = importlib.import_module("mpatch")
    outcome = library.apply_patches_to_dir(library.parse_patches(text), ".", atomic=True)
    if not outcome or not outcome.all_applied_cleanly:
        raise ValueError("not applied cleanly")


def codex_apply_patch(text: str) -> None:
    """Apply with the Python binding of the codex crate, which returns nothing when it fails."""
    if not importlib.import_module("codex_apply_patch").apply_patch(text):
        raise ValueError("not applied")


def agents(text: str) -> None:
    """Apply with the diff function of the agents SDK, once per file; its caller handles the files.

    The module is loaded by itself, since the whole SDK takes seconds. Here nothing is written
    unless all files succeed.
    """
    library = _load("agents", "apply_diff.py")
    outcomes = {}
    for section in text.removesuffix("*** End Patch\n").split("*** Update File: ")[1:]:
        name, _, diff = section.partition("\n")
        path = _inside(name)
        outcomes[path] = library.apply_diff(path.read_bytes().decode(), diff)
    for path, outcome in outcomes.items():
        path.write_bytes(outcome.encode())


def _inside(name: str) -> Path:
    """Return the path of this file. Raises `ValueError` if it is outside the working tree.

    For libraries that leave this check to their callers, which all make it.
    """
    path = Path(name).resolve()
    if not path.is_relative_to(Path.cwd()) or ".git" in path.parts:
        raise ValueError(f"{name} is outside of the working tree")
    return path


def _load(package: str, file: str) -> ModuleType:
    """Load a module of a package without the package. Raises `ImportError`."""
    found = importlib.util.find_spec(package)
    path = Path((found and found.origin) or "").with_name(file)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def aider(text: str) -> None:
    """Apply with aider's coder for unified diffs, reading and writing as its terminal does.

    Each file's diff is fenced by itself, as its prompt asks for.
    """
    coders = importlib.import_module("aider.coders.udiff_coder")
    terminal = importlib.import_module("aider.io")

    files = re.split(r"^(?=--- .*\n\+\+\+ )", text, flags=re.MULTILINE)[1:]
    coder = SimpleNamespace(
        partial_response_content="".join(f"```diff\n{file}```\n" for file in files),
        abs_root_path=lambda path: str(_inside(path)),
        io=terminal.InputOutput(pretty=False, yes=True),
    )
    edits = coders.UnifiedDiffCoder.get_edits(coder)
    if not edits:
        raise ValueError("no edits found")
    coders.UnifiedDiffCoder.apply_edits(coder, edits)


DRIVERS = {driver.__name__: driver for driver in (mpatch, codex_apply_patch, agents, aider)}

if __name__ == "__main__":
    DRIVERS[sys.argv[1]](Path(sys.argv[2]).read_bytes().decode())
