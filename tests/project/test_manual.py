"""The manual page and the completions: up to date, complete, and found by git, man and bash."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from sandbox import Sandbox
from writers import envelope

from make import TOP, generate

_COMMANDS = ("apply", "show", "undo", "redo", "log", "check", "convert", "create", "leftovers",
             "install-agent", "recover", "demo", "agent-hook", "apply-patch", "mcp", "prompt",
             "batch")  # fmt: skip
_PAGE = TOP / "manual" / "git-opatch.1"
_OF_GIT = Path("/usr/share/bash-completion/completions/git")

needs_man = pytest.mark.skipif(not shutil.which("man"), reason="man is not installed")
needs_completion = pytest.mark.skipif(
    not _OF_GIT.exists(), reason="git's completion for bash is not installed"
)


def _options(repo: Sandbox, command: str) -> set[str]:
    """List every spelling of every option in the help of the command."""
    ran = repo.opatch(command, "-h")
    assert (ran.status, ran.err) == (0, "")
    lines = re.findall(r"(?m)^  (--?\w.*)$", ran.out.decode())
    return {flag for line in lines for flag in re.findall(r"(?:^|, )(--?[\w-]+)", line)}


@pytest.mark.parametrize("path", generate(), ids=lambda path: path.name)
def test_the_generated_files_are_up_to_date(path: Path) -> None:
    assert path.read_text("utf-8") == generate()[path], "run: python manual/make.py"


@pytest.mark.parametrize("command", _COMMANDS)
def test_every_option_is_in_the_page(repo: Sandbox, command: str) -> None:
    section = _PAGE.read_text("utf-8").replace("\\-", "-").split(f".SS git opatch {command}\n")[1]
    documented = set(re.findall(r"\\fB(--?[\w-]+)\\fR", section.split("\n.S")[0]))
    options = _options(repo, command)
    assert "--help" in options
    assert options <= documented


def test_every_command_is_tested(repo: Sandbox) -> None:
    shown = repo.opatch("-h").out.decode().partition("Every day:")[2]
    assert set(re.findall(r"(?m)^  ([\w-]+)", shown)) == set(_COMMANDS)
    listed = re.findall("<!-- options of (.+) -->", (TOP / "docs/commands.md").read_text())
    assert len(listed) == len(set(listed))
    has_options = {name for name in _COMMANDS if len(_options(repo, name)) > 2}
    assert has_options - {"redo"} == set(listed)  # which has those of undo
    assert re.fullmatch(rb"git-opatch \d+\.\d+\.\d+\n", repo.opatch("--version").out)


@needs_man
@pytest.mark.parametrize("words", [["help", "opatch"], ["opatch", "--help"]])
def test_git_help_shows_the_page(repo: Sandbox, words: list[str]) -> None:
    """Git runs man, which searches beside the program's directory on PATH."""
    ran = repo.run("git", *words, env={"MANPAGER": "cat", "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith(b"GIT-OPATCH(1)")
    assert b"--skip-applied" in ran.out


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_the_page_has_no_warnings(repo: Sandbox) -> None:
    ran = repo.run("groff", "-man", "-ww", "-Tutf8", str(_PAGE))
    assert (ran.status, ran.err) == (0, "")


def test_the_files_are_installed_where_they_are_looked_up() -> None:
    share = Path(sys.prefix) / "share"
    for name in (
        "man/man1/git-opatch.1",
        "bash-completion/completions/git-opatch",
        "zsh/site-functions/_git-opatch",
        "fish/vendor_completions.d/git-opatch.fish",
    ):
        assert (share / name).is_file(), name


_COMPLETE = r"""
source "$1"
source "$2"
words=($3)
[[ $3 == *" " ]] && words+=("")
COMP_WORDS=("${words[@]}") COMP_CWORD=$((${#words[@]} - 1)) COMP_LINE=$3 COMP_POINT=${#3}
__git_wrap__git_main
printf '%s\n' "${COMPREPLY[@]}"
"""


def _completed(repo: Sandbox, line: str) -> list[str]:
    ours = TOP / "completions" / "git-opatch.bash"
    ran = repo.run("bash", "-c", _COMPLETE, "bash", str(_OF_GIT), str(ours), line)
    assert (ran.status, ran.err) == (0, "")
    return ran.out.decode().split()


@needs_completion
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("git opat", ["opatch"]),
        ("git opatch ", list(_COMMANDS)),
        ("git opatch co", ["convert"]),
        ("git opatch -", ["--help", "--version"]),
        ("git opatch apply --skip", ["--skip-applied"]),
        ("git opatch apply --match ", ["strict", "resilient", "fuzzy"]),
        ("git opatch apply --check --match=r", ["resilient"]),
        ("git opatch show --base ma", ["main"]),
        ("git opatch create ma", ["main"]),
        ("git opatch create main..ma", ["main..main"]),
        ("git opatch create -- ma", []),
        ("git opatch convert --skip", []),
        ("git opatch apply pat", []),
        ("git opatch apply --allow ", ["a"]),
        ("git opatch leftovers --allow ", ["a"]),
    ],
)
def test_bash_completes_commands_and_options(repo: Sandbox, line: str, offered: list[str]) -> None:
    """Leave the rest to bash, which completes file names."""
    repo.commit({"a": "a\n"})
    assert _completed(repo, line) == offered


