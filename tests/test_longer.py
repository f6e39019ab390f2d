"""A hunk with far more lines to find than the file has is refused for that, and no other is.

Rule: the project's decision. The nearest place of a hunk that is little longer says more.
"""

from __future__ import annotations

import tracemalloc

import pytest
from sandbox import Sandbox

from git_opatch.blob import Mode
from git_opatch.complete.draft import Content
from git_opatch.hunks import edit
from git_opatch.options import Options
from git_opatch.parse import parse_patch
from git_opatch.text import Text

_MANY = 3000
_OTHER = "".join(f" other {at}\n" for at in range(_MANY))
_REMOVED = _OTHER.replace(" other", "-other")
_FILE = "one\ntwo\nthree\n"


def _patch(*hunks: str, path: str = "f") -> bytes:
    return "".join([f"--- a/{path}\n+++ b/{path}\n", *(f"@@\n{one}" for one in hunks)]).encode()


@pytest.mark.parametrize("command", ["check", "apply", "convert"])
@pytest.mark.parametrize(
    "hunk",
    [
        pytest.param(_OTHER + "-one\n+1\n", id="context"),
        pytest.param(_REMOVED, id="lines that are removed"),
        pytest.param(_REMOVED + _OTHER.replace(" other", "+another"), id="lines that are replaced"),
    ],
)
def test_a_hunk_that_is_far_longer(repo: Sandbox, hunk: str, command: str) -> None:
    repo.commit({"f": _FILE})
    before = repo.state()
    ran = repo.opatch(command, feed=_patch(" one\n-two\n+2\n", hunk))
    count = _MANY + hunk.startswith(" ")
    assert ran.status == 1
    assert (
        f"f: hunk 2 of 2 is longer than the file: it has {count} lines to find, and the file has 3"
        in ran.err
    )
    assert "re-read the file" in ran.err
    assert repo.state() == before


def test_a_hunk_that_is_little_longer_is_compared(repo: Sandbox) -> None:
    repo.commit({"f": _FILE})
    context = "".join(f" other {at}\n" for at in range(500))
    ran = repo.opatch("check", feed=_patch(" one\n-twice\n+2\n" + context))
    assert ran.status == 1
    assert "longer than the file" not in ran.err
    assert "nearest place" in ran.err


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
def test_what_has_a_place_is_applied(
    repo: Sandbox, file: str, hunks: list[str], after: str
) -> None:
    repo.commit({"f": file})
    ran = repo.opatch("apply", feed=_patch(*hunks))
    assert ran.status == 0, ran.err
    assert repo.read("f") == after.encode()


def test_what_changes_nothing_is_called_so(repo: Sandbox) -> None:
    repo.commit({"f": _FILE})
    ran = repo.opatch("check", feed=_patch(_OTHER, " one\n-two\n+2\n"))
    assert ran.status == 0, ran.err
    assert "hunk 1 changes nothing" in ran.out.decode() + ran.err


def test_what_is_applied_already_is_called_so(repo: Sandbox) -> None:
    repo.commit({"f": _FILE})
    ran = repo.opatch("check", feed=_patch(" one\n" + _REMOVED + "+two\n three\n"))
    assert ran.status == 1
    assert "already applied" in ran.err


def test_no_line_of_it_is_kept() -> None:
    text = _patch("-x\n" * 50_000)
    (section,) = parse_patch(text).files
    content = Content(Mode.REGULAR, Text.from_bytes(_FILE.encode()))
    tracemalloc.start()
    edited = edit(section, content, Options())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [one.hunk for one in edited.failures] == [1]
    assert peak < len(text)
