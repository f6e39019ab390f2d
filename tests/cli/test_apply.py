"""`git opatch apply`: where a patch goes, from wherever it is called."""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from phrases import opening
from sandbox import Sandbox
from writers import envelope

from git_opatch.model.sentences import Fault, Malformed

_BASE = {"src/a.py": "one\ntwo\nthree\n", "b.txt": "b\n", "old/c.txt": "c\n"}
_PATCH = envelope(
    b"*** Update File: src/a.py\n@@\n one\n-two\n+2\n",
    b"*** Delete File: b.txt\n",
    b"*** Update File: old/c.txt\n*** Move to: new/c.txt\n",
    b"*** Add File: d/e.txt\n+e\n",
)
_AFTER = {
    "src/a.py": ("100644", b"one\n2\nthree\n"),
    "new/c.txt": ("100644", b"c\n"),
    "d/e.txt": ("100644", b"e\n"),
}


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit(_BASE)
    return repo


def test_a_check_writes_nothing(base: Sandbox) -> None:
    index = base.path / ".git/index"
    for flags in ((), ("--cached",), ("--worktree",)):
        os.utime(base.path / "src/a.py")  # looks changed, but is not
        before = base.state(), index.read_bytes(), sorted(os.listdir(base.path / ".git"))
        for check in ("--check", "--dry-run"):
            ran = base.opatch("apply", check, *flags, feed=_PATCH)
            assert (ran.status, ran.err) == (0, "")
            assert ran.out.startswith(b"would apply")
        assert (base.state(), index.read_bytes(), sorted(os.listdir(base.path / ".git"))) == before


def test_a_file_that_only_looks_changed_is_patched(base: Sandbox) -> None:
    os.utime(base.path / "src/a.py", (1, 1))
    assert base.opatch("apply", feed=_PATCH).status == 0
    assert base.index() == base.files() == _AFTER


def test_quiet_and_verbose_change_the_output(base: Sandbox) -> None:
    ran = base.opatch("apply", "-q", feed=_PATCH)
    assert (ran.status, ran.out, ran.err) == (0, b"", "")
    ran = base.opatch("apply", "-q", feed=_PATCH)
    assert ran.status == 1
    assert ran.err
    base.git("reset", "--quiet", "--hard")
    ran = base.opatch("apply", "-v", feed=_PATCH)
    assert re.sub(r"\[[0-9a-f]{4}\] ", "", ran.out.decode()).splitlines()[:-1] == [
        "M src/a.py (+1 -1)",
        "  hunk 1 of 1: line 1, strict (unique)",
        "D b.txt (+0 -1)",
        f"  {opening(Malformed.INDENTED.sentence)} file",
        "R old/c.txt => new/c.txt (+0 -0)",
        f"  {opening(Malformed.INDENTED.sentence)} file",
        "A d/e.txt (+1 -0)",
        f"  {opening(Malformed.INDENTED.sentence)} file",
    ]


def _in_subdirectory(base: Sandbox, _: Path) -> tuple[Sandbox, dict[str, object]]:
    return base, {"cwd": base.path / "src"}


def _in_linked_worktree(base: Sandbox, tmp_path: Path) -> tuple[Sandbox, dict[str, object]]:
    base.git("worktree", "add", "--quiet", "../linked")
    return Sandbox(tmp_path / "linked"), {}


def _with_git_dir(base: Sandbox, tmp_path: Path) -> tuple[Sandbox, dict[str, object]]:
    env = {"GIT_DIR": str(base.path / ".git"), "GIT_WORK_TREE": str(base.path)}
    return base, {"cwd": tmp_path, "env": env}


def _with_relative_git_dir(base: Sandbox, _: Path) -> tuple[Sandbox, dict[str, object]]:
    env = {"GIT_DIR": "../.git", "GIT_WORK_TREE": ".."}
    return base, {"cwd": base.path / "src", "env": env}


@pytest.mark.parametrize(
    "prepare", [_in_subdirectory, _in_linked_worktree, _with_git_dir, _with_relative_git_dir]
)
def test_the_result_is_the_same_from_everywhere(
    base: Sandbox,
    tmp_path: Path,
    prepare: Callable[[Sandbox, Path], tuple[Sandbox, dict[str, object]]],
) -> None:
    where, options = prepare(base, tmp_path)
    before = where.index()
    ran = where.opatch("apply", feed=_PATCH, **options)  # type: ignore[arg-type]
    assert ran.status == 0, ran.err
    assert where.index() == where.files() == _AFTER
    words = ran.out.decode().strip().partition("Undo: git opatch ")[2].split()
    assert where.opatch(*words, **options).status == 0  # type: ignore[arg-type]
    assert where.index() == where.files() == before


