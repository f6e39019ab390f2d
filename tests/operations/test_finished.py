"""An apply or undo that was killed after its commit point: the next run does all that was left."""

from __future__ import annotations

import pytest
from killed import kill_before_call
from sandbox import Sandbox
from writers import envelope

_PARTLY = envelope(
    b"*** Update File: f\n@@\n-a\n+b\n", b"*** Update File: g\n@@\n-no such line\n+x\n"
)
_AFTER_COMMIT = [
    ("os.rename", ".git/index"),
    ("os.rename", "journal/1.json"),
    ("os.rename", "opatch/done"),
]


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "a\n", "g": "g\n"})
    return repo


@pytest.mark.parametrize("call", [*_AFTER_COMMIT[::2], ("os.rename", "journal/2.json")])
@pytest.mark.parametrize("command", ["undo", "redo"])
def test_an_undo_and_a_redo_are_finished(
    base: Sandbox, call: tuple[str, str], command: str
) -> None:
    before = base.index(), base.files()
    assert base.opatch("apply", "--partial", feed=_PARTLY).status == 1
    after = base.index(), base.files()
    if command == "redo":
        assert base.opatch("undo").status == 0
        call = (call[0], call[1].replace("2.json", "3.json"))
    kill_before_call(base, *call, command)
    assert base.opatch("recover").status == 0
    assert (base.index(), base.files()) == (before if command == "undo" else after)
    opposite = "redo" if command == "undo" else "undo"
    assert base.opatch(opposite).status == 0
    assert (base.index(), base.files()) == (after if command == "undo" else before)


def test_what_finishes_an_apply_keeps_to_the_size_of_the_journal(base: Sandbox) -> None:
    base.git("config", "opatch.journalSize", "0")
    kill_before_call(base, "os.rename", ".git/index", "apply", "--partial", feed=_PARTLY)
    assert base.opatch("recover").status == 0
    assert base.read("f") == b"b\n"
    assert not (base.path / ".git/opatch/journal").exists()


@pytest.mark.parametrize("command", [["apply", "--reject"], ["undo"]])
def test_a_kill_after_the_journal_was_written_makes_no_second_record(
    base: Sandbox, command: list[str]
) -> None:
    if command == ["undo"]:
        assert base.opatch("apply", "--reject", feed=_PARTLY).status == 1
    count = len(list((base.path / ".git/opatch").glob("journal/*.json")))
    kill_before_call(base, "os.rename", "opatch/done", *command, feed=_PARTLY)
    assert base.opatch("recover").status == 0
    assert len(list((base.path / ".git/opatch").glob("journal/*.json"))) == count + 1
