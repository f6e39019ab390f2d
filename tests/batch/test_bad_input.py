"""One bad task never stops the others: it has a line of its own, with the kind and the reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from batches import write_tasks
from documents import RESULT_VALIDATOR, TASK_VALIDATOR
from sandbox import Sandbox
from writers import envelope

from git_opatch.batch.lines import MOST_BYTES, read_lines
from git_opatch.parse.scanner import MAX_LINES

_PATCH = envelope(b"*** Update File: f\n@@\n-a\n+b\n").decode()
_OF_FILES: dict[str, Any] = {"id": "x", "files": {"f": "a\n"}, "patch": _PATCH}
_OF_TREE: dict[str, Any] = {"id": "x", "repository": ".", "base": "HEAD", "patch": _PATCH}


def _without(task: dict[str, Any], *names: str, **fields: Any) -> dict[str, Any]:
    return {**{name: value for name, value in task.items() if name not in names}, **fields}


_CASES: list[tuple[str, Any, str, str]] = [
    ("not JSON", "{'id': 1}", "input", "not JSON: "),
    ("cut off", '{"id": "x", "patch": "', "input", "not JSON: "),
    ("deep", "[" * 100_000, "input", "not JSON: "),
    ("a list", [1], "input", "is not an object"),
    ("no id", _without(_OF_FILES, "id"), "input", "`id` is missing"),
    ("a list as id", {**_OF_FILES, "id": []}, "input", "`id` is not a string"),
    ("true as id", {**_OF_FILES, "id": True}, "input", "`id` is not a string"),
    ("no patch", _without(_OF_FILES, "patch"), "input", "exactly one of `patch` and `patch_file`"),
    ("two patches", {**_OF_FILES, "patch_file": "p"}, "input", "exactly one of"),
    ("a number as patch", {**_OF_FILES, "patch": 1}, "input", "`patch` is not a string"),
    ("half a pair", {**_OF_FILES, "patch": "\ud800"}, "input", "which is not a character"),
    ("no patch file", _without(_OF_FILES, "patch", patch_file="no"), "input",
                      "cannot read patch `no`: No such file"),
    ("a pipe", _without(_OF_FILES, "patch", patch_file="/dev/zero"), "input",
     "cannot read patch `/dev/zero`: it is not a regular file"),
    ("NUL in a name", _without(_OF_FILES, "patch", patch_file="\0"), "input", "cannot read"),
    ("no base", _without(_OF_TREE, "base"), "input", "`base` is missing"),
    ("no repository", _without(_OF_TREE, "repository"), "input", "`repository` is missing"),
    ("both", {**_OF_FILES, "base": "HEAD"}, "input", "`files` excludes"),
    ("a list of files", {**_OF_FILES, "files": []}, "input", "`files` is not an object"),
    ("no text", {**_OF_FILES, "files": {"f": 1}}, "input", "`files[f]` is not a string"),
    ("unknown field", {**_OF_FILES, "pach": ""}, "input", "`pach` is not a field"),
    ("unknown format", {**_OF_FILES, "format": "diff"}, "usage", "not one of `envelope`"),
    ("options as a list", {**_OF_FILES, "options": []}, "input", "`options` is not an object"),
    ("unknown option", {**_OF_FILES, "options": {"fuz": 1}}, "usage", "is not an option"),
    ("wrong value", {**_OF_FILES, "options": {"match": "no"}}, "usage", "not one of `strict`"),
    ("former option", {**_OF_FILES, "options": {"fuzz": 1}}, "usage", "is not an option"),
    ("wrong flag", {**_OF_FILES, "options": {"overwrite": 1}}, "input", "not true or false"),
    ("policy of files", {**_OF_FILES, "options": {"deny": ["f"]}}, "usage", "need a repository"),
    ("not a pathspec", {**_OF_TREE, "options": {"deny": [":(no)f"]}}, "repository", "pathspec"),
    ("not a blob", {**_OF_TREE, "options": {"expect": {"f": "x"}}}, "usage", "id of a blob"),
    ("unsafe", {**_OF_TREE, "options": {"expect": {"../f": ""}}}, "usage", "expect[../f]"),
    ("no such directory", {**_OF_TREE, "repository": "no"}, "repository",
                          "repository `no`: there is no such directory"),
    ("a file", {**_OF_TREE, "repository": "f"}, "repository", "no such directory"),
    ("a directory in one", {**_OF_TREE, "repository": "sub"}, "repository",
                           "is not a repository, but a directory in one"),
    ("empty name", {**_OF_TREE, "repository": ""}, "input", "`repository` is empty"),
    ("no such base", {**_OF_TREE, "base": "no"}, "repository", "`no` is not a tree or commit"),
    ("a blob", {**_OF_TREE, "base": "HEAD:f"}, "repository", "is not a tree or commit"),
    ("a line break", {**_OF_TREE, "base": "HEAD\nHEAD"}, "repository", "is not a tree"),
    ("empty base", {**_OF_TREE, "base": ""}, "input", "`base` is empty"),
    *(
        (f"option {name}", {**_OF_TREE, "options": {name: True}}, "usage",
         f"`{name}` is not an option of a task")
        for name in ("cached", "worktree", "carry", "commit", "partial", "reject", "3way",
                     "reverse", "three-way")
    ),
]  # fmt: skip
_BAD = {
    name: (line if isinstance(line, str) else json.dumps(line), reason, words)
    for name, line, reason, words in _CASES
}


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "a\n", "sub/g": "g\n"})
    return repo


def test_each_bad_task_has_its_line_and_the_others_are_judged(base: Sandbox) -> None:
    lines = []
    for line, _, _ in _BAD.values():
        lines += [line, json.dumps(_OF_TREE)]
    ran = base.opatch("batch", "-", "--jobs", "1", feed="\n".join(lines).encode())
    assert ran.status == 1
    count = len(_BAD)
    assert ran.err.endswith(f": {count} would apply; {count} could not be judged\n")
    results = sorted(map(json.loads, ran.out.splitlines()), key=lambda result: result["line"])
    assert len(results) == 2 * count
    for (name, (line, reason, words)), bad, good in zip(
        _BAD.items(), results[::2], results[1::2], strict=True
    ):
        RESULT_VALIDATOR.validate(bad)
        assert good["verdict"] == "would_apply"
        assert bad["verdict"] == "error", name
        (failure,) = bad["document"]["failures"]
        assert (failure["kind"], failure["reason"]) == ("IoError", reason), name
        assert words in failure["message"], name
        assert bad["id"] == ("x" if '"id": "x"' in line and words != "not JSON: " else None)
        assert bad["document"]["exit_status"] in (1, 128, 129)


def test_the_schema_refuses_what_a_task_cannot_be() -> None:
    of_values = {"no patch file", "a pipe", "NUL in a name", "half a pair", "no such directory",
                "a file", "a directory in one", "no such base", "a blob", "a line break",
                "not a pathspec", "not a blob", "unsafe", "policy of files"}  # fmt: skip
    for name, (line, _, words) in _BAD.items():
        if words != "not JSON: ":
            assert TASK_VALIDATOR.is_valid(json.loads(line)) == (name in of_values), name
    assert TASK_VALIDATOR.is_valid(_OF_TREE)
    assert TASK_VALIDATOR.is_valid(_OF_FILES)


def test_a_patch_beyond_the_bounds_is_malformed(base: Sandbox) -> None:
    """It was judged: such a patch is none."""
    task = json.dumps({**_OF_TREE, "patch": _PATCH + "\n" * MAX_LINES})
    ran = base.opatch("batch", "-", "--jobs", "1", feed=task.encode())
    assert ran.status == 0
    result = json.loads(ran.out)
    assert result["verdict"] == "malformed"
    assert "too large" in result["document"]["failures"][0]["message"]


def test_a_line_beyond_the_bounds_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "tasks"
    with path.open("wb") as file:
        file.write(b'{"id": 1}\n')
        file.seek(MOST_BYTES + 100, 1)  # a hole, which takes no room
        file.write(b"\n\n3\n")
    with path.open("rb") as file:
        lines = list(read_lines(file))
    assert [(line.number, line.text) for line in lines] == [
        (1, b'{"id": 1}\n'), (2, None), (4, b"3\n")
    ]  # fmt: skip


def test_a_wrong_call_is_refused(base: Sandbox, tmp_path: Path) -> None:
    write_tasks(tmp_path / "tasks", [_OF_TREE])
    tasks = str(tmp_path / "tasks")
    for words, status, message in (
        (["no"], 128, "error: cannot read tasks `no`: No such file or directory\n"),
        (["sub"], 128, "error: cannot read tasks `sub`: Is a directory\n"),
        ([tasks, "--output", "no/out"], 128, "error: cannot write results to `no/out`: "),
        ([tasks, "--output", "sub"], 128, "error: cannot write results to `sub`: Is a directory\n"),
        ([tasks, "--jobs", "-1"], 129, "error: "),
    ):
        ran = base.opatch("batch", *words)
        assert (ran.status, ran.out) == (status, b""), words
        assert message in ran.err


def test_a_full_disk_is_an_error(base: Sandbox, tmp_path: Path) -> None:
    write_tasks(tmp_path / "tasks", [_OF_TREE])
    ran = base.run("sh", "-c", f"git opatch batch '{tmp_path}/tasks' > /dev/full")
    assert (ran.status, ran.err) == (
        128, "error: cannot write results to `standard output`: No space left on device\n"
    )  # fmt: skip
