"""No text of a patch controls a terminal, whichever command prints it."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from sandbox import Sandbox
from terminal import in_terminal
from writers import envelope

_EVIL = "\x1b]0;owned\x07\u202e\u2066[bold red]x[/]\x9b31m\x7f\r"
_SHOWN = r"\x1b]0;owned\x07\u202e\u2066[bold red]x[/]\x9b31m\x7f"
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_NAME = f"p{_EVIL[:-1]}"
_PATH = f"f{_EVIL[:-1]}"

_GOOD = envelope(
    f"*** Add File: {_PATH}\n+{_EVIL[:-1]}\n".encode(), b"*** Update File: a\n@@\n-two\n+2\n"
)
_STALE = envelope(f"*** Update File: {_PATH}\n@@\n-{_EVIL}\n+x\n".encode())
_LOST = envelope(f"*** Update File: a\n@@ {_EVIL[:-1]}\n-one{_EVIL}x\n+x\n".encode())
_MALFORMED = f"*** Begin Patch\n*** Update File: {_PATH}\n@@@ {_EVIL}\n-x\n+y\n".encode()
_AMBIGUOUS = envelope(f"*** Update File: many\n@@ {_EVIL[:-1]}\n-x\n+y\n".encode())


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"a": f"{_EVIL}one\ntwo\n{_EVIL}three\n", "many": "x\nz\nx\n"})
    return repo


def _harmless(
    repo: Sandbox, *words: str, env: Mapping[str, str] | None = None, shows: bool = True
) -> None:
    _, seen = in_terminal(repo, *words, env=env)
    text = _COLOUR.sub("", seen)
    assert text
    assert "Traceback" not in text
    assert not [
        character for character in text if not (character.isprintable() or character in "\n\t")
    ], text
    assert not shows or "[bold red]x[/]" in text


@pytest.mark.parametrize("env", [{"NO_COLOR": ""}, {"NO_COLOR": "1"}])
@pytest.mark.parametrize("patch", [_GOOD, _STALE, _LOST, _MALFORMED, _AMBIGUOUS])
def test_a_checked_patch_is_escaped(base: Sandbox, patch: bytes, env: dict[str, str]) -> None:
    base.write(_NAME, patch)
    for words in (["show"], ["check"], ["apply", "--check", "-v"], ["convert"]):
        _harmless(base, *words, _NAME, env=env, shows=patch != _GOOD or words[0] != "apply")


@pytest.mark.parametrize(
    "option", ["--stat", "--numstat", "--name-only", "--name-status", "--json"]
)
def test_each_output_of_show_is_escaped(base: Sandbox, option: str) -> None:
    base.write(".git/p", _GOOD)
    _harmless(base, "show", option, ".git/p")


def test_apply_log_and_reverse_are_escaped(base: Sandbox) -> None:
    base.write(_NAME, _GOOD)
    _harmless(base, "apply", "-v", _NAME)
    for words in (["log"], ["log", "-p"], ["log", "--json"]):
        for pager in ("cat", "cat -"):  # none, and one that we start
            _harmless(base, *words, env={"GIT_PAGER": pager, "COLUMNS": "300"})
    base.git("commit", "--quiet", "-m", "x", "--", ":(literal)" + _PATH)
    base.write(_PATH, f"{_EVIL}other\n")
    base.git("add", "-A")
    _harmless(base, "undo")
    _harmless(base, "apply", "-R", _NAME)
    base.git("reset", "--quiet", "--hard")
    _harmless(base, "apply", _NAME)


def test_an_undo_is_escaped(base: Sandbox) -> None:
    base.write(_NAME, _GOOD)
    assert base.opatch("apply", _NAME).status == 0
    _harmless(base, "undo")
    _harmless(base, "undo", "1", shows=False)


def test_escapes_are_shown_in_place(base: Sandbox) -> None:
    base.write(_NAME, _LOST)
    _, seen = in_terminal(base, "apply", _NAME, env={"NO_COLOR": "1"})
    assert f"  p{_SHOWN}:4 expects" in seen
    assert f"one{_SHOWN}\\rx\n" in seen
