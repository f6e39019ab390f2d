"""The text of a file under a filter (gitattributes(5), "filter"): what is on disk.

Git stores another form of it, which `clean` makes of the text, and a checkout writes what `smudge`
makes of that. Neither need have all that the text has: a filter may take the outputs out of a
notebook. So hunks are located in the text, the file keeps every other byte of it, and the index
gets what `git add` would store of the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from git_opatch.git.attributes import values_of
from git_opatch.git.output import settings_environment
from git_opatch.git.repository import Repository
from git_opatch.git.scratch import scratch_directory
from git_opatch.git.stamp import read_regular
from git_opatch.model.blob import Change, Entry
from git_opatch.model.errors import RepositoryError, TransactionError
from git_opatch.model.text import visible


class StoredForms(NamedTuple):
    """What the index has of the filtered files that a plan changes, before and after.

    `blobs` are the contents, of the texts and of their stored forms, that the repository is to
    have: nothing else may have them.
    """

    changes: tuple[Change, ...] = ()
    blobs: tuple[bytes, ...] = ()

    @property
    def paths(self) -> frozenset[str]:
        """The paths of the filtered files."""
        return frozenset(change.path for change in self.changes)

    def of(self, changes: Iterable[Change]) -> tuple[Change, ...]:
        """Return `changes` of texts with what the index has in place of the texts."""
        stored = {change.path: change for change in self.changes}
        return tuple(stored.get(change.path, change) for change in changes)


class Stored(NamedTuple):
    """The form in which git stores a text."""

    id: str
    data: bytes


def filters(repository: Repository, paths: Sequence[str]) -> dict[str, str]:
    """The filter of each of `paths` that has one with a program. Raises `RepositoryError`.

    Git is asked only where the user has set up any filter.
    """
    programs = repository.filters()
    if not programs or not paths or repository.top is None:
        return {}
    named = values_of(repository, "filter", paths)
    return {path: name for path, name in named.items() if name in programs}


def smudged(
    repository: Repository, entries: Mapping[str, Entry], names: Mapping[str, str]
) -> dict[str, bytes]:
    """The texts that a checkout would write of stored forms, by path. Raises `FilterError`.

    Only of those of `entries` that have a filter: `names` are the filters, by path.
    """
    filtered = [path for path in entries if path in names]
    if not filtered:
        return {}
    with scratch_directory() as directory:
        programs = FilterPrograms(repository, Path(directory))
        return {path: programs.smudge(path, names[path], entries[path].id) for path in filtered}


def read_text(repository: Repository, path: str) -> bytes | None:
    """The bytes of a file on disk, not through a link; None if there is no such file."""
    with suppress(OSError):
        return read_regular(f"{repository.require_worktree()}/{path}")
    return None


class FilterPrograms:
    """Runs the filters of a repository on texts, in an object directory of its own.

    Failures of a filter are git's: `FilterError` has what it says. Where git would go on without
    a filter that failed, and store the text as it is, that is one, too.
    """

    def __init__(self, repository: Repository, directory: Path) -> None:
        self._repository = repository
        self._objects = repository.scratch_objects(directory)

    def clean(self, path: str, name: str, text: bytes) -> Stored:
        """Return what `git add` would store of `text` at `path`. Raises `FilterError`.

        `name` is its filter.
        """
        env = {**self._objects, **self._required(name, "clean")}
        words = ("hash-object", "-w", "--stdin", f"--path={path}")
        stored = self._ask(path, name, *words, feed=text, env=env).decode().strip()
        return Stored(stored, self._repository.read_blobs([stored], env=self._objects)[stored])

    def smudge(self, path: str, name: str, stored: str) -> bytes:
        """Return the text that a checkout would write of a stored form. Raises `FilterError`."""
        env = {**self._objects, **self._required(name, "smudge")}
        return self._ask(path, name, "cat-file", "--filters", f"--path={path}", stored, env=env)

    def store(self, path: str, name: str, text: bytes) -> Stored:
        """Return the stored form of a new text, if a checkout of it would be unchanged, too.

        Raises `FilterError`.
        """
        stored = self.clean(path, name, text)
        again = self.smudge(path, name, stored.id)
        if self.clean(path, name, again).id != stored.id:
            raise FilterError(
                path,
                f"its filter `{visible(name)}` would store it in another form after a checkout, so "
                "git would always call it changed",
            )
        return stored

    def _required(self, name: str, program: str) -> dict[str, str]:
        """Let git fail where the filter does."""
        if self._repository.filters().get(name, frozenset()).isdisjoint((program, "process")):
            return {}
        return settings_environment([(f"filter.{name}.required", "true")])

    def _ask(
        self, path: str, name: str, *words: str, env: Mapping[str, str], feed: bytes | None = None
    ) -> bytes:
        try:
            return self._repository.ask(*words, env=env, feed=feed)
        except RepositoryError as error:
            raise FilterError(path, f"its filter `{visible(name)}` failed: {error}") from None


class FilterError(TransactionError):
    """What keeps the result of a file's filter from being used."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{visible(path)}: {why}")
