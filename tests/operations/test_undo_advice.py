"""What a refused undo advises works, and what is not applied is called so."""

from __future__ import annotations

import json
import re

import pytest
from sandbox import Ran, Sandbox
from writers import envelope

_LINES = "".join(f"line {number}\n" for number in range(1, 31))
_TEN = envelope(b"*** Update File: f\n@@\n line 9\n-line 10\n+ten\n line 11\n")


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    """Make a repository with the file `f` of thirty lines, and `g`."""
    repo.commit({"f": _LINES, "g": "g\n"})
    return repo


def _committed(repo: Sandbox) -> None:
    """Apply a patch and commit it."""
    assert repo.opatch("apply", "--commit", "-m", "ten", feed=_TEN).status == 0


def _edit(repo: Sandbox, old: str, new: str) -> None:
    repo.write("f", repo.read("f").decode().replace(f"{old}\n", f"{new}\n"))


def _last(ran: Ran) -> str:
    assert (ran.status, ran.out) == (1, b"")
    return ran.err.splitlines()[-1].strip()


@pytest.mark.parametrize(
    ("edited", "way"),
    [
        ("ten", ", in the index only: git opatch undo --cached 1"),
        ("line 25", ": git opatch undo --carry 1"),
    ],
)
def test_the_advised_undo_of_a_committed_patch_works_with_unstaged_changes(
    base: Sandbox, edited: str, way: str
) -> None:
    _committed(base)
    _edit(base, edited, "mine")
    refused = base.opatch("undo")
    assert _last(refused) == f"to stage the undo of patch 1{way}"
    assert "  f has unstaged changes, so `git revert` would be refused\n" in refused.err
    assert base.opatch(*way.partition("git opatch ")[2].split()).status == 0
    assert base.git("diff", "--cached", "HEAD~1") == b""
    assert "mine\n" in base.read("f").decode()


@pytest.mark.parametrize("edited", [True, False])
def test_what_keeps_git_from_a_revert_is_called_what_it_is(base: Sandbox, edited: bool) -> None:
    patch = envelope(b"*** Delete File: g\n*** Update File: f\n@@\n-line 10\n+ten\n")
    assert base.opatch("apply", "--commit", "-m", "both", feed=patch).status == 0
    base.write("g", "g\n")
    if edited:
        _edit(base, "line 25", "mine")
    what = "f has unstaged changes" if edited else "g is in the working tree, and is not tracked"
    ran = base.opatch("undo")
    assert ran.err.splitlines()[1] == f"  {what}, so `git revert` would be refused"
    assert base.run("git", "revert", "--no-edit", "HEAD").status == 128
    command = _last(ran).partition(": ")[2]
    assert base.run(*command.split()).status == 0


def test_a_revert_is_not_advised_where_something_is_staged(base: Sandbox) -> None:
    _committed(base)
    base.write("new", "n\n")
    base.git("add", "new")
    assert base.opatch("undo").err.splitlines()[1:] == [
        "  new has staged changes, so `git revert` would be refused",
        "  to stage the undo of patch 1: git opatch undo 1",
    ]


def test_a_revert_is_advised_where_other_files_have_unstaged_changes(base: Sandbox) -> None:
    _committed(base)
    base.write("g", "mine\n")
    revert = base.opatch("undo").err.splitlines()[1].partition("commit: ")[2]
    assert revert.startswith("git revert ")
    base.git(*revert.split()[1:], "--no-edit")
    assert base.git("diff", "HEAD~2", "HEAD") == b""


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        (
            envelope(b"*** Add File: d/new\n+n\n"),
            "d/new: its change is not applied here, so there is nothing to undo\n",
        ),
        (
            envelope(b"*** Update File: f\n*** Move to: h\n@@\n-line 1\n+1\n"),
            "h: its change is not",
        ),
        (
            b"diff --git a/f b/h\nsimilarity index 100%\nrename from f\nrename to h\n",
            "h: its change is not",
        ),
        (b"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n", "f: its change is not"),
        (envelope(b"*** Delete File: g\n"), "g: its change is not"),
        (_TEN, "f: hunk 1 of 1 is not applied here"),
    ],
)
def test_a_patch_in_reverse_that_is_not_applied_is_called_so(
    base: Sandbox, patch: bytes, said: str
) -> None:
    ran = base.opatch("apply", "-R", feed=patch)
    assert ran.status == 1
    assert ran.err.startswith(f"error: {said}")
    assert "not applied here" in ran.err
    assert "check the path" not in ran.err


