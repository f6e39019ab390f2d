"""A patch of which some is there already, or has no place: the rest can be applied."""

from __future__ import annotations

from pathlib import Path

import pytest
from sandbox import Sandbox, Tree
from writers import envelope

_FILES: dict[str, bytes | str] = {
    "a.txt": "one\ntwo\nthree\nfour\nfive\n",
    "b.txt": "alpha\nbeta\ngamma\n",
    "old/c.txt": "c1\nc2\nc3\n",
    "sub/a.txt": "one\ntwo\nthree\n",
}
_MIXED = envelope(  # two hunks of a.txt have a place, nothing of b.txt has
    b"*** Update File: a.txt\n@@\n-two\n+2\n@@\n three\n-stale\n+x\n@@\n-five\n+5\n",
    b"*** Update File: b.txt\n@@\n-zeta\n+Z\n",
    b"*** Update File: no.txt\n@@\n-n\n+N\n",
    b"*** Add File: n.txt\n+n\n",
)
_REJECTED = b"diff a/a.txt b/a.txt\t(rejected hunks)\n@@\n three\n-stale\n+x\n"


def _update(path: str, old: str, new: str) -> bytes:
    return f"*** Update File: {path}\n@@\n-{old}\n+{new}\n".encode()


def _tree(**changed: str | None) -> Tree:
    """The base with other files; `a_txt` is for `a.txt`, None for one that is gone."""
    files = {**_FILES, **{name.replace("_", "."): text for name, text in changed.items()}}
    return {
        name: ("100644", text if isinstance(text, bytes) else text.encode())
        for name, text in files.items()
        if text is not None
    }


_AFTER_MIXED = _tree(a_txt="one\n2\nthree\nfour\n5\n", n_txt="n\n")


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit(_FILES)
    return repo


def _holds(repo: Sandbox, tree: Tree, **beside: bytes) -> None:
    """The index holds `tree`; so does the working tree, and files `beside` it."""
    extra = {name.replace("_", "."): ("100644", data) for name, data in beside.items()}
    assert repo.index() == tree
    assert repo.files() == {**tree, **extra}


def _unchanged(repo: Sandbox, *words: str, patch: bytes) -> str:
    before = repo.state()
    ran = repo.opatch("apply", *words, feed=patch)
    assert (ran.status, ran.out) == (1, b""), ran
    assert repo.state() == before
    return ran.err


def test_what_is_applied_is_passed_over(base: Sandbox) -> None:
    done = envelope(_update("a.txt", "two", "2"))
    assert base.opatch("apply", feed=done).status == 0
    patch = envelope(
        b"*** Update File: a.txt\n@@\n one\n-two\n+2\n@@\n-four\n+4\n",
        _update("b.txt", "beta", "B"),
    )
    assert "a.txt: hunk 1 of 2 is already applied" in _unchanged(base, patch=patch)
    ran = base.opatch("apply", "--skip-applied", feed=patch)
    assert ran.status == 0
    assert ran.out.startswith(b"2 files changed: 2 modified; staged.")
    assert ran.err == (
        "note: a.txt: hunk 1 of 2 is already applied: its new lines stand at line 1; passed over\n"
    )
    _holds(base, _tree(a_txt="one\n2\nthree\n4\nfive\n", b_txt="alpha\nB\ngamma\n"))
    assert base.opatch("apply", "-R", feed=patch).status == 0
    _holds(base, _tree(a_txt="one\n2\nthree\nfour\nfive\n"))


@pytest.mark.parametrize(
    "section",
    [
        pytest.param(_update("a.txt", "two", "2"), id="update"),
        pytest.param(b"*** Add File: n.txt\n+n\n", id="add"),
        pytest.param(
            b"*** Update File: old/c.txt\n*** Move to: new/c.txt\n@@\n-c2\n+C\n", id="move"
        ),
    ],
)
def test_nothing_is_left_to_do(base: Sandbox, section: bytes) -> None:
    patch = envelope(section)
    assert base.opatch("apply", feed=patch).status == 0
    journal = base.path / ".git/opatch/journal"
    before = base.state(), sorted(journal.iterdir()), base.read(".git/index")
    assert base.opatch("apply", feed=patch).status == 1
    for words in ((), ("--check",), ("--cached",), ("--worktree",)):
        ran = base.opatch("apply", "--skip-applied", *words, feed=patch)
        assert ran.status == 0
        assert b"nothing to do" in ran.out
        assert "already applied" in ran.err
    assert (base.state(), sorted(journal.iterdir()), base.read(".git/index")) == before


