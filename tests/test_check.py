"""`git opatch check`: each patch by itself, and commands."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from sandbox import Sandbox
from terminal import in_terminal
from writers import envelope

GOOD = envelope(b"*** Update File: f\n@@\n-a\n+b\n", b"*** Add File: n\n+n\n")
STALE = envelope(b"*** Update File: f\n@@\n-no\n+b\n")
SECOND = envelope(b"*** Update File: f\n@@\n-b\n+c\n")
HEREDOC = "apply_patch <<'EOF'\n" + GOOD.decode() + "EOF\n"


@pytest.fixture
def base(repo: Sandbox, tmp_path: Path) -> Sandbox:
    repo.commit({"f": "a\nz\n", "sub/f": "a\n"})
    for name, content in (("good", GOOD), ("stale", STALE), ("second", SECOND), ("none", b"x")):
        (tmp_path / name).write_bytes(content)
    return repo


def test_each_file_is_judged_by_itself(base: Sandbox) -> None:
    before = base.state()
    ran = base.opatch("check", "../good", "../stale", "../good")
    assert base.state() == before
    assert ran.out.decode().splitlines() == [
        "../good: would apply (2 files)",
        "../stale: does not apply",
        "../good: would apply (2 files)",
    ]
    assert ran.status == 1
    assert ran.err.startswith("error: f: hunk 1 of 1 does not match the index\n  ../stale, line 4")
    assert base.opatch("apply", "--check", "../good", "../good").status == 1


def test_a_patch_that_needs_another_does_not_apply(base: Sandbox) -> None:
    assert base.opatch("apply", "--check", "../good", "../second").status == 0
    ran = base.opatch("check", "../good", "../second")
    assert (ran.status, ran.out.count(b"would apply")) == (1, 1)


def test_the_worst_status_is_given(base: Sandbox) -> None:
    assert base.opatch("check", "../good").status == 0
    for bad in ("../none", "../missing"):
        ran = base.opatch("check", bad, "../stale", "../good")
        assert ran.status == 128
        first, second, third = ran.out.decode().splitlines()
        assert first.startswith(f"{bad}: ")
        assert (second, third) == ("../stale: does not apply", "../good: would apply (2 files)")
        assert ran.err.startswith("error: ")


def test_standard_input(base: Sandbox) -> None:
    for words in ([], ["-"]):
        ran = base.opatch("check", *words, feed=GOOD)
        assert (ran.status, ran.out, ran.err) == (0, b"-: would apply (2 files)\n", "")


def test_quiet(base: Sandbox) -> None:
    ran = base.opatch("check", "-q", "../good", "../stale")
    assert (ran.status, ran.out) == (1, b"../stale: does not apply\n")
    assert base.opatch("check", "-q", "../good").out == b""


def test_what_is_applied_already(base: Sandbox) -> None:
    """With --skip-applied it is fine, in whole or in part; what does not apply is not."""
    there = envelope(b"*** Update File: f\n@@\n-before\n+a\n")
    part = envelope(b"*** Update File: f\n@@\n-before\n+a\n", b"*** Add File: n\n+n\n")
    assert base.opatch("check", feed=there).status == 1
    ran = base.opatch("check", "--skip-applied", feed=there)
    assert (ran.status, ran.out) == (0, b"-: nothing to do: all of it is applied already\n")
    assert ran.err.endswith("stand at line 1; passed over\n")
    ran = base.opatch("check", "--skip-applied", feed=part)
    assert (ran.status, ran.out) == (0, b"-: would apply (1 file)\n")
    for command in (["check"], ["apply", "--check"], ["apply"]):
        ran = base.opatch(*command, "-q", "--skip-applied", feed=there)
        assert (ran.status, ran.out, ran.err) == (0, b"", ""), command
    assert base.opatch("check", "--skip-applied", feed=STALE).status == 1
    ran = base.opatch("check", "--skip-applied", "--json", feed=there)
    assert b'"status": "nothing_to_do"' in ran.out


def test_where_it_is_judged(base: Sandbox) -> None:
    base.write("f", "b\n")
    assert base.opatch("check", "../second").status == 1
    assert base.opatch("check", "--worktree", "../second").status == 0
    base.git("add", "f")
    assert base.opatch("check", "../second").status == 0
    ran = base.opatch("check", "--base", "HEAD", "../second")
    assert (ran.status, "does not match `HEAD`" in ran.err) == (1, True)
    ran = base.opatch("check", "--base", "HEAD", "--worktree", "../second")
    assert (ran.status, "exclude one another" in ran.err) == (129, True)


def test_the_shared_options(base: Sandbox, tmp_path: Path) -> None:
    sub = tmp_path / "sub.txt"
    sub.write_bytes(envelope(b"*** Update File: f\n@@\n-a\n+b\n*** End of File\n"))
    assert base.opatch("check", str(sub)).status == 1
    assert base.opatch("check", "--directory", "sub", str(sub)).status == 0
    assert base.opatch("check", "--dialect", "unified", "../good").status == 128
    sub.write_bytes(envelope(b"*** Update File: f\n@@\n- A\n+b\n"))
    assert base.opatch("check", str(sub)).status == 0
    assert base.opatch("check", "--match", "strict", str(sub)).status == 1
    sub.write_bytes(envelope(b"*** Add File: f\n+b\n"))
    assert base.opatch("check", str(sub)).status == 1
    assert base.opatch("check", "--overwrite", str(sub)).status == 0


def test_advice_is_a_command_that_works(base: Sandbox, tmp_path: Path) -> None:
    base.write("untracked", "a\n")
    patch = tmp_path / "p"
    patch.write_bytes(envelope(b"*** Update File: untracked\n@@\n-a\n+b\n"))
    ran = base.opatch("check", "../p")
    assert "\n  git opatch check --worktree ../p\n" in ran.err
    assert base.opatch("check", "--worktree", "../p").status == 0


@pytest.mark.parametrize(
    "words",
    [
        ["apply_patch", GOOD.decode()],
        ["bash", "-lc", HEREDOC],
        ["sh", "-c", f"cd sub/.. && {HEREDOC}"],
    ],
)
def test_a_call(base: Sandbox, words: list[str]) -> None:
    before = base.state()
    ran = base.opatch("check", "--argv", "--", *words)
    assert (ran.status, ran.out, ran.err) == (0, b"apply_patch: would apply (2 files)\n", "")
    assert base.opatch("check", "--argv", "-q", "--", *words).out == b""
    assert base.state() == before


def test_a_call_that_does_not_apply(base: Sandbox) -> None:
    ran = base.opatch("check", "--argv", "--", "apply_patch", STALE.decode())
    assert (ran.status, ran.out) == (1, b"apply_patch: does not apply\n")
    assert ran.err.startswith("error: f: hunk 1 of 1 does not match the index\n  patch line 4")


def test_what_is_no_call(base: Sandbox) -> None:
    for words in (["bash", "-lc", "ls"], ["ls"], [], ["bash", "-lc", f"ls && {HEREDOC}"]):
        ran = base.opatch("check", "--argv", "--", *words)
        assert (ran.status, ran.out, ran.err) == (1, b"", "error: no apply_patch call\n")


def test_a_bare_patch(base: Sandbox) -> None:
    for words in ([GOOD.decode()], ["bash", "-lc", GOOD.decode()]):
        ran = base.opatch("check", "--argv", "--", *words)
        assert (ran.status, ran.out) == (128, b"")
        assert ran.err.startswith("error: this is a patch, and no command: call `apply_patch`")


def test_a_malformed_call(base: Sandbox) -> None:
    ran = base.opatch("check", "--argv", "--", "bash", "-c", HEREDOC.replace("@@", "@@@"))
    assert (ran.status, ran.out) == (128, b"")
    assert ran.err.startswith("error: line 4: `@@@` is no hunk header")


def test_options_that_a_call_does_not_take(base: Sandbox) -> None:
    for option in (["--directory", "sub"], ["--dialect", "unified"]):
        ran = base.opatch("check", "--argv", *option, "--", "apply_patch", GOOD.decode())
        assert (ran.status, "takes the command as it is" in ran.err) == (129, True)


def test_a_call_in_a_directory(base: Sandbox, tmp_path: Path) -> None:
    one = envelope(b"*** Update File: f\n@@\n-a\n+b\n*** End of File\n").decode()
    words = ("check", "--argv", "--", "apply_patch", one)
    assert base.opatch(*words).status == 1
    assert base.opatch(*words, cwd=base.path / "sub").status == 0
    plain = tmp_path / "plain"
    plain.mkdir()
    ran = base.opatch(*words, cwd=plain)
    assert (ran.status, ran.err) == (
        1,
        "error: f: is not in the working tree\n  patch line 2\n",
    )
    (plain / "f").write_text("a\n")
    assert base.opatch(*words, cwd=plain).status == 0
    assert base.opatch("check", cwd=plain, feed=GOOD).status == 128
    ran = base.opatch("check", "--argv", "--base", "HEAD", "--", "apply_patch", one, cwd=plain)
    assert (ran.status, "no repository" in ran.err) == (128, True)


def test_in_a_bare_repository(base: Sandbox, tmp_path: Path) -> None:
    base.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare"))
    bare = Sandbox(tmp_path / "bare")
    ran = bare.opatch("check", feed=GOOD)
    assert (ran.status, "no index to judge by" in ran.err) == (128, True)
    assert bare.opatch("check", "--base", "main", feed=GOOD).status == 0
    ran = bare.opatch("check", "--argv", "--base", "main", "--", "apply_patch", GOOD.decode())
    assert (ran.status, ran.err) == (0, "")


# --- how far it is --------------------------------------------------------------------------

_SLOWLY = """
import sys, time
from git_opatch.report.progress import watched

