"""One bad task never stops the others: it has a line of its own, with the kind and the reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from documents import RESULT_VALIDATOR, TASK_VALIDATOR
from sandbox import Sandbox
from writers import envelope

from git_opatch.batch.task import MOST_BYTES, read_lines
from git_opatch.parse.text import MAX_LINES

_PATCH = envelope(b"*** Update File: f\n@@\n-a\n+b\n").decode()
_OF_FILES: dict[str, Any] = {"id": "x", "files": {"f": "a\n"}, "patch": _PATCH}
_OF_TREE: dict[str, Any] = {"id": "x", "repository": ".", "base": "HEAD", "patch": _PATCH}


def _line(row: dict[str, Any]) -> str:
    """The line of a task: as it is written, or one of the two above with other fields, or without.

    In `bad-tasks.jsonl` a field that is null is one that the task does not have.
    """
    if "line" in row:
        return str(row["line"])
    task = {**(_OF_FILES if row["of"] == "files" else _OF_TREE), **row["with"]}
    return json.dumps({name: value for name, value in task.items() if value is not None})


_ROWS = map(json.loads, Path(__file__).with_name("bad-tasks.jsonl").read_text().splitlines())
_BAD = {row["name"]: (_line(row), row["reason"], row["words"]) for row in _ROWS}
_BAD["deep"] = ("[" * 100_000, "input", "not JSON: ")


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
