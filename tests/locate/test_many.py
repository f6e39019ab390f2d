"""Many lines, hunks and candidates, which would be too many to write down."""

from __future__ import annotations

import cProfile
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable

import pytest
from parameters import named

from git_opatch import (
    Ambiguous,
    Failure,
    Matching,
    Options,
    Refused,
    apply_to_text,
    parse_patch,
    plan_in_memory,
)
from git_opatch.complete.tree import FileContent
from git_opatch.locate.owners import apply_hunks
from git_opatch.model.blob import Mode
from git_opatch.model.limits import MANY
from git_opatch.model.sentences import Fault, Reason
from git_opatch.model.text import Text

_FILE = "one\ntwo\nthree\n"
_OTHER = "".join(f" other {at}\n" for at in range(3000))
_REMOVED = _OTHER.replace(" other", "-other")
_DEFAULT, _NEAREST = Options(), Options(matching=Matching(ambiguous=Ambiguous.NEAREST))


def applied(content: str, *hunks: str, options: Options = _DEFAULT) -> str:
    """Return what a diff of `hunks` makes of a file; each may begin with its header."""
    text = "".join(hunk if hunk.startswith("@@") else f"@@\n{hunk}" for hunk in hunks)
    return apply_to_text(f"--- a/f\n+++ b/f\n{text}", {"f": content}, options)["f"]


def refused(content: str, *hunks: str, options: Options = _DEFAULT) -> Failure:
    with pytest.raises(Refused) as raised:
        applied(content, *hunks, options=options)
    (failure,) = raised.value.failures
    return failure


@named(
    "hunk",
    {
        "context": _OTHER + "-one\n+1\n",
        "lines that are removed": _REMOVED,
        "lines that are replaced": _REMOVED + _OTHER.replace(" other", "+another"),
        "nothing is changed": _OTHER,
    },
)
def test_a_hunk_far_longer_than_the_file_is_refused(hunk: str) -> None:
    failure = refused(_FILE, " one\n-two\n+2\n", hunk)
    assert (failure.fault, failure.hunk) == (Fault.TOO_LONG, 2)


def test_a_hunk_slightly_longer_than_the_file_is_compared() -> None:
    context = "".join(f" other {at}\n" for at in range(500))
    assert refused(_FILE, " one\n-twice\n+2\n" + context).picture


@named(
    "hunks, after",
    {
        "blank lines": ([" one\n-two\n+2\n three\n" + " \n" * 3000], "one\n2\nthree\n"),
        "lines that are added": (
            [" one\n-two\n" + "+two\n" * 3000 + " three\n"],
            "one\n" + "two\n" * 3000 + "three\n",
        ),
        "lines that another hunk adds": (
            [" one\n" + _OTHER.replace(" o", "+o") + " two\n", _OTHER + " two\n-three\n+3\n"],
            "one\n" + _OTHER.replace(" o", "o") + "two\n3\n",
        ),
    },
)
def test_an_oversized_hunk_with_a_position_is_applied(hunks: list[str], after: str) -> None:
    assert applied(_FILE, *hunks) == after


def test_an_oversized_hunk_may_be_applied_already() -> None:
    assert refused(_FILE, " one\n" + _REMOVED + "+two\n three\n").reason is Reason.ALREADY_APPLIED


def test_the_lines_of_an_oversized_hunk_are_not_kept() -> None:
    text = "--- a/f\n+++ b/f\n@@\n" + "-x\n" * 50_000
    (section,) = parse_patch(text).files
    content = FileContent(Mode.REGULAR, Text.from_bytes(_FILE.encode()))
    tracemalloc.start()
    edited = apply_hunks(section, content, Options())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [failure.hunk for failure in edited.failures] == [1]
    assert peak < len(text)


def test_no_more_positions_are_listed_than_a_thousand() -> None:
    assert len(refused("x\n" * (MANY + 500), "-x\n+y\n").positions) == MANY


_EQUAL = "x\n" * MANY


@named(
    "content, hunks",
    {
        "the order": (f"{_EQUAL}q\n{_EQUAL}", ["-q\n+z\n", "-x\n+y\n"]),
        "the order, loosely": (f"{_EQUAL}q\n{_EQUAL}", ["-q\n+z\n", "-  x\n+  y\n"]),
        "an anchor": (f"{_EQUAL}[a]\n{_EQUAL}", ["@@ [a]\n-x\n+y\n"]),
        "an anchor, loosely": (f"{_EQUAL}[a]\n{_EQUAL}", ["@@ [a]\n-  x\n+  y\n"]),
        "a hunk of context": (f"{_EQUAL}[a]\n{_EQUAL}", [" [a]\n", "-x\n+y\n"]),
        "a number": (f"{_EQUAL}q\n{_EQUAL}", ["-q\n+z\n", "@@ -1500 @@\n-x\n+y\n"]),
    },
)
def test_nothing_chooses_among_more_places_than_are_listed(content: str, hunks: list[str]) -> None:
    assert refused(content, *hunks).reason is Reason.AMBIGUOUS


