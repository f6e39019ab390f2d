"""Plans become the standard unified diff that git is given, byte for byte."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from parameters import named

from git_opatch import plan_in_memory
from git_opatch.complete import FileSummary
from git_opatch.model.sentences import Reason
from git_opatch.plan.plan import Plan

AB = "a\nb\n"
TEN = "".join(f"{number}\n" for number in range(1, 11))


def oid(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0%b" % (len(content), content)).hexdigest()


def plan_of(patch: str, files: Mapping[str, str | bytes]) -> Plan:
    return plan_in_memory(
        patch,
        {path: text if isinstance(text, bytes) else text.encode() for path, text in files.items()},
    )


def envelope(*sections: str) -> str:
    return "*** Begin Patch\n" + "".join(sections) + "*** End Patch\n"


def update(hunk: str = "", path: str = "f", move: str = "") -> str:
    moved = f"*** Move to: {move}\n" if move else ""
    return f"*** Update File: {path}\n{moved}" + (f"@@\n{hunk}" if hunk else "")


def test_a_rename_and_a_copy_are_written_as_a_diff() -> None:
    names = "diff --git a/o b/n\nsimilarity index {}%\n{} from o\n{} to n\n"
    ids = oid(TEN.encode()), oid(TEN.replace("10", "xx").encode())
    changed = names.format(85, "rename", "rename") + "index {}..{} 100644\n".format(*ids)
    changed += "--- a/o\n+++ b/n\n@@ -7,4 +7,4 @@\n 7\n 8\n 9\n-10\n+xx\n"
    hunk = "-10\n+xx\n"
    for patch, expected in (
        (envelope(update(path="o", move="n")), names.format(100, "rename", "rename")),
        (envelope(update(hunk, path="o", move="n")), changed),
        (envelope(update(path="o", move="n"), update(hunk, path="n")), changed),
        (envelope(update(hunk, path="o", move="m"), update(path="m", move="n")), changed),
        ("diff --git a/o b/n\ncopy from o\ncopy to n\n", names.format(100, "copy", "copy")),
    ):
        assert plan_of(patch, {"o": TEN}).completed.diff.decode() == expected


@named(
    "sections",
    {
        "a line comes and goes": [update(" a\n+x\n"), update("-x\n")],
        "the same file again": ["*** Delete File: f\n", "*** Add File: f\n+a\n+b\n"],
        "a file comes and goes": ["*** Add File: n\n+a\n", "*** Delete File: n\n"],
        "there and back": [update(move="n"), update(path="n", move="f")],
    },
)
def test_sections_that_cancel_out_give_no_diff(sections: list[str]) -> None:
    plan = plan_of(envelope(*sections), {"f": AB})
    assert [failure.reason for failure in plan.failures] == [Reason.NO_CHANGE]


def test_each_file_is_summarized() -> None:
    sections = ["*** Add File: n\n+a\n", "*** Delete File: d\n", update("-1\n+x\n+y\n", path="m")]
    plan = plan_of(envelope(*sections, update(path="o", move="r")), {"d": AB, "m": TEN, "o": TEN})
    assert plan.completed.files == (
        FileSummary("D", "d", "d", 0, 2),
        FileSummary("M", "m", "m", 2, 1),
        FileSummary("A", "n", "n", 1, 0),
        FileSummary("R", "r", "o", 0, 0),
    )
    new = TEN.replace("1\n", "x\ny\n", 1).encode()
    assert plan.completed.contents() == {"m": new, "n": b"a\n", "r": TEN.encode()}


@named(
    "patch, old, expected",
    {
        "form feed": ("*** Update File: f\n@@\n-b\n+c\n", b"a\fb\nb\n", [("f", 1, 1)]),
        "not UTF-8": ("*** Update File: f\n@@\n-b\n+c\n", b"\xff\nb\n", [("f", 1, 1)]),
        "lone CR": ("*** Update File: f\n@@\n-b\n+c\n", b"a\rx\nb\n", [("f", 1, 1)]),
        "CRLF": ("*** Update File: f\n@@\n-b\n+c\n", b"a\r\nb\r\n", [("f", 1, 1)]),
        "deleted, no newline": ("*** Delete File: f\n", b"a\nb", [("f", 0, 2)]),
        "binary": ("*** Delete File: f\n", b"\x00\xff\n", [("f", 0, 0)]),
        "added": ("*** Add File: n\n+x\n", b"a\n", [("n", 1, 0)]),
    },
)
def test_unidiff_reads_the_completed_diff(
    patch: str, old: bytes, expected: list[tuple[str, int, int]]
) -> None:
    plan = plan_of(envelope(patch), {"f": old})
    assert [(file.path, file.added, file.removed) for file in plan.patch_set] == expected
    summaries = [(file.path, file.added, file.removed) for file in plan.completed.files]
    assert summaries == expected