def test_what_only_looks_applied_is_not_passed_over(base: Sandbox) -> None:
    base.commit({"n.txt": "other\n", "new/c.txt": "c1\nother\nc3\n"})
    said = _unchanged(base, "--skip-applied", patch=envelope(b"*** Add File: n.txt\n+n\n"))
    assert "n.txt: the file exists already" in said
    move = envelope(b"*** Update File: old/c.txt\n*** Move to: new/c.txt\n@@\n-c2\n+C\n")
    _unchanged(base, "--skip-applied", patch=move)
    base.git("rm", "--quiet", "old/c.txt")
    assert "old/c.txt: is not in the index" in _unchanged(base, "--skip-applied", patch=move)


@pytest.mark.parametrize("flag", ["--index", "--cached", "--worktree"])
def test_partial(base: Sandbox, flag: str) -> None:
    index, files = base.index(), base.files()
    ran = base.opatch("apply", "--partial", flag, feed=_MIXED)
    assert ran.status == 1
    assert ran.out.startswith(b"2 files changed: 1 added, 1 modified; ")
    for said in (
        "a.txt: hunk 2 of 3 does not match",
        "b.txt: hunk 1 of 1 does not match",
        "no.txt: is not in the ",
    ):
        assert f"error: {said}" in ran.err
    assert ran.err.count("error: ") == 3
    assert "nothing was changed" not in ran.err
    assert base.index() == (index if flag == "--worktree" else _AFTER_MIXED)
    assert base.files() == (files if flag == "--cached" else _AFTER_MIXED)
    base.fsck()
    assert base.opatch("apply", "-R", flag, feed=_MIXED).status == 0
    assert (base.index(), base.files()) == (index, files)


def test_a_check_of_a_part_changes_nothing(base: Sandbox) -> None:
    before = base.state()
    for flag in ("--partial", "--reject"):
        ran = base.opatch("apply", "--check", flag, feed=_MIXED)
        assert ran.status == 1
        assert b"nothing was changed" in ran.out
        assert ran.err.count("error: ") == 3
        assert base.state() == before


def test_the_way_back_of_a_part(base: Sandbox) -> None:
    said = base.opatch("apply", "--partial", feed=_MIXED).out.decode()
    words = said.strip().partition("Take it back: git opatch ")[2].split()
    assert base.opatch(*words).status == 0
    _holds(base, _tree())


def test_what_is_taken_back_by_its_record_comes_again(base: Sandbox, tmp_path: Path) -> None:
    patch = tmp_path / "patch"
    patch.write_bytes(_MIXED)
    assert base.opatch("apply", "--partial", str(patch)).status == 1
    after = base.files()
    said = base.opatch("apply", "-R", str(patch)).out.decode()
    words = said.strip().partition("Take it back: git opatch ")[2].split()
    assert base.opatch(*words).status == 0
    assert base.files() == after


def test_what_is_not_applied_is_not_taken_back(base: Sandbox) -> None:
    said = _unchanged(base, "-R", patch=envelope(_update("a.txt", "zeta", "Z")))
    assert "hunk 1 of 1 is not applied to the index, or was changed since" in said


def test_how_to_pass_over_what_is_applied(base: Sandbox) -> None:
    done = envelope(_update("a.txt", "two", "2"))
    assert base.opatch("apply", feed=done).status == 0
    said = _unchanged(base, patch=done)
    assert "  to pass over it: git opatch apply --skip-applied\n" in said
    assert base.opatch("apply", "--skip-applied", feed=done).status == 0


def test_the_advice_names_values_as_they_are_written(base: Sandbox) -> None:
    done = envelope(_update("a.txt", "two", "2"))
    assert base.opatch("apply", feed=done).status == 0
    said = _unchanged(base, "--match", "strict", patch=done)
    assert "git opatch apply --skip-applied --match strict\n" in said


def test_an_empty_number(base: Sandbox) -> None:
    before = base.state()
    ran = base.opatch("apply", "--fuzz", "", feed=_MIXED)
    assert (ran.status, base.state()) == (129, before)


def test_a_part_of_a_file_that_moves(base: Sandbox) -> None:
    move = b"*** Update File: b.txt\n*** Move to: m.txt\n@@\n-beta\n+B\n@@\n-stale\n+x\n"
    assert base.opatch("apply", "--partial", feed=envelope(move)).status == 1
    moved = _tree(b_txt=None, m_txt="alpha\nB\ngamma\n")
    _holds(base, moved)
    assert base.opatch("apply", "-R", feed=envelope(move)).status == 0
    _holds(base, _tree())
    stale = b"*** Update File: b.txt\n*** Move to: m.txt\n@@\n-stale\n+x\n"
    _unchanged(base, "--partial", patch=envelope(stale))


def test_nothing_but_the_rejects_is_written(base: Sandbox) -> None:
    index, files = base.index(), base.files()
    ran = base.opatch("apply", "--reject", feed=envelope(_update("a.txt", "stale", "x")))
    assert (ran.status, ran.out) == (1, b"")
    assert ran.err.endswith("the patch does not apply; nothing but the .rej files was written\n")
    assert base.index() == index
    assert base.files().keys() - files.keys() == {"a.txt.rej"}


