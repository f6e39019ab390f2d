"""Attributes and `core.autocrlf`: hunks are located in the index's content, git writes the tree's.

What plain `git apply` makes of the completed diff, in a copy of the repository, is the oracle;
the expected bytes are also stated.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from phrases import said
from sandbox import Sandbox, Tree
from targets import CACHED, EACH, INDEX, SHA1, WORKTREE, refused
from writers import envelope

from git_opatch.model.sentences import Fault

_UPDATE = b"*** Update File: f\n@@\n a\n-b\n+B\n"
_PATCH = envelope(_UPDATE)
_FLAGS = {INDEX: ["--index"], CACHED: ["--cached"], WORKTREE: []}
_LF, _CRLF = (b"a\nB\n", b"a\nb\n"), (b"a\r\nB\r\n", b"a\r\nb\r\n")
_UTF16 = "UTF-16LE-BOM"


def _utf16(text: bytes) -> bytes:
    return b"\xff\xfe" + text.decode().encode("utf-16-le")


def _swapped(text: bytes) -> bytes:
    return text.translate(bytes.maketrans(b"abB", b"xyY"))


@dataclass(frozen=True)
class Representation:
    """The content of the index and of the working tree for the same text, before and after."""

    attributes: str = ""
    config: dict[str, str] = field(default_factory=dict)
    index: tuple[bytes, bytes] = _LF
    tree: tuple[bytes, bytes] = _LF
    text_patch: bytes = _PATCH
    """The patch for the text on disk, where a filter makes it another than what git stores."""


_FILTER = {
    "filter.swap.clean": "tr xyY abB",
    "filter.swap.smudge": "tr abB xyY",
    "filter.swap.required": "true",
}
_REPRESENTATIONS = {
    "text": Representation("f text"),
    "eol=crlf": Representation("f text eol=crlf", tree=_CRLF),
    "eol=lf": Representation("f text eol=lf", {"core.autocrlf": "true"}),
    "working-tree-encoding": Representation(
        f"f text working-tree-encoding={_UTF16} eol=lf", tree=(_utf16(_LF[0]), _utf16(_LF[1]))
    ),
    "a filter": Representation(
        "f filter=swap",
        _FILTER,
        tree=(_swapped(_LF[0]), _swapped(_LF[1])),
        text_patch=_PATCH.replace(b" a\n-b\n+B", b" x\n-y\n+Y"),
    ),
    "-text": Representation("f -text", {"core.autocrlf": "true"}),
    "-text with CRLF": Representation("f -text", {"core.autocrlf": "true"}, _CRLF, _CRLF),
    "binary": Representation("f binary"),
    "no diff": Representation("f -diff"),
    "autocrlf": Representation(config={"core.autocrlf": "true"}, tree=_CRLF),
    "autocrlf, CRLF in the index": Representation("", {"core.autocrlf": "true"}, _CRLF, _CRLF),
    "autocrlf=input": Representation(config={"core.autocrlf": "input"}),
    "autocrlf=input, CRLF in the index": Representation(
        "", {"core.autocrlf": "input"}, _CRLF, _CRLF
    ),
    "text, CRLF in the index": Representation("f -text", {}, _CRLF, _CRLF),
}


def _set_up(repo: Sandbox, representation: Representation) -> None:
    """Store `f` in the index as given, and in the working tree as git writes it."""
    oid = repo.git("hash-object", "-w", "--stdin", feed=representation.index[1]).decode().strip()
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{oid},f")
    if representation.attributes:
        repo.write(".gitattributes", representation.attributes + "\n")
        repo.git("add", ".gitattributes")
    for key, value in representation.config.items():
        repo.git("config", key, value)
    repo.git("commit", "--quiet", "-m", "commit")
    repo.git("checkout", "--", "f")
    assert repo.read("f") == representation.tree[1]


def _by_git(repo: Sandbox, target: str, patch: bytes = _PATCH) -> tuple[Tree, Tree]:
    """Give the index and working tree that plain git leaves."""
    twin = Sandbox(repo.path.with_name("twin"))
    shutil.copytree(repo.path, twin.path, symlinks=True)
    twin.git("update-index", "-q", "--refresh")
    diff = twin.opatch("convert", feed=patch)
    assert diff.status == 0, diff.err
    twin.git("apply", *_FLAGS[target], feed=diff.out)
    return twin.index(), twin.files()


@pytest.mark.one_of(3)
@pytest.mark.parametrize("representation", _REPRESENTATIONS.values(), ids=_REPRESENTATIONS)
@EACH
def test_every_representation_is_patched(
    sound: Sandbox, representation: Representation, target: str
) -> None:
    _set_up(sound, representation)
    expected = _by_git(sound, target)
    patch = _PATCH if target == CACHED else representation.text_patch
    ran = sound.opatch("apply", target, feed=patch)
    assert ran.status == 0, ran.err
    assert (sound.index(), sound.files()) == expected
    assert sound.index()["f"][1] == representation.index[target == WORKTREE]
    assert sound.read("f") == representation.tree[target == CACHED]
    status = {INDEX: b"M  f\n", CACHED: b"MM f\n", WORKTREE: b" M f\n"}[target]
    assert sound.git("status", "--short") == status
    assert sound.opatch("apply", "-R", target, feed=patch).status == 0
    assert sound.git("status", "--short") == b""
    assert sound.read("f") == representation.tree[1]


@EACH
def test_ident_is_located_and_written(sound: Sandbox, target: str) -> None:
    """Keep `$Id$` in the index, and the line in the working tree as it is."""

    def written(line: bytes) -> bytes:
        blob = sound.git("hash-object", "--stdin", feed=b"$Id$\n" + line).strip()
        return b"$Id: " + blob + b" $\n" + line

    tree = written(b"a\nb\n")
    index = b"$Id$\na\nB\n", b"$Id$\na\nb\n"
    _set_up(sound, Representation("f ident", {}, index, (b"", tree)))
    ran = sound.opatch("apply", target, feed=_PATCH)
    assert ran.status == 0, ran.err
    assert sound.index()["f"][1] == (b"$Id$\na\nb\n" if target == WORKTREE else b"$Id$\na\nB\n")
    assert sound.read("f") == (tree if target == CACHED else tree.replace(b"\nb\n", b"\nB\n"))
    assert sound.git("status", "--short").endswith(b" f\n")


def _pointer(repo: Sandbox) -> None:
    """Store a pointer in the index and the content elsewhere, as Git LFS does."""
    clean = repo.write(
        ".git/clean",
        "#!/bin/sh\ncat >.git/large\nid=$(git hash-object .git/large)\nmv .git/large .git/$id\n"
        'printf "version 1\\noid %s\\n" "$id"\n',
    )
    smudge = repo.write(
        ".git/smudge", "#!/bin/sh\nread version\nread word id\ncat .git/$id || exit 1\n"
    )
    for script in (clean, smudge):
        script.chmod(0o755)
    repo.git("config", "filter.large.clean", ".git/clean")
    repo.git("config", "filter.large.smudge", ".git/smudge")
    repo.git("config", "filter.large.required", "true")
    repo.commit({".gitattributes": "*.bin filter=large\n", "f.bin": "a\nb\n", "g": "g\n"})
    assert repo.index()["f.bin"][1].startswith(b"version 1\noid ")


@EACH
def test_a_pointer_can_be_moved(sound: Sandbox, target: str) -> None:
    """The content is not in the index, so its lines are not found there."""
    _pointer(sound)
    if target == CACHED:
        update = envelope(b"*** Update File: f.bin\n@@\n a\n-b\n+B\n")
        refused(
            sound,
            target,
            update,
            f"f.bin: hunk 1 of 1 {said(Fault.NOT_FOUND.sentence, base='the index')}",
        )
    move = envelope(b"*** Update File: f.bin\n*** Move to: d/g.bin\n")
    pointer = sound.index()["f.bin"]
    ran = sound.opatch("apply", target, feed=move)
    assert ran.status == 0, ran.err
    if target != CACHED:
        assert sound.read("d/g.bin") == b"a\nb\n"
    if target != WORKTREE:
        assert sound.index()["d/g.bin"] == pointer
    assert sound.opatch("apply", "-R", target, feed=move).status == 0
    assert sound.git("status", "--short") == b""


def test_a_filter_that_calls_a_remote_is_run(repo: Sandbox, tmp_path: Path) -> None:
    remote = Sandbox(tmp_path / "remote").init("--bare")
    asks = f"git ls-remote '{remote.path}' >&2 && cat"
    repo.git("config", "filter.asks.clean", asks)
    repo.git("config", "filter.asks.smudge", asks)
    repo.git("config", "filter.asks.required", "true")
    repo.commit({".gitattributes": "*.bin filter=asks\n", "f.bin": "a\nb\n"})
    ran = repo.opatch("apply", feed=envelope(b"*** Update File: f.bin\n@@\n-b\n+B\n"))
    assert ran.status == 0, ran.err
    repo.write("f.bin", "mine\na\nB\n")
    ran = repo.opatch("apply", "--carry", feed=envelope(b"*** Update File: f.bin\n@@\n-B\n+c\n"))
    assert ran.status == 0, ran.err
    assert repo.read("f.bin") == b"mine\na\nc\n"
    assert repo.index()["f.bin"][1] == b"a\nc\n"


@SHA1
@pytest.mark.parametrize(
    ("attributes", "tree"),
    [("f text eol=crlf", _CRLF[0]), (f"f working-tree-encoding={_UTF16} text", _utf16(_LF[0]))],
)
def test_attributes_changed_by_the_same_patch_are_used(
    sound: Sandbox, attributes: str, tree: bytes
) -> None:
    """Index and working tree must agree by the new attributes, and after undo by the old ones."""
    _set_up(sound, Representation())
    patch = envelope(f"*** Add File: .gitattributes\n+{attributes}\n".encode(), _UPDATE)
    ran = sound.opatch("apply", feed=patch)
    assert ran.status == 0, ran.err
    assert sound.index()["f"][1] == _LF[0]
    assert sound.read("f") == tree
    assert sound.git("status", "--short") == b"A  .gitattributes\nM  f\n"
    assert sound.opatch("apply", "-R", feed=patch).status == 0
    assert sound.read("f") == _LF[1]
    assert sound.git("status", "--short") == b""


_CONFIG: dict[str, str] = {
    **{f"alias.{name}": "!{mark}" for name in ("apply", "ls-files", "rev-parse", "status")},
    **{f"pager.{name}": "{mark}" for name in ("apply", "opatch", "ls-files", "diff-files")},
    "core.pager": "{mark}", "core.editor": "{mark}", "sequence.editor": "{mark}",
    "core.sshCommand": "{mark}", "core.gitProxy": "{mark}", "core.askPass": "{mark}",
    "core.fsmonitor": "{mark}", "core.alternateRefsCommand": "{mark}",
    "core.hooksPath": "{hooks}", "credential.helper": "!{mark}", "gpg.program": "{mark}",
    "commit.gpgSign": "true", "diff.external": "{mark}", "interactive.diffFilter": "{mark}",
    "diff.evil.command": "{mark}", "diff.evil.textconv": "{mark}", "merge.evil.driver": "{mark}",
    "diff.tool": "evil", "difftool.evil.cmd": "{mark}", "mergetool.evil.cmd": "{mark}",
    "filter.evil.clean": "{mark} && cat", "filter.evil.smudge": "{mark} && cat",
    "filter.process.process": "{mark}", "trailer.evil.cmd": "{mark}",
    "uploadpack.packObjectsHook": "{mark}", "submodule.sub.update": "!{mark}",
}  # fmt: skip
_HOOKS = (
    "applypatch-msg pre-applypatch post-applypatch pre-commit post-commit post-checkout post-merge "
    "post-index-change fsmonitor-watchman reference-transaction pre-auto-gc post-rewrite"
)


@pytest.mark.one_of(3)
@pytest.mark.parametrize(("target", "flags"), _FLAGS.items())
@pytest.mark.parametrize("driver", ["evil", "process"])
def test_only_programs_that_git_would_run_are_run(
    repo: Sandbox, tmp_path: Path, driver: str, target: str, flags: list[str]
) -> None:
    """Let each program that configuration or attributes name write its name when it is run."""
    attributes = f"* diff=evil merge=evil filter={driver}\n"
    repo.commit({".gitattributes": attributes, "f": "a\nb\n", "gone": "x\n"})
    nested = Sandbox(repo.path / "sub").init()
    nested.commit({"f": "x\n"})
    repo.git("add", "sub")
    repo.git("commit", "--quiet", "-m", "sub")
    for name in ("f", "gone", ".gitattributes"):  # git need not read unchanged files
        os.utime(repo.path / name, (1, 1))
    twin = Sandbox(tmp_path / "twin")
    shutil.copytree(repo.path, twin.path, symlinks=True)
    for where in (repo, twin):
        where.git("update-index", "-q", "--refresh")
    diff = repo.opatch("convert", feed=_PATCH).out
    log = tmp_path / "marks"
    for name in [*_CONFIG, *_HOOKS.split()]:
        script = tmp_path / "hooks" / name
        script.parent.mkdir(exist_ok=True)
        # git may go on or give up if a filter ends while git still writes to it
        last = "sleep 0.2\n" if name == "filter.process.process" else ""
        script.write_text(f"#!/bin/sh\nmkdir -p {log}\n: >{log}/{name}\n{last}")
        script.chmod(0o755)
    for where in (repo, nested, twin):
        for key, value in _CONFIG.items():
            hooks = tmp_path / "hooks"
            where.git("config", key, value.format(mark=hooks / key, hooks=hooks))
    shutil.rmtree(log, ignore_errors=True)
    ran = twin.run("git", "apply", *flags, feed=diff)
    allowed = _take_names(log)
    assert allowed, ran
    if target != CACHED:  # the index gets what `git add` would store, which runs it
        allowed |= {"filter.evil.clean"}
    for words in (["apply", target, "--check"], ["apply", target]):
        again = repo.opatch(*words, feed=_PATCH)
        assert _take_names(log) <= allowed
    assert (again.status == 0) == (ran.status == 0), (again, ran)
    for words in (["check"], ["show"], ["convert"]):
        repo.opatch(*words, feed=envelope(b"*** Update File: sub/f\n@@\n-x\n+y\n"))
        repo.opatch(*words, feed=envelope(b"*** Delete File: sub\n"))
        assert _take_names(log) <= allowed


def _take_names(directory: Path) -> set[str]:
    found = {path.name for path in directory.iterdir()} if directory.exists() else set()
    shutil.rmtree(directory, ignore_errors=True)
    return found
