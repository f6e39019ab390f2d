"""A redo of a patch a part of which is there again: the rest can be applied, where it is known."""

from __future__ import annotations

from pathlib import Path

import pytest
from sandbox import Ran, Sandbox
from writers import envelope

_PATCH = envelope(
    b"*** Update File: one\n@@\n a\n-b\n+B\n",
    b"*** Add File: new\n+hello\n",
    b"*** Delete File: gone\n",
)
_HERE = "new: its change is already applied\n"
_WAY = "  to apply the rest: "


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"gone": "x\n", "one": "a\nb\nc\n"})
    repo.write(".git/p q", _PATCH)
    return repo


def _refused_redo(base: Sandbox, *flags: str, name: str = ".git/p q") -> Ran:
    """Apply and undo the patch, bring back one of its files by hand, and try to redo it."""
    feed = _PATCH if name == "-" else b""
    assert base.opatch("apply", *flags, name, feed=feed).status == 0
    assert base.opatch("undo").status == 0
    base.write("new", "hello\n")
    if "--worktree" not in flags:
        base.git("add", "new")
    ran = base.opatch("redo")
    assert (ran.status, _HERE in ran.err) == (1, True), ran
    assert "nothing to redo" not in ran.err
    return ran


@pytest.mark.parametrize("flags", [(), ("--worktree",), ("--cached",)], ids=" ".join)
def test_the_advised_command_applies_the_rest(base: Sandbox, flags: tuple[str, ...]) -> None:
    ran = _refused_redo(base, *flags)
    words = " ".join(["git opatch apply", *flags, "--skip-applied"])
    assert f"{_WAY}{words} '.git/p q'\n" in ran.err
    assert base.opatch("apply", *flags, "--skip-applied", ".git/p q").status == 0
    there = base.index() if "--worktree" not in flags else base.files()
    assert (there["one"][1], "gone" in there) == (b"a\nB\nc\n", False)


def test_a_target_of_the_settings_is_not_named(base: Sandbox) -> None:
    base.git("config", "opatch.target", "worktree")
    ran = _refused_redo(base, "--worktree")
    assert f"{_WAY}git opatch apply --skip-applied '.git/p q'\n" in ran.err


def test_a_patch_that_was_piped_is_not_known(base: Sandbox) -> None:
    assert _WAY not in _refused_redo(base, name="-").err


def test_other_options_of_the_patch_are_not_guessed(base: Sandbox) -> None:
    assert _WAY not in _refused_redo(base, "--directory", ".").err


@pytest.mark.parametrize("content", [_PATCH.replace(b"+B", b"+C"), b"no patch", None])
def test_a_file_that_has_the_patch_no_more_is_not_named(
    base: Sandbox, content: bytes | None
) -> None:
    _refused_redo(base)
    if content is None:
        Path(base.path, ".git/p q").unlink()
    else:
        base.write(".git/p q", content)
    assert _WAY not in base.opatch("redo").err


def test_a_rest_that_does_not_fit_is_not_advised(base: Sandbox) -> None:
    _refused_redo(base)
    base.write("one", "a\nunstaged\nc\n")
    ran = base.opatch("redo")
    assert (ran.status, _WAY in ran.err) == (1, False)
