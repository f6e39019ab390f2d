"""Merge a patch that was written for an older version of a file as git would, or refuse it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest
from killed import kill_before_call
from phrases import opening, said
from sandbox import Ran, Sandbox, Tree
from writers import envelope

from git_opatch.model.sentences import Fault, Hint

_LINES = [f"line {number}" for number in range(1, 41)]


def _text(**changed: str) -> str:
    """Give forty lines, some of them changed: `l3="x"` is the third."""
    lines = list(_LINES)
    for name, text in changed.items():
        lines[int(name[1:]) - 1] = text
    return "".join(f"{line}\n" for line in lines)


def _patch(number: int = 10, new: str = "new", path: str = "f", context: int = 3) -> bytes:
    """Give a patch that changes line `number` of the first version to `new`."""
    above = _LINES[number - 1 - context : number - 1]
    below = _LINES[number : number + context]
    body = [f"*** Update File: {path}", "@@", *(f" {line}" for line in above)]
    body += [f"-line {number}", f"+{new}", *(f" {line}" for line in below)]
    return envelope("".join(f"{line}\n" for line in body).encode())


@pytest.fixture
def late(repo: Sandbox) -> Sandbox:
    """Make a repository with three versions of `f`; line 8 is in the context of `_patch`."""
    repo.commit({"f": _text(), "other": "o\n"})
    repo.commit({"f": _text(l30="thirty")})
    repo.commit({"f": _text(l30="thirty", l8="eight")})
    return repo


_MERGED = _text(l30="thirty", l8="eight", l10="new")


def _merges(
    repo: Sandbox, patch: bytes, *words: str, content: str = _MERGED, path: str = "f"
) -> Ran:
    """Assert that it is refused without --3way and gives `content` with it, in both targets."""
    before = repo.state()
    assert repo.opatch("apply", *words, feed=patch).status == 1
    checked = repo.opatch("apply", "--3way", "--check", *words, feed=patch)
    assert (checked.status, repo.state()) == (0, before), checked.err
    ran = repo.opatch("apply", "--3way", *words, feed=patch)
    assert ran.status == 0, ran.err
    assert repo.index()[path][1] == content.encode()
    if "--cached" not in words:
        assert repo.read(path) == content.encode()
    repo.fsck()
    return ran


def _refuses(repo: Sandbox, patch: bytes, *words: str) -> str:
    before = repo.state()
    ran = repo.opatch("apply", "--3way", *words, feed=patch)
    assert ran.status == 1
    assert ran.err.endswith("nothing was changed\n")
    assert repo.state() == before
    repo.fsck()
    return ran.err


def _short(repo: Sandbox, commit: str) -> str:
    return repo.git("rev-parse", "--short", commit).decode().strip()


def _named(patch: bytes, blob: str) -> bytes:
    """Give an update of `f` as a diff with an index line for `blob`."""
    head = f"diff --git a/f b/f\nindex {blob}..0123456 100644\n--- a/f\n+++ b/f\n".encode()
    return head + b"\n".join(patch.split(b"\n")[2:-2]) + b"\n"


def _stored(repo: Sandbox, text: str) -> str:
    return repo.git("hash-object", "-w", "--stdin", feed=text.encode()).decode().strip()


@pytest.mark.parametrize("length", [40, 7])
def test_the_version_of_the_index_line_is_found(repo: Sandbox, length: int) -> None:
    repo.commit({"f": _text(l8="eight")})
    blob = _stored(repo, _text(l35="x"))
    _refuses(repo, _patch())
    ran = _merges(repo, _named(_patch(), blob[:length]), content=_text(l8="eight", l10="new"))
    assert ran.err == f"note: f: written for blob {blob[:10]}; merged\n"


@pytest.mark.parametrize("blob", ["0123456", "0" * 40, "1" * 40, "f" * 7])
def test_an_index_line_without_a_blob_is_ignored(late: Sandbox, blob: str) -> None:
    _merges(late, _named(_patch(), blob))


def test_an_index_line_of_a_version_without_a_match_is_ignored(late: Sandbox) -> None:
    _merges(late, _named(_patch(), _stored(late, "other\n")))


def test_an_index_line_of_a_commit_is_ignored(late: Sandbox) -> None:
    _merges(late, _named(_patch(), late.git("rev-parse", "HEAD").decode().strip()))


def test_the_version_of_head_is_found(repo: Sandbox) -> None:
    repo.commit({"f": _text()})
    repo.write("f", _text(l8="staged"))
    repo.git("add", "f")
    ran = _merges(repo, _patch(), content=_text(l8="staged", l10="new"))
    assert ran.err == "note: f: written for HEAD; merged\n"


@pytest.mark.parametrize("side", ["old", "new"])
def test_the_version_of_the_journal_is_found(repo: Sandbox, side: str) -> None:
    """Find a version that was in the index, and never in a commit."""
    first = {"l30": "a"} if side == "old" else {"l30": "b"}
    repo.commit({"f": _text(l8="never", **first) if side == "new" else "before\n"})
    repo.write("f", _text(l8="never", l30="a") if side == "new" else _text(l30="a"))
    repo.git("add", "f")
    new = (
        _patch(8, "line 8").replace(b"-line 8\n", b"-never\n") if side == "new" else _patch(8, "x")
    )
    assert repo.opatch("apply", feed=new).status == 0
    repo.write("f", _text(l8="eight", l30="c"))
    repo.git("add", "f")
    ran = _merges(repo, _patch(), content=_text(l8="eight", l30="c", l10="new"))
    when = {"old": "before", "new": "after"}[side]
    version = f"the version {when} entry 1 of the journal"
    assert ran.err == f"note: f: written for {version}; merged\n"


def test_the_outcome_of_a_merge_is_a_version(repo: Sandbox) -> None:
    """Find a version that only the merge has, because its parents differ in lines 8 and 12."""
    repo.commit({"f": _text(l8="a", l12="a")})
    repo.git("checkout", "--quiet", "-b", "side")
    repo.commit({"f": _text(l8="a")})
    repo.git("checkout", "--quiet", "main")
    repo.commit({"f": _text(l12="a")})
    repo.git("merge", "--quiet", "side", "--strategy-option=theirs", "-m", "m")
    repo.write("f", _text())
    repo.git("add", "f")
    repo.git("commit", "--quiet", "--amend", "-m", "m")
    repo.commit({"f": _text(l8="eight")})
    _merges(repo, _patch(), content=_text(l8="eight", l10="new"))


@pytest.mark.parametrize(("later", "found"), [(50, True), (51, False)])
def test_no_more_than_fifty_versions_are_looked_at(repo: Sandbox, later: int, found: bool) -> None:
    texts = [_text(), *(_text(l8=f"eight {number}") for number in range(1, later))]
    committer = "committer a <a@b> 1700000000 +0000\ndata 1\nx\n"
    stream = "".join(
        f"commit refs/heads/main\n{committer}M 100644 inline f\ndata {len(text)}\n{text}\n"
        for text in texts
    )
    repo.git("fast-import", "--quiet", feed=stream.encode())
    repo.git("reset", "--quiet", "--hard")
    if found:
        _merges(repo, _patch(), content=_text(l8=f"eight {later - 1}", l10="new"))
    else:
        _refuses(repo, _patch())


def test_nothing_is_fetched(late: Sandbox, tmp_path: Path) -> None:
    trace, serve = tmp_path / "trace", tmp_path / "serve"
    serve.write_text(f'#!/bin/sh\ntouch {shlex.quote(str(trace))}\nexec git-upload-pack "$@"\n')
    serve.chmod(0o755)
    late.git("config", "uploadpack.allowFilter", "true")
    late.git("config", "uploadpack.allowAnySHA1InWant", "true")
    partial = Sandbox(tmp_path / "partial")
    url = f"file://{late.path}"
    late.git("clone", "--quiet", "--filter=blob:none", url, str(partial.path))
    partial.git("config", "remote.origin.uploadpack", str(serve))
    old = partial.git("rev-parse", "HEAD~1:f").decode().strip()
    before = partial.index(), partial.files()
    for patch in (_patch(), _named(_patch(), old)):
        assert partial.opatch("apply", "-3", feed=patch).status == 1
        assert partial.opatch("apply", "-v", feed=patch).status == 1
    assert (partial.index(), partial.files()) == before
    assert not trace.exists()
    partial.git("cat-file", "-e", old)
    assert trace.exists()
    trace.unlink()
    assert partial.opatch("apply", "-3", feed=_patch()).status == 0
    assert partial.read("f") == _MERGED.encode()
    assert not trace.exists()


def test_a_patch_that_matches_no_version_is_refused(late: Sandbox) -> None:
    message = _refuses(late, _patch().replace(b" line 11", b" line eleven"))
    assert f"{opening(Hint.NO_VERSION.sentence)} f in the history" in message


@pytest.mark.parametrize(
    ("line", "changed"),
    [(b" line 9\n", b"   line 9\n"), (b" line 9\n", b" Line 9\n"), (b" line 9\n", b" line 9\n \n")],
)
def test_a_patch_that_matches_a_version_loosely_is_refused(
    late: Sandbox, line: bytes, changed: bytes
) -> None:
    _refuses(late, _patch().replace(line, changed))


_REGION = "begin\nmiddle\nold\nafter\nend\n"
_IN_REGION = envelope(b"*** Update File: f\n@@\n begin\n middle\n-old\n+new\n after\n end\n")
_CHANGED = _REGION.replace("begin", "start")


def test_versions_that_merge_to_different_contents_are_refused(repo: Sandbox) -> None:
    fill = "".join(f"fill {number}\n" for number in range(20))
    repo.commit({"f": _REGION + fill})
    repo.commit({"f": fill + _REGION})
    repo.commit({"f": _CHANGED + fill + _CHANGED})
    assert "other versions, whose merges differ" in _refuses(repo, _IN_REGION)
    blob = repo.git("rev-parse", "HEAD~1:f").decode().strip()
    wanted = _CHANGED + fill + _CHANGED.replace("old", "new")
    _merges(repo, _named(_IN_REGION, blob), content=wanted)


def test_a_patch_that_matches_a_version_twice_is_refused(repo: Sandbox) -> None:
    fill = "".join(f"fill {number}\n" for number in range(20))
    repo.commit({"f": _REGION + fill})
    repo.commit({"f": _REGION + fill + _REGION})
    repo.commit({"f": _CHANGED + fill + _CHANGED})
    where = _short(repo, "HEAD~1")
    assert f"fits f as of {where} (1 commit ago) in several places" in _refuses(repo, _IN_REGION)


def test_a_patch_that_matches_the_current_version_twice_may_be_for_it(repo: Sandbox) -> None:
    fill = "".join(f"fill {number}\n" for number in range(20))
    repo.commit({"f": _REGION + fill})
    repo.commit({"f": _REGION + fill + _REGION})
    assert "fits as of" not in _refuses(repo, _IN_REGION)
    blob = repo.git("rev-parse", "HEAD~1:f").decode().strip()
    wanted = _REGION.replace("old", "new") + fill + _REGION
    _merges(repo, _named(_IN_REGION, blob), content=wanted)


def test_an_applied_patch_is_called_already_applied(repo: Sandbox) -> None:
    repo.commit({"f": _text()})
    repo.commit({"f": _text(l10="new")})
    repo.commit({"f": _text(l10="new", l8="eight")})
    assert f"f: {opening(Fault.MERGE_APPLIED.sentence)}" in _refuses(repo, _patch())
    ran = repo.opatch("apply", "-3", "--skip-applied", feed=_patch())
    assert (ran.status, ran.out) == (0, b"nothing to do: the patch is already applied\n")
    assert repo.git("status", "--short") == b""


def test_a_patch_is_reversed_as_git_revert_does(repo: Sandbox) -> None:
    """Reverse a patch as `git revert` does."""
    repo.commit({"f": _text()})
    repo.commit({"f": _text(l10="new")})
    repo.commit({"f": _text(l10="new", l8="eight")})
    repo.git("revert", "--no-commit", "HEAD~1")
    wanted = repo.index()
    repo.git("reset", "--quiet", "--hard")
    _merges(repo, _patch(), "-R", content=_text(l8="eight"))
    assert repo.index() == wanted


@pytest.mark.parametrize("command", ["apply", "check", "show", "convert"])
def test_refusals_name_the_version_that_matches(late: Sandbox, command: str) -> None:
    before = late.state()
    ran = late.opatch(command, feed=_patch())
    assert ran.status == 1
    where = _short(late, "HEAD~1")
    version = f"{where} (1 commit ago)"
    hint = said(Hint.OLDER_VERSION.sentence, path="f", version=version)
    assert hint in ran.err + ran.out.decode()
    assert late.state() == before
    assert late.opatch(command, "--3way", feed=_patch()).status == 0


def test_head_is_named_where_it_has_the_version_that_matches(late: Sandbox) -> None:
    """However old the commit is that made the version."""
    late.commit({"other": "p\n"})
    late.write("f", _text(l30="thirty", l8="eight", l10="staged"))
    late.git("add", "f")
    patch = _patch().replace(b" line 8\n", b" eight\n")
    assert (
        f"  {said(Hint.OLDER_VERSION.sentence, path='f', version='HEAD')}\n"
        in late.opatch("apply", feed=patch).err
    )
    late.git("commit", "--quiet", "-m", "staged")
    assert "  fits f as of HEAD" not in late.opatch("apply", feed=patch).err


@pytest.mark.parametrize("flag", ["--worktree", "--carry", "--partial"])
def test_a_merge_is_not_advised_where_it_is_not_possible(late: Sandbox, flag: str) -> None:
    assert "--3way" not in late.opatch("apply", "--check", flag, feed=_patch()).err


@pytest.mark.parametrize("flag", ["--worktree", "--partial", "--reject"])
def test_incompatible_options_are_refused(late: Sandbox, flag: str) -> None:
    ran = late.opatch("apply", "-3", flag, feed=_patch())
    assert (ran.status, "excludes" in ran.err) == (129, True)


def test_check_show_and_convert_merge_too(late: Sandbox) -> None:
    before = late.state()
    for command in ("check", "show", "convert"):
        assert late.opatch(command, feed=_patch()).status == 1
        assert late.opatch(command, "-3", feed=_patch()).status == 0
    based = late.opatch("convert", "-3", "--base", "HEAD", feed=_patch())
    diff = late.opatch("convert", "-3", feed=_patch()).out
    assert (based.out, late.state()) == (diff, before)
    late.git("apply", "--index", feed=diff)
    assert late.read("f") == _MERGED.encode()


# Conflicts

_LATER = {"l30": "thirty", "l8": "eight", "l10": "ten"}


@pytest.fixture
def torn(late: Sandbox) -> Sandbox:
    """Change the patched line itself in a later version."""
    late.commit({"f": _text(**_LATER)})
    return late


def _by_git(repo: Sandbox, patch: str, *words: str) -> tuple[Tree, bytes]:
    """Give the files and index that `git apply --3way` leaves, then restore them."""
    ran = repo.run("git", "apply", "--3way", *words, feed=patch.encode())
    assert ran.status == 1
    found = repo.files(), repo.git("ls-files", "-s")
    repo.git("reset", "--quiet", "--hard")
    return found


def _diff(repo: Sandbox) -> str:
    """Give the patch as a diff with line numbers."""
    new = _stored(repo, _text(l30="thirty", l10="new"))
    old = repo.git("rev-parse", "HEAD~2:f").decode().strip()
    diff = repo.git("diff", "--full-index", old, new).decode()
    return diff.replace(f"a/{old}", "a/f").replace(f"b/{new}", "b/f")


@pytest.mark.parametrize("style", ["merge", "diff3"])
@pytest.mark.parametrize("words", [["--index"], ["--cached"]])
def test_a_conflict_is_left_as_git_leaves_it(
    torn: Sandbox, style: str, words: Sequence[str]
) -> None:
    torn.git("config", "merge.conflictStyle", style)
    wanted = _by_git(torn, _diff(torn), *words)
    ran = torn.opatch("apply", "--3way", *words, feed=_patch())
    assert (ran.status, ran.out) == (1, b"")
    where = _short(torn, "HEAD~2")
    assert f"error: f: {opening(Fault.CONFLICT_LEFT.sentence)}" in ran.err
    assert f"version of {where} (" in ran.err
    assert ran.err.endswith("\n1 file left with conflicts\n")
    assert (torn.files(), torn.git("ls-files", "-s")) == wanted
    torn.fsck()


@pytest.mark.parametrize("words", [["--index"], ["--cached"]])
def test_the_rest_of_a_patch_with_a_conflict_is_applied(
    torn: Sandbox, words: Sequence[str]
) -> None:
    torn.write("f", _text(**_LATER, l20="staged"))
    torn.git("add", "f")
    patch = _patch().replace(b"*** End", b"*** Update File: other\n@@\n-o\n+p\n*** End")
    ran = torn.opatch("apply", "--3way", *words, feed=patch)
    assert ran.status == 1
    assert ran.err.endswith("\n1 file left with conflicts; the rest of the patch is applied\n")
    assert b"1 file modified; staged" in ran.out
    assert torn.index()["other"][1] == b"p\n"
    torn.fsck()


def test_conflicts_are_not_committed(torn: Sandbox) -> None:
    before = torn.state()
    for check in ([], ["--check"]):
        ran = torn.opatch("apply", "--3way", "--commit", "-m", "m", *check, feed=_patch())
        assert (ran.status, "error: f: conflicts " in ran.err) == (1, True)
        assert torn.state() == before


@pytest.mark.parametrize("words", [["--index"], ["--cached"]])
def test_an_undo_takes_back_what_has_conflicts(torn: Sandbox, words: Sequence[str]) -> None:
    """As `git merge --abort`, and nothing else; the next undo is of the patch before."""
    torn.opatch("apply", feed=envelope(b"*** Add File: n\n+n\n"))
    before = torn.files(), torn.git("ls-files", "-s")
    assert torn.opatch("apply", "--3way", *words, feed=_patch()).status == 1
    assert torn.opatch("log").out[:1] == b"2"
    ran = torn.opatch("undo")
    assert (ran.status, ran.err, ran.out[:16]) == (0, "", b"Undid 2: 1 file ")
    assert (torn.files(), torn.git("ls-files", "-s")) == before
    assert torn.opatch("log").out.count(b"  undone  ") == 1
    ran = torn.opatch("redo")
    assert (ran.status, f"error: f: {Fault.LEFT_WITH_CONFLICTS.sentence}\n" in ran.err) == (1, True)
    assert torn.opatch("undo").status == 0
    assert "n" not in torn.files()
    torn.fsck()


@pytest.mark.parametrize("edit", ["file", "index"])
def test_an_undo_of_conflicts_that_were_edited_is_refused(torn: Sandbox, edit: str) -> None:
    assert torn.opatch("apply", "--3way", feed=_patch()).status == 1
    if edit == "file":
        torn.write("f", torn.read("f") + b"mine\n")
    else:
        other = torn.git("rev-parse", "HEAD:other").decode().strip()
        torn.git("update-index", "--index-info", feed=f"100644 {other} 3\tf\n".encode())
    before = torn.state()
    ran = torn.opatch("undo")
    assert (ran.status, f"error: f: {Fault.UNMERGED.sentence}\n" in ran.err) == (1, True)
    assert torn.state() == before


@pytest.mark.parametrize("call", [("os.rename", "opatch/commit"), ("os.rename", ".git/index")])
@pytest.mark.parametrize("more", [b"", b"*** Update File: other\n@@\n-o\n+p\n"])
def test_a_killed_undo_of_conflicts_can_be_done_again(
    torn: Sandbox, call: tuple[str, str], more: bytes
) -> None:
    before = torn.files(), torn.git("ls-files", "-s")
    patch = _patch().replace(b"*** End", more + b"*** End")
    assert torn.opatch("apply", "--3way", feed=patch).status == 1
    if call[1] == ".git/index" and not more:
        call = ("os.rename", "journal/2.json")
    kill_before_call(torn, *call, "undo")
    torn.opatch("recover")
    if "  undone  " not in torn.opatch("log").out.decode():
        assert torn.opatch("undo").status == 0
    assert (torn.files(), torn.git("ls-files", "-s")) == before


def test_a_conflict_can_be_resolved(torn: Sandbox) -> None:
    assert torn.opatch("apply", "--3way", feed=_patch()).status == 1
    again = torn.opatch("apply", "--3way", feed=_patch())
    assert f"f: {Fault.UNMERGED.sentence}" in again.err
    torn.write("f", _text(**{**_LATER, "l10": "ten and new"}))
    torn.git("add", "f")
    assert torn.git("status", "--short") == b"M  f\n"
    assert torn.opatch("undo").status == 1
    assert torn.read("f") == _text(**{**_LATER, "l10": "ten and new"}).encode()


def test_a_check_of_a_conflict_changes_nothing(torn: Sandbox) -> None:
    torn.git("config", "rerere.enabled", "true")
    before = torn.state(), sorted((torn.path / ".git").rglob("*"))
    summary = "the patch would leave 1 file with conflicts; nothing was changed"
    assert summary in _refuses(torn, _patch(), "--check")
    assert (
        torn.opatch("check", "-3", feed=_patch()).out
        == b"standard input: would leave 1 file with conflicts\n"
    )
    for command in ("check", "show", "convert"):
        ran = torn.opatch(command, "-3", feed=_patch())
        assert ran.status == 1
        assert ran.out == b"" if command == "convert" else b"conflict" in ran.out
    found = [path for path in sorted((torn.path / ".git").rglob("*")) if "opatch" not in path.parts]
    assert (torn.state(), found) == before


def test_a_conflict_beside_a_refusal_changes_nothing(torn: Sandbox) -> None:
    lost = b"*** Update File: other\n@@\n-never\n+p\n*** End Patch"
    message = _refuses(torn, _patch().replace(b"*** End Patch", lost))
    assert f"f: {opening(Fault.CONFLICT.sentence)}" in message
    assert "the patch does not apply (2 problems); " in message


_KILLED = """
import os, sys
import git_opatch.transaction.perform as transaction
from git_opatch.operations.apply import apply_patch
from git_opatch.model.options import Options, ThreeWay
from git_opatch.parse import parse_patch
from git_opatch.git.repository import Repository

