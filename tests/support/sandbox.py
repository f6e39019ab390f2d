"""A real repository in a sealed environment, and the program run in it."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import inside
import pytest

Tree = dict[str, tuple[str, bytes]]
"""Mode and content by path."""


@dataclass(frozen=True)
class Ran:
    """The result of a command."""

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
    """Return the environment of every test: no `GIT_*` of the caller, no configuration but ours."""
    sizes = ("COLUMNS", "LINES")  # of the caller's terminal
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") and name not in sizes
    }
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


_INIT = ("init", "--quiet", "--initial-branch=main")


def _as_in_template(options: Sequence[str]) -> bool:
    """Return whether a new repository is the same wherever it is created."""
    known = all(option.startswith("--object-format=") for option in options)
    settings = [Path(os.environ["HOME"], ".gitconfig"), Path(os.environ["XDG_CONFIG_HOME"], "git")]
    asked = os.environ.keys() & {"GIT_DIR", "GIT_TEMPLATE_DIR", "GIT_CONFIG_COUNT"}
    return known and not asked and not any(map(os.path.exists, settings))


@cache
def _template(options: tuple[str, ...]) -> Path:
    """Create a repository to copy, without the sample hooks."""
    directory = Path(tempfile.mkdtemp(prefix="git-opatch-tests-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    subprocess.run(["git", *_INIT, *options], cwd=directory, check=True)
    for example in directory.glob(".git/hooks/*.sample"):
        example.unlink()
    return directory


def _acts_at_start(words: Sequence[str | bytes], env: Mapping[str, str]) -> bool:
    """Return whether git itself handles the command line, or Python or the system `env`."""
    if words[2:3] == ("--help",):
        return True
    return any(name == "PATH" or name[:3] in ("LC_", "LAN", "LD_", "PYT") for name in env)


class Sandbox:
    """Create a repository object for `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    as_program = False
    """Whether each run of `git opatch` is one of the real program; `--as-program` says so."""

    def init(self, *options: str) -> Sandbox:
        self.path.mkdir(parents=True, exist_ok=True)
        if (self.path / ".git").exists() or not _as_in_template(options):
            self.git(*_INIT, *options)
        else:
            shutil.copytree(_template(options), self.path, dirs_exist_ok=True)
        return self

    def run(
        self,
        *words: str | bytes,
        feed: bytes = b"",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Ran:
        """Run a program; run `git opatch` in this process if that makes no difference."""
        if words[:2] != ("git", "opatch") or self.as_program or _acts_at_start(words, env or {}):
            return self.program(*words, feed=feed, cwd=cwd, env=env)
        rest = [os.fsdecode(word) for word in words[2:]]
        status, out, err = inside.run(rest, feed, cwd or self.path, env or {})
        return Ran(status, out, err.decode("utf-8", "replace"))

    def program(
        self,
        *words: str | bytes,
        feed: bytes = b"",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Ran:
        """Run a program in a separate process, even `git opatch`."""
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
        """Run `git opatch`, and assert that it catches all exceptions."""
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
        self.git("-c", "maintenance.auto=false", "commit", "-q", "--allow-empty", "-m", "commit")

    def index(self) -> Tree:
        """Return mode and content of every file in the index."""
        tree: Tree = {}
        for record in self.git("ls-files", "-s", "-z").split(b"\0")[:-1]:
            about, _, name = record.partition(b"\t")
            mode, oid, _ = about.split()
            tree[os.fsdecode(name)] = (mode.decode(), oid)
        ids = sorted({oid for mode, oid in tree.values() if mode != "160000"})
        blobs = self.blobs(ids)
        return {name: (mode, blobs.get(oid, b"")) for name, (mode, oid) in tree.items()}

    def blobs(self, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the content of each blob."""
        found: dict[bytes, bytes] = {}
        listed = self.git("cat-file", "--batch", feed=b"".join(oid + b"\n" for oid in ids))
        while listed:
            header, _, rest = listed.partition(b"\n")
            oid, _, size = header.split()
            found[oid], listed = rest[: int(size)], rest[int(size) + 1 :]
        return found

    def files(self) -> Tree:
        """Return mode and content of every file in the working tree, tracked or not."""
        tree: Tree = {}
        for directory, directories, names in os.walk(self.path):
            if ".git" in directories:
                directories.remove(".git")
            for name in [*names, *(n for n in directories if os.path.islink(f"{directory}/{n}"))]:
                path = Path(directory) / name
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
        """Return all objects of the repository."""
        listed = self.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
        return sorted(listed.decode().split())

    def state(self) -> tuple[object, ...]:
        """Return all that a refusal must not change: files, index, HEAD, objects."""
        head = self.run("git", "rev-parse", "HEAD").out
        stages = self.git("ls-files", "-s", "-v", "-z")
        return (self.files(), stages, head, self.objects())

    def fsck(self) -> None:
        """Assert that git finds no error in objects, references and index."""
        assert self.git("fsck", "--strict", "--no-dangling", "--no-progress") == b""
