"""`git opatch check`: each patch by itself, and commands."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from phrases import said
from sandbox import Sandbox
from terminal import in_terminal
from writers import envelope

from git_opatch.model.sentences import Fault

GOOD = envelope(b"*** Update File: f\n@@\n-a\n+b\n", b"*** Add File: n\n+n\n")
STALE = envelope(b"*** Update File: f\n@@\n-no\n+b\n")
SECOND = envelope(b"*** Update File: f\n@@\n-b\n+c\n")
HEREDOC = "apply_patch <<'EOF'\n" + GOOD.decode() + "EOF\n"


@pytest.fixture
def base(repo: Sandbox, tmp_path: Path) -> Sandbox:
    repo.commit({"f": "a\nz\n", "sub/f": "a\ny\n"})
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
        "2 of 3 patches apply",
    ]
    assert ran.status == 1
    assert ran.err.startswith(
        f"  error: f: hunk 1 of 1 {said(Fault.NOTHING_FOUND.sentence, base='the index')}"
    )
    assert "\n    ../stale:4\n" in ran.err
    assert base.opatch("apply", "--check", "../good", "../stale", "../good").status == 1


def test_a_patch_that_needs_another_does_not_apply(base: Sandbox) -> None:
    assert base.opatch("apply", "--check", "../good", "../second").status == 0
    ran = base.opatch("check", "../good", "../second")
    assert (ran.status, ran.out.count(b"would apply")) == (1, 1)


def test_the_worst_status_is_given(base: Sandbox) -> None:
    assert base.opatch("check", "../good").status == 0
    for bad in ("../none", "../missing"):
        ran = base.opatch("check", bad, "../stale", "../good")
        assert ran.status == 128
        first, second, third, last = ran.out.decode().splitlines()
        assert first.startswith(f"{bad}: ")
        assert last == "1 of 3 patches apply"
        assert (second, third) == ("../stale: does not apply", "../good: would apply (2 files)")
        assert ran.err.startswith("  error: ")


def test_the_verdict_is_above_its_reasons(base: Sandbox) -> None:
    loose = envelope(b"*** Update File: f\n@@\n-  a\n+  b\n")
    base.write(".git/loose", loose)
    base.write(".git/there", envelope(b"*** Update File: f\n@@\n-before\n+a\n z\n"))
    words = "git opatch check ../stale .git/loose .git/there ../good 2>&1"
    lines = base.run("sh", "-c", words).out.decode().splitlines()
    assert [line for line in lines if line[0] != " "] == [
        "../stale: does not apply",
        ".git/loose: would apply (1 file)",
        ".git/there: is already applied",
        "../good: would apply (2 files)",
        "2 of 4 patches apply",
    ]
    assert lines[1].startswith(
        f"  error: f: hunk 1 of 1 {said(Fault.NOTHING_FOUND.sentence, base='the index')}"
    )
    assert lines[lines.index(".git/loose: would apply (1 file)") + 1].startswith(
        "  note: f: hunk 1"
    )
    verbose = base.opatch("check", "-v", ".git/loose").out.decode().splitlines()
    assert verbose[:2] == [".git/loose: would apply (1 file)", "  M f (+1 -1)"]


def test_a_patch_is_read_from_standard_input(base: Sandbox) -> None:
    for words in ([], ["-"]):
        ran = base.opatch("check", *words, feed=GOOD)
        assert (ran.status, ran.out, ran.err) == (0, b"standard input: would apply (2 files)\n", "")


def test_quiet_prints_nothing(base: Sandbox) -> None:
    ran = base.opatch("check", "-q", "../good", "../stale")
    assert (ran.status, ran.out) == (1, b"../stale: does not apply\n1 of 2 patches apply\n")
    assert base.opatch("check", "-q", "../good").out == b""


def test_applied_patches_pass_with_skip_applied(base: Sandbox) -> None:
    """With --skip-applied it passes, applied in whole or in part; other failures remain."""
    applied = envelope(b"*** Update File: f\n@@\n-before\n+a\n z\n")
    part = envelope(b"*** Update File: f\n@@\n-before\n+a\n z\n", b"*** Add File: n\n+n\n")
    assert base.opatch("check", feed=applied).status == 1
    ran = base.opatch("check", "--skip-applied", feed=applied)
    assert (ran.status, ran.out) == (
        0,
        b"standard input: nothing to do: the patch is already applied\n",
    )
    assert ran.err.endswith("are at line 1; skipped\n")
    ran = base.opatch("check", "--skip-applied", feed=part)
    assert (ran.status, ran.out) == (0, b"standard input: would apply (1 file)\n")
    for command in (["check"], ["apply", "--check"], ["apply"]):
        ran = base.opatch(*command, "-q", "--skip-applied", feed=applied)
        assert (ran.status, ran.out, ran.err) == (0, b"", ""), command
    assert base.opatch("check", "--skip-applied", feed=STALE).status == 1
    ran = base.opatch("check", "--skip-applied", "--json", feed=applied)
    assert b'"status": "nothing_to_do"' in ran.out


def test_the_target_can_be_chosen(base: Sandbox) -> None:
    base.write("f", "b\n")
    assert base.opatch("check", "../second").status == 1
    assert base.opatch("check", "--worktree", "../second").status == 0
    base.git("add", "f")
    assert base.opatch("check", "../second").status == 0
    ran = base.opatch("check", "--base", "HEAD", "../second")
    assert (ran.status, said(Fault.NOTHING_FOUND.sentence, base="`HEAD`") in ran.err) == (1, True)
    ran = base.opatch("check", "--base", "HEAD", "--worktree", "../second")
    assert (ran.status, "exclude one another" in ran.err) == (129, True)


def test_the_options_of_apply_are_honoured(base: Sandbox, tmp_path: Path) -> None:
    sub = tmp_path / "sub.txt"
    sub.write_bytes(envelope(b"*** Update File: f\n@@\n a\n-y\n+b\n"))
    assert base.opatch("check", str(sub)).status == 1
    assert base.opatch("check", "--directory", "sub", str(sub)).status == 0
    assert base.opatch("check", "--format", "unified", "../good").status == 128
    sub.write_bytes(envelope(b"*** Update File: f\n@@\n-  a\n+b\n"))
    assert base.opatch("check", str(sub)).status == 0
    assert base.opatch("check", "--match", "strict", str(sub)).status == 1
    sub.write_bytes(envelope(b"*** Add File: f\n+b\n"))
    assert base.opatch("check", str(sub)).status == 1
    assert base.opatch("check", "--overwrite", str(sub)).status == 0


@pytest.mark.parametrize(
    "words",
    [
        ["apply_patch", GOOD.decode()],
        ["bash", "-lc", HEREDOC],
        ["sh", "-c", f"cd sub/.. && {HEREDOC}"],
    ],
)
def test_a_call_of_apply_patch_is_checked(base: Sandbox, words: list[str]) -> None:
    before = base.state()
    ran = base.opatch("check", "--argv", "--", *words)
    assert (ran.status, ran.out, ran.err) == (0, b"apply_patch: would apply (2 files)\n", "")
    assert base.opatch("check", "--argv", "-q", "--", *words).out == b""
    assert base.state() == before


def test_a_command_that_is_not_a_call_is_refused(base: Sandbox) -> None:
    for words in (["bash", "-lc", "ls"], ["ls"], [], ["bash", "-lc", f"ls && {HEREDOC}"]):
        ran = base.opatch("check", "--argv", "--", *words)
        assert (ran.status, ran.out, ran.err) == (1, b"", "error: not a call of apply_patch\n")


def test_options_that_a_call_does_not_take_are_errors(base: Sandbox) -> None:
    for option in (["--directory", "sub"], ["--format", "unified"]):
        ran = base.opatch("check", "--argv", *option, "--", "apply_patch", GOOD.decode())
        assert (ran.status, "--argv excludes" in ran.err) == (129, True)


def test_a_call_in_a_plain_directory_is_checked(base: Sandbox, tmp_path: Path) -> None:
    patch = envelope(b"*** Update File: f\n@@\n a\n-y\n+b\n").decode()
    words = ("check", "--argv", "--", "apply_patch", patch)
    assert base.opatch(*words).status == 1
    assert base.opatch(*words, cwd=base.path / "sub").status == 0
    plain = tmp_path / "plain"
    plain.mkdir()
    ran = base.opatch(*words, cwd=plain)
    assert ran.status == 1
    assert ran.err.startswith(
        f"  error: f: {said(Fault.MISSING_FILE.sentence, base='the working tree')}\n"
        "    patch line 2\n"
    )
    (plain / "f").write_text("a\ny\n")
    assert base.opatch(*words, cwd=plain).status == 0
    assert base.opatch("check", cwd=plain, feed=GOOD).status == 128
    ran = base.opatch("check", "--argv", "--base", "HEAD", "--", "apply_patch", patch, cwd=plain)
    assert (ran.status, "no repository" in ran.err) == (128, True)


def test_patches_are_checked_in_a_bare_repository(base: Sandbox, tmp_path: Path) -> None:
    base.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare"))
    bare = Sandbox(tmp_path / "bare")
    ran = bare.opatch("check", feed=GOOD)
    assert (ran.status, "; `--base TREE-ISH` works without one\n" in ran.err) == (128, True)
    assert bare.opatch("check", "--base", "main", feed=GOOD).status == 0
    ran = bare.opatch("check", "--argv", "--base", "main", "--", "apply_patch", GOOD.decode())
    assert (ran.status, ran.err) == (0, "")


# --- progress -------------------------------------------------------------------------------

_SLOWLY = """
import sys, time
from git_opatch.report.terminal import with_progress

