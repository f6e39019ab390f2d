"""`--allow`, `--deny`, `--expect`: what a patch may touch, and what it was written for."""

from __future__ import annotations

import pytest
from phrases import opening
from sandbox import Ran, Sandbox
from writers import envelope

from git_opatch.model.sentences import Fault

_SRC = b"*** Update File: src/f\n@@\n-a\n+b\n"
_LIB = b"*** Update File: lib/g\n@@\n-b\n+c\n"
_NEW = b"*** Add File: src/new\n+n\n"
_MOVE = b"*** Update File: lib/g\n*** Move to: src/h\n@@\n-b\n+c\n"
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


@pytest.mark.parametrize(
    ("options", "forbidden"),
    [
        (["--allow", "src"], ["lib/g"]),
        (["--allow", "src/"], ["lib/g"]),
        (["--allow", "src", "--allow", "lib"], []),
        (["--allow", "."], []),
        (["--allow", "*f"], ["lib/g"]),
        (["--allow", "*"], []),
        (["--allow", ":(glob)*"], ["lib/g", "src/f"]),
        (["--allow", ":(glob)**/[fg]"], []),
        (["--allow", "SRC", "--allow", "lib"], ["src/f"]),
        (["--allow", ":(icase)SRC", "--allow", "lib"], []),
        (["--allow", ":!lib"], ["lib/g"]),
        (["--deny", "lib"], ["lib/g"]),
        (["--deny", "other"], []),
        (["--deny", ":(exclude)src"], ["lib/g"]),
        (["--allow", "src", "--deny", "src/f"], ["lib/g", "src/f"]),
        (["--allow", "src/f", "--allow", "li"], ["lib/g"]),
    ],
)
def test_pathspecs_match_as_in_git(base: Sandbox, options: list[str], forbidden: list[str]) -> None:
    before = base.state()
    ran = base.opatch("apply", *options, feed=_BOTH)
    assert sorted(_forbidden(ran)) == forbidden
    assert (base.state() == before) is bool(forbidden)


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


def test_new_files_are_judged(base: Sandbox) -> None:
    patch = envelope(_NEW)
    assert _forbidden(base.opatch("apply", "--check", "--allow", "lib", feed=patch)) == ["src/new"]
    assert _forbidden(base.opatch("apply", "--check", "--deny", "*new", feed=patch)) == ["src/new"]
    assert base.opatch("apply", "--allow", "src", feed=patch).status == 0


def test_a_move_touches_both_paths(base: Sandbox) -> None:
    patch = envelope(_MOVE)
    assert _forbidden(base.opatch("apply", "--allow", "src", feed=patch)) == ["lib/g"]
    assert _forbidden(base.opatch("apply", "--allow", "lib", feed=patch)) == ["src/h"]
    assert _forbidden(base.opatch("apply", "--deny", "src/h", feed=patch)) == ["src/h"]
    assert base.opatch("apply", "--allow", "src", "--allow", "lib", feed=patch).status == 0


def test_a_file_that_becomes_a_directory_has_both_paths_judged(base: Sandbox) -> None:
    """Judge both paths, although no index can have both."""
    patch = envelope(b"*** Delete File: x\n", b"*** Add File: x/y/z\n+1\n")
    for options, forbidden in (
        (["--deny", ":(glob)x"], {"x", "x/y/z"}),
        (["--deny", "x/y/z"], {"x/y/z"}),
        (["--deny", ":(glob)?"], {"x"}),
        (["--allow", ":(glob)x/**"], {"x"}),
    ):
        assert set(_forbidden(base.opatch("apply", "--check", *options, feed=patch))) == forbidden
    assert base.opatch("apply", "--allow", "x", feed=patch).status == 0


def test_a_second_name_counts_only_where_it_is_used(base: Sandbox) -> None:
    diff = b"--- src/f.orig\n+++ src/f\n@@ -1 +1 @@\n-a\n+b\n"
    assert base.opatch("apply", "--check", "--allow", "src/f", feed=diff).status == 0
    ran = base.opatch("apply", "--check", "--allow", "src/f.orig", feed=diff)
    assert _forbidden(ran) == ["src/f"]
    base.git("mv", "src/f", "src/f.orig")
    ran = base.opatch("apply", "--check", "--allow", "src/f", feed=diff)
    assert _forbidden(ran) == ["src/f.orig"]
    assert base.opatch("apply", "--check", "--allow", "src/f.orig", feed=diff).status == 0


def test_the_policy_holds_for_every_target_and_command(base: Sandbox) -> None:
    for words in (
        ("apply", "--cached"),
        ("apply", "--worktree"),
        ("apply", "-R"),
        ("apply", "--partial"),
        ("apply", "--reject"),
        ("check",),
        ("convert",),
        ("convert", "--base", "HEAD"),
        ("show",),
        ("show", "--stat"),
    ):
        before = base.state()
        ran = base.opatch(*words, "--deny", "lib", feed=_BOTH)
        denied = Fault.DENIED.sentence
        said = f"refused {denied}" in ran.out.decode() or f"error: lib/g: {denied}" in ran.err
        assert (ran.status, said) == (1, True), words
        assert base.state() == before, words
    assert base.opatch("convert", "--deny", "other", feed=_BOTH).status == 0
    ran = base.opatch("show", "--name-only", "--deny", "lib", feed=_BOTH)
    assert (ran.status, "only reads the patch" in ran.err) == (129, True)


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


