"""`git opatch leftovers`: patch markers in files that are not patches."""

from __future__ import annotations

import shlex

import pytest
from sandbox import Sandbox

_MARKERS = (
    "*** Begin Patch",
    "*** End Patch",
    "<FILE_CHANGES>",
    "</FILE_CHANGES>",
    "<<<<<<< SEARCH",
    ">>>>>>> REPLACE",
)


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "a\n"})
    return repo


def _found(repo: Sandbox, *options: str) -> list[str]:
    ran = repo.opatch("leftovers", *options)
    if ran.out:
        assert (ran.status, "git config --add opatch.leftovers " in ran.err) == (1, True)
    else:
        assert (ran.status, ran.err) == (0, "")
    return ran.out.decode().splitlines()


def test_staged_files_are_searched_before_the_first_commit(repo: Sandbox) -> None:
    assert _found(repo) == []
    repo.write("f", "*** Begin Patch\n")
    repo.git("add", "f")
    assert len(_found(repo)) == 1


def test_all_tracked_files_can_be_searched(base: Sandbox) -> None:
    """Committed and staged ones, with any name, from every directory; not untracked ones."""
    names = ["a b.py", "d/\u00fc \u65e5.py", "d/new\nline.py", "--flag.py"]
    base.commit(dict.fromkeys(names, f"{_MARKERS[0]}\n"))
    base.write("staged.py", f"{_MARKERS[1]}\n")
    base.git("add", "staged.py")
    base.write("untracked.py", f"{_MARKERS[1]}\n")
    assert _found(base) == [f"staged.py:1: leftover of a patch: {_MARKERS[1]}"]
    for directory in (base.path, base.path / "d"):
        ran = base.opatch("leftovers", "--all", "-z", cwd=directory)
        found = ran.out.decode().split("\0")[:-1]
        assert (ran.status, sorted(found)) == (1, sorted([*names, "staged.py"]))
    assert any(line.startswith("a b.py:1: ") for line in _found(base, "--all"))
    ran = base.opatch("leftovers", "--all", "f")
    assert (ran.status, "name no file" in ran.err) == (129, True)


def test_paths_alone_can_be_listed(base: Sandbox) -> None:
    base.write("a b", "*** Begin Patch\n*** End Patch\n")
    base.write("ä", "*** Begin Patch\n")
    base.git("add", ".")
    ran = base.opatch("leftovers", "-z")
    assert (ran.status, ran.out, ran.err) == (1, "a b\0ä\0".encode(), "")


def test_paths_are_escaped(base: Sandbox) -> None:
    base.write("a\x1b[31m\n", "*** Begin Patch\n")
    base.git("add", ".")
    assert _found(base) == ["a\\x1b[31m\\n:1: leftover of a patch: *** Begin Patch"]


def test_many_files_are_searched(base: Sandbox) -> None:
    """Search more files than are read at once."""
    for number in range(450):
        base.write(f"f{number:03}", f"{number}\n" + "*** End Patch\n" * (number % 200 == 0))
    base.git("add", ".")
    wanted = [f"f{number}:2: leftover of a patch: *** End Patch" for number in ("000", 200, 400)]
    assert _found(base) == wanted


@pytest.mark.parametrize("name", ["a b.py", "[a].py", ":(top)a.py", "-a.py", "sub/a'.py"])
def test_the_advice_exempts_the_file_alone(base: Sandbox, name: str) -> None:
    for path in (name, "a.py", "sub/b.py"):
        base.write(path, "*** End Patch\n")
    base.git("add", ".")
    advice = base.opatch("leftovers", "--", name).err
    command = shlex.split(advice.removeprefix(f"to exempt {name}: "))
    assert base.run(*command, cwd=base.path / "sub").status == 0
    assert {line.partition(":1: ")[0] for line in _found(base)} == {"a.py", "sub/b.py"}


def test_outside_of_a_repository_is_an_error(base: Sandbox) -> None:
    ran = base.opatch("leftovers", cwd=base.path.parent)
    assert (ran.status, ran.err.startswith("error: not a git repository")) == (128, True)
    ran = base.opatch("leftovers", cwd=base.path / ".git")
    assert (ran.status, "no working tree" in ran.err) == (128, True)
