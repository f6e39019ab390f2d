"""A patch within the bounds is read in less than 1.5 GB of memory, however short its lines are.

Measured at a part of the bounds, with the same part of the memory. Beyond a bound a patch is
refused, with the name of the bound (D180).
"""

from __future__ import annotations

import json
import tracemalloc

import pytest
from parameters import named

from git_opatch.model.errors import ParseError
from git_opatch.parse import parse_patch
from git_opatch.parse import scanner as bounds

_PART = 400
_MOST = 1_500_000_000 // _PART

_MAIL = """\
From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001
From: A <a@b.example>
Date: Mon, 17 Sep 2001 00:00:00 +0000
Subject: [PATCH] x

"""
_DELETE = '{"type":"delete_file","path":"f"}'
_UPDATE = '{"type":"update_file","path":"f","diff":"@@\\n-a\\n+b\\n"}'
_ENVELOPE = "*** Begin Patch\n*** Update File: a\n@@\n-a\n+b\n*** End Patch"
_QUOTE_ENDS = "*** End Patch'\n"
TEXTS = {
    "add": ("*** Begin Patch\n*** Add File: f\n", "+x\n", "*** End Patch\n"),
    "update": ("*** Begin Patch\n*** Update File: f\n@@\n", "+x\n", "*** End Patch\n"),
    "blank lines": ("*** Begin Patch\n*** Update File: f\n@@\n-a\n", " \n", "*** End Patch\n"),
    "unified": ("--- a/f\n+++ b/f\n@@\n", "+\n", "+x\n"),
    "removed": ("--- a/f\n+++ b/f\n@@ -1,9 +1,9 @@\n", "-1\n+2\n", ""),
    "without marks": ("--- a/f\n+++ b/f\n@@\n-a\n", "x\n\n", "+b\n"),
    "no newline": ("--- a/f\n+++ b/f\n@@\n", "+x\n\\ No newline at end\n", ""),
    "FILE_NEW": (
        '<FILE_CHANGES>\n<FILE_NEW file_path="f">\n',
        "x\n",
        "</FILE_NEW>\n</FILE_CHANGES>",
    ),
    "FILE_PATCH": ('<FILE_PATCH file_path="f">\n@@\n', "+x\n", "</FILE_PATCH>\n"),
    "search": ("f.py\n<<<<<<< SEARCH\n", "x\n", "=======\ny\n>>>>>>> REPLACE\n"),
    "new by search": ("f.py\n<<<<<<< SEARCH\n=======\n", "x\n", ">>>>>>> REPLACE\n"),
    "mail": (f"{_MAIL}\n---\n--- a/f\n+++ b/f\n@@\n", "+x\n", "-- \n2.39.5\n"),
    "message": (_MAIL, "x\n", "---\n--- a/f\n+++ b/f\n@@\n+x\n"),
    "fence": ("```diff\n--- a/f\n+++ b/f\n@@\n", "+x\n", "```\n"),
    "heredoc": (
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: f\n",
        "+x\n",
        "*** End Patch\nEOF\n",
    ),
    "hunk headers": ("--- a/f\n+++ b/f\n", "@@\n", "+x\n"),
    "anchors": ("--- a/f\n+++ b/f\n", "@@ a\n", "+x\n"),
    "words of a header": ("--- a/f\n+++ b/f\n@@", ". ", "\n+x\n"),
    "escapes in a name": ('--- "a/', "\\303", '"\n+++ "b/f"\n@@\n+x\n'),
    "no name": ('diff --git "', "a\\", "\n"),
    "attributes": ("<FILE_NEW ", 'a="b" ', ">\n</FILE_NEW>\n"),
    "one line": ("*** Begin Patch\n*** Add File: f\n+", "x", "\n*** End Patch\n"),
    "NULs": ("*** Begin Patch\n*** Add File: f\n", "+\0\n", "*** End Patch\n"),
    "fences": ("", "```\n", ""),
    "moved files": ("", "diff --git a/f b/g\nrename from f\nrename to g\n", ""),
    "hunks of an envelope": (
        "*** Begin Patch\n*** Update File: f\n",
        "@@\n-a\n+b\n",
        "*** End Patch\n",
    ),
    "hunks": ("--- a/f\n+++ b/f\n", "@@\n+\n", ""),
    "numbered hunks": ("--- a/f\n+++ b/f\n", "@@ -1 +1 @@\n-a\n+b\n", ""),
    "hunks with anchors": ("--- a/f\n+++ b/f\n", "@@ a\n+a\n", ""),
    "hunks without newlines": ("--- a/f\n+++ b/f\n", "@@\n+\n\\ No newline\n", ""),
    "hunks of a FILE_PATCH": ('<FILE_PATCH file_path="f">\n', "@@\n-a\n+b\n", "</FILE_PATCH>\n"),
    "updated files": ("*** Begin Patch\n", "*** Update File: a\n@@\n-a\n+b\n", "*** End Patch\n"),
    "added files": ("*** Begin Patch\n", "*** Add File: a\n+\n", "*** End Patch\n"),
    "deleted files": ("*** Begin Patch\n", "*** Delete File: a\n", "*** End Patch\n"),
    "envelopes": ("", "*** Begin Patch\n*** Delete File: a\n*** End Patch\n", ""),
    "diffs": ("", "--- a/f\n+++ b/f\n@@\n-a\n+b\n", ""),
    "diffs of git": ("", "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@\n-a\n+b\n", ""),
    "new files": ("", "--- /dev/null\n+++ b/f\n@@\n+\n", ""),
    "fenced diffs": ("", "  ```\n  --- a/f\n  +++ b/f\n  @@\n  +x\n  ```\n", ""),
    "diffs in two kinds of fences": (
        "",
        "".join(f"{it}\n--- a\n+++ a\n@@\n-a\n{it}\n" for it in ("```", "~~~")),
        "",
    ),
    "FILE_DELETEs": ("<FILE_CHANGES>\n", '<FILE_DELETE file_path="f"/>\n', "</FILE_CHANGES>\n"),
    "FILE_NEWs": ("", '<FILE_NEW file_path="f">\na\n</FILE_NEW>\n', ""),
    "blocks": ("f.py\n", "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", ""),
    "blocks of two files": (
        "",
        "".join(f"{name}.py\n<<<<< SEARCH\na\n=====\nb\n>>>>> REPLACE\n" for name in "fg"),
        "",
    ),
    "blocks for new files": ("f.py\n", "<<<<< SEARCH\n=====\nb\n>>>>> REPLACE\n", ""),
    "dividers": ("f.py\n<<<<<<< SEARCH\n", "=====\n", ">>>>>>> REPLACE\n"),
    "operations that delete": ("[", _DELETE + ",", _DELETE + "]"),
    "operations that update": ("[", _UPDATE + ",", _DELETE + "]"),
    "operations on lines": ("", _UPDATE + "\n", ""),
    "calls": ("[", f'{{"type":"apply_patch_call","operation":{_UPDATE}}},', _DELETE + "]"),
    "patches in strings": ("", json.dumps({"patch": _ENVELOPE}) + "\n", ""),
    "sections in a string": (
        '{"patch":"*** Begin Patch\\n',
        "*** Update File: a\\n@@\\n+\\n",
        '*** End Patch"}',
    ),
    "a quoted argument": ("apply_patch '*** Begin Patch\n*** Add File: f\n", "+\n", _QUOTE_ENDS),
    "hunks in a quoted argument": (
        "apply_patch '*** Begin Patch\n*** Update File: f\n",
        "@@\n+\n",
        _QUOTE_ENDS,
    ),
    "a quoted argument with escapes": (
        'apply_patch "*** Begin Patch\n*** Add File: f\n',
        '+\\"\n',
        '*** End Patch"\n',
    ),
    "what echo prints": (
        "echo '*** Begin Patch\n*** Add File: f\n",
        "+x\n",
        "*** End Patch' | apply_patch\n",
    ),
    "a quoted script": (
        'bash -lc \'apply_patch <<"EOF"\n*** Begin Patch\n*** Add File: f\n',
        "+x\n",
        "*** End Patch\nEOF\n'\n",
    ),
    "quoted arguments": ("", f"apply_patch '{_ENVELOPE}'\n", ""),
    "heredocs": ("", f"apply_patch <<'E'\n{_ENVELOPE}\nE\n", ""),
    "changes of directory": ("", f"cd a && apply_patch <<'E'\n{_ENVELOPE}\nE\n", ""),
}
"""What a text begins with, what it has again and again, and how it ends."""


