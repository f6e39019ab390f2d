"""Sessions: commands in a repository, and what each of them leaves, in one text file.

`sessions/README.md` explains the format; `sessions/test_sessions.py` runs them.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field

from scenario import SECTION, ScenarioError, content_of, entry_of, read_head
from targets import After

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
