"""`apply --interactive`: git asks which changes of a patch are wanted, as `git reset -p` does.

It asks in a repository made for the question, which has the two versions of the files and nothing
else: no file of the user's is read or written, no hook or filter runs, and what an attribute calls
binary is text. What a terminal would obey is not in these files: each such character is a mark
(`<U+1B>`), which becomes the character again in what was chosen. What is applied is git's diff of
the first version and what was chosen (D530).
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TextIO

from git_opatch.git.index import ScratchIndex, set_entries
from git_opatch.git.output import parse_entry
from git_opatch.git.repository import Repository
from git_opatch.git.runner import run_program, user_environment
from git_opatch.git.scratch import scratch_directory
from git_opatch.model.blob import Blob, Entry, blob_id
from git_opatch.model.errors import InputError, Interrupted, UsageError
from git_opatch.model.options import Format, Options, Tier
from git_opatch.model.patch import Patch
from git_opatch.model.selection import Selected, keep, parts_of
from git_opatch.model.settings import Settings
from git_opatch.model.text import visible
from git_opatch.operations.apply import plan_patch
from git_opatch.parse import parse_patch
from git_opatch.plan.plan import Plan
from git_opatch.report.placements import left_out_verdicts, refused_parts
from git_opatch.report.terminal import show, use_colour

_SOURCE = "what was chosen"
"""What a message about it calls the patch."""


def choose(
    selected: Selected, repository: Repository, options: Options, settings: Mapping[str, str]
) -> tuple[Selected, Options]:
    """Let git ask which changes of the selected parts are wanted.

    The parts that do not apply are named, and left out. If none applies, or what fails is not of a
    part, nothing is asked, and all stays selected: then the reasons are for the caller to report.
    If all changes are chosen, the patch is what it was; else it is another one, of the changes that
    were, to be applied with the options that are returned; it is empty if none was. Raises
    `UsageError` without a terminal, and for several mails.
    """
    patch = selected.patch
    if options.commit and len(patch.mails) > 1:
        raise UsageError(
            "--interactive with --commit asks about one mail, and these are "
            f"{len(patch.mails)}\n  apply them one by one (git mailsplit)"
        )
    plan, parts = _plan(patch, repository, replace(options, partial=True)), parts_of(patch)
    refused = refused_parts(parts, plan.failures)
    known = {key for part in parts for key in part.keys}
    is_refused = len(refused) == len(parts) or any(
        failure.key not in known for failure in plan.failures
    )
    with _terminal() as answers:
        if is_refused or not plan.completed.changes:
            return selected, options
        show(left_out_verdicts(parts, plan), sys.stderr, settings)
        old, new = _versions(plan)
        chosen = ask_git(
            [*old.values()],
            [*new.values()],
            repository,
            answers,
            is_plain=not use_colour(sys.stderr, settings),
            reverse=options.reverse,
        )
    if chosen.entries == _entries(old):
        return Selected(Patch(())), options
    if chosen.entries == _entries(new):
        rest, left_out = keep(patch, [part for part in parts if part.key in refused])
        return Selected(rest, (*selected.left_out, *left_out)), options
    options = replace(
        options,
        directory="",
        matching=options.matching._replace(tier=Tier.STRICT),
        skip_applied=False,
    )
    part = _part(chosen, patch)
    plan = plan_patch(part, repository, options)
    made = _entries(old) | {change.path: change.new for change in plan.completed.changes}
    wrong = [path for path, entry in made.items() if entry != chosen.entries.get(path)]
    if wrong and not plan.failures:  # which are for the caller to report
        named = ", ".join(map(visible, wrong))
        raise InputError(f"{named}: a patch cannot have just what was chosen; nothing was changed")
    return Selected(part, selected.left_out), options


def _part(chosen: Chosen, whole: Patch) -> Patch:
    """Read the patch of what was chosen of the `whole`."""
    part = parse_patch(chosen.diff, patch_format=Format.UNIFIED, source=_SOURCE, recorded=True)
    mails = tuple(mail._replace(first=0) for mail in whole.mails[:1])
    return part._replace(mails=mails, is_part=True, notes=whole.notes)


def _plan(patch: Patch, repository: Repository, options: Options) -> Plan:
    """Plan the hunks of `patch`, whose text says what is reversed."""
    plan = plan_patch(patch, repository, options)
    if plan.reverses:  # as a whole; the lines of its hunks are known by its text
        by_text = plan_patch(patch._replace(digest=""), repository, options)
        plan = plan if by_text.failures else by_text
    return plan


@contextmanager
def _terminal() -> Iterator[TextIO]:
    """Open what answers are read from: standard input may be the patch.

    Raises `UsageError` if there is no terminal.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        yield sys.stdin
        return
    try:
        stream = open("/dev/tty")  # noqa: SIM115 - closed below
    except OSError:
        raise UsageError(
            "not a terminal, so --interactive cannot ask\n"
            "  `--only` and `--except` choose hunks; `git opatch show --hunks` lists them"
        ) from None
    with stream:
        yield stream


