"""`apply --interactive`: git asks, at a real terminal, and what was chosen is applied."""

from __future__ import annotations

import os
import re
import select
import subprocess
import time
from pathlib import Path

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from phrases import said
from sandbox import Sandbox
from terminal import in_terminal
from writers import envelope

from git_opatch.cli.interactive import Marks
from git_opatch.model.sentences import Fault

_LINES = [f"{n}\n" for n in range(1, 31)]
_FILE = "".join(_LINES)
_PATCH = envelope(
    b"*** Update File: f\n@@\n-1\n+one\n@@\n-15\n+fifteen\n@@\n-30\n+thirty\n",
    b"*** Add File: n\n+n\n",
)


def _with(*numbers: int) -> bytes:
    words = {1: "one\n", 15: "fifteen\n", 30: "thirty\n"}
    lines = [words[n] if n in numbers else line for n, line in enumerate(_LINES, 1)]
    return "".join(lines).encode()


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": _FILE})
    repo.write(".git/p", _PATCH)
    return repo


def _asked(
    repo: Sandbox, answers: str, *words: str, env: dict[str, str] | None = None
) -> tuple[int, str]:
    """Type `answers`, each a line, at the terminal; return the status and what it shows."""
    typed = "".join(f"{answer}\n" for answer in answers.split(","))
    words = ("apply", "--interactive", *words, ".git/p")
    return in_terminal(repo, *words, typed=typed, env=env)


@pytest.mark.parametrize(
    ("answers", "numbers", "added"),
    [
        ("y,y,y,y", (1, 15, 30), True),
        ("n,y,n,y", (15,), True),
        ("y,q", (1,), False),
        ("a,n", (1, 15, 30), False),
        ("n,d,y", (), True),
        ("j,j,y,y,n,n", (1, 30), False),
        ("?,y,q", (1,), False),
        ("g,3,y,n,n,n", (30,), False),
        ("/thirty,y,n,n,n", (30,), False),
        ("y,\x04", (1,), False),
    ],
)
def test_the_answers_are_gits(
    base: Sandbox, answers: str, numbers: tuple[int, ...], added: bool
) -> None:
    status, shown = _asked(base, answers)
    assert status == 0, shown
    assert base.read("f") == _with(*numbers)
    assert (base.path / "n").exists() is added
    assert re.search(r"\(1/3\) Apply this hunk to index \[y,n,q,a,d,j", shown)
    assert base.git("diff") == b""


@pytest.mark.parametrize("answers", ["n,n,n,n", "q", "d,n", "\x04"])
def test_nothing_chosen_changes_nothing(base: Sandbox, answers: str) -> None:
    before = base.state()
    status, shown = _asked(base, answers)
    assert (status, "no hunk was chosen; nothing was changed" in shown) == (0, True)
    assert base.state() == before


def test_a_hunk_is_split_and_its_parts_are_undone_alone(base: Sandbox) -> None:
    base.write(".git/p", envelope(b"*** Update File: f\n@@\n-1\n+one\n 2\n-3\n+three\n"))
    status, shown = _asked(base, "s,n,y")
    assert (status, "Split into 2 hunks." in shown) == (0, True), shown
    assert base.read("f") == _FILE.replace("\n3\n", "\nthree\n").encode()
    assert base.opatch("undo").status == 0
    assert base.read("f") == _FILE.encode()


def test_one_of_twins_is_applied_where_it_was_shown(repo: Sandbox) -> None:
    """Both changes have the same lines around them: the place that was shown is meant."""
    block = "".join(f"{n}\n" for n in range(9))
    repo.commit({"f": block * 4})
    repo.write(".git/p", envelope(b"*** Update File: f\n" + b"@@\n 3\n-4\n+four\n 5\n" * 4))
    status, shown = _asked(repo, "n,n,y,n")
    assert status == 0, shown
    assert repo.read("f").decode() == block * 2 + block.replace("4", "four") + block


