"""Trees and blobs read by one git are those that git lists, and computed ids are git's."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from sandbox import Sandbox

from git_opatch.git.object_repository import ObjectCache, ObjectRepository
from git_opatch.git.repository import Repository
from git_opatch.git.tree import TreeEntry, parse_tree
from git_opatch.model.blob import Change, Entry, Mode
from git_opatch.model.errors import RepositoryError

_FILES = {
    "a": "a\n",
    "a.b": "sorted between a and a/\n",
    "dir/a": "1\n",
    "dir/sub/b": "2\n",
    "dir/sub/c d": "3\n",
    "dir.x/e": "4\n",
    "ä/ö": "5\n",
    "run": "6\n",
}
_PATHS = ["a", "a/x", "dir", "dir/sub", "dir/sub/b", "dir/sub/b/x", "dir/no", "no/no", "link",
          "link/x", "module", "module/x", "ä/ö", "ä", "dir/sub/c d", "*", "a*", "a:b"]  # fmt: skip


@pytest.fixture(scope="module", params=["sha1", "sha256"])
def made(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Sandbox:
    """Make a repository, which no test changes."""
    repo = Sandbox(tmp_path_factory.mktemp("made")).init(f"--object-format={request.param}")
    for name, text in _FILES.items():
        repo.write(name, text)
    os.symlink("a", repo.path / "link")
    (repo.path / "run").chmod(0o755)
    repo.git("add", "-A")
    length = {"sha1": 40, "sha256": 64}[request.param]
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * length},module")
    repo.git("commit", "-qm", "base")
    return repo


@pytest.fixture
def base(made: Sandbox, tmp_path: Path) -> Sandbox:
    return made.copy(tmp_path / "repo")


def _opened(repo: Sandbox, size: int = 1 << 20) -> ObjectRepository:
    return ObjectRepository(str(repo.path), ObjectCache(size))


@pytest.mark.one_of(3)
@pytest.mark.parametrize("size", [0, 3000, 1 << 20], ids="cache of {}".format)
def test_trees_are_listed_as_git_lists_them(base: Sandbox, size: int) -> None:
    ours = _opened(base, size)
    listed = {recursive: _listed(base, recursive=recursive) for recursive in (False, True)}
    for recursive in (False, True, False, True):
        for path, expected in listed[recursive].items():
            assert ours.list_tree("HEAD", [path], recursive=recursive) == expected, path
    ours.close()


def _listed(repo: Sandbox, *, recursive: bool = False) -> dict[str, dict[str, Entry | None]]:
    """Return what git lists at each path; of a submodule, which may have it, the path above."""
    git = Repository(repo.path)
    found = {path: git.list_tree("HEAD", [path], recursive=recursive) for path in _PATHS}
    found["module/x"].pop("module", None)
    return found


def test_files_and_blobs_are_those_of_the_tree(base: Sandbox) -> None:
    ours = _opened(base)
    listed = base.git("ls-tree", "-r", "-z", "--name-only", "HEAD").decode().split("\0")[:-1]
    assert ours.list_files("HEAD") == ours.list_files("HEAD") == listed
    entry = ours.list_tree("HEAD", ["dir/sub/b"])["dir/sub/b"]
    assert entry is not None
    assert ours.read_blobs([entry.id, entry.id]) == {entry.id: b"2\n"}
    ours.close()


@pytest.mark.parametrize(
    "name", ["no", "", "HEAD:a", "HEAD\nHEAD", "--help", "HEAD:dir", "\0", "-"]
)
def test_what_is_not_a_tree_is_refused(base: Sandbox, name: str) -> None:
    ours = _opened(base)
    with pytest.raises(RepositoryError, match="is not a tree or commit"):
        ours.tree_id(name)
    for tree in ("HEAD", "main^0", base.git("rev-parse", "HEAD:dir").decode().strip()):
        assert ours.tree_id(tree) == base.git("rev-parse", tree + "^{tree}").decode().strip()
    ours.close()


@pytest.mark.one_of(3)
@pytest.mark.parametrize("size", [0, 3000, 1 << 20], ids="cache of {}".format)
def test_what_is_read_ahead_changes_no_answer(base: Sandbox, size: int) -> None:
    listed = _listed(base)
    odd = ["", "/a", "../a", "./a", "a\nb", "a:b", "dir//a", "dir/", *map(str, range(2000))]
    for name in ("HEAD", "main~0", base.git("rev-parse", "HEAD").decode().strip()):
        ours = _opened(base, size)
        ours.read_ahead({name: [*_PATHS, *odd]})
        ours.read_ahead({name: ["a"]})
        for path, expected in listed.items():
            assert ours.list_tree(name, [path]) == expected, path
        ours.close()


def test_files_that_were_read_ahead_are_not_asked_for_again(base: Sandbox) -> None:
    ours = _opened(base)
    ours.read_ahead({"HEAD": ["dir/sub/b", "a"]})
    ours.close()
    base.path.rename(base.path.with_name("away"))
    found = ours.list_tree("HEAD", ["dir/sub/b", "a"])
    ids = [entry.id for entry in found.values() if entry is not None]
    assert sorted(ours.read_blobs(ids).values()) == [b"2\n", b"a\n"]


@pytest.mark.parametrize("name", ["no", "", ":/base", "HEAD:a", "--help", "HEAD^{/base}", "\0"])
def test_what_is_not_a_tree_is_not_read_ahead(base: Sandbox, name: str) -> None:
    ours = _opened(base)
    ours.read_ahead({name: ["a"]})
    assert list(ours.list_tree("HEAD", ["a"])) == ["a"]
    ours.close()


def test_a_missing_object_is_named_and_the_next_is_read(base: Sandbox) -> None:
    ours = _opened(base)
    entry = ours.list_tree("HEAD", ["a"])["a"]
    assert entry is not None
    missing = "12" * (len(entry.id) // 2)
    with pytest.raises(RepositoryError, match=missing):
        ours.read_blobs([missing])
    assert ours.read_blobs([entry.id]) == {entry.id: b"a\n"}
    ours.close()


def test_a_damaged_object_is_an_error_and_the_next_is_read(base: Sandbox) -> None:
    ours = _opened(base)
    entries = ours.list_tree("HEAD", ["a", "run"])
    first, second = entries["a"], entries["run"]
    assert first is not None
    assert second is not None
    damaged = base.path / ".git/objects" / first.id[:2] / first.id[2:]
    damaged.chmod(0o644)
    damaged.write_bytes(b"not an object")
    ours.read_ahead({"main": ["a"]})
    with pytest.raises(RepositoryError):
        ours.read_blobs([first.id])
    assert ours.read_blobs([second.id]) == {second.id: b"6\n"}
    ours.close()


def test_only_the_top_of_a_repository_is_one(base: Sandbox, tmp_path: Path) -> None:
    """A directory that has lost its `.git` must not be taken for the repository around it."""
    for path in (base.path / "dir", tmp_path, tmp_path / "no"):
        with pytest.raises(RepositoryError):
            ObjectRepository(str(path), ObjectCache(0))
    bare = tmp_path / "bare.git"
    base.git("clone", "-q", "--bare", str(base.path), str(bare))
    base.git("worktree", "add", "-q", str(tmp_path / "tree"))
    for path in (base.path, base.path / ".git", bare, tmp_path / "tree"):
        ours = ObjectRepository(str(path), ObjectCache(0))
        assert ours.top is None
        assert "a" in ours.list_tree("HEAD", ["a"])
        ours.close()


def test_the_id_of_a_changed_tree_is_that_of_git(base: Sandbox) -> None:
    ours = _opened(base)
    chance = random.Random(7)
    names = ["a", "a.b", "dir", "dir/a", "dir/sub", "dir/sub/b", "dir/sub/c d", "new", "new/x/y",
             "ä/ö", "run", "dir.x/e", "dir-x"]  # fmt: skip
    empty = base.git("hash-object", "-w", "--stdin").decode().strip()
    for _ in range(40):
        base.git("read-tree", "HEAD")
        before = base.index()
        for name in chance.sample(names, chance.randint(1, 5)):
            if chance.random() < 0.4:
                base.git("rm", "-rqf", "--cached", "--ignore-unmatch", "--", name)
            else:
                mode = chance.choice(["100644", "100755", "120000"])
                base.git("update-index", "--add", "--replace", "--cacheinfo",
                         f"{mode},{empty},{name}")  # fmt: skip
        after = base.index()
        changes = [
            Change(path, None, Entry(Mode(after[path][0]), empty) if path in after else None)
            for path in before.keys() | after.keys()
            if before.get(path) != after.get(path)
        ]
        chance.shuffle(changes)
        expected = base.git("write-tree").decode().strip()
        assert ours.changed_tree("HEAD", changes) == expected, changes
    ours.close()


def test_the_cache_keeps_what_was_used_last() -> None:
    cache = ObjectCache(10)
    for name in ("a", "b"):
        cache.put(("", name), name, 4)
    assert cache.get(("", "a")) == "a"
    cache.put(("", "c"), "c", 4)
    cache.put(("", "d"), "too much", 6)
    assert [cache.get(("", name)) for name in "abcd"] == ["a", None, "c", None]


def test_what_is_no_tree_is_not_parsed() -> None:
    entry = b"100644 a\0" + b"x" * 20
    assert dict(parse_tree(entry + entry.replace(b"a", b"b"), 20)) == {
        name: TreeEntry(Mode.REGULAR, "78" * 20) for name in "ab"
    }
    for damaged in (entry[:-1], entry + b"1", b"1" + entry[:3], entry.replace(b"6", b"9")):
        with pytest.raises(ValueError, match=r"not an entry|invalid literal"):
            parse_tree(damaged, 20)
