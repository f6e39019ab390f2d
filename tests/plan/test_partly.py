"""Apply the rest of a patch of which a part is already applied or does not match."""

from __future__ import annotations

from pathlib import Path

import pytest
from phrases import opening, said
from sandbox import Sandbox, Tree
from writers import envelope

from git_opatch.model.sentences import Fault, Reason

_FILES: dict[str, bytes | str] = {
    "a.txt": "one\ntwo\nthree\nfour\nfive\n",
    "b.txt": "alpha\nbeta\ngamma\n",
    "old/c.txt": "c1\nc2\nc3\n",
    "sub/a.txt": "one\ntwo\nthree\n",
}
_MIXED = envelope(  # two hunks of a.txt match, none of b.txt does
    b"*** Update File: a.txt\n@@\n-two\n+2\n@@\n three\n-stale\n+x\n@@\n-five\n+5\n",
    b"*** Update File: b.txt\n@@\n-zeta\n+Z\n",
    b"*** Update File: no.txt\n@@\n-n\n+N\n",
    b"*** Add File: n.txt\n+n\n",
)
_REJECTED = b"diff a/a.txt b/a.txt\t(rejected hunks)\n@@\n three\n-stale\n+x\n"


def _update(path: str, old: str, new: str) -> bytes:
    return f"*** Update File: {path}\n@@\n-{old}\n+{new}\n".encode()


def _tree(**changed: str | None) -> Tree:
    """Give the files of `base`, changed: `a_txt` is for `a.txt`, None for a deleted file."""
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
    """Assert that the index holds `tree`, and the working tree holds it and the files `beside`."""
    extra = {name.replace("_", "."): ("100644", data) for name, data in beside.items()}
    assert repo.index() == tree
    assert repo.files() == {**tree, **extra}


def _unchanged(repo: Sandbox, *words: str, patch: bytes) -> str:
    before = repo.state()
    ran = repo.opatch("apply", *words, feed=patch)
    assert (ran.status, ran.out) == (1, b""), ran
    assert repo.state() == before
    return ran.err


