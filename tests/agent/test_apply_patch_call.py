"""Which command is a call of `apply_patch`, and what it would do, with nothing touched."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from sandbox import Sandbox

from git_opatch.agent.apply_patch_call import Action, FileChange, Invocation, detect, verify
from git_opatch.git.repository import Repository
from git_opatch.model.errors import (
    ImplicitInvocation,
    InputError,
    Kind,
    ParseError,
    RepositoryError,
)
from git_opatch.model.failure import Refused
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import Operation
from git_opatch.model.sentences import Reason

PATCH = "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch\n"
HEREDOC = f"apply_patch <<'EOF'\n{PATCH}EOF\n"
_COMMANDS = json.loads(Path(__file__).with_name("commands.json").read_text())
"""Calls, other commands, and patches without a call, each as a list of words."""


def _commands(kind: str) -> list[list[str]]:
    return [[word.replace("{PATCH}", PATCH) for word in argv] for argv in _COMMANDS[kind]]


@pytest.mark.parametrize("argv", _commands("calls"))
def test_calls_are_recognized(argv: list[str]) -> None:
    assert detect(argv) == Invocation(PATCH, "", argv[-1])
    if len(argv) > 2:
        script = f"cd 'a b' && {argv[2].strip()}"
        assert detect([*argv[:2], script]) == Invocation(PATCH, "a b", script)


@pytest.mark.parametrize("argv", _commands("others"))
def test_other_commands_are_not_calls(argv: list[str]) -> None:
    assert detect(argv) is None
    assert verify(argv, "/nowhere") is None


@pytest.mark.parametrize("argv", _commands("bare"))
def test_a_bare_patch_is_an_implicit_invocation(argv: list[str]) -> None:
    with pytest.raises(ImplicitInvocation, match=r'\["apply_patch", PATCH\]') as caught:
        detect(argv)
    assert (caught.value.kind, caught.value.exit_status) == (Kind.IMPLICIT, 128)


def test_a_surrogate_is_a_parse_error() -> None:
    with pytest.raises(ParseError, match="surrogate"):
        detect(["bash", "-c", HEREDOC + "\ud800"])
    found = detect(["bash", "-c", HEREDOC.replace("+b", "+\udcff")])
    assert found is not None
    assert "+\udcff\n" in found.patch


ALL = """\
*** Begin Patch
*** Add File: new
+n
*** Delete File: gone
*** Update File: f
@@
-a
+b
*** Update File: old
*** Move to: sub/moved
@@
-x
+y
*** End Patch
"""
FILES = {"f": "a\nz\n", "gone": "g\n", "old": "x\n"}


@pytest.fixture(params=["repository", "directory"])
def base(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Callable[[], object]]:
    """Make a directory with `FILES`; return it and a function that gives its state."""
    sandbox = Sandbox(tmp_path / "base")
    if request.param == "repository":
        sandbox.init().commit(FILES)
        return sandbox.path, sandbox.state
    for name, content in FILES.items():
        sandbox.write(name, content)
    return sandbox.path, sandbox.files


def test_the_example_holds_without_a_final_newline() -> None:
    with pytest.raises(ImplicitInvocation) as caught:
        detect([PATCH])
    _, _, example = str(caught.value).partition(" or ")
    patch = PATCH.removesuffix("\n")
    found = detect(eval(example, {"PATCH": patch}))
    assert found is not None
    assert found.patch == PATCH


def test_the_changes_of_a_call_are_given(base: tuple[Path, Callable[[], object]]) -> None:
    path, state = base
    before = state()
    action = verify(["apply_patch", ALL], path)
    assert state() == before
    assert action is not None
    assert action.invocation == Invocation(ALL, "", ALL)
    found = {change.path: change for change in action.changes}
    assert {name: (change.operation, change.move_path) for name, change in found.items()} == {
        "new": (Operation.ADD, None),
        "gone": (Operation.DELETE, None),
        "f": (Operation.UPDATE, None),
        "old": (Operation.UPDATE, "sub/moved"),
    }
    assert {name: (change.old_content, change.new_content) for name, change in found.items()} == {
        "new": (None, b"n\n"),
        "gone": (b"g\n", None),
        "f": (b"a\nz\n", b"b\nz\n"),
        "old": (b"x\n", b"y\n"),
    }
    assert found["f"].unified_diff.endswith(b"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-a\n+b\n z\n")


def test_git_takes_the_diffs_together(repo: Sandbox) -> None:
    repo.commit(FILES)
    action = verify(["apply_patch", ALL], repo.path)
    assert action is not None
    diff = b"".join(change.unified_diff for change in action.changes)
    assert diff == repo.opatch("convert", feed=ALL.encode()).out
    repo.git("apply", "--index", "-", feed=diff)
    assert {path: data for path, (_, data) in repo.index().items()} == {
        (change.move_path or change.path): change.new_content
        for change in action.changes
        if change.new_content is not None
    }


def test_a_directory_gives_the_diff_that_a_repository_gives(repo: Sandbox, tmp_path: Path) -> None:
    repo.commit(FILES)
    plain = Sandbox(tmp_path / "plain")
    for name, content in FILES.items():
        plain.write(name, content)
    there, elsewhere = (verify(["apply_patch", ALL], each.path) for each in (repo, plain))
    assert there is not None
    assert elsewhere is not None
    assert there.changes == elsewhere.changes
    assert there.plan.completed == elsewhere.plan.completed


def test_a_copy_is_an_addition(repo: Sandbox) -> None:
    repo.commit(FILES)
    copy = "diff --git a/f b/c\nsimilarity index 100%\ncopy from f\ncopy to c\n"
    action = verify(["apply_patch", copy], repo.path)
    assert action is not None
    (change,) = action.changes
    assert change == FileChange(Operation.ADD, "c", copy.encode(), None, b"a\nz\n")


def test_hunks_are_located_in_the_target(repo: Sandbox) -> None:
    repo.commit({"f": "a\nhead\n"})
    repo.write("f", "a\nindex\n")
    repo.git("add", "f")
    repo.write("f", "a\nworktree\n")

    def content(options: Options) -> bytes | None:
        action = verify(["apply_patch", PATCH], Repository(repo.path), options)
        assert action is not None
        return action.changes[0].new_content

    assert content(Options()) == b"b\nindex\n"
    assert content(Options(Target.CACHED)) == b"b\nindex\n"
    assert content(Options(Target.WORKTREE)) == b"b\nworktree\n"
    assert content(Options(base="HEAD")) == b"b\nhead\n"


def _paths(action: Action | None) -> list[str]:
    assert action is not None
    return [change.path for change in action.changes]


def test_paths_are_relative_to_the_directory(repo: Sandbox) -> None:
    repo.commit({"f": "a\n", "sub/f": "a\n", "sub/deep/f": "a\n"})
    sub = repo.path / "sub"
    assert _paths(verify(["apply_patch", PATCH], Repository(sub))) == ["f"]
    assert _paths(verify(["apply_patch", PATCH], sub)) == ["sub/f"]
    for directory, path in (
        ("deep", "sub/deep/f"),
        ("..", "f"),
        ("deep/..", "sub/f"),
        (str(repo.path), "f"),
        (str(sub / "deep"), "sub/deep/f"),
    ):
        assert _paths(verify(["bash", "-c", f"cd {directory} && {HEREDOC}"], sub)) == [path]
    for directory in ("../..", "/", str(repo.path.parent)):
        with pytest.raises(Refused) as caught:
            verify(["bash", "-c", f"cd {directory} && {HEREDOC}"], sub)
        assert caught.value.failures[0].reason is Reason.UNSAFE_PATH


def test_paths_are_relative_to_a_plain_directory(tmp_path: Path) -> None:
    for name in ("f", "sub/f", "d/f", "d/sub/f"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text("a\n")
    top = tmp_path / "d"
    for directory, path in ((".", "f"), ("sub", "sub/f"), (str(top / "sub"), "sub/f")):
        assert _paths(verify(["bash", "-c", f"cd {directory} && {HEREDOC}"], top)) == [path]
    for directory in ("..", str(tmp_path), "../sub"):
        with pytest.raises(Refused):
            verify(["bash", "-c", f"cd {directory} && {HEREDOC}"], top)


@pytest.mark.parametrize(
    ("section", "reason"),
    [
        ("*** Update File: f\n@@\n-no\n+b\n", Reason.NOT_FOUND),
        ("*** Update File: none\n@@\n-a\n+b\n", Reason.MISSING_FILE),
        ("*** Delete File: none\n", Reason.MISSING_FILE),
        ("*** Add File: f\n+x\n", Reason.FILE_EXISTS),
        ("*** Add File: sub\n+x\n", Reason.NOT_A_FILE),
        ("*** Add File: f/x\n+x\n", Reason.UNSAFE_PATH),
        ("*** Add File: ../x\n+x\n", Reason.UNSAFE_PATH),
        ("*** Add File: .git/x\n+x\n", Reason.UNSAFE_PATH),
        ("*** Update File: link/f\n@@\n-a\n+b\n", Reason.UNSAFE_PATH),
        ("*** Update File: f\n@@\n-z\n+z\n", Reason.NO_CHANGE),
    ],
)
def test_a_call_that_does_not_apply_is_refused(
    tmp_path: Path, repo: Sandbox, section: str, reason: Reason
) -> None:
    plain = Sandbox(tmp_path / "plain")
    for sandbox in (repo, plain):
        sandbox.write("sub/s", "s\n")
        sandbox.write("f", "a\nz\n")
        (tmp_path / "out").mkdir(exist_ok=True)
        (tmp_path / "out/f").write_text("a\n")
        (sandbox.path / "link").symlink_to(tmp_path / "out")
    repo.commit()
    for where in (repo.path, plain.path):
        with pytest.raises(Refused) as caught:
            verify(["apply_patch", f"*** Begin Patch\n{section}*** End Patch\n"], where)
        is_untracked = where == plain.path and ("sub" in section or "f/x" in section)
        expected = Reason.IN_THE_WAY if is_untracked else reason
        assert [failure.reason for failure in caught.value.failures] == [expected]


def test_links_and_modes_of_a_plain_directory_are_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret\n")
    top = tmp_path / "top"
    top.mkdir()
    (top / "l").symlink_to("../secret")
    (top / "x").write_text("a\n")
    (top / "x").chmod(0o755)
    patch = "*** Begin Patch\n*** Delete File: l\n*** Update File: x\n@@\n-a\n+b\n*** End Patch\n"
    action = verify(["apply_patch", patch], top)
    assert action is not None
    link, script = action.changes
    assert link.old_content == b"../secret"
    assert b"deleted file mode 120000\n" in link.unified_diff
    assert b" 100755\n" in script.unified_diff


def test_a_refusal_has_the_kind_of_its_failure(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("z\n")
    for patch, kind in ((PATCH, Kind.MATCH), (PATCH.replace(" f", " none"), Kind.IO)):
        with pytest.raises(Refused) as caught:
            verify(["apply_patch", patch], tmp_path)
        assert caught.value.kind is kind


def test_errors_have_the_line_numbers_of_the_script(tmp_path: Path) -> None:
    with pytest.raises(ParseError, match=r"^line 4: `@@@` is not a hunk header"):
        verify(["bash", "-lc", HEREDOC.replace("@@", "@@@")], tmp_path)
    with pytest.raises(ParseError, match="no patch found"):
        verify(["apply_patch", "hello"], tmp_path)


def test_places_that_cannot_be_read_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a directory"):
        verify(["apply_patch", PATCH], tmp_path / "none")
    with pytest.raises(RepositoryError, match="`HEAD`"):
        verify(["apply_patch", PATCH], tmp_path, Options(base="HEAD"))
    (tmp_path / "f").write_text("a\n")
    assert _paths(verify(["apply_patch", PATCH], tmp_path)) == ["f"]
    (tmp_path / ".git").mkdir()  # a broken repository is not a plain directory
    with pytest.raises(RepositoryError):
        verify(["apply_patch", PATCH], tmp_path)