@needs_completion
def test_bash_completes_numbers_of_patches_and_ids_of_hunks(repo: Sandbox) -> None:
    """Offer what can be undone to undo, and what is undone to redo; in one place, both."""
    repo.commit({"f": "a\n1\n2\nb\n3\n4\nc\n5\n6\nd\n"})
    for letter in "abcd":
        hunk = f"*** Update File: f\n@@\n-{letter}\n+{letter * 2}\n"
        assert repo.opatch("apply", feed=envelope(hunk.encode())).status == 0
    for words in (["2"], ["--cached", "4"]):
        assert repo.opatch("undo", *words).status == 0
    repo.write("p.txt", envelope(b"*** Update File: f\n@@\n-1\n+y\n*** Add File: n\n+n\n"))
    ids = re.findall(r"(?m)^(\w+)\t", repo.opatch("show", "--hunks", "p.txt").out.decode())
    assert len(ids) == 2
    for line, offered in (
        ("undo ", {"1", "3", "4"}),
        ("redo ", {"2", "4"}),
        ("log ", {"1", "2", "3", "4"}),
        ("undo 3", {"3"}),
        ("apply p.txt --only ", set(ids)),
        (f"check p.txt --except {ids[1][:3]}", set(ids[1:])),
        ("show --only ", set()),
        ("show nothing --only ", set()),
    ):
        assert set(_completed(repo, f"git opatch {line}")) == offered


def test_exit_status_1_is_described_for_each_option_that_can_end_so() -> None:
    status = _PAGE.read_text().partition(".SH EXIT STATUS")[2].partition(".SH FILES")[0]
    one = status.partition("\\fB1\\fR")[2].partition("\\fB128\\fR")[0]
    for option in ("partial", "reject", "3way", "commit"):
        assert f"\\-\\-{option}" in one


@needs_completion
@pytest.mark.parametrize("command", _COMMANDS)
def test_bash_offers_every_long_option(repo: Sandbox, command: str) -> None:
    long = {option for option in _options(repo, command) if option.startswith("--")}
    assert set(_completed(repo, f"git opatch {command} --")) == long


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completions_have_valid_syntax(repo: Sandbox, shell: str) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    names = {"bash": "git-opatch.bash", "zsh": "_git-opatch", "fish": "git-opatch.fish"}
    ran = repo.run(shell, "-n", str(TOP / "completions" / names[shell]))
    assert (ran.status, ran.out, ran.err) == (0, b"", "")


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_completes_options(repo: Sandbox) -> None:
    script = f"source {TOP}/completions/git-opatch.fish; complete -C 'git opatch apply --skip'"
    ran = repo.run("fish", "-c", script, env={"HOME": os.fspath(repo.path)})
    assert ran.out.startswith(b"--skip-applied\t")
