"""`--carry` refused with nothing changed; and carried patches undone."""

from __future__ import annotations

import pytest
from documents import asked, reasons
from sandbox import Sandbox
from writers import envelope

from git_opatch.model.sentences import Fault

_BEFORE = "".join(f"line {number}\n" for number in range(1, 21))
_PATCH = envelope(b"*** Update File: f\n@@\n line 9\n-line 10\n+ten\n line 11\n")
_BESIDE = envelope(b"*** Update File: other\n@@\n-other\n+another\n")
_LEFT_UNTOUCHED = "the patch does not apply; nothing was changed\n"


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": _BEFORE, "other": "other\n", "block": "def f():\n    a\n    b\n"})
    return repo


def _refused(repo: Sandbox, patch: bytes, *words: str, status: int = 1) -> str:
    before = repo.state()
    for more in ((), ("--check",)):
        ran = repo.opatch("apply", "--carry", *words, *more, feed=patch)
        assert (ran.status, ran.out) == (status, b""), ran.err
        assert repo.state() == before
    assert not (repo.path / ".git/opatch/journal").exists()
    return ran.err


def _update(*lines: str, path: str = "f") -> bytes:
    return envelope(f"*** Update File: {path}\n@@\n".encode() + "\n".join((*lines, "")).encode())


def _mine(*pairs: tuple[str, str]) -> str:
    text = _BEFORE
    for old, new in pairs:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


_CONTRADICTIONS = {
    "lines that moved": (
        _mine(("line 5\n", ""), ("line 18\n", "line 18\nline 5\n")),
        _update("-line 5", "+five"),
        ("contradicted", 5),
    ),
    "the second hunk": (
        _mine(("line 15\n", "line  15\n")),
        _update("-line 2", "+two", "@@", "-line 15", "+fifteen"),
        ("contradicted", 15),
    ),
    "a last line without its newline": (
        _BEFORE[:-1],
        _update(" line 20", "+line 21"),
        ("contradicted", 20),
    ),
    "a change of the same line": (_mine(("line 10\n", "LINE X\n")), _PATCH, ("contradicted", 10)),
    "lines added where the patch adds some": (
        _mine(("line 15\n", "line 15\nmine\n")),
        _update(" line 15", "+fifteen and a half"),
        ("contradicted", 16),
    ),
    "a change of the next line": (_mine(("line 9\n", "LINE IX\n")), _PATCH, ("contradicted", 9)),
    "a file that goes": (
        _mine(("line 10\n", "LINE X\n")),
        envelope(b"*** Delete File: f\n"),
        ("unstaged_changes", None),
    ),
    "a file that goes, by its content": (
        _mine(("line 10\n", "LINE X\n")),
        b"--- a/f\n+++ /dev/null\n@@ -1,20 +0,0 @@\n"
        + b"".join(b"-%s\n" % line for line in _BEFORE.encode().splitlines()),
        ("unstaged_changes", None),
    ),
}


@pytest.mark.parametrize("name", _CONTRADICTIONS)
def test_contradicting_changes_are_refused(base: Sandbox, name: str) -> None:
    mine, patch, expected = _CONTRADICTIONS[name]
    base.write("f", mine)
    assert _refused(base, patch).endswith(_LEFT_UNTOUCHED)
    (failure,) = asked(base, "apply", "--carry", feed=patch)["failures"]
    assert (failure["reason"], failure["file_line"]) == expected
    assert base.opatch("apply", "--cached", feed=patch).status == 0


_MERGED = {
    "lines that are elsewhere, too": (
        _mine(("line 12\n", "line 12\nline 9\nline 10\nline 11\n")),
        _mine(("line 10\n", "ten\n"), ("line 12\n", "line 12\nline 9\nline 10\nline 11\n")),
    ),
    "a change that is there already": (
        _mine(("line 10\n", "ten\n"), ("line 2\n", "two\n")),
        _mine(("line 10\n", "ten\n"), ("line 2\n", "two\n")),
    ),
}


