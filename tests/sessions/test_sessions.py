"""Run every text file in `sessions`: each case in a repository of its own."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
from documents import document_of
from sandbox import Ran, Sandbox, Tree
from scenario import SECTION, ScenarioError, content_of, entry_of, place_of, read_head
from targets import After, changed

_STEPS = ("file", "commit", "run", "exit")
_PARTS = ("after", "index", "worktree", "state", "refused", "prints", "warns", "says", "omits")


@dataclass
class Step:
    """A step with the text below it, and the sections that say what must be true after it."""

    words: list[str]
    body: bytes
    parts: list[tuple[list[str], bytes]] = field(default_factory=list)

    def texts(self, name: str) -> list[bytes]:
        """Return the texts of the sections of a name."""
        return [content_of(body, words[1:]) for words, body in self.parts if words[0] == name]

    def lines(self, name: str) -> list[str]:
        """Return the lines of the sections of a name."""
        return b"".join(self.texts(name)).decode().splitlines()

    def entries(self, place: str) -> After:
        """Return the files that the sections for a place, or for both, say to have changed."""
        wanted = (each for each in self.parts if each[0][0] in ("after", place))
        return dict(file_entry(words[1:], body) for words, body in wanted)


def file_entry(words: list[str], body: bytes) -> tuple[str, tuple[str, bytes] | None]:
    """Return the path of a file, with the mode and content it has; None if it is gone."""
    return (words[0], None) if words[1:] == ["gone"] else entry_of(words, body)


def read_sessions(raw: bytes) -> tuple[list[Step], dict[str, list[Step]]]:
    """Return the steps above the first case, and those of each case.

    Raises `ScenarioError` if the file does not follow the format.
    """
    head, *sections = SECTION.split(raw)
    if "what" not in dict(read_head(head.decode(), ("what", "source"))):
        raise ScenarioError("the head has no `what:`")
    start = steps = list[Step]()
    cases = dict[str, list[Step]]()
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        kind, _, name = (title or b"").decode().partition(" ")
        if kind == "case" and name not in cases:
            steps = cases[name] = []
            continue
        words = [kind, *shlex.split(name)]
        if words[0] in _STEPS:
            steps.append(Step(words, body))
        elif words[0] in _PARTS and steps and steps[-1].words[0] in ("run", "exit"):
            steps[-1].parts.append((words, body))
        else:
            raise ScenarioError(f"`%%% {kind} {name}` cannot be here")
    return start, cases


_SESSIONS = Path(__file__).parent
_CASES = [
    pytest.param(path, steps, id=f"{path.relative_to(_SESSIONS)}: {name}")
    for path in sorted(_SESSIONS.glob("*/*.txt"))
    for name, steps in read_sessions(path.read_bytes())[1].items()
]


class Session:
    """A repository while steps are taken, and the states that they name."""

    def __init__(self, repo: Sandbox) -> None:
        self.repo = repo
        self.states: dict[str, tuple[Tree, Tree]] = {}

    def take(self, step: Step) -> None:
        """Take a step, and assert what is said to be true after it."""
        kind, *words = step.words
        if kind == "commit":
            self.repo.commit()
        elif kind == "file":
            path, entry = file_entry(words, step.body)
            (self.repo.path / path).unlink(missing_ok=True)
            if entry:
                self.repo.write(path, entry[1]).chmod(int(entry[0][-3:], 8))
        else:
            self._run(words, step, int(words.pop(0)) if kind == "exit" else 0)

    def _run(self, words: list[str], step: Step, status: int) -> None:
        is_ours, before, whole = words[:2] == ["git", "opatch"], self._trees(), self._whole()
        if is_ours:
            self.states.setdefault("start", before)
        if step.texts("refused"):
            words = [*words[:3], "--json", *words[3:]]
        directory = self.repo.path
        if words[1:2] == ["-C"] and words[3:4] == ["opatch"]:
            directory, words = directory / words[2], ["git", *words[3:]]
        ran = self.repo.run(*words, feed=step.body, cwd=directory)
        assert ran.status == status, ran
        _check_output(ran, step)
        now = wanted = self._trees()
        if is_ours:
            index, files = before
            wanted = changed(index, step.entries("index")), changed(files, step.entries("worktree"))
        for name in (words[1] for words, _ in step.parts if words[0] == "state"):
            wanted = self.states.setdefault(name, wanted)
        assert now == wanted, ran
        assert before != now or not status or self._whole() == whole, ran

    def _whole(self) -> tuple[object, ...]:
        journal = self.repo.path / ".git/opatch/journal"
        return *self.repo.state(), sorted(journal.glob("*"))

    def _trees(self) -> tuple[Tree, Tree]:
        return self.repo.index(), self.repo.files()


def _check_output(ran: Ran, step: Step) -> None:
    if "--json" in step.words or step.texts("refused"):
        document = document_of(ran)
    if step.texts("refused"):
        failures = document["failures"]
        assert [place_of(failure) for failure in failures] == step.lines("refused")
    for text in step.texts("prints"):
        assert ran.out == text, ran
    for text in step.texts("warns"):
        assert ran.err.encode() == text, ran
    output = ran.out.decode("utf-8", "replace") + ran.err
    assert not [line for line in step.lines("says") if line not in output], ran
    assert not any(line in output for line in step.lines("omits")), ran


@pytest.fixture(scope="session")
def started(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Sandbox]:
    """Give the repository in which the cases of a file begin, which is made once."""

    @cache
    def make(path: Path) -> Sandbox:
        repo = Sandbox(tmp_path_factory.mktemp("start") / "repo").init()
        session = Session(repo)
        for step in read_sessions(path.read_bytes())[0]:
            session.take(step)
        return repo

    return make


@pytest.mark.parametrize(("path", "steps"), _CASES)
def test_session(
    path: Path, steps: list[Step], started: Callable[[Path], Sandbox], tmp_path: Path
) -> None:
    session = Session(started(path).copy(tmp_path / "repo"))
    for step in steps:
        session.take(step)
    session.repo.fsck()


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ("%%% after f\n", "after f"),
        ("%%% case c\n%%% case c\n", "case c"),
        ("%%% files f\n", "files f"),
    ],
)
def test_a_malformed_session_is_refused(sections: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=f"`%%% {message}` cannot be here"):
        read_sessions(f"what: w\n{sections}".encode())
