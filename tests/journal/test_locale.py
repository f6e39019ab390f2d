"""The journal and the record of a transaction keep the bytes of names, whatever the locale is."""

from __future__ import annotations

import json

import pytest
from sandbox import Ran, Sandbox
from writers import envelope

_C = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
_LATIN = b"na\xefve"  # not UTF-8
_PATCH = envelope(
    "*** Update File: d/é.txt\n@@\n-a\n+b\n*** Add File: ü/ß\n+x\n".encode(),
    b"*** Delete File: d/" + _LATIN + b"\n",
)


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"d/é.txt": "a\n"})
    with open(bytes(repo.path) + b"/d/" + _LATIN, "wb") as file:
        file.write(b"l\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "m")
    return repo


def _run(repo: Sandbox, env: dict[str, str], *words: str, feed: bytes = b"") -> Ran:
    ran = repo.program("git-opatch", *words, feed=feed, env=env)
    assert "Traceback" not in ran.err
    return ran


@pytest.mark.parametrize(("first", "then"), [(_C, {}), ({}, _C), (_C, _C)])
def test_what_is_applied_in_one_locale_is_undone_in_another(
    base: Sandbox, first: dict[str, str], then: dict[str, str]
) -> None:
    before = base.index(), base.files()
    assert _run(base, first, "apply", feed=_PATCH).status == 0
    assert base.read("ü/ß") == b"x\n"
    log = json.loads(_run(base, then, "log", "--json").out)
    assert log["records"][0]["state"] == "applied"
    assert _run(base, then, "undo", "--", "d").status == 0
    assert _run(base, first, "undo").status == 0
    assert (base.index(), base.files()) == before
    assert _run(base, then, "redo", "1").status == 0


def test_an_entry_of_the_other_form_is_read(base: Sandbox) -> None:
    """As versions before this one wrote it where the locale was not UTF-8."""
    before = base.index(), base.files()
    assert _run(base, {}, "apply", feed=_PATCH).status == 0
    entry = base.path / ".git/opatch/journal/1.json"
    text = json.dumps(json.loads(entry.read_bytes()))
    other = text.replace(r"\u00e9", r"\udcc3\udca9").replace(r"\u00fc", r"\udcc3\udcbc")
    assert other != text
    entry.write_text(other)
    assert _run(base, {}, "undo").status == 0
    assert (base.index(), base.files()) == before
