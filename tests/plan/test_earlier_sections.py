"""Several sections for one file: what follows on, what is given twice, and what is refused."""

from __future__ import annotations

import pytest
from phrases import opening
from sandbox import Ran, Sandbox
from writers import envelope

from git_opatch.model.sentences import Fault

NUMBERS = "one\ntwo\nthree\nfour\n"
TWINS = "def a():\n    x = 1\n    y = 2\n\ndef b():\n    x = 1\n    y = 2\n"


def applied(repo: Sandbox, content: str, *hunks: str) -> Ran:
    """Apply a section of one hunk after the other, all of them for one file."""
    repo.commit({"f.py": content})
    sections = "".join(f"*** Update File: f.py\n{hunk}" for hunk in hunks)
    return repo.opatch("apply", feed=envelope(sections.encode()))


@pytest.mark.parametrize(
    ("hunks", "after"),
    [
        pytest.param(
            ["@@\n-two\n+zwei\n", "@@\n-zwei\n+deux\n"],
            "one\ndeux\nthree\nfour\n",
            id="a line that the earlier one wrote",
        ),
        pytest.param(
            ["@@\n one\n+neu\n", "@@\n neu\n+nouveau\n two\n"],
            "one\nneu\nnouveau\ntwo\nthree\nfour\n",
            id="a line beside it",
        ),
        pytest.param(
            ["@@\n-two\n", "@@\n one\n+due\n three\n"],
            "one\ndue\nthree\nfour\n",
            id="lines around what it deleted",
        ),
        pytest.param(
            ["@@\n-two\n+zwei\n", "@@\n-zwei\n+two\n", "@@\n-two\n+zwei\n"],
            "one\nzwei\nthree\nfour\n",
            id="there and back",
        ),
        pytest.param(
            ["@@\n-two\n+zwei\n", "@@\n-four\n+vier\n"],
            "one\nzwei\nthree\nvier\n",
            id="lines elsewhere",
        ),
        pytest.param(
            ["@@\n one\n+neu\n", "@@\n-one\n+uno\n"],
            "uno\nneu\ntwo\nthree\nfour\n",
            id="the line above what it added",
        ),
    ],
)
def test_a_later_section_follows_on(repo: Sandbox, hunks: list[str], after: str) -> None:
    ran = applied(repo, NUMBERS, *hunks)
    assert (ran.status, repo.read("f.py")) == (0, after.encode())


@pytest.mark.parametrize(
    "hunk",
    [
        pytest.param("@@\n-two\n+zwei\n", id="a replacement"),
        pytest.param("@@\n one\n+zwei\n", id="an addition"),
        pytest.param("@@\n one\n-two\n", id="a deletion"),
    ],
)
def test_a_section_that_is_given_twice_is_applied_once(repo: Sandbox, hunk: str) -> None:
    ran = applied(repo, NUMBERS, hunk, hunk)
    assert ran.status == 0
    assert "f.py: hunk 2 repeats the one at line 4 of the patch; applied once" in ran.err
    once = repo.read("f.py")
    repo.git("reset", "--quiet", "--hard")
    assert applied(repo, NUMBERS + "five\n", hunk).status == 0
    assert repo.read("f.py") == once + b"five\n"


def test_versions_with_the_same_right_numbers_are_versions(repo: Sandbox) -> None:
    repo.commit({"f.py": "a\nb\nc\n"})
    version = "--- a/f.py\n+++ b/f.py\n@@ -1,2 +1,4 @@\n a\n+b\n+x\n b\n"
    ran = repo.opatch("apply", feed=f"{version}Or:\n\n{version.replace('+x', '+y')}".encode())
    assert ran.status == 1
    assert f"{opening(Fault.OVERLAP_EARLIER.sentence)} 4" in ran.err


def test_a_patch_that_is_given_twice_is_applied_once(repo: Sandbox) -> None:
    repo.commit({"old.txt": "o\n", "from.txt": "f\n"})
    patch = envelope(
        b"*** Add File: new.txt\n+n\n*** Delete File: old.txt\n"
        b"*** Update File: from.txt\n*** Move to: to.txt\n@@\n-f\n+t\n"
    )
    ran = repo.opatch("apply", feed=patch + patch)
    assert ran.status == 0
    assert ran.err.count("is in the patch again") == 3
    assert (repo.read("new.txt"), repo.read("to.txt")) == (b"n\n", b"t\n")


@pytest.mark.parametrize(
    ("hunks", "lines"),
    [
        pytest.param(
            ["@@\n one\n-two\n+zwei\n", "@@\n one\n-two\n+deux\n"],
            ["line 9", "line 4"],
            id="two versions of a line",
        ),
        pytest.param(
            ["@@\n one\n+zwei\n", "@@\n one\n+deux\n"],
            ["line 8", "line 4"],
            id="two versions of an addition",
        ),
        pytest.param(
            ["@@\n-two\n-three\n+zwei\n", "@@\n-three\n+drei\n"],
            ["line 9", "line 4"],
            id="one line of two",
        ),
        pytest.param(
            ["@@\n-two\n+# Two.\n", "@@\n-# two\n+zwei\n"],
            ["line 8", "line 2"],
            id="what matches loosely what was written",
        ),
    ],
)
def test_two_versions_are_refused(repo: Sandbox, hunks: list[str], lines: list[str]) -> None:
    ran = applied(repo, NUMBERS, *hunks)
    assert (ran.status, repo.read("f.py")) == (1, NUMBERS.encode())
    assert all(line in ran.err for line in lines), ran.err


BLOCKS = "a {\n}\n\nb {\n}\n"


def test_lines_that_were_there_before_do_not_show_that_a_section_follows_on(repo: Sandbox) -> None:
    versions = [f"@@\n }}\n \n+{name} {{\n+}}\n+\n b {{\n" for name in ("new", "newer")]
    ran = applied(repo, BLOCKS, *versions)
    assert (ran.status, repo.read("f.py")) == (1, BLOCKS.encode())
    assert f"{opening(Fault.OVERLAP_EARLIER.sentence)} 4" in ran.err


def test_lines_that_only_the_earlier_section_has_show_it(repo: Sandbox) -> None:
    first = "@@\n }\n \n+new {\n+}\n+\n b {\n"
    second = "@@\n new {\n }\n \n+newer {\n+}\n+\n b {\n"
    ran = applied(repo, BLOCKS, first, second)
    after = "a {\n}\n\nnew {\n}\n\nnewer {\n}\n\nb {\n}\n"
    assert (ran.status, repo.read("f.py")) == (0, after.encode())


ANCHORED = "@@ def a():\n-    x = 1\n+    x = 2\n"


@pytest.mark.parametrize(
    "second",
    [
        pytest.param("@@ def a():\n-    x = 1\n+    x = 3\n", id="with the same anchor"),
        pytest.param("@@\n-    x = 1\n+    x = 3\n", id="without an anchor"),
        pytest.param("@@\n-    x = 1\n+    x = 2\n", id="the same, without an anchor"),
    ],
)
def test_a_second_version_does_not_change_a_twin(repo: Sandbox, second: str) -> None:
    ran = applied(repo, TWINS, ANCHORED, second)
    assert (ran.status, repo.read("f.py")) == (1, TWINS.encode())


def test_another_twin_may_be_changed_by_name(repo: Sandbox) -> None:
    ran = applied(repo, TWINS, ANCHORED, "@@ def b():\n-    x = 1\n+    x = 3\n")
    after = TWINS.replace("x = 1", "x = 2", 1).replace("x = 1", "x = 3")
    assert (ran.status, repo.read("f.py")) == (0, after.encode())
