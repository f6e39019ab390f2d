"""Every state that a patched file can be in, for each target. `README.md` has the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from phrases import said
from sandbox import Sandbox
from targets import CACHED, EACH, INDEX, WORKTREE, After, applied, refused
from writers import envelope

from git_opatch.model.sentences import Fault

_UPDATE = envelope(b"*** Update File: f\n@@\n-b\n+B\n")
_DELETE = envelope(b"*** Delete File: f\n")
_ADD = envelope(b"*** Add File: new\n+x\n")
_UPDATED: After = {"f": ("100644", b"a\nB\nc\n")}
_ADDED: After = {"new": ("100644", b"x\n")}

_UNSTAGED = f"f: {Fault.UNSTAGED.sentence}"
_GONE = f"f: {Fault.UNSTAGED_DELETION.sentence}"
_NOT_THERE = f"f: {said(Fault.MISSING_FILE.sentence, base='the working tree')}"
_UNTRACKED = Fault.IN_THE_WAY.sentence
_INTENDED = f"new: {Fault.INTENDED.sentence}"
_UNMERGED = f"f: {Fault.UNMERGED.sentence}"
_MARKED = b"a\n<<<<<<< HEAD\nOURS\n=======\nTHEIRS\n>>>>>>> side\nc\n"


_IGNORED = "new: " + said(Fault.IGNORED.sentence, pattern="new", place="").rstrip("`")


@dataclass(frozen=True)
class State:
    """A state, a patch, and its outcome: `after`, or the message of a target's refusal.

    `working_tree` holds the working tree's files where they differ.
    """

    make: Callable[[Sandbox], object]
    patch: bytes = _UPDATE
    after: After = field(default_factory=lambda: _UPDATED)
    working_tree: After | None = None
    index: str = ""
    cached: str = ""
    worktree: str = ""


def _staged(repo: Sandbox) -> None:
    repo.write("f", "a\nb\nc\nd\n")
    repo.git("add", "f")


def _unstaged(repo: Sandbox) -> None:
    repo.write("f", "a\nb\nc\nmine\n")


def _unstaged_mode(repo: Sandbox) -> None:
    (repo.path / "f").chmod(0o755)


def _deleted(repo: Sandbox) -> None:
    (repo.path / "f").unlink()


def _now_a_link(repo: Sandbox) -> None:
    (repo.path / "f").unlink()
    (repo.path / "f").symlink_to("g")


def _now_a_directory(repo: Sandbox) -> None:
    (repo.path / "f").unlink()
    repo.write("f/mine", "mine\n")


def _intended(repo: Sandbox) -> None:
    repo.write("new", "a\nb\n")
    repo.git("add", "--intent-to-add", "new")


def _intended_and_empty(repo: Sandbox) -> None:
    repo.write("new", "")
    repo.git("add", "--intent-to-add", "new")


def _skipped(repo: Sandbox) -> None:
    repo.git("update-index", "--skip-worktree", "f")
    (repo.path / "f").unlink()


def _skipped_but_present(repo: Sandbox) -> None:
    repo.git("update-index", "--skip-worktree", "f")


def _assumed(repo: Sandbox) -> None:
    repo.git("update-index", "--assume-unchanged", "f")


def _assumed_and_changed(repo: Sandbox) -> None:
    _assumed(repo)
    repo.write("f", "a\nb\nc\nmine\n")


def _unmerged(repo: Sandbox) -> None:
    repo.git("checkout", "--quiet", "-b", "side")
    repo.commit({"f": "a\nTHEIRS\nc\n"})
    repo.git("checkout", "--quiet", "main")
    repo.commit({"f": "a\nOURS\nc\n"})
    assert repo.run("git", "merge", "side").status == 1


def _untracked(repo: Sandbox) -> None:
    repo.write("new", "mine\n")


def _ignored(repo: Sandbox) -> None:
    repo.write(".git/info/exclude", "new\n")
    repo.write("new", "mine\n")


def _ignored_directory(repo: Sandbox) -> None:
    repo.write(".git/info/exclude", "new\n")
    repo.write("new/mine", "mine\n")


def _dangling(repo: Sandbox) -> None:
    (repo.path / "new").symlink_to("nowhere")


def _empty_directory(repo: Sandbox) -> None:
    (repo.path / "new").mkdir()


def _empty_directories(repo: Sandbox) -> None:
    (repo.path / "new/deep").mkdir(parents=True)


def _nothing(repo: Sandbox) -> None:
    repo.git("status")


_STATES = {
    "unchanged": State(_nothing),
    "staged changes": State(_staged, after={"f": ("100644", b"a\nB\nc\nd\n")}),
    "unstaged changes": State(
        _unstaged, index=_UNSTAGED, working_tree={"f": ("100644", b"a\nB\nc\nmine\n")}
    ),
    "unstaged mode": State(
        _unstaged_mode, index=_UNSTAGED, working_tree={"f": ("100755", b"a\nB\nc\n")}
    ),
    "unstaged deletion": State(_deleted, index=_GONE, worktree=_NOT_THERE),
    "deletion of what is deleted": State(
        _deleted, _DELETE, {"f": None}, index=_GONE, worktree=_NOT_THERE
    ),
    "a link in its place": State(
        _now_a_link,
        index=_UNSTAGED,
        worktree=f"f: {said(Fault.SYMBOLIC_LINK.sentence, target='g')}",
    ),
    "a folder in its place": State(
        _now_a_directory,
        index=_UNSTAGED,
        worktree=f"f: {Fault.DIRECTORY.sentence}",
    ),
    "intent to add": State(
        _intended,
        envelope(b"*** Update File: new\n@@\n-b\n+B\n"),
        {"new": ("100644", b"a\nB\n")},
        index=_INTENDED,
        cached=_INTENDED,
    ),
    "intent to add, deleted": State(
        _intended,
        envelope(b"*** Delete File: new\n"),
        {"new": None},
        index=_INTENDED,
        cached=_INTENDED,
    ),
    "below a file of which only the addition is intended": State(
        _intended,
        envelope(b"*** Add File: new/x\n+x\n"),
        index="new/x: `new` is not a directory",
        cached="new/x: `new` is not a directory",
        worktree="new/x: `new` is a file",
    ),
    "intent to add, added": State(
        _intended,
        _ADD,
        index=_INTENDED,
        cached=_INTENDED,
        worktree=f"new: {Fault.FILE_EXISTS.sentence}",
    ),
    "intent to add an empty file": State(
        _intended_and_empty,
        envelope(b"*** Update File: new\n@@\n+x\n"),
        _ADDED,
        index=_INTENDED,
        cached=_INTENDED,
    ),
    "skip-worktree": State(
        _skipped, index=f"f: {Fault.SKIP_WORKTREE.sentence}", worktree=_NOT_THERE
    ),
    "skip-worktree, but there": State(
        _skipped_but_present, index=f"f: {Fault.SKIP_WORKTREE.sentence}"
    ),
    "assume-unchanged": State(_assumed),
    "assume-unchanged, but changed": State(
        _assumed_and_changed, index=_UNSTAGED, working_tree={"f": ("100644", b"a\nB\nc\nmine\n")}
    ),
    "unmerged": State(
        _unmerged,
        envelope(b"*** Update File: f\n@@\n-OURS\n+x\n"),
        working_tree={"f": ("100644", _MARKED.replace(b"OURS", b"x"))},
        index=_UNMERGED,
        cached=_UNMERGED,
    ),
    "unmerged, deleted": State(
        _unmerged, _DELETE, working_tree={"f": None}, index=_UNMERGED, cached=_UNMERGED
    ),
    "below an unmerged file": State(
        _unmerged,
        envelope(b"*** Add File: f/x\n+x\n"),
        index="f/x: `f` is not a directory",
        cached="f/x: `f` is not a directory",
        worktree="f/x: `f` is not a directory",
    ),
    "untracked in the way": State(
        _untracked,
        _ADD,
        _ADDED,
        index=f"new: {_UNTRACKED}",
        worktree=f"new: {Fault.FILE_EXISTS.sentence}",
    ),
    "ignored in the way": State(
        _ignored,
        _ADD,
        _ADDED,
        cached=_IGNORED,
        index=f"new: {_UNTRACKED}",
        worktree=f"new: {Fault.FILE_EXISTS.sentence}",
    ),
    "an ignored folder in the way": State(
        _ignored_directory,
        _ADD,
        _ADDED,
        cached=_IGNORED,
        index=f"new: {_UNTRACKED}",
        worktree=f"new: {_UNTRACKED}",
    ),
    "an untracked file above": State(
        _untracked,
        envelope(b"*** Add File: new/x\n+x\n"),
        {"new/x": ("100644", b"x\n")},
        index=f"new/x: {said(Fault.FILE_ABOVE.sentence, parent='new')}",
        worktree=f"new/x: {said(Fault.FILE_ABOVE.sentence, parent='new')}",
    ),
    "an untracked link in the way": State(
        _dangling,
        _ADD,
        _ADDED,
        index=f"new: {_UNTRACKED}",
        worktree=f"new: {Fault.FILE_EXISTS.sentence}",
    ),
    "an untracked link above": State(
        _dangling,
        envelope(b"*** Add File: new/x\n+x\n"),
        {"new/x": ("100644", b"x\n")},
        index=f"new/x: {said(Fault.THROUGH_LINK.sentence, parent='new')}",
        worktree=f"new/x: {said(Fault.THROUGH_LINK.sentence, parent='new')}",
    ),
    "an empty folder in the way": State(_empty_directory, _ADD, _ADDED),
    "empty folders in the way": State(
        _empty_directories,
        _ADD,
        _ADDED,
        index=f"new: {_UNTRACKED}",
        worktree=f"new: {_UNTRACKED}",
    ),
}


@pytest.mark.one_of(3)
@EACH
@pytest.mark.parametrize("state", _STATES.values(), ids=_STATES)
def test_each_state_has_its_outcome(sound: Sandbox, state: State, target: str) -> None:
    sound.commit({"f": "a\nb\nc\n", "g": "g\n"})
    state.make(sound)
    words = {INDEX: state.index, CACHED: state.cached, WORKTREE: state.worktree}[target]
    if words:
        refused(sound, target, state.patch, words)
    else:
        working_tree = state.working_tree if target == WORKTREE else None
        applied(sound, target, state.patch, working_tree or state.after)
