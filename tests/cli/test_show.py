"""`git opatch show`: show what a patch would do."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from phrases import opening, said
from sandbox import Sandbox
from terminal import in_terminal
from writers import envelope

from git_opatch.model.sentences import Detail, Fault, Malformed

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


def test_the_shown_diff_applies(base: Sandbox) -> None:
    base.write("p.patch", envelope(b"*** Update File: gone\n@@\n-1\n+one\n"))
    shown = base.opatch("show", "p.patch").out
    base.git("apply", "--index", "-", feed=shown)
    assert base.read("gone") == b"one\n2\n"


def test_the_deciding_evidence_is_shown(base: Sandbox) -> None:
    base.commit({"twice": "a:\nx\nb:\nx\n"})
    patch = envelope(b"*** Update File: twice\n@@ b:\n-x\n+y\n")
    shown = base.opatch("show", feed=patch).out.decode()
    assert "  hunk 1 of 1: line 4, strict (anchor)" in _without_ids(shown)


def test_hunks_need_no_repository(base: Sandbox, tmp_path: Path) -> None:
    where, patch = tmp_path / "nowhere", str(base.path / "p.patch")
    where.mkdir()
    assert base.opatch("show", patch, cwd=where).status == 128
    ran = base.opatch("show", "--hunks", patch, cwd=where, env={"GIT_DIR": "/no/such"})
    assert (ran.status, ran.err) == (0, "")
    assert [line.split("\t")[1] for line in ran.out.decode().splitlines()] == [
        "code.py:1", "old.txt:1", "gone", '"n\\303\\244w"', "data.bin",
    ]  # fmt: skip


def test_unsafe_names_are_refused(base: Sandbox) -> None:
    for path in (b"../x", b".git/config", b"/etc/passwd", b"a\0b"):
        ran = base.opatch("show", "--hunks", feed=envelope(b"*** Delete File: " + path + b"\n"))
        assert (ran.status, ran.out) == (1, b"")
        assert ": the path " in ran.err
    ran = base.opatch("show", "--hunks", feed=b"nonsense")
    assert (ran.status, ran.out, ran.err[:7]) == (128, b"", "error: ")


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


def test_invalid_options_are_errors(base: Sandbox) -> None:
    for words in (
        ["--hunks", "--html"],
        ["--stat"],
        ["--base", "HEAD", "--worktree"],
        ["--nope"],
    ):
        ran = base.opatch("show", *words, "p.patch")
        assert (ran.status, ran.out, ran.err[:7]) == (129, b"", "error: ")


def test_hunks_are_listed_under_their_file(base: Sandbox) -> None:
    base.commit({"a": "1\n2\n", "b": "3\n4\n"})
    swap = envelope(
        b"*** Update File: a\n*** Move to: c\n",
        b"*** Update File: b\n*** Move to: a\n@@\n 3\n-4\n+four\n",
        b"*** Update File: c\n*** Move to: b\n@@\n-1\n+one\n",
    )
    details = base.opatch("show", feed=swap).out.decode().partition("\n\n")[0]
    assert _without_ids(details) == [
        "M a (+2 -2)",
        "  hunk 1 of 2: line 1, strict (unique)",
        "M b (+2 -2)",
        "  hunk 2 of 2: line 1, strict (unique)",
    ]


def test_hunks_that_cancel_out_change_nothing(base: Sandbox) -> None:
    sections = (b"*** Update File: gone\n@@\n-1\n+one\n", b"*** Update File: gone\n@@\n-one\n+1\n")
    patch = envelope(*sections, b"*** Delete File: code.py\n")
    lines = _without_ids(base.opatch("show", feed=patch).out.decode())
    assert lines[:5] == [
        "= gone (+0 -0)",
        "  hunk 1 of 2: line 1, strict (unique)",
        "  hunk 2 of 2: line 1, strict (unique)",
        "D code.py (+0 -2)",
        f"  {opening(Malformed.INDENTED.sentence)} file",
    ]


def test_notes_go_to_standard_error(base: Sandbox) -> None:
    patch = envelope(b"*** Update File: gone\n@@ nowhere\n-1\n+one\n")
    ran = base.opatch("show", feed=patch)
    assert ran.err == "note: gone: hunk 1: the anchor `nowhere` is not in the file\n"
    assert ran.out.startswith(b"M gone (+1 -1)\n")


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


# --- a refused patch ------------------------------------------------------------------------

_PARTLY = envelope(
    b"*** Update File: code.py\n@@\n-def f(x):\n+def g(x):\n@@\n-    return y\n+    return z\n",
    b"*** Delete File: lost\n",
    b"*** Add File: new\n+x\n",
)


def _verdicts(shown: bytes) -> list[str]:
    """Return what is said of each file and of its hunks, without ids."""
    found = re.findall(
        r"(?m)^(?:update|add|delete) .*|^  (?:\w.*hunk \d|refused|strict).*", shown.decode()
    )
    return [re.sub(r" \[[0-9a-f]{4}\]", "", line) for line in found]


def test_a_refused_patch_has_a_verdict_for_each_hunk(base: Sandbox) -> None:
    base.write("p.patch", _PARTLY)
    before = base.state()
    ran = base.opatch("show", "p.patch")
    assert (ran.status, base.state()) == (1, before)
    assert _verdicts(ran.out) == [
        "update code.py",
        "  strict: hunk 1 of 2 at line 1, strict (unique)",
        "  refused (not found): hunk 2 of 2 does not match the index: none of",
        "delete lost",
        f"  refused: {said(Fault.MISSING_FILE.sentence, base='the index')}",
        "  refused (missing file): the whole file",
        "add new",
        "  strict: the whole file",
    ]
    assert ran.err == "the patch does not apply (2 problems)\n"


def test_what_is_left_out_of_a_refused_patch_has_no_verdict(base: Sandbox) -> None:
    base.write("p.patch", _PARTLY)
    shown = base.opatch("show", "--except", "new", "--except", "lost", "p.patch").out
    assert len(_verdicts(shown)) == 3


def test_the_document_of_a_refused_patch_has_no_verdicts(base: Sandbox) -> None:
    base.write("p.patch", _PARTLY)
    assert b"hunk 1 of 2" not in base.opatch("show", "--json", "p.patch").out


def test_the_places_of_an_ambiguous_hunk_are_shown(base: Sandbox) -> None:
    base.commit({"twice": "first\nx\nlast\nx\n"})
    shown = base.opatch("show", feed=envelope(b"*** Update File: twice\n@@\n-x\n+y\n")).out.decode()
    for at, line in (
        (2, "      add 1  first"),
        (4, "      add 3  last"),
    ):
        assert f"  twice:{at}\n" in shown
        assert f"{line}\n" in shown
    assert shown.count(f"if this place is meant: {opening(Detail.LINE_ABOVE.sentence)}") == 2


def test_the_places_of_an_ambiguous_string_are_shown(base: Sandbox) -> None:
    base.commit({"twice": "first\nx\ny\n\nlast\nx\ny\n"})
    edit = {"file_path": "twice", "old_string": "x\ny", "new_string": "z"}
    shown = base.opatch("show", feed=json.dumps(edit).encode()).out.decode()
    for lines, line in (("2-3", "      add 1  first"), ("6-7", "      add 5  last")):
        assert f"  twice:{lines}\n" in shown
        assert f"{line}\n" in shown
    assert shown.count(f"if this place is meant: {opening(Detail.LINE_ABOVE.sentence)}") == 2
