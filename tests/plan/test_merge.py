"""The merge of a file: lines by `git merge-file`, all else as a whole value."""

from __future__ import annotations

import hashlib

import pytest
from sandbox import Sandbox

from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot
from git_opatch.model.blob import Blob, ChangedFile, Entry, Mode
from git_opatch.plan.merge import Conflict, Merged, complete_merge, merge_file, merge_files


def _blob(content: str | None, mode: Mode = Mode.REGULAR, path: str = "f") -> Blob | None:
    if content is None:
        return None
    data = content.encode()
    oid = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
    return Blob(path, Entry(mode, oid), data)


_LINES = "".join(f"{number}\n" for number in range(9))
_THEIRS = _LINES.replace("2\n", "two\n")
_MERGED = [
    (_LINES, _LINES.replace("4\n", "four\n"), _THEIRS, _THEIRS.replace("4\n", "four\n")),
    (_LINES, _THEIRS, _THEIRS, _THEIRS),
    (_LINES, "other\n", _LINES, "other\n"),
    (None, None, "new\n", "new\n"),
    (None, "new\n", "new\n", "new\n"),
    ("old\n", "old\n", None, None),
    ("old\n", None, None, None),
    ("\0old", "\0old", "\0new", "\0new"),
]


@pytest.mark.parametrize(("base", "ours", "theirs", "merged"), _MERGED)
def test_what_merges(
    repo: Sandbox, base: str | None, ours: str | None, theirs: str | None, merged: str | None
) -> None:
    found = merge_file(Repository(repo.path), _blob(base), _blob(ours), _blob(theirs))
    assert found == (None if merged is None else Merged(Mode.REGULAR, merged.encode()))


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "position"),
    [
        (_LINES, _LINES.replace("2\n", "zwei\n"), _THEIRS, 2),
        (_LINES, _LINES.replace("3\n", "three\n"), _THEIRS, 2),
        (_LINES, _LINES.replace("2\n", "2\nmine\n"), _LINES.replace("2\n", "2\nyours\n"), 3),
        (_LINES, None, _THEIRS, None),
        (None, "mine\n", "new\n", None),
        ("new\n", "new\nmine\n", None, 1),
        ("\0old", "\0mine", "\0new", None),
        (_LINES, "\0mine", _THEIRS, None),
    ],
)
def test_what_conflicts(
    repo: Sandbox, base: str | None, ours: str | None, theirs: str | None, position: int | None
) -> None:
    found = merge_file(Repository(repo.path), _blob(base), _blob(ours), _blob(theirs))
    assert isinstance(found, Conflict)
    assert found.position == position


def test_modes_are_merged_beside_lines(repo: Sandbox) -> None:
    git = Repository(repo.path)
    ours, theirs = _blob(_LINES, Mode.EXECUTABLE), _blob(_THEIRS)
    assert merge_file(git, _blob(_LINES), ours, theirs) == (Mode.EXECUTABLE, _THEIRS.encode())
    link = _blob("target", Mode.SYMLINK)
    assert isinstance(merge_file(git, _blob(_LINES), link, theirs), Conflict)


def test_a_move_takes_along_what_was_edited(repo: Sandbox) -> None:
    git = Repository(repo.path)
    edited = _LINES.replace("6\n", "six\n")
    pair = ChangedFile(_blob(_LINES, path="new"), _blob(_THEIRS, path="old"))
    for name in ("new", "old"):  # also where it is back under its old name
        ours = _blob(edited, path=name)
        assert ours is not None
        snapshot = Snapshot({name: ours})
        merged = merge_files(git, [pair], snapshot)
        assert merged.conflicts == ()
        wanted = _THEIRS.replace("6\n", "six\n").encode()
        assert complete_merge(git, merged, snapshot).contents() == {"old": wanted}
    other = _blob("x", path="new")
    assert ours is not None
    assert other is not None
    both = Snapshot({"old": ours, "new": other})
    assert len(merge_files(git, [pair], both).conflicts) == 1


def test_a_directory_in_the_way_is_a_conflict(repo: Sandbox) -> None:
    below = _blob("x", path="f/x")
    assert below is not None
    snapshot = Snapshot({}, tracked=frozenset({"f/x"}))
    merged = merge_files(Repository(repo.path), [ChangedFile(None, _blob("f\n"))], snapshot)
    assert [conflict.path for conflict in merged.conflicts] == ["f"]