write = transaction.write
def killed(*arguments):
    if sys.argv[1] == "write":
        write(*arguments)
    os._exit(9)

setattr(transaction, sys.argv[1], killed)
options = Options(three_way=ThreeWay.MERGE)
apply_patch(parse_patch(sys.stdin.buffer.read()), Repository("."), options)
"""


def test_a_conflict_killed_early_is_restored(torn: Sandbox) -> None:
    before = torn.files(), torn.git("ls-files", "-s")
    assert torn.run("python", "-c", _KILLED, "write", feed=_patch()).status == 9
    assert torn.files() != before[0]
    recovered = torn.opatch("recover")
    assert "an interrupted apply was rolled back (1 file)" in recovered.out.decode()
    assert (torn.files(), torn.git("ls-files", "-s")) == before
    torn.fsck()


def test_a_conflict_killed_late_is_finished(torn: Sandbox) -> None:
    wanted = _by_git(torn, _diff(torn), "--index")
    assert torn.run("python", "-c", _KILLED, "publish", feed=_patch()).status == 9
    assert "an interrupted apply was finished" in torn.opatch("recover").out.decode()
    assert (torn.files(), torn.git("ls-files", "-s")) == wanted
    assert torn.opatch("undo").status == 0
    assert torn.git("status", "--short") == b""
    torn.fsck()


def test_a_conflict_with_unstaged_changes_is_refused(torn: Sandbox) -> None:
    torn.write("f", _text(**_LATER, l20="unstaged"))
    assert Fault.UNSTAGED.sentence in _refuses(torn, _patch())


def test_a_conflict_in_a_moved_file_is_refused(torn: Sandbox) -> None:
    patch = _patch().replace(b"*** Update File: f\n", b"*** Update File: f\n*** Move to: g\n")
    assert "but later changes conflict with it" in _refuses(torn, patch)


def test_a_file_with_a_merge_driver_is_refused(torn: Sandbox) -> None:
    torn.write(".gitattributes", "f merge=union\n")
    assert "but the attribute `merge` says how to merge it" in _refuses(torn, _patch())


@pytest.mark.parametrize("patch", [_patch(), _patch(20)])
def test_the_json_document_lists_the_conflicts(torn: Sandbox, patch: bytes) -> None:
    clean = patch != _patch()
    found = json.loads(torn.opatch("apply", "-3", "--json", feed=patch).out)
    assert found["status"] == ("applied" if clean else "unmerged")
    assert [failure["reason"] for failure in found["failures"]] == ([] if clean else ["conflict"])
    assert found["modified"] == (["f"] if clean else [])
