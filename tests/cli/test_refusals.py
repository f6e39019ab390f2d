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


@pytest.mark.parametrize("noise", [b"x", b"\n", b"@@ \n", b"-\n", b"*** \n", b"\0"])
@pytest.mark.parametrize("size", [500_000, pytest.param(50_000_000, marks=pytest.mark.exhaustive)])
def test_megabytes_of_noise_are_refused(base: Sandbox, noise: bytes, size: int) -> None:
    """The time grows with the size, the message does not."""
    ran = base.opatch("apply", feed=noise * (size // len(noise)))
    assert ran.status == 128
    assert 0 < len(ran.err) < 5000
