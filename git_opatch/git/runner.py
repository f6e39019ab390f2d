"""The one place that starts processes, and the one importer of GitPython.

Git runs in two ways: for us (`GitRunner`), with settings and an environment of ours, so that
nothing of the user's changes what it prints; and for the user (`run_program`), as he would run it.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from git_opatch.git.output import GitResult, git_message, missing_object
from git_opatch.model.errors import Interrupted, RepositoryError

if TYPE_CHECKING:
    from git.cmd import Git

# Where git is missing, GitPython's import would fail with a traceback of its own.
_REFRESH = "GIT_PYTHON_REFRESH"
os.environ.setdefault(_REFRESH, "quiet")
_EXECUTABLE = "GIT_PYTHON_GIT_EXECUTABLE"
_CONFIG = (
    # A path that one system refuses is refused on all.
    "-c", "core.protectHFS=true",
    "-c", "core.protectNTFS=true",
    # A warning about line endings must not become an error.
    "-c", "core.safecrlf=false",
    # What a terminal would obey in a path is quoted, also in a message.
    "-c", "core.quotePath=true",
)  # fmt: skip
_NO_HOOKS = ("-c", f"core.hooksPath={os.devnull}")
# Programs that the configuration names run only where git does what the user asked for.
_UNATTENDED = (
    *_NO_HOOKS,
    "-c", "core.fsmonitor=false",
    # We ask about few files: to start threads that stat the whole index takes longer.
    "-c", "core.preloadIndex=false",
)  # fmt: skip
_SETTINGS = {
    # Without its monitor, git would drop what the index has of it. But the index is not yet the
    # real one: post-index-change is run when it is (D201).
    "apply": _NO_HOOKS,
    # It runs no hook, but must tell their true directory.
    "rev-parse": (),
}
PATHSPEC_DEFAULTS = {
    f"GIT_{name}_PATHSPECS": "0" for name in ("LITERAL", "GLOB", "NOGLOB", "ICASE")
}
"""Our pathspecs carry their magic with them; the user's defaults would override it."""
# Nothing is fetched without the user's knowledge; git before 2.45 knows only the second variable.
# That one restricts the user's filters, too, and so it is set only where git could fetch.
_NO_FETCH = {"GIT_NO_LAZY_FETCH": "1"}
NO_TRANSPORT = {"GIT_ALLOW_PROTOCOL": ""}
_OF_A_REPOSITORY = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX",
    "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE", "GIT_REPLACE_REF_BASE", "GIT_NO_REPLACE_OBJECTS",
)  # fmt: skip
"""The variables that say which objects git reads, and where (`git rev-parse --local-env-vars`)."""
_SHELL_TEXT = r"[|&;<>()$`\\\"' \t\n*?\[#~=%]"
"""What makes git leave a command to the shell (run-command.c)."""
_NOT_FETCHED = re.compile(r"could not fetch ([0-9a-f]+) from promisor remote")


Conversation = subprocess.Popen[bytes]
"""A git that answers what it is asked."""


def _import_git() -> type[Git]:
    """Import what runs git; it takes as long as all other imports, and help does without.

    Raises `RepositoryError` if git, which GitPython starts when it is imported, cannot be started.
    """
    if os.environ.get(_EXECUTABLE) != os.devnull:
        return _import_gitpython()
    try:  # our command line set it: nobody else uses GitPython in this process
        for package in ("git", "gitdb"):
            _skip_package(package)
        return _import_gitpython()
    except (ImportError, AttributeError):  # of another version, where its modules need that
        for name in [name for name in sys.modules if name.partition(".")[0] in ("git", "gitdb")]:
            del sys.modules[name]
        return _import_gitpython()
    finally:
        del os.environ[_EXECUTABLE]


def _import_gitpython() -> type[Git]:
    try:
        from git.cmd import Git
    except ImportError as error:
        if not isinstance(error.__cause__, OSError):
            raise
        raise _start_error(error.__cause__) from None
    return Git


def _skip_package(name: str) -> None:
    """Let `git.cmd` be imported without a package's own code, which imports all of its modules.

    Those of GitPython take 20 ms more, and those of its database 3 ms.
    """
    spec = find_spec(name)
    if spec is not None and spec.submodule_search_locations:
        sys.modules.setdefault(name, module_from_spec(spec))