def slowly():
    for number in range(4):
        time.sleep(float(sys.argv[1]))
        yield number

for number in with_progress(slowly(), 4):
    print(number, flush=True)
"""


def _with_progress(repo: Sandbox, seconds: str, env: dict[str, str]) -> str:
    (repo.path / "with_progress.py").write_text(_SLOWLY)
    return in_terminal(repo, "with_progress.py", seconds, env=env, program=sys.executable)[1]


def test_progress_appears_after_a_second(repo: Sandbox) -> None:
    """It is erased before anything else is written on its line."""
    seen = _with_progress(repo, "0.6", {"NO_COLOR": "1"})
    assert seen == "0\n1\n\r\x1b[K2 of 4\r\x1b[K2\n\r\x1b[K3 of 4\r\x1b[K3\n"


def test_a_short_run_has_no_progress(repo: Sandbox) -> None:
    assert _with_progress(repo, "0", {}) == "0\n1\n2\n3\n"


def test_no_progress_without_a_terminal(repo: Sandbox) -> None:
    assert _with_progress(repo, "0.6", {"TERM": "dumb"}) == "0\n1\n2\n3\n"
    ran = repo.run(sys.executable, "-c", _SLOWLY, "0.6")
    assert (ran.out, ran.err) == (b"0\n1\n2\n3\n", "")


_TIMED = """
import sys, time
from git_opatch.report.terminal import timed

