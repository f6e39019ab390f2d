"""The user chooses how loosely hunks are matched, and every report shows the result."""

from __future__ import annotations

import shutil

import pytest
from parameters import named
from sandbox import Sandbox
from writers import envelope

_CODE = "def one():\n    a = 1\n    b = 2\n    return a + b\n\n\ndef two():\n    a = 1\n    c = 3\n"
_NARROW = b" def one():\n-  a = 1\n+  a = 10\n   b = 2\n"  # two spaces for four
_TWICE = b"-    a = 1\n+    a = 10\n"  # lines 2 and 8


def _patch(hunk: bytes) -> bytes:
    return envelope(b"*** Update File: f.py\n@@\n" + hunk)


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f.py": _CODE})
    return repo


@pytest.mark.parametrize("command", ["check", "convert"])
@pytest.mark.parametrize(
    ("key", "hunk", "refuses", "takes"),
    [("match", _NARROW, "strict", "resilient"), ("ambiguous", _TWICE, "refuse", "nearest")],
)
def test_an_option_overrides_what_is_configured(
    base: Sandbox, command: str, key: str, hunk: bytes, refuses: str, takes: str
) -> None:
    def status(*words: str) -> int:
        return base.opatch(command, *words, feed=_patch(hunk)).status

    base.git("config", f"opatch.{key}", refuses)
    assert (status(), status(f"--{key}", takes)) == (1, 0)
    base.git("config", f"opatch.{key}", takes)
    assert (status(), status(f"--{key}", refuses)) == (0, 1)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("opatch.match", "opatch.match is `odd`; use strict, resilient or fuzzy"),
        ("opatch.ambiguous", "opatch.ambiguous is `odd`; use refuse or nearest"),
        (
            "opatch.proximity",
            "opatch.proximity is not a setting any more: the limit is 100 lines; unset it",
        ),
    ],
)
def test_an_invalid_configuration_is_refused(base: Sandbox, key: str, expected: str) -> None:
    base.git("config", key, "odd")
    ran = base.opatch("apply", feed=_patch(_NARROW))
    assert (ran.status, ran.out, ran.err) == (129, b"", f"error: {expected}\n")


@pytest.mark.parametrize("option", ["--match", "--ambiguous"])
def test_an_invalid_option_is_refused(base: Sandbox, option: str) -> None:
    before = base.state()
    ran = base.opatch("apply", option, "odd", feed=_patch(_NARROW))
    assert (ran.status, ran.out, base.state()) == (129, b"", before)
    assert f"{option}: `odd`" in ran.err


def test_hooks_ignore_nearest(base: Sandbox) -> None:
    hook, before = {"PRE_COMMIT": "1"}, base.state()
    ran = base.opatch("apply", "--ambiguous", "nearest", feed=_patch(_TWICE), env=hook)
    assert (ran.status, "not allowed in hooks" in ran.err) == (129, True)
    base.git("config", "opatch.ambiguous", "nearest")
    assert base.opatch("apply", feed=_patch(_TWICE), env=hook).status == 129
    assert base.state() == before
    refuse = ("apply", "--ambiguous", "refuse")
    assert base.opatch(*refuse, feed=_patch(_TWICE), env=hook).status == 1
    assert base.opatch(*refuse, feed=_patch(_NARROW), env=hook).status == 0


@named(
    "content, hunk, expected",
    {
        "nothing": ("one\ntwo\n", b" one\n-two\n", "strict (unique)"),
        "two kinds": (
            "  one\n  two  six\n",
            b" one\n-  two six\n",
            "resilient (unique); 1 line differs in indentation; 1 line differs in whitespace",
        ),
        "heading": (
            "## one\ntwo\n",
            b" # one\n-two\n",
            "resilient (unique); 1 line differs in heading level",
        ),
        "letter case": (
            "# One\ntwo\n",
            b" # one\n-two\n",
            "fuzzy (unique); 1 line differs in letter case",
        ),
        "point": (
            "# one.\ntwo\n",
            b" # one\n-two\n",
            "fuzzy (unique); 1 line differs in typography or punctuation",
        ),
        "evidence": (
            "one\ntwo\none\nsix\ntwo\n",
            b"-two\n+ten\n*** End of File\n",
            "line 5, strict (end of file)",
        ),
    },
)
def test_the_match_of_a_hunk_is_reported(
    repo: Sandbox, content: str, hunk: bytes, expected: str
) -> None:
    """Report every hunk with -v; without it, note only those that match loosely."""
    repo.commit({"f.py": content})
    ran = repo.opatch("apply", "-v", "--check", feed=_patch(hunk))
    assert ran.status == 0
    assert f"{expected}\n" in ran.out.decode()
    ran = repo.opatch("apply", "--check", feed=_patch(hunk))
    assert ("note: f.py: hunk 1 of 1: line 1, " in ran.err) == ("strict" not in expected)


def test_no_report_of_a_hunk_is_longer_than_twenty_lines(repo: Sandbox) -> None:
    repo.commit({"f.py": "".join(f"line {number}\n" for number in range(400))})
    lines = "".join(f" line {number}\n" for number in range(100, 300))
    hunk = f"@@ def nowhere():\n@@ nor here\n line none\n{lines}-stale\n".encode()
    ran = repo.opatch("apply", feed=envelope(b"*** Update File: f.py\n" + 3 * hunk))
    assert ran.status == 1
    reports = ran.err.split("error: f.py: ")[1:]
    assert len(reports) == 3
    assert all(len(report.splitlines()) <= 20 for report in reports)


def test_reverse_is_never_matched_loosely(base: Sandbox) -> None:
    before = base.read("f.py")
    assert base.opatch("apply", feed=_patch(_NARROW)).status == 0
    shutil.rmtree(base.path / ".git/opatch/journal")  # it records what exactly was done
    for words in ((), ("--match", "fuzzy"), ("--match", "resilient")):
        ran = base.opatch("apply", "-R", *words, feed=_patch(_NARROW))
        assert (ran.status, "--match" in ran.err) == (1, False)
    assert base.opatch("apply", "-R", feed=_patch(_NARROW.replace(b"  ", b"    "))).status == 0
    assert base.read("f.py") == before
