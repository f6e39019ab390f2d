"""`git opatch create`: what it prints gives the target when it is applied, or it says why not."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from phrases import opening
from sandbox import Ran, Sandbox, Tree

from git_opatch.model.options import Format
from git_opatch.model.sentences import Fault

_FORMATS = [each.value for each in Format]
_JSON = ("operations", "string-replace")


def _commit(repo: Sandbox, files: dict[str, str | None]) -> Tree:
    """Commit `files`, where None deletes one; return the index."""
    for name, content in files.items():
        if content is None:
            (repo.path / name).unlink()
            for parent in (repo.path / name).parents:
                if parent != repo.path and not any(parent.iterdir()):
                    parent.rmdir()
    repo.commit({name: content for name, content in files.items() if content is not None})
    return repo.index()


def _lands(repo: Sandbox, patch: bytes, base: str, target: Tree) -> None:
    """Assert that `patch`, applied to `base`, gives `target`."""
    repo.git("checkout", "-q", "--detach", base)
    ran = repo.opatch("apply", feed=patch)
    assert ran.status == 0, (ran.err, patch)
    assert repo.index() == target, patch
    repo.git("reset", "--quiet", "--hard")


def _refused(ran: Ran) -> bool:
    """Whether nothing was printed but the reason."""
    assert (ran.status, ran.out) in ((0, ran.out), (1, b""))
    assert ran.err.startswith("error: ") if ran.status else ran.err == ""
    return ran.status == 1


@pytest.mark.parametrize(
    ("before", "after", "patch_format", "reason"),
    [
        (
            "1\n2",
            "1\nzwei",
            "search-replace",
            "change a last line without a newline",
        ),
        ("1\n2", "1", "search-replace", "change a last line without a newline"),
        ("1\n", "1", "search-replace", "add or remove the newline at the end of a file"),
        ("1", "1\n", "search-replace", "add or remove the newline at the end of a file"),
        (None, "", "string-replace", "create an empty file"),
    ],
)
def test_what_a_format_cannot_say_of_an_end_is_the_reason(
    repo: Sandbox, before: str | None, after: str, patch_format: str, reason: str
) -> None:
    base: dict[str, str | None] = {"other": "1\n"}
    _commit(repo, base if before is None else {**base, "a": before})
    target = _commit(repo, {"a": after})
    ran = repo.opatch("create", "HEAD", "--format", patch_format)
    assert _refused(ran)
    says = f"error: a: {patch_format} cannot {reason}\n"
    assert ran.err.startswith(says)
    _lands(repo, repo.opatch("create", "HEAD", "--format", "envelope").out, "HEAD~", target)


@pytest.mark.parametrize("patch_format", _FORMATS)
def test_what_is_moved_and_deleted_is_written_or_refused(repo: Sandbox, patch_format: str) -> None:
    _commit(repo, {"a": "1\n2\n3\n4\n", "b": "1\n"})
    target = _commit(repo, {"a": None, "b": None, "c": "1\n2\n3\nvier\n"})
    ran = repo.opatch("create", "HEAD", "--format", patch_format)
    if patch_format in ("search-replace", "string-replace"):
        assert _refused(ran)
        assert "\n  formats that can: envelope, unified, file-changes" in ran.err
        return
    assert not _refused(ran), ran.err
    _lands(repo, ran.out, "HEAD~", target)


@pytest.mark.parametrize("patch_format", _FORMATS)
def test_what_a_format_cannot_express_is_named(repo: Sandbox, patch_format: str) -> None:
    """Every file is, and nothing is printed."""
    _commit(repo, {"a": "1\n", "run": "x\n", "logo": "\0", "link": "l\n"})
    repo.write("a", "2\n")
    repo.write("logo", b"\0\1")
    (repo.path / "run").chmod(0o755)
    (repo.path / "link").unlink()
    os.symlink("a", repo.path / "link")
    repo.write("bin/new", "#!\n").chmod(0o755)
    repo.commit()
    ran = repo.opatch("create", "HEAD", "--format", patch_format)
    assert (ran.status, ran.out) == (1, b"")
    wanted = [
        ("link", "turn a file into a symbolic link, or back"),
        ("logo", "change a binary file"),
    ]
    if patch_format != "unified":
        wanted += [
            ("bin/new", "create a symbolic link or an executable file"),
            ("run", "change the mode of a file"),
        ]
    lines = [f"error: {path}: {patch_format} cannot {what}" for path, what in wanted]
    assert ran.err.splitlines() == sorted(lines)


def test_what_holds_for_many_files_is_one_line(repo: Sandbox) -> None:
    _commit(repo, {f"f{n}": f"{n}\n" * 9 for n in range(7)})
    for n in range(7):
        repo.git("mv", f"f{n}", f"g{n}")
    ran = repo.opatch("create", "--cached", "--format", "search-replace")
    first = ran.err.splitlines()[0]
    assert first == "error: f0, f1, f2, f3, f4 and 2 more: search-replace cannot rename a file"


def test_a_unified_diff_has_modes_and_links(repo: Sandbox) -> None:
    _commit(repo, {"run": "x\n", "both": "1\n2\n"})
    (repo.path / "run").chmod(0o755)
    (repo.path / "both").chmod(0o755)
    repo.write("both", "1\n3\n")
    repo.write("bin/new", "#!\n").chmod(0o755)
    repo.write("empty", "")
    repo.commit()
    target = repo.index()
    ran = repo.opatch("create", "HEAD", "--format", "unified")
    assert ran.status == 0, ran.err
    _lands(repo, ran.out, "HEAD~", target)
    os.symlink("run", repo.path / "link")
    repo.git("checkout", "-q", "main")
    repo.commit()
    target = repo.index()
    ran = repo.opatch("create", "HEAD", "--format", "unified")
    if not _refused(ran):
        _lands(repo, ran.out, "HEAD~", target)


def test_bytes_that_are_not_utf_8_are_refused_in_json(repo: Sandbox) -> None:
    repo.commit({"a": b"1\n\xff\n3\n"})
    repo.commit({"a": b"1\n\xfe\n3\n"})
    target = repo.index()
    for patch_format in _FORMATS:
        ran = repo.opatch("create", "HEAD", "--format", patch_format)
        assert _refused(ran) == (patch_format in _JSON), ran.err
        if ran.out:
            _lands(repo, ran.out, "HEAD~", target)
            repo.git("checkout", "-q", "main")


@pytest.fixture
def edited(repo: Sandbox) -> Iterator[Sandbox]:
    """Give a repository with a commit, a staged change, an unstaged one, and a file not tracked."""
    repo.commit({"a": "1\n2\n3\n", "sub/b": "1\n2\n3\n", "c": "c\n"})
    repo.write("a", "1\nstaged\n3\n")
    repo.git("add", "a")
    repo.write("sub/b", "1\nunstaged\n3\n")
    repo.write("new", "new\n")
    before = repo.state()
    yield repo
    assert repo.state() == before


def test_what_is_staged_and_what_is_not(edited: Sandbox) -> None:
    staged = b"*** Begin Patch\n*** Update File: a\n@@\n-2\n+staged\n*** End Patch\n"
    unstaged = b"*** Begin Patch\n*** Update File: sub/b\n@@\n-2\n+unstaged\n*** End Patch\n"
    assert edited.opatch("create", "--cached").out == staged
    assert edited.opatch("create").out == unstaged
    assert edited.opatch("create", "--", "a").out == b""
    assert edited.opatch("create", "--cached", "--", "a").out == staged
    assert edited.opatch("create", "--cached", "--", "sub").out == b""
    assert edited.opatch("create", "--", "b", cwd=edited.path / "sub").out == unstaged
    assert edited.opatch("create", "--", ":(exclude)sub").out == b""


def test_the_working_tree_is_read_as_git_would_store_it(repo: Sandbox) -> None:
    repo.commit({".gitattributes": "*.txt text eol=crlf\n", "a.txt": "1\n2\n", "gone": "1\n"})
    repo.write("a.txt", "1\r\nzwei\r\n")
    (repo.path / "gone").unlink()
    patch = repo.opatch("create").out
    assert b"-2\n+zwei\n" in patch
    assert b"*** Delete File: gone\n" in patch
    assert b"\r" not in patch
    repo.git("checkout", "-q", "--", ".")
    assert repo.opatch("apply", feed=patch).status == 0
    assert repo.index().keys() == {".gitattributes", "a.txt"}


def test_a_range_and_the_first_commit(repo: Sandbox) -> None:
    _commit(repo, {"a": "1\n"})
    first = repo.opatch("create", "HEAD")
    assert first.out == b"*** Begin Patch\n*** Add File: a\n+1\n*** End Patch\n"
    _commit(repo, {"a": "2\n"})
    _commit(repo, {"a": "3\n"})
    both = b"*** Begin Patch\n*** Update File: a\n@@\n-1\n+3\n*** End Patch\n"
    assert repo.opatch("create", "HEAD~2..HEAD").out == both
    assert repo.opatch("create", "HEAD~2..").out == both
    assert repo.opatch("create", "HEAD..HEAD~2").out == both.replace(b"-1\n+3", b"-3\n+1")


def test_it_works_in_a_bare_repository(repo: Sandbox, tmp_path: Path) -> None:
    _commit(repo, {"a": "1\n"})
    _commit(repo, {"a": "2\n"})
    repo.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare"))
    bare = Sandbox(tmp_path / "bare")
    assert bare.opatch("create", "main").out == repo.opatch("create", "HEAD").out
    for words in ((), ("--cached",)):
        ran = bare.opatch("create", *words)
        assert (ran.status, "this needs a working tree" in ran.err) == (128, True)


def test_the_usage_names_one_commit_and_pathspecs(repo: Sandbox) -> None:
    usage = b"Usage: git opatch create [OPTION]... [COMMIT|A..B] [-- PATHSPEC]..."
    assert repo.opatch("create", "-h").out.startswith(usage)


def test_wrong_command_lines_are_refused(repo: Sandbox) -> None:
    _commit(repo, {"a": "1\n"})
    for status, message, *words in (
        (128, "`nothing` is not a commit of this repository", "nothing"),
        (
            128,
            "`a` is not a commit of this repository\n  to write what is changed in that path: git "
            "opatch create -- a\n",
            "a",
        ),
        (128, "`nothing` is not a tree or commit of this repository", "nothing..HEAD"),
        (128, "`--output=x` is not a commit", "--", "--output=x"),
        (129, "write A..B to compare two commits", "HEAD...HEAD"),
        (129, "name one commit, or A..B; write -- before paths such as `a`", "HEAD", "a"),
        (129, "--cached compares with HEAD; leave out `HEAD`", "--cached", "HEAD"),
        (129, "--context takes a number of lines, or `minimal`", "--context", "-1"),
        (129, "--context takes a number of lines, or `minimal`", "--context", "few"),
        (129, "--format: ", "--format", "diff"),
    ):
        ran = repo.opatch("create", *words)
        if words[0] == "--":
            assert (ran.status, ran.out) == (0, b"")  # a pathspec that matches nothing
            continue
        assert (ran.status, ran.out, message in ran.err) == (status, b"", True), ran.err


def test_a_merge_is_refused_with_the_command_that_works(repo: Sandbox) -> None:
    _commit(repo, {"a": "1\n", "b": "1\n"})
    repo.git("checkout", "-q", "-b", "side")
    _commit(repo, {"a": "2\n"})
    repo.git("checkout", "-q", "main")
    _commit(repo, {"b": "2\n"})
    repo.git("merge", "-q", "--no-edit", "side")
    ran = repo.opatch("create", "HEAD")
    assert (ran.status, ran.out) == (128, b"")
    assert "with its first parent, write HEAD^..HEAD" in ran.err
    assert b"-1\n+2\n" in repo.opatch("create", "HEAD^..HEAD").out


def test_submodules_and_unmerged_files_are_refused(repo: Sandbox) -> None:
    _commit(repo, {"a": "1\n2\n3\n"})
    oid = repo.git("rev-parse", "HEAD").decode().strip()
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{oid},module")
    ran = repo.opatch("create", "--cached")
    assert (ran.status, ran.out) == (1, b"")
    assert ran.err.startswith("error: module: envelope cannot change a submodule")
    repo.git("rm", "-q", "--cached", "module")
    repo.git("checkout", "-q", "-b", "side")
    _commit(repo, {"a": "1\nside\n3\n"})
    repo.git("checkout", "-q", "main")
    _commit(repo, {"a": "1\nmain\n3\n"})
    assert repo.run("git", "merge", "-q", "side").status == 1
    for words in ((), ("--cached",)):
        ran = repo.opatch("create", *words)
        assert (ran.status, ran.out) == (128, b"")
        assert f"a: {Fault.UNMERGED.sentence}; resolve and stage it first" in ran.err


def test_fixed_context_is_written_as_asked(repo: Sandbox) -> None:
    lines = [f"{number}\n" for number in range(1, 21)]
    _commit(repo, {"a": "".join(lines)})
    _commit(repo, {"a": "".join(lines).replace("10\n", "ten\n").replace("14\n", "")})
    two = repo.opatch("create", "HEAD", "--context", "2", "--format", "unified").out.decode()
    assert two == ("--- a/a\n+++ b/a\n@@\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n-14\n 15\n 16\n")
    one = repo.opatch("create", "HEAD", "--context", "1", "--format", "unified").out.decode()
    assert one.count("@@") == 2
    none = repo.opatch("create", "HEAD", "--context", "0", "--format", "unified").out.decode()
    assert none == "--- a/a\n+++ b/a\n@@\n-10\n+ten\n@@\n-14\n"


def test_too_little_fixed_context_is_refused(repo: Sandbox) -> None:
    _commit(repo, {"a": "x\ny\n" * 10})
    _commit(repo, {"a": "x\ny\n" * 5 + "x\nz\n" + "x\ny\n" * 4})
    ran = repo.opatch("create", "HEAD", "--context", "1")
    assert (ran.status, ran.out) == (1, b"")
    assert (
        "a: 1 lines of context do not give its new version: hunk 1 of 1 "
        f"{opening(Fault.AMBIGUOUS.sentence)}" in ran.err
    )


def test_settings_change_nothing(repo: Sandbox) -> None:
    _commit(repo, {"a": "1\n2\n3\n4\n"})
    _commit(repo, {"a": "1\n2\n3\nvier\n"})
    plain = repo.opatch("create", "HEAD").out
    for setting in ("diff.renames=false", "diff.noprefix=true", "diff.context=9",
                    "diff.external=false", "color.ui=always", "diff.mnemonicPrefix=true",
                    "core.pager=false", "diff.relative=true"):  # fmt: skip
        repo.git("config", *setting.split("="))
    assert repo.opatch("create", "HEAD").out == plain


def test_json_is_one_list_that_json_can_read(repo: Sandbox) -> None:
    _commit(repo, {"a": '1\n"zwei"\n\u2028\n'})
    _commit(repo, {"a": "1\n'zwei'\n\u2028\n", "b": "ü\t\\n\n"})
    for patch_format in _JSON:
        out = repo.opatch("create", "HEAD", "--format", patch_format).out
        assert len(json.loads(out)) == 2


def test_patches_of_sha256_repositories_are_proved(tmp_path: Path) -> None:
    repo = Sandbox(tmp_path / "repo").init("--object-format=sha256")
    _commit(repo, {"a": "1\n2\n"})
    target = _commit(repo, {"a": "1\n3\n"})
    _lands(repo, repo.opatch("create", "HEAD").out, "HEAD~", target)


def test_the_patch_can_be_written_to_a_file(repo: Sandbox, tmp_path: Path) -> None:
    repo.commit({"a": "1\n"})
    repo.write("a", "2\n")
    printed = repo.opatch("create")
    ran = repo.opatch("create", "-o", str(tmp_path / "p.txt"))
    assert (ran.status, ran.out, (tmp_path / "p.txt").read_bytes()) == (0, b"", printed.out)
    assert repo.opatch("create", "-o", str(tmp_path)).status == 128
