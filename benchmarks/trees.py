"""Trees of files, and git without the configuration of this machine and user."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

Tree = Mapping[str, bytes]
"""The content of files by path."""

MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None
"""Where temporary directories are made that need no disk."""


def read_tree(top: Path) -> dict[str, bytes]:
    """The files below a directory, but for git's own, and for rejects and backups."""
    tree = {}
    for path in sorted(top.rglob("*")):
        name = path.relative_to(top).as_posix()
        if path.is_file() and not name.startswith(".git/") and path.suffix not in (".rej", ".orig"):
            tree[name] = path.read_bytes()
    return tree


def write_tree(top: Path, tree: Tree) -> None:
    """Write files below a directory."""
    for name, data in tree.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def seal(home: str | Path) -> dict[str, str]:
    """The caller's environment without what changes how git works; `home` has no configuration."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    people = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "a"), ("EMAIL", "a@b"), ("DATE", "2024-01-02T03:04:05Z"))
    }
    sealed = {"HOME": str(home), "XDG_CONFIG_HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}
    return kept | people | sealed | {"LC_ALL": "C.UTF-8", "NO_COLOR": "1"}


def git(directory: Path, *words: str, feed: bytes = b"") -> bytes:
    """Run git in a directory, or in a git directory, and return what it prints."""
    command = ("git", "-C", str(directory), "-c", "core.autocrlf=false", *words)
    env = seal(os.devnull)
    return subprocess.run(command, input=feed, env=env, check=True, stdout=subprocess.PIPE).stdout
