"""A patch cannot bring a program that runs: hooks that it changes, filters that it switches on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sandbox import Sandbox
from test_commit_series import mail
from writers import envelope

_UPDATE = b"*** Update File: f\n@@\n-a\n+b\n"


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.git("config", "core.hooksPath", ".githooks")
    repo.commit({"f": "a\n", "scripts/run": "#!/bin/sh\n"})
    return repo


def _hook(repo: Sandbox, name: str, text: str = "#!/bin/sh\ntouch .git/ran\n") -> None:
    repo.write(f".githooks/{name}", text).chmod(0o755)
    repo.git("add", ".githooks")
    repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "hook")


def _ran(repo: Sandbox) -> bool:
    file = repo.path / ".git/ran"
    found = file.exists()
    file.unlink(missing_ok=True)
    return found


def _added(name: str) -> bytes:
    """A diff that adds an executable file."""
    return (
        f"diff --git a/{name} b/{name}\nnew file mode 100755\n--- /dev/null\n+++ b/{name}\n"
        "@@ -0,0 +1,2 @@\n+#!/bin/sh\n+touch .git/ran\n"
    ).encode()


@pytest.mark.parametrize("target", ["--index", "--worktree"])
def test_a_post_hook_that_the_patch_adds_is_not_run(base: Sandbox, target: str) -> None:
    ran = base.opatch("apply", target, feed=_added(".githooks/post-opatch"))
    assert ran.status == 0
    assert not _ran(base)
    assert "note: the post-opatch hook was not run, because the patch changes hooks" in ran.err


@pytest.mark.parametrize("name", [".githooks/post-opatch", ".githooks/lib/common"])
def test_a_post_hook_that_the_patch_changes_is_not_run(base: Sandbox, name: str) -> None:
    _hook(base, "lib/common")
    _hook(base, "post-opatch")
    patch = envelope(f"*** Update File: {name}\n@@\n-touch .git/ran\n+touch .git/ran 2\n".encode())
    ran = base.opatch("apply", feed=patch)
    assert ran.status == 0
    assert not _ran(base)
    assert "the post-opatch hook was not run" in ran.err


def test_a_hook_that_is_a_link_to_a_changed_file_is_not_run(base: Sandbox) -> None:
    base.git("config", "--unset", "core.hooksPath")
    (base.path / "scripts/run").chmod(0o755)
    base.git("add", "scripts/run")
    base.git("commit", "-q", "-m", "mode")
    (base.path / ".git/hooks/post-opatch").symlink_to("../../scripts/run")
    patch = envelope(b"*** Update File: scripts/run\n@@\n #!/bin/sh\n+touch .git/ran\n")
    ran = base.opatch("apply", feed=patch)
    assert ran.status == 0
    assert not _ran(base)
    assert "the post-opatch hook was not run" in ran.err


def test_hooks_that_the_patch_leaves_alone_are_run(base: Sandbox) -> None:
    _hook(base, "post-opatch")
    ran = base.opatch("apply", feed=envelope(_UPDATE))
    assert (ran.status, ran.err, _ran(base)) == (0, "", True)
    _hook(base, "pre-commit")
    (base.path / ".githooks/post-opatch").unlink()
    base.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-a", "-m", "y")
    patch = envelope(b"*** Update File: f\n@@\n-b\n+c\n")
    ran = base.opatch("apply", "--commit", "-m", "c", feed=patch)
    assert (ran.status, ran.err, _ran(base)) == (0, "", True)


@pytest.mark.parametrize("name", ["pre-commit", "commit-msg", "post-commit", "post-index-change"])
def test_a_hook_of_git_commit_that_the_patch_adds_is_not_run(base: Sandbox, name: str) -> None:
    ran = base.opatch("apply", "--commit", "-m", "x", feed=_added(f".githooks/{name}"))
    assert ran.status == 0
    assert not _ran(base)
    assert "note: git commit ran no hooks, because the patch changes hooks" in ran.err
    assert base.git("log", "-1", "--format=%s") == b"x\n"


def test_a_hook_that_an_earlier_mail_adds_is_not_run(base: Sandbox) -> None:
    update = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@\n-a\n+b\n"
    mails = mail("One", _added(".githooks/pre-commit").decode()) + mail("Two", update)
    ran = base.opatch("apply", "--commit", feed=mails.encode())
    assert ran.status == 0, ran.err
    assert not _ran(base)
    assert "git commit ran no hooks" in ran.err
    assert base.git("log", "-2", "--format=%s") == b"Two\nOne\n"


@pytest.mark.parametrize("target", ["--index", "--worktree"])
@pytest.mark.parametrize("key", ["smudge", "clean", "process"])
def test_a_filter_that_the_patch_switches_on_is_not_run(
    base: Sandbox, tmp_path: Path, key: str, target: str
) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {base.path}/.git/ran\nexec cat\n")
    program.chmod(0o755)
    base.git("config", f"filter.evil.{key}", str(program))
    base.git("config", "filter.evil.required", "true")
    patch = envelope(b"*** Add File: .gitattributes\n+f filter=evil\n+g filter=evil\n", _UPDATE,
                     b"*** Add File: g\n+g\n")  # fmt: skip
    ran = base.opatch("apply", target, feed=patch)
    assert ran.status == 0, ran.err
    assert not _ran(base)
    assert base.read("f") == b"b\n"
    assert base.read("g") == b"g\n"
    assert "f: its filter `evil` was not run" in ran.err


def test_a_filter_that_was_on_before_is_run(base: Sandbox) -> None:
    base.git("config", "filter.up.smudge", "tr a-z A-Z")
    base.git("config", "filter.up.clean", "tr A-Z a-z")
    base.commit({".gitattributes": "f filter=up\n", "f": "A\n"})
    update = _UPDATE.replace(b"-a\n+b\n", b"-A\n+B\n")
    patch = envelope(
        b"*** Add File: d/.gitattributes\n+g filter=up\n", update, b"*** Add File: d/g\n+g\n"
    )
    ran = base.opatch("apply", feed=patch)
    assert ran.status == 0, ran.err
    assert (base.read("f"), base.index()["f"][1]) == (b"B\n", b"b\n")
    assert base.read("d/g") == b"g\n"
    assert ran.err == (
        "note: d/g: its filter `up` was not run, because the patch itself switches it on\n"
    )


@pytest.mark.parametrize("target", ["--index", "--cached", "--worktree"])
def test_a_filter_that_the_patch_switches_on_is_not_run_to_compare(
    base: Sandbox, target: str
) -> None:
    """Git compares files that are not older than the index, by the new index's attributes."""
    for path in (base.write("other", "o\n"), base.path / "f"):
        os.utime(path, (2_000_000_000, 2_000_000_000))
    base.git("add", "other", "f")
    base.git("commit", "-q", "-m", "other")
    base.git("config", "filter.x.clean", "touch .git/ran; cat")
    patch = envelope(b"*** Add File: .gitattributes\n+* filter=x\n", _UPDATE)
    assert base.opatch("apply", target, feed=patch).status == 0
    assert not _ran(base)
    base.git("config", "filter.x.clean", "")
    assert base.git("diff", "--name-only", "other") == b""
