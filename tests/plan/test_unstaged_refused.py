"""`--carry` refused with nothing changed; and carried patches undone."""

from __future__ import annotations

import pytest
from sandbox import Sandbox
from writers import envelope

_BEFORE = "".join(f"line {number}\n" for number in range(1, 21))
_PATCH = envelope(b"*** Update File: f\n@@\n line 9\n-line 10\n+ten\n line 11\n")
_BESIDE = envelope(b"*** Update File: other\n@@\n-other\n+another\n")
_LEFT_UNTOUCHED = "the patch does not apply; nothing was changed\n"


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": _BEFORE, "other": "other\n", "block": "def f():\n    a\n    b\n"})
    return repo


def _refused(repo: Sandbox, patch: bytes, *words: str, status: int = 1) -> str:
    before = repo.state()
    for more in ((), ("--check",)):
        ran = repo.opatch("apply", "--carry", *words, *more, feed=patch)
        assert (ran.status, ran.out) == (status, b""), ran.err
        assert repo.state() == before
    assert not (repo.path / ".git/opatch/journal").exists()
    return ran.err


def _update(*lines: str, path: str = "f") -> bytes:
    return envelope(f"*** Update File: {path}\n@@\n".encode() + "\n".join((*lines, "")).encode())


def _mine(*pairs: tuple[str, str]) -> str:
    text = _BEFORE
    for old, new in pairs:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


_CONTRADICTIONS = {
    "a place that is another one": (
        _mine(("line 9\n", "LINE IX\n"), ("line 20\n", "line 20\nline 9\nline 10\nz\n")),
        _update(" line 9", "-line 10", "+ten"),
        "hunk 1 of 1 is at line 10 of the staged version and at line 22 of the working "
        "tree's; git's diff between the two has it at line 10 there",
    ),
    "a place between lines that is another one": (
        _mine(("line 5\n", ""), ("line 18\n", "line 18\nline 5\n")),
        _update(" line 5", "+new"),
        "hunk 1 of 1 is at line 6 of the staged version and at line 19 of the working "
        "tree's; git's diff between the two has it at line 5 there",
    ),
    "lines that moved": (
        _mine(("line 5\n", ""), ("line 18\n", "line 18\nline 5\n")),
        _update("-line 5", "+five"),
        "hunk 1 of 1 is at line 5 of the staged version and at line 18 of the working "
        "tree's, where unstaged changes change the same lines",
    ),
    "the second hunk": (
        _mine(("line 15\n", "line  15\n")),
        _update("-line 2", "+two", "@@", "-line 15", "+fifteen"),
        "hunk 2 of 2 is at line 15 of the staged version and at line 15 of the working "
        "tree's, where unstaged changes change the same lines",
    ),
    "a last line without its newline": (
        _BEFORE[:-1],
        _update(" line 20", "+line 21"),
        "where unstaged changes change the same lines",
    ),
    "a change that has no place there": (
        _mine(("line 10\n", "LINE X\n")),
        _PATCH,
        "hunk 1 of 1 does not match the working tree, only the index: your unstaged changes touch "
        "the same lines\n",
    ),
    "a change that has several places there": (
        _mine(("line 12\n", "line 12\nline 9\nline 10\nline 11\n")),
        _PATCH,
        ", in the working tree\n",
    ),
    "a change that is there already": (
        _mine(("line 10\n", "ten\n")),
        _PATCH,
        "already applied: its new lines are at line 10, in the working tree\n",
    ),
    "a file that goes": (
        _mine(("line 10\n", "LINE X\n")),
        envelope(b"*** Delete File: f\n"),
        "f: would be deleted, and has unstaged changes\n",
    ),
    "a file that goes, by its content": (
        _mine(("line 10\n", "LINE X\n")),
        b"--- a/f\n+++ /dev/null\n@@ -1,20 +0,0 @@\n"
        + b"".join(b"-%s\n" % line for line in _BEFORE.encode().splitlines()),
        "f: would be deleted, and has unstaged changes\n",
    ),
}


@pytest.mark.parametrize("name", _CONTRADICTIONS)
def test_contradicting_changes_are_refused(base: Sandbox, name: str) -> None:
    mine, patch, message = _CONTRADICTIONS[name]
    base.write("f", mine)
    refusal = _refused(base, patch)
    assert message in refusal
    assert refusal.endswith(_LEFT_UNTOUCHED)
    assert "--worktree --carry" not in refusal
    assert "--cached --carry" not in refusal
    assert base.opatch("apply", "--cached", feed=patch).status == 0  # the advised command


def test_another_indentation_in_the_working_tree_is_refused(base: Sandbox) -> None:
    base.write("block", "def f():\n\ta\n    b\n")
    message = _refused(base, _update("     a", "+    new", path="block"))
    assert "hunk 1 of 1 would add other lines to the working tree's version" in message