def test_each_part_of_a_patch_that_is_not_applied_is_said_to_be_so_in_the_same_words(
    base: Sandbox,
) -> None:
    base.write(
        "p.txt", envelope(_TEN.split(b"\n", 1)[1].rsplit(b"***", 1)[0], b"*** Add File: n\n+n\n")
    )
    nothing = "is not applied here, so there is nothing to undo"
    for words in (["show", "-R"], ["apply", "-R"], ["apply", "-R", "--check"]):
        assert base.opatch(*words, "p.txt").err.count(f"1 {nothing}\n") == 1
        assert base.opatch(*words, "p.txt").err.count(f"n: its change {nothing}\n") == 1
    shown = base.opatch("show", "-R", "p.txt").out.decode()
    assert [line.partition("] ")[2] for line in shown.splitlines() if line] == [
        f"f: hunk 1 of 1: {nothing}",
        f"n: its change {nothing}",
    ]


def test_a_wrong_path_of_a_patch_in_reverse_gets_the_path_that_is_alike(base: Sandbox) -> None:
    base.commit({"src/hooks.py": "x = 1\n"})
    patch = envelope(b"*** Update File: lib/hooks.py\n@@\n-x = 0\n+x = 1\n")
    assert "did you mean `src/hooks.py`?" in base.opatch("apply", "-R", feed=patch).err


def test_a_patch_in_reverse_that_is_undone_is_called_so(base: Sandbox) -> None:
    """No merge is advised, though an earlier version has its lines."""
    assert base.opatch("apply", feed=_TEN).status == 0
    assert base.opatch("undo").status == 0
    for edited in (False, True):
        if edited:
            _edit(base, "line 10", "mine")
            base.git("add", "f")
        ran = base.opatch("apply", "-R", feed=_TEN)
        assert re.sub(r"line \d+", "line N", ran.err) == (
            "error: f: hunk 1 of 1 is not applied here, so there is nothing to undo\n"
            "  patch line N\n"
            "  patch 1 was undone by 2; see `git opatch log`\n"
            "the patch cannot be undone; nothing was changed\n"
        )


def test_an_undo_before_the_last_application_is_not_named(base: Sandbox) -> None:
    assert base.opatch("apply", feed=_TEN).status == 0
    assert base.opatch("undo").status == 0
    assert base.opatch("apply", feed=_TEN).status == 0
    _edit(base, "ten", "mine")
    base.git("add", "f")
    assert "was undone" not in base.opatch("apply", "-R", feed=_TEN).err


def test_a_deleted_file_of_rejected_hunks_that_is_staged_is_named(base: Sandbox) -> None:
    hunks = b"*** Update File: f\n@@\n-line 10\n+ten\n@@\n-line 99\n+99\n"
    assert base.opatch("apply", "--reject", feed=envelope(hunks)).status == 1
    base.git("add", "--all")
    (note,) = base.opatch("undo").err.splitlines()
    before, _, command = note.partition("; to remove it: ")
    assert before == "note: f.rej: deleted; it had been added, and is still in the index"
    base.git(*command.split()[1:])
    assert base.git("status", "--short") == b""


def test_files_that_were_committed_apart_name_all_commits(base: Sandbox) -> None:
    patch = envelope(b"*** Update File: f\n@@\n-line 10\n+ten\n*** Update File: g\n@@\n-g\n+G\n")
    assert base.opatch("apply", feed=patch).status == 0
    base.git("commit", "-qm", "f", "f")
    base.git("commit", "-qm", "g", "g")
    ids = base.git("log", "-2", "--reverse", "--format=%h").decode().split()
    assert f"  committed as {', '.join(ids)}  " in base.opatch("log").out.decode()


def test_a_refused_show_does_not_say_that_nothing_was_changed(base: Sandbox) -> None:
    ran = base.opatch("show", feed=_TEN.replace(b"line 10", b"line ten"))
    assert ran.status == 1
    assert ran.err.endswith("the patch does not apply\n")


def test_the_revert_of_an_amended_commit_is_of_all_of_it(base: Sandbox) -> None:
    """Git may have put more into it than the patch."""
    _committed(base)
    base.git("commit", "--quiet", "--amend", "-m", "ten, amended")
    head = base.git("rev-parse", "--short", "HEAD").decode().strip()
    assert base.opatch("undo").err == (
        f"error: patch 1 is committed as {head}\n"
        f"  to revert all of {head} in a commit: git revert {head}\n"
        "  to stage the undo of patch 1: git opatch undo 1\n"
    )


