"""Bad input: a clear message on standard error, the right status, and nothing changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from phrases import said
from sandbox import Sandbox
from writers import envelope

from git_opatch.model.sentences import Fault

_FILES: dict[str, bytes | str] = {
    "a.txt": "one\ntwo\nthree\n",
    "twice.txt": "x\ny\nz\nx\ny\n",
    "dir/inner.txt": "inner\n",
    "data.bin": b"\0\1\2",
    "run.sh": "#!/bin/sh\n",
}
_MISSING = f"no.txt: {said(Fault.MISSING_FILE.sentence, base='the index')}"
_IS_DIRECTORY = f"dir: {Fault.DIRECTORY.sentence}"


def _update(path: str, old: str = "two", new: str = "2") -> bytes:
    return f"*** Update File: {path}\n@@\n-{old}\n+{new}\n".encode()


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit(_FILES)
    (repo.path / "link").symlink_to("a.txt")
    (repo.path / "linked").symlink_to("dir")
    (repo.path / "outside").symlink_to("/tmp")
    repo.commit()
    return repo


def _refused(
    repo: Sandbox, patch: bytes, status: int, *messages: str, options: tuple[str, ...] = ()
) -> str:
    before = repo.state()
    for check in ((), ("--check",)):
        ran = repo.opatch("apply", *check, *options, feed=patch)
        assert (ran.status, ran.out) == (status, b""), ran
        for text in messages:
            assert text in ran.err, ran.err
    assert repo.state() == before
    repo.fsck()
    return ran.err


def test_submodules_and_nested_repositories_are_refused(base: Sandbox, tmp_path: Path) -> None:
    inner = Sandbox(tmp_path / "inner").init()
    inner.commit({"f": "f\n"})
    base.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "--quiet", str(inner.path), "sub"
    )
    base.git("commit", "--quiet", "-m", "sub")
    nested = Sandbox(base.path / "nested").init()
    nested.write("f", "f\n")
    for patch in (
        _update("sub/f", "f"),
        b"*** Add File: sub/new\n+x\n",
        b"*** Delete File: sub/f\n",
    ):
        _refused(base, envelope(patch), 1, said(Fault.OTHER_REPOSITORY.sentence, parent="sub"))
    _refused(
        base,
        envelope(b"*** Add File: nested/new\n+x\n"),
        1,
        said(Fault.OTHER_REPOSITORY.sentence, parent="nested"),
    )
    _refused(base, envelope(b"*** Delete File: sub\n"), 1, f"sub: {Fault.SUBMODULE.sentence}")
    _refused(
        base,
        envelope(b"*** Add File: sub/new\n+x\n"),
        1,
        "`sub` is a submodule",
        options=("--cached",),
    )
    assert nested.files() == {"f": ("100644", b"f\n")}


def test_unstaged_changes_are_refused(base: Sandbox) -> None:
    base.write("a.txt", "one\ntwo\nthree\nfour\n")
    _refused(base, envelope(_update("a.txt")), 1, f"a.txt: {Fault.UNSTAGED.sentence}", "`--carry`")
    ran = base.opatch("apply", "--worktree", feed=envelope(_update("a.txt")))
    assert ran.status == 0
    assert base.read("a.txt") == b"one\n2\nthree\nfour\n"
    assert base.index()["a.txt"][1] == b"one\ntwo\nthree\n"


@pytest.mark.parametrize("words", [["--commit", "-m", "x"], ["--json"]])
def test_nothing_is_replaced_for_a_commit_or_by_a_program(base: Sandbox, words: list[str]) -> None:
    base.write("other", "mine\n")
    ran = base.opatch("apply", *words, feed=envelope(b"*** Add File: other\n+x\n"))
    assert ran.status == 1
    assert Fault.IN_THE_WAY.advice in ran.err + ran.out.decode()
    assert "git add" not in ran.err + ran.out.decode()


def test_a_link_is_named_where_its_lines_are_not_found(base: Sandbox) -> None:
    for name, target in (("dir/link", "../a.txt"), ("away", "/etc/hosts")):
        (base.path / name).symlink_to(target)
    base.commit()
    for flag in ("--index", "--cached", "--worktree"):
        patch = envelope(_update("dir/link"))
        _refused(
            base,
            patch,
            1,
            f"dir/link: {Fault.APPEND_TO_LINK.sentence} to `../a.txt`",
            options=(flag,),
        )
    retarget = envelope(b"*** Update File: dir/link\n@@\n-../a.txt\n+../twice.txt\n")
    assert base.opatch("apply", "--check", feed=retarget).status == 0


def test_outside_a_repository_is_an_error(tmp_path: Path) -> None:
    ran = Sandbox(tmp_path).opatch("apply", feed=envelope(_update("a.txt")))
    assert (ran.status, ran.out) == (128, b"")
    assert "error: not a git repository" in ran.err
    assert "`git opatch apply-patch`" in ran.err
    (tmp_path / "a.txt").write_text("one\n")
    assert (
        Sandbox(tmp_path).opatch("apply-patch", feed=envelope(_update("a.txt", "one"))).status == 0
    )
    (tmp_path / ".git").write_text("gitdir: nowhere\n")
    assert "apply-patch" not in Sandbox(tmp_path).opatch("apply", feed=b"").err


def test_a_bare_repository_is_an_error(tmp_path: Path) -> None:
    bare = Sandbox(tmp_path / "bare").init("--bare")
    ran = bare.opatch("apply", feed=envelope(b"*** Add File: a\n+a\n"))
    assert ran.status == 128
    assert "this needs a working tree" in ran.err


def test_unreadable_patch_files_are_errors(base: Sandbox) -> None:
    for name, why in (("no-such-file", "No such file"), ("dir", "Is a directory")):
        ran = base.opatch("apply", name)
        assert ran.status == 128
        assert f"error: cannot read patch `{name}`: {why}" in ran.err


def test_a_locked_index_is_an_error(base: Sandbox) -> None:
    lock = base.write(".git/index.lock", "")
    before = base.state()
    ran = base.opatch("apply", feed=envelope(_update("a.txt")))
    assert ran.status == 128
    assert "error: the index is locked" in ran.err
    assert str(lock) in ran.err
    assert lock.exists()
    assert base.state() == before
    lock.unlink()
    assert base.opatch("apply", feed=envelope(_update("a.txt"))).status == 0


@pytest.mark.parametrize("noise", [b"x", b"\n", b"@@ \n", b"-\n", b"*** \n", b"\0"])
@pytest.mark.parametrize("size", [500_000, pytest.param(50_000_000, marks=pytest.mark.exhaustive)])
def test_megabytes_of_noise_are_refused(base: Sandbox, noise: bytes, size: int) -> None:
    """The time grows with the size, the message does not."""
    ran = base.opatch("apply", feed=noise * (size // len(noise)))
    assert ran.status == 128
    assert 0 < len(ran.err) < 5000


def test_a_move_onto_a_file_is_to_name_another_path(base: Sandbox) -> None:
    patch = envelope(b"*** Update File: a.txt\n*** Move to: dir/inner.txt\n@@\n-two\n+2\n")
    advice = f"  {Fault.TARGET_EXISTS.advice}\n"
    _refused(base, patch, 1, f"error: dir/inner.txt: {Fault.FILE_EXISTS.sentence}\n", advice)


@pytest.mark.parametrize(
    "change", [b"Binary files a/b.bin and b/b.bin differ\n", b"GIT binary patch\ndelta 1\n"]
)
def test_the_rest_of_a_patch_with_a_binary_change_is_applied(base: Sandbox, change: bytes) -> None:
    patch = b"diff --git a/b.bin b/b.bin\nindex 1..2 100644\n" + change
    patch += b"diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@\n-two\n+2\n"
    message = f"error: b.bin: {Fault.BINARY_CHANGE.sentence}"
    _refused(base, patch, 1, message, "`--except`")
    for option, status in (("--except=b.bin", 0), ("--partial", 1)):
        assert base.opatch("apply", option, feed=patch).status == status
        assert base.index()["a.txt"][1] == b"one\n2\nthree\n"
        assert base.opatch("undo").status == 0
