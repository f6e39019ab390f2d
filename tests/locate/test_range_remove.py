"""`~` between removed lines: what it matches, what it must not match, and its report."""

from __future__ import annotations

import time

import pytest
from phrases import opening, said
from sandbox import Sandbox

from git_opatch.locate import locate_hunks
from git_opatch.locate.replacement import expand
from git_opatch.model.failure import Failure
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.sentences import Fault, Reason
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


def hunk(*body: str, ordinal: int = 1) -> Hunk:
    """Return a hunk; a `~` in `body` is an elision."""
    lines: list[Line] = []
    removed_ranges = []
    for number, line in enumerate(body, 1):
        if line == "~":
            removed_ranges.append(len(lines))
        else:
            lines.append(Line(Prefix(line[:1]), line[1:].encode(), number=number))
    return Hunk(tuple(lines), removed_ranges=tuple(removed_ranges), ordinal=ordinal, number=1)


def expanded(*body: str, data: bytes = _FILE) -> tuple[list[str], tuple[str, ...]]:
    """Return the expanded lines of the hunk, and the note about it."""
    found = expand([hunk(*body)], Text.from_bytes(data))
    assert not found.failures
    (result,) = found.hunks
    assert result.removed_ranges == ()
    return [line.prefix.value + line.text.decode() for line in result.lines], found.notes[1]


def refused(*body: str, data: bytes = _FILE) -> Failure:
    found = expand([hunk(*body)], Text.from_bytes(data))
    assert not found.hunks
    (failure,) = found.failures
    return failure


def test_an_elision_removes_all_lines_between() -> None:
    shown = expanded(" def second():", "-    b = 2", "~", "-    c = 3", "+    d = 4")
    between = ["-    return b", "-", "-def third():"]
    assert shown == (
        [" def second():", "-    b = 2", *between, "-    c = 3", "+    d = 4"],
        ("`~` removes lines 9-11: `return b` … `def third():`",),
    )


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


@pytest.mark.parametrize(
    ("body", "reason", "message"),
    [
        pytest.param(
            ["-    a = 1", "~", "-"], Reason.AMBIGUOUS, "3 positions: lines 2, 6, 10", id="the end"
        ),
        pytest.param(["-", "~", "-    c = 3"], Reason.AMBIGUOUS, "3 positions", id="the beginning"),
        pytest.param(
            ["-    a = 1", "~", "-", "~", "-    c = 3"],
            Reason.AMBIGUOUS,
            "3 positions",
            id="the middle",
        ),
        pytest.param(["-    a = 1", "~", "-    d"], Reason.NOT_FOUND, "not match", id="no end"),
        pytest.param(["-    e", "~", "-    c = 3"], Reason.NOT_FOUND, "not match", id="no start"),
        pytest.param(
            ["-    a = 1", "~", "-  c = 3"], Reason.NOT_FOUND, "not match", id="other spaces"
        ),
        pytest.param(["-    A = 1", "~", "-    c = 3"], Reason.NOT_FOUND, "not match", id="case"),
        pytest.param(
            [" def first():", "-    a = 1 ", "~", "-    c = 3"],
            *(Reason.NOT_FOUND, "not match"),
            id="a space at a line's end",
        ),
        pytest.param(
            [" def frist():", "-    a = 1", "~", "-    c = 3"],
            *(Reason.NOT_FOUND, "not match"),
            id="context that is not there",
        ),
        pytest.param(
            ["-    c = 3", "~", "-    a = 1"], Reason.CONTRADICTED, "at line 4", id="out of order"
        ),
        pytest.param(
            ["-    a = 1", "-    return a", "~", "-    return a", "-"],
            *(Reason.CONTRADICTED, "at line 5"),
            id="ends that overlap",
        ),
    ],
)
def test_an_unclear_elision_is_refused(body: list[str], reason: Reason, message: str) -> None:
    failure = refused(*body)
    assert failure.reason is reason
    assert message in failure.message


@pytest.mark.parametrize(
    ("end", "lines"),
    [
        pytest.param("-}", "6, 9", id="a bracket that may have lost its indentation"),
        pytest.param("-end", "7, 8", id="a word that may have"),
        pytest.param("-    call()", "2, 4", id="a call at half the depth"),
    ],
)
def test_an_end_that_may_have_lost_its_indentation_is_refused(end: str, lines: str) -> None:
    data = b"a\n    call()\nb\n        call()\nc\n    }\n  end\nend\n}\n"
    failure = refused("-a", "~", end, data=data)
    assert failure.reason is Reason.AMBIGUOUS
    assert ", ".join(map(str, failure.candidates)) == lines


