"""Apply a patch again: the journal knows what the patch and the file alone cannot show."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from sandbox import Sandbox
from writers import envelope

from git_opatch import apply_patch
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot
from git_opatch.journal import Record
from git_opatch.model.blob import Change, Entry, Mode
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import FilePatch, Hunk, Line, Operation, Patch, Prefix
from git_opatch.model.refusal import Refused
from git_opatch.plan.plan import Plan
from git_opatch.plan.reapplied import recorded_sections

_TWO = "class Store:\n    def close(self):\n        return 0\n\n"
_FILES: dict[str, bytes | str] = {
    "gone": "x\n",
    "from": "y\n",
    "t.sh": "f() {\n\treturn 1\n}\n",
    "two.py": _TWO + _TWO.replace("Store", "Cache"),
    "one": "a\nb\nc\n",
}
_DELETE = b"*** Delete File: gone\n"
_MOVE = b"*** Update File: from\n*** Move to: to\n"
_LOOSE = b"*** Update File: t.sh\n@@\n f() {\n-    return 1\n+    return 2\n"
_UNDER = (
    b"*** Update File: two.py\n@@ class Store:\n     def close(self):\n"
    b"-        return 0\n+        return 1\n"
)
_PLAIN = b"*** Update File: one\n@@\n a\n-b\n+B\n"


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit(_FILES)
    return repo


@pytest.mark.parametrize("commit", [False, True], ids=["staged", "committed"])
@pytest.mark.parametrize(
    "sections",
    [
        pytest.param([_DELETE], id="a file deleted"),
        pytest.param([_MOVE], id="a file moved as it is"),
        pytest.param([_LOOSE], id="a hunk placed loosely"),
        pytest.param([_UNDER], id="a hunk placed by its anchor"),
        pytest.param([_PLAIN, _DELETE, _LOOSE, _UNDER, _MOVE], id="all of them"),
    ],
)
def test_a_recorded_patch_is_already_applied(
    base: Sandbox, sections: list[bytes], commit: bool
) -> None:
    patch = envelope(*sections)
    assert base.opatch("apply", feed=patch).status == 0
    if commit:
        base.git("commit", "--quiet", "-m", "applied")
    before = base.state()
    ran = base.opatch("apply", feed=patch)
    assert (ran.status, ran.out) == (1, b"")
    assert ran.err.count(": is already applied") + ran.err.count(" of 1 is already") == len(
        sections
    )
    for command in (["apply", "--skip-applied"], ["check", "--skip-applied"]):
        ran = base.opatch(*command, feed=patch)
        assert (ran.status, b"nothing to do" in ran.out) == (0, True), ran
    assert base.state() == before


def test_the_refusal_names_the_record_and_the_reason(base: Sandbox) -> None:
    base.opatch("apply", feed=envelope(_DELETE))
    ran = base.opatch("apply", "--json", feed=envelope(_DELETE))
    document = json.loads(ran.out)
    (failure,) = document["failures"]
    assert document["status"] == failure["reason"] == "already_applied"
    assert (failure["path"], failure["exact"]) == ("gone", True)
    assert "is already applied, as patch 1" in base.opatch("apply", feed=envelope(_DELETE)).err


def test_the_rest_of_a_recorded_patch_is_applied(base: Sandbox) -> None:
    patch = envelope(_DELETE, _PLAIN)
    assert base.opatch("apply", feed=patch).status == 0
    base.commit({"one": "a\nb\nc\n"})
    assert base.opatch("apply", feed=patch).status == 1
    ran = base.opatch("apply", "--skip-applied", feed=patch)
    assert ran.status == 0, ran
    assert base.index()["one"][1] == b"a\nB\nc\n"


@pytest.mark.parametrize("flag", [[], ["--skip-applied"], ["--partial"]], ids=" ".join)
def test_a_recorded_deletion_is_not_applied_twice(base: Sandbox, flag: list[str]) -> None:
    base.commit({"one": "a\nx\nx\nx\nb\n"})
    patch = envelope(_DELETE, b"*** Update File: one\n@@\n a\n-x\n")
    assert base.opatch("apply", feed=patch).status == 0
    before = base.state()
    ran = base.opatch("apply", *flag, feed=patch)
    assert ran.status == (0 if flag == ["--skip-applied"] else 1)
    assert ran.err.count("is already applied, as patch 1") == 2
    assert base.state() == before


_TWIN = (
    b"*** Update File: two.py\n@@\n     def close(self):\n-        return 0\n+        return 1\n"
)


def test_a_recorded_patch_does_not_change_a_twin(base: Sandbox) -> None:
    """It would fit there, and there alone, once it is applied to the first of two positions."""
    assert base.opatch("apply", "--ambiguous", "nearest", feed=envelope(_TWIN)).status == 0
    before = base.state()
    for flags in ([], ["--check"], ["--partial"], ["--ambiguous", "nearest"]):
        ran = base.opatch("apply", *flags, feed=envelope(_TWIN))
        assert (ran.status, ran.out) == (1, b"")
        assert "two.py: is already applied, as patch 1" in ran.err
    ran = base.opatch("apply", "--skip-applied", feed=envelope(_TWIN))
    assert (ran.status, ran.out) == (0, b"nothing to do: the patch is already applied\n")
    assert base.state() == before
    shown = _TWIN.replace(b"@@\n", b"@@ class Cache:\n")
    assert base.opatch("apply", feed=envelope(shown)).status == 0
    assert base.index()["two.py"][1].count(b"return 1") == 2


def test_a_recorded_patch_is_applied_to_files_that_changed_since(base: Sandbox) -> None:
    patch = envelope(_TWIN, _PLAIN)
    assert base.opatch("apply", "--ambiguous", "nearest", feed=patch).status == 0
    base.commit({"two.py": _FILES["two.py"], "one": "a\nb\nc\n"})
    assert base.opatch("apply", "--ambiguous", "nearest", feed=patch).status == 0


def test_a_forbidden_patch_is_not_called_applied(base: Sandbox) -> None:
    assert base.opatch("apply", feed=envelope(_DELETE)).status == 0
    ran = base.opatch("apply", "--skip-applied", "--deny", "gone", feed=envelope(_DELETE))
    assert ran.status == 1
    assert "gone: path is denied" in ran.err


@pytest.mark.parametrize(
    ("applied", "sent"),
    [
        pytest.param(None, _DELETE.replace(b"gone", b"never"), id="never applied"),
        pytest.param(_PLAIN, _DELETE.replace(b"gone", b"never"), id="another patch applied"),
    ],
)
def test_an_unrecorded_patch_is_not_already_applied(
    base: Sandbox, applied: bytes | None, sent: bytes
) -> None:
    if applied is not None:
        assert base.opatch("apply", feed=envelope(applied)).status == 0
    ran = base.opatch("apply", "--skip-applied", feed=envelope(sent))
    assert ran.status == 1
    assert "never: is not in the index" in ran.err


def test_a_file_changed_since_the_record_is_refused(base: Sandbox) -> None:
    assert base.opatch("apply", feed=envelope(_LOOSE)).status == 0
    base.commit({"t.sh": "f() {\n\treturn 2\n}\n\ng\n"})
    ran = base.opatch("apply", "--skip-applied", feed=envelope(_LOOSE))
    assert ran.status == 1
    assert "may already be applied" in ran.err


def test_an_undone_patch_is_applied_again(base: Sandbox) -> None:
    for command in ("apply", "undo", "apply"):
        feed = envelope(_DELETE) if command == "apply" else b""
        assert base.opatch(command, feed=feed).status == 0
    assert "gone" not in base.index()


def test_a_record_of_the_index_does_not_count_for_the_working_tree(base: Sandbox) -> None:
    assert base.opatch("apply", "--cached", feed=envelope(_DELETE)).status == 0
    assert base.opatch("apply", "--cached", "--skip-applied", feed=envelope(_DELETE)).status == 0
    ran = base.opatch("apply", "--skip-applied", feed=envelope(_DELETE))
    assert ran.status == 1
    assert "gone: is not tracked by git" in ran.err
    assert "gone" in base.files()


def test_a_partial_record_does_not_count_for_the_whole_patch(base: Sandbox) -> None:
    stale = envelope(b"*** Update File: one\n@@\n-b\n+B\n@@\n-zeta\n+Z\n")
    assert base.opatch("apply", "--partial", feed=stale).status == 1
    assert base.index()["one"][1] == b"a\nB\nc\n"
    ran = base.opatch("apply", "--skip-applied", feed=stale)
    assert ran.status == 1
    assert "does not match" in ran.err


def test_a_change_made_by_hand_below_an_anchor_is_already_applied(base: Sandbox) -> None:
    base.commit({"two.py": _TWO.replace("0", "1") + _TWO.replace("Store", "Cache")})
    ran = base.opatch("apply", feed=envelope(_UNDER))
    assert "two.py: hunk 1 of 1 is already applied: its new lines are at line 3" in ran.err
    assert base.opatch("apply", "--skip-applied", feed=envelope(_UNDER)).status == 0
    changed = _UNDER.replace(b"return 1", b"return 7")
    ran = base.opatch("apply", "--skip-applied", feed=envelope(changed))
    assert ran.status == 1
    assert "is under `class Cache:`" in ran.err


def test_large_records_are_compared_in_linear_time() -> None:
    def took(count: int) -> float:
        paths = [f"src/{at}" for at in range(count)]
        patch = Patch([FilePatch(Operation.DELETE, path, None) for path in paths])
        gone = tuple(Change(path, Entry(Mode.REGULAR, "e" * 40), None) for path in paths)
        record = Record(1, Path(), Target.INDEX, gone)
        others = frozenset(f"doc/{at}" for at in range(count))
        begun = time.process_time()
        applied = recorded_sections(patch, record, Snapshot({}, others), Plan())
        assert len(applied) == count
        return time.process_time() - begun

    took(10)
    assert took(8000) < 8 * max(took(2000), 0.02)


def test_a_record_of_another_patch_that_is_damaged_stops_nothing(base: Sandbox) -> None:
    assert base.opatch("apply", feed=envelope(_DELETE)).status == 0
    (base.path / ".git/opatch/journal/1.json").write_bytes(b"{")
    assert base.opatch("apply", feed=envelope(_PLAIN)).status == 0
    assert base.index()["one"][1] == b"a\nB\nc\n"


def _unified(path: str, *lines: str) -> bytes:
    removed = "".join(f"-{line}\n" for line in lines)
    header = f"diff --git a/{path} b/{path}\ndeleted file mode 100644\n--- a/{path}\n"
    return f"{header}+++ /dev/null\n@@ -1,{len(lines)} +0,0 @@\n{removed}".encode()


_STALE = b"*** Update File: one\n@@\n a\n-zeta\n+B\n"
_WHOLE = envelope(_PLAIN, _DELETE)


@pytest.mark.parametrize(
    ("flags", "applied", "sent"),
    [
        pytest.param(["--only", "gone"], _WHOLE, _WHOLE, id="a part, then all"),
        pytest.param(["--partial"], envelope(_STALE, _DELETE), _WHOLE, id="a hunk corrected"),
        pytest.param([], _WHOLE, b"Sure:\n" + _WHOLE, id="other prose"),
        pytest.param([], _WHOLE, envelope(_DELETE), id="all, then a part"),
        pytest.param([], envelope(_DELETE), _unified("gone", "x"), id="another format"),
    ],
)
@pytest.mark.parametrize("commit", [False, True], ids=["staged", "committed"])
def test_a_deletion_by_another_text_is_already_applied(
    base: Sandbox, flags: list[str], applied: bytes, sent: bytes, commit: bool
) -> None:
    base.opatch("apply", *flags, feed=applied)
    if commit:
        base.git("commit", "--quiet", "-m", "applied")
    for command in ("apply", "check", "show"):
        ran = base.opatch(command, feed=sent)
        assert "gone: is already applied, as patch 1" in ran.err
        assert "is not in the index" not in ran.err
    ran = base.opatch("apply", "--skip-applied", feed=sent)
    assert (ran.status, "gone: is already applied, as patch 1" in ran.err) == (0, True), ran
    assert "gone" not in base.index()


def test_a_deletion_of_a_part_is_recognized(base: Sandbox) -> None:
    assert base.opatch("apply", feed=_WHOLE).status == 0
    assert "as patch 1" in base.opatch("apply", "--only", "gone", feed=_WHOLE).err


def test_the_same_text_applied_in_part_has_deleted_its_file(base: Sandbox) -> None:
    base.commit({"one": "a\nzeta\nc\n"})
    assert base.opatch("apply", "--partial", feed=_WHOLE).status == 1
    base.write("one", "a\nb\nc\n")
    base.git("add", "one")
    assert base.opatch("apply", "--skip-applied", feed=_WHOLE).status == 0
    assert base.index()["one"][1] == b"a\nB\nc\n"


def test_a_deletion_that_was_staged_by_hand_is_already_applied(base: Sandbox) -> None:
    assert base.opatch("apply", "--worktree", feed=_WHOLE).status == 0
    base.git("add", "--all")
    assert "gone: is already applied, as patch 1" in base.opatch("apply", feed=_WHOLE).err


def test_the_failures_are_in_the_order_of_the_patch(base: Sandbox) -> None:
    assert base.opatch("apply", feed=_WHOLE).status == 0
    err = base.opatch("apply", feed=b"Sure:\n" + _WHOLE).err
    assert err.index("error: one:") < err.index("error: gone:")


def test_a_deletion_by_hand_is_not_already_applied(base: Sandbox) -> None:
    assert base.opatch("apply", feed=envelope(_PLAIN)).status == 0
    base.git("rm", "--quiet", "gone")
    ran = base.opatch("apply", "--skip-applied", feed=_WHOLE)
    assert (ran.status, "gone: is not in the index" in ran.err) == (1, True)


def test_a_deletion_that_was_undone_is_not_already_applied(base: Sandbox) -> None:
    assert base.opatch("apply", feed=envelope(_DELETE)).status == 0
    assert base.opatch("undo").status == 0
    base.git("rm", "--quiet", "gone")
    ran = base.opatch("apply", "--skip-applied", feed=_WHOLE)
    assert (ran.status, "gone: is not in the index" in ran.err) == (1, True)


@pytest.mark.parametrize("by_hand", [True, False], ids=["by hand", "by a patch"])
def test_a_file_created_since_its_deletion_is_not_already_deleted(
    base: Sandbox, by_hand: bool
) -> None:
    assert base.opatch("apply", feed=envelope(_DELETE)).status == 0
    base.git("commit", "--quiet", "-m", "deleted")
    if by_hand:
        base.commit({"gone": "new\n"})
    else:
        assert base.opatch("apply", feed=envelope(b"*** Add File: gone\n+x\n")).status == 0
    base.git("rm", "--quiet", "--force", "gone")
    ran = base.opatch("apply", "--skip-applied", feed=_WHOLE)
    assert (ran.status, "gone: is not in the index" in ran.err) == (1, True)


def test_other_lines_than_those_that_were_deleted_are_not_already_deleted(base: Sandbox) -> None:
    assert base.opatch("apply", feed=envelope(_DELETE)).status == 0
    ran = base.opatch("apply", "--skip-applied", feed=_unified("gone", "x", "y"))
    assert (ran.status, "gone: is not in the index" in ran.err) == (1, True)


def test_a_file_that_was_moved_is_not_already_deleted(base: Sandbox) -> None:
    assert base.opatch("apply", feed=envelope(_MOVE)).status == 0
    ran = base.opatch("apply", "--skip-applied", feed=envelope(b"*** Delete File: from\n"))
    assert (ran.status, "from: is not in the index" in ran.err) == (1, True)


def test_a_file_that_is_there_again_untracked_is_not_already_deleted(base: Sandbox) -> None:
    assert base.opatch("apply", feed=envelope(_DELETE)).status == 0
    base.write("gone", "new\n")
    ran = base.opatch("apply", "--skip-applied", feed=_WHOLE)
    assert (ran.status, "gone: is not tracked by git" in ran.err) == (1, True)


def test_a_damaged_diff_says_nothing_of_a_deletion(base: Sandbox) -> None:
    assert base.opatch("apply", feed=envelope(_DELETE)).status == 0
    (base.path / ".git/opatch/journal/1.diff").write_bytes(b"")
    ran = base.opatch("apply", "--skip-applied", feed=_WHOLE)
    assert (ran.status, "gone: is not in the index" in ran.err) == (1, True)


def test_a_file_that_is_not_what_was_deleted_in_the_index_is_untracked(base: Sandbox) -> None:
    assert base.opatch("apply", "--cached", feed=envelope(_DELETE)).status == 0
    base.write("gone", "new\n")
    ran = base.opatch("apply", feed=envelope(_DELETE))
    assert (ran.status, "`git add` it first" in ran.err) == (1, True)
    assert "in the index only" not in ran.err


def test_a_file_that_was_deleted_in_both_places_and_created_again_is_untracked(
    base: Sandbox,
) -> None:
    assert base.opatch("apply", feed=envelope(_DELETE)).status == 0
    base.write("gone", "x\n")
    ran = base.opatch("apply", feed=_WHOLE)
    assert (ran.status, "`git add` it first" in ran.err) == (1, True)
    assert "in the index only" not in ran.err


_REPLACE = b"*** Add File: gone\n+new\n"


def test_a_file_that_is_replaced_is_named_once(base: Sandbox) -> None:
    patch = envelope(_DELETE, _REPLACE)
    assert base.opatch("apply", feed=patch).status == 0
    said = "gone: is already applied, as patch 1"
    ran = base.opatch("apply", feed=patch)
    assert (ran.status, ran.err.count(said)) == (1, 1)
    assert base.opatch("apply", "--skip-applied", feed=patch).err.count(said) == 1
    assert base.opatch("apply", "--partial", feed=patch).err.count(said) == 1
    assert len(json.loads(base.opatch("apply", "--json", feed=patch).out)["failures"]) == 2


def test_two_files_that_are_replaced_are_both_named(base: Sandbox) -> None:
    other = b"*** Delete File: from\n*** Add File: from\n+new\n"
    patch = envelope(_DELETE, _REPLACE, other)
    assert base.opatch("apply", feed=patch).status == 0
    ran = base.opatch("apply", feed=patch)
    assert ran.err.count(": is already applied, as patch 1") == 2


def test_sections_that_a_program_made_are_told_apart(base: Sandbox) -> None:
    hunk = Hunk((Line(Prefix.REMOVED, b"b"), Line(Prefix.ADDED, b"B")))
    update = FilePatch(Operation.UPDATE, "one", "one", (hunk,))
    delete = FilePatch(Operation.DELETE, "gone", None, has_content=False)
    repository = Repository(base.path)
    assert apply_patch(Patch((delete,)), repository, Options()).record == 1
    plan = apply_patch(Patch((update, delete)), repository, Options(skip_applied=True))
    assert [change.path for change in plan.completed.changes] == ["one"]
    assert [failure.path for failure in plan.skipped] == ["gone"]


def test_nothing_is_skipped_of_sections_that_cannot_be_told_apart(base: Sandbox) -> None:
    hunk = Hunk((Line(Prefix.ADDED, b"new"),))
    delete = FilePatch(Operation.DELETE, "gone", None, has_content=False)
    add = FilePatch(Operation.ADD, None, "gone", (hunk,))
    repository = Repository(base.path)
    assert apply_patch(Patch((delete,)), repository, Options()).record == 1
    with pytest.raises(Refused):
        apply_patch(Patch((delete, add)), repository, Options(skip_applied=True))


def test_a_file_that_was_deleted_is_added_after_its_deletion(base: Sandbox) -> None:
    assert base.opatch("apply", feed=envelope(_DELETE)).status == 0
    ran = base.opatch("apply", "--skip-applied", feed=envelope(_DELETE, _REPLACE))
    assert (ran.status, "gone: is already applied, as patch 1" in ran.err) == (0, True)
    assert base.index()["gone"][1] == b"new\n"
