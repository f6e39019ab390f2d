"""Let git ask which changes of files are wanted, as `git reset -p` does (git-reset(1)).

It asks in a repository made for the question, which has the two versions of the files and nothing
else: no file of the user's is read or written, no hook or filter runs, and what an attribute calls
binary is text. What a terminal would obey is not in these files: each such character is a mark
(`<U+1B>`), which becomes the character again in what was chosen.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from git_opatch.git.index import ScratchIndex, set_entries
from git_opatch.git.output import parse_entry
from git_opatch.git.repository import Repository
from git_opatch.git.runner import run_program, user_environment
from git_opatch.git.scratch import scratch_directory
from git_opatch.model.blob import Blob, Entry, blob_id
from git_opatch.model.errors import InputError, Interrupted
from git_opatch.model.settings import Settings

_LOOKS = (
    r"^(color|interactive)\.|^diff\.(algorithm|context|interhunkcontext|indentheuristic|"
    r"wserrorhighlight|colormoved|colormovedws)$|^core\.(whitespace|comment(char|string))$"
)
"""The user's settings that the question keeps; his editor is asked for (git-var(1))."""
_OURS = {
    "core.quotePath": "true",  # else a path may have what a terminal obeys
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "apply.whitespace": "nowarn",  # it may also mend lines
    "apply.ignoreWhitespace": "no",
}
_PLAIN = {"TERM": "dumb"}
"""Git's prompt does not obey all settings of colours in all versions, but this."""
_CR = re.compile("\r(?!\n)")
"""One that does not belong to a line ending."""
_EDITOR = (
    "f() {{ trap : INT; cd {top}; export TERM={term}; "
    '{editor} "$@" || {{ echo $? >{failed}; kill $PPID; }}; }}; f'
)
"""Git would ask again and again after an editor that failed. A Ctrl-C is for the editor alone."""


def ask_git(
    files: Mapping[str, tuple[Blob | None, Blob | None]],
    repository: Repository,
    answers: TextIO,
    *,
    is_plain: bool,
) -> Mapping[str, Blob | None]:
    """Ask at the terminal `answers` for each difference of `files`, two versions by path.

    If `is_plain`, without colours.
    Returns what each of them is to be: the first version with what was chosen of the second.
    Raises `InputError` if git, or an editor, fails, and `Interrupted`.
    """
    marks = Marks(blob.data for pair in files.values() for blob in pair if blob)
    with scratch_directory() as name:
        directory = Path(name)
        index = _make_repository(repository, directory)
        tree = ""
        for side in (1, 0):
            blobs = {path: pair[side] for path, pair in files.items()}
            ids = _store(
                [marks.put(blob.data) for blob in blobs.values() if blob], repository, index
            )
            entries = {
                path: Entry(blob.entry.mode, next(ids)) if blob else None
                for path, blob in blobs.items()
            }
            set_entries(repository, entries, index)
            tree = tree or repository.ask("write-tree", env=index.env).decode().strip()
        _run(tree, repository, directory, index.env | _PLAIN if is_plain else index.env, answers)
        output = repository.ask("ls-files", "-v", "-s", "-z", env=index.env)
        chosen = [parse_entry(record) for record in output.split(b"\0")[:-1]]
        texts = repository.read_blobs([found.entry.id for found in chosen], env=index.env)
    result: dict[str, Blob | None] = dict.fromkeys(files)
    for found in chosen:
        data = marks.take(texts[found.entry.id])
        entry = Entry(found.entry.mode, blob_id(data, repository.algorithm))
        result[found.path] = Blob(found.path, entry, data)
    return result


def _make_repository(repository: Repository, directory: Path) -> ScratchIndex:
    """Make an empty repository; its environment overrules all that leads to another one."""
    git_dir, top = directory / "git", directory / "empty"
    top.mkdir()
    index = ScratchIndex(
        directory / "index",
        {
            "GIT_DIR": str(git_dir),
            "GIT_COMMON_DIR": str(git_dir),
            "GIT_WORK_TREE": str(top),
            "GIT_INDEX_FILE": str(directory / "index"),
            "GIT_OBJECT_DIRECTORY": str(git_dir / "objects"),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": "",
            "GIT_NAMESPACE": "",
        },
    )
    form = f"--object-format={repository.algorithm}"
    repository.ask("init", "--quiet", "--template=", form, env=index.env)
    (git_dir / "info").mkdir(exist_ok=True)
    (git_dir / "info" / "attributes").write_text("* diff\n")
    return index


