"""`git opatch show`: show what a patch would do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from phrases import opening
from sandbox import Sandbox
from terminal import in_terminal
from writers import envelope

from git_opatch.model.sentences import Malformed

_CODE = "def f(x):\n    return x\n"
_PATCH = envelope(
    b"*** Update File: code.py\n@@\n def f(x):\n-  return x\n+  return -x\n",
    b"*** Update File: old.txt\n*** Move to: new/place.md\n@@ m3\n m4\n-m5\n+M5\n",
    b"*** Delete File: gone\n",
    b"*** Add File: n\xc3\xa4w\n+-- new\n",
    b"*** Delete File: data.bin\n",
)


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    moved = "".join(f"m{number}\n" for number in range(30))
    repo.commit({"code.py": _CODE, "old.txt": moved, "gone": "1\n2\n", "data.bin": b"\0"})
    repo.write(".git/info/exclude", "*.patch\n")
    repo.write("p.patch", _PATCH)
    return repo


def _without_ids(text: str) -> list[str]:
    return [re.sub(r"^  \[[0-9a-f]{4}\] ", "  ", line) for line in text.splitlines()]


def test_each_file_each_hunk_and_the_diff_are_shown(base: Sandbox) -> None:
    before = base.state()
    ran = base.opatch("show", "p.patch")
    assert (ran.status, ran.err) == (0, "")
    assert base.state() == before
    details, _, diff = ran.out.decode().partition("\n\n")
    assert _without_ids(details) == [
        "M code.py (+1 -1)",
        "  hunk 1 of 1: line 1, resilient (unique); 1 line differs in indentation",
        "R old.txt => new/place.md (+1 -1)",
        "  hunk 1 of 1: line 5, strict (unique)",
        "D gone (+0 -2)",
        f"  {opening(Malformed.INDENTED.sentence)} file",
        "A näw (+1 -0)",
        f"  {opening(Malformed.INDENTED.sentence)} file",
        "D data.bin (binary)",
        f"  {opening(Malformed.INDENTED.sentence)} file",
    ]
    assert diff.encode() == base.opatch("convert", "p.patch").out


def test_the_plan_is_paged_on_a_terminal(base: Sandbox) -> None:
    pager = {"GIT_PAGER": "sed s/^/paged:/", "NO_COLOR": "1"}
    words = ["show", "p.patch"]
    status, seen = in_terminal(base, *words, columns=60, env=pager)
    plain = in_terminal(base, *words, columns=60, env={"NO_COLOR": "1"})[1]
    assert (status, "paged" in plain) == (0, False)
    assert seen == "".join(f"paged:{line}\n" for line in plain.splitlines())
    assert b"paged" not in base.opatch(*words, env=pager).out


def test_on_a_terminal_each_hunk_is_beside_its_place(base: Sandbox) -> None:
    status, seen = in_terminal(base, "show", "p.patch", env={"NO_COLOR": "1"})
    assert status == 0
    assert (
        re.sub(r"\[[0-9a-f]{4}\]", "[ID]", seen)
        == """\
update code.py

  tolerated: hunk 1 of 1 [ID] at line 1, resilient (unique); 1 line differs
    in indentation
        = 1  def f(x):
     file 2 -    return x
     file   +    return -x
    patch 5 -  return x   <- indentation
    patch 6 +  return -x   <- written like this

move old.txt => new/place.md

  strict: hunk 1 of 1 [ID] at line 5, strict (unique)
           3  m2
           4  m3
        =  5  m4
        =  6 -m5
     adds 12 +M5
           7  m6
           8  m7

delete gone

  strict: the whole file [ID]
          1  1
          2  2

add näw

  strict: the whole file [ID]
     adds 15 +-- new

delete data.bin

  strict: the whole file [ID]
"""
    )


@pytest.mark.parametrize("columns", [40, 60])
def test_a_line_that_is_the_same_is_shown_once_where_there_is_no_room(
    base: Sandbox, columns: int
) -> None:
    base.commit({"wide": f"{'x' * 30}\n{'y' * 30}\n"})
    base.write(
        "p.patch", envelope(b"*** Update File: wide\n@@\n %b\n-%b\n" % (b"x" * 30, b"y" * 30))
    )
    _, seen = in_terminal(base, "show", "p.patch", columns=columns, env={"TERM": "dumb"})
    assert seen.splitlines()[-2:] == [f"        = 1  {'x' * 30}", f"        = 2 -{'y' * 30}"]


def test_ids_are_abbreviated_at_a_terminal_only(base: Sandbox) -> None:
    """Also where a line of the file looks like git's line of ids."""
    ids = f"index {'a' * 40}..{'b' * 40}"
    base.write("p.patch", envelope(b"*** Add File: new\n+" + ids.encode() + b"\n"))
    assert base.opatch("apply", "p.patch").status == 0
    status, shown = in_terminal(base, "log", "-p", env={"NO_COLOR": ""})
    assert status == 0
    assert re.search(r"index 0{7}\.\.[0-9a-f]{7}\x1b", shown)
    assert "+" + ids in shown.replace("\n", "")
    assert re.search(r"(?m)^index 0{40}\.\.[0-9a-f]{40}$", base.opatch("log", "-p").out.decode())


