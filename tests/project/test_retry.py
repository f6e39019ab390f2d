"""Second tries: what is drawn has nothing of the file, and an answer is judged by what it adds."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import retry
from model_diffs import Typed
from peers import OWN
from retry import Verdict

_BASE = {"f.py": b"def one():\n    return 1\n\n\nSECRET = 5\n"}
_STALE = b"--- a/f.py\n+++ b/f.py\n@@\n def one():\n-    return 3\n+    return 2\n"
_TYPED = Typed("stale", "a model", _STALE, _BASE)


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (_STALE.replace(b"return 3", b"return 1"), Verdict.LANDED),
        (_STALE.replace(b"return 3", b"return 1").replace(b"2\n", b"4\n"), Verdict.OTHER),
        (_STALE, Verdict.REFUSED),
        (b"\n", Verdict.NONE),
    ],
)
def test_an_answer_is_judged(answer: bytes, verdict: Verdict) -> None:
    assert retry.judge(OWN, _TYPED, answer) is verdict


def test_what_is_drawn_is_refused_and_can_be_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cases, drawn = tmp_path / "cases", tmp_path / "drawn"
    _TYPED.store(cases / "stale")
    Typed("good", "a model", _STALE.replace(b"return 3", b"return 1"), _BASE).store(cases / "good")
    common = ["--cases", str(cases), "--into", str(drawn)]
    monkeypatch.setattr(sys, "argv", ["retry", "draw", *common])
    retry.main()
    assert {path.name for path in drawn.iterdir()} == {"00", "cases.json"}
    assert (drawn / "00/patch.txt").read_bytes() == _STALE
    message = (drawn / "00/message.txt").read_text()
    assert message.startswith("error: f.py: hunk 1 of 1 ")
    assert "\n    patch 5 -" in message
    (drawn / "00/answer.txt").write_bytes(_STALE.replace(b"return 3", b"return 1"))
    monkeypatch.setattr(sys, "argv", ["retry", "judge", *common])
    retry.main()
    assert capsys.readouterr().out.endswith("1 of 1 landed\n")