def test_the_directory_of_git_c_is_honoured(base: Sandbox, tmp_path: Path) -> None:
    ran = base.run("git", "-C", str(base.path), "opatch", "apply", feed=_PATCH, cwd=tmp_path)
    assert ran.status == 0
    assert base.index() == base.files() == _AFTER


def test_another_index_is_honoured(base: Sandbox) -> None:
    """As in a hook, the given index is read and written, while the real one stays locked."""
    next_index = base.path / ".git/next-index"
    next_index.write_bytes((base.path / ".git/index").read_bytes())
    base.write(".git/index.lock", "")
    before = base.index()
    env = {"GIT_INDEX_FILE": str(next_index)}
    assert base.opatch("apply", feed=_PATCH, env=env).status == 0
    assert base.index() == before
    listed = base.run("git", "ls-files", env=env).out.decode().split()
    assert listed == sorted(_AFTER)
    assert base.files() == _AFTER


@pytest.mark.parametrize(
    "settings",
    [
        "apply.whitespace=fix core.fileMode=false diff.mnemonicPrefix=true core.quotePath=false",
        "apply.ignoreWhitespace=change diff.noprefix=true color.ui=always core.safecrlf=true",
    ],
)
def test_user_configuration_does_not_change_the_result(base: Sandbox, settings: str) -> None:
    for setting in settings.split():
        base.git("config", *setting.split("="))
    patch = _PATCH + envelope(b"*** Add File: trailing \xc3\xa9\n+blank \n+\t \n+\n")
    ran = base.opatch("apply", feed=patch)
    assert (ran.status, ran.err) == (0, "")
    assert "\x1b" not in ran.out.decode()
    after = {**_AFTER, "trailing é": ("100644", b"blank \n\t \n\n")}
    assert base.index() == base.files() == after


@pytest.mark.parametrize("count", [1, 100, pytest.param(1000, marks=pytest.mark.exhaustive)])
def test_the_number_of_git_processes_is_constant(repo: Sandbox, tmp_path: Path, count: int) -> None:
    repo.commit({f"d{number % 9}/{number}": f"old {number}\n" for number in range(count)})
    patch = envelope(
        *(
            b"*** Update File: d%d/%d\n@@\n-old %d\n+new %d\n"
            % (number % 9, number, number, number)
            for number in range(count)
        )
    )
    trace = tmp_path / "trace"
    traced = {"GIT_TRACE2_EVENT": str(trace)}
    assert repo.program("git", "opatch", "apply", feed=patch, env=traced).status == 0
    events = map(json.loads, trace.read_text().splitlines())
    started = [event["argv"] for event in events if event["event"] == "start"]
    print(f"{count} files: {len(started)} git processes, the caller's `git opatch` included")
    assert len(started) == 10, started


def test_a_reversal_without_a_position_needs_the_journal(base: Sandbox) -> None:
    patch = envelope(b"*** Update File: src/a.py\n@@\n-two\n")
    assert base.opatch("apply", feed=patch).status == 0
    journal = base.path / ".git/opatch/journal"
    (journal / "1.json").rename(journal / "1.kept")
    ran = base.opatch("apply", "-R", feed=patch)
    assert ran.status == 1
    assert Fault.REMOVED_WITHOUT_CONTEXT.sentence in ran.err
    (journal / "1.kept").rename(journal / "1.json")
    assert base.opatch("apply", "-R", feed=patch).status == 0
    assert base.read("src/a.py") == b"one\ntwo\nthree\n"


@pytest.mark.parametrize("flag", ["--index", "--cached", "--worktree"])
@pytest.mark.parametrize("configured", [None, "worktree"])
def test_the_undo_command_names_the_target(
    base: Sandbox, flag: str, configured: str | None
) -> None:
    if configured:
        base.git("config", "opatch.target", configured)
    base.path.joinpath("patch").write_bytes(_PATCH)
    before = base.index(), base.files()
    ran = base.opatch("apply", flag, "patch")
    words = ran.out.decode().strip().partition("Undo: git opatch ")[2].split()
    assert base.opatch(*words).status == 0
    assert (base.index(), base.files()) == before


def test_a_concurrent_run_is_refused(base: Sandbox) -> None:
    """The run that has the lock applies the patch; the other is refused."""
    (base.path / ".git/opatch").mkdir()
    with (base.path / ".git/opatch/lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        before = base.state()
        ran = base.opatch("apply", feed=_PATCH)
        assert (ran.status, base.state()) == (128, before)
        assert "another git opatch is at work in this repository" in ran.err
    assert base.opatch("apply", feed=_PATCH).status == 0
