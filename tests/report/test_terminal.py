"""Text of a patch, a file or a name is escaped before it reaches a terminal."""

from __future__ import annotations

import re

import pytest
from sandbox import Sandbox
from targets import SHA1
from terminal import in_terminal
from writers import envelope

_EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\u2066\u200b\x08\x7f[bold red]x[/][link=file:///]y"
_NAME = f"dir{_EVIL.replace('/', '')}/f"
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def _update(name: str, old: str) -> bytes:
    return envelope(f"*** Update File: {name}\n@@\n a\n-{old}\n+new {_EVIL}\n".encode())


_FITS = _update(_NAME, _EVIL)
_REFUSED = {
    "lines that do not match": _update(_NAME, f"other {_EVIL}"),
    "a file that is not there": _update(f"no{_NAME}", "b"),
    "a file that is there": envelope(f"*** Add File: {_NAME}\n+x\n".encode()),
    "an unsafe path": envelope(f"*** Add File: ../{_NAME}\n+x\n".encode()),
    "two places": envelope(f"*** Update File: {_NAME}\n@@\n-twice\n+{_EVIL}\n".encode()),
    "a malformed line": envelope(f"*** Update File: {_NAME}\n{_EVIL}\n".encode()),
    "a malformed marker": envelope(f"*** {_EVIL}\n".encode()),
    "a malformed diff": f"--- a/{_NAME}\n+++ b/{_NAME}\n{_EVIL}\n".encode(),
    "malformed tags": f'<FILE_CHANGES>\n<FILE_{_EVIL} file_path="x">\n</FILE_CHANGES>\n'.encode(),
    "a malformed script": f"cd {_EVIL!r} && rm && apply_patch <<'EOF'\n".encode()
    + _FITS
    + b"EOF\n",
    "prose": _EVIL.encode(),
    "an anchor that is nowhere": envelope(
        f"*** Update File: {_NAME}\n@@ {_EVIL}\n-other\n+x\n".encode()
    ),
}


@pytest.fixture
def base(sound: Sandbox) -> Sandbox:
    sound.commit({_NAME: f"a\n{_EVIL}\ntwice\ntwice\n"})
    return sound


def _harmless(seen: str) -> str:
    """Assert that only colours in it are obeyed; return it without them."""
    shown = _COLOUR.sub("", seen)
    assert not _OBEYED.search(shown), ascii(shown)
    return shown


@SHA1
@pytest.mark.parametrize("no_colour", ["", "1"])
def test_reports_are_escaped(base: Sandbox, no_colour: str) -> None:
    patch = base.write("patch\x1b[31m", _FITS)
    shown = ""
    for words in (
        ["show"], ["show", "--hunks"], ["show", "--json"], ["convert"], ["check"],
        ["apply", "--check", "-v"], ["apply", "-v"], ["log"], ["log", "-p"], ["log", "--json"],
        ["undo"],
    ):  # fmt: skip
        env, names = {"NO_COLOR": no_colour}, [] if words[0] in ("log", "undo") else [str(patch)]
        status, seen = in_terminal(base, *words, *names, env=env)
        assert status == 0, (words, seen)
        shown += _harmless(seen)
    assert shown.count("[bold red]x[/][link=file:///]y") >= 4


@SHA1
@pytest.mark.parametrize("patch", _REFUSED.values(), ids=_REFUSED)
def test_refusals_are_escaped(base: Sandbox, patch: bytes) -> None:
    name = str(base.write("patch\x1b[31m", patch))
    for words in (["apply"], ["check"], ["show", "--json"]):
        status, seen = in_terminal(base, *words, name)
        assert status in (1, 128), seen
        assert _harmless(seen)
        ran = base.opatch(*words, name)
        assert not _OBEYED.search(ran.err), ascii(ran.err)


@SHA1
@pytest.mark.parametrize(
    "words",
    [
        ["apply", _NAME],
        ["apply", "--directory", _EVIL, "patch"],
        ["convert", "--base", _EVIL, "patch"],
        ["convert", "-o", f"no/{_EVIL}", "patch"],
        ["show", f"--{_EVIL}"],
        [_EVIL],
    ],
)
def test_arguments_are_escaped(base: Sandbox, words: list[str]) -> None:
    base.write("patch", _FITS)
    status, seen = in_terminal(base, *words)
    assert status in (1, 128, 129), seen
    assert _harmless(seen)


@SHA1
def test_messages_of_git_are_escaped(base: Sandbox) -> None:
    """Git names a failing filter, with the path and the filter's own error."""
    base.git("config", "filter.f.smudge", f"printf '{_EVIL}' >&2; false")
    base.git("config", "filter.f.clean", "cat")
    base.git("config", "filter.f.required", "true")
    base.write(".git/info/attributes", "* filter=f\n")
    base.write("patch", _FITS)
    status, seen = in_terminal(base, "apply", "patch")
    assert status == 128
    assert "smudge filter" in _harmless(seen)