def test_a_mode_changed_by_both_is_refused(base: Sandbox) -> None:
    (base.path / "f").chmod(0o755)
    modes = b"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"
    hunk = b"--- a/f\n+++ b/f\n@@\n-line 10\n+ten\n"
    assert "another mode, and has an unstaged change of its mode" in _refused(base, modes + hunk)
    assert "the patch changes nothing, in the working tree" in _refused(base, modes)


def test_a_replaced_file_is_refused(base: Sandbox) -> None:
    base.write("f", _mine(("line 20\n", "line 20\nmine\n")))
    _refused(base, envelope(b"*** Add File: f\n+line 1\n"), "--overwrite")
    _refused(base, envelope(b"*** Update File: other\n*** Move to: f\n"), "--overwrite")


def test_changed_attributes_beside_dirty_files_are_refused(base: Sandbox) -> None:
    base.commit({".gitattributes": "f text\n"})
    attributes = b"*** Update File: .gitattributes\n@@\n-f text\n+f -text\n"
    base.write("f", _mine(("line 1\n", "line one\n")))
    message = _refused(
        base, envelope(_PATCH.split(b"\n", 1)[1][: -len("*** End Patch\n")], attributes)
    )
    assert ".gitattributes: changes how files are read and written" in message
    base.write(".gitattributes", "f text\nmine text\n")
    assert base.opatch("apply", "--carry", feed=envelope(attributes)).status == 0
    assert base.read(".gitattributes") == b"f -text\nmine text\n"
    assert base.index()[".gitattributes"][1] == b"f -text\n"


def test_other_unstaged_changes_are_refused(base: Sandbox) -> None:
    base.write("f", _mine(("line 1\n", "line one\n")))
    (base.path / "other").unlink()
    message = _refused(base, envelope(_PATCH.split(b"\n", 1)[1][: -len("*** End Patch\n")],
                                   b"*** Update File: other\n@@\n-other\n+another\n"))  # fmt: skip
    assert "other: is deleted in the working tree, and the deletion is not staged" in message
    base.git("checkout", "other")
    (base.path / "f").unlink()
    (base.path / "f").symlink_to("other")
    assert "f: is a symbolic link in the working tree" in _refused(base, _PATCH)
    (base.path / "f").unlink()
    base.git("checkout", "f")
    base.write("new", "mine\n")
    assert "new: a file that is not tracked is in the way" in _refused(
        base, envelope(b"*** Add File: new\n+theirs\n")
    )


def test_an_unmerged_file_is_refused(base: Sandbox) -> None:
    base.git("checkout", "--quiet", "-b", "side")
    base.commit({"f": _mine(("line 10\n", "X\n"))})
    base.git("checkout", "--quiet", "main")
    base.commit({"f": _mine(("line 10\n", "Y\n"))})
    assert base.run("git", "merge", "side").status == 1
    assert "f: is unmerged; resolve the conflict first" in _refused(base, _PATCH)


@pytest.mark.parametrize("command", ["apply", "undo"])
@pytest.mark.parametrize("flag", ["--cached", "--worktree"])
def test_incompatible_options_are_refused(base: Sandbox, command: str, flag: str) -> None:
    ran = base.opatch(command, "--carry", flag)
    assert (ran.status, ran.out) == (129, b"")
    assert "--index (and --carry), --cached and --worktree exclude one another" in ran.err


def test_the_configured_target_is_ignored(base: Sandbox) -> None:
    base.git("config", "opatch.target", "cached")
    base.write("f", _mine(("line 1\n", "line one\n")))
    assert base.opatch("apply", "--carry", feed=_PATCH).status == 0
    assert base.read("f").decode() == _mine(("line 1\n", "line one\n"), ("line 10\n", "ten\n"))


def test_the_refusal_without_carry_names_what_works(base: Sandbox) -> None:
    base.write("f", _mine(("line 1\n", "line one\n")))
    plain = base.opatch("apply", feed=_PATCH).err
    assert "to leave those changes unstaged: add --carry\n" in plain
    assert "--worktree" not in plain
    base.write("f", _mine(("line 5\n", ""), ("line 18\n", "line 18\nline 5\n")))
    moved = base.opatch("apply", feed=_update("-line 5", "+five")).err
    assert ": add --worktree\n" in moved
    assert "--carry" not in moved
    base.write("f", _mine(("line 10\n", "X\n")))
    lost = base.opatch("apply", feed=_PATCH).err
    assert "--carry" not in lost + lost
    assert "--worktree" not in lost
    assert ": add --cached\n" in lost


def test_a_part_can_be_carried(base: Sandbox) -> None:
    base.write("f", _mine(("line 1\n", "line one\n")))
    patch = _update("-line 10", "+ten", "@@", "-line 99", "+x")
    ran = base.opatch("apply", "--carry", "--partial", feed=patch)
    assert ran.status == 1
    assert base.index()["f"][1].decode() == _mine(("line 10\n", "ten\n"))
    assert base.read("f").decode() == _mine(("line 1\n", "line one\n"), ("line 10\n", "ten\n"))


