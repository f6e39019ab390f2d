"""The half of the gateway to git that selects paths: by pathspecs, by likeness, as staged."""

from __future__ import annotations

import os
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from git_opatch.blob import Entry, Mode, blob_id
from git_opatch.paths import parents
from git_opatch.plumbing import OUR_PATHSPECS, escaped, names
from git_opatch.text import Text


class Selecting(ABC):
    """What `Repository` can be asked about paths."""

    algorithm: str
    top: Path | None

    @abstractmethod
    def ask(
        self, *arguments: str, env: Mapping[str, str] | None = None, feed: bytes | None = None
    ) -> bytes:
        """What git prints."""

    @abstractmethod
    def rebuilt_index(
        self, entries: Mapping[str, Entry], folder: Path
    ) -> tuple[Path, dict[str, str]]:
        """An index in `folder` with `entries` alone, and the environment that has it."""

    def tracked_like(self, path: str) -> list[str]:
        """The tracked paths that end alike, or stand in the same folder."""
        folder, _, name = path.rpartition("/")
        beside = f"{escaped(folder)}/*" if folder else "*"
        globs = (f":(top,glob,icase)**/{escaped(name)}", f":(top,glob){beside}")
        return names(self.ask("ls-files", "-z", "--", *globs))

    def tracked(self, files: Sequence[str], directory: str) -> list[str]:
        """The tracked paths at or below `files`, which count from `directory`.

        Raises `RepositoryError` if one of them is not tracked.
        """
        where = {"GIT_LITERAL_PATHSPECS": "1"}
        return self._listed(files, directory, where, "--error-unmatch")

    def staged(self) -> list[str]:
        """The paths whose index entries are other than those of `HEAD`, or new."""
        return names(
            self.ask(
                "-c", "diff.autoRefreshIndex=false", "diff", "--cached", "--name-only", "-z",
                "--no-renames", "--no-relative", "--no-ext-diff", "--diff-filter=AMT",
            )
        )  # fmt: skip

    def unmerged(self) -> list[str]:
        """The paths that the index has in several stages."""
        entries = self.ask("ls-files", "--unmerged", "-z").split(b"\0")[:-1]
        return sorted({os.fsdecode(entry.partition(b"\t")[2]) for entry in entries})

    def matched(self, paths: Iterable[str], pathspecs: Sequence[str], directory: str) -> set[str]:
        """Those of `paths`, there or not, that `pathspecs` match as git means them in `directory`.

        Raises `RepositoryError`, with git's words, for what is no pathspec.
        """
        wanted = set(paths)
        levels: dict[int, list[str]] = {}
        for path in wanted:  # no index has a file and another one below it
            levels.setdefault(sum(one in wanted for one in parents(path)), []).append(path)
        found = (self._matched(level, pathspecs, directory) for level in levels.values())
        return set().union(*found)

    def _matched(self, paths: list[str], pathspecs: Sequence[str], directory: str) -> list[str]:
        """The same for paths of which none is below another: git is asked of an index of them."""
        entry = Entry(Mode.REGULAR, blob_id(Text([]), self.algorithm))
        users = {name: os.environ.get(name, default) for name, default in OUR_PATHSPECS.items()}
        with tempfile.TemporaryDirectory(prefix="git-opatch-") as folder:
            _, env = self.rebuilt_index(dict.fromkeys(paths, entry), Path(folder))
            return self._listed(pathspecs, directory, {**env, **users})

    def _listed(
        self, pathspecs: Sequence[str], directory: str, env: Mapping[str, str], *flags: str
    ) -> list[str]:
        """What the index has that `pathspecs` match. `ls-files` lists below where it stands."""
        there = ("-C", directory or ".") if self.top is not None else ()
        return names(
            self.ask(*there, "ls-files", "-z", "--full-name", *flags, "--", *pathspecs, env=env)
        )