def _store(texts: Iterable[bytes], repository: Repository, index: ScratchIndex) -> Iterator[str]:
    """Store blobs; yields their ids."""
    names = []
    for number, text in enumerate(texts):
        file = index.file.with_name(str(number))
        file.write_bytes(text)
        names.append(f"{file}\n")
    words = ("hash-object", "-w", "--no-filters", "--stdin-paths")
    feed = os.fsencode("".join(names))
    yield from repository.ask(*words, feed=feed, env=index.env).decode().split() if names else ()


def _run(
    tree: str,
    repository: Repository,
    directory: Path,
    env: Mapping[str, str],
    answers: TextIO,
) -> None:
    """Let git ask for the differences of its index from `tree`."""
    failed = directory / "failed"
    looks = Settings(repository.run("config", "-z", "--get-regexp", _LOOKS).output)
    settings = [
        word for key, value in {**looks, **_OURS}.items() for word in ("-c", f"{key}={value}")
    ]
    editor = repository.run("var", "GIT_EDITOR").output.decode(errors="surrogateescape").strip()
    command = _EDITOR.format(
        top=shlex.quote(str(repository.require_worktree())),
        term=shlex.quote(os.environ.get("TERM", "dumb")),
        editor=editor or "false",
        failed=shlex.quote(str(failed)),
    )
    asks = {**user_environment(), **env, "GIT_EDITOR": command}
    words = ["git", *settings, "reset", "--quiet", "-p", tree]
    with _deaf():
        status = run_program(words, directory / "empty", asks, source=answers, show=True).status
    if failed.exists():
        raise InputError(f"the editor ended with status {failed.read_text().strip()}")
    if status in (-signal.SIGINT, 128 + signal.SIGINT):
        raise Interrupted("interrupted; nothing was changed")
    if status:
        raise InputError(f"git ended with status {status} and could not ask; nothing was changed")


@contextmanager
def _deaf() -> Iterator[None]:
    """Leave a Ctrl-C to git, which all processes of the terminal get: an editor may go on."""
    handler = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


class Marks:
    """What stands for the characters that a terminal would obey, and for bytes that are not UTF-8.

    Much as less(1) shows them: `<U+1B>`, and `<e9>` for a byte; in more brackets, if any of `texts`
    has such a mark itself. So each can be told from text. Tabs and line endings stay.
    """

    def __init__(self, texts: Iterable[bytes]) -> None:
        decoded = [_decode(text) for text in texts]
        unsafe = {character for text in decoded for character in set(text)} - {"\t", "\n"}
        size = 1
        while any(_pattern(size).search(text) for text in decoded):
            size += 1
        self._pattern = _pattern(size)
        self._marks = {each: _mark(each, size) for each in unsafe if not _is_shown(each)}
        self._characters = {mark: character for character, mark in self._marks.items()}

    def put(self, text: bytes) -> bytes:
        """Return `text` with marks."""
        lone = _CR.sub(lambda found: self._marks[found[0]], _decode(text))
        others = {ord(each): mark for each, mark in self._marks.items() if each != "\r"}
        return lone.translate(others).encode(errors="surrogateescape")

    def take(self, text: bytes) -> bytes:
        """Return `text` with the characters that its marks stand for."""
        characters = self._characters
        taken = self._pattern.sub(lambda found: characters.get(found[0], found[0]), _decode(text))
        return taken.encode(errors="surrogateescape")


def _decode(text: bytes) -> str:
    return text.decode(errors="surrogateescape")


def _pattern(size: int) -> re.Pattern[str]:
    return re.compile(f"{'<' * size}(?:U\\+[0-9A-F]+|[0-9a-f]{{2}}){'>' * size}")


def _mark(character: str, size: int) -> str:
    code = ord(character)
    is_byte = 0xDC80 <= code <= 0xDCFF
    return "<" * size + (f"{code - 0xDC00:02x}" if is_byte else f"U+{code:X}") + ">" * size


def _is_shown(character: str) -> bool:
    """Return whether the terminal shows a character as it is."""
    is_known = character.isascii() or "utf" in (sys.stderr.encoding or "").lower()
    return is_known and character.isprintable()
