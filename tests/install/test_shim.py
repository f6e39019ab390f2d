"""The program `apply_patch` that `git opatch install-agent shim` installs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from phrases import said
from sandbox import Ran, Sandbox
from writers import envelope

from git_opatch.model.sentences import Fault

_PROGRAM = Path(sys.executable).with_name("git-opatch")
_GOOD = envelope(b"*** Update File: f\n@@\n-a\n+b\n")
_STALE = envelope(b"*** Update File: f\n@@\n-nowhere\n+b\n")
_SUCCESS = b"Success. Updated the following files:\n"


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "a\n", "g": "g\n", "sub/f": "s\n", "sub/old": "o\n"})
    return repo


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    directory = tmp_path / "some programs"
    directory.mkdir()
    return directory


def _install(repo: Sandbox, directory: Path, *options: str) -> Ran:
    """Install it by the path of the program, which is written into it."""
    return repo.direct(str(_PROGRAM), "install-agent", *options, "shim", str(directory))


def _shell(repo: Sandbox, programs: Path, script: str, cwd: Path | None = None) -> Ran:
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return repo.program("bash", "-c", script, cwd=cwd, env={"PATH": path})


def test_an_absolute_path_in_the_working_tree_is_read(base: Sandbox) -> None:
    patch = _GOOD.replace(b"File: f", b"File: " + os.fsencode(base.path / "f"))
    assert base.opatch("apply-patch", feed=patch, cwd=base.path / "sub").status == 0
    assert base.read("f") == b"b\n"


def test_files_of_repositories_below_are_changed_there(base: Sandbox) -> None:
    nested = Sandbox(base.path / "nested").init()
    nested.commit({"m": "m\n"})
    both = envelope(b"*** Update File: f\n@@\n-a\n+b\n*** Update File: nested/m\n@@\n-m\n+n\n")
    ran = base.opatch("apply-patch", feed=both.replace(b"-m\n", b"-nowhere\n"))
    assert (ran.status, ran.out) == (1, b"")
    assert ran.err.startswith("error: nested/m: hunk 1 of 1 ")
    assert (base.read("f"), nested.read("m")) == (b"a\n", b"m\n")
    base.git("config", "opatch.deny", "nested/")
    ran = base.opatch("apply-patch", feed=both)
    assert (ran.status, ran.out) == (1, b"")
    assert ran.err.startswith(f"error: nested/m: {Fault.DENIED.sentence}")
    base.git("config", "--unset", "opatch.deny")
    ran = base.opatch("apply-patch", feed=both)
    assert (ran.status, ran.out, ran.err) == (0, _SUCCESS + b"M f\nM nested/m\n", "")
    assert (base.read("f"), nested.read("m")) == (b"b\n", b"n\n")
    for each in (base, nested):
        assert each.opatch("undo").status == 0
    assert (base.read("f"), nested.read("m")) == (b"a\n", b"m\n")


def test_a_diff_as_the_argument_is_not_an_option(base: Sandbox, programs: Path) -> None:
    assert _install(base, programs).status == 0
    diff = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
    ran = _shell(base, programs, f"apply_patch '{diff}'")
    assert (ran.status, ran.out, ran.err) == (0, _SUCCESS + b"M f\n", "")


def test_a_script_of_several_calls_works(base: Sandbox, programs: Path) -> None:
    assert _install(base, programs).status == 0
    second = _GOOD.decode().replace("-a", "-b").replace("+b", "+c")
    stale = _STALE.decode().replace("+b", "+z")
    script = (
        "set -e\n"
        f"apply_patch <<'EOF'\n{_GOOD.decode()}EOF\n"
        f"apply_patch \"$(cat <<'EOF'\n{second}EOF\n)\"\n"
        "cd sub\n"
        f"apply_patch <<'EOF'\n{_GOOD.decode().replace('-a', '-s')}EOF\n"
        f"apply_patch <<'EOF' || echo refused $?\n{stale}EOF\n"
        "cat f ../f\n"
    )
    ran = _shell(base, programs, script)
    assert ran.status == 0, ran.err
    assert ran.out == (_SUCCESS + b"M f\n") * 3 + b"refused 1\nb\nc\n"
    assert ran.err.startswith(
        f"error: f: hunk 1 of 1 {said(Fault.NOT_FOUND.sentence, base='the working tree')}"
    )


def test_calls_at_the_same_time_wait_for_one_another(base: Sandbox, programs: Path) -> None:
    assert _install(base, programs).status == 0
    names = [f"new{number}" for number in range(5)]
    calls = [
        subprocess.Popen(
            [programs / "apply_patch", envelope(f"*** Add File: {name}\n+x\n".encode())],
            cwd=base.path,
            stdout=subprocess.DEVNULL,
        )
        for name in names
    ]
    assert [call.wait() for call in calls] == [0] * len(calls)
    assert all(base.read(name) == b"x\n" for name in names)


def test_nothing_is_imported_from_the_current_directory(base: Sandbox, programs: Path) -> None:
    assert _install(base, programs).status == 0
    for name in ("git_opatch/__init__.py", "typer.py", "json.py", "sitecustomize.py"):
        base.write(name, "raise SystemExit('brought along')\n")
    ran = _shell(base, programs, f"apply_patch <<'EOF'\n{_GOOD.decode()}EOF\n")
    assert (ran.status, ran.err) == (0, "")


def test_it_is_installed_again_and_removed(base: Sandbox, programs: Path) -> None:
    path = programs / "apply_patch"
    for _ in range(2):
        ran = _install(base, programs)
        assert (ran.status, ran.out) == (0, f"installed {path}\n".encode())
        assert os.listdir(programs) == ["apply_patch"]
        assert os.access(path, os.X_OK)
    assert str(_PROGRAM) in path.read_text()
    ran = _install(base, programs, "--remove")
    assert (ran.status, ran.out, ran.err) == (0, f"removed {path}\n".encode(), "")
    assert not os.listdir(programs)
    ran = _install(base, programs, "--remove")
    assert (ran.status, ran.out) == (0, f"nothing to remove: no {path}\n".encode())


def test_it_says_where_a_shell_does_not_find_it(base: Sandbox, programs: Path) -> None:
    assert "is not on PATH" in _install(base, programs).err
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    words = (str(_PROGRAM), "install-agent", "shim", str(programs))
    assert base.program(*words, env={"PATH": path}).err == ""
    other = base.write("bin/apply_patch", "#!/bin/sh\n")
    other.chmod(0o755)
    ran = base.program(*words, env={"PATH": f"{other.parent}{os.pathsep}{path}"})
    assert ran.err == f"note: {other} comes first on PATH, so that a shell runs that one\n"


def test_a_shim_of_a_former_version_is_replaced(base: Sandbox, programs: Path) -> None:
    former = "#!/bin/sh\n# apply_patch of git opatch; remove it with: git opatch install-shim DIR\n"
    (programs / "apply_patch").write_text(former)
    assert _install(base, programs).status == 0
    assert (programs / "apply_patch").read_text() != former
    assert _install(base, programs, "--remove").status == 0
    assert list(programs.iterdir()) == []


@pytest.mark.parametrize("kind", ["file", "link", "dangling", "directory"])
@pytest.mark.parametrize("options", [(), ("--remove",)])
def test_what_is_not_ours_is_left_alone(
    base: Sandbox, programs: Path, kind: str, options: tuple[str, ...]
) -> None:
    path = programs / "apply_patch"
    if kind == "file":
        path.write_text("#!/bin/sh\necho mine\n")
    elif kind == "directory":
        path.mkdir()
    else:
        path.symlink_to(base.path / "f" if kind == "link" else "nowhere")
    before = (os.lstat(path)[:7], os.lstat(path).st_mtime_ns, base.read("f"))
    ran = _install(base, programs, *options)
    assert (ran.status, ran.out) == (128, b"")
    assert ran.err == f"error: `{path}` is not a shim of git opatch; it was left as it is\n"
    assert (os.lstat(path)[:7], os.lstat(path).st_mtime_ns, base.read("f")) == before


def test_a_module_is_started_by_its_python(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where git opatch is not installed as a program."""
    other = programs / "python"
    other.symlink_to(os.path.realpath(sys.executable))
    from git_opatch.agent.program import program_words

    monkeypatch.setattr(sys, "executable", str(other))
    monkeypatch.setattr(sys, "argv", ["/somewhere/git_opatch/__main__.py"])
    assert program_words() == (str(other), "-P", "-m", "git_opatch")
    monkeypatch.setattr(sys, "argv", ["git-opatch"])
    assert program_words() == (str(other), "-P", "-m", "git_opatch")
    monkeypatch.setattr(sys, "argv", [str(_PROGRAM)])
    assert program_words() == (str(_PROGRAM),)