@pytest.mark.parametrize("name", _MERGED)
def test_the_change_of_the_index_is_merged_into_the_file(base: Sandbox, name: str) -> None:
    mine, merged = _MERGED[name]
    base.write("f", mine)
    ran = base.opatch("apply", "--carry", feed=_PATCH)
    note = f"note: f: {Fault.UNSTAGED.sentence}, which stay unstaged\n"
    assert (ran.status, ran.err) == (0, note)
    assert base.read("f").decode() == merged
    assert base.index()["f"][1].decode() == _mine(("line 10\n", "ten\n"))


def test_a_mode_is_carried(base: Sandbox) -> None:
    (base.path / "f").chmod(0o755)
    hunk = b"--- a/f\n+++ b/f\n@@\n-line 10\n+ten\n"
    assert base.opatch("apply", "--carry", feed=hunk).status == 0
    assert (base.index()["f"][0], base.files()["f"][0]) == ("100644", "100755")


def test_a_replaced_file_is_refused(base: Sandbox) -> None:
    base.write("f", _mine(("line 20\n", "line 20\nmine\n")))
    _refused(base, envelope(b"*** Add File: f\n+line 1\n"), "--overwrite")
    _refused(base, envelope(b"*** Update File: other\n*** Move to: f\n"), "--overwrite")


def test_changed_attributes_beside_dirty_files_are_refused(base: Sandbox) -> None:
    base.commit({".gitattributes": "f text\n"})
    attributes = b"*** Update File: .gitattributes\n@@\n-f text\n+f -text\n"
    base.write("f", _mine(("line 1\n", "line one\n")))
    message = _refused(
        base, envelope(_PATCH.split(b"\n", 1)[1][: -len("*** End Patch\n")], attributes)
    )
    assert f".gitattributes: {Fault.UNSTAGED_ATTRIBUTES.sentence}" in message
    base.write(".gitattributes", "# mine\n\n\nf text\n")
    base.git("add", ".gitattributes")
    base.write(".gitattributes", "# other\n\n\nf text\n")
    assert base.opatch("apply", "--carry", feed=envelope(attributes)).status == 0
    assert base.read(".gitattributes") == b"# other\n\n\nf -text\n"
    assert base.index()[".gitattributes"][1] == b"# mine\n\n\nf -text\n"


def test_other_unstaged_changes_are_refused(base: Sandbox) -> None:
    base.write("f", _mine(("line 1\n", "line one\n")))
    (base.path / "other").unlink()
    message = _refused(base, envelope(_PATCH.split(b"\n", 1)[1][: -len("*** End Patch\n")],
                                   b"*** Update File: other\n@@\n-other\n+another\n"))  # fmt: skip
    assert f"other: {Fault.UNSTAGED_DELETION.sentence}" in message
    base.git("checkout", "other")
    (base.path / "f").unlink()
    (base.path / "f").symlink_to("other")
    assert f"f: {Fault.OTHER_TYPE.sentence}" in _refused(base, _PATCH)
    (base.path / "f").unlink()
    base.git("checkout", "f")
    base.write("new", "mine\n")
    assert f"new: {Fault.IN_THE_WAY.sentence}" in _refused(
        base, envelope(b"*** Add File: new\n+theirs\n")
    )


def test_an_unmerged_file_is_refused(base: Sandbox) -> None:
    base.git("checkout", "--quiet", "-b", "side")
    base.commit({"f": _mine(("line 10\n", "X\n"))})
    base.git("checkout", "--quiet", "main")
    base.commit({"f": _mine(("line 10\n", "Y\n"))})
    assert base.run("git", "merge", "side").status == 1
    assert f"f: {Fault.UNMERGED.sentence}" in _refused(base, _PATCH)


@pytest.mark.parametrize("command", ["apply", "undo"])
@pytest.mark.parametrize("flag", ["--cached", "--worktree"])
def test_incompatible_options_are_refused(base: Sandbox, command: str, flag: str) -> None:
    ran = base.opatch(command, "--carry", flag)
    assert (ran.status, ran.out) == (129, b"")
    assert "--index (and --carry), --cached and --worktree exclude one another" in ran.err


