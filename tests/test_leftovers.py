"""`git opatch leftovers`: marks of patches where no patch is."""

from __future__ import annotations

import pytest
from sandbox import Sandbox

_MARKS = (
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
    assert (ran.status, ran.err) == (1 if ran.out else 0, "")
    return ran.out.decode().splitlines()


@pytest.mark.parametrize("ending", ["\n", "\r\n", "", " \n"])
def test_each_mark(base: Sandbox, ending: str) -> None:
    for number, mark in enumerate(_MARKS):
        base.write(f"f{number}.py", f"x = 1\n{mark}{ending}")
    base.git("add", ".")
    wanted = [f"f{at}.py:2: leftover of a patch: {mark}" for at, mark in enumerate(_MARKS)]
    assert _found(base) == wanted


@pytest.mark.parametrize(
    "line",
    [
        'PATCH = "*** Begin Patch"',
        "    *** Begin Patch",
        "*** Begin Patches",
        "# *** Begin Patch",
        "> <<<<<<< SEARCH",
        "<<<<<<< HEAD",
        "<<<<<<<< SEARCH",
        "=======",
        "<file_changes>",
        "*** Update File: f",
    ],
)
def test_what_is_no_mark(base: Sandbox, line: str) -> None:
    base.write("f", f"{line}\n")
    base.git("add", ".")
    assert _found(base) == []


def test_files_that_an_apply_leaves(base: Sandbox) -> None:
    for name in ("f.rej", "sub/f.orig", "original", "f.rej.txt", "rej"):
        base.write(name, "text\n")
    base.git("add", ".")
    assert _found(base) == [
        "f.rej: was left by a patch that did not apply",
        "sub/f.orig: was left by a patch that did not apply",
    ]


def test_patches_may_have_them(base: Sandbox) -> None:
    for name in ("p.opatch", "p.patch", "sub/p.diff", "P.PATCH"):
        base.write(name, "*** Begin Patch\n")
    base.write("p.txt", "*** Begin Patch\n")
    base.git("add", ".")
    assert _found(base) == ["p.txt:1: leftover of a patch: *** Begin Patch"]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("```\n*** Begin Patch\n```\n", []),
        ("~~~~ text\n```\n*** Begin Patch\n~~~~\n", []),
        ("- so:\n\n  ```diff\n*** Begin Patch\n  ```\n", []),
        ("```\r\n*** Begin Patch\r\n```\r\n", []),
        ("```\ncode\n```\n*** Begin Patch\n", [4]),
        ("````\n```\n*** Begin Patch\n````\n*** End Patch\n", [5]),
        ("*** Begin Patch\n```\ncode\n```\n*** End Patch\n", [1, 5]),
        ("``\n*** Begin Patch\n``\n", [2]),
    ],
)
def test_fences_of_markdown(base: Sandbox, text: str, lines: list[int]) -> None:
    for name in ("README.md", "a.MARKDOWN", "b.txt"):
        base.write(name, text)
    base.git("add", ".")
    found = [one.partition(": ")[0] for one in _found(base)]
    for name in ("README.md", "a.MARKDOWN"):
        assert [one for one in found if one.startswith(name)] == [f"{name}:{at}" for at in lines]
    assert any(one.startswith("b.txt:") for one in found), "no other file has fences"


def test_the_staged_files_as_they_are_staged(base: Sandbox) -> None:
    base.commit({"old": "*** Begin Patch\n", "g": "b\n"})
    base.write("f", "*** Begin Patch\n")
    base.write("untracked", "*** Begin Patch\n")
    assert _found(base) == []
    base.git("add", "f")
    base.write("f", "a\n")
    assert _found(base) == ["f:1: leftover of a patch: *** Begin Patch"]
    base.git("add", "f")
    base.write("f", "*** Begin Patch\n")
    base.git("rm", "--quiet", "old")
    assert _found(base) == []


def test_before_the_first_commit(repo: Sandbox) -> None:
    assert _found(repo) == []
    repo.write("f", "*** Begin Patch\n")
    repo.git("add", "f")
    assert len(_found(repo)) == 1


def test_named_files(base: Sandbox) -> None:
    base.commit({"sub/[a]": "*** Begin Patch\n", "sub/a": "*** End Patch\n", "--": "x\n"})
    assert _found(base) == []
    assert _found(base, "sub/a") == ["sub/a:1: leftover of a patch: *** End Patch"]
    assert _found(base, "sub/[a]") == ["sub/[a]:1: leftover of a patch: *** Begin Patch"]
    assert _found(base, "--", "--", "f") == []
    assert len(_found(base, "sub")) == 2
    ran = base.opatch("leftovers", "a", "[a]", cwd=base.path / "sub")
    assert (ran.status, ran.out.count(b"sub/")) == (1, 2)
    ran = base.opatch("leftovers", "nosuch")
    assert (ran.status, ran.err.startswith("error: pathspec 'nosuch' did not")) == (128, True)


def test_an_allow_list(base: Sandbox) -> None:
    base.write("tests/a.txt", "*** Begin Patch\n")
    base.write("b.txt", "*** Begin Patch\n")
    base.write("c.rej", "x\n")
    base.git("add", ".")
    assert len(_found(base)) == 3
    assert len(_found(base, "--allow", "tests")) == 2
    assert _found(base, "--allow", "tests", "--allow", ":(glob)*.rej", "--allow", "b*") == []
    base.git("config", "--add", "opatch.leftovers", "tests")
    base.git("config", "--add", "opatch.leftovers", "c.rej")
    assert _found(base) == ["b.txt:1: leftover of a patch: *** Begin Patch"]
    assert base.opatch("leftovers", cwd=base.path / "tests").out.startswith(b"b.txt:1: ")
    assert base.opatch("leftovers", "--allow", "../b.txt", cwd=base.path / "tests").status == 0


def test_paths_alone(base: Sandbox) -> None:
    base.write("a b", "*** Begin Patch\n*** End Patch\n")
    base.write("ä", "*** Begin Patch\n")
    base.git("add", ".")
    ran = base.opatch("leftovers", "-z")
    assert (ran.status, ran.out) == (1, "a b\0ä\0".encode())


def test_what_has_no_lines(base: Sandbox) -> None:
    base.write("binary", b"\0\n*** Begin Patch\n")
    (base.path / "link").symlink_to("*** Begin Patch")
    base.git("add", ".")
    assert _found(base) == []


def test_nothing_of_a_path_reaches_the_terminal(base: Sandbox) -> None:
    base.write("a\x1b[31m\n", "*** Begin Patch\n")
    base.git("add", ".")
    assert _found(base) == ["a\\x1b[31m\\n:1: leftover of a patch: *** Begin Patch"]


def test_many_files(base: Sandbox) -> None:
    """More than are read at once."""
    for number in range(450):
        base.write(f"f{number:03}", f"{number}\n" + "*** End Patch\n" * (number % 200 == 0))
    base.git("add", ".")
    wanted = [f"f{number}:2: leftover of a patch: *** End Patch" for number in ("000", 200, 400)]
    assert _found(base) == wanted


def test_outside_of_a_repository(base: Sandbox) -> None:
    ran = base.opatch("leftovers", cwd=base.path.parent)
    assert (ran.status, ran.err.startswith("error: not a git repository")) == (128, True)
    ran = base.opatch("leftovers", cwd=base.path / ".git")
    assert (ran.status, "no working tree" in ran.err) == (128, True)