def test_an_end_that_occurs_once_at_any_indentation_is_accepted() -> None:
    data = b"a\n{\n    b\n    }\n        call()\n"
    assert expanded("-a", "~", "-    }", data=data)[0] == ["-a", "-{", "-    b", "-    }"]
    twice = b"a\n{\n    b\n    }\nc\n}\n"
    assert expanded("-a", "~", "-    b", "-    }", data=twice)[0][2:] == ["-    b", "-    }"]


def test_a_refusal_names_the_line_and_the_remedy() -> None:
    loose = refused("-    a = 1", "~", "-  c = 3")
    assert loose.closest is not None
    assert (loose.closest.position, loose.number) == (11, 3)
    assert loose.fault is Fault.RANGE_NOT_FOUND
    many = refused("-    a = 1", "~", "-")
    assert (many.positions, many.number) == ((1, 5, 9), 3)
    twice = _FILE.replace(b"a = 1", b"c = 3")
    named = refused("-    c = 3", "~", "-    return c", data=twice).enclosing
    assert [each.text for each in named] == [b"def first():", b"def third():"]
    assert many.fault is Fault.RANGE_AMBIGUOUS


def test_an_applied_elision_is_reported() -> None:
    data = b"def first():\n    a = 2\n\ndef third():\n"
    failure = refused(" def first():", "-    a = 1", "~", "-    b", "+    a = 2", data=data)
    assert failure.reason is Reason.ALREADY_APPLIED
    gone = refused(" def first():", "-    a = 1", "~", "-    b", data=data)
    assert gone.reason is Reason.NOT_FOUND


def test_hunks_that_remove_the_same_lines_unseen_are_refused() -> None:
    first = hunk("-    a = 1", "~", "-    b = 2", ordinal=1)
    inside = hunk("-    return a", "~", "-def second():", ordinal=2)
    after = hunk("-    return b", "~", "-    c = 3", ordinal=3)
    found = expand([first, inside, after], Text.from_bytes(_FILE))
    results = locate_hunks(found.hunks, Text.from_bytes(_FILE))
    failures = [result for result in results if isinstance(result, Failure)]
    assert [(failure.hunk, failure.reason) for failure in failures] == [(2, Reason.OVERLAP)]


@pytest.mark.parametrize("small", [100, pytest.param(500, marks=pytest.mark.exhaustive)])
def test_many_elisions_take_linear_time(small: int) -> None:
    def seconds(count: int) -> float:
        data = b"".join(b"a%d\nx\nb%d\n" % (at, at) for at in range(count))
        hunks = [hunk(f"-a{at}", "~", f"-b{at}", ordinal=at + 1) for at in range(count)]
        hunks += [hunk(f"-a{at}", "~", "-c", ordinal=count + at + 1) for at in range(count)]
        start = time.process_time()
        found = expand(hunks, Text.from_bytes(data))
        assert (len(found.hunks), len(found.failures)) == (count, count)
        return time.process_time() - start

    assert seconds(8 * small) < 40 * min(seconds(small), seconds(small)) + 0.05


def patch(*body: str, path: str = "f.py") -> bytes:
    lines = (f'<FILE_PATCH file_path="{path}">', "@@", *body, "</FILE_PATCH>")
    return "\n".join(("<FILE_CHANGES>", *lines, "</FILE_CHANGES>", "")).encode()


_CUT = ("-    a = 1", "-    return a", "~", "-    c = 3", "+    d = 4")
_AFTER = b"import os\n\ndef first():\n    d = 4\n    return c\n"
_NOTE = "note: f.py: hunk 1: `~` removes lines 6-11: `` … `def third():`\n"


def test_the_elided_lines_are_removed_and_reported(repo: Sandbox) -> None:
    repo.commit({"f.py": _FILE})
    checked = repo.opatch("apply", "--check", feed=patch(*_CUT))
    assert (checked.status, checked.err) == (0, _NOTE)
    ran = repo.opatch("apply", feed=patch(*_CUT))
    assert (ran.status, ran.err) == (0, _NOTE)
    assert repo.read("f.py") == _AFTER
    assert repo.index()["f.py"] == ("100644", _AFTER)