def test_nothing_has_a_place(base: Sandbox) -> None:
    patch = envelope(_update("a.txt", "stale", "x"), _update("b.txt", "zeta", "Z"))
    said = _unchanged(base, "--partial", patch=patch)
    assert said.endswith("2 problems; nothing was changed\n")
    assert not (base.path / ".git/opatch/journal").exists()


@pytest.mark.parametrize("flag", ["--partial", "--reject"])
def test_what_is_refused_as_a_whole_even_so(base: Sandbox, flag: str) -> None:
    fine, stale = _update("a.txt", "two", "2"), _update("a.txt", "stale", "x")
    for path in ("../x", ".git/x", "/x"):
        patch = envelope(fine, stale, f"*** Add File: {path}\n+x\n".encode())
        assert f"error: {path}: " in _unchanged(base, flag, patch=patch)
    base.write("a.txt", "one\ntwo\nunstaged\n")
    patch = envelope(fine, stale, _update("b.txt", "beta", "B"))
    assert "a.txt: has changes that are not staged" in _unchanged(base, flag, patch=patch)


def test_reject(base: Sandbox) -> None:
    ran = base.opatch("apply", "--reject", feed=_MIXED)
    assert (ran.status, ran.err.count("error: ")) == (1, 3)
    assert "note: a.txt.rej: " in ran.err
    other = b"diff a/b.txt b/b.txt\t(rejected hunks)\n@@\n-zeta\n+Z\n"
    _holds(base, _AFTER_MIXED, a_txt_rej=_REJECTED, b_txt_rej=other)
    assert base.opatch("apply", "-R", feed=_MIXED).status == 0
    _holds(base, _tree(), a_txt_rej=_REJECTED, b_txt_rej=other)


def test_rejected_hunks_are_as_in_the_patch(base: Sandbox) -> None:
    numbered = (
        b"@@ -3,3 +3,4 @@ heading\n three\n-stale\n+x\n+y\n five\n",
        b"@@ -90 +91,0 @@\n-no newline\n\\ No newline at end of file\n",
    )
    anchored = b"@@ def f():\n@@ deeper\n \n-gone\n+\twith a tab\n"
    diff = b"--- a/a.txt\n+++ b/a.txt\n" + numbered[0] + b"@@ -2 +2 @@\n-two\n+2\n" + numbered[1]
    patch = diff + envelope(b"*** Update File: b.txt\n" + anchored)
    assert base.opatch("apply", "--reject", feed=patch).status == 1
    full = numbered[1].replace(b"-90 ", b"-90,1 ")
    assert base.read("a.txt.rej") == (
        b"diff a/a.txt b/a.txt\t(rejected hunks)\n" + numbered[0] + full
    )
    assert base.read("b.txt.rej") == b"diff a/b.txt b/b.txt\t(rejected hunks)\n" + anchored
    assert base.read("a.txt") == b"one\n2\nthree\nfour\nfive\n"


def test_rejected_hunks_of_several_sections(base: Sandbox) -> None:
    sections = [("stale", "x"), ("two", "2"), ("never", "y"), ("2", "II")]
    patch = envelope(*(_update("a.txt", old, new) for old, new in sections))
    assert base.opatch("apply", "--reject", "--directory", "sub", feed=patch).status == 1
    title = b"diff a/sub/a.txt b/sub/a.txt\t(rejected hunks)\n"
    assert base.read("sub/a.txt.rej") == title + b"@@\n-stale\n+x\n@@\n-never\n+y\n"
    assert base.read("sub/a.txt") == b"one\nII\nthree\n"
    assert not (base.path / "a.txt.rej").exists()


@pytest.mark.parametrize("there", ["rejected", "own", "empty", "link", "folder"])
def test_where_rejected_hunks_are_to_stand(base: Sandbox, there: str) -> None:
    patch = envelope(
        _update("a.txt", "two", "2"), b"*** Update File: a.txt\n@@\n three\n-stale\n+x\n"
    )
    place = base.path / "a.txt.rej"
    if there == "folder":
        place.mkdir()
        base.write("a.txt.rej/kept", _REJECTED)
    elif there == "link":
        base.write("target", _REJECTED)
        place.symlink_to("target")
    else:
        old = b"diff a/z b/z\t(rejected hunks)\n@@\n-z\n"
        place.write_bytes({"rejected": old, "own": b"mine\n" + old, "empty": b""}[there])
    if there == "rejected":
        assert base.opatch("apply", "--reject", feed=patch).status == 1
        _holds(base, _tree(a_txt="one\n2\nthree\nfour\nfive\n"), a_txt_rej=_REJECTED)
    else:
        said = _unchanged(base, "--reject", patch=patch)
        assert "error: a.txt.rej: is no file of rejected hunks" in said
        assert base.opatch("apply", "--partial", feed=patch).status == 1
        assert base.read("a.txt") == b"one\n2\nthree\nfour\nfive\n"