def test_applied_hunks_are_skipped(base: Sandbox) -> None:
    done = envelope(_update("a.txt", "two", "2"))
    assert base.opatch("apply", feed=done).status == 0
    patch = envelope(
        b"*** Update File: a.txt\n@@\n one\n-two\n+2\n@@\n-four\n+4\n",
        _update("b.txt", "beta", "B"),
    )
    assert f"a.txt: hunk 1 of 2 {opening(Fault.ALREADY_APPLIED.sentence)}" in _unchanged(
        base, patch=patch
    )
    ran = base.opatch("apply", "--skip-applied", feed=patch)
    assert ran.status == 0
    assert ran.out.startswith(b"2 files modified; staged.")
    assert ran.err == (
        f"note: a.txt: hunk 1 of 2 {said(Fault.ALREADY_APPLIED.sentence, lines='line 2')}; "
        "skipped\n"
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
def test_a_fully_applied_patch_changes_nothing(base: Sandbox, section: bytes) -> None:
    patch = envelope(section)
    assert base.opatch("apply", feed=patch).status == 0
    journal = base.path / ".git/opatch/journal"
    before = base.state(), sorted(journal.iterdir()), base.read(".git/index")
    assert base.opatch("apply", feed=patch).status == 1
    for words in ((), ("--check",), ("--cached",), ("--worktree",)):
        ran = base.opatch("apply", "--skip-applied", *words, feed=patch)
        assert ran.status == 0
        assert b"nothing to do" in ran.out
        applied = [fault for fault in Fault if fault.reason is Reason.ALREADY_APPLIED]
        assert any(opening(fault.sentence) in ran.err for fault in applied)
    assert (base.state(), sorted(journal.iterdir()), base.read(".git/index")) == before


def test_hunks_that_only_look_applied_are_not_skipped(base: Sandbox) -> None:
    base.commit({"n.txt": "other\n", "new/c.txt": "c1\nother\nc3\n"})
    message = _unchanged(base, "--skip-applied", patch=envelope(b"*** Add File: n.txt\n+n\n"))
    assert f"n.txt: {Fault.FILE_EXISTS.sentence}" in message
    move = envelope(b"*** Update File: old/c.txt\n*** Move to: new/c.txt\n@@\n-c2\n+C\n")
    _unchanged(base, "--skip-applied", patch=move)
    base.git("rm", "--quiet", "old/c.txt")
    assert f"old/c.txt: {said(Fault.MISSING_FILE.sentence, base='the index')}" in _unchanged(
        base, "--skip-applied", patch=move
    )


@pytest.mark.parametrize("flag", ["--index", "--cached", "--worktree"])
def test_partial_applies_the_hunks_that_match(base: Sandbox, flag: str) -> None:
    index, files = base.index(), base.files()
    ran = base.opatch("apply", "--partial", flag, feed=_MIXED)
    assert ran.status == 1
    assert ran.out.startswith(b"2 files changed: 1 added, 1 modified; ")
    for message in (
        f"a.txt: hunk 2 of 3 {opening(Fault.NOT_FOUND.sentence)}",
        f"b.txt: hunk 1 of 1 {opening(Fault.NOT_FOUND.sentence)}",
        f"no.txt: {opening(Fault.FILE_NOT_APPLIED.sentence)} the ",
    ):
        assert f"error: {message}" in ran.err
    assert ran.err.count("error: ") == 3
    assert "nothing was changed" not in ran.err
    assert base.index() == (index if flag == "--worktree" else _AFTER_MIXED)
    assert base.files() == (files if flag == "--cached" else _AFTER_MIXED)
    base.fsck()
    assert base.opatch("apply", "-R", flag, feed=_MIXED).status == 0
    assert (base.index(), base.files()) == (index, files)


def test_a_partial_check_changes_nothing(base: Sandbox) -> None:
    before = base.state()
    for flag in ("--partial", "--reject"):
        ran = base.opatch("apply", "--check", flag, feed=_MIXED)
        assert ran.status == 1
        assert b"nothing was changed" in ran.out
        assert ran.err.count("error: ") == 3
        assert base.state() == before


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ([], "the rest of the patch is applied"),
        (["--check"], "the rest of the patch would apply"),
        (["-R"], "the rest of the patch is undone"),
        (["-R", "--check"], "the rest of the patch would be undone"),
    ],
    ids=["apply", "check", "undo", "check undo"],
)
def test_what_becomes_of_the_rest_is_said(base: Sandbox, words: list[str], what: str) -> None:
    there, other = ("2", "two")[:: 1 if "-R" in words else -1]
    base.commit({"a.txt": f"{there}\n"})
    patch = envelope(_update("a.txt", "two", "2"), _update("b.txt", "zeta", "Z"))
    ran = base.opatch("apply", "--partial", *words, feed=patch)
    assert ran.err.endswith(f"\n1 problem; {what}\n")
    assert base.read("a.txt").decode() == (there if "--check" in words else other) + "\n"


def test_what_becomes_of_the_rest_beside_conflicts_is_said(base: Sandbox) -> None:
    patch = envelope(_update("a.txt", "two", "2"), _update("b.txt", "beta", "B"))
    assert base.opatch("apply", "--commit", "-m", "both", feed=patch).status == 0
    base.commit({"b.txt": "alpha\nmine\ngamma\n"})
    ran = base.opatch("apply", "-R", "--3way", feed=patch)
    assert ran.err.endswith("\n1 file left with conflicts; the rest of the patch is undone\n")


def test_a_partial_apply_can_be_undone(base: Sandbox) -> None:
    message = base.opatch("apply", "--partial", feed=_MIXED).out.decode()
    words = message.strip().partition("Undo: git opatch ")[2].split()
    assert base.opatch(*words).status == 0
    _holds(base, _tree())


def test_a_patch_undone_from_the_journal_can_be_redone(base: Sandbox, tmp_path: Path) -> None:
    patch = tmp_path / "patch"
    patch.write_bytes(_MIXED)
    assert base.opatch("apply", "--partial", str(patch)).status == 1
    after = base.files()
    message = base.opatch("apply", "-R", str(patch)).out.decode()
    words = message.strip().partition("Redo: git opatch ")[2].split()
    assert base.opatch(*words).status == 0
    assert base.files() == after


def test_a_patch_that_is_not_applied_cannot_be_reversed(base: Sandbox) -> None:
    message = _unchanged(base, "-R", patch=envelope(_update("a.txt", "zeta", "Z")))
    assert f"hunk 1 of 1 {said(Fault.CHANGED_SINCE.sentence, base='the index')}" in message