def _versions(plan: Plan) -> tuple[dict[str, Blob], dict[str, Blob]]:
    """Return both versions of the files that `plan` changes, by path; a move is of two."""
    blobs, changes = plan.completed.blobs(), plan.completed.changes
    old = {path: Blob(path, entry, blobs[entry.id]) for path, entry, _ in changes if entry}
    new = {path: Blob(path, entry, blobs[entry.id]) for path, _, entry in changes if entry}
    return old, new


def _entries(blobs: Mapping[str, Blob]) -> dict[str, Entry | None]:
    return {path: blob.entry for path, blob in blobs.items()}


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


class Chosen(NamedTuple):
    """What was chosen: what each file is to be, by path, and the diff that makes it so."""

    entries: Mapping[str, Entry]
    diff: bytes


def ask_git(
    old: Sequence[Blob],
    new: Sequence[Blob],
    repository: Repository,
    answers: TextIO,
    *,
    is_plain: bool,
    reverse: bool,
) -> Chosen:
    """Ask at the terminal `answers` for each difference of two versions of files.

    If `is_plain`, without colours. What is chosen is the old version with some of the differences;
    the diff is in `reverse`, if it is to be applied so. Raises `InputError` if git, or an editor,
    fails, and `Interrupted`.
    """
    marks = Marks(blob.data for blob in (*old, *new))
    with scratch_directory() as name:
        directory = Path(name)
        index = _make_repository(repository, directory)
        wanted, _ = (
            _tree([Blob(b.path, b.entry, marks.put(b.data)) for b in side], repository, index)
            for side in (new, old)
        )
        _run(wanted, repository, directory, index.env | _PLAIN if is_plain else index.env, answers)
        output = repository.ask("ls-files", "-v", "-s", "-z", env=index.env)
        records = [parse_entry(record) for record in output.split(b"\0")[:-1]]
        texts = repository.read_blobs([record.entry.id for record in records], env=index.env)
        chosen = []
        for record in records:
            data = marks.take(texts[record.entry.id])
            entry = Entry(record.entry.mode, blob_id(data, repository.algorithm))
            chosen.append(Blob(record.path, entry, data))
        trees = [_tree(side, repository, index) for side in (old, chosen)]
        diff = repository.ask(
            "diff-tree", "-p", "-M", *trees[:: -1 if reverse else 1], env=index.env
        )
    return Chosen({blob.path: blob.entry for blob in chosen}, diff)


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


def _tree(blobs: Sequence[Blob], repository: Repository, index: ScratchIndex) -> str:
    """Store files as a tree, which is in the index then; gives its id."""
    files = [index.file.with_name(str(number)) for number, _ in enumerate(blobs)]
    for file, blob in zip(files, blobs, strict=True):
        file.write_bytes(blob.data)
    feed = os.fsencode("".join(f"{file}\n" for file in files))
    words = ("hash-object", "-w", "--no-filters", "--stdin-paths")
    ids = repository.ask(*words, feed=feed, env=index.env).decode().split()
    stored = zip(blobs, ids, strict=True)
    repository.ask("read-tree", "--empty", env=index.env)
    entries = {blob.path: Entry(blob.entry.mode, oid) for blob, oid in stored}
    set_entries(repository, entries, index)
    return repository.ask("write-tree", env=index.env).decode().strip()


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
        self._marks = {
            character: _mark(character, size) for character in unsafe if not _is_shown(character)
        }
        self._characters = {mark: character for character, mark in self._marks.items()}

    def put(self, text: bytes) -> bytes:
        """Return `text` with marks."""
        lone = _CR.sub(lambda match: self._marks[match[0]], _decode(text))
        others = {
            ord(character): mark for character, mark in self._marks.items() if character != "\r"
        }
        return lone.translate(others).encode(errors="surrogateescape")

    def take(self, text: bytes) -> bytes:
        """Return `text` with the characters that its marks stand for."""
        characters = self._characters
        taken = self._pattern.sub(lambda match: characters.get(match[0], match[0]), _decode(text))
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