@pytest.mark.parametrize("answers", ["y,y", "y,n", "n,y"])
def test_a_move_is_two_questions_and_stays_one_move(repo: Sandbox, answers: str) -> None:
    repo.commit({"old": "a\nb\n", "other": "1\n"})
    text = b"*** Update File: old\n*** Move to: d/name\n@@\n a\n-b\n+B\n"
    repo.write(".git/p", envelope(text + b"*** Update File: other\n@@\n-1\n+2\n"))
    status, shown = _asked(repo, f"{answers},n")
    assert status == 0, shown
    assert "Apply deletion to index" in shown
    assert "Apply addition to index" in shown
    added, gone = answers.split(",")
    wanted = [("d/name", added == "y"), ("old", gone == "n"), ("other", True)]
    assert [*repo.index()] == [name for name, is_there in wanted if is_there]
    assert repo.read("other") == b"1\n"
    assert ("1 file moved" in shown) is (answers == "y,y"), shown


@pytest.mark.parametrize("answers", ["y", "n"])
def test_modes_new_and_deleted_files_and_links_are_asked_for(repo: Sandbox, answers: str) -> None:
    repo.commit({"run": "x\n", "gone": "1\n", "void": "", "bin": "\0\1\n", "both": "1\n2\n"})
    repo.write("both", "1\n3\n")
    (repo.path / "both").chmod(0o755)
    (repo.path / "run").chmod(0o755)
    for name in ("gone", "void"):
        (repo.path / name).unlink()
    repo.write("empty", "")
    repo.write("new", "n\n").chmod(0o755)
    os.symlink("run", repo.path / "link")
    repo.git("add", "-A")
    repo.write("keep", "k\n")
    repo.git("add", "keep")
    repo.git("commit", "-q", "-m", "all")
    target = repo.index()
    repo.write("keep", "K\n")
    patch = repo.git("diff", "--no-renames", "HEAD^", "--", ".", ":!keep")
    patch += repo.git("diff")
    repo.git("reset", "-q", "--hard", "HEAD^")
    repo.write("keep", "k\n")
    repo.git("add", "keep")
    repo.write(".git/p", patch)
    before = repo.index()
    # in the order of git: both (its mode, its line), empty, gone, keep, link, new, run, void
    status, shown = _asked(repo, ",".join([answers] * 4 + ["n"] + [answers] * 4))
    assert status == 0, shown
    for question in ("mode change", "deletion", "addition", "this hunk"):
        assert f"Apply {question} to index" in shown
    if answers == "n":
        assert repo.index() == before
    else:
        assert repo.index() == target
        assert repo.read("keep") == b"k\n"


def test_a_move_of_a_binary_file_is_asked_for_whole(repo: Sandbox) -> None:
    """Git does not ask for a new binary file: here it is text."""
    repo.commit({"bin": b"\0\x1b[2J\xff\n", "f": "1\n"})
    text = b"*** Update File: bin\n*** Move to: nib\n*** Update File: f\n@@\n-1\n+2\n"
    repo.write(".git/p", envelope(text))
    status, shown = _asked(repo, "y,n,y")
    assert status == 0, shown
    assert "<U+0><U+1B>[2J<ff>" in shown
    assert repo.read("nib") == b"\0\x1b[2J\xff\n"
    assert not (repo.path / "bin").exists()
    assert repo.read("f") == b"1\n"


_OBEYED = re.compile(r"\x1b(?!\[[0-9;]*m)|[\x00-\x06\x0b-\x0c\x0e-\x1a\x7f-\x9f\u202e]")


