"""Parts of a patch that would be dropped beside another patch are refused."""

from __future__ import annotations

import json

import pytest
from test_below_fence import DIFF, ENVELOPE, errors

from git_opatch.parse import parse_patch


def paths(text: str) -> list[str]:
    return [file.path for file in parse_patch(text).files]


def update(*lines: str) -> str:
    body = "".join(f"{line}\n" for line in lines)
    return f"*** Begin Patch\n*** Update File: f\n{body}*** End Patch\n"


BLOCK = ["<<<<<<< SEARCH", "one", "=======", "eins", ">>>>>>> REPLACE"]


@pytest.mark.parametrize(
    ("lines", "number"),
    [
        pytest.param(["@@", "-a", "+b", "@@", *BLOCK], 7, id="a block"),
        pytest.param(["@@", *BLOCK, "@@", "-a", "+b"], 4, id="a block before"),
        pytest.param(["@@", "-a", "+b", "@@ x", " y", "z"], 8, id="one line without a prefix"),
    ],
)
def test_a_hunk_of_bare_lines_that_changes_nothing_is_refused(
    lines: list[str], number: int
) -> None:
    found = [at for at, message in errors(update(*lines)) if "no line of this hunk" in message]
    assert found == [number]
    assert errors("--- a/f\n+++ b/f\n" + "\n".join([*lines, ""]))


def test_context_without_its_space_is_tolerated() -> None:
    assert paths(update("@@", "-a", "+b", "@@", " x", "", " y")) == ["f"]
    assert paths(update("@@", "x", "-a", "+b")) == ["f"]


@pytest.mark.parametrize("indent", ["  ", "   ", "    ", "\t"])
def test_an_indented_diff_is_read_or_refused(indent: str) -> None:
    diff = "".join(indent + line for line in DIFF.splitlines(keepends=True))
    assert paths(f"- Do:\n\n{diff}\n{ENVELOPE}") == ["f", *paths(ENVELOPE)]
    ((number, message),) = errors(f"- Do:\n\n{diff}+c\n{ENVELOPE}")
    assert (number, f"indented by {len(indent)}" in message) == (3, True)
    assert paths(f"- Do:\n\n{indent}```diff\n{diff}{indent}```\n") == ["f"]


@pytest.mark.parametrize(
    "prose",
    [
        "  --- a/f\n  +++ b/f\n",
        "  --- a/f\n+++ b/f\n",
        "  --- a\n  @@\n",
        "   --- x\n   +++ y\n@\n",
    ],
)
def test_indented_text_that_is_not_a_diff_is_prose(prose: str) -> None:
    assert paths(f"{prose}\n{ENVELOPE}") == ["f"]


@pytest.mark.parametrize(
    "tag",
    [
        '<file_new file_path="b">',
        '<file_patch file_path="b">',
        '<file_delete file_path="b" />',
        '<file_rename from_path="b" to_path="c" />',
    ],
)
def test_a_lowercase_directive_is_refused(tag: str) -> None:
    assert errors(f"{tag}\nb\n\n{ENVELOPE}")[0][0] == 1


@pytest.mark.parametrize("line", ["<file_new>", "<file_path>f</file_path>", "<file_x name='y'>"])
def test_other_tags_are_prose(line: str) -> None:
    assert paths(f"{line}\n\n{ENVELOPE}") == ["f"]


def test_a_json_operation_inside_a_container_is_refused() -> None:
    members = '"type": "delete_file",\n  "path": "f"'
    new = '<FILE_NEW file_path="n">\nx\n</FILE_NEW>\n'
    for value in (f"{{\n  {members}\n}}", f"[\n {{\n  {members}\n}}]", '{"type":"delete_file"}'):
        ((number, message),) = errors(f"<FILE_CHANGES>\n{new}{value}\n</FILE_CHANGES>\n")
        assert (number, "is not in a directive" in message) == (5, True)
    for value in ('{\n  "note": "x"\n}', "[1, 2]", "{x}"):
        assert paths(f"<FILE_CHANGES>\n{new}{value}\n</FILE_CHANGES>\n") == ["n"]


@pytest.mark.parametrize("marker", ["*** Add File: {}\n+x", "*** Update File: f\n*** Move to: {}"])
def test_a_new_path_names_a_file(marker: str) -> None:
    def envelope(path: str) -> str:
        return f"*** Begin Patch\n{marker.format(path)}\n*** End Patch\n"

    for path in ("d/", "./", "a b/"):
        assert "names a directory" in errors(envelope(path))[0][1]
    assert "did you mean" in errors(envelope("d\\x"))[0][1]
    for path in ("'d/x'", '"d/x"', "`d/x`", "d/x"):
        assert parse_patch(envelope(path)).files[0].new_path == "d/x"
    for path in ("d'x", "'d", "d'"):
        assert parse_patch(envelope(path)).files[0].new_path == path


@pytest.mark.parametrize("name", ["reverse", "dry_run"])
def test_a_flag_in_json_is_not_lost(name: str) -> None:
    text = json.dumps({"patch": ENVELOPE, name: True})
    assert [f"`{name}` is not read" in message for _, message in errors(text)] == [True]
    assert paths(json.dumps({"patch": ENVELOPE, name: False, "note": True})) == ["f"]