def test_the_advice_names_skip_applied(base: Sandbox) -> None:
    done = envelope(_update("a.txt", "two", "2"))
    assert base.opatch("apply", feed=done).status == 0
    more = envelope(_update("a.txt", "two", "2"), _update("a.txt", "four", "4"))
    assert Fault.ALREADY_APPLIED.advice in _unchanged(base, patch=more)
    assert "--skip-applied" not in _unchanged(base, patch=done)  # as it would do nothing
    assert base.opatch("apply", "--skip-applied", feed=done).status == 0


def test_a_moved_file_can_be_patched_in_part(base: Sandbox) -> None:
    move = b"*** Update File: b.txt\n*** Move to: m.txt\n@@\n-beta\n+B\n@@\n-stale\n+x\n"
    assert base.opatch("apply", "--partial", feed=envelope(move)).status == 1
    moved = _tree(b_txt=None, m_txt="alpha\nB\ngamma\n")
    _holds(base, moved)
    assert base.opatch("apply", "-R", feed=envelope(move)).status == 0
    _holds(base, _tree())
    stale = b"*** Update File: b.txt\n*** Move to: m.txt\n@@\n-stale\n+x\n"
    _unchanged(base, "--partial", patch=envelope(stale))


def test_only_the_reject_files_are_written(base: Sandbox) -> None:
    index, files = base.index(), base.files()
    ran = base.opatch("apply", "--reject", feed=envelope(_update("a.txt", "stale", "x")))
    assert (ran.status, ran.out) == (1, b"")
    assert ran.err.endswith("the patch does not apply; only the .rej files were written\n")
    assert base.index() == index
    assert base.files().keys() - files.keys() == {"a.txt.rej"}


@pytest.mark.parametrize("section", [_update("no.txt", "n", "N"), b"*** Add File: a.txt\n+x\n"])
def test_what_no_reject_file_has_is_named(base: Sandbox, section: bytes) -> None:
    path = section.split(maxsplit=4)[3].decode()
    note = f"note: {path}: refused as a whole, and in no .rej file\n"
    for beside, message in ((_update("b.txt", "beta", "B"), ""), (b"", "nothing was changed\n")):
        ran = base.opatch("apply", "--reject", feed=envelope(section, beside))
        assert (ran.status, ran.err.count(".rej"), ran.err.count(note)) == (1, 1, 1), ran.err
        assert message in ran.err
    assert ".rej" not in base.opatch("apply", "--partial", feed=envelope(section, beside)).err


def test_a_patch_without_a_match_is_refused(base: Sandbox) -> None:
    patch = envelope(_update("a.txt", "stale", "x"), _update("b.txt", "zeta", "Z"))
    message = _unchanged(base, "--partial", patch=patch)
    assert message.endswith("the patch does not apply (2 problems); nothing was changed\n")
    assert not (base.path / ".git/opatch/journal").exists()


@pytest.mark.parametrize("flag", ["--partial", "--reject"])
def test_some_failures_refuse_the_whole_patch(base: Sandbox, flag: str) -> None:
    fine, stale = _update("a.txt", "two", "2"), _update("a.txt", "stale", "x")
    for path in ("../x", ".git/x", "/x"):
        patch = envelope(fine, stale, f"*** Add File: {path}\n+x\n".encode())
        assert f"error: {path}: " in _unchanged(base, flag, patch=patch)
    base.write("a.txt", "one\ntwo\nunstaged\n")
    patch = envelope(fine, stale, _update("b.txt", "beta", "B"))
    assert f"a.txt: {Fault.UNSTAGED.sentence}" in _unchanged(base, flag, patch=patch)


def test_reject_writes_the_hunks_that_do_not_match(base: Sandbox) -> None:
    ran = base.opatch("apply", "--reject", feed=_MIXED)
    assert (ran.status, ran.err.count("error: ")) == (1, 3)
    assert "note: rejected hunks written to a.txt.rej\n" in ran.err
    assert "note: no.txt: refused as a whole, and in no .rej file\n" in ran.err
    second_reject = b"diff a/b.txt b/b.txt\t(rejected hunks)\n@@\n-zeta\n+Z\n"
    _holds(base, _AFTER_MIXED, a_txt_rej=_REJECTED, b_txt_rej=second_reject)
    assert base.opatch("undo").status == 0
    _holds(base, _tree(), a_txt_rej=_REJECTED, b_txt_rej=second_reject)
    assert base.opatch("apply", "--reject", feed=_MIXED).status == 1
    _holds(base, _AFTER_MIXED, a_txt_rej=_REJECTED, b_txt_rej=second_reject)


