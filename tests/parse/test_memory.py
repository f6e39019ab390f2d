"""Reading takes memory in proportion to the text, however short its lines or hunks are.

The limit is a decision of the project: at most eight times the size of the text, at the peak.
"""

from __future__ import annotations

import json
import tracemalloc

import pytest

from git_opatch.model.errors import ParseError
from git_opatch.parse import parse_patch, reread

_SIZE = 48_000
_MOST = 8

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


@pytest.fixture(autouse=True)
def _keep_as_few_as_of_a_large_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reread, "_MIN_KEPT", 0)


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


def _held(unit: str, size: int) -> str:
    return unit * (size // len(unit))


_FEW = ("update", "unified", "search", "FILE_PATCH", "hunks")
"""The rest is exhaustive."""


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param(parts, id=name, marks=() if name in _FEW else pytest.mark.exhaustive)
        for name, parts in TEXTS.items()
    ],
)
def test_memory_is_at_most_eight_times_the_text(parts: tuple[str, str, str]) -> None:
    before, unit, after = parts
    texts = [(before + _held(unit, size) + after).encode() for size in (1000, _SIZE)]
    _peak(texts[0])  # exclude what is imported and compiled once
    assert _peak(texts[1]) < _MOST * len(texts[1])


@pytest.mark.exhaustive
def test_calls_from_many_directories_take_little_memory() -> None:
    call = "cd {}&&apply_patch '--- a\n+++ a\n@@\n-a\n'\n\nx\n"
    text = "".join(map(call.format, range(20_000))).encode()
    _peak("".join(map(call.format, range(20))).encode())
    assert _peak(text) < _MOST * len(text)


@pytest.mark.parametrize(
    "diff",
    [
        pytest.param(_held("+x\n", _SIZE), id="short lines"),
        pytest.param("+" + "x" * _SIZE, id="one line"),
        pytest.param("+\U0001f600" + "x" * _SIZE, id="a character of four bytes"),
    ],
)
def test_an_operation_takes_little_memory(diff: str) -> None:
    text = json.dumps({"type": "create_file", "path": "f", "diff": diff}, ensure_ascii=False)
    _peak(text.encode()[:100])
    assert _peak(text.encode()) < _MOST * len(text)


def test_hunk_lines_are_read_on_demand() -> None:
    text = ("--- a/f\n+++ b/f\n@@\n" + _held("+x\n", _SIZE)).encode()
    parse_patch(text[:1000])
    tracemalloc.start()
    patch = parse_patch(text)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    (hunk,) = patch.files[0].hunks
    assert kept < 3 * len(text)
    assert len(hunk.lines) == len(list(hunk.lines)) == _SIZE // 3
    assert {(line.prefix.value, line.text) for line in hunk.lines} == {("+", b"x")}
    assert [line.number for line in hunk.lines] == list(range(4, 4 + _SIZE // 3))
