"""The one gateway to git: small named questions, exact bytes, each odd flag with its reason.

Nobody else imports GitPython or starts git. Every command runs at the top of the working
tree with the repository named outright, because git apply in a subdirectory passes over
what lies outside it and says nothing, and with `GIT_DIR` set writes where it stands.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from git_opatch.blob import Entry, Mode
from git_opatch.errors import RepositoryError
from git_opatch.plumbing import (
    MOST_ARGUMENTS,
    OUR_CONFIG,
    OUR_PATHSPECS,
    PLAIN_DIFF,
    Answer,
    Listed,
    Settings,
    batch,
    batches,
    differing,
    fed,
    listed,
    pathspecs,
    quoted,
)
from git_opatch.selecting import Selecting
from git_opatch.text import visible

# Where git is missing, GitPython's import would fail with a traceback of its own.
os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
# Without it git apply faults in the pages of a large file anew for every hunk.
_MALLOC = {"MALLOC_TOP_PAD_": str(64 * 1024 * 1024)}


class Repository(Selecting):
    """A repository, found from a directory as git finds it.

    `top` is the top of the working tree, or None in a bare repository.
    """

    def __init__(self, directory: str | Path = ".") -> None:
        """Raises `RepositoryError`, with git's own words, if there is none."""
        from git import Git  # takes as long as all other imports: help does without

        self._git = Git(str(directory))
        self._env: dict[str, str] = {**OUR_PATHSPECS}
        found = self._run(
            "rev-parse", "--path-format=absolute", "--git-dir", "--git-path", "index",
            "--git-path", "objects", "--git-path", "hooks", "--show-object-format",
            "--show-toplevel",
        )  # fmt: skip
        names = os.fsdecode(found.output).split("\n", 5)
        if len(names) < 6:
            raise RepositoryError(visible(found.errors.removeprefix("fatal: ")))
        self.git_dir, self.index_file, self.objects, self.hooks = map(Path, names[:4])
        self.algorithm = names[4]
        self.top = Path(names[5].removesuffix("\n")) if found.status == 0 else None
        if not self.git_dir.is_dir() or self.algorithm not in ("sha1", "sha256"):
            raise RepositoryError("the path of the repository holds a newline, which is not read")
        self._git = Git(str(self.top or self.git_dir))
        self._env["GIT_DIR"] = str(self.git_dir)
        if self.top is not None:
            self._env["GIT_WORK_TREE"] = str(self.top)
        if "GIT_INDEX_FILE" in os.environ:
            self._env["GIT_INDEX_FILE"] = str(self.index_file)

    def _run(
        self,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        feed: bytes | None = None,
        keep: Sequence[int] = (),
    ) -> Answer:
        """Run git; `feed` is its standard input, `keep` are descriptors it inherits."""
        from git.exc import GitCommandNotFound

        with tempfile.TemporaryFile() as stdin:  # GitPython needs a real file
            stdin.write(feed or b"")
            stdin.seek(0)
            try:
                status, output, errors = self._git.execute(
                    ["git", *OUR_CONFIG, *arguments],
                    stdin,
                    with_extended_output=True,
                    with_exceptions=False,
                    stdout_as_string=False,
                    strip_newline_in_stdout=False,
                    env={**self._env, **(env or {})},
                    pass_fds=keep,
                    process_group=0 if keep else None,
                )
            except GitCommandNotFound:
                raise RepositoryError("git is not installed, or not on PATH") from None
        return Answer(status, output, errors)

    def _ask(
        self, *arguments: str, env: Mapping[str, str] | None = None, feed: bytes | None = None
    ) -> bytes:
        answer = self._run(*arguments, env=env, feed=feed)
        if answer.status:
            words = answer.errors.removeprefix("fatal: ").removeprefix("error: ")
            raise RepositoryError(visible(words, 2000))
        return answer.output

    def require_worktree(self) -> Path:
        """The top of the working tree. Raises `RepositoryError` if there is none."""
        if self.top is None:
            raise RepositoryError(
                "this needs a working tree, and here is none (a bare repository, or inside "
                "a git directory); `git opatch convert --base TREE-ISH` works without one"
            )
        return self.top

    def settings(self) -> Settings:
        """The user's `opatch.*` and `color.*` settings, by lower-case key."""
        answer = self._run("config", "-z", "--get-regexp", r"^(opatch\..*|color\.(ui|opatch))$")
        return Settings(answer.output)

    def list_index(
        self, paths: Iterable[str], parents: Iterable[str], *, index: Path | None = None
    ) -> list[Listed]:
        """The entries at or below `paths`, and those that are themselves one of `parents`.

        With a working tree, entries that are gone or changed there are listed again, as R
        and C. `index` is another index to read.
        """
        specs = pathspecs(paths, parents)
        if not specs:
            return []
        output = self._ask("ls-files", "-v", "-c", "-s", "-z", "--", *specs, env=_index_env(index))
        found = [listed(record) for record in output.split(b"\0")[:-1]]
        if self.top is not None and index is None:
            found += self._different({one.path for one in found} & set(paths))
        return found

    def _different(self, paths: set[str]) -> list[Listed]:
        """Those of the entries at `paths` that are gone or changed in the working tree.

        `ls-files -m` stats every file of the index unless all its arguments have a folder in
        common; `diff-files` only those asked for, but it names what merely looks changed, too.
        """
        for command in (("diff-files", "--name-only"), ("ls-files", "-v", "-d", "-m", "-s")):
            specs = pathspecs(sorted(paths))
            output = self._ask(*command, "-z", "--", *specs) if specs else b""
            paths &= {os.fsdecode(name) for name in output.split(b"\0")}
        return [listed(record) for record in output.split(b"\0")[:-1]]

    def list_tree(
        self, tree: str, paths: Sequence[str], *, recursive: bool = False
    ) -> dict[str, Entry | None]:
        """What `tree` has at each of `paths`, and below if asked; None stands for a folder."""
        self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", tree + "^{tree}")
        flags = ("-r", "-t") if recursive else ()
        output = b"".join(
            self._ask(
                "ls-tree", *flags, "-z", "--full-tree", tree, "--", *some,
                env={"GIT_LITERAL_PATHSPECS": "1"},
            )
            for some in batches(paths, MOST_ARGUMENTS)
        )  # fmt: skip
        found: dict[str, Entry | None] = {}
        for record in output.split(b"\0")[:-1]:
            about, _, path = record.partition(b"\t")
            mode, kind, oid = about.decode().split()
            found[os.fsdecode(path)] = None if kind == "tree" else Entry(Mode(mode), oid)
        return found

    def read_blobs(
        self, ids: Iterable[str], *, env: Mapping[str, str] | None = None
    ) -> dict[str, bytes]:
        """The bytes of each blob. Raises `RepositoryError` if one is missing."""
        wanted = sorted(set(ids))
        if not wanted:
            return {}
        feed = "".join(f"{oid}\n" for oid in wanted).encode()
        return dict(batch(self._ask("cat-file", "--batch", feed=feed, env=env)))

    def present(self, ids: Iterable[str]) -> set[str]:
        """Those of `ids` that the repository still has."""
        feed = "".join(f"{oid}\n" for oid in ids).encode()
        if not feed:
            return set()
        output = self._ask("cat-file", "--batch-check=%(objectname)", feed=feed).decode()
        return {line for line in output.splitlines() if not line.endswith("missing")}

    def clean_worktree(
        self, paths: Sequence[str], folder: Path, *, skipped: Sequence[str] = ()
    ) -> tuple[Path, dict[str, str]]:
        """Store the working tree's files at `paths` as `git add` would, but aside.

        Gives an index in `folder` that has them, and the environment to read their blobs in:
        nothing of the repository is written. Not `hash-object`, which follows links and passes
        over git's rule for CRLF in the index. The skip-worktree bit of `skipped` would hide files.
        """
        index, env = self._aside(folder)
        if self.index_file.exists():
            shutil.copy2(self.index_file, index)  # a younger one vouches for files changed since
        if skipped:
            self.mark("--no-skip-worktree", skipped, index=index)
        self._ask(
            "update-index", "--add", "--remove", "--replace", "-z", "--stdin",
            feed=fed(paths), env=env,
        )  # fmt: skip
        return index, env

    def rebuilt_index(
        self, entries: Mapping[str, Entry], folder: Path
    ) -> tuple[Path, dict[str, str]]:
        """An index in `folder` with `entries` alone, and an environment to write blobs aside."""
        index, env = self._aside(folder)
        feed = b"".join(
            f"{entry.mode.value} {entry.id} 0\t".encode() + os.fsencode(path) + b"\0"
            for path, entry in entries.items()
        )
        self._ask("update-index", "-z", "--index-info", feed=feed, env=env)
        return index, env

    def _aside(self, folder: Path) -> tuple[Path, dict[str, str]]:
        """An index and an object directory of their own, which reads the real objects, too."""
        index, objects = folder / "index", folder / "objects"
        objects.mkdir()
        alternates = os.environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "")
        return index, {
            "GIT_INDEX_FILE": str(index),
            "GIT_OBJECT_DIRECTORY": str(objects),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": os.pathsep.join(
                filter(None, [quoted(str(self.objects)), alternates])
            ),
        }

    def apply(
        self,
        diff: Path,
        flags: Sequence[str],
        *,
        index: Path | None = None,
        env: Mapping[str, str] | None = None,
        keep: Sequence[int] = (),
    ) -> Answer:
        """Hand a finished diff to git apply.

        The user's `apply.*` settings are overruled: the diff says all. `index` is another
        index. The process has a group of its own when it inherits descriptors, so that a
        terminal's interrupt cannot end it half-way.
        """
        where = {**_MALLOC, **_index_env(index), **(env or {})}
        arguments = ("apply", "--whitespace=nowarn", "--no-ignore-whitespace", *flags, str(diff))
        return self._run(*arguments, env=where, keep=keep)

    def refresh(self, paths: Sequence[str], *, index: Path | None = None) -> None:
        """Let the index know that files which only look changed are not."""
        self._run(
            "add", "--refresh", "--pathspec-from-file=-", "--pathspec-file-nul",
            env={**_index_env(index), "GIT_LITERAL_PATHSPECS": "1"}, feed=fed(paths),
        )  # fmt: skip

    def mark(self, flag: str, paths: Sequence[str], *, index: Path) -> None:
        """Set or clear a bit of entries of `index`, by the option of `git update-index`."""
        self._ask("update-index", flag, "-z", "--stdin", env=_index_env(index), feed=fed(paths))

    def differences(self, before: bytes, after: bytes) -> list[tuple[range, int]]:
        """Which lines of one text git's diff replaces to make another, and by how many."""
        with tempfile.TemporaryDirectory(prefix="git-opatch-") as folder:
            for name, data in (("before", before), ("after", after)):
                Path(folder, name).write_bytes(data)
            names = (f"{folder}/before", f"{folder}/after")
            output = self._run("diff", *PLAIN_DIFF, "--no-index", "--", *names).output
        return differing(output)

    def check_out(self, paths: Sequence[str], *, index: Path) -> None:
        """Write files anew from `index`, for attributes that have changed."""
        self._ask(
            "checkout-index", "-f", "-u", "-z", "--stdin", feed=fed(paths), env=_index_env(index)
        )

    def smudged(self, blobs: Mapping[str, str], env: Mapping[str, str]) -> dict[str, bytes]:
        """The bytes that git would write to the working tree, by path, for each id."""
        pairs = [(path, oid) for path, oid in blobs.items() if "\n" not in path]
        feed = b"".join(oid.encode() + b" " + os.fsencode(path) + b"\n" for path, oid in pairs)
        answer = self._run("cat-file", "--batch", "--filters", feed=feed, env=env)
        found = [data for _, data in batch(answer.output)]
        return dict(zip((path for path, _ in pairs), found, strict=False))


def _index_env(index: Path | None) -> dict[str, str]:
    return {"GIT_INDEX_FILE": str(index)} if index is not None else {}
