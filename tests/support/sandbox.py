"""A real repository in a sealed environment, and the program run in it."""

from __future__ import annotations

import atexit
import fcntl
import hashlib
import os
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import inside
import pytest

from git_opatch.transaction import lock

Tree = dict[str, tuple[str, bytes]]
"""Mode and content by path."""


@dataclass(frozen=True)
class Ran:
    """The result of a command."""

    status: int
    out: bytes
    err: str


def seal(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test see the caller's git configuration, identity or repository.

    Of the caller's environment is kept what Python and the system need. Programs in Python write
    bytecode, even if the caller does not: hundreds of them are started.
    """
    for name in [*os.environ]:
        if not name.startswith(_KEPT) or name == "PYTHONDONTWRITEBYTECODE":
            monkeypatch.delenv(name)
    for name, value in {
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
        "PAGER": "cat",
        "PATH": str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"],
    }.items():
        monkeypatch.setenv(name, value)


_KEPT = (
    *("PATH", "PWD", "SHELL", "TERM", "TMPDIR", "TZ", "USER", "LOGNAME", "CI", "LD_", "DYLD_"),
    *("PIP_", "PY", "COV", "HYPOTHESIS", "OPATCH_", "RAY_", "SSL_", "VIRTUAL_ENV"),
)
_START = (sys.executable, "-P", "-c", "from git_opatch.__main__ import main; main()")
"""How this Python, whose path some tests know, starts the program."""

_AT_START = ("LC_", "LAN", "LD_", "PYT")
"""How the names begin that Python, or the system, looks at when a program starts."""
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

    def copy(self, path: Path) -> Sandbox:
        """Copy this repository to `path`; its index knows the copied files."""
        shutil.copytree(self.path, path, symlinks=True)
        copied = Sandbox(path)
        copied.run("git", "update-index", "-q", "--refresh")
        return copied

    def run(
        self,
        *words: str | bytes,
        feed: bytes = b"",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Ran:
        """Run a program; run `git opatch` in this process if that makes no difference."""
        at_start = any(name == "PATH" or name[:3] in _AT_START for name in env or ())
        is_ours = words[:2] == ("git", "opatch") and words[2:3] != ("--help",)
        if self.as_program or at_start or not is_ours:
            return self.program(*words, feed=feed, cwd=cwd, env=env)
        command = [os.fsdecode(word) for word in words]
        status, out, err = inside.run(command, feed, cwd or self.path, env or {})
        return Ran(status, out, err.decode("utf-8", "replace"))

    def program(
        self,
        *words: str | bytes,
        feed: bytes = b"",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        seconds: int = 120,
    ) -> Ran:
        """Run a program in a separate process, even `git opatch`, for so many seconds at most."""
        done = subprocess.run(
            words,
            cwd=cwd or self.path,
            input=feed,
            capture_output=True,
            env={**os.environ, **(env or {})},
            timeout=seconds,
        )
        return Ran(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))

    def direct(
        self,
        *command: str,
        feed: bytes = b"",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        fork: bool = False,
        prepare: Callable[[], object] = list,
    ) -> Ran:
        """Run `git-opatch`, or its path: not by git, which puts its own directory first in PATH.

        It runs in a `fork` of this process where it, or its parent, is killed; after `prepare`.
        """
        if self.as_program and prepare is list:
            start = _START if command[0] == "git-opatch" else command[:1]
            return self.program(*start, *command[1:], feed=feed, cwd=cwd, env=env)
        where = cwd or self.path
        one = inside.run(command, feed, where, env or {}) if not fork else None
        status, out, err = one or inside.run_forked([command], feed, where, env or {}, prepare)[0]
        ran = Ran(status, out, err.decode("utf-8", "replace"))
        assert "Traceback" not in ran.err, ran.err
        return ran

    def all_at_once(self, commands: Iterable[Sequence[str]]) -> list[Ran]:
        """Run `git-opatch` with the words of each command, all at the same time."""
        programs = [("git-opatch", *words) for words in commands]
        ended = inside.run_forked(programs, b"", self.path, {})
        return [Ran(status, out, err.decode()) for status, out, err in ended]

    @contextmanager
    def at_work(self, name: str = ".git/opatch/lock", patience: float = 0) -> Iterator[None]:
        """Hold a lock, as another run that is at work, for which nobody waits longer."""
        with (self.path / name).open("w") as file, self.patience(patience):
            fcntl.flock(file, fcntl.LOCK_EX)
            print(1234, end="", file=file, flush=True)  # its process
            yield

    @contextmanager
    def patience(self, seconds: float) -> Iterator[None]:
        """Let runs in this process wait so many seconds for others."""
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(lock, "PATIENCE", seconds)
            yield

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

    def merged(self, *words: str) -> Ran:
        """Run `git opatch` with both its output streams in one."""
        if self.as_program:
            return self.run("sh", "-c", f"exec 2>&1\n{shlex.join(('git', 'opatch', *words))}")
        status, out, _ = inside.run(("git", "opatch", *words), b"", self.path, {}, merged=True)
        return Ran(status, out, "")

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
        entries = {os.fsdecode(name): (mode, oid) for name, mode, oid, _ in self.entries()}
        blobs = self.blobs(sorted({oid for mode, oid in entries.values() if mode != "160000"}))
        return {name: (mode, blobs.get(oid, b"")) for name, (mode, oid) in entries.items()}

    def entries(self) -> list[tuple[bytes, str, bytes, bytes]]:
        """Return name, mode, object id and flags of every entry of the index, as it has them.

        An index of a form that is seldom used is read by git, which starts a process for it.
        """
        path = self.path / ".git/index"
        raw = path.read_bytes() if path.is_file() else b""
        version, count = struct.unpack(">4xII", raw[:12]) if raw else (0, 0)
        size = 32 if raw and hashlib.sha256(raw[:-32]).digest() == raw[-32:] else 20
        entries, at = [], 12
        for _ in range(count if version in (2, 3) else 0):
            oid, flags = at + 40, at + 40 + size
            start = flags + (4 if raw[flags] & 0x40 else 2)
            end = raw.index(b"\0", start)
            mode = f"{int.from_bytes(raw[at + 24 : at + 28]):06o}"
            about = bytes([raw[flags] & 0xF0]) + raw[flags + 2 : start]
            entries.append((raw[start:end], mode, raw[oid:flags].hex().encode(), about))
            at += (end - at + 8) // 8 * 8
        extensions = set[bytes]()
        while version in (2, 3) and at < len(raw) - size:
            extensions.add(raw[at : at + 4])
            at += 8 + int.from_bytes(raw[at + 4 : at + 8])
        if version not in (2, 3) or extensions & {b"link", b"sdir"}:
            listed = self.git("ls-files", "-s", "-v", "-z").split(b"\0")[:-1]
            fields = [(each.partition(b"\t")[2], *each.split(None, 4)[:4]) for each in listed]
            return [
                (name, mode.decode(), oid, tag + stage) for name, tag, mode, oid, stage in fields
            ]
        return entries

    def blobs(self, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the content of each blob; ask git only for those in packs."""
        found = {oid: content for oid in ids if (content := self._loose_blob(oid)) is not None}
        packed = [oid for oid in ids if oid not in found]
        if not packed:
            return found
        listed = self.git("cat-file", "--batch", feed=b"".join(oid + b"\n" for oid in packed))
        while listed:
            header, _, rest = listed.partition(b"\n")
            oid, _, size = header.split()
            found[oid], listed = rest[: int(size)], rest[int(size) + 1 :]
        return found

    def _loose_blob(self, oid: bytes) -> bytes | None:
        name = oid.decode()
        path = self.path / ".git/objects" / name[:2] / name[2:]
        if not path.exists():
            return None
        header, _, content = zlib.decompress(path.read_bytes()).partition(b"\0")
        assert header == b"blob %d" % len(content)
        return content

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
        """Return all objects of the repository; ask git if it has packs or other directories."""
        directory = self.path / ".git/objects"
        if directory.is_dir() and not any(
            os.listdir(directory / name) for name in ("info", "pack")
        ):
            return sorted(path.parent.name + path.name for path in directory.glob("??/[!t]*"))
        listed = self.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
        return sorted(listed.decode().split())

    def state(self) -> tuple[object, ...]:
        """Return all that a refusal must not change: files, index, HEAD, objects."""
        return (self.files(), self.entries(), self._head(), self.objects())

    def _head(self) -> bytes:
        """Return the commit of HEAD; ask git if it is not in a file."""
        directory = self.path / ".git"
        if directory.is_dir():
            head = (directory / "HEAD").read_bytes()
            branch = directory / os.fsdecode(head.removeprefix(b"ref: ").rstrip(b"\n"))
            if not head.startswith(b"ref: "):
                return head
            if branch.is_file():
                return branch.read_bytes()
        return self.run("git", "rev-parse", "HEAD").out

    def fsck(self) -> None:
        """Assert that git finds no error in objects, references and index.

        There are no files of commit graphs and of several packs, for which it starts processes.
        """
        without = ("-c", "core.commitGraph=false", "-c", "core.multiPackIndex=false")
        assert self.git(*without, "fsck", "--strict", "--no-dangling", "--no-progress") == b""
