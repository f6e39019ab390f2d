"""Files under a filter: their text is what is on disk, whatever contract the filter keeps."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from filtering import assert_stored, set_filter
from killed import kill_before, kill_before_call
from phrases import opening
from sandbox import Sandbox, Tree
from writers import envelope

from git_opatch.model.sentences import Fault, Hint

_TEXT = b"title\nout: 1\none\nout: 2\ntwo\nout: 3\nthree\nout: 4\nfour\n"
_AFTER = _TEXT.replace(b"two", b"2")
_HUNK = b"@@\n one\n out: 2\n-two\n+2\n"
_FILTERS = ("strip", "encrypt", "pointer", "process", "slow")


@dataclass(frozen=True)
class Change:
    """A patch, and what it makes of files; None for what is gone. `status` is that of git."""

    patch: bytes
    after: dict[str, bytes | None]
    status: bytes
    worktree_status: bytes


_CHANGES = {
    "update": Change(b"*** Update File: a.f\n" + _HUNK, {"a.f": _AFTER}, b"M  a.f\n", b" M a.f\n"),
    "add": Change(
        b"*** Add File: d/b.f\n+new\n+out: 9\n",
        {"d/b.f": b"new\nout: 9\n"},
        b"A  d/b.f\n",
        b"?? d/\n",
    ),
    "delete": Change(b"*** Delete File: a.f\n", {"a.f": None}, b"D  a.f\n", b" D a.f\n"),
    "move": Change(
        b"*** Update File: a.f\n*** Move to: d/b.f\n" + _HUNK,
        {"a.f": None, "d/b.f": _AFTER},
        b"D  a.f\nA  d/b.f\n",
        b" D a.f\n?? d/\n",
    ),
    "move into": Change(
        b"*** Update File: plain\n*** Move to: b.f\n" + _HUNK,
        {"plain": None, "b.f": _AFTER},
        b"A  b.f\nD  plain\n",
        b" D plain\n?? b.f\n",
    ),
    "move out of": Change(
        b"*** Update File: a.f\n*** Move to: b\n" + _HUNK,
        {"a.f": None, "b": _AFTER},
        b"D  a.f\nA  b\n",
        b" D a.f\n?? b\n",
    ),
    "beside another file": Change(
        b"*** Update File: other\n@@\n-other\n+changed\n*** Update File: a.f\n" + _HUNK,
        {"other": b"changed\n", "a.f": _AFTER},
        b"M  a.f\nM  other\n",
        b" M a.f\n M other\n",
    ),
    "what only the text has": Change(
        b"*** Update File: a.f\n@@\n-out: 2\n+out: two\n",
        {"a.f": _TEXT.replace(b"out: 2", b"out: two")},
        b"M  a.f\n",
        b" M a.f\n",
    ),
}


_ALWAYS = {
    *(("strip", name) for name in _CHANGES),
    *(("pointer", name) for name in ("update", "add", "move into")),
    *((program, "update") for program in _FILTERS),
}


def _each(*commands: tuple[str, ...]) -> list[object]:
    """Give each filter, change and command: some of them always, all if it may take long."""
    return [
        pytest.param(
            *(program, change, command),
            id=f"{program}, {name}, {' '.join(command)}",
            marks=() if (program, name) in _ALWAYS and not at else pytest.mark.exhaustive,
        )
        for at, command in enumerate(commands)
        for program in _FILTERS
        for name, change in _CHANGES.items()
    ]


def _base(repo: Sandbox, program: str) -> Sandbox:
    set_filter(repo, program)
    files = {"a.f": _TEXT, "plain": _TEXT, "other": b"other\n"}
    repo.commit({".gitattributes": "*.f filter=x\n", **files})
    assert repo.index()["a.f"][1] != _TEXT
    assert repo.git("status", "--short") == b""
    return repo


def _after(before: Tree, change: Change) -> Tree:
    files = {name: content for name, (_, content) in before.items()} | change.after
    return {name: ("100644", content) for name, content in files.items() if content is not None}


def _status(repo: Sandbox) -> bytes:
    return repo.git("status", "--short", "--no-renames")


@pytest.mark.one_of(4)
@pytest.mark.parametrize(("program", "change", "command"), _each(("apply",), ("apply", "--carry")))
def test_index_and_working_tree(
    repo: Sandbox, program: str, change: Change, command: tuple[str, ...]
) -> None:
    before = (_base(repo, program).index(), repo.files())
    hidden = program == "strip" and change is _CHANGES["what only the text has"]
    expected = _after(before[1], change)
    checked = repo.opatch(*command, "--check", feed=envelope(change.patch))
    assert (checked.status, repo.files()) == (0, before[1]), checked.err
    ran = repo.opatch(*command, feed=envelope(change.patch))
    assert ran.status == 0, ran.err
    assert repo.files() == expected
    assert _status(repo) == (b"" if hidden else change.status)
    assert_stored(repo)
    assert repo.opatch("undo").status == 0
    assert (repo.index(), repo.files(), _status(repo)) == (*before, b"")
    assert repo.opatch("redo").status == 0
    assert repo.files() == expected
    assert_stored(repo)
    assert repo.opatch("apply", "-R", feed=envelope(change.patch)).status == 0
    assert (repo.index(), repo.files(), _status(repo)) == (*before, b"")
    repo.fsck()


@pytest.mark.one_of(3)
@pytest.mark.parametrize(
    ("program", "change", "command"), _each(("apply", "--worktree"), ("apply-patch",))
)
def test_working_tree(
    repo: Sandbox, program: str, change: Change, command: tuple[str, ...]
) -> None:
    before = (_base(repo, program).index(), repo.files())
    expected = _after(before[1], change)
    ran = repo.opatch(*command, feed=envelope(change.patch))
    assert ran.status == 0, ran.err
    assert (repo.index(), repo.files()) == (before[0], expected)
    assert _status(repo) == change.worktree_status
    assert repo.opatch("undo").status == 0
    assert (repo.index(), repo.files(), _status(repo)) == (*before, b"")
    assert repo.opatch("redo").status == 0
    assert repo.files() == expected


@pytest.mark.one_of(2)
@pytest.mark.parametrize("program", _FILTERS)
def test_unstaged_changes_are_carried(repo: Sandbox, program: str) -> None:
    before = _base(repo, program).index()
    mine = _TEXT.replace(b"four", b"mine") + b"out: 5\n"
    repo.write("a.f", mine)
    patch = envelope(_CHANGES["update"].patch.replace(b" one\n out: 2\n", b""))
    refused = repo.opatch("apply", feed=patch)
    assert (refused.status, Fault.UNSTAGED.sentence in refused.err) == (1, True), refused
    dirty = repo.state()
    ran = repo.opatch("apply", "--carry", feed=patch)
    if program == "strip":  # what it takes out is beside the line, and not in what is staged
        assert (ran.status, repo.state()) == (1, dirty)
        assert Fault.UNSTAGED_CONFLICT.sentence in ran.err
        return
    assert ran.status == 0, ran.err
    assert repo.read("a.f") == mine.replace(b"two", b"2")
    assert _status(repo) == b"MM a.f\n"
    assert repo.git("cat-file", "--filters", ":a.f") == _AFTER
    undone = repo.opatch("undo")
    assert undone.status == 0, undone.err
    assert (repo.index(), repo.read("a.f")) == (before, mine)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("command", [("apply", "--cached"), ("apply", "--cached", "--check"),
                                     ("check",), ("convert",), ("convert", "--base", "HEAD")],
                         ids=" ".join)  # fmt: skip
@pytest.mark.parametrize("program", ["encrypt", "pointer", "process"])
def test_what_is_not_in_the_stored_form_is_refused(
    repo: Sandbox, program: str, command: tuple[str, ...]
) -> None:
    before = _base(repo, program).state()
    ran = repo.opatch(*command, feed=envelope(_CHANGES["update"].patch))
    assert ran.status == 1, ran
    assert f"{opening(Hint.FILTERED.sentence)}x`" in ran.err + ran.out.decode()
    assert "--worktree" in ran.err + ran.out.decode()
    assert repo.state() == before


@pytest.mark.parametrize("target", ["--index", "--worktree"])
@pytest.mark.parametrize("program", ["strip", "encrypt"])
def test_a_file_is_undone_below_later_changes(repo: Sandbox, program: str, target: str) -> None:
    _base(repo, program)
    first = envelope(b"*** Update File: a.f\n@@\n-title\n+heading\n+more\n")
    second = envelope(b"*** Update File: a.f\n@@\n-four\n+4\n")
    for patch in (first, second):
        assert repo.opatch("apply", target, feed=patch).status == 0
    ran = repo.opatch("undo", "1")
    assert ran.status == 0, ran.err
    assert repo.read("a.f") == _TEXT.replace(b"four", b"4")
    assert_stored(repo) if target == "--index" else None
    assert repo.opatch("undo", "2").status == 0
    assert (repo.read("a.f"), _status(repo)) == (_TEXT, b"")


@pytest.mark.parametrize("target", ["--index", "--worktree"])
@pytest.mark.parametrize(
    "step", [2, 4, *(pytest.param(step, marks=pytest.mark.exhaustive) for step in (1, 3, 5, 6))]
)
def test_a_kill_leaves_all_or_nothing(repo: Sandbox, step: int, target: str) -> None:
    before = (_base(repo, "strip").index(), repo.files())
    patch = envelope(
        b"*** Update File: a.f\n" + _HUNK,
        b"*** Update File: plain\n*** Move to: b.f\n" + _HUNK,
        b"*** Add File: c.f\n+c\n+out: 1\n",
    )
    kill_before(step, repo, patch, target)
    ran = repo.opatch("recover")
    assert ran.status == 0, ran.err
    assert (repo.index(), repo.files(), _status(repo)) == (*before, b"")
    assert repo.opatch("apply", target, feed=patch).status == 0
    assert (repo.read("a.f"), repo.read("b.f")) == (_AFTER, _AFTER)
    assert repo.opatch("undo").status == 0
    assert (repo.index(), repo.files(), _status(repo)) == (*before, b"")


def test_a_run_that_was_killed_after_its_commit_is_finished(repo: Sandbox) -> None:
    before = _base(repo, "strip").files()
    patch = envelope(_CHANGES["update"].patch)
    kill_before_call(repo, "os.rename", "/.git/index", "apply", feed=patch)
    ran = repo.opatch("recover")
    assert ran.status == 0, ran.err
    assert repo.read("a.f") == _AFTER
    assert_stored(repo)
    assert _status(repo) == b"M  a.f\n"
    assert repo.opatch("undo").status == 0
    assert (repo.files(), _status(repo)) == (before, b"")


def test_a_deleted_file_is_restored_from_head(repo: Sandbox) -> None:
    """Of its text only what a checkout would write is known."""
    _base(repo, "encrypt")
    repo.git("rm", "-q", "a.f")
    ran = repo.opatch("apply", "-R", feed=envelope(b"*** Delete File: a.f\n"))
    assert ran.status == 0, ran.err
    assert (repo.read("a.f"), _status(repo)) == (_TEXT, b"")


def test_a_binary_file_is_moved_and_deleted(repo: Sandbox) -> None:
    _base(repo, "pointer")
    repo.commit({"b.f": b"b\0\n", "c.f": b"c\0\n"})
    before = (repo.index(), repo.files())
    patch = envelope(b"*** Delete File: b.f\n*** Update File: c.f\n*** Move to: d\n")
    ran = repo.opatch("apply", feed=patch)
    assert ran.status == 0, ran.err
    assert (repo.read("d"), _status(repo)) == (b"c\0\n", b"D  b.f\nD  c.f\nA  d\n")
    assert repo.opatch("undo").status == 0
    assert (repo.index(), repo.files(), _status(repo)) == (*before, b"")