@pytest.mark.parametrize("command", ["merge", "cherry-pick"])
def test_conflicts_of_git_are_called_so(base: Sandbox, command: str) -> None:
    """`git checkout --ours` would end them without the other side, `--abort` without the patch."""
    base.git("checkout", "--quiet", "-b", "other")
    base.commit({"g": "theirs\n"})
    base.git("checkout", "--quiet", "-")
    base.commit({"g": "ours\n"})
    assert base.run("git", command, "other").status == 1
    assert base.opatch("apply", feed=_TEN).status == 0
    assert base.opatch("undo").err == (
        f"error: g is unmerged in a {command} that is not finished\n"
        "  to go on: resolve the conflicts in g, then git add -- :/g\n"
        "  to undo patch 1 all the same: git opatch undo 1\n"
    )
    assert base.opatch("undo", "1").status == 0
    assert base.read("f").decode() == _LINES
    assert base.git("ls-files", "--unmerged") != b""


@pytest.mark.parametrize("recorded", [False, True])
def test_nothing_to_undo_is_said_in_a_merge(base: Sandbox, recorded: bool) -> None:
    base.git("checkout", "--quiet", "-b", "other")
    base.commit({"g": "theirs\n"})
    base.git("checkout", "--quiet", "-")
    base.commit({"g": "ours\n"})
    if recorded:
        assert base.opatch("apply", feed=_TEN).status == 0
        assert base.opatch("undo").status == 0
    assert base.run("git", "merge", "other").status == 1
    what = "nothing is recorded here: no patch was applied, or none is kept"
    if recorded:
        what = "nothing to undo: every recorded patch is undone; to redo the last: git opatch redo"
    ran = base.opatch("undo")
    assert (ran.status, ran.err) == (1 if recorded else 128, f"error: {what}\n")


@pytest.mark.parametrize("recorded", [False, True])
def test_conflicts_of_an_apply_without_a_record_are_named(base: Sandbox, recorded: bool) -> None:
    if recorded:
        assert base.opatch("apply", feed=_TEN).status == 0
        assert base.opatch("undo").status == 0
    base.commit({"g": "mine\n"})
    diff = base.git("diff", "HEAD", "HEAD~1", "--", "g").replace(b"+g", b"+G")
    base.commit({"g": "later\n"})
    assert base.opatch("apply", "--3way", feed=diff).status == 1
    assert base.git("ls-files", "--unmerged") != b""
    assert base.opatch("undo").err.startswith("error: g is unmerged; conflicts are not recorded")


def _then(ran: Ran, repo: Sandbox) -> Ran:
    """Run the command that a refused undo advises last."""
    assert (ran.status, ran.out) == (1, b"")
    command = ran.err.splitlines()[-2].partition(": ")[2]
    return repo.run("sh", "-c", command)


@pytest.mark.parametrize("way", ["git mv f h", "mkdir d; git mv f d/f"])
@pytest.mark.parametrize("committed", [True, False])
def test_a_file_that_was_renamed_since_is_named(base: Sandbox, way: str, committed: bool) -> None:
    """With the commit to revert; git follows renames."""
    base.opatch("apply", feed=_TEN)
    made = ""
    if committed:
        base.git("commit", "-qm", "ten")
        made = base.git("rev-parse", "--short", "HEAD").decode().strip()
    base.run("sh", "-c", way)
    if committed:
        base.git("commit", "-qm", "rename")
    new = way.split()[-1]
    ran = base.opatch("undo")
    assert ran.err.splitlines()[:-1] == [
        f"error: f: was renamed to {new} since patch 1 was applied",
        *([f"  to revert all of {made} in a commit: git revert {made}"] if made else []),
        f"  to undo it: git mv -- {new} f && git opatch undo 1",
    ]
    if committed:
        base.git("revert", "--no-edit", made)
        assert base.read(new).decode() == _LINES
        base.git("reset", "-q", "--hard", "HEAD^")
    assert _then(ran, base).status == 0
    assert base.read("f").decode() == _LINES