def test_rejected_hunks_are_written_as_in_the_patch(base: Sandbox) -> None:
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


def test_rejected_hunks_of_several_sections_share_a_file(base: Sandbox) -> None:
    sections = [("stale", "x"), ("two", "2"), ("never", "y"), ("2", "II")]
    patch = envelope(*(_update("a.txt", old, new) for old, new in sections))
    assert base.opatch("apply", "--reject", "--directory", "sub", feed=patch).status == 1
    title = b"diff a/sub/a.txt b/sub/a.txt\t(rejected hunks)\n"
    assert base.read("sub/a.txt.rej") == title + b"@@\n-stale\n+x\n@@\n-never\n+y\n"
    assert base.read("sub/a.txt") == b"one\nII\nthree\n"
    assert not (base.path / "a.txt.rej").exists()


@pytest.mark.parametrize("existing", ["rejected", "own", "empty", "link", "folder"])
def test_no_file_is_overwritten_by_rejected_hunks(base: Sandbox, existing: str) -> None:
    patch = envelope(
        _update("a.txt", "two", "2"), b"*** Update File: a.txt\n@@\n three\n-stale\n+x\n"
    )
    reject_file = base.path / "a.txt.rej"
    if existing == "folder":
        reject_file.mkdir()
        base.write("a.txt.rej/kept", _REJECTED)
    elif existing == "link":
        base.write("target", _REJECTED)
        reject_file.symlink_to("target")
    else:
        old = b"diff a/z b/z\t(rejected hunks)\n@@\n-z\n"
        reject_file.write_bytes({"rejected": old, "own": b"mine\n" + old, "empty": b""}[existing])
    message = _unchanged(base, "--reject", patch=patch)
    what = f"error: a.txt.rej: {Fault.NOT_REJECTS.sentence}\n"
    assert what in message
    assert base.opatch("apply", "--partial", feed=patch).status == 1
    assert base.read("a.txt") == b"one\n2\nthree\nfour\nfive\n"


@pytest.mark.parametrize("option", ["--partial", "--skip-applied"])
def test_a_refused_hunk_is_no_evidence_for_another(repo: Sandbox, option: str) -> None:
    """By its lines the first hunk would be in `Store`; it is not, so the second one may be."""
    content = "class Base:\n    x = 2\n\n\nclass Store:\n    x = 1\n\n\nclass Cache:\n    x = 1\n"
    repo.commit({"f.py": content})
    first = "@@ class Base\n-    x = 1\n+    x = 2\n"
    text = envelope(f"*** Update File: f.py\n{first}@@\n-    x = 1\n+    x = 3\n".encode())
    ran = repo.opatch("apply", option, feed=text)
    assert ran.status == 1
    assert f"hunk 2 of 2 {said(Fault.AMBIGUOUS.sentence, count=2, lines='lines 6, 10')}" in ran.err
    assert repo.index()["f.py"][1].decode() == content


def test_the_order_decides_where_no_hunk_is_refused(repo: Sandbox) -> None:
    repo.commit({"f": "a\nx\nb\nx\n"})
    text = envelope(b"*** Update File: f\n@@\n-b\n+B\n@@\n-x\n+X\n", b"*** Add File: n\n+n\n")
    assert repo.opatch("apply", "--partial", feed=text).status == 0
    assert repo.index()["f"][1] == b"a\nx\nB\nX\n"


def test_a_file_of_rejected_hunks_that_was_edited_is_not_overwritten(base: Sandbox) -> None:
    patch = envelope(b"*** Update File: a.txt\n@@\n-nowhere\n+x\n*** Add File: new\n+n\n")
    assert base.opatch("apply", "--reject", feed=patch).status == 1
    written = base.read("a.txt.rej")
    base.write("a.txt.rej", written + b"my note\n")
    assert base.opatch("undo").status == 0
    before = base.state()
    ran = base.opatch("apply", "--reject", feed=patch)
    assert f"error: a.txt.rej: {Fault.NOT_REJECTS.sentence}" in ran.err
    assert (ran.status, base.state()) == (1, before)
    base.write("a.txt.rej", written)
    assert base.opatch("apply", "--reject", feed=patch).status == 1
    assert base.read("new") == b"n\n"
