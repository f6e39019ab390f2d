"""A git directory for files that have none, or none that can be written (D306).

A transaction keeps its record in a git directory. Outside of a repository there is none, and the
sandbox of an agent may forbid to write in it. So one is made in `TMPDIR` for a single call, with
the objects, the index and the settings of the repository, if there is one. Its name comes from that
of the working tree: after a kill, the next call finds it and restores what it was to change.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from git_opatch.git.output import quote_setting
from git_opatch.git.repository import Repository
from git_opatch.git.runner import NO_TRANSPORT, GitRunner
from git_opatch.git.scratch import lasting_directory, remove_lasting
from git_opatch.model.errors import BusyError, InputError
from git_opatch.transaction.lock import when_free
from git_opatch.transaction.record import has_transaction, state_dir

_READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)


def can_be_written(repository: Repository) -> bool:
    """Return whether git opatch may write in the git directory, as it has to for a transaction."""
    folder = state_dir(repository)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.close(os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666))
    except OSError as error:
        return error.errno not in _READ_ONLY  # another failure has its own message
    return True


@contextmanager
def temporary_repository(top: Path, original: Repository | None) -> Iterator[Repository]:
    """Give a repository for the working tree `top`, of which `original` cannot be written.

    Other such calls are waited for (`when_free`). Raises `BusyError`, `InputError` if no directory
    can be made for it, `RepositoryError` if git fails.
    """
    with _locked(top):
        name = hashlib.sha256(os.fsencode(os.path.realpath(top))).hexdigest()[:16]
        directory = Path(lasting_directory(name))
        variables = {"GIT_DIR": str(directory), "GIT_WORK_TREE": str(top)}
        if original and original.is_partial:
            variables |= NO_TRANSPORT
        with _environment(variables):
            _initialize(directory, top, original)
            repository = Repository(top)
            try:
                yield repository
            finally:
                if not has_transaction(state_dir(repository)):
                    remove_lasting(directory)


@contextmanager
def _locked(top: Path) -> Iterator[None]:
    """Hold a lock on the directory itself: nothing has to be written for that."""
    try:
        descriptor = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise InputError(f"cannot read `{top}`: {error.strerror}") from None

    def acquire() -> None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyError(f"another patch is being applied in {top}") from None

    try:
        when_free(acquire)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Let git, and what looks at our environment, find `variables` in it."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _initialize(directory: Path, top: Path, original: Repository | None) -> None:
    algorithm = original.algorithm if original else "sha1"
    GitRunner(top).ask("init", "--quiet", "--template=", f"--object-format={algorithm}")
    lines = ["[core]", f"\thooksPath = {quote_setting(str(directory / 'hooks'))}", ""]
    if original:
        common = original.objects.parent
        lines[:0] = ["[include]", f"\tpath = {quote_setting(str(common / 'config'))}"]
        _copy_state(original, common, directory)
    with (directory / "config").open("a", encoding="utf-8", errors="surrogateescape") as config:
        config.write("\n".join(lines))


def _copy_state(original: Repository, common: Path, directory: Path) -> None:
    """Copy what decides how files are read: the index, and attributes; refer to the objects."""
    shared = original.index_file.parent.glob("sharedindex.*")
    for source in (original.index_file, *shared):
        with suppress(FileNotFoundError):
            shutil.copyfile(source, directory / source.name)
    (directory / "info").mkdir(exist_ok=True)
    for name in ("attributes", "exclude"):
        with suppress(FileNotFoundError):
            shutil.copyfile(common / "info" / name, directory / "info" / name)
    alternates = directory / "objects/info/alternates"
    alternates.parent.mkdir(parents=True, exist_ok=True)
    alternates.write_bytes(os.fsencode(f"{original.objects}\n"))