@pytest.fixture
def small_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """All bounds are a part of what they are."""
    for name in ("MAX_BYTES", "MAX_LINES", "MAX_FILES", "MAX_HUNKS"):
        monkeypatch.setattr(bounds, name, getattr(bounds, name) // _PART)


def _peak(text: bytes) -> int:
    tracemalloc.start()
    try:
        parse_patch(text)
    except ParseError:
        pass
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return peak


def _largest(before: str, unit: str, after: str) -> str:
    """Return the text with as many units as the bounds on bytes and lines allow."""
    lines = 2 * max(unit.count("\n"), unit.count("\\n"), 1)
    size = bounds.MAX_BYTES - len(before) - len(after) - 1
    count = min(size // len(unit), (bounds.MAX_LINES - 100) // lines)
    return before + unit * count + after


_FEW = ("update", "unified", "search", "FILE_PATCH", "hunks", "operations on lines")
"""The rest is exhaustive."""


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param(parts, id=name, marks=() if name in _FEW else pytest.mark.exhaustive)
        for name, parts in TEXTS.items()
    ],
)
@pytest.mark.usefixtures("small_bounds")
def test_the_largest_patch_is_read_in_bounded_memory(parts: tuple[str, str, str]) -> None:
    before, unit, after = parts
    _peak((before + unit + after).encode())  # exclude what is imported and compiled once
    assert _peak(_largest(before, unit, after).encode()) < _MOST