class GitRunner:
    """Runs git in one directory, with exact bytes in and out."""

    def __init__(self, directory: str | Path) -> None:
        self._env: dict[str, str] = {**PATHSPEC_DEFAULTS, **_NO_FETCH}
        self._git = _import_git()()
        self._move_to(directory)

    def _move_to(self, directory: str | Path) -> None:
        self._directory = str(directory)

    def run(
        self,
        *arguments: str,
        index: Path | None = None,
        env: Mapping[str, str] | None = None,
        feed: bytes | None = None,
        keep: Sequence[int] = (),
        seconds: float | None = None,
    ) -> GitResult:
        """Run git; `feed` is its standard input, `keep` are descriptors that it inherits. It fails
        if it is not done in so many `seconds`.

        `index` is an index to use instead of the repository's. With `keep` the process has a
        group of its own, so that a terminal's interrupt cannot end it half-way. Raises
        `Interrupted` if a Ctrl-C, which all other processes of a terminal get, ended it.
        """
        with nullcontext() if feed is None else _stdin_file(feed) as stdin:
            status, output, errors = self._execute(
                *(arguments, index, env),
                istream=stdin,
                with_extended_output=True,
                with_exceptions=False,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
                pass_fds=keep,
                process_group=0 if keep else None,
                kill_after_timeout=seconds,
            )
        return _check_interrupt(GitResult(status, output, errors))

    def ask(
        self,
        *arguments: str,
        index: Path | None = None,
        env: Mapping[str, str] | None = None,
        feed: bytes | None = None,
    ) -> bytes:
        """Run git and return its output. Raises `RepositoryError`, with its message, on failure."""
        return output_of(self.run(*arguments, index=index, env=env, feed=feed))

    def start_query(
        self, *arguments: str, index: Path | None = None, env: Mapping[str, str] | None = None
    ) -> Callable[[], GitResult]:
        """Start git in the background; returns a callable that waits for its result.

        If nobody calls it, the process is ended with the runner.
        """
        process = self._execute(arguments, index, env, as_process=True)

        def wait() -> GitResult:
            output, errors = process.communicate()
            return _check_interrupt(GitResult(process.returncode, output, os.fsdecode(errors)))

        return wait

    def start_conversation(self, *arguments: str) -> Conversation:
        """Start a git that answers on its standard output what it is asked on its input.

        The process is ended with the runner, if it has not ended by then.
        """
        process = self._execute(arguments, None, None, as_process=True, istream=subprocess.PIPE)
        return cast("Conversation", process)

    def _execute(
        self,
        arguments: Sequence[str],
        index: Path | None,
        env: Mapping[str, str] | None,
        **options: Any,
    ) -> Any:
        """Run git by GitPython, whose own `options` decide what is returned.

        Git itself changes to the directory, and fails if it cannot: GitPython would go on in the
        current one, and expand a `$` in its name.
        """
        from git.exc import GitCommandNotFound

        place = ("-C", self._directory)
        command = ["git", *place, *_CONFIG, *_SETTINGS.get(arguments[0], _UNATTENDED), *arguments]
        chosen = {"GIT_INDEX_FILE": str(index)} if index is not None else {}
        try:
            return self._git.execute(command, env={**self._env, **(env or {}), **chosen}, **options)
        except GitCommandNotFound as error:
            raise _start_error(error.__cause__) from None
        except BlockingIOError as error:  # a limit of processes
            raise _start_error(error) from None


def _start_error(cause: BaseException | None) -> RepositoryError:
    """Why git could not be started. GitPython says that it was not found whatever the reason."""
    if isinstance(cause, OSError) and not isinstance(cause, FileNotFoundError):
        return RepositoryError(f"git cannot be started: {cause.strerror}")
    return RepositoryError("git is not installed, or not on PATH")


def _stdin_file(feed: bytes) -> IO[bytes]:
    """A file to read `feed` from: GitPython needs a real one."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    file.write(feed)
    file.seek(0)
    return file


def _check_interrupt(result: GitResult) -> GitResult:
    if result.status == -signal.SIGINT:
        raise Interrupted("interrupted")
    return result


def output_of(result: GitResult) -> bytes:
    """Return what git printed. Raises `RepositoryError`, with its message, if it failed."""
    not_fetched = _NOT_FETCHED.search(result.errors)
    if not_fetched:
        raise missing_object(not_fetched[1])
    if result.status:
        message = git_message(result.errors)
        raise RepositoryError(message or f"git ended with status {result.status}")
    return result.output


def run_program(
    words: Sequence[str | Path],
    directory: Path,
    env: Mapping[str, str],
    *,
    feed: bytes | None = None,
    source: IO[str] | None = None,
    show: bool = False,
    keep: Sequence[int] = (),
) -> GitResult:
    """Run a program for the user, with `env` as its whole environment. Raises `OSError`.

    If `show`, it prints to our standard error, since standard output is for our own results;
    else all that it prints is returned as the output. Without `feed` it reads `source`, or our
    standard input, as an editor must. It inherits the descriptors `keep`.
    """
    done = subprocess.run(
        words,
        cwd=directory,
        env=env,
        input=feed,
        stdin=source,
        stdout=2 if show else subprocess.PIPE,
        stderr=None if show else subprocess.STDOUT,
        pass_fds=keep,
        check=False,
    )
    return GitResult(done.returncode, done.stdout or b"", "")


def start_pager(command: str) -> subprocess.Popen[bytes] | None:
    """Start the user's pager on a pipe, as git does; None if there is no such program."""
    environment = {"LESS": "FRX", "LV": "-c", **user_environment(), "GIT_PAGER_IN_USE": "1"}
    words = ["sh", "-c", command] if re.search(_SHELL_TEXT, command) else [command]
    try:
        return subprocess.Popen(words, stdin=subprocess.PIPE, env=environment)
    except OSError:
        return None


def user_environment() -> dict[str, str]:
    """The environment that this process was started with."""
    return {name: value for name, value in os.environ.items() if name != _REFRESH}


def leave_repository() -> None:
    """Let no variable of our environment lead git to another repository than the one we name."""
    for name in _OF_A_REPOSITORY:
        os.environ.pop(name, None)


def outside_environment() -> dict[str, str]:
    """The user's environment without what would lead git to another repository."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
