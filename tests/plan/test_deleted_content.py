"""`-R` of a `*** Delete File`: the content comes from the record that deleted the file."""

from __future__ import annotations

import pytest
from sandbox import Sandbox
from writers import envelope

_PATCH = envelope(b"*** Update File: one\n@@\n a\n-b\n+B\n", b"*** Delete File: gone\n")
_LACKS = "gone: the patch does not have the content of the deleted file"


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"gone": "x\n", "one": "a\nb\nc\n"})
    return repo


def _apply_in_parts(base: Sandbox, *flags: str) -> None:
    for flag in ("--only", "--except"):
        commit = ["-m", flag[2:]] if "--commit" in flags else []
        ran = base.opatch("apply", *flags, *commit, flag, "gone", feed=_PATCH)
        assert ran.status == 0, ran


@pytest.mark.parametrize("flags", [[], ["--commit"]], ids=["staged", "committed"])
def test_the_content_is_in_the_record_of_a_part(base: Sandbox, flags: list[str]) -> None:
    _apply_in_parts(base, *flags)
    ran = base.opatch("apply", "-R", feed=_PATCH)
    note = "note: gone: content taken from entry 1 of `git opatch log --all`\n"
    assert (ran.status, ran.err) == (0, note)
    assert base.index()["gone"][1] == base.read("gone") == b"x\n"


def test_the_content_is_in_the_record_of_other_prose(base: Sandbox) -> None:
    assert base.opatch("apply", "--commit", "-m", "all", feed=_PATCH).status == 0
    ran = base.opatch("apply", "-R", feed=b"Sure:\n" + _PATCH)
    assert (ran.status, "content taken from entry 1" in ran.err) == (0, True), ran
    assert base.read("gone") == b"x\n"


def test_what_was_deleted_is_restored_rather_than_what_head_has(base: Sandbox) -> None:
    base.write("gone", "x\nstaged\n")
    base.git("add", "gone")
    _apply_in_parts(base)
    assert base.opatch("apply", "-R", feed=_PATCH).status == 0
    assert base.read("gone") == b"x\nstaged\n"


def test_the_newest_deletion_counts(base: Sandbox) -> None:
    _apply_in_parts(base, "--commit")
    base.commit({"gone": "newer\n"})
    assert (
        base.opatch("apply", "--commit", "-m", "again", "--only", "gone", feed=_PATCH).status == 0
    )
    assert base.opatch("apply", "-R", feed=_PATCH).status == 0
    assert base.read("gone") == b"newer\n"


@pytest.mark.parametrize("commit", [False, True], ids=["staged", "committed"])
def test_a_deletion_by_hand_is_newer_than_the_record(base: Sandbox, commit: bool) -> None:
    _apply_in_parts(base, "--commit")
    base.commit({"gone": "newer\n"})
    base.git("rm", "--quiet", "gone")
    if commit:
        base.git("commit", "--quiet", "-m", "by hand")
    ran = base.opatch("apply", "-R", feed=_PATCH)
    if commit:
        assert (ran.status, _LACKS in ran.err) == (1, True)
    else:
        assert (ran.status, "gone: content taken from HEAD" in ran.err) == (0, True)
        assert base.read("gone") == b"newer\n"


def test_a_deletion_that_was_undone_does_not_count(base: Sandbox) -> None:
    _apply_in_parts(base)
    assert base.opatch("undo", "1").status == 0
    base.git("rm", "--quiet", "gone")
    base.git("commit", "--quiet", "-m", "by hand")
    ran = base.opatch("apply", "-R", feed=_PATCH)
    assert (ran.status, _LACKS in ran.err) == (1, True)


@pytest.mark.parametrize("absent", [False, True], ids=["there", "deleted by hand"])
@pytest.mark.parametrize("flags", [[], ["--overwrite"]], ids=" ".join)
def test_the_source_is_named_only_of_what_is_restored(
    base: Sandbox, flags: list[str], absent: bool
) -> None:
    if absent:
        base.git("rm", "--quiet", "gone")
    ran = base.opatch("apply", "-R", "--skip-applied", *flags, feed=_PATCH)
    assert ran.status == 0, ran
    assert ("content taken from HEAD" in ran.err) is absent
    assert (b"nothing to do" in ran.out) is not absent
