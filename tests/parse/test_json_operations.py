"""Operations and patches in JSON: what is read, and the errors, by line and by string."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import suppress

import pytest
from sandbox import Sandbox

from git_opatch.model.errors import ParseError
from git_opatch.model.options import Format
from git_opatch.model.patch import FilePatch, Hunk, Line, Operation, Prefix
from git_opatch.model.sentences import Malformed
from git_opatch.parse import parse_patch

DIFF = "@@ def f():\n a\n-b\n+c\n"
ENVELOPE = f"*** Begin Patch\n*** Update File: f\n{DIFF}*** End Patch\n"
UPDATE = {"type": "update_file", "path": "f", "diff": DIFF}
ADD = {"type": "create_file", "path": "n", "diff": "+x\n+y\n"}
DELETE = {"type": "delete_file", "path": "d"}
(WANTED,) = parse_patch(ENVELOPE).files


def files(value: object, indent: int | None = None) -> Sequence[FilePatch]:
    return parse_patch(json.dumps(value, indent=indent)).files


def errors(text: str | bytes) -> list[str]:
    with pytest.raises(ParseError) as caught:
        parse_patch(text)
    return str(caught.value).splitlines()


def test_an_operation_is_read_as_an_envelope_section() -> None:
    added = Hunk((Line(Prefix.ADDED, b"x"), Line(Prefix.ADDED, b"y")))
    assert files([UPDATE, ADD, DELETE]) == (
        WANTED,
        FilePatch(Operation.ADD, None, "n", (added,)),
        FilePatch(Operation.DELETE, "d", None, has_content=False),
    )


CALL = {"type": "apply_patch_call", "id": "1", "call_id": "2", "status": "completed"}


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(UPDATE, id="alone"),
        pytest.param([UPDATE], id="a list"),
        pytest.param({"diff": DIFF, "path": "f", "type": "update_file"}, id="another order"),
        pytest.param({**UPDATE, "id": 1, "call_id": "2", "caller": None}, id="a call's members"),
        pytest.param({**UPDATE, "move_path": None}, id="a member that says nothing"),
        pytest.param(
            {"note": {"why": [1, -2.5e3, True, None]}, "operation": UPDATE}, id="other members"
        ),
        pytest.param({**CALL, "operation": UPDATE}, id="a call"),
        pytest.param({"operation": UPDATE}, id="an operation"),
        pytest.param({"operations": [UPDATE]}, id="operations"),
        pytest.param({"output": [{"type": "reasoning"}, {**CALL, "operation": UPDATE}]}, id="api"),
        pytest.param({"tool_calls": [{**CALL, "operation": UPDATE}]}, id="tool calls"),
        pytest.param({"patch": ENVELOPE}, id="patch"),
        pytest.param({"patchText": ENVELOPE}, id="patchText"),
        pytest.param({"input": ENVELOPE}, id="input"),
        pytest.param({"type": "custom_tool_call", "input": ENVELOPE}, id="a custom tool"),
        pytest.param(
            {"type": "function_call", "arguments": json.dumps({"input": ENVELOPE})},
            id="arguments in a string",
        ),
        pytest.param(
            {"tool_calls": [{"function": {"arguments": json.dumps({"patch": ENVELOPE})}}]},
            id="a chat's tool call",
        ),
        pytest.param({"type": "tool_use", "input": {"patchText": ENVELOPE}}, id="a tool's use"),
        pytest.param({"command": ["apply_patch", ENVELOPE]}, id="a command"),
        pytest.param(["apply_patch", ENVELOPE], id="a command alone"),
        pytest.param(ENVELOPE, id="one string"),
        pytest.param(json.dumps(ENVELOPE), id="a string in a string"),
        pytest.param({"patch": f"Here:\n```\n{ENVELOPE}```\n"}, id="prose and a fence in a string"),
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_an_operation_may_be_nested_or_surrounded(value: object, indent: int | None) -> None:
    assert files(value, indent) == (WANTED,)


def test_any_format_may_be_inside_a_string() -> None:
    unified = "--- a/f\n+++ b/f\n@@ def f():\n a\n-b\n+c\n"
    assert files({"patch": unified}) == (WANTED,)
    blocks = "<<<<<<< SEARCH\na\nb\n=======\na\nc\n>>>>>>> REPLACE\n"
    (section,) = files({"path": "f", "diff": blocks})
    assert (section.path, section.hunks[0].lines) == ("f", WANTED.hunks[0].lines)


def test_operations_may_be_one_per_line_and_among_prose() -> None:
    lines = [json.dumps(value) for value in (UPDATE, {"done": True}, ADD, DELETE)]
    text = "\n".join(["Two calls:", "", *lines[:2], "and", "```json", *lines[2:], "```", "", "Bye"])
    assert [section.path for section in parse_patch(text).files] == ["f", "n", "d"]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_escapes_and_bytes_are_content(ending: str) -> None:
    path, line = "ü/\U0001f600 x", '"\t\\n é\u2028'
    value = {"type": "create_file", "path": path, "diff": f"+{line}{ending}+{ending}"}
    for ascii_only in (True, False):
        (section,) = parse_patch(json.dumps(value, ensure_ascii=ascii_only)).files
        assert section.new_path == path
        assert [line.text for line in section.hunks[0].lines] == [line.encode(), b""]


def test_bytes_that_are_not_text_are_kept() -> None:
    raw = json.dumps(ADD).encode().replace(b"+x", b"+\xff\xfe")
    (section,) = parse_patch(raw).files
    assert section.hunks[0].lines[0].text == b"\xff\xfe"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"a": [1, {"b": null}]}', id="an object"),
        pytest.param('["one", "two"]', id="a list"),
        pytest.param('{"type": "read_file", "path": "x"}', id="another tool"),
        pytest.param('{"operation": {"name": "GET"}}', id="another operation"),
        pytest.param('{"type": ["string", "null"], "type": 1}', id="another kind of type"),
        pytest.param('{"path": "x", "diff": {"lines": 3}}', id="another kind of diff"),
        pytest.param('{"type": "apply_patch_call_output", "output": "Done"}', id="an outcome"),
        pytest.param('{"input": "hello\\nworld"}', id="a string without a patch"),
        pytest.param('"a\\nb"', id="a string"),
        pytest.param('["a" "b"]', id="broken, and no patch"),
        pytest.param('"Yes," she said.\n[1] a note\n{ code }\n["x"] = 1', id="prose"),
        pytest.param("[" * 100_000, id="deep"),
    ],
)
def test_json_without_a_patch_is_prose(text: str) -> None:
    (error,) = errors(text)
    assert error.startswith("no patch found")
    assert parse_patch(f"{text}\n{ENVELOPE}").files == (WANTED,)


@pytest.mark.parametrize("cut", ['{"f', '{"a": 1', '[{"x": ', '{"file_path": "b.txt", "ol'])
def test_json_that_is_cut_off_is_refused_below_a_whole_call(cut: str) -> None:
    (error,) = errors('{"file_path": "f", "old_string": "a", "new_string": "b"}\n' + cut)
    assert error.startswith("line 2: the text ends in the middle of the JSON")


def test_of_json_without_a_patch_the_formats_in_json_are_named() -> None:
    (error,) = errors('{"file": "a.txt", "search": "one", "replace": "two"}')
    assert error.startswith("no patch found: the JSON has neither an operation (`type`, `path` and")
    assert "--format operations, or git opatch prompt --format string-replace" in error
    assert "the JSON" not in errors("[1] a note\n{ code }")[0]


def operation(**members: object) -> str:
    return json.dumps(members)


def faults(text: str) -> list[tuple[int, Malformed]]:
    with pytest.raises(ParseError) as caught:
        parse_patch(text)
    return [(error.line, error.fault) for error in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param(operation(type="update_file", diff="x"), Malformed.NO_MEMBER, id="no path"),
        pytest.param(operation(type="update_file", path="f"), Malformed.NO_MEMBER, id="no diff"),
        pytest.param(operation(path="f", diff="x"), Malformed.NO_TYPE, id="no type"),
        pytest.param(
            operation(type="move_file", path="f", diff="x"),
            Malformed.UNKNOWN_OPERATION,
            id="another type",
        ),
        pytest.param(operation(type="delete_file", path=7), Malformed.NOT_A_STRING, id="a number"),
        pytest.param(operation(type="delete_file", path=""), Malformed.EMPTY, id="an empty path"),
        pytest.param(
            operation(type="delete_file", path="a\nb"), Malformed.NOT_A_PATH, id="two lines"
        ),
        pytest.param(operation(type="delete_file", path="a\0b"), Malformed.NOT_A_PATH, id="a NUL"),
        pytest.param(operation(type="delete_file", path=" a"), Malformed.NOT_A_PATH, id="padded"),
        pytest.param(
            operation(type="update_file", path="f", diff=["-a"]), Malformed.NOT_A_STRING, id="lines"
        ),
        pytest.param(operation(operation={"path": "f"}), Malformed.NO_TYPE, id="no type in it"),
        pytest.param(
            '{"type":"delete_file","path":"a","path":"b"}', Malformed.MEMBER_TWICE, id="twice"
        ),
        pytest.param(
            '{"type":"delete_file","path":"\\ud800"}', Malformed.HALF_PAIR, id="half a pair"
        ),
        pytest.param('{"type":"delete_file","path":"\\x"}', Malformed.INVALID_JSON, id="an escape"),
        pytest.param('{"type":"delete_file","path":"a",}', Malformed.INVALID_JSON, id="a comma"),
        pytest.param('{"type":"delete_file",path:"a"}', Malformed.INVALID_JSON, id="a bare name"),
        pytest.param('{"type":"delete_file","path" "a"}', Malformed.INVALID_JSON, id="no colon"),
        pytest.param('{"type":"delete_file"]', Malformed.INVALID_JSON, id="another bracket"),
        pytest.param('[{"type":"delete_file"}', Malformed.CUT_JSON, id="no bracket"),
        pytest.param('{"type":"delete_file","path":"a', Malformed.CUT_JSON, id="no quote"),
        pytest.param(operation(**DELETE) + " x", Malformed.INVALID_JSON, id="a word after it"),
        pytest.param(operation(**DELETE) * 2, Malformed.INVALID_JSON, id="another after it"),
        pytest.param(
            '{"type":"delete_file","x":' + "[" * 2000 + "]" * 2000 + "}",
            Malformed.INVALID_JSON,
            id="deep",
        ),
    ],
)
def test_a_malformed_operation_is_reported_at_its_line(text: str, fault: Malformed) -> None:
    assert (1, fault) in faults(text)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({**UPDATE, "diff": ""}, "line 4: the update has no hunk", id="no hunk"),
        pytest.param(
            {**UPDATE, "diff": "@@\n-a\n*** X\n"},
            "line 7 (line 3 of `diff`): `*** X` is not a patch marker",
            id="a marker",
        ),
        pytest.param(
            {**UPDATE, "diff": "@@\n-a\n*** Delete File: z\n"},
            "line 7 (line 3 of `diff`): an operation changes one file",
            id="another section",
        ),
        pytest.param(
            {**ADD, "diff": "+a\nb"},
            "line 7 (line 2 of `diff`): every line of a new",
            id="no prefix",
        ),
        pytest.param(
            {**ADD, "diff": "+a\n\n+b"}, "line 7 (line 2 of `diff`): every line", id="a blank line"
        ),
        pytest.param(
            {**DELETE, "diff": "-a"}, "line 7 (line 1 of `diff`): a deletion has no", id="a removal"
        ),
    ],
)
def test_an_error_in_a_diff_has_both_line_numbers(value: object, expected: str) -> None:
    text = "Here:\n\n" + json.dumps([value], indent=1)
    assert errors(text)[0].startswith(expected)


ADDS = "*** Begin Patch\n*** Add File: n\n+x\n+y\n*** End Patch\n"
DELETES = "*** Begin Patch\n*** Delete File: d\n*** End Patch"


def test_a_diff_may_be_an_envelope_for_its_own_file() -> None:
    for value, whole in ((UPDATE, ENVELOPE), (ADD, ADDS), (DELETE, DELETES)):
        (plain,) = files(value)
        assert files({**value, "diff": whole}) == (plain,)
        assert files({**value, "diff": f"\n{whole}\n\n"}) == (plain,)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({**UPDATE, "path": "g", "diff": ENVELOPE}, id="another path"),
        pytest.param({**UPDATE, "path": "n", "diff": ADDS}, id="another kind"),
        pytest.param({**DELETE, "path": "f", "diff": ENVELOPE}, id="a deletion that updates"),
        pytest.param({**UPDATE, "diff": ENVELOPE.replace("@@", "*** Move to: g\n@@")}, id="a move"),
        pytest.param(
            {**UPDATE, "diff": ENVELOPE.replace("*** End", "*** Delete File: d\n*** End")},
            id="two sections",
        ),
        pytest.param({**UPDATE, "diff": ENVELOPE + ADDS}, id="two envelopes"),
        pytest.param({**UPDATE, "diff": ENVELOPE + "@@\n-x\n"}, id="a hunk after it"),
    ],
)
def test_a_diff_that_is_another_envelope_is_refused(value: object) -> None:
    (error,) = errors(json.dumps(value))
    assert error.startswith("line 1 (line 1 of `diff`): this `diff` is an envelope")
    assert "leave the envelope out" in error


def test_an_envelope_in_a_diff_has_its_own_errors() -> None:
    (error,) = errors(json.dumps({**UPDATE, "diff": ENVELOPE.replace("*** End Patch", "")}))
    assert "the patch that begins here has no end" in error
    assert "line 1 of `diff`" in error


def test_a_begin_marker_may_be_content() -> None:
    (section,) = files({**UPDATE, "diff": " *** Begin Patch\n-b\n+c\n *** End Patch\n"})
    assert [line.text for line in section.hunks[0].preimage] == [
        b"*** Begin Patch",
        b"b",
        b"*** End Patch",
    ]


GOOD, LATER = json.dumps(ADD), json.dumps(DELETE)
QUOTED = "{'type': 'create_file', 'path': 'n', 'diff': '+it\\'s'}"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param(f"[\n  // don't [\n  {GOOD},\n  {LATER}\n]", 3, id="a comment first"),
        pytest.param(f'["x", // don"t\n  {GOOD},\n  {LATER}\n]', 1, id="a comment"),
        pytest.param(f"[{{}}, /* [ */\n  {GOOD},\n  {LATER}\n]", 1, id="another comment"),
        pytest.param(f"[{{}}, # why\n  {GOOD},\n  {LATER}\n]", 1, id="a third comment"),
        pytest.param(f"[\n  {QUOTED},\n  {LATER}\n]", 1, id="single quotes"),
        pytest.param(f"{QUOTED}\n{LATER}", 1, id="single quotes alone"),
        pytest.param(f"{LATER}\n{QUOTED}", 2, id="single quotes after it"),
        pytest.param(f"{LATER}\n['apply_patch', '*** Begin Patch\\n']", 2, id="a command"),
        pytest.param(f'{{"patch": "--- a/f\\n"}} x\n{LATER}', 1, id="a diff, and more on it"),
        pytest.param(f'"*** Begin Patch\\n",\n{LATER}', 1, id="a string, and more on it"),
    ],
)
def test_broken_json_beside_valid_json_is_refused(text: str, line: int) -> None:
    assert errors(text)[0].partition(":")[0] in (f"line {line}", f"line {line + 1}")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{'a': ['b', \"c\"]}", id="a dict"),
        pytest.param("['a', 1]", id="a list"),
        pytest.param("['it's', {x}", id="no quotes"),
        pytest.param('["a", // b\n"c"]', id="a comment"),
        pytest.param("{'scripts': {'patch': 'patch-package'}}", id="another patch"),
        pytest.param("{'a': [", id="a dict without an end"),
    ],
)
def test_broken_json_without_a_patch_is_prose(text: str) -> None:
    assert parse_patch(f"{text}\n{ENVELOPE}").files == (WANTED,)
    assert parse_patch(f"{text}\n```diff\n{ENVELOPE}```\n{json.dumps(UPDATE)}").files[0] == WANTED


@pytest.mark.parametrize("name", ["patch", "patchText", "input", "arguments"])
@pytest.mark.parametrize("spacing", ["", " ", "\n  "])
def test_raw_line_breaks_beside_escapes_are_refused(name: str, spacing: str) -> None:
    diff = '--- a/f\n+++ b/f\n@@ -1 +1 @@\n-\\"a\\"\\t1\n+\\"b\\"\\t1\n'
    line = 1 + spacing.count("\n")
    assert faults(f'{{"{name}":{spacing}"\n{diff}"}}\n') == [(line, Malformed.RAW_BREAK)]
    (section,) = parse_patch(f'{{"{name}":{spacing}"\n{diff}"}}\n'.replace("\\t", "")).files
    assert [line.text for line in section.hunks[0].lines] == [b'"a"1', b'"b"1']


UNREAD = [
    pytest.param({"content": ENVELOPE}, id="another member"),
    pytest.param({"patches": [ENVELOPE]}, id="patches"),
    pytest.param({"changes": [UPDATE]}, id="changes"),
    pytest.param({"changes": {"f": [DELETE]}}, id="deletions"),
    pytest.param({"patch": "x", "extra_patch": "\n--- a/f\n"}, id="two"),
    pytest.param([{"patch": "x"}, {"edits": [UPDATE]}], id="edits"),
    pytest.param({"output": "diff --git a/f b/f\n"}, id="an output"),
    pytest.param([UPDATE, [ADD]], id="a list in a list"),
    pytest.param([UPDATE, ENVELOPE], id="a string in a list"),
    pytest.param(["note", UPDATE], id="a string first"),
    pytest.param(["rm", ENVELOPE], id="another command"),
    pytest.param(["apply_patch", ENVELOPE, "x"], id="two arguments"),
    pytest.param({**CALL, "operation": UPDATE, "more": [ADD]}, id="in a call"),
]


@pytest.mark.parametrize("value", UNREAD)
def test_a_patch_in_an_unknown_member_is_refused(value: object) -> None:
    for beside in ("", json.dumps(DELETE), ENVELOPE):
        found = faults(f"\n{json.dumps(value)}\n{beside}")
        assert found[0][0] == 2


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"content": "Say *** Begin Patch"}, id="prose about it"),
        pytest.param({"content": {"path": "f", "type": "file"}}, id="a path"),
        pytest.param({"content": [{"path": "f"}, {"diff": "x"}]}, id="apart"),
        pytest.param({"content": '"*** Begin Patch"'}, id="quoted"),
        pytest.param({"content": "--- 8< ---"}, id="a rule"),
    ],
)
def test_unknown_members_without_a_patch_are_ignored(value: object) -> None:
    assert parse_patch(json.dumps(value) + "\n" + ENVELOPE).files == (WANTED,)
    assert files([{"patch": ENVELOPE}, value]) == (WANTED,)


@pytest.mark.parametrize("name", ["workdir", "cwd", "working_directory"])
@pytest.mark.parametrize(
    "value",
    [
        {"command": ["apply_patch", ENVELOPE]},
        {"input": ENVELOPE},
        {"operations": [UPDATE]},
        UPDATE,
        {**CALL, "operation": UPDATE},
    ],
)
def test_the_directory_of_an_operation_is_used(name: str, value: dict[str, object]) -> None:
    inner = {**value, name: "sub/./x"}
    assert files(inner) == (WANTED._replace(directory="sub/x"),)
    assert files({name: None, **value}) == (WANTED,)
    assert files([{"cwd": "top", "output": [inner]}, UPDATE]) == (
        WANTED._replace(directory="top/sub/x"),
        WANTED,
    )


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"workdir": 5}, "`workdir` is not a string"),
        ({"cwd": ["sub"]}, "`cwd` is not a string"),
        ({"cwd": "a\nb"}, "`a\\nb` is not a path"),
        ({"cwd": "a", "workdir": "a"}, "leave one out"),
        ({"directory": "sub"}, "`directory` is not read; write `workdir`"),
        ({"dir": "sub"}, "`dir` is not read; write `workdir`"),
    ],
)
def test_an_unclear_directory_is_refused(members: dict[str, object], message: str) -> None:
    assert message in errors(json.dumps({"patch": ENVELOPE, **members}))[0]
    assert parse_patch(json.dumps(members) + "\n" + ENVELOPE).files == (WANTED,)


@pytest.mark.parametrize("name", ["move_path", "move_to", "new_path", "mode", "note"])
def test_an_unknown_member_of_an_operation_is_refused(name: str) -> None:
    for value in (UPDATE, ADD, DELETE, {"path": "f", "diff": "<<<<<<< SEARCH\n"}):
        (error,) = errors(json.dumps([{**value, name: "x"}]))
        assert error.startswith(f"line 1: `{name}` is not a member of an operation")


def test_an_error_in_a_string_has_both_line_numbers() -> None:
    text = json.dumps({"id": 1, "patch": "Look:\n*** Begin Patch\n*** X\n"}, indent=1)
    assert [error.partition(": ")[0] for error in errors(text)] == [
        "line 3 (line 2 of `patch`)",
        "line 3 (line 3 of `patch`)",
    ]


def test_all_malformed_operations_are_reported() -> None:
    found = errors(json.dumps([{**DELETE, "path": 1}, UPDATE, {**UPDATE, "diff": 2}], indent=1))
    assert [error.partition(": ")[0] for error in found] == ["line 4", "line 14"], found


@pytest.mark.parametrize("value", [[UPDATE, ADD], {"patch": ENVELOPE}, json.dumps(ENVELOPE)])
def test_truncated_json_is_never_applied(value: object) -> None:
    whole = json.dumps(value, indent=1)
    for size in range(len(whole)):
        with pytest.raises(ParseError):
            parse_patch(whole[:size])


def test_the_format_can_be_named() -> None:
    text = json.dumps(UPDATE)
    assert parse_patch(text, patch_format=Format.OPERATIONS).files == (WANTED,)
    with pytest.raises(ParseError):
        parse_patch(text, patch_format=Format.UNIFIED)
    with pytest.raises(ParseError):
        parse_patch(ENVELOPE, patch_format=Format.OPERATIONS)
    assert parse_patch(json.dumps({"patch": ENVELOPE}), patch_format=Format.ENVELOPE).files


@pytest.mark.parametrize(
    "piece", ["[", "[\n", '[{"a":\n', '{"a": [1]}\n', '{"\n', '"a\\n"\n', json.dumps(DELETE) + "\n"]
)
@pytest.mark.parametrize("small", [500, pytest.param(2000, marks=pytest.mark.exhaustive)])
def test_reading_takes_linear_time(piece: str, small: int) -> None:
    def seconds(count: int) -> float:
        text = piece * count
        begin = time.process_time()
        with suppress(ParseError):
            parse_patch(text)
        return time.process_time() - begin

    # If the time were quadratic, eight times the text would take 64 times as long.
    assert seconds(8 * small) < 30 * max(seconds(small), 0.005)


def test_operations_are_applied(repo: Sandbox) -> None:
    repo.commit({"f": "def f():\na\nb\n", "d": "x\n"})
    ran = repo.opatch("apply", feed=json.dumps([UPDATE, ADD, DELETE]).encode())
    assert ran.status == 0, ran.err
    assert {name: data for name, (_, data) in repo.index().items()} == {
        "f": b"def f():\na\nc\n",
        "n": b"x\ny\n",
    }


def test_a_refusal_names_the_line_in_the_string(repo: Sandbox) -> None:
    repo.commit({"f": "other\n"})
    repo.write("../p.json", json.dumps(UPDATE, indent=1))
    ran = repo.opatch("apply", "../p.json")
    assert ran.status == 1
    assert "../p.json:4 (line 2 of `diff`) expects" in ran.err


def test_operations_on_one_line_are_distinguished(repo: Sandbox) -> None:
    repo.commit({"f": "def f():\na\nb\n", "g": "other\n"})
    text = json.dumps([{**UPDATE, "path": "g"}, UPDATE]).encode()
    ran = repo.opatch("apply", "--reject", feed=text)
    assert ran.status == 1
    assert repo.read("f") == b"def f():\na\nc\n"
    assert (repo.path / "g.rej").exists()
    assert not (repo.path / "f.rej").exists()


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("before", [0, 1, 2, 3, 500, 995, 1000, 4000])
def test_a_long_string_is_decoded_exactly(before: int, plain: bool) -> None:
    """Strings are decoded in chunks, and no chunk ends inside a character or an escape."""
    content = "x" * before + 'é😀\\u00e9\\\\"\t' * 600 + "\u2028" * before
    text = json.dumps(
        {"type": "create_file", "path": "f", "diff": "+" + content}, ensure_ascii=not plain
    )
    (hunk,) = parse_patch(text).files[0].hunks
    assert [line.text.decode() for line in hunk.lines] == [content]


@pytest.mark.parametrize(
    "wrong", [r"\ud83d", r"\ude00", r"\ud83dx", r"\ud83d\u0041", r"\u12", r"\u12\n4", r"\x41"]
)
@pytest.mark.parametrize("before", ["", "\\n" * 7, "x" * 999])
def test_an_invalid_escape_is_refused(before: str, wrong: str) -> None:
    text = '{"type": "create_file", "path": "f", "diff": "+' + before + wrong + '"}'
    ((number, fault),) = faults(text)
    assert number == 1
    assert fault in (Malformed.HALF_PAIR, Malformed.INVALID_JSON)
