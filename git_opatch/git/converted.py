"""Files whose bytes on disk are not what git stores of them (gitattributes(5)): asked aside.

Line endings (`text`, `eol`, `core.autocrlf`), `ident` and `working-tree-encoding` convert the lines
of a file; a filter converts it by programs: git stores what `clean` makes of the text, and a
checkout writes what `smudge` makes of that. Neither need have all that the text has, such as the
outputs of a notebook. So the file keeps every other byte of its text on disk, and git is asked what
`git add` would store.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from git_opatch.git.disk import is_regular, read_regular
from git_opatch.git.index import ScratchIndex, list_index, set_entries
from git_opatch.git.output import git_message, nul_terminated, settings_environment, split_nul
from git_opatch.git.repository import Repository
from git_opatch.git.scratch import scratch_directory
from git_opatch.model.blob import Change, Entry, Mode
from git_opatch.model.errors import RepositoryError, TransactionError
from git_opatch.model.paths import parents
from git_opatch.model.text import visible

_SETTINGS = (("core.safecrlf", "false"), ("core.fsmonitor", "false"))


_NO_DRIVER = ("unspecified", "unset", "set")
_CONVERTING: Mapping[str, Sequence[str]] = {
    "filter": ("unspecified", "unset"),
    "ident": ("unspecified", "unset"),
    "working-tree-encoding": ("unspecified", "unset"),
    "text": ("unspecified", "unset", "set", "auto"),
    "eol": ("unspecified", "lf"),
    "crlf": ("unspecified",),
}
"""Each attribute that may change what a checkout writes, and the values with which it does not."""


def stored_aside(
    repository: Repository, texts: Mapping[str, bytes], directory: Path, source: ScratchIndex
) -> dict[str, Entry]:
    """Return what `git add` would store of `texts`, whose files would be at these paths.

    In a working tree of their own, which is made in `directory`, by the attributes of the real one
    and a copy of the index `source`; no filter is run. Objects go where the environment of `source`
    says. Raises `RepositoryError`.
    """
    top, tree, index = repository.require_worktree(), directory / "tree", directory / "index"
    tree.mkdir(parents=True)
    if source.file.exists():
        shutil.copy2(source.file, index)
    for name in attribute_files(texts):
        if is_regular(f"{top}/{name}"):
            _file(tree, name).write_bytes((top / name).read_bytes())
    for path, text in texts.items():
        _file(tree, path).write_bytes(text)
    alone = without_filters(repository.filters(), _SETTINGS)
    env = {**source.env, **alone, "GIT_WORK_TREE": str(tree)}
    words = ("update-index", "--add", "--replace", "-z", "--stdin")
    repository.ask(*words, feed=nul_terminated(list(texts)), index=index, env=env)
    return {each.path: each.entry for each in list_index(repository, texts, [], index=index)}


def checked_out_aside(
    repository: Repository,
    blobs: Mapping[str, tuple[Mode, bytes] | None],
    directory: Path,
    source: ScratchIndex,
    *,
    new_attributes: bool = False,
) -> tuple[dict[str, bytes], dict[str, str]]:
    """Return what a checkout would write of `blobs`, of which None are deleted.

    With `new_attributes` by the `.gitattributes` of `source` and of `blobs` in place of those of
    the working tree. But a filter that only these switch on is not run: a patch must not start a
    program (D132). Returns these filters by path, too. Raises `TransactionError`.
    """
    directory.mkdir()
    names = [_file(directory, f"blobs/{number}") for number in range(len(blobs))]
    for name, blob in zip(names, blobs.values(), strict=True):
        name.write_bytes(blob[1] if blob else b"")
    feed = "\n".join(map(str, names)).encode()
    stored = ("hash-object", "-w", "--no-filters", "--stdin-paths")
    ids = repository.ask(*stored, feed=feed, env=source.env).decode().split()
    entries = {
        path: Entry(blob[0], oid) if blob else None
        for (path, blob), oid in zip(blobs.items(), ids, strict=True)
    }
    quiet = {**source.env, **without_filters(repository.filters())}  # git may look into files
    set_entries(repository, entries, source._replace(env=quiet))
    paths = [path for path, blob in blobs.items() if blob and blob[0].is_file]
    env, switched = dict(source.env), dict[str, str]()
    if new_attributes:
        (directory / "empty").mkdir()  # without files there, git reads those of the index
        env["GIT_WORK_TREE"] = str(directory / "empty")
        before = values_of(repository, "filter", paths)
        after = values_of(repository, "filter", paths, index=source.file, env=env)
        switched = {path: name for path, name in after.items() if name and name != before.get(path)}
    without = {**env, **without_filters(set(switched.values()))}
    for some, its_env in (([*{*paths} - {*switched}], env), (list(switched), without)):
        if some:
            words = ("checkout-index", "-z", "--stdin", f"--prefix={directory}/files/")
            feed = nul_terminated(some)
            result = repository.run(*words, feed=feed, index=source.file, env=its_env)
            if result.status:
                why = git_message(result.errors)
                raise TransactionError(f"git could not write the files:\n{why}")
    return {path: (directory / "files" / path).read_bytes() for path in paths}, switched


def _file(tree: Path, path: str) -> Path:
    """Make the directory of a file."""
    file = tree / path
    os.makedirs(file.parent, exist_ok=True)
    return file


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


def values_of(
    repository: Repository,
    name: str,
    paths: Sequence[str],
    *,
    index: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """What each path has of an attribute that names a filter, or an encoding; empty for none.

    By the `.gitattributes` of the working tree, and where one is missing there by the index. Raises
    `RepositoryError`.
    """
    found = _attributes(repository, paths, [name], index=index, env=env)
    return {path: "" if value in _NO_DRIVER else value for path, _, value in found}


def has_merge_driver(repository: Repository, path: str) -> bool:
    """Return whether the attribute `merge` has git merge a file by other than its lines."""
    ((_, _, value),) = _attributes(repository, [path], ["merge"])
    return value not in ("unspecified", "set", "text")


def _attributes(
    repository: Repository,
    paths: Sequence[str],
    names: Iterable[str],
    *,
    index: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> list[tuple[str, str, str]]:
    """List the value of each attribute of `names` that each of `paths` has."""
    words, feed = ("check-attr", "-z", "--stdin", *names), nul_terminated(paths)
    fields = split_nul(repository.ask(*words, index=index, env=env, feed=feed))
    return list(zip(fields[::3], fields[1::3], fields[2::3], strict=True))


def missing_attribute_files(top: Path, paths: Iterable[str]) -> list[str]:
    """The files `.gitattributes` beside and above `paths` that are not in the working tree.

    Git takes these from the index, if that has them.
    """
    return [name for name in attribute_files(paths) if not is_regular(f"{top}/{name}")]


def attribute_files(paths: Iterable[str]) -> list[str]:
    """The files `.gitattributes` beside and above `paths`, whether they are there or not."""
    above = sorted({parent for path in paths for parent in parents(path)})
    return [".gitattributes", *(f"{directory}/.gitattributes" for directory in above)]


def unconverted(repository: Repository, paths: Sequence[str]) -> Collection[str]:
    """Those of `paths` whose files a checkout writes as their blobs are, byte for byte.

    Raises `RepositoryError`.
    """
    if repository.converts_line_endings():
        return ()
    found = _attributes(repository, paths, _CONVERTING)
    converted = {path for path, name, value in found if value not in _CONVERTING[name]}
    return [path for path in paths if path not in converted]


def without_filters(
    names: Collection[str], others: Sequence[tuple[str, str]] = ()
) -> dict[str, str]:
    """The environment in which git runs none of the filters `names`, and asks for none.

    It has the settings `others`, too.
    """
    settings = [
        (f"filter.{name}.{key}", value)
        for name in sorted(names)
        for key, value in (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false"))
    ]
    return settings_environment([*others, *settings])