with timed("undo"):
    time.sleep(float(sys.argv[1]))
print("done")
"""


@pytest.mark.parametrize(
    ("seconds", "env", "shown"),
    [
        ("2.5", {}, "\r\x1b[Kundo: 1 s\r\x1b[Kundo: 2 s\r\x1b[K"),
        ("0.1", {}, ""),
        ("1.5", {"TERM": "dumb"}, ""),
    ],
)
def test_long_work_says_how_long_it_takes(
    repo: Sandbox, seconds: str, env: dict[str, str], shown: str
) -> None:
    (repo.path / "timed.py").write_text(_TIMED)
    seen = in_terminal(repo, "timed.py", seconds, env=env, program=sys.executable)[1]
    assert seen == f"{shown}done\n"


def test_progress_does_not_change_the_verdicts(repo: Sandbox) -> None:
    repo.commit({"a": "one\n", "p": envelope(b"*** Update File: a\n@@\n-one\n+1\n")})
    status, seen = in_terminal(repo, "check", *["p"] * 15, env={"NO_COLOR": "1"})
    lines = re.sub(r"\d+ of 15 [^\r]*\r\x1b\[2K", "", seen).splitlines()
    assert (status, lines) == (0, [*["p: would apply (1 file)"] * 15, "15 of 15 patches apply"])


def test_the_help_compares_it_with_apply_check(repo: Sandbox) -> None:
    help_text = " ".join(repo.opatch("check", "-h").out.decode().split())
    assert "`git opatch apply --check` takes all files as one patch instead" in help_text
