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


@pytest.mark.parametrize("ending", ["\n", "\r\n", "", " \n"])
def test_each_marker_is_found(base: Sandbox, ending: str) -> None:
    for number, marker in enumerate(_MARKERS):
        base.write(f"f{number}.py", f"x = 1\n{marker}{ending}")
    base.git("add", ".")
    wanted = [f"f{at}.py:2: leftover of a patch: {marker}" for at, marker in enumerate(_MARKERS)]
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
def test_other_lines_are_not_markers(base: Sandbox, line: str) -> None:
    base.write("f", f"{line}\n")
    base.git("add", ".")
    assert _found(base) == []


def test_rej_and_orig_files_are_found(base: Sandbox) -> None:
    for name in ("f.rej", "sub/f.orig", "original", "f.rej.txt", "rej"):
        base.write(name, "text\n")
    base.git("add", ".")
    assert _found(base) == [
        "f.rej: may be left from a patch that did not apply",
        "sub/f.orig: may be left from a patch that did not apply",
    ]


def test_patch_files_may_have_markers(base: Sandbox) -> None:
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
def test_markers_in_markdown_fences_are_ignored(base: Sandbox, text: str, lines: list[int]) -> None:
    for name in ("README.md", "a.MARKDOWN", "b.txt"):
        base.write(name, text)
    base.git("add", ".")
    found = [finding.partition(": ")[0] for finding in _found(base)]
    for name in ("README.md", "a.MARKDOWN"):
        assert [finding for finding in found if finding.startswith(name)] == [
            f"{name}:{at}" for at in lines
        ]
    assert any(finding.startswith("b.txt:") for finding in found), "no other file has fences"


@pytest.mark.parametrize(
    "glued", ["*** End Patch", "</s>", "<|im_end|>", "to=functions.apply_patch"]
)
def test_what_is_glued_to_the_last_line_is_found(base: Sandbox, glued: str) -> None:
    base.write("d.txt", f"# T\nLast line.{glued}\n")
    base.write("e.txt", f"Not the last line.{glued}\nLast line.\n")
    base.git("add", ".")
    assert _found(base) == [f"d.txt:2: leftover of a patch: {glued}"]


def test_the_staged_content_is_searched(base: Sandbox) -> None:
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


def test_staged_files_are_searched_before_the_first_commit(repo: Sandbox) -> None:
    assert _found(repo) == []
    repo.write("f", "*** Begin Patch\n")
    repo.git("add", "f")
    assert len(_found(repo)) == 1


def test_named_files_are_searched(base: Sandbox) -> None:
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


def test_files_can_be_allowed(base: Sandbox) -> None:
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


def test_paths_alone_can_be_listed(base: Sandbox) -> None:
    base.write("a b", "*** Begin Patch\n*** End Patch\n")
    base.write("ä", "*** Begin Patch\n")
    base.git("add", ".")
    ran = base.opatch("leftovers", "-z")
    assert (ran.status, ran.out, ran.err) == (1, "a b\0ä\0".encode(), "")


def test_files_without_lines_are_skipped(base: Sandbox) -> None:
    base.write("binary", b"\0\n*** Begin Patch\n")
    (base.path / "link").symlink_to("*** Begin Patch")
    base.git("add", ".")
    assert _found(base) == []


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
