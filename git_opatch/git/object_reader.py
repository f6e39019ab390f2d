"""One `git cat-file --batch` that answers many questions, one after the other (D280)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import IO

from git_opatch.git.output import GitObject, batches, git_message, read_object
from git_opatch.git.runner import Conversation, GitRunner
from git_opatch.model.errors import RepositoryError

_MAX_ERRORS = 4096  # bytes of git's messages that are kept
_MAX_ASKED = 1000
"""Characters of names: every pipe takes 4,096 bytes at once, and one has up to four."""


class ObjectReader:
    """Reads the objects of one repository; git is started when it is first asked."""

    def __init__(self, runner: GitRunner) -> None:
        self._runner = runner
        self._process: Conversation | None = None
        self._errors = b""

    def read(self, name: str) -> GitObject:
        """Read the object that `name` names, as in gitrevisions(7).

        Raises `RepositoryError` if git cannot read it.
        """
        return dict(self.read_each([name])).get(name, GitObject(name))

    def read_each(self, names: Sequence[str]) -> Iterator[tuple[str, GitObject]]:
        """Yield each of `names` and the object that it names, as they are read.

        A name that git cannot be asked for is left out. Read nothing else before the end of it.
        Many are asked for at once: to change from one process to the other and back takes as long
        as git takes to answer. Raises `RepositoryError` if git cannot read one.
        """
        if not names:
            return
        process = self._started()
        try:
            for asked in _in_portions(names):
                answers = _ask(process, asked)
                for name in asked:
                    yield name, read_object(answers)
        except (OSError, EOFError):  # git ends at an object that is damaged
            raise RepositoryError(self._end_badly(process)) from None
        except GeneratorExit:  # there are answers that nobody will read
            self.close()
            raise

    def close(self) -> None:
        """End git, and wait until it has ended; the next question starts it again."""
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        process.wait()

    def _started(self) -> Conversation:
        if self._process is None:
            self._process = self._runner.start_conversation("cat-file", "--batch")
            self._errors = b""
            os.set_blocking(_descriptor(self._process.stderr), False)
        self._read_errors(self._process)
        return self._process

    def _read_errors(self, process: Conversation) -> None:
        """Take what git printed to standard error: it would wait once the pipe is full."""
        with suppress(BlockingIOError):
            while more := os.read(_descriptor(process.stderr), _MAX_ERRORS):
                self._errors = (self._errors + more)[-_MAX_ERRORS:]

    def _end_badly(self, process: Conversation) -> str:
        """End git, which gave no answer, and return why."""
        if process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
        process.wait()
        self._read_errors(process)
        self.close()
        return git_message(os.fsdecode(self._errors)) or "git cat-file ended without an answer"


def _descriptor(stream: IO[bytes] | None) -> int:
    return stream.fileno() if stream is not None else -1


def _in_portions(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the `names` that git can be asked for, so many as a pipe takes.

    Git stops to read while nobody takes its answers.
    """
    askable = [name for name in names if name and "\n" not in name and "\0" not in name]
    return batches(askable, _MAX_ASKED)


def _ask(process: Conversation, names: Iterable[str]) -> IO[bytes]:
    """Ask for objects; return what the answers are read from. Raises `EOFError` if git ended."""
    if process.stdin is None or process.stdout is None:
        raise EOFError
    process.stdin.write(b"".join(os.fsencode(name) + b"\n" for name in names))
    process.stdin.flush()
    return process.stdout
