"""OpenCode's `edit`: completed where the engine finds its place, denied where it is not certain."""

from __future__ import annotations

import json
import random
import shlex
from pathlib import Path
from typing import Any

import pytest
from phrases import opening
from sandbox import Sandbox

from git_opatch.agent.rewrite import write_edit
from git_opatch.complete.edits import Edit
from git_opatch.complete.tree import FileContent, Result
from git_opatch.model.blob import Blob, Entry, Mode
from git_opatch.model.sentences import Fault

_PYTHON = """\
class Store:
    def get(self, key):
        value = self.items[key]
        return value

    def pop(self, key):
        value = self.items[key]
        return value
"""


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": _PYTHON, "sub/f": "s\n"})
    return repo


def _answer(repo: Sandbox, old: str, new: str, *words: str, **more: object) -> dict[str, Any]:
    given = {"filePath": "f", "oldString": old, "newString": new, **more}
    event = {"hook_event_name": "tool.execute.before", "cwd": str(repo.path), "tool_name": "edit"}
    feed = json.dumps({**event, "tool_input": given}).encode()
    before = repo.state()
    ran = repo.run("git", *words, "opatch", "agent-hook", feed=feed)
    assert (ran.status, ran.err, repo.state()) == (0, "", before)
    answer: dict[str, Any] = json.loads(ran.out) if ran.out else {}
    return answer


def _landed(repo: Sandbox, answer: dict[str, Any], path: str = "f") -> bytes:
    """Do as OpenCode does with the completed call: the old string is in the file once."""
    args = answer["args"]
    data = repo.read(path).decode()
    assert (data.count(args["oldString"]), args["replaceAll"]) == (1, False)
    return data.replace(args["oldString"], args["newString"]).encode()


def test_an_edit_whose_old_string_is_there_once_is_left_alone(base: Sandbox) -> None:
    assert _answer(base, "def get(self, key):", "def get(self, name):") == {}
    assert _answer(base, "return value", "return 1", replaceAll=True) == {}
    base.write("f", _PYTHON.replace("\n", "\r\n"))
    assert _answer(base, "def get(self, key):\n        value", "def get():\n        value") == {}


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("\tdef pop(self, key):\n\t\tvalue = 1", "\tdef pop(self):\n\t\tvalue = 1", ""),
        ("  def  get(self,  key):", "  def get(self, name):", "    def get(self, name):"),
        ("def get(self, key):   \n", "def get(self, name):\n", "    def get(self, name):\n"),
        ("2:     def get(self, key):", "2:     def get(self, k):", "    def get(self, k):"),
    ],
)
def test_an_edit_that_the_engine_places_is_completed(
    base: Sandbox, old: str, new: str, wanted: str
) -> None:
    answer = _answer(base, old, new)
    if not wanted:
        assert opening(Fault.NOT_FOUND.sentence) in answer["deny"]
        return
    args = answer["args"]
    assert args["filePath"] == "f"
    assert (
        _landed(base, answer)
        == _PYTHON.replace("    def get(self, key):", wanted.rstrip("\n")).encode()
    )


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("return value", "return str(value)", "occurs 2 times"),
        ("return nothing", "return 1", opening(Fault.NOT_FOUND.sentence)),
        ("def find(self, key):", "def get(self, key):", "applied"),
    ],
)
def test_an_edit_that_is_not_certain_is_denied(
    base: Sandbox, old: str, new: str, reason: str
) -> None:
    assert reason in _answer(base, old, new)["deny"]


def test_all_occurrences_are_one_edit_where_the_tool_would_write_another(base: Sandbox) -> None:
    answer = _answer(base, "return value", "return '$&'", replaceAll=True)
    assert _landed(base, answer) == _PYTHON.replace("return value", "return '$&'").encode()


def test_the_bytes_of_the_file_are_kept(base: Sandbox) -> None:
    for before, old, new, after in (
        ("\ufeffa\r\n\tb\r\nc\r\n", "    b\nc", "    B\nc", "\ufeffa\r\n\tB\r\nc\r\n"),
        ("\ufeffa\nb\n", "a  \nb", "A\nb", "\ufeffA\nb\n"),
    ):
        base.write("f", before)
        assert _landed(base, _answer(base, old, new)) == after.encode()


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"\xe9\nb\nc\n", "is not UTF-8"), (b"a\r\nb\nc\n", "has different line endings")],
)
def test_what_the_tool_cannot_keep_is_denied_with_the_command(
    base: Sandbox, data: bytes, reason: str
) -> None:
    base.write("f", data)
    told = _answer(base, "b\nc", "B\nc")["deny"]
    assert told.startswith(f"error: f: {reason}")
    command = told.partition("as JSON: ")[2].removesuffix(" <<'EOF'")
    feed = json.dumps({"filePath": "f", "oldString": "b\nc", "newString": "B\nc"}).encode()
    assert base.run(*shlex.split(command), feed=feed).status == 0
    assert base.read("f") == data.replace(b"b", b"B")


def test_other_edits_are_the_clients_own(base: Sandbox) -> None:
    (base.path.parent / "out").write_text("x\n")
    for more in (
        {"oldString": ""},
        {"oldString": 1},
        {"oldString": "x", "newString": "x"},
        {"oldString": "nowhere", "filePath": "../out"},
    ):
        assert _answer(base, "no", "yes", **more) == {}


def test_the_setting_check_leaves_an_edit_as_it_is(base: Sandbox) -> None:
    words = ("-c", "opatch.agentHook=check")
    assert _answer(base, "  def  get(self,  key):", "  def g(self):", *words) == {}
    assert "deny" in _answer(base, "return value", "x", *words)


def test_the_policy_comes_first(base: Sandbox) -> None:
    words = ("-c", "opatch.deny=f")
    assert Fault.DENIED.sentence in _answer(base, "def get(self, key):", "x", *words)["deny"]


@pytest.mark.parametrize("seed", range(20))
def test_the_old_string_is_in_the_file_once(seed: int, tmp_path: Path) -> None:
    """In files whose lines repeat, and end alike."""
    chance = random.Random(seed)
    for _ in range(50):
        lines = [chance.choice([b"a", b"ba", b"", b" a", b"a "]) for _ in range(40)]
        old = b"\n".join(lines) + b"\n" * chance.randint(0, 1)
        starts = sorted(chance.sample(range(20), chance.randint(1, 3)))
        edits = [Edit(at, at + chance.randint(0, 1), (b"new %d" % at,)) for at in starts]
        blob = Blob("f", Entry(Mode.REGULAR, "0" * 40), old)
        (tmp_path / "f").write_bytes(old)
        content = FileContent.of(blob).edited(edits)
        before, after = write_edit(Result(blob, "f", content), tmp_path)
        text = old.decode()
        assert text.find(before) == text.rfind(before)
        assert text.replace(before, after).encode() == content.text.to_bytes()
