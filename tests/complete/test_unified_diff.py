"""Plans become the standard unified diff that git is given, byte for byte."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import pytest

from git_opatch.complete import FileSummary
from git_opatch.git.snapshot import Snapshot
from git_opatch.model.blob import Blob, Entry, Mode
from git_opatch.model.options import Options
from git_opatch.model.sentences import Reason
from git_opatch.parse import parse_patch
from git_opatch.plan.plan import Plan
from git_opatch.plan.section import plan_sections

NONE = "0" * 40
LACKS = "\\ No newline at end of file\n"
AB, CD = "a\nb\n", "c\nd\n"
TEN = "".join(f"{number}\n" for number in range(1, 11))
BINARY = b"\x00\xff\n"


def raw(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def oid(content: str | bytes) -> str:
    return hashlib.sha1(b"blob %d\0%b" % (len(raw(content)), raw(content))).hexdigest()


def blob(path: str, content: str | bytes) -> Blob:
    return Blob(path, Entry(Mode.REGULAR, oid(content)), raw(content))


def plan_of(patch: str | bytes, *blobs: Blob) -> Plan:
    snapshot = Snapshot({blob.path: blob for blob in blobs})
    return plan_sections(parse_patch(patch), snapshot, Options(), "sha1", {})


def diff_of(patch: str | bytes, files: Mapping[str, str | bytes]) -> str:
    plan = plan_of(patch, *(blob(path, content) for path, content in files.items()))
    assert plan.failures == ()
    return plan.completed.diff.decode()


def words(text: str) -> str:
    """Return the lines of a hunk, one per word; a word without a prefix is context."""
    lines = (word if word[0] in "+-" else f" {word}" for word in text.split())
    return "".join(LACKS if line == " \\" else f"{line}\n" for line in lines)


def hunks(text: str) -> str:
    """Return the hunks with their headers, all on one line."""
    parts = iter(text.split("@@")[1:])
    return "".join(
        f"@@{numbers}@@\n{words(lines)}" for numbers, lines in zip(parts, parts, strict=True)
    )


def envelope(*sections: str) -> str:
    return "*** Begin Patch\n" + "".join(sections) + "*** End Patch\n"


def update(*changes: str, path: str = "f", move: str = "") -> str:
    moved = f"*** Move to: {move}\n" if move else ""
    return f"*** Update File: {path}\n{moved}" + "".join(
        f"@@\n{words(change)}" for change in changes
    )


def header(old: str | bytes, new: str | bytes, path: str = "f") -> str:
    names = f"--- a/{path}\n+++ b/{path}\n"
    return f"diff --git a/{path} b/{path}\nindex {oid(old)}..{oid(new)} 100644\n{names}"


def modified(path: str, old: str, new: str, changes: str) -> str:
    return header(old, new, path) + hunks(changes)


def created(path: str, content: str, changes: str = "", mode: str = "100644") -> str:
    names = f"--- /dev/null\n+++ b/{path}\n" if changes else ""
    first = f"diff --git a/{path} b/{path}\nnew file mode {mode}\n"
    return f"{first}index {NONE}..{oid(content)}\n{names}{hunks(changes)}"


def deleted(path: str, content: str | bytes, changes: str = "") -> str:
    names = f"--- a/{path}\n+++ /dev/null\n" if changes else ""
    first = f"diff --git a/{path} b/{path}\ndeleted file mode 100644\n"
    return f"{first}index {oid(content)}..{NONE}\n{names}{hunks(changes)}"


def moved(old: str, new: str, similarity: int, rest: str = "", verb: str = "rename") -> str:
    names = f"similarity index {similarity}%\n{verb} from {old}\n{verb} to {new}\n"
    return f"diff --git a/{old} b/{new}\n{names}{rest}"


def numbers(changed: Mapping[int, str]) -> str:
    """Return the lines 1 to 20, some of them changed."""
    lines = (changed.get(number, f"{number}").split() for number in range(1, 21))
    return "".join(f"{word}\n" for line in lines for word in line)


@pytest.mark.parametrize(
    ("changes", "changed", "expected"),
    [
        pytest.param(["-5 +x"], {5: "x"}, "@@ -2,7 +2,7 @@ 2 3 4 -5 +x 6 7 8", id="the middle"),
        pytest.param(["-1 +x"], {1: "x"}, "@@ -1,4 +1,4 @@ -1 +x 2 3 4", id="at the start"),
        pytest.param(["-20 +x"], {20: "x"}, "@@ -17,4 +17,4 @@ 17 18 19 -20 +x", id="at the end"),
        pytest.param(["3 +x"], {3: "3 x"}, "@@ -1,6 +1,7 @@ 1 2 3 +x 4 5 6", id="an insertion"),
        pytest.param(["+x 1"], {1: "x 1"}, "@@ -1,3 +1,4 @@ +x 1 2 3", id="before the first"),
        pytest.param(["+x"], {20: "20 x"}, "@@ -18,3 +18,4 @@ 18 19 20 +x", id="after the last"),
        pytest.param(["-2 -3"], {2: "", 3: ""}, "@@ -1,6 +1,4 @@ 1 -2 -3 4 5 6", id="a deletion"),
        pytest.param(
            *(["-2 +x 3", "3 -4 +y"], {2: "x", 4: "y"}, "@@ -1,7 +1,7 @@ 1 -2 +x 3 -4 +y 5 6 7"),
            id="near ones are joined",
        ),
        pytest.param(
            *(["-5 +x", "-12 +y"], {5: "x", 12: "y"}),
            "@@ -2,14 +2,14 @@ 2 3 4 -5 +x 6 7 8 9 10 11 -12 +y 13 14 15",
            id="six lines between are joined",
        ),
        pytest.param(
            *(["-5 +x", "-13 +y"], {5: "x", 13: "y"}),
            "@@ -2,7 +2,7 @@ 2 3 4 -5 +x 6 7 8 @@ -10,7 +10,7 @@ 10 11 12 -13 +y 14 15 16",
            id="seven lines between are not",
        ),
        pytest.param(
            *(["5 +x +y", "-15 16"], {5: "5 x y", 15: ""}),
            "@@ -3,6 +3,8 @@ 3 4 5 +x +y 6 7 8 @@ -12,7 +14,6 @@ 12 13 14 -15 16 17 18",
            id="what grows moves what follows",
        ),
        pytest.param(
            *(["-4 +x", "-1 +y"], {1: "y", 4: "x"}, "@@ -1,7 +1,7 @@ -1 +y 2 3 -4 +x 5 6 7"),
            id="out of order",
        ),
        pytest.param(
            *(["-1 -2 -3 +1 +x +3"], {2: "x"}, "@@ -1,5 +1,5 @@ 1 -2 +x 3 4 5"),
            id="what comes back is context",
        ),
    ],
)
def test_an_update_is_written_as_a_diff(
    changes: list[str], changed: dict[int, str], expected: str
) -> None:
    old, new = numbers({}), numbers(changed)
    assert diff_of(envelope(update(*changes)), {"f": old}) == header(old, new) + hunks(expected)


@pytest.mark.parametrize(
    ("old", "change", "new", "expected"),
    [
        pytest.param("a\nb", "-a +x", "x\nb", "@@ -1,2 +1,2 @@ -a +x b \\", id="still lacking"),
        pytest.param("a\nb", "-b +x", "a\nx\n", "@@ -1,2 +1,2 @@ a -b \\ +x", id="gained"),
        pytest.param("a\nb", "-b \\ +x \\", "a\nx", "@@ -1,2 +1,2 @@ a -b \\ +x \\", id="in both"),
        pytest.param(AB, "-b +x \\", "a\nx", "@@ -1,2 +1,2 @@ a -b +x \\", id="lost"),
        pytest.param("a\nb", "-b \\ +b", AB, "@@ -1,2 +1,2 @@ a -b \\ +b", id="gained alone"),
        pytest.param(AB, "-b +b \\", "a\nb", "@@ -1,2 +1,2 @@ a -b +b \\", id="lost alone"),
        pytest.param("a\nb\nc", "b -c", AB, "@@ -1,3 +1,2 @@ a b -c \\", id="gone with its line"),
        pytest.param("a\nb", "b +c", AB + "c\n", "@@ -1,2 +1,3 @@ a -b \\ +b +c", id="appended to"),
        pytest.param("a\nb", "b \\ +c", AB + "c\n", "@@ -1,2 +1,3 @@ a -b \\ +b +c", id="known"),
        pytest.param(AB, "-a -b", "", "@@ -1,2 +0,0 @@ -a -b", id="an emptied file"),
        pytest.param("", "+a +b", AB, "@@ -0,0 +1,2 @@ +a +b", id="a file that was empty"),
        pytest.param("", "+a +b \\", "a\nb", "@@ -0,0 +1,2 @@ +a +b \\", id="and lacks one then"),
    ],
)
def test_the_newline_at_the_end_is_marked_as_git_does(
    old: str, change: str, new: str, expected: str
) -> None:
    patch = f"--- a/f\n+++ b/f\n@@\n{words(change)}"
    assert diff_of(patch, {"f": old}) == header(old, new) + hunks(expected)


@pytest.mark.parametrize(
    ("old", "lines", "new", "expected"),
    [
        pytest.param("a\r\nb\r\n", "-b\n+x\n", "a\r\nx\r\n", " a\r\n-b\r\n+x\r\n", id="replaced"),
        pytest.param("a\r\nb\r\n", "+x\n b\n", "a\r\nx\r\nb\r\n", " a\r\n+x\r\n b\r\n", id="added"),
        pytest.param("a\nb\n", "-b\r\n+x\r\n", "a\nx\n", " a\n-b\n+x\n", id="only the patch's"),
        pytest.param("a\r\nb\n", "-b\n+x\n", "a\r\nx\n", " a\r\n-b\n+x\n", id="a mixed file"),
    ],
)
def test_line_endings_are_those_of_the_file(old: str, lines: str, new: str, expected: str) -> None:
    ending = "\r\n" if "\r" in lines else "\n"
    patch = ending.join(["*** Begin Patch", "*** Update File: f", "@@", f"{lines}*** End Patch"])
    count = new.count("\n")
    assert diff_of(patch, {"f": old}) == f"{header(old, new)}@@ -1,2 +1,{count} @@\n{expected}"


NAMES, GONE = "--- a/f\n+++ b/f\n", "*** Delete File: f\n"


def test_a_new_file_is_written_as_a_diff() -> None:
    bare = "@@ -0,0 +1,2 @@ +a +b \\"
    patch = envelope("*** Add File: n\n+a\n+b\n")
    assert diff_of(patch, {}) == created("n", AB, "@@ -0,0 +1,2 @@ +a +b")
    assert diff_of(f"--- /dev/null\n+++ b/n\n{hunks(bare)}", {}) == created("n", "a\nb", bare)
    executable = "diff --git a/n b/n\nnew file mode 100755\n"
    assert diff_of(envelope("*** Add File: n\n"), {}) == created("n", "")
    assert diff_of(executable, {}) == created("n", "", mode="100755")


def test_a_deleted_file_is_written_as_a_diff() -> None:
    patch = envelope(GONE)
    binary = deleted("f", BINARY) + "Binary files a/f and /dev/null differ\n"
    assert diff_of(patch, {"f": AB}) == deleted("f", AB, "@@ -1,2 +0,0 @@ -a -b")
    assert diff_of(patch, {"f": "a\nb"}) == deleted("f", "a\nb", "@@ -1,2 +0,0 @@ -a -b \\")
    assert diff_of(patch, {"f": ""}) == deleted("f", "")
    assert diff_of(patch, {"f": BINARY}) == binary


def test_a_rename_and_a_copy_are_written_as_a_diff() -> None:
    new = TEN.replace("10", "xx")
    rest = f"index {oid(TEN)}..{oid(new)} 100644\n--- a/o\n+++ b/n\n"
    rest += hunks("@@ -7,4 +7,4 @@ 7 8 9 -10 +xx")
    assert diff_of(envelope(update(path="o", move="n")), {"o": TEN}) == moved("o", "n", 100)
    edited = envelope(update("-10 +xx", path="o", move="n"))
    again = envelope(update(path="o", move="n"), update("-10 +xx", path="n"))
    chain = envelope(update("-10 +xx", path="o", move="m"), update(path="m", move="n"))
    for patch in (edited, again, chain):
        assert diff_of(patch, {"o": TEN}) == moved("o", "n", 85, rest)
    copy = "diff --git a/o b/n\ncopy from o\ncopy to n\n"
    assert diff_of(copy, {"o": TEN}) == moved("o", "n", 100, verb="copy")


def test_a_mode_change_is_written_as_a_diff() -> None:
    head = "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"
    change = NAMES + hunks("@@ -1,2 +1,2 @@ -a +x b")
    both = f"{head}index {oid(AB)}..{oid(AB.replace('a', 'x'))}\n{change}"
    assert (diff_of(head, {"f": AB}), diff_of(both, {"f": AB})) == (head, both)


@pytest.mark.parametrize(
    ("sections", "new", "changes"),
    [
        pytest.param([update("-a +x"), update("-b +y")], "x\ny\n", "-a -b +x +y", id="neighbours"),
        pytest.param([update("-a +x"), update("-x +y")], "y\nb\n", "-a +y b", id="the same line"),
        pytest.param([GONE, "*** Add File: f\n+a\n+x\n"], "a\nx\n", "a -b +x", id="deleted, added"),
    ],
)
def test_several_sections_of_a_file_become_one_diff(
    sections: list[str], new: str, changes: str
) -> None:
    expected = modified("f", AB, new, f"@@ -1,2 +1,2 @@ {changes}")
    assert diff_of(envelope(*sections), {"f": AB}) == expected


@pytest.mark.parametrize(
    "sections",
    [
        pytest.param([update("a +x"), update("-x")], id="a line comes and goes"),
        pytest.param([GONE, "*** Add File: f\n+a\n+b\n"], id="the same file again"),
        pytest.param(["*** Add File: n\n+a\n", "*** Delete File: n\n"], id="a file comes and goes"),
        pytest.param([update(move="n"), update(path="n", move="f")], id="there and back"),
    ],
)
def test_sections_that_cancel_out_give_no_diff(sections: list[str]) -> None:
    plan = plan_of(envelope(*sections), blob("f", AB))
    assert [failure.reason for failure in plan.failures] == [Reason.NO_CHANGE]


def test_names_may_be_swapped() -> None:
    swap = [update(path=old, move=new) for old, new in ("at", "ba", "tb")]
    first = modified("a", AB, CD, "@@ -1,2 +1,2 @@ -a -b +c +d")
    second = modified("b", CD, AB, "@@ -1,2 +1,2 @@ -c -d +a +b")
    assert diff_of(envelope(*swap), {"a": AB, "b": CD}) == first + second
    away = envelope(update(path="a", move="b"), "*** Add File: a\n+c\n+d\n")
    assert diff_of(away, {"a": AB}) == first + created("b", AB, "@@ -0,0 +1,2 @@ +a +b")
    over = envelope("*** Delete File: b\n", update(path="a", move="b"))
    gone = deleted("a", AB, "@@ -1,2 +0,0 @@ -a -b")
    assert diff_of(over, {"a": AB, "b": CD}) == gone + second


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        pytest.param("x y", "a/x y\t", "b/x y\t", id="a space"),
        pytest.param("ü", '"a/\\303\\274"', '"b/\\303\\274"', id="Unicode"),
        pytest.param('q"', '"a/q\\""', '"b/q\\""', id="a quote"),
    ],
)
def test_names_are_quoted_as_git_does(path: str, old: str, new: str) -> None:
    diff = diff_of(envelope(update("-a +x", path=path)), {path: AB})
    first, _, *names = diff.splitlines()[:4]
    assert [first, *names] == [
        f"diff --git {old} {new}".replace("\t", ""),
        f"--- {old}",
        f"+++ {new}",
    ]


def test_each_file_is_summarized() -> None:
    sections = ["*** Add File: n\n+a\n", "*** Delete File: d\n", update("-1 +x +y", path="m")]
    files = [blob("d", AB), blob("m", TEN), blob("o", TEN)]
    plan = plan_of(envelope(*sections, update(path="o", move="r")), *files)
    assert plan.completed.files == (
        FileSummary("D", "d", "d", 0, 2),
        FileSummary("M", "m", "m", 2, 1),
        FileSummary("A", "n", "n", 1, 0),
        FileSummary("R", "r", "o", 0, 0),
    )
    new = TEN.replace("1\n", "x\ny\n", 1).encode()
    assert plan.completed.contents() == {"m": new, "n": b"a\n", "r": TEN.encode()}


@pytest.mark.parametrize(
    ("patch", "old", "expected"),
    [
        pytest.param(
            "*** Update File: f\n@@\n-b\n+c\n", b"a\fb\nb\n", [("f", 1, 1)], id="form feed"
        ),
        pytest.param(
            "*** Update File: f\n@@\n-b\n+c\n", b"\xff\nb\n", [("f", 1, 1)], id="not UTF-8"
        ),
        pytest.param("*** Update File: f\n@@\n-b\n+c\n", b"a\rx\nb\n", [("f", 1, 1)], id="lone CR"),
        pytest.param("*** Update File: f\n@@\n-b\n+c\n", b"a\r\nb\r\n", [("f", 1, 1)], id="CRLF"),
        pytest.param("*** Delete File: f\n", b"a\nb", [("f", 0, 2)], id="deleted, no newline"),
        pytest.param("*** Delete File: f\n", BINARY, [("f", 0, 0)], id="binary"),
        pytest.param("*** Add File: n\n+x\n", b"a\n", [("n", 1, 0)], id="added"),
    ],
)
def test_unidiff_reads_the_completed_diff(
    patch: str, old: bytes, expected: list[tuple[str, int, int]]
) -> None:
    plan = plan_of(f"*** Begin Patch\n{patch}*** End Patch\n", blob("f", old))
    assert [(file.path, file.added, file.removed) for file in plan.patch_set] == expected
    summaries = [(file.path, file.added, file.removed) for file in plan.completed.files]
    assert summaries == expected
