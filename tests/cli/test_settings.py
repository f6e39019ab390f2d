"""Every setting: its effect from every source of git, its invalid values, and the table."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from sandbox import Ran, Sandbox
from writers import envelope

import git_opatch

_TOP = Path(__file__).parents[2]
_PACKAGE = Path(git_opatch.__file__).parent


@dataclass(frozen=True)
class Setting:
    """A value other than the default, and how to see its effect on a patch of `f`."""

    value: str
    patch: bytes
    shows: Callable[[Sandbox, Ran], bool]
    allowed: str


def _patch(old: bytes, new: bytes) -> bytes:
    return envelope(b"*** Update File: f\n@@\n-" + old + b"\n+" + new + b"\n")


_SETTINGS = {
    "opatch.target": Setting(
        "cached",
        _patch(b"one", b"1"),
        lambda repo, _: repo.read("f").startswith(b"one\n"),
        "index, cached or worktree",
    ),
    "opatch.match": Setting(
        "strict",
        _patch(b"  one", b"1"),
        lambda _, ran: ran.status == 1,
        "strict, resilient or fuzzy",
    ),
    "opatch.ambiguous": Setting(
        "nearest", _patch(b"y", b"z"), lambda _, ran: ran.status == 0, "refuse or nearest"
    ),
    "opatch.journalSize": Setting(
        "0",
        _patch(b"one", b"1"),
        lambda repo, _: not (repo.path / ".git/opatch/journal").exists(),
        "a number of records",
    ),
    "opatch.maxFiles": Setting(
        "0", _patch(b"one", b"1"), lambda _, ran: ran.status == 1, "a number of files"
    ),
    "opatch.root": Setting(
        "/testbed",
        _patch(b"one", b"1").replace(b"File: f", b"File: /testbed/f"),
        lambda _, ran: ran.status == 0,
        "an absolute path",
    ),
}


_PATHSPECS = {
    "opatch.allow": ("other", ["apply", ".git/p"], 1),
    "opatch.deny": ("f", ["apply", ".git/p"], 1),
    "opatch.leftovers": ("left", ["leftovers"], 0),
}
"""A value, a command, and its status with it; without, it is the other one."""


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "one\n\n\n\n  x  =  1\ny\n  x  =  1\ny\n"})
    return repo


def _by_file(key: str, value: str) -> str:
    section, _, name = key.partition(".")
    return f"[{section}]\n\t{name} = {value}\n"


def _configured(repo: Sandbox, way: str, key: str, value: str) -> list[str]:
    """Set the setting; return the arguments of git that pass it, if any."""
    if way == "-c":
        return ["-c", f"{key}={value}"]
    if way == "config":
        repo.git("config", key, value)
        return []
    repo.write(".git/more", _by_file(key, value))
    condition = {
        "include": "include.path",
        "gitdir": f"includeIf.gitdir:{repo.path}/.path",
        "onbranch": "includeIf.onbranch:main.path",
        "another branch": "includeIf.onbranch:other.path",
        "another repository": f"includeIf.gitdir:{repo.path}/elsewhere/.path",
    }[way]
    repo.git("config", condition, "more")
    return []


@pytest.mark.one_of(5)
@pytest.mark.parametrize("way", ["config", "-c", "include", "gitdir", "onbranch"])
@pytest.mark.parametrize("key", _SETTINGS)
def test_a_setting_takes_effect(base: Sandbox, key: str, way: str) -> None:
    setting = _SETTINGS[key]
    words = _configured(base, way, key, setting.value)
    ran = base.run("git", *words, "opatch", "apply", feed=setting.patch)
    assert setting.shows(base, ran), ran


@pytest.mark.parametrize("key", _SETTINGS)
def test_an_unset_setting_has_no_effect(base: Sandbox, key: str) -> None:
    setting = _SETTINGS[key]
    for way in ("another branch", "another repository"):
        _configured(base, way, key, setting.value)
    ran = base.opatch("apply", feed=setting.patch)
    assert not setting.shows(base, ran), ran


@pytest.mark.parametrize("value", ["odd", ""])
@pytest.mark.parametrize("key", _SETTINGS)
def test_an_invalid_value_is_an_error(base: Sandbox, key: str, value: str) -> None:
    base.git("config", key, value)
    before = base.state()
    setting = _SETTINGS[key]
    ran = base.opatch("apply", feed=setting.patch)
    assert (ran.status, ran.out, base.state()) == (129, b"", before)
    assert ran.err.startswith(f"error: {key} is `{value}`; use ")
    assert ran.err.endswith(f" {setting.allowed}\n")


@pytest.mark.parametrize("way", [None, "config", "-c", "include", "gitdir", "onbranch"])
@pytest.mark.parametrize("key", _PATHSPECS)
def test_configured_pathspecs_take_effect(base: Sandbox, key: str, way: str | None) -> None:
    base.write(".git/p", _patch(b"one", b"1"))
    base.write("left", "*** Begin Patch\n")
    base.git("add", "left")
    value, command, status = _PATHSPECS[key]
    words = _configured(base, way, key, value) if way else []
    ran = base.run("git", *words, "opatch", *command)
    assert ran.status == (status if way else 1 - status), ran


def test_the_last_value_counts(base: Sandbox) -> None:
    base.git("config", "opatch.target", "odd")
    base.git("config", "--add", "opatch.target", "cached")
    ran = base.run(
        "git", "-c", "OPATCH.Target=Worktree", "opatch", "apply", feed=_patch(b"one", b"1")
    )
    assert ran.status == 0, ran.err
    assert base.git("status", "--short") == b" M f\n"


def test_colour_is_used_in_a_pager(base: Sandbox) -> None:
    """With `git -p`, standard output alone is coloured and escaped."""
    base.write(".git/p", _patch(b"one", b"\x1b]0;x\x07"))
    env = {"GIT_PAGER_IN_USE": "true", "TERM": "xterm"}
    ran = base.opatch("show", ".git/p", env=env)
    assert b"-\x1b[31mone\x1b[0m\n" in ran.out
    assert b"\x1b]" not in ran.out
    base.write(".git/none", _patch(b"none", b"1"))
    assert "\x1b" not in base.opatch("show", ".git/none", env=env).err
    for off in ("color.pager=false", "color.ui=never", "color.opatch=no"):
        ran = base.run("git", "-c", off, "opatch", "show", ".git/p", env=env)
        assert b"\x1b[31m" not in ran.out
        assert b"-one\n" in ran.out
    assert b"\x1b[31m" not in base.opatch("show", ".git/p").out


def test_the_table_lists_every_setting() -> None:
    source = "".join(path.read_text() for path in sorted(_PACKAGE.rglob("*.py")))
    read = set(re.findall(r'"((?:opatch|color)\.[a-zA-Z]+)"', source)) - {"opatch.proximity"}
    section = (
        (_TOP / "docs/commands.md")
        .read_text()
        .partition("## Configuration")[2]
        .partition("\n## ")[0]
    )
    rows = [row.split("|")[1] for row in section.splitlines() if row.startswith("| `")]
    assert {name for row in rows for name in re.findall(r"`(.+?)`", row)} == read
    assert read == {
        *_SETTINGS,
        *_PATHSPECS,
        "opatch.agentHook",
        "color.opatch",
        "color.ui",
        "color.pager",
    }
