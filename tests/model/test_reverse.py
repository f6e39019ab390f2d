"""Reversed patches: their values, and their effect on the files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from parameters import named
from sandbox import Sandbox

from git_opatch.git.snapshot import Snapshot
from git_opatch.model.blob import Blob, Entry, Mode
from git_opatch.model.options import Options
from git_opatch.model.patch import Anchor, FilePatch, Hunk, Line, Operation, Patch, Prefix
from git_opatch.model.reverse import reverse
from git_opatch.model.sentences import Fault, Reason
from git_opatch.parse import parse_patch
from git_opatch.plan.plan import Plan
from git_opatch.plan.sections import plan_sections

Files = dict[str, str]


def text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def envelope(*lines: str) -> str:
    return text("*** Begin Patch", *lines, "*** End Patch")


def hunk_lines(*lines: str, newline: bool = True) -> tuple[Line, ...]:
    return tuple(Line(Prefix(line[:1]), line[1:].encode(), newline) for line in lines)


def blob(path: str, content: str, mode: Mode = Mode.REGULAR) -> Blob:
    data = content.encode()
    return Blob(path, Entry(mode, hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()), data)


def plan_of(
    patch: str, files: Mapping[str, str], *, back: bool, former: Mapping[str, str] | None = None
) -> Plan:
    parsed = parse_patch(patch)
    known, gone = (
        {path: blob(path, content) for path, content in each.items()}
        for each in (files, former or {})
    )
    snapshot = Snapshot(known, restorable=gone)
    options = Options(reverse=back)
    return plan_sections(reverse(parsed) if back else parsed, snapshot, options, "sha1")


def after(plan: Plan, files: Mapping[str, str]) -> Files:
    assert plan.failures == ()
    gone = {change.path for change in plan.completed.changes if change.new is None}
    written = {path: data.decode() for path, data in plan.completed.contents().items()}
    return {path: content for path, content in {**files, **written}.items() if path not in gone}


@named(
    "hunk, expected",
    {
        "starts change places, anchors stay": (
            Hunk(hunk_lines(" a", "-b"), (Anchor(b"x"),), 4, 7),
            Hunk(hunk_lines(" a", "+b"), (Anchor(b"x"),), 7, 4),
        ),
        "a lacking newline and the end of the file stay": (
            Hunk(hunk_lines("-a") + hunk_lines("+b", newline=False), at_end_of_file=True),
            Hunk(hunk_lines("+a") + hunk_lines("-b", newline=False), at_end_of_file=True),
        ),
        "lines without a place were appended": (
            Hunk(hunk_lines("+a", "+b")),
            Hunk(hunk_lines("-a", "-b"), at_end_of_file=True),
        ),
        "lines after an anchor were not": (
            Hunk(hunk_lines("+a"), (Anchor(b"x"),)),
            Hunk(hunk_lines("-a"), (Anchor(b"x"),)),
        ),
    },
)
def test_a_hunk_is_reversed(hunk: Hunk, expected: Hunk) -> None:
    section = FilePatch(Operation.UPDATE, "f", "f", (hunk,))
    assert reverse(Patch((section,))).files[0].hunks == (expected,)


def test_applying_and_undoing_restores_the_mode() -> None:
    patch = text("diff --git a/f b/f", "old mode 100644", "new mode 100755")
    files = Snapshot({"f": blob("f", "a\n", Mode.EXECUTABLE)})
    plan = plan_sections(reverse(parse_patch(patch)), files, Options(reverse=True), "sha1")
    expected = text("diff --git a/f b/f", "old mode 100755", "new mode 100644")
    assert plan.completed.diff.decode() == expected


def test_a_deleted_file_is_restored_as_it_was() -> None:
    patch = envelope("*** Delete File: d")
    plan = plan_of(patch, {}, back=True, former={"d": "a\nb"})
    assert after(plan, {}) == {"d": "a\nb"}
    assert plan.notes == ("d: content taken from HEAD",)


def test_a_deleted_file_is_not_restored_over_another() -> None:
    plan = plan_of(envelope("*** Delete File: d"), {"d": "b\n"}, back=True, former={"d": "a\n"})
    assert [failure.reason for failure in plan.failures] == [Reason.FILE_EXISTS]


def test_a_recorded_copy_is_undone(repo: Sandbox) -> None:
    repo.commit({"a": "one\ntwo\nthree\n"})
    headers = b"diff --git a/a b/b\ncopy from a\ncopy to b\n--- a/a\n+++ b/b\n"
    feed = headers + b"@@\n-one\n+1\n"
    assert repo.opatch("apply", feed=feed).status == 0
    assert repo.read("b") == b"1\ntwo\nthree\n"
    assert repo.opatch("apply", "-R", feed=feed).status == 0
    assert sorted(repo.files()) == ["a"]
    assert repo.opatch("apply", feed=feed).status == 0
    repo.write("b", "1\ntwo\nthree\nfour\n")
    repo.git("add", "b")
    before = repo.state()
    ran = repo.opatch("apply", "-R", feed=feed)
    assert (ran.status, f"error: b: {Fault.MERGE_WHOLE.sentence}" in ran.err) == (1, True)
    assert repo.state() == before
