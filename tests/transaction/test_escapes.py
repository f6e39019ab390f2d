"""Ways out of the working tree, all closed: nothing outside is written, read or deleted.

The tests compare everything around the working tree and in the git directory, by name, type,
content and time; a refused run may only touch git opatch's own directory there.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from sandbox import Sandbox
from targets import INDEX, TARGETS
from ways_out import (
    DIRECTORIES,
    FAMILIES,
    LINKS,
    MAIL,
    NAMES,
    NOT_IN_THE_INDEX,
    QUOTED,
    SCRIPTS,
    add,
    delete,
    move,
    update,
)
from writers import envelope

from git_opatch.git.repository import Repository
from git_opatch.model.errors import ParseError
from git_opatch.model.failure import Refused
from git_opatch.model.options import Options, Target
from git_opatch.operations.apply import apply_patch
from git_opatch.parse import parse_patch


def _make(path: Path, object_format: str) -> Path:
    """Make a repository beside a directory with a secret, and links to it, tracked and not."""
    sound = Sandbox(path / "repo").init(f"--object-format={object_format}")
    outside = sound.path.parent / "outside"
    outside.mkdir()
    (outside / "f").write_text("secret\n")
    (sound.path / "link").symlink_to("../outside")
    (sound.path / "to-file").symlink_to("../outside/f")
    (sound.path / "inner").symlink_to("dir")
    sound.commit({"f": "secret\n", "dir/f": "secret\n", "swapped/f": "secret\n"})
    inner = Sandbox(sound.path / "sub").init(f"--object-format={object_format}")
    inner.commit({"f": "secret\n"})
    sound.git("add", "sub")
    sound.git("commit", "--quiet", "-m", "sub")
    Sandbox(sound.path / "nested").init().write("f", "secret\n")
    (sound.path / "untracked").symlink_to("../outside")
    (sound.path / "swapped/f").unlink()
    (sound.path / "swapped").rmdir()
    (sound.path / "swapped").symlink_to("../outside")
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    return cache(lambda kind: _make(tmp_path_factory.mktemp("escapes"), kind))


@pytest.fixture
def base(made: Callable[[str], Path], tmp_path: Path, request: pytest.FixtureRequest) -> Sandbox:
    shutil.copytree(made(getattr(request, "param", "sha1")), tmp_path / "all", symlinks=True)
    repo = Sandbox(tmp_path / "all/repo")
    repo.run("git", "update-index", "-q", "--refresh")
    return repo


def _snapshot(repo: Sandbox) -> dict[str, tuple[object, ...]]:
    """Give everything below the repository's parent, except git opatch's own directory."""
    found: dict[str, tuple[object, ...]] = {}
    for directory, directories, names in os.walk(repo.path.parent):
        if directory == str(repo.path / ".git"):
            directories[:] = [name for name in directories if name != "opatch"]
        for name in [*directories, *names]:
            path = Path(directory, name)
            about = path.lstat()
            content: object = os.readlink(path) if path.is_symlink() else None
            if path.is_file() and not path.is_symlink():
                renewed = (
                    "/.git/objects/" in directory + "/"
                )  # git updates the time of objects that exist
                content = (path.read_bytes(), 0 if renewed else about.st_mtime_ns)
            found[str(path)] = (about.st_mode, content)
    return found


def _withstands(repo: Sandbox, patch: bytes, *options: str) -> str:
    """Assert that the real program refuses `patch`; return its message."""
    before = _snapshot(repo)
    ran = repo.opatch("apply", *options, feed=patch)
    assert ran.status in (1, 128), ran
    assert ran.out == b""
    assert _snapshot(repo) == before
    return ran.err


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_unsafe_names_are_refused(
    base: Sandbox, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Test each group of formats; the targets are tested with the real program below."""
    monkeypatch.chdir(base.path)
    before = _snapshot(base)
    for group, write in FAMILIES.items():
        with pytest.raises((Refused, ParseError)) as refusal:
            apply_patch(parse_patch(write(name)), Repository(), Options())
        if isinstance(refusal.value, Refused) or not (group == "blocks" or "\\" in name):
            assert "path" in str(refusal.value), group
    assert _snapshot(base) == before


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("base", ["sha1", "sha256"], indirect=True)
def test_unsafe_names_are_refused_by_the_real_program(base: Sandbox, target: str) -> None:
    names = [name for name in NAMES.values() if "\\" not in name]
    for sections in (
        [add(name) for name in names],
        [delete(name) for name in names],
        [move("f", name) for name in names],
        [update(name) for name in names],
    ):
        message = _withstands(base, envelope(*sections), target)
        assert message.count("the path ") >= min(len(names), 10)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("patch", LINKS.values(), ids=LINKS)
def test_paths_through_links_are_refused(
    base: Sandbox, patch: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(base.path)
    before = _snapshot(base)
    for target in Target:
        if target is Target.CACHED and any(name in patch for name in NOT_IN_THE_INDEX):
            continue
        with pytest.raises((Refused, ParseError)):
            apply_patch(parse_patch(patch), Repository(), Options(target))
    assert _snapshot(base) == before


@pytest.mark.parametrize("target", TARGETS)
def test_a_link_that_is_replaced_is_not_followed(base: Sandbox, target: str) -> None:
    """Replace the link with --overwrite; its target does not change."""
    secret = base.path.parent / "outside/f"
    for patch in (envelope(add("to-file")), envelope(move("dir/f", "to-file"))):
        ran = base.opatch("apply", "--overwrite", target, feed=patch)
        assert ran.status == 0, ran.err
        assert (secret.read_bytes(), secret.is_symlink()) == (b"secret\n", False)
        tree = base.index() if target == "--cached" else base.files()
        assert tree["to-file"][0] == "100644"
    base.fsck()


def test_quoted_names_and_mail_are_refused(base: Sandbox) -> None:
    for name in QUOTED.values():
        patch = b"--- /dev/null\n+++ " + name + b"\n@@\n+x\n"
        assert "the path " in _withstands(base, patch)
        assert "the path " in _withstands(base, MAIL % (b"1" * 40) + patch)


@pytest.mark.parametrize("directory", DIRECTORIES)
def test_unsafe_directories_are_refused(base: Sandbox, directory: str) -> None:
    _withstands(base, envelope(add("f"), add("x")), "--directory", directory)
    _withstands(base, envelope(update("f")), "--directory", directory)


@pytest.mark.parametrize("script", SCRIPTS)
def test_unsafe_scripts_are_refused(base: Sandbox, script: str) -> None:
    patch = envelope(add("x"), update("f")).decode()
    _withstands(base, script.format(patch).encode(), INDEX)


def test_more_than_forty_ways_are_tested() -> None:
    ways = [*NAMES, *LINKS, *QUOTED, *DIRECTORIES, *SCRIPTS]
    assert len(ways) == len(set(ways)) >= 100
