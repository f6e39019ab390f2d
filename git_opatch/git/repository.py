"""A repository, and what git is asked of its objects.

Questions about the index are in `index`, about HEAD in `head`, about a file's history in
`history`, about pathspecs in `pathspec`.

Every command runs at the top of the working tree with the repository named outright: in a
subdirectory, `git apply` skips what lies outside it without a word, and with `GIT_DIR` set it
writes relative to its working directory.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from git_opatch.git.disk import sync
from git_opatch.git.output import (
    GitResult,
    batches,
    changed_ranges,
    git_message,
    parse_batch,
    quote_alternate,
    split_nul,
)
from git_opatch.git.runner import NO_TRANSPORT, GitRunner
from git_opatch.git.scratch import scratch_directory
from git_opatch.model.blob import Entry, Mode
from git_opatch.model.errors import RepositoryError
from git_opatch.model.settings import FALSE, Settings

_SETTINGS = (
    *("config", "-z", "--get-regexp"),
    r"^((opatch|color)\.[a-z]+|pager\.opatch|core\.(fsync(method)?|autocrlf|eol|symlinks)"
    r"|filter\..*\.(clean|smudge|process|required))$",
)
_MAX_ARGUMENTS = 500_000  # bytes
_PLAIN_DIFF = ("--text", "--no-color", "--no-ext-diff", "--no-textconv", "-U0",
               "--inter-hunk-context=0", "--diff-algorithm=default",
               "--no-indent-heuristic")  # fmt: skip
"""Overrides all settings and attributes that change how a diff is printed."""
# Without it git apply faults in the pages of a large file anew for every hunk.
_MALLOC = {"MALLOC_TOP_PAD_": str(64 * 1024 * 1024)}
_ALTERNATES = "GIT_ALTERNATE_OBJECT_DIRECTORIES"

CONVERT = "`git opatch convert --base TREE-ISH`"
"""What reads a patch without a working tree."""


class MergedLines(NamedTuple):
    """The outcome of a merge of lines, and the number of its conflicts, which are marked in it."""

    data: bytes
    conflicts: int


class Repository(GitRunner):
    """A repository, found from a directory as git finds it.

    `top` is the top of the working tree, or None in a bare repository.
    """

    has_journal = True
    """Whether what was applied here before may be asked for."""

    def __init__(self, directory: str | Path = ".", *, asks_settings: bool = False) -> None:
        """Raises `RepositoryError`, with git's own message, if there is none.

        `asks_settings` starts the query of `settings` at once, in the background.
        """
        super().__init__(directory)
        self._query = self.start_query(*_SETTINGS) if asks_settings else None
        self._settings: Settings | None = None
        found = self.run(
            "rev-parse", "--path-format=absolute", "--git-dir", "--git-path", "index",
            "--git-path", "objects", "--git-path", "hooks", "--show-object-format",
            "--show-toplevel",
        )  # fmt: skip
        names = os.fsdecode(found.output).split("\n", 5)
        if len(names) < 6:
            raise RepositoryError(git_message(found.errors))
        self.git_dir, self.index_file, self.objects, self.hooks = map(Path, names[:4])
        self.algorithm = names[4]
        self.top = Path(names[5].removesuffix("\n")) if found.status == 0 else None
        if not self.git_dir.is_dir() or self.algorithm not in ("sha1", "sha256"):
            raise RepositoryError("the path of the repository has a newline in it: not supported")
        self._move_to(self.top or self.git_dir)
        self._env["GIT_DIR"] = str(self.git_dir)
        if self.top is not None:
            self._env["GIT_WORK_TREE"] = str(self.top)
        if self.is_partial:
            self._env |= NO_TRANSPORT
        if "GIT_INDEX_FILE" in os.environ:
            self._env["GIT_INDEX_FILE"] = str(self.index_file)

    @property
    def directory(self) -> str:
        """The current directory from the top; empty if it is not below that."""
        path = os.path.relpath(os.getcwd(), self.top) if self.top else "."
        return "" if path.split("/")[0] in (".", "..") else path

    @property
    def is_partial(self) -> bool:
        """Whether it may lack objects that git would fetch (gitformat-pack(5), "promisor")."""
        return any((self.objects / "pack").glob("*.promisor"))

    @property
    def is_shallow(self) -> bool:
        """Whether it has only the newest of its history (shallow in gitrepository-layout(5))."""
        return (self.objects.parent / "shallow").exists()

    @property
    def main_top(self) -> Path | None:
        """The top of the main working tree, if this one is linked (git-worktree(1)); else None."""
        common = self.objects.parent
        is_linked = common.name == ".git" and self.git_dir.parent == common / "worktrees"
        return common.parent if is_linked else None

    def require_worktree(self, instead: str = "") -> Path:
        """The top of the working tree.

        Raises `RepositoryError` if there is none, with what works without one.
        """
        if self.top is None:
            raise RepositoryError(
                "this needs a working tree, and there is none here (a bare repository, or inside "
                f"a git directory){instead and f'; {instead} works without one'}"
            )
        return self.top

    def settings(self) -> Settings:
        """Read `opatch.*`, `color.*` and what else is of use, by lower-case key."""
        query, self._query = self._query, None
        result = query() if query else self.run(*_SETTINGS)
        self._settings = Settings(result.output)
        return self._settings

    def filters(self) -> Mapping[str, AbstractSet[str]]:
        """The programs of each of the user's filters that has any, as they were read last.

        One that is `required`, and has none, fails, and so it counts.
        """
        return self._known_settings().filters

    def converts_line_endings(self) -> bool:
        """Whether the user's settings may have git write CRLF where a blob has LF."""
        settings = self._known_settings()
        by_default = settings.get("core.autocrlf", "false").lower() not in ("false", "input")
        return by_default or settings.get("core.eol", "lf").lower() != "lf"

    def has_links(self) -> bool:
        """Whether the working tree has symbolic links; else their targets are in plain files."""
        return self._known_settings().get("core.symlinks", "true").lower() not in FALSE

    def sync(self, paths: Iterable[str | Path]) -> None:
        """Write files and directories to the disk, as the user's settings say. Raises `OSError`."""
        sync(paths, self._known_settings())

    def _known_settings(self) -> Settings:
        return self._settings if self._settings is not None else self.settings()

    def list_tree(
        self, tree: str, paths: Sequence[str], *, recursive: bool = False
    ) -> dict[str, Entry | None]:
        """List what `tree` has at each of `paths`, and below it if `recursive`.

        A directory has None. Raises `RepositoryError` for what is not a tree-ish.
        """
        flags = ("-r", "-t") if recursive else ()
        output = b"".join(
            self.ask(
                "ls-tree", *flags, "-z", "--full-tree", "--end-of-options", tree, "--", *batch,
                env={"GIT_LITERAL_PATHSPECS": "1"},
            )
            for batch in batches(paths, _MAX_ARGUMENTS)
        )  # fmt: skip
        entries: dict[str, Entry | None] = {}
        for record in output.split(b"\0")[:-1]:
            fields, _, path = record.partition(b"\t")
            mode, kind, oid = fields.decode().split()
            entries[os.fsdecode(path)] = None if kind == "tree" else Entry(Mode(mode), oid)
        return entries

    def list_files(self, tree: str) -> Sequence[str]:
        """List the paths of all files of `tree`. Raises `RepositoryError` for no tree-ish."""
        return split_nul(self.ask("ls-tree", "-r", "-z", "--full-tree", "--name-only", tree))

    def read_blobs(
        self, ids: Iterable[str], *, env: Mapping[str, str] | None = None
    ) -> dict[str, bytes]:
        """Read the bytes of each blob. Raises `RepositoryError` if one is missing."""
        wanted = sorted(set(ids))
        if not wanted:
            return {}
        feed = "".join(f"{oid}\n" for oid in wanted).encode()
        return dict(parse_batch(self.ask("cat-file", "--batch", feed=feed, env=env)))

    def present(self, ids: Iterable[str]) -> set[str]:
        """Those of `ids` that the repository has. Raises `RepositoryError` if git fails.

        `cat-file` would give up at the first that it would have to fetch.
        """
        feed = "".join(f"{oid}\n" for oid in ids).encode()
        flags = ("--objects", "--no-walk", "--missing=allow-any", "--ignore-missing", "--stdin")
        output = self.ask("rev-list", *flags, feed=feed) if feed else b""
        return {line.split(b" ")[0].decode() for line in output.splitlines()}

    def store_blob(self, data: bytes) -> str:
        """Write `data` to the object database and return its id. Raises `RepositoryError`."""
        return self.ask("hash-object", "-w", "--stdin", feed=data).decode().strip()

    def apply(
        self,
        diff: Path,
        flags: Sequence[str],
        *,
        index: Path | None = None,
        env: Mapping[str, str] | None = None,
        keep: Sequence[int] = (),
    ) -> GitResult:
        """Hand a completed diff to `git apply`, overriding the user's `apply.*` settings."""
        arguments = ("apply", "--whitespace=nowarn", "--no-ignore-whitespace", *flags, str(diff))
        return self.run(*arguments, index=index, env={**_MALLOC, **(env or {})}, keep=keep)

    def differences(self, pairs: Sequence[tuple[bytes, bytes]]) -> list[list[tuple[range, int]]]:
        """Diff pairs of texts: the lines of the first that are replaced, and by how many."""
        if all(before == after for before, after in pairs):
            return [[] for _ in pairs]
        with scratch_directory() as name:
            for side in (0, 1):
                folder = Path(name, "ab"[side])
                folder.mkdir()
                for number, pair in enumerate(pairs):
                    (folder / str(number)).write_bytes(pair[side])
            result = self.run("-C", name, "diff", *_PLAIN_DIFF, "--no-index", "--", "a", "b")
        return changed_ranges(result.output, len(pairs))

    def merge_file(self, base: bytes, ours: bytes, theirs: bytes) -> MergedLines:
        """Merge the changes from `base` to `theirs` into `ours` (git-merge-file(1)).

        Raises `RepositoryError` for what git does not merge, such as binary files.
        """
        with scratch_directory() as name:
            for side, data in (("ours", ours), ("base", base), ("theirs", theirs)):
                Path(name, side).write_bytes(data)
            result = self.run("-C", name, "merge-file", "-p", "-q", "ours", "base", "theirs")
        if result.status not in range(128):
            raise RepositoryError(git_message(result.errors) or "git merge-file failed")
        return MergedLines(result.output, result.status)

    def scratch_objects(self, directory: Path) -> dict[str, str]:
        """The environment that writes objects below `directory` and reads the real ones, too."""
        (directory / "objects").mkdir(exist_ok=True)
        readable = [quote_alternate(str(self.objects)), os.environ.get(_ALTERNATES, "")]
        return {
            "GIT_OBJECT_DIRECTORY": str(directory / "objects"),
            _ALTERNATES: os.pathsep.join(filter(None, readable)),
        }


def is_outside(directory: Path) -> bool:
    """Whether nothing says that `directory` is in a repository, so that none can have failed."""
    above = (directory, *directory.resolve().parents)
    return "GIT_DIR" not in os.environ and not any(os.path.lexists(at / ".git") for at in above)


def find_top() -> Path | None:
    """The working tree that the current directory is in; None if there is none."""
    with suppress(RepositoryError):
        return Repository().top
    return None
