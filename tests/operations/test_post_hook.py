"""The `post-opatch` hook: when it runs, and which paths it receives."""

from __future__ import annotations

from pathlib import Path

import pytest
from sandbox import Sandbox
from writers import envelope

_TOP = Path(__file__).parents[2]
_PATCH = envelope(
    b"*** Update File: f\n@@\n-a\n+b\n",
    b"*** Update File: old\n*** Move to: sub/new name\n@@\n-o\n+n\n",
)
_TOLD = b"f\0old\0sub/new name\0"
_RECORDS = '#!/bin/sh\ncat >"$GIT_DIR/told"\npwd -P >"$GIT_DIR/where"\n'


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "a\n", "old": "o\n", "sub/x": "x\n"})
    return repo


def _hook(repo: Sandbox, text: str = _RECORDS, directory: str = ".git/hooks") -> Path:
    hook = repo.write(f"{directory}/post-opatch", text)
    hook.chmod(0o755)
    return hook


def _reported(repo: Sandbox) -> bytes | None:
    """Return the paths that the hook received, sorted; None if it has not run since."""
    file = repo.path / ".git/told"
    if not file.exists():
        return None
    data = file.read_bytes()
    file.unlink()
    return b"".join(name + b"\0" for name in sorted(data.split(b"\0")[:-1]))


def test_it_receives_the_changed_paths(base: Sandbox) -> None:
    _hook(base)
    for words, feed in (
        (("apply",), _PATCH),
        (("undo",), b""),
        (("apply", "--cached"), _PATCH),
        (("apply", "--cached", "-R"), _PATCH),
        (("apply", "--worktree"), _PATCH),
        (("apply", "--worktree", "-R"), _PATCH),
        (("apply", "--json"), _PATCH),
    ):
        ran = base.opatch(*words, feed=feed, cwd=base.path / "sub")
        assert (ran.status, ran.err) == (0, ""), words
        assert _reported(base) == _TOLD, words
        assert base.read(".git/where").decode().strip() == str(base.path.resolve())


def test_it_is_not_run_if_nothing_was_changed(base: Sandbox) -> None:
    _hook(base)
    stale = envelope(b"*** Update File: f\n@@\n-no\n+b\n")
    for words, feed, status in (
        (("apply", "--check"), _PATCH, 0),
        (("apply",), stale, 1),
        (("check",), _PATCH, 0),
        (("convert",), _PATCH, 0),
        (("show",), _PATCH, 0),
    ):
        assert base.opatch(*words, feed=feed).status == status
        assert _reported(base) is None, words
    assert base.opatch("apply", feed=_PATCH).status == 0
    assert _reported(base) == _TOLD
    assert (
        base.opatch("apply", "--skip-applied", feed=envelope(b"*** Add File: f\n+b\n")).status == 0
    )
    assert _reported(base) is None


def test_it_is_found_as_git_finds_hooks(base: Sandbox) -> None:
    base.git("config", "core.hooksPath", ".githooks")
    _hook(base, directory=".githooks")
    assert base.opatch("apply", feed=_PATCH, cwd=base.path / "sub").status == 0
    assert _reported(base) == _TOLD
    base.git("config", "core.hooksPath", "/dev/null")
    assert base.opatch("undo").status == 0
    assert _reported(base) is None


def test_it_runs_in_a_linked_working_tree(base: Sandbox, tmp_path: Path) -> None:
    base.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    where = "#!/bin/sh\ngit rev-parse --show-toplevel\ngit status --short\n"
    _hook(base, where)
    ran = Sandbox(tmp_path / "linked").opatch("apply", feed=_PATCH)
    assert ran.out.startswith(b"2 files changed: ")
    assert ran.err.splitlines()[0] == str((tmp_path / "linked").resolve())
    assert "M  f" in ran.err.splitlines()


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("text", "note"),
    [
        (
            "#!/bin/sh\nexit 3\n",
            "the post-opatch hook failed (status 3); the files are changed all the same",
        ),
        (
            "#!/bin/sh\nkill -INT $PPID\nsleep 1\n",
            "the post-opatch hook was interrupted; the files are changed all the same",
        ),
        ("#!/nosuch\n", "the post-opatch hook cannot be run: No such file or directory"),
        (
            "#!/bin/sh\nkill -9 $$\n",
            "the post-opatch hook failed (status -9); the files are changed all the same",
        ),
    ],
)
def test_its_failure_is_only_a_note(base: Sandbox, text: str, note: str) -> None:
    _hook(base, text)
    ran = base.program("git", "opatch", "apply", feed=_PATCH)  # the hook may kill it
    assert (ran.status, ran.err) == (0, f"note: {note}\n")
    assert base.git("diff", "--cached", "--name-only", "--no-renames").count(b"\n") == 3
    assert base.program("git", "opatch", "undo", "-q").status == 0


def test_it_need_not_read(base: Sandbox) -> None:
    _hook(base, "#!/bin/sh\nexec <&-\n")
    many = envelope(*(b"*** Add File: many/%04d-%s\n+x\n" % (n, b"x" * 100) for n in range(1000)))
    ran = base.opatch("apply", feed=many)
    assert (ran.status, ran.err) == (0, "")


def test_it_must_be_executable(base: Sandbox) -> None:
    _hook(base).chmod(0o644)
    ran = base.opatch("apply", feed=_PATCH)
    assert ran.err == "note: the post-opatch hook was ignored: it is not executable\n"
    assert _reported(base) is None


def test_its_output_goes_to_standard_error(base: Sandbox) -> None:
    _hook(base, "#!/bin/sh\necho out; echo err >&2\n")
    ran = base.opatch("apply", feed=_PATCH)
    assert ran.out.startswith(b"2 files changed: ")
    assert ran.err == "out\nerr\n"


def test_it_can_use_the_repository(base: Sandbox) -> None:
    """Release all locks, of git and of git opatch, before the hook runs."""
    _hook(base, "#!/bin/sh\ngit add -A && git commit --quiet -m applied && git opatch log -n 1\n")
    ran = base.opatch("apply", feed=_PATCH)
    assert (ran.status, "note:" in ran.err) == (0, False)
    assert ran.err.startswith("1  ")
    assert base.git("log", "-1", "--format=%s") == b"applied\n"


def test_the_documented_example_works(base: Sandbox) -> None:
    _hook(base, (_TOP / "hooks/post-opatch").read_text())
    assert base.opatch("apply", feed=_PATCH).status == 0
    assert sorted(base.read(".git/changed-by-opatch").split(b"\0")[:-1]) == [
        b"f",
        b"old",
        b"sub/new name",
    ]


def test_it_receives_paths_whose_commit_was_refused(base: Sandbox) -> None:
    _hook(base, _RECORDS + "exit 3\n")
    base.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n").chmod(0o755)
    ran = base.opatch("apply", "--commit", "-m", "x", feed=_PATCH)
    assert ran.status == 1
    assert "the change stays staged" in ran.err
    assert "note: the post-opatch hook failed (status 3)" in ran.err
    assert _reported(base) == _TOLD
