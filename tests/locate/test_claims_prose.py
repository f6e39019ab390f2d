"""A sentence of a document defines nothing, whatever it looks like (D80, D100)."""

from __future__ import annotations

import pytest

from git_opatch import Refused, apply_to_text

_LINES = "def bar(name):\n    x\n\nmight not always be what you want (storing\ndata) is slow\n"
_PATCH = (
    "*** Begin Patch\n*** Update File: {0}\n@@ def bar(name):\n-data) is slow\n+data) is fast\n"
    "*** End Patch\n"
)


def test_in_a_document_a_sentence_does_not_end_a_definition() -> None:
    after = apply_to_text(_PATCH.format("a.rst"), {"a.rst": _LINES})
    assert after == {"a.rst": _LINES.replace("slow", "fast")}


def test_in_code_what_looks_like_a_signature_ends_it() -> None:
    with pytest.raises(Refused, match="is under `might not"):
        apply_to_text(_PATCH.format("a.c"), {"a.c": _LINES})