def slowly():
    for number in range(4):
        time.sleep(float(sys.argv[1]))
        yield number

for number in watched(slowly(), 4):
    print(number, flush=True)
"""


def _watched(repo: Sandbox, seconds: str, env: dict[str, str]) -> str:
    (repo.path / "watched.py").write_text(_SLOWLY)
    return in_terminal(repo, "watched.py", seconds, env=env, program=sys.executable)[1]


def test_a_bar_for_what_takes_longer_than_a_second(repo: Sandbox) -> None:
    """It is gone from its line before anything else is written there."""
    seen = _watched(repo, "0.6", {"NO_COLOR": "1"})
    assert seen.startswith("0\n1\n2 of 4 ")
    assert seen.count("\r\x1b[2K") == seen.count(" of 4 ") == 2
    assert re.sub(r"\d of 4 [^\r]*\r\x1b\[2K", "", seen) == "0\n1\n2\n3\n"


def test_no_bar_for_what_is_done_at_once(repo: Sandbox) -> None:
    assert _watched(repo, "0", {}) == "0\n1\n2\n3\n"


def test_no_bar_where_nobody_looks_on(repo: Sandbox) -> None:
    assert _watched(repo, "0.6", {"TERM": "dumb"}) == "0\n1\n2\n3\n"
    ran = repo.run(sys.executable, "-c", _SLOWLY, "0.6")
    assert (ran.out, ran.err) == (b"0\n1\n2\n3\n", "")


def test_the_verdicts_are_the_same_beside_a_bar(repo: Sandbox) -> None:
    repo.commit({"a": "one\n", "p": envelope(b"*** Update File: a\n@@\n-one\n+1\n")})
    status, seen = in_terminal(repo, "check", *["p"] * 15, env={"NO_COLOR": "1"})
    lines = re.sub(r"\d+ of 15 [^\r]*\r\x1b\[2K", "", seen).splitlines()
    assert (status, lines) == (0, ["p: would apply (1 file)"] * 15)


def test_the_help_tells_it_from_a_check_of_apply(repo: Sandbox) -> None:
    said = " ".join(repo.opatch("check", "-h").out.decode().split())
    assert "`git opatch apply --check` takes all files as one patch instead" in said
