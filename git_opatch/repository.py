"""The questions that git is asked: small, named, exact bytes, each odd flag with its reason.

Nobody else starts git.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from git_opatch.blob import Entry, Mode, blob_id
from git_opatch.gateway import Gateway, printed
from git_opatch.plumbing import (
    MOST_ARGUMENTS,
    PLAIN_DIFF,
    Answer,
    Listed,
    batch,
    batches,
    differing,
    fed,
    listed,
    pathspecs,
    quoted,
)
from git_opatch.selecting import Selecting
from git_opatch.text import Text

# Without it git apply faults in the pages of a large file anew for every hunk.
_MALLOC = {"MALLOC_TOP_PAD_": str(64 * 1024 * 1024)}
_ALTERNATES = "GIT_ALTERNATE_OBJECT_DIRECTORIES"


class Repository(Gateway, Selecting):
    """What git knows of a repository, and the few things that it is told to do there."""

    def list_index(
        self,
        paths: Iterable[str],
        parents: Iterable[str],
        *,
        index: Path | None = None,
        compare: bool = False,
    ) -> list[Listed]:
        """The entries at or below `paths`, and those that are themselves one of `parents`.

        With a working tree, entries that are only intended to be added are listed again, as
        A, and if asked to `compare` those that are gone or changed there, as R and C. That may
        run the user's filters. `index` is another index to read.
        """
        specs = pathspecs(paths, parents)
        if not specs:
            return []
        wanted = set(paths)
        ours = self.top is not None and index is None
        compared = self._compare(wanted) if compare and ours and wanted else None
        output = self.ask("ls-files", "-v", "-c", "-s", "-z", "--", *specs, env=self._with(index))
        found = [listed(record) for record in output.split(b"\0")[:-1]]
        if ours:
            empty = blob_id(Text([]), self.algorithm)
            named = (one for one in found if one.path in wanted)
            unsure = [one for one in named if compare or one.entry.id == empty]
            found += self._different(unsure, compared)
        return found

    def _different(
        self, entries: Sequence[Listed], compared: Callable[[], Answer] | None
    ) -> list[Listed]:
        """Those of `entries` that are not in the working tree what they are in the index.

        `compared` gives what git finds of them, if it is asked already.
        """
        paths, hidden = {one.path for one in entries}, [one for one in entries if one.tag.islower()]
        if not hidden:
            return self._differing(paths, compared or self._compare(paths)) if paths else []
        with tempfile.TemporaryDirectory(prefix="git-opatch-") as folder:
            self._aside(Path(folder))
            env = self._with(self._copied_index(Path(folder), hidden))
            return self._differing(paths, self._compare(paths, env), env)

    def _compare(
        self, paths: set[str], env: Mapping[str, str] | None = None
    ) -> Callable[[], Answer]:
        """Begin to compare entries with the working tree.

        `ls-files -m` stats every file of the index unless all its arguments have a folder in
        common; `diff-files` only those asked for, but it names what merely looks changed, too,
        and would run git in a submodule, by that repository's configuration.
        """
        wanted = ("--ita-invisible-in-index", "--ignore-submodules", "--name-status", "-z")
        return self.begin("diff-files", *wanted, "--", *pathspecs(sorted(paths)), env=env)

    def _differing(
        self,
        paths: set[str],
        compared: Callable[[], Answer],
        env: Mapping[str, str] | None = None,
    ) -> list[Listed]:
        """The entries at `paths` that are gone, changed or only intended."""
        said = os.fsdecode(printed(compared())).split("\0")
        status, names = (said[at:-1:2] for at in (0, 1))
        intended = {name for name, letter in zip(names, status, strict=True) if letter == "A"}
        specs = pathspecs(sorted(paths.intersection(names)))
        flags = ("-v", "-d", "-m", "-s")
        output = self.ask("ls-files", *flags, "-z", "--", *specs, env=env) if specs else b""
        found = map(listed, output.split(b"\0")[:-1])
        return [one._replace(tag="A") if one.path in intended else one for one in found]

    def list_tree(
        self, tree: str, paths: Sequence[str], *, recursive: bool = False
    ) -> dict[str, Entry | None]:
        """What `tree` has at each of `paths`, and below if asked; None stands for a folder."""
        self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", tree + "^{tree}")
        flags = ("-r", "-t") if recursive else ()
        output = b"".join(
            self.ask(
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
        return dict(batch(self.ask("cat-file", "--batch", feed=feed, env=env)))

    def present(self, ids: Iterable[str]) -> set[str]:
        """Those of `ids` that the repository still has."""
        feed = "".join(f"{oid}\n" for oid in ids).encode()
        if not feed:
            return set()
        answer = self.run("cat-file", "--batch-check=%(objectname)", feed=feed)
        return {
            line for line in answer.output.decode().splitlines() if not line.endswith("missing")
        }

    def clean_worktree(
        self, paths: Sequence[str], folder: Path, *, hidden: Sequence[Listed] = ()
    ) -> tuple[Path, dict[str, str]]:
        """Store the working tree's files at `paths` as `git add` would, but aside.

        Gives an index in `folder` that has them, and the environment to read their blobs in:
        nothing of the repository is written. Not `hash-object`, which follows links and passes
        over git's rule for CRLF in the index. `hidden` are entries with bits that hide files.
        """
        env = self._aside(folder)
        index = self._copied_index(folder, hidden)
        self.ask(
            "update-index", "--add", "--remove", "--replace", "-z", "--stdin",
            feed=fed(paths), env=env,
        )  # fmt: skip
        return index, env

    def rebuilt_index(
        self, entries: Mapping[str, Entry], folder: Path, *beside: Path
    ) -> tuple[Path, dict[str, str]]:
        """An index in `folder` with `entries` alone, whose blobs may be `beside` (see
        `clean_worktree`), and an environment to write blobs aside."""
        index, env = folder / "index", self._aside(folder, *beside)
        feed = b"".join(
            f"{entry.mode.value} {entry.id} 0\t".encode() + os.fsencode(path) + b"\0"
            for path, entry in entries.items()
        )
        self.ask("update-index", "-z", "--index-info", feed=feed, env=env)
        return index, env

    def _copied_index(self, folder: Path, hidden: Sequence[Listed]) -> Path:
        """A copy of the index, in which no bit lets git pass over the files of `hidden`."""
        index = folder / "index"
        if self.index_file.exists():
            shutil.copy2(self.index_file, index)  # a younger one vouches for files changed since
        for flag, tags in (("--no-skip-worktree", "Ss"), ("--no-assume-unchanged", "hs")):
            paths = [one.path for one in hidden if one.tag in tags]
            if paths:
                self.mark(flag, paths, index=index)
        return index

    def outside_sparse_checkout(self, paths: Sequence[str]) -> set[str]:
        """Those of `paths`, none of which is tracked, that the sparse checkout leaves out.

        Git says it of an index that has them alone, and of a working tree that has nothing.
        """
        if not paths or not (self.git_dir / "info/sparse-checkout").exists():
            return set()
        empty = Entry(Mode.REGULAR, blob_id(Text([]), self.algorithm))
        with tempfile.TemporaryDirectory(prefix="git-opatch-") as folder:
            top = Path(folder, "top")
            top.mkdir()
            index, env = self.rebuilt_index(dict.fromkeys(paths, empty), Path(folder))
            # a sparse index would have the folder for the file
            again = ("-c", "index.sparse=false", "sparse-checkout", "reapply")
            if self.run(*again, env={**env, "GIT_WORK_TREE": str(top)}).status:
                return set()  # it is no sparse checkout any more
            return {one.path for one in self.list_index(paths, [], index=index) if one.tag == "S"}

    def _aside(self, folder: Path, *beside: Path) -> dict[str, str]:
        """For an index and objects of their own in `folder`, which reads the real ones, too."""
        (folder / "objects").mkdir()
        return self._apart(folder / "index", *beside)

    def _apart(self, index: Path, *beside: Path) -> dict[str, str]:
        folders = [self.objects, *(it / "objects" for it in beside)]
        others = [*(quoted(str(one)) for one in folders), os.environ.get(_ALTERNATES, "")]
        return {
            **_index_env(index),
            "GIT_OBJECT_DIRECTORY": str(index.parent / "objects"),
            _ALTERNATES: os.pathsep.join(filter(None, others)),
        }

    def _with(self, index: Path | None) -> dict[str, str]:
        """For another index, and the objects beside it: git writes trees where it only reads an
        index that is to be a sparse one."""
        objects = index.parent / "objects" if index is not None else self.objects
        if index is None or objects == self.objects or not objects.is_dir():
            return _index_env(index)
        return self._apart(index)

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
        self.run(
            "add", "--refresh", "--pathspec-from-file=-", "--pathspec-file-nul",
            env={**_index_env(index), "GIT_LITERAL_PATHSPECS": "1"}, feed=fed(paths),
        )  # fmt: skip

    def mark(self, flag: str, paths: Sequence[str], *, index: Path) -> None:
        """Set or clear a bit of entries of `index`, by the option of `git update-index`."""
        self.ask("update-index", flag, "-z", "--stdin", env=self._with(index), feed=fed(paths))

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
        self.ask(
            "checkout-index", "-f", "-u", "-z", "--stdin", feed=fed(paths), env=_index_env(index)
        )

    def smudged(self, blobs: Mapping[str, str], env: Mapping[str, str]) -> dict[str, bytes]:
        """The bytes that git would write to the working tree, by path, for each id."""
        pairs = [(path, oid) for path, oid in blobs.items() if "\n" not in path]
        feed = b"".join(oid.encode() + b" " + os.fsencode(path) + b"\n" for path, oid in pairs)
        answer = self.run("cat-file", "--batch", "--filters", feed=feed, env=env)
        found = [data for _, data in batch(answer.output)]
        return dict(zip((path for path, _ in pairs), found, strict=False))


def _index_env(index: Path | None) -> dict[str, str]:
    return {"GIT_INDEX_FILE": str(index)} if index is not None else {}
