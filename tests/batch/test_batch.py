"""A batch gives each task the verdict of `git opatch check` and `apply`, and changes nothing."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from batches import judged, write_tasks
from documents import RESULT_VALIDATOR
from sandbox import Sandbox
from writers import envelope

from git_opatch.batch.judge import Extras, Judge
from git_opatch.batch.task import TaskLine

_GREET = "def greet(name):\n    print('hello', name)\n\n\ndef leave():\n    print('bye')\n"
_FILES = {"src/greet.py": _GREET, "notes.txt": "one\ntwo\nthree\ntwo\n", "sub/c": "c\n"}


def _update(path: str, *lines: str) -> bytes:
    return "\n".join([f"*** Update File: {path}", "@@", *lines, ""]).encode()


_PATCHES: Mapping[str, bytes] = {
    "exact": envelope(_update("src/greet.py", "-    print('bye')", "+    print('ciao')")),
    "loosely": envelope(_update("src/greet.py", "-\tprint('bye')", "+\tprint('ciao')")),
    "unified": b"--- a/notes.txt\n+++ b/notes.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n",
    "ambiguous": envelope(_update("notes.txt", "-two", "+2")),
    "not found": envelope(_update("notes.txt", "-four", "+4")),
    "applied": envelope(_update("notes.txt", " one", "-deux", "+two", " three")),
    "missing": envelope(_update("greet.py", "-    print('bye')", "+    print('ciao')")),
    "misspelt": envelope(_update("src/great.py", "-    print('bye')", "+    print('ciao')")),
    "no such": envelope(_update("nowhere/x", "-a", "+b")),
    "a directory": envelope(_update("src", "-a", "+b")),
    "below a file": envelope(b"*** Add File: notes.txt/x\n+x\n"),
    "add": envelope(b"*** Add File: new/d\n+d\n"),
    "exists": envelope(b"*** Add File: sub/c\n+d\n"),
    "delete": envelope(b"*** Delete File: sub/c\n"),
    "move": envelope(b"*** Update File: sub/c\n*** Move to: moved\n"),
    "directory to file": envelope(b"*** Delete File: sub/c\n*** Add File: sub\n+s\n"),
    "unsafe": envelope(b"*** Add File: ../x\n+x\n"),
    "absolute": envelope(b"*** Add File: /x\n+x\n"),
    "no change": envelope(_update("sub/c", " c")),
    "malformed": b"*** Begin Patch\n*** Update File: a\n@@@\n-x\n+y\n*** End Patch\n",
    "prose": b"please change the file\n",
    "empty": b"",
    "not UTF-8": envelope(b"*** Add File: latin\n+\xe9\n"),
}


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit(_FILES)
    return repo


def _checked(repo: Sandbox, patch: bytes, *words: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(repo.opatch("check", "--json", *words, feed=patch).out)
    found: dict[str, Any] = document["patches"][0]
    del found["name"]
    return found


def _task(repo: Sandbox, name: str, patch: bytes, **fields: Any) -> dict[str, Any]:
    text = patch.decode("utf-8", "surrogateescape")
    task = {"id": name, "repository": str(repo.path), "base": "HEAD", "patch": text}
    return {**task, **fields}


def test_documents_are_those_of_check(base: Sandbox, tmp_path: Path) -> None:
    before = base.state()
    tasks = [_task(base, name, patch) for name, patch in _PATCHES.items()]
    found = judged(base, tasks, tmp_path, "--diff")
    for name, patch in _PATCHES.items():
        result = found[name]
        assert result["document"] == _checked(base, patch, "--base", "HEAD"), name
        assert result["verdict"] == result["document"]["status"]
        in_index = json.dumps(_checked(base, patch)).replace("the index", "`HEAD`")
        assert result["document"] == json.loads(in_index), name
    assert base.state() == before


def test_verdicts_and_trees_are_those_of_apply(base: Sandbox, tmp_path: Path) -> None:
    tasks = [_task(base, name, patch) for name, patch in _PATCHES.items()]
    found = judged(base, tasks, tmp_path, "--tree")
    for name, patch in _PATCHES.items():
        base.git("read-tree", "HEAD")
        ran = base.opatch("apply", "--cached", "-q", feed=patch)
        assert (ran.status == 0) == (found[name]["verdict"] == "would_apply"), name
        tree = base.git("write-tree").decode().strip() if ran.status == 0 else None
        assert found[name]["tree"] == tree, name


def test_files_are_judged_without_a_repository(base: Sandbox, tmp_path: Path) -> None:
    empty = Sandbox(tmp_path / "plain")
    empty.path.mkdir()
    tasks = [
        {"id": name, "files": _FILES, "patch": patch.decode("utf-8", "surrogateescape")}
        for name, patch in _PATCHES.items()
    ]
    of_files = judged(empty, tasks, tmp_path, "--tree", "--diff")
    tasks = [_task(base, name, patch) for name, patch in _PATCHES.items()]
    of_tree = judged(base, tasks, tmp_path, "--tree", "--diff")
    for name in _PATCHES:
        assert of_files[name]["verdict"] == of_tree[name]["verdict"], name
        assert of_files[name]["tree"] == of_tree[name]["tree"], name
        assert of_files[name]["document"]["diff"] == of_tree[name]["document"]["diff"], name


_HISTORY = 4


@pytest.fixture
def history(repo: Sandbox) -> Sandbox:
    """Make a history of changes in several files."""
    chance = random.Random(3)
    files = {f"d{n % 3}/f{n}.py": [f"value_{n}_{k} = {k}" for k in range(40)] for n in range(6)}
    repo.commit({name: "\n".join(lines) + "\n" for name, lines in files.items()})
    for step in range(_HISTORY):
        for name in chance.sample(sorted(files), 2):
            at = chance.randrange(40)
            files[name][at : at + 1] = [f"changed_{step} = {at}", f"more_{step} = {at}"]
        repo.commit({name: "\n".join(lines) + "\n" for name, lines in files.items()})
    return repo


def _spoiled(patch: str, chance: random.Random) -> Iterator[str]:
    """Yield `patch`, and versions of it that are loose, stale, or of another file."""
    yield patch
    yield "\n".join("@@" if line.startswith("@@") else line for line in patch.split("\n"))
    lines = patch.split("\n")
    at = chance.choice([n for n, line in enumerate(lines) if line.startswith(" ")])
    yield "\n".join([*lines[:at], lines[at][:-2], *lines[at + 1 :]])
    yield "\n".join([*lines[:at], lines[at].replace("value", "VALUE"), *lines[at + 1 :]])
    yield patch.replace("/f", "/g")


def test_a_history_is_judged_as_by_check(history: Sandbox, tmp_path: Path) -> None:
    chance = random.Random(4)
    tasks = []
    for step in range(_HISTORY):
        base, after = f"HEAD~{step + 1}", f"HEAD~{step}"
        patch = history.git("diff", base, after).decode()
        for number, text in enumerate(_spoiled(patch, chance)):
            # a version before the base, and one after it: stale, and already applied
            tasks.append(_task(history, f"{step}.{number}", text.encode(), base=base))
        tasks.append(_task(history, f"{step}.again", patch.encode(), base=after))
    found = judged(history, tasks, tmp_path, "--diff", "--jobs", "2")
    verdicts = {result["verdict"] for result in found.values()}
    assert {"would_apply", "refused", "already_applied"} <= verdicts
    for task in tasks:
        expected = _checked(history, task["patch"].encode(), "--base", task["base"])
        _without_history(expected)
        assert found[task["id"]]["document"] == expected, task["id"]


def _without_history(document: dict[str, Any]) -> None:
    """Remove the older version that a refusal of `check` suggests."""
    for failure in document["failures"]:
        failure.pop("fits", None)
        lines = failure["rendered"].split("\n")
        failure["rendered"] = "\n".join(line for line in lines if "--3way" not in line)
        failure["advice"] = [line for line in failure["advice"] if "--3way" not in line]


def test_every_result_is_valid_for_the_schema(base: Sandbox, tmp_path: Path) -> None:
    tasks: list[Any] = [_task(base, name, patch) for name, patch in _PATCHES.items()]
    tasks += [{"id": 1}, {"id": "x", "files": 3}, [], "no"]
    write_tasks(tmp_path / "tasks", tasks)
    for words in (["--diff"], ["--tree"]):
        ran = base.opatch("batch", str(tmp_path / "tasks"), "--jobs", "1", *words)
        assert ran.status == 1
        assert ran.out.isascii()
        lines = [json.loads(line) for line in ran.out.splitlines()]
        assert sorted(line["line"] for line in lines) == list(range(1, len(tasks) + 1))
        for line in lines:
            RESULT_VALIDATOR.validate(line)
            assert not line["document"]["diff"] or "--diff" in words
            assert ("tree" in line) == ("--tree" in words)


def test_options_are_those_of_the_command(base: Sandbox, tmp_path: Path) -> None:
    loose, exact = _PATCHES["loosely"], _PATCHES["exact"]
    oid = base.git("rev-parse", "HEAD:notes.txt").decode().strip()
    cases: list[tuple[bytes, dict[str, Any], list[str]]] = [
        (loose, {"match": "strict"}, ["--match", "strict"]),
        (_PATCHES["ambiguous"], {"ambiguous": "nearest"}, ["--ambiguous", "nearest"]),
        (_PATCHES["exists"], {"overwrite": True}, ["--overwrite"]),
        (_PATCHES["applied"], {"skip_applied": True}, ["--skip-applied"]),
        (exact, {"directory": "src"}, ["--directory", "src"]),
        (_PATCHES["missing"], {"directory": "src"}, ["--directory", "src"]),
        (exact, {"allow": ["src/*"]}, []),
        (exact.replace(b": src/", b": /repo/src/"), {"root": "/repo/"}, ["--root", "/repo"]),
        (exact, {"expect": {"notes.txt": oid[:8]}}, ["--expect", f"notes.txt={oid[:8]}"]),
        (exact, {"expect": {"notes.txt": "12345678"}}, ["--expect", "notes.txt=12345678"]),
    ]
    tasks = [
        _task(base, str(number), patch, options=options)
        for number, (patch, options, _) in enumerate(cases)
    ]
    found = judged(base, tasks, tmp_path, "--diff")
    for number, (patch, _, words) in enumerate(cases):
        expected = _checked(base, patch, "--base", "HEAD", *words)
        assert found[str(number)]["document"] == expected, words


def test_a_patch_may_be_in_a_file(base: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "p.patch").write_bytes(_PATCHES["not UTF-8"])
    task = _task(base, "a", b"", patch_file=str(tmp_path / "p.patch"))
    del task["patch"]
    found = judged(base, [task], tmp_path, "--diff")
    assert found["a"]["document"] == {**_checked(base, _PATCHES["not UTF-8"], "--base", "HEAD")}


def test_nothing_but_the_task_decides(base: Sandbox, tmp_path: Path) -> None:
    """No setting, no journal, no current directory, no `GIT_DIR`."""
    tasks = [_task(base, name, patch) for name, patch in _PATCHES.items()]
    before = judged(base, tasks, tmp_path, "--diff", "--tree")
    base.opatch("apply", feed=_PATCHES["exact"])
    base.opatch("apply", feed=_PATCHES["move"])
    base.git("config", "opatch.match", "strict")
    base.git("config", "opatch.deny", "src")
    (tmp_path / "other").mkdir()
    other = Sandbox(tmp_path / "other").init()
    env = {"GIT_DIR": str(other.path / ".git"), "GIT_WORK_TREE": str(other.path)}
    write_tasks(tmp_path / "tasks", tasks)
    ran = base.opatch("batch", str(tmp_path / "tasks"), "--diff", "--tree",
                      cwd=base.path / "src", env=env)  # fmt: skip
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert {line["id"]: line for line in lines} == before


def test_tasks_that_are_read_together_are_judged_as_each_alone(
    base: Sandbox, tmp_path: Path
) -> None:
    (tmp_path / "p").write_bytes(_PATCHES["exact"])
    (tmp_path / "not a repository").mkdir()
    names = ("HEAD", "HEAD", "HEAD^{tree}", "no such", "HEAD:sub/c")
    tasks = [
        _task(base, f"{name} {given}", patch, base=name)
        for name in names
        for given, patch in _PATCHES.items()
    ]
    read_later = {name: value for name, value in tasks[0].items() if name != "patch"}
    elsewhere = {"repository": str(tmp_path / "not a repository")}
    tasks += [{**read_later, "patch_file": str(tmp_path / "p")}, {**tasks[0], **elsewhere}]
    tasks += [{**tasks[0], "base": ""}, {"id": 1, "files": {"a": "a\n"}, "patch": "patch_file"}]
    lines = [TaskLine(n, json.dumps(task).encode()) for n, task in enumerate(tasks, 1)]
    lines += [TaskLine(1000, b"{"), TaskLine(1001, None)]
    together, alone = Judge(Extras(diff=True, tree=True)), Judge(Extras(diff=True, tree=True))
    results = list(together.judge_all(lines))
    assert results == [alone.judge(line) for line in lines]
    assert {"would_apply", "refused", "malformed", "error"} <= {each.verdict for each in results}
    together.close()
    alone.close()


def test_sixteen_repositories_are_open_and_more_are_judged(tmp_path: Path) -> None:
    tasks = []
    for number in range(20):
        repo = Sandbox(tmp_path / f"r{number}").init()
        repo.commit({"f": f"{number}\n"})
        patch = envelope(_update("f", f"-{number}", "+x"))
        tasks += [_task(repo, f"{number}.{again}", patch) for again in range(2)]
    random.Random(1).shuffle(tasks)
    found = judged(Sandbox(tmp_path), tasks, tmp_path, "--jobs", "1")
    assert [result["verdict"] for result in found.values()] == ["would_apply"] * 40
    assert not os.path.exists(tmp_path / "r0/.git/opatch")