def test_a_file_that_was_renamed_in_the_commit_of_the_patch_is_named(base: Sandbox) -> None:
    base.opatch("apply", feed=_TEN)
    base.git("mv", "f", "h")
    base.git("commit", "-qm", "both")
    base.git("mv", "h", "i")
    base.git("commit", "-qm", "again")
    ran = base.opatch("undo", "1")
    assert ran.err.splitlines()[:-1] == [
        "error: f: was renamed to i since patch 1 was applied",
        "  to undo it: git mv -- i f && git opatch undo 1",
    ]
    base.git("rm", "-q", "i")
    gone = base.opatch("undo", "1").err
    assert gone == "error: patch 1 is no longer applied: f does not exist\n"
    base.git("reset", "-q", "--hard")
    assert _then(ran, base).status == 0
    assert base.read("f").decode() == _LINES


def test_a_renamed_file_is_named_for_the_current_directory(base: Sandbox) -> None:
    base.commit({"d/f": _LINES})
    base.opatch("apply", feed=_TEN.replace(b": f", b": d/f"))
    base.git("mv", "d", "e")
    ran = base.opatch("undo", cwd=base.path / "e")
    command = "mkdir -p ../d && git mv -- f ../d/f && git opatch undo 1"
    assert ran.err.splitlines()[1] == f"  to undo it: {command}"
    assert base.run("sh", "-c", f"cd e; {command}").status == 0
    assert base.read("d/f").decode() == _LINES


def test_a_file_that_is_not_there_any_more_is_called_so(base: Sandbox) -> None:
    base.opatch("apply", feed=_TEN)
    base.git("mv", "f", "h")
    base.write("h", base.read("h").decode().replace("ten\n", "mine\n"))
    base.git("add", "h")
    assert base.opatch("undo", "1").err.splitlines()[:2] == [
        "error: f: was renamed to h since patch 1 was applied",
        "  what was applied: git opatch log -p 1",
    ]
    base.git("rm", "-qf", "h")
    assert base.opatch("undo", "1").err.splitlines()[0] == (
        "error: f: is not in the index; it was deleted or renamed since patch 1 was applied"
    )


def test_conflicts_of_a_stash_are_not_called_a_merge(base: Sandbox) -> None:
    """Patch 1 is recorded, and the conflicts are not its own."""
    _edit(base, "line 10", "mine")
    base.git("stash")
    assert base.opatch("apply", feed=_TEN).status == 0
    assert base.run("git", "stash", "pop").status == 1
    assert base.opatch("undo").err == (
        "error: f is unmerged; conflicts are not recorded, so they have no undo or redo\n"
        "  to go on: resolve the conflicts in f, then git add -- :/f\n"
        "  to go back: git checkout --ours -- :/f && git add -- :/f\n"
    )


def test_an_undo_that_is_named_is_called_so(base: Sandbox) -> None:
    assert base.opatch("apply", feed=_TEN).status == 0
    assert base.opatch("undo").status == 0
    message = "error: 2 is an undo of patch 1"
    assert base.opatch("undo", "2").err == f"{message}; to apply that again: git opatch redo 1\n"
    assert base.opatch("redo", "2").status == 0
    which = f"{message}, which is applied; to undo that: git opatch undo 1\n"
    assert base.opatch("undo", "2").err == which
    assert base.opatch("redo", "2").err == (
        f"{message}; patch 1 is not undone, so there is nothing to redo\n"
    )
    base.git("commit", "-qm", "ten")
    assert base.opatch("undo", "2").err == which
    base.git("reset", "-q", "--hard", "HEAD^")
    assert base.opatch("undo", "2").err == f"{message}; what became of that: git opatch log 1\n"


@pytest.mark.parametrize("command", ["undo", "redo"])
def test_nothing_is_advised_that_is_not_an_undo_without_a_working_tree(
    base: Sandbox, command: str
) -> None:
    ran = base.opatch(command, cwd=base.path / ".git")
    assert (ran.status, ran.err) == (
        128,
        "error: this needs a working tree, and there is none here (a bare repository, or inside a "
        "git directory)\n",
    )


def test_advice_in_json_has_no_indentation(base: Sandbox) -> None:
    _committed(base)
    (failure,) = json.loads(base.opatch("undo", "--json").out)["failures"]
    assert len(failure["advice"]) == 2
    assert failure["advice"] == [line.strip() for line in failure["advice"]]


def test_the_help_says_where_a_patch_is_undone(repo: Sandbox) -> None:
    for command in ("undo", "redo"):
        words = " ".join(repo.opatch(command, "-h").out.decode().split())
        assert "--index, --cached or --worktree choose where" in words
        assert "locate hunks" not in words