def test_the_completed_diff_shows_the_elided_lines(repo: Sandbox) -> None:
    repo.commit({"f.py": _FILE})
    diff = repo.opatch("convert", feed=patch(*_CUT)).out
    removed = [line for line in diff.splitlines() if line.startswith(b"-") and line[1:2] != b"-"]
    assert removed == [b"-" + line for line in _FILE.splitlines()[3:12]]
    repo.git("apply", "--index", feed=diff)
    assert repo.read("f.py") == _AFTER


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(_FILE.replace(b"\n", b"\r\n"), id="carriage returns"),
        pytest.param(b"\xef\xbb\xbf" + _FILE, id="a byte-order mark"),
        pytest.param(_FILE.rstrip(b"\n"), id="no final newline"),
        pytest.param(_FILE.replace(b"b = 2", b"b = '\xff\x0c'"), id="bytes that are no text"),
    ],
)
def test_the_bytes_around_the_elided_lines_are_kept(repo: Sandbox, data: bytes) -> None:
    repo.commit({"f.py": data})
    lines = data.split(b"\n")
    ran = repo.opatch("apply", feed=patch(*_CUT))
    assert ran.status == 0, ran.err
    new = b"    d = 4" + (b"\r" if b"\r" in data else b"")
    assert repo.read("f.py") == b"\n".join([*lines[:3], new, *lines[12:]])


def test_other_hunks_of_the_file_keep_their_positions(repo: Sandbox) -> None:
    repo.commit({"f.py": _FILE})
    body = ("-import os", "+import sys", "@@", *_CUT, "@@", "-    return c", "+    return d")
    ran = repo.opatch("apply", feed=patch(*body))
    assert (ran.status, ran.err) == (0, _NOTE.replace("hunk 1", "hunk 2"))
    expected = _AFTER.replace(b"os", b"sys").replace(b"return c", b"return d")
    assert repo.read("f.py") == expected


def test_a_hunk_that_changes_an_unseen_line_is_refused(repo: Sandbox) -> None:
    repo.commit({"f.py": _FILE})
    before = repo.state()
    ran = repo.opatch("apply", feed=patch(*_CUT, "@@", "-    b = 2", "+    b = 3"))
    assert ran.status == 1
    assert said(Fault.OVERLAP.sentence, other=1) in ran.err
    assert repo.state() == before


def test_a_later_section_sees_the_remaining_lines(repo: Sandbox) -> None:
    repo.commit({"f.py": _FILE})
    first = patch("-    a = 1", "+    a = 5").replace(b"</FILE_CHANGES>\n", b"")
    second = patch("-    a = 5", "~", "-    c = 3").replace(b"<FILE_CHANGES>\n", b"")
    ran = repo.opatch("apply", feed=first + second)
    assert ran.status == 0, ran.err
    assert repo.read("f.py") == _AFTER.replace(b"    d = 4\n", b"")


@pytest.mark.parametrize("option", [["--ambiguous", "nearest"], ["--match", "fuzzy"]])
def test_no_option_loosens_an_elision(repo: Sandbox, option: list[str]) -> None:
    repo.commit({"f.py": _FILE})
    before = repo.state()
    for body in (["-    a = 1", "~", "-"], ["-    A = 1", "~", "-    c = 3"]):
        assert repo.opatch("apply", *option, feed=patch(*body)).status == 1
        assert repo.state() == before


def test_partial_skips_an_elision_and_the_rejects_show_it(repo: Sandbox) -> None:
    repo.commit({"f.py": _FILE})
    body = ("-import os", "+import sys", "@@", "-    x", "~", "-    c = 3")
    ran = repo.opatch("apply", "--reject", feed=patch(*body))
    assert ran.status == 1
    assert repo.read("f.py") == _FILE.replace(b"os", b"sys")
    assert repo.read("f.py.rej").endswith(b"@@\n-    x\n~\n-    c = 3\n")


def test_the_journal_undoes_an_elision(repo: Sandbox) -> None:
    repo.commit({"f.py": _FILE})
    before = repo.index()
    repo.opatch("apply", feed=patch(*_CUT))
    ran = repo.opatch("apply", "-R", feed=patch(*_CUT))
    assert ran.status == 0, ran.err
    assert repo.index() == before
    assert repo.read("f.py") == _FILE


def test_the_text_of_the_patch_alone_does_not_undo_an_elision(repo: Sandbox) -> None:
    repo.commit({"f.py": _AFTER})
    before = repo.state()
    ran = repo.opatch("apply", "-R", feed=patch(*_CUT))
    assert ran.status == 1
    assert Fault.REMOVED_UNSEEN.sentence in ran.err
    assert repo.state() == before


def test_an_elision_applied_twice_is_already_applied(repo: Sandbox) -> None:
    repo.commit({"f.py": _FILE})
    repo.opatch("apply", feed=patch(*_CUT))
    ran = repo.opatch("apply", feed=patch(*_CUT))
    assert (ran.status, opening(Fault.ALREADY_APPLIED.sentence) in ran.err) == (1, True)
    assert repo.opatch("apply", "--skip-applied", feed=patch(*_CUT)).status == 0
    assert repo.read("f.py") == _AFTER