def test_a_hunk_without_a_match_in_the_working_tree_refuses_its_file(base: Sandbox) -> None:
    base.write("f", _mine(("line 15\n", "mine\n")))
    patch = _update("-line 10", "+ten", "@@", "-line 15", "+x")
    assert "does not match the working tree" in _refused(base, patch, "--partial")


def test_before_the_first_commit_nothing_is_to_be_stashed(repo: Sandbox) -> None:
    """`git stash` fails there: "You do not have the initial commit yet"."""
    repo.write("f", _BEFORE)
    repo.git("add", "f")
    repo.write("f", _mine(("line 10\n", "mine\n")))
    message = repo.opatch("apply", "--carry", feed=_PATCH).err
    assert "your unstaged changes touch the same lines" in message
    assert "stash" not in message
    message = repo.opatch("apply", "--commit", "-m", "m", feed=_PATCH).err
    assert "commit them first" in message
    assert "stash" not in message
    repo.git("commit", "--quiet", "-m", "first")
    assert "git stash" in repo.opatch("apply", "--carry", feed=_PATCH).err


def test_a_carried_patch_is_undone_in_a_dirty_file(base: Sandbox) -> None:
    mine = ("line 9\n", "line nine\nmine\n"), ("line 11\n", "")
    assert base.opatch("apply", feed=_PATCH).status == 0
    base.write("f", _mine(*mine, ("line 10\n", "ten\n")))
    message = base.opatch("undo").err
    assert "to leave those changes unstaged: git opatch undo --carry 1\n" in message
    assert base.opatch("undo", "--carry").status == 0
    assert (base.index()["f"][1].decode(), base.read("f").decode()) == (_BEFORE, _mine(*mine))
    assert base.opatch("redo").status == 0  # the record knows that it was carried
    assert base.opatch("apply", "-R", feed=_PATCH).status == 1
    assert base.opatch("apply", "-R", "--carry", feed=_PATCH).status == 0
    assert (base.index()["f"][1].decode(), base.read("f").decode()) == (_BEFORE, _mine(*mine))


def test_a_contradicting_undo_is_refused(base: Sandbox) -> None:
    base.write("f", _mine(("line 1\n", "line one\n")))
    patch = _update(" line 9", "-line 10", " line 11", "@@", "-line 15", "+fifteen")
    assert base.opatch("apply", "--carry", feed=patch).status == 0
    mine = _mine(("line 10\n", ""), ("line 15\n", "FIFTEEN\n"))
    for content in (mine, mine.replace("FIFTEEN", "fifteen").replace("line 9\n", "line 9\nmine\n")):
        base.write("f", content)
        before = base.state()
        ran = base.opatch("undo")
        assert (ran.status, ran.out, base.state()) == (1, b"", before)
        assert ran.err.endswith("the patch cannot be undone; nothing was changed\n")


def _advised(repo: Sandbox, message: str) -> None:
    """Run the command that the message advises."""
    (command,) = (line.strip() for line in message.splitlines() if "git opatch apply --" in line)
    words = command[command.index("git opatch") :].split(" ")
    ran = repo.opatch(*words[2:])
    assert ran.status == 0, ran.err


def test_the_advice_for_an_untracked_file_works(base: Sandbox) -> None:
    base.write("new", "line 10\n")
    base.write(".git/p", _update("-line 10", "+ten", path="new"))
    _advised(base, base.opatch("apply", "--carry", ".git/p").err)
    assert base.read("new") == b"ten\n"


def test_the_advice_for_a_file_that_is_not_checked_out_works(base: Sandbox) -> None:
    base.git("update-index", "--skip-worktree", "f")
    base.write(".git/p", _PATCH)
    _advised(base, base.opatch("apply", "--carry", ".git/p").err)
    assert base.index()["f"][1] == _BEFORE.replace("line 10\n", "ten\n").encode()


def test_an_untracked_file_cannot_be_committed_as_it_is(base: Sandbox) -> None:
    base.write("new", "line 10\n")
    base.write(".git/p", _update("-line 10", "+ten", path="new"))
    words = ("apply", "--commit", "-m", "Say ten", ".git/p")
    ran = base.opatch(*words)
    assert ran.status == 1
    assert (
        "error: new: is not tracked by git\n  .git/p:2\n  `git add` and commit it first\n"
        in ran.err
    )
    assert "--worktree" not in ran.err
    base.git("add", "new")
    base.git("commit", "--quiet", "-m", "as it was")
    assert base.opatch(*words).status == 0


def test_to_delete_a_file_with_unstaged_lines_is_not_offered(base: Sandbox) -> None:
    base.write("f", _BEFORE + "mine\n")
    patch = envelope(b"*** Delete File: f\n*** Update File: other\n@@\n-other\n+another\n")
    ran = base.opatch("apply", feed=patch)
    assert ran.status == 1
    assert "error: f: has unstaged changes\n" in ran.err
    assert "--worktree" not in ran.err
    assert base.opatch("apply", "--cached", feed=patch).status == 0
    assert base.read("f") == f"{_BEFORE}mine\n".encode()