def test_a_place_is_not_named_where_the_command_would_be_refused(base: Sandbox) -> None:
    """Somebody commits a part of what was undone in the index."""
    both = envelope(b"*** Update File: f\n@@\n-line 10\n+ten\n*** Add File: new\n+n\n")
    base.opatch("apply", feed=both)
    base.opatch("undo", "--cached")
    base.git("commit", "-qam", "all that is tracked")
    for command in (["undo", "1"], ["redo"]):
        assert "there: git opatch" not in base.opatch(*command).err
    assert "is already applied" in base.opatch("redo", "--cached", "1").err


def test_a_file_that_was_renamed_since_an_undo_is_named(base: Sandbox) -> None:
    base.opatch("apply", feed=_TEN)
    base.opatch("undo")
    base.git("mv", "f", "h")
    base.git("commit", "-qm", "rename")
    ran = base.opatch("redo")
    assert ran.err.startswith("error: f: was renamed to h since patch 1 was undone\n")
    assert _then(ran, base).status == 0
    assert base.read("f").decode() == _LINES.replace("line 10\n", "ten\n")


def test_each_of_several_renamed_files_is_named(base: Sandbox) -> None:
    patch = envelope(b"*** Update File: f\n@@\n-line 10\n+ten\n*** Update File: g\n@@\n-g\n+G\n")
    base.opatch("apply", "--commit", "-m", "both", feed=patch)
    (base.path / "d").mkdir()
    base.git("mv", "f", "g", "d")
    base.git("commit", "-qm", "moved")
    ran = base.opatch("undo")
    assert "git mv -- d/f f && git mv -- d/g g && git opatch undo 1\n" in ran.err
    assert ran.err.count("to undo it: ") == 1
    made = base.git("rev-parse", "--short", "HEAD^").decode().strip()
    assert ran.err.count(f"in a commit: git revert {made}\n") == 1
    assert _then(ran, base).status == 0
    assert (base.read("f").decode(), base.read("g")) == (_LINES, b"g\n")


_ADDED = envelope(b"*** Add File: new\n+one\n+two\n+three\n")


@pytest.mark.parametrize("patch", [_ADDED, _ADDED + _TEN], ids=["alone", "with another"])
@pytest.mark.parametrize("content", ["one\ntwo\nthree\n", "one\ntwo\n3\n"])
def test_an_added_file_that_was_renamed_since_is_named(
    base: Sandbox, patch: bytes, content: str
) -> None:
    """No commit had it, so only what the patch left tells."""
    assert base.opatch("apply", feed=patch).status == 0
    before = base.index()
    base.git("mv", "new", "name")
    base.write("name", content)
    base.git("add", "name")
    for command in ("undo", "undo --skip-undone"):
        ran = base.opatch(*command.split())
        assert ran.status == 1
        assert "error: new: was renamed to name since patch 1 was applied\n" in ran.err
        is_same = content.endswith("three\n")
        assert ("git mv -- name new && git opatch undo 1\n" in ran.err) is is_same
    if is_same:
        base.git("mv", "name", "new")
        assert base.index() == before
        assert base.opatch("undo").status == 0


@pytest.mark.parametrize("renamed", ["new", "f"])
def test_a_revert_is_not_advised_where_an_added_file_was_renamed(
    base: Sandbox, renamed: str
) -> None:
    """Git deletes the file, which is a conflict with its new name; of another it follows that."""
    assert base.opatch("apply", "--commit", "-m", "both", feed=_ADDED + _TEN).status == 0
    base.git("mv", renamed, "name")
    base.git("commit", "-qm", "moved")
    ran = base.opatch("undo")
    way = f"  to undo it: git mv -- name {renamed} && git opatch undo 1"
    assert way in ran.err.splitlines()
    assert ("git revert " in ran.err) is (renamed == "f")
    reverted = base.run("git", "revert", "--no-edit", "HEAD^")
    assert (reverted.status == 0) is (renamed == "f")
    base.git(*(["reset", "-q", "--hard", "HEAD^"] if renamed == "f" else ["revert", "--abort"]))
    assert _then(ran, base).status == 0
    assert (base.read("f").decode(), "new" in base.index()) == (_LINES, False)


_MOVED = envelope(b"*** Update File: f\n*** Move to: h\n@@\n-line 10\n+ten\n")


@pytest.mark.parametrize("committed", [True, False])
def test_a_moved_file_that_was_renamed_back_is_named(base: Sandbox, committed: bool) -> None:
    assert base.opatch("apply", feed=_MOVED).status == 0
    if committed:
        base.git("commit", "-qm", "moved")
    base.git("mv", "h", "f")
    if committed:
        base.git("commit", "-qm", "back")
    ran = base.opatch("undo")
    assert ran.err.splitlines()[:-1] == [
        "error: h: was renamed to f since patch 1 was applied",
        "  to undo it: git mv -- f h && git opatch undo 1",
    ]
    assert _then(ran, base).status == 0
    assert (base.read("f").decode(), "h" in base.index()) == (_LINES, False)