def test_an_invalid_pathspec_is_an_error(base: Sandbox) -> None:
    for spec, message in (("", "empty string"), (":(bad)x", "magic 'bad'"), ("../x", "outside")):
        ran = base.opatch("apply", "--allow", spec, feed=_BOTH)
        assert (ran.status, message in ran.err) == (128, True), ran.err


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


def test_undo_is_not_subject_to_the_policy(base: Sandbox) -> None:
    assert base.opatch("apply", feed=_BOTH).status == 0
    base.git("config", "opatch.deny", "src")
    assert base.opatch("undo").status == 0


def _id(base: Sandbox, path: str) -> str:
    return base.git("rev-parse", f":{path}").decode().strip()


def test_the_expected_version_is_applied(base: Sandbox) -> None:
    whole = _id(base, "src/f")
    for oid in (whole, whole[:4], whole[:7], whole[:12].upper()):
        ran = base.opatch("apply", "--check", "--expect", f"src/f={oid}", feed=_BOTH)
        assert ran.status == 0, ran.err
    assert base.opatch("apply", "--expect", f"lib/g={_id(base, 'lib/g')}", feed=_BOTH).status == 0


def test_another_version_is_stale(base: Sandbox) -> None:
    old = _id(base, "src/f")
    base.commit({"src/f": "a\nmore\n"})
    before = base.state()
    ran = base.opatch("apply", "--expect", f"src/f={old[:7]}", feed=_BOTH)
    new = _id(base, "src/f")
    assert (ran.status, ran.err.splitlines()) == (
        1,
        [
            f"error: src/f: {opening(Fault.STALE.sentence)} blob {old[:7]}, found blob {new[:12]}",
            f"  {Fault.STALE.advice}",
            "the patch does not apply; nothing was changed",
        ],
    )
    assert base.state() == before
    assert base.opatch("apply", feed=_BOTH).status == 0


def test_expected_versions_of_other_files_are_checked(base: Sandbox) -> None:
    patch = envelope(_SRC)
    good, bad = f"x={_id(base, 'x')}", "x=abcdef0"
    assert base.opatch("apply", "--check", "--expect", good, feed=patch).status == 0
    assert base.opatch("apply", "--check", "--expect", bad, feed=patch).status == 1
    ran = base.opatch("apply", "--check", "--expect", "none=abcdef0", feed=patch)
    assert (ran.status, "expected blob abcdef0, found none" in ran.err) == (1, True)
    assert base.opatch("apply", "--expect", good, feed=patch).status == 0
    assert base.git("status", "--short") == b"M  src/f\n", "what was looked at is as it was"


@pytest.mark.parametrize("nothing", ["", "0000", "0" * 40])
def test_an_expected_absence_is_checked(base: Sandbox, nothing: str) -> None:
    patch = envelope(_NEW)
    words = ("apply", "--check", "--expect")
    assert base.opatch(*words, f"src/new={nothing}", feed=patch).status == 0
    assert base.opatch(*words, f"none={nothing}", feed=patch).status == 0
    for path in ("src/f", "src"):
        ran = base.opatch(*words, f"{path}={nothing}", feed=patch)
        assert (ran.status, "expected no file" in ran.err) == (1, True)
    base.write("src/new", "untracked\n")
    ran = base.opatch(*words, f"src/new={nothing}", feed=patch)
    assert (ran.status, "found an untracked one" in ran.err) == (1, True)


def test_the_version_in_the_target_counts(base: Sandbox) -> None:
    patch = envelope(_LIB)
    staged = _id(base, "src/f")
    base.write("src/f", "changed\n")
    changed = base.git("hash-object", "src/f").decode().strip()
    for words, version, status in (
        (("--cached",), staged, 0),
        (("--cached",), changed, 1),
        (("--worktree",), changed, 0),
        (("--worktree",), staged, 1),
        (("--index",), staged, 1),
        (("--index",), changed, 1),
    ):
        ran = base.opatch("apply", "--check", *words, "--expect", f"src/f={version}", feed=patch)
        assert ran.status == status, (words, ran.err)
    for command, version, status in (
        (["check"], staged, 0),
        (["check", "--worktree"], changed, 0),
        (["convert", "--base", "HEAD"], staged, 0),
        (["convert", "--base", "HEAD"], changed, 1),
        (["show"], changed, 1),
    ):
        ran = base.opatch(*command, "--expect", f"src/f={version}", feed=patch)
        assert ran.status == status, (command, ran.err)


def test_expected_paths_are_those_of_the_patch(base: Sandbox) -> None:
    patch = envelope(b"*** Update File: f\n@@\n-a\n+b\n")
    words = ("apply", "--check", "--directory", "src", "--expect")
    whole = _id(base, "src/f")
    assert base.opatch(*words, f"f={whole}", feed=patch, cwd=base.path / "lib").status == 0
    assert base.opatch(*words, f"src/f={whole}", feed=patch).status == 1
    base.commit({"a=b": "1\n"})
    sign = f"a=b={_id(base, 'a=b')}"
    assert base.opatch("apply", "--expect", sign, feed=_BOTH).status == 0


@pytest.mark.parametrize(
    "expectation", ["f", "f=abc", "f=nothex", "f=" + "a" * 65, "=abcd", "/f=", "../f="]
)
def test_an_invalid_expectation_is_an_error(base: Sandbox, expectation: str) -> None:
    ran = base.opatch("apply", "--expect", expectation, feed=_BOTH)
    assert (ran.status, ran.err.startswith("error: --expect ")) == (129, True)