def test_the_configured_target_is_ignored(base: Sandbox) -> None:
    base.git("config", "opatch.target", "cached")
    base.write("f", _mine(("line 1\n", "line one\n")))
    assert base.opatch("apply", "--carry", feed=_PATCH).status == 0
    assert base.read("f").decode() == _mine(("line 1\n", "line one\n"), ("line 10\n", "ten\n"))


def test_a_part_can_be_carried(base: Sandbox) -> None:
    base.write("f", _mine(("line 1\n", "line one\n")))
    patch = _update("-line 10", "+ten", "@@", "-line 99", "+x")
    ran = base.opatch("apply", "--carry", "--partial", feed=patch)
    assert ran.status == 1
    assert base.index()["f"][1].decode() == _mine(("line 10\n", "ten\n"))
    assert base.read("f").decode() == _mine(("line 1\n", "line one\n"), ("line 10\n", "ten\n"))


def test_a_carried_patch_is_undone_in_a_dirty_file(base: Sandbox) -> None:
    mine = ("line 8\n", "line eight\nmine\n"), ("line 12\n", "")
    assert base.opatch("apply", feed=_PATCH).status == 0
    base.write("f", _mine(*mine, ("line 10\n", "ten\n")))
    assert reasons(base, "undo") == [("f", "unstaged_changes")]
    assert base.opatch("undo", "--carry").status == 0
    assert (base.index()["f"][1].decode(), base.read("f").decode()) == (_BEFORE, _mine(*mine))
    assert base.opatch("redo").status == 0  # the record knows that it was carried
    assert base.opatch("apply", "-R", feed=_PATCH).status == 1
    assert base.opatch("apply", "-R", "--carry", feed=_PATCH).status == 0
    assert (base.index()["f"][1].decode(), base.read("f").decode()) == (_BEFORE, _mine(*mine))


def test_a_contradicting_undo_is_refused(base: Sandbox) -> None:
    base.write("f", _mine(("line 1\n", "line one\n")))
    patch = _update(" line 9", "-line 10", " line 11", "@@", "-line 15", "+fifteen")
    assert base.opatch("apply", "--carry", feed=patch).status == 0
    mine = _mine(("line 10\n", ""), ("line 15\n", "FIFTEEN\n"))
    for content in (mine, mine.replace("line 9\n", "line 9\nmine\n")):
        base.write("f", content)
        before = base.state()
        ran = base.opatch("undo")
        assert (ran.status, ran.out, base.state()) == (1, b"", before)
        assert ran.err.endswith("the patch does not apply in reverse; nothing was changed\n")


def test_an_untracked_file_cannot_be_committed_as_it_is(base: Sandbox) -> None:
    base.write("new", "line 10\n")
    base.write(".git/p", _update("-line 10", "+ten", path="new"))
    words = ("apply", "--commit", "-m", "Say ten", ".git/p")
    ran = base.opatch(*words)
    assert (ran.status, f"error: new: {Fault.UNTRACKED.sentence}\n" in ran.err) == (1, True)
    base.git("add", "new")
    base.git("commit", "--quiet", "-m", "as it was")
    assert base.opatch(*words).status == 0


def test_to_delete_a_file_with_unstaged_lines_is_not_offered(base: Sandbox) -> None:
    base.write("f", _BEFORE + "mine\n")
    patch = envelope(b"*** Delete File: f\n*** Update File: other\n@@\n-other\n+another\n")
    ran = base.opatch("apply", feed=patch)
    assert ran.status == 1
    assert f"error: f: {Fault.UNSTAGED.sentence}\n" in ran.err
    assert "--worktree" not in ran.err
    assert base.opatch("apply", "--cached", feed=patch).status == 0
    assert base.read("f") == f"{_BEFORE}mine\n".encode()
