"""A real repository in a sealed environment, and the real program run in it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

Tree = dict[str, tuple[str, bytes]]
"""Mode and content by path."""


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    status: int
    out: bytes
    err: str


def seal(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test see the caller's git configuration, identity or repository."""
    environment = sealed_environment(home)
    for name in set(os.environ) - set(environment):
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)


def sealed_environment(home: Path) -> dict[str, str]:
    """The environment of every test: no `GIT_*` of the caller, no configuration but ours."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    scripts = str(Path(sys.executable).parent)
    return {
        **kept,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_NAME": "A U Thor",
        "GIT_AUTHOR_EMAIL": "author@example.com",
        "GIT_AUTHOR_DATE": "2024-01-02T03:04:05Z",
        "GIT_COMMITTER_NAME": "C O Mitter",
        "GIT_COMMITTER_EMAIL": "committer@example.com",
        "GIT_COMMITTER_DATE": "2024-01-02T03:04:05Z",
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "",
        "PATH": scripts + os.pathsep + os.environ["PATH"],
    }


class Sandbox:
    """A repository at `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def init(self, *options: str) -> Sandbox:
        self.path.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main", *options)
        return self

    def run(
        self,
        *words: str | bytes,
        feed: bytes = b"",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Ran:
        done = subprocess.run(
            words,
            cwd=cwd or self.path,
            input=feed,
            capture_output=True,
            env={**os.environ, **(env or {})},
            timeout=120,
        )
        return Ran(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))

    def git(self, *words: str | bytes, feed: bytes = b"") -> bytes:
        ran = self.run("git", *words, feed=feed)
        assert ran.status == 0, ran.err
        return ran.out

    def opatch(
        self,
        *words: str,
        feed: bytes = b"",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Ran:
        """Run the real `git opatch`."""
        ran = self.run("git", "opatch", *words, feed=feed, cwd=cwd, env=env)
        assert "Traceback" not in ran.err, ran.err
        return ran

    def write(self, name: str, content: bytes | str) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def read(self, name: str) -> bytes:
        return (self.path / name).read_bytes()

    def commit(self, files: Mapping[str, bytes | str] | None = None) -> None:
        """Write `files` and commit everything as it is."""
        for name, content in (files or {}).items():
            self.write(name, content)
        self.git("add", "-A")
        self.git("commit", "--quiet", "--allow-empty", "-m", "commit")

    def index(self) -> Tree:
        """Mode and content of everything in the index."""
        tree: Tree = {}
        for record in self.git("ls-files", "-s", "-z").split(b"\0")[:-1]:
            about, _, name = record.partition(b"\t")
            mode, oid, _ = about.split()
            tree[os.fsdecode(name)] = (mode.decode(), oid)
        ids = sorted({oid for mode, oid in tree.values() if mode != "160000"})
        blobs = self.blobs(ids)
        return {name: (mode, blobs.get(oid, b"")) for name, (mode, oid) in tree.items()}

    def blobs(self, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        """The content of each blob."""
        found: dict[bytes, bytes] = {}
        listed = self.git("cat-file", "--batch", feed=b"".join(oid + b"\n" for oid in ids))
        while listed:
            header, _, rest = listed.partition(b"\n")
            oid, _, size = header.split()
            found[oid], listed = rest[: int(size)], rest[int(size) + 1 :]
        return found

    def files(self) -> Tree:
        """Mode and content of everything in the working tree, tracked or not."""
        tree: Tree = {}
        for folder, folders, names in os.walk(self.path):
            if ".git" in folders:
                folders.remove(".git")
            for name in [*names, *(n for n in folders if os.path.islink(f"{folder}/{n}"))]:
                path = Path(folder) / name
                if path == self.path / ".git":
                    continue
                key = os.path.relpath(path, self.path)
                if path.is_symlink():
                    tree[key] = ("120000", os.fsencode(os.readlink(path)))
                else:
                    mode = "100755" if path.stat().st_mode & 0o100 else "100644"
                    tree[key] = (mode, path.read_bytes())
        return tree

    def objects(self) -> list[str]:
        """Every object that the repository has."""
        listed = self.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
        return sorted(listed.decode().split())

    def state(self) -> tuple[object, ...]:
        """All that a refusal must leave as it was: files, index, HEAD, objects."""
        head = self.run("git", "rev-parse", "HEAD").out
        stages = self.git("ls-files", "-s", "-v", "-z")
        return (self.files(), stages, head, self.objects())

    def fsck(self) -> None:
        """Git finds nothing wrong: no object, no reference, no entry of the index."""
        assert self.git("fsck", "--strict", "--no-dangling", "--no-progress") == b""
