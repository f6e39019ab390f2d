"""Write each failed case to a directory, for inspection."""

from __future__ import annotations

import difflib
import shutil
from collections.abc import Iterator
from pathlib import Path

from model import Tree
from trial import Result


def write_failure(directory: Path, result: Result) -> None:
    """Write the case of `result`, the expected files and the outcome to a directory."""
    case = result.case
    target = directory / case.name
    shutil.rmtree(target, ignore_errors=True)
    expected = case.draft.base if case.draft.expected is None else case.draft.expected
    for name, tree in (("base", case.draft.base), ("expected", expected), ("got", result.got)):
        _write_tree(target / name, tree)
    (target / "patch.txt").write_bytes(result.patch.encode())
    (target / "stderr.txt").write_text(result.message, "utf-8")
    (target / "difference.diff").write_bytes("".join(_difference(expected, result.got)).encode())
    (target / "about.txt").write_text(
        f"class: {case.kind}\nwanted: {case.wanted.value}\noutcome: {result.outcome.value}\n"
        f"style: {case.style}\ncommit: {case.commit.repository} {case.commit.id}\n",
        "utf-8",
    )


def _write_tree(directory: Path, tree: Tree) -> None:
    for path, data in tree.items():
        name = path.replace("..", "up").replace("@ROOT@", "root").replace(".git/", "git/")
        file = directory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def _difference(expected: Tree, got: Tree) -> Iterator[str]:
    for path in sorted({*expected, *got}):
        yield from difflib.unified_diff(
            _lines(expected.get(path, b"")),
            _lines(got.get(path, b"")),
            f"expected/{path}",
            f"got/{path}",
        )


def _lines(data: bytes) -> list[str]:
    text = data.decode(errors="replace")
    return [line + "\n" for line in text.removesuffix("\n").split("\n")] if text else []