FILLED = "".join(f"x\n{number}\n" for number in range(40))
SPARSE = "".join("x\n" if number % 10 == 0 else f"{number}\n" for number in range(80))


def test_a_number_must_be_confirmed_to_choose_among_many_near_candidates() -> None:
    number, exact = "@@ -41 @@\n-x\n+y\n", "@@ -8 @@\n-3\n+three\n"
    assert refused(FILLED, number).reason is Reason.AMBIGUOUS
    assert applied(SPARSE, number).split("\n")[40] == "y"
    assert applied(FILLED, number, exact).split("\n")[40] == "y"
    assert refused(FILLED, number, exact.replace(" -8 @@", "")).reason is Reason.AMBIGUOUS
    headed = f"def f():\n{FILLED}def g():\n{FILLED}"
    assert applied(headed, "@@ -42 @@ def f():\n-x\n+y\n").split("\n")[41] == "y"


@pytest.mark.parametrize("above", [99, 100, 101, 300])
def test_the_nearest_loose_candidate_is_within_a_hundred_lines(above: int) -> None:
    """Without a hunk before, they are counted from the beginning of the file."""
    content, hunk = "fill\n" * above + "x  = 1\n" + "gap\n" * 300 + "x  = 1\n", "-x = 1\n+x = 3\n"
    if above > 100:
        assert refused(content, hunk, options=_NEAREST).reason is Reason.AMBIGUOUS
    else:
        after = content.replace("x  = 1", "x = 3", 1)
        assert applied(content, hunk, options=_NEAREST) == after
    exact = content.replace("  =", " =")
    assert applied(exact, hunk, options=_NEAREST) == exact.replace("1", "3", 1)


def _gaps(count: int) -> tuple[str, str]:
    rows = [f"key_{at} = 1\nother_{at} = 1\ntail_{at} = 3\n" for at in range(count)]
    hunk = [f" key_{at} = 1\n # ...\n-tail_{at} = 3\n+tail_{at} = 4\n" for at in range(count)]
    return "".join(rows), "".join(["*** Update File: f\n@@\n", *hunk])


def _elisions(count: int) -> tuple[str, str]:
    rows = [f"a{at}\nx\nb{at}\n" for at in range(count)]
    hunks = [f"@@\n-a{at}\n~\n-b{at}\n+c{at}\n" for at in range(count)]
    section = "".join(['<FILE_PATCH file_path="f">\n', *hunks, "</FILE_PATCH>\n"])
    return "".join(rows), f"<FILE_CHANGES>\n{section}</FILE_CHANGES>\n"


def _long(line: str, shown: str) -> Callable[[int], tuple[str, str]]:
    """A file of equal lines, and a hunk of a tenth of them, which may be anywhere."""
    return lambda count: (
        f"{line}\n" * (count * 100),
        "*** Update File: f\n@@\n" + f" {shown}\n" * (count * 10) + f"-{shown}\n+new\n",
    )


def _many(line: str, shown: str) -> Callable[[int], tuple[str, str]]:
    """A file of equal lines, and as many hunks."""
    return lambda count: (
        f"{line}\n" * (count * 100),
        "*** Update File: f\n"
        + "".join(f"@@\n {shown}\n-{shown}\n+new {at}\n" for at in range(count * 3)),
    )


def _calls(content: str, patch: str) -> int:
    """Return how many functions are called until it is decided what becomes of a patch."""
    text = patch if patch.startswith("<") else f"*** Begin Patch\n{patch}*** End Patch\n"
    profile = cProfile.Profile()
    profile.enable()
    plan = plan_in_memory(text, {"f": content.encode()})
    profile.disable()
    assert {failure.reason for failure in plan.failures} <= {Reason.AMBIGUOUS}
    return sum(entry.callcount for entry in profile.getstats())


@named(
    "make",
    {
        "gaps": _gaps,
        "elisions": _elisions,
        "a long hunk": _long("x = 1", "x = 1"),
        "a long hunk with other whitespace": _long("x = 1", "x  = 1"),
        "a long hunk of blank lines": _long(" ", " "),
        "many hunks": _many("x = 1", "x = 1"),
        "many hunks with other whitespace": _many("x = 1", "x  = 1"),
    },
)
def test_what_may_be_in_many_places_takes_time_in_proportion(
    make: Callable[[int], tuple[str, str]],
) -> None:
    _calls(*make(10))
    assert _calls(*make(240)) < 5 * _calls(*make(60))


def test_a_message_is_the_same_in_each_process() -> None:
    """Of words of one length some are looked for: which ones does not depend on hashes."""
    words = [f"word{at}" for at in range(8)]
    rule = "=" * 100
    lines = [f"{word} {rule}" for word in words]
    patch = f"--- a/f\n+++ b/f\n@@\n-{' '.join(words)} {rule}\n+none\n"
    program = (
        "from git_opatch import plan_in_memory as plan\n"
        f"print(plan({patch!r}, {{'f': {chr(10).join(lines)!r}.encode()}}).failures)"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in "123"
    }
    assert len(seen) == 1