@pytest.mark.parametrize("content", [_LINES, _LINES.replace("line 25\n", "mine\n")])
def test_a_moved_file_that_is_as_before_is_not_called_renamed(base: Sandbox, content: str) -> None:
    assert base.opatch("apply", feed=_MOVED).status == 0
    base.git("reset", "-q", "--hard")
    base.write("f", content)
    base.git("add", "f")
    assert "was renamed" not in base.opatch("undo", "1").err


def test_a_file_that_was_only_moved_and_is_back_is_not_called_renamed(base: Sandbox) -> None:
    move = b"diff --git a/f b/h\nsimilarity index 100%\nrename from f\nrename to h\n"
    assert base.opatch("apply", feed=move).status == 0
    base.git("mv", "h", "f")
    ran = base.opatch("undo", "1")
    assert ran.err.startswith("error: patch 1 is no longer applied: ")


def test_a_file_that_is_like_a_deleted_one_and_older_is_not_its_new_name(base: Sandbox) -> None:
    base.commit({"older": "one\ntwo\nthree\n"})
    assert base.opatch("apply", feed=_ADDED).status == 0
    base.git("rm", "-qf", "new")
    assert "renamed" not in base.opatch("undo").err
    ran = base.opatch("apply", "-R", feed=_ADDED)
    assert "did you mean" not in ran.err


def test_an_added_file_that_was_renamed_is_named_in_reverse(base: Sandbox) -> None:
    assert base.opatch("apply", feed=_ADDED).status == 0
    base.git("mv", "new", "name")
    for flag in ([], ["--skip-applied"]):
        ran = base.opatch("apply", "-R", *flag, feed=_ADDED)
        assert (ran.status, "it was renamed: did you mean `name`?" in ran.err) == (1, True)


def test_a_deleted_file_can_be_restored(base: Sandbox) -> None:
    both = envelope(b"*** Update File: f\n@@\n-line 10\n+ten\n*** Update File: g\n@@\n-g\n+G\n")
    assert base.opatch("apply", feed=both).status == 0
    base.git("rm", "-qf", "g")
    ran = base.opatch("undo")
    way = "  it was deleted since the last commit; to restore it: "
    (line,) = (line for line in ran.err.splitlines() if line.startswith(way))
    assert base.run("sh", "-c", line.removeprefix(way)).status == 0
    assert _then(base.opatch("undo"), base).status == 0
    assert (base.read("f").decode(), base.read("g")) == (_LINES, b"g\n")


def test_a_later_patch_is_named_for_a_redo(base: Sandbox) -> None:
    for patch in (_TEN, envelope(b"*** Update File: f\n@@\n-line 10\n+10\n")):
        assert base.opatch("apply", feed=patch).status == 0
        if patch is _TEN:
            assert base.opatch("undo").status == 0
    assert base.opatch("redo", "1").err == (
        "error: f: hunk 1 of 1 is not as the undo of patch 1 left it: "
        "patch 3 changed the file after that\n"
        "  first: git opatch undo 3\n"
        "the patch cannot be redone; nothing was changed\n"
    )
    assert base.opatch("undo", "3").status == 0
    assert base.opatch("redo", "1").status == 0


def test_a_patch_in_reverse_is_an_undo_where_the_patch_is_not_undone(base: Sandbox) -> None:
    """What `git add` staged, too, as `undo --cached` says."""
    assert base.opatch("apply", "--worktree", feed=_TEN).status == 0
    base.git("add", "f")
    assert base.opatch("undo").status == 0
    ran = base.opatch("apply", "-R", "--cached", feed=_TEN)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith(b"Undid 1: ")
    ran = base.opatch("apply", "-R", "--cached", feed=_TEN)
    assert "in the working tree only" not in ran.err
    assert "patch 1 was undone by 3" in ran.err
    base.git("reset", "-q", "--hard")
    assert base.opatch("apply", feed=_TEN).status == 0
    assert base.opatch("undo", "--cached").status == 0
    assert base.opatch("apply", "-R", "--worktree", feed=_TEN).out.startswith(b"Undid 4: ")
    assert base.read("f").decode() == _LINES