@pytest.mark.parametrize("colour", ["always", "false"])
@pytest.mark.parametrize("answers", ["y,n", "n,y"])
def test_what_a_terminal_obeys_is_shown_as_marks(repo: Sandbox, colour: str, answers: str) -> None:
    """Also with the colours of git, of which the patch must not have one, and in the header."""
    repo.git("config", "color.ui", colour)
    repo.commit({"f": "def \x1b[8mf():\n" + _FILE + "a\x1b[2Jb <U+1B>\n" + _FILE + "end\r\n"})
    text = "*** Update File: f\n@@\n-a\x1b[2Jb <U+1B>\n+\x1b]0;t\x07\u202e\x9b2J<U+1B>\n"
    repo.write(".git/p", envelope((text + "@@\n-end\r\n+\x1b[31mEND\r\n").encode()))
    status, shown = _asked(repo, answers)
    assert status == 0, shown
    asked = shown[: shown.index("Apply this hunk")]
    assert not _OBEYED.search(asked), asked
    assert "\x1b[8m" not in shown
    assert "\x1b[31mEND" not in shown
    assert ("\x1b[32m" in shown) is (colour == "always")
    assert "a<<U+1B>>[2Jb <U+1B>" in asked
    one, other = (f"{answers},".split(",")[at] == "y" for at in (0, 1))
    content = repo.read("f").decode()
    assert ("\x1b]0;t\x07\u202e\x9b2J<U+1B>\n" in content) is one
    assert ("a\x1b[2Jb <U+1B>\n" in content) is not one
    assert content.endswith("\x1b[31mEND\r\n") is other
    assert content.startswith("def \x1b[8mf():\n")


def test_a_path_is_quoted_as_by_git(repo: Sandbox) -> None:
    repo.git("config", "core.quotePath", "false")
    repo.commit({"a\u202eb\x1b[2J": "1\n"})
    repo.write("a\u202eb\x1b[2J", "2\n")
    repo.write(".git/p", repo.git("diff"))
    repo.git("checkout", "-q", "--", ".")
    _, shown = _asked(repo, "n")
    assert not _OBEYED.search(shown), shown
    assert r"a\342\200\256b\033[2J" in shown


@examples(30)
@given(st.lists(st.text("<U+1B>e9\x1b\r\n\t\udcff\u202e\xe9 a", max_size=12), max_size=3))
def test_a_mark_becomes_its_character_again(texts: list[str]) -> None:
    data = [text.encode(errors="surrogateescape") for text in texts]
    marks = Marks(data)
    for text in data:
        put = marks.put(text)
        assert marks.take(put) == text
        assert not _OBEYED.search(put.decode())
        assert b"\r" not in put.replace(b"\r\n", b"")


def test_the_users_filter_and_settings_count_and_those_that_change_lines_do_not(
    base: Sandbox,
) -> None:
    base.write(".git/p", _PATCH.replace(b"+one\n", b"+one \n"))
    base.git("config", "interactive.diffFilter", "sed 's/one/ONE/'")
    base.git("config", "apply.whitespace", "fix")
    base.git("config", "color.ui", "always")
    base.git("config", "color.diff.new", "blue")
    status, shown = _asked(base, "y,q")
    assert status == 0, shown
    assert "\x1b[34m+" in shown
    assert "ONE" in shown
    assert base.read("f") == _with(1).replace(b"one\n", b"one \n")


def test_no_hook_filter_or_attribute_of_the_user_has_a_say(base: Sandbox) -> None:
    base.commit({".gitattributes": "f -diff filter=x\nn -diff\n"})
    for setting in ("clean", "smudge"):
        base.git("config", f"filter.x.{setting}", f"echo {setting} >>.git/ran; cat")
    base.opatch("apply", "--check", ".git/p")
    count = (base.read(".git/ran") if (base.path / ".git/ran").exists() else b"").count(b"\n")
    hook = base.write(".git/hooks/post-index-change", "#!/bin/sh\necho hook >>.git/hooked\n")
    hook.chmod(0o755)
    before = base.state()
    status, shown = _asked(base, "q")
    assert (status, "Apply this hunk" in shown) == (0, True)
    assert not (base.path / ".git/hooked").exists()
    ran = (base.read(".git/ran") if (base.path / ".git/ran").exists() else b"").count(b"\n")
    assert ran <= 2 * count + 1  # what the plan asks, and no more
    assert base.state() == before


def _with_editor(repo: Sandbox, command: str) -> dict[str, str]:
    """Let the editor of git be a command of the shell on the file, `$1`."""
    repo.write(".git/editor", f"#!/bin/sh\n{command}\n")
    (repo.path / ".git/editor").chmod(0o755)
    return {"GIT_EDITOR": "./.git/editor", "TERM": "xterm"}


