"""`undo --skip-undone` and `apply -R --skip-applied`: a part is undone already (D460)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from sandbox import Ran, Sandbox
from writers import envelope

_LINES = "".join(f"line {number}\n" for number in range(1, 31))
_HUNKS = "".join(f"@@\n-line {number}\n+{number}\n" for number in (3, 6, 20))
_PATCH = envelope(
    f"*** Update File: f\n{_HUNKS}".encode(),
    b"*** Update File: g\n@@\n-g\n+G\n*** Add File: n\n+n\n*** Delete File: old\n",
)


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": _LINES, "g": "g\n", "old": "o\n"})
    repo.write(".git/p", _PATCH)
    return repo


def _edit(repo: Sandbox, old: str, new: str) -> None:
    repo.write("f", repo.read("f").decode().replace(f"{old}\n", f"{new}\n"))
    repo.git("add", "f")


def _follow(repo: Sandbox, ran: Ran) -> Ran:
    """Run the command that a refusal advises, after which nothing may be left to undo."""
    assert (ran.status, ran.out) == (1, b""), ran.err
    (way,) = (line for line in ran.err.splitlines() if "to undo the rest: " in line)
    return repo.run(*way.partition(": ")[2].split())


_UNDONE = {
    "a file": ["git checkout -q HEAD -- g"],
    "an added file": ["git rm -qf n"],
    "a deleted file": ["git checkout -q HEAD -- old"],
    "two": ["git checkout -q HEAD -- g old"],
    "a hunk": ["sed -i 's/^6$/line 6/' f", "git add f"],
    "a hunk, and lines moved": ["sed -i '1i new' f", "sed -i 's/^20$/line 20/' f", "git add f"],
}


@pytest.mark.parametrize("words", [["undo"], ["apply", "-R", ".git/p"]], ids=["undo", "-R"])
@pytest.mark.parametrize("commands", _UNDONE.values(), ids=_UNDONE.keys())
def test_the_rest_of_a_patch_is_undone_as_advised(
    base: Sandbox, commands: Sequence[str], words: Sequence[str]
) -> None:
    before = base.index(), base.files()
    assert base.opatch("apply", ".git/p").status == 0
    for command in commands:
        assert base.run("sh", "-c", command).status == 0
    patched = base.index(), base.files()
    ran = _follow(base, base.opatch(*words))
    assert (ran.status, ran.out[:9]) == (0, b"Undid 1 ("), ran.err
    assert "is not applied here, so there is nothing to undo; skipped\n" in ran.err
    if "1i" not in commands[0]:
        assert (base.index(), base.files()) == before
    assert "nothing to undo" in base.opatch("undo").err
    assert base.opatch("redo").status == 0
    assert (base.index(), base.files()) == patched
    assert base.opatch("undo").status == 0


@pytest.mark.parametrize("target", ["--cached", "--worktree"])
def test_the_rest_is_undone_in_one_place(base: Sandbox, target: str) -> None:
    before = base.index(), base.files()
    assert base.opatch("apply", target, ".git/p").status == 0
    base.git("restore", *(["--staged"] if target == "--cached" else []), "g")
    assert _follow(base, base.opatch("undo")).status == 0
    assert (base.index(), base.files()) == before


def test_no_way_leads_into_a_circle_after_a_file_was_restored_in_the_working_tree(
    base: Sandbox,
) -> None:
    before = base.index(), base.files()
    assert base.opatch("apply", ".git/p").status == 0
    base.git("restore", "--source=HEAD", "--", "g")
    assert "to undo it in the index only: git opatch undo --cached 1\n" in base.opatch("undo").err
    assert base.opatch("undo", "--cached", "1").status == 0
    assert _follow(base, base.opatch("undo")).status == 0
    assert (base.index(), base.files()) == before


@pytest.mark.parametrize(
    ("old", "new"), [("6", "mine"), ("line 7", "mine")], ids=["its line", "the line beside"]
)
def test_what_was_changed_is_not_called_undone(base: Sandbox, old: str, new: str) -> None:
    """Also where the lines from before the patch are somewhere else in the file."""
    assert base.opatch("apply", ".git/p").status == 0
    _edit(base, old, new)
    _edit(base, "line 28", "line 5\nline 6\nline 7")
    before = base.state()
    for words in (["undo"], ["undo", "--skip-undone", "1"]):
        ran = base.opatch(*words)
        assert (ran.status, "to undo the rest" in ran.err) == (1, False)
    assert base.state() == before


def test_a_file_that_has_another_name_is_not_called_undone(base: Sandbox) -> None:
    assert base.opatch("apply", ".git/p").status == 0
    base.git("commit", "-qm", "p")
    base.git("mv", "n", "m")
    ran = base.opatch("undo", "--skip-undone", "1")
    assert (ran.status, "n: was renamed to m" in ran.err) == (1, True)


def test_what_only_the_index_has_as_before_is_not_called_undone(base: Sandbox) -> None:
    assert base.opatch("apply", ".git/p").status == 0
    base.git("rm", "-q", "--cached", "n")
    _edit(base, "20", "mine")
    before = base.state()
    assert base.opatch("undo", "--skip-undone", "1").status == 1
    assert base.state() == before


def test_an_added_file_that_is_gone_is_like_no_other(base: Sandbox) -> None:
    """No path is guessed: the patch adds it."""
    base.commit({"n.txt": "n\n", "sub/n": "n\n"})
    ran = base.opatch("apply", "-R", feed=envelope(b"*** Add File: n\n+n\n"))
    assert ran.err.splitlines()[0] == (
        "error: n: its change is not applied here, so there is nothing to undo"
    )
    assert "did you mean" not in ran.err


_ADDED = envelope(b"*** Add File: d/new\n+n\n")


@pytest.mark.parametrize("is_undone", [False, True], ids=["never applied", "undone"])
@pytest.mark.parametrize("target", [[], ["--cached"], ["--worktree"]], ids=str)
def test_a_file_that_is_nowhere_is_as_before_the_patch_that_adds_it(
    base: Sandbox, target: list[str], is_undone: bool
) -> None:
    if is_undone:
        assert base.opatch("apply", *target, feed=_ADDED).status == 0
        assert base.opatch("undo").status == 0
    before = base.state()
    ran = base.opatch("apply", "-R", "--skip-applied", *target, feed=_ADDED)
    assert (ran.status, ran.out) == (0, b"nothing to do: the patch is not applied\n")
    assert "note: d/new: is not applied here, so there is nothing to undo; skipped\n" in ran.err
    assert base.state() == before


def test_the_rest_is_undone_where_an_added_file_is_nowhere(base: Sandbox) -> None:
    both = envelope(b"*** Add File: d/new\n+n\n", b"*** Update File: g\n@@\n-g\n+G\n")
    base.commit({"g": "G\n"})
    ran = base.opatch("apply", "-R", "--skip-applied", feed=both)
    assert (ran.status, base.read("g")) == (0, b"g\n")


@pytest.mark.parametrize("target", [[], ["--worktree"]], ids=str)
def test_an_added_file_with_other_content_is_not_as_before(
    base: Sandbox, target: list[str]
) -> None:
    base.write("d/new", "mine\n")
    ran = base.opatch("apply", "-R", "--skip-applied", *target, feed=_ADDED)
    assert (ran.status, base.read("d/new")) == (1, b"mine\n")


@pytest.mark.parametrize("committed", [True, False])
def test_the_undo_of_the_rest_of_a_committed_patch_is_noted(base: Sandbox, committed: bool) -> None:
    assert base.opatch("apply", ".git/p").status == 0
    if committed:
        base.git("commit", "-qm", "p")
    made = base.git("rev-parse", "--short", "HEAD").decode().strip()
    base.git("rm", "-qf", "n")
    if committed:
        base.git("commit", "-qm", "rm")
    ran = _follow(base, base.opatch("undo", "1"))
    note = f"note: patch 1 is committed as {made}; this stages its undo"
    assert (ran.status, note in ran.err.splitlines()) == (0, committed)
    assert ("committed" in ran.err) is committed


def test_the_rest_that_is_not_committed_is_not_called_so(base: Sandbox) -> None:
    assert base.opatch("apply", ".git/p").status == 0
    base.git("commit", "-qm", "g", "g")
    base.git("checkout", "-q", "HEAD~1", "--", "g")
    ran = _follow(base, base.opatch("undo", "1"))
    assert (ran.status, "committed" in ran.err) == (0, False), ran.err