_ADD = "*** Update File: f\n@@\n line 9\n+added\n line 10\n"
_LAST = "*** Update File: f\n@@\n line 29\n line 30\n+added\n"


@pytest.mark.parametrize("patch", [_ADD, _LAST], ids=["between", "at the end"])
def test_an_addition_that_was_never_applied_is_called_so(base: Sandbox, patch: str) -> None:
    """The lines around it show that nothing was added (D457)."""
    ran = base.opatch("apply", "-R", feed=envelope(patch.encode()))
    assert (ran.status, ran.err) == (
        1,
        "error: f: hunk 1 of 1 is not applied here, so there is nothing to undo\n  patch line 4\n"
        "the patch cannot be undone; nothing was changed\n",
    )


@pytest.mark.parametrize("patch", [_ADD, _LAST], ids=["between", "at the end"])
def test_an_addition_that_was_changed_since_is_not(base: Sandbox, patch: str) -> None:
    assert base.opatch("apply", feed=envelope(patch.encode())).status == 0
    _edit(base, "added", "edited")
    base.git("add", "f")
    ran = base.opatch("apply", "-R", feed=envelope(patch.encode()))
    assert "is not applied to the index, or was changed since" in ran.err


_BOTH = envelope(
    b"*** Update File: f\n@@\n-line 10\n+ten\n*** Update File: g\n@@\n-g\n+G\n*** Add File: n\n+n\n"
)


@pytest.mark.parametrize(
    ("commands", "paths"),
    [
        (["restore --staged f"], ":/f"),
        (["restore --staged g n"], ":/g :/n"),
        (["stash -q", "stash pop -q"], ":/f :/g"),
    ],
)
def test_a_patch_that_is_staged_in_part_is_undone_after_it_is_staged(
    base: Sandbox, commands: list[str], paths: str
) -> None:
    before = base.index(), base.files()
    base.opatch("apply", feed=_BOTH)
    for command in commands:
        base.git(*command.split())
    assert "  applied, staged in part  " in base.opatch("log").out.decode()
    for words in ([], ["1"]):
        ran = base.opatch("undo", *words)
        assert ran.err.splitlines() == [
            "error: patch 1 is staged in part only: the working tree has all of it",
            f"  to stage the rest, and undo it: git add -- {paths} && git opatch undo 1",
        ]
    base.git("add", "--", *paths.split())
    assert base.opatch("undo", "1").status == 0
    assert (base.index(), base.files()) == before


def test_a_patch_of_which_nothing_is_staged_is_undone_in_the_working_tree(base: Sandbox) -> None:
    before = base.index(), base.files()
    base.opatch("apply", feed=_BOTH)
    base.git("reset", "-q")
    assert _last(base.opatch("undo")) == "to undo it there: git opatch undo --worktree 1"
    assert base.opatch("undo", "--worktree", "1").status == 0
    assert (base.index(), base.files()) == before


def test_a_redo_that_needs_an_earlier_patch_names_it(base: Sandbox) -> None:
    more = [b"-ten\n+TEN\n", b"-line 20\n+twenty\n", b"-TEN\n+X\n"]
    states = [base.index()]
    for patch in (_TEN, *(envelope(b"*** Update File: f\n@@\n" + each) for each in more)):
        assert base.opatch("apply", feed=patch).status == 0
        states.append(base.index())
    for _ in range(4):
        assert base.opatch("undo").status == 0
    for number, first in ((4, 2), (2, 1)):
        ran = base.opatch("redo", str(number))
        assert ran.err.splitlines()[:2] == [
            f"error: f: hunk 1 of 1 does not fit yet: patch {number} changed what patch {first} "
            "made, which is undone",
            f"  first: git opatch redo {first}",
        ]
    for number in (1, 2, 4):
        assert base.opatch("redo", str(number)).status == 0
    assert base.opatch("redo").status == 0  # 3 needs none of them
    assert base.index() == states[-1]


def test_a_redo_whose_lines_were_changed_by_hand_names_no_patch(base: Sandbox) -> None:
    for patch in (_TEN, envelope(b"*** Update File: f\n@@\n-line 20\n+twenty\n")):
        assert base.opatch("apply", feed=patch).status == 0
    for _ in range(2):
        assert base.opatch("undo").status == 0
    _edit(base, "line 20", "mine")
    base.git("add", "f")
    assert "first: " not in base.opatch("redo", "2").err


