"""`~` between removed lines: its report, the diff that shows what it removes, and its undo."""

from __future__ import annotations

from sandbox import Sandbox

from git_opatch.locate.replacement import expand
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.sentences import Fault
from git_opatch.model.text import Text

_FILE = b"""\
import os

def first():
    a = 1
    return a

def second():
    b = 2
    return b

def third():
    c = 3
    return c
"""


def expanded(*body: str, data: bytes = _FILE) -> tuple[list[str], tuple[str, ...]]:
    """Return the lines of the hunk with those that each `~` stands for, and the notes about it."""
    lines, ranges = list[Line](), list[int]()
    for line in body:
        if line == "~":
            ranges.append(len(lines))
        else:
            lines.append(Line(Prefix(line[:1]), line[1:].encode()))
    found = expand([Hunk(tuple(lines), removed_ranges=tuple(ranges))], Text.from_bytes(data))
    assert not found.failures
    (result,) = found.hunks
    assert result.removed_ranges == ()
    return [line.prefix.value + line.text.decode() for line in result.lines], found.notes[1]


def test_a_hunk_may_have_several_elisions() -> None:
    lines, notes = expanded("-import os", "~", "-    a = 1", "~", "-    b = 2", "~", "-    c = 3")
    assert lines == [f"-{line}" for line in _FILE.decode().splitlines()[:12]]
    assert notes == (
        "`~` removes lines 2-3: `` … `def first():`",
        "`~` removes lines 5-7: `return a` … `def second():`",
        "`~` removes lines 9-11: `return b` … `def third():`",
    )


def test_an_elision_may_match_one_line_or_none() -> None:
    assert expanded("-    a = 1", "~", "-", "-def second():")[1] == (
        "`~` removes line 5: `return a`",
    )
    assert expanded("-    a = 1", "~", "-    return a")[1] == ("`~` removes no line",)


def test_elided_lines_are_shown_escaped() -> None:
    data = b"a\n\x1b[2J\nx\n" + b"y" * 500 + b"\nb\n"
    (note,) = expanded("-a", "~", "-b", data=data)[1]
    assert note == "`~` removes lines 2-4: `\\x1b[2J` … `" + "y" * 60 + "…`"


def patch(*body: str) -> bytes:
    lines = ('<FILE_PATCH file_path="f.py">', "@@", *body, "</FILE_PATCH>")
    return "\n".join(("<FILE_CHANGES>", *lines, "</FILE_CHANGES>", "")).encode()


_CUT = patch("-    a = 1", "-    return a", "~", "-    c = 3", "+    d = 4")


def test_the_completed_diff_and_a_note_show_the_elided_lines(repo: Sandbox) -> None:
    repo.commit({"f.py": _FILE})
    converted = repo.opatch("convert", feed=_CUT)
    assert [
        line[1:]
        for line in converted.out.splitlines()
        if line.startswith(b"-") and line[1:2] != b"-"
    ] == _FILE.splitlines()[3:12]
    note = "note: f.py: hunk 1: `~` removes lines 6-11: `` … `def third():`\n"
    assert converted.err == note
    assert repo.opatch("apply", "--check", feed=_CUT).err == note


def test_the_journal_undoes_an_elision_and_the_text_alone_does_not(repo: Sandbox) -> None:
    repo.commit({"f.py": _FILE})
    before = repo.index()
    assert repo.opatch("apply", feed=_CUT).status == 0
    after = repo.read("f.py")
    assert repo.opatch("apply", "-R", feed=_CUT).status == 0
    assert (repo.index(), repo.read("f.py")) == (before, _FILE)
    repo.commit({"f.py": after})
    ran = repo.opatch("apply", "-R", feed=_CUT)
    assert (ran.status, Fault.REMOVED_UNSEEN.sentence in ran.err) == (1, True)


def test_rejects_show_an_elision(repo: Sandbox) -> None:
    repo.commit({"f.py": _FILE})
    body = ("-import os", "+import sys", "@@", "-    x", "~", "-    c = 3")
    assert repo.opatch("apply", "--reject", feed=patch(*body)).status == 1
    assert repo.read("f.py") == _FILE.replace(b"os", b"sys")
    assert repo.read("f.py.rej").endswith(b"@@\n-    x\n~\n-    c = 3\n")
