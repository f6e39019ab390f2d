"""`--allow`, `--deny`, `--expect`: what a patch may touch, and what it was written for."""

from __future__ import annotations

from inspect import signature

import pytest
from sandbox import Ran, Sandbox
from writers import envelope

from git_opatch.batch import task
from git_opatch.cli.commands.mcp import mcp
from git_opatch.cli.groups import PatchOptions
from git_opatch.model.policy import Named
from git_opatch.model.sentences import Fault

_SRC = b"*** Update File: src/f\n@@\n-a\n+b\n"
_LIB = b"*** Update File: lib/g\n@@\n-b\n+c\n"
_BOTH = envelope(_SRC, _LIB)


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"src/f": "a\n", "lib/g": "b\n", "[x]": "x\n", "x": "x\n"})
    return repo


def _forbidden(ran: Ran) -> list[str]:
    """List the paths that a run refused because of the policy."""
    assert ran.status == (1 if ran.err else 0), ran.err
    lines = [line for line in ran.err.splitlines() if line.startswith("error: ")]
    assert all(
        line.endswith((f" {Fault.NOT_ALLOWED.sentence}", f" {Fault.DENIED.sentence}"))
        for line in lines
    ), ran.err
    return [line.split(": ")[1] for line in lines]


def test_pathspecs_are_relative_to_the_current_directory(base: Sandbox) -> None:
    for options, status in (
        (["--allow", "."], 1),
        (["--allow", "f", "--allow", "../lib"], 0),
        (["--allow", ":/"], 0),
        (["--deny", "lib"], 0),
        (["--deny", ":/lib"], 1),
    ):
        ran = base.opatch("apply", "--check", *options, feed=_BOTH, cwd=base.path / "src")
        assert ran.status == status, options


def test_literal_pathspecs_are_honoured(base: Sandbox) -> None:
    patch = envelope(b"*** Update File: x\n@@\n-x\n+y\n")
    assert base.opatch("apply", "--check", "--allow", "[x]", feed=patch).status == 0
    words = ("git", "--literal-pathspecs", "opatch", "apply", "--check", "--allow", "[x]")
    assert _forbidden(base.run(*words, feed=patch)) == ["x"]


def test_the_policy_holds_in_a_bare_repository(base: Sandbox) -> None:
    base.git("clone", "--quiet", "--bare", ".", "bare")
    bare = Sandbox(base.path / "bare")
    words = ("convert", "--base", "main")
    assert bare.opatch(*words, "--allow", "src", "--allow", "lib", feed=_BOTH).status == 0
    assert _forbidden(bare.opatch(*words, "--allow", "src", feed=_BOTH)) == ["lib/g"]


def test_the_policy_can_be_configured(base: Sandbox) -> None:
    base.git("config", "--add", "opatch.allow", "src")
    assert _forbidden(_run(base)) == ["lib/g"]
    assert _forbidden(_run(base, directory="src")) == ["lib/g"]
    assert _forbidden(_run(base, "--allow", ".")) == ["lib/g"]
    base.git("config", "--add", "opatch.allow", "lib")
    assert _forbidden(_run(base, directory="src")) == []
    assert _forbidden(_run(base, "--allow", "lib")) == ["src/f"]
    base.git("config", "opatch.deny", "src/f")
    assert _forbidden(_run(base)) == ["src/f"]
    ran = base.run("git", "-c", "opatch.deny=", "opatch", "apply", "--check", feed=_BOTH)
    assert ran.status == 0, "an empty value takes back those before it"


def _run(base: Sandbox, *options: str, directory: str = ".") -> Ran:
    return base.opatch("apply", "--check", *options, feed=_BOTH, cwd=base.path / directory)


def test_the_policy_holds_in_a_plain_directory(base: Sandbox) -> None:
    plain = base.path.parent / "plain"
    plain.mkdir()
    (plain / "f").write_text("a\n")
    call = ("--", "apply_patch", envelope(b"*** Update File: f\n@@\n-a\n+b\n").decode())
    assert base.opatch("check", "--argv", *call, cwd=plain).status == 0
    ran = base.opatch("check", "--argv", "--deny", "x", *call, cwd=plain)
    assert (ran.status, "not a git repository" in ran.err) == (128, True)
    call = ("--", "apply_patch", _BOTH.decode())
    assert base.opatch("check", "--argv", "--deny", "x", *call).status == 0
    assert base.opatch("check", "--argv", "--deny", "lib", *call).status == 1
    ran = base.opatch("check", "--argv", "--expect", "x=", *call)
    assert (ran.status, "--argv excludes" in ran.err) == (129, True)


def test_expected_paths_are_those_of_the_patch(base: Sandbox) -> None:
    patch = envelope(b"*** Update File: f\n@@\n-a\n+b\n")
    words = ("apply", "--check", "--directory", "src", "--expect")
    whole = base.git("rev-parse", ":src/f").decode().strip()
    assert base.opatch(*words, f"f={whole}", feed=patch, cwd=base.path / "lib").status == 0
    assert base.opatch(*words, f"src/f={whole}", feed=patch).status == 1


def test_what_a_policy_names_can_be_named_wherever_there_is_one() -> None:
    """By a command, in a task of a batch, and by the server, whose tools have a hash instead."""
    named = set(Named._fields)
    assert named <= set(PatchOptions._fields)
    assert named <= task.OPTIONS
    assert named - {"expect"} <= signature(mcp).parameters.keys()
