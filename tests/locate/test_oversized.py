"""Only a hunk with far more lines to find than the file has is refused for its size.

Rule: D39. For a hunk that is slightly longer, the nearest position is more helpful.
"""

from __future__ import annotations

import tracemalloc

import pytest
from phrases import opening
from sandbox import Sandbox

from git_opatch.complete.tree import FileContent
from git_opatch.model.blob import Mode
from git_opatch.model.options import Options
from git_opatch.model.sentences import Fault
from git_opatch.model.text import Text
from git_opatch.parse import parse_patch
from git_opatch.plan.apply_hunks import apply_hunks

_MANY = 3000
_OTHER = "".join(f" other {at}\n" for at in range(_MANY))
_REMOVED = _OTHER.replace(" other", "-other")
_FILE = "one\ntwo\nthree\n"


def _patch(*hunks: str, path: str = "f") -> bytes:
    return "".join([f"--- a/{path}\n+++ b/{path}\n", *(f"@@\n{hunk}" for hunk in hunks)]).encode()


@pytest.mark.parametrize("command", ["check", "apply", "convert"])
@pytest.mark.parametrize(
    "hunk",
    [
        pytest.param(_OTHER + "-one\n+1\n", id="context"),
        pytest.param(_REMOVED, id="lines that are removed"),
        pytest.param(_REMOVED + _OTHER.replace(" other", "+another"), id="lines that are replaced"),
    ],
)
def test_a_hunk_far_longer_than_the_file_is_refused(repo: Sandbox, hunk: str, command: str) -> None:
    repo.commit({"f": _FILE})
    before = repo.state()
    ran = repo.opatch(command, feed=_patch(" one\n-two\n+2\n", hunk))
    count = _MANY + hunk.startswith(" ")
    assert ran.status == 1
    assert f"f: hunk 2 of 2 has {count:,} " in ran.err
    assert repo.state() == before


def test_a_hunk_slightly_longer_than_the_file_is_compared(repo: Sandbox) -> None:
    repo.commit({"f": _FILE})
    context = "".join(f" other {at}\n" for at in range(500))
    ran = repo.opatch("check", feed=_patch(" one\n-twice\n+2\n" + context))
    assert ran.status == 1
    assert "closest match" in ran.err


@pytest.mark.parametrize(
    ("file", "hunks", "after"),
    [
        pytest.param(
            _FILE, [" one\n-two\n+2\n three\n" + " \n" * _MANY], "one\n2\nthree\n", id="blank lines"
        ),
        pytest.param(
            _FILE,
            [" one\n-two\n" + "+two\n" * _MANY + " three\n"],
            "one\n" + "two\n" * _MANY + "three\n",
            id="lines that are added",
        ),
        pytest.param(
            _FILE,
            [
                " one\n" + _OTHER.replace(" other", "+other") + " two\n",
                _OTHER + " two\n-three\n+3\n",
            ],
            "one\n" + _OTHER.replace(" other", "other") + "two\n3\n",
            id="lines that another hunk adds",
        ),
    ],
)
def test_an_oversized_hunk_with_a_position_is_applied(
    repo: Sandbox, file: str, hunks: list[str], after: str
) -> None:
    repo.commit({"f": file})
    ran = repo.opatch("apply", feed=_patch(*hunks))
    assert ran.status == 0, ran.err
    assert repo.read("f") == after.encode()


def test_an_oversized_hunk_that_changes_nothing_is_refused(repo: Sandbox) -> None:
    repo.commit({"f": _FILE})
    ran = repo.opatch("check", feed=_patch(_OTHER, " one\n-two\n+2\n"))
    assert ran.status == 1
    assert "f: hunk 1 of 2 has 3,000 " in ran.err


def test_an_oversized_hunk_that_is_already_applied_is_reported_as_such(repo: Sandbox) -> None:
    repo.commit({"f": _FILE})
    ran = repo.opatch("check", feed=_patch(" one\n" + _REMOVED + "+two\n three\n"))
    assert ran.status == 1
    assert opening(Fault.ALREADY_APPLIED.sentence) in ran.err


def test_the_lines_of_an_oversized_hunk_are_not_kept() -> None:
    text = _patch("-x\n" * 50_000)
    (section,) = parse_patch(text).files
    content = FileContent(Mode.REGULAR, Text.from_bytes(_FILE.encode()))
    tracemalloc.start()
    edited = apply_hunks(section, content, Options())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [failure.hunk for failure in edited.failures] == [1]
    assert peak < len(text)