def test_an_undo_without_a_number_does_not_pass_over_a_renamed_file(base: Sandbox) -> None:
    other = envelope(b"*** Update File: g\n@@\n-g\n+G\n")
    for patch in (other, _TEN):
        assert base.opatch("apply", feed=patch).status == 0
    base.git("mv", "f", "h")
    assert base.opatch("undo").err == base.opatch("undo", "2").err
    assert _last(base.opatch("undo")) == "the patch cannot be undone; nothing was changed"
    base.git("rm", "-qf", "h")
    base.git("commit", "-qm", "deleted", "--", "f")
    ran = base.opatch("undo")
    assert (ran.status, base.read("g")) == (0, b"g\n")
    assert "patch 2 is no longer applied: f does not exist; skipped" in ran.err


@pytest.mark.parametrize(
    "words",
    [[], ["--only", "f"], ["--directory", "sub", "--cached"], ["--worktree"], ["-R"]],
    ids=" ".join,
)
def test_what_applies_a_patch_again_has_the_options_of_then(
    base: Sandbox, words: list[str]
) -> None:
    base.commit({"sub/f": _LINES, "sub/g": "g\n"})
    patch = _TEN.replace(b"*** End", b"*** Update File: g\n@@\n-g\n+G\n*** End")
    if words == ["-R"]:
        base.write("p.txt", patch)
        assert base.opatch("apply", "--commit", "-m", "p", "p.txt").status == 0
        for file in (base.path / ".git/opatch/journal").iterdir():
            file.unlink()
    base.write("p.txt", patch)
    assert base.opatch("apply", *words, "p.txt").status == 0
    applied = base.index(), base.files()
    base.git("reset", "-q", "--hard")
    again = _last(base.opatch("redo", "1")).partition("to apply it again: ")[2]
    assert base.run(*again.split()).status == 0
    assert (base.index(), base.files()) == applied


@pytest.mark.parametrize(("ordinal", "line"), [(1, 2), (2, 5), (3, 8)])
def test_the_hunk_that_is_not_there_is_named_where_the_recorded_hunks_are_one(
    base: Sandbox, ordinal: int, line: int
) -> None:
    hunks = "".join(f"@@\n-line {number}\n+{number}\n" for number in (2, 5, 8))
    assert base.opatch("apply", feed=envelope(f"*** Update File: f\n{hunks}".encode())).status == 0
    _edit(base, str(line), f"line {line}")
    base.git("add", "f")
    assert base.opatch("undo").err.startswith(
        f"error: f: hunk {ordinal} of 3 is not applied here any more\n"
        f"  the lines at f:{line} are as before patch 1\n"
    )
    (failure,) = json.loads(base.opatch("undo", "--json").out)["failures"]
    lines = [each["text"] for hunk in failure["section"]["hunks"] for each in hunk["lines"]]
    assert (failure["hunk"], failure["candidates"]) == (ordinal, [line])
    assert f"line {line}" in lines


def test_a_change_that_the_working_tree_does_not_have_any_more_is_called_so(base: Sandbox) -> None:
    base.opatch("apply", feed=_TEN)
    base.write("f", _LINES)
    only = "has its change in the index only; the working tree is as before patch 1"
    ran = base.opatch("undo")
    assert ran.err.splitlines()[0] == f"error: f: {only}"
    assert _then(ran, base).status == 0
    assert base.index()["f"][1].decode() == base.read("f").decode() == _LINES


@pytest.mark.parametrize("line", ["line 10", "10"])
def test_other_unstaged_changes_are_not_called_those_before_a_patch(
    base: Sandbox, line: str
) -> None:
    both = envelope(b"*** Update File: f\n@@\n-line 10\n+ten\n@@\n-line 20\n+twenty\n")
    base.opatch("apply", feed=both)
    _edit(base, "ten", line)
    assert base.opatch("undo").err.startswith("error: f: has unstaged changes\n")


@pytest.mark.parametrize(("hunk", "at"), [(" line 20\n+mine\n line 21\n", 21), ("-line 20\n", 20)])
def test_a_hunk_that_only_adds_or_deletes_is_named_where_it_was(
    base: Sandbox, hunk: str, at: int
) -> None:
    patch = envelope(f"*** Update File: f\n@@\n-line 15\n+fifteen\n@@\n{hunk}".encode())
    assert base.opatch("apply", feed=patch).status == 0
    base.write("f", _LINES.replace("line 15\n", "fifteen\n"))
    base.git("add", "f")
    assert f"  the lines at f:{at} are as before patch 1\n" in base.opatch("undo").err
