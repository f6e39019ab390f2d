"""The questions that git is asked: small, named, exact bytes, each odd flag with its reason.

Nobody else starts git.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from git_opatch.blob import Entry, Mode
from git_opatch.gateway import Gateway
from git_opatch.plumbing import (
    MOST_ARGUMENTS,
    PLAIN_DIFF,
    Answer,
    Listed,
    batch,
    batches,
    differing,
    escaped,
    listed,
    pathspecs,
    quoted,
)

# Without it git apply faults in the pages of a large file anew for every hunk.
_MALLOC = {"MALLOC_TOP_PAD_": str(64 * 1024 * 1024)}


class Repository(Gateway):
    """What git knows of a repository, and the few things that it is told to do there."""

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
        answer = self._run("cat-file", "--batch-check=%(objectname)", feed=feed)
        return {line for line in answer.output.decode().splitlines() if not line.endswith("missing")}

    def tracked_like(self, path: str) -> list[str]:
        """The tracked paths that end alike, or stand in the same folder."""
        folder, _, name = path.rpartition("/")
        beside = f"{escaped(folder)}/*" if folder else "*"
        globs = (f":(top,glob,icase)**/{escaped(name)}", f":(top,glob){beside}")
        output = self._ask("ls-files", "-z", "--", *globs)
        return [os.fsdecode(name) for name in output.split(b"\0")[:-1]]

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
        feed = b"".join(os.fsencode(path) + b"\0" for path in paths)
        self._ask(
            "update-index", "--add", "--remove", "--replace", "-z", "--stdin", feed=feed, env=env
        )
        return index, env

    def rebuilt_index(
        self, entries: Mapping[str, Entry], folder: Path, *beside: Path
    ) -> tuple[Path, dict[str, str]]:
        """An index in `folder` with `entries` alone, whose blobs may be `beside` (see
        `clean_worktree`), and an environment to write blobs aside."""
        index, env = self._aside(folder, *beside)
        feed = b"".join(
            f"{entry.mode.value} {entry.id} 0\t".encode() + os.fsencode(path) + b"\0"
            for path, entry in entries.items()
        )
        self._ask("update-index", "-z", "--index-info", feed=feed, env=env)
        return index, env

    def _aside(self, folder: Path, *beside: Path) -> tuple[Path, dict[str, str]]:
        """An index and an object directory of their own, which reads the real objects, too."""
        index, objects = folder / "index", folder / "objects"
        objects.mkdir()
        others = [quoted(str(one)) for one in (self.objects, *(it / "objects" for it in beside))]
        others.append(os.environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", ""))
        return index, {
            "GIT_INDEX_FILE": str(index),
            "GIT_OBJECT_DIRECTORY": str(objects),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": os.pathsep.join(filter(None, others)),
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
        return self.run(*arguments, env=where, keep=keep)

    def refresh(self, paths: Sequence[str], *, index: Path | None = None) -> None:
        """Let the index know that files which only look changed are not."""
        feed = b"".join(os.fsencode(path) + b"\0" for path in paths)
        self.run(
            "add", "--refresh", "--pathspec-from-file=-", "--pathspec-file-nul",
            env={**_index_env(index), "GIT_LITERAL_PATHSPECS": "1"}, feed=feed,
        )  # fmt: skip

    def mark(self, flag: str, paths: Sequence[str], *, index: Path) -> None:
        """Set or clear a bit of entries of `index`, by the option of `git update-index`."""
        feed = b"".join(os.fsencode(path) + b"\0" for path in paths)
        self._ask("update-index", flag, "-z", "--stdin", env=_index_env(index), feed=feed)

    def differences(self, before: bytes, after: bytes) -> list[tuple[range, int]]:
        """Which lines of one text git's diff replaces to make another, and by how many."""
        with tempfile.TemporaryDirectory(prefix="git-opatch-") as folder:
            for name, data in (("before", before), ("after", after)):
                Path(folder, name).write_bytes(data)
            names = (f"{folder}/before", f"{folder}/after")
            output = self.run("diff", *PLAIN_DIFF, "--no-index", "--", *names).output
        return differing(output)

    def check_out(self, paths: Sequence[str], *, index: Path) -> None:
        """Write files anew from `index`, for attributes that have changed."""
        feed = b"".join(os.fsencode(path) + b"\0" for path in paths)
        self._ask("checkout-index", "-f", "-u", "-z", "--stdin", feed=feed, env=_index_env(index))

    def smudged(self, blobs: Mapping[str, str], env: Mapping[str, str]) -> dict[str, bytes]:
        """The bytes that git would write to the working tree, by path, for each id."""
        pairs = [(path, oid) for path, oid in blobs.items() if "\n" not in path]
        feed = b"".join(oid.encode() + b" " + os.fsencode(path) + b"\n" for path, oid in pairs)
        answer = self.run("cat-file", "--batch", "--filters", feed=feed, env=env)
        found = [data for _, data in batch(answer.output)]
        return dict(zip((path for path, _ in pairs), found, strict=False))


def _index_env(index: Path | None) -> dict[str, str]:
    return {"GIT_INDEX_FILE": str(index)} if index is not None else {}