def test_hunks_need_no_repository(base: Sandbox, tmp_path: Path) -> None:
    where, patch = tmp_path / "nowhere", str(base.path / "p.patch")
    where.mkdir()
    assert base.opatch("show", patch, cwd=where).status == 128
    ran = base.opatch("show", "--hunks", patch, cwd=where, env={"GIT_DIR": "/no/such"})
    assert (ran.status, ran.err) == (0, "")
    assert [line.split("\t")[1] for line in ran.out.decode().splitlines()] == [
        "code.py:1", "old.txt:1", "gone", '"n\\303\\244w"', "data.bin",
    ]  # fmt: skip


@pytest.mark.one_of(3)
@pytest.mark.parametrize(
    "options",
    [(), ("--worktree",), ("--base", "HEAD~"), ("-R",), ("--match", "strict"),
     ("--directory", "sub"), ("--overwrite",), ("--ambiguous", "nearest"),
     ("--format", "unified")],
)  # fmt: skip
def test_it_locates_and_refuses_as_convert_does(base: Sandbox, options: tuple[str, ...]) -> None:
    patches = (
        _PATCH,
        envelope(b"*** Update File: gone\n@@\n-2\n+two\n"),
        envelope(b"*** Update File: sub/gone\n@@\n-1\n-2\n+3\n"),
        envelope(b"*** Update File: gone\n@@\n wrong\n-2\n+two\n"),
        envelope(b"*** Update File: twice\n@@\n-x\n+y\n"),
        envelope(b"*** Add File: gone\n+other\n"),
        envelope(b"*** Update File: gone\n@@\n 1\n-x\n+2\n"),
        b"nonsense",
    )
    base.commit({"sub/gone": "1\n2\n", "twice": "x\n\nx\n"})
    base.write("gone", "0\n2\n")
    shown = [base.opatch("show", *options, feed=patch) for patch in patches]
    for patch, ran in zip(patches, shown, strict=True):
        converted = base.opatch("convert", *options, feed=patch)
        assert ran.status == converted.status
        assert ran.out.endswith(converted.out)
        assert ran.out or ran.err == converted.err.replace("opatch convert", "opatch show")
    assert any(ran.status == 0 for ran in shown) or "--format" in options
    assert any(ran.status for ran in shown)


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_a_terminal_has_colour(base: Sandbox, columns: int) -> None:
    status, seen = in_terminal(base, "show", "p.patch", columns=columns)
    assert status == 0
    for text in (
        "update \x1b[1mcode.py\x1b[0m\n",
        "  \x1b[33mtolerated\x1b[0m: hunk",
        "+\x1b[32m-- new\x1b[0m\n",
    ):
        assert text in seen


def test_a_diff_in_the_log_has_colour(base: Sandbox) -> None:
    """Also lines that look like headers, which are coloured as lines."""
    base.commit({"sql": "-- a\n"})
    base.write("p.patch", envelope(b"*** Update File: sql\n@@\n--- a\n+++ b\n"))
    assert base.opatch("apply", "p.patch").status == 0
    seen = in_terminal(base, "log", "-p")[1]
    for text in ("\x1b[31m--- a", "\x1b[32m+++ b", "\x1b[1m+++ b/sql", "\x1b[36m@@ -1 +1 @@"):
        assert f"{text}\x1b[0m\n" in seen


@pytest.mark.parametrize(
    ("setting", "env"),
    [("color.ui=false", {}), ("color.opatch=never", {}), ("a.b=c", {"NO_COLOR": "1"}),
     ("a.b=c", {"TERM": "dumb"})],
)  # fmt: skip
def test_colour_can_be_turned_off(base: Sandbox, setting: str, env: dict[str, str]) -> None:
    coloured = in_terminal(base, "show", "p.patch")[1]
    base.git("config", *setting.split("="))
    status, seen = in_terminal(base, "show", "p.patch", env=env)
    assert status == 0
    assert seen == re.sub("\x1b\\[[0-9;]*m", "", coloured) != coloured


def test_colour_can_be_asked_for_in_a_pipe(base: Sandbox) -> None:
    base.git("config", "color.ui", "always")
    shown = base.opatch("show", "p.patch").out.decode()
    assert "\x1b[1mcode.py\x1b[0m" in shown
    assert "\x1b[1;31merror:" in base.opatch("apply", "--deny", "*", "p.patch").err


def test_unwritable_output_is_an_error(base: Sandbox) -> None:
    for option in ("", "--hunks"):
        ran = base.run("sh", "-c", f"git-opatch show {option} p.patch >/dev/full")
        assert (ran.status, "No space left" in ran.err) == (128, True)
    ran = base.run("sh", "-c", "git-opatch show p.patch | true")
    assert (ran.status, ran.err) == (0, "")
