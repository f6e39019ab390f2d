"""Parts of a patch that are not kept are reread on demand, with the same result.

How many hunks and sections are kept affects memory alone; that is a decision of the project.
"""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Sequence
from pathlib import Path

import pytest
from scenario import read_scenario

from git_opatch.model.errors import ParseError
from git_opatch.model.patch import Patch
from git_opatch.parse import parse_patch, reread
from git_opatch.parse.wrappers.shell import parser, quoting

_FILES = sorted((Path(__file__).parents[1] / "scenarios").glob("*/*.txt"))
_FEW = {path.parent: path for path in _FILES}.values()
"""One file of each directory."""


def _facts(text: bytes) -> str:
    """Return all that is read of `text`, with the numbers that comparing patches ignores."""
    try:
        return repr(parse_patch(text))
    except ParseError as error:
        return repr(error.diagnostics)


def _keep(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(reread, "_MIN_KEPT", count)
    monkeypatch.setattr(reread, "_BYTES_PER_VALUE", 1 << 40)


@pytest.mark.parametrize(
    "path",
    [path if path in _FEW else pytest.param(path, marks=pytest.mark.exhaustive) for path in _FILES],
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_rereading_gives_the_same_patch(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = read_scenario(path.read_bytes()).texts["given"]
    texts = [given, given + b"\n" + given, b"  ```\n" + given + b"  ```\n" + given]
    kept = list(map(_facts, texts))
    for count in (0, 1, 2):
        _keep(monkeypatch, count)
        assert list(map(_facts, texts)) == kept


_HUNKS = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n@@ here\n@@ there\n x\n-c\n+d\n\n@@\n-e\n"
_OPERATIONS = [
    {"type": "update_file", "path": f"{name}.py", "diff": "@@\n-a\n+b\n"} for name in "fgh"
]
_BLOCK = "{}\n{}\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(_HUNKS, id="hunks"),
        pytest.param(json.dumps(_OPERATIONS), id="operations"),
        pytest.param("\n".join(map(json.dumps, _OPERATIONS)), id="an operation a line"),
        pytest.param(json.dumps([{"workdir": "in", "patch": _HUNKS}] * 3), id="strings"),
        pytest.param(
            "cd in && apply_patch '*** Begin Patch\n*** Delete File: a\n*** End Patch'\n",
            id="a quoted argument",
        ),
        pytest.param(
            "".join(_BLOCK.format(path, "") for path in ("f.py", "f.py", "g.py", "", "f.py")),
            id="blocks",
        ),
    ],
)
def test_sections_and_hunks_know_their_positions(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = parse_patch(text)
    assert kept.files
    _keep(monkeypatch, 0)
    again = parse_patch(text)
    assert repr(again) == repr(kept)
    assert again == kept
    assert hash(again) == hash(kept)
    assert [_places(again), _places(again)] == [_places(kept)] * 2
    assert again.files[-1] == kept.files[-1]
    assert again.files[1:] == kept.files[1:]


def _places(patch: Patch) -> list[list[tuple[int, bool, int]]]:
    return [
        [(hunk.ordinal, hunk.is_last, hunk.number) for hunk in section.hunks]
        for section in patch.files
    ]


def test_a_reread_patch_can_be_copied_and_pickled(monkeypatch: pytest.MonkeyPatch) -> None:
    _keep(monkeypatch, 0)
    patch = parse_patch(_HUNKS + _BLOCK.format("g.py", ""))
    assert pickle.loads(pickle.dumps(patch)) == copy.deepcopy(patch) == patch


def test_an_argument_is_unquoted_once_for_its_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    _keep(monkeypatch, 0)
    sections = "".join(f"*** Delete File: {name}\n" for name in "abcdefgh")
    patch = parse_patch(f"apply_patch '*** Begin Patch\n{sections}*** End Patch'\n" * 2)
    made: list[bytes] = []

    def unquoted(word: bytes) -> tuple[bytes, Sequence[int]]:
        made.append(word)
        return quoting.unquote(word)

    monkeypatch.setattr(parser, "unquote", unquoted)
    assert [file.path for file in patch.files] == list("abcdefgh") * 2
    assert len(made) == 2


def test_a_patch_without_tiny_hunks_is_kept_whole() -> None:
    line = b"-" + b"x" * 300 + b"\n"
    text = b"--- a/f\n+++ b/f\n" + (b"@@\n" + line) * 5000
    (section,) = parse_patch(text).files
    assert isinstance(section.hunks, tuple)
    assert len(section.hunks) == 5000
    assert section.hunks[4999].is_last


def test_hunks_without_a_position_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    _keep(monkeypatch, 1)
    (section,) = parse_patch(_HUNKS).files
    first, second = section.hunks[1], section.hunks[1]
    assert first == second
    assert first is not second
    assert section.hunks[0] is section.hunks[0]