def test_a_hunk_can_be_edited(base: Sandbox) -> None:
    env = _with_editor(base, "sed -i 's/^+one$/+uno/' \"$1\"")
    status, shown = _asked(base, "e,q", env=env)
    assert status == 0, shown
    assert base.read("f") == _with(1).replace(b"one", b"uno")
    assert base.opatch("undo").status == 0
    assert base.read("f") == _FILE.encode()


def test_a_mark_may_be_edited(base: Sandbox) -> None:
    base.write(".git/p", envelope(b"*** Update File: f\n@@\n-1\n+\x1b[0mone\n"))
    env = _with_editor(base, "sed -i 's/^+.*one$/&<U+1B>[1m/' \"$1\"")
    status, shown = _asked(base, "e", env=env)
    assert status == 0, shown
    assert base.read("f").startswith(b"\x1b[0mone\x1b[1m\n")


def test_an_edited_hunk_must_apply(base: Sandbox) -> None:
    env = _with_editor(base, "sed -i 's/^-1$/-none/' \"$1\"")
    before = base.state()
    status, shown = _asked(base, "e,n,q", env=env)
    assert (status, "Your edited hunk does not apply." in shown) == (0, True), shown
    assert base.state() == before


def test_an_editor_that_fails_ends_the_run(base: Sandbox) -> None:
    env = _with_editor(base, "exit 3")
    before = base.state()
    status, shown = _asked(base, "y,e,y,y", env=env)
    assert (status, "the editor ended with status 3" in shown) == (128, True), shown
    assert base.state() == before


def test_what_does_not_apply_is_named_and_not_asked_for(base: Sandbox) -> None:
    base.write(".git/p", _PATCH.replace(b"-15\n", b"-XV\n"))
    status, shown = _asked(base, "y,n,y")
    assert status == 0, shown
    assert re.search(r"left out: \[\w+\] f: hunk 2 of 3: refused: does not match", shown)
    assert "(1/2) Apply this hunk" in shown
    assert base.read("f") == _with(1)
    base.git("reset", "-q", "--hard")
    assert _asked(base, "y,y,y")[0] == 0
    assert base.read("f") == _with(1, 30)


def test_nothing_is_asked_where_nothing_applies(base: Sandbox) -> None:
    before = base.state()
    base.write(".git/p", envelope(b"*** Update File: f\n@@\n-none\n+nothing\n"))
    status, shown = _asked(base, "y")
    assert (status, "Apply this" in shown) == (1, False)
    assert said(Fault.NOT_FOUND.sentence, base="the index") in " ".join(shown.split())
    assert base.state() == before


@pytest.mark.parametrize("option", ["--json", "--partial", "--reject", "--3way"])
def test_what_excludes_it_is_said(base: Sandbox, option: str) -> None:
    before = base.state()
    status, shown = _asked(base, "y", option)
    assert (status, "Apply this" in shown) == (129, False)
    assert base.state() == before


def test_only_what_is_selected_is_asked_for(base: Sandbox) -> None:
    status, shown = _asked(base, "y,n", "--except", "f:2", "--except", "n")
    assert status == 0
    assert base.read("f") == _with(1)
    assert "left out: " in shown
    assert "-15" not in shown


def test_paths_below_a_directory_and_unstaged_changes(repo: Sandbox) -> None:
    repo.commit({"d/f": _FILE})
    repo.write("d/f", _FILE.replace("8\n", "acht\n", 1))
    repo.write(".git/p", _PATCH)
    status, shown = _asked(repo, "n,y,n,n", "--directory", "d", "--carry")
    assert status == 0, shown
    assert repo.git("show", ":d/f") == _with(15)
    assert repo.read("d/f") == _with(15).replace(b"8\n", b"acht\n", 1)