_FILE = "*** Update File: a\n@@\n-a\n+b\n"


def _envelope(sections: str) -> str:
    return f"*** Begin Patch\n{sections}*** End Patch\n"


@named(
    "bound, most, text",
    {
        "bytes": ("MAX_BYTES", 57, _envelope(_FILE)),
        "lines": ("MAX_LINES", 5, _envelope(_FILE)),
        "strings": ("MAX_LINES", 6, "\n" + json.dumps({"patch": _envelope(_FILE)})),
        "files": ("MAX_FILES", 1, _envelope(_FILE * 2)),
        "hunks": ("MAX_HUNKS", 1, _envelope(_FILE + "@@\n-c\n+d\n")),
    },
)
def test_a_patch_beyond_a_bound_is_refused(
    bound: str, most: int, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, bound, most)
    with pytest.raises(ParseError) as caught:
        parse_patch(text, source="a.patch")
    (diagnostic,) = caught.value.diagnostics
    name = bound.removeprefix("MAX_").lower()
    assert diagnostic.message.startswith(f"the patch has more than {most} {name}")
    assert diagnostic.source == "a.patch"


@pytest.mark.parametrize(
    ("bound", "most"), [("MAX_BYTES", 58), ("MAX_LINES", 6), ("MAX_FILES", 1), ("MAX_HUNKS", 1)]
)
def test_a_patch_at_a_bound_is_read(bound: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = _envelope(_FILE)
    assert (len(text), text.count("\n")) == (58, 6)
    monkeypatch.setattr(bounds, bound, most)
    assert len(parse_patch(text).files) == 1


def test_a_recorded_patch_may_have_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MAX_BYTES", "MAX_LINES", "MAX_FILES", "MAX_HUNKS"):
        monkeypatch.setattr(bounds, name, 0)
    assert parse_patch("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", recorded=True).files
