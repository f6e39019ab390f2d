"""How git is run, and where: the one importer of GitPython.

Every command runs at the top of the working tree with the repository named outright,
because git apply in a subdirectory passes over what lies outside it and says nothing, and
with `GIT_DIR` set writes where it stands.
"""

from __future__ import annotations

import os
import re
import signal
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Any

from git_opatch.errors import Interrupted, RepositoryError
from git_opatch.plumbing import OUR_CONFIG, OUR_PATHSPECS, Answer, Settings, missing, said

# Where git is missing, GitPython's import would fail with a traceback of its own.
os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
# Programs that the configuration names run where git was asked for by the user, as without us:
# when it applies or commits. (What rev-parse says of hooks must be true, and runs none.)
# It is asked for few files: threads that look for them in all the index take longer than one.
_UNATTENDED = (
    "-c", "core.fsmonitor=false",
    "-c", f"core.hooksPath={os.devnull}",
    "-c", "core.preloadIndex=false",
)  # fmt: skip
_ATTENDED = ("apply", "commit", "rev-parse")
# Nothing is fetched behind the user's back; git before 2.45 knows only the second way to say so.
# That binds the user's filters, too, and so it is said only where git could fetch.
_NO_FETCH = {"GIT_NO_LAZY_FETCH": "1"}
_NO_TRANSPORT = {"GIT_ALLOW_PROTOCOL": ""}
_SETTINGS = ("config", "-z", "--get-regexp", r"^(opatch|color)\.[a-z]+$")
_NOT_FETCHED = re.compile(r"could not fetch ([0-9a-f]+) from promisor remote")


class Gateway:
    """A repository, found from a directory as git finds it.

    `top` is the top of the working tree, or None in a bare repository.
    """

    def __init__(self, directory: str | Path = ".", *, asks_settings: bool = False) -> None:
        """Raises `RepositoryError`, with git's own words, if there is none.

        `asks_settings` is whether `settings` will be asked: git then reads them meanwhile.
        """
        from git import Git  # takes as long as all other imports: help does without

        self._git = Git(str(directory))
        self._env: dict[str, str] = {**OUR_PATHSPECS, **_NO_FETCH}
        self._settings = self.begin(*_SETTINGS) if asks_settings else None
        found = self.run(
            "rev-parse", "--path-format=absolute", "--git-dir", "--git-path", "index",
            "--git-path", "objects", "--git-path", "hooks", "--show-object-format",
            "--show-toplevel",
        )  # fmt: skip
        names = os.fsdecode(found.output).split("\n", 5)
        if len(names) < 6:
            raise RepositoryError(said(found.errors))
        self.git_dir, self.index_file, self.objects, self.hooks = map(Path, names[:4])
        self.algorithm = names[4]
        self.top = Path(names[5].removesuffix("\n")) if found.status == 0 else None
        if not self.git_dir.is_dir() or self.algorithm not in ("sha1", "sha256"):
            raise RepositoryError("the path of the repository holds a newline, which is not read")
        self._git = Git(str(self.top or self.git_dir))
        self._env["GIT_DIR"] = str(self.git_dir)
        if self.top is not None:
            self._env["GIT_WORK_TREE"] = str(self.top)
        if any((self.objects / "pack").glob("*.promisor")):  # gitformat-pack(5): a partial clone
            self._env |= _NO_TRANSPORT
        if "GIT_INDEX_FILE" in os.environ:
            self._env["GIT_INDEX_FILE"] = str(self.index_file)

    def run(
        self,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        feed: bytes | None = None,
        keep: Sequence[int] = (),
    ) -> Answer:
        """Run git; `feed` is its standard input, `keep` are descriptors it inherits.

        Raises `Interrupted` if it was, as by Ctrl-C, which all processes of a terminal get.
        """
        with nullcontext() if feed is None else _holding(feed) as stdin:
            status, output, errors = self._execute(
                *(arguments, env),
                istream=stdin,
                with_extended_output=True,
                with_exceptions=False,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
                pass_fds=keep,
                process_group=0 if keep else None,
            )
        return _uninterrupted(Answer(status, output, errors))

    def ask(
        self, *arguments: str, env: Mapping[str, str] | None = None, feed: bytes | None = None
    ) -> bytes:
        """What git prints. Raises `RepositoryError`, with its words, if it fails."""
        return printed(self.run(*arguments, env=env, feed=feed))

    def begin(self, *arguments: str, env: Mapping[str, str] | None = None) -> Callable[[], Answer]:
        """Let git work beside what follows; what is given waits for it. If nobody does, it ends."""
        process = self._execute(arguments, env, as_process=True)

        def answer() -> Answer:
            output, errors = process.communicate()
            return _uninterrupted(Answer(process.returncode, output, os.fsdecode(errors)))

        return answer

    def _execute(
        self, arguments: Sequence[str], env: Mapping[str, str] | None = None, **how: Any
    ) -> Any:
        """What GitPython gives for a command; `how` are its own words."""
        from git.exc import GitCommandNotFound

        ours = () if arguments[0] in _ATTENDED else _UNATTENDED
        command = ["git", *OUR_CONFIG, *ours, *arguments]
        try:
            return self._git.execute(command, env={**self._env, **(env or {})}, **how)
        except GitCommandNotFound:
            raise RepositoryError("git is not installed, or not on PATH") from None

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
        asked, self._settings = self._settings, None
        answer = asked() if asked else self.run(*_SETTINGS)
        return Settings(answer.output)


def _holding(feed: bytes) -> IO[bytes]:
    """A file to read `feed` from: GitPython needs a real one."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by who reads it
    file.write(feed)
    file.seek(0)
    return file


def _uninterrupted(answer: Answer) -> Answer:
    if answer.status == -signal.SIGINT:
        raise Interrupted("interrupted")
    return answer


def printed(answer: Answer) -> bytes:
    """What git printed. Raises `RepositoryError`, with its words, if it failed."""
    not_fetched = _NOT_FETCHED.search(answer.errors)
    if not_fetched:
        raise missing(not_fetched[1])
    if answer.status:
        raise RepositoryError(said(answer.errors))
    return answer.output