@pytest.mark.parametrize("target", ["--worktree", "--cached"])
def test_one_side_alone(base: Sandbox, target: str) -> None:
    status, shown = _asked(base, "n,y,n,n", target)
    assert status == 0, shown
    sides = base.read("f"), base.git("show", ":f")
    assert sides[target == "--cached"] == _with(15)
    assert sides[target == "--worktree"] == _FILE.encode()


def test_in_reverse_a_part_is_undone(base: Sandbox) -> None:
    assert base.opatch("apply", ".git/p").status == 0
    status, shown = _asked(base, "n,y,n,n", "-R")
    assert status == 0, shown
    assert base.read("f") == _with(1, 30)
    assert (base.path / "n").exists()
    status, shown = _asked(base, "a,a", "-R", "--except", "f:2")
    assert status == 0, shown
    assert base.read("f") == _FILE.encode()
    assert not (base.path / "n").exists()


def test_one_mail_is_committed_in_part_and_several_are_refused(base: Sandbox) -> None:
    for name in ("g", "h"):
        base.write("f", base.read("f").replace(b"30\n", b"30\n%s\n" % name.encode()))
        base.write("f", base.read("f").replace(b"1\n", b"1\n%s\n" % name.encode(), 1))
        base.git("commit", "-qam", f"Add {name}")
    mails = base.git("format-patch", "--stdout", "-2")
    base.git("reset", "-q", "--hard", "HEAD~2")
    head = base.git("rev-parse", "HEAD")
    base.write(".git/p", mails)
    status, shown = _asked(base, "y", "--commit")
    assert (status, "asks about one mail" in shown, base.git("rev-parse", "HEAD") == head) == (
        129, True, True,
    )  # fmt: skip
    base.write(".git/p", mails[: mails.index(b"\nFrom ", 1) + 1])
    status, shown = _asked(base, "y,n", "--commit")
    assert status == 0, shown
    assert base.git("log", "-1", "--format=%s") == b"Add g\n"
    assert base.read("f") == _FILE.replace("1\n", "1\ng\n", 1).encode()


def test_without_a_terminal_it_is_a_usage_error(base: Sandbox) -> None:
    before = base.state()
    ran = subprocess.run(
        ["git-opatch", "apply", "-p", ".git/p"],
        cwd=base.path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        start_new_session=True,
    )
    assert ran.returncode == 129
    assert "not a terminal" in ran.stderr
    assert "`--only`" in ran.stderr
    assert base.state() == before


@pytest.mark.parametrize("place", ["prompt", "editor"])
def test_ctrl_c_ends_it_at_the_question_and_not_in_an_editor(
    base: Sandbox, tmp_path: Path, place: str
) -> None:
    """In a session of its own, whose terminal sends the interrupt to all its processes."""
    before = base.state()
    started = tmp_path / "started"
    base.write(".git/editor", f"#!/bin/sh\ntrap '' INT\ntouch {started}\nsleep 1\n").chmod(0o755)
    before = base.state()
    ours, theirs = os.openpty()
    os.write(ours, b"y\n" + b"e\n" * (place == "editor"))
    process = subprocess.Popen(
        ["setsid", "--ctty", "--wait", "git-opatch", "apply", "-p", ".git/p"],
        cwd=base.path,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "GIT_EDITOR": str(base.path / ".git/editor"), "TERM": "xterm"},
    )
    os.close(theirs)
    shown, is_sent, is_quit = b"", False, False
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            shown += os.read(ours, 65536) if select.select([ours], [], [], 0.1)[0] else b""
        except OSError:
            break
        is_there = b"(2/3) Apply" in shown if place == "prompt" else started.exists()
        if is_there and not is_sent:
            time.sleep(0.2)
            os.write(ours, b"\x03")
            is_sent = True
        if is_sent and not is_quit and b"(3/3) Apply" in shown:
            os.write(ours, b"q\n")
            is_quit = True
    os.close(ours)
    status = process.wait(timeout=60)
    if place == "prompt":
        assert (status, b"interrupted; nothing was changed" in shown) == (130, True), shown
        assert base.state() == before
    else:
        assert status == 0, shown
        assert base.read("f") == _with(1, 15)
